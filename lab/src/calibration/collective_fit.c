/*
** Calibration of collectives on published runs, each machine left out in turn.
**
** Residual: the logarithm of the time, predicted over measured. What a constant is before any row counts as one row
** more; an architecture's own constant is expected near that of all, a slow fabric's near that of all such fabrics. So
** those without rows, and those of the machine left out, take what the others have in common. On rows of the user a
** constant is, before any row, what the catalogue has.
*/
#include "calibration/collective_fit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 0.003; /* weighted logarithm of an error that counts by its size, not its square */
static const double NOISE = 0.2;  /* of one row, against what constants are before any row */

static bool is_fitted(const pm__lab_collective_fit *fit, const pm__lab_collective_row *row)
{
  return row->use == PM_FIT_USE_FITTED && row->machine != fit->fold;
}

static void choose_active(pm__lab_collective_fit *fit)
{
  fit->active_count = 0;
  for (size_t i = 0; i < fit->rows.count; i++)
    if (is_fitted(fit, &fit->rows.items[i])) fit->active[fit->active_count++] = i;
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  pm__lab_collective_fit *fit = (pm__lab_collective_fit *)context;
  (void)error;
  pm__lab_fit_predict(fit, values);
  for (size_t i = 0; i < fit->active_count; i++) {
    const pm__lab_collective_row *row = &fit->rows.items[fit->active[i]];
    residuals[i] = row->weight * log(row->predicted / row->measured);
  }
  for (size_t i = 0; i < fit->count; i++)
    residuals[fit->active_count + i] = NOISE * pm__lab_fit_surprise(fit, values, i);
  return PM_OK;
}

static void start_from(const pm__lab_collective_fit *fit, pm_fit_parameter *parameters)
{
  for (size_t i = 0; i < fit->count; i++) {
    const pm__lab_fit_constant *c = &fit->constants[i];
    double start = c->start * (c->parent >= 0 ? parameters[c->parent].start : 1);
    parameters[i] = pm_fit_parameter_make(c->kind->name, start, c->kind->lower, c->kind->upper);
  }
}

/* Fits all constants to the rows that are not of the fold. */
static int solve(pm__lab_collective_fit *fit, pm_fit_parameter *parameters, pm_error *error)
{
  pm_fit_options options = pm_fit_options_make();
  options.robust = LARGE;
  options.huber = 1;
  options.tolerance = 1e-4;
  options.step = 0.02;
  options.iterations = 20;
  choose_active(fit);
  start_from(fit, parameters);
  return pm_fit(parameters, fit->count, residuals_of, fit, fit->active_count + fit->count, &options, NULL, error);
}

static void predict_with(pm__lab_collective_fit *fit, const pm_fit_parameter *parameters)
{
  double values[PM__FIT_CONSTANTS];
  for (size_t i = 0; i < fit->count; i++) values[i] = pm__lab_four_digits(parameters[i].value);
  pm__lab_fit_predict(fit, values);
}

/* Rows that took no part in any fit are left out as they are. */
static void keep_errors(pm__lab_collective_fit *fit, int machine)
{
  for (size_t i = 0; i < fit->rows.count; i++) {
    const pm__lab_collective_row *row = &fit->rows.items[i];
    bool own = row->use == PM_FIT_USE_FITTED ? row->machine == machine : machine < 0;
    if (own) fit->left_out[i] = log(row->predicted / row->measured);
  }
}

static int leave_out_all(pm__lab_collective_fit *fit, pm_fit_parameter *room, pm_error *error)
{
  int status = PM_OK;
  for (int m = 0; m < (int)fit->rows.machine_count && status == PM_OK; m++) {
    if (!fit->rows.machines[m].fitted) continue;
    fit->fold = m;
    status = solve(fit, room, error);
    if (status != PM_OK) break;
    predict_with(fit, room);
    keep_errors(fit, m);
  }
  fit->fold = -1;
  return status;
}

static int fit_rows(pm__lab_collective_fit *fit, pm_error *error)
{
  pm_fit_parameter *found = (pm_fit_parameter *)calloc(2 * fit->count, sizeof *found);
  fit->left_out = (double *)malloc(fit->rows.count * sizeof *fit->left_out);
  fit->active = (size_t *)malloc(fit->rows.count * sizeof *fit->active);
  bool room = found != NULL && fit->left_out != NULL && fit->active != NULL;
  int status = room ? solve(fit, found, error) : pm__no_memory(error);
  if (status == PM_OK) {
    predict_with(fit, found);
    keep_errors(fit, -1);
    status = leave_out_all(fit, found + fit->count, error);
  }
  if (status == PM_OK) {
    predict_with(fit, found);
    status = pm__lab_fit_report(fit, found, error);
  }
  free(found);
  return status;
}

static int calibrate(pm__lab_collective_fit *fit, const pm__csv *table, const pm_calibration_options *options,
                     pm_error *error)
{
  int status = pm__lab_collective_rows_read(&fit->rows, fit->catalog, table, options, error);
  if (status != PM_OK) return status;
  fit->fold = -1;
  bool any = false;
  for (size_t m = 0; m < fit->rows.machine_count; m++) any = any || fit->rows.machines[m].fitted;
  if (!any)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "no row of \"%.80s\" can be predicted and fitted", options->file);
  status = pm__lab_fit_constants(fit, error);
  return status == PM_OK ? fit_rows(fit, error) : status;
}

int pm__lab_calibrate_collectives(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                                  bool shipped, pm_error *error)
{
  pm__csv table;
  if (options->entries != NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "constants of collectives are fitted together, not those of \"%.80s\"",
                    options->entries);
  if (pm__csv_read(&table, options->data, options->file, error) != PM_OK) return PM_STATUS_BAD_FILE;
  pm__lab_collective_fit *fit = (pm__lab_collective_fit *)calloc(1, sizeof *fit);
  int status = fit != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) {
    fit->catalog = catalog;
    fit->out = out;
    fit->own = !shipped;
    status = calibrate(fit, &table, options, error);
    pm__lab_collective_rows_free(&fit->rows);
    free(fit->left_out);
    free(fit->active);
  }
  free(fit);
  pm__csv_free(&table);
  return status;
}
