/*
** Hardware: what is on the datasheet.
**
** A GPU, a link and a machine are plain records of datasheet facts. What was fitted to measurements lives in a record
** of its own (pm_link_calibration), so that facts and fits never mix. A pm_system is a machine with its link graph:
** vertices (GPUs, CPUs, PCIe switches, NVSwitches, NICs) and links between them, each of a type and a count.
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

/* name, bytes of a stored element, what it means. Training keeps FP32 master weights below 4 bytes. */
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
  X(TF32_CONV, "tf32-conv", 4, "FP32 with convolutions in TF32: what PyTorch makes of FP32 from Ampere on")

typedef enum pm_precision {
#define PM_PRECISION_ENUM(name, text, bytes, doc) PM_PRECISION_##name,
  PM_PRECISION_LIST(PM_PRECISION_ENUM)
#undef PM_PRECISION_ENUM
  PM_PRECISION_COUNT
} pm_precision;

/* Bytes of one stored element; NAN for a number that is no precision. */
PM_API double pm_precision_get_bytes(int precision);

/* The precision of that name (upper or lower case), or -1. */
PM_API int pm_precision_find(const char *name);

/* ---- GPUs ---------------------------------------------------------------------------------------------------- */

/* A GPU as its maker describes it. Rates are peaks at the stated clock, dense, without sparsity; one that the maker
** does not
** state is unknown, and so is a precision that the GPU does not compute in. */
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
  X(REAL, tensor_clock, "Hz", "clock that the tensor peaks are stated at, if it is another")                      \
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
  X(TEXT, nvlink, "", "id of its NVLink link type; empty without NVLink")                                         \
  X(INT, nvlinks, "1", "number of NVLinks")                                                                       \
  X(TEXT, pcie, "", "id of its host link type")                                                                   \
  X(REAL, held_clock, "Hz", "clock that boards hold under load, where that is above the boost clock")             \
  X(REAL, reference_power, "W", "power at which boards reach these clocks; unknown: the design power")           \
  X(REAL, most_power, "W", "highest power limit that can be set; unknown: the design power")                      \
  X(REAL, module_power, "W", "design power of its module, CPU and GPU; unknown: no CPU is on it")

typedef struct pm_gpu { PM_GPU_FIELDS(PM_DECLARE) } pm_gpu;

/* Peak rate [FLOP/s] of matrix multiplications at a precision: tensor cores where the GPU has them for it; NAN if it
** has no rate. Never with sparsity. */
PM_API double pm_gpu_get_matrix_peak(const pm_gpu *gpu, int precision);

/* ---- Kernels ------------------------------------------------------------------------------------------------- */

/* The basis of constants that no datasheet has. */
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
  X(CALIBRATED, "calibrated", "constants fitted to rows of this GPU or its twin, of its operators and software")   \
  X(EXTRAPOLATED, "extrapolated",                                                                                  \
    "constants fitted to rows of related GPUs, of the software on other GPUs, or of smaller batches or fewer GPUs") \
  X(NOT_CALIBRATED, "not-calibrated",                                                                              \
    "constants from rules and data sheets, or software that has no rows or does not run on this GPU")

typedef enum pm_calibration_status {
#define PM_CALIBRATION_STATUS_ENUM(name, text, doc) PM_CALIBRATION_STATUS_##name,
  PM_CALIBRATION_STATUS_LIST(PM_CALIBRATION_STATUS_ENUM)
#undef PM_CALIBRATION_STATUS_ENUM
  PM_CALIBRATION_STATUS_COUNT
} pm_calibration_status;

