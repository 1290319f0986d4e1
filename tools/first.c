/* The first rows of a sorted table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"

static const double *numbers_of(const pm_table *table, const char *name)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return pm_table_get_numbers(table, i);
  return NULL;
}

/* Rows below `most` whose value is known, by a column of their numbers. */
static int keep_below(pm_table *table, const double *values, double most)
{
  static const pm_field field = {.name = "row_number", .unit = "1", .doc = "", .kind = PM_FIELD_REAL};
  const pm_record_type type = {"row", "", sizeof(double), &field, 1};
  char condition[64];
  const char *conditions[] = {condition};
  pm_error error = PM_ERROR_NONE;
  size_t rows = pm_table_count_rows(table);
  double *number = (double *)malloc((rows + 1) * sizeof *number);
  if (number == NULL) return fail_memory();
  for (size_t i = 0; i < rows; i++) number[i] = isfinite(values[i]) ? (double)i : (double)NAN;
  snprintf(condition, sizeof condition, "%s<%.0f", field.name, most);
  int status = pm_table_add_records(table, &type, number, &error);
  if (status == PM_OK) status = pm_table_keep_rows(table, conditions, 1, NULL, &error);
  pm_table_drop(table, field.name);
  free(number);
  return status == PM_OK ? CODE_DONE : fail_error(&error);
}

int keep_first(const cli_request *request, pm_table *table)
{
  enum { MOST = 1000000000 };
  double most;
  const char *first = request->value[OPTION_FIRST], *by = request->value[OPTION_SORT];
  if (first == NULL || table == NULL) return CODE_DONE;
  if (by == NULL) return fail(CODE_USAGE, "--top needs --sort: the column by which rows are the first");
  if (!read_count("top", first, MOST, &most)) return CODE_USAGE;
  const double *values = numbers_of(table, by + (by[0] == '-'));
  if (values == NULL) return fail(CODE_USAGE, "--sort %.60s is text; the first are found by numbers", by);
  return keep_below(table, values, most);
}
