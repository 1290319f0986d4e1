/* Whether a GPU has rates for a precision, and what is said where it has none. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "hardware/system.h"
#include "kernel/kernel.h"
#include "hardware/kernel_calibration.h"
#include "record/count.h"

const char *pm__precision_name(int precision)
{
  static const char *const names[] = {
#define NAME(name, text, size, doc) text,
    PM_PRECISION_LIST(NAME)
#undef NAME
  };
  return names[precision];
}

static bool has_rates(const pm_gpu *gpu, int precision)
{
  double matrix = pm_gpu_get_matrix_peak(gpu, precision), vector = pm__gpu_get_vector_peak(gpu, precision);
  return matrix > 0 && vector > 0 && isfinite(matrix) && isfinite(vector);
}

int pm__kernel_refuse_precision(const pm_gpu *gpu, int precision, pm_error *error)
{
  char others[PM_TEXT_MAX] = "";
  for (int i = 0; i < PM_PRECISION_COUNT; i++) {
    size_t length = strlen(others);
    if (has_rates(gpu, i))
      snprintf(others + length, sizeof others - length, "%s %s", length > 0 ? "," : "; it has", pm__precision_name(i));
  }
  return pm__fail(error, PM_STATUS_NO_PRECISION, "gpu \"%s\" has no rate for %s%s", gpu->id,
                  pm__precision_name(precision), others);
}

/* One refusal for all who time kernels. */
int pm__kernel_check(const pm_gpu *gpu, double batch, int precision, pm_error *error)
{
  if (pm__batch_check(batch, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (isnan(pm_precision_get_bytes(precision)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", precision);
  if (pm__precision_is_of_products(precision) || precision == PM_PRECISION_INT8)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "training in %s is not modelled", pm__precision_name(precision));
  return has_rates(gpu, precision) ? PM_OK : pm__kernel_refuse_precision(gpu, precision, error);
}
