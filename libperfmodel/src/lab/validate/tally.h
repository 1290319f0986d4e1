/* Why rows have no prediction: reasons and how often each, for one clear summary. */
#ifndef PM_LAB_VALIDATE_TALLY_H
#define PM_LAB_VALIDATE_TALLY_H

#include "base/base.h"

typedef struct pm__reason {
  char *text;
  size_t count;
} pm__reason;

typedef struct pm__tally {
  pm__reason *items;
  size_t count, capacity;
} pm__tally;

int pm__tally_add(pm__tally *tally, const char *reason, pm_error *error);

/* Appends "N rows: reason" lines, the most frequent first, the last ones together if there are many. */
void pm__tally_write(pm__tally *tally, pm__string *out);
void pm__tally_free(pm__tally *tally);

#endif
