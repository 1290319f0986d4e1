/* The effect of software on the kernels of a network, by device: the same for training and inference. */
#ifndef PM_LOWERING_LIBRARY_H
#define PM_LOWERING_LIBRARY_H

#include "kernel/device.h"
#include "lowering/execution.h"

/* How a framework runs layers whose tensors are in two bytes or less (`narrow`), or in more. */
static inline pm__execution pm__execution_of(bool fused, bool eager, bool narrow, bool bias_in_product,
                                             bool fuses_convolutions)
{
  int base = fused ? (fuses_convolutions ? PM__FUSED_CONVOLUTIONS : PM__FUSED)
             : eager ? (narrow ? PM__EAGER_MIXED : PM__EAGER) : narrow ? PM__UNFUSED_MIXED : PM__UNFUSED;
  return (pm__execution)(base + (bias_in_product ? PM__BIAS_IN_PRODUCT : 0));
}

/* Time of convolutions over the kernel model's: the library generation matters only if that is calibrated. */
static inline double pm__library_factor(const pm__device *device, double simt, double tensor)
{
  if (!device->calibrated) return 1;
  return device->conv.tensor ? tensor : simt;
}

/* Whether convolutions convert the layout of input and output. Tensor cores need contiguous channels (NHWC), whatever
** layout the framework stores. */
static inline bool pm__changes_layout(const pm__device *device, bool simt, bool tensor, bool tf32)
{
  if (!device->conv.tensor) return simt;
  return device->bytes == 2 ? tensor : tf32;
}

#endif
