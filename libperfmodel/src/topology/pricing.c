/*
** Finds the cheapest directed Hamiltonian cycle by dynamic programming over sets (Held and Karp, J. SIAM 10, 1962): the
** cheapest path from node 0 through each set of the others to each of its members. 2^(n-1) (n-1)^2 steps: 6,000 for 8
** nodes, 7 million for 16.
*/
#include "topology/packing.h"
#include <math.h>

typedef struct paths {
  int others; /* nodes but node 0; number k stands for node k + 1 */
  double into[PM__EXACT_MAX][PM__EXACT_MAX]; /* into[j][k]: from k to j */
  double from_first[PM__EXACT_MAX], to_first[PM__EXACT_MAX];
  double *best; /* [set * others + last] */
} paths;

static void read_costs(paths *p, const double *cost, int nodes)
{
  for (int j = 0; j < p->others; j++) {
    p->from_first[j] = cost[j + 1];
    p->to_first[j] = cost[(j + 1) * nodes];
    for (int k = 0; k < p->others; k++) p->into[j][k] = j == k ? (double)INFINITY : cost[(k + 1) * nodes + j + 1];
  }
}

static double best_before(const paths *p, unsigned set, int last)
{
  const double *before = p->best + (size_t)(set ^ (1u << last)) * (size_t)p->others;
  double least = INFINITY;
  for (int k = 0; k < p->others; k++) {
    double length = before[k] + p->into[last][k];
    least = length < least ? length : least;
  }
  return least;
}

static void find_paths(paths *p)
{
  unsigned sets = 1u << p->others;
  for (int j = 0; j < p->others; j++) p->best[j] = INFINITY;
  for (unsigned set = 1; set < sets; set++)
    for (int j = 0; j < p->others; j++) {
      double *here = p->best + (size_t)set * (size_t)p->others + j;
      if ((set >> j & 1) == 0) *here = INFINITY;
      else *here = set == 1u << j ? p->from_first[j] : best_before(p, set, j);
    }
}

/* Walks back along the path that ends at `last`; the sums are the same bits again. */
static void trace(const paths *p, int last, int *next)
{
  unsigned set = (1u << p->others) - 1;
  next[last + 1] = 0;
  while (set != 1u << last) {
    unsigned rest = set ^ (1u << last);
    double length = p->best[(size_t)set * (size_t)p->others + (size_t)last];
    const double *before = p->best + (size_t)rest * (size_t)p->others;
    int k = 0;
    while (before[k] + p->into[last][k] != length) k++;
    next[k + 1] = last + 1;
    set = rest;
    last = k;
  }
  next[0] = last + 1;
}

static double add_cycles(const paths *p, pm__packing_pool *pool, double below, bool *memory)
{
  int next[PM__EXACT_MAX];
  const double *full = p->best + (size_t)((1u << p->others) - 1) * (size_t)p->others;
  double least = INFINITY;
  for (int j = 0; j < p->others; j++) {
    double length = full[j] + p->to_first[j];
    least = length < least ? length : least;
    if (!(length < below)) continue;
    trace(p, j, next);
    *memory = pm__packing_pool_add(pool, next) && *memory;
  }
  return least;
}

size_t pm__packing_price_room(int nodes)
{
  return ((size_t)1 << (nodes - 1)) * (size_t)(nodes - 1);
}

double pm__packing_price(pm__packing_pool *pool, const double *cost, int nodes, double below, double *room,
                         bool *memory)
{
  paths p;
  *memory = true;
  p.others = nodes - 1;
  p.best = room;
  read_costs(&p, cost, nodes);
  find_paths(&p);
  return add_cycles(&p, pool, below, memory);
}
