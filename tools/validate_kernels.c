/*
** perfmodel validate --set kernels: measured kernels beside their predictions.
**
** Rows are CSV: id, group, gpu, the fields of a `kernel` record, time and overhead in s. The overhead is what the host
** adds to each row of a source; it is added to the prediction, and to that of the plain roofline.
*/
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "validation.h"

typedef struct row {
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX], gpu[PM_TEXT_MAX];
  pm_kernel kernel;
  double time, overhead;
  double measured, predicted, roofline; /* us */
  char unit[PM_TEXT_MAX];
  double error, roofline_error; /* % */
} row;

typedef struct kernel_summary {
  summary errors;
  double roofline_mape;
} kernel_summary;

#define FIELD(record, kind, name, title, unit, doc) {title, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}

static const pm_field row_fields[] = {
  FIELD(row, TEXT, id, "id", "", "id of the measurement"),
  FIELD(row, TEXT, group, "group", "", "GPU, operator, precision and source"),
  FIELD(row, REAL, measured, "measured", "1", "time measured, in `unit`"),
  FIELD(row, REAL, predicted, "predicted", "1", "time predicted, in `unit`; unknown if it cannot be"),
  FIELD(row, TEXT, unit, "unit", "", "unit of both"),
  FIELD(row, REAL, error, "error", "%", "(predicted - measured) / measured"),
};

static const pm_field kernel_summary_fields[] = {
  FIELD(kernel_summary, TEXT, errors.set, "set", "", "kernels: built in; own: from the file given with --data"),
  FIELD(kernel_summary, TEXT, errors.group, "group", "", "GPU, operator, precision and source"),
  FIELD(kernel_summary, INT, errors.rows, "rows", "1", "measurements compared"),
  FIELD(kernel_summary, REAL, errors.mape, "mape", "%", "mean of the absolute errors"),
  FIELD(kernel_summary, REAL, errors.median, "median", "%", "median of the absolute errors"),
  FIELD(kernel_summary, REAL, errors.p90, "p90", "%", "90th percentile of the absolute errors"),
  FIELD(kernel_summary, REAL, errors.bias, "bias", "%", "mean of the signed errors; above 0: predicted too slow"),
  FIELD(kernel_summary, REAL, roofline_mape, "roofline mape", "%", "mean of the absolute errors of the plain roofline"),
};

#define TYPE(record) {#record, "", sizeof(record), record##_fields, sizeof record##_fields / sizeof record##_fields[0]}

static const pm_record_type row_type = TYPE(row);
static const pm_record_type kernel_summary_type = TYPE(kernel_summary);

/* ---- Reading ---- */

static int set_text(char *place, const char *text)
{
  if (strlen(text) >= PM_TEXT_MAX) return PM_BAD_VALUE;
  strcpy(place, text);
  return PM_OK;
}

static int set_cell(row *r, const char *column, const char *text, pm_error *error)
{
  const pm_field *field = pm_record_field(pm_record_type_find("kernel"), column);
  if (strcmp(column, "id") == 0) return set_text(r->id, text);
  if (strcmp(column, "group") == 0) return set_text(r->group, text);
  if (strcmp(column, "gpu") == 0) return set_text(r->gpu, text);
  if (strcmp(column, "time") == 0) return pm_number_parse(text, &r->time);
  if (strcmp(column, "overhead") == 0) return text[0] != '\0' ? pm_number_parse(text, &r->overhead) : PM_OK;
  if (field == NULL) return PM_NOT_FOUND;
  return text[0] != '\0' ? pm_record_set(field, &r->kernel, text, error) : PM_OK;
}

static int read_row(row *r, const csv_table *table, size_t line, const char *file)
{
  pm_record_init(pm_record_type_find("kernel"), &r->kernel);
  for (int i = 0; i < (int)table->columns; i++) {
    pm_error error = PM_ERROR_NONE;
    const char *column = csv_cell(table, 0, i), *cell = csv_cell(table, line, i);
    if (set_cell(r, column, cell, &error) != PM_OK)
      return fail(CODE_INPUT, "%s:%zu: column \"%.40s\": \"%.60s\" cannot be used", file, line + 1, column, cell);
  }
  if (r->time > 0 && r->overhead >= 0) return CODE_DONE;
  return fail(CODE_INPUT, "%s:%zu: time %g s is not above 0, or overhead %g s is negative", file, line + 1, r->time,
              r->overhead);
}

static int read_rows(const csv_table *table, const char *file, row **rows)
{
  if (table->rows < 2) return fail(CODE_INPUT, "%s: no measurements", file);
  *rows = (row *)calloc(table->rows - 1, sizeof **rows);
  int code = *rows != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 1; i < table->rows && code == CODE_DONE; i++) code = read_row(&(*rows)[i - 1], table, i, file);
  return code;
}

/* ---- Predicting ---- */

typedef struct device {
  char name[PM_TEXT_MAX];
  pm_gpu gpu;
  pm_kernel_calibration calibration;
  bool calibrated;
} device;

