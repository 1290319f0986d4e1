/*
** Calibration of the constants of kernels, stage by stage.
**
** An architecture's stages are fitted on the rows of its GPUs; a general stage on those of all. A constant that the
** entry of an architecture states is its own; what it does not state it shares.
**
** Rows of the user say nothing of other architectures: every constant is then one of the architecture that they are
** of. They may be few, so the value that the catalogue has counts as a row too, and what they do not decide stays
** there.
*/
#include "calibration/kernel_fit.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

enum { ROUNDS = 4, LEAST_ROWS = 20, LEAST_OWN_ROWS = 5, STARTS = 8 };

static const double LARGE = 0.05; /* logarithm of an error that counts as large */
/* of a row; by which the catalogue's constants may be wrong: own rows */
static const double NOISE = 0.05, FACTOR = 1.5;

static const pm_field *field_of(const char *name)
{
  return pm_record_find_field(pm_record_type_find("kernel_calibration"), name);
}

double pm__lab_constant_get(const pm_kernel_calibration *calibration, const char *name)
{
  return pm_record_get_number(field_of(name), calibration);
}

void pm__lab_constant_set(pm_kernel_calibration *calibration, const char *name, double value)
{
  memcpy((char *)calibration + field_of(name)->offset, &value, sizeof value);
}

bool pm__lab_constant_is_of(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage, size_t architecture,
                            const char *name)
{
  return fit->own || isnan(pm__lab_constant_get(&fit->stated[architecture], name)) == stage->general;
}

static bool is_general(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage)
{
  return stage->general && !fit->own;
}

/* ---- One stage ---- */

/* The rows of one fit: those of each GPU stand together. */
typedef struct problem {
  pm__lab_kernel_fit *fit;
  const pm__lab_stage *stage;
  size_t architecture; /* of a stage that is not general */
  size_t count, parameters;
  pm_kernel *kernels;
  const pm__lab_fit_row **rows;
  double *log_times; /* measured */
  size_t first[PM__FIT_GPUS + 1];
  const pm_field *fields[PM__STAGE_CONSTANTS];
  double before[PM__STAGE_CONSTANTS]; /* what the catalogue has: own rows */
  uint64_t own[PM__STAGE_CONSTANTS]; /* the architectures that have it from here, one bit each */
} problem;

static bool belongs(const problem *p, const pm__lab_fit_gpu *g)
{
  return g->wanted && (is_general(p->fit, p->stage) || g->architecture == p->architecture);
}

