/* Precisions and peak rates of a GPU. */
#include <math.h>
#include "base/base.h"
#include "hardware/kernel_calibration.h"
#include "hardware/system.h"
#include "perfmodel/hardware.h"
#include "perfmodel/record.h"

double pm_precision_get_bytes(int precision)
{
  static const double bytes[] = {
#define BYTES(name, text, size, doc) size,
    PM_PRECISION_LIST(BYTES)
#undef BYTES
  };
  return precision >= 0 && precision < PM_PRECISION_COUNT ? bytes[precision] : (double)NAN;
}

int pm_precision_find(const char *name)
{
  static const char *const names[] = {
#define NAME(name, text, size, doc) text,
    PM_PRECISION_LIST(NAME)
#undef NAME
  };
  const char *usual = pm_name_find_alias("precision", name);
  if (usual != NULL) name = usual;
  for (int i = 0; name != NULL && i < PM_PRECISION_COUNT; i++)
    if (pm__same_name(names[i], name)) return i;
  return -1;
}

/* The faster of the tensor cores, if they have a rate, and of the others. */
static double best(double tensor, double other)
{
  return tensor >= other || isnan(other) ? tensor : other;
}

double pm_gpu_get_matrix_peak(const pm_gpu *gpu, int precision)
{
  switch (precision) {
  case PM_PRECISION_FP64: return best(gpu->peak_fp64_tensor, gpu->peak_fp64);
  case PM_PRECISION_FP32:
  case PM_PRECISION_FP16_STORAGE: return best(gpu->peak_fp32_tensor, gpu->peak_fp32);
  case PM_PRECISION_TF32:
  case PM_PRECISION_TF32_CONV: return gpu->peak_tf32_tensor;
  case PM_PRECISION_FP16: return isnan(gpu->peak_fp16_tensor) ? gpu->peak_fp16 : gpu->peak_fp16_tensor;
  case PM_PRECISION_BF16: return gpu->peak_bf16_tensor;
  case PM_PRECISION_FP8: return gpu->peak_fp8_tensor;
  case PM_PRECISION_INT8: return gpu->peak_int8;
  case PM_PRECISION_FP4: return gpu->peak_fp4_tensor;
  default: return NAN;
  }
}

int pm__gpu_get_half_precision(const pm_gpu *gpu)
{
  if (!isnan(gpu->peak_bf16_tensor)) return PM_PRECISION_BF16;
  return isnan(gpu->peak_fp16_tensor) ? PM_PRECISION_FP32 : PM_PRECISION_FP16;
}

double pm__gpu_get_vector_peak(const pm_gpu *gpu, int precision)
{
  return precision == PM_PRECISION_FP64 ? gpu->peak_fp64 : gpu->peak_fp32;
}

static int check_positive(const char *id, const char *what, double value, pm_error *error)
{
  if (isfinite(value) && value > 0) return PM_OK;
  if (isnan(value)) return pm__fail(error, PM_STATUS_BAD_VALUE, "gpu \"%s\" has no %s", id, what);
  return pm__fail(error, PM_STATUS_BAD_VALUE, "gpu \"%s\": %s %g is not positive and finite", id, what, value);
}

/* A fused multiply-add is 2 FLOP: a stated peak far from SMs x lanes x 2 x clock has a wrong clock or counts twice. */
static int check_peak(const pm_gpu *gpu, pm_error *error)
{
  double computed = 2.0 * gpu->sms * gpu->fp32_lanes * gpu->clock;
  if (!(computed > 0) || fabs(gpu->peak_fp32 / computed - 1) <= 0.03) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE,
                  "gpu \"%s\": peak_fp32 %.4g TFLOP/s, but %d SMs x %d lanes x 2 x %.4g GHz make %.4g",
                  gpu->id, gpu->peak_fp32 * 1e-12, gpu->sms, gpu->fp32_lanes, gpu->clock * 1e-9, computed * 1e-12);
}

int pm__gpu_check(const pm_gpu *gpu, pm_error *error)
{
  if (gpu == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no gpu");
  int status = check_positive(gpu->id, "peak_fp32", gpu->peak_fp32, error);
  if (status == PM_OK) status = check_positive(gpu->id, "memory_bandwidth", gpu->memory_bandwidth, error);
  if (status == PM_OK) status = check_positive(gpu->id, "memory", gpu->memory, error);
  return status == PM_OK ? check_peak(gpu, error) : status;
}

bool pm__precision_is_of_products(int precision)
{
  return precision == PM_PRECISION_FP8 || precision == PM_PRECISION_FP4;
}

/* Tensor cores for FP64 alone (A100, H100) are timed as the FP32 cores whose peak they have: there is no row of them,
** and nothing is faster in FP64 than in FP32. */
bool pm__gpu_uses_tensor_cores(const pm_gpu *gpu, int precision)
{
  if (gpu->tensor_cores <= 0) return false;
  if (precision == PM_PRECISION_FP64) return gpu->peak_fp64_tensor > 0 && gpu->peak_fp32_tensor > 0;
  if (precision == PM_PRECISION_FP32 || precision == PM_PRECISION_FP16_STORAGE) return gpu->peak_fp32_tensor > 0;
  /* Volta's multiply in FP16 only */
  if (precision == PM_PRECISION_INT8) return gpu->peak_int8 >= gpu->peak_fp16_tensor;
  return precision != PM_PRECISION_FP16 || gpu->peak_fp16_tensor > 0;
}
