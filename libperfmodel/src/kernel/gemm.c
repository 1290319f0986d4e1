/*
** Matrix products.
**
** A product is cut into tiles, one block of threads each; the blocks run in waves over the SMs. A tile's time is its
** multiply-adds at the issue rate of the SM, plus some steps to fill and drain it. Too few threads do not hide the
** latency; then the contraction may be split, and the parts are added up afterwards. Of all tiles and splits the
** fastest is taken, as libraries do by their heuristics.
**
** FP32 cores: sqrt(compute^2 + memory^2), each operand moved once. Tensor cores: gemm_tensor.c.
*/
#include "kernel/tiles.h"

static inline pm__tiled least_time(const pm__engine *e, const pm__product *p, double result, int tiles)
{
  double x[PM__TILES], time[PM__TILES], added[PM__TILES], begun[PM__TILES];
  pm__tiles_per_sm(e, p, x, tiles);
  pm__whole_times(e, x, p->k, time, tiles);
  double whole = pm__least_of(time, tiles);
  if (!(result < (double)INFINITY) || !pm__may_split(e, p, x, whole, tiles)) return (pm__tiled){whole, false};
  pm__split_times(e, x, p->k, result, time, added, begun, tiles);
  for (int i = 0; i < tiles; i++) time[i] = time[i] + added[i] + begun[i];
  double parted = pm__least_of(time, tiles);
  return (pm__tiled){pm__least(parted, whole), parted < whole};
}

pm__tiled pm__tiles_time(const pm__engine *e, double count, double m, double n, double k, double result)
{
  const pm__product p = {.count = count, .m = m, .n = n, .k = k};
  switch (e->tiles) { /* constants, so that the loops are unrolled */
  case 4: return least_time(e, &p, result, 4);
  case 6: return least_time(e, &p, result, 6);
  default: return least_time(e, &p, result, PM__TILES);
  }
}

/* Whether the sizes are multiples of numbers that are powers of 2. */
static bool divides(double side, double along, const pm__product *p)
{
  return ((((int64_t)p->m | (int64_t)p->n) & ((int64_t)side - 1)) | ((int64_t)p->k & ((int64_t)along - 1))) == 0;
}

/* `slow`: factor of the arithmetic and its energy; `late`: of its time alone. */
static pm__kernel_cost simt_cost(const pm__device *d, const pm__product *p, double slow, double late)
{
  double element = d->bytes * d->per_byte * p->count, result = p->m * p->n;
  pm__tiled tiled = pm__tiles_time(p->count > 1 ? &d->batched : &d->gemm, p->count, p->m, p->n, p->k,
                                   p->unsplit ? (double)INFINITY : 2 * element * result);
  double memory = element * (p->m * p->k + p->n * p->k * (1 - p->spared) + result), flop = 2 * p->count * result * p->k * slow;
  return pm__limited(d, tiled.time * slow * late, memory, flop,
                     tiled.split ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM);
}

pm__kernel_cost pm__gemm_cost(const pm__device *d, const pm__product *p)
{
  if (d->gemm.tensor) return pm__tensor_cost(d, p);
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
  if (d->gemm.tensor) return pm__tensor_cost(d, p);
  double along = d->bytes * p->k, rows = pm__least(p->m, ROWS) + pm__least(p->n, ROWS);
  double late = growth(along * rows, d->k.tn_reach, d->k.tn_growth);
  if (divides(pm__most(d->align / 2, 1), d->align, p)) return simt_cost(d, p, 1, late);
  late *= growth(along * pm__most(p->m, p->n), 2 * d->l2, d->k.tn_unaligned_growth);
  return simt_cost(d, p, d->k.tn_alignment, late);
}
