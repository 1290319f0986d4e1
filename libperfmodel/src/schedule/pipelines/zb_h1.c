/*
** ZB-H1 (Qi et al., arXiv:2401.10241): the gradients of parameters, for which no other stage waits, fill a part of the
** bubble: F + D - W of each stage is left of F + D + W. In flight as 1F1B.
*/
#include "schedule/pipeline.h"

static double time_of(const pm__pipeline_load *load)
{
  double work = load->forward + load->dgrad + load->wgrad, left = load->forward + load->dgrad - load->wgrad;
  double share = work > 0 && left > 0 ? left / work : 0;
  double hops = 2 * (load->stages - 1) * load->hop;
  return load->micro_batches * load->most + (load->sum - load->most) * share + hops;
}

const pm__pipeline_schedule pm__pipeline_schedule_ZB_H1 = {
  .time = time_of, .in_flight = pm__pipeline_warm_up, .chunks = 1, .splits_backward = true};
