/*
** From the prices of kernels to a prediction.
**
** One GPU alone:
**
**     forward  = factor x convolutions + framework_kernel_factor x framework kernels + others + layouts + launches
**     gpu      = accumulation x (forward + backward) + update                            backward: as forward
**     host     = kernel_time x host core x (accumulation x host calls + update_kernels x tensors)
**     waited   = kernel_time x host core x operations on single samples that the GPU waits for
**     alone    = sqrt(gpu^2 + host^2) + accumulation x (step_time + host copy + waited)
**
** Without a framework there is no host and no layout, and alone = gpu. The step is that, what sharing the work adds, and
** waiting for input.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

enum { HOUR = 3600 };

/* ---- One GPU ---- */

static double pass_time(const pm__schedule *s, const pm__costs *costs, pm__pass pass, double batch)
{
  return s->accumulation * pm__schedule_pass_time(s, s->units, costs, pass, batch);
}

/* Each batch after the first adds its gradients to those before: 3 accesses. */
static double update_time(const pm__schedule *s)
{
  double accesses = s->optimizer->accesses, more = 3 * (s->accumulation - 1);
  double added = s->network->parameters * s->gradient * more * s->device->per_byte;
  return pm__update_time(s->network->parameters, s->network->tables, accesses, s->device, s->run->precision) + added;
}

/* Kernels of the update; a server updates by itself. */
static double update_launches(const pm__schedule *s)
{
  if (s->framework == NULL) return 0;
  return s->framework->profile.framework.update_kernels * s->optimizer->kernels * s->network->tensors;
}

static double layout_time(const pm__schedule *s, const pm__costs *costs, double batch)
{
  double elements = 0, spared = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) {
    elements += s->units->pass[pass].layout;
    spared += costs->pass[pass].spared;
  }
  return s->accumulation * (elements * batch - spared) * s->layout;
}

static void add_host(const pm__schedule *s, double batch, pm__schedule_times *t)
{
  const pm_framework *f = &s->framework->profile.framework;
  t->host = f->kernel_time * s->system->host * (pm__schedule_pass_calls(s) + update_launches(s));
  double each = f->step_time + pm__schedule_host_copy(s, batch) + pm__schedule_waited_calls(s, batch);
  t->alone = sqrt(t->gpu * t->gpu + t->host * t->host) + s->accumulation * each;
}

pm__schedule_times pm__step_times_of(const pm__schedule *s, const pm__costs *costs, double batch)
{
  pm__schedule_times t;
  t.forward = pass_time(s, costs, PM__FORWARD, batch);
  t.dgrad = pass_time(s, costs, PM__DGRAD, batch);
  t.wgrad = pass_time(s, costs, PM__WGRAD, batch);
  t.update = update_time(s) + update_launches(s) * s->launch;
  t.gpu = ((t.forward + t.dgrad) + t.wgrad) + t.update;
  t.bound = s->accumulation * pm__schedule_part(s, &costs->bound);
  t.layout = layout_time(s, costs, batch);
  t.saved = s->accumulation * costs->saved;
  t.host = 0;
  t.alone = t.gpu;
  if (s->framework != NULL) add_host(s, batch, &t);
  return t;
}

/* ---- The parts put together ---- */

/* What a node waits for its input: all of it, if nothing is prefetched, else what a step does not cover. */
static double input_wait(const pm__schedule *s, double step)
{
  double samples = s->run->batch * s->run->gpus * s->accumulation;
  if (!isfinite(s->run->input_rate)) return 0;
  double takes = samples / s->run->input_rate;
  return s->run->no_prefetch ? takes : pm__most(0, takes - step);
}

double pm__step_time(const pm__schedule *s, const pm__schedule_times *t, const pm__sharing *sharing, double *waits)
{
  double step = t->alone + sharing->exposed + sharing->straggler_wait + sharing->bubble + sharing->offload;
  *waits = input_wait(s, step);
  return step + *waits;
}

static void set_times(const pm__schedule *s, const pm__schedule_times *t, const pm__sharing *sharing, pm_prediction *out)
{
  out->forward_time = t->forward;
  out->dgrad_time = t->dgrad;
  out->wgrad_time = t->wgrad;
  out->update_time = t->update;
  out->compute_time = t->gpu;
  out->launch_overhead_time = t->alone - t->gpu;
  out->communication_time = sharing->communication;
  out->exposed_communication_time = sharing->exposed;
  out->straggler_wait_time = sharing->straggler_wait;
  out->launch_time = t->host;
  out->layout_time = t->layout;
  out->staleness = sharing->staleness;
  out->bubble_time = sharing->bubble;
  out->offload_time = sharing->offload;
  out->step_time = pm__step_time(s, t, sharing, &out->input_wait_time);
}

static int32_t largest_share(const pm_prediction *p)
{
  const double shares[] = {p->compute_share, p->memory_bandwidth_share,  p->communication_share,
                           p->launch_overhead_share,    p->straggler_wait_share, p->input_wait_share};
  static const int32_t names[] = {PM_BOTTLENECK_COMPUTE, PM_BOTTLENECK_MEMORY_BANDWIDTH,  PM_BOTTLENECK_COMMUNICATION,
                                  PM_BOTTLENECK_LAUNCH_OVERHEAD,    PM_BOTTLENECK_STRAGGLER_WAIT, PM_BOTTLENECK_INPUT};
  int best = 1; /* of equal ones memory */
  for (int i = 0; i < (int)(sizeof shares / sizeof shares[0]); i++)
    if (shares[i] > shares[best]) best = i;
  return names[best];
}

static void set_shares(const pm__schedule_times *t, pm_prediction *out)
{
  double each = 1 / out->step_time; /* one division takes as long as all of these products */
  out->compute_share = t->bound * each;
  out->memory_bandwidth_share = (t->gpu - t->bound) * each;
  out->communication_share = out->exposed_communication_time * each;
  out->launch_overhead_share = out->launch_overhead_time * each;
  out->straggler_wait_share = out->straggler_wait_time * each;
  out->input_wait_share = out->input_wait_time * each;
  out->bubble_share = out->bubble_time * each;
  out->offload_share = out->offload_time * each;
  out->gpu_busy = t->gpu * each;
  out->bottleneck = largest_share(out);
}

/* Of one GPU; forward and backward alone update nothing. */
static double step_flop(const pm__schedule *s)
{
  double update = s->optimizer->accesses > 0 ? 4 * s->network->parameters : 0;
  return s->accumulation * s->run->batch * s->network->training_flop + update;
}

static void set_rates(const pm__schedule *s, const pm__schedule_times *t, const pm__sharing *sharing, pm_prediction *out)
{
  double flop = step_flop(s);
  double samples = s->samples;
  out->throughput = samples / out->step_time;
  out->flop = s->ranks * flop;
  out->flop_rate = flop / out->step_time;
  out->mfu = out->flop_rate / s->device->peak;
  out->hfu = (flop - t->saved) / out->step_time / s->device->peak;
  out->epoch_time = NAN;
  if (!isnan(s->run->epoch_samples)) out->epoch_time = ceil(s->run->epoch_samples / samples) * out->step_time;
  out->gpu_hours = s->ranks * out->epoch_time / HOUR;
  out->tokens_per_second = s->network->tokens * out->throughput;
  out->gradient_size = sharing->exchanged * s->gradient;
}

void pm__step_compose(const pm__schedule *s, const pm__schedule_times *times, const pm__sharing *sharing, pm_prediction *out)
{
  set_times(s, times, sharing, out);
  set_shares(times, out);
  set_rates(s, times, sharing, out);
}
