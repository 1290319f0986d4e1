/*
** Runs: what is predicted. A run of training, inference or serving is a record of numbers; a plan (predict.h) or a
** study (study.h) predicts it.
**
** A field has an effect only if the run has what the field needs (`needs`): the pipeline schedule needs a pipeline. A
** field without effect may have any valid value, and changes no bit of a prediction.
*/
#ifndef PERFMODEL_RUN_H
#define PERFMODEL_RUN_H

#include "engine.h"
#include "finetune.h"
#include "framework.h"
#include "hardware.h"
#include "network.h"
#include "parallel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Power, carbon and price of the energy that a run takes (energy.h), in every task. The catalogue has no prices and no
** grid intensities: the user gives them. */
#define PM_POWER_RUN_FIELDS(X)                                                                                         \
  X(REAL, power_limit, "W", "power limit of each GPU; unknown: its design power")                                      \
  X(REAL, carbon, "g/kWh", "carbon intensity of the site's energy, such as 400 g/kWh")                                 \
  X(REAL, energy_price, "currency/kWh", "price of the energy of the site, such as 0.1 EUR/kWh")                        \
  X(REAL, power_budget, "W", "power budget of a rack or site, for the design power of the nodes times the PUE; "       \
    "unknown: no limit")

/* How kernels are timed. */
#define PM_KERNEL_MODEL_LIST(X)                                                                                        \
  X(CALIBRATED, "calibrated", "calibrated kernels if the architecture has constants, otherwise the plain roofline")    \
  X(ROOFLINE, "roofline", "the plain roofline: datasheet values only")

typedef enum pm_kernel_model {
#define PM_KERNEL_MODEL_ENUM(name, text, doc) PM_KERNEL_MODEL_##name,
  PM_KERNEL_MODEL_LIST(PM_KERNEL_MODEL_ENUM)
#undef PM_KERNEL_MODEL_ENUM
  PM_KERNEL_MODEL_COUNT
} pm_kernel_model;

/* The conditions under which fields have an effect. */
#define PM_RUN_NEED_LIST(X)                                                                                            \
  X(GPUS, "gpus", "a second GPU")                                                                                      \
  X(INPUT, "input", "an input rate")                                                                                   \
  X(TENSOR, "tensor", "tensor parallelism")                                                                            \
  X(PIPELINE, "pipeline", "pipeline parallelism")                                                                      \
  X(CONTEXT, "context", "context parallelism")                                                                         \
  X(EXPERT, "expert", "expert parallelism")                                                                            \
  X(BESIDE, "beside", "expert parallelism and a second micro-batch")                                                   \
  X(SHARDS, "shards", "a second GPU or offloading")                                                                    \
  X(EXPERTS, "experts", "experts in the network")                                                                      \
  X(ZERO, "zero", "ZeRO")                                                                                              \
  X(RECOMPUTE, "recompute", "recomputation")                                                                           \
  X(AXES, "axes", "two kinds of parallelism")                                                                          \
  X(LINEAR, "linear", "FP8 or FP4")                                                                                    \
  X(LORA, "lora", "adapters: lora_rank")                                                                               \
  X(BAGS, "bags", "embedding bags and a second GPU")                                                                   \
  X(HOST, "host", "a framework with a host that launches the kernels")                                                 \
  X(FUSION, "fusion", "a framework that fuses gradient accumulation into its GEMMs, such as Megatron-LM")              \
  X(GOAL, "goal", "tokens or samples to train on")                                                                     \
  X(FAILURES, "failures", "failures (gpu_mtbf or node_mtbf) and tokens or samples to train on")                        \
  X(CHECKPOINTS, "checkpoints", "failures (gpu_mtbf or node_mtbf) or a checkpoint interval")

