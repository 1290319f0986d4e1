/* Between the files that find a ring. */
#ifndef PM_TOPOLOGY_RING_H
#define PM_TOPOLOGY_RING_H

#include "hardware/system.h"
#include "perfmodel/collective.h"

/* GPUs of a node that work together: numbers of GPUs, in the order asked for. */
typedef struct pm__members {
  const int *gpu;
  int count;
} pm__members;

/* What limits a ring and what one step costs. */
typedef struct pm__path {
  double bandwidth;      /* of the ring [B/s]; 0 if this way does not connect the group */
  double one_link;       /* payload of a single link, to count rings */
  const pm__edge *limit; /* the link that limits */
  double hop_latency, base_latency;
  bool calibrated;
  double most;           /* no packing of rings over direct links has more than this bandwidth */
} pm__path;

/* The rings themselves: `count` cycles through the members, order[c * members + i] is the i-th of cycle c. */
typedef struct pm__cycles {
  int count;
  int *order;
  double *weight; /* links' worth of each */
} pm__cycles;

void pm__cycles_free(pm__cycles *cycles);

/* Makes room for `count` cycles through `members` GPUs; false if there is no memory. */
bool pm__cycles_new(pm__cycles *cycles, int count, int members);

/* Direct links between the GPUs: packing of directed Hamiltonian cycles. */
int pm__ring_over_peers(const pm_system *system, pm__members members, pm__path *path, pm__cycles *cycles,
                        pm_error *error);

/* NVSwitches: every GPU's port. */
void pm__ring_over_switches(const pm_system *system, pm__members members, pm__path *path);

/* PCIe switches, CPUs and inter-CPU links: one ring in the order of nearness, or in the order given by `members` if
** `in_order`. Writes the order taken to `order` (room for members.count) unless that is NULL. */
int pm__ring_over_tree(const pm_system *system, pm__members members, bool in_order, pm__path *path, int *order,
                       pm_error *error);

/* The ring by whichever way is there: direct links first, then switches, then whatever connects. */
int pm__ring_find(const pm_system *system, pm__members members, pm__path *path, double *rings, pm__cycles *cycles,
                  pm_error *error);

/* Whether all members are on NVLink switches. */
bool pm__on_switches(const pm_system *system, pm__members members);

/* The record of the ring that these wires give on `nodes` nodes, with the group's constants. Allocates nothing. */
struct pm__wiring;
int pm__ring_of(const struct pm__wiring *wiring, int nodes, pm_ring *ring, pm_error *error);

pm__path pm__no_path(void);

/* The slowest step counts, and one uncalibrated link makes the path uncalibrated. */
void pm__path_pass(pm__path *path, const pm__edge *edge);

#endif
