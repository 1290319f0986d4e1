/*
** Tiles of matrix multiplications: one candidate tile for one product at a time, in formulas without branches. Loops
** over the
** candidates of one product (gemm.c), or over many products of one candidate (conv_many.c), become vector code.
*/
#ifndef PM_KERNEL_TILES_H
#define PM_KERNEL_TILES_H

#include <math.h>
#include "kernel/models.h"

/* Rounding up of numbers that are whole or at least 1/512 off, or `short_of` whole: to the nearest whole number of a
** little less than half more. Adding and taking off 2^52 does that for several at once. */
static inline double pm__rounded_up(double x, double short_of)
{
  return (x + (0.5 - short_of) + 4503599627370496.0) - 4503599627370496.0;
}

/* Tiles along one side of the result, which is a whole number of elements. */
static inline double pm__tiles_along(double size, double inverse_tile)
{
  return pm__rounded_up(size * inverse_tile, 1.0 / 1024);
}

/* Tiles of candidate `i` per SM; `share`: products per SM. */
static inline double pm__tiles_per_sm(const pm__engine *e, int i, double share, double m, double n)
{
  return share * (pm__tiles_along(m, e->inverse_m[i]) * pm__tiles_along(n, e->inverse_n[i]));
}

/* Waves over the SMs: an unfinished one costs most of a whole one, and a few threads cost what hides the latency. */
static inline double pm__whole_time(const pm__engine *e, int i, double x, double k)
{
  double waves = (1 - e->wave) * x + e->wave * pm__rounded_up(x, 1e-9);
  return pm__most(waves, e->latency[i]) * ((k + e->prologue) * e->step[i]);
}

static inline double pm__least_of(const double *values, int count)
{
  double even = values[0], odd = values[1];
  for (int i = 2; i < count; i += 2) {
    even = pm__least(values[i], even);
    odd = pm__least(values[i + 1], odd);
  }
  return pm__least(even, odd);
}

/* Room of candidate `i` for another part of the contraction if it is negative. */
static inline double pm__over(const pm__engine *e, int i, double x)
{
  return 2 * x - e->most[i];
}

/* Whether splitting the contraction may be faster than `whole` s: what one saves is at most what is above the
** arithmetic at its best, and some candidate has room. `least_over`: the least of pm__over. */
static inline bool pm__may_split(const pm__engine *e, double multiply_adds, double k, double whole, double least_over)
{
  return k > e->split_least && whole > multiply_adds * e->multiply_add + e->split_time && least_over < 0;
}

/* With the contraction split into parts: their time, that of adding them up, and what passes before that, which never
** ends where a part has no room. */
typedef struct pm__product_parts {
  double time, added, begun;
} pm__product_parts;

/*
** `result` is s per part that the memory takes to write and read them; `root`: sqrt(k / result). The parts are as many
** as fill the SMs and hide the latency, unless they become too short or adding them costs more: the least time of all
** numbers from 2 to the most, which need not be whole ones. So the time cannot fall when a product grows.
*/
static inline pm__product_parts pm__split_time(const pm__engine *e, int i, double x, double k, double result,
                                               double root)
{
  double fill = e->fill[i], most = e->most[i], shortest = e->split_least, start = e->split_time;
  double filled = pm__least(fill, x * pm__least(k * e->per_part, e->root[i] * root));
  filled = pm__most(2 * x, pm__least(filled, most));
  double inverse = 1 / (x * filled), parts = filled * filled * inverse;
  double steps = pm__most(k * x * x * inverse, shortest) + e->prologue;
  double time = pm__most(filled, fill) * (steps * e->step[i]);
  return (pm__product_parts){time, parts * result, 2 * x > most ? 1e30 : start};
}

/* The same on tensor cores, of `x` parts per SM with so many steps each, which run in whole waves; nothing that grows
** makes it fall. */
static inline double pm__parts_time(const pm__engine *e, int i, double x, double steps)
{
  double waves = pm__most(pm__rounded_up(x, 1e-9), e->latency[i]);
  return x > e->most[i] ? 1e30 : waves * (steps * e->step[i]);
}

#endif