/* What to predict. Network, system and framework are positions in the plan's lists; users give names instead. Every
** other line is an option of the command, a keyword of Python and Lua, and an axis of a sweep. */
#define PM_RUN_FIELDS(X)                                                                                               \
  X(INT, network_index, "1", "index of the network in the plan, from 0", .option = "")                                 \
  X(INT, system_index, "1", "index of the system in the plan, from 0", .option = "")                                   \
  X(INT, gpus, "1", "GPUs used in each node", .otherwise = "1", .show = PM_SHOW_MAIN,                                  \
    .asked = "GPUs in total, filled node by node; with nodes: GPUs in each node (default: one whole node)")            \
  X(INT, nodes, "1", "nodes used", .otherwise = "1", .show = PM_SHOW_MAIN,                                             \
    .asked = "nodes used (default: as many as the GPUs fill)")                                                         \
  X(REAL, batch, "1", "samples per data-parallel rank per step", .otherwise = "32", .show = PM_SHOW_MAIN,              \
    .asked = "samples per data-parallel rank per step (default: 32; decoder-only language models: 1)")                 \
  X(PRECISION, precision, "", "storage and arithmetic precision", .otherwise = "fp32", .show = PM_SHOW_MAIN,           \
    .asked = "storage and arithmetic precision (default: fp32 as the framework runs it; decoder-only language "        \
      "models: bf16 or fp16)")                                                                                         \
  X(OVERLAP, overlap, "", "overlap of communication with the backward pass", .otherwise = "framework",                 \
    .needs = "gpus")                                                                                                   \
  X(KERNEL_MODEL, kernel_model, "", "kernel model: calibrated constants of the architecture, or the plain roofline",   \
    .otherwise = "calibrated")                                                                                         \
  X(REAL, epoch_samples, "1", "samples of one epoch, for epoch_time; unknown: none")                                   \
  X(INT, framework_index, "1", "index of the framework in the plan, from 0; -1: none, kernels and collectives only",   \
    .otherwise = "-1", .option = "")                                                                                   \
  X(PARALLELISM, parallelism, "", "parallelization strategy", .otherwise = "framework",                                \
    .needs = "gpus")                                                                                                   \
  X(OPTIMIZER, optimizer, "", "optimizer of the training step", .otherwise = "momentum",                               \
    .asked = "optimizer of the training step (default: momentum; decoder-only language models: adamw)")                \
  X(INT, gradient_accumulation_steps, "1", "batches whose gradients are accumulated before each update",               \
    .otherwise = "1")                                                                                                  \
  X(REAL, input_rate, "1/s", "samples per second that the input path delivers to each node; unknown: unlimited")       \
  X(YES_NO, no_prefetch, "", "prepare input between the steps instead of ahead of them",                               \
    .needs = "input")                                                                                                  \
  X(REAL, usable_memory, "B", "memory of a GPU that the run may use; unknown: all memory available to programs")       \
  X(YES_NO, ignore_memory, "", "predict a run even if it does not fit in memory")                                      \
  X(REAL, micro_batch, "1", "samples of a micro-batch; unknown: 1 in a pipeline, otherwise the whole batch of a rank", \
    .asked = "samples of a micro-batch (default: the batch of a rank; 1 in a pipeline, and for decoder-only "          \
      "language models without a batch)")                                                                              \
  X(INT, tensor_parallel, "1", "tensor parallelism: GPUs that shard every layer", .otherwise = "1", .option = "tp")    \
  X(INT, pipeline_parallel, "1", "pipeline parallelism: number of stages", .otherwise = "1", .option = "pp")           \
  X(INT, virtual_pipeline, "1", "virtual pipeline stages: chunks of layers on each GPU, interleaved",                  \
    .otherwise = "1",                                                                                                  \
    .option = "vp", .needs = "pipeline")                                                                               \
  X(INT, context_parallel, "1", "context parallelism: GPUs that shard a sequence", .otherwise = "1", .option = "cp")   \
  X(INT, expert_parallel, "1", "expert parallelism: GPUs that the experts of a layer are distributed "                 \
    "over", .otherwise = "1",                                                                                          \
    .option = "ep",                                                                                                    \
    .needs = "experts")                                                                                                \
  X(INT, expert_tensor_parallel, "1",                                                                                  \
    "expert tensor parallelism: GPUs that shard every expert; 0: the framework's",                                     \
    .option = "etp", .needs = "experts")                                                                               \
  X(YES_NO, sequence_parallel, "", "sequence parallelism (Megatron-style)", .option = "sp", .needs = "tensor")         \
  X(PIPELINE_SCHEDULE, pipeline_schedule, "", "pipeline schedule; interleaved if there are virtual stages",            \
    .otherwise = "1f1b", .option = "schedule", .needs = "pipeline")                                                    \
  X(STAGE_LAYERS, stage_layers, "", "distribution of layers over stages", .otherwise = "even",                         \
    .needs = "pipeline")                                                                                               \
  X(INT, zero, "1", "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights (FSDP); 0: none",         \
    .needs = "shards")                                                                                                 \
  X(INT, shard_group, "1", "GPUs of a ZeRO shard group; the groups are replicas (HSDP); 0: all", .needs = "zero")      \
  X(RECOMPUTE, recompute, "", "activation recomputation in the backward pass", .otherwise = "none")                    \
  X(INT, recompute_layers, "1", "layers of each stage with full recomputation; 0: all",                                \
    .needs = "recompute")                                                                                              \
  X(INT, gradient_bytes, "1", "bytes per gradient, stored and exchanged: 2 or 4; 0: the framework's")                  \
  X(CONTEXT_EXCHANGE, context_exchange, "", "exchange of keys and values in context parallelism",                      \
    .otherwise = "framework", .needs = "context")                                                                     \
  X(RANK_ORDER, rank_order, "", "order of the ranks, the first varying fastest",                                       \
    .otherwise = "tp-cp-dp-pp", .needs = "axes")                                                                       \
  X(REAL, capacity_factor, "1",                                                                                        \
    "capacity factor: tokens per expert over the mean; the rest are dropped; unlimited if unknown",                    \
    .needs = "experts")                                                                                                \
  X(REAL, expert_imbalance, "1", "tokens on the busiest rank over the mean", .otherwise = "1", .needs = "expert")      \
  X(OFFLOAD, offload, "", "data stored and updated in host memory", .otherwise = "none")                               \
  X(YES_NO, primary_weights, "",                                                                                       \
    "keep weights of linear layers in FP8 or FP4 only, without a 16-bit copy", .needs = "linear")                      \
  X(INT, lora_rank, "1", "rank of LoRA's adapters, which are trained instead of the network; 0: full training")        \
  X(LORA_TARGETS, lora_targets, "", "linear layers that have an adapter", .otherwise = "attention", .needs = "lora")   \
  X(BASE_WEIGHTS, base_weights, "", "storage format of frozen matrices (QLoRA: nf4)", .otherwise = "precision",        \
    .needs = "lora")                                                                                                   \
  X(REAL, lora_dropout, "1", "dropout of the adapters' inputs", .otherwise = "0", .needs = "lora",                     \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, tokens, "1", "tokens to train on, such as 300B; needed for training_time")                                   \
  X(REAL, samples, "1", "samples to train on, instead of tokens")                                                      \
  X(REAL, gpu_mtbf, "s", "mean time between failures of one GPU, including parts that fail with it; unknown: no "      \
    "failures",                                                                                                        \
    .needs = "goal")                                                                                                   \
  X(REAL, node_mtbf, "s", "mean time between failures of one node, not counting its GPUs; unknown: no failures",       \
    .needs = "goal")                                                                                                   \
  X(REAL, checkpoint_rate, "B/s",                                                                                      \
    "write rate of checkpoints (weights and optimizer states) of all nodes together", .needs = "checkpoints")          \
  X(REAL, checkpoint, "s", "time that training stops to write a checkpoint; alternative to checkpoint_rate",           \
    .needs = "checkpoints")                                                                                            \
  X(REAL, restart, "s", "time from a failure until training resumes; unknown: none", .needs = "failures")              \
  X(REAL, interval, "s", "time between checkpoints; unknown: the optimum (Daly)", .needs = "goal")                     \
  X(REAL, pue, "1", "power usage effectiveness (PUE): power of the site over power of its nodes", .otherwise = "1")    \
  X(REAL, gpu_hour_price, "currency/h", "price of one GPU for an hour, such as 2.5 USD", .needs = "goal")              \
  PM_POWER_RUN_FIELDS(X)                                                                                               \
  X(YES_NO, lora_dora, "", "DoRA adapters: each output also has a trained magnitude", .needs = "lora")                 \
  X(INT, lora_first_layer, "1", "first repeated layer that has adapters, from 0", .needs = "lora")                     \
  X(INT, lora_layers, "1", "number of repeated layers that have adapters; 0: all from lora_first_layer "               \
    "on", .needs = "lora")                                                                                             \
  X(YES_NO, optimizer_in_backward, "", "update parameters during the backward pass, layer by layer (LOMO)")            \
  X(YES_NO, offload_activations, "", "offload activations to host memory until the backward pass")                     \
  X(INT, loss_chunks, "1", "chunks in which the loss is computed; 0: the software's")                                  \
  X(REAL, document_tokens, "1", "mean tokens per document packed into a sequence; unknown: one document per sequence") \
  X(EMBEDDING_SHARDING, embedding_sharding, "", "distribution of embedding tables over the GPUs",                      \
    .otherwise = "auto", .needs = "bags")                                                                              \
  X(CUDA_GRAPHS, cuda_graphs, "", "parts of a step that are replayed as CUDA graphs",                                  \
    .otherwise = "none", .needs = "host")                                                                              \
  X(YES_NO, unfused_accumulation, "",                                                                                  \
    "accumulate weight gradients in separate kernels instead of in the GEMMs (Megatron's "                             \
      "no-gradient-accumulation-fusion)", .needs = "fusion")                                                           \
  X(EXPERT_DISPATCH, expert_dispatch, "", "dispatch of tokens to the GPUs of their experts",                           \
    .otherwise = "all-to-all", .needs = "expert")                                                                      \
  X(YES_NO, expert_overlap, "", "overlap exchanges of experts with the passes of another micro-batch (Megatron's "     \
    "overlap-moe-expert-parallel-comm, DualPipe)", .needs = "beside")                                                  \
  /* the next field of a run goes above this line */

