/*
** Finds the rings over direct GPU-to-GPU links: reads the links as capacities, packs directed Hamiltonian cycles into
** them, and keeps the cycles with their weights, as whole rings where these reach the same sum.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "topology/packing.h"
#include "topology/ring.h"

/* Which member each vertex is, -1: none. NULL if there is no memory. */
static int *number_members(const pm_system *system, pm__ring_members members)
{
  int *member = (int *)malloc((system->vertex_count + 1) * sizeof *member);
  for (size_t v = 0; member != NULL && v < system->vertex_count; v++) member[v] = -1;
  for (int i = members.count - 1; member != NULL && i >= 0; i--) member[system->gpus[members.gpu[i]]] = i;
  return member;
}

/* Capacities between the group's GPUs in units of one link, and what the links have in common. */
static void read_links(const pm_system *system, const int *member, int count, double *capacity, pm__ring_path *path)
{
  size_t n = (size_t)count;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *edge = &system->edges[k];
    int i = member[edge->a], j = member[edge->b];
    if (i < 0 || j < 0) continue;
    double one = pm__edge_payload(edge) / edge->count;
    if (path->one_link == 0 || one < path->one_link) {
      path->one_link = one;
      path->limit = edge;
    }
    pm__ring_path_pass(path, edge);
    capacity[(size_t)i * n + (size_t)j] += pm__edge_payload(edge);
    capacity[(size_t)j * n + (size_t)i] += pm__edge_payload(edge);
  }
  for (size_t arc = 0; arc < n * n; arc++)
    if (path->one_link > 0) capacity[arc] /= path->one_link;
}

/* The cycles with a weight, as orders of visiting. */
static bool keep_cycles(const pm__packing_pool *pool, const double *weights, pm__ring_cycles *cycles)
{
  int used = 0, n = pool->nodes;
  for (int c = 0; c < pool->count; c++) used += weights[c] > 0;
  if (!pm__ring_cycles_new(cycles, used, n)) return false;
  for (int c = 0, out = 0; c < pool->count; c++) {
    if (!(weights[c] > 0)) continue;
    for (int i = 0, node = 0; i < n; i++, node = pool->next[c * n + node]) cycles->order[out * n + i] = node;
    cycles->weight[out++] = weights[c];
  }
  return true;
}

/* ---- Whole rings, where they reach the value of the fractional packing ---- */

enum { WHOLE_MAX = 8, STEPS_MAX = 200000 };

typedef struct whole_search {
  pm__packing_pool pool;
  double *weight, *left;
  int steps;
  bool used[WHOLE_MAX], memory;
  int next[WHOLE_MAX];
} whole_search;

/* All directed cycles through every node, from node 0, depth first. */
static void extend(whole_search *w, int node, int depth)
{
  int n = w->pool.nodes;
  const double *arcs = &w->left[node * n];
  if (depth == n) {
    if (arcs[0] <= 0) return;
    w->next[node] = 0;
    w->memory = w->memory && pm__packing_pool_add(&w->pool, w->next);
    return;
  }
  for (int other = 1; other < n; other++) {
    if (w->used[other] || arcs[other] <= 0) continue;
    w->used[other] = true;
    w->next[node] = other;
    extend(w, other, depth + 1);
    w->used[other] = false;
  }
}

static bool fits(const whole_search *w, const int *next)
{
  for (int i = 0; i < w->pool.nodes; i++)
    if (w->left[i * w->pool.nodes + next[i]] < 1) return false;
  return true;
}

static void load_cycle(whole_search *w, const int *next, double amount)
{
  for (int i = 0; i < w->pool.nodes; i++) w->left[i * w->pool.nodes + next[i]] -= amount;
}

/* `rings` more whole cycles out of cycle `first` and later ones, each as often as it fits. */
static bool find_whole(whole_search *w, int first, int rings)
{
  if (rings == 0) return true;
  for (int c = first; c < w->pool.count; c++) {
    const int *next = w->pool.next + (size_t)c * (size_t)w->pool.nodes;
    if (++w->steps > STEPS_MAX) return false;
    if (!fits(w, next)) continue;
    load_cycle(w, next, 1);
    w->weight[c] += 1;
    if (find_whole(w, c, rings - 1)) return true;
    w->weight[c] -= 1;
    load_cycle(w, next, -1);
  }
  return false;
}

/* Whole rings read better than fractions of the same sum. Returns whether they were found; `cycles` has them then. */
static bool keep_whole(double *capacity, int nodes, double rings, pm__ring_cycles *cycles)
{
  whole_search w;
  if (nodes > WHOLE_MAX || rings != floor(rings)) return false;
  memset(&w, 0, sizeof w);
  w.pool.nodes = nodes;
  w.left = capacity;
  w.memory = true;
  extend(&w, 0, 1);
  w.weight = (double *)calloc((size_t)w.pool.count + 1, sizeof *w.weight);
  bool found = w.memory && w.weight != NULL && find_whole(&w, 0, (int)rings);
  found = found && keep_cycles(&w.pool, w.weight, cycles);
  free(w.weight);
  free(w.pool.next);
  return found;
}

/* Capacities and what their links have in common; NULL if there is no memory. */
static double *new_capacities(const pm_system *system, pm__ring_members members, pm__ring_path *path)
{
  size_t n = (size_t)members.count;
  int *member = number_members(system, members);
  double *capacity = member != NULL ? (double *)calloc(n * n, sizeof *capacity) : NULL;
  if (capacity != NULL) read_links(system, member, members.count, capacity, path);
  free(member);
  return capacity;
}

int pm__ring_over_peers(const pm_system *system, pm__ring_members members, pm__ring_path *path, pm__ring_cycles *cycles,
                        pm_error *error)
{
  int n = members.count;
  pm__packing packing;
  if (n < 2) return PM_OK;
  double *capacity = new_capacities(system, members, path);
  if (capacity == NULL) return pm__no_memory(error);
  if (path->one_link == 0) {
    free(capacity);
    return PM_OK;
  }
  bool good = pm__packing_find(&packing, capacity, n);
  path->bandwidth = packing.rings * path->one_link;
  path->most = packing.most * path->one_link;
  if (good && packing.rings > 0 && !keep_whole(capacity, n, packing.rings, cycles)) {
    pm__ring_cycles_free(cycles);
    good = keep_cycles(&packing.pool, packing.weight, cycles);
  }
  pm__packing_free(&packing);
  free(capacity);
  return good ? PM_OK : pm__no_memory(error);
}
