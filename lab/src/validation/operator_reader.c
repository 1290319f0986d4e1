/* Tables of operators: lines with their GPUs and hosts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "validation/gpu_names.h"
#include "validation/operator_collective.h"
#include "validation/operator_row.h"

enum { NAMES = 32 };

struct pm__lab_operator_reader {
  const pm_catalog *catalog;
  pm__lab_gpu_names *gpus;
  const pm__csv *sheet;
  pm__lab_operator_columns columns;
  pm__lab_operator_gpu names[NAMES];
  size_t name_count;
  pm_kernel_harness harnesses[NAMES];
  size_t harness_count;
  pm__lab_operator_groups *groups;
};

static const pm__lab_operator_gpu *gpu_of(pm__lab_operator_reader *r, const char *name)
{
  for (size_t i = 0; i < r->name_count; i++)
    if (strcmp(r->names[i].name, name) == 0) return &r->names[i];
  if (r->name_count == NAMES) r->name_count--; /* the last one makes room */
  pm__lab_operator_gpu *g = &r->names[r->name_count++];
  const char *id = pm__lab_gpu_names_find(r->gpus, name, "");
  g->name = name;
  g->known = id != NULL && pm_catalog_get_record(r->catalog, "gpu", id, &g->gpu, NULL) == PM_OK;
  g->calibrated = g->known && pm_catalog_get_kernels(r->catalog, &g->gpu, &g->calibration, NULL) == PM_OK;
  return g;
}

/* ---- Hosts ---- */

static void load_harnesses(pm__lab_operator_reader *r)
{
  const char *id;
  for (size_t i = 0; r->harness_count < NAMES && (id = pm_catalog_get_id(r->catalog, "kernel_harness", i)) != NULL; i++)
    if (pm_catalog_get_record(r->catalog, "kernel_harness", id, &r->harnesses[r->harness_count], NULL) == PM_OK)
      r->harness_count++;
}

static bool is_of(const pm__lab_operator_reader *r, size_t line, const char *software)
{
  return strstr(pm__csv_cell(r->sheet, line, r->columns.library), software) != NULL ||
         strstr(pm__csv_cell(r->sheet, line, r->columns.source), software) != NULL ||
         strcmp(pm__csv_cell(r->sheet, line, r->columns.kernel), software) == 0;
}

/* That of the software on the GPU, else on one for which it has the same kernels, else NULL. The software is that of
** the library, of the kernel or of the source. */
static pm_kernel_harness *harness_of(pm__lab_operator_reader *r, size_t line, const pm__lab_operator_gpu *gpu)
{
  const char *kernels = gpu->calibrated ? gpu->calibration.id : "", *id = gpu->known ? gpu->gpu.id : "";
  pm_kernel_harness *other = NULL;
  for (size_t i = 0; i < r->harness_count; i++) {
    pm_kernel_harness *h = &r->harnesses[i];
    bool own = h->gpu[0] == '\0' || strcmp(h->gpu, id) == 0;
    if (!(own || (other == NULL && pm__list_has(h->kernels, kernels))) ||
        !is_of(r, line, h->repository))
      continue;
    if (own) return h;
    other = h;
  }
  return other;
}

/* ---- Lines ---- */

pm__lab_operator_reader *pm__lab_operator_reader_new(const pm_catalog *catalog, const pm__csv *sheet, pm_error *error)
{
  pm__lab_operator_reader *r = (pm__lab_operator_reader *)calloc(1, sizeof *r);
  if (r != NULL) r->gpus = pm__lab_gpu_names_new(catalog, error);
  if (r != NULL && r->gpus != NULL) r->groups = pm__lab_operator_groups_new(catalog, error);
  if (r == NULL || r->groups == NULL) {
    pm__lab_operator_reader_free(r);
    pm__no_memory(error);
    return NULL;
  }
  r->catalog = catalog;
  r->sheet = sheet;
  r->columns = pm__lab_operator_columns_of(sheet);
  load_harnesses(r);
  return r;
}

void pm__lab_operator_reader_free(pm__lab_operator_reader *reader)
{
  if (reader == NULL) return;
  pm__lab_gpu_names_free(reader->gpus);
  pm__lab_operator_groups_free(reader->groups);
  free(reader);
}

pm_kernel_harness *pm__lab_operator_reader_harness(pm__lab_operator_reader *r, size_t line)
{
  const pm__lab_operator_gpu *gpu = gpu_of(r, pm__csv_cell(r->sheet, line, r->columns.gpu));
  return gpu->known ? harness_of(r, line, gpu) : NULL;
}

const pm__lab_operator_gpu *pm__lab_operator_reader_get(pm__lab_operator_reader *r, size_t line,
                                                        pm__lab_operator_row *row)
{
  pm__lab_operator_row_read(row, r->sheet, &r->columns, line);
  const pm__lab_operator_gpu *gpu = gpu_of(r, pm__csv_cell(r->sheet, line, r->columns.gpu));
  pm__lab_operator_add_host(row, harness_of(r, line, gpu));
  return gpu;
}

int pm__lab_operator_reader_time(pm__lab_operator_reader *reader, const pm__lab_operator_row *row,
                                 const pm__lab_operator_gpu *gpu, double *time, pm_error *error)
{
  pm_kernel_time out[PM__OPERATOR_KERNELS];
  size_t count = (size_t)row->count;
  const pm_kernel_calibration *calibration = gpu->calibrated ? &gpu->calibration : NULL;
  if (count == 0) return pm__lab_operator_groups_time(reader->groups, row, &gpu->gpu, time, error);
  int status = pm_kernel_predict(&gpu->gpu, calibration, row->kernels, out, count, error);
  *time = row->overhead;
  for (size_t i = 0; i < count && status == PM_OK; i++) *time += out[i].time;
  return status;
}
