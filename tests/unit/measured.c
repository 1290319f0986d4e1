/* Reads CSV: commas, quotes around fields that hold commas. */
#include "measured.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"

static void split(const char *line, measured_row *row)
{
  int column = 0, quoted = 0;
  size_t length = 0;
  memset(row, 0, sizeof *row);
  for (; *line != '\0' && *line != '\n' && *line != '\r'; line++) {
    if (*line == '"') quoted = !quoted;
    else if (*line == ',' && !quoted) {
      column++;
      length = 0;
      ck_assert_int_lt(column, MEASURED_COLUMNS);
    } else {
      ck_assert_uint_lt(length, MEASURED_TEXT - 1);
      row->text[column][length++] = *line;
    }
  }
}

measured_file *measured_read(const char *name)
{
  char path[512], line[2048];
  snprintf(path, sizeof path, "%s/data/measured/%s", PM_SOURCE_DIR, name);
  FILE *stream = fopen(path, "r");
  ck_assert_msg(stream != NULL, "%s cannot be opened", path);
  measured_file *file = (measured_file *)calloc(1, sizeof *file);
  ck_assert_ptr_nonnull(file);
  ck_assert_ptr_nonnull(fgets(line, sizeof line, stream));
  split(line, &file->head);
  while (fgets(line, sizeof line, stream) != NULL) {
    ck_assert_uint_lt(file->count, MEASURED_ROWS);
    split(line, &file->row[file->count++]);
  }
  fclose(stream);
  return file;
}

const char *measured_text(const measured_file *file, size_t row, const char *column)
{
  for (int i = 0; i < MEASURED_COLUMNS; i++)
    if (strcmp(file->head.text[i], column) == 0) return file->row[row].text[i];
  ck_abort_msg("there is no column %s", column);
  return NULL;
}

double measured_number(const measured_file *file, size_t row, const char *column)
{
  double value = NAN;
  const char *text = measured_text(file, row, column);
  ck_assert_msg(pm_number_parse(text, &value) == PM_OK, "%s \"%s\" is not a number", column, text);
  return value;
}
