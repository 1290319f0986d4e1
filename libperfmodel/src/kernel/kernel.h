/*
** The kernels of a network, ready to be timed: what a training step costs on one GPU at any batch.
**
** pm__kernels_new once per network, pm__device_init once per GPU and precision, pm__kernels_time per evaluation.
*/
#ifndef PM_KERNEL_KERNEL_H
#define PM_KERNEL_KERNEL_H

#include "kernel/device.h"
#include "network/network.h"
#include "perfmodel/hardware.h"

typedef struct pm__kernels pm__kernels;

/* Sums over the kernels of one step [s]; `compute_bound` is the part of them that the arithmetic rate (or the power for
** it) limits. */
typedef struct pm__times {
  double forward, backward_data, backward_weight, update, compute_bound;
} pm__times;

/* Owned by the caller; NULL with an error if there is no memory. */
pm__kernels *pm__kernels_new(const pm_network *network, pm_error *error);
void pm__kernels_free(pm__kernels *kernels);

pm__times pm__kernels_time(const pm__kernels *kernels, const pm__device *device, int precision, double batch);

/* Whether two kernels with the same work take the same time. */
bool pm__same_shape(const pm__kernel *a, const pm__kernel *b);

/* PM_OK, or why nothing can be timed: batch, precision, or no rate for it on this GPU. */
int pm__kernel_check(const pm_gpu *gpu, double batch, int precision, pm_error *error);

/* "fp16"; the number must be one of a precision. */
const char *pm__precision_name(int precision);

/* Time of the optimiser on so many parameters: SGD with momentum. */
double pm__update_time(double parameters, const pm__device *device, int precision);

#endif
