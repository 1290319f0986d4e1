/*
** Serving engines: what the kernels of some software take beyond those of a library, and how an engine runs passes.
**
** A kernel harness states how kernels were timed, and so what one takes as the software launches it; an engine has the
** harness of its kernels. Engines are entries of the catalogue; what they serve is in serving.h.
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

/* What the host adds to the rows of a source: how they were measured, no property of the GPU. */
#define PM_KERNEL_HARNESS_FIELDS(X)                                                          \
  X(TEXT, id, "", "short stable name")                                                       \
  X(TEXT, name, "", "full name")                                                             \
  X(TEXT, repository, "", "text in the name of the repository of its rows")                  \
  X(TEXT, gpu, "", "id of the GPU that it ran on; none: every other")                        \
  X(TEXT, kernels, "", "ids of the kernel constants whose GPUs, without rows, run the same kernels") \
  X(REAL, gemm, "s", "added to a matrix multiplication")                                            \
  X(REAL, gemm_batched, "s", "added to a batch of products")                                 \
  X(REAL, linear, "s", "added to a product with a bias")                                     \
  X(REAL, conv, "s", "added to a convolution")                                               \
  X(REAL, conv_growth, "s", "more for every line of the source's file before it")            \
  X(REAL, recurrent, "s", "added to a recurrent layer")                                      \
  X(REAL, elementwise, "s", "added to an element-wise kernel")                               \
  X(REAL, layer_norm, "s", "added to a layer norm")                                          \
  X(REAL, softmax, "s", "added to a softmax")                                                \
  X(REAL, elementwise_floor, "s", "least time of an element-wise kernel")                    \
  X(REAL, layer_norm_floor, "s", "least time of a layer norm")                               \
  X(REAL, softmax_floor, "s", "least time of a softmax")                                     \
  X(REAL, quantized, "s", "added to a product whose input is quantized first")               \
  X(REAL, quantizing, "1", "accesses of a number of that input")                             \
  X(REAL, quantized_rate, "1", "arithmetic of its kernel over that of the library's")        \
  X(REAL, block_quantized, "s", "the same where blocks of the input have scales")            \
  X(REAL, block_quantizing, "1", "accesses of a number of that input")                       \
  X(REAL, block_rate, "1", "arithmetic of its kernel over that of the library's")            \
  X(REAL, fp4_quantized, "s", "the same of FP4")                                             \
  X(REAL, fp4_quantizing, "1", "accesses of a number of that input")                         \
  X(REAL, fp4_rate, "1", "arithmetic of its kernel over that of the library's")              \
  X(YES_NO, quantized_unsplit, "", "its products of one byte do not split the contraction")  \
  X(YES_NO, block_unsplit, "", "nor do those whose blocks have scales")                      \
  X(REAL, turns, "1", "second operands of a product that are used in turn")                  \
  X(REAL, experts, "s", "added to experts: routing, sorting, starts")                        \
  X(REAL, routing, "1", "accesses of a number of all rows that are routed")                  \
  X(REAL, experts_rate, "1", "arithmetic of their kernels over that of the library's")       \
  X(REAL, block_experts, "s", "the same of one byte whose blocks have scales")               \
  X(REAL, block_routing, "1", "accesses of a number of all rows that are routed")            \
  X(REAL, block_experts_rate, "1", "arithmetic of their kernels over that of the library's") \
  X(REAL, mx_experts, "s", "the same of weights in MXFP4, for rows of two bytes")            \
  X(REAL, mx_routing, "1", "accesses of a number of all rows that are routed")               \
  X(REAL, mx_experts_rate, "1", "arithmetic of their kernels over that of the library's")    \
  X(REAL, w4_experts, "s", "the same where weights have four bits and rows do not")           \
  X(REAL, w4_routing, "1", "accesses of a number of all rows that are routed")               \
  X(REAL, w4_experts_rate, "1", "arithmetic of their kernels over that of the library's")    \
  X(REAL, fp4_experts, "s", "the same in FP4")                                               \
  X(REAL, fp4_routing, "1", "accesses of a number of all rows that are routed")              \
  X(REAL, fp4_experts_rate, "1", "arithmetic of their kernels over that of the library's")   \
  X(TEXT, experts_kernels, "", "whose kernels of experts engines run there, if others: a word of a repository") \
  X(REAL, attention, "s", "added to attention of prompts")                                   \
  X(REAL, attention_rate, "1", "its rate over that of FlashAttention")                       \
  X(REAL, decode, "s", "added to attention of decoding")                                     \
  X(REAL, decode_rate, "1", "its rate over that of FlashAttention")                          \
  X(REAL, decode_start, "1", "start of a block of threads over that of FlashAttention")      \
  X(REAL, byte_decode, "s", "the same where keys and values have a byte")                    \
  X(REAL, byte_decode_rate, "1", "its rate over that of FlashAttention")                     \
  X(REAL, byte_decode_start, "1", "start of a block of threads over that of FlashAttention") \
  X(REAL, latent, "s", "added to latent attention of prompts")                               \
  X(REAL, latent_rate, "1", "its rate over that of FlashAttention")                          \
  X(REAL, latent_decode, "s", "added to latent attention of decoding")                       \
  X(REAL, latent_decode_rate, "1", "its rate over that of FlashAttention")                   \
  X(REAL, latent_converting, "1", "accesses that make a latent of one byte one of two first")\
  X(YES_NO, unmasked, "", "attention computes what the mask hides")                          \
  X(YES_NO, ungrouped, "", "decoding: query heads that share keys take a block of threads each")\
  X(REAL, most_grouped, "1", "decoding: query heads that a block of threads can share, at most")\
  X(YES_NO, ungrouped_prompts, "", "short prompts: query heads that share keys take a block each")\
  X(YES_NO, single_prompts, "", "a prompt of one token runs as a prompt, not as decoding")\
  X(REAL, all_reduce, "s", "a round of its own all-reduce in one kernel")                     \
  X(REAL, all_reduce_rate, "1", "bandwidth of that over that of the rings")                  \
  X(REAL, eager, "s", "least time of an all-reduce that the host starts by itself")          \
  X(REAL, norm, "s", "added to a norm of rows of a language model")                          \
  X(REAL, norm_clocks, "1", "clocks of an SM for a number that it reads or writes")          \
  X(REAL, rotary, "s", "added to rotary embedding")                                          \
  X(REAL, rotary_clocks, "1", "clocks of an SM for a number")                                \
  X(REAL, gated, "s", "added to a gated activation")                                         \
  X(REAL, gated_clocks, "1", "clocks of an SM for a number")                                 \
  X(REAL, plain, "s", "added to an addition or another activation")                           \
  X(REAL, plain_clocks, "1", "clocks of an SM for a number")                                  \
  X(REAL, gather, "s", "added to an embedding")                                              \
  X(REAL, gather_clocks, "1", "clocks of an SM for a number")                               \
  X(REAL, gemm_rate, "1", "arithmetic of products of two bytes over that of the library")    \
  X(REAL, paged_rate, "B", "decoding by paged attention: keys and values that a block of threads reads in a clock") \
  X(REAL, paged_part, "1", "keys of a block of threads, where sequences are parted")         \
  X(REAL, paged_blocks, "1", "sequences x heads of queries above which they are not")        \
  X(REAL, paged_longest, "1", "tokens of the longest sequence that graphs are captured for")

