/* Measured beside predicted, row by row and summed up. */
#ifndef PM_LAB_VALIDATE_SUMMARY_H
#define PM_LAB_VALIDATE_SUMMARY_H

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

/* The errors of one group, in per cent. */
typedef struct pm__summary {
  char set[PM_TEXT_MAX], group[PM_TEXT_MAX];
  int32_t rows;
  double mape, median, p90, bias;
} pm__summary;

/* One for each group, in the order of their first rows; rows without an error do not count. Owned by the caller; NULL
** with an error. */
pm__summary *pm__comparisons_groups(const pm__comparisons *rows, size_t *count, pm_error *error);

/* Tables: one line for each row, or one for each group. Owned by the caller. */
pm_table *pm__comparisons_table(const pm__comparisons *rows, pm_error *error);
pm_table *pm__comparisons_summary(const pm__comparisons *rows, pm_error *error);
pm_table *pm__summary_table(const pm__summary *groups, size_t count, pm_error *error);

/* "106 rows, mean 7.8 %, median 5.6 %, 90th percentile 17.6 %" and a line end: of all that have an error. */
int pm__comparisons_say(const pm__comparisons *rows, pm__string *out, pm_error *error);

/* ---- Columns of a set's own */

#define PM__FIELD(record, kind, name, title, unit, doc) {title, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}
#define PM__TYPE(record, fields) {#record, "", sizeof(record), fields, sizeof fields / sizeof fields[0]}

/* Appends the fields of `records`, one for each row of the table; per cents among them are shown to a tenth. The table,
** or NULL, and no table, with an error. */
pm_table *pm__table_with(pm_table *table, const pm_record_type *type, const void *records, pm_error *error);

#endif
