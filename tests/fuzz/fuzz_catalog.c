/* Any bytes as a catalogue file, on top of the shipped catalogue: an error or a catalogue that works, nothing else. */
#include "base/document.h"
#include "catalog/entry.h"
#include "fuzz.h"

static void use(pm_catalog *catalog)
{
  pm_table_free(pm_catalog_list(catalog, "systems", NULL)); /* listing networks builds them all, which takes long */
  for (size_t i = 0; pm_catalog_get_kind(i) != NULL; i++) {
    const char *kind = pm_catalog_get_kind(i);
    int last = pm_catalog_count(catalog, kind) - 1;
    if (last >= 0) pm_table_free(pm_catalog_show(catalog, kind, pm_catalog_get_id(catalog, kind, (size_t)last), NULL));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  pm_error error = PM_ERROR_NONE;
  pm__documents documents = {NULL, 0, 0};
  pm__document *document = pm__document_read((const char *)bytes, size, "fuzz.xml", &error);
  if ((document == NULL) != (error.status != PM_OK)) abort();
  if (document == NULL) return 0;
  static pm_catalog *catalog; /* kept while nothing was added: making one is most of the time */
  if (catalog == NULL && (catalog = pm_catalog_new(NULL)) == NULL) abort();
  if (pm__documents_add(&documents, document, &error) != PM_OK) abort();
  int status = pm__catalog_merge(catalog, &documents, &error);
  if (status != error.status) abort();
  pm__documents_free(&documents);
  if (status != PM_OK) return 0;
  use(catalog);
  pm_catalog_free(catalog);
  catalog = NULL;
  return 0;
}
