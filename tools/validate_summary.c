/* Summaries of errors, for the sets that the command compares itself. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "validation.h"

#define FIELD(record, kind, name, unit, doc) {#name, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}

static const pm_field summary_fields[] = {
  FIELD(summary, TEXT, set, "", "which measurements"),
  FIELD(summary, TEXT, group, "", "which of them"),
  FIELD(summary, INT, rows, "1", "measurements compared"),
  FIELD(summary, REAL, mape, "%", "mean of the absolute errors"),
  FIELD(summary, REAL, median, "%", "median of the absolute errors"),
  FIELD(summary, REAL, p90, "%", "90th percentile of the absolute errors"),
  FIELD(summary, REAL, bias, "%", "mean of the signed errors; above 0: predicted too much"),
};

#define TYPE(record) {#record, "", sizeof(record), record##_fields, sizeof record##_fields / sizeof record##_fields[0]}

const pm_record_type summary_type = TYPE(summary);

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

void summarize(double *errors, size_t n, summary *out)
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

pm_table *records_to_table(const pm_record_type *type, const void *records, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new(count, error);
  if (table == NULL || pm_table_add_records(table, type, records, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}
