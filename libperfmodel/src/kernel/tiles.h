/*
** Tiles of matrix products, all candidates of an engine side by side.
**
** Each function fills one number per candidate in a loop without branches, which compilers turn into vector code; `tiles`
** is how many candidates there are, a constant where the function is inlined.
*/
#ifndef PM_KERNEL_TILES_H
#define PM_KERNEL_TILES_H

#include <math.h>
#include "kernel/models.h"

/* Rounding up of numbers that are whole or at least 1/512 off, or `short_of` whole: to the nearest whole number of a little
** less than half more. Adding and taking off 2^52 does that for several at once. */
static inline double pm__rounded_up(double x, double short_of)
{
  return (x + (0.5 - short_of) + 4503599627370496.0) - 4503599627370496.0;
}

/* Tiles along one side of the result, which is a whole number of elements. */
static inline double pm__tiles_along(double size, double inverse_tile)
{
  return pm__rounded_up(size * inverse_tile, 1.0 / 1024);
}

/* Tiles per SM. */
static inline void pm__tiles_per_sm(const pm__engine *e, const pm__product *p, double *x, int tiles)
{
  double share = p->count * e->inverse_sms;
  for (int i = 0; i < tiles; i++)
    x[i] = share * (pm__tiles_along(p->m, e->inverse_m[i]) * pm__tiles_along(p->n, e->inverse_n[i]));
}

/* Waves over the SMs: an unfinished one costs most of a whole one, and a few threads cost what hides the latency. */
static inline void pm__whole_times(const pm__engine *e, const double *x, double k, double *time, int tiles)
{
  double steps = k + e->prologue, wave = e->wave, rest = 1 - wave;
  for (int i = 0; i < tiles; i++) {
    double waves = rest * x[i] + wave * pm__rounded_up(x[i], 1e-9);
    time[i] = pm__most(waves, e->latency[i]) * (steps * e->step[i]);
  }
}

static inline double pm__least_of(const double *values, int tiles)
{
  double even = values[0], odd = values[1];
  for (int i = 2; i < tiles; i += 2) {
    even = pm__least(values[i], even);
    odd = pm__least(values[i + 1], odd);
  }
  return pm__least(even, odd);
}

/* Whether splitting the contraction may be faster than `whole` s: what one saves is at most what is above the arithmetic
** at its best, and some candidate has room for another part. */
static inline bool pm__may_split(const pm__engine *e, const pm__product *p, const double *x, double whole, int tiles)
{
  double over[PM__TILES];
  if (p->k <= e->split_least) return false;
  if (whole <= p->count * p->m * p->n * p->k * e->multiply_add + e->split_time) return false;
  for (int i = 0; i < tiles; i++) over[i] = 2 * x[i] - e->most[i];
  return pm__least_of(over, tiles) < 0;
}

/*
** With the contraction split into parts, which are added up afterwards; `result` is s per part that the memory takes to
** write and read them. The parts are as many as fill the SMs and hide the latency, unless they become too short or adding
** them costs more: the least time of all numbers from 2 to the most, which need not be whole ones. So the time cannot
** fall when a product grows. `time`: of the parts; `added`: of adding them up,
** `begun` before that, never where a part has no room.
*/
static inline void pm__split_times(const pm__engine *e, const double *x, double k, double result, double *time,
                                   double *added, double *begun, int tiles)
{
  double shortest = e->split_least, longest = k * e->per_part, root = sqrt(k / result);
  double prologue = e->prologue, start = e->split_time;
  for (int i = 0; i < tiles; i++) {
    double filled = pm__least(e->fill[i], x[i] * pm__least(longest, e->root[i] * root));
    filled = pm__most(2 * x[i], pm__least(filled, e->most[i]));
    double inverse = 1 / (x[i] * filled), parts = filled * filled * inverse;
    double steps = pm__most(k * x[i] * x[i] * inverse, shortest) + prologue;
    time[i] = pm__most(filled, e->fill[i]) * (steps * e->step[i]);
    added[i] = parts * result;
    begun[i] = 2 * x[i] > e->most[i] ? 1e30 : start;
  }
}

#endif
