/* Finds the ring of a group: over direct links, else through NVLink switches, else through PCIe. */
#include "topology/ring.h"

/* One cycle in the order of the members. */
static int keep_one(pm__ring_cycles *cycles, int members, double weight, pm_error *error)
{
  if (!pm__ring_cycles_new(cycles, 1, members)) return pm__no_memory(error);
  for (int i = 0; i < members; i++) cycles->order[i] = i;
  cycles->weight[0] = weight;
  return PM_OK;
}

int pm__ring_find(const pm_system *system, pm__ring_members members, pm__ring_path *path, double *rings,
                  pm__ring_cycles *cycles, pm_error *error)
{
  *path = pm__ring_path_none();
  *rings = 0;
  int status = pm__ring_over_peers(system, members, path, cycles, error);
  if (status != PM_OK) return status;
  if (path->bandwidth > 0) {
    *rings = path->bandwidth / path->one_link;
    return PM_OK;
  }
  *path = pm__ring_path_none();
  pm__ring_over_switches(system, members, path);
  if (path->bandwidth > 0) {
    *rings = path->bandwidth / path->one_link;
    path->most = path->bandwidth;
    return keep_one(cycles, members.count, *rings, error);
  }
  *path = pm__ring_path_none();
  status = keep_one(cycles, members.count, 1, error);
  if (status != PM_OK) return status;
  return pm__ring_over_tree(system, members, false, path, cycles->order, error);
}
