/* Searches shortest routes through PCIe switches, CPUs and inter-CPU links, and counts the flows on each link. */
#include <stdlib.h>
#include <string.h>
#include "topology/routes.h"

/* Counts the edges of each vertex two places ahead, so that the first of each is where filling them in leaves it. */
static void list_edges(pm__routes *r)
{
  const pm_system *system = r->system;
  r->incident = r->first + system->vertex_count + 2;
  for (size_t k = 0; k < system->edge_count; k++) {
    r->first[system->edges[k].a + 2]++;
    r->first[system->edges[k].b + 2]++;
  }
  for (size_t v = 2; v < system->vertex_count + 2; v++) r->first[v] += r->first[v - 1];
  for (size_t k = 0; k < system->edge_count; k++) {
    r->incident[r->first[system->edges[k].a + 1]++] = (int)k;
    r->incident[r->first[system->edges[k].b + 1]++] = (int)k;
  }
}

bool pm__routes_open(pm__routes *r, const pm_system *system)
{
  memset(r, 0, sizeof *r);
  r->system = system;
  r->start = -1;
  r->distance = (int *)malloc(3 * system->vertex_count * sizeof(int));
  r->load = (int *)calloc(2 * system->edge_count + 1, sizeof(int));
  r->first = (int *)calloc(system->vertex_count + 2 + 2 * system->edge_count, sizeof(int));
  if (r->distance == NULL || r->load == NULL || r->first == NULL) return false;
  r->via = r->distance + system->vertex_count;
  r->queue = r->via + system->vertex_count;
  list_edges(r);
  return true;
}

void pm__routes_close(pm__routes *r)
{
  free(r->distance);
  free(r->load);
  free(r->first);
}

/* GPUs and NICs end routes, they do not forward. */
static bool forwards(const pm_system *system, int vertex)
{
  pm_vertex_kind kind = system->vertices[vertex].kind;
  return kind != PM_VERTEX_GPU && kind != PM_VERTEX_NIC;
}

/* Breadth first from one vertex. */
void pm__routes_from(pm__routes *r, int start)
{
  const pm_system *system = r->system;
  int head = 0, tail = 0;
  if (start == r->start) return;
  r->start = start;
  for (size_t i = 0; i < system->vertex_count; i++) r->distance[i] = -1;
  r->distance[start] = 0;
  r->queue[tail++] = start;
  while (head < tail) {
    int here = r->queue[head++];
    if (here != start && !forwards(system, here)) continue;
    for (int i = r->first[here]; i < r->first[here + 1]; i++) {
      const pm__edge *edge = &system->edges[r->incident[i]];
      int there = edge->a == here ? edge->b : edge->a;
      if (r->distance[there] >= 0) continue;
      r->distance[there] = r->distance[here] + 1;
      r->via[there] = r->incident[i];
      r->queue[tail++] = there;
    }
  }
}

/* Walks back from `end` to where the search started, loading each link. */
void pm__routes_load(pm__routes *r, int end, int flows, pm__ring_path *path)
{
  while (r->distance[end] > 0) {
    const pm__edge *edge = &r->system->edges[r->via[end]];
    r->load[2 * r->via[end] + (edge->a == end)] += flows;
    pm__ring_path_pass(path, edge);
    end = edge->a == end ? edge->b : edge->a;
  }
}

double pm__routes_direct(const pm__routes *r, int a, int b, const pm__edge **edge)
{
  double payload = 0;
  for (int i = r->first[a]; i < r->first[a + 1]; i++) {
    const pm__edge *e = &r->system->edges[r->incident[i]];
    if (e->a != b && e->b != b) continue;
    payload += pm__edge_payload(e);
    *edge = e;
  }
  return payload;
}

/* CPUs that are equally near share the traffic in reality; the first of them stands for all. */
int pm__routes_nearest(const pm__routes *r, pm_vertex_kind kind)
{
  int best = -1;
  for (size_t v = 0; v < r->system->vertex_count; v++) {
    if (r->system->vertices[v].kind != kind || r->distance[v] < 0) continue;
    if (best < 0 || r->distance[v] < r->distance[best]) best = (int)v;
  }
  return best;
}

bool pm__routes_hop(pm__routes *r, int from, int to, bool staged, pm__ring_path *path)
{
  if (staged) {
    pm__routes_from(r, to);
    int host = pm__routes_nearest(r, PM_VERTEX_CPU);
    if (host >= 0) {
      pm__routes_from(r, host);
      pm__routes_load(r, to, 1, path);
      to = host;
    }
  }
  pm__routes_from(r, from);
  if (r->distance[to] < 0) return false;
  pm__routes_load(r, to, 1, path);
  return true;
}

void pm__routes_limit(const pm__routes *r, pm__ring_path *path)
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

void pm__routes_clear(pm__routes *r)
{
  memset(r->load, 0, (2 * r->system->edge_count + 1) * sizeof *r->load);
}
