/*
** Calibration of the constants of kernels, stage by stage.
**
** An architecture's stages are fitted on the rows of its GPUs; a general stage on those of all. A constant that the entry
** of an architecture states is its own; what it does not state it shares.
*/
#include "calibrate/kernel_fit.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

enum { ROUNDS = 4, LEAST_ROWS = 20, STARTS = 8 };

pm_kernel_fit_options pm_kernel_fit_options_default(void)
{
  pm_kernel_fit_options options = {NULL, NULL, 0.2, 0.05};
  return options;
}

static const pm_field *field_of(const char *name)
{
  return pm_record_field(pm_record_type_find("kernel_calibration"), name);
}

double pm__constant_get(const pm_kernel_calibration *calibration, const char *name)
{
  return pm_record_number(field_of(name), calibration);
}

void pm__constant_set(pm_kernel_calibration *calibration, const char *name, double value)
{
  memcpy((char *)calibration + field_of(name)->offset, &value, sizeof value);
}

bool pm__constant_is_of(const pm_kernel_fit *fit, const pm__stage *stage, size_t architecture, const char *name)
{
  return isnan(pm__constant_get(&fit->stated[architecture], name)) == stage->general;
}

/* ---- One stage ---- */

/* The rows of one fit: those of each GPU stand together. */
typedef struct problem {
  pm_kernel_fit *fit;
  const pm__stage *stage;
  size_t architecture; /* of a stage that is not general */
  size_t count, parameters;
  pm_kernel *kernels;
  const pm__fit_row **rows;
  double *log_times; /* measured */
  size_t first[PM__FIT_GPUS + 1];
  const pm_field *fields[PM__STAGE_CONSTANTS];
  uint64_t own[PM__STAGE_CONSTANTS]; /* the architectures that have it from here, one bit each */
} problem;

static bool belongs(const problem *p, const pm__fit_gpu *g)
{
  return g->wanted && (p->stage->general || g->architecture == p->architecture);
}

static int collect(problem *p, pm_error *error)
{
  pm_kernel_fit *fit = p->fit;
  p->kernels = (pm_kernel *)malloc((fit->row_count + 1) * sizeof *p->kernels);
  p->rows = (const pm__fit_row **)malloc((fit->row_count + 1) * sizeof *p->rows);
  p->log_times = (double *)malloc((fit->row_count + 1) * sizeof *p->log_times);
  if (p->kernels == NULL || p->rows == NULL || p->log_times == NULL) return pm__no_memory(error);
  for (size_t g = 0; g < fit->gpu_count; g++) {
    const pm__fit_gpu *gpu = &fit->gpus[g];
    p->first[g] = p->count;
    for (size_t i = gpu->first; i < gpu->first + gpu->count && belongs(p, gpu); i++) {
      const pm__fit_row *row = &fit->rows[i];
      if (pm__kernel_fit_use(fit, p->stage, gpu, row) != PM_KERNEL_USE_FITTED) continue;
      p->kernels[p->count] = row->kernel;
      p->log_times[p->count] = log(row->time);
      p->rows[p->count++] = row;
    }
  }
  p->first[fit->gpu_count] = p->count;
  return PM_OK;
}

static void release(problem *p)
{
  free(p->kernels);
  free(p->rows);
  free(p->log_times);
}

static void put(const problem *p, size_t architecture, pm_kernel_calibration *c, const double *values)
{
  for (size_t i = 0; i < p->parameters; i++)
    if (p->own[i] >> architecture & 1) memcpy((char *)c + p->fields[i]->offset, &values[i], sizeof values[i]);
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  problem *p = (problem *)context;
  (void)error;
  for (size_t g = 0; g < p->fit->gpu_count; g++) {
    const pm__fit_gpu *gpu = &p->fit->gpus[g];
    size_t first = p->first[g], count = p->first[g + 1] - first;
    if (count == 0) continue;
    pm_kernel_calibration c = p->fit->architectures[gpu->architecture];
    put(p, gpu->architecture, &c, values);
    pm__kernel_fit_times(gpu, &c, &p->kernels[first], &p->rows[first], count, &residuals[first]);
  }
  for (size_t i = 0; i < p->count; i++)
    residuals[i] = residuals[i] > 0 ? log(residuals[i]) - p->log_times[i] : 0;
  return PM_OK;
}

/* Four digits say all that is known, and make files that people can read. */
static double rounded(double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.4g", value);
  return strtod(text, NULL);
}

