/*
** Predictions: runs in, predictions out.
**
** A plan holds everything that can be computed once: its networks as units (equal layers merged) and their memory. The
** wiring of a set of GPUs is searched for when a run first needs it, and cached with the system. Everything else is
** arithmetic, with the same bits for one run as for many: 3 to 4 us for a ResNet-50 step with a new batch, 0.1 us if
** the runs of one call share kernel times (benchmarks/bench_predict).
**
**     pm_plan *plan = pm_plan_new(&network, 1, &system, 1, &error);
**     pm_run run = pm_run_make();
**     run.gpus = 8; run.batch = 64; run.precision = PM_PRECISION_FP16;
**     pm_prediction prediction;
**     pm_predict(plan, &run, &prediction, 1);
**     printf("%.0f samples/s\n", prediction.throughput);
**
** By default, a step is synchronous data-parallel training: every GPU runs forward and backward on its own `batch`
** samples, the gradients are summed by the fastest all-reduce, and every GPU updates its copy.
**
**     compute = sum over layers of forward, dgrad, wgrad and update kernel times
**     step    = compute + exposed communication              what software adds: framework.h
**     throughput = batch x gpus x nodes / step
*/
#ifndef PERFMODEL_PREDICT_H
#define PERFMODEL_PREDICT_H

#include "energy.h"
#include "framework.h"
#include "hardware.h"
#include "memory.h"
#include "network.h"
#include "parallel.h"
#include "run.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest share of a step, or of an inference call. */
#define PM_BOTTLENECK_LIST(X)                                                                                          \
  X(NONE, "none", "no prediction")                                                                                     \
  X(COMPUTE, "compute", "compute-bound kernels take the largest share")                                                \
  X(MEMORY_BANDWIDTH, "memory-bandwidth", "memory-bandwidth-bound kernels take the largest share")                     \
  X(COMMUNICATION, "communication", "exposed communication takes the largest share")                                   \
  X(LAUNCH_OVERHEAD, "launch-overhead", "CPU launch overhead takes the largest share")                                 \
  X(STRAGGLER_WAIT, "straggler-wait", "waiting for the slowest GPU and the coordinator takes the largest share")       \
  X(INPUT, "input", "waiting for input takes the largest share")                                                       \
  X(TENSOR_COMMUNICATION, "tensor-communication",                                                                      \
    "exposed exchanges of tensor and sequence parallelism take the largest share")                                     \
  X(CONTEXT_COMMUNICATION, "context-communication", "exposed exchanges of context parallelism take the largest share") \
  X(EXPERT_COMMUNICATION, "expert-communication", "exposed exchanges of expert parallelism take the largest share")    \
  X(PIPELINE_COMMUNICATION, "pipeline-communication", "transfers between the stages of a pipeline take the largest "   \
    "share")                                                                                                           \
  X(DATA_COMMUNICATION, "data-communication", "exposed exchanges of data parallelism take the largest share")          \
  X(BUBBLE, "bubble", "pipeline bubble: the stages wait for each other for the largest share of the step")             \
  X(MEMORY_CAPACITY, "memory-capacity", "the run does not fit in memory, so there is no step")                         \
  X(OFFLOAD, "offload", "offloading, copies to the host and the update there, takes the largest share")                \
  X(EMBEDDING_COMMUNICATION, "embedding-communication", "exposed exchanges of pooled embeddings take the largest share")

typedef enum pm_bottleneck {
#define PM_BOTTLENECK_ENUM(name, ...) PM_BOTTLENECK_##name,
  PM_BOTTLENECK_LIST(PM_BOTTLENECK_ENUM)
#undef PM_BOTTLENECK_ENUM
  PM_BOTTLENECK_COUNT
} pm_bottleneck;

