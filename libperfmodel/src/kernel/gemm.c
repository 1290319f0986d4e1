/*
** Matrix multiplications.
**
** A product is cut into tiles, one block of threads each; the blocks run in waves over the SMs. A tile's time is its
** multiply-adds at the issue rate of the SM, plus some steps to fill and drain it. Too few threads do not hide the
** latency; then the contraction may be split, and the parts are added up afterwards. Of all tiles and splits the
** fastest is taken, as libraries do by their heuristics.
**
** FP32 cores: sqrt(compute^2 + memory^2), each operand moved once. Tensor cores: gemm_tensor.c.
*/
#include "kernel/tiles.h"

/* `tiles` is a constant where this is inlined, so that the loops are unrolled. */
static inline pm__product_time least_time(const pm__engine *e, double count, double m, double n, double k,
                                          double result, int tiles)
{
  double x[PM__TILES], over[PM__TILES], time[PM__TILES], share = count * e->inverse_sms;
  for (int i = 0; i < tiles; i++) x[i] = pm__tiles_per_sm(e, i, share, m, n);
  for (int i = 0; i < tiles; i++) time[i] = pm__whole_time(e, i, x[i], k);
  for (int i = 0; i < tiles; i++) over[i] = pm__over(e, i, x[i]);
  double whole = pm__least_of(time, tiles);
  if (!(result < (double)INFINITY) || !pm__may_split(e, count * m * n * k, k, whole, pm__least_of(over, tiles)))
    return (pm__product_time){whole, false};
  double root = sqrt(k / result);
  for (int i = 0; i < tiles; i++) {
    pm__product_parts parts = pm__split_time(e, i, x[i], k, result, root);
    time[i] = parts.time + parts.added + parts.begun;
  }
  double parted = pm__least_of(time, tiles);
  return (pm__product_time){pm__least(parted, whole), parted < whole};
}

pm__product_time pm__tiles_time(const pm__engine *e, double count, double m, double n, double k, double result)
{
  if (e->tiles <= 4) return least_time(e, count, m, n, k, result, 4);
  return e->tiles <= 6 ? least_time(e, count, m, n, k, result, 6) : least_time(e, count, m, n, k, result, PM__TILES);
}

/* Whether the sizes are multiples of numbers that are powers of 2, of sides that an operand stores side by side. So one
** more sample is never aligned better. */
static bool divides(double side, double along, const pm__product *p)
{
  int64_t m = p->samples_m ? 0 : (int64_t)p->m, n = p->samples_n ? 0 : (int64_t)p->n,
      k = p->samples_k ? 0 : (int64_t)p->k;
  return (((m | n) & ((int64_t)side - 1)) | (k & ((int64_t)along - 1))) == 0;
}

/* `slow`: factor of the arithmetic and its energy; `late`: of its time alone. */
static pm__kernel_cost simt_cost(const pm__device *d, const pm__product *p, double slow, double late)
{
  double element = d->bytes * d->per_byte * p->count, result = p->m * p->n;
  pm__product_time tiled = pm__tiles_time(p->count > 1 ? &d->batched : &d->gemm, p->count, p->m, p->n, p->k,
                                   p->unsplit ? (double)INFINITY : 2 * element * result);
  double memory = element * (p->m * p->k + p->n * p->k * (1 - p->spared) + result),
      flop = 2 * p->count * result * p->k * slow;
  return pm__limited(d, tiled.time * slow * late, memory, flop,
                     tiled.split ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM);
}

pm__kernel_cost pm__gemm_cost(const pm__device *d, const pm__product *p)
{
  if (d->gemm.tensor) return pm__tensor_cost(d, &d->gemm, p);
  return simt_cost(d, p, divides(d->align, d->align, p) ? 1 : d->alignment, 1);
}

static double growth(double size, double free, double exponent)
{
  return size > free && exponent > 0 ? pow(size / free, exponent) : 1;
}

/* Rows of an operand that tiles in flight read, at most. */
static const double ROWS = 2048;

/*
** Every row of a tile is a contraction away from the next. Addresses in use at a time span all rows in flight; where
** they exceed what the translation of addresses reaches, as on Pascal, tiles wait. Operands that are not aligned take
** more instructions, and are read more often if they exceed the L2.
*/
pm__kernel_cost pm__gemm_tn_cost(const pm__device *d, const pm__product *p)
{
  if (d->gemm.tensor) return pm__tensor_cost(d, &d->gemm, p);
  double along = d->bytes * p->k, rows = pm__least(p->m, ROWS) + pm__least(p->n, ROWS);
  double late = growth(along * rows, d->k.tn_reach, d->k.tn_growth);
  if (divides(pm__most(d->align / 2, 1), d->align, p)) return simt_cost(d, p, 1, late);
  late *= growth(along * pm__most(p->m, p->n), 2 * d->l2, d->k.tn_unaligned_growth);
  return simt_cost(d, p, d->k.tn_alignment, late);
}
