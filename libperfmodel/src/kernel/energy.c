/*
** The law of power of one board, and of its limits.
**
**     waiting    idle
**     exchanging idle + a share of the design power
**     running    min( margin x L0, run + energy of a FLOP x FLOP / time )          nearly flat
**
** L0 is the power that the times of its kernels are of: the design power, or that of the whole board where a lowered
** one has the same clocks. A limit L lowers the clock; below a knee the voltage stays, and power falls only in
** proportion. From the draw P0 of a kernel at L0:
**
**     free  = P0 (1 - min( (P0 / (margin L0))^q, most ))^(-1/q)        what it would draw without a limit
**     P(L)  = ( free^-q + (margin L)^-q )^(-1/q)
**     s     = min( fixed L0, fixed most x min(P, P0) ),  y = (P - s) / (P0 - s)
**     x     = y^(1/(1+g)) where y > knee^(1+g), else y / knee^g        the clock over that at L0
**     t(L)  = t0 (c / x + 1 - c)                               of kernels; waiting and exchanging are not slowed
**
** A limit of L0 changes no bit.
*/
#include "kernel/energy.h"
#include <math.h>
#include "base/base.h"

static bool has(double value)
{
  return isfinite(value) && value > 0;
}

/* Of FP32 cores without rows: above that of waiting by their peak, and no more than where there are rows. */
static double running_share(const pm_kernel_calibration *k, pm__kernel_engine engine, double whole)
{
  if (engine.tensor) return k->tensor_power;
  if (k->simt_power_basis == PM_ORIGIN_FITTED || !(k->simt_rule_draw > 0)) return k->simt_power;
  return fmin(k->simt_power, k->idle_power + k->simt_rule_draw * engine.peak / whole);
}

/* Of numbers in two bytes; shorter ones take less. What runs on FP32 cores draws the same at any rate. */
static double flop_energy(const pm_kernel_calibration *k, pm__kernel_engine engine)
{
  return engine.tensor ? k->tensor_flop_energy * engine.bytes / 2 : 0;
}

static void set_law(pm__kernel_board *p, const pm_kernel_calibration *k, double whole)
{
  p->whole = whole;
  p->least = pm__or(k->limit_least, 0) * whole;
  p->softness = k->limit_softness;
  p->free = k->limit_free;
  p->fixed = k->limit_fixed * whole;
  p->fixed_most = k->limit_fixed_most;
  p->knee = k->limit_knee;
  p->voltage = k->limit_voltage;
  p->clocked = k->limit_clocked;
  p->knee_power = pow(p->knee, 1 + p->voltage);
  p->knee_clock = pow(p->knee, p->voltage);
}

/* A rule where the architecture has what it draws from another one. */
static int32_t basis_of(const pm_kernel_calibration *k, bool tensor)
{
  int32_t stated = tensor ? k->tensor_power_basis : k->simt_power_basis;
  return stated == PM_ORIGIN_FITTED ? PM_ORIGIN_FITTED : PM_ORIGIN_RULE;
}

static void set_unknown(pm__kernel_board *p)
{
  *p = (pm__kernel_board){.basis = PM_ORIGIN_NONE, .limit = NAN, .top = NAN, .most = NAN, .idle = NAN, .exchange = NAN,
                   .run = NAN, .energy = NAN, .slow = 1, .drawn = NAN, .band = NAN, .rule_band = NAN, .in_range = true};
}

void pm__power_init(pm__kernel_board *p, const pm_gpu *gpu, const pm_kernel_calibration *k, pm__kernel_engine engine)
{
  set_unknown(p);
  if (k == NULL || !has(gpu->power)) return;
  double whole = has(gpu->reference_power) ? gpu->reference_power : gpu->power;
  double run = running_share(k, engine, whole);
  if (!has(run) || !has(k->idle_power) || !has(k->power_margin) || !has(k->limit_softness)) return;
  p->known = true;
  p->basis = basis_of(k, engine.tensor);
  p->tensor = engine.tensor;
  p->rule_band = log1p(k->power_band_rule);
  p->band = p->basis == PM_ORIGIN_FITTED ? log1p(k->power_band_fitted) : p->rule_band;
  p->top = k->power_margin * whole;
  p->idle = k->idle_power * whole;
  p->exchange = fmin(p->top, p->idle + pm__or(k->exchange_power, 0) * whole);
  p->run = fmin(p->top, run * whole);
  p->energy = flop_energy(k, engine);
  if (!(p->energy >= 0)) p->energy = 0;
  set_law(p, k, whole);
  pm__power_set_limit(p, gpu->power);
}

void pm__power_set_limit(pm__kernel_board *p, double limit)
{
  if (!p->known) return;
  p->limit = limit;
  p->most = p->top * (limit / p->whole);
  p->limited = limit != p->whole;
  p->in_range = limit >= p->least;
  pm__kernel_draw pass = p->limited ? pm__power_at_limit(p, p->run) : (pm__kernel_draw){p->run, 1};
  p->slow = pass.slow;
  p->drawn = pass.power;
}

static double softly(double a, double b, double q)
{
  return pow(pow(a, -q) + pow(b, -q), -1 / q);
}

/* The factor of the time of a kernel whose draw falls to `share`, of both what no clock lowers left out. */
static double slowness(const pm__kernel_board *p, double share)
{
  double clock = share > p->knee_power ? pow(share, 1 / (1 + p->voltage)) : share / p->knee_clock;
  return p->clocked / clock + 1 - p->clocked;
}

double pm__power_hold(const pm__kernel_board *p, double base, double energy, double rate)
{
  double wanted = base + energy * rate;
  if (!p->known || !(energy > 0) || !(base < p->top)) return INFINITY;
  if (wanted <= p->top) return (p->top - base) / energy;
  return rate / slowness(p, (p->top - p->fixed) / (wanted - p->fixed));
}

pm__kernel_draw pm__power_at_limit(const pm__kernel_board *p, double drawn)
{
  double q = p->softness, share = pow(drawn / p->top, q), left = 1 - fmin(share, p->free);
  double whole = pow(left + share, 1 / q); /* 1, but for what draws all that it may: that the law meets L0 there too */
  double power = fmin(whole * softly(drawn * pow(left, -1 / q), p->most, q), p->most);
  double fixed = fmin(p->fixed, p->fixed_most * fmin(power, drawn));
  return (pm__kernel_draw){fmax(power, fmin(p->idle, p->most)), slowness(p, (power - fixed) / (drawn - fixed))};
}

/* ---- Which limits there are ---- */

static double most_of(const pm_gpu *gpu)
{
  return isnan(gpu->most_power) ? gpu->power : gpu->most_power;
}

int pm__power_check_limit(const pm__kernel_board *p, const pm_gpu *gpu, double limit, pm_error *error)
{
  if (isnan(limit)) return PM_OK;
  if (!(limit > 0) || isinf(limit))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "power_limit %g W is not positive and finite", limit);
  if (isnan(gpu->power))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "power_limit %g W: the design power of %s is not known", limit,
                    gpu->id);
  if (limit > most_of(gpu))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "power_limit %g W is above the %g W of %s", limit, most_of(gpu),
                    gpu->id);
  if (!p->known)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "power_limit %g W: the power of %s is not known", limit, gpu->id);
  if (limit >= p->idle) return PM_OK;
  return pm__fail(error, PM_STATUS_UNREACHABLE, "power_limit %g W is below the idle power of %.0f W of %s",
                  limit, p->idle, gpu->id);
}
