/* Tables of operators: lines with their GPUs and what the host added. */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "lab/validation/machines.h"
#include "lab/validation/operator_row.h"

enum { NAMES = 32 };

struct pm__lab_operator_reader {
  const pm_catalog *catalog;
  const pm__csv *sheet;
  pm__lab_operator_columns columns;
  pm__lab_operator_gpu names[NAMES];
  size_t name_count;
  pm_kernel_harness harnesses[NAMES];
  size_t harness_count;
};

static const pm__lab_operator_gpu *gpu_of(pm__lab_operator_reader *r, const char *name)
{
  for (size_t i = 0; i < r->name_count; i++)
    if (strcmp(r->names[i].name, name) == 0) return &r->names[i];
  if (r->name_count == NAMES) r->name_count--; /* the last one makes room */
  pm__lab_operator_gpu *g = &r->names[r->name_count++];
  const char *id = pm__lab_gpu_of_name(r->catalog, name, "");
  g->name = name;
  g->known = id != NULL && pm_catalog_get_record(r->catalog, "gpu", id, &g->gpu, NULL) == PM_OK;
  g->calibrated = g->known && pm_catalog_get_kernels(r->catalog, &g->gpu, &g->calibration, NULL) == PM_OK;
  return g;
}

/* ---- What the host adds ---- */

static void load_harnesses(pm__lab_operator_reader *r)
{
  const char *id;
  for (size_t i = 0; r->harness_count < NAMES && (id = pm_catalog_get_id(r->catalog, "kernel_harness", i)) != NULL; i++)
    if (pm_catalog_get_record(r->catalog, "kernel_harness", id, &r->harnesses[r->harness_count], NULL) == PM_OK)
      r->harness_count++;
}

/* That of the software, by its name or that of the source, else NULL. */
static const pm_kernel_harness *harness_of(const pm__lab_operator_reader *r, size_t line)
{
  const char *source = pm__csv_cell(r->sheet, line, r->columns.source);
  const char *library = pm__csv_cell(r->sheet, line, r->columns.library);
  for (size_t i = 0; i < r->harness_count; i++) {
    const char *name = r->harnesses[i].repository;
    if (strstr(library, name) != NULL || strstr(source, name) != NULL) return &r->harnesses[i];
  }
  return NULL;
}

/* Numbers of one byte are made from the input of the product, in a kernel before it. */
static void add_quantizing(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  const pm_kernel *product = &row->kernels[0];
  if (pm_precision_get_bytes(product->precision) > 1 || !(h->quantizing > 0)) return;
  pm_kernel *k = &row->kernels[row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = PM_OPERATOR_ELEMENTWISE;
  k->precision = product->precision;
  k->count = h->quantizing;
  k->m = product->m * product->k;
  if (h->quantized > 0) row->overhead += h->quantized;
}

static void add_host(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  if (h == NULL || row->count == 0) return;
  if (h->gemm > 0) row->overhead = h->gemm;
  if (row->count > 1 || row->kernels[0].operation != PM_OPERATOR_GEMM) return;
  row->kernels[0].turns = h->turns;
  add_quantizing(row, h);
}

/* ---- Lines ---- */

pm__lab_operator_reader *pm__lab_operator_reader_new(const pm_catalog *catalog, const pm__csv *sheet, pm_error *error)
{
  pm__lab_operator_reader *r = (pm__lab_operator_reader *)calloc(1, sizeof *r);
  if (r == NULL) {
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
  free(reader);
}

const pm__lab_operator_gpu *pm__lab_operator_reader_get(pm__lab_operator_reader *r, size_t line,
                                                        pm__lab_operator_row *row)
{
  pm__lab_operator_row_read(row, r->sheet, &r->columns, line);
  add_host(row, harness_of(r, line));
  return gpu_of(r, pm__csv_cell(r->sheet, line, r->columns.gpu));
}
