/* What is computed once, before runs are predicted. */
#ifndef PM_STEP_PLAN_H
#define PM_STEP_PLAN_H

#include "kernel/kernel.h"
#include "hardware/system.h"
#include "perfmodel/collective.h"
#include "perfmodel/predict.h"

typedef struct pm__plan_network {
  const pm_network *network;
  pm__kernels *kernels;
  double parameters, training_flop;
} pm__plan_network;

typedef struct pm__plan_system {
  const pm_system *system;
  int device;    /* the same number for systems with the same GPU and constants: the first of them */
  pm_ring *ring; /* of GPUs 0 .. i in one node, for each i */
  int *status;   /* of finding it */
  pm__device devices[PM_KERNEL_MODEL_COUNT][PM_PRECISION_COUNT]; /* set where `device` is this system's own number */
} pm__plan_system;

struct pm_plan {
  pm__plan_network *networks;
  size_t network_count;
  pm__plan_system *systems;
  size_t system_count;
  pm_framework_profile *frameworks;
  size_t framework_count, framework_capacity;
};

/* The step of synchronous data-parallel training, once everything in it is known. */
void pm__data_parallel_step(const pm_run *run, const pm__times *times, double communication, pm_prediction *out);

#endif
