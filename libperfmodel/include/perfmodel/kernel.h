/*
** Kernels: the time of one kernel, and of each pass of each layer, on one GPU.
**
** Two models stand behind the same functions. The plain roofline (Williams, Waterman, Patterson, "Roofline", CACM
** 52(4), 2009) needs datasheet values only and fits nothing:
**
**     time = max( flop / peak, bytes / memory_bandwidth )
**
** With the calibrated constants of an architecture (pm_kernel_calibration) matrix multiplications are priced by
** tiles, waves,
** split contraction, latency, shared-memory and L2 traffic and the energy of the board, convolutions by the fastest of
** their algorithms, everything else by memory accesses at the bandwidth that kernels reach. docs/model.md has the
** formulas.
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
  X(LATENCY, "latency", "bound by the launch of kernels")                               \
  X(POWER, "power", "bound by the power of the board")

typedef enum pm_bound {
#define PM_BOUND_ENUM(name, ...) PM_BOUND_##name,
  PM_BOUND_LIST(PM_BOUND_ENUM)
#undef PM_BOUND_ENUM
  PM_BOUND_COUNT
} pm_bound;

/* How a kernel computes: the fastest way that the libraries have for its sizes. */
#define PM_KERNEL_ALGORITHM_LIST(X)                                                              \
  X(NONE, "none", "no kernel")                                                            \
  X(ROOFLINE, "roofline", "none in particular: the plain roofline")                       \
  X(STREAM, "stream", "memory-bound kernels")                                               \
  X(GEMM, "gemm", "tiled matrix multiplication")                                                 \
  X(GEMM_SPLIT, "gemm-split-k", "tiled matrix multiplication with a split contraction")          \
  X(IMPLICIT_GEMM, "implicit-gemm", "convolution as a matrix multiplication")                    \
  X(COLUMN_GEMM, "column-gemm", "gradient of data as a matrix multiplication, then summed up")   \
  X(WINOGRAD_4X4, "winograd-4x4", "Winograd on 4 x 4 outputs, transforms apart")          \
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

/* What a kernel computes, and which of the fields of pm_kernel say its sizes. */
#define PM_OPERATOR_LIST(X)                                                                   \
  X(GEMM, "gemm", "count matrix multiplications, m x n x k")                                                \
  X(CONV_FORWARD, "conv-forward", "convolution")                                              \
  X(CONV_DGRAD, "conv-dgrad", "gradient of its input")                                                         \
  X(CONV_WGRAD, "conv-wgrad", "gradient of its weights")                                                       \
  X(ELEMENTWISE, "elementwise", "count tensors of m numbers read or written")                 \
  X(LAYER_NORM, "layer-norm", "m rows of n numbers")                                          \
  X(SOFTMAX, "softmax", "m rows of n numbers")                                                \
  X(RNN_FORWARD, "rnn-forward", "recurrent layer: count gates, m hidden, n samples, k steps") \
  X(RNN_DGRAD, "rnn-dgrad", "back through time, and the gradient of the input")                                \
  X(RNN_WGRAD, "rnn-wgrad", "gradient of the weights, all steps at once")                                      \
  X(BATCH_NORM, "batch-norm", "m numbers, in training")                                       \
  X(POOLING, "pooling", "like a convolution of each channel alone, without weights")          \
  X(REDUCTION, "reduction", "m sums of n numbers")                                            \
  X(EMBEDDING, "embedding", "m rows of n numbers, gathered from a table")                     \
  X(ATTENTION, "attention", "fused: count heads of all samples, m queries, k keys, n numbers of a head") \
  X(ATTENTION_BACKWARD, "attention-backward", "its gradients, with the scores made again")    \
  X(ATTENTION_UNFUSED, "attention-unfused", "the same forward as matrix multiplications and a softmax")     \
  X(OPTIMIZER, "optimizer", "update of m parameters: FP32 weights, whatever is stored")        \
  X(COPY, "copy", "m bytes between host and device")

typedef enum pm_operator {
#define PM_OPERATOR_ENUM(name, ...) PM_OPERATOR_##name,
  PM_OPERATOR_LIST(PM_OPERATOR_ENUM)
#undef PM_OPERATOR_ENUM
  PM_OPERATOR_COUNT
} pm_operator;

