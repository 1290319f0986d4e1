/*
** Frameworks: the overhead of software on kernels and collectives.
**
** A profile is a record of facts (which layout, whether kernels are fused, how gradients are summed) and of a few
** fitted constants (host time per kernel and per step, jitter, time of a coordinator). The speed of kernels belongs to
** the generation of the GPU libraries, not to the framework: a separate record, pm_cudnn_generation. The catalogue
** states for every number whether it is fitted (and on which rows), a fact, a default or a guess.
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
  X(NONE, "none", "communication starts after the whole backward pass")                                                \
  X(BACKWARD, "backward", "communication overlaps with the backward pass: bucket by bucket with a framework, "         \
    "ideally without one")                                                                                             \
  X(FRAMEWORK, "framework", "the framework's default; none without a framework")                                       \
  X(PASSES, "passes", "like backward; gathering of sharded weights also overlaps with the next forward pass")

typedef enum pm_overlap {
#define PM_OVERLAP_ENUM(name, text, doc) PM_OVERLAP_##name,
  PM_OVERLAP_LIST(PM_OVERLAP_ENUM)
#undef PM_OVERLAP_ENUM
  PM_OVERLAP_COUNT
} pm_overlap;

/* Parallelism: how GPUs share the work. */
#define PM_PARALLELISM_LIST(X)                                                                                       \
  X(FRAMEWORK, "framework", "the framework's default; all-reduce without a framework")                                 \
  X(ALL_REDUCE, "all-reduce", "data parallelism, one process per GPU: gradients summed by all-reduce")                 \
  X(SINGLE_PROCESS, "single-process",                                                                                  \
    "data parallelism in one process: weights broadcast from GPU 0, gradients reduced to it")                          \
  X(PARAMETER_SERVER, "parameter-server", "data parallelism: the CPUs of the node keep and update the weights")      \
  X(ASYNCHRONOUS, "async", "parameter server without a barrier: weights are some updates old")                       \
  X(TENSOR, "tensor-parallel", "the channels of every layer are sharded over the GPUs")                                \
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
  X(TEXT, name, "", "releases and time that it represents")                                                            \
  X(TEXT, like, "", "id of the generation that provides the values not stated here")                                   \
  X(REAL, simt_factor, "1", "time of matrix kernels on FP32 cores, over the kernel model's")                           \
  X(REAL, tensor_factor, "1", "time of matrix kernels on tensor cores, over the kernel model's")                       \
  X(YES_NO, no_winograd, "", "convolutions do not use Winograd transforms")                                            \
  X(YES_NO, no_weight_winograd, "", "weight gradients do not use Winograd transforms")                                 \
  X(YES_NO, odd_channels_padded, "", "channel counts that are not multiples of 8 are padded for tensor cores")         \
  X(YES_NO, grouped_kernels, "", "grouped convolutions have their own kernels on GPUs with tensor cores")              \
  X(YES_NO, aligned_products, "",                                                                                      \
    "tensor cores multiply only matrices whose sides are multiples of 16 bytes: cuBLAS before 11")                     \
  X(TEXT, since, "", "month of the first containers and packages with it: 2024-03")                       \
  X(TEXT, architectures, "", "GPU architectures that it runs on, separated by spaces; any if not given")               \
  X(ERA, nccl, "", "NCCL generation of the containers that ship it, used for a framework of that month")               \
  X(TEXT, calibrated_on, "", "GPU architectures of its measured rows, separated by spaces")                            \
  X(REAL, group_gradient, "1",                                                                                        \
    "gradients of grouped 16-bit convolutions in NHWC with a group width that has no kernel (widths with one: 4, 8, "  \
      "16, 32): rate over the FP32 peak, in tiles of 128 channels; like others if not given")                          \
  X(REAL, group_data_width, "1",                                                                                       \
    "largest group width, a multiple of 8, with kernels for the data gradient")                                        \
  X(YES_NO, group_gradients, "", "grouped convolutions in NHWC have gradient kernels for every width")                 \
  X(YES_NO, no_dilated, "", "tensor cores do not run dilated convolutions")                                            \
  X(YES_NO, single_channels, "",                                                                                       \
    "the forward pass of grouped convolutions runs in the depthwise kernel, because they have no kernel of their own") \
  X(TEXT, group_gradient_on, "",                                                                                       \
    "GPU architectures of the rows that group_gradient was fitted to, separated by spaces")                            \
  X(REAL, group_launch, "s",                                                                                           \
    "host time for each further group of a 16-bit convolution, forward, if the software compiles its graph")           \
  X(YES_NO, no_grouped_tf32, "", "grouped convolutions have no kernels of their own in TF32")

typedef struct pm_cudnn_generation { PM_CUDNN_GENERATION_FIELDS(PM_DECLARE) } pm_cudnn_generation;

