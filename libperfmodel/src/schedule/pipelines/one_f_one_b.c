/*
** 1F1B (Narayanan et al., arXiv:2104.04473): each stage runs forward until the first gradients come back, then one
** forward and one backward pass in turn. The time is that of GPipe with even stages, the memory that of p micro-batches
** at most. The formula is exact where stages are even, where there are fewer micro-batches than stages, and where the
** last stage is the slowest; else it is at most some per cent too long.
*/
#include <math.h>
#include "schedule/pipeline.h"

/* Hops that are waited for: of the first micro-batch there and back, and a round trip for each one after it, but for
** one in p, which comes while the stage still has others to work on. */
static double hops(const pm__pipeline_load *load)
{
  int after = load->micro_batches - 1;
  return 2 * (load->stages - 1 + after - ceil((double)after / load->stages));
}

static double time_of(const pm__pipeline_load *load)
{
  return (load->micro_batches - 1) * load->most + load->sum + hops(load) * load->hop;
}

const pm__pipeline_schedule pm__pipeline_schedule_ONE_F_ONE_B = {
  .time = time_of, .in_flight = pm__pipeline_warm_up, .chunks = 1};