/* How far measured rates are from predicted ones, from the residuals of rows that were left out of the fit: standard
** deviations of the logarithm, which add in squares. That of a class of work counts by its share of the time; where the
** class is not calibrated for the GPU, times a factor. */
#define PM_PREDICTION_INTERVAL_FIELDS(X)                                                                          \
  X(TEXT, id, "", "the predicted quantity")                                                                       \
  X(TEXT, name, "", "full name")                                                                                  \
  X(REAL, rate, "1", "standard deviation of any prediction")                                                      \
  X(REAL, convolution, "1", "more, of the time in convolutions")                                                  \
  X(REAL, product, "1", "more, of the time in other matrix multiplications and attention")                             \
  X(REAL, passes, "1", "more, of the time in memory-bound kernels")                                                   \
  X(REAL, host, "1", "more, of the time that host and stragglers add")                                            \
  X(REAL, communication, "1", "more, of the time in exposed communication")                                       \
  X(REAL, extrapolated, "1", "factor of a class, and of the rate, that is extrapolated")                          \
  X(REAL, not_calibrated, "1", "factor of a class, and of the rate, that is not calibrated")                      \
  X(REAL, batch, "1", "more, for each factor e that the batch is outside the calibrated range")                   \
  X(REAL, gpus, "1", "more, for each factor e of GPUs beyond the calibrated range")                                \
  X(REAL, groups, "1", "more, of networks with convolutions of groups of channels; of several kinds the most")     \
  X(REAL, sound, "1", "more, of networks with convolutions of one dimension")                                      \
  X(REAL, volumes, "1", "more, of networks with convolutions of three")                                            \
  X(REAL, recurrent, "1", "more, of networks with recurrent layers")                                               \
  X(REAL, proposals, "1", "more, of networks whose host chooses among results of the GPU")                         \
  X(REAL, tables, "1", "more, of networks most of whose parameters are looked up")

typedef struct pm_prediction_interval { PM_PREDICTION_INTERVAL_FIELDS(PM_DECLARE) } pm_prediction_interval;

/* By class of operators and cores, what the times of a GPU's kernels rest on. Filled for a GPU by
** pm_catalog_get_kernels. */
#define PM_OPERATOR_STATUS_FIELDS(X)                                                                         \
  X(CALIBRATION_STATUS, product_simt, "", "basis of matrix multiplications on FP32 cores")                          \
  X(CALIBRATION_STATUS, product_tensor, "", "the same on tensor cores")                                      \
  X(CALIBRATION_STATUS, convolution_simt, "", "basis of convolutions on FP32 cores")                         \
  X(CALIBRATION_STATUS, convolution_tensor, "", "the same on tensor cores")                                  \
  X(CALIBRATION_STATUS, recurrent_simt, "", "basis of recurrent layers on FP32 cores")                       \
  X(CALIBRATION_STATUS, recurrent_tensor, "", "the same on tensor cores")                                    \
  X(CALIBRATION_STATUS, attention, "", "basis of fused attention")                                           \
  X(CALIBRATION_STATUS, passes, "", "basis of memory-bound kernels")

/* The same of a GPU, or where it has no entry of its architecture, in the catalogue. */
#define PM_OPERATOR_CALIBRATION_FIELDS(X)                                 \
  X(TEXT, id, "", "id of the GPU, or of the architecture")                \
  X(TEXT, name, "", "full name")                                          \
  PM_OPERATOR_STATUS_FIELDS(X)

typedef struct pm_operator_calibration { PM_OPERATOR_CALIBRATION_FIELDS(PM_DECLARE) } pm_operator_calibration;

