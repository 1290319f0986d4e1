/*
** Closed loops, static batches and offline runs.
**
** In a closed loop every sequence sees, while it decodes, one prompt of each of the others:
**
**     TPOT = d(B) + (B - 1) a / steps        d: a pass of decoding; a: what a prompt adds; steps: passes of an answer
**     TTFT = alone + bunching (B - 1) b / 2 + d / 2 + client        and d more where the next pass is scheduled ahead
**     rate = C / (TTFT + (osl - 1) TPOT)                            Little's law
**
** More clients than there is room for wait for a sequence to end: (C - N) / N times a request. Where the room is the
** cache's, it stays full, and an engine that admits what fits now has to preempt later. A request that ends frees
** isl + osl tokens, its successor takes isl, and what is left goes to further ones at once, so that the osl tokens by
** which the others grow meanwhile are taken from sequences that ran: osl tokens of each request are computed again.
*/
#include <math.h>
#include "serving/service.h"

static double known(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

pm__serving_load pm__serving_load_of(const pm__serving_replica *r)
{
  const pm_serving_run *run = r->run;
  pm__serving_load l = {.replica = r, .isl = run->isl, .osl = run->osl};
  l.past = fmin(run->isl - 1, fmax(run->hit_ratio * run->isl, run->shared_prompt));
  l.fresh = run->isl - l.past;
  l.context = run->isl + run->osl / 2;
  double cache = pm__serving_room(r, l.context + known(r->engine->cache_reserved, 0) * run->osl / 2);
  l.by_cache = cache < r->limit;
  l.again = l.by_cache ? known(r->engine->recomputed, 0) * run->osl : 0;
  l.room = fmax(1, fmin(cache, r->limit));
  bool served = run->arrivals == PM_ARRIVALS_CLOSED || run->arrivals == PM_ARRIVALS_OPEN; /* else by a script */
  l.client = known(run->client_time, served ? known(r->engine->client_time, 0) : 0);
  l.bunching = known(run->bunching, known(r->engine->bunching, 0));
  return l;
}

double pm__serving_again(const pm__serving_load *l, double running)
{
  double passes;
  return l->again > 0 ? pm__serving_added(l->replica, running, l->context, l->again, 0, &passes) : 0;
}

/* Of `running` sequences: a pass, and a token with the prompts of the others in between. */
typedef struct loop {
  double pass, added, token, alone;
} loop;

static loop loop_of(const pm__serving_load *l, double running, bool full)
{
  double passes;
  loop o = {.pass = pm__serving_decode(l->replica, running, l->context)};
  o.added = pm__serving_added(l->replica, running, l->context, l->fresh, l->past, &passes);
  double steps = pm__serving_steps(l);
  double added = o.added + (full ? pm__serving_again(l, running) : 0);
  o.token = (steps > 0 ? o.pass + (running - 1) * added / steps : o.pass) / l->replica->accepted;
  o.alone = pm__serving_prefill(l->replica, 1, l->fresh, l->past);
  return o;
}

static double ahead(const pm__serving_load *l, double pass)
{
  return l->replica->engine->asynchronous ? pass : 0;
}

/* Lengths that differ change a request's time, not a token's. */
static void set_late(const pm__serving_load *l, double spread, pm__serving_service *out)
{
  double p = l->replica->run->percentile;
  out->ttft_late = out->ttft + (2 * p - 1) * spread;
  out->tpot_late = out->tpot;
}

void pm__serving_closed(const pm__serving_load *l, double clients, pm__serving_service *out)
{
  double running = fmin(clients, l->room), more = clients - running;
  loop o = loop_of(l, running, more > 0);
  double other = hypot(o.added, pm__serving_prompt_calls(l->replica));
  double wait = l->bunching * (running - 1) * other / 2 + o.pass / 2;
  out->tpot = o.token;
  out->prefill = o.alone;
  out->queue = wait;
  out->running = running;
  out->again = more > 0 ? l->again : 0;
  out->ttft = fmax(o.alone, other) + wait + ahead(l, o.pass) + l->client;
  double answer = out->ttft + fmax(0, l->osl - 1) * o.token, slots = more / running * answer;
  out->queue += slots;
  out->ttft += slots;
  out->latency = answer + slots;
  out->rate = out->largest = clients / out->latency;
  out->limit = more > 0 ? (l->by_cache ? PM_SERVING_LIMIT_CACHE : PM_SERVING_LIMIT_SEQUENCES) : PM_SERVING_LIMIT_NONE;
  set_late(l, wait, out);
}

void pm__serving_offline(const pm__serving_load *l, pm__serving_service *out)
{
  pm__serving_closed(l, l->room, out);
  double busy = pm__serving_steps(l) * l->replica->accepted * out->tpot;
  loop o = loop_of(l, l->room, true);
  out->again = l->again;
  if (pm__serving_steps(l) == 0) busy = o.alone;
  out->latency = busy + o.added;
  out->rate = out->largest = l->room / out->latency; /* nobody waits for a client */
  out->ttft = out->ttft_late = out->queue = NAN;
  out->limit = l->by_cache ? PM_SERVING_LIMIT_CACHE : PM_SERVING_LIMIT_SEQUENCES;
}

void pm__serving_static(const pm__serving_load *l, double requests, pm__serving_service *out)
{
  double waves = ceil(requests / l->room), each = requests / waves, steps = pm__serving_steps(l);
  double middle = l->isl + l->osl / 2;
  out->prefill = pm__serving_prefill(l->replica, each, l->fresh, l->past);
  out->tpot = steps > 0 ? pm__serving_decode(l->replica, each, middle) / l->replica->accepted : (double)NAN;
  out->ttft = out->prefill + l->client;
  out->latency = waves * (out->ttft + (steps > 0 ? steps * l->replica->accepted * out->tpot : 0));
  out->rate = out->largest = requests / out->latency;
  out->running = each;
  out->again = 0;
  out->queue = (waves - 1) / 2 * (out->latency / waves);
  out->limit = waves > 1 ? (l->by_cache ? PM_SERVING_LIMIT_CACHE : PM_SERVING_LIMIT_SEQUENCES) : PM_SERVING_LIMIT_NONE;
  out->ttft_late = out->ttft;
  out->tpot_late = out->tpot;
}
