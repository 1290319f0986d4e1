/* What is computed once, before runs are predicted. */
#ifndef PM_PLAN_PLAN_H
#define PM_PLAN_PLAN_H

#include "plan/costs.h"
#include "hardware/system.h"
#include "perfmodel/collective.h"
#include "perfmodel/predict.h"

/* Layers whose channels can be split over GPUs, and what has to travel then, per sample. */
typedef struct pm__split {
  double layers, parameters, in, out; /* in: of those that want a gradient of their input */
} pm__split;

typedef struct pm__plan_network {
  const pm_network *network;
  pm__kernels *kernels[PM__EXECUTIONS]; /* NULL: no framework of the plan has that execution */
  pm__segments **cuts;              /* by the cuts of the plan */
  size_t cut_capacity;
  double parameters, training_flop;
  double tensors;        /* of parameters */
  double variables;      /* the same and moving averages */
  double input_elements; /* of all inputs, per sample */
  double activation;     /* mean elements of a layer's output, per sample */
  pm__split all, linear;
  double layers; /* that compute */
} pm__plan_network;

typedef struct pm__plan_system {
  const pm_system *system;
  int device;    /* the same number for systems with the same GPU and constants: the first of them */
  pm__device devices[PM_KERNEL_MODEL_COUNT][PM_PRECISION_COUNT]; /* set where `device` is this system's own number */
} pm__plan_system;

/* How the backward pass is cut: for which execution, into buckets of how many parameters. */
typedef struct pm__cut {
  pm__execution execution;
  double bucket;
} pm__cut;

enum { PM__SIZES = 4 }; /* of gradients: 1, 2, 4, 8 bytes */

/* Frameworks whose convolutions can do the same, and the GPUs of the plan's systems with them. */
typedef struct pm__library {
  pm_framework_profile profile; /* of one of them */
  pm__device (*devices)[PM_PRECISION_COUNT]; /* by the `device` of a system; calibrated */
} pm__library;

/* A framework with everything that was not given set to what costs nothing. */
typedef struct pm__plan_framework {
  pm_framework_profile profile;
  int library; /* which of the plan's */
  pm__execution execution[2];    /* of tensors in 4 bytes or more; in 2 bytes or less */
  int cut[2][PM__SIZES]; /* which of the plan's cuts, by execution and by the size of gradients */
} pm__plan_framework;

struct pm_plan {
  pm__plan_network *networks;
  size_t network_count;
  pm__plan_system *systems;
  size_t system_count;
  pm__plan_framework *frameworks;
  size_t framework_count, framework_capacity;
  pm__library *libraries;
  size_t library_count, library_capacity;
  pm__cut *cuts;
  size_t cut_count, cut_capacity;
};

/* The GPU of a system at every precision, calibrated, with this framework's libraries; NULL: the latest. */
void pm__plan_devices(const pm_system *system, const pm_framework_profile *profile, pm__device *devices);

/* Gives a framework of the plan other times and factors; what it does to the passes must stay. */
void pm__plan_set_framework(pm_plan *plan, int index, const pm_framework_profile *profile);

/* Takes the constants of kernels from the systems again. */
void pm__plan_renew_kernels(pm_plan *plan);

#endif
