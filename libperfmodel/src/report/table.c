/* Tables: columns, their storage, and reading them back. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"
#include "report/table_data.h"

pm_table *pm_table_new(size_t rows, pm_error *error)
{
  pm_table *table = (pm_table *)calloc(1, sizeof *table);
  if (table == NULL) pm__no_memory(error);
  else table->rows = rows;
  return table;
}

void pm_table_free(pm_table *table)
{
  if (table == NULL) return;
  pm__arena_free(&table->arena);
  free(table->columns);
  free(table);
}

const char *pm_table_get_notes(const pm_table *table)
{
  return table != NULL && table->notes != NULL ? table->notes : "";
}

int pm_table_set_notes(pm_table *table, const char *notes, pm_error *error)
{
  if (table == NULL || notes == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "notes need a table");
  const char *copy = pm__arena_copy(&table->arena, notes, strlen(notes));
  if (copy == NULL) return pm__no_memory(error);
  table->notes = copy;
  return PM_OK;
}

static void *alloc_cells(pm_table *table, size_t size)
{
  return table->rows <= SIZE_MAX / size ? pm__arena_alloc(&table->arena, table->rows * size) : NULL;
}

static const char *copy_text(pm_table *table, const char *text)
{
  return text == NULL ? "" : pm__arena_copy(&table->arena, text, strlen(text));
}

/* Room for one more column with its name and cells; it counts only once `table->count` is raised. NULL: no memory. */
static pm__column *new_column(pm_table *table, const pm_column *like)
{
  pm__column *columns = (pm__column *)pm__grow(table->columns, table->count, &table->capacity, sizeof *columns);
  if (columns == NULL) return NULL;
  table->columns = columns;
  pm__column *column = &columns[table->count];
  memset(column, 0, sizeof *column);
  column->column.kind = like->kind;
  column->column.name = copy_text(table, like->name);
  column->column.unit = copy_text(table, like->unit);
  column->column.doc = copy_text(table, like->doc);
  if (like->kind == PM_FIELD_TEXT) column->texts = (const char **)alloc_cells(table, sizeof *column->texts);
  else column->numbers = (double *)alloc_cells(table, sizeof *column->numbers);
  bool whole = column->column.name != NULL && column->column.unit != NULL && column->column.doc != NULL;
  return whole && (column->texts != NULL || column->numbers != NULL) ? column : NULL;
}

static bool fill_texts(pm_table *table, pm__column *column, const pm_record_type *type, const pm_field *field,
                       const char *records)
{
  for (size_t row = 0; row < table->rows; row++) {
    column->texts[row] = copy_text(table, records + row * type->size + field->offset);
    if (column->texts[row] == NULL) return false;
  }
  return true;
}

static bool add_field(pm_table *table, const pm_record_type *type, const pm_field *field, const char *records)
{
  const pm_column like = {field->name, field->unit, field->doc, field->kind};
  pm__column *column = new_column(table, &like);
  if (column == NULL) return false;
  column->choices = field->choices;
  column->otherwise = field->otherwise;
  column->show = field->show;
  column->given = (field->show & PM_SHOW_GIVEN) != 0;
  if (field->kind == PM_FIELD_TEXT && !fill_texts(table, column, type, field, records)) return false;
  for (size_t row = 0; field->kind != PM_FIELD_TEXT && row < table->rows; row++)
    column->numbers[row] = pm_record_get_number(field, records + row * type->size);
  table->count++;
  return true;
}

