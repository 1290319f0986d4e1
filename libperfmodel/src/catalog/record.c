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

int pm__entry_record(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error)
{
  if (entry->record != NULL) return pm__entry_complete(catalog, entry, record, error);
  pm_error failure = PM_ERROR_NONE;
  pm_network *network = pm__entry_network(entry, NULL, 0, &failure);
  if (network != NULL) pm_network_get_totals(network, (pm_network_totals *)record, &failure);
  pm_network_free(network);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}
