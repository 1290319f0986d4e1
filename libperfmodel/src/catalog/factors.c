/* Factors of the fastest GPU libraries. */
#include <math.h>
#include "catalog/entry.h"

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
    pm_cudnn_generation cudnn;
    status = pm__entry_complete(catalog, entry, &cudnn, error);
    if (status != PM_OK) return status;
    take_least(simt, cudnn.simt_factor);
    take_least(tensor, cudnn.tensor_factor);
  }
  return PM_OK;
}
