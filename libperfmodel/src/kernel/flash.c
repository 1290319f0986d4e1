/*
** Fused attention: blocks of queries of one head, in waves over the SMs; the scores never leave the SM.
**
** Forward, where the constants are known: a block of threads takes 64 queries; heads that share keys share the blocks
** of short prompts and of decoding. A block has a start, and for every key the time of its scores on the tensor cores
** and of their exponentials, or that of loading the key, whichever is longer. Where the blocks do not fill the SMs the
** keys are parted. That joins the time of the memory. Else, and backward: the arithmetic at an efficiency.
*/
#include "kernel/models.h"

enum { ROWS = 64 };

static pm__kernel_cost by_efficiency(const pm__device *d, const pm__flash *f, double efficiency, double batch,
                                     double flop, double bytes)
{
  double blocks = batch * f->heads * pm__ceil(f->tokens / 128), x = blocks * d->gemm.inverse_sms;
  double full = pm__most(1, x + d->k.wave * (pm__ceil(x - 1e-9) - x)) / x;
  double rate = f->rate > 0 ? f->rate : 1;
  return pm__limited(d, flop * d->flash / efficiency * full / rate, bytes * d->per_byte, flop,
                     PM_KERNEL_ALGORITHM_FLASH);
}

/* s of an SM for one key of one block. */
static double key_time(const pm__device *d, const pm__flash *f)
{
  double scores = ROWS * (2 * (f->d + f->dv) * d->flash * d->sms / d->k.flash_forward + d->flash_score);
  return pm__most(scores, (f->d + f->dv) * (f->kv_bytes > 0 ? f->kv_bytes : d->bytes) * d->flash_load);
}

/* Keys that a block sees at most: within a window, those of its first query and its own. */
static double most_keys(const pm__flash *f)
{
  return f->window > 0 ? pm__least(f->keys, f->window + pm__least(f->tokens, ROWS) - 1) : f->keys;
}

/* Keys that a block sees in the mean: a causal mask leaves out whole blocks of them. */
static double mean_keys(const pm__flash *f, double blocks)
{
  if (f->pairs >= f->tokens * f->keys) return f->keys;
  if (f->keys < f->tokens) return f->pairs / f->tokens; /* each of some tokens */
  return pm__least(most_keys(f), f->keys - f->tokens + ROWS * (blocks + 1) / 2);
}

static double sm_time(const pm__device *d, const pm__flash *f, double batch)
{
  bool shared = f->tokens < ROWS && f->ungrouped == 0;
  double group = shared && f->kv_heads > 0 ? f->heads / f->kv_heads : 1;
  double blocks = pm__ceil(f->tokens * group / ROWS), x = batch * f->heads / group * blocks * d->gemm.inverse_sms;
  double waves = x < 1 ? x : x + d->k.wave * (pm__ceil(x - 1e-9) - x);
  double mean = shared ? most_keys(f) : mean_keys(f, blocks);
  double keys = pm__most(waves * mean, pm__least(most_keys(f), d->k.flash_part));
  double start = d->k.flash_block * (f->start > 0 ? f->start : 1);
  return pm__most(waves, 1) * start + keys * key_time(d, f);
}

pm__kernel_cost pm__flash_cost(const pm__device *d, const pm__flash *f, pm__pass pass, double batch, double flop,
                               double bytes)
{
  if (pass != PM__FORWARD) return by_efficiency(d, f, d->k.flash_backward, batch, flop, bytes);
  if (!(d->flash_load > 0)) return by_efficiency(d, f, d->k.flash_forward, batch, flop, bytes);
  double compute = pm__most(sm_time(d, f, batch) / (f->rate > 0 ? f->rate : 1), flop * d->flash);
  double memory = bytes * (1 - f->kept) * d->per_byte;
  double time = pm__join(compute, memory), power = flop * d->energy;
  if (power > time) return (pm__kernel_cost){power, PM_KERNEL_ALGORITHM_FLASH, PM_BOUND_POWER};
  int bound = compute > memory ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY_BANDWIDTH;
  return (pm__kernel_cost){time, PM_KERNEL_ALGORITHM_FLASH, bound};
}
