/*
** Convolutions that multiply transforms: stride 1, on the FP32 cores.
**
**     Winograd 4x4   windows of 3 x 3 and 5 x 5: T = (4 + R - 1)^2 products of K x tiles x C, transforms apart
**     Winograd 2x2   3 x 3 in one kernel, 1 / 2.25 of the multiplications; not for the gradient of weights
**     FFT            tiles of 32 x 32 or smaller, of 256 in rows, half as many products of complex numbers; windows of
**                    25 elements and more, of 9 in rows, and gradients of weights
**
** Lavin, Gray, "Fast algorithms for convolutional neural networks", CVPR 2016. Transforms of tensors and of weights
** move a multiple of their elements; every kernel of transforms takes a time of its own. Where they are kernels apart,
** all transforms of a batch are in memory at a time: the workspace.
*/
#include "kernel/conv_window.h"

/* `count` products of numbers of all tiles, where their arithmetic at full waves and `extra` s of transforms do not
** take longer than `best`; `real`: real multiplications for one. The contraction of the gradient of weights is over the
** tiles. */
static pm__kernel_cost try_products(const pm__device *d, pm__window w, double count, double tiles, double real,
                                    double extra, int algorithm, pm__kernel_cost best)
{
  const pm__window_channels *c = w.channels;
  bool weight = w.shape->pass == PM__WGRAD;
  double m = weight ? c->k : c->to, n = weight ? c->c : tiles, k = (weight ? tiles : c->from) * real;
  double operands = m * k + n * k + m * n, flop = 2 * count * m * n * k;
  if (flop / 2 * d->gemm.multiply_add * d->inverse_conv_rate + extra >= best.time) return best;
  double compute = pm__window_compute_time(d, &d->gemm, count, m, n, k) * d->inverse_conv_rate;
  pm__kernel_cost cost = pm__limited(d, compute, count * operands * d->bytes * d->per_byte, flop, algorithm);
  cost.time += extra;
  return pm__faster(best, cost);
}

static pm__kernel_cost try_winograd_4x4(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  const pm__window_shape *s = w.shape;
  const pm__window_channels *c = w.channels;
  double t = s->winograd.numbers, tiles = w.n * s->winograd.tiles;
  double weights = s->pass == PM__WGRAD ? 1 : d->k.winograd_weights;
  double tensors = w.n * c->c * s->size + w.p * c->k + t * tiles * (c->c + c->k);
  double moved = d->k.winograd_traffic * tensors + weights * (t + s->rs) * c->k * c->c;
  if (t * (tiles * (c->c + c->k) + c->k * c->c) * d->bytes > d->workspace) return best;
  double extra = moved * d->bytes * d->per_byte + 3 * d->k.transform_time;
  return try_products(d, w, t, tiles, 1, extra, PM_KERNEL_ALGORITHM_WINOGRAD_4X4, best);
}

/* Full waves, and the weights for nothing, are the least that it can take. */
static pm__kernel_cost try_winograd_2x2(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  double x = pm__ceil(w.channels->to / 32) * (w.n * w.shape->fused_blocks) * d->conv.inverse_sms;
  double steps = w.channels->from + d->k.winograd_fused_prologue, memory = d->k.winograd_fused_traffic * w.tensors;
  if (pm__cannot_win(x * steps * d->winograd, memory, best.time)) return best;
  double waves = pm__most(1, x + d->k.wave * (pm__ceil(x - 1e-9) - x));
  pm__kernel_cost cost = pm__limited(d, waves * steps * d->winograd, memory, pm__window_flop(w) / 2.25,
                                     PM_KERNEL_ALGORITHM_WINOGRAD_2X2);
  cost.time += d->k.winograd_fused_weights * w.weights;
  return pm__faster(best, cost);
}

/* Numbers are complex: half as many products, of four real ones each. */
static pm__kernel_cost try_fft(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  const pm__window_channels *c = w.channels;
  double elements = w.shape->fourier.numbers, tiles = w.n * w.shape->fourier.tiles;
  double numbers = elements * (tiles * (c->c + c->k) + c->k * c->c), moved = d->k.fft_traffic * numbers;
  if (numbers * d->bytes > d->workspace) return best;
  double extra = moved * d->bytes * d->per_byte + 3 * d->k.transform_time;
  return try_products(d, w, elements / 2, tiles, 4, extra, PM_KERNEL_ALGORITHM_FFT, best);
}

pm__kernel_cost pm__conv_transformed(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  const pm__window_shape *s = w.shape;
  bool winograd = s->winograd.applies && (s->pass == PM__WGRAD ? d->has_weight_winograd : d->has_winograd);
  if (winograd && s->fused_blocks > 0) best = try_winograd_2x2(d, w, best);
  if (winograd) best = try_winograd_4x4(d, w, best);
  return s->fourier.applies ? try_fft(d, w, best) : best;
}
