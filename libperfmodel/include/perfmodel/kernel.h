/*
** Kernels: the time of one kernel, and of each pass of each layer, on one GPU.
**
** The same functions use one of two models. The plain roofline (Williams, Waterman, Patterson, "Roofline", CACM 52(4),
** 2009) needs only datasheet values, without fits:
**
**     time = max( flop / peak, bytes / memory_bandwidth )
**
** With the calibrated constants of an architecture (pm_kernel_calibration) matrix multiplications are priced by tiles,
** waves, split contraction, latency, shared-memory and L2 traffic and the energy of the board; convolutions by the
** fastest of their algorithms; everything else by memory accesses at the bandwidth that kernels reach. docs/model.md
** has the formulas.
*/
#ifndef PERFMODEL_KERNEL_H
#define PERFMODEL_KERNEL_H

#include <math.h>
#include "hardware.h"
#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What limits a kernel. */
#define PM_BOUND_LIST(X)                                                \
  X(NONE, "none", "no work")                                            \
  X(COMPUTE, "compute", "compute bound")                                                \
  X(MEMORY_BANDWIDTH, "memory-bandwidth", "memory-bandwidth bound")                     \
  X(LATENCY, "latency", "kernel-launch bound")                                                                         \
  X(POWER, "power", "bound by the board's power")

typedef enum pm_bound {
#define PM_BOUND_ENUM(name, ...) PM_BOUND_##name,
  PM_BOUND_LIST(PM_BOUND_ENUM)
#undef PM_BOUND_ENUM
  PM_BOUND_COUNT
} pm_bound;

/* The algorithm of a kernel: the fastest one in the libraries for its sizes. */
#define PM_KERNEL_ALGORITHM_LIST(X)                                                              \
  X(NONE, "none", "no kernel")                                                            \
  X(ROOFLINE, "roofline", "unspecified: the plain roofline")                                                           \
  X(STREAM, "stream", "memory-bound kernel")                                                                           \
  X(GEMM, "gemm", "tiled matrix multiplication")                                                 \
  X(GEMM_SPLIT, "gemm-split-k", "tiled matrix multiplication with a split contraction")          \
  X(IMPLICIT_GEMM, "implicit-gemm", "convolution as a matrix multiplication")                    \
  X(COLUMN_GEMM, "column-gemm", "data gradient as a matrix multiplication, then summed")                               \
  X(WINOGRAD_4X4, "winograd-4x4", "Winograd on 4 x 4 outputs, separate transforms")                                    \
  X(WINOGRAD_2X2, "winograd-2x2", "Winograd on 2 x 2 outputs, in one kernel")             \
  X(FFT, "fft", "convolution as products of Fourier transforms")                          \
  X(DIRECT, "direct", "direct convolution of few channels")                               \
  X(FLASH, "flash", "fused attention")                                                    \
  X(STEPWISE, "stepwise", "recurrent layer, step by step")                                \
  X(PERSISTENT, "persistent", "recurrent layer whose weights stay in registers")          \
  X(COPY, "copy", "copy between host and device")                                         \
  X(MIXED, "mixed", "several kernels")

typedef enum pm_kernel_algorithm {
#define PM_KERNEL_ALGORITHM_ENUM(name, text, doc) PM_KERNEL_ALGORITHM_##name,
  PM_KERNEL_ALGORITHM_LIST(PM_KERNEL_ALGORITHM_ENUM)
#undef PM_KERNEL_ALGORITHM_ENUM
  PM_KERNEL_ALGORITHM_COUNT
} pm_kernel_algorithm;

/* ---- One kernel ----------------------------------------------------------------------------------------------- */

