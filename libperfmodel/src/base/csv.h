/* Comma-separated values as a table of text. */
#ifndef PM_BASE_CSV_H
#define PM_BASE_CSV_H

#include "base/base.h"

/* Cell `column` of row `row` is cells[row * columns + column]; the header is row 0. */
typedef struct pm__csv {
  char *text;
  char **cells;
  size_t rows, columns;
} pm__csv;

/* Reads a copy of `text`. Errors name `file` and the row; cells may be quoted (RFC 4180). */
int pm__csv_read(pm__csv *table, const char *text, const char *file, pm_error *error);
void pm__csv_free(pm__csv *table);

/* The column of that name, or -1. */
int pm__csv_column(const pm__csv *table, const char *name);

/* The cell, "" for column -1. */
const char *pm__csv_cell(const pm__csv *table, size_t row, int column);

#endif
