/*
** Kernels: the time of one pass of one layer on one GPU.
**
** Model: the plain roofline (Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009),
**
**     time = max( flop / peak, bytes / memory_bandwidth )
**
** with datasheet peaks and every tensor read and written once per access. Nothing is fitted: it is a bound that no
** kernel can beat with these accesses, so throughput built on it is an upper bound. Tiles, latency, caches, clocks
** under power limits and launch costs are not modelled here.
*/
#ifndef PERFMODEL_KERNEL_H
#define PERFMODEL_KERNEL_H

#include "error.h"

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

#ifdef __cplusplus
}
#endif
#endif