/*
** What kernels get of an architecture: fitted, never a datasheet.
**
** The first list belongs to the architecture, for its FP32 cores (simt) and its tensor cores. The second holds for
** every architecture; in the catalogue it stands in the entry "default", and an architecture that states one has its
** own.
*/
#define PM_KERNEL_ARCHITECTURE_FIELDS(X)                                                                  \
  X(TEXT, id, "", "id of the architecture, or of the chip (its GPUs are aliases)")                        \
  X(TEXT, name, "", "full name")                                                                          \
  X(TEXT, like, "", "id of the architecture from which it has what neither it nor the entry \"default\" states") \
  X(REAL, energy_factor, "1", "energies of that architecture count so much; unknown: 1")             \
  X(ORIGIN, simt_basis, "", "basis of the constants of the FP32 cores")                                   \
  X(REAL, simt_efficiency, "1", "issue efficiency of the FP32 cores")                                     \
  X(REAL, simt_latency_threads, "1", "threads per SM that hide the latency")                              \
  X(REAL, simt_split_threads, "1", "threads per SM up to which the contraction is split")                 \
  X(ORIGIN, tensor_basis, "", "basis of the constants of the tensor cores")                               \
  X(REAL, tensor_efficiency, "1", "issue efficiency of the tensor cores")                                 \
  X(REAL, tensor_latency_threads, "1", "threads per SM that hide the latency")                            \
  X(REAL, tensor_start, "s",                                                                                           \
    "tensor-core product: until the first tiles have operands and the last are stored; unknown: none")                 \
  X(REAL, memory_start, "s", "tensor-core product: until its first bytes are there; unknown: none")                   \
  X(REAL, tensor_prologue, "1", "steps of 2-byte numbers to fill and drain a tensor-core tile; unknown: by prologue")  \
  X(REAL, tensor_split_time, "s",                                                                                      \
    "the kernel that adds up the parts of a tensor-core product; unknown: no kernel of its own, split_time")           \
  X(REAL, row_clocks, "1",                                                                                             \
    "tensor-core products of one row of two bytes: clocks for an element of the contraction; unknown: as others")      \
  X(REAL, flash_block, "s",                                                                                            \
    "fused attention: start of a block of queries on an SM; unknown: none, by efficiency alone")                       \
  X(REAL, flash_score, "1", "fused attention: clocks of an SM for a score beside its products") \
  X(REAL, flash_load, "B", "fused attention: keys and values that an SM loads per clock") \
  X(REAL, flash_part, "1", "fused attention: keys of the smallest part") \
  X(REAL, l2_kept, "1", "share of the L2 that operands used in turn may fill and all be kept; unknown: none is")  \
  X(REAL, l2_lost, "1", "the same from which none is kept")                                               \
  X(REAL, tn_growth, "1", "exponent of the addresses beyond tn_reach: how time grows; unknown: not")      \
  X(REAL, tn_unaligned_growth, "1", "the same of an unaligned operand over twice the L2; unknown: not")   \
  X(REAL, rnn_narrow, "1",                                                                                             \
    "narrow product of a recurrent step: clocks per element of the contraction, forward; unknown: none such")          \
  X(REAL, rnn_narrow_backward, "1", "the same, backward")                                                  \
  X(REAL, rnn_narrow_half, "1", "time of the narrow one forward in two bytes over that in four")           \
  X(REAL, hbm_efficiency, "1", "payload over peak bandwidth of stacked memory (HBM)")                     \
  X(REAL, gddr_efficiency, "1", "payload over peak bandwidth of other memory")                            \
  X(REAL, gddr_ecc_efficiency, "1", "the same with check bits in it (inline_ecc); unknown: as without")    \
  X(REAL, pass_elements, "1",                                                                                          \
    "elements per clock and SM of a pass over channels that lie apart (NCHW); unknown: any number")                    \
  X(YES_NO, large_batched_tiles, "", "batched FP32 products have kernels of the largest tile only")       \
  X(YES_NO, no_weight_winograd, "", "the library of its rows had no Winograd gradient of weights")       \
  X(YES_NO, odd_channels_padded, "", "tensor cores take channels that are no multiple of 8, padded")     \
  PM_OPERATOR_STATUS_FIELDS(X)                                                                            \
  X(ORIGIN, simt_power_basis, "", "basis of the power of the FP32 cores; a rule for other architectures")              \
  X(ORIGIN, tensor_power_basis, "", "the same of the tensor cores")                                                    \
  X(REAL, idle_power, "1", "draw of a board that waits with its clocks up, over its design power")                     \
  X(REAL, simt_power, "1",                                                                                             \
    "draw while kernels run on the FP32 cores, before their arithmetic counts; of a rule: at most")                    \
  X(REAL, tensor_power, "1", "draw while kernels run on the tensor cores, before their arithmetic counts")             \
  X(REAL, simt_flop_energy, "J/FLOP", "energy of an FP32 FLOP at full clock, above waiting")                           \
  X(REAL, tensor_flop_energy, "J/FLOP",                                                                                \
    "energy of a 16-bit FLOP on tensor cores at full clock, above tensor_power")                                       \
  X(REAL, steady_flop_energy, "J/FLOP",                                                                                \
    "the same in runs that last, where kernels were timed in bursts that end before the limit of the board acts")      \
  X(INT, threads, "1", "resident threads per SM at most")                                                 \
  X(REAL, launch, "s", "start of a kernel in a full stream")

