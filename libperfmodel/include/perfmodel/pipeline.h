/*
** The stages of a pipeline: time of computation, exchanges and waiting, and memory. A run without a pipeline has one
** stage.
**
**     pm_stage stages[64];
**     int count = pm_prediction_get_stages(plan, &run, stages, 64, &error);
**     for (int i = 0; i < count; i++) printf("%d: %.3f s busy, %.1f GB\n", i, stages[i].busy_time, stages[i].memory /
**       1e9);
**
** pm_prediction_format_trace writes their order in time.
*/
#ifndef PERFMODEL_PIPELINE_H
#define PERFMODEL_PIPELINE_H

#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One GPU of a stage. Times are of a step, all of its micro-batches; those from forward to update add up to the busy
** time, busy and waiting time to the step. Sizes from weights to context add up to the memory. */
#define PM_STAGE_FIELDS(X)                                                                                             \
  X(INT, stage, "1", "number of the stage, from 0", .show = PM_SHOW_MAIN)                                              \
  X(INT, layers, "1", "repeated layers in this stage", .show = PM_SHOW_MAIN)                                           \
  X(REAL, parameters, "1", "parameters on one of its GPUs", .show = PM_SHOW_MAIN)                                      \
  X(REAL, busy_time, "s", "computing and exchanging", .show = PM_SHOW_MAIN)                                            \
  X(REAL, wait_time, "s", "waiting for other stages, hops, stragglers and input", .show = PM_SHOW_MAIN)                \
  X(REAL, step_time, "s", "the step")                                                                                  \
  X(REAL, memory, "B", "memory of one GPU at the peak of a step", .show = PM_SHOW_MAIN)                                \
  X(REAL, gpu_memory, "B", "memory of the GPU that programs can use")                                                  \
  X(VERDICT, verdict, "", "whether it fits", .show = PM_SHOW_MAIN)                                                     \
  X(REAL, forward_time, "s", "forward kernels", .show = PM_SHOW_MAIN)                                                  \
  X(REAL, dgrad_time, "s", "dgrad kernels: gradients of the activations", .show = PM_SHOW_MAIN)                        \
  X(REAL, wgrad_time, "s", "wgrad kernels: gradients of the parameters", .show = PM_SHOW_MAIN)                         \
  X(REAL, recompute_time, "s", "recomputation: forward kernels repeated in the backward pass", .show = PM_SHOW_MAIN)   \
  X(REAL, launch_overhead_time, "s", "CPU launch overhead")                                                            \
  X(REAL, exposed_communication_time, "s",                                                                             \
    "exposed exchanges within the stage and with its data-parallel replicas",                                          \
    .show = PM_SHOW_MAIN)                                                                                              \
  X(REAL, update_time, "s", "optimizer kernels")                                                                       \
  X(REAL, in_flight, "1", "largest number of micro-batches whose activations are kept; a fraction if only some "       \
    "chunks are")                                                                                                      \
  X(REAL, weights, "B", "weights and their casts", .show = PM_SHOW_MAIN)                                               \
  X(REAL, gradients, "B", "gradients of the weights", .show = PM_SHOW_MAIN)                                            \
  X(REAL, optimizer, "B", "optimizer state, temporaries of the update, master weights", .show = PM_SHOW_MAIN)          \
  X(REAL, activations, "B", "activations in flight, saved for their backward passes", .show = PM_SHOW_MAIN)            \
  X(REAL, live_gradients, "B", "gradients alive at the peak of the backward pass, beyond saved activations")           \
  X(REAL, allocator, "B", "memory that the allocator holds beyond these")                                              \
  X(REAL, input, "B", "the next batch, already on the GPU")                                                            \
  X(REAL, workspace, "B", "minimum workspace of convolutions and matrix multiplications")                              \
  X(REAL, communication, "B", "buffers for exchanges of gradients and weights")                                        \
  X(REAL, context, "B", "CUDA context and kernels")                                                                    \
  X(REAL, offload_time, "s", "exposed copies to the host and back, and the update there")                              \
  X(REAL, host_memory, "B", "host memory used per GPU")

typedef struct pm_stage { PM_STAGE_FIELDS(PM_DECLARE) } pm_stage;

/* The stages of a run, the first first, into an array of `capacity` rows; rows may be NULL if that is 0. Returns their
** number, or -1 with the reason if the run cannot be predicted. A run that does not fit in memory has stages too: their
** memory shows which of them is too large. Cost: that of a prediction. */
PM_API int pm_prediction_get_stages_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_stage *rows,
                                          size_t capacity, pm_error *error);
PM_INLINE int pm_prediction_get_stages(const pm_plan *plan, const pm_run *run, pm_stage *rows, size_t capacity,
                                       pm_error *error)
{
  return pm_prediction_get_stages_sized(plan, run, sizeof *run, rows, capacity, error);
}

/* Memory of the heaviest rank of a run, part by part, whether or not it fits; largest_batch and safe_batch are of
** micro-batches. PM_OK, or the reason. */
PM_INLINE int pm_prediction_get_memory(const pm_plan *plan, const pm_run *run, pm_memory_use *use, pm_error *error)
{
  return pm_task_get_memory(plan, PM_TASK_TRAINING, run, sizeof *run, use, sizeof *use, error);
}

/* Single changes of the run that save memory: a smaller micro-batch, 16 bits, recomputation, ZeRO, tensor parallelism,
** another optimizer. Fills at most `capacity` rows, largest saving first; returns their number, or -1 with the reason
** if the run itself has no result. Cost: a few predictions. */
PM_API int pm_prediction_get_advice_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_memory_advice *rows,
                                          size_t capacity, pm_error *error);
PM_INLINE int pm_prediction_get_advice(const pm_plan *plan, const pm_run *run, pm_memory_advice *rows, size_t capacity,
                                       pm_error *error)
{
  return pm_prediction_get_advice_sized(plan, run, sizeof *run, rows, capacity, error);
}

#ifdef __cplusplus
}
#endif
#endif
