/* Packs the rings of a torus: each Hamiltonian cycle of its links, in both directions. */
#include "topology/packing.h"
#include <stdlib.h>
#include "topology/torus.h"

/* Both directions of a cycle of positions. */
static bool add_rings(pm__packing_pool *pool, const pm__torus *torus, const int *order, int *next)
{
  int n = torus->nodes;
  for (int i = 0; i < n; i++) next[torus->node[order[i]]] = torus->node[order[(i + 1) % n]];
  if (!pm__packing_pool_add(pool, next)) return false;
  for (int i = 0; i < n; i++) next[torus->node[order[(i + 1) % n]]] = torus->node[order[i]];
  return pm__packing_pool_add(pool, next);
}

static bool add_cycles(pm__packing *packing, const pm__torus *torus, int *order, int *next)
{
  int cycles;
  if (!pm__torus_cycles(torus, order, &cycles)) return false;
  for (int c = 0; c < cycles; c++)
    if (!add_rings(&packing->pool, torus, order + (size_t)c * (size_t)torus->nodes, next)) return false;
  packing->weight = (double *)malloc(((size_t)packing->pool.count + 1) * sizeof *packing->weight);
  if (packing->weight == NULL) return false;
  for (int c = 0; c < packing->pool.count; c++) packing->weight[c] = torus->unit;
  packing->rings = packing->pool.count * torus->unit;
  return true;
}

bool pm__packing_torus(pm__packing *packing, const double *capacity, int nodes)
{
  pm__torus torus;
  bool memory = pm__torus_find(&torus, capacity, nodes);
  if (!memory || torus.node == NULL) return memory;
  size_t n = (size_t)nodes;
  int *order = (int *)malloc(((size_t)torus.cycles + 1) * n * sizeof *order);
  memory = order != NULL && add_cycles(packing, &torus, order, order + (size_t)torus.cycles * n);
  free(order);
  pm__torus_free(&torus);
  return memory;
}
