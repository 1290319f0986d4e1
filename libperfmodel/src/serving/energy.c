/*
** Energy of a request: its passes of decoding, which it shares with those that run beside it, the passes that read its
** prompt, and what boards draw while they wait, in hosts and between requests.
*/
#include "serving/energy.h"
#include <math.h>
#include "base/base.h"
#include "plan/energy.h"

/* Time of a board [s] and what it draws in it [J]. */
typedef struct spent {
  double time, energy;
} spent;

/* Kernels of a pass that takes `factor` times what they take by themselves, and waits for the rest of `time`. */
static spent pass_of(const pm__serving_replica *r, const pm__serving_times *t, double factor, double time)
{
  const pm__kernel_board *p = &r->device.wide->power;
  double all = factor * pm__serving_kernels(r, t), exchange = factor * t->exchange;
  double kernels = p->drawn * (all - exchange) + factor * t->extra;
  double exchanging = fmin(p->exchange, p->limited ? p->most : p->top) * exchange;
  return (spent){time, kernels + exchanging + p->idle * fmax(0, time - all)};
}

/* The passes of decoding of one request, in each of which the others have their share. */
static spent decoding(const pm__serving_load *l, double running)
{
  const pm__serving_replica *r = l->replica;
  pm__serving_times t = pm__serving_decode_parts(r, running, l->context);
  double pass = pm__serving_decode(r, running, l->context) / r->stages, share = pm__serving_steps(l) / running;
  spent one = pass_of(r, &t, pm__serving_decode_factor(r), pass);
  double boards = share * r->gpus / r->groups;
  return (spent){boards * one.time, boards * one.energy};
}

/* The passes that read its prompt, by what they draw alone. */
static spent reading(const pm__serving_load *l, double running, bool alone, bool full)
{
  const pm__serving_replica *r = l->replica;
  double passes;
  double time = alone ? pm__serving_prefill(r, 1, l->fresh, l->past)
                      : pm__serving_added(r, running, l->context, l->fresh, l->past, &passes);
  if (full) time += pm__serving_again(l, running);
  pm__serving_times t = pm__serving_prompt_parts(r, l->fresh, l->past);
  double factor = pm__serving_prefill_factor(r);
  spent one = pass_of(r, &t, factor, factor * pm__serving_kernels(r, &t));
  double boards = (double)r->gpus / r->groups;
  return (spent){boards * time, boards * time * one.energy / one.time};
}

/* Where requests come no faster than they are answered, boards wait; passes of both kinds may take no longer. */
static pm__plan_energy_work work_of(const pm_serving *out, double osl, spent decode, spent read)
{
  double boards = out->total_gpus, all = boards / out->request_rate, busy = decode.time + read.time;
  double scale = busy > all ? all / busy : 1;
  return (pm__plan_energy_work){.time = all / boards, .busy = scale * busy / boards,
                           .kernels = scale * (decode.energy + read.energy) / boards, .gpus = boards, .samples = 1,
                           .tokens = osl, .rate_spread = pm__or(log(out->output_rate / out->output_rate_p10), 0)};
}

double pm__serving_set_energy(const pm_plan *plan, const pm__serving_load *l, const pm__serving_load *prefill,
                              const pm__serving_service *service, pm_serving *out)
{
  const pm__serving_replica *r = l->replica;
  const pm_serving_run *run = r->run;
  double running = fmax(1, service->running);
  spent decode = decoding(l, running);
  spent read = reading(prefill != NULL ? prefill : l, running, prefill != NULL, service->again > 0);
  pm__plan_energy_work work = work_of(out, run->osl, decode, read);
  work.nodes = run->nodes;
  const pm__plan_site site = PM__PLAN_SITE(run);
  const pm_system *system = plan->systems[run->system_index].system;
  const pm__plan_energy energy = pm__energy_of(system, &r->device.wide->power, &work, site);
  PM_ENERGY_FIELDS(PM__ENERGY_COPY)
  return read.time / (decode.time + read.time);
}
