/*
** Columns of power logs by their titles, whichever program wrote them: nvidia-smi (--query-gpu, dmon), dcgmi dmon,
** rocm-smi, Zeus (power over time, windows with their energy).
*/
#ifndef PM_LAB_TRACES_POWER_COLUMNS_H
#define PM_LAB_TRACES_POWER_COLUMNS_H

#include "traces/traces.h"

enum { PM__LAB_POWER_CELLS = 64, PM__LAB_POWER_CELL = 96 };

/* A line in cells, separated by commas or by blanks, without blanks around them; what is too much is cut off. */
typedef struct pm__lab_power_line {
  int count;
  char cell[PM__LAB_POWER_CELLS][PM__LAB_POWER_CELL];
} pm__lab_power_line;

/* Where the columns are, -1 if they are not. Of windows, `energy` is that of the first GPU, and others follow. */
typedef struct pm__lab_power_columns {
  const char *program; /* NULL: the line is no header of a power log */
  bool blanks;         /* cells are separated by spaces */
  int power, use, time, gpu, name, limit, energy, window, took;
  int first;           /* words of an entity before the columns, less one: "GPU 0" is one cell of dcgmi's header */
} pm__lab_power_columns;

void pm__lab_power_split(pm__lab_power_line *line, const char *text, size_t length, bool blanks);

/* The columns that a line names, if it is a header. */
pm__lab_power_columns pm__lab_power_header(const char *text, size_t length);

#endif
