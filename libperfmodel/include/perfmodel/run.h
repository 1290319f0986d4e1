/*
** Runs: what is predicted. A run of training and one of inference are records of numbers; a plan (predict.h) or a study
** (study.h) predicts them.
**
** A field has an effect only where the run has what the field needs (`needs`): the schedule of a pipeline needs a
** pipeline. A field without effect may have any value that it can have, and changes no bit of a prediction.
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

/* Power, carbon and price of the energy that a run takes (energy.h), in every task. The catalogue has no
** prices and no intensities of grids: they are the user's. */
#define PM_POWER_RUN_FIELDS(X)                                                                                         \
  X(REAL, power_limit, "W", "power limit of each GPU; its design power if unknown")                                    \
  X(REAL, carbon, "g/kWh", "carbon dioxide for the energy of the site, such as 400 g/kWh")                             \
  X(REAL, energy_price, "currency/kWh", "price of the energy of the site, such as 0.1 EUR/kWh")                        \
  X(REAL, power_budget, "W", "power that a rack or site may draw: design power of the nodes times the PUE; unknown: "  \
    "any")

/* How kernels are timed. */
#define PM_KERNEL_MODEL_LIST(X)                                                                                        \
  X(CALIBRATED, "calibrated", "calibrated kernels where the architecture has constants, else the plain roofline")      \
  X(ROOFLINE, "roofline", "the plain roofline: datasheet values only")

typedef enum pm_kernel_model {
#define PM_KERNEL_MODEL_ENUM(name, text, doc) PM_KERNEL_MODEL_##name,
  PM_KERNEL_MODEL_LIST(PM_KERNEL_MODEL_ENUM)
#undef PM_KERNEL_MODEL_ENUM
  PM_KERNEL_MODEL_COUNT
} pm_kernel_model;

/* What fields need to have an effect. */
#define PM_RUN_NEED_LIST(X)                                                                                            \
  X(GPUS, "gpus", "a second GPU")                                                                                      \
  X(INPUT, "input", "an input rate")                                                                                   \
  X(TENSOR, "tensor", "tensor parallelism")                                                                            \
  X(PIPELINE, "pipeline", "pipeline parallelism")                                                                      \
  X(CONTEXT, "context", "context parallelism")                                                                         \
  X(EXPERT, "expert", "expert parallelism")                                                                            \
  X(SHARDS, "shards", "a second GPU or offloading")                                                                    \
  X(EXPERTS, "experts", "experts in the network")                                                                      \
  X(ZERO, "zero", "ZeRO")                                                                                              \
  X(RECOMPUTE, "recompute", "recomputation")                                                                           \
  X(AXES, "axes", "two kinds of parallelism")                                                                          \
  X(LINEAR, "linear", "FP8 or FP4")                                                                                    \
  X(LORA, "lora", "adapters: lora_rank")                                                                               \
  X(BAGS, "bags", "embedding bags and a second GPU")                                                                   \
  X(HOST, "host", "a framework, whose host launches the kernels")                                                      \
  X(FUSION, "fusion", "a framework that fuses accumulation into its products, as Megatron does")                       \
  X(GOAL, "goal", "tokens or samples to train on")                                                                     \
  X(FAILURES, "failures", "failures (gpu_mtbf or node_mtbf) of a training on tokens or samples")                       \
  X(CHECKPOINTS, "checkpoints", "failures (gpu_mtbf or node_mtbf) or an interval of checkpoints")

