/*
** Matrix multiplications of tensor cores.
**
** They are fast enough for the way to the tiles to count. Beside the arithmetic (tiles.h) each candidate has the time
** of the L2, from which every tile takes its operands, and of the memory: operands that do not fit the L2 are read
** again by every wave. Before the first tiles have operands and after the last are done, nothing overlaps: a start.
*/
#include <string.h>
#include "kernel/tiles.h"

static void l2_times(const pm__engine *e, const double *x, double k, double *time)
{
  for (int i = 0; i < PM__TILES; i++) time[i] = x[i] * k * e->edge[i];
}

/* Resident tiles form a block, as square as the product lets it be, whose operands are shared; further blocks read
** again. The block need not be a whole number of tiles, so that no count of SMs is worse than a smaller one. */
static void reread_elements(const pm__engine *e, const pm__product *p, double *elements)
{
  for (int i = 0; i < PM__TILES; i++) {
    double tm = pm__tiles_along(p->m, e->inverse_m[i]), tn = pm__tiles_along(p->n, e->inverse_n[i]);
    double blocks = tm * tn * e->inverse_resident[i];
    double down = pm__least(tm * e->inverse_height[i], blocks), across = pm__least(tn * e->inverse_width[i], blocks);
    elements[i] = p->k * (p->m * pm__most(1, across) + p->n * (1 - p->spared) * pm__most(1, down));
  }
}

/* The first bytes take the latency of the memory. What the L2 keeps of the last use is not read, and results that
** replace those of the last use are not written. */
static void memory_times(const pm__device *d, const pm__product *p, double *time)
{
  double operands = p->k * (p->m + p->n * (1 - p->spared)), element = d->bytes * d->per_byte * p->count;
  for (int i = 0; i < PM__TILES; i++) time[i] = operands;
  if (d->bytes * operands >= d->l2 / 2) reread_elements(&d->gemm, p, time);
  for (int i = 0; i < PM__TILES; i++) time[i] = d->memory_start + element * (1 - p->kept) * (time[i] + p->m * p->n);
}

/* Squares of the joined times: between the norms with exponents 2 and 4, about as one with 2.4. */
static void join(const double *compute, const double *memory, const double *l2, double *square)
{
  for (int i = 0; i < PM__TILES; i++) {
    double a = compute[i] * compute[i], b = memory[i] * memory[i], c = l2[i] * l2[i];
    square[i] = 0.6 * (a + b + c) + 0.4 * sqrt(a * a + b * b + c * c);
  }
}

/* Parts of a contraction. */
static const double PARTS_MOST = 32;

static int index_of(double value, const double *values)
{
  int i = 0;
  while (i < PM__TILES - 1 && values[i] != value) i++;
  return i;
}

/* Times of one product by candidate. */
typedef struct candidates {
  double x[PM__TILES], compute[PM__TILES], memory[PM__TILES], l2[PM__TILES];
  double split[PM__TILES]; /* of parts, and of adding them up */
} candidates;

/* The least time without a sum of parts in a kernel of its own. */
static double joined(const candidates *c, int *tile)
{
  double square[PM__TILES];
  join(c->compute, c->memory, c->l2, square);
  double least = pm__least_of(square, PM__TILES);
  *tile = index_of(least, square);
  return sqrt(least);
}

/* The least time of parts that a kernel of its own adds up: it begins after the others. */
static double parted(const candidates *c)
{
  double square[PM__TILES];
  join(c->split, c->memory, c->l2, square);
  return sqrt(pm__least_of(square, PM__TILES));
}

/* Single rows of numbers that other cores multiply too, where libraries have kernels for them: threads go along the
** contraction, and their sums stay in the block. */
static double row_time(const pm__device *d, const pm__product *p)
{
  if (!(d->row > 0) || pm__least(p->m, p->n) > 1) return INFINITY;
  double bytes = d->bytes * p->count * (p->k * (p->m + p->n * (1 - p->spared)) + p->m * p->n);
  return pm__join(pm__most(p->k * d->row, bytes / d->l2_rate), bytes * (1 - p->kept) * d->per_byte);
}

