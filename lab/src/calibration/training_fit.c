/*
** Calibration of frameworks and cuDNN generations, and of what training alone decides of an architecture, on rates of
** training.
**
** Residual: the logarithm of the time of a step, predicted over measured. What a constant is before any row counts as
** one row more, so that those that the rows do not decide stay thinkable.
*/
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/training.h"

static const double LARGE = 0.1; /* logarithm of an error that counts as large */
static const double NOISE = 0.1; /* of one row, against what constants are before any row */
/* How far errors of plans of one network differ, over how far networks' errors do. Of six sources with several plans of
** a network four have 0.16 to 0.44 and two 1.2 and 2.1: a choice. */
static const double PLANS = 0.4;
enum { LEAST_OTHERS = 20 };      /* rows to fit on when some are left out */

/* Chooses the rows of a stage that are not of the fold. */
static void choose_active(pm__lab_training_fit *fit, int stage)
{
  fit->stage = stage;
  fit->stale = true;
  fit->active_count = 0;
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    if (row->stage == stage &&
        pm__lab_training_fold(&fit->rows, row) != fit->fold) fit->active[fit->active_count++] = i;
  }
}

/* What plans of one network on the same GPUs have in common says nothing of how they differ: it counts as one row, not
** as one for each plan; and how they differ is known better. */
static void share_levels(const pm__lab_training_fit *fit, const double *errors, double *residuals)
{
  for (size_t i = 0; i < fit->active_count; i++) {
    const pm__lab_training_row *row = &fit->rows.items[fit->active[i]];
    double sum = 0, n = 0;
    for (size_t j = 0; j < fit->active_count; j++)
      if (pm__lab_training_is_plan(row, &fit->rows.items[fit->active[j]])) sum += errors[j], n++;
    residuals[i] = (errors[i] - sum / n) / PLANS + sum / n / sqrt(n);
  }
}

/* ---- Predictions: the least that a change of constants takes, since a fit mostly tries one after the other */

static bool is_changed(const pm__lab_training_fit *fit, const double *values, size_t constant)
{
  return fit->stale || values[constant] != fit->put[constant];
}

static bool is_felt(const pm__lab_training_fit *fit, const double *values, size_t row)
{
  for (size_t c = 0; c < fit->count; c++)
    if (fit->borne[row * fit->count + c] && is_changed(fit, values, c)) return true;
  return fit->stale;
}

static bool is_of_kernels(const pm__lab_training_constant *constant)
{
  const char *type = constant->kind->type;
  return strcmp(type, "kernel_calibration") == 0 || strcmp(type, "cudnn_generation") == 0;
}

/* Predicts the active rows by these values. */
static int predict_by(pm__lab_training_fit *fit, const double *values)
{
  pm__lab_predictor *predictor = fit->rows.reader.predictor;
  bool kernels = fit->stale;
  size_t count = 0;
  for (size_t c = 0; c < fit->count; c++)
    kernels = kernels || (is_of_kernels(&fit->constants[c]) && is_changed(fit, values, c));
  for (size_t i = 0; i < fit->active_count; i++)
    if (is_felt(fit, values, fit->active[i])) fit->repredicted[count++] = fit->rows.items[fit->active[i]].run;
  pm__lab_training_put(fit, values);
  memcpy(fit->put, values, fit->count * sizeof *values);
  fit->stale = false;
  return fit->rows.set == PM__SET_INFERENCE ? pm__lab_predictor_infer_some(predictor, fit->repredicted, count, kernels)
                                            : pm__lab_predictor_predict_some(predictor, fit->repredicted, count,
                                                kernels);
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  pm__lab_training_fit *fit = (pm__lab_training_fit *)context;
  if (predict_by(fit, values) != PM_OK) return pm__no_memory(error);
  for (size_t i = 0; i < fit->active_count; i++)
    fit->errors[i] = residuals[i] = -pm__lab_training_error(&fit->rows, &fit->rows.items[fit->active[i]]);
  if (fit->rows.set == PM__SET_LARGE_MODELS) share_levels(fit, fit->errors, residuals);
  for (size_t i = 0; i < fit->count; i++) {
    const pm__lab_training_kind *kind = fit->constants[i].kind;
    residuals[fit->active_count + i] = NOISE * log(values[i] / kind->start) / log(kind->factor);
  }
  return PM_OK;
}

