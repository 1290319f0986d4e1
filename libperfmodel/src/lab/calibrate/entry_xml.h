/* Entries of the catalogue as a file has them, some of their values replaced. */
#ifndef PM_LAB_CALIBRATE_ENTRY_XML_H
#define PM_LAB_CALIBRATE_ENTRY_XML_H

#include "base/base.h"
#include "catalog/entry.h"

typedef struct pm__new_value {
  char text[PM_TEXT_MAX], note[400];
} pm__new_value;

/* Fills the value that a field gets instead of its own, if it gets one. */
typedef bool pm__replaced(const void *user, const pm__entry *entry, const pm_field *field, pm__new_value *value);

/* A value in the unit that people write: us, pJ/FLOP. */
void pm__value_write(pm__new_value *value, double number, const char *unit);

/* "<framework ...> ... </framework>" after an empty line. */
void pm__entry_write(pm__string *out, const pm__entry *entry, pm__replaced *replaced, const void *user);

#endif
