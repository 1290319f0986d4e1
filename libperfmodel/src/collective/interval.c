/* Computes the prediction interval of a collective's time from the fitted deviations at three sizes. */
#include "collective/interval.h"
#include <math.h>

static const double TENTH = 1.2815515655446004; /* of the normal distribution, in standard deviations */
static const double sizes[PM__INTERVAL_SIZES] = {14, 20, 26}; /* log2 of bytes */

void pm__collective_interval_init(double interval[PM__INTERVAL_SIZES], const pm_collective_fit *fit)
{
  const double deviations[PM__INTERVAL_SIZES] = {fit->small_deviation, fit->middle_deviation, fit->large_deviation};
  for (int i = 0; i < PM__INTERVAL_SIZES; i++) interval[i] = exp(TENTH * deviations[i]);
}

/* The logarithm to the base of 2, even between powers of 2. */
static double log2_of(double bytes)
{
  int exponent;
  double mantissa = frexp(bytes, &exponent);
  return exponent - 2 + 2 * mantissa;
}

double pm__collective_interval_at(const double interval[PM__INTERVAL_SIZES], double bytes)
{
  double size = bytes > 0 ? log2_of(bytes) : 0;
  if (size <= sizes[0]) return interval[0];
  if (size >= sizes[PM__INTERVAL_SIZES - 1]) return interval[PM__INTERVAL_SIZES - 1];
  int below = size < sizes[1] ? 0 : 1;
  double part = (size - sizes[below]) / (sizes[below + 1] - sizes[below]);
  return interval[below] + part * (interval[below + 1] - interval[below]);
}
