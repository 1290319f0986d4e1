/*
** Kernels that pass over memory: element-wise, batch norm, pooling, gathering, optimizer; rows of norms and softmax.
**
** Their time is their accesses at the bandwidth that kernels reach, or their arithmetic at the FP32 rate. A row that is
** reduced is read a second time (softmax: a third) unless all rows in flight fit the cache: the further reads set in
** over a ramp of the rows' size over that of the cache.
**
** A third limit is the SM: clocks for each number that it loads, converts, computes and stores. Blocks of one row each
** leave SMs idle where there are fewer of them than SMs.
*/
#include "kernel/models.h"

static pm__kernel_cost slower_of(const pm__device *d, double flop, double memory)
{
  double compute = flop / d->vector_peak;
  if (compute > memory) return (pm__kernel_cost){compute, PM_KERNEL_ALGORITHM_STREAM, PM_BOUND_COMPUTE};
  return (pm__kernel_cost){memory, PM_KERNEL_ALGORITHM_STREAM, PM_BOUND_MEMORY_BANDWIDTH};
}

pm__kernel_cost pm__stream_cost(const pm__device *d, double flop, double bytes)
{
  return slower_of(d, flop, bytes * d->per_byte);
}

pm__kernel_cost pm__operator_cost(const pm__device *d, bool matrix, double flop, double bytes, double share)
{
  double compute = flop / (matrix ? d->matrix_peak : d->vector_peak), memory = bytes / d->bandwidth;
  int bound = compute > memory ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY_BANDWIDTH;
  return (pm__kernel_cost){pm__most(compute, memory) / share, PM_KERNEL_ALGORITHM_STREAM, bound};
}

pm__kernel_cost pm__image_pass_cost(const pm__device *d, double flop, double bytes)
{
  return slower_of(d, flop, bytes * d->pass_byte);
}

pm__kernel_cost pm__pass_cost(const pm__device *d, double flop, double bytes, double clocks, double blocks)
{
  pm__kernel_cost cost = pm__stream_cost(d, flop, bytes);
  if (!(clocks > 0)) return cost;
  double idle = blocks > 0 ? pm__most(1, d->sms / blocks) : 1;
  double sm = bytes / d->bytes * clocks * idle / (d->sms * d->clock);
  if (sm > cost.time) cost.bound = PM_BOUND_COMPUTE;
  cost.time = pm__join(cost.time, sm);
  return cost;
}

static double ramp(double share)
{
  return pm__least(pm__most(share, 0), 1);
}

/* Blocks of 128 threads, one row each. */
double pm__norm_reads(const pm__device *d, double row)
{
  double share = d->sms * (d->threads / 128) * row * d->bytes / (d->k.l2_share * d->l2);
  return ramp((share - d->k.reread_start) / d->k.reread_width);
}

/* A block of threads is a quarter of the row, a power of 2 from 32 to 512. */
double pm__softmax_reads(const pm__device *d, double row)
{
  double block = 32;
  if (row <= 1024) return 0; /* in registers */
  while (block < 512 && 2 * block <= row / 4) block *= 2;
  double flight = d->sms * (d->threads / block) * row * d->bytes;
  return 2 * ramp(flight / (d->k.l2_share * d->l2 + d->k.softmax_l1 * d->l1) / d->k.softmax_reread);
}
