/*
** Calibration of the constants of frameworks that only the source documents ran, on all their rows with a number; then
** the width of the prediction interval of what rests on documents.
**
** Residual: the logarithm of predicted over stated, with Huber's loss. What a constant is before any row counts as one
** row more. A constant says which documents it rests on, so that perfmodel validate can leave it out.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/calibration.h"
#include "validation/statements.h"

static const double LARGE = 0.1;  /* logarithm of an error that counts as large */
static const double NOISE = 0.1;  /* of one row, against what constants are before any row */
static const double MIDDLE = 0.8; /* share of the rates that an interval covers */
static const double WIDTH = 1.2815515655446004; /* of it, in standard deviations */

/* A constant of a framework; before any row its start, known within a factor. */
static const struct {
  const char *framework, *name;
  double start, factor, lower, upper;
} constants[] = {
  {"cntk", "kernel_time", 25e-6, 2, 2e-6, 200e-6},
  {"keras", "simt_factor", 1, 2, 0.6, 1.8},
  {"horovod-0.12", "coordinator_time", 1000e-6, 10, 1e-6, 20000e-6},
};

enum { CONSTANTS = sizeof constants / sizeof constants[0], PLACES = 64 };

typedef struct documents {
  const pm_catalog *catalog;
  pm_calibration *out;
  bool all;
  pm__lab_statements statements;
  pm__lab_comparisons rows;
  size_t *counted, count; /* rows with an error */
  double *places[CONSTANTS][PLACES];
  size_t place_count[CONSTANTS];
  char fitted_to[CONSTANTS][PM_TEXT_MAX];
} documents;

static const pm_field *field_of(size_t constant)
{
  return pm_record_find_field(pm_record_type_find("framework"), constants[constant].name);
}

/* Where the predictor has the constants: in each framework of the name, by its libraries. */
static void find_places(documents *d)
{
  pm__lab_predictor *predictor = d->statements.values.predictor;
  for (size_t f = 0; f < pm__lab_predictor_framework_count(predictor); f++) {
    pm_framework_profile *profile = pm__lab_predictor_built_framework(predictor, (int)f);
    for (size_t c = 0; c < CONSTANTS && profile != NULL; c++) {
      if (strcmp(profile->framework.id, constants[c].framework) != 0 || d->place_count[c] == PLACES) continue;
      d->places[c][d->place_count[c]++] = (double *)(void *)((char *)&profile->framework + field_of(c)->offset);
    }
  }
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  documents *d = (documents *)context;
  for (size_t c = 0; c < CONSTANTS; c++)
    for (size_t i = 0; i < d->place_count[c]; i++) *d->places[c][i] = values[c];
  int status = pm__lab_statements_repeat(&d->statements, &d->rows, error);
  for (size_t i = 0; i < d->count && status == PM_OK; i++) {
    const pm__lab_comparison *row = &d->rows.items[d->counted[i]];
    residuals[i] = log(row->predicted / row->measured);
  }
  for (size_t c = 0; c < CONSTANTS; c++)
    residuals[d->count + c] = NOISE * log(values[c] / constants[c].start) / log(constants[c].factor);
  return status;
}

static int choose_rows(documents *d, pm_error *error)
{
  d->counted = (size_t *)malloc((d->rows.count + 1) * sizeof *d->counted);
  if (d->counted == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < d->rows.count; i++)
    if (!isnan(d->rows.items[i].error) && d->rows.items[i].predicted > 0) d->counted[d->count++] = i;
  if (d->count > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "no row has a number that can be predicted");
}

/* ---- Results ---- */

static void add_name(char *list, size_t size, const char *name)
{
  size_t used = strlen(list);
  if (strstr(list, name) == NULL) snprintf(list + used, size - used, "%s%s", used > 0 ? " " : "", name);
}

/* Rows that the constant bears on, and their documents. */
static int count_rows(documents *d, const pm_fit_parameter *found, size_t constant, double *room, size_t *rows,
                      pm_error *error)
{
  double values[CONSTANTS], *base = room, *moved = room + d->count + CONSTANTS;
  for (size_t c = 0; c < CONSTANTS; c++) values[c] = found[c].value;
  int status = residuals_of(d, values, base, error);
  values[constant] *= 1.05;
  if (status == PM_OK) status = residuals_of(d, values, moved, error);
  *rows = 0;
  for (size_t i = 0; i < d->count && status == PM_OK; i++) {
    if (moved[i] == base[i]) continue;
    ++*rows;
    add_name(d->fitted_to[constant], sizeof d->fitted_to[constant], d->rows.items[d->counted[i]].group);
  }
  return status;
}

