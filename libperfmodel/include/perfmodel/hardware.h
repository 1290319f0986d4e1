/*
** Hardware: what is on the datasheet.
**
** A GPU, a link and a machine are plain records of datasheet facts. Constants fitted to measurements are in a separate
** record (pm_link_calibration), so facts and fits never mix. A pm_system is a machine with its link graph: vertices
** (GPUs, CPUs, PCIe switches, NVSwitches, NICs) and links between them, each of a type and a count.
**
**     pm_system *system = pm_system_new(&machine, &gpu, &error);
**     pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, &error);  ...
**     pm_system_add_link(system, "gpu0", "gpu1", &nvlink2, &calibration, 2, &error);
**
** Bandwidth of a link is per direction; both directions work at once.
*/
#ifndef PERFMODEL_HARDWARE_H
#define PERFMODEL_HARDWARE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Precisions ---------------------------------------------------------------------------------------------- */

/* name, bytes of a stored element, meaning. Training keeps FP32 master weights below 4 bytes. */
#define PM_PRECISION_LIST(X)                                                                             \
  X(FP64, "fp64", 8, "double precision")                                                                 \
  X(FP32, "fp32", 4, "single precision, no tensor cores")                                                \
  X(TF32, "tf32", 4, "FP32 storage, TF32 tensor cores")                                          \
  X(FP16, "fp16", 2, "mixed precision: FP16 storage and arithmetic (tensor cores if present)")    \
  X(FP16_STORAGE, "fp16-storage", 2, "FP16 storage, FP32 arithmetic")                                    \
  X(BF16, "bf16", 2, "mixed precision: BF16 storage, tensor cores")                              \
  X(FP8, "fp8", 1, "FP8 tensor cores (inference)")                                               \
  X(INT8, "int8", 1, "INT8 arithmetic (inference)")                                                        \
  X(FP4, "fp4", 0.5625, "NVFP4 tensor cores: 4-bit values with an 8-bit scale for every 16")      \
  X(TF32_CONV, "tf32-conv", 4, "FP32 with convolutions in TF32: PyTorch's default for FP32 from Ampere on")

typedef enum pm_precision {
#define PM_PRECISION_ENUM(name, text, bytes, doc) PM_PRECISION_##name,
  PM_PRECISION_LIST(PM_PRECISION_ENUM)
#undef PM_PRECISION_ENUM
  PM_PRECISION_COUNT
} pm_precision;

/* Bytes of one stored element; NAN for a number without a precision. */
PM_API double pm_precision_get_bytes(int precision);

/* The precision of that name (upper or lower case), or -1. */
PM_API int pm_precision_find(const char *name);

/* ---- GPUs ---------------------------------------------------------------------------------------------------- */

/* A GPU as its maker describes it. Rates are dense peaks at the stated clock, without sparsity. Rates that the maker
** does not state, and those of precisions that the GPU does not support, are unknown. */
#define PM_GPU_FIELDS(X)                                                                                          \
  X(TEXT, id, "", "short stable name")                                                                            \
  X(TEXT, name, "", "full name")                                                                                  \
  X(TEXT, architecture, "", "architecture: kepler, maxwell, pascal, volta, turing, ...")                          \
  X(INT, sms, "1", "streaming multiprocessors; compute units of AMD")                                             \
  X(INT, fp32_lanes, "1", "FP32 cores per SM")                                                                    \
  X(INT, fp64_lanes, "1", "FP64 cores per SM")                                                                    \
  X(INT, tensor_cores, "1", "tensor cores per SM; matrix cores of AMD")                                           \
  X(REAL, tensor_core_flop, "FLOP", "FLOP of one tensor core per clock, dense FP16, FP32 accumulate")             \
  X(REAL, clock, "Hz", "boost clock that the peaks are stated at")                                                \
  X(REAL, tensor_clock, "Hz", "clock that the tensor peaks are stated at, if different")                               \
  X(REAL, peak_fp64, "FLOP/s", "peak FP64 rate of the FP64 cores")                                                \
  X(REAL, peak_fp32, "FLOP/s", "peak FP32 rate of the FP32 cores")                                                \
  X(REAL, peak_fp16, "FLOP/s", "peak FP16 rate without tensor cores")                                             \
  X(REAL, peak_fp64_tensor, "FLOP/s", "peak FP64 rate of the tensor cores")                                       \
  X(REAL, peak_fp32_tensor, "FLOP/s", "peak rate of tensor cores that compute in full FP32")                      \
  X(REAL, peak_tf32_tensor, "FLOP/s", "peak dense TF32 rate of the tensor cores")                                 \
  X(REAL, peak_fp16_tensor, "FLOP/s", "peak dense FP16 rate of the tensor cores, FP32 accumulate")                \
  X(REAL, peak_bf16_tensor, "FLOP/s", "peak dense BF16 rate of the tensor cores")                                 \
  X(REAL, peak_fp8_tensor, "FLOP/s", "peak dense FP8 rate of the tensor cores, FP32 accumulate")                  \
  X(REAL, peak_fp4_tensor, "FLOP/s", "peak dense FP4 rate of the tensor cores, FP32 accumulate")                  \
  X(REAL, peak_int8, "FLOP/s", "peak dense INT8 rate, 2 per multiply-accumulate")                                 \
  X(REAL, memory, "B", "device memory as sold")                                                                   \
  X(REAL, memory_bandwidth, "B/s", "peak device memory bandwidth")                                                \
  X(TEXT, memory_type, "", "HBM2, GDDR6, ...")                                                                    \
  X(INT, memory_bus, "1", "width of the memory bus in bits")                                                      \
  X(REAL, memory_rate, "B/s", "data rate of one bit of the memory bus")                                           \
  X(YES_NO, inline_ecc, "", "whether ECC bits share the bandwidth with the data (not with HBM)")                  \
  X(REAL, l2_cache, "B", "L2 cache")                                                                              \
  X(REAL, shared_memory, "B", "largest shared memory per SM")                                                     \
  X(REAL, register_file, "B", "register file per SM")                                                             \
  X(REAL, power, "W", "thermal design power of the board")                                                        \
  X(TEXT, nvlink, "", "id of its NVLink link type; empty without NVLink")                                              \
  X(INT, nvlinks, "1", "number of NVLinks")                                                                       \
  X(TEXT, pcie, "", "id of its host link type")                                                                   \
  X(REAL, held_clock, "Hz", "clock that boards hold under load, if that is above the boost clock")                     \
  X(REAL, reference_power, "W", "power at which boards reach these clocks; unknown: the design power")           \
  X(REAL, most_power, "W", "highest power limit that can be set; unknown: the design power")                      \
  X(REAL, module_power, "W", "design power of its module, CPU and GPU; unknown: no CPU is on it")

