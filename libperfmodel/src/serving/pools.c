/*
** Disaggregated serving: some workers read prompts, others decode, and the cache of each prompt is sent between them.
**
** Reading is a queue with as many servers as workers, whose passes take as many prompts as wait, within the budget of
** tokens; decoding has no prompts in between. The cache is sent layer by
** layer while the next layer is computed, so that what shows is one layer, or what the network is slower by.
*/
#include <math.h>
#include "serving/queue.h"
#include "serving/service.h"

/* Of a prompt, over the adapters of the smaller worker; GPUs of one node copy over their links, which hides it. */
static double transfer_time(const pm__serving_pools *p, double reading)
{
  const pm__serving_replica *from = p->prefill->replica, *to = p->decode->replica;
  double bytes = p->decode->isl * from->model->cache_whole * from->device.cache_bytes;
  double links = fmin(from->gpus, to->gpus), layers = from->model->layers;
  double rate = to->hop.wiring != NULL ? links * pm__collective_group_network(&to->hop) : 0;
  if (!(rate > 0)) return 0;
  double whole = bytes / rate;
  return whole <= reading ? whole / layers : whole - reading * (1 - 1 / layers);
}

/* Passes of a group that reads prompts: of one; and what each further one adds, up to as many as the budget takes. */
typedef struct reader {
  double groups, alone, added, most, full; /* full: s of a prompt in a pass of `most` */
  double together; /* groups that share experts, and so begin and end their passes together */
} reader;

static reader reader_of(const pm__serving_pools *p)
{
  const pm__serving_load *l = p->prefill;
  reader r = {.groups = p->prefill_workers * l->replica->groups, .together = 1};
  if (l->replica->model->expert_parameters > 0) r.together = l->replica->groups;
  double waiting = isnan(p->clients) ? (double)INFINITY : ceil(p->clients / r.groups);
  r.most = pm__serving_at_once(l->replica, waiting, l->fresh);
  r.alone = r.added = r.full = pm__serving_prefill(l->replica, 1, l->fresh, l->past);
  if (!(r.most > 1)) return r;
  double all = pm__serving_prefill(l->replica, r.most, l->fresh, l->past);
  r.full = all / r.most;
  r.added = (all - r.alone) / (r.most - 1);
  return r;
}

/* Prompts of a pass: as many as come while one runs. */
static double prompts_of(const reader *r, double rate)
{
  double each = rate / r->groups, left = 1 - each * r->added;
  return left > 0 ? fmax(1, fmin(r->most, each * (r->alone - r->added) / left)) : r->most;
}

/* Clients that begin at once, and end at about the same time, come in bunches: as in closed loops of one pool, a part
** of all other prompts is before one, half of it on average. */
static double bunch_wait(const pm__serving_pools *p, const reader *r)
{
  return isnan(p->clients) ? 0 : p->decode->bunching * fmax(0, p->clients - r->groups) * r->full / r->groups / 2;
}

/* The rest of the pass that runs, where that is longer than a prompt of a full one takes. Groups that share experts
** run if any of them has a prompt: from the end of a pass until one comes is idle, if none came during it. */
static double rest_wait(const reader *r, double rate, double pass)
{
  if (!(r->together > 1)) return pm__serving_erlang_c(r->groups, rate * r->alone) * (pass - r->full) / 2;
  double come = rate * r->together / r->groups * pass;
  return come / (come + exp(-come)) * pass / 2;
}

/* A queue of full passes, and the rest of the one that runs. */
static double queue_wait(const pm__serving_pools *p, const reader *r, double rate, double pass)
{
  const pm_serving_run *run = p->decode->replica->run;
  double wait = pm__serving_wait(r->groups, rate * r->full, r->full, run->arrival_cv, run->length_cv);
  wait += rest_wait(r, rate, pass);
  return isnan(p->clients) ? wait : fmin(wait, p->clients * r->full / r->groups); /* all of them before it */
}

/* The rate that `running` sequences in each group that decodes make; `pass`: the time of their pass. */
static double rate_of(const pm__serving_pools *p, const reader *r, double running, double *pass)
{
  double steps = pm__serving_steps(p->decode), groups = p->decode_workers * p->decode->replica->groups;
  *pass = pm__serving_decode(p->decode->replica, fmax(1, running), p->decode->context);
  return fmin(groups * running / (fmax(1, steps) * *pass), r->groups / r->full * (1 - 1e-9));
}

/* What a request then takes. */
static void serve_with(const pm__serving_pools *p, const reader *r, double running, pm__serving_service *out)
{
  double steps = pm__serving_steps(p->decode), pass;
  out->rate = rate_of(p, r, running, &pass);
  out->prefill = r->alone + (prompts_of(r, out->rate) - 1) * r->added;
  double busy = pm__serving_erlang_c(r->groups, out->rate * r->full);
  double wait = queue_wait(p, r, out->rate, out->prefill) + bunch_wait(p, r);
  out->transfer = transfer_time(p, out->prefill);
  out->queue = wait;
  out->again = 0;
  out->running = running;
  out->tpot = out->tpot_late = steps > 0 ? pass / p->decode->replica->accepted : (double)NAN;
  out->ttft = wait + out->prefill + out->transfer + p->decode->client;
  out->ttft_late = out->ttft - wait + pm__serving_wait_percentile(p->decode->replica->run->percentile, busy, wait);
  out->latency = out->ttft + steps * pass;
}

/* Whether requests are answered more slowly than they come, at the rate or from all clients. */
static bool is_slower(const pm__serving_pools *p, const reader *r, double running, pm__serving_service *out)
{
  double pass;
  if (isnan(p->clients)) return rate_of(p, r, running, &pass) < p->rate;
  serve_with(p, r, running, out);
  return out->rate * out->latency < p->clients;
}

enum { HALVINGS = 20 };

/* Sequences at which requests come as fast as they are answered: at the rate, or from all clients. */
static void settle(const pm__serving_pools *p, const reader *r, pm__serving_service *out)
{
  double low = 0, high = p->decode->room;
  for (int i = 0; i < HALVINGS && high - low > 1e-3 * high; i++) {
    double middle = (low + high) / 2;
    if (is_slower(p, r, middle, out)) low = middle;
    else high = middle;
  }
  serve_with(p, r, high, out);
}

/* More clients than both pools have room for wait before they are read. */
static void add_waiting(const pm__serving_pools *p, pm__serving_service *out)
{
  double more = p->clients / out->rate - out->latency;
  if (!(more > 1e-3 * out->latency)) return;
  out->queue += more;
  out->ttft += more;
  out->ttft_late += more;
  out->latency += more;
}

void pm__serving_pools_serve(const pm__serving_pools *p, pm__serving_service *out)
{
  reader r = reader_of(p);
  serve_with(p, &r, p->decode->room, out);
  double most = out->rate;
  out->limit = PM_SERVING_LIMIT_NONE;
  settle(p, &r, out);
  out->largest = most;
  if (!isnan(p->clients)) add_waiting(p, out);
  else if (p->rate >= most) {
    out->limit = PM_SERVING_LIMIT_OVERLOAD;
    out->ttft = out->ttft_late = out->latency = out->queue = INFINITY;
  }
}
