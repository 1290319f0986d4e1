/*
** Bounded least squares.
**
** Levenberg and Marquardt's steps on the parameters that are free to move, cut off at the bounds. The model has kinks
** (the fastest of several ways) and flat pieces (whole numbers of tiles), where derivatives say little; so each round
** ends with trying every parameter by itself, up and down by shrinking steps, until neither finds anything better.
*/
#include "calibration/fit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

pm_fit_options pm_fit_options_make(void)
{
  pm_fit_options options = {0, 0, 0.01, 1e-6, 100, 1};
  return options;
}

pm_fit_parameter pm_fit_parameter_make(const char *name, double start, double lower, double upper)
{
  pm_fit_parameter p;
  pm_record_clear(pm_record_type_find("fit_parameter"), &p);
  if (name != NULL) pm__text_set(p.name, sizeof p.name, name);
  p.start = p.value = start;
  p.lower = lower;
  p.upper = upper;
  return p;
}

/* ---- Steps ---- */

/* Held by its bound, or by having no effect. */
static bool is_held(const pm__lab_fit *f, size_t j)
{
  const pm_fit_parameter *p = &f->parameters[j];
  if (pm__lab_fit_is_fixed(p) || !(f->normal[j * f->count + j] > 0)) return true;
  double value = pm__lab_fit_value(p, f->u[j]);
  return (value <= p->lower && f->gradient[j] > 0) || (value >= p->upper && f->gradient[j] < 0);
}

/* Fills f->step; false if there is none. */
static bool solve_step(pm__lab_fit *f, double damping)
{
  size_t n = 0;
  for (size_t j = 0; j < f->count; j++) n += !is_held(f, j);
  double *a = f->work, *b = f->work + f->count * f->count;
  size_t row = 0;
  for (size_t j = 0; j < f->count; j++) {
    if (is_held(f, j)) continue;
    size_t column = 0;
    for (size_t k = 0; k < f->count; k++)
      if (!is_held(f, k)) a[row * n + column++] = f->normal[j * f->count + k] * (j == k ? 1 + damping : 1);
    b[row++] = -f->gradient[j];
  }
  if (n == 0 || !pm__lab_matrix_solve(a, b, n)) return false;
  for (size_t j = 0, i = 0; j < f->count; j++) f->step[j] = is_held(f, j) ? 0 : b[i++];
  return true;
}

static double bounded(const pm_fit_parameter *p, double u)
{
  if (pm__lab_fit_is_fixed(p)) return u;
  return fmin(fmax(u, pm__lab_fit_coordinate(p, p->lower)), pm__lab_fit_coordinate(p, p->upper));
}

/* Moves to f->step if that is better; *moved says so. */
static int try_point(pm__lab_fit *f, bool *moved)
{
  int status = pm__lab_fit_evaluate(f, f->step, f->trial);
  double cost = status == PM_OK ? pm__lab_fit_cost(f, f->trial) : (double)INFINITY;
  *moved = cost < f->cost;
  if (!*moved) return status;
  memcpy(f->u, f->step, f->count * sizeof *f->u);
  memcpy(f->residual, f->trial, f->rows * sizeof *f->residual);
  f->cost = cost;
  return status;
}

/* One step downhill, with more and more damping until it is one. */
static int descend(pm__lab_fit *f, double *damping, bool *moved)
{
  int status = pm__lab_fit_derive(f);
  *moved = false;
  for (; status == PM_OK && !*moved && *damping < 1e9; *damping *= *moved ? 0.2 : 4) {
    if (!solve_step(f, *damping)) continue;
    for (size_t j = 0; j < f->count; j++) f->step[j] = bounded(&f->parameters[j], f->u[j] + f->step[j]);
    status = try_point(f, moved);
  }
  return status;
}

static int descend_all(pm__lab_fit *f)
{
  double damping = 1e-3;
  bool moved = true;
  int status = PM_OK;
  while (status == PM_OK && moved && f->iterations < f->options.iterations) {
    double before = f->cost;
    f->iterations++;
    status = descend(f, &damping, &moved);
    if (before - f->cost < f->options.tolerance * before) break;
  }
  return status;
}

/* Each parameter by itself, up and down by `share`. */
static int explore(pm__lab_fit *f, double share, bool *better)
{
  int status = PM_OK;
  for (size_t j = 0; j < f->count && status == PM_OK; j++) {
    const pm_fit_parameter *p = &f->parameters[j];
    double h = pm__lab_fit_is_log(p) ? share : share * (p->upper - p->lower);
    for (int sign = -1; sign <= 1 && status == PM_OK && !pm__lab_fit_is_fixed(p); sign += 2) {
      bool moved = false;
      memcpy(f->step, f->u, f->count * sizeof *f->u);
      f->step[j] = bounded(p, f->u[j] + sign * h);
      status = try_point(f, &moved);
      *better = *better || moved;
    }
  }
  return status;
}

static int explore_all(pm__lab_fit *f, bool *better)
{
  int status = PM_OK;
  double before = f->cost;
  for (double share = 1.28; share > 0.004 && status == PM_OK; share /= 2) {
    bool moved = true;
    for (int i = 0; i < 8 && moved && status == PM_OK; i++) {
      moved = false;
      status = explore(f, share, &moved);
    }
  }
  *better = before - f->cost > 10 * f->options.tolerance * before;
  return status;
}