typedef struct pm_gpu { PM_GPU_FIELDS(PM_DECLARE) } pm_gpu;

/* Peak rate [FLOP/s] of matrix multiplications at a precision: that of tensor cores if the GPU has them for it; NAN if
** it has no rate. Never with sparsity. */
PM_API double pm_gpu_get_matrix_peak(const pm_gpu *gpu, int precision);

/* ---- Kernels ------------------------------------------------------------------------------------------------- */

/* The basis of constants that are not on datasheets. */
#define PM_ORIGIN_LIST(X)                                                              \
  X(NONE, "none", "no constants")                                                      \
  X(FITTED, "fitted", "fitted to measured kernels of this architecture")               \
  X(RULE, "rule", "derived from another architecture; no kernel of this one was measured")

typedef enum pm_origin {
#define PM_ORIGIN_ENUM(name, text, doc) PM_ORIGIN_##name,
  PM_ORIGIN_LIST(PM_ORIGIN_ENUM)
#undef PM_ORIGIN_ENUM
  PM_ORIGIN_COUNT
} pm_origin;

/* The basis of a prediction, from the most certain to the least. A twin is a GPU of the same chip at the same clock. */
#define PM_CALIBRATION_STATUS_LIST(X)                                                                              \
  X(NONE, "none", "no prediction")                                                                                 \
  X(CALIBRATED, "calibrated", "constants fitted to rows of this GPU or its twin, with these operators and this "       \
    "software")                                                                                                        \
  X(EXTRAPOLATED, "extrapolated",                                                                                  \
    "constants fitted to rows of related GPUs, of the software on other GPUs, or with smaller batches or fewer GPUs")  \
  X(NOT_CALIBRATED, "not-calibrated",                                                                              \
    "constants from rules and datasheets, or software that has no rows or does not run on this GPU")

typedef enum pm_calibration_status {
#define PM_CALIBRATION_STATUS_ENUM(name, text, doc) PM_CALIBRATION_STATUS_##name,
  PM_CALIBRATION_STATUS_LIST(PM_CALIBRATION_STATUS_ENUM)
#undef PM_CALIBRATION_STATUS_ENUM
  PM_CALIBRATION_STATUS_COUNT
} pm_calibration_status;

/* Errors of predicted rates, from the residuals of held-out rows: standard deviations of the logarithm, which add in
** squares. The deviation of a class of work is weighted by its share of the time, and by a factor if the class is
** extrapolated or not calibrated. */
#define PM_PREDICTION_INTERVAL_FIELDS(X)                                                                          \
  X(TEXT, id, "", "the predicted quantity")                                                                       \
  X(TEXT, name, "", "full name")                                                                                  \
  X(REAL, rate, "1", "standard deviation of any prediction")                                                      \
  X(REAL, convolution, "1", "additional deviation of the time in convolutions")                                        \
  X(REAL, product, "1", "additional deviation of the time in other matrix multiplications and attention")              \
  X(REAL, passes, "1", "additional deviation of the time in memory-bound kernels")                                     \
  X(REAL, host, "1", "additional deviation of the time that host and stragglers add")                                  \
  X(REAL, communication, "1", "additional deviation of the time in exposed communication")                             \
  X(REAL, extrapolated, "1", "factor for a class, and for the rate, if extrapolated")                                  \
  X(REAL, not_calibrated, "1", "factor for a class, and for the rate, if not calibrated")                              \
  X(REAL, batch, "1", "additional deviation per factor e of the batch outside the calibrated range")                   \
  X(REAL, gpus, "1", "additional deviation per factor e of GPUs beyond the calibrated range")                          \
  X(REAL, groups, "1", "additional deviation for networks with grouped convolutions; networks of several kinds have "  \
    "the largest")                                                                                                     \
  X(REAL, sound, "1", "additional deviation for networks with one-dimensional convolutions")                           \
  X(REAL, volumes, "1", "additional deviation for networks with three-dimensional or transposed convolutions")         \
  X(REAL, recurrent, "1", "additional deviation for networks with recurrent layers")                                   \
  X(REAL, proposals, "1", "additional deviation for networks whose host selects among results of the GPU (detectors)") \
  X(REAL, tables, "1", "additional deviation for networks with most parameters in lookup tables (recommenders)")

typedef struct pm_prediction_interval { PM_PREDICTION_INTERVAL_FIELDS(PM_DECLARE) } pm_prediction_interval;

