/* The parts put together: waiting for input, shares of the step, bottleneck. */
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

/* What a node waits for its input: all of it, if nothing is prefetched, else what a step does not cover. */
static double input_wait(const pm__schedule *s, double step)
{
  double samples = s->run->batch * s->run->gpus * s->accumulation;
  if (!isfinite(s->run->input_rate)) return 0;
  double takes = samples / s->run->input_rate;
  return s->run->input_in_turn ? takes : pm__most(0, takes - step);
}

static void set_times(const pm__schedule *s, const pm__schedule_times *t, const pm__sharing *sharing, pm_prediction *out)
{
  out->forward_time = t->forward;
  out->backward_data_time = t->backward_data;
  out->backward_weight_time = t->backward_weight;
  out->update_time = t->update;
  out->compute_time = t->gpu;
  out->host_wait_time = t->alone - t->gpu;
  out->communication_time = sharing->communication;
  out->exposed_communication_time = sharing->exposed;
  out->waiting_time = sharing->waiting;
  out->host_time = t->host;
  out->layout_time = t->layout;
  out->staleness = sharing->staleness;
  double step = t->alone + sharing->exposed + sharing->waiting;
  out->input_wait_time = input_wait(s, step);
  out->step_time = step + out->input_wait_time;
}

static int32_t largest_share(const pm_prediction *p)
{
  const double shares[] = {p->compute_share, p->memory_share,  p->communication_share,
                           p->host_share,    p->waiting_share, p->input_share};
  static const int32_t names[] = {PM_BOTTLENECK_COMPUTE, PM_BOTTLENECK_MEMORY,  PM_BOTTLENECK_COMMUNICATION,
                                  PM_BOTTLENECK_HOST,    PM_BOTTLENECK_WAITING, PM_BOTTLENECK_INPUT};
  int best = 1; /* of equal ones memory */
  for (int i = 0; i < (int)(sizeof shares / sizeof shares[0]); i++)
    if (shares[i] > shares[best]) best = i;
  return names[best];
}

static void set_shares(const pm__schedule_times *t, pm_prediction *out)
{
  double each = 1 / out->step_time; /* one division takes as long as all of these products */
  out->compute_share = t->bound * each;
  out->memory_share = (t->gpu - t->bound) * each;
  out->communication_share = out->exposed_communication_time * each;
  out->host_share = out->host_wait_time * each;
  out->waiting_share = out->waiting_time * each;
  out->input_share = out->input_wait_time * each;
  out->gpu_busy = t->gpu * each;
  out->bottleneck = largest_share(out);
}

static void set_rates(const pm__schedule *s, const pm__sharing *sharing, pm_prediction *out)
{
  double flop = s->accumulation * s->run->batch * s->network->training_flop + 4 * s->network->parameters;
  double samples = s->run->batch * s->ranks * s->accumulation;
  out->throughput = samples / out->step_time;
  out->flop = s->ranks * flop;
  out->flop_rate = flop / out->step_time;
  out->utilization = out->flop_rate / s->device->matrix_peak;
  out->epoch_time = NAN;
  if (!isnan(s->run->epoch_samples)) out->epoch_time = ceil(s->run->epoch_samples / samples) * out->step_time;
  out->gradient_size = sharing->exchanged * s->gradient;
}

void pm__step_compose(const pm__schedule *s, const pm__schedule_times *times, const pm__sharing *sharing, pm_prediction *out)
{
  set_times(s, times, sharing, out);
  set_shares(times, out);
  set_rates(s, sharing, out);
  pm__step_band(s, out);
}
