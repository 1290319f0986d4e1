/*
** Finds the ring through NVLink switches. They are non-blocking, so a GPU's port is the limit. A ring crosses from
** board to board once in each direction, far less than the links between their switches carry, so these are ignored.
*/
#include "topology/ring.h"

static bool is_switch(const pm_system *system, int vertex)
{
  return system->vertices[vertex].kind == PM_VERTEX_NVSWITCH;
}

/* All links of one GPU to switches. */
static double port(const pm_system *system, int vertex, pm__ring_path *path)
{
  double payload = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *edge = &system->edges[k];
    bool out = edge->a == vertex && is_switch(system, edge->b), in = edge->b == vertex && is_switch(system, edge->a);
    if (!out && !in) continue;
    payload += pm__edge_payload(edge);
    path->one_link = pm__edge_payload(edge) / edge->count;
    path->limit = edge;
    pm__ring_path_pass(path, edge);
  }
  return payload;
}

bool pm__ring_on_switches(const pm_system *system, pm__ring_members members)
{
  pm__ring_path path = pm__ring_path_none();
  for (int i = 0; i < members.count; i++)
    if (port(system, system->gpus[members.gpu[i]], &path) == 0) return false;
  return members.count > 0;
}

void pm__ring_over_switches(const pm_system *system, pm__ring_members members, pm__ring_path *path)
{
  path->bandwidth = 0;
  for (int i = 0; i < members.count; i++) {
    double payload = port(system, system->gpus[members.gpu[i]], path);
    if (payload == 0) {
      path->bandwidth = 0;
      return;
    }
    if (i == 0 || payload < path->bandwidth) path->bandwidth = payload;
  }
}
