/*
** Frameworks: what the software between a network and the GPUs adds to kernels and collectives.
**
** A profile is a record of facts (which layout, whether passes are fused, how gradients are summed) and of a few fitted
** constants (host time per kernel and per step, jitter, what a coordinator takes). How fast kernels are on top of that
** belongs to the generation of the GPU libraries, not to the framework: a record of its own, pm_cudnn_generation. Every
** number says in the catalogue whether it is fitted (and on which rows), a fact, a default or a guess.
**
**     pm_framework_profile profile;
**     pm_catalog_get_framework(catalog, "pt-nchw", &profile, &error);      or "tf1-nchw@cudnn6": with another cuDNN
**       generation
*/
#ifndef PERFMODEL_FRAMEWORK_H
#define PERFMODEL_FRAMEWORK_H

#include "attention.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When gradients are exchanged. */
#define PM_OVERLAP_LIST(X)                                                                                \
  X(NONE, "none", "communication starts when the whole backward pass is done")                            \
  X(BACKWARD, "backward", "communication overlaps with the backward pass: bucket by bucket with a framework, " \
                          "ideally without")                                                              \
  X(FRAMEWORK, "framework", "the framework's own; none without a framework")                              \
  X(PASSES, "passes", "like backward; also overlaps the gathering of sharded weights with the next forward pass")

typedef enum pm_overlap {
#define PM_OVERLAP_ENUM(name, text, doc) PM_OVERLAP_##name,
  PM_OVERLAP_LIST(PM_OVERLAP_ENUM)
#undef PM_OVERLAP_ENUM
  PM_OVERLAP_COUNT
} pm_overlap;

/* Parallelism: how GPUs share the work. */
#define PM_PARALLELISM_LIST(X)                                                                                       \
  X(FRAMEWORK, "framework", "the framework's own; all-reduce without a framework")                                   \
  X(ALL_REDUCE, "all-reduce", "data parallelism, a process for each GPU: gradients summed by all-reduce")            \
  X(SINGLE_PROCESS, "single-process",                                                                                  \
    "data parallelism in one process: weights broadcast from GPU 0, gradients reduced to it")                          \
  X(PARAMETER_SERVER, "parameter-server", "data parallelism: the CPUs of the node keep and update the weights")      \
  X(ASYNCHRONOUS, "async", "parameter server without a barrier: weights are some updates old")                       \
  X(TENSOR, "tensor-parallel", "the channels of every layer are split over the GPUs")                                \
  X(PIPELINE, "pipeline-parallel", "every GPU has some of the layers; micro-batches pass through them")              \
  X(HYBRID, "hybrid", "convolutions data-parallel, linear layers tensor-parallel")

typedef enum pm_parallelism {
#define PM_PARALLELISM_ENUM(name, ...) PM_PARALLELISM_##name,
  PM_PARALLELISM_LIST(PM_PARALLELISM_ENUM)
#undef PM_PARALLELISM_ENUM
  PM_PARALLELISM_COUNT
} pm_parallelism;

/* The basis of a framework's constants. */
#define PM_EVIDENCE_LIST(X)                                                                                     \
  X(NONE, "none", "no framework: kernels and collectives only")                                                 \
  X(UNCALIBRATED, "uncalibrated", "assumed: no measured training rate of this framework was fitted")            \
  X(DOCUMENTS, "documents", "fitted to training rates of the source documents")                                 \
  X(FITTED, "fitted", "fitted to training rates other than those of the source documents")

typedef enum pm_evidence {
#define PM_EVIDENCE_ENUM(name, text, doc) PM_EVIDENCE_##name,
  PM_EVIDENCE_LIST(PM_EVIDENCE_ENUM)
#undef PM_EVIDENCE_ENUM
  PM_EVIDENCE_COUNT
} pm_evidence;

