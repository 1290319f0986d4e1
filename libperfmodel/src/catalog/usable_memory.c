/*
** What programs can have of a GPU's memory, as cudaMemGetInfo has its total: what the driver was seen to report, or a
** rule.
**
**     usable = memory as sold, in GiB  x  15/16 where check bits lie in it  x  (1 - the driver's reserve)
**
** A GB on the box is 2^30 bytes. Check bits of inline ECC take a sixteenth (NVIDIA's guide to nvidia-smi: 6.25 %); HBM
** has room of its own for them. The reserve is 1 %, what these show: 79.2 of 80 GiB on an H100 (torch.cuda), 16160 of
** 16384 MiB on a V100 (hf-perf-gpu), 8114 of 8192 MiB on a GTX 1080 (tensorflow/tensorflow#13591).
*/
#include <math.h>
#include "catalog/entry.h"
#include "perfmodel/catalog.h"

static const double GB = 1e9, GIB = 1024.0 * 1024 * 1024, ECC = 15.0 / 16, RESERVE = 0.01;

static double by_rule(const pm_gpu *gpu)
{
  return gpu->memory / GB * GIB * (gpu->inline_ecc ? ECC : 1) * (1 - RESERVE);
}

int pm_catalog_get_usable_memory(const pm_catalog *catalog, const pm_gpu *gpu, double *bytes, pm_error *error)
{
  const pm__entry *entry;
  if (catalog == NULL || gpu == NULL || bytes == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "usable memory needs a catalogue, a gpu and a place");
  int status = pm__catalog_seek(catalog, PM__USABLE_MEMORIES, gpu->id, &entry, error);
  if (status != PM_OK) return status;
  *bytes = entry != NULL ? ((const pm_usable_memory *)entry->record)->memory : by_rule(gpu);
  return PM_OK;
}
