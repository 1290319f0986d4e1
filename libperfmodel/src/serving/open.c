/*
** Open loops: requests come at a rate, whatever happens to those before.
**
** A steady state has B = q D sequences (Little). While a request decodes, for the time D, the passes of its own tokens
** run, and the prompts of others: those that came while its own prompt waited and was read, and those that come now:
**
**     D    = steps d(B + 1) + a q (D + behind)           Poisson arrivals; a: what a prompt adds to passes
**     D    = steps d(B) + a (q (D + own) - 1/2)          even arrivals
**     TTFT = own passes + the rest of a running pass + the queue of prompts + the queue for a place
**
** B is found on the pass itself, since passes of experts and of long contexts are no straight lines. Of arrivals in
** between, the square of their variation is the weight of Poisson arrivals.
**
** The queue of prompts is one server that reads `budget` tokens in a pass (Allen and Cunneen); for a place, requests
** wait where a chain of births and deaths has all of them taken. Runs that end see fewer sequences.
*/
#include <math.h>
#include "serving/queue.h"
#include "serving/service.h"

static const double pi = 3.14159265358979323846;

typedef struct state {
  const pm__serving_load *load;
  double rate, running, pass, added, passes;
  double token;              /* mean time of a pass, with what prompts add */
  double own, rest, prompts, ahead; /* the parts of TTFT, of which the last is the pass that is scheduled already */
  double busy;               /* of the server of prompts */
  double idle;               /* probability that nobody is there when a request comes */
  double decoding;           /* D */
  double full_pass;          /* with every place taken */
  bool steady;
} state;

static bool interrupts(const state *s)
{
  return s->load->replica->engine->scheduler == PM_SCHEDULER_INTERRUPT;
}

static double poisson(const state *s)
{
  double cv = s->load->replica->run->arrival_cv;
  return fmin(1, cv * cv);
}

static double between(const state *s, double even, double random)
{
  double weight = poisson(s);
  return weight >= 1 ? random : weight <= 0 ? even : even + weight * (random - even);
}

/* Passes that a prompt fills: prompts share the tokens of a pass, unless whole ones are longer. */
static double share_of(const pm__serving_load *l)
{
  double share = l->fresh / l->replica->budget;
  return l->replica->engine->scheduler == PM_SCHEDULER_WHOLE ? fmin(1, share) : share;
}

/* How long a prompt keeps the server of prompts busy. */
static double prompt_time(const state *s)
{
  return interrupts(s) ? s->added : share_of(s->load) * s->pass + s->added;
}

/* ---- Parts of the first token ---- */

/* The rest of a pass that is running when a request comes: at random in any of them. Prompts that interrupt are in the
** queue of prompts, and so are others as far as they fill passes. */
static double random_rest(const state *s)
{
  double with = fmin(1, s->rate * s->token * s->passes), piece = s->added / s->passes, plain = s->pass / 2;
  double mixed = (s->token * s->token + with * (1 - with) * piece * piece) / (2 * s->token);
  double share = s->load->fresh / s->load->replica->budget;
  return interrupts(s) ? plain : plain + fmax(0, 1 - share) * (mixed - plain);
}

/* The mean wait in a run that ends: a random walk from an empty queue, and what comes faster than it is read. */
static double ended_wait(const state *s, double service)
{
  const pm_serving_run *run = s->load->replica->run;
  double varied = run->arrival_cv * run->arrival_cv + run->length_cv * run->length_cv;
  if (isnan(run->duration)) return INFINITY;
  return 2.0 / 3 * sqrt(2 / pi * varied * s->busy * service * run->duration) +
         fmax(0, s->busy - 1) * run->duration / 2;
}

static void set_first(state *s)
{
  const pm__serving_load *l = s->load;
  const pm_serving_run *run = l->replica->run;
  double service = prompt_time(s);
  s->busy = s->rate * service;
  s->own = interrupts(s) ? s->added : ceil(s->passes) * s->pass + s->added;
  s->prompts = fmin(pm__serving_wait(1, s->busy, service, run->arrival_cv, run->length_cv), ended_wait(s, service));
  double ahead = l->replica->engine->asynchronous ? 1 : 0;
  /* Even arrivals find the last prompt read, if that takes no longer than they are apart. */
  bool apart = s->rate * (s->own + (0.5 + ahead) * s->pass) <= 1;
  double rest = random_rest(s);
  s->rest = between(s, apart ? s->pass / 2 : rest, rest);
  s->ahead = ahead * between(s, apart ? s->pass : s->token, s->token);
}

