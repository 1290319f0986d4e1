/* Reads the tables in data/measured for tests. */
#include "measured.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"

measured_file *measured_read(const char *name)
{
  char path[512];
  pm_error error = PM_ERROR_NONE;
  snprintf(path, sizeof path, "%s/data/measured/%s", PM_SOURCE_DIR, name);
  char *text = pm_file_read(path, &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  measured_file *file = (measured_file *)calloc(1, sizeof *file);
  ck_assert_ptr_nonnull(file);
  ck_assert_msg(pm__csv_read(&file->table, text, name, &error) == PM_OK, "%s", error.text);
  pm_string_free(text);
  file->count = file->table.rows - 1;
  return file;
}

void measured_free(measured_file *file)
{
  pm__csv_free(&file->table);
  free(file);
}

const char *measured_text(const measured_file *file, size_t row, const char *column)
{
  int index = pm__csv_column(&file->table, column);
  ck_assert_msg(index >= 0, "there is no column %s", column);
  return pm__csv_cell(&file->table, row + 1, index);
}

double measured_number(const measured_file *file, size_t row, const char *column)
{
  double value = NAN;
  const char *text = measured_text(file, row, column);
  ck_assert_msg(pm_number_parse(text, &value) == PM_OK, "%s \"%s\" is not a number", column, text);
  return value;
}

size_t measured_find(const measured_file *file, const char *column, const char *text)
{
  for (size_t i = 0; i < file->count; i++)
    if (strcmp(measured_text(file, i, column), text) == 0) return i;
  ck_abort_msg("no row has %s \"%s\"", column, text);
}