/* What to predict. Network, system and framework are positions in the plan's lists, which users never give: they give
** names. Every other line is an option of the command, a keyword of Python and Lua, and an axis of a sweep. */
#define PM_RUN_FIELDS(X)                                                                                               \
  X(INT, network_index, "1", "which network of the plan, from 0", .option = "")                                        \
  X(INT, system_index, "1", "which system of the plan, from 0", .option = "")                                          \
  X(INT, gpus, "1", "GPUs used in each node", .otherwise = "1", .show = PM_SHOW_MAIN,                                  \
    .asked = "GPUs in total, filled node by node; with nodes: GPUs in each node (default: one whole node)")            \
  X(INT, nodes, "1", "nodes used", .otherwise = "1", .show = PM_SHOW_MAIN,                                             \
    .asked = "nodes used (default: those that the GPUs fill)")                                                         \
  X(REAL, batch, "1", "samples per data-parallel rank per step", .otherwise = "32", .show = PM_SHOW_MAIN,              \
    .asked = "samples per data-parallel rank per step (default 32; decoder-only language models: 1)")                  \
  X(PRECISION, precision, "", "storage and arithmetic precision", .otherwise = "fp32", .show = PM_SHOW_MAIN,           \
    .asked = "storage and arithmetic precision (default fp32 as the framework runs it; "                               \
             "decoder-only language models: bf16 or fp16)")                                                            \
  X(OVERLAP, overlap, "", "how communication overlaps with the backward pass", .otherwise = "framework",               \
    .needs = "gpus")                                                                                                   \
  X(KERNEL_MODEL, kernel_model, "", "how kernels are timed, calibrated where the architecture has constants",          \
    .otherwise = "calibrated")                                                                                         \
  X(REAL, epoch_samples, "1", "samples of one epoch, for epoch_time; unknown: none")                                   \
  X(INT, framework_index, "1", "which framework of the plan, from 0; -1: none, kernels and collectives only",          \
    .otherwise = "-1", .option = "")                                                                                   \
  X(PARALLELISM, parallelism, "", "parallelization strategy", .otherwise = "framework",                                \
    .needs = "gpus")                                                                                                   \
  X(OPTIMIZER, optimizer, "", "optimizer of the training step", .otherwise = "momentum",                               \
    .asked = "optimizer of the training step (default momentum; decoder-only language models: adamw)")            \
  X(INT, gradient_accumulation_steps, "1", "batches whose gradients are accumulated before each update",               \
    .otherwise = "1")                                                                                                  \
  X(REAL, input_rate, "1/s", "samples per second that the input path delivers to each node; unlimited if unknown")     \
  X(YES_NO, no_prefetch, "", "prepare input between the steps instead of ahead of them",                               \
    .needs = "input")                                                                                                  \
  X(REAL, usable_memory, "B", "memory of a GPU that the run may use; all that is available to programs if unknown")    \
  X(YES_NO, ignore_memory, "", "predict a run even if it does not fit in memory")                                      \
  X(REAL, micro_batch, "1", "samples of a micro-batch; if unknown, 1 in a pipeline, else the whole batch of a rank",   \
    .asked = "samples of a micro-batch (default: all of a rank; 1 in a pipeline and, without batch, "                  \
             "of decoder-only language models)")                                                                       \
  X(INT, tensor_parallel, "1", "tensor parallelism: GPUs that share every layer", .otherwise = "1", .option = "tp")    \
  X(INT, pipeline_parallel, "1", "pipeline parallelism: number of stages", .otherwise = "1", .option = "pp")           \
  X(INT, virtual_pipeline, "1", "virtual pipeline stages: chunks of layers on each GPU, interleaved",                  \
    .otherwise = "1",                                                                                                  \
    .option = "vp", .needs = "pipeline")                                                                               \
  X(INT, context_parallel, "1", "context parallelism: GPUs that share a sequence", .otherwise = "1", .option = "cp")   \
  X(INT, expert_parallel, "1", "expert parallelism: GPUs that share the experts of a layer", .otherwise = "1",         \
    .option = "ep",                                                                                                    \
    .needs = "experts")                                                                                                \
  X(INT, expert_tensor_parallel, "1", "expert tensor parallelism: GPUs that share every expert",                      \
    .otherwise = "1", .option = "etp",                                                                                \
    .needs = "experts")                                                                                                \
  X(YES_NO, sequence_parallel, "", "sequence parallelism (Megatron-style)", .option = "sp", .needs = "tensor")         \
  X(PIPELINE_SCHEDULE, pipeline_schedule, "", "pipeline schedule; interleaved if there are virtual stages",            \
    .otherwise = "1f1b", .option = "schedule", .needs = "pipeline")                                                    \
  X(STAGE_LAYERS, stage_layers, "", "how layers are distributed over stages", .otherwise = "even",                     \
    .needs = "pipeline")                                                                                               \
  X(INT, zero, "1", "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights (FSDP); 0: none",         \
    .needs = "shards")                                                                                                 \
  X(INT, shard_group, "1", "GPUs of a ZeRO shard group, replicated over these groups (HSDP); 0: all", .needs = "zero") \
  X(RECOMPUTE, recompute, "", "activation recomputation in the backward pass", .otherwise = "none")                    \
  X(INT, recompute_layers, "1", "layers of each stage with full recomputation; 0: all",                                \
    .needs = "recompute")                                                                                              \
  X(INT, gradient_bytes, "1", "bytes per gradient, stored and exchanged: 2 or 4; 0: as the framework does")            \
  X(CONTEXT_EXCHANGE, context_exchange, "", "how context parallelism exchanges keys and values",                       \
    .otherwise = "all-gather", .needs = "context")                                                                     \
  X(RANK_ORDER, rank_order, "", "order of the ranks, the first varying fastest",                                      \
    .otherwise = "tp-cp-dp-pp", .needs = "axes")                                                                      \
  X(REAL, capacity_factor, "1",                                                                                        \
    "capacity factor: tokens per expert over the mean; the rest are dropped; unlimited if unknown",                    \
    .needs = "experts")                                                                                                \
  X(REAL, expert_imbalance, "1", "tokens on the busiest rank over the mean", .otherwise = "1", .needs = "expert")     \
  X(OFFLOAD, offload, "", "data stored and updated in host memory", .otherwise = "none")                               \
  X(YES_NO, primary_weights, "",                                                                                       \
    "keep weights of linear layers in FP8 or FP4 only, without a 16-bit copy", .needs = "linear")                      \
  X(INT, lora_rank, "1", "rank of LoRA's adapters, which are trained instead of the network; 0: full training")        \
  X(LORA_TARGETS, lora_targets, "", "which linear layers have an adapter", .otherwise = "attention", .needs = "lora")  \
  X(BASE_WEIGHTS, base_weights, "", "how frozen matrices are stored (QLoRA: nf4)", .otherwise = "precision",           \
    .needs = "lora")                                                                                                   \
  X(REAL, lora_dropout, "1", "dropout of the adapters' inputs", .otherwise = "0", .needs = "lora",                     \
    .show = PM_SHOW_PERCENT)                                                                                           \
  X(REAL, tokens, "1", "tokens to train on, such as 300B, for training_time; unknown: none")                           \
  X(REAL, samples, "1", "samples to train on, instead of tokens")                                                      \
  X(REAL, gpu_mtbf, "s", "mean time between failures of one GPU and what fails with it; unknown: no failures",         \
    .needs = "goal")                                                                                                   \
  X(REAL, node_mtbf, "s", "mean time between failures of one node, without those of its GPUs; unknown: no failures",   \
    .needs = "goal")                                                                                                   \
  X(REAL, checkpoint_rate, "B/s",                                                                                      \
    "rate at which weights and optimizer states are written, of the whole machine", .needs = "checkpoints")            \
  X(REAL, checkpoint, "s", "time for which writing a checkpoint stops training, instead of checkpoint_rate",           \
    .needs = "checkpoints")                                                                                            \
  X(REAL, restart, "s", "time from a failure until training resumes; none if unknown", .needs = "failures")            \
  X(REAL, interval, "s", "time between checkpoints; the optimum (Daly) if unknown", .needs = "goal")                   \
  X(REAL, pue, "1", "power usage effectiveness of the site: all its power over that of the nodes", .otherwise = "1")   \
  X(REAL, gpu_hour_price, "currency/h", "price of one GPU for an hour, such as 2.5 USD", .needs = "goal")              \
  PM_POWER_RUN_FIELDS(X)                                                                                               \
  X(YES_NO, lora_dora, "", "DoRA adapters: each output also has a trained magnitude", .needs = "lora")                 \
  X(INT, lora_first_layer, "1", "first of the repeated layers that have adapters, from 0", .needs = "lora")            \
  X(INT, lora_layers, "1", "repeated layers that have adapters; 0: all from the first on", .needs = "lora")            \
  X(YES_NO, optimizer_in_backward, "", "update parameters during the backward pass, layer by layer (LOMO)")            \
  X(YES_NO, offload_activations, "", "offload activations to host memory until the backward pass")                     \
  X(INT, loss_chunks, "1", "chunks in which the loss is computed; 0: as the software does")                            \
  X(REAL, document_tokens, "1", "mean tokens of the documents packed into a sequence; unknown: one per sequence")      \
  X(EMBEDDING_SHARDING, embedding_sharding, "", "how embedding tables are distributed over the GPUs",                  \
    .otherwise = "auto", .needs = "bags")                                                                              \
  X(CUDA_GRAPHS, cuda_graphs, "", "what is replayed as CUDA graphs, its kernels not launched one by one",              \
    .otherwise = "none", .needs = "host")                                                                              \
  X(YES_NO, unfused_accumulation, "",                                                                                  \
    "add gradients of weights to those of micro-batches before by kernels of their own, where software has the "       \
    "products do it (Megatron's no-gradient-accumulation-fusion)", .needs = "fusion")                                  \
  X(EXPERT_DISPATCH, expert_dispatch, "", "how tokens reach the GPUs of their experts",                                \
    .otherwise = "all-to-all", .needs = "expert")                                                                      \
  X(YES_NO, expert_overlap, "", "overlap exchanges of experts with the passes of another micro-batch (Megatron's "     \
    "overlap-moe-expert-parallel-comm, DualPipe)", .needs = "expert")                                                  \
  /* the next field of a run goes above this line */

