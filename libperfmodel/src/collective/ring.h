/* Between the files that find a ring. */
#ifndef PM_COLLECTIVE_RING_H
#define PM_COLLECTIVE_RING_H

#include "hardware/system.h"
#include "perfmodel/collective.h"

/* What limits a ring and what one step costs. */
typedef struct pm__path {
  double bandwidth;      /* of the ring [B/s]; 0 if this way does not connect the group */
  double one_link;       /* payload of a single link, to count rings */
  const pm__edge *limit; /* the link that limits */
  double hop_latency, base_latency;
  bool calibrated;
} pm__path;

/* Direct links between the GPUs: packing of directed Hamiltonian cycles. */
int pm__ring_over_peers(const pm_system *system, int gpus, pm__path *path, pm_error *error);

/* NVSwitches: every GPU's port. */
void pm__ring_over_switches(const pm_system *system, int gpus, pm__path *path);

/* PCIe switches, CPUs and inter-CPU links: one ring in the order of nearness. */
int pm__ring_over_tree(const pm_system *system, int gpus, pm__path *path, pm_error *error);

/* Makes the ring of one node that of `nodes` nodes. Cheap, allocates nothing. */
int pm__ring_join_nodes(const pm_system *system, pm_ring *ring, int nodes, pm_error *error);

/* The slowest step counts, and one uncalibrated link makes the path uncalibrated. */
void pm__path_pass(pm__path *path, const pm__edge *edge);

/* Value of the fractional packing: max sum x, subject to sum of x over the cycles through each arc <= its capacity.
** cycles[c * nodes + i] is the node after i; capacity[i * nodes + j] of arc i -> j. Negative if there is no memory. */
double pm__pack_cycles(const unsigned char *cycles, int cycle_count, const double *capacity, int nodes);

#endif
