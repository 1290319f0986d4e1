/*
** Constants that were fitted to rows of the source documents, and what stands in for them: a prediction of those documents
** by constants of other rows alone.
*/
#ifndef PM_VALIDATE_OTHERS_H
#define PM_VALIDATE_OTHERS_H

#include <stdbool.h>
#include "perfmodel/catalog.h"
#include "perfmodel/framework.h"

/* Whether the catalogue says that this field was fitted to rows of a source document. */
bool pm__rests_on_documents(const pm_catalog *catalog, const char *kind, const char *name, const char *field);

/* Replaces such constants by those of the generic framework, or of the library era that the framework's one refines
** ("cudnn7.0" for "cudnn7.0-cuda9.0"). What neither states costs nothing. */
int pm__without_documents(const pm_catalog *catalog, pm_framework_profile *profile, pm_error *error);

#endif
