/* Reading and freeing the tree of a document. */
#include <stdlib.h>
#include <string.h>
#include "base/document.h"

const char *pm__element_attribute(const pm__element *element, const char *name)
{
  for (const pm__document_attribute *attribute = element->attributes; attribute != NULL; attribute = attribute->next)
    if (strcmp(attribute->name, name) == 0) return attribute->value;
  return NULL;
}

void pm__document_free(pm__document *document)
{
  if (document == NULL) return;
  pm__arena_free(&document->arena);
  free(document);
}
