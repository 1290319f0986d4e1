/* Which columns people see, and what is said once, above them, because it is the same in all rows. */
#include <math.h>
#include <string.h>
#include "report/table_data.h"

static bool has_flag(const pm__column *column, int flag)
{
  return (column->show & flag) != 0;
}

static bool equal_cells(const pm__column *column, size_t a, size_t b)
{
  if (column->texts != NULL) return strcmp(column->texts[a], column->texts[b]) == 0;
  double x = column->numbers[a], y = column->numbers[b];
  return x == y || (isnan(x) && isnan(y));
}

static bool is_constant(const pm_table *table, const pm__column *column)
{
  for (size_t row = 1; row < table->rows; row++)
    if (!equal_cells(column, 0, row)) return false;
  return true;
}

/* Whether the first row has what is there where it is not given. */
static bool is_default(const pm_table *table, size_t index)
{
  char buffer[PM_TEXT_MAX];
  const pm__column *column = &table->columns[index];
  if (column->otherwise != NULL) return strcmp(pm_table_get_text(table, index, 0, buffer), column->otherwise) == 0;
  if (column->texts != NULL) return column->texts[0][0] == '\0';
  return isnan(column->numbers[0]) || column->numbers[0] == 0;
}

/* What was asked is worth a word if it is a main column, or somebody gave it. */
static bool is_asked(const pm_table *table, size_t index)
{
  const pm__column *column = &table->columns[index];
  return column->given && table->rows > 0 &&
         (has_flag(column, PM_SHOW_MAIN) || !is_constant(table, column) || !is_default(table, index));
}

/* On a line of its own above the rows. */
static bool is_line(const pm_table *table, size_t index)
{
  const pm__column *column = &table->columns[index];
  return has_flag(column, PM_SHOW_LINE) && table->rows > 0 && is_constant(table, column);
}

/* Said above the rows instead of in each of them. */
static bool is_heading(const pm_table *table, size_t index)
{
  return table->rows > 1 && !is_line(table, index) && is_asked(table, index) &&
         is_constant(table, &table->columns[index]);
}

/* Whether no row knows it. */
static bool is_unknown(const pm_table *table, const pm__column *column)
{
  for (size_t row = 0; row < table->rows; row++) {
    bool known = column->texts != NULL ? column->texts[row][0] != '\0' : !isnan(column->numbers[row]);
    if (known) return false;
  }
  return table->rows > 0;
}

static bool is_zero(const pm_table *table, const pm__column *column)
{
  for (size_t row = 0; row < table->rows; row++)
    if (column->numbers == NULL || column->numbers[row] != 0) return false;
  return true;
}

static bool is_result(const pm_table *table, size_t index)
{
  const pm__column *column = &table->columns[index];
  if (column->given) return false;
  if (has_flag(column, PM_SHOW_NONZERO)) return !is_zero(table, column);
  return has_flag(column, PM_SHOW_MAIN) && !is_unknown(table, column);
}

static bool shows_all(const pm_table *table)
{
  for (size_t i = 0; i < table->count && !table->show_all; i++)
    if (has_flag(&table->columns[i], PM_SHOW_MAIN)) return false;
  return true;
}

size_t pm__table_find_shown(const pm_table *table, size_t *columns)
{
  size_t count = 0;
  bool all = shows_all(table);
  for (size_t i = 0; i < table->count; i++)
    if (all || (is_asked(table, i) && !is_heading(table, i) && !is_line(table, i))) columns[count++] = i;
  for (size_t i = 0; i < table->count; i++)
    if (!all && is_result(table, i)) columns[count++] = i;
  return count;
}

void pm__write_lines(pm__string *out, const pm_table *table, const char *end)
{
  for (size_t i = 0; i < table->count && !shows_all(table); i++) {
    if (!is_line(table, i) || table->columns[i].texts[0][0] == '\0') continue;
    pm__string_format(out, "%s: ", table->columns[i].column.name);
    pm__write_cell(out, table, i, 0);
    pm__string_add(out, end);
  }
}

void pm__write_heading(pm__string *out, const pm_table *table)
{
  const char *between = "";
  if (shows_all(table)) return;
  for (size_t i = 0; i < table->count; i++) {
    if (!is_heading(table, i)) continue;
    pm__string_add(out, between);
    pm__string_add(out, table->columns[i].column.name);
    pm__string_add(out, " ");
    pm__write_cell(out, table, i, 0);
    between = ", ";
  }
}
