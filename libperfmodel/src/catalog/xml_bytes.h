/*
** What is refused of a document before libxml2 sees it. Its own limits act late: of many attributes on one element it
** first compares each with each, which takes minutes for a file of some MB.
*/
#ifndef PM_CATALOG_XML_BYTES_H
#define PM_CATALOG_XML_BYTES_H

#include "base/base.h"

enum { PM__XML_DEPTH_MAX = 32 };

/* PM_OK, or what the bytes hold that no file of the catalogue does: no UTF-8, too many attributes, elements or levels,
** too long a name. What is not well-formed is left to libxml2. */
int pm__xml_check_bytes(const char *bytes, size_t size, const char *file, pm_error *error);

#endif
