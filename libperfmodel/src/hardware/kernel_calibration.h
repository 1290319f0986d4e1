/* Constants of kernels between the catalogue and those who use them. */
#ifndef PM_HARDWARE_KERNEL_CALIBRATION_H
#define PM_HARDWARE_KERNEL_CALIBRATION_H

#include <stdbool.h>
#include "perfmodel/hardware.h"

/* PM_OK, or which of the constants that are there is absurd. */
int pm__kernel_calibration_stated(const pm_kernel_calibration *calibration, pm_error *error);

/* FP8 and FP4: training multiplies in them, and all else is in BF16. */
bool pm__precision_is_of_products(int precision);

/* Whether matrix multiplications of a precision run on its tensor cores. */
bool pm__gpu_uses_tensor_cores(const pm_gpu *gpu, int precision);

#endif
