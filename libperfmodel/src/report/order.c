/* Marks of columns, and the order that follows from them. */
#include <stdlib.h>
#include <string.h>
#include "report/order.h"
#include "report/table_data.h"

void pm__table_mark_given(pm_table *table)
{
  for (size_t i = 0; i < table->count; i++) {
    pm__column *column = &table->columns[i];
    column->given = true;
    if (column->column.kind == PM_FIELD_TEXT) column->show |= PM_SHOW_MAIN; /* ids */
  }
}

void pm__table_mark_main(pm_table *table, const char *name)
{
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(table->columns[i].column.name, name) == 0) table->columns[i].show |= PM_SHOW_MAIN;
}

void pm__table_move_behind(pm_table *table, const char *name)
{
  size_t at = 0, last = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (strcmp(table->columns[i].column.name, name) == 0) at = i;
    if (table->columns[i].show & PM_SHOW_MAIN) last = i;
  }
  if (at >= last) return;
  pm__column moved = table->columns[at];
  memmove(&table->columns[at], &table->columns[at + 1], (last - at) * sizeof moved);
  table->columns[last] = moved;
}

/* Main columns before the others, of these results before what was asked; else they stay in their order. */
static int position_of(const pm__column *column)
{
  if (column->show & (PM_SHOW_MAIN | PM_SHOW_NONZERO)) return column->given ? 0 : 1;
  return column->given ? 3 : 2;
}

int pm__table_order(pm_table *table, pm_error *error)
{
  pm__column *ordered = (pm__column *)calloc(table->count + 1, sizeof *ordered);
  if (ordered == NULL) return pm__no_memory(error);
  size_t count = 0;
  for (int place = 0; place <= 3; place++)
    for (size_t i = 0; i < table->count; i++)
      if (position_of(&table->columns[i]) == place) ordered[count++] = table->columns[i];
  free(table->columns);
  table->columns = ordered;
  table->capacity = table->count + 1;
  return PM_OK;
}
