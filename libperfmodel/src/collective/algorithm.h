/*
** Between the algorithms and the group that they are evaluated for. Each algorithm is a file with one descriptor; the
** table of them is algorithms.c.
*/
#ifndef PM_COLLECTIVE_ALGORITHM_H
#define PM_COLLECTIVE_ALGORITHM_H

#include "collective/collective_group.h"

/* What an algorithm costs: latency + per_byte * S, and what bends it. */
typedef struct pm__collective_cost {
  double latency, per_byte;
  double knee;
  double fill_per_byte, fill_most; /* of a chain that must fill first: min(fill_per_byte * S, fill_most) */
  double odd_share;                /* 0, or what of the bandwidth is left if parts are an odd number of floats */
  double launches;                 /* host launches, in units of an all-reduce's */
  bool tree_table;                 /* transfer slows down by the library's table for trees */
  const char *limit;
} pm__collective_cost;

typedef struct pm__algorithm {
  pm_algorithm id;
  bool automatic; /* a library would choose it by itself */
  /* False if it does not do this collective on such a group in this protocol. `cost` comes zeroed, with launches 1. */
  bool (*cost)(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost);
} pm__algorithm;

extern const pm__algorithm pm__algorithm_ring, pm__algorithm_tree, pm__algorithm_nvls, pm__algorithm_nvls_tree,
  pm__algorithm_pairs, pm__algorithm_collnet, pm__algorithm_halving_doubling, pm__algorithm_hierarchical,
  pm__algorithm_parameter_server, pm__algorithm_data_parallel;

/* All of them, in a fixed order; NULL past the last. */
const pm__algorithm *pm__algorithm_at(size_t index);

/* Whether the protocol exists on such a group at all. */
bool pm__protocol_works(const pm__collective_group *shape, int protocol);

/* Bus bandwidth that a protocol gets out of rings of bandwidth `ring`. */
double pm__protocol_ring(const pm__collective_group *shape, int protocol, double ring);

/* How little latency and transfer overlap in an all-reduce. Over PCIe they do not bend: the links are slow enough. */
double pm__knee(const pm__collective_group *shape);

/* The slower of the rings inside and the network, and which it is. */
double pm__slower(const pm__collective_group *shape, const char **limit);

/* Bus bandwidth over algorithm bandwidth. */
double pm__bus_factor(pm_collective collective, double ranks);

/* What trees get of their bandwidth at log2(bytes / 64) = place: the library's own table, in proportion between. */
double pm__tree_factor(int protocol, double place);

#endif