/* The basis of the times of a GPU's kernels, by class of operators and cores. Filled for a GPU by
** pm_catalog_get_kernels. */
#define PM_OPERATOR_STATUS_FIELDS(X)                                                                         \
  X(CALIBRATION_STATUS, product_simt, "", "basis of matrix multiplications on FP32 cores")                             \
  X(CALIBRATION_STATUS, product_tensor, "", "basis of matrix multiplications on tensor cores")                         \
  X(CALIBRATION_STATUS, convolution_simt, "", "basis of convolutions on FP32 cores")                         \
  X(CALIBRATION_STATUS, convolution_tensor, "", "basis of convolutions on tensor cores")                               \
  X(CALIBRATION_STATUS, recurrent_simt, "", "basis of recurrent layers on FP32 cores")                       \
  X(CALIBRATION_STATUS, recurrent_tensor, "", "basis of recurrent layers on tensor cores")                             \
  X(CALIBRATION_STATUS, attention, "", "basis of fused attention")                                           \
  X(CALIBRATION_STATUS, passes, "", "basis of memory-bound kernels")

/* The catalogue entry with that basis, of a GPU or, if it has none, of its architecture. */
#define PM_OPERATOR_CALIBRATION_FIELDS(X)                                 \
  X(TEXT, id, "", "id of the GPU, or of the architecture")                \
  X(TEXT, name, "", "full name")                                          \
  PM_OPERATOR_STATUS_FIELDS(X)

typedef struct pm_operator_calibration { PM_OPERATOR_CALIBRATION_FIELDS(PM_DECLARE) } pm_operator_calibration;

/*
** Performance that kernels reach on an architecture: fitted, never from a datasheet.
**
** The first list belongs to the architecture, for its FP32 cores (simt) and its tensor cores. The second holds for
** every architecture; in the catalogue it is the entry "default". An architecture may override its values.
*/
#define PM_KERNEL_ARCHITECTURE_FIELDS(X)                                                                  \
  X(TEXT, id, "", "id of the architecture, or of the chip (its GPUs are aliases)")                        \
  X(TEXT, name, "", "full name")                                                                          \
  X(TEXT, like, "", "id of the architecture that provides values stated neither here nor in the general entry")        \
  X(REAL, energy_factor, "1", "factor on the energies of that architecture; unknown: 1")                               \
  X(ORIGIN, simt_basis, "", "basis of the constants of the FP32 cores")                                   \
  X(REAL, simt_efficiency, "1", "issue efficiency of the FP32 cores")                                     \
  X(REAL, simt_latency_threads, "1", "threads per SM that hide the latency")                              \
  X(REAL, simt_split_threads, "1", "threads per SM up to which the contraction is split")                 \
  X(ORIGIN, tensor_basis, "", "basis of the constants of the tensor cores")                               \
  X(REAL, tensor_efficiency, "1", "issue efficiency of the tensor cores")                                 \
  X(REAL, tensor_latency_threads, "1", "threads per SM that hide the latency")                            \
  X(REAL, tensor_start, "s",                                                                                           \
    "tensor-core product: time until the first tiles have operands and the last are stored; unknown: none")            \
  X(REAL, memory_start, "s", "tensor-core product: time until its first bytes arrive; unknown: none")                  \
  X(REAL, tensor_prologue, "1", "steps of 2-byte numbers to fill and drain a tensor-core tile; unknown: from "         \
    "prologue")                                                                                                        \
  X(REAL, tensor_split_time, "s",                                                                                      \
    "time of the reduction kernel of a split tensor-core product; unknown: no separate kernel, split_time")            \
  X(REAL, row_clocks, "1",                                                                                             \
    "tensor-core products of one two-byte row: clocks per element of the contraction; unknown: like others")           \
  X(REAL, flash_block, "s",                                                                                            \
    "fused attention: start time of a block of queries on an SM; unknown: none, efficiency only")                      \
  X(REAL, flash_score, "1", "fused attention: SM clocks per score, in addition to its products")                       \
  X(REAL, flash_load, "B", "fused attention: keys and values that an SM loads per clock") \
  X(REAL, flash_part, "1", "fused attention: keys of the smallest part") \
  X(REAL, l2_kept, "1", "share of the L2 up to which operands used in rotation are all kept; unknown: none are")       \
  X(REAL, l2_lost, "1", "share of the L2 from which no operands used in rotation are kept")                            \
  X(REAL, tn_growth, "1", "exponent of the time for addresses beyond tn_reach; unknown: no growth")                    \
  X(REAL, tn_unaligned_growth, "1", "exponent of the time for an unaligned operand over twice the L2; unknown: no "    \
    "growth")                                                                                                          \
  X(REAL, rnn_narrow, "1",                                                                                             \
    "narrow product of a recurrent step: clocks per element of the contraction, forward; unknown: no such kernel")     \
  X(REAL, rnn_narrow_backward, "1", "narrow product of a recurrent step: clocks per element, backward")                \
  X(REAL, rnn_narrow_half, "1", "narrow product of a recurrent step: time in two bytes over that in four, forward")    \
  X(REAL, hbm_efficiency, "1", "payload over peak bandwidth of stacked memory (HBM)")                     \
  X(REAL, gddr_efficiency, "1", "payload over peak bandwidth of other memory")                            \
  X(REAL, gddr_ecc_efficiency, "1", "payload over peak bandwidth of memory with inline ECC; unknown: as without")      \
  X(REAL, pass_elements, "1",                                                                                          \
    "elements per clock and SM of a memory-bound kernel on strided channels (NCHW); unknown: unlimited")               \
  X(YES_NO, large_batched_tiles, "", "batched FP32 products have only kernels with the largest tile")                  \
  X(YES_NO, no_weight_winograd, "", "the library of its rows had no Winograd weight gradients")                        \
  X(YES_NO, odd_channels_padded, "", "channel counts that are not multiples of 8 are padded for tensor cores")         \
  PM_OPERATOR_STATUS_FIELDS(X)                                                                            \
  X(ORIGIN, simt_power_basis, "", "basis of the power of the FP32 cores")                                              \
  X(ORIGIN, tensor_power_basis, "", "basis of the power of the tensor cores")                                          \
  X(REAL, idle_power, "1", "power of a waiting board with its clocks up, over its design power")                       \
  X(REAL, simt_power, "1",                                                                                             \
    "power while kernels run on the FP32 cores, without their arithmetic, over the design power; by rule: upper "      \
      "limit")                                                                                                         \
  X(REAL, tensor_power, "1", "power while kernels run on the tensor cores, without their arithmetic, over the "        \
    "design power")                                                                                                    \
  X(REAL, simt_flop_energy, "J/FLOP", "energy of an FP32 FLOP at full clock, above waiting power")                     \
  X(REAL, tensor_flop_energy, "J/FLOP",                                                                                \
    "energy of a 16-bit FLOP on tensor cores at full clock, above tensor_power")                                       \
  X(REAL, steady_flop_energy, "J/FLOP",                                                                                \
    "energy of a 16-bit FLOP in long runs, if kernels were timed in bursts that end before the board's limit acts")    \
  X(INT, threads, "1", "largest number of resident threads per SM")                                                    \
  X(REAL, launch, "s", "launch time of a kernel in a full stream")

