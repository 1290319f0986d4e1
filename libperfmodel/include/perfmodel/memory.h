/*
** Memory: what a training step keeps on one GPU, whether it fits, and the largest batch that fits.
**
**     total = context + weights + gradients + optimizer + communication + workspace
**             + batch x (allocator factor x (saved activations + live gradients) + input)
**
** Saved activations come from the network's graph: every layer states what its backward pass needs (its input, its
** output, a mask, indices). Tensors that share storage count once (views, layers that overwrite their input). A walk
** back through the layers finds the peak of saved tensors and gradients in flight. The memory profile states what
** frameworks do differently (masks of 1 or 4 bytes, indices or outputs kept, ReLU in place or not, FP32 normalisations
** in mixed precision). Formulas, sources and errors: docs/model.md, "Memory".
**
**     pm_memory_plan *plan = pm_memory_plan_new(network, &profile, pm_optimizer_get(PM_OPTIMIZER_ADAM), &error);
**     pm_memory_run run = pm_memory_run_make();
**     run.batch = 64; run.usable = usable.memory;
**     pm_memory_use use;
**     pm_memory_evaluate(plan, &run, &use, 1);
**     printf("%.1f GB of %.1f, at most %.0f samples\n", use.total / 1e9, use.usable / 1e9, use.largest_batch);
**
** Published memory use spreads by about 8 % between releases of one framework, so there are three verdicts: fits
** (total at most 92 % of the usable memory), does-not-fit (more than 108 %), and tight between them.
*/
#ifndef PERFMODEL_MEMORY_H
#define PERFMODEL_MEMORY_H

#include "hardware.h"
#include "network.h"
#include "optimizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What the catalogue knows ----------------------------------------------------------------------------------- */

/* How a version of a framework handles memory. A quantity that is NAN is zero, a factor that is NAN is 1. */
#define PM_MEMORY_PROFILE_FIELDS(X)                                                                              \
  X(TEXT, id, "", "short stable name")                                                                           \
  X(TEXT, name, "", "full name, with the versions it stands for")                                                \
  X(TEXT, like, "", "id of the profile that provides the values not stated here")                                      \
  X(REAL, context, "B", "CUDA context with the kernels of the libraries")                                        \
  X(REAL, allocator, "1", "memory held by the allocator over memory requested")                                        \
  X(REAL, allocator_mixed, "1", "the same for networks with attention in mixed precision")                       \
  X(YES_NO, in_place, "", "whether ReLU and similar activations overwrite their input")                                \
  X(YES_NO, relu_keeps_input, "", "whether ReLU and similar activations also keep their input")                        \
  X(REAL, index, "B", "bytes of the index of a maximum, per output of a max pool; not given: the output is kept "      \
    "instead")                                                                                                         \
  X(YES_NO, average_keeps_input, "", "whether average pools keep their input")                                   \
  X(REAL, mask, "B", "bytes of the mask, per element of a dropout")                                                    \
  X(REAL, gelu_tensors, "1", "additional tensors of its size kept by a GELU of several operations")                    \
  X(REAL, layer_norm_tensors, "1", "additional tensors of its size kept by a layer norm")                              \
  X(REAL, batch_norm_tensors, "1", "additional tensors of its size kept by a batch norm")                              \
  X(REAL, score_tensors, "1", "additional tensors of the size of the scores kept by attention")                        \
  X(YES_NO, static_plan, "", "whether memory is planned ahead, with two more buffers of the largest gradient")   \
  X(YES_NO, mixed_norms_fp32, "", "whether norms and softmax run in FP32 in mixed precision (autocast)")         \
  X(REAL, mixed_weight, "B", "bytes of a weight in mixed precision")                                             \
  X(REAL, mixed_gradient, "B", "bytes of a weight's gradient in mixed precision")                                \
  X(REAL, mixed_master, "B", "bytes of a weight's master copy in mixed precision")                               \
  X(REAL, mixed_copy, "B", "bytes of a weight's cached cast in mixed precision")                                 \
  X(REAL, mixed_state, "B", "bytes per number of the optimizer state in mixed precision; 4 if not given")              \
  X(REAL, loss_chunks, "1",                                                                                      \
    "chunks in which the loss is computed in FP32; not given: all at once, like norms")                                \
  X(REAL, workspace, "B", "minimum workspace of convolutions and matrix multiplications")                              \
  X(REAL, bucket, "B",                                                                                                 \
    "bytes of the copy of a gradient for communication, with several ranks; none if not given")                        \
  X(REAL, fusion_buffer, "B", "fixed buffer for communication, with several ranks")                                 \
  X(YES_NO, inference_only, "", "whether it cannot train")

