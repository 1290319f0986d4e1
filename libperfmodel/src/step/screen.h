/*
** What a search needs to know of a plan: whether it fits, how much memory it takes and how long a step is; with the same
** bits as a prediction has. What plans share is kept from one to the next:
**
**     layout     degrees of parallelism: groups of GPUs, shards, stragglers         most work, changes least often
**     stages     chunks and schedule: stages that are alike, their exchanges by ZeRO stage, their memory
**     pieces     micro-batch and recomputation: times of each kind of piece
**
** so plans are best asked for in an order in which degrees change least often. A screen belongs to one thread.
*/
#ifndef PM_STEP_SCREEN_H
#define PM_STEP_SCREEN_H

#include "step/parallel.h"

typedef struct pm__parallel_screen pm__parallel_screen;

/* NULL: no memory. The plan must outlive it. */
pm__parallel_screen *pm__parallel_screen_new(const pm_plan *plan);
void pm__parallel_screen_free(pm__parallel_screen *screen);

typedef struct pm__parallel_screened {
  int status;
  double step_time, memory;
} pm__parallel_screened;

/* `base` is the same for runs that differ in nothing but degrees, batch, micro-batch, schedule, chunks, ZeRO stage,
** recomputation and sequence parallelism; NULL: nothing is known of it. */
pm__parallel_screened pm__parallel_screen_run(pm__parallel_screen *screen, const pm_run *base, const pm_run *run);

#endif