static int keep(documents *d, const pm_fit_parameter *found, double *room, pm_error *error)
{
  int status = PM_OK;
  for (size_t c = 0; c < CONSTANTS && status == PM_OK; c++) {
    size_t rows;
    status = count_rows(d, found, c, room, &rows, error);
    pm_fitted_constant *kept = pm__lab_calibration_constant(d->out, constants[c].framework, constants[c].name, error);
    if (kept == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(kept, "documents", field_of(c)->unit, &found[c], rows);
  }
  return status;
}

/* Errors of all rows, then of each document. */
static int add_errors(documents *d, double *room, pm_error *error)
{
  int status = PM_OK;
  for (size_t first = 0; first <= d->count && status == PM_OK; first++) {
    const char *group = first > 0 ? d->rows.items[d->counted[first - 1]].group : "all";
    bool again = first > 1 && strcmp(group, d->rows.items[d->counted[first - 2]].group) == 0;
    size_t n = 0;
    for (size_t i = 0; i < d->count && !again; i++) {
      const pm__lab_comparison *row = &d->rows.items[d->counted[i]];
      if (first == 0 || strcmp(row->group, group) == 0) room[n++] = row->error;
    }
    status = pm__lab_calibration_error(d->out, "documents", group, PM_FIT_USE_FITTED, room, n, error);
  }
  return status;
}

/* How far the rates are off by constants that rest on no document. */
static int note_deviation(documents *d, pm__lab_context *context, double *room, pm_error *error)
{
  pm__lab_statements without;
  pm__lab_comparisons rows;
  size_t n = 0;
  int status = pm__lab_statements_open(&without, context, "", &rows, error);
  for (size_t i = 0; i < d->count && status == PM_OK; i++) {
    const pm__lab_comparison *row = &rows.items[d->counted[i]];
    if (strcmp(row->unit, "images/s") == 0) room[n++] = fabs(log(row->predicted / row->measured));
  }
  pm__lab_statements_close(&without, &rows);
  if (status != PM_OK || n == 0) return status;
  pm__string_format(&d->out->notes, "standard deviation %.3f of %zu rates, by constants that rest on no document\n",
                    pm__quantile(room, n, MIDDLE) / WIDTH, n);
  return PM_OK;
}

/* ---- The file ---- */

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  const documents *d = (const documents *)user;
  const pm_fitted_constant *found = pm__lab_calibration_find(d->out, entry->id, field->name);
  if (found == NULL) return false;
  char names[PM_TEXT_MAX] = "";
  for (size_t c = 0; c < CONSTANTS; c++)
    if (strcmp(constants[c].framework, entry->id) == 0) snprintf(names, sizeof names, "%s", d->fitted_to[c]);
  pm__lab_value_fitted(value, d->out, names, (int)found->rows);
  if (!isnan(found->uncertainty)) snprintf(value->note, sizeof value->note, "+-%.2g %%", found->uncertainty * 100);
  pm__lab_value_write(value, found->value, field->unit);
  return true;
}

/* ---- The fit ---- */

static int solve(documents *d, pm_fit_parameter *found, pm_error *error)
{
  pm_fit_options options = pm_fit_options_make();
  options.robust = LARGE;
  options.huber = 1;
  options.tolerance = 1e-5;
  options.step = 0.03;
  for (size_t c = 0; c < CONSTANTS; c++)
    found[c] = pm_fit_parameter_make(constants[c].name, constants[c].start, constants[c].lower, constants[c].upper);
  return pm_fit(found, CONSTANTS, residuals_of, d, d->count + CONSTANTS, &options, NULL, error);
}

static int fit_rows(documents *d, pm__lab_context *context, pm_error *error)
{
  pm_fit_parameter found[CONSTANTS];
  double *room = (double *)malloc(2 * (d->count + CONSTANTS + 1) * sizeof *room), values[CONSTANTS];
  int status = room != NULL ? solve(d, found, error) : pm__no_memory(error);
  if (status == PM_OK) status = keep(d, found, room, error);
  for (size_t c = 0; c < CONSTANTS && status == PM_OK; c++) values[c] = pm__lab_four_digits(found[c].value);
  if (status == PM_OK) status = residuals_of(d, values, room, error);
  if (status == PM_OK) status = add_errors(d, room, error);
  if (status == PM_OK) status = note_deviation(d, context, room, error);
  if (status == PM_OK) pm__lab_frameworks_write(&d->out->xml, d->out, d->catalog, d->all, replaced, d);
  free(room);
  return status;
}

int pm__lab_calibrate_documents(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                                bool shipped, pm_error *error)
{
  pm__csv table;
  if (pm__csv_read(&table, options->data, options->file, error) != PM_OK) return PM_STATUS_BAD_FILE;
  pm__lab_context context = {.catalog = catalog, .table = &table, .file = options->file, .set = "statements"};
  documents *d = (documents *)calloc(1, sizeof *d);
  int status = d != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) {
    d->catalog = catalog;
    d->out = out;
    d->all = shipped;
    status = pm__lab_statements_open(&d->statements, &context, NULL, &d->rows, error);
    if (status == PM_OK) status = choose_rows(d, error);
    if (status == PM_OK) find_places(d);
    if (status == PM_OK) status = fit_rows(d, &context, error);
    pm__lab_statements_close(&d->statements, &d->rows);
    free(d->counted);
  }
  free(d);
  free(context.notes.text);
  pm__csv_free(&table);
  return status;
}