/* Constants of the libraries' kernels, the same on every architecture unless it states one; docs/model.md has the
** formulas. */
#define PM_KERNEL_GENERAL_FIELDS(X)                                                                       \
  X(REAL, wave, "1", "share of a wave over the SMs that an unfinished one costs")                         \
  X(REAL, prologue, "1", "steps of the contraction to fill and drain a tile")                             \
  X(REAL, prologue_most, "1", "the same on tensor cores, at most")                                        \
  X(REAL, split_least, "1", "steps of the contraction worth a part of its own")                           \
  X(REAL, split_time, "s", "adding up the parts of a split contraction")                                  \
  X(REAL, alignment, "1", "factor of FP32 products that are not aligned to 16 bytes")                     \
  X(REAL, tn_alignment, "1", "the same of products whose operands are both stored along the contraction") \
  X(REAL, unaligned_lanes, "1", "multiply-adds per clock and SM of tensor cores, at most, whose numbers are loaded one "\
    "by one: where sides are not multiples of 16 bytes, and in TF32 products of recurrent layers; unknown: all")       \
  X(REAL, tn_reach, "B", "addresses in use at a time that such products reach without delay")             \
  X(REAL, l2_bytes, "B", "L2 traffic per clock and SM, for 512 FP16 multiply-adds per clock")             \
  X(REAL, l2_share, "1", "share of the L2 that rows have: half where its two parts hold copies")         \
  X(REAL, reread_start, "1", "rows in flight over the L2 at which norms begin to read rows again")       \
  X(REAL, reread_width, "1", "the same from there until all are")                                        \
  X(REAL, softmax_reread, "1", "rows in flight over the caches at which softmax reads all rows again")   \
  X(REAL, softmax_l1, "1", "caches of the SMs over their shared memory")                                 \
  X(REAL, conv_rate, "1", "rate of convolutions over that of products, on the FP32 cores")                \
  X(REAL, conv_simt_efficiency, "1", "efficiency of implicit over plain products")                       \
  X(REAL, conv_simt_prologue, "1", "steps of the contraction to fill and drain a tile of convolutions")  \
  X(REAL, conv_simt_latency_threads, "1", "threads per SM that hide the latency of convolutions")        \
  X(REAL, conv_simt_split_threads, "1", "threads per SM up to which a convolution is split")             \
  X(REAL, conv_simt_column, "1", "factor of the gradient of data by columns that are added up")          \
  X(REAL, conv_simt_input, "1", "reads of the tensors in the gradient of weights")                       \
  X(REAL, conv_simt_windows, "1", "share of the unfolded windows that it moves")                         \
  X(REAL, conv_simt_result, "1", "accesses of the gradient of weights over the least")                   \
  X(REAL, conv_simt_volume, "1", "time of gradients of 3D convolutions over that of the formulas; unknown: the same") \
  X(REAL, conv_tensor_efficiency, "1", "efficiency of implicit over plain products")                     \
  X(REAL, conv_tensor_latency_threads, "1", "threads per SM that hide the latency of convolutions")      \
  X(REAL, conv_tensor_split_threads, "1", "threads per SM up to which a convolution is split")           \
  X(REAL, conv_tensor_strided, "1", "factor of the gradient of data with a stride")                      \
  X(REAL, conv_tensor_column, "1", "factor of the gradient of data by columns that are added up")        \
  X(REAL, conv_tensor_input, "1", "reads of the tensors in the gradient of weights")                     \
  X(REAL, conv_tensor_windows, "1", "share of the unfolded windows that it moves")                       \
  X(REAL, conv_tensor_result, "1", "accesses of the gradient of weights over the least")                 \
  X(REAL, conv_tf32_layout, "1",                                                                                       \
    "share of the changes of layout in FP16 that convolutions in TF32 need; unknown: all")                             \
  X(REAL, conv_tensor_odd, "1", "rate of channels by no 8 over the peak of the FP32 cores")              \
  X(REAL, conv_tensor_odd_weight, "1", "factor of their gradient of weights")                            \
  X(REAL, winograd_traffic, "1", "accesses of Winograd's transforms of tensors over the least")          \
  X(REAL, winograd_weights, "1", "the same of weights")                                                  \
  X(REAL, winograd_fused, "1", "efficiency of Winograd in one kernel")                                   \
  X(REAL, winograd_fused_prologue, "1", "channels that fill and drain a block of it")                    \
  X(REAL, winograd_fused_traffic, "1", "reads and writes of tensors by it over the least")               \
  X(REAL, winograd_fused_weights, "1", "the same of weights")                                            \
  X(REAL, transform_time, "s", "a kernel of transforms")                                                 \
  X(REAL, fft_traffic, "1", "accesses of Fourier transforms over the least")                             \
  X(REAL, direct_efficiency, "1", "efficiency of direct convolutions of groups")                          \
  X(REAL, depthwise_efficiency, "1", "efficiency of those of single channels, mean of the three passes")  \
  X(REAL, depthwise_forward, "1", "time of theirs forward over that mean; unknown: 1")                    \
  X(REAL, group_rate, "1", "rate of products of one group of channels over that of a whole convolution")  \
  X(REAL, flash_forward, "1", "efficiency of fused attention over plain products")                        \
  X(REAL, flash_backward, "1", "the same, backward")                                                      \
  X(REAL, rnn_l2, "1", "rate of the L2 over that of the memory")                                          \
  X(REAL, rnn_product, "1", "time of a step's products over that of plain ones")                          \
  X(REAL, rnn_pointwise, "1", "accesses of a step's gates over the least")                                \
  X(REAL, rnn_input, "1", "time of the products with the inputs over that of plain ones")                 \
  X(REAL, rnn_backward, "1", "time of a step back over one forward")                                      \
  X(REAL, rnn_step_time, "s", "kernels of a step, to start")                                              \
  X(REAL, rnn_time, "s", "the whole layer, to start")                                                    \
  X(REAL, rnn_weight, "1", "time of the gradient of weights over that of a plain product")               \
  X(REAL, rnn_weight_time, "s", "the gradient of weights, to start")                                     \
  X(REAL, rnn_persistent_time, "s", "a step of a persistent layer, until all SMs have met")              \
  X(REAL, copy_efficiency, "1", "payload of a large copy from or to the host over the line rate")        \
  X(REAL, copy_pageable, "1", "rate of memory that is not pinned over that of pinned")                   \
  X(REAL, copy_time, "s", "the smallest copy from or to the host")                                        \
  X(REAL, fastest_simt_factor, "1", "time of convolutions on FP32 cores by the fastest library over that of the"       \
    " kernel model; unknown: the least of the catalogue's cuDNN generations")                                          \
  X(REAL, fastest_tensor_factor, "1", "the same on tensor cores")                                         \
  X(REAL, product_spread, "1",                                                                                         \
    "spread of measured over predicted times of products: standard deviation of the logarithm")                        \
  X(REAL, convolution_spread, "1", "the same of convolutions")                                            \
  X(REAL, recurrent_spread, "1", "the same of recurrent layers")                                          \
  X(REAL, attention_spread, "1", "the same of fused attention")                                           \
  X(REAL, pass_spread, "1", "the same of memory-bound kernels")                                             \
  X(REAL, spread_extrapolated, "1", "factor of a spread where times are extrapolated")                    \
  X(REAL, spread_not_calibrated, "1", "factor of a spread where times are not calibrated")              \
  X(REAL, simt_rule_draw, "J/FLOP",                                                                                  \
    "by rule, draw of the FP32 cores above that of waiting, for each FLOP of their peak; never above simt_power")      \
  X(REAL, exchange_power, "1", "draw above that of waiting while GPUs exchange and nothing else runs")                 \
  X(REAL, power_margin, "1", "highest mean draw over the power limit")                                                 \
  X(REAL, limit_softness, "1", "exponent of how a draw nears the limit: the larger, the more suddenly")                \
  X(REAL, limit_free, "1", "share of the limit, to that exponent, up to which a draw tells that without a limit")      \
  X(REAL, limit_fixed, "1", "draw that no clock lowers, over the design power")                                        \
  X(REAL, limit_fixed_most, "1", "the same over the draw of a kernel, at most")                                        \
  X(REAL, limit_knee, "1", "clock over that at the design power, below which the voltage stays")                       \
  X(REAL, limit_voltage, "1", "exponent of the clock, beside the clock itself, in the draw above the knee")            \
  X(REAL, limit_clocked, "1", "share of the time of a kernel that follows the clock")                                  \
  X(REAL, limit_least, "1", "share of the design power below which limits were not measured")                          \
  X(REAL, host_cpu_power, "W", "draw of a node for each CPU socket: CPU, memory, storage")                             \
  X(REAL, host_power_air, "1", "power of the rest of an air-cooled node, over the design power of its boards") \
  X(REAL, host_power_liquid, "1", "the same, cooled by a liquid")                                                      \
  X(REAL, node_dense_board, "W", "design power of boards from which on a node is built around their cooling")          \
  X(REAL, node_rest_dense, "1", "design power of the rest of such a node, over that of its boards and CPUs")           \
  X(REAL, node_rest_light, "1", "the same of other nodes")                                                             \
  X(REAL, supply_efficiency, "1", "power behind the supplies of a node over that at the wall")                         \
  X(REAL, power_band_fitted, "1", "eight of ten measured draws lie within this share of a fitted one")                 \
  X(REAL, power_band_rule, "1", "the same of one by rule")

