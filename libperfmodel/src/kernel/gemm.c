/*
** Matrix products.
**
** A product is cut into tiles, one block of threads each; the blocks run in waves over the SMs. A tile's time is its
** multiply-adds at the issue rate of the SM, plus some steps to fill and drain it. Too few threads do not hide the
** latency; then the contraction may be split, and the parts are added up afterwards. Of all tiles and splits the fastest
** is taken, as libraries do by their heuristics.
**
** FP32 cores: sqrt(compute^2 + memory^2), each operand moved once. Tensor cores are fast enough for the way to the tiles to
** count: per tile the L2's rate, and operands that do not fit the L2 are read again by every wave.
*/
#include <math.h>
#include "kernel/models.h"

/* Waves over the SMs: an unfinished one costs most of a whole one, and a few threads cost what hides the latency. */
static inline double waves(const pm__engine *e, double x, double latency)
{
  double started = pm__ceil(x - 1e-9);
  return pm__most(x + e->wave * (started - x), latency);
}

typedef struct search {
  double time, split;
} search;

static inline double whole_time(const pm__engine *e, int i, double blocks, double k)
{
  return waves(e, blocks * e->inverse_sms, e->latency[i]) * (k + e->prologue) * e->step[i];
}

static inline double split_time(const pm__engine *e, int i, double blocks, double parts, double k)
{
  double steps = k / parts + e->prologue;
  return waves(e, blocks * parts * e->inverse_sms, e->latency[i]) * steps * e->step[i] + e->split_time;
}

/* The most parts that are worth while; below 2, none. */
static inline double most_parts(const pm__engine *e, int i, double blocks, double k)
{
  if (blocks * 2 > e->split[i] || k < 2 * e->split_least) return 1;
  return pm__floor(pm__least(e->split[i] / blocks, k / e->split_least));
}

/* The parts worth trying fill one wave, two waves, ... up to the most. `full` is the time of waves without a gap: another
** wave adds at least another prologue to it. */
static void try_splits(const pm__engine *e, int i, double blocks, double k, double result, double full, search *best)
{
  double most = most_parts(e, i, blocks, k), per_wave = e->sms / blocks, parts = 1;
  double wave = e->prologue * e->step[i], least = full + e->split_time;
  for (double filled = per_wave; parts < most && least < best->time; filled += per_wave, least += wave) {
    parts = pm__most(1, pm__least(pm__floor(filled + 1e-9), most));
    if (parts < 2) continue;
    double time = split_time(e, i, blocks, parts, k) + parts * result;
    if (time < best->time) *best = (search){time, parts};
  }
}

/* Rounding up by adding and taking off 2^52, which loops over tiles can do for several at once. */
static inline double rounded_up(double x)
{
  double near = (x + 4503599627370496.0) - 4503599627370496.0;
  return near + (near < x ? 1.0 : 0.0);
}

double pm__tiles_time(const pm__engine *e, int tiles, const pm__product *p, double result, double *split)
{
  double blocks[PM__TILES], time[PM__TILES];
  search best = {INFINITY, 1};
  for (int i = 0; i < PM__TILES; i++) {
    blocks[i] = p->count * rounded_up(p->m * e->inverse_m[i]) * rounded_up(p->n * e->inverse_n[i]);
    double x = blocks[i] * e->inverse_sms, started = rounded_up(x - 1e-9), q = x + e->wave * (started - x);
    q = q > e->latency[i] ? q : e->latency[i];
    time[i] = q * (p->k + e->prologue) * e->step[i];
  }
  for (int i = 0; i < tiles; i++)
    if (time[i] < best.time) best.time = time[i];
  if (p->k < 2 * e->split_least) tiles = 0;
  for (int i = 0; i < tiles; i++) {
    double full = blocks[i] * e->inverse_sms * p->k * e->step[i];
    if (blocks[i] * 2 <= e->split[i] && full + e->split_time < best.time)
      try_splits(e, i, blocks[i], p->k, result, full, &best);
  }
  *split = best.split;
  return best.time;
}

pm__cost pm__limited(const pm__device *d, double compute, double memory, double flop, int algorithm)
{
  double time = sqrt(compute * compute + memory * memory), power = flop * d->energy;
  if (power > time) return (pm__cost){power, algorithm, PM_BOUND_POWER};
  return (pm__cost){time, algorithm, compute > memory ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY};
}

