/*
** Power of one board: what kernels draw, and what a power limit does to them (energy.c has the law).
**
** A device has the power of its board at the limit that it is priced at, so that time and energy of a kernel come from
** one place.
*/
#ifndef PM_KERNEL_ENERGY_H
#define PM_KERNEL_ENERGY_H

#include <stdbool.h>
#include "perfmodel/hardware.h"

typedef struct pm__kernel_board {
  bool known;      /* there are a design power and constants */
  bool limited;    /* by less, or more, than the power that its times are of */
  bool in_range;   /* limits like this one were measured */
  bool tensor;     /* it is of tensor cores */
  int32_t basis;   /* pm_origin */
  double limit, whole, least; /* W: what programs set; that its times are of; the least that was measured */
  double top, most; /* W: the highest mean draw at the power that its times are of, and at the limit */
  double idle, exchange; /* W of waiting with clocks up; of exchanging and nothing else */
  double run, energy; /* W of kernels that run, before their arithmetic; J for each FLOP beside, of tensor cores */
  double slow, drawn; /* of kernels that multiply no matrices, at the limit: factor of their time; W */
  double band, rule_band; /* logarithm of the factor within which eight of ten draws lie; of those by rule */
  double softness, free, fixed, fixed_most, knee, voltage, clocked, knee_power, knee_clock; /* of the law */
} pm__kernel_board;

/* What multiplies: tensor cores, or FP32 cores, which tensor cores draw like that multiply four bytes. */
typedef struct pm__kernel_engine {
  bool tensor;
  double bytes, peak; /* of the numbers that are multiplied; FLOP/s */
} pm__kernel_engine;

/* Of a board at its own limit. Constants NULL: unknown. */
void pm__power_init(pm__kernel_board *power, const pm_gpu *gpu, const pm_kernel_calibration *constants,
                    pm__kernel_engine engine);

/* The same under a limit [W]. */
void pm__power_set_limit(pm__kernel_board *power, double limit);

/* PM_OK, or why the board cannot have that limit; NAN is none. */
int pm__power_check_limit(const pm__kernel_board *power, const pm_gpu *gpu, double limit, pm_error *error);

/* FLOP/s that a large product keeps up on cores that would do `rate` at the full clock, and draw `base` [W] and
** `energy` [J] for each FLOP there: INFINITY where nothing bounds them. */
double pm__power_hold(const pm__kernel_board *power, double base, double energy, double rate);

/* The power of a kernel [W], and the factor of its time. */
typedef struct pm__kernel_draw {
  double power, slow;
} pm__kernel_draw;

/* What one that draws `power` at the power that its times are of does at the limit. */
pm__kernel_draw pm__power_at_limit(const pm__kernel_board *power, double drawn);

/* Of a kernel that would do so many FLOP/s at that power; `bound`: where power keeps it from more. */
static inline pm__kernel_draw pm__power_of(const pm__kernel_board *p, double rate, bool bound)
{
  double wanted = p->run + p->energy * rate, drawn = bound || wanted > p->top ? p->top : wanted;
  return p->limited ? pm__power_at_limit(p, drawn) : (pm__kernel_draw){drawn, 1};
}

/* J of kernels that multiply, together, beyond what others draw in that time. */
static inline double pm__extra_energy(const pm__kernel_board *p, double time, double flop)
{
  double most = (p->limited ? p->most : p->top) * time - p->drawn * time, wanted = p->energy * flop;
  return wanted < most ? wanted : most;
}

#endif