/* A generation of the GPU libraries (cuDNN, cuBLAS). */
#define PM_CUDNN_GENERATION_FIELDS(X)                                                                          \
  X(TEXT, id, "", "short stable name")                                                                    \
  X(TEXT, name, "", "releases and time that it stands for")                                               \
  X(TEXT, like, "", "id of the generation from which it has what it does not state")                     \
  X(REAL, simt_factor, "1", "time of matrix kernels on FP32 cores over that of the kernel model")         \
  X(REAL, tensor_factor, "1", "time of matrix kernels on tensor cores over that of the kernel model")     \
  X(YES_NO, no_winograd, "", "its convolutions have no Winograd transforms")                              \
  X(YES_NO, no_weight_winograd, "", "gradients of weights have none")                                     \
  X(YES_NO, odd_channels_padded, "", "tensor cores take channels that are no multiple of 8, padded")      \
  X(YES_NO, grouped_kernels, "", "groups of channels have kernels of their own where tensor cores are") \
  X(YES_NO, aligned_products, "",                                                                                      \
    "tensor cores multiply only matrices whose sides are multiples of 16 bytes: cuBLAS before 11")                     \
  X(TEXT, since, "", "month of the first containers and packages with it: 2024-03")                       \
  X(TEXT, architectures, "", "architectures of GPUs that it runs on, separated by spaces; any if not given") \
  X(ERA, nccl, "", "NCCL generation of the containers with it, which a framework of a month has") \
  X(TEXT, calibrated_on, "", "architectures of the rows that ran it, separated by spaces") \
  X(REAL, group_gradient, "1",                                                                                        \
    "gradients of groups of 16-bit channels that lie side by side (NHWC), in a width without a kernel of its own (4, " \
    "8, 16, 32): rate over the FP32 peak, in tiles of 128 channels; as others if not given")                          \
  X(REAL, group_data_width, "1",                                                                                       \
    "largest group width, a multiple of 8, with kernels for the gradient of the data")                                \
  X(YES_NO, group_gradients, "", "such groups have kernels in every width")                                            \
  X(YES_NO, no_dilated, "", "tensor cores do not take dilated windows")                                                \
  X(YES_NO, single_channels, "",                                                                                       \
    "forward, groups of channels run in the kernel of channels alone, for want of one of their own")                  \
  X(TEXT, group_gradient_on, "", "architectures of the rows behind group_gradient, separated by blanks")

typedef struct pm_cudnn_generation { PM_CUDNN_GENERATION_FIELDS(PM_DECLARE) } pm_cudnn_generation;

/* A time or bandwidth that is not given is that of something that costs nothing. */
#define PM_FRAMEWORK_FIELDS(X)                                                                                    \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "full name")                                                                                  \
  X(TEXT, versions, "", "releases that it stands for")                                                            \
  X(TEXT, cudnn, "", "id of the cuDNN generation that it runs with unless another is named")                         \
  X(EVIDENCE, evidence, "", "basis of its constants")                                                             \
  X(TEXT, like, "", "id of the framework of the same code, from which it has what it does not state") \
  X(REAL, kernel_time, "s", "host time to launch one kernel")                                                     \
  X(REAL, step_time, "s", "further host time of a step, for each accumulated batch")                              \
  X(REAL, straggler, "1", "spread of the step times of one GPU, over their mean")                                 \
  X(REAL, waited_straggler, "1",                                                                                  \
    "spread of the time of calls whose results the host waits for, sample by sample, over its mean")              \
  X(REAL, update_kernels, "1", "optimizer kernels for each parameter tensor; 1 if not given")                     \
  X(REAL, simt_factor, "1", "instead of the cuDNN generation's factor on FP32 cores")                                  \
  X(REAL, tensor_factor, "1", "instead of the cuDNN generation's factor on tensor cores")                              \
  X(REAL, framework_kernel_factor, "1",                                                                                \
    "time of framework kernels (norms of rows, dropout, softmax) over that of the kernel model")                       \
  X(YES_NO, layout_fp16, "", "whether tensor-core convolutions transpose their tensors to another layout and back") \
  X(YES_NO, layout_tf32, "", "whether those in TF32 do")                                                          \
  X(YES_NO, layout_fp32, "", "whether convolutions on other cores do")                                            \
  X(YES_NO, fused, "", "whether normalisation, activation and addition are one pass")                             \
  X(YES_NO, eager, "", "whether norms, dropout, softmax and the like are run operation by operation")             \
  X(PARALLELISM, parallelism, "", "how its GPUs share the work")                                                  \
  X(OVERLAP, overlap, "", "whether gradients are summed during the backward pass")                                \
  X(ERA, nccl, "", "NCCL generation: that of its collective library")                                                \
  X(REAL, workspace, "B", "memory that the transforms of a convolution may take, at most; unlimited if not given")  \
  X(REAL, bucket, "B", "gradients that are summed together")                                                      \
  X(REAL, gradient, "B", "bytes of a gradient as it travels, but for FP64; as it is stored if not given")              \
  X(REAL, gradient_fp16, "B", "the same in FP16; gradient if not given")                                          \
  X(REAL, tensor_overlap, "1", \
    "share of tensor-parallel exchanges that overlaps with matrix multiplications; default 0") \
  X(REAL, attention_factor, "1",                                                                                       \
    "time of attention in one kernel over that of the kernel model: older generations of it; 1 if not given")          \
  X(REAL, wide_attention_factor, "1", "more, on tensor cores wider than attention_width; 1 if not given")              \
  X(REAL, attention_width, "FLOP",                                                                                     \
    "FLOP per clock of the widest tensor core whose instructions its attention uses; of any if not given")             \
  X(YES_NO, gathers_late, "", "whether sharded weights are gathered when they are needed, not while others are used")  \
  X(YES_NO, hops_block, "",                                                                                            \
    "whether a GPU waits for each transfer between pipeline stages instead of running another chunk")                \
  X(REAL, hop_time, "s",                                                                                               \
    "host time of each hop of a pipeline that is waited for: until the device is done, and the next pass starts")      \
  X(YES_NO, pads_products, "",                                                                                         \
    "whether it pads matrices to multiples of 16 bytes: XLA for GEMMs, Megatron-LM for vocabularies") \
  X(YES_NO, bias_in_product, "",                                                                                       \
    "whether the product of a linear layer adds its bias, which no other kernel then does")                            \
  X(YES_NO, launches_experts, "", "whether GEMMs of experts are launched one by one, not all of a layer at once") \
  X(YES_NO, fuses_accumulation, "",                                                                                    \
    "whether each micro-batch adds to gradients in buffers of their own, which products of gradients of weights do")   \
  X(REAL, shard_bandwidth, "1", "share of the bandwidth that gathering and reducing shards gets; 1 if not given")      \
  X(REAL, coordinator_time, "s", "host time that each further rank on other nodes costs a step")                  \
  X(REAL, host_copy_bandwidth, "B/s",                                                                                  \
    "bandwidth of the host's copy of a step's inputs, before it starts; prefetched if unlimited")                      \
  X(REAL, variable_time, "s", "host time for each variable and GPU with a parameter server")                      \
  X(REAL, server_memory, "B/s", "memory bandwidth that the server's update gets")                                 \
  X(TEXT, loader, "", "id of the loader that it reads with")                                                      \
  X(TEXT, memory, "", "id of its memory profile")                                                                 \
  X(YES_NO, inference_only, "", "whether it cannot train")                                                        \
  X(REAL, min_batch, "1", "smallest batch of the rows that its constants were fitted on")                            \
  X(REAL, max_batch, "1", "largest batch of these rows")                                                             \
  X(REAL, max_gpus, "1", "most GPUs of these rows")                                                                  \
  X(TEXT, calibrated_on, "", "architectures of these rows, separated by spaces")                                     \
  X(TEXT, fitted_to, "", "sources, documents or tables that its host times were fitted to, separated by spaces")     \
  X(INT, rows, "1", "rows of these that they were fitted on; 0 if not said")                                      \
  X(TEXT, date, "", "when that was done: 2026-11")                                                                \
  X(TEXT, since, "", "month of its first release, or of NVIDIA's first container with it: 2024-06")                 \
  X(ATTENTION, attention, "", "implementation of attention where networks leave it open; unfused if not given")  \
  X(YES_NO, tf32_convolutions, "", "whether convolutions of FP32 networks run in TF32 where the GPU has it")      \
  X(REAL, bucket_per_rank, "B", "bucket size per rank, where that is more than the bucket; none if not given")       \
  X(YES_NO, fuses_convolutions, "",                                                                                    \
    "whether convolutions take in the fixed norm and the activation behind them, forward and backward; needs fused")