/* ---- Runs that end: requests come for a duration, and see fewer than in a steady state ---- */

/* Sequences that a request sees, over those that come while it decodes: two requests overlap for the time of decoding
** less that between them. */
static double seen_share(const state *s, double decoding)
{
  double x = decoding / s->load->replica->run->duration;
  if (isnan(x)) return 1;
  return x <= 1 ? 1 - x / 3 : (1 - 1 / (3 * x)) / x;
}

/* The same of prompts, of which only those behind it count. */
static double behind_share(const state *s, double decoding)
{
  double x = decoding / s->load->replica->run->duration;
  if (isnan(x)) return 1;
  return x <= 1 ? 1 - x / 2 : 1 / (2 * x);
}

/* ---- Decoding ---- */

/* Prompts that are read between a request's own and its first pass of decoding: those that came since its own was put
** into a pass, or, where prompts fill passes, since it came. */
static double random_prompts(const state *s, double decoding)
{
  double share = interrupts(s) ? 1 : fmin(1, share_of(s->load));
  return s->rate * (s->own + s->ahead + share * (s->rest + s->prompts) + decoding);
}

/* None while requests are that far apart, else on average half of one fewer than come while a request is read and
** decodes: the last one is not begun. */
static double even_prompts(const state *s, double decoding)
{
  if (s->rate * (s->own + pm__serving_steps(s->load) * s->pass) < 1) return 0;
  return fmax(0, s->rate * (s->own + decoding) - 0.5);
}

static void look(state *s, double running)
{
  const pm__serving_load *l = s->load;
  double seen = fmax(1, running + poisson(s)); /* at random a request comes to those that there are, and is one more */
  s->running = running;
  s->pass = pm__serving_decode(l->replica, seen, l->context);
  s->added = pm__serving_added(l->replica, seen, l->context, l->fresh, l->past, &s->passes);
  double idle = 1 - s->rate * s->added, most = s->pass + s->added / fmin(1, share_of(l)); /* full of prompts */
  s->token = idle > 0 ? fmin(most, s->pass / idle) : most;
  set_first(s);
}

/* Time that a request decodes if all others take `decoding`. */
static double decode(state *s, double decoding)
{
  double overlap = decoding * behind_share(s, decoding);
  look(s, fmin(s->load->room, s->rate * decoding * seen_share(s, decoding)));
  double prompts = between(s, even_prompts(s, overlap), random_prompts(s, overlap));
  s->decoding = pm__serving_steps(s->load) * s->pass + s->added * prompts;
  return s->decoding;
}

/* ---- The steady state ---- */

enum { STEPS = 40, FILLINGS = 64, DOUBLINGS = 24 };

static const double close_enough = 1e-4;

/* From an empty engine on: even arrivals stay where the first few find a balance. */
static void fill(state *s)
{
  double last = 0;
  for (int i = 0; i < FILLINGS && decode(s, last) > (1 + close_enough) * last; i++) last = s->decoding;
}

/* Between 0 and `high`, by the rule of the false position (Illinois: an end that stays counts half). */
static void solve(state *s, double high)
{
  double low = 0, above = s->decoding - high, below = decode(s, 0);
  int side = 0;
  for (int i = 0; i < STEPS; i++) {
    double middle = i % 8 == 7 ? (low + high) / 2 : low + (high - low) * below / (below - above);
    double more = decode(s, middle) - middle;
    if (fabs(more) <= close_enough * middle || high - low <= close_enough * high) return;
    if (more > 0) {
      if (side > 0) above /= 2;
      low = middle, below = more, side = 1;
    } else {
      if (side < 0) below /= 2;
      high = middle, above = more, side = -1;
    }
  }
}

/* Requests that come without end fill every place if decoding takes as long as they take to come; those that end do so
** at some time. */
static void settle(state *s)
{
  double high = s->load->room / s->rate;
  bool ends = !isnan(s->load->replica->run->duration);
  s->steady = decode(s, high) <= high;
  s->full_pass = s->pass;
  for (int i = 0; i < DOUBLINGS && ends && !s->steady; i++) {
    high *= 2;
    s->steady = decode(s, high) <= high;
  }
  if (!s->steady) return;
  if (poisson(s) > 0) solve(s, high);
  else fill(s);
  s->steady = s->running < s->load->room && (ends || s->busy < 1);
}

