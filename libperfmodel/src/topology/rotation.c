/*
** Rings in a large graph by rotations (Posa, Discrete Mathematics 14, 1976): a path grows from its end to the neighbor
** with the fewest free neighbors. Where none is free, the end's link to some node of the path replaces the one behind
** that node, which turns the rest of the path round and gives it another end. The choice is a fixed pseudorandom one,
** so that the same graph has the same ring. Grids and parts of tori, on which a depth-first search does not come back,
** have a ring within some dozens of steps per node; the search is bounded.
*/
#include "topology/packing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_PER_NODE = 200, CYCLES_MAX = 256 };

typedef struct search {
  int nodes, length;
  unsigned random;
  double *left;
  int *first, *neighbor; /* neighbors of each node, from first[node] to first[node + 1] */
  int *path, *position;  /* of each node in the path, -1: free */
} search;

static bool open_search(search *s, const double *capacity, int nodes)
{
  size_t n = (size_t)nodes, arcs = 0;
  memset(s, 0, sizeof *s);
  s->nodes = nodes;
  for (size_t arc = 0; arc < n * n; arc++) arcs += capacity[arc] > 0;
  s->left = (double *)malloc(n * n * sizeof *s->left);
  s->first = (int *)malloc((3 * n + 1 + arcs) * sizeof *s->first);
  if (s->left == NULL || s->first == NULL) return false;
  memcpy(s->left, capacity, n * n * sizeof *s->left);
  s->path = s->first + n + 1;
  s->position = s->path + n;
  s->neighbor = s->position + n;
  return true;
}

static void close_search(search *s)
{
  free(s->left);
  free(s->first);
}

static double *left_on(const search *s, int a, int b)
{
  return &s->left[(size_t)a * (size_t)s->nodes + (size_t)b];
}

static bool joined(const search *s, int a, int b)
{
  return *left_on(s, a, b) > 0 && *left_on(s, b, a) > 0;
}

static void start_over(search *s)
{
  int count = 0;
  s->length = 0;
  s->random = 1;
  for (int a = 0; a < s->nodes; a++) {
    s->first[a] = count;
    for (int b = 0; b < s->nodes; b++)
      if (joined(s, a, b)) s->neighbor[count++] = b;
    s->position[a] = -1;
  }
  s->first[s->nodes] = count;
}

static void append(search *s, int node)
{
  s->position[node] = s->length;
  s->path[s->length++] = node;
}

static int free_neighbors(const search *s, int node)
{
  int count = 0;
  for (int k = s->first[node]; k < s->first[node + 1]; k++) count += s->position[s->neighbor[k]] < 0;
  return count;
}

/* The free neighbor with the fewest free neighbors, or -1. */
static int extension(const search *s, int end)
{
  int best = -1, fewest = s->nodes;
  for (int k = s->first[end]; k < s->first[end + 1]; k++) {
    int to = s->neighbor[k];
    if (s->position[to] >= 0 || free_neighbors(s, to) >= fewest) continue;
    best = to;
    fewest = free_neighbors(s, to);
  }
  return best;
}

static void rotate(search *s, int end)
{
  s->random = s->random * 1664525u + 1013904223u;
  int degree = s->first[end + 1] - s->first[end];
  int pivot = s->neighbor[s->first[end] + (int)((s->random >> 8) % (unsigned)degree)];
  for (int i = s->position[pivot] + 1, k = s->length - 1; i < k; i++, k--) {
    int node = s->path[i];
    s->path[i] = s->path[k];
    s->path[k] = node;
    s->position[s->path[i]] = i;
    s->position[node] = k;
  }
}

static bool find_ring(search *s)
{
  start_over(s);
  append(s, 0);
  for (long step = 0; step < (long)STEPS_PER_NODE * s->nodes; step++) {
    int end = s->path[s->length - 1];
    if (s->first[end] == s->first[end + 1]) return false;
    if (s->length == s->nodes && joined(s, end, 0)) return true;
    int to = extension(s, end);
    if (to >= 0) append(s, to);
    else rotate(s, end);
  }
  return false;
}

/* Takes all that is left both ways on the ring of the path. Returns how much; `next` is the ring in each direction. */
static double take(search *s, int *next, int *before)
{
  double least = INFINITY;
  for (int i = 0; i < s->nodes; i++) {
    int a = s->path[i], b = s->path[(i + 1) % s->nodes];
    next[a] = b;
    before[b] = a;
    least = fmin(least, fmin(*left_on(s, a, b), *left_on(s, b, a)));
  }
  for (int a = 0; a < s->nodes; a++) {
    *left_on(s, a, next[a]) -= least;
    *left_on(s, next[a], a) -= least;
  }
  return least;
}

double pm__packing_rotated(pm__packing_pool *pool, const double *capacity, int nodes, bool *memory)
{
  search s;
  double rings = 0;
  int *next = (int *)malloc(2 * (size_t)nodes * sizeof *next);
  *memory = open_search(&s, capacity, nodes) && next != NULL;
  while (*memory && pool->count < CYCLES_MAX && find_ring(&s)) {
    rings += 2 * take(&s, next, next + nodes);
    *memory = pm__packing_pool_add(pool, next) && pm__packing_pool_add(pool, next + nodes);
  }
  close_search(&s);
  free(next);
  return rings;
}
