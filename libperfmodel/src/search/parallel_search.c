/*
** The best of all parallel plans. Plans are ordered by step time and then by number, and what is kept of a range does not
** depend on how the range was cut, so that any number of threads finds the same.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "record/sized.h"
#include "search/parallel_search.h"

enum { BLOCK = 64 };

void pm_search_base_fill(pm_run *run, size_t size)
{
  pm_run own;
  pm_record_set_defaults(pm_record_type_find("run"), &own);
  own.tensor_parallel = own.context_parallel = own.pipeline_parallel = own.virtual_pipeline = own.expert_parallel = -1;
  own.sequence_parallel = own.zero = own.recompute = -1;
  own.micro_batch = NAN;
  if (run != NULL) pm__record_write(run, size, &own, sizeof own);
}

/* ---- The space ---- */

pm_search *pm_search_new_sized(const pm_plan *plan, const pm_run *base, size_t run_size, double global_batch,
                               pm_error *error)
{
  pm_run own;
  if (plan == NULL || base == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a search needs a plan and a run");
    return NULL;
  }
  if (pm__record_size_check("run", run_size, error) != PM_OK) return NULL;
  pm_search *search = (pm_search *)calloc(1, sizeof *search);
  if (search == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  search->plan = plan;
  search->base = *(const pm_run *)pm__record_read(&(pm__record_array){"run", base, run_size}, 0, &own);
  search->global_batch = global_batch;
  if (pm__search_plans_list(plan, &search->base, global_batch, &search->plans, error) == PM_OK) return search;
  pm_search_free(search);
  return NULL;
}

void pm_search_free(pm_search *search)
{
  if (search == NULL) return;
  free(search->plans.plan);
  free(search);
}

size_t pm_search_count(const pm_search *search)
{
  return search != NULL ? search->plans.count : 0;
}

static pm_run run_of(const pm_search *search, size_t number)
{
  return pm__search_plan_run(&search->base, search->global_batch, &search->plans.plan[number]);
}

int pm_search_get_run_sized(const pm_search *search, size_t number, pm_run *run, size_t run_size)
{
  if (search == NULL || run == NULL || number >= search->plans.count) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("run", run_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  pm_run own = run_of(search, number);
  pm__record_write(run, run_size, &own, sizeof own);
  return PM_OK;
}

/* ---- What is kept ---- */

static const char *const choice_fields[PM__SEARCH_FIELDS] = {
  "tensor_parallel", "pipeline_parallel", "virtual_pipeline",  "context_parallel", "expert_parallel",
  "sequence_parallel", "micro_batch",     "pipeline_schedule", "zero",             "recompute"};

pm_search_result *pm_search_result_new(const pm_search *search, size_t top, pm_error *error)
{
  if (search == NULL || top < 1) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the result of a search needs a search and room for at least one plan");
    return NULL;
  }
  pm_search_result *result = (pm_search_result *)calloc(1, sizeof *result);
  if (result == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  for (int i = 0; i < PM__SEARCH_FIELDS; i++)
    result->field[i] = pm_record_find_field(pm_record_type_find("run"), choice_fields[i]);
  result->search = search;
  result->most = top;
  return result;
}

void pm_search_result_free(pm_search_result *result)
{
  if (result == NULL) return;
  free(result->top.plan);
  free(result->front.plan);
  free(result);
}

static bool before(const pm__search_found *a, const pm__search_found *b)
{
  if (a->prediction.step_time != b->prediction.step_time) return a->prediction.step_time < b->prediction.step_time;
  return a->number < b->number;
}

static bool insert(pm__search_kept *list, size_t at, const pm__search_found *plan)
{
  pm__search_found *plans = (pm__search_found *)pm__grow(list->plan, list->count, &list->capacity, sizeof *plans);
  if (plans == NULL) return false;
  list->plan = plans;
  memmove(plans + at + 1, plans + at, (list->count - at) * sizeof *plans);
  plans[at] = *plan;
  list->count++;
  return true;
}

static size_t place_of(const pm__search_kept *list, const pm__search_found *plan)
{
  size_t first = 0, last = list->count;
  while (first < last) {
    size_t middle = (first + last) / 2;
    if (before(&list->plan[middle], plan)) first = middle + 1;
    else last = middle;
  }
  return first;
}

static bool keep_top(pm_search_result *r, const pm__search_found *plan)
{
  size_t at = place_of(&r->top, plan);
  if (at >= r->most) return true;
  if (!insert(&r->top, at, plan)) return false;
  if (r->top.count > r->most) r->top.count = r->most;
  return true;
}

/* The front is in order of time, so memory falls along it. */
static bool keep_front(pm_search_result *r, const pm__search_found *plan)
{
  pm__search_kept *front = &r->front;
  size_t at = place_of(front, plan), end = at;
  if (at > 0 && front->plan[at - 1].prediction.memory <= plan->prediction.memory) return true;
  while (end < front->count && front->plan[end].prediction.memory >= plan->prediction.memory) end++;
  memmove(front->plan + at, front->plan + end, (front->count - end) * sizeof *front->plan);
  front->count -= end - at;
  return insert(front, at, plan);
}

/* ---- Choices ---- */

static void keep_choice(pm_search_result *r, const pm_field *field, double value, double time, size_t number)
{
  size_t i = 0;
  while (i < r->choices && (r->choice[i].field != field || r->choice[i].value != value)) i++;
  if (i == PM__SEARCH_CHOICES) return;
  pm__search_best *best = &r->choice[i];
  if (i == r->choices) *best = (pm__search_best){field, value, INFINITY, number}, r->choices++;
  if (time > best->step_time || (time == best->step_time && number >= best->number)) return;
  best->step_time = time;
  best->number = number;
}

static void keep_choices(pm_search_result *r, const pm__search_found *plan)
{
  for (int i = 0; i < PM__SEARCH_FIELDS; i++)
    keep_choice(r, r->field[i], pm_record_get_number(r->field[i], &plan->run), plan->prediction.step_time, plan->number);
}

/* ---- Evaluation ---- */

static bool keep(pm_search_result *r, const pm__search_found *plan)
{
  r->predicted++;
  if (plan->prediction.status != PM_OK) return true;
  r->fitting++;
  keep_choices(r, plan);
  return keep_top(r, plan) && keep_front(r, plan);
}

int pm_search_evaluate(const pm_search *search, size_t first, size_t last, pm_search_result *result)
{
  pm_run runs[BLOCK];
  pm_prediction predictions[BLOCK];
  if (search == NULL || result == NULL || result->search != search || first > last || last > search->plans.count)
    return PM_STATUS_BAD_ARGUMENT;
  for (size_t from = first; from < last; from += BLOCK) {
    size_t count = last - from < BLOCK ? last - from : BLOCK;
    for (size_t i = 0; i < count; i++) runs[i] = run_of(search, from + i);
    pm_predict(search->plan, runs, predictions, count);
    for (size_t i = 0; i < count; i++) {
      const pm__search_found plan = {from + i, runs[i], predictions[i]};
      if (!keep(result, &plan)) return PM_STATUS_NO_MEMORY;
    }
  }
  return PM_OK;
}

int pm_search_result_add(pm_search_result *result, const pm_search_result *other)
{
  if (result == NULL || other == NULL || result->search != other->search) return PM_STATUS_BAD_ARGUMENT;
  result->predicted += other->predicted;
  result->fitting += other->fitting;
  for (size_t i = 0; i < other->choices; i++) {
    const pm__search_best *c = &other->choice[i];
    keep_choice(result, c->field, c->value, c->step_time, c->number);
  }
  for (size_t i = 0; i < other->top.count; i++)
    if (!keep_top(result, &other->top.plan[i])) return PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < other->front.count; i++)
    if (!keep_front(result, &other->front.plan[i])) return PM_STATUS_NO_MEMORY;
  return PM_OK;
}

size_t pm_search_result_count(const pm_search_result *result)
{
  return result != NULL ? result->predicted : 0;
}

size_t pm_search_result_count_fitting(const pm_search_result *result)
{
  return result != NULL ? result->fitting : 0;
}

int pm_search_result_get_best(const pm_search_result *result, size_t *number)
{
  if (result == NULL || number == NULL) return PM_STATUS_BAD_ARGUMENT;
  if (result->top.count == 0) return PM_STATUS_NOT_FOUND;
  *number = result->top.plan[0].number;
  return PM_OK;
}
