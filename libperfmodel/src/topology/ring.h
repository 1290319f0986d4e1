/* The ring of some GPUs inside a node: over direct links, through switches, or over whatever connects them. */
#ifndef PM_TOPOLOGY_RING_H
#define PM_TOPOLOGY_RING_H

#include "topology/cycles.h"
#include "topology/path.h"

/* The ring over the first available medium: direct links, switches, or any other connection. */
int pm__ring_find(const pm_system *system, pm__ring_members members, pm__ring_path *path, double *rings,
                  pm__ring_cycles *cycles, pm_error *error);

/* ---- Each way by itself ---- */

/* Direct links between the GPUs: packing of directed Hamiltonian cycles. */
int pm__ring_over_peers(const pm_system *system, pm__ring_members members, pm__ring_path *path,
                        pm__ring_cycles *cycles, pm_error *error);

/* NVSwitches: every GPU's port. */
void pm__ring_over_switches(const pm_system *system, pm__ring_members members, pm__ring_path *path);

/* Whether all members are on NVLink switches. */
bool pm__ring_on_switches(const pm_system *system, pm__ring_members members);

/* PCIe switches, CPUs and inter-CPU links: one ring in the order of nearness, or in the order given by `members` if
** `in_order`. Writes the order taken to `order` (room for members.count) unless that is NULL. */
int pm__ring_over_tree(const pm_system *system, pm__ring_members members, bool in_order, pm__ring_path *path,
                       int *order, pm_error *error);

#endif
