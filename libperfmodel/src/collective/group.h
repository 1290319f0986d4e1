/*
** The participants of a collective: some GPUs of each of some nodes. Groups are computed by arithmetic: data
** parallelism over all GPUs is one group, the eight groups across tensor parallelism of eight GPUs are another case.
**
**     pm__collective_group group;
**     int status = pm__collective_group_init(&group, system, 0, 2, 4, nodes);     GPUs 0, 2, 4, 6 of each node
**     group.groups_at_once = 2;                                                     the others do the same meanwhile
*/
#ifndef PM_COLLECTIVE_GROUP_H
#define PM_COLLECTIVE_GROUP_H

#include "topology/wiring.h"

typedef struct pm__collective_group {
  const pm__wiring *wiring; /* of the members in a node */
  int members;              /* GPUs of each node */
  int nodes;
  int groups_at_once;       /* that use the network adapters of a node at the same time */
  int thread_gpus;          /* that one host thread drives */
  int servers;              /* parameter servers */
  int nccl;                 /* PM_NCCL_CURRENT, ...: generation of the collective library */
  bool in_network;          /* the switches of the network reduce */
} pm__collective_group;

/* The members first, first + stride, ... of each node of a system; alone on the adapters, one host thread per GPU, the
** current library. Returns the status of finding their wiring, PM_STATUS_NO_ROUTE too if there are several nodes and no
** network. Allocates nothing once the wiring is known. */
int pm__collective_group_init(pm__collective_group *group, const pm_system *system, int first, int stride, int members,
                              int nodes);

/* The same for members whose wiring is at hand. */
pm__collective_group pm__collective_group_on(const pm__wiring *wiring, int nodes);

/* Whether two groups cost the same in everything: for a memo of times. */
bool pm__collective_group_same(const pm__collective_group *a, const pm__collective_group *b);

/* The group's share of the payload [B/s] of one node's adapters; 0 without a network. */
double pm__collective_group_network(const pm__collective_group *group);

#endif
