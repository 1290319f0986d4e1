/*
** Constants that were fitted to rows of the source documents, and what stands in for them: a prediction of those documents
** by constants of other rows alone.
*/
#ifndef PM_LAB_VALIDATE_OTHERS_H
#define PM_LAB_VALIDATE_OTHERS_H

#include <stdbool.h>
#include "perfmodel/catalog.h"
#include "perfmodel/framework.h"

/* Which constants are left out: "" those of all documents, else those of the document of that name; NULL none. */
typedef const char *pm__left_out;

/* Whether the catalogue says that this field was fitted to rows of a source document that is left out. */
bool pm__rests_on_documents(const pm_catalog *catalog, pm__left_out out, const char *kind, const char *name,
                            const char *field);

/* Replaces such constants by those of the generic framework. What it does not state costs nothing. */
int pm__without_documents(const pm_catalog *catalog, pm__left_out out, pm_framework_profile *profile, pm_error *error);

#endif
