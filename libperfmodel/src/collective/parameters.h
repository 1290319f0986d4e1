/*
** The parameters of the cost model for one group: bandwidths and latencies, in SI units. Bandwidths are payloads of
** large transfers; missing parts (no network, one GPU per node) are INFINITY.
*/
#ifndef PM_COLLECTIVE_PARAMETERS_H
#define PM_COLLECTIVE_PARAMETERS_H

#include "collective/group.h"
#include "perfmodel/collective.h"

enum { PM__LL, PM__LL128, PM__SIMPLE, PM__PROTOCOLS };
enum { PM__RING, PM__TREE }; /* second index of the latencies */

typedef struct pm__collective_parameters {
  int per_node, nodes, servers, thread_gpus;
  double ranks;
  pm_nccl nccl;
  bool in_network;       /* the switches of the network reduce */
  bool protocols;        /* the library's constants are known; else Simple alone, with those of the links */
  bool nvlink;           /* inner hops run over NVLink, NVLink switches or xGMI */
  bool switched;         /* ... over switches */
  bool capable;          /* ... that reduce */
  bool ll128;
  bool calibrated;       /* every link on the way */
  double rings;          /* directed rings; 1 over PCIe */
  double ring;           /* bus bandwidth of the rings in the node */
  double chain;          /* of a broadcast, which crosses between CPUs one way only */
  double network;        /* of the NICs in one node that the group has for itself */
  double tree_network;   /* the same for a tree between two nodes */
  double pair;           /* per GPU, when all pairs exchange at once */
  double host;           /* per GPU, when all GPUs of a node talk to one CPU */
  double ll_most;        /* most bus bandwidth of LL */
  double step[3][2];     /* one inner hop, by protocol; ring, tree */
  double far_step[3][2]; /* one hop between nodes, the fabric's latency included */
  double base[3][2];
  double payload[3];
  double fabric;         /* what the fabric adds to a hop between nodes */
  int nics;              /* that the group reaches in one node */
  double channels;       /* thread blocks that a large collective keeps busy on each GPU */
  double multiprocessors;
  const pm_collective_fit *fit; /* every value known */
  const char *ring_limit, *network_limit, *pair_limit, *host_limit; /* ids of link types */
} pm__collective_parameters;

/* The parameters of a group, whose wiring must outlive them. Allocates nothing. Errors: PM_STATUS_NO_ROUTE. The group
** is not checked: its counts are at least 1. */
int pm__collective_parameters_init(pm__collective_parameters *parameters, const pm__collective_group *group,
                                   pm_error *error);

/* Bus bandwidth [B/s] of the group's rings, INFINITY for one rank, and whether every link on the way is calibrated:
** two of the above, without the others. */
double pm__collective_ring_bandwidth(const pm__collective_group *group);
bool pm__collective_calibrated(const pm__collective_group *group);

/* The bandwidth part alone: 2 (n-1)/n bytes / bandwidth [s]. */
double pm__all_reduce_get_transfer_time(double bytes, int ranks, double bandwidth);

#endif
