/*
** perfmodel validate --set kernels: measured kernels beside their predictions.
**
** Rows are CSV: id, group, gpu, the fields of a `kernel` record, time and overhead in s. The overhead is what the host adds
** to each row of a source; it is added to the prediction, and to that of the plain roofline.
*/
#include "validate.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "measured.h"
#include "unpack.h"

typedef struct row {
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX], gpu[PM_TEXT_MAX];
  pm_kernel kernel;
  double time, overhead;
  double measured, predicted, roofline; /* us */
  char unit[PM_TEXT_MAX];
  double error, roofline_error; /* % */
} row;

typedef struct summary {
  char set[PM_TEXT_MAX], group[PM_TEXT_MAX];
  int32_t rows;
  double mape, median, p90, bias, roofline_mape;
} summary;

#define FIELD(record, kind, name, title, unit, doc) {title, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}

static const pm_field row_fields[] = {
  FIELD(row, TEXT, id, "id", "", "id of the measurement"),
  FIELD(row, TEXT, group, "group", "", "GPU, operator, precision and source"),
  FIELD(row, REAL, measured, "measured", "1", "time measured, in `unit`"),
  FIELD(row, REAL, predicted, "predicted", "1", "time predicted, in `unit`; unknown if it cannot be"),
  FIELD(row, TEXT, unit, "unit", "", "unit of both"),
  FIELD(row, REAL, error, "error", "%", "(predicted - measured) / measured"),
};

static const pm_field summary_fields[] = {
  FIELD(summary, TEXT, set, "set", "", "kernels: built in; own: from the file given with --data"),
  FIELD(summary, TEXT, group, "group", "", "GPU, operator, precision and source"),
  FIELD(summary, INT, rows, "rows", "1", "measurements compared"),
  FIELD(summary, REAL, mape, "mape", "%", "mean of the absolute errors"),
  FIELD(summary, REAL, median, "median", "%", "median of the absolute errors"),
  FIELD(summary, REAL, p90, "p90", "%", "90th percentile of the absolute errors"),
  FIELD(summary, REAL, bias, "bias", "%", "mean of the signed errors; above 0: predicted too slow"),
  FIELD(summary, REAL, roofline_mape, "roofline mape", "%", "mean of the absolute errors of the plain roofline"),
};

#define TYPE(record) {#record, "", sizeof(record), record##_fields, sizeof record##_fields / sizeof record##_fields[0]}

static const pm_record_type row_type = TYPE(row);
static const pm_record_type summary_type = TYPE(summary);

/* ---- Reading ---- */

enum { COLUMNS_MAX = 40 };

/* Cuts a line at its commas, in place. */
static int split(char *line, char **cell)
{
  int count = 0;
  line[strcspn(line, "\r")] = '\0';
  for (char *at = line; at != NULL && count < COLUMNS_MAX;) {
    cell[count++] = at;
    at = strchr(at, ',');
    if (at != NULL) *at++ = '\0';
  }
  return count;
}

static char *next_line(char **text)
{
  char *line = *text, *end;
  if (line == NULL || *line == '\0') return NULL;
  end = strchr(line, '\n');
  if (end != NULL) *end = '\0';
  *text = end != NULL ? end + 1 : NULL;
  return line;
}

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

static int read_row(row *r, char **column, int columns, char *line, const char *name, int number)
{
  char *cell[COLUMNS_MAX];
  pm_error error = PM_ERROR_NONE;
  int count = split(line, cell);
  pm_record_init(pm_record_type_find("kernel"), &r->kernel);
  if (count != columns)
    return fail(CODE_INPUT, "%s:%d: %d columns, but the first line has %d", name, number, count, columns);
  for (int i = 0; i < columns; i++)
    if (set_cell(r, column[i], cell[i], &error) != PM_OK)
      return fail(CODE_INPUT, "%s:%d: column \"%.40s\": \"%.60s\" cannot be used", name, number, column[i], cell[i]);
  if (!(r->time > 0) || !(r->overhead >= 0))
    return fail(CODE_INPUT, "%s:%d: time %g s is not above 0, or overhead %g s is negative", name, number, r->time,
                r->overhead);
  return CODE_DONE;
}

static int read_rows(char *text, const char *name, row **rows, size_t *count)
{
  char *column[COLUMNS_MAX], *line = next_line(&text);
  size_t capacity = 0;
  int columns = line != NULL ? split(line, column) : 0;
  if (columns < 2) return fail(CODE_INPUT, "%s: no line with the names of the columns", name);
  for (int number = 2; (line = next_line(&text)) != NULL; number++) {
    if (*count == capacity) {
      capacity = 2 * capacity + 64;
      row *larger = (row *)realloc(*rows, capacity * sizeof **rows);
      if (larger == NULL) return fail_memory();
      *rows = larger;
    }
    row *r = &(*rows)[(*count)++];
    memset(r, 0, sizeof *r);
    int code = read_row(r, column, columns, line, name, number);
    if (code != CODE_DONE) return code;
  }
  return *count > 0 ? CODE_DONE : fail(CODE_INPUT, "%s: no measurements", name);
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

static void sum_group(const row *rows, size_t count, const char *set, double *errors, summary *out)
{
  double sum = 0, bias = 0, roofline = 0;
  size_t n = 0;
  snprintf(out->set, sizeof out->set, "%s", set);
  memcpy(out->group, rows->group, sizeof out->group);
  for (size_t i = 0; i < count; i++) {
    if (isnan(rows[i].error) || strcmp(rows[i].group, rows->group) != 0) continue;
    bias += rows[i].error;
    sum += fabs(rows[i].error);
    roofline += fabs(rows[i].roofline_error);
    errors[n++] = fabs(rows[i].error);
  }
  out->rows = (int32_t)n;
  out->mape = out->median = out->p90 = out->bias = out->roofline_mape = (double)NAN;
  if (n == 0) return;
  sort_numbers(errors, n);
  out->mape = sum / (double)n;
  out->median = quantile(errors, n, 0.5);
  out->p90 = quantile(errors, n, 0.9);
  out->bias = bias / (double)n;
  out->roofline_mape = roofline / (double)n;
}

static int write_groups(const cli_request *request, const row *rows, size_t count, const char *set)
{
  pm_error error = PM_ERROR_NONE;
  summary *groups = (summary *)calloc(count, sizeof *groups);
  double *errors = (double *)calloc(count, sizeof *errors);
  size_t n = 0;
  int code = groups != NULL && errors != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 0; code == CODE_DONE && i < count; i++)
    if (is_first(rows, i)) sum_group(&rows[i], count - i, set, errors, &groups[n++]);
  if (code == CODE_DONE) code = write_table(request, records_to_table(&summary_type, groups, n, &error), &error);
  free(errors);
  free(groups);
  return code;
}

static int compare(const cli_request *request, const pm_catalog *catalog, char *text, const char *name)
{
  pm_error error = PM_ERROR_NONE;
  row *rows = NULL;
  size_t count = 0;
  int code = read_rows(text, name, &rows, &count);
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
  const char *path = request->value[OPTION_DATA];
  char *text = path != NULL ? read_packed_file(path) : unpack(cli_kernels, cli_kernels_size);
  if (text == NULL) return path != NULL ? fail(CODE_INPUT, "%.200s: cannot be read", path) : fail_memory();
  int code = compare(request, catalog, text, path != NULL ? path : "kernels.csv");
  free(text);
  return code;
}
