/*
** Kernels: the time of each pass of each layer on one GPU.
**
** Model: the plain roofline (Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009),
**
**     time = max( flop / peak, bytes / memory_bandwidth )
**
** with datasheet peaks and every tensor read and written once per access. Nothing is fitted: it is a bound for kernels
** that do all of the arithmetic and these accesses (a Winograd convolution does fewer multiplications and can be
** faster). Tiles, latency, caches, clocks under power limits and launch costs are not modelled here.
*/
#ifndef PERFMODEL_KERNEL_H
#define PERFMODEL_KERNEL_H

#include "hardware.h"
#include "network.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PM_BOUND_LIST(X)                                                \
  X(NONE, "none", "no work")                                            \
  X(COMPUTE, "compute", "limited by the arithmetic rate")               \
  X(MEMORY, "memory", "limited by the device memory bandwidth")

typedef enum pm_bound {
#define PM_BOUND_ENUM(name, text, doc) PM_BOUND_##name,
  PM_BOUND_LIST(PM_BOUND_ENUM)
#undef PM_BOUND_ENUM
  PM_BOUND_COUNT
} pm_bound;

/* Time [s] of `flop` arithmetic and `bytes` memory traffic at `peak` [FLOP/s] and `bandwidth` [B/s]. */
PM_API double pm_roofline_time(double flop, double bytes, double peak, double bandwidth);

/* Which of the two limits it. */
PM_API pm_bound pm_roofline_bound(double flop, double bytes, double peak, double bandwidth);

/* Rate [FLOP/s] that the roofline allows at an arithmetic intensity [FLOP/B]. */
PM_API double pm_roofline_attainable(double intensity, double peak, double bandwidth);

/* ---- Layer by layer ------------------------------------------------------------------------------------------- */

#define PM_LAYER_TIME_FIELDS(X)                                                                        \
  X(INT, index, "1", "position in the network, from 0")                                                \
  X(TEXT, name, "", "name of the layer")                                                               \
  X(TEXT, kind, "", "kind of the layer")                                                               \
  X(REAL, forward_time, "s", "forward kernel")                                                         \
  X(REAL, backward_data_time, "s", "backward kernel for the gradient of its input")                    \
  X(REAL, backward_weight_time, "s", "backward kernel for the gradients of its parameters")            \
  X(REAL, update_time, "s", "optimiser kernel")                                                        \
  X(REAL, time, "s", "sum of the four")                                                                \
  X(BOUND, bound, "", "what limits the forward kernel")                                                \
  X(REAL, flop, "FLOP", "arithmetic of the forward kernel")                                            \
  X(REAL, bytes, "B", "memory traffic of the forward kernel")                                          \
  X(REAL, intensity, "FLOP/B", "arithmetic intensity of the forward kernel")                           \
  X(REAL, peak, "FLOP/s", "arithmetic ceiling of the forward kernel")                                  \
  X(REAL, attainable, "FLOP/s", "rate that the roofline allows at this intensity")                     \
  X(REAL, achieved, "FLOP/s", "rate predicted")

typedef struct pm_layer_time { PM_LAYER_TIME_FIELDS(PM_DECLARE) } pm_layer_time;

/* Times of all layers on one GPU, into an array of pm_network_layer_count rows. Their sums are the prediction's times
** (to rounding: equal kernels are merged there). */
PM_API int pm_network_get_times(const pm_network *network, const pm_gpu *gpu, double batch, int precision,
                                pm_layer_time *rows, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
