/* Software from its entries: a framework with its library era, band and memory profile; how inference is run. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"

/* ---- Frameworks. */

/* "tf1-nchw@cudnn6" -> its parts; no '@': the framework's own era. */
static int split(const char *name, char *framework, char *era, pm_error *error)
{
  const char *at = strchr(name, '@');
  size_t length = at != NULL ? (size_t)(at - name) : strlen(name);
  era[0] = '\0';
  if (length >= PM_TEXT_MAX || (at != NULL && !pm__text_set(era, PM_TEXT_MAX, at + 1)))
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown framework \"%.100s\"", name);
  memcpy(framework, name, length);
  framework[length] = '\0';
  if (at == NULL || era[0] != '\0') return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "framework \"%s\" has no library era after the @", name);
}

/* What an entry does not state it has from the one that it is like. */
static void take(double *own, double other)
{
  if (isnan(*own)) *own = other;
}

static int take_times(const pm_catalog *catalog, const pm__entry *entry, pm_framework *own, pm_error *error)
{
  const pm__entry *other = own->like[0] != '\0' ? pm__catalog_find(catalog, PM__FRAMEWORKS, own->like, error) : NULL;
  if (other == NULL && own->like[0] != '\0') return PM_STATUS_NOT_FOUND;
  pm__framework_fitted_to(entry, other, own);
  if (other == NULL) return PM_OK;
  const pm_framework *like = (const pm_framework *)other->record;
  take(&own->kernel_time, like->kernel_time);
  take(&own->step_time, like->step_time);
  take(&own->straggler, like->straggler);
  if (own->memory[0] == '\0') memcpy(own->memory, like->memory, sizeof own->memory);
  return PM_OK;
}

static int take_factors(const pm_catalog *catalog, pm_library_era *own, pm_error *error)
{
  const pm__entry *entry = own->like[0] != '\0' ? pm__catalog_find(catalog, PM__LIBRARY_ERAS, own->like, error) : NULL;
  if (entry == NULL) return own->like[0] != '\0' ? PM_STATUS_NOT_FOUND : PM_OK;
  const pm_library_era *like = (const pm_library_era *)entry->record;
  take(&own->simt_factor, like->simt_factor);
  take(&own->tensor_factor, like->tensor_factor);
  return PM_OK;
}

/* The memory profile of software that names none: that of a framework of its time; NULL if the catalogue has none. */
static const pm__entry *general_memory(const pm_catalog *catalog)
{
  return pm__names_find(&catalog->names, PM__MEMORY_PROFILES, "generic");
}

static int take_memory(const pm_catalog *catalog, pm_framework_profile *profile, pm_error *error)
{
  bool named = profile->framework.memory[0] != '\0';
  const pm__entry *entry = named ? pm__catalog_find(catalog, PM__MEMORY_PROFILES, profile->framework.memory, error)
                                 : general_memory(catalog);
  if (named && entry == NULL) return PM_STATUS_NOT_FOUND;
  pm_record_clear(pm_record_type_find("memory_profile"), &profile->memory);
  return entry != NULL ? pm__entry_record(catalog, entry, &profile->memory, error) : PM_OK;
}

int pm_catalog_get_framework(const pm_catalog *catalog, const char *name, pm_framework_profile *profile,
                             pm_error *error)
{
  char framework[PM_TEXT_MAX], era[PM_TEXT_MAX];
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a framework needs a catalogue, a name and a place");
  int status = split(name, framework, era, error);
  if (status != PM_OK) return status;
  const pm__entry *entry = pm__catalog_find(catalog, PM__FRAMEWORKS, framework, error);
  if (entry == NULL) return PM_STATUS_NOT_FOUND;
  profile->framework = *(const pm_framework *)entry->record;
  if (take_times(catalog, entry, &profile->framework, error) != PM_OK) return PM_STATUS_NOT_FOUND;
  if (era[0] == '\0') strcpy(era, profile->framework.era);
  entry = pm__catalog_find(catalog, PM__LIBRARY_ERAS, era, error);
  if (entry == NULL) return PM_STATUS_NOT_FOUND;
  profile->era = *(const pm_library_era *)entry->record;
  if (take_factors(catalog, &profile->era, error) != PM_OK) return PM_STATUS_NOT_FOUND;
  if (take_memory(catalog, profile, error) != PM_OK) return PM_STATUS_NOT_FOUND;
  entry = pm__catalog_find(catalog, PM__BANDS, "training", error);
  if (entry == NULL) return PM_STATUS_NOT_FOUND;
  profile->band = *(const pm_band *)entry->record;
  return PM_OK;
}