static bool aligned(const pm__device *d, const pm__product *p)
{
  double a = 1 / d->align; /* a power of 2 */
  return pm__floor(p->m * a) == p->m * a && pm__floor(p->n * a) == p->n * a && pm__floor(p->k * a) == p->k * a;
}

static double traffic(const pm__device *d, const pm__product *p)
{
  return d->bytes * p->count * (p->m * p->k + p->n * p->k + p->m * p->n) * d->per_byte;
}

static pm__cost simt_cost(const pm__device *d, const pm__product *p)
{
  double split, slow = aligned(d, p) ? 1 : d->alignment;
  int tiles = p->count > 1 && d->large_batched_tiles ? 1 : d->gemm.tiles;
  double result = 2 * d->bytes * p->count * p->m * p->n * d->per_byte;
  double compute = pm__tiles_time(&d->gemm, tiles, p, result, &split) * slow;
  double flop = 2 * p->count * p->m * p->n * p->k * slow;
  return pm__limited(d, compute, traffic(d, p), flop, split > 1 ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM);
}

/* Memory [s]: resident tiles form a block of cm x cn tiles whose operands are shared; each further block reads anew. */
static double reread(const pm__device *d, const pm__product *p, int i, double tm, double tn, double split)
{
  const pm__engine *e = &d->gemm;
  double operands = p->k * (p->m + p->n), result = p->m * p->n * (split > 1 ? 1 + 2 * split : 1);
  if (d->bytes * operands >= d->l2 / 2) {
    double cm = pm__least(tm, e->side[i]), cn = pm__least(tn, pm__ceil(e->resident[i] / cm));
    cm = pm__least(tm, pm__ceil(e->resident[i] / cn));
    operands = p->k * (p->m * pm__ceil(tn / cn) + p->n * pm__ceil(tm / cm));
  }
  return d->bytes * p->count * (operands + result) * d->per_byte;
}

typedef struct candidate {
  double square, compute, memory, l2, split; /* square of the time */
} candidate;

static void try_parts(const pm__device *d, const pm__product *p, int i, double tm, double tn, double parts,
                      candidate *best)
{
  const pm__engine *e = &d->gemm;
  double blocks = p->count * tm * tn;
  double compute = parts > 1 ? split_time(e, i, blocks, parts, p->k) : whole_time(e, i, blocks, p->k);
  double square = compute * compute;
  if (square >= best->square) return;
  double memory = reread(d, p, i, tm, tn, parts), l2 = blocks * p->k * e->edge[i];
  square += memory * memory + l2 * l2;
  if (square < best->square) *best = (candidate){square, compute, memory, l2, parts};
}

static double power_2_25(double x)
{
  return x * x * sqrt(sqrt(x));
}

/* The fits want compute, memory and L2 joined with an exponent of 2.3; with 2.25 roots do most of it. The search for the
** fastest candidate makes do with 2. */
static double joined(double compute, double memory, double l2)
{
  double share = power_2_25(memory / compute) + power_2_25(l2 / compute);
  return compute * pow(1 + share, 1 / 2.25);
}

static pm__cost tensor_cost(const pm__device *d, const pm__product *p)
{
  const pm__engine *e = &d->gemm;
  candidate best = {INFINITY, 0, 0, 0, 1};
  for (int i = 0; i < e->tiles; i++) {
    double tm = pm__ceil(p->m * e->inverse_m[i]), tn = pm__ceil(p->n * e->inverse_n[i]), blocks = p->count * tm * tn;
    double full = blocks * e->inverse_sms * p->k * e->step[i];
    if (full * full >= best.square) continue; /* even full waves take longer */
    try_parts(d, p, i, tm, tn, 1, &best);
    full += e->split_time;
    if (full * full >= best.square) continue;
    double most = most_parts(e, i, blocks, p->k), per_wave = e->sms / blocks, parts = 1;
    for (double filled = per_wave; parts < most; filled += per_wave) {
      parts = pm__most(1, pm__least(pm__floor(filled + 1e-9), most));
      if (parts >= 2) try_parts(d, p, i, tm, tn, parts, &best);
    }
  }
  double time = joined(best.compute, best.memory, best.l2), power = 2 * p->count * p->m * p->n * p->k * d->energy;
  int algorithm = best.split > 1 ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM;
  if (power > time) return (pm__cost){power, algorithm, PM_BOUND_POWER};
  return (pm__cost){time, algorithm, best.compute > best.memory ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY};
}

pm__cost pm__gemm_cost(const pm__device *d, const pm__product *p)
{
  return d->gemm.tensor ? tensor_cost(d, p) : simt_cost(d, p);
}