/* Rows of one GPU mostly stand together, so that only the last one is remembered. */
static int find(const pm_catalog *catalog, const char *name, device *d, pm_error *error)
{
  if (strcmp(d->name, name) == 0) return PM_OK;
  int status = pm_catalog_record(catalog, "gpu", name, &d->gpu, error);
  if (status != PM_OK) return status;
  strcpy(d->name, name);
  d->calibrated = pm_catalog_kernels(catalog, &d->gpu, &d->calibration, NULL) == PM_OK;
  return PM_OK;
}

static int predict(const pm_catalog *catalog, row *r, device *d, pm_error *error)
{
  pm_kernel_time out;
  int status = find(catalog, r->gpu, d, error);
  if (status == PM_OK)
    status = pm_kernel_predict(&d->gpu, d->calibrated ? &d->calibration : NULL, &r->kernel, &out, 1, error);
  if (status != PM_OK) return status;
  r->predicted = (out.time + r->overhead) * 1e6;
  r->roofline = (out.roofline_time + r->overhead) * 1e6;
  r->error = (r->predicted / r->measured - 1) * 100;
  r->roofline_error = (r->roofline / r->measured - 1) * 100;
  return PM_OK;
}

static int predict_all(const cli_request *request, const pm_catalog *catalog, row *rows, size_t count)
{
  size_t good = 0;
  device last;
  last.name[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    pm_error error = PM_ERROR_NONE;
    rows[i].measured = rows[i].time * 1e6;
    rows[i].predicted = rows[i].roofline = rows[i].error = rows[i].roofline_error = (double)NAN;
    strcpy(rows[i].unit, "us");
    if (predict(catalog, &rows[i], &last, &error) == PM_OK) good++;
    else note(request, "measurement \"%s\" has no prediction: %s", rows[i].id, error.text);
  }
  return good > 0 ? CODE_DONE : fail(CODE_CONSTRAINT, "none of the %zu measurements has a prediction", count);
}

/* ---- Summing up ---- */

static bool is_first(const row *rows, size_t index)
{
  for (size_t i = index; i > 0; i--)
    if (strcmp(rows[i - 1].group, rows[index].group) == 0) return false;
  return true;
}

static void sum_group(const row *rows, size_t count, const char *set, double *errors, kernel_summary *out)
{
  double roofline = 0;
  size_t n = 0;
  snprintf(out->errors.set, sizeof out->errors.set, "%s", set);
  memcpy(out->errors.group, rows->group, sizeof rows->group);
  for (size_t i = 0; i < count; i++) {
    if (isnan(rows[i].error) || strcmp(rows[i].group, rows->group) != 0) continue;
    roofline += fabs(rows[i].roofline_error);
    errors[n++] = rows[i].error;
  }
  summarize(errors, n, &out->errors);
  out->roofline_mape = n > 0 ? roofline / (double)n : (double)NAN;
}

static int write_groups(const cli_request *request, const row *rows, size_t count, const char *set)
{
  pm_error error = PM_ERROR_NONE;
  kernel_summary *groups = (kernel_summary *)calloc(count, sizeof *groups);
  double *errors = (double *)calloc(count, sizeof *errors);
  size_t n = 0;
  int code = groups != NULL && errors != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 0; code == CODE_DONE && i < count; i++)
    if (is_first(rows, i)) sum_group(&rows[i], count - i, set, errors, &groups[n++]);
  if (code == CODE_DONE) code = write_table(request, records_to_table(&kernel_summary_type, groups, n, &error), &error);
  free(errors);
  free(groups);
  return code;
}

static int compare(const cli_request *request, const pm_catalog *catalog, const csv_table *table, const char *file)
{
  pm_error error = PM_ERROR_NONE;
  row *rows = NULL;
  size_t count = table->rows - 1;
  int code = read_rows(table, file, &rows);
  if (code == CODE_DONE) code = predict_all(request, catalog, rows, count);
  if (code == CODE_DONE && request->value[OPTION_ROWS] != NULL)
    code = write_table(request, records_to_table(&row_type, rows, count, &error), &error);
  else if (code == CODE_DONE)
    code = write_groups(request, rows, count, request->value[OPTION_DATA] != NULL ? "own" : "kernels");
  free(rows);
  return code;
}

int validate_kernels(const cli_request *request, const pm_catalog *catalog)
{
  csv_table table;
  const char *path = request->value[OPTION_DATA];
  const char *file = path != NULL ? path : "kernels.csv";
  pm_error error = PM_ERROR_NONE;
  char *text = path != NULL ? read_text_file(path) : pm_shipped_text("measured/kernels.csv", &error);
  if (text == NULL) return path != NULL ? CODE_INPUT : fail_error(&error);
  if (!csv_read(&table, text, file)) return CODE_INPUT;
  int code = compare(request, catalog, &table, file);
  csv_free(&table);
  return code;
}