/* A time or bandwidth that is not given costs nothing. */
#define PM_FRAMEWORK_FIELDS(X)                                                                                    \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "full name")                                                                                  \
  X(TEXT, versions, "", "releases that it represents")                                                                 \
  X(TEXT, cudnn, "", "id of its default cuDNN generation")                                                             \
  X(EVIDENCE, evidence, "", "basis of its constants")                                                             \
  X(TEXT, like, "", "id of the framework of the same code that provides the values not stated here")                   \
  X(REAL, kernel_time, "s", "host time to launch one kernel")                                                     \
  X(REAL, step_time, "s", "additional host time of a step, per accumulated batch")                                     \
  X(REAL, straggler, "1", "standard deviation of the step times of one GPU, over their mean")                          \
  X(REAL, waited_straggler, "1",                                                                                  \
    "standard deviation of the time of calls whose results the host waits for, sample by sample, over its mean")       \
  X(REAL, update_kernels, "1", "optimizer kernels per parameter tensor; 1 if not given")                               \
  X(REAL, simt_factor, "1", "instead of the cuDNN generation's factor on FP32 cores")                                  \
  X(REAL, tensor_factor, "1", "instead of the cuDNN generation's factor on tensor cores")                              \
  X(REAL, framework_kernel_factor, "1",                                                                                \
    "time of framework kernels (row norms, dropout, softmax), over the kernel model's")                                \
  X(YES_NO, layout_fp16, "", "whether FP16 convolutions on tensor cores convert the layout of their tensors")          \
  X(YES_NO, layout_tf32, "", "whether TF32 convolutions on tensor cores do")                                           \
  X(YES_NO, layout_fp32, "", "whether convolutions on other cores do")                                            \
  X(YES_NO, fused, "", "whether normalisation, activation and addition are one kernel")                                \
  X(YES_NO, eager, "", "whether norms, dropout, softmax and similar layers run operation by operation")                \
  X(PARALLELISM, parallelism, "", "how its GPUs share the work")                                                  \
  X(OVERLAP, overlap, "", "whether gradients are summed during the backward pass")                                \
  X(CONTEXT_EXCHANGE, context_exchange, "",                                                                            \
    "exchange of keys and values in context parallelism by default; all-gather if not given")                          \
  X(ERA, nccl, "", "NCCL generation of its collective library")                                                        \
  X(REAL, workspace, "B", "workspace limit of convolution transforms; unlimited if not given")                         \
  X(REAL, bucket, "B", "gradients that are summed together")                                                      \
  X(REAL, gradient, "B", "bytes of an exchanged gradient, except in FP64; as stored if not given")                     \
  X(REAL, gradient_fp16, "B", "bytes of an exchanged gradient in FP16; as gradient if not given")                      \
  X(REAL, tensor_overlap, "1", \
    "share of tensor-parallel exchanges that overlaps with matrix multiplications; default 0") \
  X(REAL, attention_factor, "1",                                                                                       \
    "time of fused attention over the kernel model's, for older generations of it; 1 if not given")                    \
  X(REAL, wide_attention_factor, "1", "additional factor on tensor cores wider than attention_width; 1 if not given")  \
  X(REAL, attention_width, "FLOP",                                                                                     \
    "FLOP per clock of the widest tensor core whose instructions its attention uses; any if not given")                \
  X(YES_NO, gathers_late, "", "whether sharded weights are gathered when needed, not ahead of time")                   \
  X(YES_NO, hops_block, "",                                                                                            \
    "whether a GPU waits for each transfer between pipeline stages instead of running another chunk")                \
  X(REAL, hop_time, "s",                                                                                               \
    "host time of each blocking pipeline transfer, until the device is done and the next pass starts")                 \
  X(YES_NO, pads_products, "",                                                                                         \
    "whether it pads matrices to multiples of 16 bytes: XLA for GEMMs, Megatron-LM for vocabularies") \
  X(YES_NO, bias_in_product, "",                                                                                       \
    "whether the GEMM of a linear layer adds the bias, without a separate kernel")                                     \
  X(YES_NO, launches_experts, "", "whether GEMMs of experts are launched one by one, not all of a layer at once") \
  X(YES_NO, fuses_accumulation, "",                                                                                    \
    "whether the weight-gradient GEMMs accumulate micro-batches into separate gradient buffers")                       \
  X(REAL, shard_bandwidth, "1", "share of the bandwidth reached by gathering and reducing shards; 1 if not given")     \
  X(REAL, coordinator_time, "s", "host time per step for each additional rank on other nodes")                         \
  X(REAL, host_copy_bandwidth, "B/s",                                                                                  \
    "bandwidth of the copy of inputs to the GPU before a step; unlimited: prefetched")                                 \
  X(REAL, variable_time, "s", "host time per variable and GPU with a parameter server")                                \
  X(REAL, server_memory, "B/s", "memory bandwidth of the update on a parameter server")                                \
  X(TEXT, loader, "", "id of its data loader")                                                                         \
  X(TEXT, memory, "", "id of its memory profile")                                                                 \
  X(YES_NO, inference_only, "", "whether it cannot train")                                                        \
  X(REAL, min_batch, "1", "smallest batch of the rows that its constants were fitted to")                              \
  X(REAL, max_batch, "1", "largest batch of those rows")                                                               \
  X(REAL, max_gpus, "1", "largest number of GPUs of those rows")                                                       \
  X(TEXT, calibrated_on, "", "GPU architectures of those rows, separated by spaces")                                   \
  X(TEXT, fitted_to, "", "sources, documents or tables that its host times were fitted to, separated by spaces")     \
  X(INT, rows, "1", "rows that its host times were fitted to; 0 if not stated")                                        \
  X(TEXT, date, "", "month of the fit: 2026-11")                                                                       \
  X(TEXT, since, "", "month of its first release, or of NVIDIA's first container with it: 2024-06")                 \
  X(ATTENTION, attention, "", "implementation of attention if the network does not select one; unfused if not given")  \
  X(YES_NO, tf32_convolutions, "", "whether convolutions of FP32 networks run in TF32 if the GPU supports it")         \
  X(REAL, bucket_per_rank, "B", "bucket size per rank, if that is larger than bucket; none if not given")              \
  X(YES_NO, fuses_convolutions, "",                                                                                    \
    "whether convolutions are fused with the following fixed norm and activation, forward and backward; needs fused")  \
  X(REAL, comparison, "s", "host time to compare two boxes, if one core selects the proposals; none if not given") \
  X(YES_NO, shards_experts, "", "whether tensor parallelism shards every expert if the run does not say by how many")