typedef struct pm_run { PM_RUN_FIELDS(PM_DECLARE) } pm_run;

/* What to predict. Network, system and profile are positions in the plan's lists. */
#define PM_INFERENCE_RUN_FIELDS(X)                                                                                     \
  X(INT, network_index, "1", "index of the network in the plan, from 0", .option = "")                                 \
  X(INT, system_index, "1", "index of the system in the plan, from 0", .option = "")                                   \
  X(INT, profile_index, "1", "index of the inference profile in the plan, from 0", .option = "")                       \
  X(INT, gpus, "1", "GPUs used in each node, each with the whole network", .otherwise = "1", .show = PM_SHOW_MAIN,     \
    .asked = "GPUs in total, filled node by node; with nodes: GPUs in each node (default: one whole node)")            \
  X(INT, nodes, "1", "nodes used", .otherwise = "1", .show = PM_SHOW_MAIN,                                             \
    .asked = "nodes used (default: as many as the GPUs fill)")                                                         \
  X(REAL, batch, "1", "samples of one call", .otherwise = "1", .show = PM_SHOW_MAIN)                                   \
  X(PRECISION, precision, "", "storage and arithmetic precision", .otherwise = "fp32", .show = PM_SHOW_MAIN,           \
    .asked = "storage and arithmetic precision (default: fp32 as the framework runs it; decoder-only language "        \
      "models: bf16 or fp16)")                                                                                         \
  X(KERNEL_MODEL, kernel_model, "", "kernel model: calibrated constants of the architecture, or the plain roofline",   \
    .otherwise = "calibrated")                                                                                         \
  X(REAL, usable_memory, "B", "memory of a GPU that the run may use; unknown: all memory available to programs")       \
  X(YES_NO, ignore_memory, "", "predict a run even if it does not fit in memory")                                      \
  X(REAL, pue, "1", "power usage effectiveness (PUE): power of the site over power of its nodes", .otherwise = "1")    \
  PM_POWER_RUN_FIELDS(X)

