/* Any text as a table: an error, or cells that come back when they are written again, each in quotes. */
#include "base/csv.h"
#include "fuzz.h"

static char *write_cell(char *out, const char *cell)
{
  *out++ = '"';
  for (; *cell != '\0'; *out++ = *cell++)
    if (*cell == '"') *out++ = '"';
  *out++ = '"';
  return out;
}

/* A cell takes at most twice its letters, two quotes and a comma. */
static char *write_table(const pm__csv *table, size_t size)
{
  size_t count = table->rows * table->columns;
  char *text = (char *)malloc(2 * size + 3 * count + 1), *out = text;
  must(text != NULL);
  for (size_t i = 0; i < count; i++) {
    out = write_cell(out, table->cells[i]);
    *out++ = (i + 1) % table->columns == 0 ? '\n' : ',';
  }
  *out = '\0';
  return text;
}

static void must_be_equal(const pm__csv *a, const pm__csv *b)
{
  must(a->rows == b->rows && a->columns == b->columns);
  for (size_t i = 0; i < a->rows * a->columns; i++) must(strcmp(a->cells[i], b->cells[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = text_of(bytes, size);
  pm__csv table, again;
  pm_error error = PM_ERROR_NONE;
  bool worked = pm__csv_read(&table, text, "fuzz.csv", &error) == PM_OK;
  must_be_said(worked, &error);
  free(text);
  if (!worked) return 0;
  text = write_table(&table, size);
  must(pm__csv_read(&again, text, "again.csv", &error) == PM_OK);
  must_be_equal(&table, &again);
  pm__csv_free(&again);
  pm__csv_free(&table);
  free(text);
  return 0;
}