/* Fits the constants of one stage to its rows; the others stay. */
static int solve_stage(pm__lab_training_fit *fit, pm_fit_parameter *parameters, pm_error *error)
{
  pm_fit_options options = pm_fit_options_make();
  pm_fit_parameter *now = (pm_fit_parameter *)malloc(fit->count * sizeof *now);
  if (now == NULL) return pm__no_memory(error);
  options.robust = LARGE;
  options.huber = 1;
  options.tolerance = 1e-5;
  options.step = 0.03;
  for (size_t i = 0; i < fit->count; i++) {
    const pm__lab_training_kind *kind = fit->constants[i].kind;
    double value = parameters[i].value;
    bool own = kind->stage == fit->stage;
    now[i] = pm_fit_parameter_make(kind->name, value, own ? kind->lower : value, own ? kind->upper : value);
  }
  int status = pm_fit(now, fit->count, residuals_of, fit, fit->active_count + fit->count, &options, NULL, error);
  for (size_t i = 0; i < fit->count && status == PM_OK; i++)
    if (fit->constants[i].kind->stage == fit->stage) parameters[i] = now[i];
  free(now);
  return status;
}

/* Fits all constants, from where they stand. */
static int solve(pm__lab_training_fit *fit, pm_fit_parameter *parameters, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < fit->count; i++) {
    const pm__lab_training_constant *c = &fit->constants[i];
    parameters[i] = pm_fit_parameter_make(c->kind->name, c->value, c->kind->lower, c->kind->upper);
  }
  for (int stage = 0; stage < PM__TRAINING_STAGES && status == PM_OK; stage++) {
    choose_active(fit, stage);
    status = solve_stage(fit, parameters, error);
  }
  return status;
}

/* ---- Folds ---- */

/* Predicts all rows by the constants that were found. */
static int predict_all(pm__lab_training_fit *fit, const pm_fit_parameter *parameters, pm_error *error)
{
  double *values = (double *)malloc((fit->count + 1) * sizeof *values);
  if (values == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < fit->count; i++)
    values[i] = parameters != NULL ? parameters[i].value : fit->constants[i].value;
  pm__lab_training_put(fit, values);
  free(values);
  return pm__lab_predictor_predict_again(fit->rows.reader.predictor, SIZE_MAX);
}

/* Predicts the rows of a fold with the constants of the others, if these are enough in their stage. */
static int leave_out(pm__lab_training_fit *fit, int fold, pm_fit_parameter *parameters, pm_error *error)
{
  bool enough[PM__TRAINING_STAGES], any = false;
  fit->fold = fold;
  for (int stage = 0; stage < PM__TRAINING_STAGES; stage++) {
    choose_active(fit, stage);
    enough[stage] = fit->active_count >= LEAST_OTHERS;
  }
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    any = any || (enough[row->stage] && pm__lab_training_fold(&fit->rows, row) == fold);
  }
  int status = any ? solve(fit, parameters, error) : PM_OK;
  if (any && status == PM_OK) status = predict_all(fit, parameters, error);
  for (size_t i = 0; i < fit->rows.fitted && any && status == PM_OK; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    if (enough[row->stage] &&
        pm__lab_training_fold(&fit->rows, row) == fold) fit->kept_out[i] = pm__lab_training_error(&fit->rows, row);
  }
  return status;
}

static int leave_out_all(pm__lab_training_fit *fit, pm_fit_parameter *parameters, pm_error *error)
{
  int last = -1, status = PM_OK;
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    int fold = pm__lab_training_fold(&fit->rows, &fit->rows.items[i]);
    if (fold > last) last = fold;
  }
  for (int fold = 0; fold <= last && status == PM_OK; fold++) status = leave_out(fit, fold, parameters, error);
  fit->fold = -1;
  return status;
}

/* ---- The fit ---- */