/* From f->u to the nearest least cost. */
static int search_once(pm__lab_fit *f)
{
  bool better = true;
  int status = pm__lab_fit_evaluate(f, f->u, f->residual);
  f->cost = status == PM_OK ? pm__lab_fit_cost(f, f->residual) : (double)INFINITY;
  f->iterations = 0;
  while (status == PM_OK && better && isfinite(f->cost) && f->iterations < f->options.iterations) {
    status = descend_all(f);
    f->share = f->options.step / 16; /* stairs want wide differences, kinks narrow ones */
    if (status == PM_OK) status = descend_all(f);
    f->share = f->options.step;
    if (status == PM_OK) status = explore_all(f, &better);
  }
  f->result->iterations += f->iterations;
  return status;
}

/* Halton's sequence: points that fill a box evenly, the same ones every time. */
static double halton(int index, int base)
{
  double sum = 0, part = 1;
  for (; index > 0; index /= base) {
    part /= base;
    sum += part * (index % base);
  }
  return sum;
}

/* Another start: up to a factor of 3 from the first one, or anywhere between bounds that include 0. */
static void scatter_start(pm__lab_fit *f, int number)
{
  static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (size_t j = 0; j < f->count; j++) {
    const pm_fit_parameter *p = &f->parameters[j];
    double h = halton(number + 20, primes[j % 12]);
    if (pm__lab_fit_is_fixed(p)) continue;
    if (pm__lab_fit_is_log(p)) f->u[j] = bounded(p, log(p->start) + log(9) * (h - 0.5));
    else f->u[j] = p->lower + h * (p->upper - p->lower);
  }
}

static int search(pm__lab_fit *f)
{
  int status = search_once(f);
  if (status == PM_OK && !isfinite(f->cost))
    return pm__fail(f->error, PM_STATUS_BAD_VALUE, "the start of a fit must have a residual for each row");
  double least = f->cost;
  memcpy(f->best, f->u, f->count * sizeof *f->best);
  for (int i = 1; i < f->options.starts && status == PM_OK; i++) {
    scatter_start(f, i);
    status = search_once(f);
    if (status != PM_OK || !(f->cost < least)) continue;
    least = f->cost;
    memcpy(f->best, f->u, f->count * sizeof *f->best);
  }
  memcpy(f->u, f->best, f->count * sizeof *f->best);
  if (status == PM_OK) status = pm__lab_fit_evaluate(f, f->u, f->residual);
  f->cost = f->result->cost = least;
  for (size_t j = 0; j < f->count; j++)
    if (!pm__lab_fit_is_fixed(&f->parameters[j]))
      f->parameters[j].value = pm__lab_fit_value(&f->parameters[j], f->u[j]);
  return status == PM_OK ? pm__lab_fit_judge(f) : status;
}

/* ---- The call ---- */

static int check(const pm_fit_parameter *parameters, size_t count, size_t rows, const pm_fit_options *o,
                 pm_error *error)
{
  for (size_t j = 0; j < count; j++) {
    const pm_fit_parameter *p = &parameters[j];
    bool ordered = p->lower <= p->start && p->start <= p->upper && isfinite(p->lower) && isfinite(p->upper);
    if (!ordered)
      return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "\"%s\" starts at %g, which is not within its bounds %g and %g",
                      p->name,
                      p->start, p->lower, p->upper);
  }
  if (!(o->robust >= 0) || !(o->step > 0 && o->step < 1) || !(o->tolerance >= 0) || o->iterations < 0 || o->starts < 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "the options of a fit must not be negative, and its step within 0 and 1");
  if (rows < count || rows > 1000000000 || count > 1000)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%zu measurements do not determine %zu constants", rows, count);
  return PM_OK;
}

/* All numbers in two allocations. */
static bool make_room(pm__lab_fit *f)
{
  size_t n = f->count, m = f->rows;
  double *room = (double *)calloc(m * (2 + n) + n * (7 + 4 * n) + 1, sizeof *room);
  f->index = (size_t *)calloc(n, sizeof *f->index);
  f->residual = room; /* what is released */
  if (room == NULL || f->index == NULL) return false;
  f->trial = room + m;
  f->jacobian = room + 2 * m;
  f->normal = room + (2 + n) * m;
  f->work = f->normal + n * n; /* 3 n n + n */
  f->u = f->work + 3 * n * n + n;
  f->gradient = f->u + n;
  f->step = f->gradient + n;
  f->values = f->step + n;
  f->best = f->values + n;
  return true;
}

int pm_fit(pm_fit_parameter *parameters, size_t count, pm_fit_residuals *residuals, void *context, size_t rows,
           const pm_fit_options *options, pm_fit_result *result, pm_error *error)
{
  pm_fit_result ignored;
  pm_fit_options o = options != NULL ? *options : pm_fit_options_make();
  if (parameters == NULL || count == 0 || residuals == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a fit needs parameters and residuals");
  int status = check(parameters, count, rows, &o, error);
  if (status != PM_OK) return status;
  pm__lab_fit f = {parameters, count, rows, residuals, context, o, result != NULL ? result : &ignored, error,
               NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, o.step, 0, NULL};
  memset(f.result, 0, sizeof *f.result);
  status = make_room(&f) ? PM_OK : pm__no_memory(error);
  for (size_t j = 0; j < count && status == PM_OK; j++)
    f.u[j] = pm__lab_fit_is_fixed(&parameters[j]) ? 0 : pm__lab_fit_coordinate(&parameters[j], parameters[j].start);
  if (status == PM_OK) status = pm__lab_fit_evaluate(&f, f.u, f.residual);
  if (status == PM_OK) f.result->start_cost = pm__lab_fit_cost(&f, f.residual);
  if (status == PM_OK) status = search(&f);
  free(f.index);
  free(f.residual);
  return status;
}