/* Both lists: what kernels are timed with. */
#define PM_KERNEL_CALIBRATION_FIELDS(X) PM_KERNEL_ARCHITECTURE_FIELDS(X) PM_KERNEL_GENERAL_FIELDS(X)

/* The entry of the catalogue with the constants of every architecture. */
#define PM_KERNEL_GENERAL_ID "default"

typedef struct pm_kernel_calibration { PM_KERNEL_CALIBRATION_FIELDS(PM_DECLARE) } pm_kernel_calibration;

/* PM_OK, or which constant is missing or absurd. */
PM_API int pm_kernel_calibration_check(const pm_kernel_calibration *calibration, pm_error *error);

/* ---- Links --------------------------------------------------------------------------------------------------- */

/* What a link is, by the name of its standard. */
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
  X(REAL, flow_bandwidth, "B/s", "bandwidth available to one flow; unlimited: all of it")               \
  X(INT, switch_ports, "1", "ports of a switch of such links; 0: not known")                           \
  X(REAL, switch_power, "W", "typical draw of such a switch with copper cables")

typedef struct pm_link { PM_LINK_FIELDS(PM_DECLARE) } pm_link;

/* What a collective library gets out of a link type. Fitted or read from the library's own tables, never a
** datasheet. */
#define PM_LINK_CALIBRATION_FIELDS(X)                                                                  \
  X(TEXT, id, "", "id of the link type")                                                               \
  X(REAL, efficiency, "1", "payload over line rate in large collectives")                              \
  X(REAL, hop_latency, "s", "latency of one ring step over this link")                                 \
  X(REAL, base_latency, "s", "fixed latency of a collective whose ring runs over this link")           \
  X(REAL, copy_efficiency, "1", "payload of one large copy over line rate; unknown: as efficiency")    \
  X(REAL, copy_latency, "s", "time of the smallest copy from GPU to GPU over this link")               \
  X(REAL, fabric_latency, "s", "latency that this network adds to every hop between nodes")            \
  X(REAL, tree_share, "1", "payload of a tree between two nodes over that of a ring; unknown: 1")

