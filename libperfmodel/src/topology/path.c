/* The way that a ring takes through the links. */
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

double pm__ring_direct(const pm_system *system, int a, int b, const pm__edge **edge)
{
  double payload = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *e = &system->edges[k];
    if ((e->a != a || e->b != b) && (e->a != b || e->b != a)) continue;
    payload += pm__edge_payload(e);
    *edge = e;
  }
  return payload;
}
