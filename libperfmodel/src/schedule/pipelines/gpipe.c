/*
** GPipe (Huang et al., arXiv:1811.06965): all micro-batches forward, then all backward. The slowest stage sets the beat
** of each half; the bubble is one pass through all the others, and every stage keeps all micro-batches.
*/
#include "schedule/pipeline.h"

static double time_of(const pm__pipeline_load *load)
{
  double beats = (load->micro_batches - 1) * (load->most_forward + load->most_backward);
  return beats + load->sum + 2 * (load->stages - 1) * load->hop;
}

static double in_flight(const pm__pipeline_load *load, int stage)
{
  (void)stage;
  return load->micro_batches;
}

const pm__pipeline_schedule pm__pipeline_schedule_GPIPE = {.time = time_of, .in_flight = in_flight, .chunks = 1};
