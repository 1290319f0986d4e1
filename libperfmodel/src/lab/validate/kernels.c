/* Measured kernels beside predictions, and beside the plain roofline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lab/validate/kernel_rows.h"
#include "lab/validate/sets.h"

/* Rows as they were read, and their times [s]. */
typedef struct study {
  pm__task *task;
  pm_kernel_rows *rows;
  double *times, *roofline; /* `times` holds both */
} study;

static const pm_field roofline_fields[] = {
  PM__FIELD(pm__summary, REAL, mape, "roofline mape", "%", "mean of the absolute errors of the plain roofline"),
};

static const pm_record_type roofline_type = PM__TYPE(pm__summary, roofline_fields);

static int predict(study *s, pm_error *error)
{
  size_t count = pm_kernel_rows_count(s->rows);
  const char *text;
  s->times = (double *)calloc(2 * count + 1, sizeof *s->times);
  if (s->times == NULL) return pm__no_memory(error);
  s->roofline = s->times + count;
  size_t good = pm_kernel_rows_predict(s->rows, s->task->catalog, s->times, s->roofline);
  pm__string *notes = &s->task->notes;
  for (size_t i = 0; (text = pm_kernel_rows_note(s->rows, i)) != NULL; i++) pm__string_format(notes, "%s\n", text);
  if (good < count)
    pm__string_format(notes, "%zu of %zu rows have no prediction: their GPUs lack the precision\n", count - good, count);
  return PM_OK;
}

/* The measurements beside these times. */
static int add_comparisons(const study *s, const double *times, pm__comparisons *out, pm_error *error)
{
  const pm_measured_kernel *measured = pm_kernel_rows_measured(s->rows);
  for (size_t i = 0; i < pm_kernel_rows_count(s->rows); i++) {
    pm__comparison *row = pm__comparisons_add(out, error);
    if (row == NULL) return PM_NO_MEMORY;
    memcpy(row->id, measured[i].id, sizeof row->id);
    memcpy(row->group, measured[i].group, sizeof row->group);
    pm__text_set(row->set, sizeof row->set, s->task->set);
    strcpy(row->unit, "us");
    row->measured = measured[i].time * 1e6;
    pm__comparison_set(row, times[i] * 1e6);
  }
  return PM_OK;
}

static int by_group(const void *a, const void *b)
{
  return strcmp(((const pm__summary *)a)->group, ((const pm__summary *)b)->group);
}

/* Groups by name; NULL with an error. */
static pm__summary *sum_up(const pm__comparisons *rows, size_t *count, pm_error *error)
{
  pm__summary *groups = pm__comparisons_groups(rows, count, error);
  if (groups != NULL) qsort(groups, *count, sizeof *groups, by_group);
  return groups;
}

/* Both predict the same rows, so that their groups are the same. */
static pm_table *groups_table(const study *s, const pm__comparisons *rows, pm_error *error)
{
  pm__comparisons plain = {NULL, 0, 0};
  size_t count;
  pm_table *table = NULL;
  pm__summary *groups = sum_up(rows, &count, error), *roofline = NULL;
  if (groups != NULL && add_comparisons(s, s->roofline, &plain, error) == PM_OK) roofline = sum_up(&plain, &count, error);
  if (roofline != NULL)
    table = pm__table_with(pm__summary_table(groups, count, error), &roofline_type, roofline, error);
  free(groups);
  free(roofline);
  free(plain.items);
  return table;
}

pm_table *pm__validate_kernels(pm__task *task, pm_error *error)
{
  study s = {task, pm__kernel_rows_read(task->catalog, task->table, task->file, error), NULL, NULL};
  pm__comparisons rows = {NULL, 0, 0};
  pm_table *table = NULL;
  int status = s.rows != NULL ? predict(&s, error) : PM_BAD_FILE;
  if (status == PM_OK) status = add_comparisons(&s, s.times, &rows, error);
  if (status == PM_OK) table = task->rows ? pm__comparisons_table(&rows, error) : groups_table(&s, &rows, error);
  free(rows.items);
  free(s.times);
  pm_kernel_rows_free(s.rows);
  return table;
}
