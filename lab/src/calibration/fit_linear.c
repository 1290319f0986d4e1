/*
** A fit near a point: its cost, its derivatives, and what the measurements say about the constants found there.
*/
#include "calibration/fit.h"
#include <math.h>
#include <string.h>

bool pm__lab_fit_is_log(const pm_fit_parameter *p)
{
  return p->lower > 0;
}

double pm__lab_fit_coordinate(const pm_fit_parameter *p, double value)
{
  return pm__lab_fit_is_log(p) ? log(value) : value;
}

double pm__lab_fit_value(const pm_fit_parameter *p, double u)
{
  double value = pm__lab_fit_is_log(p) ? exp(u) : u;
  return fmin(fmax(value, p->lower), p->upper);
}

bool pm__lab_fit_is_fixed(const pm_fit_parameter *p)
{
  return !(p->lower < p->upper);
}

/* ---- Cost ---- */

/* Twice what a residual costs: its square if it is small, in proportion to its size if it is large. */
static double doubled_cost(const pm_fit_options *options, double residual)
{
  double square = residual * residual, c = options->robust, size = fabs(residual);
  if (!(c > 0) || (options->huber && size <= c)) return square;
  return options->huber ? c * (2 * size - c) : 2 * c * c * (sqrt(1 + square / (c * c)) - 1);
}

double pm__lab_fit_cost(const pm__lab_fit *f, const double *residual)
{
  double sum = 0;
  for (size_t i = 0; i < f->rows; i++) sum += doubled_cost(&f->options, residual[i]);
  return sum / 2;
}

double pm__lab_fit_weight(const pm__lab_fit *f, double residual)
{
  double c = f->options.robust, size = fabs(residual);
  if (!(c > 0) || (f->options.huber && size <= c)) return 1;
  return f->options.huber ? c / size : 1 / sqrt(1 + residual * residual / (c * c));
}

int pm__lab_fit_evaluate(pm__lab_fit *f, const double *u, double *residual)
{
  for (size_t i = 0; i < f->count; i++)
    f->values[i] = pm__lab_fit_is_fixed(&f->parameters[i]) ? f->parameters[i].start
                                                           : pm__lab_fit_value(&f->parameters[i], u[i]);
  f->result->evaluations++;
  return f->function(f->context, f->values, residual, f->error);
}

/* ---- Derivatives ---- */

static double span(const pm__lab_fit *f, const pm_fit_parameter *p)
{
  return pm__lab_fit_is_log(p) ? f->share : f->share * (p->upper - p->lower);
}

/* Central differences, one-sided at a bound. */
static int derive_one(pm__lab_fit *f, size_t j)
{
  const pm_fit_parameter *p = &f->parameters[j];
  double *row = &f->jacobian[j * f->rows], at = f->u[j], h = span(f, p);
  memset(row, 0, f->rows * sizeof *row);
  if (pm__lab_fit_is_fixed(p)) return PM_OK;
  double up = fmin(at + h, pm__lab_fit_coordinate(p, p->upper));
  double down = fmax(at - h, pm__lab_fit_coordinate(p, p->lower));
  f->u[j] = up;
  int status = pm__lab_fit_evaluate(f, f->u, row);
  f->u[j] = down;
  if (status == PM_OK) status = pm__lab_fit_evaluate(f, f->u, f->trial);
  f->u[j] = at;
  for (size_t i = 0; i < f->rows && status == PM_OK; i++) {
    row[i] = (row[i] - f->trial[i]) / (up - down);
    if (!isfinite(row[i])) row[i] = 0;
  }
  return status;
}

int pm__lab_fit_derive(pm__lab_fit *f)
{
  int status = PM_OK;
  for (size_t j = 0; j < f->count && status == PM_OK; j++) status = derive_one(f, j);
  for (size_t j = 0; j < f->count && status == PM_OK; j++) {
    const double *a = &f->jacobian[j * f->rows];
    double sum = 0;
    for (size_t i = 0; i < f->rows; i++) sum += a[i] * pm__lab_fit_weight(f, f->residual[i]) * f->residual[i];
    f->gradient[j] = sum;
    for (size_t k = 0; k <= j; k++) {
      const double *b = &f->jacobian[k * f->rows];
      sum = 0;
      for (size_t i = 0; i < f->rows; i++) sum += a[i] * b[i] * pm__lab_fit_weight(f, f->residual[i]);
      f->normal[j * f->count + k] = f->normal[k * f->count + j] = sum;
    }
  }
  return status;
}

/* ---- Matrices: Cholesky's factors and Jacobi's rotations, enough for a few dozen constants ---- */

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

bool pm__lab_matrix_solve(double *a, double *b, size_t n)
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

void pm__lab_matrix_eigen(double *a, double *values, double *vectors, size_t n)
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

