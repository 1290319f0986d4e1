/* Operators that are single kernels as rows to calibrate on. */
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "validation/kernel_row.h"
#include "validation/operator_row.h"

enum { FEW_ROWS = 32 };

/* Few rows with weights of more than twice the L2 take the time of the memory. */
static bool reads_weights(const pm_kernel *k, const pm_gpu *gpu)
{
  double weights = k->n * k->k * pm_precision_get_bytes(k->precision);
  return k->operation == PM_OPERATOR_GEMM && k->m <= FEW_ROWS && weights > 2 * gpu->l2_cache;
}

/* Attention within a window or of latents: engines have other kernels for them. */
static bool is_special(const pm_kernel *k)
{
  return k->operation == PM_OPERATOR_ATTENTION && (k->window > 0 || k->value_size > 0);
}

static int add(pm__lab_kernel_rows *rows, const pm__lab_operator_row *row, const pm_gpu *gpu, pm_error *error)
{
  pm_measured_kernel m;
  const pm_kernel *k = &row->kernels[0];
  memset(&m, 0, sizeof m);
  snprintf(m.group, sizeof m.group, "%.20s %.20s%s %.20s operators", gpu->id, row->label,
           reads_weights(k, gpu) ? "-large" : "", row->precision);
  memcpy(m.gpu, gpu->id, sizeof m.gpu);
  m.time = row->time;
  m.overhead = row->overhead;
  return pm__lab_kernel_rows_add(rows, &m, k, error);
}

int pm__lab_kernel_rows_add_operators(pm__lab_kernel_rows *rows, const pm_catalog *catalog, const char *csv,
                                      const char *file, pm_error *error)
{
  pm__csv sheet;
  pm__lab_operator_row row;
  int status = pm__csv_read(&sheet, csv, file, error);
  if (status != PM_OK) return status;
  pm__lab_operator_reader *reader = pm__lab_operator_reader_new(catalog, &sheet, error);
  if (reader == NULL) status = PM_STATUS_NO_MEMORY;
  for (size_t line = 1; line < sheet.rows && status == PM_OK; line++) {
    const pm__lab_operator_gpu *gpu = pm__lab_operator_reader_get(reader, line, &row);
    if (row.skip[0] != '\0' || row.marked || row.count != 1 || is_special(&row.kernels[0]) || !gpu->known) continue;
    status = add(rows, &row, &gpu->gpu, error);
  }
  pm__lab_operator_reader_free(reader);
  pm__csv_free(&sheet);
  return status;
}

/* Either layout: a table of operators says types of data. */
static pm__lab_kernel_rows *read_either(const pm_catalog *catalog, const pm__csv *sheet, const char *csv,
                                        const char *file, pm_error *error)
{
  if (pm__csv_column(sheet, "dtype") < 0) return pm__lab_kernel_rows_read(catalog, sheet, file, error);
  pm__lab_kernel_rows *rows = pm__lab_kernel_rows_new(error);
  if (rows != NULL && pm__lab_kernel_rows_add_operators(rows, catalog, csv, file, error) == PM_OK) return rows;
  pm__lab_kernel_rows_free(rows);
  return NULL;
}

pm__lab_kernel_rows *pm__lab_kernel_rows_of_text(const pm_catalog *catalog, const char *csv, const char *file,
                                                 pm_error *error)
{
  pm__csv sheet;
  if (catalog == NULL || csv == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "measured kernels need a catalogue and a text");
    return NULL;
  }
  if (file == NULL) file = "kernels";
  if (pm__csv_read(&sheet, csv, file, error) != PM_OK) return NULL;
  pm__lab_kernel_rows *rows = read_either(catalog, &sheet, csv, file, error);
  pm__csv_free(&sheet);
  return rows;
}
