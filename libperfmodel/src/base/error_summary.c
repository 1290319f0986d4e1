/* Quantiles of values, and the spread of errors. */
#include <math.h>
#include <stdlib.h>
#include "base/base.h"

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Quantile of sorted values, between neighbours in proportion. */
static double quantile(const double *sorted, size_t count, double q)
{
  double place = q * (double)(count - 1);
  size_t below = (size_t)place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - floor(place)) * (sorted[below + 1] - sorted[below]);
}

double pm__quantile(double *values, size_t count, double q)
{
  qsort(values, count, sizeof *values, ascending);
  return quantile(values, count, q);
}

pm__error_summary pm__error_summary_of(double *errors, size_t count)
{
  pm__error_summary out = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
  double sum = 0, bias = 0;
  if (count == 0) return out;
  for (size_t i = 0; i < count; i++) {
    bias += errors[i];
    errors[i] = fabs(errors[i]);
    sum += errors[i];
  }
  qsort(errors, count, sizeof *errors, ascending);
  out.mape = sum / (double)count;
  out.median = quantile(errors, count, 0.5);
  out.p90 = quantile(errors, count, 0.9);
  out.bias = bias / (double)count;
  return out;
}
