/* The catalogue's rules for reading published tables. */
#ifndef PM_LAB_VALIDATE_READING_H
#define PM_LAB_VALIDATE_READING_H

#include "lab/validate/row.h"

enum { PM__VALUE_LONGEST = 200 };

typedef struct pm__readings {
  pm_reading *items;
  size_t count;
} pm__readings;

int pm__readings_new(pm__readings *readings, const pm_catalog *catalog, pm_error *error);
void pm__readings_free(pm__readings *readings);

/* What the first rule that holds for the row decides for, its columns put in; NULL if no rule holds. `value` has room for
** PM__VALUE_LONGEST bytes. */
const char *pm__readings_decide(const pm__readings *readings, pm_decision decision, const pm__row *row, char *value);

/* The same for a number: a formula over the columns of the row. NAN if no rule holds. */
double pm__readings_number(const pm__readings *readings, pm_decision decision, const pm__row *row, pm_error *error);

/* Sets row->date: by a rule, by the tag of a container ("NGC 20.06"), or by the source's own date. */
void pm__readings_date(const pm__readings *readings, pm__row *row);

#endif
