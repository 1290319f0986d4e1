/*
** Paged attention of decoding, as in vLLM's own kernels (csrc/attention/attention_kernels.cuh): a block of threads
** takes one head of queries of a sequence and a part of its keys, which it reads one after another and for itself, even
** if other heads share them. The scores of all of its keys stay in shared memory, so that this limits how many blocks
** an SM holds, and with them how much is read at once. That joins the time of the memory.
*/
#include "kernel/models.h"

enum { THREADS = 128 }; /* of a block */

/* Blocks that an SM holds. */
static double resident(const pm__device *d, const pm__kernel_paged *p)
{
  double by_threads = pm__floor(d->threads / THREADS);
  if (!(p->memory > 0)) return pm__most(1, by_threads);
  return pm__most(1, pm__least(by_threads, pm__floor(d->l1 / (d->sms * p->memory))));
}

pm__kernel_cost pm__paged_cost(const pm__device *d, const pm__kernel_paged *p, double flop, double bytes)
{
  double parts = pm__ceil(p->keys / p->part), x = p->heads * parts * d->gemm.inverse_sms / resident(d, p);
  double waves = x < 1 ? 1 : x + d->k.wave * (pm__ceil(x - 1e-9) - x);
  double reading = waves * p->keys / parts * p->key / (p->rate * d->clock), memory = bytes * d->per_byte;
  int bound = reading > memory ? PM_BOUND_LATENCY : PM_BOUND_MEMORY_BANDWIDTH;
  return (pm__kernel_cost){pm__most(pm__join(reading, memory), flop * d->energy), PM_KERNEL_ALGORITHM_FLASH, bound};
}
