/* Shipped GPUs with their constants, and the times of kernels on them, for laws that hold on every one. */
#ifndef DEVICES_H
#define DEVICES_H

#include <math.h>
#include <stdbool.h>
#include "shipped.h"

typedef struct device {
  pm_gpu gpu;
  pm_kernel_calibration constants;
} device;

/* Whether the GPU has constants. */
static inline bool device_find(size_t index, device *d)
{
  record("gpu", pm_catalog_get_id(catalog, "gpus", index), &d->gpu);
  return pm_catalog_get_kernels(catalog, &d->gpu, &d->constants, NULL) == PM_OK;
}

#define EACH_DEVICE(d)                                                                  \
  for (size_t index_ = 0; index_ < (size_t)pm_catalog_count(catalog, "gpus"); index_++) \
    if (device_find(index_, &d))

static inline pm_kernel kernel_of(int operation, int precision)
{
  pm_kernel kernel;
  pm_record_clear(pm_record_type_find("kernel"), &kernel);
  kernel.operation = operation;
  kernel.precision = precision;
  kernel.count = kernel.groups = 1;
  return kernel;
}

static inline pm_kernel_time time_of(const device *d, const pm_kernel *kernel)
{
  pm_kernel_time time;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_kernel_predict(&d->gpu, &d->constants, kernel, &time, 1, &error) == PM_OK, "%s: %s", d->gpu.id,
                error.text);
  ck_assert_msg(isfinite(time.time) && time.time > 0, "%s: %g s", d->gpu.id, time.time);
  return time;
}

static inline bool has(const device *d, int precision)
{
  return pm_gpu_get_matrix_peak(&d->gpu, precision) > 0;
}

#endif
