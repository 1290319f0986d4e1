/* Rows of the tables in data/measured, read from the source tree. */
#ifndef MEASURED_H
#define MEASURED_H

#include <stddef.h>

enum { MEASURED_COLUMNS = 12, MEASURED_ROWS = 400, MEASURED_TEXT = 120 };

typedef struct measured_row {
  char text[MEASURED_COLUMNS][MEASURED_TEXT];
} measured_row;

typedef struct measured_file {
  measured_row head, row[MEASURED_ROWS];
  size_t count;
} measured_file;

/* Reads "memory_fits_cnn.csv"; the test fails if it cannot. Freed with free. */
measured_file *measured_read(const char *name);

/* The text of a column, or its number. The test fails if there is no such column. */
const char *measured_text(const measured_file *file, size_t row, const char *column);
double measured_number(const measured_file *file, size_t row, const char *column);

#endif
