/*
** Synchronous data-parallel training: forward, backward, all-reduce of the gradients, update.
**
** Without overlap the all-reduce starts when the backward pass is done. With it, all of it may hide behind the backward
** kernels: the best that buckets can reach, since the first gradient is ready at once and the last bucket is small.
*/
#include "step/plan.h"

static double exposed(const pm_run *run, const pm__times *times, double communication)
{
  if (run->overlap != PM_OVERLAP_BACKWARD) return communication;
  double hidden = times->backward_data + times->backward_weight;
  return communication > hidden ? communication - hidden : 0;
}

static int32_t largest_share(const pm_prediction *p)
{
  if (p->communication_share > p->compute_share && p->communication_share > p->memory_share)
    return PM_BOTTLENECK_COMMUNICATION;
  return p->compute_share > p->memory_share ? PM_BOTTLENECK_COMPUTE : PM_BOTTLENECK_MEMORY;
}

void pm__data_parallel_step(const pm_run *run, const pm__times *times, double communication, pm_prediction *out)
{
  out->forward_time = times->forward;
  out->backward_data_time = times->backward_data;
  out->backward_weight_time = times->backward_weight;
  out->update_time = times->update;
  out->compute_time = ((times->forward + times->backward_data) + times->backward_weight) + times->update;
  out->communication_time = communication;
  out->exposed_communication_time = exposed(run, times, communication);
  out->step_time = out->compute_time + out->exposed_communication_time;
  out->throughput = run->batch * run->gpus * run->nodes / out->step_time;
  out->communication_share = out->exposed_communication_time / out->step_time;
  out->compute_share = times->compute_bound / out->step_time;
  out->memory_share = (out->compute_time - times->compute_bound) / out->step_time;
  out->bottleneck = largest_share(out);
}
