/* Rows of a table by conditions on their cells, their order, the first of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"
#include "report/table_data.h"

enum { NAME = 80 };

/* ---- Conditions ---- */

typedef enum comparison { LESS, LESS_EQUAL, MORE, MORE_EQUAL, EQUAL, OTHER } comparison;

static const struct {
  const char *text;
  comparison how;
} operators[] = {{"<=", LESS_EQUAL}, {">=", MORE_EQUAL}, {"!=", OTHER}, {"==", EQUAL}, {"<", LESS}, {">", MORE},
                 {"=", EQUAL}};

enum { OPERATORS = sizeof operators / sizeof operators[0] };

typedef struct condition {
  const pm__column *column;
  comparison how;
  const char *word; /* of words */
  double number;
} condition;

static const char *skip_blanks(const char *text)
{
  return text + strspn(text, " ");
}

/* The operator at the beginning of a text; OPERATORS: none. */
static size_t operator_at(const char *text)
{
  size_t i = 0;
  while (i < OPERATORS && strncmp(text, operators[i].text, strlen(operators[i].text)) != 0) i++;
  return i;
}

static int read_value(condition *c, const char *text, const char *value, pm_error *error)
{
  c->word = value;
  if (c->column->numbers == NULL || c->column->choices != NULL)
    return c->how == EQUAL || c->how == OTHER
             ? PM_OK : pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\": text can only be compared with = and !=", text);
  if (!pm__column_has_unit(c->column) && pm_number_parse(value, &c->number) == PM_OK) return PM_OK;
  pm_error own = PM_ERROR_NONE;
  int status = pm_quantity_parse(value, c->column->column.unit, &c->number, &own);
  return status == PM_OK ? PM_OK : pm__fail(error, status, "\"%.80s\": %.200s", text, own.text);
}

static int read_condition(const pm_table *table, const char *text, condition *c, pm_error *error)
{
  char name[NAME];
  size_t length = strcspn(text, " <>=!"), found = operator_at(skip_blanks(text + length));
  if (length == 0 || length >= sizeof name || found == OPERATORS)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\" is not a condition; write one like memory>=80GB", text);
  memcpy(name, text, length);
  name[length] = '\0';
  int place = pm__table_find_column(table, name, error);
  if (place < 0) return PM_STATUS_NOT_FOUND;
  c->column = &table->columns[place];
  c->how = operators[found].how;
  return read_value(c, text, skip_blanks(skip_blanks(text + length) + strlen(operators[found].text)), error);
}

static bool meets(const condition *c, size_t row)
{
  if (c->column->numbers == NULL || c->column->choices != NULL)
    return (strcmp(pm__column_word(c->column, row), c->word) == 0) == (c->how == EQUAL);
  double x = c->column->numbers[row], y = c->number;
  switch (c->how) {
  case LESS: return x < y;
  case LESS_EQUAL: return x <= y;
  case MORE: return x > y;
  case MORE_EQUAL: return x >= y;
  case EQUAL: return x == y;
  default: return !isnan(x) && x != y;
  }
}

/* ---- Rows ---- */

static int filter(pm_table *table, const char *const *conditions, size_t count, pm_error *error)
{
  condition *all = (condition *)calloc(count + 1, sizeof *all);
  int status = all != NULL ? PM_OK : pm__no_memory(error);
  size_t kept = 0;
  for (size_t i = 0; i < count && status == PM_OK; i++) status = read_condition(table, conditions[i], &all[i], error);
  for (size_t row = 0; row < table->rows && status == PM_OK; row++) {
    bool meets_all = true;
    for (size_t i = 0; i < count && meets_all; i++) meets_all = meets(&all[i], row);
    if (meets_all) pm__table_swap_rows(table, kept++, row);
  }
  if (status == PM_OK) table->rows = kept;
  free(all);
  return status;
}

/* ---- Order ---- */

static bool comes_after(const pm__column *column, bool down, size_t a, size_t b)
{
  if (column->numbers == NULL || column->choices != NULL) {
    int order = strcmp(pm__column_word(column, a), pm__column_word(column, b));
    return down ? order < 0 : order > 0;
  }
  double x = column->numbers[a], y = column->numbers[b];
  if (isnan(x) || isnan(y)) return isnan(x) && !isnan(y);
  return down ? x < y : x > y;
}

/* The places of sorted rows, those that are equal in their order. */
static void merge_sort(const pm__column *column, bool down, size_t *place, size_t *room, size_t count)
{
  size_t half = count / 2, a = 0, b = half;
  if (count < 2) return;
  merge_sort(column, down, place, room, half);
  merge_sort(column, down, place + half, room, count - half);
  for (size_t i = 0; i < count; i++) {
    bool second = a == half || (b < count && comes_after(column, down, place[a], place[b]));
    room[i] = second ? place[b++] : place[a++];
  }
  memcpy(place, room, count * sizeof *place);
}

/* Rows go to their places, cycle by cycle. */
static void arrange(pm_table *table, size_t *place, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t from = place[i];
    while (from < i) from = place[from]; /* where an earlier swap has put it */
    if (from != i) pm__table_swap_rows(table, i, from);
  }
}

static int sort_rows(pm_table *table, const char *sort, pm_error *error)
{
  bool down = sort[0] == '-';
  int found = pm__table_find_column(table, sort + down, error);
  size_t count = table->rows - (table->has_total ? 1 : 0);
  if (found < 0) return PM_STATUS_NOT_FOUND;
  if (table->rows == 0) return PM_OK;
  size_t *place = (size_t *)calloc(2 * count + 1, sizeof *place);
  if (place == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < count; i++) place[i] = i;
  merge_sort(&table->columns[found], down, place, place + count, count);
  arrange(table, place, count);
  free(place);
  return PM_OK;
}

/* ---- The first ---- */

/* By a column that they are sorted by, those that are known. */
static int keep_first(pm_table *table, const char *sort, size_t most, pm_error *error)
{
  const double *values = NULL;
  size_t kept = 0;
  if (sort != NULL) {
    const char *name = sort + (sort[0] == '-');
    const pm__column *column = &table->columns[pm__table_find_column(table, name, NULL)];
    if (column->numbers == NULL)
      return pm__fail(error, PM_STATUS_BAD_VALUE, "%.60s is text; sorting needs numbers", name);
    values = column->numbers;
  }
  for (size_t row = 0; row < table->rows && kept < most; row++)
    if (values == NULL || isfinite(values[row])) pm__table_swap_rows(table, kept++, row);
  table->rows = kept;
  return PM_OK;
}

int pm_table_keep_rows(pm_table *table, const pm_table_rows *rows, pm_error *error)
{
  if (table == NULL || rows == NULL || (rows->conditions == NULL && rows->count > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a selection needs a table and conditions");
  bool fewer = rows->count > 0 || rows->front != NULL || rows->top > 0;
  if (fewer && (table->has_total || table->has_footer))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "rows of a table with a total cannot be left out");
  int status = rows->count > 0 ? filter(table, rows->conditions, rows->count, error) : PM_OK;
  if (status == PM_OK && rows->front != NULL) status = pm__table_keep_front(table, rows->front, error);
  if (status == PM_OK && rows->sort != NULL) status = sort_rows(table, rows->sort, error);
  return status == PM_OK && rows->top > 0 ? keep_first(table, rows->sort, rows->top, error) : status;
}
