/*
** JSON: an array with one object per row and line, keys the plain column names, numbers in SI units.
**
** The unit is that of the column, as in the CSV header, and is not part of the key, so that `jq '.[].step_time'` works.
** Unknown is null. JSON has no infinity, so unlimited is the string "inf". A choice of no or yes is false or true, any
** other choice its name.
*/
#include <math.h>
#include <string.h>
#include "report/table_data.h"

static void write_escaped(pm__string *out, const char *text)
{
  switch (*text) {
  case '"': pm__string_add(out, "\\\""); return;
  case '\\': pm__string_add(out, "\\\\"); return;
  case '\n': pm__string_add(out, "\\n"); return;
  case '\r': pm__string_add(out, "\\r"); return;
  case '\t': pm__string_add(out, "\\t"); return;
  default: break;
  }
  unsigned code = pm__utf8_code(text), above = code - 0x10000u; /* of which JSON makes two halves */
  if (code < 0x10000u) pm__string_format(out, "\\u%04x", code);
  else pm__string_format(out, "\\u%04x\\u%04x", 0xd800u + (above >> 10), 0xdc00u + (above & 0x3ffu));
}

/* Valid UTF-8 stays as it is, but for what terminals obey; a byte that is none becomes U+FFFD, so the result is always
** valid JSON. */
static void write_string(pm__string *out, const char *text)
{
  pm__string_add(out, "\"");
  while (*text != '\0') {
    size_t length = pm__utf8_length(text);
    if (length == 0) pm__string_add(out, "\xef\xbf\xbd");
    else if (pm__utf8_is_control(text) || *text == '"' || *text == '\\') write_escaped(out, text);
    else pm__string_add_bytes(out, text, length);
    text += length == 0 ? 1 : length;
  }
  pm__string_add(out, "\"");
}

static void write_cell(pm__string *out, const pm_table *table, size_t index, size_t row)
{
  const pm__column *column = &table->columns[index];
  char buffer[PM_TEXT_MAX];
  const char *text = pm_table_get_text(table, index, row, buffer);
  if (pm__column_is_yes_no(column)) pm__string_add(out, strcmp(text, "yes") == 0 ? "true" : "false");
  else if (pm__column_is_text(column)) write_string(out, text);
  else if (isnan(column->numbers[row])) pm__string_add(out, "null");
  else if (isinf(column->numbers[row])) write_string(out, text);
  else pm__string_add(out, text);
}

static void write_row(pm__string *out, const pm_table *table, size_t row)
{
  pm__string_add(out, "{");
  for (size_t column = 0; column < table->count; column++) {
    if (column > 0) pm__string_add(out, ", ");
    write_string(out, table->columns[column].column.name);
    pm__string_add(out, ": ");
    write_cell(out, table, column, row);
  }
  pm__string_add(out, "}");
}

void pm__write_json(pm__string *out, const pm_table *table)
{
  pm__string_add(out, "[");
  for (size_t row = 0; row < table->rows; row++) {
    pm__string_add(out, row > 0 ? ",\n  " : "\n  ");
    write_row(out, table, row);
  }
  pm__string_add(out, table->rows > 0 ? "\n]\n" : "]\n");
}
