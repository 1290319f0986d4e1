/*
** The error of predictions: measured over predicted is assumed to be log-normal. Spreads are standard deviations of the
** logarithm and add in squares; a status that is not calibrated multiplies them.
*/
#ifndef PM_HARDWARE_SPREAD_H
#define PM_HARDWARE_SPREAD_H

#include <math.h>
#include "perfmodel/hardware.h"

/* A missing spread adds nothing. */
static inline double pm__spread_square(double spread)
{
  return spread > 0 ? spread * spread : 0;
}

/* The factor of a status on a spread; a missing factor is 1. */
static inline double pm__spread_factor(int32_t status, double extrapolated, double not_calibrated)
{
  double factor = status == PM_CALIBRATION_STATUS_EXTRAPOLATED       ? extrapolated
                  : status == PM_CALIBRATION_STATUS_NOT_CALIBRATED ? not_calibrated
                                                                   : 1;
  return factor > 0 ? factor : 1;
}

static inline int32_t pm__worse_status(int32_t one, int32_t other)
{
  return one > other ? one : other;
}

/* 80 % of measurements are between prediction / factor and prediction x factor; returns the logarithm of that
** factor. */
static inline double pm__interval_log(double variance)
{
  return 1.2815515655446004 * sqrt(variance); /* a tenth of the normal distribution lies beyond that many */
}

/* The variance whose interval has that factor. */
static inline double pm__interval_variance(double factor)
{
  double spread = log(factor) / pm__interval_log(1);
  return spread * spread;
}

static inline double pm__interval_factor(double variance)
{
  return exp(pm__interval_log(variance));
}

#endif
