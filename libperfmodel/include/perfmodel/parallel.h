/*
** Parallel training of large networks: how a network is distributed over GPUs. The degrees are fields of a run
** (predict.h): tensor, context, expert, pipeline; data parallelism uses the remaining GPUs.
*/
#ifndef PERFMODEL_PARALLEL_H
#define PERFMODEL_PARALLEL_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which the stages of a pipeline work on micro-batches. */
#define PM_PIPELINE_SCHEDULE_LIST(X)                                                                                  \
  X(ONE_F_ONE_B, "1f1b", "one forward, one backward alternately (PipeDream-flush); interleaved with virtual stages")   \
  X(GPIPE, "gpipe", "all forward passes, then all backward passes")                                                   \
  X(INTERLEAVED, "interleaved", "1f1b with several chunks of layers on each GPU")                                     \
  X(ZB_H1, "zb-h1", "zero bubble, memory of 1f1b: gradients of parameters fill the end of the bubble")                \
  X(ZB_H2, "zb-h2", "zero bubble, up to twice the memory of 1f1b")                                                    \
  X(ZB_V, "zb-v", "zero bubble, two chunks on each GPU in the shape of a V, equal memory on all stages") \
  X(ZB_2P, "zb-2p", "zero bubble, an order found by search, with twice the memory of 1f1b")

typedef enum pm_pipeline_schedule {
#define PM_PIPELINE_SCHEDULE_ENUM(name, text, doc) PM_PIPELINE_SCHEDULE_##name,
  PM_PIPELINE_SCHEDULE_LIST(PM_PIPELINE_SCHEDULE_ENUM)
#undef PM_PIPELINE_SCHEDULE_ENUM
  PM_PIPELINE_SCHEDULE_COUNT
} pm_pipeline_schedule;

/* How layers are distributed to the stages of a pipeline. */
#define PM_STAGE_LAYERS_LIST(X)                                                                                       \
  X(EVEN, "even", "repeated layers evenly, the remainder one each on the first stages; embedding first, head last")    \
  X(BALANCED, "balanced", "embedding and head count as a layer each: the first and last stages have one layer less")

typedef enum pm_stage_layers {
#define PM_STAGE_LAYERS_ENUM(name, text, doc) PM_STAGE_LAYERS_##name,
  PM_STAGE_LAYERS_LIST(PM_STAGE_LAYERS_ENUM)
#undef PM_STAGE_LAYERS_ENUM
  PM_STAGE_LAYERS_COUNT
} pm_stage_layers;

/* How GPUs that shard a sequence exchange keys and values. */
#define PM_CONTEXT_EXCHANGE_LIST(X)                                                                                   \
  X(ALL_GATHER, "all-gather", "keys and values are gathered before attention (Llama 3)")                              \
  X(RING, "ring", "keys and values circulate while attention works on the previous ones (ring attention)")             \
  X(ALL_TO_ALL, "all-to-all", "heads instead of tokens are sharded during attention (Ulysses)")                        \
  X(FRAMEWORK, "framework", "the framework's default; all-gather without one")

typedef enum pm_context_exchange {
#define PM_CONTEXT_EXCHANGE_ENUM(name, text, doc) PM_CONTEXT_EXCHANGE_##name,
  PM_CONTEXT_EXCHANGE_LIST(PM_CONTEXT_EXCHANGE_ENUM)
#undef PM_CONTEXT_EXCHANGE_ENUM
  PM_CONTEXT_EXCHANGE_COUNT
} pm_context_exchange;

/* How the tables of embedding bags are sharded. Each GPU looks up its rows for the samples of all GPUs, and pooled
** vectors are sent to the GPU of their sample. */
#define PM_EMBEDDING_SHARDING_LIST(X)                                                                                 \
  X(AUTO, "auto", "planned if replicated tables do not fit on a GPU")                                                  \
  X(REPLICATED, "replicated", "every GPU has all tables, and their gradients are summed (data parallelism)")          \
  X(PLANNED, "planned", "small tables replicated, others whole on a GPU, large ones split until loads are equal")      \
  X(TABLE, "table", "whole tables: table-wise")                                                                       \
  X(ROW, "row", "some rows of every table: row-wise")                                                                 \
  X(COLUMN, "column", "some columns of every table: column-wise")

typedef enum pm_embedding_sharding {
#define PM_EMBEDDING_SHARDING_ENUM(name, text, doc) PM_EMBEDDING_SHARDING_##name,
  PM_EMBEDDING_SHARDING_LIST(PM_EMBEDDING_SHARDING_ENUM)
#undef PM_EMBEDDING_SHARDING_ENUM
  PM_EMBEDDING_SHARDING_COUNT
} pm_embedding_sharding;

/* How tokens are sent to the GPUs of their experts and back. */
#define PM_EXPERT_DISPATCH_LIST(X)                                                                                    \
  X(ALL_TO_ALL, "all-to-all", "one copy of a token per expert, by one all-to-all")                         \
  X(DEEPEP, "deepep", "one copy of a token per node and per GPU with its experts, forwarded in the node (DeepEP)")

typedef enum pm_expert_dispatch {
#define PM_EXPERT_DISPATCH_ENUM(name, text, doc) PM_EXPERT_DISPATCH_##name,
  PM_EXPERT_DISPATCH_LIST(PM_EXPERT_DISPATCH_ENUM)
#undef PM_EXPERT_DISPATCH_ENUM
  PM_EXPERT_DISPATCH_COUNT
} pm_expert_dispatch;