/* Constants of the libraries' kernels, the same on every architecture unless it states one; docs/model.md has the
** formulas. */
#define PM_KERNEL_GENERAL_FIELDS(X)                                                                       \
  X(REAL, wave, "1", "cost of an unfinished wave over the SMs, as a share of a full wave")                             \
  X(REAL, prologue, "1", "steps of the contraction to fill and drain a tile")                             \
  X(REAL, prologue_most, "1", "upper limit of prologue on tensor cores")                                               \
  X(REAL, split_least, "1", "smallest part of a split contraction, in steps")                                          \
  X(REAL, split_time, "s", "time to sum the parts of a split contraction")                                             \
  X(REAL, alignment, "1", "factor of FP32 products that are not aligned to 16 bytes")                     \
  X(REAL, tn_alignment, "1", "the same for products with both operands stored along the contraction")                  \
  X(REAL, unaligned_lanes, "1", "largest multiply-adds per clock and SM of tensor cores that load numbers one by "     \
    "one: if sides are not multiples of 16 bytes, and in TF32 products of recurrent layers; unknown: no limit")        \
  X(REAL, tn_reach, "B", "range of addresses that such products reach without delay")                                  \
  X(REAL, l2_bytes, "B", "L2 traffic per clock and SM, for 512 FP16 multiply-adds per clock")             \
  X(REAL, l2_share, "1", "share of the L2 available to rows; half if its two partitions hold copies")                  \
  X(REAL, reread_start, "1", "rows in flight over the L2 at which norms begin to read rows again")       \
  X(REAL, reread_width, "1", "width of the range from there until all rows are read again")                            \
  X(REAL, softmax_reread, "1", "rows in flight over the caches at which softmax reads all rows again")                 \
  X(REAL, softmax_l1, "1", "caches of the SMs over their shared memory")                                 \
  X(REAL, conv_rate, "1", "rate of convolutions over that of products, on FP32 cores")                                 \
  X(REAL, conv_simt_efficiency, "1", "FP32 cores: efficiency of implicit over plain GEMMs")   \
  X(REAL, conv_simt_prologue, "1", "steps of the contraction to fill and drain a tile of convolutions")  \
  X(REAL, conv_simt_latency_threads, "1", "threads per SM that hide the latency of convolutions")        \
  X(REAL, conv_simt_split_threads, "1", "threads per SM up to which a convolution is split")             \
  X(REAL, conv_simt_column, "1", "factor of the data gradient by columns that are summed")                             \
  X(REAL, conv_simt_input, "1", "reads of the tensors in the weight gradient")                                         \
  X(REAL, conv_simt_windows, "1", "share of the unfolded windows that the weight gradient moves")                      \
  X(REAL, conv_simt_result, "1", "accesses of the weight gradient over the minimum")                                   \
  X(REAL, conv_simt_volume, "1", "time of gradients of 3D convolutions, over the formulas'; unknown: 1")               \
  X(REAL, conv_tensor_efficiency, "1", "tensor cores: efficiency of implicit over plain GEMMs")   \
  X(REAL, conv_tensor_latency_threads, "1", "threads per SM that hide the latency of convolutions")      \
  X(REAL, conv_tensor_split_threads, "1", "threads per SM up to which a convolution is split")           \
  X(REAL, conv_tensor_strided, "1", "factor of the data gradient with a stride")                                       \
  X(REAL, conv_tensor_column, "1", "factor of the data gradient by columns that are summed")                           \
  X(REAL, conv_tensor_input, "1", "reads of the tensors in the weight gradient")                                       \
  X(REAL, conv_tensor_windows, "1", "share of the unfolded windows that the weight gradient moves")                    \
  X(REAL, conv_tensor_result, "1", "accesses of the weight gradient over the minimum")                                 \
  X(REAL, conv_tf32_layout, "1",                                                                                       \
    "layout conversions of TF32 convolutions, over those in FP16; unknown: 1")                                         \
  X(REAL, conv_tensor_odd, "1", "rate for channel counts that are not multiples of 8, over the peak of the FP32 "      \
    "cores")                                                                                                           \
  X(REAL, conv_tensor_odd_weight, "1", "factor of their weight gradient")                                              \
  X(REAL, winograd_traffic, "1", "accesses of Winograd transforms of tensors over the minimum")                        \
  X(REAL, winograd_weights, "1", "accesses of Winograd transforms of weights over the minimum")                        \
  X(REAL, winograd_fused, "1", "efficiency of single-kernel Winograd")                                                 \
  X(REAL, winograd_fused_prologue, "1", "channels that fill and drain a block of single-kernel Winograd")              \
  X(REAL, winograd_fused_traffic, "1", "reads and writes of tensors by single-kernel Winograd over the minimum")       \
  X(REAL, winograd_fused_weights, "1", "reads of weights by single-kernel Winograd over the minimum")                  \
  X(REAL, transform_time, "s", "time of a transform kernel")                                                           \
  X(REAL, fft_traffic, "1", "accesses of Fourier transforms over the minimum")                                         \
  X(REAL, direct_efficiency, "1", "efficiency of direct grouped convolutions")                                         \
  X(REAL, depthwise_efficiency, "1", "efficiency of depthwise convolutions, mean of the three passes")                 \
  X(REAL, depthwise_forward, "1", "time of the depthwise forward pass over that mean; unknown: 1")                     \
  X(REAL, group_rate, "1", "rate of products of one group of channels, over that of an ungrouped convolution")         \
  X(REAL, flash_forward, "1", "efficiency of fused attention over plain products, forward")                            \
  X(REAL, flash_backward, "1", "efficiency of fused attention over plain products, backward")                          \
  X(REAL, rnn_l2, "1", "rate of the L2 over that of the memory")                                          \
  X(REAL, rnn_product, "1", "time of a recurrent step's products over that of plain products")                         \
  X(REAL, rnn_pointwise, "1", "accesses of a recurrent step's gates over the minimum")                                 \
  X(REAL, rnn_input, "1", "time of the products with the inputs over that of plain products")                          \
  X(REAL, rnn_backward, "1", "time of a backward step over a forward step")                                            \
  X(REAL, rnn_step_time, "s", "start time of the kernels of a recurrent step")                                         \
  X(REAL, rnn_time, "s", "start time of a recurrent layer")                                                            \
  X(REAL, rnn_weight, "1", "time of the weight gradient over that of a plain product")                                 \
  X(REAL, rnn_weight_time, "s", "start time of the weight gradient")                                                   \
  X(REAL, rnn_persistent_time, "s", "synchronization time of a persistent layer, per step")                            \
  X(REAL, copy_efficiency, "1", "payload of a large copy from or to the host, over the line rate")                     \
  X(REAL, copy_pageable, "1", "copy rate of pageable memory over that of pinned memory")                               \
  X(REAL, copy_time, "s", "time of the smallest copy from or to the host")                                             \
  X(REAL, fastest_simt_factor, "1", "time of convolutions on FP32 cores with the fastest library, over the kernel "    \
    "model's; unknown: the minimum of the catalogue's cuDNN generations")                                              \
  X(REAL, fastest_tensor_factor, "1", "the same on tensor cores")                                                      \
  X(REAL, product_spread, "1",                                                                                         \
    "spread of measured over predicted times of products: standard deviation of the logarithm")                        \
  X(REAL, convolution_spread, "1", "the same for convolutions")                                                        \
  X(REAL, recurrent_spread, "1", "the same for recurrent layers")                                                      \
  X(REAL, attention_spread, "1", "the same for fused attention")                                                       \
  X(REAL, pass_spread, "1", "the same for memory-bound kernels")                                                       \
  X(REAL, spread_extrapolated, "1", "factor on a spread if times are extrapolated")                                    \
  X(REAL, spread_not_calibrated, "1", "factor on a spread if times are not calibrated")                                \
  X(REAL, simt_rule_draw, "J/FLOP",                                                                                  \
    "by rule: power of the FP32 cores above waiting, per FLOP/s of their peak; at most simt_power")                    \
  X(REAL, exchange_power, "1", "power above waiting while GPUs exchange and nothing else runs, over the design power") \
  X(REAL, power_margin, "1", "highest mean power over the power limit")                                                \
  X(REAL, limit_softness, "1", "exponent of the approach to the power limit: a larger one is more abrupt")             \
  X(REAL, limit_free, "1", "largest power over the limit, to that exponent, from which the power without a limit is "  \
    "derived")                                                                                                         \
  X(REAL, limit_fixed, "1", "power that does not depend on the clock, over the design power")                          \
  X(REAL, limit_fixed_most, "1", "upper limit of that power, over the power of a kernel")                              \
  X(REAL, limit_knee, "1", "clock over that at the design power, below which the voltage is constant")                 \
  X(REAL, limit_voltage, "1", "additional exponent of the clock in the power above the knee")                          \
  X(REAL, limit_clocked, "1", "share of a kernel's time that scales with the clock")                                   \
  X(REAL, limit_least, "1", "lowest measured power limit, over the design power")                                      \
  X(REAL, host_cpu_power, "W", "power of a node per CPU socket: CPU, memory, storage")                                 \
  X(REAL, host_power_air, "1", "power of the rest of an air-cooled node, over the design power of its boards") \
  X(REAL, host_power_liquid, "1", "the same for a liquid-cooled node")                                                 \
  X(REAL, node_dense_board, "W", "smallest design power of boards for which a node is built around their cooling")     \
  X(REAL, node_rest_dense, "1", "design power of the rest of such a node, over that of its boards and CPUs")           \
  X(REAL, node_rest_light, "1", "the same for other nodes")                                                            \
  X(REAL, supply_efficiency, "1", "efficiency of the power supplies of a node")                                        \
  X(REAL, power_band_fitted, "1", "80 % of measured powers are within this share of a fitted one")                     \
  X(REAL, power_band_rule, "1", "the same for a power by rule")

