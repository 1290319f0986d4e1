/* Measured beside predicted, row by row and summed up. */
#ifndef PM_LAB_VALIDATION_COMPARISON_H
#define PM_LAB_VALIDATION_COMPARISON_H

#include "perfmodel-lab.h"
#include "base/base.h"
#include "base/csv.h"
#include "base/index.h"

typedef struct pm__lab_comparison {
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX];
  double measured, predicted; /* in `unit`; predicted is NAN if it cannot be */
  char unit[PM_TEXT_MAX];
  double error; /* of the prediction, in per cent of what was measured */
  char set[PM_TEXT_MAX];
} pm__lab_comparison;

typedef struct pm__lab_comparisons {
  pm__lab_comparison *items;
  size_t count, capacity;
} pm__lab_comparisons;

/* One more, all unknown; NULL with an error. */
pm__lab_comparison *pm__lab_comparisons_add(pm__lab_comparisons *rows, pm_error *error);

/* Sets the prediction and its error. */
void pm__lab_comparison_set(pm__lab_comparison *row, double predicted);

/* The errors of one group, in per cent. */
typedef struct pm__lab_summary {
  char set[PM_TEXT_MAX], group[PM_TEXT_MAX];
  int32_t rows;
  double mape, median, p90, bias;
} pm__lab_summary;

/* One for each group, in the order of their first rows; rows without an error do not count. Owned by the caller; NULL
** with an error. */
pm__lab_summary *pm__lab_comparisons_groups(const pm__lab_comparisons *rows, size_t *count, pm_error *error);

/* Tables: one line for each row, or one for each group. Owned by the caller. */
pm_table *pm__lab_comparisons_table(const pm__lab_comparisons *rows, pm_error *error);
pm_table *pm__lab_comparisons_summary(const pm__lab_comparisons *rows, pm_error *error);
pm_table *pm__lab_summary_table(const pm__lab_summary *groups, size_t count, pm_error *error);

/* "106 rows, mean 7.8 %, median 5.6 %, 90th percentile 17.6 %" and a line end: of all that have an error. */
int pm__lab_comparisons_say(const pm__lab_comparisons *rows, pm__string *out, pm_error *error);

/* ---- Columns of a set's own */

#define PM__FIELD_SHOWN(record, what, name, title, unit, doc, main) \
  {title, unit, doc, offsetof(record, name), .kind = PM_FIELD_##what, .show = main}
#define PM__FIELD(record, what, name, title, unit, doc) PM__FIELD_SHOWN(record, what, name, title, unit, doc, 0)
#define PM__FIELD_MAIN(record, what, name, title, unit, doc) \
  PM__FIELD_SHOWN(record, what, name, title, unit, doc, PM_SHOW_MAIN)
#define PM__TYPE(record, fields) {#record, "", sizeof(record), fields, sizeof fields / sizeof fields[0]}

/* The words of a pm_calibration_status, for such columns. */
extern const pm_choice pm__lab_calibration_choices[];

/* Appends the fields of `records`, one for each row of the table; per cents among them are shown to a tenth. The table,
** or NULL, and no table, with an error. */
pm_table *pm__lab_table_with(pm_table *table, const pm_record_type *type, const void *records, pm_error *error);

/* Why rows have no prediction: reasons and how often each, for one clear summary. */

typedef struct pm__lab_reason {
  char *text;
  size_t count;
} pm__lab_reason;

typedef struct pm__lab_reasons {
  pm__lab_reason *items;
  size_t count, capacity;
  pm__text_index texts;
} pm__lab_reasons;

int pm__lab_reasons_add(pm__lab_reasons *reasons, const char *reason, pm_error *error);

/* Appends "N rows: reason" lines, the most frequent first, the last ones together if there are many. */
void pm__lab_reasons_write(pm__lab_reasons *reasons, pm__string *out);
void pm__lab_reasons_free(pm__lab_reasons *reasons);

/* The sets of measurements, each in a file of its own. */

/* What a set is given, and what it has to say besides its table. */
typedef struct pm__lab_context {
  const pm_catalog *catalog;
  const pm__csv *table;
  const char *file; /* how messages call the table */
  const char *set;  /* what the rows are said to belong to */
  int rows;
  pm__string notes;
  const char *only; /* what its rows are of; or NULL */
} pm__lab_context;

/* The table of rows or groups of a set; NULL with an error. */
typedef pm_table *pm__lab_set(pm__lab_context *context, pm_error *error);

pm__lab_set pm__lab_validate_statements, pm__lab_validate_training, pm__lab_validate_inference,
        pm__lab_validate_large_models, pm__lab_validate_plans, pm__lab_validate_memory,
        pm__lab_validate_kernels, pm__lab_validate_operators, pm__lab_validate_collectives, pm__lab_validate_serving,
        pm__lab_validate_energy;

/* PM_OK, or which of the columns is missing. */
int pm__lab_check_columns(const pm__lab_context *context, const char *const *titles, size_t count, pm_error *error);

/* Adds to the notes how many rows have no prediction, and why. */
void pm__lab_note_unpredicted(pm__lab_context *context, pm__lab_reasons *reasons);

/* The table that the context asks for. The rows are done with. */
pm_table *pm__lab_result_table(const pm__lab_context *context, const pm__lab_comparisons *rows, pm_error *error);

#endif
