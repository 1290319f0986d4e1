/* Factors of GPU libraries: of the one that a generation is like, and of the fastest. */
#include <math.h>
#include "catalog/entry.h"

static void take(double *own, double like)
{
  if (isnan(*own)) *own = like;
}

int pm__catalog_take_factors(const pm_catalog *catalog, pm_cudnn_generation *own, pm_error *error)
{
  const char *like = own->like;
  for (int i = 0; like[0] != '\0'; i++) {
    if (i == LIKES_MAX)
      return pm__fail(error, PM_STATUS_BAD_VALUE, "cudnn_generation \"%s\" is like itself, or by too many steps", own->id);
    const pm__entry *entry;
    int status = pm__catalog_find(catalog, PM__CUDNN_GENERATIONS, like, &entry, error);
    if (status != PM_OK) return status;
    const pm_cudnn_generation *other = (const pm_cudnn_generation *)entry->record;
    take(&own->simt_factor, other->simt_factor);
    take(&own->tensor_factor, other->tensor_factor);
    like = other->like;
  }
  return PM_OK;
}

static void take_least(double *least, double factor)
{
  if (!(*least <= factor) && !isnan(factor)) *least = factor;
}

int pm__catalog_fastest_library(const pm_catalog *catalog, double *simt, double *tensor, pm_error *error)
{
  *simt = *tensor = NAN;
  for (size_t i = 0; i < catalog->lists[PM__CUDNN_GENERATIONS].count; i++) {
    const pm__entry *entry;
    int status = pm__catalog_at(catalog, PM__CUDNN_GENERATIONS, i, &entry, error);
    if (status != PM_OK) return status;
    pm_cudnn_generation cudnn = *(const pm_cudnn_generation *)entry->record;
    status = pm__catalog_take_factors(catalog, &cudnn, error);
    if (status != PM_OK) return status;
    take_least(simt, cudnn.simt_factor);
    take_least(tensor, cudnn.tensor_factor);
  }
  return PM_OK;
}