typedef struct pm_memory_profile { PM_MEMORY_PROFILE_FIELDS(PM_DECLARE) } pm_memory_profile;

/* Memory of a GPU that programs can use, as reported by its driver. */
#define PM_USABLE_MEMORY_FIELDS(X)                                                             \
  X(TEXT, id, "", "id of the GPU")                                                             \
  X(REAL, memory, "B", "total memory that the driver reports")

typedef struct pm_usable_memory { PM_USABLE_MEMORY_FIELDS(PM_DECLARE) } pm_usable_memory;

/* ---- One GPU's memory ------------------------------------------------------------------------------------------- */

/* What the backward pass recomputes instead of keeping it. One line for each kind, and its descriptor in
** src/memory/recomputation.c. */
#define PM_RECOMPUTE_LIST(X)                                                                                      \
  X(NONE, "none", "everything that the backward pass needs is kept")                                              \
  X(SELECTIVE, "selective", "attention scores are recomputed")                                                         \
  X(FULL, "full", "only single tensors between segments are kept; each segment is recomputed")                         \
  X(OPERATIONS, "operations", "like full, but outputs of attention and of every other matrix multiplication are "      \
    "also kept")

typedef enum pm_recompute {
#define PM_RECOMPUTE_ENUM(name, text, doc) PM_RECOMPUTE_##name,
  PM_RECOMPUTE_LIST(PM_RECOMPUTE_ENUM)
#undef PM_RECOMPUTE_ENUM
  PM_RECOMPUTE_COUNT
} pm_recompute;

/* A kind of recomputation; every trait is stated. */
#define PM_RECOMPUTATION_FIELDS(X)                                                                                \
  X(YES_NO, scores, "", "whether attention that stores its scores recomputes them")                                    \
  X(YES_NO, layers, "", "whether whole layers are recomputed from the tensors between them")                           \
  X(YES_NO, operations, "", "whether outputs of attention and of every other GEMM are kept anyway")

typedef struct pm_recomputation { PM_RECOMPUTATION_FIELDS(PM_DECLARE) } pm_recomputation;

/* The descriptor of a pm_recompute, a constant of the library; NULL for any other number. */
PM_API const pm_recomputation *pm_recomputation_get(int32_t recompute);

/* Whether a total fits the usable memory, given how far published memory use spreads. */
#define PM_VERDICT_LIST(X)                                                                                        \
  X(UNKNOWN, "unknown", "the usable memory is not known")                                                         \
  X(FITS, "fits", "at most 92 % of the usable memory")                                                            \
  X(TIGHT, "tight", "within 8 % of the usable memory: may fit or not, depending on the framework version")             \
  X(DOES_NOT_FIT, "does-not-fit", "more than 108 % of the usable memory")

typedef enum pm_verdict {
#define PM_VERDICT_ENUM(name, text, doc) PM_VERDICT_##name,
  PM_VERDICT_LIST(PM_VERDICT_ENUM)
#undef PM_VERDICT_ENUM
  PM_VERDICT_COUNT
} pm_verdict;

/* The run whose memory is computed. Grows: see record.h. */
#define PM_MEMORY_RUN_FIELDS(X)                                                                                   \
  X(REAL, batch, "1", "samples per GPU per step", .otherwise = "32")                                                   \
  X(PRECISION, precision, "", "precision; 2 bytes are the profile's mixed precision", .otherwise = "fp32")             \
  X(INT, ranks, "1", "data-parallel GPUs", .otherwise = "1")                                                      \
  X(INT, zero_stage, "1", "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights; 0: none")          \
  X(RECOMPUTE, recompute, "", "activation recomputation in the backward pass")                                         \
  X(YES_NO, inference, "", "forward pass only, nothing kept")                                                     \
  X(REAL, usable, "B", "usable memory of the GPU; unknown: no verdict")

