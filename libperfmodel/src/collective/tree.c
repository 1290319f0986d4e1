/*
** Rings where GPUs reach each other through PCIe switches, CPUs and inter-CPU links.
**
** The ring goes to the nearest GPU not yet visited, so that it enters and leaves each switch and each socket once. Every
** hop takes the route with the fewest links; a link's capacity is shared by the hops that cross it the same way.
*/
#include <stdlib.h>
#include <string.h>
#include "collective/ring.h"

typedef struct routes {
  const pm_system *system;
  int *distance;   /* of each vertex from the start; -1: not reached */
  int *via;        /* the edge by which it was reached */
  int *queue;
  int *load;       /* flows per edge: a to b, then b to a */
} routes;

static bool allocate(routes *r, const pm_system *system)
{
  r->system = system;
  r->distance = (int *)malloc(3 * system->vertex_count * sizeof(int));
  r->load = (int *)calloc(2 * system->edge_count + 1, sizeof(int));
  if (r->distance == NULL || r->load == NULL) return false;
  r->via = r->distance + system->vertex_count;
  r->queue = r->via + system->vertex_count;
  return true;
}

static void release(routes *r)
{
  free(r->distance);
  free(r->load);
}

/* GPUs and NICs end routes, they do not forward. */
static bool forwards(const pm_system *system, int vertex)
{
  pm_vertex_kind kind = system->vertices[vertex].kind;
  return kind != PM_VERTEX_GPU && kind != PM_VERTEX_NIC;
}

/* Breadth first from one vertex. */
static void search_from(routes *r, int start)
{
  const pm_system *system = r->system;
  int head = 0, tail = 0;
  for (size_t i = 0; i < system->vertex_count; i++) r->distance[i] = -1;
  r->distance[start] = 0;
  r->queue[tail++] = start;
  while (head < tail) {
    int here = r->queue[head++];
    if (here != start && !forwards(system, here)) continue;
    for (size_t k = 0; k < system->edge_count; k++) {
      const pm__edge *edge = &system->edges[k];
      int there = edge->a == here ? edge->b : edge->b == here ? edge->a : -1;
      if (there < 0 || r->distance[there] >= 0) continue;
      r->distance[there] = r->distance[here] + 1;
      r->via[there] = (int)k;
      r->queue[tail++] = there;
    }
  }
}

/* Walks back from `end` to where the search started, loading each link. */
static void load_route(routes *r, int end, pm__path *path)
{
  while (r->distance[end] > 0) {
    const pm__edge *edge = &r->system->edges[r->via[end]];
    r->load[2 * r->via[end] + (edge->a == end)]++;
    pm__path_pass(path, edge);
    end = edge->a == end ? edge->b : edge->a;
  }
}

static int nearest(const routes *r, const bool *visited, int gpus)
{
  int best = -1;
  for (int i = 0; i < gpus; i++) {
    int distance = r->distance[r->system->gpus[i]];
    if (visited[i] || distance < 0) continue;
    if (best < 0 || distance < r->distance[r->system->gpus[best]]) best = i;
  }
  return best;
}

static int nearest_cpu(const routes *r)
{
  int best = -1;
  for (size_t i = 0; i < r->system->vertex_count; i++) {
    if (r->system->vertices[i].kind != PM_VERTEX_CPU || r->distance[i] < 0) continue;
    if (best < 0 || r->distance[i] < r->distance[best]) best = (int)i;
  }
  return best;
}

/* One hop of the ring, from where the search started. Without peer access the data goes up into the memory of the
** sender's CPU and from there to the receiver: no switch turns it back half-way. */
static bool take_hop(routes *r, int to, pm__path *path)
{
  if (r->distance[to] < 0) return false;
  if (r->system->machine.staged) {
    int cpu = nearest_cpu(r);
    if (cpu < 0) return false;
    load_route(r, cpu, path);
    search_from(r, cpu);
  }
  load_route(r, to, path);
  return true;
}

/* Visits all GPUs and returns to the first; false if one cannot be reached. */
static bool go_round(routes *r, int gpus, bool *visited, pm__path *path)
{
  int here = 0;
  visited[0] = true;
  for (int hop = 1; hop <= gpus; hop++) {
    search_from(r, r->system->gpus[here]);
    int next = hop < gpus ? nearest(r, visited, gpus) : 0;
    if (next < 0 || !take_hop(r, r->system->gpus[next], path)) return false;
    visited[next] = true;
    here = next;
  }
  return true;
}

static void find_limit(const routes *r, pm__path *path)
{
  path->bandwidth = 0;
  for (size_t k = 0; k < 2 * r->system->edge_count; k++) {
    if (r->load[k] == 0) continue;
    const pm__edge *edge = &r->system->edges[k / 2];
    double share = pm__edge_payload(edge) / r->load[k];
    if (path->bandwidth > 0 && share >= path->bandwidth) continue;
    path->bandwidth = share;
    path->limit = edge;
  }
}

int pm__ring_over_tree(const pm_system *system, int gpus, pm__path *path, pm_error *error)
{
  routes r;
  bool *visited = (bool *)calloc((size_t)gpus, sizeof *visited);
  memset(&r, 0, sizeof r);
  int status = PM_OK;
  if (visited == NULL || !allocate(&r, system)) status = pm__no_memory(error);
  else if (!go_round(&r, gpus, visited, path))
    status = pm__fail(error, PM_NO_ROUTE, "system \"%s\": %d GPUs are not connected", system->machine.id, gpus);
  else find_limit(&r, path);
  release(&r);
  free(visited);
  return status;
}
