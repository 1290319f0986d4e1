/* Cells as people see them: quantities with prefixes, shares in per cent, words without controls. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "report/table_data.h"

/* "29.5 %", one digit behind the point, so that a column's points stand below each other; no help of the locale. */
static const char *format_share(char *buffer, size_t size, double share)
{
  long tenths = lrint(fabs(share) * 1000);
  if (share > 0 && tenths == 0) snprintf(buffer, size, "<0.1 %%");
  else snprintf(buffer, size, "%s%ld.%ld %%", share < 0 && tenths > 0 ? "-" : "", tenths / 10, tenths % 10);
  return buffer;
}

static const char *format_number(char *buffer, size_t size, const pm__column *column, double value)
{
  if (isnan(value)) return "-";
  bool share = (column->show & PM_SHOW_PERCENT) != 0 && fabs(value) < 1e6;
  return share ? format_share(buffer, size, value) : pm_quantity_format(buffer, size, value, column->column.unit);
}

void pm__write_cell(pm__string *out, const pm_table *table, size_t index, size_t row)
{
  const pm__column *column = &table->columns[index];
  char buffer[PM_NUMBER_MAX + 64];
  if (column->shown == NULL && !pm__column_is_text(column)) {
    pm__string_add(out, format_number(buffer, sizeof buffer, column, column->numbers[row]));
    return;
  }
  const char *text = column->shown != NULL ? column->shown[row] : pm__column_word(column, row);
  while (*text != '\0') text = pm__utf8_add_clean(out, text);
}