typedef struct pm_link_calibration { PM_LINK_CALIBRATION_FIELDS(PM_DECLARE) } pm_link_calibration;

/* ---- What a collective library is like ----------------------------------------------------------------------- */

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

/* What the library assumes of GPUs of one architecture. */
#define PM_TUNING_FIELDS(X)                                                                            \
  X(TEXT, id, "", "architecture of the GPU")                                                           \
  X(TEXT, name, "", "full name")                                                                       \
  X(REAL, ll_one_node, "B/s", "most bus bandwidth of protocol LL in one node")                         \
  X(REAL, ll_two_nodes, "B/s", "the same on two nodes")                                                \
  X(REAL, ll_more_nodes, "B/s", "the same on four nodes and more")                                     \
  X(YES_NO, ll128, "", "whether protocol LL128 works over its NVLinks")                                \
  X(YES_NO, in_switch, "", "whether NVLink switches reduce and multicast")                             \
  X(REAL, network_overhead, "s", "least time of an inner hop of a collective between nodes")

typedef struct pm_tuning { PM_TUNING_FIELDS(PM_DECLARE) } pm_tuning;

/* Constants fitted to measured collectives, by architecture of the GPU. */
#define PM_COLLECTIVE_FIT_FIELDS(X)                                                                    \
  X(TEXT, id, "", "architecture of the GPU")                                                           \
  X(TEXT, name, "", "full name")                                                                       \
  X(REAL, launch, "s", "host time of a launch on each further GPU of one thread")                      \
  X(REAL, knee, "1", "how little latency and transfer overlap in an all-reduce in one node")           \
  X(REAL, part_knee, "1", "the same in reduce-scatter and all-gather")                                 \
  X(REAL, chain_knee, "1", "the same in broadcast and reduce")                                         \
  X(REAL, network_knee, "1", "the same between nodes")                                                 \
  X(REAL, network_base, "s", "fixed latency of a collective between nodes, beyond the library's constant")   \
  X(REAL, network_hop, "s", "time of a hop between nodes beyond the library's constant, LL and LL128") \
  X(REAL, network_simple, "s", "a hop between nodes with Simple, instead of the library's constant")    \
  X(REAL, in_switch_efficiency, "1", "payload of in-switch reduction over that of a ring")             \
  X(REAL, in_switch_latency, "s", "latency of in-switch reduction for each GPU")                       \
  X(REAL, in_switch_network, "s", "further time of in-switch reduction between nodes")                 \
  X(REAL, pairs_latency, "s", "fixed latency of an all-to-all")                                        \
  X(REAL, pairs_rank, "s", "latency of an all-to-all for each rank")                                   \
  X(REAL, pairs_efficiency, "1", "payload of an all-to-all over that of a ring")                       \
  X(REAL, pairs_launch, "1", "host time of an all-to-all for each other rank, over a launch")          \
  X(REAL, chain_rank, "s", "latency of a broadcast or reduce for each rank")                           \
  X(REAL, chain_fill, "s", "time of the first chunk of a broadcast or reduce for each further GPU, Simple")    \
  X(REAL, chunk, "B", "chunk that a chain of NCCL 2.0 to 2.3 passes on")                               \
  X(REAL, old_chunk, "B", "chunk that a chain of NCCL 1 passes on")                                    \
  X(REAL, old_launch, "s", "host time of a launch with NCCL 1")                                        \
  X(REAL, old_most, "B/s", "most that a GPU passes on with NCCL 1.6 to 2.3, over all rings")           \
  X(REAL, ll_share, "1", "most bandwidth of LL over what the library assumes")                         \
  X(REAL, ll128_share, "1", "bandwidth of LL128 over what the library assumes")                        \
  X(REAL, odd_share, "1", "bandwidth of NCCL before 2.4 where parts are an odd number of floats")       \
  X(REAL, step_share, "1", "time of a step inside the node over the library's constant")               \
  X(REAL, base_share, "1", "fixed latency inside the node over the library's constant")                \
  X(REAL, local_rate, "B/s", "at which a GPU passes its own share of the bytes, while no link moves any") \
  X(REAL, in_switch_knee, "1", "how little latency and transfer overlap in in-switch reduction between nodes") \
  X(REAL, small_deviation, "1", "standard deviation of log(measured / predicted) for messages of some KB") \
  X(REAL, middle_deviation, "1", "the same about 1 MB")                                                \
  X(REAL, large_deviation, "1", "the same from 64 MB on")                                              \
  X(REAL, channel_launch, "s", "host time of a launch for each further channel")