static void keep(problem *p, const pm_fit_parameter *parameters)
{
  double values[PM__STAGE_CONSTANTS];
  pm_kernel_fit *fit = p->fit;
  for (size_t i = 0; i < p->parameters; i++) values[i] = rounded(parameters[i].value);
  for (size_t a = 0; a < fit->architecture_count; a++)
    if (p->stage->general || a == p->architecture) put(p, a, &fit->architectures[a], values);
}

/* The last round's words are the ones that count. */
static void report(problem *p, const pm_fit_parameter *parameters)
{
  pm_kernel_fit *fit = p->fit;
  const char *owner = p->stage->general ? PM_KERNEL_GENERAL_ID : fit->architectures[p->architecture].id;
  for (size_t i = 0; i < p->parameters; i++) {
    size_t at = 0;
    while (at < fit->constant_count && (strcmp(fit->constants[at].architecture, owner) != 0 ||
                                        strcmp(fit->constants[at].constant, parameters[i].name) != 0))
      at++;
    if (at == PM__FIT_CONSTANTS) return;
    if (at == fit->constant_count) fit->constant_count++;
    pm_fitted_constant *c = &fit->constants[at];
    pm_record_init(pm_record_type_find("fitted_constant"), c);
    pm__text_set(c->architecture, sizeof c->architecture, owner);
    pm__text_set(c->stage, sizeof c->stage, p->stage->name);
    memcpy(c->constant, parameters[i].name, sizeof c->constant);
    pm__text_set(c->unit, sizeof c->unit, strcmp(p->fields[i]->unit, "1") != 0 ? p->fields[i]->unit : "");
    c->value = rounded(parameters[i].value);
    c->uncertainty = parameters[i].uncertainty;
    c->state = parameters[i].state;
    c->start = parameters[i].start;
    c->lower = parameters[i].lower;
    c->upper = parameters[i].upper;
    memcpy(c->correlated, parameters[i].correlated, sizeof c->correlated);
    c->correlation = parameters[i].correlation;
    c->rows = (int32_t)p->count;
  }
}

static uint64_t owners(const problem *p, const char *name)
{
  uint64_t bits = 0;
  for (size_t a = 0; a < p->fit->architecture_count; a++)
    if ((p->stage->general || a == p->architecture) && pm__constant_is_of(p->fit, p->stage, a, name))
      bits |= UINT64_C(1) << a;
  return bits;
}

/* The value of the last round. */
static double first_value(const problem *p, size_t i, const char *name)
{
  size_t a = 0;
  while (!(p->own[i] >> a & 1)) a++;
  return pm__constant_get(&p->fit->architectures[a], name);
}

static int solve(problem *p, bool again, pm_error *error)
{
  pm_fit_parameter parameters[PM__STAGE_CONSTANTS];
  pm_fit_options options = pm_fit_options_default();
  double starts[PM__STAGE_CONSTANTS];
  for (const pm__stage_constant *constant = p->stage->constants; constant->name != NULL; constant++) {
    size_t i = p->parameters;
    p->own[i] = owners(p, constant->name);
    if (p->own[i] == 0) continue;
    double start = again ? first_value(p, i, constant->name) : constant->start;
    parameters[i] = pm_fit_parameter_new(constant->name, fmin(fmax(start, constant->lower), constant->upper),
                                         constant->lower, constant->upper);
    starts[i] = constant->start;
    p->fields[i] = field_of(constant->name);
    p->parameters++;
  }
  if (p->parameters == 0) return PM_OK;
  options.robust = p->fit->options.robust;
  options.tolerance = 1e-5;
  options.step = 0.02;
  options.starts = again ? 1 : STARTS;
  int status = pm_fit(parameters, p->parameters, residuals_of, p, p->count, &options, NULL, error);
  for (size_t i = 0; i < p->parameters; i++) parameters[i].start = starts[i];
  if (status == PM_OK) keep(p, parameters);
  if (status == PM_OK) report(p, parameters);
  return status;
}

/* Nothing happens without rows enough. */
static int run_stage(pm_kernel_fit *fit, const pm__stage *stage, size_t architecture, bool again, pm_error *error)
{
  problem p;
  memset(&p, 0, sizeof p);
  p.fit = fit;
  p.stage = stage;
  p.architecture = architecture;
  int status = collect(&p, error);
  if (status == PM_OK && p.count >= LEAST_ROWS) status = solve(&p, again, error);
  release(&p);
  return status;
}

/* ---- All stages ---- */

