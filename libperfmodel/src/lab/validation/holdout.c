/* What was fitted to what is read from the notes of the catalogue, so that a constant cannot be forgotten here. */
#include "lab/validation/holdout.h"
#include <math.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static bool names_document(const char *text, pm__lab_holdout out)
{
  static const char *const documents[] = {"dgx1-v100", "dgx1-p100", "bnl2019", "dell2018", "keras2018"};
  if (out[0] != '\0') return begins(text, out);
  for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
    if (begins(text, documents[i])) return true;
  return false;
}

/* The columns of pm_catalog_show. */
enum { FIELD, VALUE, UNIT, SOURCE, NOTE };

/* "fitted: keras2018: batches are ...", or "fitted to one row: ..." of a source that is a document. */
static bool row_rests(const pm_table *shown, pm__lab_holdout out, size_t row)
{
  char buffers[2][PM_TEXT_MAX];
  const char *source = pm_table_text(shown, SOURCE, row, buffers[0]), *note = pm_table_text(shown, NOTE, row,
                                                                                            buffers[1]);
  if (!begins(note, "fitted")) return false;
  return names_document(source, out) || (begins(note, "fitted: ") && names_document(note + strlen("fitted: "), out));
}

bool pm__lab_rests_on_holdout(const pm_catalog *catalog, pm__lab_holdout out, const char *kind, const char *name,
                              const char *field)
{
  char buffer[PM_TEXT_MAX];
  bool rests = false;
  pm_table *shown = pm_catalog_show(catalog, kind, name, NULL);
  for (size_t row = 0; shown != NULL && row < pm_table_rows(shown) && !rests; row++)
    rests = strcmp(pm_table_text(shown, FIELD, row, buffer), field) == 0 && row_rests(shown, out, row);
  pm_table_free(shown);
  return rests;
}

/* Every quantity of `record` that rests on documents gets the value in `other`. */
static int replace(const pm_catalog *catalog, pm__lab_holdout out, const char *kind, const char *id, const void *other,
                   void *record, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(kind);
  pm_table *shown = pm_catalog_show(catalog, kind, id, error);
  if (shown == NULL) return PM_NOT_FOUND;
  for (size_t row = 0; row < pm_table_rows(shown); row++) {
    char buffer[PM_TEXT_MAX];
    const pm_field *field = pm_record_field(type, pm_table_text(shown, FIELD, row, buffer));
    if (field == NULL || field->kind != PM_FIELD_REAL || !row_rests(shown, out, row)) continue;
    memcpy((char *)record + field->offset, (const char *)other + field->offset, sizeof(double));
  }
  pm_table_free(shown);
  return PM_OK;
}

int pm__lab_without_holdout(const pm_catalog *catalog, pm__lab_holdout out, pm_framework_profile *profile,
                            pm_error *error)
{
  pm_framework_profile generic;
  pm_framework *f = &profile->framework;
  int status = pm_catalog_framework(catalog, "generic", &generic, error);
  if (status == PM_OK) status = replace(catalog, out, "framework", f->id, &generic.framework, f, error);
  return status;
}
