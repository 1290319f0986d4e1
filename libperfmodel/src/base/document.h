/*
** A document: a tree of elements as read from a file, with line numbers. Made by catalog/xml.c, the only user of
** libxml2, or from the constants of the shipped catalogue (catalog/shipped.c); all other code uses this tree.
*/
#ifndef PM_BASE_DOCUMENT_H
#define PM_BASE_DOCUMENT_H

#include "base/base.h"

enum { PM__VALUE_MAX = 4096 }; /* bytes of one value */

typedef struct pm__document_attribute {
  const char *name, *value;
  const struct pm__document_attribute *next;
} pm__document_attribute;

typedef struct pm__element {
  const char *name;
  const char *text; /* its own text, trimmed; "" if none */
  int line;
  size_t begin, end; /* bytes of the text that it was read from, including its tags */
  const pm__document_attribute *attributes;
  const struct pm__element *child, *next;
} pm__element;

typedef struct pm__document {
  pm__arena arena;
  const char *file; /* as messages name it */
  const pm__element *root;
} pm__document;

/* The value of an attribute, or NULL. */
const char *pm__element_attribute(const pm__element *element, const char *name);

/* Reads XML from memory. Refuses a DOCTYPE, entities, and unreasonable depth, size or counts. NULL with an error that
** names the line. */
pm__document *pm__document_read(const char *bytes, size_t size, const char *file, pm_error *error);
void pm__document_free(pm__document *document);

#endif
