/* Why the best plan is: what other values of its fields cost. */
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "search/parallel_search.h"

/* ---- What limits a plan ---- */

/* Parts that a step is made of, and what they are called. */
static const struct {
  const char *field, *name;
} parts[] = {{"forward_time", "forward"},
             {"dgrad_time", "dgrad"},
             {"wgrad_time", "wgrad"},
             {"recompute_time", "recompute"},
             {"update_time", "update"},
             {"launch_overhead_time", "launches"},
             {"bubble_time", "bubble"},
             {"tensor_communication_time", "tensor exchanges"},
             {"context_communication_time", "context exchanges"},
             {"expert_communication_time", "expert exchanges"},
             {"embedding_communication_time", "embedding exchanges"},
             {"pipeline_communication_time", "pipeline hops"},
             {"exposed_data_communication_time", "data exchanges"},
             {"offload_time", "offloading"},
             {"straggler_wait_time", "stragglers"}};

/* The part that is longer by most than in `best`. */
static void set_cause(const pm_prediction *best, const pm_prediction *plan, pm_search_choice *row)
{
  const pm_record_type *type = pm_record_type_find("prediction");
  row->cause_time = NAN;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    const pm_field *field = pm_record_find_field(type, parts[i].field);
    double more = pm_record_get_number(field, plan) - pm_record_get_number(field, best);
    if (!(more > 0) || more <= row->cause_time) continue;
    row->cause_time = more;
    pm__text_set(row->cause, sizeof row->cause, parts[i].name);
  }
}

/* ---- Rows ---- */

static void set_value(const pm_field *field, const pm_run *run, char *text)
{
  char word[PM_TEXT_MAX];
  pm__text_set(text, PM_TEXT_MAX, pm_record_format(field, run, word));
}

typedef struct winner {
  pm_run run;
  pm_prediction prediction;
} winner;

static winner winner_of(const pm_search_result *result)
{
  winner w = {.run = pm__search_run_of(result->search, result->top.plan[0].number)};
  pm_predict(result->search->plan, &w.run, &w.prediction, 1);
  return w;
}

static void fill_row(const pm_search_result *result, const winner *w, const pm__search_best *best,
                     pm_search_choice *row)
{
  pm_prediction p;
  pm_run run = pm__search_run_of(result->search, best->plan.number);
  pm_predict(result->search->plan, &run, &p, 1);
  pm_record_clear(pm_record_type_find("search_choice"), row);
  pm__text_set(row->choice, sizeof row->choice, best->field->name);
  set_value(best->field, &w->run, row->chosen);
  set_value(best->field, &run, row->value);
  pm__search_plan_text(&run, row->plan, sizeof row->plan);
  row->status = p.status;
  row->memory = p.memory;
  row->extra_memory = p.memory / w->prediction.memory - 1;
  row->bottleneck = p.bottleneck;
  if (!best->fits) pm__text_set(row->cause, sizeof row->cause, "memory");
  if (!best->fits) return;
  row->step_time = p.step_time;
  row->slowdown = p.step_time / w->prediction.step_time - 1;
  set_cause(&w->prediction, &p, row);
}

/* ---- Which rows ---- */

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

/* Fields of which only one value was tried cost nothing to choose. */
static bool is_free(const pm_search_result *result, const pm_field *field)
{
  int values = 0;
  for (size_t i = 0; i < result->choices; i++) values += result->choice[i].field == field;
  return values > 1;
}

static size_t all_choices(const pm_search_result *result, const winner *w, placed *order)
{
  size_t count = 0;
  (void)w;
  for (size_t i = 0; i < result->choices; i++)
    if (is_free(result, result->choice[i].field))
      order[count++] = (placed){field_place(result, result->choice[i].field), &result->choice[i]};
  qsort(order, count, sizeof *order, in_order);
  return count;
}

/* Of each field the best value that is not the winner's. */
static size_t other_choices(const pm_search_result *result, const winner *w, placed *order)
{
  size_t count = 0;
  for (int field = 0; field < PM__SEARCH_FIELDS; field++) {
    const pm__search_best *best = NULL;
    double chosen = pm_record_get_number(result->field[field], &w->run);
    for (size_t i = 0; i < result->choices; i++) {
      const pm__search_best *choice = &result->choice[i];
      if (choice->field != result->field[field] || choice->value == chosen) continue;
      if (best == NULL || pm__search_better(choice, best)) best = choice;
    }
    if (best != NULL) order[count++] = (placed){field, best};
  }
  return count;
}

pm_table *pm__search_tabulate_choices(const pm_search_result *result, pm_search_view view, pm_error *error)
{
  if (result->top.count == 0)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "there is no best plan to compare with"), (pm_table *)NULL;
  placed *order = (placed *)malloc((result->choices + 1) * sizeof *order);
  pm_search_choice *rows = (pm_search_choice *)calloc(result->choices + 1, sizeof *rows);
  pm_table *table = NULL;
  if (order == NULL || rows == NULL) pm__no_memory(error);
  else {
    winner w = winner_of(result);
    size_t count = view == PM_SEARCH_VIEW_WHY ? other_choices(result, &w, order) : all_choices(result, &w, order);
    for (size_t i = 0; i < count; i++) fill_row(result, &w, order[i].best, &rows[i]);
    table = pm_table_new_of_records(pm_record_type_find("search_choice"), rows, count, error);
  }
  free(order);
  free(rows);
  return table;
}
