/*
** How far predictions are off: measured over predicted is taken as log-normal. Spreads are standard deviations of the
** logarithm and add in squares; a status that is not calibrated multiplies them.
*/
#ifndef PM_KERNEL_SPREAD_H
#define PM_KERNEL_SPREAD_H

#include <math.h>
#include "kernel/device.h"

/* One that nobody gave adds nothing. */
static inline double pm__spread_square(double spread)
{
  return spread > 0 ? spread * spread : 0;
}

/* What a status multiplies a spread by; a factor that nobody gave is 1. */
static inline double pm__spread_factor(int32_t status, double extrapolated, double not_calibrated)
{
  double factor = status == PM_CALIBRATION_STATUS_EXTRAPOLATED       ? extrapolated
                  : status == PM_CALIBRATION_STATUS_NOT_CALIBRATED ? not_calibrated
                                                                   : 1;
  return factor > 0 ? factor : 1;
}

/* A class of work of a step or call: its time, its spread, and what it rests on. */
typedef struct pm__kernel_work {
  double time, spread;
  int32_t status;
} pm__kernel_work;

static inline int32_t pm__worse_status(int32_t one, int32_t other)
{
  return one > other ? one : other;
}

/* The worst of those that take a tenth of the whole. */
static inline int32_t pm__kernel_work_status(const pm__kernel_work *work, int count, double whole)
{
  int32_t status = PM_CALIBRATION_STATUS_CALIBRATED;
  for (int i = 0; i < count; i++)
    if (work[i].time >= 0.1 * whole) status = pm__worse_status(status, work[i].status);
  return status;
}

/* What they add to the variance, each in proportion to its share. */
static inline double pm__kernel_work_variance(const pm__kernel_work *work, int count, double whole, double extrapolated,
                                       double not_calibrated)
{
  double variance = 0;
  for (int i = 0; i < count; i++) {
    double spread = work[i].spread * pm__spread_factor(work[i].status, extrapolated, not_calibrated);
    variance += pm__spread_square(spread * work[i].time / whole);
  }
  return variance;
}

/* Eight of ten measurements lie between prediction / factor and prediction x factor. */
static inline double pm__interval_factor(double variance)
{
  return exp(1.2815515655446004 * sqrt(variance)); /* a tenth of the normal distribution lies beyond that many */
}

#endif
