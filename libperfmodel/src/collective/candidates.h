/*
** The candidates for one collective on one group, each an algorithm in a protocol, and the fastest of them for a number
** of bytes. For code that needs many sizes without allocation, such as the training step with its buckets:
**
**     pm__collective_group group;            pm__collective_group_init(&group, system, 0, 1, gpus, nodes)
**     pm__collective_candidates candidates;  pm__collective_candidates_find(&candidates, &group, collective)
**     for each bucket                        pm__collective_candidates_time(&candidates, bytes)
**
** The first two are arithmetic, about 150 ns together; candidates refer to the group's wiring and do not change, so
** they may be kept and shared. One rank takes 0 s, candidate NULL. If no algorithm supports it (time NAN, candidate
** NULL), the collective is not modelled.
*/
#ifndef PM_COLLECTIVE_CANDIDATES_H
#define PM_COLLECTIVE_CANDIDATES_H

#include "collective/algorithm.h"

enum { PM__CANDIDATES_MAX = 16 };

typedef struct pm__collective_candidate {
  pm_algorithm algorithm;
  int protocol; /* PM__LL, ... */
  pm__collective_cost cost;
} pm__collective_candidate;

typedef struct pm__collective_candidates {
  int count;
  bool alone;         /* one rank */
  double bus_factor;  /* bus bandwidth over algorithm bandwidth */
  double ranks;
  double launch;      /* of one collective: the host's launches on the GPUs of a thread, one after the other */
  double channel_launch; /* of each further channel of it */
  double channels, channel_bytes; /* most that the library uses, and bytes for which it uses one more */
  bool queued;        /* launches overlap with the collective before, and so does all of its time */
  double sm_share;    /* of a GPU's multiprocessors that a large one keeps busy */
  pm__collective_candidate candidate[PM__CANDIDATES_MAX];
} pm__collective_candidates;

typedef struct pm__collective_candidate_time {
  double time, latency, transfer; /* s */
  double bus_bandwidth;           /* B/s; NAN for one rank */
  const pm__collective_candidate *candidate; /* taken; its cost.limit is what limits the transfer */
  bool launch_bound;              /* the host's launches limit */
} pm__collective_candidate_time;

/* The candidates that a library selects from by default. False if the group has none because it is not connected. */
bool pm__collective_candidates_find(pm__collective_candidates *candidates, const pm__collective_group *group,
                                    pm_collective collective);

/* Those of one algorithm (PM_ALGORITHM_AUTO: what a library would choose from) in one protocol, or any. */
void pm__collective_candidates_init(pm__collective_candidates *candidates, const pm__collective_parameters *group,
                                    pm_collective collective, pm_algorithm algorithm, int protocol_choice);

pm__collective_candidate_time pm__collective_candidates_time(const pm__collective_candidates *candidates, double bytes);

/* times[i] of bytes[i] [s], NAN where there is no candidate; no bytes take no time. Equal sizes are evaluated once. */
void pm__collective_candidates_times(const pm__collective_candidates *candidates, const double *bytes, int count,
                                     double *times);

#endif
