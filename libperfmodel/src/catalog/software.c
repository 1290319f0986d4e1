/* Software from its entries: a framework with its cuDNN generation, prediction interval and memory profile; how
** inference is run. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalog/generation.h"
#include "software/profile.h"

/* ---- Frameworks. */

/* The memory profile of software that names none: the generic one. */
static const char general_memory[] = "generic";

static int take_memory(const pm_catalog *catalog, pm_framework_profile *profile, pm_error *error)
{
  const pm__entry *entry;
  const char *name = profile->framework.memory;
  int status = name[0] != '\0' ? pm__catalog_find(catalog, PM__MEMORY_PROFILES, name, &entry, error)
                               : pm__catalog_seek(catalog, PM__MEMORY_PROFILES, general_memory, &entry, error);
  if (status != PM_OK) return status;
  pm_record_clear(pm_record_type_find("memory_profile"), &profile->memory);
  return entry != NULL ? pm__entry_record(catalog, entry, &profile->memory, error) : PM_OK;
}

static int take_framework(const pm_catalog *catalog, const char *name, pm_framework *framework, pm_error *error)
{
  const pm__entry *entry;
  int status = pm__catalog_find(catalog, PM__FRAMEWORKS, name, &entry, error);
  if (status != PM_OK) return status;
  status = pm__entry_complete(catalog, entry, framework, error);
  return status == PM_OK ? pm__framework_fitted_to(catalog, entry, framework, error) : status;
}

