/*
** Interleaved 1F1B (Narayanan et al., arXiv:2104.04473, section 2.2): with v chunks of layers on each GPU the bubble is
** v times shorter, and there are v times as many hops. Where they are asynchronous, only those of the first pass
** through all chunks and of the last one back are waited for; else every pass lasts a hop longer, but for the very last
** one.
*/
#include "schedule/pipeline.h"

static double hops(const pm__pipeline_load *load)
{
  if (load->stages < 2) return 0;
  double chunks = load->chunks;
  if (load->blocks) return 2 * (load->micro_batches * chunks + load->stages - 1) - 1;
  return 2 * (load->stages * chunks - 1);
}

static double time_of(const pm__pipeline_load *load)
{
  double bubble = (load->sum - load->most) / load->chunks;
  return load->micro_batches * load->most + bubble + hops(load) * load->hop;
}

/* Chunks forward before the first one goes backward, as parts of the stage's layers. */
static double in_flight(const pm__pipeline_load *load, int stage)
{
  double chunks = load->chunks, all = load->micro_batches * chunks;
  double ahead = 2.0 * (load->stages - 1 - stage) + (chunks - 1) * pm__pipeline_group(load) + 1;
  return (all < ahead ? all : ahead) / chunks;
}

const pm__pipeline_schedule pm__pipeline_schedule_INTERLEAVED = {
  .time = time_of, .in_flight = in_flight, .groups = true, .hides_hops = true};