static int keep_of(pm__lab_training_fit *fit, pm__lab_training_constant *c, const char *entry,
                   const pm_fit_parameter *parameter, pm_error *error)
{
  const pm_field *field = pm_record_find_field(pm_record_type_find(c->kind->type), c->kind->name);
  pm_fitted_constant *found = pm__lab_calibration_constant(fit->out, entry, c->kind->name, error);
  if (found == NULL) return PM_STATUS_NO_MEMORY;
  pm__lab_constant_found(found, c->kind->type, field->unit, parameter, c->rows);
  c->value = found->value;
  return PM_OK;
}

static int keep_shared(pm__lab_training_fit *fit, pm__lab_training_constant *c, const pm_fit_parameter *parameter,
                       pm_error *error)
{
  char entry[PM_TEXT_MAX];
  int status = PM_OK;
  for (const char *p = c->kind->entries; *p != '\0' && status == PM_OK; p += strspn(p, ",")) {
    size_t length = strcspn(p, ",");
    snprintf(entry, sizeof entry, "%.*s", (int)length, p);
    status = keep_of(fit, c, entry, parameter, error);
    p += length;
  }
  return status;
}

static int keep(pm__lab_training_fit *fit, const pm_fit_parameter *parameters, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < fit->count && status == PM_OK; i++) {
    pm__lab_training_constant *c = &fit->constants[i];
    status = c->kind->shared ? keep_shared(fit, c, &parameters[i], error)
                             : keep_of(fit, c, c->entry, &parameters[i], error);
  }
  return status;
}

static bool make_room(pm__lab_training_fit *fit)
{
  const size_t rows = fit->rows.count + 1, constants = fit->count + 1;
  fit->kept_out = (double *)malloc(rows * sizeof *fit->kept_out);
  fit->active = (size_t *)malloc(rows * sizeof *fit->active);
  fit->errors = (double *)malloc(rows * sizeof *fit->errors);
  fit->repredicted = (int *)malloc(rows * sizeof *fit->repredicted);
  fit->put = (double *)malloc(constants * sizeof *fit->put);
  fit->borne = (bool *)malloc(rows * constants * sizeof *fit->borne);
  return fit->kept_out != NULL && fit->active != NULL && fit->errors != NULL && fit->repredicted != NULL &&
         fit->put != NULL && fit->borne != NULL;
}

static void find_borne(pm__lab_training_fit *fit)
{
  for (size_t i = 0; i < fit->rows.fitted; i++)
    for (size_t c = 0; c < fit->count; c++)
      fit->borne[i * fit->count + c] = pm__lab_training_bears(fit, &fit->constants[c], &fit->rows.items[i]);
}

static int fit_rows(pm__lab_training_fit *fit, pm_error *error)
{
  pm_fit_parameter *parameters = (pm_fit_parameter *)calloc(fit->count + 1, sizeof *parameters);
  bool held_out = fit->options->hold_out != NULL; /* that is the test then */
  int status = parameters != NULL && make_room(fit) ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) find_borne(fit);
  for (size_t i = 0; i < fit->rows.count && status == PM_OK; i++) fit->kept_out[i] = NAN;
  if (status == PM_OK) status = solve(fit, parameters, error);
  if (status == PM_OK) status = keep(fit, parameters, error);
  if (status == PM_OK && !held_out) status = leave_out_all(fit, parameters, error);
  if (status == PM_OK) status = predict_all(fit, NULL, error);
  if (status == PM_OK) status = pm__lab_training_sum_up(fit, error);
  if (status == PM_OK) pm__lab_training_write(fit, &fit->out->xml);
  free(parameters);
  return status;
}

/* Rows that cannot be predicted, or that no constant bears on, are no part of the fit. */
static int choose_rows(pm__lab_training_fit *fit, pm_error *error)
{
  for (size_t i = 0; i < fit->rows.count; i++) {
    pm__lab_training_row *row = &fit->rows.items[i];
    bool borne = false;
    for (size_t c = 0; c < fit->count && !borne; c++) borne = pm__lab_training_bears(fit, &fit->constants[c], row);
    bool felt = borne && !isnan(pm__lab_training_error(&fit->rows, row));
    if (row->use != PM_FIT_USE_EXCLUDED && !felt) row->use = PM_FIT_USE_COUNT;
  }
  int status = pm__lab_training_rows_sort(&fit->rows, error);
  if (status != PM_OK || (fit->rows.fitted > 0 && fit->count > 0)) return status;
  const char *entries = fit->options->entries;
  if (entries == NULL)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "no row of \"%.80s\" decides a constant that can be fitted",
                    fit->options->file);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "no row of \"%.80s\" decides a constant of \"%.80s\"; if no entry is "
                  "named, all constants that the rows decide are fitted", fit->options->file, entries);
}