/* One kernel to time; sizes that its operator does not have are not looked at. Grows: see record.h. */
#define PM_KERNEL_FIELDS(X)                                                                                 \
  X(OPERATOR, operation, "", "the operation")                                                               \
  X(PRECISION, precision, "", "storage and arithmetic precision")                                                      \
  X(REAL, count, "1", "gemm: independent matrix multiplications; elementwise: tensors; rnn: gates") \
  X(REAL, m, "1", "gemm: rows of the result; elementwise: numbers of a tensor; norms: rows; rnn: hidden")   \
  X(REAL, n, "1", "gemm: columns of the result; norms: numbers of a row; rnn: samples; conv: samples")      \
  X(REAL, k, "1", "gemm: contraction; rnn: steps")                                                          \
  X(YES_NO, tn, "", "gemm: both operands are stored along the contraction (BLAS: TN), as of a linear layer forward")   \
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
  X(YES_NO, pageable, "", "copy: of memory that is not pinned")                                             \
  X(REAL, kv_count, "1", "attention: heads of keys and values, of all samples; unknown: as many as of queries") \
  X(YES_NO, causal, "", "attention: a query sees no later keys; the last one sees all")                     \
  X(REAL, kv_bytes, "B", "attention: bytes of a stored number of keys and values; unknown: as the precision's") \
  X(REAL, turns, "1", "gemm: second operands (n x k), attention: caches, elementwise: sets of tensors, that are"       \
    " used in turn: the L2 keeps what it can; unknown: none")                                                          \
  X(YES_NO, ungrouped, "", "attention: heads that share keys do not share blocks of threads")                  \
  X(REAL, rate, "1",                                                                                                   \
    "rate of the software's kernel: attention over FlashAttention, gemm over the library (at most 1); unknown: 1")     \
  X(REAL, clocks, "1", "passes: clocks of an SM for a number read or written; unknown: as the memory gives them") \
  X(REAL, blocks, "1", "passes: blocks of threads, each on one SM; unknown: enough for all SMs") \
  X(YES_NO, unsplit, "", "gemm: by a kernel that does not split the contraction") \
  X(REAL, operand_bytes, "B", "gemm: bytes of a stored number of the second operand; unknown: as the precision's") \
  X(REAL, window, "1", "attention: keys that a query sees at most, its own and those before; unknown: all") \
  X(REAL, value_size, "1", "attention: numbers of a head of the values; unknown: n, as of the keys") \
  X(YES_NO, latent, "", "attention: values are a part of the keys, which alone are stored") \
  X(REAL, block_start, "1",                                                                                            \
    "attention: time until a block of threads has its first keys, over that of FlashAttention; unknown: 1")            \
  X(OPTIMIZER, optimizer, "", "optimizer: which one") \
  X(REAL, power_limit, "W", "power limit of the board; unknown: its design power") \
  X(REAL, block_rate, "B",                                                                                             \
    "attention: bytes of keys and values that a block of a paged kernel reads in a clock; unknown: it is none") \
  X(REAL, block_memory, "B", "attention: shared memory of such a block; unknown: as much as leaves room for all")      \
  X(REAL, part, "1", "attention: keys that such a block reads; unknown: all of a sequence")

typedef struct pm_kernel { PM_KERNEL_FIELDS(PM_DECLARE) } pm_kernel;

/* What a kernel takes, its ceilings, and the prediction interval of its time. Grows: see record.h. */
#define PM_KERNEL_TIME_FIELDS(X)                                                     \
  X(REAL, time, "s", "time of the kernel, without its start", .show = PM_SHOW_MAIN)  \
  X(KERNEL_ALGORITHM, algorithm, "", "the fastest way to compute it", .show = PM_SHOW_MAIN) \
  X(BOUND, bound, "", "the limiting resource", .show = PM_SHOW_MAIN)                 \
  X(REAL, flop, "FLOP", "arithmetic", .show = PM_SHOW_MAIN)                          \
  X(REAL, bytes, "B", "memory traffic at least")                                     \
  X(REAL, intensity, "FLOP/B", "arithmetic intensity")                               \
  X(REAL, peak, "FLOP/s", "arithmetic ceiling")                                      \
  X(REAL, attainable, "FLOP/s", "rate that the roofline allows at this intensity")   \
  X(REAL, achieved, "FLOP/s", "rate predicted", .show = PM_SHOW_MAIN)                \
  X(REAL, roofline_time, "s", "time by the plain roofline", .show = PM_SHOW_MAIN)    \
  X(REAL, memory_bandwidth, "B/s", "memory ceiling; copy: that of the link")         \
  X(REAL, l2_bandwidth, "B/s", "L2 ceiling; unknown by the plain roofline")          \
  X(REAL, power_rate, "FLOP/s", "rate that the power of the board can hold; unknown by the plain roofline")      \
  X(REAL, time_p10, "s", "lower end of the 80 % prediction interval; unknown by the plain roofline",\
    .show = PM_SHOW_MAIN)                                                            \
  X(REAL, time_p90, "s", "upper end of the 80 % prediction interval", .show = PM_SHOW_MAIN)              \
  X(CALIBRATION_STATUS, calibration, "", "basis of the time")                                              \
  X(ORIGIN, energy_basis, "", "basis of the power; none: unknown")                                         \
  X(REAL, power, "W", "draw of the board while it runs")                                                   \
  X(REAL, energy, "J", "energy of the board while it runs")

