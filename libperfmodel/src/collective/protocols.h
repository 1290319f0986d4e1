/* What algorithms have in common: the library's protocols, and bandwidth that all of them count from. */
#ifndef PM_COLLECTIVE_PROTOCOLS_H
#define PM_COLLECTIVE_PROTOCOLS_H

#include "collective/parameters.h"

/* Whether the protocol exists on such a group at all. */
bool pm__collective_protocol_works(const pm__collective_parameters *group, int protocol);

/* Bus bandwidth that a protocol gets out of rings of bandwidth `ring`. */
double pm__collective_protocol_bandwidth(const pm__collective_parameters *group, int protocol, double ring);

/* Bytes for which the library uses one more channel: 8 of each rank for each of 512 threads (NCCL, src/enqueue.cc; LL
** in rings). INFINITY where the channels depend on the ranks alone. */
double pm__collective_channel_bytes(pm_collective collective, double ranks);

/* How little latency and transfer overlap in an all-reduce. Over PCIe they do not bend: the links are slow enough. */
double pm__collective_knee(const pm__collective_parameters *group);

/* The slower of the rings inside and the network, and which it is. */
double pm__collective_slower(const pm__collective_parameters *group, const char **limit);

/* Time for each byte in which a GPU passes its own share of them: the first step of a loop over chunks, or the last,
** moves no bytes of that GPU's over a link. */
double pm__collective_own_share(const pm__collective_parameters *group);

/* Bus bandwidth over algorithm bandwidth. */
double pm__collective_bus_factor(pm_collective collective, double ranks);

#endif