typedef struct pm_memory_run { PM_MEMORY_RUN_FIELDS(PM_DECLARE) } pm_memory_run;

/* The parts, from context to communication, add up to the total. */
#define PM_MEMORY_USE_FIELDS(X)                                                                                   \
  X(STATUS, status, "", "ok, or why there is no result; the numbers are then unknown")                                 \
  X(VERDICT, verdict, "", "whether it fits")                                                                      \
  X(REAL, total, "B", "memory of one GPU at the peak of a step")                                                  \
  X(REAL, usable, "B", "usable memory of the GPU")                                                                     \
  X(REAL, missing, "B", "amount by which the total exceeds the usable memory; 0 if it does not")                       \
  X(REAL, largest_batch, "1", "largest batch whose total is within the usable memory; 0: none")                        \
  X(REAL, safe_batch, "1", "largest batch with the verdict fits; 0: none")                                             \
  X(REAL, context, "B", "CUDA context and kernels")                                                               \
  X(REAL, weights, "B", "weights and their casts")                                                                \
  X(REAL, gradients, "B", "gradients of the weights")                                                             \
  X(REAL, optimizer, "B", "optimizer state, temporaries of the update, master weights")                                \
  X(REAL, activations, "B", "activations that are saved for the backward pass, or alive in inference")            \
  X(REAL, live_gradients, "B", "gradients alive at the peak of the backward pass, beyond saved activations")      \
  X(REAL, allocator, "B", "memory that the allocator holds beyond these")                                         \
  X(REAL, input, "B", "the next batch, already on the GPU")                                                       \
  X(REAL, workspace, "B", "minimum workspace of convolutions and matrix multiplications")                              \
  X(REAL, communication, "B", "buffers for the all-reduce of gradients")                                               \
  X(REAL, sample, "B", "memory of one more sample")                                                               \
  X(REAL, host, "B", "host memory for offloaded data, not in the total")                                          \
  X(REAL, cache, "B", "KV cache, in serving")                                                                          \
  X(REAL, reserve, "B", "memory that a serving engine reserves for activations, graphs and libraries")

typedef struct pm_memory_use { PM_MEMORY_USE_FIELDS(PM_DECLARE) } pm_memory_use;

/* An opaque handle: the memory of a network with one profile. Never changes: threads may share it. */
typedef struct pm_memory_plan pm_memory_plan;

/* One GPU, batch 32, FP32, everything kept, usable memory unknown. */
PM_INLINE pm_memory_run pm_memory_run_make(void)
{
  pm_memory_run run;
  pm_record_fill("memory_run", &run, sizeof run);
  return run;
}

/* Everything that depends only on network, profile and optimizer. Owned by the caller; independent of its arguments.
** Cost: linear in the layers. Errors: PM_STATUS_BAD_ARGUMENT, PM_STATUS_NO_MEMORY. */
PM_API pm_memory_plan *pm_memory_plan_new(const pm_network *network, const pm_memory_profile *profile,
                                          const pm_optimizer *optimizer, pm_error *error);

/* Releases the plan; NULL is none. */
PM_API void pm_memory_plan_free(pm_memory_plan *plan);

/* Computes `count` runs. A run without a result yields its status and NAN; the others are computed. Allocates nothing.
** Returns PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. */
PM_API int pm_memory_evaluate_sized(const pm_memory_plan *plan, const pm_memory_run *runs, size_t run_size,
                                    pm_memory_use *uses,
                           size_t use_size, size_t count);
PM_INLINE int pm_memory_evaluate(const pm_memory_plan *plan, const pm_memory_run *runs, pm_memory_use *uses,
                                 size_t count)
{
  return pm_memory_evaluate_sized(plan, runs, sizeof *runs, uses, sizeof *uses, count);
}

/* The verdict on a total, with the limits of 0.92 and 1.08 of the usable memory. */
PM_API pm_verdict pm_memory_get_verdict(double total, double usable);