static size_t rows_of(const pm_kernel_fit *fit, const pm__stage *stage, size_t architecture)
{
  size_t count = 0;
  for (size_t g = 0; g < fit->gpu_count; g++) {
    const pm__fit_gpu *gpu = &fit->gpus[g];
    if (!stage->general && gpu->architecture != architecture) continue;
    for (size_t i = gpu->first; i < gpu->first + gpu->count; i++)
      count += pm__kernel_fit_use(fit, stage, gpu, &fit->rows[i]) == PM_KERNEL_USE_FITTED;
  }
  return count;
}

/* What is fitted begins from its start, not from what the catalogue has, so that the result depends on the rows alone. */
static void set_starts(pm_kernel_fit *fit)
{
  const pm__stage *stage;
  for (size_t s = 0; (stage = pm__stage_at(s)) != NULL; s++)
    for (size_t a = 0; a < fit->architecture_count; a++) {
      if (!(stage->general ? fit->all : fit->wanted[a]) || rows_of(fit, stage, a) < LEAST_ROWS) continue;
      for (size_t i = 0; stage->constants[i].name != NULL; i++) {
        if (!pm__constant_is_of(fit, stage, a, stage->constants[i].name)) continue;
        pm__constant_set(&fit->architectures[a], stage->constants[i].name, stage->constants[i].start);
      }
    }
}

/* Stages that depend on each other, one group after the other; each is gone through several times. */
static const char *const groups[][4] = {{"hbm", "gddr", "gddr-ecc"},
                                        {"simt", "products"},
                                        {"tensor"},
                                        {"norms"},
                                        {"convolutions", "transformed", "convolution-rate"},
                                        {"tensor-convolutions"},
                                        {"recurrent"}};

static const pm__stage *stage_named(const char *name)
{
  const pm__stage *stage;
  for (size_t i = 0; (stage = pm__stage_at(i)) != NULL; i++)
    if (strcmp(stage->name, name) == 0) return stage;
  return NULL;
}

static int run_all(pm_kernel_fit *fit, const pm__stage *stage, bool again, pm_error *error)
{
  int status = PM_OK;
  if (stage->general) return fit->all ? run_stage(fit, stage, 0, again, error) : PM_OK;
  for (size_t a = 0; a < fit->architecture_count && status == PM_OK; a++)
    if (fit->wanted[a]) status = run_stage(fit, stage, a, again, error);
  return status;
}

static int run_group(pm_kernel_fit *fit, const char *const *names, pm_error *error)
{
  int status = PM_OK, rounds = names[1] != NULL ? ROUNDS : 1;
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < 4 && names[i] != NULL && status == PM_OK; i++)
      status = run_all(fit, stage_named(names[i]), round > 0, error);
  return status;
}

pm_kernel_fit *pm_kernel_fit_new(const pm_catalog *catalog, const pm_kernel_rows *rows,
                                 const pm_kernel_fit_options *options, pm_error *error)
{
  if (catalog == NULL || rows == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "a calibration needs a catalogue and measured kernels");
    return NULL;
  }
  pm_kernel_fit *fit = (pm_kernel_fit *)calloc(1, sizeof *fit);
  if (fit == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  fit->options = options != NULL ? *options : pm_kernel_fit_options_default();
  fit->all = fit->options.architectures == NULL;
  int status = pm__kernel_fit_load(fit, catalog, rows, error);
  if (status == PM_OK) set_starts(fit);
  for (size_t i = 0; i < sizeof groups / sizeof groups[0] && status == PM_OK; i++)
    status = run_group(fit, groups[i], error);
  if (status == PM_OK && fit->constant_count == 0)
    status = pm__fail(error, PM_NOT_FOUND, "no constant has the %d measurements that it needs", LEAST_ROWS);
  if (status == PM_OK) status = pm__kernel_fit_sum_up(fit, error);
  fit->options.architectures = fit->options.kept_gpus = NULL; /* the caller's */
  if (status == PM_OK) return fit;
  pm_kernel_fit_free(fit);
  return NULL;
}

void pm_kernel_fit_free(pm_kernel_fit *fit)
{
  if (fit == NULL) return;
  free(fit->rows);
  free(fit);
}

const pm_fitted_constant *pm_kernel_fit_constants(const pm_kernel_fit *fit, size_t *count)
{
  if (count != NULL) *count = fit != NULL ? fit->constant_count : 0;
  return fit != NULL ? fit->constants : NULL;
}

const pm_fit_error *pm_kernel_fit_errors(const pm_kernel_fit *fit, size_t *count)
{
  if (count != NULL) *count = fit != NULL ? fit->error_count : 0;
  return fit != NULL ? fit->errors : NULL;
}