/* The operation of a kernel, and the fields of pm_kernel for its sizes. */
#define PM_OPERATOR_LIST(X)                                                                   \
  X(GEMM, "gemm", "count matrix multiplications, m x n x k")                                                \
  X(CONV_FORWARD, "conv-forward", "convolution")                                              \
  X(CONV_DGRAD, "conv-dgrad", "gradient of its input")                                                         \
  X(CONV_WGRAD, "conv-wgrad", "gradient of its weights")                                                       \
  X(ELEMENTWISE, "elementwise", "count tensors of m numbers, each read or written")                                    \
  X(LAYER_NORM, "layer-norm", "m rows of n numbers")                                          \
  X(SOFTMAX, "softmax", "m rows of n numbers")                                                \
  X(RNN_FORWARD, "rnn-forward", "recurrent layer: count gates, m hidden, n samples, k steps") \
  X(RNN_DGRAD, "rnn-dgrad", "back through time, and the gradient of the input")                                \
  X(RNN_WGRAD, "rnn-wgrad", "gradient of the weights, all steps at once")                                      \
  X(BATCH_NORM, "batch-norm", "m numbers, in training")                                       \
  X(POOLING, "pooling", "like a depthwise convolution, without weights")                                               \
  X(REDUCTION, "reduction", "m sums of n numbers")                                            \
  X(EMBEDDING, "embedding", "m rows of n numbers, gathered from a table")                     \
  X(ATTENTION, "attention", "fused: count heads of all samples, m queries, k keys, n features per head")               \
  X(ATTENTION_BACKWARD, "attention-backward", "its gradients, with recomputed scores")                                 \
  X(ATTENTION_UNFUSED, "attention-unfused", "forward attention as matrix multiplications and a softmax")               \
  X(OPTIMIZER, "optimizer", "update of m parameters: FP32 weights at any storage precision")                           \
  X(COPY, "copy", "m bytes between host and device")

typedef enum pm_operator {
#define PM_OPERATOR_ENUM(name, ...) PM_OPERATOR_##name,
  PM_OPERATOR_LIST(PM_OPERATOR_ENUM)
#undef PM_OPERATOR_ENUM
  PM_OPERATOR_COUNT
} pm_operator;

/* One kernel to time; sizes that its operation does not have are ignored. Grows: see record.h. */
#define PM_KERNEL_FIELDS(X)                                                                                 \
  X(OPERATOR, operation, "", "the operation")                                                               \
  X(PRECISION, precision, "", "storage and arithmetic precision")                                                      \
  X(REAL, count, "1", "gemm: independent matrix multiplications; elementwise: tensors; rnn: gates") \
  X(REAL, m, "1", "gemm: rows of the result; elementwise: numbers of a tensor; norms: rows; rnn: hidden")   \
  X(REAL, n, "1", "gemm: columns of the result; norms: numbers of a row; rnn: samples; conv: samples")      \
  X(REAL, k, "1", "gemm: contraction; rnn: steps")                                                          \
  X(YES_NO, tn, "", "gemm: both operands are stored along the contraction (BLAS: TN), as in the forward pass of a "    \
    "linear layer")                                                                                                    \
  X(REAL, channels, "1", "conv: input channels")                                                            \
  X(REAL, out_channels, "1", "conv: output channels")                                                       \
  X(REAL, groups, "1", "conv: groups")                                                                      \
  X(REAL, height, "1", "conv: input height")                                                                \
  X(REAL, width, "1", "conv: input width")                                                                  \
  X(REAL, kernel_height, "1", "conv: height of the window")                                                 \
  X(REAL, kernel_width, "1", "conv: width of the window")                                                   \
  X(REAL, padding_height, "1", "conv: padding above and below")                                             \
  X(REAL, padding_width, "1", "conv: padding left and right")                                               \
  X(REAL, stride_height, "1", "conv: stride")                                                               \
  X(REAL, stride_width, "1", "conv: stride")                                                                \
  X(YES_NO, persistent, "", "rnn: the weights of all steps stay in registers, if they fit")                 \
  X(REAL, link_bandwidth, "B/s", "copy: line rate of the link to the host")                                 \
  X(YES_NO, pageable, "", "copy: from pageable memory")                                                                \
  X(REAL, kv_count, "1", "attention: key-value heads of all samples; unknown: as many as query heads")                 \
  X(YES_NO, causal, "", "attention: a query sees no later keys; the last one sees all")                     \
  X(REAL, kv_bytes, "B", "attention: bytes per stored number of keys and values; unknown: those of the precision")     \
  X(REAL, turns, "1", "gemm: second operands (n x k), attention: caches, elementwise: sets of tensors that are used "  \
    "in rotation; the L2 keeps those that fit; unknown: none")                                                         \
  X(YES_NO, ungrouped, "", "attention: heads that share keys do not share thread blocks")                              \
  X(REAL, rate, "1",                                                                                                   \
    "rate of the software's kernel: attention over FlashAttention, gemm over the library (at most 1); unknown: 1")     \
  X(REAL, clocks, "1", "memory-bound kernels: SM clocks per number read or written; unknown: limited by memory only")  \
  X(REAL, blocks, "1", "memory-bound kernels: thread blocks, each on one SM; unknown: enough for all SMs")             \
  X(YES_NO, unsplit, "", "gemm: the kernel does not split the contraction")                                            \
  X(REAL, operand_bytes, "B", "gemm: bytes per stored number of the second operand; unknown: those of the precision")  \
  X(REAL, window, "1", "attention: largest number of keys per query, its own and earlier ones; unknown: all")          \
  X(REAL, value_size, "1", "attention: features per head of the values; unknown: n, like the keys")                    \
  X(YES_NO, latent, "", "attention: values are a part of the keys, and only keys are stored")                          \
  X(REAL, block_start, "1",                                                                                            \
    "attention: time until a thread block has its first keys, over FlashAttention's; unknown: 1")                      \
  X(OPTIMIZER, optimizer, "", "optimizer: the optimizer")                                                              \
  X(REAL, power_limit, "W", "power limit of the board; unknown: its design power") \
  X(REAL, block_rate, "B",                                                                                             \
    "attention: bytes of keys and values that a thread block of a paged kernel reads per clock; unknown: not paged")   \
  X(REAL, block_memory, "B", "attention: shared memory of a thread block of a paged kernel; unknown: no limit")        \
  X(REAL, part, "1", "attention: keys per thread block of a paged kernel; unknown: all of a sequence")