/* Both lists: the constants that kernels are timed with. */
#define PM_KERNEL_CALIBRATION_FIELDS(X) PM_KERNEL_ARCHITECTURE_FIELDS(X) PM_KERNEL_GENERAL_FIELDS(X)

/* The entry of the catalogue with the constants of every architecture. */
#define PM_KERNEL_GENERAL_ID "default"

typedef struct pm_kernel_calibration { PM_KERNEL_CALIBRATION_FIELDS(PM_DECLARE) } pm_kernel_calibration;

/* PM_OK, or the constant that is missing or implausible. */
PM_API int pm_kernel_calibration_check(const pm_kernel_calibration *calibration, pm_error *error);

/* ---- Links --------------------------------------------------------------------------------------------------- */

/* Kinds of links, by the name of the standard. */
#define PM_LINK_KIND_LIST(X)                                    \
  X(NVLINK, "nvlink", "NVLink between GPUs, CPUs or switches")  \
  X(PCIE, "pcie", "PCI Express")                                \
  X(XGMI, "xgmi", "AMD Infinity Fabric between GPUs")           \
  X(SMP, "smp", "CPU to CPU: QPI, UPI, X-bus")                  \
  X(INFINIBAND, "infiniband", "InfiniBand, node to node")       \
  X(ETHERNET, "ethernet", "Ethernet, node to node")

