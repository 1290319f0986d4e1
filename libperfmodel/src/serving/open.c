/*
** Open loops: requests come at a rate, whatever happens to those before.
**
** A steady state has B = q osl TPOT sequences (Little), and TPOT = d(B) / (1 - q a): in a second q prompts add a each.
** B is found by halving on the pass itself, since passes of experts and of long contexts are no straight lines.
**
**     TTFT = own passes + the rest of a running pass + the queue of prompts + the queue for a place
**
** The queue of prompts is one server that reads `budget` tokens in a pass, that for a place has as many servers as
** there is room for; both by Allen and Cunneen. Runs that end before the steady state see fewer sequences.
*/
#include <math.h>
#include "serving/queue.h"
#include "serving/service.h"

typedef struct state {
  const pm__serving_load *load;
  double rate, running, pass, added, passes, token; /* token: a pass with what prompts add */
  bool steady;
} state;

static void look(state *s, double running)
{
  const pm__serving_load *l = s->load;
  s->running = running;
  s->pass = pm__serving_decode(l->replica, fmax(1, running), l->context);
  s->added = pm__serving_added(l->replica, fmax(1, running), l->context, l->fresh, l->past, &s->passes);
  double idle = 1 - s->rate * s->added;
  s->token = idle > 0 ? s->pass / idle : (double)INFINITY;
}

/* Sequences that there would be if passes were those of s->running. */
static double demanded(const state *s)
{
  return s->rate * pm__serving_steps(s->load) * s->token;
}

enum { HALVINGS = 16 };

static void settle(state *s)
{
  double low = 0, high = s->load->room;
  look(s, high);
  s->steady = demanded(s) <= high;
  if (!s->steady) return;
  for (int i = 0; i < HALVINGS && high - low > 1e-3 * high; i++) {
    double middle = (low + high) / 2;
    look(s, middle);
    if (demanded(s) > middle) low = middle;
    else high = middle;
  }
  look(s, high);
}

/* Requests/s at which the room is just full: halving on the rate. */
static double largest(const pm__serving_load *l)
{
  state s = {.load = l};
  look(&s, l->room);
  double steps = pm__serving_steps(l);
  return l->room / (steps * s.pass + l->room * s.added);
}

/* Prompts go through passes of `budget` tokens: how long one keeps that server busy. */
static double prompt_time(const state *s)
{
  const pm__serving_load *l = s->load;
  double share = fmin(1, l->fresh / l->replica->budget);
  if (l->replica->engine->scheduler == PM_SCHEDULER_INTERRUPT) return s->added;
  return fmax(s->added, share * (s->pass + s->added / fmax(share, 1e-9)));
}

/* The rest of a pass that is running when a request comes. */
static double rest_of_pass(const state *s)
{
  double busy = fmin(1, s->rate * s->token * s->passes), piece = s->added / s->passes;
  double variance = busy * (1 - busy) * piece * piece;
  return (s->token * s->token + variance) / (2 * s->token);
}

static void set_steady(const state *s, pm__serving_service *out)
{
  const pm__serving_load *l = s->load;
  const pm_serving_run *run = l->replica->run;
  double service = prompt_time(s), busy = s->rate * service, steps = pm__serving_steps(l);
  double prompts = pm__serving_wait(1, busy, service, run->arrival_cv, run->length_cv);
  double own = ceil(s->passes) * s->pass + s->added, life = own + steps * s->token;
  double place = pm__serving_wait(l->room, s->rate * life, life, run->arrival_cv, run->length_cv);
  double rest = rest_of_pass(s), ahead = l->replica->engine->asynchronous ? s->token : 0;
  if (l->replica->engine->scheduler == PM_SCHEDULER_INTERRUPT) own = s->added;
  out->tpot = steps > 0 ? s->token / l->replica->accepted : (double)NAN;
  out->prefill = own;
  out->queue = prompts + fmin(place, life);
  out->ttft = own + rest + out->queue + ahead + l->client;
  out->latency = out->ttft + (steps > 0 ? steps * s->token : 0);
  out->rate = s->rate;
  out->running = s->running;
  out->ttft_late = own + 2 * rest * run->percentile + ahead + l->client +
                   pm__serving_wait_percentile(run->percentile, fmin(1, busy), prompts) +
                   pm__serving_wait_percentile(run->percentile, pm__serving_erlang_c(l->room, s->rate * life),
                                               fmin(place, life));
  out->tpot_late = out->tpot + (steps > 0 ? (out->tpot - s->pass / l->replica->accepted) / sqrt(steps) : 0);
  out->limit = PM_SERVING_LIMIT_NONE;
}

/* Faster than it is answered: the queue grows as long as requests come. */
static void set_overload(const state *s, double rate, pm__serving_service *out)
{
  const pm__serving_load *l = s->load;
  double most = out->largest, duration = l->replica->run->duration, life = l->room / most;
  out->running = l->room;
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

/* A run of `duration` fills up as 1 - exp(-t / life) does; a request sees the mean of that over the run. */
static void shorten(state *s)
{
  double duration = s->load->replica->run->duration, life = pm__serving_steps(s->load) * s->token;
  if (isnan(duration) || !(life > 0) || duration > 5 * life) return;
  double x = fmax(duration / life, 1e-3);
  double token = s->token, running = s->running;
  look(s, fmax(1, running * (1 - (1 - exp(-x)) / x)));
  s->token = fmin(token, s->token);
}

/* No more requests run at once than there are. */
static pm__serving_load bounded(const pm__serving_load *load, double rate)
{
  pm__serving_load l = *load;
  double all = rate * l.replica->run->duration;
  if (all < l.room) l.room = fmax(1, all);
  return l;
}

void pm__serving_open(const pm__serving_load *load, double rate, pm__serving_service *out)
{
  const pm__serving_load few = bounded(load, rate), *l = &few;
  state s = {.load = l, .rate = rate};
  out->largest = largest(load);
  settle(&s);
  if (s.steady && s.rate * prompt_time(&s) < 1) {
    shorten(&s);
    set_steady(&s, out);
    return;
  }
  s.rate = out->largest;
  look(&s, l->room);
  s.token = s.pass / fmax(1e-3, 1 - s.rate * s.added);
  set_overload(&s, rate, out);
}
