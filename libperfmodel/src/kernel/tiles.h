/*
** Tiles of matrix products, all candidates of an engine side by side.
**
** Each function fills one number per candidate in a loop without branches, which compilers turn into vector code.
*/
#ifndef PM_KERNEL_TILES_H
#define PM_KERNEL_TILES_H

#include <math.h>
#include "kernel/models.h"

/* Rounding up by adding and taking off 2^52, so that a loop does it for several at once. */
static inline double pm__rounded_up(double x)
{
  double near = (x + 4503599627370496.0) - 4503599627370496.0;
  return near + (near < x ? 1.0 : 0.0);
}

/* Tiles per SM. */
static inline void pm__tiles_per_sm(const pm__engine *e, const pm__product *p, double *x)
{
  double share = p->count * e->inverse_sms;
  for (int i = 0; i < PM__TILES; i++)
    x[i] = share * (pm__rounded_up(p->m * e->inverse_m[i]) * pm__rounded_up(p->n * e->inverse_n[i]));
}

/* Waves over the SMs: an unfinished one costs most of a whole one, and a few threads cost what hides the latency. */
static inline void pm__whole_times(const pm__engine *e, const double *x, double k, double *time)
{
  double steps = k + e->prologue;
  for (int i = 0; i < PM__TILES; i++) {
    double waves = x[i] + e->wave * (pm__rounded_up(x[i] - 1e-9) - x[i]);
    time[i] = pm__most(waves, e->latency[i]) * steps * e->step[i];
  }
}

/* Whether any candidate leaves room for another part of the contraction. */
static inline bool pm__can_split(const pm__engine *e, const double *x, double k)
{
  double room = 0;
  for (int i = 0; i < PM__TILES; i++) room = pm__most(room, e->most[i] - 2 * x[i]);
  return room > 0 && k > e->split_least;
}

/*
** With the contraction split into parts, which are added up afterwards; `result` is s per part that the memory takes to
** write and read them. The parts are as many as fill the SMs and hide the latency, unless they become too short or adding
** them costs more: the least time of all numbers from 2 to the most, which need not be whole ones. So the time cannot
** fall when a product grows.
*/
static inline void pm__split_times(const pm__engine *e, const double *x, double k, double result, double *time)
{
  double longest = k * e->per_part, root = sqrt(k / result);
  for (int i = 0; i < PM__TILES; i++) {
    double per_tile = 1 / x[i], parts = pm__least(e->fill[i] * per_tile, pm__least(longest, e->root[i] * root));
    parts = pm__most(2, pm__least(parts, e->most[i] * per_tile));
    double steps = pm__most(k / parts, e->split_least) + e->prologue;
    double added = pm__most(x[i] * parts, e->fill[i]) * steps * e->step[i] + parts * result;
    time[i] = added + (2 * x[i] > e->most[i] ? (double)INFINITY : e->split_time);
  }
}

static inline double pm__least_time(const double *time)
{
  double least[PM__TILES / 2];
  for (int i = 0; i < PM__TILES / 2; i++) least[i] = pm__least(time[i], time[i + PM__TILES / 2]);
  return pm__least(pm__least(least[0], least[1]), pm__least(least[2], least[3]));
}

#endif
