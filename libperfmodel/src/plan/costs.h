/*
** The kernels of a network, ready to be timed: what a training step costs on one GPU at any batch.
**
** pm__kernels_new once per network and execution, pm__device_init once per GPU and precision, pm__kernels_price per
** evaluation. Time of convolutions, of kernels that frameworks bring themselves, and of the others is kept apart:
** libraries of different generations differ in the first, frameworks in the second.
*/
#ifndef PM_PLAN_COSTS_H
#define PM_PLAN_COSTS_H

#include "kernel/device.h"
#include "lowering/execution.h"
#include "network/network.h"
#include "perfmodel/hardware.h"

typedef struct pm__kernels pm__kernels;

/* Seconds in kernels of one step, their launches not included. */
typedef struct pm__part {
  double conv, own, other;
} pm__part;

/* Pieces of the backward pass, in the order they run, each ending where gradients are ready to be sent. */
enum { PM__SEGMENTS = 40 };

/* `bound`: the part of all passes that the arithmetic rate (or the power for it) limits. */
typedef struct pm__costs {
  pm__part pass[PM__PASSES], bound;
  pm__part segment[PM__SEGMENTS];
} pm__costs;

/* What does not depend on the batch: launches of kernels, calls of the host, and elements that change layout, per sample. */
typedef struct pm__fixed {
  double launches, host_calls, layout;
} pm__fixed;

/* The backward pass cut at the buckets of gradients. `pieces` equal buckets become ready evenly over a segment;
** 0: nothing is sent when it ends. */
typedef struct pm__segments {
  int count;
  double parameters[PM__SEGMENTS]; /* in all its pieces */
  double pieces[PM__SEGMENTS];
  pm__fixed fixed[PM__SEGMENTS];
  int *first;      /* of each kernel of pm__kernels: its entries, first[i] .. first[i + 1] */
  int *place;      /* segment of each entry */
  double *repeats; /* how often it is there */
} pm__segments;

/* Owned by the caller; NULL with an error if there is no memory. */
pm__kernels *pm__kernels_new(const pm_network *network, pm__execution execution, pm_error *error);
void pm__kernels_free(pm__kernels *kernels);

/* A bucket is full when it has that many parameters (INFINITY: one for all). Beyond some buckets the first are taken
** together, as pieces of one segment. */
pm__segments *pm__segments_new(const pm_network *network, const pm__kernels *kernels, pm__execution execution, double bucket,
                               pm_error *error);
void pm__segments_free(pm__segments *segments);

/* `segments` may be NULL: then those are not filled. */
void pm__kernels_price(const pm__kernels *kernels, const pm__segments *segments, const pm__device *device, double batch,
                       pm__costs *costs);

/* Time of one kernel without its start [s]. */
double pm__kernel_price(const pm__device *device, const pm__kernel *kernel, double batch);

pm__fixed pm__kernels_fixed(const pm__kernels *kernels, pm__pass pass);

/* PM_OK, or why nothing can be timed: batch, precision, or no rate for it on this GPU. */
int pm__kernel_check(const pm_gpu *gpu, double batch, int precision, pm_error *error);

/* "fp16"; the number must be one of a precision. */
const char *pm__precision_name(int precision);

/* Bytes moved per parameter by an update with so many accesses of FP32 numbers. */
double pm__update_bytes(double accesses, int precision);

/* Time of the optimiser on so many parameters: SGD with momentum. */
double pm__update_time(double parameters, const pm__device *device, int precision);

/* The same with `accesses` of FP32 numbers for each parameter. */
double pm__update_time_of(double parameters, double accesses, const pm__device *device, int precision);

#endif
