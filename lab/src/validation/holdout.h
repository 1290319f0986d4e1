/*
** Constants that were fitted to rows of the source documents, and what stands in for them: a prediction of those
** documents by constants of other rows alone.
*/
#ifndef PM_LAB_VALIDATION_HOLDOUT_H
#define PM_LAB_VALIDATION_HOLDOUT_H

#include <stdbool.h>
#include "perfmodel.h"

/* Which constants are left out: "" those of all documents, else those of the document of that name; NULL none. */
typedef const char *pm__lab_holdout;

/* Whether the catalogue says that this field was fitted to rows of a source document that is left out. */
bool pm__lab_rests_on_holdout(const pm_catalog *catalog, pm__lab_holdout out, const char *kind, const char *name,
                              const char *field);

/* Replaces such constants by those of the generic framework. What it does not state costs nothing. */
int pm__lab_without_holdout(const pm_catalog *catalog, pm__lab_holdout out, pm_framework_profile *profile,
                            pm_error *error);

#endif
