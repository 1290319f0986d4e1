/* Measured kernels beside predictions, and beside the plain roofline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "validation/comparison.h"
#include "validation/kernel_row.h"

/* ---- Predicting ---- */

enum { CHUNK = 64 };

/* Rows first to last of one GPU, a few at a time. */
static size_t predict_some(const pm__lab_kernel_rows *rows, size_t first, size_t count, const pm_gpu *gpu,
                           const pm_kernel_calibration *calibration, double *times, double *roofline)
{
  const pm_measured_kernel *measured = pm__lab_kernel_rows_measured(rows);
  pm_kernel_time out[CHUNK];
  size_t good = 0;
  pm_kernel_predict(gpu, calibration, &pm__lab_kernel_rows_kernels(rows)[first], out, count, NULL);
  for (size_t i = 0; i < count; i++) {
    const pm_measured_kernel *m = &measured[first + i];
    bool known = out[i].time > 0;
    times[i] = known ? fmax(m->floor, out[i].time + m->overhead) : (double)NAN;
    if (roofline != NULL) roofline[i] = known ? fmax(m->floor, out[i].roofline_time + m->overhead) : (double)NAN;
    good += known;
  }
  return good;
}

size_t pm__lab_kernel_rows_predict(const pm__lab_kernel_rows *rows, const pm_catalog *catalog, double *times,
                                   double *roofline_times)
{
  pm_gpu gpu;
  pm_kernel_calibration calibration;
  const char *name = "";
  bool found = false, calibrated = false;
  const pm_measured_kernel *measured = pm__lab_kernel_rows_measured(rows);
  size_t good = 0, all = pm__lab_kernel_rows_count(rows);
  for (size_t i = 0, count; i < all; i += count) {
    const char *next = measured[i].gpu;
    for (count = 1; count < CHUNK && i + count < all; count++)
      if (strcmp(measured[i + count].gpu, next) != 0) break;
    if (strcmp(name, next) != 0) {
      found = pm_catalog_get_record(catalog, "gpu", next, &gpu, NULL) == PM_OK;
      calibrated = found && pm_catalog_get_kernels(catalog, &gpu, &calibration, NULL) == PM_OK;
      name = next;
    }
    for (size_t j = i; j < i + count && !found; j++) {
      times[j] = (double)NAN;
      if (roofline_times != NULL) roofline_times[j] = (double)NAN;
    }
    if (found)
      good += predict_some(rows, i, count, &gpu, calibrated ? &calibration : NULL, &times[i],
                           roofline_times != NULL ? &roofline_times[i] : NULL);
  }
  return good;
}

/* ---- The set ---- */

/* Rows as they were read, and their times [s]. */
typedef struct study {
  pm__lab_context *context;
  pm__lab_kernel_rows *rows;
  double *times, *roofline; /* `times` holds both */
} study;

static const pm_field roofline_fields[] = {
  PM__FIELD_MAIN(pm__lab_summary, REAL, mape, "roofline mape", "%",
                 "mean of the absolute errors of the plain roofline"),
};

static const pm_record_type roofline_type = PM__TYPE(pm__lab_summary, roofline_fields);

static int predict(study *s, pm_error *error)
{
  size_t count = pm__lab_kernel_rows_count(s->rows);
  const char *text;
  s->times = (double *)calloc(2 * count + 1, sizeof *s->times);
  if (s->times == NULL) return pm__no_memory(error);
  s->roofline = s->times + count;
  size_t good = pm__lab_kernel_rows_predict(s->rows, s->context->catalog, s->times, s->roofline);
  pm__string *notes = &s->context->notes;
  for (size_t i = 0; (text = pm__lab_kernel_rows_note(s->rows, i)) != NULL; i++) pm__string_format(notes, "%s\n", text);
  if (good < count)
    pm__string_format(notes, "%zu of %zu rows have no prediction: their GPUs lack the precision\n", count - good,
                      count);
  return PM_OK;
}

/* The measurements beside these times. */
static int add_comparisons(const study *s, const double *times, pm__lab_comparisons *out, pm_error *error)
{
  const pm_measured_kernel *measured = pm__lab_kernel_rows_measured(s->rows);
  for (size_t i = 0; i < pm__lab_kernel_rows_count(s->rows); i++) {
    pm__lab_comparison *row = pm__lab_comparisons_add(out, error);
    if (row == NULL) return PM_STATUS_NO_MEMORY;
    memcpy(row->id, measured[i].id, sizeof row->id);
    memcpy(row->group, measured[i].group, sizeof row->group);
    pm__text_set(row->set, sizeof row->set, s->context->set);
    pm__text_set(row->unit, sizeof row->unit, "us");
    row->measured = measured[i].time * 1e6;
    pm__lab_comparison_set(row, times[i] * 1e6);
  }
  return PM_OK;
}

static int by_group(const void *a, const void *b)
{
  return strcmp(((const pm__lab_summary *)a)->group, ((const pm__lab_summary *)b)->group);
}

/* Groups by name; NULL with an error. */
static pm__lab_summary *sum_up(const pm__lab_comparisons *rows, size_t *count, pm_error *error)
{
  pm__lab_summary *groups = pm__lab_comparisons_groups(rows, count, error);
  if (groups != NULL) qsort(groups, *count, sizeof *groups, by_group);
  return groups;
}

/* Both predict the same rows, so that their groups are the same. */
static pm_table *groups_table(const study *s, const pm__lab_comparisons *rows, pm_error *error)
{
  pm__lab_comparisons plain = {NULL, 0, 0};
  size_t count;
  pm_table *table = NULL;
  pm__lab_summary *groups = sum_up(rows, &count, error), *roofline = NULL;
  if (groups != NULL && add_comparisons(s, s->roofline, &plain, error) == PM_OK) roofline = sum_up(&plain, &count,
                                                                                                   error);
  if (roofline != NULL)
    table = pm__lab_table_with(pm__lab_summary_table(groups, count, error), &roofline_type, roofline, error);
  free(groups);
  free(roofline);
  free(plain.items);
  return table;
}

pm_table *pm__lab_validate_kernels(pm__lab_context *context, pm_error *error)
{
  study s = {context, pm__lab_kernel_rows_read(context->catalog, context->table, context->file, error), NULL, NULL};
  pm__lab_comparisons rows = {NULL, 0, 0};
  pm_table *table = NULL;
  int status = s.rows != NULL ? predict(&s, error) : PM_STATUS_BAD_FILE;
  if (status == PM_OK) status = add_comparisons(&s, s.times, &rows, error);
  if (status == PM_OK) table = context->rows ? pm__lab_comparisons_table(&rows, error) : groups_table(&s, &rows, error);
  free(rows.items);
  free(s.times);
  pm__lab_kernel_rows_free(s.rows);
  return table;
}
