/* Comma-separated values, RFC 4180: quoted cells, doubled quotes, any line ends. */
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"

typedef struct reader {
  pm__csv *table;
  size_t count, capacity; /* of the cells */
  const char *file;
  pm_error *error;
} reader;

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

static int add_cell(reader *in, char *cell)
{
  char **cells = (char **)pm__grow(in->table->cells, in->count, &in->capacity, sizeof *cells);
  if (cells == NULL) return pm__no_memory(in->error);
  in->table->cells = cells;
  cells[in->count++] = cell;
  return PM_OK;
}

static int end_row(reader *in, size_t before)
{
  pm__csv *table = in->table;
  size_t columns = in->count - before;
  if (table->rows == 0) table->columns = columns;
  table->rows++;
  if (columns == table->columns) return PM_OK;
  return pm__fail_at(in->error, PM_STATUS_BAD_SYNTAX, in->file, (int)table->rows, "%zu cells where the header has %zu",
                     columns, table->columns);
}

static int read_rows(reader *in)
{
  int status = PM_OK;
  size_t before = 0;
  for (char *place = in->table->text; *place != '\0' && status == PM_OK;) {
    char *cell;
    if (!read_cell(&place, &cell))
      return pm__fail_at(in->error, PM_STATUS_BAD_SYNTAX, in->file, (int)in->table->rows + 1,
                         "a quoted cell is not closed");
    char stop = *place;
    if (stop != '\0' && strchr(",\r\n", stop) == NULL)
      return pm__fail_at(in->error, PM_STATUS_BAD_SYNTAX, in->file, (int)in->table->rows + 1,
                         "text after the end of a quoted cell");
    *place = '\0';
    status = add_cell(in, cell);
    if (stop != '\0') place++;
    if (stop == ',' && *place != '\0') continue;
    if (stop == ',' && status == PM_OK) status = add_cell(in, place);
    if (stop == '\r' && *place == '\n') place++;
    if (status == PM_OK) status = end_row(in, before);
    before = in->count;
  }
  return status;
}

int pm__csv_read(pm__csv *table, const char *text, const char *file, pm_error *error)
{
  reader in = {table, 0, 0, file, error};
  memset(table, 0, sizeof *table);
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* the mark that some spreadsheets begin with */
  table->text = pm__text_copy(text);
  if (table->text == NULL) return pm__no_memory(error);
  int status = read_rows(&in);
  if (status == PM_OK && table->rows == 0) status = pm__fail(error, PM_STATUS_BAD_FILE, "%s: the table is empty", file);
  if (status != PM_OK) pm__csv_free(table);
  return status;
}

void pm__csv_free(pm__csv *table)
{
  free(table->text);
  free(table->cells);
  memset(table, 0, sizeof *table);
}

int pm__csv_column(const pm__csv *table, const char *name)
{
  for (size_t i = 0; i < table->columns; i++)
    if (strcmp(table->cells[i], name) == 0) return (int)i;
  return -1;
}

const char *pm__csv_cell(const pm__csv *table, size_t row, int column)
{
  return column >= 0 ? table->cells[row * table->columns + (size_t)column] : "";
}
