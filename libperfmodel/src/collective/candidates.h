/*
** The ways to do one collective on one group, and the fastest of them for a number of bytes. For code that asks in many
** sizes without allocating, as the training step does with its buckets:
**
**     once, when a plan is made     const pm__wiring *wires = pm__wiring_of(system, NULL, gpus, error);
**                                   kept with the system; pm__wiring_release(wires) when the plan is freed
**     once for a run                pm__collective_group shape; pm__collective_group_init(&shape, wires, &choice, error)      about 50 ns
**                                   pm__candidates ways;   pm__candidates_init(&ways, &shape, PM_ALL_REDUCE)        about 100 ns
**     for each bucket               pm__candidate_time t = pm__candidates_time(&ways, bytes)                        about 50 ns
**
** `choice` says how many nodes there are, how many GPUs a host thread drives, which library generation it is. Shape and
** ways live on the caller's stack and refer to the wiring. One rank takes 0 s, way NULL. Where the library knows no way
** (pm__candidate_time.time NAN, way NULL) the collective is not modelled.
*/
#ifndef PM_COLLECTIVE_WAYS_H
#define PM_COLLECTIVE_WAYS_H

#include "collective/algorithm.h"

enum { PM__CANDIDATES_MAX = 16 };

typedef struct pm__candidate {
  pm_algorithm algorithm;
  int protocol; /* PM__LL, ... */
  pm__collective_cost cost;
} pm__candidate;

typedef struct pm__candidates {
  int count;
  bool alone;         /* one rank */
  double bus_factor;  /* bus bandwidth over algorithm bandwidth */
  double ranks;
  double launch;      /* of one collective: the host's launches on the GPUs of a thread, one after the other */
  bool queued;        /* launches hide behind the collective before, and so does all of its time */
  double sm_share;    /* of a GPU's multiprocessors that a large one keeps busy */
  pm__candidate way[PM__CANDIDATES_MAX];
} pm__candidates;

typedef struct pm__candidate_time {
  double time, latency, transfer; /* s */
  double bus_bandwidth;           /* B/s; NAN for one rank */
  const pm__candidate *way;             /* algorithm and protocol taken, way->cost.limit what limits the transfer */
  bool launch_bound;              /* the host's launches limit */
} pm__candidate_time;

/* The ways that a library would choose from by itself. */
void pm__candidates_init(pm__candidates *ways, const pm__collective_group *shape, pm_collective collective);

/* The ways of one algorithm (PM_ALGORITHM_AUTO: as pm__candidates_init) in one protocol, or any. */
void pm__candidates_init_as(pm__candidates *ways, const pm__collective_group *shape, pm_collective collective, pm_algorithm algorithm,
                      int protocol_choice);

pm__candidate_time pm__candidates_time(const pm__candidates *ways, double bytes);

#endif
