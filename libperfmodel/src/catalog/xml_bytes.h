/*
** Checks of a document before libxml2 parses it, whose own limits act late: it first compares all attributes of an
** element with each other, which takes minutes for a file of a few MB.
*/
#ifndef PM_CATALOG_XML_BYTES_H
#define PM_CATALOG_XML_BYTES_H

#include "base/base.h"

enum { PM__XML_DEPTH_MAX = 32 };

/* PM_OK, or an error for content that no catalogue file has: invalid UTF-8, too many attributes, elements or levels,
** too long a name. Well-formedness is left to libxml2. */
int pm__xml_check_bytes(const char *bytes, size_t size, const char *file, pm_error *error);

#endif
