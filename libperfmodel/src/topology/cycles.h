/* Lists of cycles through all GPUs of a group: those that a packing is made of, and those that it keeps. */
#ifndef PM_TOPOLOGY_CYCLES_H
#define PM_TOPOLOGY_CYCLES_H

#include <stdbool.h>
#include <stddef.h>

/* Cycles that packings are made of: next[c * nodes + i] is the node after i in cycle c. */
typedef struct pm__packing_pool {
  int nodes, count, capacity;
  int *next;
} pm__packing_pool;

/* Appends a cycle; false if there is no memory. */
bool pm__packing_pool_add(pm__packing_pool *pool, const int *next);

/* The rings that a group uses: `count` cycles through the members, order[c * members + i] is the i-th of cycle c. */
typedef struct pm__ring_cycles {
  int count;
  int *order;
  double *weight; /* links' worth of each */
} pm__ring_cycles;

/* Makes room for `count` cycles through `members` GPUs; false if there is no memory. */
bool pm__ring_cycles_new(pm__ring_cycles *cycles, int count, int members);
void pm__ring_cycles_free(pm__ring_cycles *cycles);

#endif
