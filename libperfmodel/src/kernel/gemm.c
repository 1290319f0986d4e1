/*
** Matrix products.
**
** A product is cut into tiles, one block of threads each; the blocks run in waves over the SMs. A tile's time is its
** multiply-adds at the issue rate of the SM, plus some steps to fill and drain it. Too few threads do not hide the
** latency; then the contraction may be split, and the parts are added up afterwards. Of all tiles and splits the fastest
** is taken, as libraries do by their heuristics.
**
** FP32 cores: sqrt(compute^2 + memory^2), each operand moved once. Tensor cores: gemm_tensor.c.
*/
#include "kernel/tiles.h"

double pm__tiles_time(const pm__engine *e, const pm__product *p, double result, bool *split)
{
  double x[PM__TILES], time[PM__TILES];
  pm__tiles_per_sm(e, p, x);
  pm__whole_times(e, x, p->k, time);
  double whole = pm__least_of(time);
  *split = false;
  if (!pm__may_split(e, p, x, whole)) return whole;
  pm__split_times(e, x, p->k, result, time);
  double parted = pm__least_of(time);
  *split = parted < whole;
  return *split ? parted : whole;
}

pm__cost pm__limited(const pm__device *d, double compute, double memory, double flop, int algorithm)
{
  double time = sqrt(compute * compute + memory * memory), power = flop * d->energy;
  if (power > time) return (pm__cost){power, algorithm, PM_BOUND_POWER};
  return (pm__cost){time, algorithm, compute > memory ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY};
}

static bool aligned(const pm__device *d, const pm__product *p)
{
  return (((int64_t)p->m | (int64_t)p->n | (int64_t)p->k) & ((int64_t)d->align - 1)) == 0; /* a power of 2 */
}

static pm__cost simt_cost(const pm__device *d, const pm__product *p)
{
  bool split;
  double slow = aligned(d, p) ? 1 : d->alignment, element = d->bytes * d->per_byte * p->count, result = p->m * p->n;
  double compute = slow * pm__tiles_time(p->count > 1 ? &d->batched : &d->gemm, p, 2 * element * result, &split);
  double memory = element * (p->m * p->k + p->n * p->k + result), flop = 2 * p->count * result * p->k * slow;
  return pm__limited(d, compute, memory, flop, split ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM);
}

pm__cost pm__gemm_cost(const pm__device *d, const pm__product *p)
{
  return d->gemm.tensor ? pm__tensor_cost(d, p) : simt_cost(d, p);
}
