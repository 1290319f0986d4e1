/*
** Inference: latency and throughput of the forward pass, by batch and precision, on one GPU or on replicas.
**
** What a trained network computes differs from a training step: batch norm is a scale and a shift, dropout is nothing,
** the loss is a softmax. A framework runs one kernel per layer; an engine such as TensorRT folds the
** memory-bound kernels that follow a convolution or a product into its kernel, and a sum costs no more than one
** more read.
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
** The latency is of a batch that is on the GPU until its result is there: queueing, and copies from and to the host,
** are not in it. Replicas do not share anything: what host they share is not modelled.
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

/* What is predicted of inference. Grows: see record.h. */
#define PM_INFERENCE_FIELDS(X)                                                                                    \
  X(STATUS, status, "", "ok, or why there is no prediction; the numbers are then unknown", .show = PM_SHOW_NONZERO) \
  X(REAL, throughput, "1/s", "samples per second over all GPUs", .show = PM_SHOW_MAIN)                              \
  X(REAL, tokens_per_second, "1/s", "tokens per second that the forward pass reads; unknown for samples without", \
    .show = PM_SHOW_MAIN)                                                                                         \
  X(REAL, throughput_p10, "1/s", "lower end of the 80 % prediction interval; unknown without a spread")        \
  X(REAL, throughput_p90, "1/s", "upper end of the 80 % prediction interval")                                  \
  X(REAL, latency, "s", "time of one call", .show = PM_SHOW_MAIN)                                                   \
  X(REAL, gpu_time, "s", "kernels on the GPU")                                                                    \
  X(REAL, product_time, "s", "the part of it in convolutions and products")                                       \
  X(REAL, convolution_time, "s", "the part of that in convolutions")                                              \
  X(REAL, pass_time, "s", "the part of it in memory-bound kernels")                                                 \
  X(REAL, conversion_time, "s", "the part of it in conversions of layout")                                        \
  X(REAL, launch_time, "s", "CPU time to launch the kernels, in parallel with the GPU")                        \
  X(REAL, step_time, "s", "further time of a call")                                                               \
  X(REAL, kernels, "1", "kernels of one call")                                                                    \
  X(BOTTLENECK, bottleneck, "", "the largest share of the time", .show = PM_SHOW_MAIN)                              \
  X(REAL, flop, "FLOP", "arithmetic of one call")                                                                 \
  X(REAL, flop_rate, "FLOP/s", "arithmetic rate of one GPU over the call")                                        \
  X(REAL, mfu, "1",                                                                                                    \
    "MFU: flop_rate over the GPU's matrix peak at this precision; above 1 only where transforms save arithmetic",      \
    .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                                                                         \
  X(REAL, memory, "B", "memory of one GPU; unknown without a memory profile", .show = PM_SHOW_MAIN)                 \
  X(REAL, gpu_memory, "B", "memory that programs can have of the GPU")                                            \
  X(VERDICT, verdict, "", "whether it fits", .show = PM_SHOW_MAIN)                                                  \
  X(REAL, largest_batch, "1", "largest batch that fits; unknown if the usable memory is")                         \
  X(CALIBRATION_STATUS, calibration, "", "basis: the least certain part that takes a tenth of the call or more")  \
  X(INT, total_gpus, "1", "GPUs used on all nodes", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                           \
  X(REAL, hfu, "1", "HFU: MFU of the FLOP that the GPU executes, which Winograd and FFT save; never above 1",       \
    .show = PM_SHOW_PERCENT)                                                                                        \
  PM_ENERGY_FIELDS(X)                                                                                             \
  /* the next field of an answer goes above this line */

typedef struct pm_inference { PM_INFERENCE_FIELDS(PM_DECLARE) } pm_inference;

/* Adds a way to run inference, which is copied, one profile for each system of the plan or one for all, and the memory
** profile it has (NULL: memory stays unknown). Returns its number for pm_inference_run.profile_index, or -1. Errors:
** PM_STATUS_BAD_VALUE (a constant that is absurd), PM_STATUS_NO_MEMORY. */
PM_API int pm_plan_add_inference_profile_by_system(pm_plan *plan, const pm_inference_profile *profiles, size_t count,
                                                   const pm_memory_profile *memory, pm_error *error);

/* Gives a profile of the plan other times, as pm_plan_set_framework does. */
PM_API int pm_plan_set_inference_profile(pm_plan *plan, int index, const pm_inference_profile *profile,
                                         pm_error *error);

/* The same on all systems. */
PM_INLINE int pm_plan_add_inference_profile(pm_plan *plan, const pm_inference_profile *profile,
                                            const pm_memory_profile *memory, pm_error *error)
{
  return pm_plan_add_inference_profile_by_system(plan, profile, 1, memory, error);
}

/* Predicts `count` runs. A run that cannot be predicted yields its status and NAN; the others are predicted.
** Returns PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. Allocates nothing. Cost: microseconds a run. */
PM_INLINE int pm_infer(const pm_plan *plan, const pm_inference_run *runs, pm_inference *predictions, size_t count)
{
  return pm_task_predict(plan, PM_TASK_INFERENCE, 0, runs, sizeof *runs, predictions, sizeof *predictions, count);
}

/* PM_OK, or in words why this run cannot be predicted. */
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

/* Sets run->batch to the largest batch whose latency is at most `latency`, and that fits where the usable memory is
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