typedef struct pm_framework { PM_FRAMEWORK_FIELDS(PM_DECLARE) } pm_framework;

/* A framework with a cuDNN generation, ready for a plan. */
typedef struct pm_framework_profile {
  pm_framework framework;
  pm_cudnn_generation cudnn;
  pm_prediction_interval interval;
  pm_memory_profile memory;
} pm_framework_profile;

/* ---- Inference --------------------------------------------------------------------------------------------------- */

/* Which operations of a forward pass are run as one kernel. */
#define PM_FUSION_LIST(X)                                                                               \
  X(NONE, "none", "the kernels of a framework, layer by layer")                                         \
  X(PASSES, "passes", "memory-bound kernels that follow each other are one kernel")                       \
  X(GRAPH, "graph", "memory-bound kernels are folded into the convolution or product before them")

typedef enum pm_fusion {
#define PM_FUSION_ENUM(name, text, doc) PM_FUSION_##name,
  PM_FUSION_LIST(PM_FUSION_ENUM)
#undef PM_FUSION_ENUM
  PM_FUSION_COUNT
} pm_fusion;

/* How a framework or an engine runs a forward pass. Fitted or assumed, never a datasheet. Times that are NAN are none,
** factors that are NAN are 1. */
#define PM_INFERENCE_PROFILE_FIELDS(X)                                                                            \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "full name, with the versions it stands for")                                                 \
  X(TEXT, framework, "", "id of the framework whose constants stand where none are given")                        \
  X(TEXT, memory, "", "id of its memory profile; the framework's if not given")                                   \
  X(ORIGIN, origin, "", "basis of its constants")                                                                 \
  X(FUSION, fusion, "", "which layers are run together")                                                          \
  X(REAL, launch, "s", "host time of launching one kernel")                                                       \
  X(REAL, step_time, "s", "further host time of a call")                                                          \
  X(REAL, simt_factor, "1", "time of convolutions on the FP32 cores over that of the kernel model")               \
  X(REAL, tensor_factor, "1", "time of convolutions on the tensor cores over that of the kernel model")           \
  X(REAL, framework_kernel_factor, "1", "time of framework kernels over that of the kernel model")      \
  X(YES_NO, convert_simt, "", "whether convolutions on the FP32 cores convert the layout of both ends")           \
  X(YES_NO, convert_tensor, "", "whether convolutions on the tensor cores in FP16 convert the layout of both ends") \
  X(YES_NO, convert_tf32, "", "whether convolutions on the tensor cores in TF32 do")                              \
  X(YES_NO, fused, "", "whether batch norms take in the activation or sum behind them, without fusion of a graph") \
  X(YES_NO, eager, "", "whether layers of transformers run operation by operation, without fusion of a graph")    \
  X(YES_NO, no_winograd, "", "whether its library's convolutions have no Winograd transforms")                     \
  X(YES_NO, no_grouped, "", "whether its library runs groups of channels one by one on tensor cores")              \
  X(YES_NO, no_padding, "", "whether its library keeps channels that are no multiple of 8 off the tensor cores")   \
  X(YES_NO, aligned_products, "",                                                                                      \
    "whether its library keeps GEMMs whose sides are not multiples of 16 bytes off the tensor cores")               \
  X(YES_NO, pads_products, "", "whether it pads matrices to multiples of 16 bytes") \
  X(YES_NO, bias_in_product, "", "whether the product of a linear layer adds its bias, without fusion of a graph") \
  X(YES_NO, casts, "", "whether each call converts weights from FP32 to its precision") \
  X(REAL, spread, "1", "spread of measured over predicted, of any rate; the catalogue's if not given")            \
  X(REAL, spread_extrapolated, "1", "factor of the spread where a prediction is extrapolated")                     \
  X(REAL, spread_not_calibrated, "1", "factor of the spread where it is not calibrated")                           \
  X(TEXT, architectures, "", "architectures of GPUs that its libraries run on, separated by spaces; any if not given") \
  X(TEXT, calibrated_on, "", "architectures of the rows that ran it, separated by spaces") \
  X(TEXT, like, "", "id of the profile from which it has what it does not state")                                    \
  X(REAL, spread_convolution, "1", "more, of the time in convolutions")                                                \
  X(REAL, spread_product, "1", "more, of the time in other matrix multiplications and attention") \
  X(REAL, spread_passes, "1", "more, of the time in memory-bound kernels and conversions")                          \
  X(REAL, spread_host, "1", "more, of the time that the host adds")                                               \
  X(ATTENTION, attention, "",                                                                                          \
    "implementation of attention where networks leave it open; as its framework if not given")                         \
  X(YES_NO, tf32_convolutions, "",                                                                                     \
    "whether convolutions of FP32 networks run in TF32 where the GPU has it; as its framework if not given")           \
  X(REAL, spread_groups, "1", "more, of networks with convolutions of groups of channels; of several kinds the most")  \
  X(REAL, spread_sound, "1", "more, of networks with convolutions of one dimension")                                   \
  X(REAL, spread_volumes, "1", "more, of networks with convolutions of three")                                         \
  X(REAL, spread_recurrent, "1", "more, of networks with recurrent layers")                                            \
  X(REAL, spread_proposals, "1", "more, of networks whose host chooses among results of the GPU")                      \
  X(REAL, spread_tables, "1", "more, of networks most of whose parameters are looked up") \
  X(YES_NO, single_channels, "", "whether its library runs groups of channels as channels alone")                      \
  X(YES_NO, no_dilated, "", "whether its library keeps dilated windows off the tensor cores")                      \
  X(REAL, comparison, "s",                                                                                             \
    "host time to compare two boxes, where one core of it decides which detections stay; none if not given")

typedef struct pm_inference_profile { PM_INFERENCE_PROFILE_FIELDS(PM_DECLARE) } pm_inference_profile;

/* Where nobody measured inference, a kernel takes this share of its host time in training: no gradient is booked.
** Rule. */
#define PM_INFERENCE_LAUNCH_SHARE 0.6

/* The framework of whoever names none: PyTorch, of the newest generation that fits the GPU (docs/your-framework.md). */
#define PM_FRAMEWORK_DEFAULT "pytorch"

/* Bytes that hold any text on what a framework rests on, the final zero included. */
enum { PM_FRAMEWORK_BASIS_MAX = 320 };

/* What the constants of a framework rest on, in words: "fitted to 5 rows of own.csv, 2026-11". Returns `text`, which
** has room for PM_FRAMEWORK_BASIS_MAX bytes. */
PM_API const char *pm_framework_format_basis(const pm_framework *framework, char *text);

#ifdef __cplusplus
}
#endif
#endif
