/* The values that formulas name, with their meaning and source. */
#ifndef PM_STUDY_NAMED_H
#define PM_STUDY_NAMED_H

#include "study/report.h"

enum { PM__STUDY_SOURCE = 400 };

/* One value of a prediction's run. */
typedef struct pm__study_named {
  double number;           /* NAN: unknown, or words */
  char text[PM__REPORT_WORD + PM_TEXT_MAX]; /* as people read it */
  const char *unit, *doc;
  char source[PM__STUDY_SOURCE]; /* "given", "data sheet a100-compared", "fitted to 30 rows of ...", "explain mfu" */
} pm__study_named;

/* False: nothing has that name, as of a record that the run has not. */
bool pm__study_find_named(const pm__study_subject *subject, const char *name, pm__study_named *out);

/* The number alone, for formulas; `subject` is a pm__study_subject. */
double pm__study_named_number(const void *subject, const char *name);

/* A number of a field as people read it. */
const char *pm__study_number_text(const pm_field *field, double number, char text[PM__REPORT_WORD]);

#endif
