/*
** ZB-H2 (Qi et al., arXiv:2401.10241): with more forward passes ahead the bubble is F + D - 2 W of each stage, none
** with equal passes; the first stage keeps 2p - 1 micro-batches. The update checks the gradients' norm afterwards.
*/
#include "schedule/pipeline.h"

static double time_of(const pm__pipeline_load *load)
{
  double work = load->forward + load->dgrad + load->wgrad, left = load->forward + load->dgrad - 2 * load->wgrad;
  double share = work > 0 && left > 0 ? left / work : 0;
  double hops = 2 * (load->stages - 1) * load->hop;
  return load->micro_batches * load->most + (load->sum - load->most) * share + hops;
}

static double in_flight(const pm__pipeline_load *load, int stage)
{
  int ahead = 2 * (load->stages - stage) - 1;
  return load->micro_batches < ahead ? load->micro_batches : ahead;
}

const pm__pipeline_schedule pm__pipeline_schedule_ZB_H2 = {
  .time = time_of, .in_flight = in_flight, .chunks = 1, .splits_backward = true};