typedef struct pm_kernel { PM_KERNEL_FIELDS(PM_DECLARE) } pm_kernel;

/* The time of a kernel, its ceilings, and the prediction interval. Grows: see record.h. */
#define PM_KERNEL_TIME_FIELDS(X)                                                     \
  X(REAL, time, "s", "time of the kernel, without its launch", .show = PM_SHOW_MAIN)                                   \
  X(KERNEL_ALGORITHM, algorithm, "", "the fastest algorithm", .show = PM_SHOW_MAIN)                                    \
  X(BOUND, bound, "", "the limiting resource", .show = PM_SHOW_MAIN)                 \
  X(REAL, flop, "FLOP", "arithmetic", .show = PM_SHOW_MAIN)                          \
  X(REAL, bytes, "B", "minimum memory traffic")                                                                        \
  X(REAL, intensity, "FLOP/B", "arithmetic intensity")                               \
  X(REAL, peak, "FLOP/s", "arithmetic ceiling")                                      \
  X(REAL, attainable, "FLOP/s", "roofline limit at this intensity")                                                    \
  X(REAL, achieved, "FLOP/s", "predicted rate", .show = PM_SHOW_MAIN)                                                  \
  X(REAL, roofline_time, "s", "time by the plain roofline", .show = PM_SHOW_MAIN)    \
  X(REAL, memory_bandwidth, "B/s", "memory ceiling; copy: bandwidth of the link")                                      \
  X(REAL, l2_bandwidth, "B/s", "L2 ceiling; unknown with the plain roofline")                                          \
  X(REAL, power_rate, "FLOP/s", "rate sustainable within the board's power; unknown with the plain roofline")          \
  X(REAL, time_p10, "s", "lower end of the 80 % prediction interval; unknown with the plain roofline",                 \
    .show = PM_SHOW_MAIN)                                                            \
  X(REAL, time_p90, "s", "upper end of the 80 % prediction interval", .show = PM_SHOW_MAIN)              \
  X(CALIBRATION_STATUS, calibration, "", "basis of the time")                                              \
  X(ORIGIN, energy_basis, "", "basis of the power; none: unknown")                                         \
  X(REAL, power, "W", "power of the board while it runs")                                                              \
  X(REAL, energy, "J", "energy of the board while it runs")

typedef struct pm_kernel_time { PM_KERNEL_TIME_FIELDS(PM_DECLARE) } pm_kernel_time;

/* Times of kernels on one GPU; `calibration` NULL: the plain roofline. A kernel that cannot be timed yields NAN, and
** the first error is returned at the end. Allocates nothing. */
PM_API int pm_kernel_predict_sized(const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                                   const pm_kernel *kernels, size_t kernel_size, pm_kernel_time *times,
                                   size_t time_size, size_t count, pm_error *error);
PM_INLINE int pm_kernel_predict(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_kernel *kernels,
                                pm_kernel_time *times, size_t count, pm_error *error)
{
  return pm_kernel_predict_sized(gpu, calibration, kernels, sizeof *kernels, times, sizeof *times, count, error);
}

/* ---- Measured kernels ----------------------------------------------------------------------------------------- */

/* A measured kernel, with the overhead of its harness. */
#define PM_MEASURED_KERNEL_FIELDS(X)                                                         \
  X(TEXT, id, "", "id of the measurement, or its line")                                                                \
  X(TEXT, group, "", "GPU, operator, precision and source")                                  \
  X(TEXT, gpu, "", "id of the GPU")                                                          \
  X(REAL, time, "s", "measured time")                                                                                  \
  X(REAL, overhead, "s", "overhead of the host")                                             \
  X(REAL, floor, "s", "minimum time allowed by the host")

