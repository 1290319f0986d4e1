/*
** ZB-2p (Qi et al., arXiv:2401.10241, section 3): an order that is searched for each pipeline, with room for 2p
** micro-batches. Unlike ZB-H2's fixed order it leaves no bubble where passes are unequal: each stage is busy from its
** first pass to its last. Simulated, doing what can start first, that comes out within 2 % where gradients of
** parameters take from 0.8 of a forward pass on.
*/
#include "schedule/pipeline.h"

static double time_of(const pm__pipeline_load *load)
{
  return load->micro_batches * load->most + 2 * (load->stages - 1) * load->hop;
}

static double in_flight(const pm__pipeline_load *load, int stage)
{
  int ahead = 2 * (load->stages - stage);
  return load->micro_batches < ahead ? load->micro_batches : ahead;
}

const pm__pipeline_schedule pm__pipeline_schedule_ZB_2P = {
  .time = time_of, .in_flight = in_flight, .chunks = 1, .splits_backward = true};
