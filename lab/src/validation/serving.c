/* The set `serving`: published latencies and rates of served language models beside predictions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/comparison.h"
#include "validation/serving_rows.h"

static const char *arrivals_name(const pm__lab_serving_row *row)
{
  const pm_serving_run *run = &row->run;
  const pm_field *field = pm_record_find_field(pm_record_type_find("serving_run"), "arrivals");
  if (row->scenario[0] != '\0') return row->scenario;
  return run->prefill_workers > 0 ? "disaggregated" : field->choices[run->arrivals].name;
}

/* "tpot closed vllm-0.11 h200-sxm5 llama3-70b" */
static void name_group(pm__lab_serving_rows *rows, const pm__lab_serving_row *row, char *group, size_t size)
{
  const pm__lab_serving_plan *plan = pm__lab_serving_rows_plan(rows, row->plan);
  char network[PM_TEXT_MAX];
  snprintf(network, sizeof network, "%.*s", (int)strcspn(plan->network, " "), plan->network);
  snprintf(group, size, "%s %s %.20s %.20s %.20s", row->quantity->name, arrivals_name(row), plan->engine,
           row->gpu, network);
}

static int compare(pm__lab_serving_rows *rows, const pm__lab_serving_row *row, pm__lab_comparisons *out,
                   const char *set, pm_error *error)
{
  pm__lab_comparison *c = pm__lab_comparisons_add(out, error);
  if (c == NULL) return PM_STATUS_NO_MEMORY;
  snprintf(c->id, sizeof c->id, "%.79s", row->id);
  snprintf(c->set, sizeof c->set, "%s", set);
  snprintf(c->unit, sizeof c->unit, "%s", row->quantity->unit);
  name_group(rows, row, c->group, sizeof c->group);
  c->measured = row->measured;
  pm__lab_comparison_set(c, row->predicted);
  return PM_OK;
}

/* ---- Tables ---- */

typedef struct line {
  double covered; /* of a row 100 or 0 */
} line;

static const pm_field line_fields[] = {
  PM__FIELD_MAIN(line, REAL, covered, "covered", "%", "rows within the 80 % interval of their prediction"),
};

static const pm_record_type line_type = PM__TYPE(line, line_fields);

static line mean_of(const pm__lab_comparisons *rows, const line *lines, const char *group)
{
  double sum = 0, known = 0;
  for (size_t i = 0; i < rows->count; i++) {
    if (isnan(lines[i].covered) || strcmp(rows->items[i].group, group) != 0) continue;
    sum += lines[i].covered;
    known++;
  }
  return (line){known > 0 ? sum / known : (double)NAN};
}

static pm_table *groups_table(const pm__lab_comparisons *rows, const line *lines, pm_error *error)
{
  size_t count = 0;
  pm__lab_summary *groups = pm__lab_comparisons_groups(rows, &count, error);
  line *means = (line *)calloc(count + 1, sizeof *means);
  pm_table *table = NULL;
  if (means == NULL) pm__no_memory(error);
  for (size_t i = 0; means != NULL && i < count; i++) means[i] = mean_of(rows, lines, groups[i].group);
  if (groups != NULL && means != NULL)
    table = pm__lab_table_with(pm__lab_summary_table(groups, count, error), &line_type, means, error);
  free(groups);
  free(means);
  return table;
}

static pm_table *result_table(const pm__lab_context *context, const pm__lab_serving_rows *rows,
                              const pm__lab_serving_row *items, const pm__lab_comparisons *out, pm_error *error)
{
  line *lines = (line *)calloc(out->count + 1, sizeof *lines);
  if (lines == NULL) return pm__no_memory(error), (pm_table *)NULL;
  for (size_t i = 0; i < out->count; i++) lines[i].covered = pm__lab_serving_row_covered(rows, &items[i]);
  pm_table *table = context->rows
                      ? pm__lab_table_with(pm__lab_comparisons_table(out, error), &line_type, lines, error)
                      : groups_table(out, lines, error);
  free(lines);
  return table;
}

pm_table *pm__lab_validate_serving(pm__lab_context *context, pm_error *error)
{
  static const char *const needed[] = {"network", "system", "framework", "quantity", "value"};
  pm__lab_comparisons out = {NULL, 0, 0};
  size_t count;
  if (pm__lab_check_columns(context, needed, sizeof needed / sizeof needed[0], error) != PM_OK) return NULL;
  pm__lab_serving_rows *rows = pm__lab_serving_rows_new(context->catalog, context->table, error);
  if (rows == NULL) return NULL;
  const pm__lab_serving_row *items = pm__lab_serving_rows_items(rows, &count);
  int status = PM_OK;
  for (size_t i = 0; i < count && status == PM_OK; i++) status = compare(rows, &items[i], &out, context->set, error);
  pm__lab_note_unpredicted(context, pm__lab_serving_rows_reasons(rows));
  pm_table *table = status == PM_OK ? result_table(context, rows, items, &out, error) : NULL;
  pm__lab_serving_rows_free(rows);
  free(out.items);
  return table;
}
