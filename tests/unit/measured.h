/* Rows of the tables in data/measured, read from the source tree. */
#ifndef MEASURED_H
#define MEASURED_H

#include "base/csv.h"

typedef struct measured_file {
  pm__csv table;
  size_t count; /* of rows, the header not counted */
} measured_file;

/* Reads "memory_fits_cnn.csv"; the test fails if it cannot. */
measured_file *measured_read(const char *name);
void measured_free(measured_file *file);

/* The text of a column, or its number. The test fails if there is no such column. */
const char *measured_text(const measured_file *file, size_t row, const char *column);
double measured_number(const measured_file *file, size_t row, const char *column);

/* The row that has this text in that column; the test fails if there is none. */
size_t measured_find(const measured_file *file, const char *column, const char *text);

#endif
