/*
** ZB-V (Qi et al., arXiv:2401.10241, section 6): two chunks on each GPU, the second in reverse order, so that the first
** GPU has the first and the last layers. No bubble with equal passes, and every stage keeps p micro-batches; twice the
** hops. Where gradients of parameters are shorter, half of what F + D exceeds 2 W by is left: a rule, not checked
** against the authors' automatic schedules.
*/
#include "schedule/pipeline.h"

static double time_of(const pm__pipeline_load *load)
{
  double left = (load->forward + load->dgrad - 2 * load->wgrad) / load->stages;
  double bubble = left > 0 ? (load->stages - 1) * left / 2 : 0;
  return load->micro_batches * load->most + bubble + 4 * (load->stages - 1) * load->hop;
}

static double in_flight(const pm__pipeline_load *load, int stage)
{
  (void)stage;
  return load->micro_batches < load->stages ? load->micro_batches : load->stages;
}

const pm__pipeline_schedule pm__pipeline_schedule_ZB_V = {
  .time = time_of, .in_flight = in_flight, .chunks = 2, .splits_backward = true};