typedef struct pm_measured_kernel { PM_MEASURED_KERNEL_FIELDS(PM_DECLARE) } pm_measured_kernel;

/* ---- Layer by layer ------------------------------------------------------------------------------------------- */

/* The time of one layer in a training step on one GPU without a framework: only its kernels, without host and
** exchanges. A layer that is fused with the previous one, such as a ReLU with a batch norm, takes no time. */
#define PM_LAYER_TIME_FIELDS(X)                                                                        \
  X(INT, index, "1", "position in the network, from 0")                                                \
  X(TEXT, name, "", "name of the layer", .show = PM_SHOW_MAIN)                                         \
  X(TEXT, kind, "", "kind of the layer")                                                               \
  X(REAL, forward_time, "s", "forward kernel", .show = PM_SHOW_MAIN)                                   \
  X(REAL, dgrad_time, "s", "backward kernel for the gradient of its input",                                \
    .show = PM_SHOW_MAIN)                                                                              \
  X(REAL, wgrad_time, "s", "backward kernel for the gradients of its parameters",                                  \
    .show = PM_SHOW_MAIN)                                                                              \
  X(REAL, update_time, "s", "optimizer kernel")                                                        \
  X(REAL, time, "s", "sum of the four", .show = PM_SHOW_MAIN)                                          \
  X(KERNEL_ALGORITHM, algorithm, "", "the forward kernel")                                                    \
  X(BOUND, bound, "", "limiting resource of the forward kernel", .show = PM_SHOW_MAIN)                 \
  X(REAL, flop, "FLOP", "arithmetic of the forward kernel")                                            \
  X(REAL, bytes, "B", "memory traffic of the forward kernel")                                          \
  X(REAL, intensity, "FLOP/B", "arithmetic intensity of the forward kernel")                           \
  X(REAL, peak, "FLOP/s", "arithmetic ceiling of the forward kernel")                                  \
  X(REAL, attainable, "FLOP/s", "roofline limit at this intensity")                                                    \
  X(REAL, achieved, "FLOP/s", "predicted rate")                                                                        \
  X(REAL, memory_bandwidth, "B/s", "memory ceiling")                                                   \
  X(REAL, l2_bandwidth, "B/s", "L2 ceiling; unknown with the plain roofline")                                          \
  X(REAL, power_rate, "FLOP/s", "rate sustainable within the board's power; unknown with the plain roofline")          \
  X(REAL, energy, "J", "energy of the board during these kernels")

typedef struct pm_layer_time { PM_LAYER_TIME_FIELDS(PM_DECLARE) } pm_layer_time;

/* Times of all layers on one GPU, into an array of pm_network_count_layers rows; `calibration` NULL: the plain
** roofline. Their sums are the times of a prediction without a framework (up to rounding, because equal kernels are
** merged there). */
PM_API int pm_network_get_times(const pm_network *network, const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                                double batch, int precision, pm_layer_time *rows, pm_error *error);

/* ---- Boards --------------------------------------------------------------------------------------------------- */

/* The load of a board: kernels run for a share of the time, and the board waits for the rest. Unknown values follow the
** law. */
typedef struct pm_board_load {
  int32_t precision; /* of the multiplications */
  double busy;       /* share of the time in which kernels run; NAN: 1, or as implied by `drawn` */
  double flop_rate;  /* mean FLOP/s over the whole time; NAN: none */
  double limit;      /* power limit [W]; NAN: the board's own */
  double drawn;      /* mean power of the same load under the board's own limit [W]; NAN: not measured */
} pm_board_load;

/* The power of a board. */
typedef struct pm_board_draw {
  int32_t basis;    /* pm_origin; none: the numbers are unknown */
  double power;     /* mean [W] */
  double p10, p90;  /* its 80 % prediction interval [W] */
  double slowdown;  /* time under the limit over that under the board's own limit */
} pm_board_draw;

/* A board that always works in FP16, under its own limit. */
PM_INLINE pm_board_load pm_board_load_make(void)
{
  const double unknown = (double)NAN;
  pm_board_load load = {PM_PRECISION_FP16, unknown, unknown, unknown, unknown};
  return load;
}

/* The power of a board with known times, from a measured run or a plan. The constants come from pm_catalog_get_kernels;
** NULL: the power is unknown. PM_STATUS_BAD_ARGUMENT: an invalid share, a power or rate that is not positive and
** finite, or a limit above the board's own. */
PM_API int pm_board_predict(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_board_load *load,
                            pm_board_draw *draw, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