typedef enum pm_link_kind {
#define PM_LINK_KIND_ENUM(name, text, doc) PM_LINK_##name,
  PM_LINK_KIND_LIST(PM_LINK_KIND_ENUM)
#undef PM_LINK_KIND_ENUM
  PM_LINK_KIND_COUNT
} pm_link_kind;

/* A type of link, as its specification states it. */
#define PM_LINK_FIELDS(X)                                                                              \
  X(TEXT, id, "", "short stable name")                                                                 \
  X(TEXT, name, "", "full name")                                                                       \
  X(LINK_KIND, kind, "", "nvlink, pcie, xgmi, smp, infiniband or ethernet")                                  \
  X(REAL, bandwidth, "B/s", "line rate of one link, per direction, after line coding")                 \
  X(REAL, flow_bandwidth, "B/s", "bandwidth available to one flow; unlimited: the line rate")                          \
  X(INT, switch_ports, "1", "ports of a switch for such links; 0: unknown")                                            \
  X(REAL, switch_power, "W", "typical power of such a switch with copper cables")

typedef struct pm_link { PM_LINK_FIELDS(PM_DECLARE) } pm_link;

/* Performance that a collective library reaches on a link type. Fitted or read from the library's own tables, never
** from a datasheet. */
#define PM_LINK_CALIBRATION_FIELDS(X)                                                                  \
  X(TEXT, id, "", "id of the link type")                                                               \
  X(REAL, efficiency, "1", "payload over line rate in large collectives")                              \
  X(REAL, hop_latency, "s", "latency of one ring step over this link")                                 \
  X(REAL, base_latency, "s", "fixed latency of a collective whose ring runs over this link")           \
  X(REAL, copy_efficiency, "1", "payload of one large copy over line rate; unknown: efficiency")                       \
  X(REAL, copy_latency, "s", "time of the smallest copy from GPU to GPU over this link")               \
  X(REAL, fabric_latency, "s", "latency that this network adds to every hop between nodes")            \
  X(REAL, tree_share, "1", "payload of a tree between two nodes over that of a ring; unknown: 1")

typedef struct pm_link_calibration { PM_LINK_CALIBRATION_FIELDS(PM_DECLARE) } pm_link_calibration;

/* ---- Collective libraries ------------------------------------------------------------------------------------- */

/* Latencies of one protocol: a fixed part, and one hop by class of link. They are the library's own constants. */
#define PM_PROTOCOL_FIELDS(X)                                                                          \
  X(TEXT, id, "", "ll, ll128 or simple")                                                               \
  X(TEXT, name, "", "full name")                                                                       \
  X(REAL, payload, "1", "share of the link's payload that is data")                                    \
  X(REAL, ring_base, "s", "fixed latency of a ring")                                                   \
  X(REAL, ring_nvlink, "s", "one ring hop over NVLink or xGMI")                                        \
  X(REAL, ring_pcie, "s", "one ring hop over PCIe or between CPUs")                                    \
  X(REAL, ring_network, "s", "one ring hop between nodes")                                             \
  X(REAL, tree_base, "s", "fixed latency of a tree")                                                   \
  X(REAL, tree_nvlink, "s", "one tree hop over NVLink or xGMI")                                        \
  X(REAL, tree_pcie, "s", "one tree hop over PCIe or between CPUs")                                    \
  X(REAL, tree_network, "s", "one tree hop between nodes")

typedef struct pm_protocol { PM_PROTOCOL_FIELDS(PM_DECLARE) } pm_protocol;

/* The library's assumptions about GPUs of one architecture. */
#define PM_TUNING_FIELDS(X)                                                                            \
  X(TEXT, id, "", "architecture of the GPU")                                                           \
  X(TEXT, name, "", "full name")                                                                       \
  X(REAL, ll_one_node, "B/s", "maximum bus bandwidth of protocol LL in one node")                                      \
  X(REAL, ll_two_nodes, "B/s", "the same on two nodes")                                                \
  X(REAL, ll_more_nodes, "B/s", "the same on four or more nodes")                                                      \
  X(YES_NO, ll128, "", "whether protocol LL128 works over its NVLinks")                                \
  X(YES_NO, in_switch, "", "whether NVLink switches reduce and multicast")                             \
  X(REAL, network_overhead, "s", "minimum time of an inner hop of a collective between nodes")

typedef struct pm_tuning { PM_TUNING_FIELDS(PM_DECLARE) } pm_tuning;

