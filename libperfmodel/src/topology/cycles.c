/* Keeps lists of cycles: those that a packing chooses from, and those that a group uses. */
#include "topology/cycles.h"
#include <stdlib.h>
#include <string.h>

bool pm__packing_pool_add(pm__packing_pool *pool, const int *next)
{
  size_t size = (size_t)pool->nodes;
  if (pool->count == pool->capacity) {
    int capacity = pool->capacity > 0 ? 2 * pool->capacity : 64;
    int *grown = (int *)realloc(pool->next, (size_t)capacity * size * sizeof *grown);
    if (grown == NULL) return false;
    pool->next = grown;
    pool->capacity = capacity;
  }
  memcpy(pool->next + (size_t)pool->count++ * size, next, size * sizeof *next);
  return true;
}

bool pm__ring_cycles_new(pm__ring_cycles *cycles, int count, int members)
{
  cycles->count = count;
  cycles->order = (int *)calloc((size_t)(count > 0 ? count : 1) * (size_t)members, sizeof *cycles->order);
  cycles->weight = (double *)calloc((size_t)(count > 0 ? count : 1), sizeof *cycles->weight);
  return cycles->order != NULL && cycles->weight != NULL;
}

void pm__ring_cycles_free(pm__ring_cycles *cycles)
{
  free(cycles->order);
  free(cycles->weight);
  memset(cycles, 0, sizeof *cycles);
}
