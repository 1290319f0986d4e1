/* An engine's loop, pass by pass. */
#include "events.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

typedef struct request {
  double arrival, first, end;
  double length;  /* of prompt and answer over their means */
  double unread;  /* tokens of the prompt that no pass has read */
  double made;    /* tokens of the answer */
} request;

typedef struct engine {
  const events_setting *set;
  const pm__serving_load *load;
  request *all;
  int *running;    /* requests that have a place, in the order in which they came */
  int places, sent, admitted, ended;
  double now, started; /* the beginning of this pass, and of the one before */
  unsigned long long random;
} engine;

/* What one pass does: sequences that decode, and a piece of the prompt of others. */
typedef struct pass {
  double decoding, context; /* their number; the sum of their tokens in the cache */
  double prompts, tokens, past, added; /* of prompts: their number, tokens that are read, tokens that were, time */
  double *piece;            /* of each place: tokens of a prompt that are read */
} pass;

double events_random(unsigned long long *state)
{
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* ---- Arrivals ---- */

/* Evenly spread around the mean. */
static double length_of(engine *e)
{
  if (!(e->set->length_cv > 0)) return 1;
  return 1 + sqrt(3) * e->set->length_cv * (2 * events_random(&e->random) - 1);
}

static void send(engine *e, double at)
{
  double length = e->sent < e->set->requests ? length_of(e) : 1;
  if (e->sent < e->set->requests)
    e->all[e->sent++] = (request){.arrival = at, .length = length, .unread = rint(e->load->fresh * length)};
}

static double output_of(const engine *e, const request *r)
{
  return fmax(1, rint(e->load->osl * r->length));
}

static void send_all(engine *e)
{
  double at = 0;
  for (int i = 0; i < (isnan(e->set->rate) ? e->set->clients : e->set->requests); i++) {
    send(e, at);
    double share = e->set->arrival_cv > 0 ? -log(events_random(&e->random)) : 1;
    at += isnan(e->set->rate) ? e->set->apart : share / e->set->rate;
  }
}

/* An engine that schedules ahead has put this pass together when the one before began. */
static bool may_admit(const engine *e)
{
  bool ahead = e->load->replica->engine->asynchronous && e->places > 0;
  return e->admitted < e->sent && e->places < (int)e->load->room &&
         e->all[e->admitted].arrival <= (ahead ? e->started : e->now);
}

/* ---- A pass ---- */

static double decode_time(const engine *e, const pass *p)
{
  return pm__serving_decode(e->load->replica, p->decoding, p->context / p->decoding);
}

static void read_piece(engine *e, pass *p, int place, double most)
{
  const request *r = &e->all[e->running[place]];
  double tokens = fmin(r->unread, most), past = e->load->past + rint(e->load->fresh * r->length) - r->unread, passes;
  p->piece[place] = tokens;
  p->prompts++;
  p->tokens += tokens;
  p->past += past;
  if (p->decoding > 0 && tokens > 0)
    p->added += pm__serving_added(e->load->replica, p->decoding, p->context / p->decoding, tokens, past, &passes);
}

static int admit(engine *e)
{
  e->running[e->places] = e->admitted++;
  return e->places++;
}

static void find_decoding(const engine *e, pass *p)
{
  for (int i = 0; i < e->places; i++) {
    const request *r = &e->all[e->running[i]];
    if (r->unread > 0) continue;
    p->decoding++;
    p->context += e->load->isl * r->length + r->made;
  }
}

/* Prompts that are begun, then those that wait, as long as there are tokens left; engines that read whole prompts stop
** at the first that does not fit. */
static void read_prompts(engine *e, pass *p)
{
  bool whole = e->load->replica->engine->scheduler == PM_SCHEDULER_WHOLE;
  double left = e->load->replica->budget - p->decoding;
  for (int i = 0; i < e->places && left > p->tokens; i++)
    if (e->all[e->running[i]].unread > 0) read_piece(e, p, i, left - p->tokens);
  while (may_admit(e) && left > p->tokens) {
    if (whole && p->prompts > 0 && e->all[e->admitted].unread > left - p->tokens) return;
    read_piece(e, p, admit(e), whole ? (double)INFINITY : left - p->tokens);
  }
}

static double pass_time(engine *e, pass *p)
{
  const pm__serving_replica *r = e->load->replica;
  find_decoding(e, p);
  if (r->engine->scheduler == PM_SCHEDULER_INTERRUPT) {
    double decoding = p->decoding;
    p->decoding = 0; /* prompts take no notice of who decodes */
    read_prompts(e, p);
    if (p->prompts == 0) p->decoding = decoding;
  } else read_prompts(e, p);
  if (p->decoding > 0) return decode_time(e, p) + p->added;
  return pm__serving_prefill(r, p->prompts, p->tokens / p->prompts, p->past / p->prompts);
}

/* ---- What it leaves ---- */

static bool end_token(engine *e, request *r)
{
  if (r->made++ == 0) r->first = e->now;
  if (r->made < output_of(e, r)) return false;
  r->end = e->now;
  e->ended++;
  if (isnan(e->set->rate)) send(e, e->now);
  return true;
}

static void end_pass(engine *e, const pass *p)
{
  int kept = 0;
  for (int i = 0; i < e->places; i++) {
    request *r = &e->all[e->running[i]];
    bool decodes = r->unread <= 0 && p->decoding > 0;
    if (p->piece[i] > 0) r->unread -= p->piece[i], decodes = r->unread <= 0;
    if (!decodes || !end_token(e, r)) e->running[kept++] = e->running[i];
  }
  e->places = kept;
}

static void run_pass(engine *e, double *piece)
{
  pass p = {.piece = piece};
  for (int i = 0; i < (int)e->load->room; i++) piece[i] = 0;
  if (e->places == 0 && e->all[e->admitted].arrival > e->now) e->now = e->all[e->admitted].arrival;
  double time = pass_time(e, &p);
  e->started = e->now;
  e->now += time;
  end_pass(e, &p);
}

/* ---- Measurements ---- */

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static events_result measure(const engine *e)
{
  events_result out = {0};
  int from = (int)(e->set->warm * e->set->requests), to = e->set->requests - from, count = to - from;
  double *first = (double *)calloc((size_t)count, sizeof *first);
  ck_assert_ptr_nonnull(first);
  for (int i = from; i < to; i++) {
    const request *r = &e->all[i];
    first[i - from] = r->first - r->arrival;
    out.ttft += first[i - from] / count;
    out.latency += (r->end - r->arrival) / count;
    out.tpot += (r->end - r->first) / fmax(1, output_of(e, r) - 1) / count;
  }
  qsort(first, (size_t)count, sizeof *first, compare);
  out.ttft_late = first[(int)(e->load->replica->run->percentile * (count - 1))];
  out.rate = (count - 1) / (e->all[to - 1].end - e->all[from].end);
  free(first);
  return out;
}

events_result events_run(const events_setting *setting)
{
  engine e = {.set = setting, .load = setting->load, .random = 42 + 1000003ULL * (unsigned)setting->seed};
  size_t places = (size_t)setting->load->room;
  e.all = (request *)calloc((size_t)setting->requests, sizeof *e.all);
  e.running = (int *)calloc(places, sizeof *e.running);
  double *piece = (double *)calloc(places, sizeof *piece);
  ck_assert(e.all != NULL && e.running != NULL && piece != NULL);
  send_all(&e);
  while (e.ended < setting->requests) run_pass(&e, piece);
  events_result out = measure(&e);
  free(piece);
  free(e.running);
  free(e.all);
  return out;
}