int pm_catalog_get_framework_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                pm_framework_profile *profile, pm_error *error)
{
  pm__catalog_software_ids ids;
  if (catalog == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a framework needs a catalogue, a name and a place");
  const pm__catalog_software_name asked = {name != NULL ? name : PM_FRAMEWORK_DEFAULT, architecture};
  int status = pm__software_find(catalog, PM__FRAMEWORKS, &asked, &ids, error);
  if (status != PM_OK) return status;
  status = take_framework(catalog, ids.id, &profile->framework, error);
  const char *cudnn = ids.cudnn[0] != '\0' ? ids.cudnn : profile->framework.cudnn;
  if (status == PM_OK) status = pm_catalog_get_record(catalog, "cudnn_generation", cudnn, &profile->cudnn, error);
  if (status == PM_OK && ids.dated) profile->framework.nccl = profile->cudnn.nccl;
  if (status == PM_OK) status = take_memory(catalog, profile, error);
  return status == PM_OK ? pm_catalog_get_record(catalog, "prediction_interval", "training", &profile->interval, error)
                         : status;
}

/* Whether it names a framework, with its own cuDNN generation or another. */
static bool is_framework(const pm_catalog *catalog, const char *name)
{
  pm__catalog_software_ids ids;
  const pm__catalog_software_name asked = {name, NULL};
  return pm__software_find(catalog, PM__FRAMEWORKS, &asked, &ids, NULL) == PM_OK &&
         pm__catalog_has(catalog, PM__FRAMEWORKS, ids.id) &&
         (ids.cudnn[0] == '\0' || pm__catalog_has(catalog, PM__CUDNN_GENERATIONS, ids.cudnn));
}

/* Whether a memory profile has that name, or is of that release; a framework of the very name says itself which it
** has. */
static bool has_memory(const pm_catalog *catalog, const char *name, pm__catalog_software_ids *ids)
{
  const pm__catalog_software_name asked = {name, NULL};
  if (strchr(name, '@') != NULL) return false;
  if (!pm__catalog_has(catalog, PM__MEMORY_PROFILES, name) && pm__catalog_has(catalog, PM__FRAMEWORKS, name))
    return false;
  return pm__software_find(catalog, PM__MEMORY_PROFILES, &asked, ids, NULL) == PM_OK &&
         pm__catalog_has(catalog, PM__MEMORY_PROFILES, ids->id);
}

int pm_catalog_get_memory_profile(const pm_catalog *catalog, const char *name, pm_memory_profile *profile,
                                  pm_error *error)
{
  pm_framework_profile framework;
  pm__catalog_software_ids ids;
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a memory profile needs a catalogue, a name and a place");
  bool own = has_memory(catalog, name, &ids);
  if (own || !is_framework(catalog, name)) /* the record's look-up says what there is */
    return pm_catalog_get_record(catalog, "memory_profile", own ? ids.id : name, profile, error);
  int status = pm_catalog_get_framework(catalog, name, &framework, error);
  if (status == PM_OK) *profile = framework.memory;
  return status;
}

/* ---- Inference: a profile of its own, completed by a framework; or a framework alone. */

/* What the profile does not give, of its framework; `cudnn` is "@cudnn8", or empty. */
static int fill(const pm_catalog *catalog, const char *framework, const char *cudnn, pm_inference_profile *profile,
                pm_error *error)
{
  pm_framework_profile found;
  char name[2 * PM_TEXT_MAX];
  snprintf(name, sizeof name, "%s%s", framework, cudnn);
  int status = pm_catalog_get_framework(catalog, name, &found, error);
  if (status != PM_OK) return status;
  pm__inference_profile_fill(profile, &found);
  if (profile->memory[0] == '\0') memcpy(profile->memory, found.memory.id, sizeof profile->memory);
  return PM_OK;
}

/* A framework: by the entry of its id, or, without one, by training alone. */
static int alone(const pm_catalog *catalog, const char *name, const char *cudnn, pm_inference_profile *profile,
                 pm_error *error)
{
  pm_framework framework;
  if (!pm__catalog_has(catalog, PM__FRAMEWORKS, name))
    return pm_catalog_get_record(catalog, "inference_profile", name, profile, error); /* which says what there is */
  int status = pm_catalog_get_record(catalog, "framework", name, &framework, error);
  if (status != PM_OK) return status;
  if (pm__catalog_has(catalog, PM__INFERENCE_PROFILES, framework.id))
    status = pm_catalog_get_record(catalog, "inference_profile", framework.id, profile, error);
  else {
    pm_record_clear(pm_record_type_find("inference_profile"), profile);
    memcpy(profile->id, framework.id, sizeof profile->id);
    memcpy(profile->name, framework.name, sizeof profile->name);
    profile->origin = PM_ORIGIN_RULE;
    profile->fusion = PM_FUSION_NONE;
  }
  return status == PM_OK ? fill(catalog, framework.id, cudnn, profile, error) : status;
}

static double given(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* A profile that does not say how far it is off is as the catalogue's interval for inference. */
static int fill_spread(const pm_catalog *catalog, pm_inference_profile *profile, pm_error *error)
{
  pm_prediction_interval interval;
  if (!pm__catalog_has(catalog, PM__PREDICTION_INTERVALS, "inference")) return PM_OK;
  int status = pm_catalog_get_record(catalog, "prediction_interval", "inference", &interval, error);
  if (status != PM_OK) return status;
  profile->spread = given(profile->spread, interval.rate);
  profile->spread_convolution = given(profile->spread_convolution, interval.convolution);
  profile->spread_product = given(profile->spread_product, interval.product);
  profile->spread_passes = given(profile->spread_passes, interval.passes);
  profile->spread_host = given(profile->spread_host, interval.host);
  profile->spread_extrapolated = given(profile->spread_extrapolated, interval.extrapolated);
  profile->spread_not_calibrated = given(profile->spread_not_calibrated, interval.not_calibrated);
  profile->spread_groups = given(profile->spread_groups, interval.groups);
  profile->spread_sound = given(profile->spread_sound, interval.sound);
  profile->spread_volumes = given(profile->spread_volumes, interval.volumes);
  profile->spread_recurrent = given(profile->spread_recurrent, interval.recurrent);
  profile->spread_proposals = given(profile->spread_proposals, interval.proposals);
  profile->spread_tables = given(profile->spread_tables, interval.tables);
  return PM_OK;
}

/* The ids of a name: of a framework, or, where that has none (engines, casts), of an inference profile. */
static int find_inference(const pm_catalog *catalog, const pm__catalog_software_name *asked,
                          pm__catalog_software_ids *ids, pm_error *error)
{
  int status = pm__software_find(catalog, PM__FRAMEWORKS, asked, ids, error);
  if (status != PM_OK || pm__catalog_has(catalog, PM__FRAMEWORKS, ids->id)) return status;
  return pm__software_find(catalog, PM__INFERENCE_PROFILES, asked, ids, error);
}

int pm_catalog_get_inference_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                pm_inference_profile *profile, pm_error *error)
{
  pm__catalog_software_ids ids;
  char cudnn[PM_TEXT_MAX + 1] = "";
  if (catalog == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an inference profile needs a catalogue, a name and a place");
  const pm__catalog_software_name asked = {name != NULL ? name : PM_FRAMEWORK_DEFAULT, architecture};
  int status = find_inference(catalog, &asked, &ids, error);
  if (status != PM_OK) return status;
  if (ids.cudnn[0] != '\0') snprintf(cudnn, sizeof cudnn, "@%s", ids.cudnn);
  const bool own = pm__catalog_has(catalog, PM__INFERENCE_PROFILES, ids.id); /* a framework may have one too */
  status = own ? pm_catalog_get_record(catalog, "inference_profile", ids.id, profile, error)
               : alone(catalog, ids.id, cudnn, profile, error);
  if (status == PM_OK && own && profile->framework[0] != '\0')
    status = fill(catalog, profile->framework, cudnn, profile, error);
  if (status != PM_OK) return status;
  if (profile->memory[0] == '\0' && pm__catalog_has(catalog, PM__MEMORY_PROFILES, general_memory))
    snprintf(profile->memory, sizeof profile->memory, "%s",
             pm__catalog_resolve(catalog, PM__MEMORY_PROFILES, general_memory, NULL));
  return fill_spread(catalog, profile, error);
}