typedef struct pm_framework { PM_FRAMEWORK_FIELDS(PM_DECLARE) } pm_framework;

/* A framework with a cuDNN generation, ready for a plan. */
typedef struct pm_framework_profile {
  pm_framework framework;
  pm_cudnn_generation cudnn;
  pm_prediction_interval interval;
  pm_memory_profile memory;
} pm_framework_profile;

/* ---- Inference --------------------------------------------------------------------------------------------------- */

/* Which operations of a forward pass are fused into one kernel. */
#define PM_FUSION_LIST(X)                                                                               \
  X(NONE, "none", "the kernels of a framework, layer by layer")                                         \
  X(PASSES, "passes", "consecutive memory-bound kernels are one kernel")                                               \
  X(GRAPH, "graph", "memory-bound kernels are folded into the convolution or product before them")

typedef enum pm_fusion {
#define PM_FUSION_ENUM(name, text, doc) PM_FUSION_##name,
  PM_FUSION_LIST(PM_FUSION_ENUM)
#undef PM_FUSION_ENUM
  PM_FUSION_COUNT
} pm_fusion;

/* How a framework or an engine runs a forward pass. Fitted or assumed, never a datasheet. A time that is NAN is zero, a
** factor that is NAN is 1. */
#define PM_INFERENCE_PROFILE_FIELDS(X)                                                                            \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "full name, with the versions it represents")                                                      \
  X(TEXT, framework, "", "id of the framework that provides constants not given here")                                 \
  X(TEXT, memory, "", "id of its memory profile; the framework's if not given")                                   \
  X(ORIGIN, origin, "", "basis of its constants")                                                                 \
  X(FUSION, fusion, "", "which layers are fused")                                                                      \
  X(REAL, launch, "s", "host time of launching one kernel")                                                       \
  X(REAL, step_time, "s", "additional host time of a call")                                                            \
  X(REAL, simt_factor, "1", "time of convolutions on FP32 cores, over the kernel model's")                             \
  X(REAL, tensor_factor, "1", "time of convolutions on tensor cores, over the kernel model's")                         \
  X(REAL, framework_kernel_factor, "1", "time of framework kernels, over the kernel model's")                          \
  X(YES_NO, convert_simt, "", "whether convolutions on FP32 cores convert the layout of input and output")             \
  X(YES_NO, convert_tensor, "", "whether FP16 convolutions on tensor cores convert the layout of input and output")    \
  X(YES_NO, convert_tf32, "", "whether TF32 convolutions on tensor cores do")                                          \
  X(YES_NO, fused, "", "whether batch norms are fused with the following activation or sum, without graph fusion")     \
  X(YES_NO, eager, "", "whether transformer layers run operation by operation, without graph fusion")                  \
  X(YES_NO, no_winograd, "", "whether its library has no Winograd convolutions")                                       \
  X(YES_NO, no_grouped, "", "whether its library runs grouped convolutions group by group on tensor cores")            \
  X(YES_NO, no_padding, "", "whether its library does not use tensor cores for channel counts that are not "           \
    "multiples of 8")                                                                                                  \
  X(YES_NO, aligned_products, "",                                                                                      \
    "whether its library does not use tensor cores for GEMMs whose sides are not multiples of 16 bytes")               \
  X(YES_NO, pads_products, "", "whether it pads matrices to multiples of 16 bytes") \
  X(YES_NO, bias_in_product, "", "whether the GEMM of a linear layer adds its bias, without graph fusion")             \
  X(YES_NO, casts, "", "whether each call converts weights from FP32 to the run's precision")                          \
  X(REAL, spread, "1", "spread of measured over predicted rates; the catalogue's if not given")                        \
  X(REAL, spread_extrapolated, "1", "factor on the spread of extrapolated predictions")                                \
  X(REAL, spread_not_calibrated, "1", "factor on the spread of predictions that are not calibrated")                   \
  X(TEXT, architectures, "", "GPU architectures that its libraries run on, separated by spaces; any if not given")     \
  X(TEXT, calibrated_on, "", "GPU architectures of its measured rows, separated by spaces")                            \
  X(TEXT, like, "", "id of the profile that provides the values not stated here")                                      \
  X(REAL, spread_convolution, "1", "additional spread of the time in convolutions")                                    \
  X(REAL, spread_product, "1", "additional spread of the time in other matrix multiplications and attention")          \
  X(REAL, spread_passes, "1", "additional spread of the time in memory-bound kernels and conversions")                 \
  X(REAL, spread_host, "1", "additional spread of the time that the host adds")                                        \
  X(ATTENTION, attention, "",                                                                                          \
    "implementation of attention if the network does not select one; its framework's if not given")                    \
  X(YES_NO, tf32_convolutions, "",                                                                                     \
    "whether convolutions of FP32 networks run in TF32 if the GPU supports it; its framework's if not given")          \
  X(REAL, spread_groups, "1", "additional spread for networks with grouped convolutions; networks of several kinds "   \
    "have the largest")                                                                                                \
  X(REAL, spread_sound, "1", "additional spread for networks with one-dimensional convolutions")                       \
  X(REAL, spread_volumes, "1", "additional spread for networks with three-dimensional or transposed convolutions")     \
  X(REAL, spread_recurrent, "1", "additional spread for networks with recurrent layers")                               \
  X(REAL, spread_proposals, "1", "additional spread for networks whose host selects among results of the GPU "         \
    "(detectors)")                                                                                                     \
  X(REAL, spread_tables, "1", "additional spread for networks with most parameters in lookup tables (recommenders)")   \
  X(YES_NO, single_channels, "", "whether its library runs grouped convolutions in the depthwise kernel")              \
  X(YES_NO, no_dilated, "", "whether its library does not use tensor cores for dilated convolutions")                  \
  X(REAL, comparison, "s",                                                                                             \
    "host time to compare two boxes, if one core selects the detections; none if not given")            \
  X(REAL, plain_launch, "1",                                                                                           \
    "host time of a call outside cuDNN, over launch, that of convolutions and their norms; 1 if not given")            \
  X(REAL, host_copy_bandwidth, "B/s",                                                                                  \
    "bandwidth of the host's copy of a call's inputs, before it starts; they are on the GPU if not given")             \
  X(REAL, group_launch, "s",                                                                                           \
    "host time for each further group of a 16-bit convolution; none if its library launches all at once")              \
  X(YES_NO, no_grouped_tf32, "", "whether its library has no kernels for grouped convolutions in TF32")

typedef struct pm_inference_profile { PM_INFERENCE_PROFILE_FIELDS(PM_DECLARE) } pm_inference_profile;

/* Without measurements of inference, a kernel takes this share of its host time in training, because there is no
** bookkeeping of gradients. Rule. */
#define PM_INFERENCE_LAUNCH_SHARE 0.6

/* The default framework: PyTorch, of the newest generation that fits the GPU (docs/your-framework.md). */
#define PM_FRAMEWORK_DEFAULT "pytorch"

/* Size of a buffer for any text on the basis of a framework, including the final zero. */
enum { PM_FRAMEWORK_BASIS_MAX = 320 };

/* The basis of a framework's constants, in words: "fitted to 5 rows of own.csv, 2026-11". Returns `text`, which has
** room for PM_FRAMEWORK_BASIS_MAX bytes. */
PM_API const char *pm_framework_format_basis(const pm_framework *framework, char *text);

#ifdef __cplusplus
}
#endif
#endif