typedef struct pm_kernel_harness { PM_KERNEL_HARNESS_FIELDS(PM_DECLARE) } pm_kernel_harness;

/* ---- Choices ---- */

/* How an engine puts prompts between the passes of decoding. */
#define PM_SCHEDULER_LIST(X)                                                                                       \
  X(MIXED, "mixed", "pieces of prompts run in the same pass as decoding: chunked prefill")                         \
  X(WHOLE, "whole", "whole prompts run in the same pass as decoding: in-flight batching")                          \
  X(INTERRUPT, "interrupt", "decoding stops while prompts are read")

typedef enum pm_scheduler {
#define PM_SCHEDULER_ENUM(name, ...) PM_SCHEDULER_##name,
  PM_SCHEDULER_LIST(PM_SCHEDULER_ENUM)
#undef PM_SCHEDULER_ENUM
  PM_SCHEDULER_COUNT
} pm_scheduler;

/* ---- Engines ---- */

/* How an engine serves: its scheduler and limits are facts of a version, its times are fitted. Times that are unknown
** are none, factors that are unknown are 1. Large GPUs have 70 GiB and more. */
#define PM_ENGINE_FIELDS(X)                                                                                        \
  X(TEXT, id, "", "short stable name")                                                                             \
  X(TEXT, name, "", "full name, with the versions it stands for")                                                  \
  X(TEXT, like, "", "id of the engine from which it has what it does not state")                                   \
  X(TEXT, since, "", "month of the first release that it stands for: 2024-06")                                     \
  X(TEXT, kernels, "", "whose kernels it runs: a word in the repository of kernel harnesses")                      \
  X(TEXT, attention_kernels, "", "whose kernels of attention, if others: such a word")                             \
  X(ORIGIN, origin, "", "basis of its times")                                                                      \
  X(SCHEDULER, scheduler, "", "how it puts prompts between the passes of decoding")                                \
  X(REAL, token_budget, "1", "tokens of one pass, on large GPUs")                                                  \
  X(REAL, small_token_budget, "1", "the same on others; as on large ones if unknown")                              \
  X(REAL, sequences, "1", "sequences that run at once, on large GPUs")                                             \
  X(REAL, small_sequences, "1", "the same on others; as on large ones if unknown")                                 \
  X(REAL, block, "1", "tokens of a block of the cache")                                                            \
  X(REAL, memory_fraction, "1", "part of the memory that it takes")                                                \
  X(YES_NO, after_weights, "", "whether that is a share of the memory that is free after loading the weights")     \
  X(REAL, reserve, "B", "memory that it keeps for graphs, libraries and the rest, on one GPU")                     \
  X(REAL, group_reserve, "B", "more where several GPUs share a model")                                             \
  X(REAL, sampler_bytes, "B", "memory for each sequence and word of the vocabulary")                               \
  X(REAL, graph_sequences, "1", "sequences up to which a pass of decoding is one graph; 0: none is")               \
  X(YES_NO, asynchronous, "", "whether the next pass is scheduled while one runs: the first token waits for one more") \
  X(YES_NO, own_all_reduce, "", "whether it has an all-reduce in one kernel, where GPUs read each other's memory") \
  X(YES_NO, fused_quantization, "", "whether inputs are quantized by the kernel before, not by one of their own")  \
  X(REAL, prefill_factor, "1", "time of kernels of prompts over that of the kernel model")                         \
  X(REAL, decode_factor, "1", "time of kernels of decoding over that of the kernel model")                         \
  X(REAL, start_factor, "1", "time of starts of kernels over their harness's: fused, overlapping ones are less") \
  X(REAL, step_time, "s", "host time of a pass")                                                                   \
  X(REAL, sequence_time, "s", "host time of a pass for each sequence")                                             \
  X(REAL, layer_time, "s", "host time of a layer that is not in a CUDA graph; overlaps with the GPU")              \
  X(REAL, stage_factor, "1", "time of pipeline stages over that of evenly filled ones")                            \
  X(REAL, client_time, "s", "time that client and server add to the first token")                                  \
  X(REAL, bunching, "1", "part of the other prompts that one waits for, in a closed loop: requests come in bunches") \
  X(REAL, spread, "1", "spread of measured over predicted times of passes; unknown: no interval")                  \
  X(REAL, expert_spread, "1", "the same of networks with experts; as of others if unknown")                        \
  X(REAL, first_spread, "1", "the same of the first token")                                                        \
  X(REAL, spread_extrapolated, "1", "factor of the spread where a prediction is extrapolated")                     \
  X(REAL, spread_not_calibrated, "1", "factor of the spread where it is not calibrated")                           \
  X(TEXT, architectures, "", "architectures of GPUs that it runs on, separated by spaces; any if not given")          \
  X(TEXT, calibrated_on, "", "architectures of the rows that ran it, separated by spaces")                            \
  X(REAL, latent_time, "s", "host time of a layer of latent attention in a pass of prompts; as of others if unknown") \
  X(REAL, open_spread, "1", "spread of passes in open loops; as of others if unknown")                             \
  X(REAL, pool_spread, "1", "spread of the first token where workers only read prompts; as of others if unknown") \
  X(REAL, cache_reserved, "1", "share of the tokens that running sequences will write for which room is kept") \
  X(REAL, recomputed, "1", "tokens computed again after preemptions in a full cache, over those of an answer")

typedef struct pm_engine { PM_ENGINE_FIELDS(PM_DECLARE) } pm_engine;

/* An engine with the kernels that it runs on some GPUs, ready for a plan. */
typedef struct pm_engine_profile {
  pm_engine engine;
  pm_kernel_harness kernels;
} pm_engine_profile;

/* The engine of whoever names none. */
#define PM_ENGINE_DEFAULT "vllm"

#ifdef __cplusplus
}
#endif
#endif
