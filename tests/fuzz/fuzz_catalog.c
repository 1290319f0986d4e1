/* Any text as a catalogue file, on top of the shipped catalogue: an error or a catalogue that works, nothing else. */
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

/* What was taken once is taken again, in place of itself, and leaves room for others. */
static void load_more(pm_catalog *catalog, const char *text)
{
  static const char other[] = "<perfmodel version='1'><source id='of-the-fuzzer' name='Of the fuzzer'/></perfmodel>";
  pm_error error = PM_ERROR_NONE;
  must_be_said(pm_catalog_load_text(catalog, text, "again.xml", &error) == PM_OK, &error);
  must(error.status == PM_OK);
  must(pm_catalog_load_text(catalog, other, "other.xml", NULL) == PM_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static pm_catalog *catalog; /* kept while nothing was added: making one is most of the time */
  static bool changed = true;
  pm_error error = PM_ERROR_NONE;
  if (changed) {
    pm_catalog_free(catalog);
    must((catalog = pm_catalog_new(NULL)) != NULL);
  }
  char *text = text_of(bytes, size);
  int status = pm_catalog_load_text(catalog, text, "fuzz.xml", &error);
  must_be_said(status == PM_OK, &error);
  must(status == error.status);
  changed = status == PM_OK;
  if (changed) {
    load_more(catalog, text);
    use(catalog);
  }
  free(text);
  return 0;
}
