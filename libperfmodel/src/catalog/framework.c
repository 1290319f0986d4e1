/* Frameworks from their entries: the profile, the era of its libraries, the band of rates. */
#include <math.h>
#include <string.h>
#include "catalog/entry.h"

/* "tf1-nchw@cudnn6" -> its parts; no '@': the framework's own era. */
static int split(const char *name, char *framework, char *era, pm_error *error)
{
  const char *at = strchr(name, '@');
  size_t length = at != NULL ? (size_t)(at - name) : strlen(name);
  era[0] = '\0';
  if (length >= PM_TEXT_MAX || (at != NULL && !pm__text_set(era, PM_TEXT_MAX, at + 1)))
    return pm__fail(error, PM_NOT_FOUND, "unknown framework \"%.100s\"", name);
  memcpy(framework, name, length);
  framework[length] = '\0';
  if (at == NULL || era[0] != '\0') return PM_OK;
  return pm__fail(error, PM_BAD_VALUE, "framework \"%s\" has no library era after the @", name);
}

/* What an entry does not state it has from the one that it is like. */
static void take(double *own, double other)
{
  if (isnan(*own)) *own = other;
}

static int take_times(const pm_catalog *catalog, const pm__entry *entry, pm_framework *own, pm_error *error)
{
  const pm__entry *other = own->like[0] != '\0' ? pm__catalog_find(catalog, PM__FRAMEWORKS, own->like, error) : NULL;
  if (other == NULL && own->like[0] != '\0') return PM_NOT_FOUND;
  pm__framework_fitted_to(entry, other, own);
  if (other == NULL) return PM_OK;
  const pm_framework *like = (const pm_framework *)other->record;
  take(&own->kernel_time, like->kernel_time);
  take(&own->step_time, like->step_time);
  take(&own->straggler, like->straggler);
  return PM_OK;
}

static int take_factors(const pm_catalog *catalog, pm_library_era *own, pm_error *error)
{
  const pm__entry *entry = own->like[0] != '\0' ? pm__catalog_find(catalog, PM__LIBRARY_ERAS, own->like, error) : NULL;
  if (entry == NULL) return own->like[0] != '\0' ? PM_NOT_FOUND : PM_OK;
  const pm_library_era *like = (const pm_library_era *)entry->record;
  take(&own->simt_factor, like->simt_factor);
  take(&own->tensor_factor, like->tensor_factor);
  return PM_OK;
}

/* A framework that names no memory profile takes what every framework needs at least. */
static int take_memory(const pm_catalog *catalog, pm_framework_profile *profile, pm_error *error)
{
  pm_record_init(pm_record_type_find("memory_profile"), &profile->memory);
  if (profile->framework.memory[0] == '\0') return PM_OK;
  const pm__entry *entry = pm__catalog_find(catalog, PM__MEMORY_PROFILES, profile->framework.memory, error);
  if (entry == NULL) return PM_NOT_FOUND;
  profile->memory = *(const pm_memory_profile *)entry->record;
  return PM_OK;
}

int pm_catalog_framework(const pm_catalog *catalog, const char *name, pm_framework_profile *profile, pm_error *error)
{
  char framework[PM_TEXT_MAX], era[PM_TEXT_MAX];
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_BAD_ARGUMENT, "a framework needs a catalogue, a name and a place");
  int status = split(name, framework, era, error);
  if (status != PM_OK) return status;
  const pm__entry *entry = pm__catalog_find(catalog, PM__FRAMEWORKS, framework, error);
  if (entry == NULL) return PM_NOT_FOUND;
  profile->framework = *(const pm_framework *)entry->record;
  if (take_times(catalog, entry, &profile->framework, error) != PM_OK) return PM_NOT_FOUND;
  if (era[0] == '\0') strcpy(era, profile->framework.era);
  entry = pm__catalog_find(catalog, PM__LIBRARY_ERAS, era, error);
  if (entry == NULL) return PM_NOT_FOUND;
  profile->era = *(const pm_library_era *)entry->record;
  if (take_factors(catalog, &profile->era, error) != PM_OK) return PM_NOT_FOUND;
  if (take_memory(catalog, profile, error) != PM_OK) return PM_NOT_FOUND;
  entry = pm__catalog_find(catalog, PM__BANDS, "training", error);
  if (entry == NULL) return PM_NOT_FOUND;
  profile->band = *(const pm_band *)entry->record;
  return PM_OK;
}
