/* Layouts that serve within limits, as reports and tables of studies have them. */
#ifndef PM_STUDY_SERVED_H
#define PM_STUDY_SERVED_H

#include "perfmodel/study.h"

/* What was assumed of the run of a row, and of the limits, in a line. What is found is not assumed. */
const char *pm__study_served_assumed(const pm_study *study, const pm_given *given, const pm_serving_goal *goal,
                                     const pm_serving_run *run, char *text, size_t size);

/* The rows of such a table as records, to be freed; NULL without memory, or if the table is another one. */
pm_serving_choice *pm__study_served_rows(const pm_table *table);

#endif
