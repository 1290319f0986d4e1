/* Tori among link graphs, k-ary n-dimensional ones and those of mixed sides, and their Hamiltonian cycles. */
#ifndef PM_TOPOLOGY_TORUS_H
#define PM_TOPOLOGY_TORUS_H

#include <stdbool.h>

enum { PM__DIMENSIONS_MAX = 30 }; /* of side 2 at least, so that an int counts the nodes */

/* A product of cycles, each edge of which is several edges of the same capacity. In a dimension of side 2 there are two
** ways from node to node, so each has half of the arc. */
typedef struct pm__torus {
  int nodes, dimensions;
  int side[PM__DIMENSIONS_MAX], copies[PM__DIMENSIONS_MAX]; /* most copies first, then the longest; 2 last */
  int cycles;  /* sum of the copies */
  double unit; /* capacity of a copy */
  int *node;   /* of each position; the last coordinate changes fastest */
} pm__torus;

/* Recognizes a torus by its arcs, capacity[i * nodes + j] of i -> j: torus->node is NULL if they are none. False if
** there is no memory. Freed in either case. */
bool pm__torus_find(pm__torus *torus, const double *capacity, int nodes);
void pm__torus_free(pm__torus *torus);

/* Edge-disjoint Hamiltonian cycles: order[c * nodes + i] is the i-th position of cycle c, with room for
** torus->cycles. `cycles` is how many were found: torus->cycles, which use every copy of every edge once, where the
** sides are 3 or more and the copies equal; else there may be fewer. Returns false if there is no memory. */
bool pm__torus_cycles(const pm__torus *torus, int *order, int *cycles);

#endif
