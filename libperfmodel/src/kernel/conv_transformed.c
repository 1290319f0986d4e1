/*
** Convolutions that multiply transforms: stride 1, on the FP32 cores.
**
**     Winograd 4x4   windows of 3 x 3 and 5 x 5: T = (4 + R - 1)^2 products of K x tiles x C, transforms apart
**     Winograd 2x2   3 x 3 in one kernel, 1 / 2.25 of the multiplications; not for the gradient of weights
**     FFT            tiles of 32 x 32 or smaller, of 256 in rows, half as many products of complex numbers; windows of 25
**                    elements and more, of 9 in rows, and gradients of weights
**
** Lavin, Gray, "Fast algorithms for convolutional neural networks", CVPR 2016. Transforms of tensors and of weights move a
** multiple of their elements; every kernel of transforms takes a time of its own. Where they are kernels apart, all
** transforms of a batch are in memory at a time: the workspace.
*/
#include "kernel/conv_window.h"

/* `count` products, of their sizes with the pass: the contraction of the gradient of weights is over the tiles. */
static pm__product products(const pm__window *s, double count, double tiles)
{
  if (s->pass == PM__WGRAD) return (pm__product){count, s->k, s->c, tiles, 0, false, 0, false};
  return (pm__product){count, s->to, tiles, s->from, 0, false, 0, false};
}

/* What is computed and moved by `extra` s of transforms and products, unless that alone takes longer than *best. */
static void try_products(const pm__device *d, const pm__product *p, double extra, int algorithm, pm__kernel_cost *best)
{
  double operands = p->m * p->k + p->n * p->k + p->m * p->n, flop = 2 * p->count * p->m * p->n * p->k;
  double inverse = 1 / d->k.conv_rate;
  if (flop / 2 * d->gemm.multiply_add * inverse + extra >= best->time) return; /* even at full waves */
  double compute = pm__products_time(d, &d->gemm, p) * inverse;
  pm__kernel_cost cost = pm__limited(d, compute, p->count * operands * d->bytes * d->per_byte, flop, algorithm);
  cost.time += extra;
  pm__keep(best, cost);
}

/* Numbers of a tile of 4 x 4 outputs, and tiles. */
static double winograd_tiles(const pm__window *s, double *t)
{
  double side = 3 + s->conv->kernel[1];
  *t = side * side;
  return s->n * s->target[0] * pm__ceil(s->target[1] / 4) * pm__ceil(s->target[2] / 4);
}

static void try_winograd_4x4(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  double t, tiles = winograd_tiles(s, &t);
  double weights = s->pass == PM__WGRAD ? 1 : d->k.winograd_weights;
  double tensors = s->n * s->c * s->size + s->p * s->k + t * tiles * (s->c + s->k);
  double moved = d->k.winograd_traffic * tensors + weights * (t + s->rs) * s->k * s->c;
  pm__product p = products(s, t, tiles);
  if (t * (tiles * (s->c + s->k) + s->k * s->c) * d->bytes > d->workspace) return;
  try_products(d, &p, moved * d->bytes * d->per_byte + 3 * d->k.transform_time, PM_KERNEL_ALGORITHM_WINOGRAD_4X4, best);
}

/* A block makes 32 channels of 4 x 8 tiles of 2 x 2 outputs. */
static void try_winograd_2x2(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  double blocks = s->n * s->target[0] * pm__ceil(s->target[1] / 8) * pm__ceil(s->target[2] / 16);
  double x = pm__ceil(s->to / 32) * blocks * d->conv.inverse_sms;
  double waves = pm__most(1, x + d->k.wave * (pm__ceil(x - 1e-9) - x));
  double compute = waves * (s->from + d->k.winograd_fused_prologue) * d->winograd;
  pm__kernel_cost cost = pm__limited(d, compute, d->k.winograd_fused_traffic * s->tensors, 2 * s->multiply_adds / 2.25,
                              PM_KERNEL_ALGORITHM_WINOGRAD_2X2);
  cost.time += d->k.winograd_fused_weights * s->weights;
  pm__keep(best, cost);
}

/* One row of numbers has transforms of one axis. */
static bool is_row(const pm__window *s)
{
  return s->target[1] == 1 && s->conv->kernel[1] == 1;
}

/* Side of a tile: as large as the input if that is small, else 32, and 256 of a row. */
static double fourier_side(double target, double window, double most)
{
  double side = target + window > 2 ? 2 * pm__ceil((target + window - 1) / 2) : 1;
  return side < most ? side : most;
}

static double fourier_tiles(const pm__window *s, double *elements)
{
  double tiles = s->n * s->target[0];
  *elements = 1;
  for (int i = 1; i < PM__SPACE; i++) {
    double window = s->conv->kernel[i], side = fourier_side(s->target[i], window, is_row(s) ? 256 : 32);
    *elements *= side;
    tiles *= pm__ceil(s->target[i] / (side - window + 1));
  }
  return tiles;
}

static void try_fft(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  double elements, tiles = fourier_tiles(s, &elements);
  pm__product p = products(s, elements / 2, tiles);
  p.k *= 4; /* multiplications of real numbers */
  double numbers = elements * (tiles * (s->c + s->k) + s->k * s->c), moved = d->k.fft_traffic * numbers;
  if (numbers * d->bytes > d->workspace) return;
  try_products(d, &p, moved * d->bytes * d->per_byte + 3 * d->k.transform_time, PM_KERNEL_ALGORITHM_FFT, best);
}

/* Transforms count for nothing, as they do in the limits of try_products. */
double pm__conv_transformed_executed(const pm__window *s, int algorithm)
{
  double numbers, tiles, pairs = 2 * s->c * s->k;
  switch (algorithm) {
  case PM_KERNEL_ALGORITHM_WINOGRAD_2X2: return pairs * s->rs * s->p / 2.25;
  case PM_KERNEL_ALGORITHM_WINOGRAD_4X4: tiles = winograd_tiles(s, &numbers); return pairs * numbers * tiles;
  case PM_KERNEL_ALGORITHM_FFT: tiles = fourier_tiles(s, &numbers); return pairs * 2 * numbers * tiles;
  default: return NAN;
  }
}

void pm__conv_transformed(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  const double *window = s->conv->kernel;
  bool square = window[1] == window[2] && (window[1] == 3 || window[1] == 5);
  bool weight = s->pass == PM__WGRAD;
  if (s->strided || s->rs < 9 || window[0] != 1 || pm__volume(s->conv->dilation) != 1) return;
  bool winograd = square && (weight ? d->has_weight_winograd : d->has_winograd);
  if (winograd && window[1] == 3 && !weight) try_winograd_2x2(d, s, best);
  if (winograd) try_winograd_4x4(d, s, best);
  double widest = is_row(s) ? 128 : 16;
  if ((s->rs >= 25 || weight || is_row(s)) && window[1] <= widest && window[2] <= widest) try_fft(d, s, best);
}