/* Constants fitted to measured collectives, by architecture of the GPU. */
#define PM_COLLECTIVE_FIT_FIELDS(X)                                                                    \
  X(TEXT, id, "", "architecture of the GPU")                                                           \
  X(TEXT, name, "", "full name")                                                                       \
  X(REAL, launch, "s", "host time of a launch on each additional GPU of one thread")                                   \
  X(REAL, knee, "1", "how little latency and transfer overlap in an all-reduce in one node")           \
  X(REAL, part_knee, "1", "the same in reduce-scatter and all-gather")                                 \
  X(REAL, chain_knee, "1", "the same in broadcast and reduce")                                         \
  X(REAL, network_knee, "1", "the same between nodes")                                                 \
  X(REAL, network_base, "s", "fixed latency of a collective between nodes, beyond the library's constant")   \
  X(REAL, network_hop, "s", "time of a hop between nodes beyond the library's constant, LL and LL128") \
  X(REAL, network_simple, "s", "a hop between nodes with Simple, instead of the library's constant")    \
  X(REAL, in_switch_efficiency, "1", "payload of in-switch reduction over that of a ring")             \
  X(REAL, in_switch_latency, "s", "latency of in-switch reduction per GPU")                                            \
  X(REAL, in_switch_network, "s", "additional time of in-switch reduction between nodes")                              \
  X(REAL, pairs_latency, "s", "fixed latency of an all-to-all")                                        \
  X(REAL, pairs_rank, "s", "latency of an all-to-all per rank")                                                        \
  X(REAL, pairs_efficiency, "1", "payload of an all-to-all over that of a ring")                       \
  X(REAL, pairs_launch, "1", "host time of an all-to-all per other rank, over a launch")                               \
  X(REAL, chain_rank, "s", "latency of a broadcast or reduce per rank")                                                \
  X(REAL, chain_fill, "s", "time of the first chunk of a broadcast or reduce per additional GPU, Simple")              \
  X(REAL, chunk, "B", "chunk that a chain of NCCL 2.0 to 2.3 passes on")                               \
  X(REAL, old_chunk, "B", "chunk that a chain of NCCL 1 passes on")                                    \
  X(REAL, old_launch, "s", "host time of a launch with NCCL 1")                                        \
  X(REAL, old_most, "B/s", "largest rate that a GPU passes on with NCCL 1.6 to 2.3, over all rings")                   \
  X(REAL, ll_share, "1", "maximum bandwidth of LL, over the library's assumption")                                     \
  X(REAL, ll128_share, "1", "bandwidth of LL128, over the library's assumption")                                       \
  X(REAL, odd_share, "1", "bandwidth of NCCL before 2.4 if parts have an odd number of floats")                        \
  X(REAL, step_share, "1", "time of a step inside the node, over the library's constant")                              \
  X(REAL, base_share, "1", "fixed latency inside the node, over the library's constant")                               \
  X(REAL, local_rate, "B/s", "rate at which a GPU copies its own share of the bytes, while links are idle")            \
  X(REAL, in_switch_knee, "1", "how little latency and transfer overlap in in-switch reduction between nodes") \
  X(REAL, small_deviation, "1", "standard deviation of log(measured / predicted) for messages of a few KB")            \
  X(REAL, middle_deviation, "1", "the same for about 1 MB")                                                            \
  X(REAL, large_deviation, "1", "the same from 64 MB on")                                              \
  X(REAL, channel_launch, "s", "host time of a launch per additional channel")

typedef struct pm_collective_fit { PM_COLLECTIVE_FIT_FIELDS(PM_DECLARE) } pm_collective_fit;

/* ---- Machines and systems ------------------------------------------------------------------------------------ */

/* The basis of a machine's design power. */
#define PM_POWER_BASIS_LIST(X)                                                             \
  X(NONE, "none", "neither its design power nor that of its parts is known")                                           \
  X(PUBLISHED, "published", "stated by the vendor")                                                                    \
  X(PARTS, "parts", "sum of the design powers of its GPUs and CPUs, plus a share for the rest of the node")

typedef enum pm_power_basis {
#define PM_POWER_BASIS_ENUM(name, text, doc) PM_POWER_BASIS_##name,
  PM_POWER_BASIS_LIST(PM_POWER_BASIS_ENUM)
#undef PM_POWER_BASIS_ENUM
  PM_POWER_BASIS_COUNT
} pm_power_basis;

/* A machine, or node, as its maker describes it; its links are the system's. */
#define PM_MACHINE_FIELDS(X)                                                                    \
  X(TEXT, id, "", "short stable name")                                                          \
  X(TEXT, name, "", "full name")                                                                \
  X(TEXT, gpu, "", "id of its GPU")                                                             \
  X(INT, gpus, "1", "number of GPUs")                                                           \
  X(TEXT, topology, "", "how the GPUs are wired, in words")                                     \
  X(YES_NO, staged, "", "whether GPUs reach each other only through host memory")               \
  X(TEXT, cpu, "", "CPU model")                                                                 \
  X(INT, cpu_sockets, "1", "CPU sockets")                                                       \
  X(INT, cpu_cores, "1", "physical cores per socket")                                           \
  X(REAL, cpu_clock, "Hz", "base clock of the CPU")                                             \
  X(REAL, host_memory, "B", "system memory")                                                    \
  X(REAL, storage, "B", "local data storage")                                                   \
  X(REAL, storage_bandwidth, "B/s", "streaming read bandwidth of the local data storage")       \
  X(REAL, power, "W", "design power of the machine: its maximum power")                                                \
  X(REAL, rack_units, "1", "height in rack units")                                              \
  X(REAL, cpu_core_clock, "Hz", "clock of a core while all cores work")                                                \
  X(REAL, cpu_core_work, "1", "instructions of a core per clock, over those of AMD Zen 2")                             \
  X(REAL, host_memory_bandwidth, "B/s", "peak bandwidth of the system memory: channels times rate, all sockets")       \
  X(REAL, cpu_power, "W", "thermal design power of a CPU socket")                               \
  X(POWER_BASIS, power_basis, "", "basis of the machine's design power")           \
  X(INT, hosts, "1", "hosts of one node, each with its own operating system, such as the trays of a rack")             \
  X(YES_NO, liquid_cooled, "", "whether it is liquid-cooled or immersed")                                              \
  X(REAL, host_power, "W", "power of the node without boards, after the power supplies; unknown: by rule")

