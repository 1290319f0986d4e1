/* The set `serving`: published latencies and rates of served language models beside predictions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/comparison.h"
#include "validation/serving_rows.h"

static const char *arrivals_name(const pm_serving_run *run)
{
  const pm_field *field = pm_record_find_field(pm_record_type_find("serving_run"), "arrivals");
  return run->prefill_workers > 0 ? "disaggregated" : field->choices[run->arrivals].name;
}

/* "tpot closed vllm-0.11 h200-sxm5 llama3-70b" */
static void name_group(pm__lab_serving_rows *rows, const pm__lab_serving_row *row, char *group, size_t size)
{
  const pm__lab_serving_plan *plan = pm__lab_serving_rows_plan(rows, row->plan);
  char network[PM_TEXT_MAX];
  snprintf(network, sizeof network, "%.*s", (int)strcspn(plan->network, " "), plan->network);
  snprintf(group, size, "%s %s %.20s %.20s %.20s", row->quantity->name, arrivals_name(&row->run), plan->engine,
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
  pm_table *table = status == PM_OK ? pm__lab_result_table(context, &out, error) : NULL;
  pm__lab_serving_rows_free(rows);
  free(out.items);
  return table;
}