typedef struct pm_kernel_time { PM_KERNEL_TIME_FIELDS(PM_DECLARE) } pm_kernel_time;

/* Times of kernels on one GPU; `calibration` NULL: by the plain roofline. A kernel that cannot be timed has NAN, and
** the first error is returned when all are done. Allocates nothing. */
PM_API int pm_kernel_predict_sized(const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                                   const pm_kernel *kernels, size_t kernel_size, pm_kernel_time *times,
                                   size_t time_size, size_t count, pm_error *error);
PM_INLINE int pm_kernel_predict(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_kernel *kernels,
                                pm_kernel_time *times, size_t count, pm_error *error)
{
  return pm_kernel_predict_sized(gpu, calibration, kernels, sizeof *kernels, times, sizeof *times, count, error);
}

/* ---- Measured kernels ----------------------------------------------------------------------------------------- */

/* A kernel that somebody measured, with what the harness added to its time. */
#define PM_MEASURED_KERNEL_FIELDS(X)                                                         \
  X(TEXT, id, "", "id of the measurement; without one, its line")                            \
  X(TEXT, group, "", "GPU, operator, precision and source")                                  \
  X(TEXT, gpu, "", "id of the GPU")                                                          \
  X(REAL, time, "s", "time measured")                                                        \
  X(REAL, overhead, "s", "overhead of the host")                                             \
  X(REAL, floor, "s", "least time that the host allowed")

typedef struct pm_measured_kernel { PM_MEASURED_KERNEL_FIELDS(PM_DECLARE) } pm_measured_kernel;

/* ---- Layer by layer ------------------------------------------------------------------------------------------- */

/* What one layer takes in a training step on one GPU without a framework: its kernels alone, no host, no exchange. A
** layer that software fuses with the one before, as a ReLU with a batch norm, takes no time. */
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
  X(REAL, attainable, "FLOP/s", "rate that the roofline allows at this intensity")                     \
  X(REAL, achieved, "FLOP/s", "rate predicted")                                                        \
  X(REAL, memory_bandwidth, "B/s", "memory ceiling")                                                   \
  X(REAL, l2_bandwidth, "B/s", "L2 ceiling; unknown by the plain roofline")                            \
  X(REAL, power_rate, "FLOP/s", "rate that the power of the board can hold; unknown by the plain roofline")  \
  X(REAL, energy, "J", "energy of the board in all of that time")

typedef struct pm_layer_time { PM_LAYER_TIME_FIELDS(PM_DECLARE) } pm_layer_time;

/* Times of all layers on one GPU, into an array of pm_network_count_layers rows; `calibration` NULL: by the plain
** roofline. Their sums are the times of a prediction without a framework (to rounding: equal kernels are merged
** there). */
PM_API int pm_network_get_times(const pm_network *network, const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                                double batch, int precision, pm_layer_time *rows, pm_error *error);

/* ---- Boards --------------------------------------------------------------------------------------------------- */

/* What a board does: kernels for a share of the time, and the rest of it it waits. What is unknown is by the law. */
typedef struct pm_board_load {
  int32_t precision; /* of the numbers that its kernels multiply */
  double busy;       /* share of the time in which kernels run; NAN: all of it, or what `drawn` implies */
  double flop_rate;  /* FLOP/s, mean over all of the time; NAN: none that count */
  double limit;      /* power limit [W]; NAN: the board's own */
  double drawn;      /* mean draw of the same load under the board's own limit [W]; NAN: not measured */
} pm_board_load;

/* What it draws. */
typedef struct pm_board_draw {
  int32_t basis;    /* pm_origin; none: it is not known, and neither are the numbers */
  double power;     /* mean [W] */
  double p10, p90;  /* its 80 % prediction interval [W] */
  double slowdown;  /* time under the limit over that under the board's own */
} pm_board_draw;

/* One that always works in FP16, under its own limit. */
PM_INLINE pm_board_load pm_board_load_make(void)
{
  const double unknown = (double)NAN;
  pm_board_load load = {PM_PRECISION_FP16, unknown, unknown, unknown, unknown};
  return load;
}

/* The power of a board whose times are known: of a measured run, or of a plan of your own. Constants as of
** pm_catalog_get_kernels; NULL: the draw is unknown. PM_STATUS_BAD_ARGUMENT: a share that is none, a power or rate that
** is not above 0 and finite, or a limit above the board's own. */
PM_API int pm_board_predict(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_board_load *load,
                            pm_board_draw *draw, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
