/*
** What the measurements say about the constants found.
**
** The covariance of the coordinates is s^2 times the inverse of the normal matrix, s^2 the mean square of the weighted
** residuals. The matrix is scaled to ones on its diagonal first; directions with hardly any eigenvalue are those in which
** constants can be exchanged for one another, and what takes part in one is not identifiable.
*/
#include <math.h>
#include <string.h>
#include "lab/calibrate/fit.h"
#include "lab/calibrate/matrix.h"

static const double NO_DIRECTION = 1e-8;  /* eigenvalue of the scaled matrix */
static const double TAKES_PART = 0.1;     /* component of a direction */
static const double MOST_UNCERTAIN = 0.5; /* standard error as a share of the value */

static bool at_bound(const pm__fit *f, size_t j)
{
  const pm_fit_parameter *p = &f->parameters[j];
  double width = pm__fit_coordinate(p, p->upper) - pm__fit_coordinate(p, p->lower), near = 1e-6 * width;
  double low = f->u[j] - pm__fit_coordinate(p, p->lower), high = pm__fit_coordinate(p, p->upper) - f->u[j];
  if (low > near && high > near) return false;
  f->parameters[j].state = low <= near ? PM_FIT_STATE_AT_LOWER : PM_FIT_STATE_AT_UPPER;
  return true;
}

/* States that need no covariance; the others, the free ones, are counted. */
static size_t sort_out(pm__fit *f, size_t *index)
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

static double mean_square(const pm__fit *f, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < f->rows; i++) sum += pm__fit_weight(f, f->residual[i]) * f->residual[i] * f->residual[i];
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

static void find_partner(pm__fit *f, const double *values, const double *vectors, size_t n, size_t i)
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

static void judge_one(pm__fit *f, const double *values, const double *vectors, size_t n, size_t i, double square)
{
  size_t j = f->index[i];
  pm_fit_parameter *p = &f->parameters[j];
  double error = sqrt(square * inverse(values, vectors, n, i, i) / f->normal[j * f->count + j]);
  p->uncertainty = pm__fit_is_log(p) ? error : fabs(error / p->value);
  find_partner(f, values, vectors, n, i);
  if (!is_determined(values, vectors, n, i)) p->uncertainty = NAN;
  else if (p->uncertainty <= MOST_UNCERTAIN) p->state = PM_FIT_STATE_FITTED;
}

int pm__fit_judge(pm__fit *f)
{
  int status = pm__fit_derive(f);
  if (status != PM_OK) return status;
  size_t n = sort_out(f, f->index);
  double *scaled = f->work, *vectors = f->work + n * n, *values = f->gradient;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double *m = f->normal;
      size_t c = f->count, a = f->index[i], b = f->index[j];
      scaled[i * n + j] = m[a * c + b] / sqrt(m[a * c + a] * m[b * c + b]);
    }
  pm__matrix_eigen(scaled, values, vectors, n);
  double square = mean_square(f, n);
  for (size_t i = 0; i < n; i++) judge_one(f, values, vectors, n, i, square);
  return PM_OK;
}
