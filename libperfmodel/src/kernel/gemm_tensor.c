/*
** Matrix products of tensor cores.
**
** They are fast enough for the way to the tiles to count. Beside the arithmetic (tiles.h) each candidate has the time
** of the L2, from which every tile takes its operands, and of the memory: operands that do not fit the L2 are read
** again by every wave.
*/
#include "kernel/tiles.h"

static void l2_times(const pm__engine *e, const double *x, double k, double *time)
{
  for (int i = 0; i < PM__TILES; i++) time[i] = x[i] * k * e->edge[i];
}

/* Resident tiles form a block, as square as the product lets it be, whose operands are shared; further blocks read
** anew. The block need not be a whole number of tiles, so that no count of SMs is worse than a smaller one. */
static void reread_elements(const pm__engine *e, const pm__product *p, double *elements)
{
  for (int i = 0; i < PM__TILES; i++) {
    double tm = pm__tiles_along(p->m, e->inverse_m[i]), tn = pm__tiles_along(p->n, e->inverse_n[i]);
    double blocks = tm * tn * e->inverse_resident[i];
    double down = pm__least(tm * e->inverse_height[i], blocks), across = pm__least(tn * e->inverse_width[i], blocks);
    elements[i] = p->k * (p->m * pm__most(1, across) + p->n * pm__most(1, down));
  }
}

static void memory_times(const pm__device *d, const pm__product *p, double *time)
{
  double operands = p->k * (p->m + p->n), element = d->bytes * d->per_byte * p->count;
  for (int i = 0; i < PM__TILES; i++) time[i] = operands;
  if (d->bytes * operands >= d->l2 / 2) reread_elements(&d->gemm, p, time);
  for (int i = 0; i < PM__TILES; i++) time[i] = element * (time[i] + p->m * p->n);
}

/* Squares of the joined times: between the norms with exponents 2 and 4, about as one with 2.4. */
static void join(const double *compute, const double *memory, const double *l2, double *square)
{
  for (int i = 0; i < PM__TILES; i++) {
    double a = compute[i] * compute[i], b = memory[i] * memory[i], c = l2[i] * l2[i];
    square[i] = 0.6 * (a + b + c) + 0.4 * sqrt(a * a + b * b + c * c);
  }
}

static int place_of(double value, const double *values)
{
  int i = 0;
  while (i < PM__TILES - 1 && values[i] != value) i++;
  return i;
}

pm__kernel_cost pm__tensor_cost(const pm__device *d, const pm__product *p)
{
  const pm__engine *e = &d->gemm;
  double x[PM__TILES], compute[PM__TILES], split[PM__TILES], memory[PM__TILES], l2[PM__TILES];
  pm__tiles_per_sm(e, p, x);
  pm__whole_times(e, x, p->k, compute);
  for (int i = 0; i < PM__TILES; i++) split[i] = INFINITY;
  if (pm__may_split(e, p, x, INFINITY))
    pm__split_times(e, x, p->k, 2 * d->bytes * d->per_byte * p->count * p->m * p->n, split);
  l2_times(e, x, p->k, l2);
  memory_times(d, p, memory);
  for (int i = 0; i < PM__TILES; i++) compute[i] = pm__least(compute[i], split[i]);
  double square[PM__TILES];
  join(compute, memory, l2, square);
  double least = pm__least_of(square);
  int i = place_of(least, square);
  int algorithm = split[i] == compute[i] ? PM_KERNEL_ALGORITHM_GEMM_SPLIT : PM_KERNEL_ALGORITHM_GEMM;
  double time = sqrt(least), power = 2 * p->count * p->m * p->n * p->k * d->energy;
  if (power > time) return (pm__kernel_cost){power, algorithm, PM_BOUND_POWER};
  return (pm__kernel_cost){time, algorithm, compute[i] > memory[i] ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY_BANDWIDTH};
}