/* ---- Layer by layer --------------------------------------------------------------------------------------------- */

/* A tensor that several layers need is counted with the first of them, so the column `saved` adds up to the saved
** activations of the batch. */
#define PM_LAYER_MEMORY_FIELDS(X)                                                                                 \
  X(INT, index, "1", "position in the network, from 0")                                                           \
  X(TEXT, name, "", "name of the layer")                                                                          \
  X(TEXT, kind, "", "kind of the layer")                                                                          \
  X(TEXT, output, "", "shape of its output, per sample")                                                          \
  X(REAL, weights, "B", "its weights")                                                                            \
  X(REAL, written, "B", "new memory of its output; 0 if it overwrites its input")                                      \
  X(REAL, saved, "B", "tensors for which its backward pass is the first to need them")                                 \
  X(REAL, further, "B", "part of saved that no other layer uses: masks, indices, statistics, scores")                  \
  X(REAL, alive, "B", "saved activations and gradients alive while its backward pass runs")

typedef struct pm_layer_memory { PM_LAYER_MEMORY_FIELDS(PM_DECLARE) } pm_layer_memory;

/* Memory of all layers in training, into an array of pm_network_count_layers rows. */
PM_API int pm_memory_get_layers(const pm_network *network, const pm_memory_profile *profile, double batch,
                                int precision,
                            pm_layer_memory *rows, pm_error *error);

/* ---- What would help -------------------------------------------------------------------------------------------- */

/* One change that saves memory, and its result. */
#define PM_MEMORY_ADVICE_FIELDS(X)                                                               \
  X(TEXT, change, "", "the change")                                                              \
  X(REAL, total, "B", "memory of one GPU after the change")                                                            \
  X(REAL, saving, "B", "memory saved")                                                                                 \
  X(VERDICT, verdict, "", "whether it fits after the change")                                                          \
  X(REAL, largest_batch, "1", "largest batch after the change")

typedef struct pm_memory_advice { PM_MEMORY_ADVICE_FIELDS(PM_DECLARE) } pm_memory_advice;

/* ---- Transformers in closed form -------------------------------------------------------------------------------- */

/* Bytes that one layer keeps: (whole + split) s b h + scores a s^2 b (Korthikanti et al., arXiv:2205.05198). */
#define PM_TRANSFORMER_ACTIVATIONS_FIELDS(X)                                                                      \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "framework, precision and version")                                                           \
  X(REAL, whole, "B", "bytes per token and hidden unit, on every GPU of a tensor-parallel group; 0 if not given")      \
  X(REAL, split, "B", "bytes per token and hidden unit, sharded over the group")                                       \
  X(REAL, scores, "B", "bytes per pair of tokens and head")                                                            \
  X(REAL, boundary, "B", "bytes per token and hidden unit between layers: kept with full recomputation")

typedef struct pm_transformer_activations { PM_TRANSFORMER_ACTIVATIONS_FIELDS(PM_DECLARE) } pm_transformer_activations;

/* The sizes of a transformer that determine its saved activations, in the paper's notation. */
#define PM_TRANSFORMER_FIELDS(X)                                                                 \
  X(INT, layers, "1", "layers of the whole model")                                               \
  X(REAL, hidden, "1", "hidden size h")                                                          \
  X(INT, heads, "1", "heads a of the attention")                                                 \
  X(REAL, tokens, "1", "sequence length s")                                                      \
  X(REAL, batch, "1", "sequences b of a micro-batch")                                            \
  X(INT, tensor_parallel, "1", "GPUs of a tensor-parallel group")                                \
  X(YES_NO, sequence_parallel, "", "sequence parallelism (Megatron-style)")                                            \
  X(INT, pipeline_stages, "1", "pipeline stages")                                                \
  X(INT, interleaved, "1", "chunks of layers per stage; 1: not interleaved")                     \
  X(RECOMPUTE, recompute, "", "activation recomputation in the backward pass")

typedef struct pm_transformer { PM_TRANSFORMER_FIELDS(PM_DECLARE) } pm_transformer;

#ifdef __cplusplus
}
#endif
#endif
