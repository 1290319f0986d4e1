/* Time of single kernels, and of the optimizer's, on one GPU: what plans and tables of layers share. */
#ifndef PM_KERNEL_KERNEL_H
#define PM_KERNEL_KERNEL_H

#include "kernel/device.h"
#include "network/network.h"
#include "perfmodel/hardware.h"

/* Whether it does or moves anything. */
bool pm__kernel_works(const pm__layer_kernel *kernel);

/* Time of one kernel without its launch [s]. */
double pm__kernel_price(const pm__device *device, const pm__layer_kernel *kernel, double batch);

/* Whether it is a product that takes longer because its sides are no multiples of 16 bytes. */
bool pm__kernel_loses_to_sides(const pm__device *device, const pm__layer_kernel *kernel);

/* PM_OK, or why nothing can be timed: batch, precision, or no rate for it on this GPU. */
int pm__kernel_check(const pm_gpu *gpu, double batch, int precision, pm_error *error);

/* "fp16"; the number must be one of a precision. */
const char *pm__precision_name(int precision);

/* Fails, and names the precisions that the GPU has rates for. */
int pm__kernel_refuse_precision(const pm_gpu *gpu, int precision, pm_error *error);

/* Bytes moved per parameter by an update with so many accesses of FP32 numbers. */
double pm__update_bytes(double accesses, int precision);

/* Time of an update. `tables`: parameters that are looked up, not multiplied. */
double pm__update_time(double parameters, double tables, const pm_optimizer *optimizer, const pm__device *device,
                       int precision);

/* Rate [FLOP/s] that the roofline allows at an arithmetic intensity [FLOP/B]. */
double pm__roofline_get_attainable(double intensity, double peak, double bandwidth);

/* Which of the two limits it. */
pm_bound pm__roofline_get_bound(double flop, double bytes, double peak, double bandwidth);

/* Time [s] of `flop` arithmetic and `bytes` memory traffic at `peak` [FLOP/s] and `bandwidth` [B/s]. */
double pm__roofline_get_time(double flop, double bytes, double peak, double bandwidth);

#endif
