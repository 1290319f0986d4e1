/*
** Memory: what a training step keeps on one GPU, whether it fits, and the largest batch that does.
**
**     total = context + weights + gradients + optimizer + communication + workspace
**             + batch x (allocator factor x (saved activations + live gradients) + input)
**
** Saved activations come from the network's graph: every layer says what its backward pass needs (its input, its
** output, a mask, indices), tensors that share storage count once (views, layers that overwrite their input), and a
** walk back through the layers finds the step with the most alive: what is still saved, and the gradients in flight.
** What frameworks do differently (masks of 1 or 4 bytes, indices or outputs kept, ReLU in place or not, FP32
** normalisations in mixed precision) is the memory profile. Formulas, sources and errors: docs/model.md, "Memory".
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

/* How a framework, of some version, handles memory. Quantities that are NAN are none, factors that are NAN are 1. */
#define PM_MEMORY_PROFILE_FIELDS(X)                                                                              \
  X(TEXT, id, "", "short stable name")                                                                           \
  X(TEXT, name, "", "full name, with the versions it stands for")                                                \
  X(TEXT, like, "", "id of the profile from which it has what it does not state")                            \
  X(REAL, context, "B", "CUDA context with the kernels of the libraries")                                        \
  X(REAL, allocator, "1", "memory that the allocator holds over what is asked for")                              \
  X(REAL, allocator_mixed, "1", "the same for networks with attention in mixed precision")                       \
  X(YES_NO, in_place, "", "whether ReLU and its like overwrite their input")                                     \
  X(YES_NO, relu_keeps_input, "", "whether ReLU and its like keep their input too")                              \
  X(REAL, index, "B", "where a maximum came from, per output of a max pool; none: the output is kept instead")   \
  X(YES_NO, average_keeps_input, "", "whether average pools keep their input")                                   \
  X(REAL, mask, "B", "kept-or-dropped of one element of a dropout")                                              \
  X(REAL, gelu_tensors, "1", "further tensors of its size that a GELU keeps, being made of several operations")  \
  X(REAL, layer_norm_tensors, "1", "further tensors of its size that a layer norm keeps")                        \
  X(REAL, batch_norm_tensors, "1", "further tensors of its size that a batch norm keeps")                        \
  X(REAL, score_tensors, "1", "further tensors as large as the scores that an attention keeps")                  \
  X(YES_NO, static_plan, "", "whether memory is planned ahead, with two more buffers of the largest gradient")   \
  X(YES_NO, mixed_norms_fp32, "", "whether norms and softmax run in FP32 in mixed precision (autocast)")         \
  X(REAL, mixed_weight, "B", "bytes of a weight in mixed precision")                                             \
  X(REAL, mixed_gradient, "B", "bytes of a weight's gradient in mixed precision")                                \
  X(REAL, mixed_master, "B", "bytes of a weight's master copy in mixed precision")                               \
  X(REAL, mixed_copy, "B", "bytes of a weight's cached cast in mixed precision")                                 \
  X(REAL, mixed_state, "B", "bytes of a number of the optimizer's state in mixed precision; 4 if not given")     \
  X(REAL, loss_chunks, "1",                                                                                      \
    "chunks in which the loss is computed in FP32; not given: at once, as norms are")                            \
  X(REAL, workspace, "B", "least workspace of convolutions and matrix multiplications")                                \
  X(REAL, bucket, "B",                                                                                                 \
    "copy of a gradient for communication with several ranks, as large as it is; none if not given")                   \
  X(REAL, fusion_buffer, "B", "fixed buffer for communication, with several ranks")                                 \
  X(YES_NO, inference_only, "", "whether it cannot train")

typedef struct pm_memory_profile { PM_MEMORY_PROFILE_FIELDS(PM_DECLARE) } pm_memory_profile;

/* What programs can have of a GPU's memory, where its driver was seen to report it. */
#define PM_USABLE_MEMORY_FIELDS(X)                                                             \
  X(TEXT, id, "", "id of the GPU")                                                             \
  X(REAL, memory, "B", "total memory that the driver reports")

typedef struct pm_usable_memory { PM_USABLE_MEMORY_FIELDS(PM_DECLARE) } pm_usable_memory;

/* ---- One GPU's memory ------------------------------------------------------------------------------------------- */

/* What of the forward pass is not kept, but computed again in the backward pass. One line for each, and its descriptor
** in src/memory/recomputation.c. */
#define PM_RECOMPUTE_LIST(X)                                                                                      \
  X(NONE, "none", "everything that the backward pass needs is kept")                                              \
  X(SELECTIVE, "selective", "scores of attention are computed again")                                             \
  X(FULL, "full", "only single tensors between segments are kept; each segment is computed again")                \
  X(OPERATIONS, "operations", "besides these, outputs of attention and of every other matrix multiplication are kept")

