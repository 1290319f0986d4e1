/*
** Serving engines: the overhead of their kernels over those of a library, and how an engine runs passes.
**
** A kernel harness states how kernels were timed, and so the time of a kernel as the software launches it; an engine
** uses the harness of its kernels. Engines are entries of the catalogue; what they serve is in serving.h.
*/
#ifndef PERFMODEL_ENGINE_H
#define PERFMODEL_ENGINE_H

#include "framework.h"
#include "hardware.h"
#include "network.h"
#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kernels as software runs them ---- */

/* The host overhead in the rows of a source. It depends on how they were measured, not on the GPU. */
#define PM_KERNEL_HARNESS_FIELDS(X)                                                          \
  X(TEXT, id, "", "short stable name")                                                       \
  X(TEXT, name, "", "full name")                                                             \
  X(TEXT, repository, "", "text in the repository name of its rows")                                                   \
  X(TEXT, gpu, "", "id of its GPU; none: all other GPUs")                                                              \
  X(TEXT, kernels, "", "ids of kernel constants: their GPUs without rows run the same kernels")                        \
  X(REAL, gemm, "s", "added to a matrix multiplication")                                            \
  X(REAL, gemm_batched, "s", "added to a batched matrix multiplication")                                               \
  X(REAL, linear, "s", "added to a matrix multiplication with a bias")                                                 \
  X(REAL, conv, "s", "added to a convolution")                                               \
  X(REAL, conv_growth, "s", "additional time per preceding line of the source's file")                                 \
  X(REAL, recurrent, "s", "added to a recurrent layer")                                      \
  X(REAL, elementwise, "s", "added to an element-wise kernel")                               \
  X(REAL, layer_norm, "s", "added to a layer norm")                                          \
  X(REAL, softmax, "s", "added to a softmax")                                                \
  X(REAL, elementwise_floor, "s", "minimum time of an element-wise kernel")                                            \
  X(REAL, layer_norm_floor, "s", "minimum time of a layer norm")                                                       \
  X(REAL, softmax_floor, "s", "minimum time of a softmax")                                                             \
  X(REAL, quantized, "s", "added to a matrix multiplication whose input is quantized first")                           \
  X(REAL, quantizing, "1", "accesses per number for the quantization")                                                 \
  X(REAL, quantized_rate, "1", "arithmetic rate of its kernel over the library's")                                     \
  X(REAL, block_quantized, "s", "added to a matrix multiplication whose input is quantized with block scales")         \
  X(REAL, block_quantizing, "1", "accesses per number for the quantization with block scales")                         \
  X(REAL, block_rate, "1", "arithmetic rate of that kernel over the library's")                                        \
  X(REAL, fp4_quantized, "s", "added to a matrix multiplication whose input is quantized to FP4")                      \
  X(REAL, fp4_quantizing, "1", "accesses per number for the quantization to FP4")                                      \
  X(REAL, fp4_rate, "1", "arithmetic rate of the FP4 kernel over the library's")                                       \
  X(YES_NO, quantized_unsplit, "", "one-byte matrix multiplications do not split the contraction")                     \
  X(YES_NO, block_unsplit, "", "those with block scales do not split the contraction")                                 \
  X(REAL, turns, "1", "second operands of a matrix multiplication that are used in rotation")                          \
  X(REAL, experts, "s", "added to experts: routing, sorting, kernel starts")                                           \
  X(REAL, routing, "1", "accesses per number of all routed rows")                                                      \
  X(REAL, experts_rate, "1", "arithmetic rate of expert kernels over the library's")                                   \
  X(REAL, block_experts, "s", "added to one-byte experts with block scales")                                           \
  X(REAL, block_routing, "1", "accesses per number of all rows routed to them")                                        \
  X(REAL, block_experts_rate, "1", "arithmetic rate of their kernels over the library's")                              \
  X(REAL, mx_experts, "s", "added to experts with MXFP4 weights and two-byte rows")                                    \
  X(REAL, mx_routing, "1", "accesses per number of all rows routed to them")                                           \
  X(REAL, mx_experts_rate, "1", "arithmetic rate of their kernels over the library's")                                 \
  X(REAL, w4_experts, "s", "added to experts with four-bit weights and wider rows")                                    \
  X(REAL, w4_routing, "1", "accesses per number of all rows routed to them")                                           \
  X(REAL, w4_experts_rate, "1", "arithmetic rate of their kernels over the library's")                                 \
  X(REAL, fp4_experts, "s", "added to FP4 experts")                                                                    \
  X(REAL, fp4_routing, "1", "accesses per number of all rows routed to them")                                          \
  X(REAL, fp4_experts_rate, "1", "arithmetic rate of their kernels over the library's")                                \
  X(TEXT, experts_kernels, "", "source of the expert kernels that engines run there, if different: a word in a "       \
    "repository name")                                                                                                 \
  X(REAL, attention, "s", "added to prompt attention")                                                                 \
  X(REAL, attention_rate, "1", "rate of prompt attention over FlashAttention")                                         \
  X(REAL, decode, "s", "added to decoding attention")                                                                  \
  X(REAL, decode_rate, "1", "rate of decoding attention over FlashAttention")                                          \
  X(REAL, decode_start, "1", "start time of its thread blocks over FlashAttention's")                                  \
  X(REAL, byte_decode, "s", "added to decoding attention with one-byte keys and values")                               \
  X(REAL, byte_decode_rate, "1", "rate of that kernel over FlashAttention")                                            \
  X(REAL, byte_decode_start, "1", "start time of its thread blocks over FlashAttention's")                             \
  X(REAL, latent, "s", "added to latent attention in prompts")                                                         \
  X(REAL, latent_rate, "1", "rate of latent attention in prompts over FlashAttention")                                 \
  X(REAL, latent_decode, "s", "added to latent attention in decoding")                                                 \
  X(REAL, latent_decode_rate, "1", "rate of latent attention in decoding over FlashAttention")                         \
  X(REAL, latent_converting, "1", "accesses per number for the conversion of one-byte latents to two bytes")           \
  X(YES_NO, unmasked, "", "attention also computes masked pairs")                                                      \
  X(YES_NO, ungrouped, "", "decoding: each query head uses a separate thread block, even with shared keys")            \
  X(REAL, most_grouped, "1", "decoding: largest number of query heads per thread block")                               \
  X(YES_NO, ungrouped_prompts, "", "short prompts: each query head uses a separate thread block, even with shared "    \
    "keys")                                                                                                            \
  X(YES_NO, single_prompts, "", "a prompt of one token runs as a prompt, not as decoding")\
  X(REAL, all_reduce, "s", "one round of the engine's own single-kernel all-reduce")                                   \
  X(REAL, all_reduce_rate, "1", "bandwidth of that all-reduce over that of the rings")                                 \
  X(REAL, eager, "s", "minimum time of an all-reduce launched by the host, outside a graph")                           \
  X(REAL, norm, "s", "added to a row norm of a language model")                                                        \
  X(REAL, norm_clocks, "1", "SM clocks per number that a norm reads or writes")                                        \
  X(REAL, rotary, "s", "added to rotary embedding")                                          \
  X(REAL, rotary_clocks, "1", "SM clocks per number of rotary embedding")                                              \
  X(REAL, gated, "s", "added to a gated activation")                                         \
  X(REAL, gated_clocks, "1", "SM clocks per number of a gated activation")                                             \
  X(REAL, plain, "s", "added to an addition or other activation")                                                      \
  X(REAL, plain_clocks, "1", "SM clocks per number of an addition or other activation")                                \
  X(REAL, gather, "s", "added to an embedding")                                              \
  X(REAL, gather_clocks, "1", "SM clocks per number of an embedding")                                                  \
  X(REAL, gemm_rate, "1", "arithmetic rate of two-byte matrix multiplications over the library's")                     \
  X(REAL, paged_rate, "B", "paged attention in decoding: bytes of keys and values that a thread block reads per "      \
    "clock")                                                                                                           \
  X(REAL, paged_part, "1", "paged attention: keys per thread block, if sequences are split")                           \
  X(REAL, paged_blocks, "1", "paged attention: sequences x query heads above which sequences are not split")           \
  X(REAL, paged_longest, "1", "paged attention: tokens of the longest sequence that graphs are captured for")

