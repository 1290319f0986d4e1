/* What a constant was fitted to is read from its attributes in the catalogue, so that none can be forgotten here. */
#include "validation/holdout.h"
#include <string.h>
#include "base/base.h"

static bool rests_on(const pm_value *value, pm__lab_holdout out)
{
  static const char *const documents[] = {"dgx1-v100", "dgx1-p100", "bnl2019", "dell2018", "keras2018"};
  if (out[0] != '\0') return pm__list_has(value->fitted_to, out);
  for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
    if (pm__list_has(value->fitted_to, documents[i])) return true;
  return false;
}

bool pm__lab_rests_on_holdout(const pm_catalog *catalog, pm__lab_holdout out, const char *kind, const char *name,
                              const char *field)
{
  pm_value value = {.text = NULL};
  const char *id = pm_catalog_resolve(catalog, kind, name, NULL);
  if (id == NULL || pm_catalog_get_value(catalog, kind, id, field, &value, NULL) != PM_OK || value.text == NULL)
    return false;
  return strcmp(value.entry, id) == 0 && rests_on(&value, out);
}

int pm__lab_without_holdout(const pm_catalog *catalog, pm__lab_holdout out, pm_framework_profile *profile,
                            pm_error *error)
{
  pm_framework_profile generic;
  pm_framework *f = &profile->framework;
  const pm_record_type *type = pm_record_type_find("framework");
  int status = pm_catalog_get_framework(catalog, "generic", &generic, error);
  for (size_t i = 0; i < type->field_count && status == PM_OK; i++) {
    const pm_field *field = &type->fields[i];
    bool held_out = field->kind == PM_FIELD_REAL &&
        pm__lab_rests_on_holdout(catalog, out, "framework", f->id, field->name);
    if (held_out) memcpy((char *)f + field->offset, (const char *)&generic.framework + field->offset, sizeof(double));
  }
  return status;
}