/* `slow`: factor of the arithmetic. */
static void set_whole(const pm__engine *e, const pm__product *p, double slow, candidates *c)
{
  double share = p->count * e->inverse_sms;
  for (int i = 0; i < PM__TILES; i++) c->x[i] = pm__tiles_per_sm(e, i, share, p->m, p->n);
  for (int i = 0; i < PM__TILES; i++) c->compute[i] = pm__whole_time(e, i, c->x[i], p->k) * slow;
}

/* The contraction is cut into 2, 8 or 32 parts; the numbers between decide nothing that rows show, and more than are
** worth a part of their own only cost more. */
static void set_split(const pm__engine *e, const pm__product *p, double slow, double result, candidates *c)
{
  double least[PM__TILES];
  for (int i = 0; i < PM__TILES; i++) least[i] = 1e30;
  for (double parts = 2; parts <= PARTS_MOST && p->k > parts / 4 * e->split_least; parts *= 4) {
    double steps = slow * (pm__most(p->k / parts, e->split_least) + e->prologue), added = parts * result;
    for (int i = 0; i < PM__TILES; i++)
      least[i] = pm__least(least[i], pm__parts_time(e, i, parts * c->x[i], steps) + added);
  }
  memcpy(c->split, least, sizeof least);
}

static bool may_split(const pm__engine *e, const pm__product *p, const candidates *c)
{
  double over[PM__TILES];
  for (int i = 0; i < PM__TILES; i++) over[i] = pm__over(e, i, c->x[i]);
  return !p->unsplit && pm__may_split(e, 0, p->k, INFINITY, pm__least_of(over, PM__TILES));
}

static inline pm__kernel_cost tensor_cost(const pm__device *d, const pm__engine *e, const pm__product *p)
{
  double slow = (p->odd ? d->unaligned : 1) * (p->recurrent ? d->recurrent : 1);
  candidates c;
  set_whole(e, p, slow, &c);
  l2_times(e, c.x, p->k, c.l2);
  memory_times(d, p, c.memory);
  bool splits = may_split(e, p, &c), split = false;
  if (splits) set_split(e, p, slow, 2 * d->bytes * d->per_byte * p->count * p->m * p->n, &c);
  for (int i = 0; i < PM__TILES && splits && !d->adds_apart; i++)
    c.compute[i] = pm__least(c.compute[i], c.split[i] + e->split_time);
  int i;
  double time = joined(&c, &i), apart = splits && d->adds_apart ? parted(&c) + e->split_time : (double)INFINITY;
  if (splits) split = d->adds_apart ? apart < time : c.compute[i] == c.split[i] + e->split_time;
  time = pm__least(time, apart);
  int algorithm = split ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM;
  double row = row_time(d, p);
  if (row < time) return (pm__kernel_cost){d->start + row, PM_KERNEL_ALGORITHM_GEMM, PM_BOUND_MEMORY_BANDWIDTH};
  double power = 2 * p->count * p->m * p->n * p->k * d->energy;
  if (power > time) return (pm__kernel_cost){d->start + power, algorithm, PM_BOUND_POWER};
  int bound = c.compute[i] > c.memory[i] ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY_BANDWIDTH;
  return (pm__kernel_cost){d->start + time, algorithm, bound};
}

/* Four numbers at a time instead of two, with the same bits: nothing is contracted. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"), flatten))
static pm__kernel_cost tensor_cost_avx2(const pm__device *d, const pm__engine *e, const pm__product *p)
{
  return tensor_cost(d, e, p);
}

pm__kernel_cost pm__tensor_cost(const pm__device *d, const pm__engine *e, const pm__product *p)
{
  return __builtin_cpu_supports("avx2") ? tensor_cost_avx2(d, e, p) : tensor_cost(d, e, p);
}
#else
pm__kernel_cost pm__tensor_cost(const pm__device *d, const pm__engine *e, const pm__product *p)
{
  return tensor_cost(d, e, p);
}
#endif