typedef struct pm_inference_run { PM_INFERENCE_RUN_FIELDS(PM_DECLARE) } pm_inference_run;

/* One GPU, one node, batch 32, FP32, network 0 on system 0, no framework, SGD with momentum. */
PM_INLINE pm_run pm_run_make(void)
{
  pm_run run;
  pm_record_fill("run", &run, sizeof run);
  return run;
}

/* Data-parallel ranks of a run: all GPUs over the GPUs of one replica. Not a whole number if they do not divide it. */
PM_INLINE double pm_run_get_data_parallel(const pm_run *run)
{
  return (double)run->gpus * run->nodes /
         ((double)run->tensor_parallel * run->context_parallel * run->pipeline_parallel);
}

/* One GPU, one node, batch 1, FP32, usable memory unknown, network 0 on system 0 with profile 0. */
PM_INLINE pm_inference_run pm_inference_run_make(void)
{
  pm_inference_run run;
  pm_record_fill("inference_run", &run, sizeof run);
  return run;
}

/* PM_OK, or PM_STATUS_BAD_ARGUMENT if no value of the field can change the prediction of this run of the network with
** the framework (NULL: none): "has no effect without pipeline parallelism". */
PM_API int pm_run_check_field_sized(const pm_network *network, const pm_framework *framework, const pm_run *run,
                                    size_t size, const pm_field *field, pm_error *error);