/* ---- Judgement ---- */

/*
** What the measurements say about the constants found.
**
** The covariance of the coordinates is s^2 times the inverse of the normal matrix, s^2 the mean square of the weighted
** residuals. The matrix is scaled to ones on its diagonal first; directions with hardly any eigenvalue are those in
** which constants can be exchanged for one another, and what takes part in one is not identifiable.
*/

static const double NO_DIRECTION = 1e-8;  /* eigenvalue of the scaled matrix */
static const double TAKES_PART = 0.1;     /* component of a direction */
static const double MOST_UNCERTAIN = 0.5; /* standard error as a share of the value */

static bool at_bound(const pm__lab_fit *f, size_t j)
{
  const pm_fit_parameter *p = &f->parameters[j];
  double width = pm__lab_fit_coordinate(p, p->upper) - pm__lab_fit_coordinate(p, p->lower), near = 1e-6 * width;
  double low = f->u[j] - pm__lab_fit_coordinate(p, p->lower), high = pm__lab_fit_coordinate(p, p->upper) - f->u[j];
  if (low > near && high > near) return false;
  f->parameters[j].state = low <= near ? PM_FIT_STATE_AT_LOWER : PM_FIT_STATE_AT_UPPER;
  return true;
}

/* States that need no covariance; the others, the free ones, are counted. */
static size_t sort_out(pm__lab_fit *f, size_t *index)
{
  size_t n = 0;
  for (size_t j = 0; j < f->count; j++) {
    pm_fit_parameter *p = &f->parameters[j];
    p->uncertainty = p->correlation = NAN;
    p->correlated[0] = '\0';
    p->state = PM_FIT_STATE_FIXED;
    if (!(p->lower < p->upper) || at_bound(f, j)) continue;
    p->state = PM_FIT_STATE_UNIDENTIFIED;
    if (f->normal[j * f->count + j] > 0) index[n++] = j;
  }
  return n;
}

static double mean_square(const pm__lab_fit *f, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < f->rows; i++) sum += pm__lab_fit_weight(f, f->residual[i]) * f->residual[i] * f->residual[i];
  return f->rows > n ? sum / (double)(f->rows - n) : (double)NAN;
}

/* Element i, j of the inverse of the scaled matrix, without its empty directions. */
static double inverse(const double *values, const double *vectors, size_t n, size_t i, size_t j)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    if (values[k] > NO_DIRECTION) sum += vectors[i * n + k] * vectors[j * n + k] / values[k];
  return sum;
}

static bool is_determined(const double *values, const double *vectors, size_t n, size_t i)
{
  for (size_t k = 0; k < n; k++)
    if (values[k] <= NO_DIRECTION && fabs(vectors[i * n + k]) > TAKES_PART) return false;
  return true;
}

static void find_partner(pm__lab_fit *f, const double *values, const double *vectors, size_t n, size_t i)
{
  pm_fit_parameter *p = &f->parameters[f->index[i]];
  double own = inverse(values, vectors, n, i, i);
  for (size_t j = 0; j < n; j++) {
    double r = inverse(values, vectors, n, i, j) / sqrt(own * inverse(values, vectors, n, j, j));
    if (j == i || !isfinite(r) || (p->correlated[0] != '\0' && fabs(r) <= fabs(p->correlation))) continue;
    p->correlation = r;
    memcpy(p->correlated, f->parameters[f->index[j]].name, sizeof p->correlated);
  }
}

static void judge_one(pm__lab_fit *f, const double *values, const double *vectors, size_t n, size_t i, double square)
{
  size_t j = f->index[i];
  pm_fit_parameter *p = &f->parameters[j];
  double error = sqrt(square * inverse(values, vectors, n, i, i) / f->normal[j * f->count + j]);
  p->uncertainty = pm__lab_fit_is_log(p) ? error : fabs(error / p->value);
  find_partner(f, values, vectors, n, i);
  if (!is_determined(values, vectors, n, i)) p->uncertainty = NAN;
  else if (p->uncertainty <= MOST_UNCERTAIN) p->state = PM_FIT_STATE_FITTED;
}

int pm__lab_fit_judge(pm__lab_fit *f)
{
  int status = pm__lab_fit_derive(f);
  if (status != PM_OK) return status;
  size_t n = sort_out(f, f->index);
  double *scaled = f->work, *vectors = f->work + n * n, *values = f->gradient;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double *m = f->normal;
      size_t c = f->count, a = f->index[i], b = f->index[j];
      scaled[i * n + j] = m[a * c + b] / sqrt(m[a * c + a] * m[b * c + b]);
    }
  pm__lab_matrix_eigen(scaled, values, vectors, n);
  double square = mean_square(f, n);
  for (size_t i = 0; i < n; i++) judge_one(f, values, vectors, n, i, square);
  return PM_OK;
}