static bool is_id(const pm_catalog *catalog, const char *text)
{
  static const char *const types[] = {"framework", "cudnn_generation", "kernel_calibration", "inference_profile"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    const char *id = pm_catalog_resolve(catalog, types[i], text, NULL);
    if (id != NULL && strcmp(id, text) == 0) return true;
  }
  return false;
}

/* Names of nothing would go unseen. */
static int check_entries(const pm__lab_training_fit *fit, pm_error *error)
{
  for (const char *p = fit->options->entries; p != NULL && *p != '\0';) {
    char id[PM_TEXT_MAX];
    p += strspn(p, " ,");
    size_t n = strcspn(p, ",");
    snprintf(id, sizeof id, "%.*s", (int)(n < sizeof id ? n : sizeof id - 1), p);
    if (n > 0 && !is_id(fit->catalog, id))
      return pm__fail(error, PM_STATUS_NOT_FOUND,
                      "\"%s\" is the id of no framework, cuDNN generation, architecture or inference profile", id);
    p += n;
  }
  return PM_OK;
}

static int calibrate(pm__lab_training_set set, pm_calibration *out, const pm_catalog *catalog,
                     const pm_calibration_options *options, bool shipped, pm_error *error)
{
  pm__lab_training_fit fit;
  memset(&fit, 0, sizeof fit);
  fit.rows.set = set;
  fit.catalog = catalog;
  fit.options = options;
  fit.all = shipped && options->entries == NULL;
  fit.out = out;
  fit.fold = -1;
  int status = check_entries(&fit, error);
  if (status == PM_OK) status = pm__lab_training_rows_read(&fit.rows, catalog, options, error);
  if (status == PM_OK) status = pm__lab_training_rows_sort(&fit.rows, error);
  if (status == PM_OK) status = pm__lab_training_rows_merge(&fit.rows, error);
  if (status == PM_OK && fit.rows.count > 0) status = pm__lab_predictor_predict(fit.rows.reader.predictor, error);
  if (status == PM_OK) status = pm__lab_training_constants(&fit, error);
  if (status == PM_OK) status = choose_rows(&fit, error);
  if (status == PM_OK) status = fit_rows(&fit, error);
  pm__lab_training_rows_free(&fit.rows);
  free(fit.constants);
  free(fit.places);
  free(fit.kept_out);
  free(fit.active);
  free(fit.errors);
  free(fit.repredicted);
  free(fit.put);
  free(fit.borne);
  return status;
}

int pm__lab_calibrate_training(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                               bool shipped, pm_error *error)
{
  return calibrate(PM__SET_TRAINING, out, catalog, options, shipped, error);
}

int pm__lab_calibrate_language(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                               bool shipped, pm_error *error)
{
  return calibrate(PM__SET_LANGUAGE, out, catalog, options, shipped, error);
}

int pm__lab_calibrate_inference(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                                bool shipped, pm_error *error)
{
  return calibrate(PM__SET_INFERENCE, out, catalog, options, shipped, error);
}

int pm__lab_calibrate_large_models(pm_calibration *out, const pm_catalog *catalog,
                                   const pm_calibration_options *options,
                                   bool shipped, pm_error *error)
{
  return calibrate(PM__SET_LARGE_MODELS, out, catalog, options, shipped, error);
}

int pm__lab_calibrate_grouped(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                              bool shipped, pm_error *error)
{
  return calibrate(PM__SET_GROUPED, out, catalog, options, shipped, error);
}

int pm__lab_calibrate_plans(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                            bool shipped, pm_error *error)
{
  return calibrate(PM__SET_PLANS, out, catalog, options, shipped, error);
}