static int collect(problem *p, pm_error *error)
{
  pm__lab_kernel_fit *fit = p->fit;
  p->kernels = (pm_kernel *)malloc((fit->row_count + 1) * sizeof *p->kernels);
  p->rows = (const pm__lab_fit_row **)malloc((fit->row_count + 1) * sizeof *p->rows);
  p->log_times = (double *)malloc((fit->row_count + 1) * sizeof *p->log_times);
  if (p->kernels == NULL || p->rows == NULL || p->log_times == NULL) return pm__no_memory(error);
  for (size_t g = 0; g < fit->gpu_count; g++) {
    const pm__lab_fit_gpu *gpu = &fit->gpus[g];
    p->first[g] = p->count;
    for (size_t i = gpu->first; i < gpu->first + gpu->count && belongs(p, gpu); i++) {
      const pm__lab_fit_row *row = &fit->rows[i];
      if (pm__lab_kernel_fit_use(fit, p->stage, gpu, row) != PM_FIT_USE_FITTED) continue;
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
    const pm__lab_fit_gpu *gpu = &p->fit->gpus[g];
    size_t first = p->first[g], count = p->first[g + 1] - first;
    if (count == 0) continue;
    pm_kernel_calibration c = p->fit->architectures[gpu->architecture];
    put(p, gpu->architecture, &c, values);
    pm__lab_kernel_fit_times(gpu, &c, &p->kernels[first], &p->rows[first], count, &residuals[first]);
  }
  for (size_t i = 0; i < p->count; i++)
    residuals[i] = residuals[i] > 0 ? log(residuals[i]) - p->log_times[i] : 0;
  for (size_t i = 0; i < p->parameters && p->fit->own; i++)
    residuals[p->count + i] = NOISE * log(values[i] / p->before[i]) / log(FACTOR);
  return PM_OK;
}

static void keep(problem *p, const pm_fit_parameter *parameters)
{
  double values[PM__STAGE_CONSTANTS];
  pm__lab_kernel_fit *fit = p->fit;
  for (size_t i = 0; i < p->parameters; i++) values[i] = pm__lab_four_digits(parameters[i].value);
  for (size_t a = 0; a < fit->architecture_count; a++)
    if (is_general(fit, p->stage) || a == p->architecture) put(p, a, &fit->architectures[a], values);
}

static const char *owner_of(const problem *p)
{
  return is_general(p->fit, p->stage) ? PM_KERNEL_GENERAL_ID : p->fit->architectures[p->architecture].id;
}

/* The last round's words are the ones that count. */
static int report(problem *p, const pm_fit_parameter *parameters, pm_error *error)
{
  for (size_t i = 0; i < p->parameters; i++) {
    pm_fitted_constant *c = pm__lab_calibration_constant(p->fit->out, owner_of(p), parameters[i].name, error);
    if (c == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(c, p->stage->name, p->fields[i]->unit, &parameters[i], p->count);
  }
  return PM_OK;
}

static uint64_t owners(const problem *p, const char *name)
{
  uint64_t bits = 0;
  for (size_t a = 0; a < p->fit->architecture_count; a++)
    if ((is_general(p->fit, p->stage) || a == p->architecture) && pm__lab_constant_is_of(p->fit, p->stage, a, name))
      bits |= UINT64_C(1) << a;
  return bits;
}

/* The value of the last round. */
static double first_value(const problem *p, size_t i, const char *name)
{
  size_t a = 0;
  while (!(p->own[i] >> a & 1)) a++;
  return pm__lab_constant_get(&p->fit->architectures[a], name);
}

static bool is_fitted(const problem *p, const char *name)
{
  return pm__lab_calibration_find(p->fit->out, owner_of(p), name) != NULL;
}

/* Constants that rows of the user decide less than the catalogue does stay as it has them. */
static int settle(problem *p, pm_fit_parameter *parameters, pm_error *error)
{
  const double step = 0.02, least = NOISE / log(FACTOR);
  double values[PM__STAGE_CONSTANTS], *base = (double *)malloc(2 * (p->count + p->parameters) * sizeof *base);
  double *moved = base != NULL ? base + p->count + p->parameters : NULL;
  if (base == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < p->parameters; i++) values[i] = parameters[i].value;
  residuals_of(p, values, base, error);
  for (size_t i = 0; i < p->parameters; i++) {
    double effect = 0;
    values[i] *= 1 - step;
    residuals_of(p, values, moved, error);
    values[i] = parameters[i].value;
    for (size_t row = 0; row < p->count; row++) effect += (moved[row] - base[row]) * (moved[row] - base[row]);
    if (sqrt(effect) / step > least) continue;
    parameters[i].value = p->before[i];
    parameters[i].state = PM_FIT_STATE_UNIDENTIFIED;
  }
  free(base);
  return PM_OK;
}

static pm_fit_options options_of(const problem *p, bool refit)
{
  pm_fit_options options = pm_fit_options_make();
  options.robust = LARGE;
  options.tolerance = 1e-5;
  options.step = 0.02;
  options.starts = refit || p->fit->own ? 1 : STARTS;
  return options;
}

static int solve(problem *p, bool refit, pm_error *error)
{
  pm_fit_parameter parameters[PM__STAGE_CONSTANTS];
  pm_fit_options options = options_of(p, refit);
  double starts[PM__STAGE_CONSTANTS];
  for (const pm__lab_stage_constant *constant = p->stage->constants; constant->name != NULL; constant++) {
    size_t i = p->parameters;
    p->own[i] = owners(p, constant->name);
    if (p->own[i] == 0 || (p->stage->turn == PM__FILLS && is_fitted(p, constant->name))) continue;
    double start = refit || p->fit->own ? first_value(p, i, constant->name) : constant->start;
    parameters[i] = pm_fit_parameter_make(constant->name, fmin(fmax(start, constant->lower), constant->upper),
                                         constant->lower, constant->upper);
    p->before[i] = pm__lab_constant_get(&p->fit->before[p->architecture], constant->name);
    if (isnan(start) || (p->fit->own && !(p->before[i] > 0))) continue; /* the architecture has no such thing */
    starts[i] = p->fit->own ? p->before[i] : constant->start;
    p->fields[i] = field_of(constant->name);
    p->parameters++;
  }
  if (p->parameters == 0) return PM_OK;
  size_t rows = p->count + (p->fit->own ? p->parameters : 0);
  int status = pm_fit(parameters, p->parameters, residuals_of, p, rows, &options, NULL, error);
  for (size_t i = 0; i < p->parameters; i++) parameters[i].start = starts[i];
  if (status == PM_OK && p->fit->own) status = settle(p, parameters, error);
  if (status == PM_OK) keep(p, parameters);
  return status == PM_OK ? report(p, parameters, error) : status;
}

static size_t least_rows(const pm__lab_kernel_fit *fit)
{
  return fit->own ? LEAST_OWN_ROWS : LEAST_ROWS;
}

/* Nothing happens without rows enough. */
static int run_stage(pm__lab_kernel_fit *fit, const pm__lab_stage *stage, size_t architecture, bool refit,
                     pm_error *error)
{
  problem p;
  memset(&p, 0, sizeof p);
  p.fit = fit;
  p.stage = stage;
  p.architecture = architecture;
  int status = collect(&p, error);
  if (status == PM_OK && p.count >= least_rows(fit)) status = solve(&p, refit, error);
  release(&p);
  return status;
}

/* ---- All stages ---- */

static size_t rows_of(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage, size_t architecture)
{
  size_t count = 0;
  for (size_t g = 0; g < fit->gpu_count; g++) {
    const pm__lab_fit_gpu *gpu = &fit->gpus[g];
    if (!is_general(fit, stage) && gpu->architecture != architecture) continue;
    for (size_t i = gpu->first; i < gpu->first + gpu->count; i++)
      count += pm__lab_kernel_fit_use(fit, stage, gpu, &fit->rows[i]) == PM_FIT_USE_FITTED;
  }
  return count;
}

/* What is fitted begins from its start, not from the catalogue's value, so that the result depends on the rows alone;
** on rows of the user from that value. */
static void set_starts(pm__lab_kernel_fit *fit)
{
  const pm__lab_stage *stage;
  memcpy(fit->before, fit->architectures, sizeof fit->before);
  for (size_t s = 0; (stage = pm__lab_stage_at(s)) != NULL && !fit->own; s++)
    for (size_t a = 0; a < fit->architecture_count; a++) {
      if (!(stage->general ? fit->all : fit->wanted[a]) || rows_of(fit, stage, a) < LEAST_ROWS) continue;
      for (size_t i = 0; stage->constants[i].name != NULL; i++) {
        if (!pm__lab_constant_is_of(fit, stage, a, stage->constants[i].name)) continue;
        pm__lab_constant_set(&fit->architectures[a], stage->constants[i].name, stage->constants[i].start);
      }
    }
}

static int run_all(pm__lab_kernel_fit *fit, const pm__lab_stage *stage, bool refit, pm_error *error)
{
  int status = PM_OK;
  if (is_general(fit, stage)) return fit->all ? run_stage(fit, stage, 0, refit, error) : PM_OK;
  for (size_t a = 0; a < fit->architecture_count && status == PM_OK; a++)
    if (fit->wanted[a]) status = run_stage(fit, stage, a, refit, error);
  return status;
}

static size_t stages_of(int group)
{
  const pm__lab_stage *stage;
  size_t count = 0;
  for (size_t i = 0; (stage = pm__lab_stage_at(i)) != NULL; i++) count += stage->group == group;
  return count;
}

static int run_group(pm__lab_kernel_fit *fit, int group, pm_error *error)
{
  const pm__lab_stage *stage;
  int status = PM_OK, rounds = stages_of(group) > 1 ? ROUNDS : 1;
  for (int round = 0; round < rounds; round++)
    for (size_t i = 0; status == PM_OK && (stage = pm__lab_stage_at(i)) != NULL; i++)
      if (stage->group == group) status = run_all(fit, stage, round > 0, error);
  return status;
}

static int fit_stages(pm__lab_kernel_fit *fit, const pm_catalog *catalog, const pm__lab_kernel_rows *rows,
                      pm_error *error)
{
  int status = pm__lab_kernel_fit_load(fit, catalog, rows, error);
  if (status == PM_OK) set_starts(fit);
  for (int group = 0; status == PM_OK && stages_of(group) > 0; group++) status = run_group(fit, group, error);
  if (status == PM_OK && fit->out->constant_count == 0)
    status = pm__fail(error, PM_STATUS_NOT_FOUND, "no constant has the %zu measurements that it needs",
                      least_rows(fit));
  if (status == PM_OK) status = pm__lab_kernel_fit_sum_up(fit, error);
  if (status == PM_OK) pm__lab_kernel_fit_write(fit, catalog, &fit->out->xml);
  free(fit->rows);
  return status;
}

/* The shipped tables are of kernels and of operators; one of the user is either. */
static pm__lab_kernel_rows *read_rows(const pm_catalog *catalog, const pm_calibration_options *options, bool shipped,
                                      pm_error *error)
{
  static const char operators[] = "measured/operators.csv";
  pm__lab_kernel_rows *rows = pm__lab_kernel_rows_of_text(catalog, options->data, options->file, error);
  if (rows == NULL || !shipped) return rows;
  char *text = pm_shipped_read(operators, error);
  bool added = text != NULL && pm__lab_kernel_rows_add_operators(rows, catalog, text, operators, error) == PM_OK;
  pm_string_free(text);
  if (added) return rows;
  pm__lab_kernel_rows_free(rows);
  return NULL;
}

int pm__lab_calibrate_kernels(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                              bool shipped, pm_error *error)
{
  const char *note;
  pm__lab_kernel_rows *rows = read_rows(catalog, options, shipped, error);
  if (rows == NULL) return PM_STATUS_BAD_FILE;
  for (size_t i = 0; (note = pm__lab_kernel_rows_note(rows, i)) != NULL; i++)
    pm__string_format(&out->notes, "%s\n", note);
  pm__lab_kernel_fit *fit = (pm__lab_kernel_fit *)calloc(1, sizeof *fit);
  int status = fit != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) {
    fit->options = options;
    fit->out = out;
    fit->own = !shipped;
    fit->all = shipped && options->entries == NULL;
    status = fit_stages(fit, catalog, rows, error);
  }
  free(fit);
  pm__lab_kernel_rows_free(rows);
  return status;
}
