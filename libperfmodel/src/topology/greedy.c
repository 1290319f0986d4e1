/*
** Packs cycles one by one as collective libraries do: each takes all that is left on its arcs. The search is
** depth-first, tries the arcs with the most left first, and is bounded.
*/
#include "topology/packing.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 200000, CYCLES_MAX = 4096 };

typedef struct search {
  int nodes, steps;
  double *left;
  int *first;    /* of each node's neighbors, and behind the last */
  int *neighbor; /* those with the most left first */
  int *cursor;   /* the neighbor that is tried next */
  int *next, *before;
  bool *used;
} search;

static double left_on(const search *s, int a, int b)
{
  return s->left[(size_t)a * (size_t)s->nodes + (size_t)b];
}

static bool open_search(search *s, const double *capacity, int nodes)
{
  size_t n = (size_t)nodes, arcs = 0;
  memset(s, 0, sizeof *s);
  s->nodes = nodes;
  for (size_t arc = 0; arc < n * n; arc++) arcs += arc % n != 0 && capacity[arc] > 0;
  s->left = (double *)malloc(n * n * sizeof *s->left);
  s->first = (int *)malloc((4 * n + 1 + arcs) * sizeof *s->first);
  s->used = (bool *)malloc(n * sizeof *s->used);
  if (s->left == NULL || s->first == NULL || s->used == NULL) return false;
  memcpy(s->left, capacity, n * n * sizeof *s->left);
  s->cursor = s->first + n + 1;
  s->next = s->cursor + n;
  s->before = s->next + n;
  s->neighbor = s->before + n;
  for (int a = 0, count = 0; a < nodes; a++) {
    s->first[a] = count;
    for (int b = 1; b < nodes; b++)
      if (left_on(s, a, b) > 0) s->neighbor[count++] = b;
    s->first[a + 1] = count;
  }
  return true;
}

static void close_search(search *s)
{
  free(s->left);
  free(s->first);
  free(s->used);
}

static bool goes_first(const search *s, int node, int a, int b)
{
  double more = left_on(s, node, a) - left_on(s, node, b);
  return more > 0 || (more == 0 && a < b);
}

/* By insertion: from one cycle to the next one arc of each node has changed. */
static void sort_neighbors(search *s, int node)
{
  for (int i = s->first[node] + 1; i < s->first[node + 1]; i++) {
    int here = s->neighbor[i], k = i;
    for (; k > s->first[node] && goes_first(s, node, here, s->neighbor[k - 1]); k--)
      s->neighbor[k] = s->neighbor[k - 1];
    s->neighbor[k] = here;
  }
}

static void start_over(search *s)
{
  s->steps = 0;
  memset(s->used, 0, (size_t)s->nodes * sizeof *s->used);
  for (int node = 0; node < s->nodes; node++) sort_neighbors(s, node);
  s->cursor[0] = s->first[0];
}

/* The next unused neighbor, or -1. Node 0 is none: it ends the cycle. */
static int advance(search *s, int node)
{
  while (s->cursor[node] < s->first[node + 1]) {
    int to = s->neighbor[s->cursor[node]++];
    if (!s->used[to] && left_on(s, node, to) > 0) return to;
  }
  return -1;
}

/* One cycle, depth first; false once the steps are used up or there is none. */
static bool find_one(search *s)
{
  int node = 0, depth = 1;
  start_over(s);
  while (++s->steps <= STEPS_MAX) {
    s->next[node] = 0;
    if (depth == s->nodes && left_on(s, node, 0) > 0) return true;
    int to = depth < s->nodes ? advance(s, node) : -1;
    for (; to < 0; to = advance(s, node), depth--) {
      if (node == 0) return false;
      s->used[node] = false;
      node = s->before[node];
    }
    s->next[node] = to;
    s->before[to] = node;
    s->used[to] = true;
    s->cursor[to] = s->first[to];
    node = to;
    depth++;
  }
  return false;
}

static double least_on(const search *s)
{
  double least = left_on(s, 0, s->next[0]);
  for (int i = 1; i < s->nodes; i++)
    if (left_on(s, i, s->next[i]) < least) least = left_on(s, i, s->next[i]);
  return least;
}

double pm__packing_greedy(pm__packing_pool *pool, const double *capacity, int nodes, bool *memory)
{
  search s;
  double rings = 0;
  *memory = open_search(&s, capacity, nodes);
  while (*memory && pool->count < CYCLES_MAX && find_one(&s)) {
    double weight = least_on(&s);
    for (int i = 0; i < nodes; i++) s.left[(size_t)i * (size_t)nodes + (size_t)s.next[i]] -= weight;
    *memory = pm__packing_pool_add(pool, s.next);
    rings += weight;
  }
  close_search(&s);
  return rings;
}
