/* What the algorithms of convolutions share. */
#ifndef PM_KERNEL_CONV_WINDOW_H
#define PM_KERNEL_CONV_WINDOW_H

#include <math.h>
#include "kernel/models.h"

/* One group of a convolution, in the letters of conv.c. */
typedef struct pm__window {
  double groups, n, c, k, rs, positions, p, size; /* positions of the output, size of the input */
  double crs, multiply_adds;
  double from, to;      /* channels read and made: the gradient of data goes from the outputs to the inputs */
  const double *target; /* sides of what is made */
  bool strided, odd;    /* odd: channels that the tensor cores do not take as they are */
  const pm__conv *conv;
  pm__pass pass;
  double tensors, weights; /* s to move inputs and outputs once, and the weights */
} pm__window;

static inline double pm__volume(const double *sizes)
{
  return sizes[0] * sizes[1] * sizes[2];
}

static inline double pm__multiple(double x, double of)
{
  return of * pm__ceil(x / of);
}

static inline void pm__keep(pm__kernel_cost *best, pm__kernel_cost other)
{
  if (other.time < best->time) *best = other;
}

/* Compute time of products, with the partial results of a split contraction. */
static inline double pm__products_time(const pm__device *d, const pm__engine *e, const pm__product *p)
{
  bool split;
  return pm__tiles_time(e, p, 2 * d->bytes * p->count * p->m * p->n * d->per_byte, &split);
}

/* Winograd and Fourier transforms, where they apply; each replaces *best if it is faster. FP32 cores only. */
void pm__conv_transformed(const pm__device *device, const pm__window *window, pm__kernel_cost *best);

/* FLOP of one of them; NAN of other algorithms. */
double pm__conv_transformed_executed(const pm__window *window, int algorithm);

#endif