typedef struct pm_run { PM_RUN_FIELDS(PM_DECLARE) } pm_run;

/* What to predict. Network, system and profile are positions in the plan's lists. */
#define PM_INFERENCE_RUN_FIELDS(X)                                                                                     \
  X(INT, network_index, "1", "which network of the plan, from 0", .option = "")                                        \
  X(INT, system_index, "1", "which system of the plan, from 0", .option = "")                                          \
  X(INT, profile_index, "1", "which profile of the plan, from 0", .option = "")                                        \
  X(INT, gpus, "1", "GPUs used in each node, each with the whole network", .otherwise = "1", .show = PM_SHOW_MAIN,     \
    .asked = "GPUs in total, filled node by node; with nodes: GPUs in each node (default: one whole node)")            \
  X(INT, nodes, "1", "nodes used", .otherwise = "1", .show = PM_SHOW_MAIN,                                             \
    .asked = "nodes used (default: those that the GPUs fill)")                                                         \
  X(REAL, batch, "1", "samples of one call", .otherwise = "1", .show = PM_SHOW_MAIN)                                   \
  X(PRECISION, precision, "", "storage and arithmetic precision", .otherwise = "fp32", .show = PM_SHOW_MAIN,           \
    .asked = "storage and arithmetic precision (default fp32 as the framework runs it; "                               \
             "decoder-only language models: bf16 or fp16)")                                                            \
  X(KERNEL_MODEL, kernel_model, "", "how kernels are timed, calibrated where the architecture has constants",          \
    .otherwise = "calibrated")                                                                                         \
  X(REAL, usable_memory, "B", "memory of a GPU that the run may use; all that is available to programs if unknown")    \
  X(YES_NO, ignore_memory, "", "predict a run even if it does not fit in memory")                                      \
  X(REAL, pue, "1", "power usage effectiveness of the site: all its power over that of the nodes", .otherwise = "1")   \
  PM_POWER_RUN_FIELDS(X)