typedef struct pm_collective_fit { PM_COLLECTIVE_FIT_FIELDS(PM_DECLARE) } pm_collective_fit;

/* ---- Machines and systems ------------------------------------------------------------------------------------ */

/* The basis of a machine's design power. */
#define PM_POWER_BASIS_LIST(X)                                                             \
  X(NONE, "none", "neither its design power is known nor that of its parts")               \
  X(PUBLISHED, "published", "its maker states it")                                         \
  X(PARTS, "parts", "the design powers of its GPUs and CPUs, and a share of them for the rest of the node")

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
  X(REAL, power, "W", "design power of the machine: the most that it draws")                                    \
  X(REAL, rack_units, "1", "height in rack units")                                              \
  X(REAL, cpu_core_clock, "Hz", "clock of a core while others work too")                        \
  X(REAL, cpu_core_work, "1", "instructions of a core per clock over those of AMD Zen 2")       \
  X(REAL, host_memory_bandwidth, "B/s", "peak bandwidth of the system memory: channels times rate, of all sockets") \
  X(REAL, cpu_power, "W", "thermal design power of a CPU socket")                               \
  X(POWER_BASIS, power_basis, "", "basis of the machine's design power")           \
  X(INT, hosts, "1", "hosts that one node consists of, each with its own operating system: the trays of a rack")  \
  X(YES_NO, liquid_cooled, "", "whether a liquid cools it, or it is immersed in one")            \
  X(REAL, host_power, "W", "power behind the supplies without the boards; unknown: by rule")

