/* How inference is run: a profile of its own, completed by a framework; or a framework alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"

/* What the profile does not give, of its framework; `era` is "@cudnn8", or empty. */
static int fill(const pm_catalog *catalog, const char *framework, const char *era, pm_inference_profile *profile,
                pm_error *error)
{
  pm_framework_profile found;
  char name[2 * PM_TEXT_MAX];
  snprintf(name, sizeof name, "%s%s", framework, era);
  int status = pm_catalog_framework(catalog, name, &found, error);
  if (status != PM_OK) return status;
  pm_inference_profile_fill(profile, &found);
  return PM_OK;
}

/* A framework: by the entry of its id, or, without one, by training alone. */
static int alone(const pm_catalog *catalog, const char *name, const char *era, pm_inference_profile *profile,
                 pm_error *error)
{
  pm_framework framework;
  if (pm_catalog_record(catalog, "framework", name, &framework, NULL) != PM_OK)
    return pm_catalog_record(catalog, "inference_profile", name, profile, error); /* which says what there is */
  if (pm_catalog_record(catalog, "inference_profile", framework.id, profile, NULL) != PM_OK) {
    pm_record_init(pm_record_type_find("inference_profile"), profile);
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
  if (pm_catalog_record(catalog, "band", "inference", &band, NULL) != PM_OK) return;
  profile->spread = given(profile->spread, profile->origin == PM_ORIGIN_FITTED ? band.fitted : band.uncalibrated);
  profile->spread_rule = given(profile->spread_rule, band.kernel_rule);
  profile->spread_roofline = given(profile->spread_roofline, band.roofline);
}

int pm_catalog_inference(const pm_catalog *catalog, const char *name, pm_inference_profile *profile, pm_error *error)
{
  char plain[PM_TEXT_MAX];
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_BAD_ARGUMENT, "a way to run inference needs a catalogue, a name and a place");
  snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "@"), name);
  const char *era = name + strcspn(name, "@");
  int status = PM_OK;
  if (pm_catalog_record(catalog, "inference_profile", plain, profile, NULL) != PM_OK)
    status = alone(catalog, plain, era, profile, error);
  else if (profile->framework[0] != '\0') status = fill(catalog, profile->framework, era, profile, error);
  if (status == PM_OK) fill_spread(catalog, profile);
  return status;
}
