/* The Pareto front of a table: rows than which no other is better in one column and as good in the others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/table_data.h"

enum { NAME = 80, MOST = 16 };

/* A row by its values, of which less is better. */
typedef struct front_row {
  double value[MOST];
  size_t count, place;
} front_row;

/* A column with "-" before it: more is better. */
typedef struct front_column {
  const double *numbers;
  double sign;
} front_column;

static int read_column(const pm_table *table, const char *name, front_column *column, pm_error *error)
{
  column->sign = name[0] == '-' ? -1 : 1;
  int found = pm__table_find_column(table, name + (name[0] == '-'), error);
  if (found < 0) return PM_STATUS_NOT_FOUND;
  column->numbers = table->columns[found].numbers;
  return !pm__column_is_text(&table->columns[found]) ? PM_OK
         : pm__fail(error, PM_STATUS_BAD_VALUE, "%.60s is text; a front needs numbers", name + (name[0] == '-'));
}

/* "-throughput,memory" */
static int read_columns(const pm_table *table, const char *by, front_column *columns, size_t *count, pm_error *error)
{
  char name[NAME];
  int status = PM_OK;
  *count = 0;
  for (size_t length; status == PM_OK && *by != '\0'; by += length + (by[length] == ',')) {
    by += strspn(by, " ");
    length = strcspn(by, ",");
    if (*count == MOST) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a front has at most %d columns", MOST);
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME ? length : NAME - 1), by);
    name[strcspn(name, " ")] = '\0';
    status = read_column(table, name, &columns[(*count)++], error);
  }
  if (status != PM_OK || *count >= 2) return status;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a front needs at least two columns, such as -throughput,memory");
}

/* In the order of the first column, of equal ones in that of the next: only rows before can be better. */
static int in_order(const void *first, const void *second)
{
  const front_row *a = (const front_row *)first, *b = (const front_row *)second;
  for (size_t i = 0; i < a->count; i++)
    if (a->value[i] != b->value[i]) return a->value[i] < b->value[i] ? -1 : 1;
  return a->place < b->place ? -1 : 1;
}

static bool beats(const front_row *a, const front_row *b)
{
  bool better = false;
  for (size_t i = 0; i < a->count; i++) {
    if (a->value[i] > b->value[i]) return false;
    better = better || a->value[i] < b->value[i];
  }
  return better;
}

/* Rows whose values are all known; returns how many. */
static size_t read_rows(const pm_table *table, const front_column *columns, size_t count, front_row *rows)
{
  size_t known = 0;
  for (size_t place = 0; place < table->rows; place++) {
    front_row *row = &rows[known];
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
      row->value[i] = columns[i].sign * columns[i].numbers[place];
      finite = finite && isfinite(row->value[i]);
    }
    row->count = count;
    row->place = place;
    known += finite;
  }
  return known;
}

/* Those that no other beats move to the beginning; returns how many. */
static size_t find_front(front_row *rows, size_t count)
{
  size_t kept = 0;
  qsort(rows, count, sizeof *rows, in_order);
  for (size_t i = 0; i < count; i++) {
    bool beaten = false;
    for (size_t k = 0; k < kept && !beaten; k++) beaten = beats(&rows[k], &rows[i]);
    if (!beaten) rows[kept++] = rows[i];
  }
  return kept;
}

static int by_place(const void *first, const void *second)
{
  const front_row *a = (const front_row *)first, *b = (const front_row *)second;
  return (a->place > b->place) - (a->place < b->place);
}

int pm__table_keep_front(pm_table *table, const char *by, pm_error *error)
{
  size_t count;
  front_column columns[MOST];
  int status = read_columns(table, by, columns, &count, error);
  if (status != PM_OK) return status;
  front_row *rows = (front_row *)malloc((table->rows + 1) * sizeof *rows);
  if (rows == NULL) return pm__no_memory(error);
  size_t kept = find_front(rows, read_rows(table, columns, count, rows));
  qsort(rows, kept, sizeof *rows, by_place);
  for (size_t i = 0; i < kept; i++) pm__table_swap_rows(table, i, rows[i].place);
  table->rows = kept;
  free(rows);
  return PM_OK;
}
