/*
** 1F1B (Narayanan et al., arXiv:2104.04473): each stage runs forward until the first gradients come back, then one forward
** and one backward pass in turn. The time is that of GPipe with even stages, the memory that of p micro-batches at most.
** The formula is exact where stages are even, where there are fewer micro-batches than stages, and where the last stage
** is the slowest; else it is at most some per cent too long. A stage waits for every hop of a round trip.
*/
#include "schedule/pipeline.h"

static double time_of(const pm__pipeline_load *load)
{
  return (load->micro_batches - 1) * load->most + load->sum + pm__pipeline_blocking_hops(load) * load->hop;
}

const pm__pipeline_schedule pm__pipeline_schedule_ONE_F_ONE_B = {
  .time = time_of, .in_flight = pm__pipeline_warm_up, .chunks = 1};