typedef struct pm_machine { PM_MACHINE_FIELDS(PM_DECLARE) } pm_machine;

/* The ends of links. */
typedef enum pm_vertex_kind {
  PM_VERTEX_GPU,
  PM_VERTEX_CPU,
  PM_VERTEX_SWITCH,   /* PCIe switch */
  PM_VERTEX_NVSWITCH, /* NVLink switch */
  PM_VERTEX_NIC
} pm_vertex_kind;

/* One row of a system's link graph. */
#define PM_EDGE_FIELDS(X)                                                                  \
  X(TEXT, a, "", "one end")                                                                \
  X(TEXT, b, "", "the other end")                                                          \
  X(TEXT, link, "", "id of the link type")                                                 \
  X(INT, count, "1", "parallel links")                                                     \
  X(REAL, bandwidth, "B/s", "line rate per direction, all parallel links together")        \
  X(REAL, payload, "B/s", "bandwidth reached by large collectives, per direction")

typedef struct pm_edge { PM_EDGE_FIELDS(PM_DECLARE) } pm_edge;

/* An opaque handle: a machine, its GPU and its link graph. Only _add_ and _set_ change it; otherwise threads may share
** it. */
typedef struct pm_system pm_system;

/* A system with no vertices yet. Owned by the caller. */
PM_API pm_system *pm_system_new(const pm_machine *machine, const pm_gpu *gpu, pm_error *error);

/* Releases the system; plans and groups made from it must be released first; NULL is allowed. */
PM_API void pm_system_free(pm_system *system);

/* Adds a vertex with a unique name; GPUs are numbered in the order in which they are added. */
PM_API int pm_system_add_vertex(pm_system *system, const char *name, pm_vertex_kind kind, pm_error *error);

/* Joins two vertices by `count` parallel links. A NULL calibration means line rate and no latency, and predictions
** report it. Errors: PM_STATUS_NOT_FOUND (vertex), PM_STATUS_BAD_VALUE (count below 1, joined to itself). */
PM_API int pm_system_add_link(pm_system *system, const char *a, const char *b, const pm_link *link,
                              const pm_link_calibration *calibration, int count, pm_error *error);

/* Sets the network between nodes: `count` links of this type per node. */
PM_API int pm_system_set_network(pm_system *system, const pm_link *link, const pm_link_calibration *calibration,
                                 int count, pm_error *error);

/* Sets the calibrated kernel constants of its GPUs; without them, or with NULL, kernels run at the plain roofline. */
PM_API int pm_system_set_kernels(pm_system *system, const pm_kernel_calibration *calibration, pm_error *error);

/* Those constants, or NULL. */
PM_API const pm_kernel_calibration *pm_system_get_kernels(const pm_system *system);

/* The machine as it was given; lives as long as the system. */
PM_API const pm_machine *pm_system_get_machine(const pm_system *system);

/* Number of nodes for this many GPUs, distributed evenly; 0 if that is impossible. Nodes are filled. In machines whose
** number of GPUs is not a power of two, such as racks of 72, it is the fewest nodes with equal shares of at least half
** a node (256: 4 nodes with 64). */
PM_API int pm_machine_get_nodes(const pm_machine *machine, int gpus);

/* The GPU of the system; lives as long as the system. */
PM_API const pm_gpu *pm_system_get_gpu(const pm_system *system);

/* Number of rows of the link graph: pairs of vertices joined by links of one type. */
PM_API int pm_system_count_edges(const pm_system *system);

/* Row `index` of the link graph, from 0. PM_STATUS_BAD_ARGUMENT past the last. */
PM_API int pm_system_get_edge(const pm_system *system, int index, pm_edge *edge);

/* Network bandwidth of one node per direction, line rate [B/s]; 0 without a network. */
PM_API double pm_system_get_network_bandwidth(const pm_system *system);

/* Id of the type of links between nodes, "" without a network; lives as long as the system. */
PM_API const char *pm_system_get_network_link(const pm_system *system);

/* ---- Datasets, sources: catalogue records without behaviour ----------------------------------------------------- */

/* A training set: number of samples, and their stored size. */
#define PM_DATASET_FIELDS(X)                                                    \
  X(TEXT, id, "", "short stable name")                                          \
  X(TEXT, name, "", "full name")                                                \
  X(REAL, samples, "1", "training samples")                                     \
  X(REAL, validation_samples, "1", "validation samples")                        \
  X(REAL, classes, "1", "classes")                                              \
  X(REAL, size, "B", "stored size")                                             \
  X(REAL, sample_size, "B", "mean stored size of one training sample")          \
  X(REAL, pixels, "1", "mean pixels of one sample, for images")

typedef struct pm_dataset { PM_DATASET_FIELDS(PM_DECLARE) } pm_dataset;

/* A document or repository that is the source of facts and measurements. */
#define PM_SOURCE_FIELDS(X)                                                     \
  X(TEXT, id, "", "key that other entries cite")                                \
  X(TEXT, name, "", "title")                                                    \
  X(TEXT, author, "", "author or publisher")                                    \
  X(INT, year, "1", "year")                                                     \
  X(TEXT, where, "", "document number, report or address")

typedef struct pm_source { PM_SOURCE_FIELDS(PM_DECLARE) } pm_source;

#ifdef __cplusplus
}
#endif
#endif
