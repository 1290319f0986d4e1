/* The band of a collective's time. */
#include "collective/band.h"
#include <math.h>

static const double TENTH = 1.2815515655446004; /* of the normal distribution, in standard deviations */
static const double places[PM__BAND_SIZES] = {14, 20, 26}; /* log2 of bytes */

void pm__collective_band_init(double band[PM__BAND_SIZES], const pm_collective_fit *fit)
{
  const double deviations[PM__BAND_SIZES] = {fit->small_deviation, fit->middle_deviation, fit->large_deviation};
  for (int i = 0; i < PM__BAND_SIZES; i++) band[i] = exp(TENTH * deviations[i]);
}

/* The logarithm to the base of 2, even between powers of 2. */
static double place_of(double bytes)
{
  int exponent;
  double mantissa = frexp(bytes, &exponent);
  return exponent - 2 + 2 * mantissa;
}

double pm__collective_band_at(const double band[PM__BAND_SIZES], double bytes)
{
  double place = bytes > 0 ? place_of(bytes) : 0;
  if (place <= places[0]) return band[0];
  if (place >= places[PM__BAND_SIZES - 1]) return band[PM__BAND_SIZES - 1];
  int below = place < places[1] ? 0 : 1;
  return band[below] + (place - places[below]) / (places[below + 1] - places[below]) * (band[below + 1] - band[below]);
}
