/*
** Cycles found one by one as collective libraries do, each taking all that is left on its arcs. The search goes over
** the arcs with the most left first and is bounded.
*/
#include "topology/packing.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 200000, CYCLES_MAX = 4096 };

typedef struct search {
  int nodes, steps;
  double *left;
  unsigned char next[PM__PEERS_MAX];
  bool used[PM__PEERS_MAX];
} search;

/* One cycle, depth first; false once the steps are used up or there is none. */
static bool find_one(search *s, int node, int depth)
{
  const double *arcs = &s->left[node * s->nodes];
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
  double least = s->left[s->next[0]];
  for (int i = 1; i < s->nodes; i++) {
    double left = s->left[i * s->nodes + s->next[i]];
    if (left < least) least = left;
  }
  return least;
}

double pm__packing_greedy(pm__packing_pool *pool, const double *capacity, int nodes, bool *memory)
{
  search s;
  double rings = 0;
  size_t arcs = (size_t)nodes * (size_t)nodes;
  s.nodes = nodes;
  s.left = (double *)malloc(arcs * sizeof *s.left);
  *memory = s.left != NULL;
  if (s.left != NULL) memcpy(s.left, capacity, arcs * sizeof *s.left);
  while (*memory && pool->count < CYCLES_MAX) {
    s.steps = 0;
    memset(s.used, 0, sizeof s.used);
    if (!find_one(&s, 0, 1)) break;
    double weight = least_on(&s);
    for (int i = 0; i < nodes; i++) s.left[i * nodes + s.next[i]] -= weight;
    *memory = pm__packing_pool_add(pool, s.next);
    rings += weight;
  }
  free(s.left);
  return rings;
}
