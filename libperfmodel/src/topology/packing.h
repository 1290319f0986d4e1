/* The best fractional packing of directed Hamiltonian cycles into arcs with capacities. */
#ifndef PM_TOPOLOGY_PACKING_H
#define PM_TOPOLOGY_PACKING_H

#include "topology/cycles.h"

enum { PM__EXACT_MAX = 16 }; /* up to so many nodes the packing of any graph is the best */

typedef struct pm__packing {
  double rings;   /* sum of the weights */
  double most;    /* no packing has more: equal to `rings` where that is proved to be the best */
  pm__packing_pool pool;
  double *weight; /* of each cycle of the pool */
} pm__packing;

/* Packs into capacity[i * nodes + j] of arc i -> j. False if there is no memory. Freed in either case. */
bool pm__packing_find(pm__packing *packing, const double *capacity, int nodes);
void pm__packing_free(pm__packing *packing);

/* ---- Its parts ---- */

/* The rings of a torus; a packing without cycles if the arcs are none of a torus whose cycles are known. */
bool pm__packing_torus(pm__packing *packing, const double *capacity, int nodes);

/* Cycles taken one by one, each with all that is left on its arcs; a bounded search. Returns what they add up to. */
double pm__packing_greedy(pm__packing_pool *pool, const double *capacity, int nodes, bool *memory);

/* The same of cycles that a bounded search by rotations finds in links both ways, each in both directions. */
double pm__packing_rotated(pm__packing_pool *pool, const double *capacity, int nodes, bool *memory);

/* Appends the cheapest directed Hamiltonian cycle of at most PM__EXACT_MAX nodes under cost[i * nodes + j] (INFINITY:
** no arc), and the cheapest through each last node, as far as they cost less than `below`. Returns the least cost.
** Works in `room`, pm__packing_price_room(nodes) numbers. */
double pm__packing_price(pm__packing_pool *pool, const double *cost, int nodes, double below, double *room,
                         bool *memory);
size_t pm__packing_price_room(int nodes);

#endif