typedef struct pm_machine { PM_MACHINE_FIELDS(PM_DECLARE) } pm_machine;

/* What stands at the ends of links. */
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
  X(REAL, payload, "B/s", "bandwidth of it that large collectives reach, per direction")

typedef struct pm_edge { PM_EDGE_FIELDS(PM_DECLARE) } pm_edge;

/* An opaque handle: a machine, its GPU and its link graph. Changed only by _add_ and _set_; else threads may share
** it. */
typedef struct pm_system pm_system;

/* A system with no vertices yet. Owned by the caller. */
PM_API pm_system *pm_system_new(const pm_machine *machine, const pm_gpu *gpu, pm_error *error);

/* Releases the system; plans and groups made of it must be gone; NULL is none. */
PM_API void pm_system_free(pm_system *system);

/* Adds a vertex with a name of its own; GPUs are numbered in the order they are added. */
PM_API int pm_system_add_vertex(pm_system *system, const char *name, pm_vertex_kind kind, pm_error *error);

/* Joins two vertices by `count` parallel links. A NULL calibration means line rate and no latency, and predictions say
** so. Errors: PM_STATUS_NOT_FOUND (vertex), PM_STATUS_BAD_VALUE (count below 1, joined to itself). */
PM_API int pm_system_add_link(pm_system *system, const char *a, const char *b, const pm_link *link,
                              const pm_link_calibration *calibration, int count, pm_error *error);

/* Says how nodes are joined: `count` network links of this type per node. */
PM_API int pm_system_set_network(pm_system *system, const pm_link *link, const pm_link_calibration *calibration,
                                 int count, pm_error *error);

/* Gives the kernels of its GPUs calibrated constants; without them, or with NULL, they run at the plain roofline. */
PM_API int pm_system_set_kernels(pm_system *system, const pm_kernel_calibration *calibration, pm_error *error);

/* Those constants, or NULL. */
PM_API const pm_kernel_calibration *pm_system_get_kernels(const pm_system *system);

/* The machine as it was given; lives as long as the system. */
PM_API const pm_machine *pm_system_get_machine(const pm_system *system);

/* Nodes of the machine over which so many GPUs are spread evenly, 0 if there are none: whole ones; of machines whose
** GPUs are no power of two, as racks of 72, the fewest that take equal shares of at least half of a node (256: 4 of
** 64). */
PM_API int pm_machine_get_nodes(const pm_machine *machine, int gpus);

/* The GPU that every one of the system's is; lives as long as the system. */
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

/* A training set: how many samples, and how large they are where they are stored. */
#define PM_DATASET_FIELDS(X)                                                    \
  X(TEXT, id, "", "short stable name")                                          \
  X(TEXT, name, "", "full name")                                                \
  X(REAL, samples, "1", "training samples")                                     \
  X(REAL, validation_samples, "1", "validation samples")                        \
  X(REAL, classes, "1", "classes")                                              \
  X(REAL, size, "B", "stored size")                                             \
  X(REAL, sample_size, "B", "mean stored size of one training sample")          \
  X(REAL, pixels, "1", "mean pixels of one sample, if samples are images")

typedef struct pm_dataset { PM_DATASET_FIELDS(PM_DECLARE) } pm_dataset;

/* A document or repository that facts and measurements are taken from. */
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
