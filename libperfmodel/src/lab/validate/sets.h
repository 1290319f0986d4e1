/* The sets of measurements, each in a file of its own. */
#ifndef PM_LAB_VALIDATE_SETS_H
#define PM_LAB_VALIDATE_SETS_H

#include "perfmodel/validate.h"
#include "base/csv.h"
#include "lab/validate/summary.h"
#include "lab/validate/tally.h"

/* What a set is given, and what it has to say besides its table. */
typedef struct pm__task {
  const pm_catalog *catalog;
  const pm__csv *table;
  const char *file; /* how messages call the table */
  const char *set;  /* what the rows are said to belong to */
  int rows;
  pm__string notes;
} pm__task;

/* The table of rows or groups of a set; NULL with an error. */
typedef pm_table *pm__set(pm__task *task, pm_error *error);

pm__set pm__validate_seeds, pm__validate_training, pm__validate_inference, pm__validate_kernels,
        pm__validate_collectives;

/* PM_OK, or which of the columns is missing. */
int pm__task_columns(const pm__task *task, const char *const *titles, size_t count, pm_error *error);

/* Adds to the notes how many rows have no prediction, and why. */
void pm__task_unpredicted(pm__task *task, pm__tally *reasons);

/* The table that the task asks for. The rows are done with. */
pm_table *pm__task_table(const pm__task *task, const pm__comparisons *rows, pm_error *error);

#endif
