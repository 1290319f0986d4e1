/* perfmodel validate --set kernels: measured kernels beside their predictions. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "validation.h"

typedef struct row {
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX];
  double measured, predicted; /* us */
  char unit[PM_TEXT_MAX];
  double error; /* % */
} row;

typedef struct kernel_summary {
  summary errors;
  double roofline_mape;
} kernel_summary;

#define FIELD(record, kind, name, title, unit, doc) {title, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}

static const pm_field row_fields[] = {
  FIELD(row, TEXT, id, "id", "", "id of the measurement, or its line"),
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

/* Rows and their times, by the model and by the roofline [s]. */
typedef struct study {
  const pm_kernel_rows *rows;
  const pm_measured_kernel *measured;
  size_t count;
  double *times, *roofline;
} study;

static double error_of(const study *s, const double *times, size_t i)
{
  return (times[i] / s->measured[i].time - 1) * 100;
}

/* ---- One line for each row ---- */

static int write_rows(const cli_request *request, const study *s)
{
  pm_error error = PM_ERROR_NONE;
  row *rows = (row *)calloc(s->count + 1, sizeof *rows);
  if (rows == NULL) return fail_memory();
  for (size_t i = 0; i < s->count; i++) {
    const pm_measured_kernel *m = &s->measured[i];
    memcpy(rows[i].id, m->id, sizeof rows[i].id);
    memcpy(rows[i].group, m->group, sizeof rows[i].group);
    strcpy(rows[i].unit, "us");
    rows[i].measured = m->time * 1e6;
    rows[i].predicted = s->times[i] * 1e6;
    rows[i].error = error_of(s, s->times, i);
  }
  int code = write_table(request, records_to_table(&row_type, rows, s->count, &error), &error);
  free(rows);
  return code;
}

/* ---- One line for each group ---- */

/* Where the rows of each group begin in an order by group: counts, then their sums. */
static void sort_by_group(const study *s, size_t groups, size_t *first, size_t *order)
{
  const int32_t *group = pm_kernel_rows_groups(s->rows);
  for (size_t i = 0; i < s->count; i++) first[group[i] + 1]++;
  for (size_t g = 0; g < groups; g++) first[g + 1] += first[g];
  for (size_t i = 0; i < s->count; i++) order[first[group[i]]++] = i;
  for (size_t g = groups; g > 0; g--) first[g] = first[g - 1];
  first[0] = 0;
}

static void sum_group(const study *s, const size_t *order, size_t count, const char *set, double *errors,
                      kernel_summary *out)
{
  double roofline = 0;
  size_t n = 0;
  snprintf(out->errors.set, sizeof out->errors.set, "%s", set);
  memcpy(out->errors.group, s->measured[order[0]].group, sizeof out->errors.group);
  for (size_t i = 0; i < count; i++) {
    if (isnan(s->times[order[i]])) continue;
    roofline += fabs(error_of(s, s->roofline, order[i]));
    errors[n++] = error_of(s, s->times, order[i]);
  }
  summarize(errors, n, &out->errors);
  out->roofline_mape = n > 0 ? roofline / (double)n : (double)NAN;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const kernel_summary *)a)->errors.group, ((const kernel_summary *)b)->errors.group);
}

static int write_groups(const cli_request *request, const study *s)
{
  pm_error error = PM_ERROR_NONE;
  const char *set = request->value[OPTION_DATA] != NULL ? "own" : "kernels";
  size_t n = pm_kernel_rows_group_count(s->rows);
  kernel_summary *groups = (kernel_summary *)calloc(n + 1, sizeof *groups);
  size_t *first = (size_t *)calloc(n + 2 + s->count, sizeof *first), *order = first + n + 2;
  double *errors = (double *)calloc(s->count + 1, sizeof *errors);
  int code = groups != NULL && errors != NULL && first != NULL ? CODE_DONE : fail_memory();
  if (code == CODE_DONE) {
    sort_by_group(s, n, first, order);
    for (size_t g = 0; g < n; g++)
      sum_group(s, &order[first[g]], first[g + 1] - first[g], set, errors, &groups[g]);
    qsort(groups, n, sizeof *groups, by_name);
    code = write_table(request, records_to_table(&kernel_summary_type, groups, n, &error), &error);
  }
  free(errors);
  free(first);
  free(groups);
  return code;
}

/* ---- Both ---- */

static int compare(const cli_request *request, const pm_catalog *catalog, const pm_kernel_rows *rows)
{
  size_t count = pm_kernel_rows_count(rows);
  study s = {rows, pm_kernel_rows_measured(rows), count, (double *)calloc(2 * count + 1, sizeof(double)), NULL};
  if (s.times == NULL) return fail_memory();
  s.roofline = s.times + count;
  size_t good = pm_kernel_rows_predict(rows, catalog, s.times, s.roofline);
  const char *text;
  int code = CODE_DONE;
  for (size_t i = 0; (text = pm_kernel_rows_note(rows, i)) != NULL; i++) note(request, "%s", text);
  if (good < count) note(request, "%zu of %zu rows have no prediction: their GPUs lack the precision", count - good, count);
  if (good == 0) code = fail(CODE_CONSTRAINT, "none of the measurements has a prediction");
  else code = request->value[OPTION_ROWS] != NULL ? write_rows(request, &s) : write_groups(request, &s);
  free(s.times);
  return code;
}

int validate_kernels(const cli_request *request, const pm_catalog *catalog)
{
  const char *path = request->value[OPTION_DATA];
  pm_error error = PM_ERROR_NONE;
  char *text = path != NULL ? pm_file_text(path, &error) : pm_shipped_text("measured/kernels.csv", &error);
  if (text == NULL) return fail_error(&error);
  pm_kernel_rows *rows = pm_kernel_rows_new(catalog, text, path != NULL ? path : "kernels.csv", &error);
  pm_string_free(text);
  if (rows == NULL) return fail_error(&error);
  int code = compare(request, catalog, rows);
  pm_kernel_rows_free(rows);
  return code;
}
