/* The column of tables that lists the assumptions. */
#ifndef PM_STUDY_TABLES_H
#define PM_STUDY_TABLES_H

#include <stddef.h>
#include "perfmodel/table.h"

/* What was assumed, of one row. */
typedef const char *pm__study_format_row(const void *context, size_t row, char *text, size_t size);

/* The table with that column; freed, and NULL, with an error. */
pm_table *pm__study_with_assumed(pm_table *table, size_t count, pm__study_format_row *format, const void *context,
                                 pm_error *error);

#endif
