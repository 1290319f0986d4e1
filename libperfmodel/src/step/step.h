/*
** One training step, part by part. What belongs to a run is gathered once in a pm__step; the parts are then arithmetic
** over it, in this order:
**
**     compute.c     kernels, layouts, optimiser, host -> the time of one GPU alone
**     overlap.c     gradients summed bucket by bucket behind the backward pass
**     modes.c       what GPUs exchange in the other ways to share the work
**     trace.c       the same as a timeline
**     compose.c     waiting for each other and for input, shares, band -> the prediction
*/
#ifndef PM_STEP_STEP_H
#define PM_STEP_STEP_H

#include "plan/plan.h"
#include "schedule/exchange.h"

typedef struct pm__step {
  const pm_run *run;
  const pm__plan_network *network;
  const pm__plan_system *system;
  const pm__plan_framework *framework; /* NULL: none */
  const pm__device *device;
  pm__execution execution;
  const pm__kernels *kernels;
  const pm__segments *segments; /* NULL: the backward pass is not cut */
  int32_t parallel, overlap;    /* the framework's where the run does not say */
  pm__collective_group group;   /* all GPUs of the run */
  double ranks, accumulation;
  double factor;   /* of convolutions, over the kernel model */
  double own;      /* of the framework's own kernels, likewise */
  double start;    /* s for each start of a kernel, on the GPU */
  double layout;   /* s for each element and sample that changes layout */
  double gradient; /* bytes of one */
} pm__step;

/* Of one GPU alone; s. */
typedef struct pm__times {
  double forward, backward_data, backward_weight, update, gpu; /* gpu: the sum */
  double bound;   /* the part of gpu that the arithmetic rate limits */
  double layout;  /* the part of it that changes layouts */
  double host;    /* launching, beside the GPU */
  double alone;   /* the step */
} pm__times;

/* What sharing the work adds. */
typedef struct pm__sharing {
  double communication, exposed;
  double waiting;   /* for the slowest, and the coordinator */
  double staleness;
} pm__sharing;

/* The step of a run that pm__step_check found good. */
pm__step pm__step_of(const pm_plan *plan, const pm_run *run);

/* PM_OK, or why this way to share the work is not possible. */
int pm__step_check(const pm_plan *plan, const pm_run *run, pm_error *error);

/* Accesses of the optimiser to each parameter. */
double pm__step_accesses(const pm__step *step);

/* Calls of the host in the forward and backward passes. */
double pm__step_pass_calls(const pm__step *step);

/* Feeding one GPU with the samples of one batch; s. */
double pm__step_feed(const pm__step *step, double batch);

/* Times at the batch that `costs` were priced at, `batch`. */
pm__times pm__step_times(const pm__step *step, const pm__costs *costs, double batch);

/* The backward pass segment by segment, and the all-reduce of one bucket of each; s. */
typedef struct pm__bucket_times {
  double backward[PM__SEGMENTS], exchange[PM__SEGMENTS];
} pm__bucket_times;

/* Returns the share of the GPU that the all-reduce keeps busy. */
double pm__bucket_times_of(const pm__step *step, const pm__costs *costs, pm__bucket_times *times);

/* Gradients by all-reduce: bucket by bucket, or at once. */
void pm__share_gradients(const pm__step *step, const pm__costs *costs, const pm__times *times, pm__sharing *sharing);

/* Any way to share the work; may change the times, where a GPU does only a part of it. */
void pm__share(const pm__step *step, const pm__costs *costs, pm__times *times, pm__sharing *sharing);

/* Expected maximum of n numbers of standard normal distribution. */
double pm__expected_maximum(double n);

/* Everything of the prediction but what other runs are needed for. */
void pm__step_compose(const pm__step *step, const pm__times *times, const pm__sharing *sharing, pm_prediction *out);

/* The band of the throughput, and whether the run lies among those that constants were fitted on. */
void pm__step_band(const pm__step *step, pm_prediction *out);

#endif
