/*
** Settings: rows of the same network, GPU, GPUs, batch, precision and software. Tables repeat them - the same run on
** twenty hosts - so that errors are of settings, by the median of what was measured, and rows are only counted.
*/
#ifndef PM_LAB_VALIDATION_SETTINGS_H
#define PM_LAB_VALIDATION_SETTINGS_H

#include "validation/comparison.h"

typedef struct pm__lab_setting_row {
  char key[PM_TEXT_MAX * 4]; /* equal for rows of the same setting */
  double low, high;          /* of the 80 % interval, in the unit of the row; NAN: unknown */
  char plans[PM_TEXT_MAX * 2]; /* equal for plans that a search chooses among, "dense ..." or "moe ..."; "": none */
  char plan[PM_TEXT_MAX];    /* which of them it is */
  bool time;                 /* what was measured is a time, not a rate */
} pm__lab_setting_row;

/* One line for each group, by settings: errors, how many rows they stand for, and how many of them the interval holds.
** A line of all groups goes to the notes. Groups of plans follow, with what choosing among them by prediction costs
** (regret.h). NULL with an error. */
pm_table *pm__lab_settings_summary(const pm__lab_comparisons *rows, const pm__lab_setting_row *settings,
                                   pm__string *notes, pm_error *error);

#endif
