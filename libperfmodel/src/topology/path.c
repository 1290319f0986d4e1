/* Collects what limits a ring and what its steps cost, link by link. */
#include "topology/path.h"

pm__ring_path pm__ring_path_none(void)
{
  return (pm__ring_path){.bandwidth = 0, .one_link = 0, .limit = NULL, .calibrated = true};
}

void pm__ring_path_pass(pm__ring_path *path, const pm__edge *edge)
{
  if (edge->calibration.hop_latency > path->hop_latency) path->hop_latency = edge->calibration.hop_latency;
  if (edge->calibration.base_latency > path->base_latency) path->base_latency = edge->calibration.base_latency;
  path->calibrated = path->calibrated && edge->calibrated;
}
