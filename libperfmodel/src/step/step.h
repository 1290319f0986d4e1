/*
** One training step, part by part. What belongs to a run is gathered once in a pm__schedule; the parts are then arithmetic
** over it, in this order:
**
**     compose.c                 kernels, layouts, optimizer, host -> the time of one GPU alone
**     schedule/overlap.c        gradients summed bucket by bucket behind the backward pass
**     schedule/parallelism.c    what GPUs exchange under the other kinds of parallelism
**     compose.c, memory.c       waiting for input, shares, memory -> the prediction
**     interval.c                what it rests on, and how far it may be off
**     trace.c                   the same as a timeline
*/
#ifndef PM_STEP_STEP_H
#define PM_STEP_STEP_H

#include "schedule/schedule.h"

/* Gathers a run; PM_OK, or why it cannot be predicted, memory left aside. `memo` may be NULL. */
int pm__step_make(pm__schedule *step, const pm_plan *plan, const pm_run *run, pm__memo *memo, pm_error *error);

/* Times at the batch that `costs` were priced at, `batch`. */
pm__schedule_times pm__step_times_of(const pm__schedule *step, const pm__costs *costs, double batch);

/* The step; in *waits what of it is waiting for input. */
double pm__step_time(const pm__schedule *step, const pm__schedule_times *times, const pm__sharing *sharing, double *waits);

/* Everything of the prediction but its interval, memory and what other runs are needed for. */
void pm__step_compose(const pm__schedule *step, const pm__schedule_times *times, const pm__sharing *sharing, pm_prediction *out);

/* What a composed prediction rests on, and its interval. `costs` NULL: of a plan of several kinds of parallelism, whose
** kernels count as products, and which no row has. */
void pm__step_set_interval(const pm__schedule *step, const pm__costs *costs, pm_prediction *out);

/* Memory of one GPU, part by part. */
pm__memory_parts pm__step_memory_parts(const pm__schedule *step);

/* Memory of one GPU, and whether that is enough. */
void pm__step_memory(const pm__schedule *step, pm_prediction *out);

/* PM_OK, or by how much it is too little and what fits. Says PM_OK where a run ignores memory. */
int pm__step_fits(const pm__schedule *step, pm_error *error);

#endif
