#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"
#include "validate/summary.h"

typedef struct summary {
  char set[PM_TEXT_MAX], group[PM_TEXT_MAX];
  int32_t rows;
  double mape, median, p90, bias;
} summary;

#define FIELD(record, kind, name, unit, doc) {#name, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}
#define TYPE(name, record, fields) {name, "", sizeof(record), fields, sizeof fields / sizeof fields[0]}

static const pm_field row_fields[] = {
  FIELD(pm__comparison, TEXT, id, "", "id of the measurement: its row, or its line in the table"),
  FIELD(pm__comparison, TEXT, group, "", "what it is summed up with"),
  FIELD(pm__comparison, REAL, measured, "1", "what was measured, in `unit`"),
  FIELD(pm__comparison, REAL, predicted, "1", "what is predicted, in `unit`; unknown if it cannot be"),
  FIELD(pm__comparison, TEXT, unit, "", "unit of both"),
  FIELD(pm__comparison, REAL, error, "%", "(predicted - measured) / measured"),
};

static const pm_field summary_fields[] = {
  FIELD(summary, TEXT, set, "", "which measurements"),
  FIELD(summary, TEXT, group, "", "which of them"),
  FIELD(summary, INT, rows, "1", "measurements compared"),
  FIELD(summary, REAL, mape, "%", "mean of the absolute errors"),
  FIELD(summary, REAL, median, "%", "median of the absolute errors"),
  FIELD(summary, REAL, p90, "%", "90th percentile of the absolute errors"),
  FIELD(summary, REAL, bias, "%", "mean of the signed errors; above 0: predicted too much"),
};

static const pm_record_type row_type = TYPE("comparison", pm__comparison, row_fields);
static const pm_record_type summary_type = TYPE("summary", summary, summary_fields);

pm__comparison *pm__comparisons_add(pm__comparisons *rows, pm_error *error)
{
  pm__comparison *items = (pm__comparison *)pm__grow(rows->items, rows->count, &rows->capacity, sizeof *items);
  if (items == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  rows->items = items;
  pm__comparison *next = &items[rows->count++];
  memset(next, 0, sizeof *next);
  next->measured = next->predicted = next->error = NAN;
  return next;
}

void pm__comparison_set(pm__comparison *row, double predicted)
{
  row->predicted = predicted;
  row->error = (predicted - row->measured) / row->measured * 100;
}

/* ---- Summing up ---- */

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Quantile of sorted values, between neighbours in proportion. */
static double quantile(const double *sorted, size_t count, double q)
{
  double place = q * (double)(count - 1);
  size_t below = (size_t)floor(place);
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - floor(place)) * (sorted[below + 1] - sorted[below]);
}

/* From signed errors, which become absolute and sorted. */
static void summarize(double *errors, size_t n, summary *out)
{
  double sum = 0, bias = 0;
  for (size_t i = 0; i < n; i++) {
    bias += errors[i];
    errors[i] = fabs(errors[i]);
    sum += errors[i];
  }
  out->rows = (int32_t)n;
  out->mape = out->median = out->p90 = out->bias = (double)NAN;
  if (n == 0) return;
  qsort(errors, n, sizeof *errors, ascending);
  out->mape = sum / (double)n;
  out->median = quantile(errors, n, 0.5);
  out->p90 = quantile(errors, n, 0.9);
  out->bias = bias / (double)n;
}

static bool same_group(const pm__comparison *a, const pm__comparison *b)
{
  return strcmp(a->group, b->group) == 0 && strcmp(a->set, b->set) == 0;
}

static bool is_first(const pm__comparisons *rows, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (!isnan(rows->items[i].error) && same_group(&rows->items[i], &rows->items[index])) return false;
  return true;
}

/* The rows of the group that `like` is in. `errors` has room for all of them. */
static void sum_group(const pm__comparisons *rows, const pm__comparison *like, double *errors, summary *out)
{
  size_t n = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (!isnan(rows->items[i].error) && same_group(&rows->items[i], like))
      errors[n++] = rows->items[i].error;
  summarize(errors, n, out);
  memcpy(out->set, like->set, sizeof out->set);
  memcpy(out->group, like->group, sizeof out->group);
}