typedef struct pm_kernel_harness { PM_KERNEL_HARNESS_FIELDS(PM_DECLARE) } pm_kernel_harness;

/* ---- Choices ---- */

/* How an engine schedules prompts between decoding passes. */
#define PM_SCHEDULER_LIST(X)                                                                                       \
  X(MIXED, "mixed", "pieces of prompts run in the same pass as decoding: chunked prefill")                         \
  X(WHOLE, "whole", "whole prompts run in the same pass as decoding: in-flight batching")                          \
  X(INTERRUPT, "interrupt", "decoding pauses while prompts are read")

typedef enum pm_scheduler {
#define PM_SCHEDULER_ENUM(name, ...) PM_SCHEDULER_##name,
  PM_SCHEDULER_LIST(PM_SCHEDULER_ENUM)
#undef PM_SCHEDULER_ENUM
  PM_SCHEDULER_COUNT
} pm_scheduler;

/* ---- Engines ---- */

/* How an engine serves: its scheduler and limits are facts of a version, its times are fitted. An unknown time is zero,
** an unknown factor is 1. Large GPUs have 70 GiB or more. */
#define PM_ENGINE_FIELDS(X)                                                                                        \
  X(TEXT, id, "", "short stable name")                                                                             \
  X(TEXT, name, "", "full name, with the versions it represents")                                                      \
  X(TEXT, like, "", "id of the engine that provides the values not stated here")                                       \
  X(TEXT, since, "", "month of the first release that it represents: 2024-06")                                         \
  X(TEXT, kernels, "", "source of its kernels: a word in the repository name of kernel harnesses")                     \
  X(TEXT, attention_kernels, "", "source of its attention kernels, if different: such a word")                         \
  X(ORIGIN, origin, "", "basis of its times")                                                                      \
  X(SCHEDULER, scheduler, "", "scheduling of prompts between decoding passes")                                         \
  X(REAL, token_budget, "1", "token budget of one pass, on large GPUs")                                                \
  X(REAL, small_token_budget, "1", "the same on other GPUs; unknown: as on large GPUs")                                \
  X(REAL, sequences, "1", "sequences that run at once, on large GPUs")                                                 \
  X(REAL, small_sequences, "1", "the same on other GPUs; unknown: as on large GPUs")                                   \
  X(REAL, block, "1", "tokens per block of the KV cache")                                                              \
  X(REAL, memory_fraction, "1", "fraction of the memory that it uses")                                                 \
  X(YES_NO, after_weights, "", "whether memory_fraction refers to the memory left after loading the weights")          \
  X(REAL, reserve, "B", "memory reserved for graphs, libraries and other uses, on one GPU")                            \
  X(REAL, group_reserve, "B", "additional reserve if several GPUs share a model")                                      \
  X(REAL, sampler_bytes, "B", "memory of the sampler per sequence and vocabulary entry")                               \
  X(REAL, graph_sequences, "1", "largest number of sequences for which a decoding pass is one CUDA graph; 0: none")    \
  X(YES_NO, asynchronous, "", "whether the next pass is scheduled while one runs: the first token then waits for "     \
    "one more pass")                                                                                                   \
  X(YES_NO, own_all_reduce, "", "whether it has its own single-kernel all-reduce, in which GPUs read each other's "    \
    "memory")                                                                                                          \
  X(YES_NO, fused_quantization, "", "whether inputs are quantized by the preceding kernel, not by a separate one")     \
  X(REAL, prefill_factor, "1", "time of prompt kernels, over the kernel model's")                                      \
  X(REAL, decode_factor, "1", "time of decoding kernels, over the kernel model's")                                     \
  X(REAL, start_factor, "1", "time of kernel starts, over the harness's: fused or overlapping starts take less")       \
  X(REAL, step_time, "s", "host time of a pass")                                                                   \
  X(REAL, sequence_time, "s", "host time of a pass, per sequence")                                                     \
  X(REAL, layer_time, "s", "host time of a layer that is not in a CUDA graph; overlaps with the GPU")              \
  X(REAL, stage_factor, "1", "time of pipeline stages, over that of evenly filled stages")                             \
  X(REAL, client_time, "s", "time that client and server add to the first token")                                  \
  X(REAL, bunching, "1", "share of the other prompts that a prompt waits for in a closed loop: requests arrive in "    \
    "bunches")                                                                                                         \
  X(REAL, spread, "1", "spread of measured over predicted pass times; unknown: no interval")                           \
  X(REAL, expert_spread, "1", "the same for networks with experts; unknown: as for others")                            \
  X(REAL, first_spread, "1", "the same for the first token")                                                           \
  X(REAL, spread_extrapolated, "1", "factor on the spread of extrapolated predictions")                                \
  X(REAL, spread_not_calibrated, "1", "factor on the spread of predictions that are not calibrated")                   \
  X(TEXT, architectures, "", "GPU architectures that it runs on, separated by spaces; any if not given")               \
  X(TEXT, calibrated_on, "", "GPU architectures of its measured rows, separated by spaces")                            \
  X(REAL, latent_time, "s", "host time per layer of latent attention in a prompt pass; unknown: layer_time")           \
  X(REAL, open_spread, "1", "spread of pass times in open loops; unknown: spread")                                     \
  X(REAL, pool_spread, "1", "spread of the first token with prefill workers; unknown: first_spread")                   \
  X(REAL, cache_reserved, "1", "fraction of the tokens still to be written by running sequences for which space is "   \
    "reserved")                                                                                                        \
  X(REAL, recomputed, "1", "tokens recomputed after preemptions in a full cache, over the tokens of an answer")

typedef struct pm_engine { PM_ENGINE_FIELDS(PM_DECLARE) } pm_engine;

/* An engine with the kernels that it runs on some GPUs, ready for a plan. */
typedef struct pm_engine_profile {
  pm_engine engine;
  pm_kernel_harness kernels;
} pm_engine_profile;

/* The default engine. */
#define PM_ENGINE_DEFAULT "vllm"

#ifdef __cplusplus
}
#endif
#endif
