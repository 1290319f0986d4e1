/* What a search has found, as tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "search/parallel_search.h"

/* ---- Plans ---- */

static pm_table *table_of(const pm_search_result *result, const pm__search_kept *kept, pm_error *error)
{
  size_t count = kept->count;
  pm_run *runs = (pm_run *)malloc((count + 1) * sizeof *runs);
  pm_prediction *predictions = (pm_prediction *)malloc((count + 1) * sizeof *predictions);
  pm_table *table = NULL;
  if (runs == NULL || predictions == NULL) pm__no_memory(error);
  else {
    for (size_t i = 0; i < count; i++) {
      runs[i] = kept->plan[i].run;
      predictions[i] = kept->plan[i].prediction;
    }
    table = pm_prediction_tabulate(result->search->plan, runs, predictions, count, error);
  }
  free(runs);
  free(predictions);
  return table;
}

static bool check(const pm_search_result *result, pm_error *error)
{
  return result != NULL || pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table needs the result of a search") == PM_OK;
}

pm_table *pm_search_result_tabulate(const pm_search_result *result, pm_error *error)
{
  return check(result, error) ? table_of(result, &result->top, error) : NULL;
}

pm_table *pm_search_result_tabulate_front(const pm_search_result *result, pm_error *error)
{
  return check(result, error) ? table_of(result, &result->front, error) : NULL;
}

/* ---- Choices ---- */

static int field_place(const pm_search_result *result, const pm_field *field)
{
  int i = 0;
  while (result->field[i] != field) i++;
  return i;
}

typedef struct placed {
  int field;
  const pm__search_best *best;
} placed;

static int in_order(const void *a, const void *b)
{
  const placed *x = (const placed *)a, *y = (const placed *)b;
  if (x->field != y->field) return x->field - y->field;
  return x->best->value < y->best->value ? -1 : x->best->value > y->best->value;
}

static void fill_row(const pm_search_result *result, const pm__search_best *best, pm_search_choice *row)
{
  pm_run run = result->search->base;
  pm_record_set_number(best->field, &run, best->value, NULL);
  snprintf(row->choice, sizeof row->choice, "%s", best->field->name);
  pm_record_format(best->field, &run, row->value);
  row->step_time = best->step_time;
  row->slower = best->step_time / result->top.plan[0].prediction.step_time - 1;
  row->plan = (double)best->number;
}

/* Fields of which only one value was found cost nothing to choose. */
static bool is_free(const pm_search_result *result, const pm_field *field)
{
  int values = 0;
  for (size_t i = 0; i < result->choices; i++) values += result->choice[i].field == field;
  return values > 1;
}

pm_table *pm_search_result_tabulate_choices(const pm_search_result *result, pm_error *error)
{
  if (!check(result, error)) return NULL;
  placed *order = (placed *)malloc((result->choices + 1) * sizeof *order);
  pm_search_choice *rows = (pm_search_choice *)calloc(result->choices + 1, sizeof *rows);
  pm_table *table = NULL;
  size_t count = 0;
  if (order == NULL || rows == NULL) pm__no_memory(error);
  else {
    for (size_t i = 0; i < result->choices; i++)
      if (is_free(result, result->choice[i].field))
        order[count++] = (placed){field_place(result, result->choice[i].field), &result->choice[i]};
    qsort(order, count, sizeof *order, in_order);
    for (size_t i = 0; i < count; i++) fill_row(result, order[i].best, &rows[i]);
    table = pm_table_new_of_records(pm_record_type_find("search_choice"), rows, count, error);
  }
  free(order);
  free(rows);
  return table;
}
