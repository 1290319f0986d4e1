/* How inference is run: a profile of its own, completed by a framework; or a framework alone. */
#include <string.h>
#include "catalog_entry.h"

static int from_framework(const pm_catalog *catalog, const char *name, pm_inference_profile *profile, pm_error *error)
{
  pm_framework_profile framework;
  int status = pm_catalog_framework(catalog, name, &framework, error);
  if (status == PM_OK) pm_inference_profile_fill(profile, &framework);
  return status;
}

/* No pass is fused: kernels that do so are those of training. */
static int alone(const pm_catalog *catalog, const char *name, pm_inference_profile *profile, pm_error *error)
{
  pm_framework_profile framework;
  pm_record_init(pm_record_type_find("inference_profile"), profile);
  int status = pm_catalog_framework(catalog, name, &framework, NULL);
  if (status != PM_OK) return pm_catalog_record(catalog, "inference_profile", name, profile, error);
  strcpy(profile->id, framework.framework.id);
  strcpy(profile->name, framework.framework.name);
  strcpy(profile->framework, framework.framework.id);
  profile->origin = PM_ORIGIN_RULE;
  profile->fusion = PM_FUSION_NONE;
  pm_inference_profile_fill(profile, &framework);
  return PM_OK;
}

int pm_catalog_inference(const pm_catalog *catalog, const char *name, pm_inference_profile *profile, pm_error *error)
{
  if (catalog == NULL || name == NULL || profile == NULL)
    return pm__fail(error, PM_BAD_ARGUMENT, "a way to run inference needs a catalogue, a name and a place");
  if (pm_catalog_record(catalog, "inference_profile", name, profile, NULL) != PM_OK)
    return alone(catalog, name, profile, error);
  return profile->framework[0] != '\0' ? from_framework(catalog, profile->framework, profile, error) : PM_OK;
}