typedef struct pm_inference_run { PM_INFERENCE_RUN_FIELDS(PM_DECLARE) } pm_inference_run;

/* One GPU, one node, batch 32, FP32, network 0 on system 0, no framework, SGD with momentum. */
PM_INLINE pm_run pm_run_make(void)
{
  pm_run run;
  pm_record_fill("run", &run, sizeof run);
  return run;
}

/* Data-parallel ranks of a run: GPUs over those that share one copy of the network. No whole number if they do not
** divide. */
PM_INLINE double pm_run_get_data_parallel(const pm_run *run)
{
  return (double)run->gpus * run->nodes /
         ((double)run->tensor_parallel * run->context_parallel * run->pipeline_parallel);
}

/* One GPU, one node, batch 1, FP32, usable memory unknown, network 0 on system 0 by profile 0. */
PM_INLINE pm_inference_run pm_inference_run_make(void)
{
  pm_inference_run run;
  pm_record_fill("inference_run", &run, sizeof run);
  return run;
}

/* PM_OK, or PM_STATUS_BAD_ARGUMENT if no value of the field can change what is predicted of the run of that network
** with that framework (NULL: none): "has no effect without pipeline parallelism". */
PM_API int pm_run_check_field_sized(const pm_network *network, const pm_framework *framework, const pm_run *run,
                                    size_t size, const pm_field *field, pm_error *error);
PM_INLINE int pm_run_check_field(const pm_network *network, const pm_framework *framework, const pm_run *run,
                                 const pm_field *field, pm_error *error)
{
  return pm_run_check_field_sized(network, framework, run, sizeof *run, field, error);
}

/* ---- Serving ---- */

/* How requests come. */
#define PM_ARRIVALS_LIST(X)                                                                                        \
  X(CLOSED, "closed", "`concurrency` clients, each with one request at a time")                                    \
  X(OPEN, "open", "requests arrive at `rate`, whether or not earlier ones are answered")                           \
  X(STATIC, "static", "one batch of `concurrency` at once")                                                        \
  X(OFFLINE, "offline", "all requests at the beginning: as many run at once as fit in memory")

