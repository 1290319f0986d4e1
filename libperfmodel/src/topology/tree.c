/*
** Finds the ring of GPUs that reach each other through PCIe switches, CPUs and inter-CPU links.
**
** The ring continues to the nearest GPU not yet visited, so that it enters and leaves each switch and each socket once.
** Every hop uses the route with the fewest links; the hops that cross a link in the same direction share its bandwidth.
** GPUs without peer access pass everything through host memory: such a hop goes up to a CPU and down again.
*/
#include <stdlib.h>
#include <string.h>
#include "topology/ring.h"
#include "topology/routes.h"

static int nearest(const pm__routes *r, pm__ring_members members, const bool *visited)
{
  int best = -1;
  for (int i = 0; i < members.count; i++) {
    int distance = r->distance[r->system->gpus[members.gpu[i]]];
    if (visited[i] || distance < 0) continue;
    if (best < 0 || distance < r->distance[r->system->gpus[members.gpu[best]]]) best = i;
  }
  return best;
}

/* Visits all GPUs and returns to the first; false if one cannot be reached. */
static bool visit_all(pm__routes *r, pm__ring_members members, bool in_order, bool *visited, int *order,
                     pm__ring_path *path)
{
  int here = 0;
  visited[0] = true;
  for (int hop = 1; hop <= members.count; hop++) {
    int start = r->system->gpus[members.gpu[here]], next = 0;
    if (order != NULL) order[hop - 1] = here;
    pm__routes_from(r, start);
    if (hop < members.count) next = in_order ? hop : nearest(r, members, visited);
    if (next < 0) return false;
    bool staged = r->system->machine.staged;
    if (!pm__routes_hop(r, start, r->system->gpus[members.gpu[next]], staged, path)) return false;
    visited[next] = true;
    here = next;
  }
  return true;
}

int pm__ring_over_tree(const pm_system *system, pm__ring_members members, bool in_order, pm__ring_path *path,
                       int *order, pm_error *error)
{
  pm__routes r;
  bool *visited = (bool *)calloc((size_t)members.count, sizeof *visited);
  int status = PM_OK;
  if (!pm__routes_open(&r, system) || visited == NULL) status = pm__no_memory(error);
  else if (!visit_all(&r, members, in_order, visited, order, path))
    status = pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\": no ring connects these %d GPUs",
                      system->machine.id, members.count);
  else pm__routes_limit(&r, path);
  pm__routes_close(&r);
  free(visited);
  return status;
}
