/*
** Serving language models: how many requests fit, how long the first token and each further token take, how many tokens
** per second are produced, and what limits them.
**
** A request is a prompt of `isl` tokens and an answer of `osl` tokens. Its prompt is read in one pass or several
** (prefill), then each pass produces one token for every running sequence (decoding). The keys and values of all tokens
** stay in GPU memory, in the KV cache, which limits how many sequences run at once.
**
**     TTFT        time to first token: from arrival until the first token of the answer is there
**     TPOT        time per output token: (end-to-end latency - TTFT) / (osl - 1)
**     latency     TTFT + (osl - 1) TPOT
**     closed loop `concurrency` clients, each of which sends its next request when the last one is answered
**     open loop   requests arrive at a rate, whatever happens to those before
**     static      one batch of `concurrency` requests at once: all prompts, then all answers
**     offline     all requests are there from the beginning: the largest throughput
**
** A pass is the sum of its kernels and exchanges, on the same devices and groups as training. The engine decides the
** order of passes: vLLM mixes pieces of prompts with decoding, SGLang pauses decoding for prompts.
**
**     pm_plan *plan = pm_plan_new(&network, 1, &system, 1, &error);
**     pm_plan_add_engine(plan, &engine, &error);
**     pm_serving_run run = pm_serving_run_make();
**     run.tensor_parallel = 4; run.concurrency = 64; run.isl = 2048; run.osl = 256;
**     pm_serving answer;
**     pm_serve(plan, &run, &answer, 1);
**     printf("%.0f ms, %.1f ms\n", answer.ttft * 1e3, answer.tpot * 1e3);
**
** docs/serving.md has the formulas.
*/
#ifndef PERFMODEL_SERVING_H
#define PERFMODEL_SERVING_H

#include "energy.h"
#include "engine.h"
#include "run.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What limits serving. */
#define PM_SERVING_LIMIT_LIST(X)                                                                                   \
  X(NONE, "none", "unknown")                                                                                           \
  X(COMPUTE, "compute", "arithmetic of the products and of attention")                                             \
  X(MEMORY_BANDWIDTH, "memory-bandwidth", "reading weights and the cache")                                         \
  X(LATENCY, "latency", "kernel starts")                                                                               \
  X(NETWORK, "network", "exchanges between GPUs")                                                                  \
  X(HOST, "host", "the engine's scheduler and its calls")                                                          \
  X(CACHE, "cache", "sequences wait for space in the cache")                                                           \
  X(SEQUENCES, "sequences", "the engine's limit of running sequences")                                                 \
  X(OVERLOAD, "overload", "requests arrive faster than they are answered")

typedef enum pm_serving_limit {
#define PM_SERVING_LIMIT_ENUM(name, ...) PM_SERVING_LIMIT_##name,
  PM_SERVING_LIMIT_LIST(PM_SERVING_LIMIT_ENUM)
#undef PM_SERVING_LIMIT_ENUM
  PM_SERVING_LIMIT_COUNT
} pm_serving_limit;

/* ---- Answers ---- */