/* The prediction of a training step. Grows: see record.h. */
/* Enums are in pairs to avoid padding: equal predictions have equal bytes. */
#define PM_PREDICTION_FIELDS(X)                                                                                        \
  X(STATUS, status, "", "ok, or why there is no prediction; the numbers are then unknown", .show = PM_SHOW_NONZERO)    \
  X(VERDICT, verdict, "", "whether it fits")                                                                           \
  X(REAL, throughput, "1/s", "samples per second over all GPUs", .show = PM_SHOW_MAIN)                                 \
  X(REAL, tokens_per_second, "1/s", "tokens per second, source and target; unknown for samples without tokens",        \
    .show = PM_SHOW_MAIN)                                                                                              \
  X(REAL, throughput_p10, "1/s", "lower end of the 80 % prediction interval; unknown without a framework")             \
  X(REAL, throughput_p90, "1/s", "upper end of the 80 % prediction interval")                                          \
  X(REAL, step_time, "s", "time of one training step", .show = PM_SHOW_MAIN)                                           \
  X(REAL, epoch_time, "s", "time of one epoch, in whole steps; unknown without epoch_samples", .show = PM_SHOW_MAIN)   \
  X(REAL, gpu_hours, "1", "GPU-hours of one epoch: GPUs times hours; unknown without epoch_samples",                   \
    .show = PM_SHOW_MAIN)                                                                                              \
  X(REAL, forward_time, "s", "forward kernels")                                                                        \
  X(REAL, dgrad_time, "s", "dgrad kernels: gradients of the activations")                                              \
  X(REAL, wgrad_time, "s", "wgrad kernels: gradients of the parameters")                                               \
  X(REAL, update_time, "s", "optimizer kernels; with a parameter server, those that run on the GPU")                   \
  X(REAL, compute_time, "s", "sum of forward, dgrad, wgrad and update")                                                \
  X(REAL, launch_overhead_time, "s", "CPU launch overhead: late launches, fixed host time of a step, host copy")       \
  X(REAL, communication_time, "s", "collectives of a step, without overlap")                                           \
  X(REAL, exposed_communication_time, "s", "the part of it that lengthens the step")                                   \
  X(REAL, straggler_wait_time, "s", "waiting for the slowest GPU and the coordinator")                                 \
  X(REAL, input_wait_time, "s", "waiting for input")                                                                   \
  X(REAL, launch_time, "s", "CPU time to launch the kernels of a step, in parallel with the GPU")                      \
  X(REAL, layout_time, "s", "layout conversions, part of the forward and backward times")                              \
  X(REAL, compute_share, "1", "share of the step in compute-bound kernels", .show = PM_SHOW_PERCENT)                   \
  X(REAL, memory_bandwidth_share, "1", "share of the step in memory-bandwidth-bound kernels",                          \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, communication_share, "1", "share of the step in exposed communication", .show = PM_SHOW_PERCENT)             \
  X(REAL, launch_overhead_share, "1", "share of the step lost to CPU launch overhead",                                 \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, straggler_wait_share, "1", "share of the step that waits for the slowest GPU and the coordinator",           \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, input_wait_share, "1", "share of the step that waits for input",                                             \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, gpu_busy, "1", "share of the step in which a GPU computes", .show = PM_SHOW_PERCENT)                         \
  X(REAL, scaling_efficiency, "1", "weak scaling: throughput over that of the same number of independent GPUs at "     \
    "this batch",                                                                                                      \
    .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                                                                            \
  X(REAL, strong_scaling_efficiency, "1", "strong scaling: throughput over that of the same number of GPUs, each "     \
    "running the global batch",                                                                                        \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, staleness, "1", "updates by other GPUs since the weights of a step were read; 0 if synchronous")             \
  X(REAL, flop, "FLOP", "arithmetic of one step over all GPUs")                                                        \
  X(REAL, flop_rate, "FLOP/s", "arithmetic rate of one GPU over the step")                                             \
  X(REAL, mfu, "1", "MFU: flop_rate over the GPU's matrix peak at this precision; above 1 only if transforms save "    \
    "arithmetic", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                                                              \
  X(REAL, gradient_size, "B", "gradients that each GPU contributes to a step")                                         \
  X(REAL, bus_bandwidth, "B/s", "bus bandwidth of the ring; unknown for one GPU")                                      \
  X(REAL, memory, "B", "memory of one GPU at the peak of a step")                                                      \
  X(REAL, gpu_memory, "B", "memory of the GPU that programs can use")                                                  \
  X(REAL, largest_batch, "1", "largest batch per GPU that fits; 0 if none does")                                       \
  X(BOTTLENECK, bottleneck, "", "the largest part of a step", .show = PM_SHOW_MAIN)                                    \
  X(CALIBRATION_STATUS, calibration, "", "basis: the least certain part that takes a tenth of the step or more")       \
  X(REAL, bubble_time, "s", "pipeline bubble: stages waiting for each other, without transfers")                       \
  X(REAL, recompute_time, "s", "recomputation: forward kernels repeated in the backward pass")                         \
  X(REAL, tensor_communication_time, "s",                                                                              \
    "exchanges of tensor and sequence parallelism in a step, on the slowest stage")                                    \
  X(REAL, context_communication_time, "s", "exchanges of context parallelism in a step, on the slowest stage")         \
  X(REAL, expert_communication_time, "s", "exchanges of expert parallelism in a step, on the slowest stage")           \
  X(REAL, pipeline_communication_time, "s", "exposed transfers between pipeline stages")                               \
  X(REAL, data_communication_time, "s", "exchanges of gradients and shards in data parallelism, overlapped or not")    \
  X(REAL, exposed_data_communication_time, "s", "the part of it that lengthens the step")                              \
  X(REAL, hfu, "1", "HFU: MFU of the FLOP that GPUs execute, with recomputation, without the FLOP that Winograd and "  \
    "FFT save; never above 1",                                                                                         \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, micro_batches, "1", "micro-batches of a step on each data-parallel rank")                                    \
  X(INT, data_parallel, "1", "data-parallel ranks: GPUs over tensor, context and pipeline parallelism")                \
  X(INT, slowest_stage, "1", "pipeline stage that takes longest, from 0")                                              \
  X(INT, fullest_stage, "1", "pipeline stage that needs most memory, from 0")                                          \
  X(INT, pipeline_stages, "1", "stages of the pipeline")                                                               \
  X(REAL, bubble_share, "1", "pipeline bubble: share of the step in which the stages wait for each other",             \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, offload_time, "s",                                                                                           \
    "exposed time of offloading: copies to the host and back, and the update on the host")                             \
  X(REAL, offload_share, "1", "share of the step that offloading adds", .show = PM_SHOW_PERCENT)                       \
  X(REAL, host_memory, "B", "host memory per node used by offloading; 0 without offloading")                           \
  X(INT, total_gpus, "1", "GPUs used on all nodes", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                              \
  X(REAL, training_time, "s", "time to train on all tokens or samples, including failures and checkpoints; unknown "   \
    "without tokens or samples", .show = PM_SHOW_MAIN)                                                                 \
  X(REAL, training_time_p10, "s", "lower end of its 80 % prediction interval")                                         \
  X(REAL, training_time_p90, "s", "upper end of its 80 % prediction interval")                                         \
  X(REAL, training_gpu_hours, "1", "GPU-hours of that time", .show = PM_SHOW_MAIN)                                     \
  X(REAL, training_energy, "J", "energy of the site over the training time", .show = PM_SHOW_MAIN)                     \
  X(REAL, training_cost, "1", "price of its GPU-hours", .show = PM_SHOW_MAIN)                                          \
  X(REAL, mtbf, "s", "mean time between failures of all nodes; unlimited without failures")                            \
  X(REAL, checkpoint_size, "B", "weights and optimizer states of the whole network")                                   \
  X(REAL, checkpoint_time, "s", "time that training stops to write a checkpoint")                                      \
  X(REAL, checkpoint_interval, "s", "training time between checkpoints")                                               \
  X(REAL, goodput, "1", "share of the time spent on training that is not lost", .show = PM_SHOW_PERCENT)               \
  X(REAL, training_design_energy, "J", "design power of the nodes times the PUE, over that time")                      \
  X(REAL, training_carbon, "g", "carbon dioxide of the energy of that time")                                           \
  X(REAL, training_energy_cost, "1", "price of the energy of that time")                                               \
  PM_ENERGY_FIELDS(X)                                                                                                  \
  X(REAL, embedding_communication_time, "s", "exchanges of pooled embeddings, if tables are sharded")                  \
  /* the next field of a prediction goes above this line */

typedef struct pm_prediction { PM_PREDICTION_FIELDS(PM_DECLARE) } pm_prediction;

/* A plan over these networks and systems, which must outlive it. Owned by the caller. Cost: 0.1 ms for ResNet-50, 1 ms
** for GPT-3 175B; a framework costs a few times that. */
PM_API pm_plan *pm_plan_new(const pm_network *const *networks, size_t network_count,
                            const pm_system *const *systems, size_t system_count, pm_error *error);

/* Releases the plan, not its networks and systems; NULL is allowed. */
PM_API void pm_plan_free(pm_plan *plan);

/* Adds a framework, which is copied: one profile for each system of the plan, in its order (the libraries of their GPUs
** may differ), or one for all. Returns its index for pm_run.framework_index, or -1. */
PM_API int pm_plan_add_framework_by_system(pm_plan *plan, const pm_framework_profile *profiles, size_t count,
                                           pm_error *error);

/* Changes times and factors of a framework of the plan, as a fit of constants does. Frameworks whose GPU libraries have
** the same factors share them: set all of these, then call pm_plan_read_kernels. No other thread may read the plan
** meanwhile. PM_STATUS_BAD_ARGUMENT for a framework that differs between systems, or that runs layers differently. */
PM_API int pm_plan_set_framework(pm_plan *plan, int index, const pm_framework_profile *profile, pm_error *error);

/* Rereads the kernel constants of the plan's systems (pm_system_set_kernels), and the factors of its frameworks. */
PM_API void pm_plan_read_kernels(pm_plan *plan);

/* The same on all systems. */
PM_INLINE int pm_plan_add_framework(pm_plan *plan, const pm_framework_profile *profile, pm_error *error)
{
  return pm_plan_add_framework_by_system(plan, profile, 1, error);
}

/* Predicts `count` runs. A run that cannot be predicted yields its status and NAN; the others are predicted. Returns
** PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. Allocates nothing once the wiring of the runs' GPUs is
** known; may be called from several threads. */
PM_INLINE int pm_predict(const pm_plan *plan, const pm_run *runs, pm_prediction *predictions, size_t count)
{
  return pm_task_predict(plan, PM_TASK_TRAINING, 0, runs, sizeof *runs, predictions, sizeof *predictions, count);
}

/* Columns of a prediction that cost as much as all others together: NAN unless requested. */
#define PM_EXTRA_COLUMN_LIST(X)                                                                                        \
  X(STRONG_SCALING, 1, "strong_scaling_efficiency", "prices the network again, with the batch of all GPUs on one GPU")

enum pm_extra_column {
#define PM_EXTRA_COLUMN_ENUM(name, bit, field, doc) PM_EXTRA_COLUMN_##name = bit,
  PM_EXTRA_COLUMN_LIST(PM_EXTRA_COLUMN_ENUM)
#undef PM_EXTRA_COLUMN_ENUM
};

/* Like pm_predict, with the requested columns: bits of pm_extra_column. */
PM_INLINE int pm_predict_columns(const pm_plan *plan, unsigned columns, const pm_run *runs, pm_prediction *predictions,
                                 size_t count)
{
  return pm_task_predict(plan, PM_TASK_TRAINING, columns, runs, sizeof *runs, predictions, sizeof *predictions, count);
}

/* The bit of a column by the name of its field; 0 for columns that are always computed. */
PM_API unsigned pm_extra_column_find(const char *field);

/* The timeline of one step of the run, layer by layer, as JSON that Perfetto (ui.perfetto.dev) and chrome://tracing
** open. A string that the caller releases with pm_string_free; NULL with the reason if the run cannot be predicted. */
PM_API char *pm_prediction_format_trace_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_error *error);
PM_INLINE char *pm_prediction_format_trace(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  return pm_prediction_format_trace_sized(plan, run, sizeof *run, error);
}

/* PM_OK, or the reason why this run cannot be predicted (batch 0, more GPUs than the system has, ...). */
PM_INLINE int pm_run_check(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  return pm_task_check(plan, PM_TASK_TRAINING, run, sizeof *run, error);
}

/* ---- Failures ---- */

/* The share of the time left for training, given failures and checkpoints. */
#define PM_GOODPUT_FIELDS(X)                                                                                           \
  X(REAL, mtbf, "s", "mean time between failures of the whole machine")                                                \
  X(REAL, checkpoint, "s", "time that training stops to write a checkpoint")                                           \
  X(REAL, restart, "s", "time from a failure until training resumes from the last checkpoint")                         \
  X(REAL, interval, "s", "training time between checkpoints; unknown: the optimum (Daly 2006)")                        \
  X(REAL, young, "s", "the optimal interval by Young 1974, for comparison")                                            \
  X(REAL, goodput, "1", "share of the time spent on training that is not lost", .show = PM_SHOW_PERCENT)

typedef struct pm_goodput { PM_GOODPUT_FIELDS(PM_DECLARE) } pm_goodput;

/* Fills interval (if unknown), young and goodput. Daly, Future Generation Computer Systems 22 (2006) 303.
** PM_STATUS_BAD_ARGUMENT for times that are not positive. */
PM_API int pm_goodput_evaluate(pm_goodput *goodput, pm_error *error);

/* ---- Sweeps ---------------------------------------------------------------------------------------------------- */

/* An axis: a field of the run, by name, and the values that it takes, as pm_record_get_number gives them. */
typedef struct pm_axis {
  const char *field; /* "batch", "optimizer", "system_index", ... */
  const double *values;
  size_t count;
} pm_axis;

/* A space of runs: every combination of its axes. Fields without an axis have the value of `base`. Runs are records of
** the type "run", or of another type of runs: "inference_run".
**
**     const double batch[] = {32, 64}, gpus[] = {1, 2, 4, 8};
**     const pm_axis axes[] = {{"batch", batch, 2}, {"gpus", gpus, 4}};
**     const pm_run base = pm_run_make();
**     pm_space space = {pm_record_type_find("run"), &base, axes, 2, 0, sizeof(pm_run)};
**     pm_run runs[8];
**     pm_space_get_runs(&space, 0, pm_space_count(&space), runs, &error);
**
** Whatever the order of the axes, batch varies fastest, then gpus, nodes, precision, the other fields from the last of
** the record to its first, framework (profile), system, network. */
typedef struct pm_space {
  const pm_record_type *type;
  const void *base;
  const pm_axis *axes;
  size_t axis_count;
  int32_t global_batch; /* 1, only for the type "run": `batch` is the global batch, divided by
                           gpus x nodes x gradient_accumulation_steps; a remainder yields a bad run */
  size_t run_size;      /* bytes of a run in the program, for base and for runs: sizeof(pm_run) */
} pm_space;

/* Number of runs of the space; SIZE_MAX if it is larger than that. */
PM_API size_t pm_space_count(const pm_space *space);

/* Runs [first, last) of the space into an array of its type; threads and processes share a space by ranges. A run whose
** global batch does not divide evenly has batch NAN, and its prediction reports it. Errors: PM_STATUS_NOT_FOUND (no
** such field), PM_STATUS_BAD_ARGUMENT (an empty axis, two of a field, 1.5 GPUs, a range outside). */
PM_API int pm_space_get_runs(const pm_space *space, size_t first, size_t last, void *runs, pm_error *error);

/* Numbers of the hardware have paths: gpu.FIELD, kernels.FIELD, network.FIELD, link.TYPE.FIELD, calibration.TYPE.FIELD,
** the fields being those of the records "gpu", "kernel_calibration", "link" and "calibration". The field of such a
** path, or NULL with PM_STATUS_NOT_FOUND. */
PM_API const pm_field *pm_hardware_find_field(const char *path, pm_error *error);

/* A hardware axis: a path, and its values as text. */
typedef struct pm_hardware_axis {
  const char *path;
  const char *const *values;
  size_t count;
} pm_hardware_axis;

/* Number of combinations of the axes. */
PM_INLINE size_t pm_variants_count(const pm_hardware_axis *axes, size_t axis_count)
{
  size_t count = 1;
  for (size_t i = 0; i < axis_count; i++) count *= axes[i].count;
  return count;
}

/* Copies of the system with every combination of the axes, the last one varying fastest, into
** variants[pm_variants_count], each owned by the caller: systems of a plan, selected by a run's system_index. A value
** has its unit ("900 GB/s") or is a factor ("x1.1"). gpu.clock also scales the rates of arithmetic, gpu.memory the
** memory that programs can use. PM_OK, or the error of the first invalid path or value: PM_STATUS_NOT_FOUND,
** PM_STATUS_BAD_VALUE or PM_STATUS_BAD_UNIT; nothing is owned then. */
PM_API int pm_system_new_variants(const pm_system *system, const pm_hardware_axis *axes, size_t axis_count,
                              pm_system **variants, pm_error *error);

/* A copy of the system with one number changed; NULL with an error. */
PM_INLINE pm_system *pm_system_new_with_number(const pm_system *system, const char *path, const char *value,
                                               pm_error *error)
{
  pm_system *made = NULL;
  const pm_hardware_axis axis = {path, &value, 1};
  return pm_system_new_variants(system, &axis, 1, &made, error) == PM_OK ? made : NULL;
}

#ifdef __cplusplus
}
#endif
#endif
