/* A table as one string, in any of the formats. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/table_data.h"

int pm_format_find(const char *name)
{
  static const char *const names[] = {"table", "csv", "json"}; /* in the order of pm_format */
  for (int i = 0; name != NULL && i < 3; i++)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

char *pm_table_format(const pm_table *table, pm_format format, int width, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (table == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no table to format");
    return NULL;
  }
  pm__string_add(&out, ""); /* an empty table is an empty text, not NULL */
  switch (format) {
  case PM_FORMAT_CSV: pm__write_csv(&out, table); break;
  case PM_FORMAT_JSON: pm__write_json(&out, table); break;
  case PM_FORMAT_TABLE: pm__write_text(&out, table, width, SIZE_MAX, 0); break;
  default: pm__fail(error, PM_STATUS_BAD_ARGUMENT, "format %d is unknown", (int)format); break;
  }
  if (out.failed) pm__no_memory(error);
  if (!out.failed && format >= PM_FORMAT_TABLE && format <= PM_FORMAT_JSON) return out.text;
  free(out.text);
  return NULL;
}

char *pm_table_format_rows(const pm_table *table, pm_rendering rendering, int width, size_t most, size_t absent,
                           pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (table == NULL || most < 2 || rendering >= PM_RENDERING_SUMMARY) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "at least 2 rows of a table are formatted, as text, HTML or Markdown");
    return NULL;
  }
  pm__string_add(&out, "");
  if (rendering == PM_RENDERING_TEXT) pm__write_text(&out, table, width, most, absent);
  else pm__write_markup(&out, table, rendering, most, absent);
  if (!out.failed) return out.text;
  pm__no_memory(error);
  free(out.text);
  return NULL;
}