int pm_catalog_get_memory_profile(const pm_catalog *catalog, const char *name, pm_memory_profile *profile,
                                  pm_error *error)
{
  pm_framework_profile framework;
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a memory profile needs a catalogue, a name and a place");
  if (pm_catalog_get_record(catalog, "memory_profile", name, profile, NULL) == PM_OK) return PM_OK;
  if (pm_catalog_get_framework(catalog, name, &framework, NULL) != PM_OK)
    return pm_catalog_get_record(catalog, "memory_profile", name, profile, error); /* which says what there is */
  *profile = framework.memory;
  return PM_OK;
}

/* ---- Inference: a profile of its own, completed by a framework; or a framework alone. */

/* What the profile does not give, of its framework; `era` is "@cudnn8", or empty. */
static int fill(const pm_catalog *catalog, const char *framework, const char *era, pm_inference_profile *profile,
                pm_error *error)
{
  pm_framework_profile found;
  char name[2 * PM_TEXT_MAX];
  snprintf(name, sizeof name, "%s%s", framework, era);
  int status = pm_catalog_get_framework(catalog, name, &found, error);
  if (status != PM_OK) return status;
  pm_inference_profile_fill(profile, &found);
  if (profile->memory[0] == '\0') memcpy(profile->memory, found.memory.id, sizeof profile->memory);
  return PM_OK;
}

/* A framework: by the entry of its id, or, without one, by training alone. */
static int alone(const pm_catalog *catalog, const char *name, const char *era, pm_inference_profile *profile,
                 pm_error *error)
{
  pm_framework framework;
  if (pm_catalog_get_record(catalog, "framework", name, &framework, NULL) != PM_OK)
    return pm_catalog_get_record(catalog, "inference_profile", name, profile, error); /* which says what there is */
  if (pm_catalog_get_record(catalog, "inference_profile", framework.id, profile, NULL) != PM_OK) {
    pm_record_clear(pm_record_type_find("inference_profile"), profile);
    memcpy(profile->id, framework.id, sizeof profile->id);
    memcpy(profile->name, framework.name, sizeof profile->name);
    profile->origin = PM_ORIGIN_RULE;
    profile->fusion = PM_FUSION_NONE;
  }
  return fill(catalog, framework.id, era, profile, error);
}

static double given(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* A profile that does not say how far it is off is as the catalogue's band for inference. */
static void fill_spread(const pm_catalog *catalog, pm_inference_profile *profile)
{
  pm_band band;
  if (pm_catalog_get_record(catalog, "band", "inference", &band, NULL) != PM_OK) return;
  profile->spread = given(profile->spread, profile->origin == PM_ORIGIN_FITTED ? band.fitted : band.uncalibrated);
  profile->spread_rule = given(profile->spread_rule, band.kernel_rule);
  profile->spread_roofline = given(profile->spread_roofline, band.roofline);
}

int pm_catalog_get_inference(const pm_catalog *catalog, const char *name, pm_inference_profile *profile,
                             pm_error *error)
{
  char plain[PM_TEXT_MAX];
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a way to run inference needs a catalogue, a name and a place");
  snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "@"), name);
  const char *era = name + strcspn(name, "@");
  int status = PM_OK;
  if (pm_catalog_get_record(catalog, "inference_profile", plain, profile, NULL) != PM_OK)
    status = alone(catalog, plain, era, profile, error);
  else if (profile->framework[0] != '\0') status = fill(catalog, profile->framework, era, profile, error);
  if (status != PM_OK) return status;
  const pm__entry *memory = profile->memory[0] == '\0' ? general_memory(catalog) : NULL;
  if (memory != NULL) snprintf(profile->memory, sizeof profile->memory, "%s", memory->id);
  fill_spread(catalog, profile);
  return PM_OK;
}
