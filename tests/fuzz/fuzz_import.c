/* Any text as the description of a machine, in each format: an error, or an entry that loads. */
#include "fuzz.h"

static void load(const char *xml)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *own = pm_catalog_new(NULL);
  must(own != NULL);
  must(pm_catalog_load_text(own, xml, "imported", &error) == PM_OK);
  pm_system_free(pm_catalog_new_system(own, "mine", &error));
  pm_catalog_free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char *const formats[] = {"nccl", "topo", "hwloc", "rocm"};
  char *text = text_of(bytes, size);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    char *report = NULL;
    pm_error error = PM_ERROR_NONE;
    static const pm_attribute known[] = {{"gpu", "v100-sxm2-16gb"}};
    char *xml = pm_import(shipped(), formats[i], text, "fuzz", "mine", known, 1, &report, &error);
    must_be_said(xml != NULL, &error);
    if (xml != NULL) load(xml);
    pm_string_free(xml);
    pm_string_free(report);
  }
  free(text);
  return 0;
}