int pm_table_add_records(pm_table *table, const pm_record_type *type, const void *records, pm_error *error)
{
  if (table == NULL || type == NULL || (records == NULL && table->rows > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table's columns need a table, a record type and its records");
  size_t count = table->count;
  for (size_t i = 0; i < type->field_count; i++) {
    if (add_field(table, type, &type->fields[i], (const char *)records)) continue;
    table->count = count; /* all of the columns or none */
    return pm__no_memory(error);
  }
  return PM_OK;
}

int pm_table_add_text(pm_table *table, const char *name, const char *doc, const char *const *texts, pm_error *error)
{
  if (table == NULL || name == NULL || (texts == NULL && table->rows > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a text column needs a table, a name and its texts");
  const pm_column like = {name, "", doc, PM_FIELD_TEXT};
  pm__column *column = new_column(table, &like);
  if (column == NULL) return pm__no_memory(error);
  for (size_t row = 0; row < table->rows; row++)
    if ((column->texts[row] = copy_text(table, texts[row])) == NULL) return pm__no_memory(error);
  table->count++;
  return PM_OK;
}

static pm__column *find_column(pm_table *table, const char *name)
{
  for (size_t i = 0; table != NULL && name != NULL && i < table->count; i++)
    if (strcmp(table->columns[i].column.name, name) == 0) return &table->columns[i];
  return NULL;
}

void pm_table_drop(pm_table *table, const char *name)
{
  pm__column *column = find_column(table, name);
  if (column == NULL) return;
  size_t behind = table->count - 1 - (size_t)(column - table->columns);
  memmove(column, column + 1, behind * sizeof *column);
  table->count--;
}

void pm_table_set_show(pm_table *table, const char *name, int show)
{
  pm__column *column = find_column(table, name);
  if (table != NULL && name == NULL) table->show_all = true;
  if (column == NULL) return;
  column->show = show;
  column->given = (show & PM_SHOW_GIVEN) != 0;
}

/* All names, as far as there is room. */
static void list_columns(const pm_table *table, char *list, size_t size)
{
  list[0] = '\0';
  for (size_t i = 0; i < table->count; i++) {
    size_t used = strlen(list), length = strlen(table->columns[i].column.name);
    if (used + length + 8 > size) {
      snprintf(list + used, size - used, ", ...");
      return;
    }
    snprintf(list + used, size - used, "%s%s", i > 0 ? ", " : "", table->columns[i].column.name);
  }
}

static int unknown_column(const pm_table *table, const char *name, pm_error *error)
{
  char all[360];

  pm__name_nearest nearest = {.written = name, .least = (int)strlen(name) / 2 + 2};
  for (size_t i = 0; i < table->count; i++) pm__name_nearest_take(&nearest, table->columns[i].column.name);
  const char *near = nearest.name;
  list_columns(table, all, sizeof all);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "there is no column \"%.40s\"%s%s%s there are %s", name,
                  near != NULL ? "; did you mean \"" : "", near != NULL ? near : "", near != NULL ? "\"?" : ";", all);
}

int pm__table_find_column(const pm_table *table, const char *name, pm_error *error)
{
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(table->columns[i].column.name, name) == 0) return (int)i;
  unknown_column(table, name, error);
  return -1;
}

void pm__table_swap_rows(pm_table *table, size_t a, size_t b)
{
  for (size_t i = 0; i < table->count; i++) {
    pm__column *column = &table->columns[i];
    if (column->numbers != NULL) {
      double number = column->numbers[a];
      column->numbers[a] = column->numbers[b];
      column->numbers[b] = number;
    }
    const char **both[] = {column->texts, column->shown};
    for (int k = 0; k < 2; k++) {
      if (both[k] == NULL) continue;
      const char *text = both[k][a];
      both[k][a] = both[k][b];
      both[k][b] = text;
    }
  }
}

/* The column of a name, or those that "main" stands for, into `kept` (NULL: nowhere). Returns how many; 0: none. */
static size_t add_kept(pm_table *table, const char *name, pm__column *kept)
{
  const pm__column *one = find_column(table, name);
  size_t count = 0;
  bool main = one == NULL && name != NULL && strcmp(name, "main") == 0;
  for (size_t i = 0; i < table->count; i++) {
    const pm__column *column = &table->columns[i];
    if (column != one && !(main && (column->show & PM_SHOW_SWEPT) != 0)) continue;
    if (kept != NULL) kept[count] = *column;
    count++;
  }
  return count;
}

int pm_table_keep(pm_table *table, const char *const *names, size_t count, pm_error *error)
{
  if (table == NULL || (names == NULL && count > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "keeping columns needs a table and names");
  size_t room = 1, used = 0;
  for (size_t i = 0; i < count; i++) room += add_kept(table, names[i], NULL);
  pm__column *kept = (pm__column *)calloc(room, sizeof *kept);
  if (kept == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < count; i++) {
    size_t more = add_kept(table, names[i], kept + used);
    used += more;
    if (more == 0) {
      free(kept);
      return unknown_column(table, names[i] != NULL ? names[i] : "", error);
    }
  }
  free(table->columns);
  table->columns = kept;
  table->count = used;
  table->capacity = room;
  table->show_all = true;
  return PM_OK;
}

int pm_table_show_as(pm_table *table, const char *name, const char *const *shown, pm_error *error)
{
  pm__column *column = find_column(table, name);
  if (column == NULL || (shown == NULL && table->rows > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "shown texts need a column of the table");
  const char **copies = (const char **)alloc_cells(table, sizeof *copies);
  if (copies == NULL) return pm__no_memory(error);
  for (size_t row = 0; row < table->rows; row++)
    if ((copies[row] = copy_text(table, shown[row])) == NULL) return pm__no_memory(error);
  column->shown = copies;
  return PM_OK;
}

int pm_table_has_total(const pm_table *table)
{
  return table != NULL && table->has_total;
}

void pm_table_set_total(pm_table *table, pm_table_total total)
{
  if (table == NULL || table->rows == 0 || (total == PM_TABLE_TOTAL_APART && !table->has_total)) return;
  table->has_total = total == PM_TABLE_TOTAL_ROW;
  if (total != PM_TABLE_TOTAL_APART) return;
  table->has_footer = true;
  table->rows--;
}

size_t pm_table_count_rows(const pm_table *table)
{
  return table == NULL ? 0 : table->rows;
}

size_t pm__table_count_shown(const pm_table *table)
{
  return table->rows + (table->has_footer ? 1 : 0);
}

size_t pm_table_count_columns(const pm_table *table)
{
  return table == NULL ? 0 : table->count;
}

const pm_column *pm_table_get_column(const pm_table *table, size_t column)
{
  return column < pm_table_count_columns(table) ? &table->columns[column].column : NULL;
}

const double *pm_table_get_numbers(const pm_table *table, size_t column)
{
  return column < pm_table_count_columns(table) ? table->columns[column].numbers : NULL;
}

bool pm__column_is_text(const pm__column *column)
{
  return column->column.kind == PM_FIELD_TEXT || column->column.kind == PM_FIELD_CHOICE;
}

bool pm__column_has_unit(const pm__column *column)
{
  return column->column.unit[0] != '\0' && strcmp(column->column.unit, "1") != 0;
}

void pm__column_title(pm__string *out, const pm__column *column)
{
  pm__string_add(out, column->column.name);
  if (!pm__column_has_unit(column)) return;
  pm__string_add(out, " [");
  pm__string_add(out, column->column.unit);
  pm__string_add(out, "]");
}

bool pm__column_is_yes_no(const pm__column *column)
{
  const pm_choice *c = column->choices;
  return c != NULL && c[0].name != NULL && strcmp(c[0].name, "no") == 0 && c[1].name != NULL &&
         strcmp(c[1].name, "yes") == 0 && c[2].name == NULL;
}

/* Looked up by walking, so that a value beyond the list is "?" rather than a read past its end. */
const char *pm__column_word(const pm__column *column, size_t row)
{
  if (column->texts != NULL) return column->texts[row];
  for (size_t i = 0; column->choices != NULL && column->choices[i].name != NULL; i++)
    if ((double)i == column->numbers[row]) return column->choices[i].name;
  return "?";
}

const char *pm_table_get_text(const pm_table *table, size_t column, size_t row, char *buffer)
{
  if (column >= pm_table_count_columns(table) || row >= table->rows) return NULL;
  const pm__column *cells = &table->columns[column];
  if (pm__column_is_text(cells)) return pm__column_word(cells, row);
  if (isnan(cells->numbers[row])) return "";
  return buffer == NULL ? NULL : pm_number_format(buffer, cells->numbers[row]);
}