typedef enum pm_recompute {
#define PM_RECOMPUTE_ENUM(name, text, doc) PM_RECOMPUTE_##name,
  PM_RECOMPUTE_LIST(PM_RECOMPUTE_ENUM)
#undef PM_RECOMPUTE_ENUM
  PM_RECOMPUTE_COUNT
} pm_recompute;

/* What recomputation does, all of it stated. */
#define PM_RECOMPUTATION_FIELDS(X)                                                                                \
  X(YES_NO, scores, "", "whether attention that stores its scores computes them again")                           \
  X(YES_NO, layers, "", "whether whole layers are computed again from the tensors between them")                  \
  X(YES_NO, operations, "", "whether outputs of attention and of every other GEMM are kept all the same")

typedef struct pm_recomputation { PM_RECOMPUTATION_FIELDS(PM_DECLARE) } pm_recomputation;

/* The descriptor of a pm_recompute, a constant of the library; NULL for any other number. */
PM_API const pm_recomputation *pm_recomputation_get(int32_t recompute);

/* Whether a total fits the usable memory, given how far published memory use spreads. */
#define PM_VERDICT_LIST(X)                                                                                        \
  X(UNKNOWN, "unknown", "the usable memory is not known")                                                         \
  X(FITS, "fits", "at most 92 % of the usable memory")                                                            \
  X(TIGHT, "tight", "within 8 % of the usable memory: may fit or not, by framework version")                      \
  X(DOES_NOT_FIT, "does-not-fit", "more than 108 % of the usable memory")

typedef enum pm_verdict {
#define PM_VERDICT_ENUM(name, text, doc) PM_VERDICT_##name,
  PM_VERDICT_LIST(PM_VERDICT_ENUM)
#undef PM_VERDICT_ENUM
  PM_VERDICT_COUNT
} pm_verdict;

/* Whose memory is wanted. Grows: see record.h. */
#define PM_MEMORY_RUN_FIELDS(X)                                                                                   \
  X(REAL, batch, "1", "samples per GPU and step", .otherwise = "32")                                              \
  X(PRECISION, precision, "", "precision; 2 bytes are mixed precision as the profile does it", .otherwise = "fp32") \
  X(INT, ranks, "1", "data-parallel GPUs", .otherwise = "1")                                                      \
  X(INT, zero_stage, "1", "split over the ranks: 1 optimizer, 2 and gradients, 3 and weights; 0 nothing")    \
  X(RECOMPUTE, recompute, "", "what the backward pass computes again")                                            \
  X(YES_NO, inference, "", "forward pass only, nothing kept")                                                     \
  X(REAL, usable, "B", "memory that the GPU has for this; unknown if no verdict is wanted")

typedef struct pm_memory_run { PM_MEMORY_RUN_FIELDS(PM_DECLARE) } pm_memory_run;

/* The parts, from context to communication, add up to the total. */
#define PM_MEMORY_USE_FIELDS(X)                                                                                   \
  X(STATUS, status, "", "ok, or why there is no answer; the numbers are then unknown")                            \
  X(VERDICT, verdict, "", "whether it fits")                                                                      \
  X(REAL, total, "B", "memory of one GPU at the peak of a step")                                                  \
  X(REAL, usable, "B", "memory that the GPU has for it")                                                          \
  X(REAL, missing, "B", "how much the total is above the usable memory; 0 if it is not")                          \
  X(REAL, largest_batch, "1", "largest batch whose total is not above the usable memory; 0 if none is")           \
  X(REAL, safe_batch, "1", "largest batch whose verdict is that it fits; 0 if none is")                           \
  X(REAL, context, "B", "CUDA context and kernels")                                                               \
  X(REAL, weights, "B", "weights and their casts")                                                                \
  X(REAL, gradients, "B", "gradients of the weights")                                                             \
  X(REAL, optimizer, "B", "state of the optimizer, its temporaries, master weights")                              \
  X(REAL, activations, "B", "activations that are saved for the backward pass, or alive in inference")            \
  X(REAL, live_gradients, "B", "gradients alive at the peak of the backward pass, beyond saved activations")      \
  X(REAL, allocator, "B", "memory that the allocator holds beyond these")                                         \
  X(REAL, input, "B", "the next batch, already on the GPU")                                                       \
  X(REAL, workspace, "B", "least workspace of convolutions and matrix multiplications")                                \
  X(REAL, communication, "B", "buffers for the gradients' sum")                                                   \
  X(REAL, sample, "B", "memory of one more sample")                                                               \
  X(REAL, host, "B", "host memory for offloaded data, not in the total")                                          \
  X(REAL, cache, "B", "keys and values, of serving")                                                              \
  X(REAL, reserve, "B", "memory that a serving engine reserves for activations, graphs and libraries")

typedef struct pm_memory_use { PM_MEMORY_USE_FIELDS(PM_DECLARE) } pm_memory_use;

/* An opaque handle: what a network keeps by one profile. Never changes: threads may share it. */
typedef struct pm_memory_plan pm_memory_plan;

