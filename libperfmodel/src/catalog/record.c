/* The records and networks of entries. */
#include <string.h>
#include "catalog/entry.h"
#include "network/definition.h"

bool pm__entry_has_defaults(const pm__entry *entry)
{
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next)
    if (strcmp(e->name, "param") == 0 && pm__element_attribute(e, "default") == NULL) return false;
  return true;
}

pm_network *pm__entry_network(const pm__entry *entry, const pm_attribute *sets, size_t set_count, pm_error *error)
{
  return pm__network_build(entry->document, entry->element, sets, set_count, error);
}

enum { LIKE_MOST = 4 };

static size_t field_size(const pm_field *field)
{
  if (field->kind == PM_FIELD_TEXT) return PM_TEXT_MAX;
  return field->kind == PM_FIELD_REAL ? sizeof(double) : sizeof(int32_t);
}

/* What a memory profile does not state it has from the one that it is like, which may be like another. */
static int derive_memory(const pm_catalog *catalog, const pm__entry *entry, int depth, pm_memory_profile *out,
                         pm_error *error)
{
  const pm_memory_profile *own = (const pm_memory_profile *)entry->record;
  *out = *own;
  if (own->like[0] == '\0' || depth == LIKE_MOST) return PM_OK;
  const pm__entry *like;
  int status = pm__catalog_find(catalog, PM__MEMORY_PROFILES, own->like, &like, error);
  if (status == PM_OK) status = derive_memory(catalog, like, depth + 1, out, error);
  for (size_t i = 0; i < entry->type->field_count && status == PM_OK; i++) {
    const pm_field *field = &entry->type->fields[i];
    if (entry->from[i].line > 0)
      memcpy((char *)out + field->offset, (const char *)own + field->offset, field_size(field));
  }
  return status;
}

int pm__entry_record(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error)
{
  if (entry->record != NULL) {
    memcpy(record, entry->record, entry->type->size);
    if (entry->kind != PM__MEMORY_PROFILES) return PM_OK;
    return derive_memory(catalog, entry, 0, (pm_memory_profile *)record, error);
  }
  pm_error failure = PM_ERROR_NONE;
  pm_network *network = pm__entry_network(entry, NULL, 0, &failure);
  if (network != NULL) pm_network_get_totals(network, (pm_network_totals *)record, &failure);
  pm_network_free(network);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}