typedef enum pm_arrivals {
#define PM_ARRIVALS_ENUM(name, ...) PM_ARRIVALS_##name,
  PM_ARRIVALS_LIST(PM_ARRIVALS_ENUM)
#undef PM_ARRIVALS_ENUM
  PM_ARRIVALS_COUNT
} pm_arrivals;

/* What to serve. Every line is an option of the command, a keyword of Python and Lua, and an axis of a sweep. */
#define PM_SERVING_RUN_FIELDS(X)                                                                                   \
  X(INT, network_index, "1", "which network of the plan, from 0", .option = "")                                    \
  X(INT, system_index, "1", "which system of the plan, from 0", .option = "")                                      \
  X(INT, gpus, "1", "GPUs used in each node", .otherwise = "1", .show = PM_SHOW_MAIN,                              \
    .asked = "GPUs in total, filled node by node; with nodes: GPUs in each node (default: one whole node)")        \
  X(INT, nodes, "1", "nodes used", .otherwise = "1", .show = PM_SHOW_MAIN,                                         \
    .asked = "nodes used (default: those that the GPUs fill)")                                                     \
  X(REAL, concurrency, "1", "requests in the system, over all replicas: clients of a closed loop, a static batch", \
    .otherwise = "16", .show = PM_SHOW_MAIN)                                                                       \
  X(PRECISION, precision, "", "arithmetic precision of linear layers", .otherwise = "bf16", .show = PM_SHOW_MAIN,  \
    .asked = "arithmetic precision of linear layers (default bf16, or fp16 where the GPU has no bf16)")            \
  X(INT, engine_index, "1", "which engine of the plan, from 0", .option = "")                                      \
  X(STORED, weights, "", "how weights are stored", .otherwise = "as-run", .show = PM_SHOW_MAIN)                    \
  X(STORED, expert_weights, "", "how weights of experts are stored, if in another way", .otherwise = "as-run")     \
  X(STORED, kv_cache, "", "how keys and values are stored", .otherwise = "as-run", .show = PM_SHOW_MAIN)           \
  X(INT, tensor_parallel, "1", "GPUs that share each layer", .otherwise = "1", .option = "tp", .show = PM_SHOW_MAIN,  \
    .asked = "tensor parallelism: GPUs that share each layer (default: the GPUs of a node left by the other kinds)") \
  X(INT, pipeline_parallel, "1", "pipeline parallelism: number of stages", .otherwise = "1", .option = "pp")          \
  X(INT, attention_parallel, "1", "attention DP: groups of GPUs with their own requests that share experts",       \
    .otherwise = "1", .option = "attention-dp")                                                                       \
  X(INT, expert_parallel, "1", "expert parallelism: GPUs with different experts", .otherwise = "1", .option = "ep")   \
  X(REAL, expert_imbalance, "1", "tokens of the busiest GPU's experts over the mean", .otherwise = "1")            \
  X(REAL, isl, "1", "input tokens of a request", .otherwise = "1024", .show = PM_SHOW_MAIN)                        \
  X(REAL, osl, "1", "output tokens of a request", .otherwise = "256", .show = PM_SHOW_MAIN)                        \
  X(ARRIVALS, arrivals, "", "arrival of requests", .otherwise = "closed", .show = PM_SHOW_MAIN,                    \
    .asked = "arrival of requests (default closed; with a rate: open)")                                              \
  X(REAL, rate, "1/s", "requests per second of an open loop", .show = PM_SHOW_MAIN)                                \
  X(REAL, arrival_cv, "1", "deviation of the times between requests over their mean: 1 Poisson, 0 even",           \
    .otherwise = "1")                                                                                              \
  X(REAL, length_cv, "1", "deviation of the lengths of prompts and answers over their means", .otherwise = "0")    \
  X(REAL, duration, "s", "how long requests arrive; unknown: long enough for a steady state")                      \
  X(REAL, percentile, "1", "share of requests within the percentiles: 0.99, or 99", .otherwise = "0.99")           \
  X(REAL, hit_ratio, "1", "share of a prompt's tokens that are already in the cache", .otherwise = "0")            \
  X(REAL, shared_prompt, "1", "tokens of a prefix that all prompts share, cached once", .otherwise = "0")          \
  X(INT, draft_tokens, "1", "tokens drafted for each pass: speculative decoding", .otherwise = "0")                \
  X(REAL, acceptance, "1", "probability that a drafted token is accepted, given the previous ones",                   \
    .otherwise = "0.7")                                                                                               \
  X(REAL, draft_time, "1", "time to draft a token over that of a decoding pass", .otherwise = "0.05")              \
  X(REAL, token_budget, "1", "tokens of one pass; the engine's if unknown")                                        \
  X(REAL, sequences, "1", "sequences that run at once on a replica; the engine's if unknown")                      \
  X(REAL, memory_fraction, "1", "fraction of the memory that the engine uses; the engine's if unknown")            \
  X(INT, prefill_workers, "1", "prefill workers of disaggregated serving; 0: every worker does both",                 \
    .otherwise = "0")                                                                                                 \
  X(INT, prefill_tensor_parallel, "1", "tensor parallelism of a prefill worker", .otherwise = "1",                 \
    .option = "prefill-tp")                                                                                        \
  X(INT, prefill_attention_parallel, "1", "attention DP of a prefill worker", .otherwise = "1",                    \
    .option = "prefill-attention-dp")                                                                              \
  X(INT, prefill_expert_parallel, "1", "expert parallelism of a prefill worker", .otherwise = "1",                 \
    .option = "prefill-ep")                                                                                        \
  X(REAL, client_time, "s", "time that client and server add to the first token; the engine's if unknown")         \
  X(REAL, bunching, "1", "part of the other prompts that one waits for; the engine's if unknown")                  \
  X(KERNEL_MODEL, kernel_model, "", "how kernels are timed, calibrated where the architecture has constants",      \
    .otherwise = "calibrated")                                                                                     \
  X(REAL, usable_memory, "B", "memory of a GPU that may be used; all that is available to programs if unknown")    \
  X(YES_NO, ignore_memory, "", "predict even if the model does not fit in memory")                                 \
  X(REAL, pue, "1", "power usage effectiveness of the site: all its power over that of the nodes",                 \
    .otherwise = "1")                                                                                              \
  PM_POWER_RUN_FIELDS(X)                                                                                           \
  X(REAL, gpu_hour_price, "currency/h", "price of one GPU for an hour, such as 2.5 USD; whole nodes are paid")     \
  /* the next field of a run of serving goes above this line */

