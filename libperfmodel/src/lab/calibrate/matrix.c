/* Cholesky's factors and Jacobi's rotations: enough for a few dozen constants. */
#include "lab/calibrate/matrix.h"
#include <math.h>

static bool factor(double *a, size_t n)
{
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return false;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  }
  return true;
}

bool pm__matrix_solve(double *a, double *b, size_t n)
{
  if (!factor(a, n)) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/* Turns rows and columns p and q so that a[p][q] becomes 0. */
static void rotate(double *a, double *vectors, size_t n, size_t p, size_t q)
{
  double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (size_t k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = vectors[k * n + p], y = vectors[k * n + q];
    vectors[k * n + p] = c * x - s * y;
    vectors[k * n + q] = s * x + c * y;
  }
}

void pm__matrix_eigen(double *a, double *values, double *vectors, size_t n)
{
  for (size_t i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0 ? 1 : 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double beside = 0, on = 0;
    for (size_t p = 0; p < n; p++) {
      on += fabs(a[p * n + p]);
      for (size_t q = p + 1; q < n; q++) beside += fabs(a[p * n + q]);
    }
    if (!(beside > 1e-15 * on)) break;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++)
        if (a[p * n + q] < 0 || a[p * n + q] > 0) rotate(a, vectors, n, p, q);
  }
  for (size_t i = 0; i < n; i++) values[i] = a[i * n + i];
}
