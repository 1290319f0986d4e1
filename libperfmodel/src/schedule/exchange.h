/*
** Between the step and the collectives: times of one collective in several sizes, and other properties of the wiring
** that a step needs. All depend only on a group (collective/group.h).
*/
#ifndef PM_SCHEDULE_EXCHANGE_H
#define PM_SCHEDULE_EXCHANGE_H

#include "collective/candidates.h"
#include "collective/group.h"

/* Candidates that were found for a few collectives on a few groups, since most exchanges of a step are of the same
** groups. It belongs to one call; `count` is 0 to begin with. */
enum { PM__EXCHANGES_KEPT = 8 };

typedef struct pm__exchange_kept {
  pm__collective_group group;
  int collective;
  bool connected;
  pm__collective_candidates candidates;
} pm__exchange_kept;

typedef struct pm__exchange_cache {
  int count, next;
  pm__exchange_kept kept[PM__EXCHANGES_KEPT];
} pm__exchange_cache;

/* times[i] of bytes[i]; NAN where no way is known. 0 bytes take no time, nor does a group of one. Returns the share of
** a GPU's multiprocessors that the collective keeps busy. Allocates nothing. `cache` may be NULL. Cost: some 150 ns
** where it is not in the cache, and 10 to 20 for each size that is not one of the four before. */
double pm__exchange_times(pm__exchange_cache *cache, const pm__collective_group *group, int collective,
                          const double *bytes,
                          int count, double *times);

double pm__exchange_time(pm__exchange_cache *cache, const pm__collective_group *group, int collective, double bytes);

/* The share of a GPU's multiprocessors that a large collective keeps busy. */
double pm__exchange_share(pm__exchange_cache *cache, const pm__collective_group *group, int collective);

/* Whether every link between the members of one node is calibrated; with the network, pm__collective_calibrated. */
bool pm__exchange_calibrated(const pm__collective_group *group);

/* Payload [B/s] of each member when all of them exchange with their nearest CPU at once, INFINITY if unknown. */
double pm__exchange_host(const pm__collective_group *group);

/* Payload [B/s] of each member when all of them exchange with one CPU at once, INFINITY if unknown. */
double pm__exchange_server(const pm__collective_group *group);

/* Payload [B/s] of a node's network adapters for the group, 0 without. */
double pm__exchange_network(const pm__collective_group *group);

#endif
