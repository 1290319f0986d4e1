/* Comma-separated values, RFC 4180: quoted cells, doubled quotes, any line ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "validation.h"

enum { FILE_MOST = 256 << 20 };

char *read_text_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail(CODE_INPUT, "cannot read \"%.400s\": %s", path, strerror(errno));
    return NULL;
  }
  size_t size = 0, capacity = 1 << 16;
  char *text = (char *)malloc(capacity);
  while (text != NULL && size < FILE_MOST) {
    size_t got = fread(text + size, 1, capacity - size - 1, file);
    size += got;
    if (got == 0) break;
    if (size + 1 < capacity) continue;
    char *more = (char *)realloc(text, capacity *= 2);
    if (more == NULL) free(text);
    text = more;
  }
  bool good = text != NULL && !ferror(file) && size < FILE_MOST;
  fclose(file);
  if (text == NULL) {
    fail_memory();
    return NULL;
  }
  if (good && memchr(text, '\0', size) != NULL) good = false;
  if (!good) {
    free(text);
    fail(CODE_INPUT, "\"%.400s\" is no readable text", path);
    return NULL;
  }
  text[size] = '\0';
  return text;
}

/* Reads one cell at *place, in place, and moves *place to its end; false for a quote that never closes. */
static bool read_cell(char **place, char **cell)
{
  char *in = *place, *out = in;
  *cell = out;
  if (*in != '"') {
    *place = in + strcspn(in, ",\r\n");
    return true;
  }
  for (in++; *in != '\0'; in++) {
    if (*in == '"' && in[1] != '"') break;
    if (*in == '"') in++;
    *out++ = *in;
  }
  if (*in == '\0') return false;
  *place = in + 1;
  *out = '\0';
  return true;
}

static bool add_cell(csv_table *table, size_t *count, size_t *capacity, char *cell)
{
  if (*count == *capacity) {
    size_t more = *capacity > 0 ? 2 * *capacity : 1024;
    char **cells = (char **)realloc(table->cells, more * sizeof *cells);
    if (cells == NULL) return fail_memory(), false;
    table->cells = cells;
    *capacity = more;
  }
  table->cells[(*count)++] = cell;
  return true;
}

static bool end_row(csv_table *table, size_t count, size_t before, const char *file)
{
  size_t columns = count - before;
  if (table->rows == 0) table->columns = columns;
  table->rows++;
  if (columns == table->columns) return true;
  fail(CODE_INPUT, "%s:%zu: %zu cells where the header has %zu", file, table->rows, columns, table->columns);
  return false;
}

bool csv_read(csv_table *table, char *text, const char *file)
{
  size_t count = 0, capacity = 0, before = 0;
  memset(table, 0, sizeof *table);
  table->text = text;
  for (char *place = text; *place != '\0';) {
    char *cell;
    if (!read_cell(&place, &cell))
      return csv_free(table), fail(CODE_INPUT, "%s:%zu: a quoted cell has no end", file, table->rows + 1), false;
    char stop = *place;
    *place = '\0';
    if (!add_cell(table, &count, &capacity, cell)) return csv_free(table), false;
    if (stop == ',') {
      place++;
      continue;
    }
    if (stop != '\0') place++;
    if (stop == '\r' && *place == '\n') place++;
    if (!end_row(table, count, before, file)) return csv_free(table), false;
    before = count;
  }
  if (table->rows > 0) return true;
  csv_free(table);
  return fail(CODE_INPUT, "%s: the table is empty", file), false;
}

void csv_free(csv_table *table)
{
  free(table->text);
  free(table->cells);
  memset(table, 0, sizeof *table);
}

int csv_column(const csv_table *table, const char *name)
{
  for (size_t i = 0; i < table->columns; i++)
    if (strcmp(table->cells[i], name) == 0) return (int)i;
  return -1;
}

const char *csv_cell(const csv_table *table, size_t row, int column)
{
  return column >= 0 ? table->cells[row * table->columns + (size_t)column] : "";
}
