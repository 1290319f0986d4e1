/* Any bytes as a document: an error, or a tree whose texts can be read. */
#include "base/document.h"
#include "fuzz.h"

static size_t walk(const pm__element *e)
{
  size_t length = strlen(e->name) + strlen(e->text);
  must(e->line > 0);
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next)
    length += strlen(a->name) + strlen(a->value);
  for (const pm__element *c = e->child; c != NULL; c = c->next) length += walk(c);
  return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  pm_error error = PM_ERROR_NONE;
  pm__document *document = pm__document_read((const char *)bytes, size, "fuzz.xml", &error);
  must_be_said(document != NULL, &error);
  if (document != NULL) must(walk(document->root) <= 2 * size);
  pm__document_free(document);
  return 0;
}