PM_INLINE int pm_run_check_field(const pm_network *network, const pm_framework *framework, const pm_run *run,
                                 const pm_field *field, pm_error *error)
{
  return pm_run_check_field_sized(network, framework, run, sizeof *run, field, error);
}

/* ---- Serving ---- */

/* How requests arrive. */
#define PM_ARRIVALS_LIST(X)                                                                                            \
  X(CLOSED, "closed", "`concurrency` clients, each with one request at a time")                                        \
  X(OPEN, "open", "requests arrive at `rate`, whether or not earlier requests are finished")                           \
  X(STATIC, "static", "one batch of `concurrency` at once")                                                            \
  X(OFFLINE, "offline", "all requests are present at the start; as many run at once as fit in memory")

typedef enum pm_arrivals {
#define PM_ARRIVALS_ENUM(name, ...) PM_ARRIVALS_##name,
  PM_ARRIVALS_LIST(PM_ARRIVALS_ENUM)
#undef PM_ARRIVALS_ENUM
  PM_ARRIVALS_COUNT
} pm_arrivals;

/* What to serve. Every line is an option of the command, a keyword of Python and Lua, and an axis of a sweep. */
#define PM_SERVING_RUN_FIELDS(X)                                                                                       \
  X(INT, network_index, "1", "index of the network in the plan, from 0", .option = "")                                 \
  X(INT, system_index, "1", "index of the system in the plan, from 0", .option = "")                                   \
  X(INT, gpus, "1", "GPUs used in each node", .otherwise = "1", .show = PM_SHOW_MAIN,                                  \
    .asked = "GPUs in total, filled node by node; with nodes: GPUs in each node (default: one whole node)")            \
  X(INT, nodes, "1", "nodes used", .otherwise = "1", .show = PM_SHOW_MAIN,                                             \
    .asked = "nodes used (default: as many as the GPUs fill)")                                                         \
  X(REAL, concurrency, "1", "concurrent requests over all replicas: clients of a closed loop, or the static batch",    \
    .otherwise = "16", .show = PM_SHOW_MAIN)                                                                           \
  X(PRECISION, precision, "", "arithmetic precision of linear layers", .otherwise = "bf16", .show = PM_SHOW_MAIN,      \
    .asked = "arithmetic precision of linear layers (default: bf16, or fp16 if the GPU has no bf16)")                  \
  X(INT, engine_index, "1", "index of the engine in the plan, from 0", .option = "")                                   \
  X(STORED, weights, "", "storage format of weights", .otherwise = "as-run", .show = PM_SHOW_MAIN)                     \
  X(STORED, expert_weights, "", "storage format of expert weights; as-run: that of weights", .otherwise = "as-run")    \
  X(STORED, kv_cache, "", "storage format of the KV cache", .otherwise = "as-run", .show = PM_SHOW_MAIN)               \
  X(INT, tensor_parallel, "1", "tensor parallelism: GPUs that shard each "                                             \
    "layer", .otherwise = "1", .option = "tp", .show = PM_SHOW_MAIN,                                                   \
    .asked = "tensor parallelism: GPUs that shard each layer (default: all GPUs of a node not used by other kinds "    \
      "of parallelism)")                                                                                               \
  X(INT, pipeline_parallel, "1", "pipeline parallelism: number of stages", .otherwise = "1", .option = "pp")           \
  X(INT, attention_parallel, "1", "attention DP: groups of GPUs with their own requests and common experts",           \
    .otherwise = "1", .option = "attention-dp")                                                                        \
  X(INT, expert_parallel, "1", "expert parallelism: GPUs that the experts are distributed "                            \
    "over", .otherwise = "1", .option = "ep")                                                                          \
  X(REAL, expert_imbalance, "1", "tokens of the experts on the busiest GPU, over the mean", .otherwise = "1")          \
  X(REAL, isl, "1", "input tokens of a request", .otherwise = "1024", .show = PM_SHOW_MAIN)                            \
  X(REAL, osl, "1", "output tokens of a request", .otherwise = "256", .show = PM_SHOW_MAIN)                            \
  X(ARRIVALS, arrivals, "", "arrival of requests", .otherwise = "closed", .show = PM_SHOW_MAIN,                        \
    .asked = "arrival of requests (default: closed; with a rate: open)")                                               \
  X(REAL, rate, "1/s", "requests per second of an open loop", .show = PM_SHOW_MAIN)                                    \
  X(REAL, arrival_cv, "1", "coefficient of variation of the time between requests: 1 Poisson, 0 even",                 \
    .otherwise = "1")                                                                                                  \
  X(REAL, length_cv, "1", "coefficient of variation of the lengths of prompts and answers", .otherwise = "0")          \
  X(REAL, duration, "s", "time during which requests arrive; unknown: long enough for a steady state")                 \
  X(REAL, percentile, "1", "percentile of the latencies that are reported: 0.99, or 99", .otherwise = "0.99")          \
  X(REAL, hit_ratio, "1", "prefix cache hit ratio: share of a prompt's tokens that are already in the "                \
    "cache", .otherwise = "0")                                                                                         \
  X(REAL, shared_prompt, "1", "tokens of a prefix that all prompts share, cached once", .otherwise = "0")              \
  X(INT, draft_tokens, "1", "speculative decoding: tokens drafted per pass", .otherwise = "0")                         \
  X(REAL, acceptance, "1", "probability that a drafted token is accepted, given the previous ones",                    \
    .otherwise = "0.7")                                                                                                \
  X(REAL, draft_time, "1", "time to draft a token, over the time of a decoding pass", .otherwise = "0.05")             \
  X(REAL, token_budget, "1", "token budget of one pass; unknown: the engine's")                                        \
  X(REAL, sequences, "1", "sequences that run at once on a replica; unknown: the engine's")                            \
  X(REAL, memory_fraction, "1", "fraction of the memory that the engine uses; unknown: the engine's")                  \
  X(INT, prefill_workers, "1", "prefill workers of disaggregated serving; 0: every worker prefills and decodes",       \
    .otherwise = "0")                                                                                                  \
  X(INT, prefill_tensor_parallel, "1", "tensor parallelism of a prefill worker", .otherwise = "1",                     \
    .option = "prefill-tp")                                                                                            \
  X(INT, prefill_attention_parallel, "1", "attention DP of a prefill worker", .otherwise = "1",                        \
    .option = "prefill-attention-dp")                                                                                  \
  X(INT, prefill_expert_parallel, "1", "expert parallelism of a prefill worker", .otherwise = "1",                     \
    .option = "prefill-ep")                                                                                            \
  X(REAL, client_time, "s", "time that client and server add to the first token; unknown: the engine's")               \
  X(REAL, bunching, "1", "share of the other prompts that a prompt waits for; unknown: the engine's")                  \
  X(KERNEL_MODEL, kernel_model, "", "kernel model: calibrated constants of the architecture, or the plain roofline",   \
    .otherwise = "calibrated")                                                                                         \
  X(REAL, usable_memory, "B", "memory of a GPU that may be used; unknown: all memory available to programs")           \
  X(YES_NO, ignore_memory, "", "predict even if the model does not fit in memory")                                     \
  X(REAL, pue, "1", "power usage effectiveness (PUE): power of the site over power of its nodes",                      \
    .otherwise = "1")                                                                                                  \
  PM_POWER_RUN_FIELDS(X)                                                                                               \
  X(REAL, gpu_hour_price, "currency/h", "price of one GPU for an hour, such as 2.5 USD; whole nodes are paid for")     \
  /* the next field of a run of serving goes above this line */