/* One GPU, batch 32, FP32, everything kept, usable memory unknown. */
PM_INLINE pm_memory_run pm_memory_run_make(void)
{
  pm_memory_run run;
  pm_record_fill("memory_run", &run, sizeof run);
  return run;
}

/* What depends on network, profile and optimizer alone. Owned by the caller; refers to none of its arguments.
** Cost: linear in the layers. Errors: PM_STATUS_BAD_ARGUMENT, PM_STATUS_NO_MEMORY. */
PM_API pm_memory_plan *pm_memory_plan_new(const pm_network *network, const pm_memory_profile *profile,
                                          const pm_optimizer *optimizer, pm_error *error);

/* Releases the plan; NULL is none. */
PM_API void pm_memory_plan_free(pm_memory_plan *plan);

/* Answers `count` runs; one that has no answer yields its status and NAN; the others are predicted. Allocates nothing.
** Returns PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. */
PM_API int pm_memory_evaluate_sized(const pm_memory_plan *plan, const pm_memory_run *runs, size_t run_size,
                                    pm_memory_use *uses,
                           size_t use_size, size_t count);
PM_INLINE int pm_memory_evaluate(const pm_memory_plan *plan, const pm_memory_run *runs, pm_memory_use *uses,
                                 size_t count)
{
  return pm_memory_evaluate_sized(plan, runs, sizeof *runs, uses, sizeof *uses, count);
}

/* The verdict on a total; a factor of 0.92 and 1.08 on the usable memory. */
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
  X(REAL, written, "B", "new memory that its output takes; 0 if it is its input's")                               \
  X(REAL, saved, "B", "tensors that its backward pass is the first to need")                                      \
  X(REAL, further, "B", "the part of it that no other layer sees: masks, indices, statistics, scores")            \
  X(REAL, alive, "B", "saved activations and gradients alive while its backward pass runs")

typedef struct pm_layer_memory { PM_LAYER_MEMORY_FIELDS(PM_DECLARE) } pm_layer_memory;

/* Memory of all layers in training, into an array of pm_network_count_layers rows. */
PM_API int pm_memory_get_layers(const pm_network *network, const pm_memory_profile *profile, double batch,
                                int precision,
                            pm_layer_memory *rows, pm_error *error);

/* ---- What would help -------------------------------------------------------------------------------------------- */

/* One change that takes less memory, and what it comes to. */
#define PM_MEMORY_ADVICE_FIELDS(X)                                                               \
  X(TEXT, change, "", "the change")                                                              \
  X(REAL, total, "B", "memory of one GPU then")                                                  \
  X(REAL, saving, "B", "how much less that is")                                                  \
  X(VERDICT, verdict, "", "whether it fits then")                                                \
  X(REAL, largest_batch, "1", "largest batch then")

typedef struct pm_memory_advice { PM_MEMORY_ADVICE_FIELDS(PM_DECLARE) } pm_memory_advice;

/* ---- Transformers in closed form -------------------------------------------------------------------------------- */

/* Bytes that one layer keeps: (whole + split) s b h + scores a s^2 b (Korthikanti et al., arXiv:2205.05198). */
#define PM_TRANSFORMER_ACTIVATIONS_FIELDS(X)                                                                      \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "framework, precision and version")                                                           \
  X(REAL, whole, "B", "per token and hidden unit, on every GPU of a tensor-parallel group; none if not given")    \
  X(REAL, split, "B", "per token and hidden unit, divided among them")                                            \
  X(REAL, scores, "B", "per pair of tokens and head")                                                             \
  X(REAL, boundary, "B", "per token and hidden unit between layers: all that full recomputation keeps")

typedef struct pm_transformer_activations { PM_TRANSFORMER_ACTIVATIONS_FIELDS(PM_DECLARE) } pm_transformer_activations;

/* The sizes of a transformer that its saved activations depend on, in the letters of the paper. */
#define PM_TRANSFORMER_FIELDS(X)                                                                 \
  X(INT, layers, "1", "layers of the whole model")                                               \
  X(REAL, hidden, "1", "hidden size h")                                                          \
  X(INT, heads, "1", "heads a of the attention")                                                 \
  X(REAL, tokens, "1", "sequence length s")                                                      \
  X(REAL, batch, "1", "sequences b of a micro-batch")                                            \
  X(INT, tensor_parallel, "1", "GPUs of a tensor-parallel group")                                \
  X(YES_NO, sequence_parallel, "", "whether the tokens are split among them where features are not") \
  X(INT, pipeline_stages, "1", "pipeline stages")                                                \
  X(INT, interleaved, "1", "chunks of layers per stage; 1: not interleaved")                     \
  X(RECOMPUTE, recompute, "", "what the backward pass computes again")

typedef struct pm_transformer { PM_TRANSFORMER_FIELDS(PM_DECLARE) } pm_transformer;

#ifdef __cplusplus
}
#endif
#endif