typedef struct pm_serving_run { PM_SERVING_RUN_FIELDS(PM_DECLARE) } pm_serving_run;

/* A run with every field as its table says. */
PM_INLINE pm_serving_run pm_serving_run_make(void)
{
  pm_serving_run run;
  pm_record_fill("serving_run", &run, sizeof run);
  return run;
}

/* ---- What was given, and what was assumed ---- */

/* What was given of runs. */
typedef struct pm_given {
  uint64_t fields;      /* a bit for each field of the run's record type, in its order, up to the 64th */
  int32_t global_batch; /* 1: `batch` is the number of samples per step over all data-parallel ranks */
  uint64_t more;        /* likewise from the 65th on */
} pm_given;

/* 1 if the field at that place of the record type was given. */
PM_INLINE int pm_given_has(const pm_given *given, int place)
{
  return (int)((place < 64 ? given->fields >> place : given->more >> (place - 64)) & 1);
}

/* Says that a field of records of that type ("run" or "inference_run") was given. PM_STATUS_NOT_FOUND without such a
** field. */
PM_API int pm_given_add(pm_given *given, const char *type, const char *field);

/* A value that was not given. */
#define PM_ASSUMPTION_FIELDS(X)                                                                                        \
  X(TEXT, field, "", "field of the run, or framework or attention")                                                    \
  X(TEXT, value, "", "assumed value")                                                                                  \
  X(TEXT, reason, "", "why")

typedef struct pm_assumption { PM_ASSUMPTION_FIELDS(PM_DECLARE) } pm_assumption;

/* Rows that hold the assumptions of any run. */
enum { PM_ASSUMPTIONS_MAX = 16 };

/* Assumptions in one line: "8 GPUs, bf16, adamw, micro-batch 1, pytorch-2.4 with fused attention"; empty if nothing
** was. Returns `text`. */
PM_API const char *pm_assumptions_format(const pm_assumption *rows, int count, char *text, size_t size);

/* GPUs and nodes of a run by the rules of a study (study.h): `gpus` without nodes is the total. PM_OK, or
** PM_STATUS_TOO_MANY_GPUS for a total that fills no whole nodes. */
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