/* The prediction of serving. Times of a step are those of a decoding pass. Grows: see record.h. */
#define PM_SERVING_FIELDS(X)                                                                                       \
  X(STATUS, status, "", "ok, or why there is no prediction; the numbers are then unknown", .show = PM_SHOW_NONZERO) \
  X(REAL, ttft, "s", "mean time to first token", .show = PM_SHOW_MAIN)                                             \
  X(REAL, ttft_percentile, "s", "time to first token at the percentile", .show = PM_SHOW_MAIN)                         \
  X(REAL, tpot, "s", "mean time per output token after the first", .show = PM_SHOW_MAIN)                           \
  X(REAL, tpot_percentile, "s", "time per output token at the percentile")                                             \
  X(REAL, latency, "s", "mean time of a request, or of the static batch", .show = PM_SHOW_MAIN)                    \
  X(REAL, latency_percentile, "s", "time of a request at the percentile")                                              \
  X(REAL, request_rate, "1/s", "requests per second, over all replicas", .show = PM_SHOW_MAIN)                     \
  X(REAL, output_rate, "1/s", "output tokens per second, over all replicas", .show = PM_SHOW_MAIN)                 \
  X(REAL, total_rate, "1/s", "input and output tokens per second")                                                 \
  X(REAL, output_rate_p10, "1/s", "lower end of the 80 % prediction interval of output_rate")                      \
  X(REAL, output_rate_p90, "1/s", "upper end of the 80 % prediction interval of output_rate")                      \
  X(REAL, ttft_p10, "s", "lower end of the 80 % prediction interval of ttft")                                      \
  X(REAL, ttft_p90, "s", "upper end of the 80 % prediction interval of ttft")                                          \
  X(REAL, tpot_p10, "s", "lower end of the 80 % prediction interval of tpot")                                      \
  X(REAL, tpot_p90, "s", "upper end of the 80 % prediction interval of tpot")                                          \
  X(REAL, user_rate, "1/s", "tokens per second that one user sees: 1 / TPOT")                                      \
  X(REAL, gpu_rate, "1/s", "output tokens per second per GPU", .show = PM_SHOW_MAIN)                                   \
  X(REAL, largest_rate, "1/s", "largest sustainable requests per second")                                              \
  X(REAL, running, "1", "mean number of running sequences on a replica", .show = PM_SHOW_MAIN)                         \
  X(REAL, step_time, "s", "time of a decoding pass")                                                                   \
  X(REAL, least_step_time, "s", "time to read weights and cache once from memory: lower bound of a pass")              \
  X(REAL, prefill_time, "s", "time of a prompt by itself")                                                         \
  X(REAL, queue_time, "s", "mean wait of a prompt before its first pass")                                          \
  X(REAL, transfer_time, "s", "time to send a prompt's keys and values to the decode worker; 0: none")                 \
  X(REAL, product_time, "s", "linear layers in a pass")                                                                \
  X(REAL, attention_time, "s", "attention in a pass")                                                                  \
  X(REAL, expert_time, "s", "experts in a pass")                                                                       \
  X(REAL, pass_time, "s", "norms, rotary embeddings and activations in a pass")                                        \
  X(REAL, communication_time, "s", "exchanges in a pass")                                                              \
  X(REAL, host_time, "s", "time that the engine adds to the kernels of a pass")                                    \
  X(SERVING_LIMIT, bottleneck, "", "the limiting resource", .show = PM_SHOW_MAIN)                                  \
  X(REAL, mbu, "1", "least_step_time over step_time: model bandwidth utilization", .show = PM_SHOW_PERCENT)        \
  X(REAL, memory, "B", "memory of a GPU, with the part of the cache that this run uses", .show = PM_SHOW_MAIN)         \
  X(REAL, gpu_memory, "B", "memory of the GPU that programs can use")                                                  \
  X(VERDICT, verdict, "", "whether it fits: weights and at least one request", .show = PM_SHOW_MAIN)               \
  X(REAL, weight_memory, "B", "weights on a GPU")                                                                  \
  X(REAL, reserve_memory, "B", "memory that the engine reserves for activations, graphs and libraries")            \
  X(REAL, cache_memory, "B", "space for keys and values on a GPU")                                                     \
  X(REAL, token_memory, "B", "keys and values of one token, in all layers and on all GPUs of a replica")               \
  X(REAL, cache_tokens, "1", "tokens that the cache of a replica holds")                                           \
  X(REAL, largest_concurrency, "1", "requests of full length that fit on a replica at once",                           \
    .show = PM_SHOW_MAIN)                                                                                          \
  X(INT, replicas, "1", "replicas of the model that share the requests")                                               \
  X(CALIBRATION_STATUS, calibration, "", "basis: the least certain part that takes a tenth of a pass or more")     \
  X(INT, total_gpus, "1", "GPUs used on all nodes", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                          \
  PM_ENERGY_FIELDS(X)                                                                                              \
  X(REAL, paid_gpus, "1", "GPUs of whole nodes: the number that is paid for")                                          \
  X(REAL, hour_cost, "1", "price of paid_gpus for an hour; all costs are unknown without gpu_hour_price")              \
  X(REAL, input_cost, "1", "price of a million input tokens, for the time in which GPUs read prompts",                 \
    .show = PM_SHOW_MAIN)                                                                                          \
  X(REAL, decode_cost, "1", "price of a million output tokens, for all other time", .show = PM_SHOW_MAIN)              \
  X(REAL, output_cost, "1", "price of a million output tokens, if output tokens pay for "                              \
    "everything", .show = PM_SHOW_MAIN)                                                                                \
  X(REAL, token_cost, "1", "price of a million tokens, input and output")                                              \
  X(REAL, recomputed_tokens, "1", "tokens of a request that are recomputed because a full cache preempts sequences")   \
  /* the next field of a prediction goes above this line */

typedef struct pm_serving { PM_SERVING_FIELDS(PM_DECLARE) } pm_serving;

/* Adds an engine, which is copied: one for each system of the plan, or one for all. Returns its index for
** pm_serving_run.engine_index, or -1. Errors: PM_STATUS_BAD_VALUE (an implausible constant), PM_STATUS_NO_MEMORY. */
PM_API int pm_plan_add_engine_by_system(pm_plan *plan, const pm_engine_profile *engines, size_t count, pm_error *error);

/* The same on all systems. */
PM_INLINE int pm_plan_add_engine(pm_plan *plan, const pm_engine_profile *engine, pm_error *error)
{
  return pm_plan_add_engine_by_system(plan, engine, 1, error);
}

/* Changes the times of an engine of the plan, on all systems; its scheduler and kernels may change too. */
PM_API int pm_plan_set_engine(pm_plan *plan, int index, const pm_engine_profile *engine, pm_error *error);

/* Predicts `count` runs. A run that cannot be predicted yields its status and unknown numbers; the others are
** predicted. Returns PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. Allocates nothing once a layout is
** known. Cost: one to ten microseconds per run, least if many runs of a call share a layout. */
PM_INLINE int pm_serve(const pm_plan *plan, const pm_serving_run *runs, pm_serving *answers, size_t count)
{
  return pm_task_predict(plan, PM_TASK_SERVING, 0, runs, sizeof *runs, answers, sizeof *answers, count);
}

#ifdef __cplusplus
}
#endif
#endif
