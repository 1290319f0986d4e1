/*
** How far predictions are off: measured over predicted is taken as log-normal. Spreads are standard deviations of the
** logarithm and add in squares.
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

/* Of kernels: by constants that were fitted, by rule, or by the plain roofline; and of libraries that do not run there. */
static inline double pm__device_variance(const pm__device *device, double rule, double roofline)
{
  double foreign = device->foreign ? pm__spread_square(roofline) : 0;
  if (!device->calibrated) return pm__spread_square(roofline) + foreign;
  return device->origin == PM_ORIGIN_FITTED ? foreign : pm__spread_square(rule) + foreign;
}

/* Eight of ten measurements lie between prediction / factor and prediction x factor. */
static inline double pm__band_factor(double variance)
{
  return exp(1.2815515655446004 * sqrt(variance)); /* a tenth of the normal distribution lies beyond that many */
}

#endif
