/* Rings over direct GPU-to-GPU links. */
#include <stdlib.h>
#include <string.h>
#include "collective/ring.h"

enum {
  PEERS_MAX = 16,
  CYCLES_MAX = 5040 /* all of eight fully joined GPUs; beyond, the packing is over the first this many found */
};

typedef struct search {
  int nodes, count;
  double capacity[PEERS_MAX * PEERS_MAX];
  unsigned char *cycles; /* CYCLES_MAX rows of `nodes`: the node after each */
  unsigned char next[PEERS_MAX];
  bool used[PEERS_MAX];
} search;

static int gpu_number(const pm_system *system, int vertex, int gpus)
{
  for (int i = 0; i < gpus; i++)
    if (system->gpus[i] == vertex) return i;
  return -1;
}

/* Capacities between the group's GPUs in units of one link, and what the links have in common. */
static void read_links(const pm_system *system, search *s, pm__path *path)
{
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *edge = &system->edges[k];
    int i = gpu_number(system, edge->a, s->nodes), j = gpu_number(system, edge->b, s->nodes);
    if (i < 0 || j < 0) continue;
    double one = pm__edge_payload(edge) / edge->count;
    if (path->one_link == 0 || one < path->one_link) {
      path->one_link = one;
      path->limit = edge;
    }
    pm__path_pass(path, edge);
    s->capacity[i * s->nodes + j] += pm__edge_payload(edge);
    s->capacity[j * s->nodes + i] += pm__edge_payload(edge);
  }
  for (int arc = 0; arc < s->nodes * s->nodes; arc++)
    if (path->one_link > 0) s->capacity[arc] /= path->one_link;
}

/* All directed cycles through every node, from node 0, depth first. */
static void extend(search *s, int node, int depth)
{
  if (s->count == CYCLES_MAX) return;
  const double *arcs = &s->capacity[node * s->nodes];
  if (depth == s->nodes) {
    if (arcs[0] <= 0) return;
    s->next[node] = 0;
    memcpy(s->cycles + (size_t)s->count++ * (size_t)s->nodes, s->next, (size_t)s->nodes);
    return;
  }
  for (int other = 1; other < s->nodes; other++) {
    if (s->used[other] || arcs[other] <= 0) continue;
    s->used[other] = true;
    s->next[node] = (unsigned char)other;
    extend(s, other, depth + 1);
    s->used[other] = false;
  }
}

int pm__ring_over_peers(const pm_system *system, int gpus, pm__path *path, pm_error *error)
{
  search s;
  memset(&s, 0, sizeof s);
  s.nodes = gpus;
  if (gpus < 2 || gpus > PEERS_MAX) return PM_OK;
  read_links(system, &s, path);
  if (path->one_link == 0) return PM_OK;
  s.cycles = (unsigned char *)malloc((size_t)CYCLES_MAX * (size_t)gpus);
  if (s.cycles == NULL) return pm__no_memory(error);
  extend(&s, 0, 1);
  double rings = s.count > 0 ? pm__pack_cycles(s.cycles, s.count, s.capacity, gpus) : 0;
  free(s.cycles);
  if (rings < 0) return pm__no_memory(error);
  path->bandwidth = rings * path->one_link;
  return PM_OK;
}
