/*
** The values of a plan that a search needs: whether it fits, its memory, its step time and the interval; with the same
** bits as a prediction. It is the same step, with values that plans share kept from one to the next:
**
**     layout     degrees of parallelism: groups of GPUs, shards, stragglers         most work, changes least often
**     stages     chunks and schedule: stages that are alike, their exchanges by ZeRO stage, their memory
**     pieces     micro-batch and recomputation: work of each kind of piece
**
** so plans are best asked for in an order in which degrees change least often. A screen belongs to one thread.
*/
#ifndef PM_STEP_SCREEN_H
#define PM_STEP_SCREEN_H

#include "step/step.h"

typedef struct pm__step_screen pm__step_screen;

/* `energy`: that is wanted too. NULL: no memory. The plan must outlive it. */
pm__step_screen *pm__step_screen_new(const pm_plan *plan, bool energy);
void pm__step_screen_free(pm__step_screen *screen);

typedef struct pm__step_screened {
  int status;
  double step_time, memory;
  double slow; /* time of a step at the lower end of the interval of the rate; INFINITY: unknown */
  double energy, carbon, energy_cost; /* of the site for a sample, where they are wanted */
} pm__step_screened;

/* `base` is the same for runs that differ in nothing but degrees, batch, micro-batch, schedule, chunks, ZeRO stage,
** recomputation and sequence parallelism; NULL: nothing is known of it. */
pm__step_screened pm__step_screen_run(pm__step_screen *screen, const pm_run *base, const pm_run *run);

#endif
