/* Opens every entry of a catalogue, so that no look-up runs out of memory later. */
#include "shipped/catalog.h"
#include "base/base.h"

int pm__lab_catalog_open(const pm_catalog *catalog, pm_error *error)
{
  const char *kind, *id;
  pm_value value;
  for (size_t k = 0; (kind = pm_catalog_get_kind(k)) != NULL; k++)
    for (size_t i = 0; (id = pm_catalog_get_id(catalog, kind, i)) != NULL; i++)
      if (pm_catalog_get_value(catalog, kind, id, "id", &value, NULL) == PM_STATUS_NO_MEMORY)
        return pm__no_memory(error);
  return PM_OK;
}