typedef struct pm_serving_run { PM_SERVING_RUN_FIELDS(PM_DECLARE) } pm_serving_run;

/* A run with the default of every field. */
PM_INLINE pm_serving_run pm_serving_run_make(void)
{
  pm_serving_run run;
  pm_record_fill("serving_run", &run, sizeof run);
  return run;
}

/* ---- What was given, and what was assumed ---- */

/* The fields of runs that were given. */
typedef struct pm_given {
  uint64_t fields;      /* a bit for each field of the run's record type, in its order, up to the 64th */
  int32_t global_batch; /* 1: `batch` is the number of samples per step over all data-parallel ranks */
  uint64_t more;        /* likewise from the 65th on */
} pm_given;

/* 1 if the field at that position of the record type was given. */
PM_INLINE int pm_given_has(const pm_given *given, int place)
{
  return (int)((place < 64 ? given->fields >> place : given->more >> (place - 64)) & 1);
}

/* Marks a field of records of that type ("run" or "inference_run") as given. PM_STATUS_NOT_FOUND if there is no such
** field. */
PM_API int pm_given_add(pm_given *given, const char *type, const char *field);

/* A value that was not given. */
#define PM_ASSUMPTION_FIELDS(X)                                                                                        \
  X(TEXT, field, "", "field of the run, or framework or attention")                                                    \
  X(TEXT, value, "", "assumed value")                                                                                  \
  X(TEXT, reason, "", "why")

typedef struct pm_assumption { PM_ASSUMPTION_FIELDS(PM_DECLARE) } pm_assumption;

/* Number of rows that hold the assumptions of any run. */
enum { PM_ASSUMPTIONS_MAX = 16 };

/* Assumptions in one line: "8 GPUs, bf16, adamw, micro-batch 1, pytorch-2.4 with fused attention"; empty without
** assumptions. Returns `text`. */
PM_API const char *pm_assumptions_format(const pm_assumption *rows, int count, char *text, size_t size);

/* GPUs and nodes of a run by the rules of a study (study.h): `gpus` without nodes is the total. PM_OK, or
** PM_STATUS_TOO_MANY_GPUS for a total that does not fill whole nodes. */
PM_API int pm_run_complete_counts_sized(const pm_system *system, const pm_given *given, pm_run *run, size_t size,
                                        pm_error *error);
PM_INLINE int pm_run_complete_counts(const pm_system *system, const pm_given *given, pm_run *run, pm_error *error)
{
  return pm_run_complete_counts_sized(system, given, run, sizeof *run, error);
}

#ifdef __cplusplus
}
#endif
#endif