/* The parts of a step that are captured once and replayed: the host then launches a graph instead of its kernels. */
#define PM_CUDA_GRAPHS_LIST(X)                                                                                        \
  X(NONE, "none", "every kernel is launched separately")                                                               \
  X(LAYERS, "layers", "each repeated layer, forward and backward (Transformer Engine, Megatron Core)")                 \
  X(STEP, "step", "forward and backward pass and the update")

typedef enum pm_cuda_graphs {
#define PM_CUDA_GRAPHS_ENUM(name, text, doc) PM_CUDA_GRAPHS_##name,
  PM_CUDA_GRAPHS_LIST(PM_CUDA_GRAPHS_ENUM)
#undef PM_CUDA_GRAPHS_ENUM
  PM_CUDA_GRAPHS_COUNT
} pm_cuda_graphs;

/* The data kept in host memory instead of GPU memory. Each kind also offloads what the previous ones do. One line for
** each, and its descriptor in src/software/offloading.c. */
#define PM_OFFLOAD_LIST(X)                                                                                            \
  X(NONE, "none", "everything is on the GPU")                                                                         \
  X(OPTIMIZER, "optimizer", "optimizer state and master weights; the CPUs run the update")                             \
  X(GRADIENTS, "gradients", "also gradients, copied to the host during the backward pass (ZeRO-Offload)")              \
  X(PARAMETERS, "parameters", "also weights, copied to the GPU piece by piece (ZeRO-Infinity, FSDP)")

typedef enum pm_offload {
#define PM_OFFLOAD_ENUM(name, text, doc) PM_OFFLOAD_##name,
  PM_OFFLOAD_LIST(PM_OFFLOAD_ENUM)
#undef PM_OFFLOAD_ENUM
  PM_OFFLOAD_COUNT
} pm_offload;

/* A kind of offloading; every trait is stated. */
#define PM_OFFLOADING_FIELDS(X)                                                                                       \
  X(YES_NO, optimizer, "", "whether the host keeps optimizer states and master weights, and runs the update")          \
  X(YES_NO, gradients, "", "whether the host keeps gradients")                                                        \
  X(YES_NO, weights, "", "whether the host keeps weights")                                                            \
  X(INT, zero, "1", "lowest ZeRO stage: below it every GPU sums all gradients, or needs all weights")

typedef struct pm_offloading { PM_OFFLOADING_FIELDS(PM_DECLARE) } pm_offloading;

/* The descriptor of a pm_offload, a constant of the library; NULL for any other number. */
PM_API const pm_offloading *pm_offloading_get(int32_t offload);

/* The order of the ranks: the first kind of parallelism varies fastest. Experts are distributed over the tensor,
** context and data ranks of a stage, in their order. */
#define PM_RANK_ORDER_LIST(X)                                                                                         \
  X(TCDP, "tp-cp-dp-pp", "tensor, context, data, pipeline: as in Megatron-LM")                                         \
  X(TCPD, "tp-cp-pp-dp", "tensor, context, pipeline, data")                                                           \
  X(TDCP, "tp-dp-cp-pp", "tensor, data, context, pipeline")                                                           \
  X(TDPC, "tp-dp-pp-cp", "tensor, data, pipeline, context")                                                           \
  X(TPCD, "tp-pp-cp-dp", "tensor, pipeline, context, data")                                                           \
  X(TPDC, "tp-pp-dp-cp", "tensor, pipeline, data, context")                                                           \
  X(CTDP, "cp-tp-dp-pp", "context, tensor, data, pipeline")                                                           \
  X(CTPD, "cp-tp-pp-dp", "context, tensor, pipeline, data")                                                           \
  X(CDTP, "cp-dp-tp-pp", "context, data, tensor, pipeline")                                                           \
  X(CDPT, "cp-dp-pp-tp", "context, data, pipeline, tensor")                                                           \
  X(CPTD, "cp-pp-tp-dp", "context, pipeline, tensor, data")                                                           \
  X(CPDT, "cp-pp-dp-tp", "context, pipeline, data, tensor")                                                           \
  X(DTCP, "dp-tp-cp-pp", "data, tensor, context, pipeline")                                                           \
  X(DTPC, "dp-tp-pp-cp", "data, tensor, pipeline, context")                                                           \
  X(DCTP, "dp-cp-tp-pp", "data, context, tensor, pipeline")                                                           \
  X(DCPT, "dp-cp-pp-tp", "data, context, pipeline, tensor")                                                           \
  X(DPTC, "dp-pp-tp-cp", "data, pipeline, tensor, context")                                                           \
  X(DPCT, "dp-pp-cp-tp", "data, pipeline, context, tensor")                                                           \
  X(PTCD, "pp-tp-cp-dp", "pipeline, tensor, context, data")                                                           \
  X(PTDC, "pp-tp-dp-cp", "pipeline, tensor, data, context")                                                           \
  X(PCTD, "pp-cp-tp-dp", "pipeline, context, tensor, data")                                                           \
  X(PCDT, "pp-cp-dp-tp", "pipeline, context, data, tensor")                                                           \
  X(PDTC, "pp-dp-tp-cp", "pipeline, data, tensor, context")                                                           \
  X(PDCT, "pp-dp-cp-tp", "pipeline, data, context, tensor")

typedef enum pm_rank_order {
#define PM_RANK_ORDER_ENUM(name, text, doc) PM_RANK_ORDER_##name,
  PM_RANK_ORDER_LIST(PM_RANK_ORDER_ENUM)
#undef PM_RANK_ORDER_ENUM
  PM_RANK_ORDER_COUNT
} pm_rank_order;

#ifdef __cplusplus
}
#endif
#endif
