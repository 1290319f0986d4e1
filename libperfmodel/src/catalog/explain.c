/* What the kernels of a GPU rest on, in words, from what its entry says of each class of operators. */
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "hardware/kernel_calibration.h"

static const struct {
  const char *simt, *tensor, *words;
} classes[] = {
  {"product_simt", "product_tensor", "matrix multiplications"},
  {"convolution_simt", "convolution_tensor", "convolutions"},
  {"recurrent_simt", "recurrent_tensor", "recurrent layers"},
  {"attention", "attention", "fused attention"},
  {"passes", "passes", "memory-bound kernels"},
};

/* The entry that says something of this field: the GPU's own, or that of its architecture. */
static const pm__entry *stating(const pm__entry *const entries[2], const pm_field *field)
{
  for (int i = 0; i < 2; i++)
    if (entries[i] != NULL && entries[i]->from[field - entries[i]->type->fields].line > 0) return entries[i];
  return NULL;
}

static void say(pm__string *out, const pm__entry *const entries[2], size_t i, bool tensor)
{
  char rows[500] = "", word[PM_TEXT_MAX];
  const pm_field *field = pm_record_find_field(pm_record_type_find("operator_calibration"),
                                              tensor ? classes[i].tensor : classes[i].simt);
  const pm__entry *entry = stating(entries, field);
  if (entry == NULL) return;
  const pm__provenance *from = &entry->from[field - entry->type->fields];
  pm__provenance_text(from, rows, sizeof rows);
  pm_record_format(field, entry->record, word);
  const char *said = strncmp(rows, "fitted: ", 8) == 0 ? rows + 8 : rows;
  pm__string_format(out, "%s%s %s%s%s%s", out->length > 0 ? "; " : "", classes[i].words, word,
                    said[0] != '\0' ? " (" : "",
                    said, said[0] != '\0' ? ")" : "");
}

char *pm_catalog_explain_calibration(const pm_catalog *catalog, const pm_gpu *gpu, int precision, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  pm_kernel_calibration kernels;
  const pm__entry *entries[2] = {NULL, NULL};
  if (catalog == NULL || gpu == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a catalogue or a GPU is missing");
    return NULL;
  }
  int status = pm__catalog_seek(catalog, PM__OPERATOR_CALIBRATIONS, gpu->id, &entries[0], error);
  if (status == PM_OK && pm_catalog_get_kernels(catalog, gpu, &kernels, NULL) == PM_OK)
    status = pm__catalog_seek(catalog, PM__OPERATOR_CALIBRATIONS, kernels.id, &entries[1], error);
  for (size_t i = 0; status == PM_OK && i < sizeof classes / sizeof classes[0]; i++) 
    say(&out, entries, i, pm__gpu_uses_tensor_cores(gpu, precision));
  if (status == PM_OK && out.length == 0) pm__string_add(&out, "rules and data sheets only");
  if (status == PM_OK && !out.failed) return out.text;
  if (status == PM_OK) pm__no_memory(error);
  free(out.text);
  return NULL;
}
