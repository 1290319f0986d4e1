/*
** Operators of language models beside predictions: products, attention, norms and passes, experts, all-reduces.
**
** Groups are by GPU, operator, precision and rows: fewer than 64 rows of a product or pass are apart. What the column
** `check` doubts is a group of its own.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/comparison.h"
#include "validation/operator_row.h"

enum { FEW_ROWS = 64 };

typedef struct study {
  pm__lab_context *context;
  pm__lab_operator_reader *reader;
  int id; /* its column */
  pm__lab_comparisons compared;
  pm__lab_reasons reasons;
} study;

/* ---- Predicting ---- */

static int predict(study *s, const pm__lab_operator_row *row, const pm__lab_operator_gpu *gpu, double *time,
                   pm_error *error)
{
  if (row->skip[0] != '\0') return pm__fail(error, PM_STATUS_NOT_FOUND, "%s", row->skip);
  if (!gpu->known)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "no GPU of the catalogue is called \"%.60s\"", gpu->name);
  return pm__lab_operator_reader_time(s->reader, row, gpu, time, error);
}

/* ---- Rows ---- */

static void name_row(const study *s, size_t line, const pm__lab_operator_row *row, const pm__lab_operator_gpu *gpu,
                     pm__lab_comparison *out)
{
  const char *id = pm__csv_cell(s->context->table, line, s->id);
  const char *rows = isnan(row->rows) ? "" : row->rows < FEW_ROWS ? " m<64" : " m>=64";
  snprintf(out->group, sizeof out->group, "%.20s %.20s %.20s%s%s", gpu->known ? gpu->gpu.id : gpu->name, row->label,
           row->precision, rows, row->marked ? " doubted" : "");
  if (id[0] != '\0') snprintf(out->id, sizeof out->id, "%.79s", id);
  else snprintf(out->id, sizeof out->id, "line %zu", line + 1);
  pm__text_set(out->set, sizeof out->set, s->context->set);
  pm__text_set(out->unit, sizeof out->unit, "us");
  out->measured = row->time * 1e6;
}

static int add_row(study *s, size_t line, pm_error *error)
{
  pm__lab_operator_row row;
  pm_error reason = PM_ERROR_NONE;
  double time;
  const pm__lab_operator_gpu *gpu = pm__lab_operator_reader_get(s->reader, line, &row);
  pm__lab_comparison *out = pm__lab_comparisons_add(&s->compared, error);
  if (out == NULL) return PM_STATUS_NO_MEMORY;
  name_row(s, line, &row, gpu, out);
  int status = predict(s, &row, gpu, &time, &reason);
  if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (status != PM_OK) return pm__lab_reasons_add(&s->reasons, reason.text, error);
  pm__lab_comparison_set(out, time * 1e6);
  return PM_OK;
}

static int by_group(const void *a, const void *b)
{
  return strcmp(((const pm__lab_summary *)a)->group, ((const pm__lab_summary *)b)->group);
}

static pm_table *groups_table(const study *s, pm_error *error)
{
  size_t count;
  pm__lab_summary *groups = pm__lab_comparisons_groups(&s->compared, &count, error);
  if (groups == NULL) return NULL;
  qsort(groups, count, sizeof *groups, by_group);
  pm_table *table = pm__lab_summary_table(groups, count, error);
  free(groups);
  return table;
}

static int prepare(study *s, pm_error *error)
{
  static const char *const needed[] = {"gpu", "op", "dtype", "time_us"};
  int status = pm__lab_check_columns(s->context, needed, sizeof needed / sizeof needed[0], error);
  if (status != PM_OK) return status;
  s->id = pm__csv_column(s->context->table, "id");
  s->reader = pm__lab_operator_reader_new(s->context->catalog, s->context->table, error);
  return s->reader != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

pm_table *pm__lab_validate_operators(pm__lab_context *context, pm_error *error)
{
  study *s = (study *)calloc(1, sizeof *s);
  pm_table *table = NULL;
  if (s == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  s->context = context;
  int status = prepare(s, error);
  for (size_t line = 1; line < context->table->rows && status == PM_OK; line++) status = add_row(s, line, error);
  if (status == PM_OK) {
    pm__lab_note_unpredicted(context, &s->reasons);
    table = context->rows ? pm__lab_comparisons_table(&s->compared, error) : groups_table(s, error);
  }
  pm__lab_operator_reader_free(s->reader);
  pm__lab_reasons_free(&s->reasons);
  free(s->compared.items);
  free(s);
  return table;
}
