/*
** Collectives: what it costs GPUs to agree on a sum.
**
** A ring all-reduce of S bytes over n ranks moves 2 (n-1)/n S through every rank in 2 (n-1) steps
** (Patarasuk, Yuan, J. Parallel Distrib. Comput. 69, 2009):
**
**     time = base + 2 (n-1) hop + 2 (n-1)/n S / B
**
** B, the bus bandwidth, comes from the link graph. Rings are found, not declared: over direct GPU links, B is the value
** of the best fractional packing of directed Hamiltonian cycles into the links; through NVSwitches it is the GPU's port;
** else the ring visits the GPUs in tree order over PCIe, CPUs and their inter-CPU link, and B is the capacity of the
** busiest link divided by the flows on it; GPUs without peer access send through the memory of their CPU.
*/
#ifndef PERFMODEL_COLLECTIVE_H
#define PERFMODEL_COLLECTIVE_H

#include "hardware.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ring that a group of GPUs uses. */
#define PM_RING_FIELDS(X)                                                                              \
  X(INT, gpus, "1", "GPUs per node in the group")                                                      \
  X(INT, nodes, "1", "nodes in the group")                                                             \
  X(REAL, bandwidth, "B/s", "bus bandwidth of the ring, per direction")                                \
  X(REAL, rings, "1", "directed rings packed into the GPU links; 0 if they do not connect the group")  \
  X(REAL, hop_latency, "s", "latency of one step inside the node")                                     \
  X(REAL, network_latency, "s", "latency of one step between nodes")                                   \
  X(REAL, base_latency, "s", "fixed latency")                                                          \
  X(TEXT, limit, "", "id of the link type that limits it")                                             \
  X(YES_NO, calibrated, "", "whether every link on the way has calibrated constants")

typedef struct pm_ring { PM_RING_FIELDS(PM_DECLARE) } pm_ring;

/* Finds the ring of GPUs 0 .. gpus-1 of each of `nodes` nodes. Cost: a search, milliseconds for 8 GPUs; do it once.
** Errors: PM_TOO_MANY_GPUS, PM_NO_ROUTE, PM_BAD_ARGUMENT. */
PM_API int pm_ring_find(const pm_system *system, int gpus, int nodes, pm_ring *ring, pm_error *error);

/* Time [s] of an all-reduce of `bytes` over the ring; 0 for one rank. Cost: a few ns. */
PM_API double pm_ring_all_reduce_time(const pm_ring *ring, double bytes);

/* The bandwidth part alone: 2 (n-1)/n bytes / bandwidth [s]. */
PM_API double pm_all_reduce_transfer_time(double bytes, int ranks, double bandwidth);

#ifdef __cplusplus
}
#endif
#endif
