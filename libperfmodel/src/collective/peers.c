/*
** Rings over direct GPU-to-GPU links.
**
** Up to eight GPUs every directed Hamiltonian cycle is known and the packing is exact. Beyond, cycles are found one by
** one as collective libraries do, each taking all that is left on its links; the search is bounded, and its result is
** a lower bound.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/ring.h"

enum { EXACT_MAX = 8, STEPS_MAX = 200000 };

typedef struct search {
  int nodes, count, steps;
  double capacity[PM__PEERS_MAX * PM__PEERS_MAX];
  unsigned char *cycles; /* PM__CYCLES_MAX rows of `nodes`: the node after each */
  unsigned char next[PM__PEERS_MAX];
  bool used[PM__PEERS_MAX];
} search;

static int member_number(const pm_system *system, pm__members members, int vertex)
{
  for (int i = 0; i < members.count; i++)
    if (system->gpus[members.gpu[i]] == vertex) return i;
  return -1;
}

/* Capacities between the group's GPUs in units of one link, and what the links have in common. */
static void read_links(const pm_system *system, pm__members members, search *s, pm__path *path)
{
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *edge = &system->edges[k];
    int i = member_number(system, members, edge->a), j = member_number(system, members, edge->b);
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
  if (s->count == PM__CYCLES_MAX) return;
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

/* One cycle over the links with the most left, depth first; false once the steps are used up or there is none. */
static bool find_one(search *s, int node, int depth)
{
  const double *arcs = &s->capacity[node * s->nodes];
  bool tried[PM__PEERS_MAX] = {false};
  if (++s->steps > STEPS_MAX) return false;
  if (depth == s->nodes) {
    s->next[node] = 0;
    return arcs[0] > 0;
  }
  for (;;) {
    int best = -1;
    for (int other = 1; other < s->nodes; other++)
      if (!s->used[other] && !tried[other] && arcs[other] > 0 && (best < 0 || arcs[other] > arcs[best])) best = other;
    if (best < 0) return false;
    tried[best] = s->used[best] = true;
    s->next[node] = (unsigned char)best;
    if (find_one(s, best, depth + 1)) return true;
    s->used[best] = false;
  }
}

static double least_on(const search *s)
{
  double least = s->capacity[s->next[0]];
  for (int i = 1; i < s->nodes; i++) {
    double left = s->capacity[i * s->nodes + s->next[i]];
    if (left < least) least = left;
  }
  return least;
}

static double pack_greedily(search *s, double *weights)
{
  double rings = 0;
  while (s->count < PM__CYCLES_MAX) {
    s->steps = 0;
    memset(s->used, 0, sizeof s->used);
    if (!find_one(s, 0, 1)) return rings;
    double weight = least_on(s);
    for (int i = 0; i < s->nodes; i++) s->capacity[i * s->nodes + s->next[i]] -= weight;
    memcpy(s->cycles + (size_t)s->count * (size_t)s->nodes, s->next, (size_t)s->nodes);
    weights[s->count++] = weight;
    rings += weight;
  }
  return rings;
}

/* The cycles with a weight, as orders of visiting. */
static bool keep_cycles(const search *s, const double *weights, pm__cycles *cycles)
{
  int used = 0;
  for (int c = 0; c < s->count; c++) used += weights[c] > 0;
  if (!pm__cycles_new(cycles, used, s->nodes)) return false;
  for (int c = 0, out = 0; c < s->count; c++) {
    if (!(weights[c] > 0)) continue;
    for (int i = 0, node = 0; i < s->nodes; i++, node = s->cycles[c * s->nodes + node])
      cycles->order[out * s->nodes + i] = node;
    cycles->weight[out++] = weights[c];
  }
  return true;
}

/* ---- Whole rings, where they reach the value of the fractional packing ---- */

static bool fits(const search *s, const unsigned char *next)
{
  for (int i = 0; i < s->nodes; i++)
    if (s->capacity[i * s->nodes + next[i]] < 1) return false;
  return true;
}

static void take(search *s, const unsigned char *next, double amount)
{
  for (int i = 0; i < s->nodes; i++) s->capacity[i * s->nodes + next[i]] -= amount;
}

/* `rings` more whole cycles out of cycle `first` and later ones, each as often as it fits. */
static bool find_whole(search *s, int first, int rings, double *weights)
{
  if (rings == 0) return true;
  for (int c = first; c < s->count; c++) {
    const unsigned char *next = s->cycles + (size_t)c * (size_t)s->nodes;
    if (++s->steps > STEPS_MAX) return false;
    if (!fits(s, next)) continue;
    take(s, next, 1);
    weights[c] += 1;
    if (find_whole(s, c, rings - 1, weights)) return true;
    weights[c] -= 1;
    take(s, next, -1);
  }
  return false;
}

/* Whole rings read better than fractions of the same sum. */
static void prefer_whole(search *s, double rings, double *weights)
{
  if (rings != floor(rings)) return;
  double *whole = (double *)calloc((size_t)s->count, sizeof *whole);
  s->steps = 0;
  if (whole != NULL && find_whole(s, 0, (int)rings, whole)) memcpy(weights, whole, (size_t)s->count * sizeof *whole);
  free(whole);
}

static int pack(search *s, double *weights, pm__path *path, pm__cycles *cycles, pm_error *error)
{
  double rings = 0;
  if (s->nodes > EXACT_MAX) {
    rings = pack_greedily(s, weights);
  } else {
    extend(s, 0, 1);
    if (s->count > 0) rings = pm__pack_cycles(s->cycles, s->count, s->capacity, s->nodes, weights);
  }
  if (rings < 0) return pm__no_memory(error);
  path->bandwidth = rings * path->one_link;
  if (cycles != NULL && rings > 0 && s->nodes <= EXACT_MAX) prefer_whole(s, rings, weights);
  if (cycles != NULL && rings > 0 && !keep_cycles(s, weights, cycles)) return pm__no_memory(error);
  return PM_OK;
}

int pm__ring_over_peers(const pm_system *system, pm__members members, pm__path *path, pm__cycles *cycles,
                        pm_error *error)
{
  search s;
  memset(&s, 0, sizeof s);
  s.nodes = members.count;
  if (s.nodes < 2 || s.nodes > PM__PEERS_MAX) return PM_OK;
  read_links(system, members, &s, path);
  if (path->one_link == 0) return PM_OK;
  s.cycles = (unsigned char *)malloc((size_t)PM__CYCLES_MAX * (size_t)s.nodes);
  double *weights = (double *)malloc(PM__CYCLES_MAX * sizeof *weights);
  int status = s.cycles != NULL && weights != NULL ? pack(&s, weights, path, cycles, error) : pm__no_memory(error);
  free(weights);
  free(s.cycles);
  return status;
}