/* Requests/s at which the room is just full, or passes are full of tokens. */
static double largest(const pm__serving_load *l)
{
  state s = {.load = l};
  double steps = pm__serving_steps(l), room = l->room, share = share_of(l);
  if (steps > 0 && !interrupts(&s)) room = fmax(1, fmin(room, steps / share));
  look(&s, room);
  return room / (steps * s.pass + room * (s.added + pm__serving_again(l, room)));
}

/* The first of a run comes to an empty engine; without an end it does not count. */
static void set_idle(state *s)
{
  double life = s->rate * (s->own + s->decoding), all = s->rate * s->load->replica->run->duration;
  double first = isnan(all) ? 0 : 1 / fmax(1, all);
  s->idle = fmin(1, first + between(s, life < 1, exp(-life)));
}

/* For a place; `full`: how often there is none. Passes grow by the line between this and the full one. */
static double place_wait(const state *s, double *full)
{
  const pm__serving_load *l = s->load;
  const pm_serving_run *run = l->replica->run;
  double steps = pm__serving_steps(l), more = l->room - s->running;
  double slope = more > 0 ? fmax(0, (s->full_pass - s->pass) / more) : 0;
  double alone = s->rate * steps * fmax(0, s->pass - slope * s->running), each = s->rate * (steps * slope + s->added);
  double busy = each + alone / l->room, varied = run->arrival_cv * run->arrival_cv + run->length_cv * run->length_cv;
  *full = pm__serving_full(l->room, alone, each);
  return busy < 1 ? *full / s->rate * busy / (1 - busy) * varied / 2 : s->decoding;
}

static void set_steady(state *s, pm__serving_service *out)
{
  const pm__serving_load *l = s->load;
  const pm_serving_run *run = l->replica->run;
  double steps = pm__serving_steps(l);
  set_idle(s);
  double full, place = place_wait(s, &full);
  double alone = pm__serving_prefill(l->replica, 1, l->fresh, l->past);
  double own = fmax(s->own, hypot(s->added, pm__serving_prompt_calls(l->replica)));
  double first = s->idle * alone + (1 - s->idle) * (own + s->ahead) + l->client;
  double rest = (1 - s->idle) * s->rest;
  out->tpot = steps > 0 ? s->decoding / steps / l->replica->accepted : (double)NAN;
  out->prefill = own;
  out->queue = s->prompts + place;
  out->ttft = first + rest + out->queue;
  out->latency = out->ttft + (steps > 0 ? s->decoding : 0);
  out->rate = s->rate;
  out->again = 0;
  out->running = s->running;
  out->ttft_late = first + 2 * rest * run->percentile +
                   pm__serving_wait_percentile(run->percentile, fmin(1, s->busy), s->prompts) +
                   pm__serving_wait_percentile(run->percentile, full, place);
  out->tpot_late = out->tpot + (steps > 0 ? (out->tpot - s->pass / l->replica->accepted) / sqrt(steps) : 0);
  out->limit = PM_SERVING_LIMIT_NONE;
}

/* Faster than it is answered: the queue grows as long as requests come. */
static void set_overload(const state *s, double rate, pm__serving_service *out)
{
  const pm__serving_load *l = s->load;
  double most = out->largest, duration = l->replica->run->duration, life = l->room / most;
  out->running = l->room;
  out->again = l->again;
  out->tpot = s->token / l->replica->accepted;
  out->tpot_late = out->tpot;
  out->prefill = s->added;
  out->queue = isnan(duration) ? (double)INFINITY : fmax(0, (rate / most - 1) * duration / 2 - 0.4 * life);
  out->ttft = s->added + out->queue + s->pass / 2 + l->client;
  out->ttft_late = s->added + 2 * l->replica->run->percentile * out->queue + s->pass + l->client;
  out->latency = out->ttft + pm__serving_steps(l) * s->token;
  out->rate = most;
  out->limit = PM_SERVING_LIMIT_OVERLOAD;
}

void pm__serving_open(const pm__serving_load *l, double rate, pm__serving_service *out)
{
  state s = {.load = l, .rate = rate};
  out->largest = largest(l);
  settle(&s);
  /* once a burst has filled the cache, it stays full at any rate that is above the one with preemptions */
  if (s.steady && (l->again == 0 || rate <= out->largest)) {
    set_steady(&s, out);
    return;
  }
  s.rate = out->largest;
  look(&s, l->room);
  s.token = s.pass / fmax(1e-3, 1 - s.rate * (s.added + pm__serving_again(l, l->room)));
  set_overload(&s, rate, out);
}
