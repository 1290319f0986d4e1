/* Measured beside predicted, row by row and summed up. */
#ifndef PM_VALIDATE_SUMMARY_H
#define PM_VALIDATE_SUMMARY_H

#include "perfmodel/table.h"
#include "base/base.h"

typedef struct pm__comparison {
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX];
  double measured, predicted; /* in `unit`; predicted is NAN if it cannot be */
  char unit[PM_TEXT_MAX];
  double error; /* of the prediction, in per cent of what was measured */
  char set[PM_TEXT_MAX];
} pm__comparison;

typedef struct pm__comparisons {
  pm__comparison *items;
  size_t count, capacity;
} pm__comparisons;

/* One more, all unknown; NULL with an error. */
pm__comparison *pm__comparisons_add(pm__comparisons *rows, pm_error *error);

/* Sets the prediction and its error. */
void pm__comparison_set(pm__comparison *row, double predicted);

/* Tables: one line for each row, or one for each group, in the order of their first rows. Rows without an error count in
** no summary, and in no table of rows. Owned by the caller. */
pm_table *pm__comparisons_table(const pm__comparisons *rows, pm_error *error);
pm_table *pm__comparisons_summary(const pm__comparisons *rows, pm_error *error);

/* "106 rows, mean 7.8 %, median 5.6 %, 90th percentile 17.6 %" and a line end: of all that have an error. */
int pm__comparisons_say(const pm__comparisons *rows, pm__string *out, pm_error *error);

#endif
