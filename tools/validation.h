/* Between the commands that compare predictions with measurements. */
#ifndef PERFMODEL_VALIDATION_H
#define PERFMODEL_VALIDATION_H

#include "command.h"

typedef struct summary {
  char set[PM_TEXT_MAX], group[PM_TEXT_MAX];
  int32_t rows;
  double mape, median, p90, bias;
} summary;

extern const pm_record_type summary_type;

/* Fills everything but set and group from signed errors in per cent, which it makes absolute and sorts. */
void summarize(double *errors, size_t count, summary *out);

pm_table *records_to_table(const pm_record_type *type, const void *records, size_t count, pm_error *error);

/* perfmodel validate --set ... Each returns an exit code. */
int validate_collectives(const cli_request *request);
int validate_kernels(const cli_request *request, const pm_catalog *catalog);

/* ---- Comma-separated values (csv.c) ---- */

/* A table of text: cell `column` of row `row`, the header being row 0. */
typedef struct csv_table {
  char *text;
  char **cells;
  size_t rows, columns;
} csv_table;

/* Takes `text` over (released with the table). Prints what is wrong, naming `file`, and returns false. */
bool csv_read(csv_table *table, char *text, const char *file);
void csv_free(csv_table *table);

/* The column of that name, or -1. */
int csv_column(const csv_table *table, const char *name);

/* The cell, "" for column -1. */
const char *csv_cell(const csv_table *table, size_t row, int column);

/* The whole file as text, released with free; NULL with a message. */
char *read_text_file(const char *path);

#endif
