/*
** What the algorithms of convolutions share.
**
** Most of what a price needs depends on neither the device nor the batch: pm__window_shape is made once per kernel of a
** plan (conv_shape.c). A pm__window adds one device and batch, with a few products of whole numbers.
*/
#ifndef PM_KERNEL_CONV_WINDOW_H
#define PM_KERNEL_CONV_WINDOW_H

#include <math.h>
#include "kernel/conv_shape.h"

/* One group of a convolution on a device at a batch, in the letters of conv.c. */
typedef struct pm__window {
  const pm__window_shape *shape;
  const pm__window_channels *channels; /* as the device takes them */
  double n, p;                       /* samples; positions of all outputs */
  double tensors, weights;           /* s to move inputs and outputs once, and the weights */
} pm__window;

static inline pm__kernel_cost pm__faster(pm__kernel_cost a, pm__kernel_cost b)
{
  return b.time < a.time ? b : a;
}

static inline double pm__window_flop(pm__window w)
{
  return 2 * (w.n * w.channels->multiply_adds);
}

/* A convolution as one implicit product m x n x k of each group: factor of its compute time, s to move what it reads
** and writes, FLOP, s of a partial result, s that it takes besides. */
typedef struct pm__window_implicit {
  double m, n, k, slow, memory, flop, result, besides;
} pm__window_implicit;

/* Compute time of products, with the partial results of a split contraction. */
static inline double pm__window_compute_time(const pm__device *d, const pm__engine *e, double count, double m, double n,
                                             double k)
{
  return pm__tiles_time(e, count, m, n, k, 2 * d->bytes * count * m * n * d->per_byte).time;
}

/* The faster of `best` and of Winograd and Fourier transforms, where they apply. FP32 cores only. */
pm__kernel_cost pm__conv_transformed(const pm__device *device, pm__window window, pm__kernel_cost best);

#endif
