/*
** Inference: latency and throughput of the forward pass, by batch and precision, on one GPU or on replicas.
**
** Inference differs from the forward pass of a training step: batch norm is a scale and a shift, dropout does nothing,
** the loss is a softmax. A framework runs one kernel per layer. An engine such as TensorRT folds the memory-bound
** kernels after a convolution or product into its kernel, and a sum only costs one more read.
**
**     gpu     = sum over kernels of factor x time, launches included, + conversions of layout
**     host    = launch x host core x kernels              launches run beside the GPU
**     latency = sqrt(gpu^2 + host^2) + step_time          step_time: of the profile, and of what samples are waited for
**     throughput = replicas x batch / latency
**
**     pm_plan *plan = pm_plan_new(&network, 1, &system, 1, &error);
**     pm_plan_add_inference_profile(plan, &profile, NULL, &error);
**     pm_inference_run run = pm_inference_run_make();
**     run.batch = 8; run.precision = PM_PRECISION_INT8;
**     pm_inference answer;
**     pm_infer(plan, &run, &answer, 1);
**     printf("%.1f ms, %.0f samples/s\n", answer.latency * 1e3, answer.throughput);
**
** The latency covers the computation of a batch that is already on the GPU, without queueing and copies from and to the
** host. Replicas are independent: contention for their shared host is not modelled.
*/
#ifndef PERFMODEL_INFERENCE_H
#define PERFMODEL_INFERENCE_H

#include "energy.h"
#include "framework.h"
#include "hardware.h"
#include "memory.h"
#include "network.h"
#include "predict.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The prediction of inference. Grows: see record.h. */
#define PM_INFERENCE_FIELDS(X)                                                                                    \
  X(STATUS, status, "", "ok, or why there is no prediction; the numbers are then unknown", .show = PM_SHOW_NONZERO) \
  X(REAL, throughput, "1/s", "samples per second over all GPUs", .show = PM_SHOW_MAIN)                              \
  X(REAL, tokens_per_second, "1/s", "tokens per second that the forward pass reads; unknown for samples without "      \
    "tokens",                                                                                                          \
    .show = PM_SHOW_MAIN)                                                                                         \
  X(REAL, throughput_p10, "1/s", "lower end of the 80 % prediction interval; unknown without a spread")        \
  X(REAL, throughput_p90, "1/s", "upper end of the 80 % prediction interval")                                  \
  X(REAL, latency, "s", "time of one call", .show = PM_SHOW_MAIN)                                                   \
  X(REAL, gpu_time, "s", "kernels on the GPU")                                                                    \
  X(REAL, product_time, "s", "part of gpu_time in convolutions and matrix multiplications")                            \
  X(REAL, convolution_time, "s", "part of product_time in convolutions")                                               \
  X(REAL, pass_time, "s", "part of gpu_time in memory-bound kernels")                                                  \
  X(REAL, conversion_time, "s", "part of gpu_time in layout conversions")                                              \
  X(REAL, launch_time, "s", "CPU time to launch the kernels, in parallel with the GPU")                        \
  X(REAL, step_time, "s", "fixed host time of a call")                                                                 \
  X(REAL, kernels, "1", "kernels of one call")                                                                    \
  X(BOTTLENECK, bottleneck, "", "the largest share of the time", .show = PM_SHOW_MAIN)                              \
  X(REAL, flop, "FLOP", "arithmetic of one call")                                                                 \
  X(REAL, flop_rate, "FLOP/s", "arithmetic rate of one GPU over the call")                                        \
  X(REAL, mfu, "1",                                                                                                    \
    "MFU: flop_rate over the GPU's matrix peak at this precision; above 1 only if transforms save arithmetic",         \
    .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                                                                         \
  X(REAL, memory, "B", "memory of one GPU; unknown without a memory profile", .show = PM_SHOW_MAIN)                 \
  X(REAL, gpu_memory, "B", "memory of the GPU that programs can use")                                                  \
  X(VERDICT, verdict, "", "whether it fits", .show = PM_SHOW_MAIN)                                                  \
  X(REAL, largest_batch, "1", "largest batch that fits; unknown without the usable memory")                            \
  X(CALIBRATION_STATUS, calibration, "", "basis: the least certain part that takes a tenth of the call or more")  \
  X(INT, total_gpus, "1", "GPUs used on all nodes", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                           \
  X(REAL, hfu, "1", "HFU: MFU of the FLOP that the GPU executes, without those that Winograd and FFT save; never "     \
    "above 1",                                                                                                         \
    .show = PM_SHOW_PERCENT)                                                                                        \
  PM_ENERGY_FIELDS(X)                                                                                             \
  /* the next field of a prediction goes above this line */

typedef struct pm_inference { PM_INFERENCE_FIELDS(PM_DECLARE) } pm_inference;

/* Adds an inference profile, which is copied: one for each system of the plan, or one for all, with its memory profile
** (NULL: memory is unknown). Returns its index for pm_inference_run.profile_index, or -1. Errors: PM_STATUS_BAD_VALUE
** (an implausible constant), PM_STATUS_NO_MEMORY. */
PM_API int pm_plan_add_inference_profile_by_system(pm_plan *plan, const pm_inference_profile *profiles, size_t count,
                                                   const pm_memory_profile *memory, pm_error *error);

/* Changes the times of a profile of the plan, as pm_plan_set_framework does. */
PM_API int pm_plan_set_inference_profile(pm_plan *plan, int index, const pm_inference_profile *profile,
                                         pm_error *error);

/* The same on all systems. */
PM_INLINE int pm_plan_add_inference_profile(pm_plan *plan, const pm_inference_profile *profile,
                                            const pm_memory_profile *memory, pm_error *error)
{
  return pm_plan_add_inference_profile_by_system(plan, profile, 1, memory, error);
}

/* Predicts `count` runs. A run that cannot be predicted yields its status and NAN; the others are predicted. Returns
** PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. Allocates nothing. Cost: microseconds per run. */
PM_INLINE int pm_infer(const pm_plan *plan, const pm_inference_run *runs, pm_inference *predictions, size_t count)
{
  return pm_task_predict(plan, PM_TASK_INFERENCE, 0, runs, sizeof *runs, predictions, sizeof *predictions, count);
}

/* PM_OK, or the reason why this run cannot be predicted. */
PM_INLINE int pm_inference_check(const pm_plan *plan, const pm_inference_run *run, pm_error *error)
{
  return pm_task_check(plan, PM_TASK_INFERENCE, run, sizeof *run, error);
}

/* Memory of one GPU part by part, whether or not it fits; pm_infer has the sum. PM_OK, or the reason. */
PM_INLINE int pm_inference_get_memory(const pm_plan *plan, const pm_inference_run *run, pm_memory_use *use,
                                      pm_error *error)
{
  return pm_task_get_memory(plan, PM_TASK_INFERENCE, run, sizeof *run, use, sizeof *use, error);
}

/* Sets run->batch to the largest batch with a latency of at most `latency` that fits in memory, if the usable memory is
** known; `prediction` is of that batch. Every batch is tried up to 1024, beyond it steps of about 0.1 %, until the
** latency is above twice the limit. PM_STATUS_UNREACHABLE if not even batch 1 is fast enough. Cost: milliseconds. */
PM_INLINE int pm_inference_find_batch(const pm_plan *plan, pm_inference_run *run, double latency,
                                      pm_inference *prediction, pm_error *error)
{
  return pm_task_find_batch(plan, PM_TASK_INFERENCE, latency, run, sizeof *run, prediction, sizeof *prediction, error);
}

#ifdef __cplusplus
}
#endif
#endif