int pm__comparisons_say(const pm__comparisons *rows, pm__string *out, pm_error *error)
{
  summary all;
  size_t n = 0;
  double *errors = (double *)calloc(rows->count + 1, sizeof *errors);
  if (errors == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < rows->count; i++)
    if (!isnan(rows->items[i].error)) errors[n++] = rows->items[i].error;
  summarize(errors, n, &all);
  free(errors);
  pm__string_format(out, "%d rows, mean %.1f %%, median %.1f %%, 90th percentile %.1f %%\n", (int)all.rows, all.mape,
                    all.median, all.p90);
  return PM_OK;
}

/* ---- Tables ---- */

/* People see a tenth of a per cent, which is more than the figures are worth, and of other values four digits. */
static double per_cent_shown(double value)
{
  return rint(value * 10) / 10;
}

static double value_shown(double value)
{
  char digits[40];
  double shown;
  snprintf(digits, sizeof digits, "%.3e", value);
  return fabs(value) < 1e4 && pm_number_parse(digits, &shown) == PM_OK ? shown : rint(value);
}

static int show_rounded(pm_table *table, const char *name, const double *values, size_t stride, double (*shown)(double),
                        pm_error *error)
{
  size_t count = pm_table_rows(table);
  char (*texts)[32] = (char (*)[32])calloc(count + 1, sizeof *texts);
  const char **cells = (const char **)calloc(count + 1, sizeof *cells);
  int status = texts != NULL && cells != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; status == PM_OK && i < count; i++) {
    double value;
    char number[PM_NUMBER_MAX];
    memcpy(&value, (const char *)values + i * stride, sizeof value);
    if (isnan(value)) strcpy(texts[i], "-");
    else snprintf(texts[i], sizeof texts[i], "%.28s", pm_number_format(number, shown(value)));
    cells[i] = texts[i];
  }
  if (status == PM_OK) status = pm_table_show_as(table, name, cells, error);
  free(texts);
  free(cells);
  return status;
}

static pm_table *kept_or_freed(pm_table *table, int status)
{
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static pm_table *summary_table(const summary *groups, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new(count, error);
  if (table == NULL) return NULL;
  int status = pm_table_add_records(table, &summary_type, groups, error);
  const double *values[] = {&groups->mape, &groups->median, &groups->p90, &groups->bias};
  static const char *const names[] = {"mape", "median", "p90", "bias"};
  for (size_t i = 0; i < 4 && status == PM_OK; i++)
    status = show_rounded(table, names[i], values[i], sizeof *groups, per_cent_shown, error);
  return kept_or_freed(table, status);
}

pm_table *pm__comparisons_summary(const pm__comparisons *rows, pm_error *error)
{
  summary *groups = (summary *)calloc(rows->count + 1, sizeof *groups);
  double *errors = (double *)calloc(rows->count + 1, sizeof *errors);
  pm_table *table = NULL;
  size_t count = 0;
  for (size_t i = 0; groups != NULL && errors != NULL && i < rows->count; i++)
    if (!isnan(rows->items[i].error) && is_first(rows, i)) sum_group(rows, &rows->items[i], errors, &groups[count++]);
  if (groups != NULL && errors != NULL) table = summary_table(groups, count, error);
  else pm__no_memory(error);
  free(errors);
  free(groups);
  return table;
}

pm_table *pm__comparisons_table(const pm__comparisons *rows, pm_error *error)
{
  const pm__comparison none = {"", "", NAN, NAN, "", NAN, ""}, *items = rows->count > 0 ? rows->items : &none;
  pm_table *table = pm_table_new(rows->count, error);
  if (table == NULL) return NULL;
  int status = pm_table_add_records(table, &row_type, items, error);
  if (status == PM_OK) status = show_rounded(table, "predicted", &items->predicted, sizeof *items, value_shown, error);
  if (status == PM_OK) status = show_rounded(table, "error", &items->error, sizeof *items, per_cent_shown, error);
  return kept_or_freed(table, status);
}
