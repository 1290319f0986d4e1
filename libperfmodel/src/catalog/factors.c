/* Factors of GPU libraries: of the one that a generation is like, and of the fastest. */
#include <math.h>
#include "catalog/entry.h"

int pm__catalog_take_factors(const pm_catalog *catalog, pm_cudnn_generation *own, pm_error *error)
{
  const pm__entry *entry;
  if (own->like[0] == '\0') return PM_OK;
  int status = pm__catalog_find(catalog, PM__CUDNN_GENERATIONS, own->like, &entry, error);
  if (status != PM_OK) return status;
  const pm_cudnn_generation *like = (const pm_cudnn_generation *)entry->record;
  if (isnan(own->simt_factor)) own->simt_factor = like->simt_factor;
  if (isnan(own->tensor_factor)) own->tensor_factor = like->tensor_factor;
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
