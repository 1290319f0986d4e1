/*
** The best of all parallel plans: of the best lower bound of the rate (80 % interval), where it is known, or of the
** least energy, carbon or cost; the fastest are kept beside them. Plans that are alike are ordered by number, and what
** is kept of a range does not depend on how the range was cut, so that any number of threads finds the same.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "record/sized.h"
#include "search/parallel_search.h"
#include "search/size.h"
#include "step/screen.h"

enum { BASES_MOST = 65536 };

/* ---- The space ---- */

/* A base of which there is no plan, or which is beyond its power budget, is left out if there are others. */
static int list_plans(pm_search *search, size_t count, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  for (size_t i = 0; i < count; i++) {
    int status = pm__search_base_check(search->plan, &search->bases[i].run, &reason);
    if (status == PM_OK)
      status = pm__search_plans_add(search->plan, search->bases, (int32_t)i, search->global_batch, &search->plans,
                                    &reason);
    bool others = status == PM_STATUS_NOT_FOUND || status == PM_STATUS_UNREACHABLE;
    if (status != PM_OK && !others) return pm__fail(error, status, "%s", reason.text);
  }
  return search->plans.count > 0 ? PM_OK : pm__fail(error, reason.status, "%s", reason.text);
}

static int check(const pm_plan *plan, const void *bases, size_t count, double global_batch, pm_error *error)
{
  if (plan == NULL || bases == NULL || count < 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a search needs a plan and a run");
  if (count > BASES_MOST)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%zu base runs; at most %d are allowed", count, BASES_MOST);
  if (global_batch >= 1 && global_batch <= INT32_MAX && global_batch == floor(global_batch)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "global batch %g is not a whole number of at least 1", global_batch);
}

pm_search *pm__search_new(const pm_plan *plan, const pm__search_base *bases, size_t count, double global_batch,
                          pm_error *error)
{
  if (check(plan, bases, count, global_batch, error) != PM_OK) return NULL;
  pm_search *search = (pm_search *)calloc(1, sizeof *search);
  if (search != NULL) search->bases = (pm__search_base *)malloc(count * sizeof *search->bases);
  if (search == NULL || search->bases == NULL) pm__no_memory(error);
  else {
    search->plan = plan;
    search->global_batch = global_batch;
    memcpy(search->bases, bases, count * sizeof *bases);
    if (list_plans(search, count, error) == PM_OK) return search;
  }
  pm_search_free(search);
  return NULL;
}

pm_search *pm_search_new_sized(const pm_plan *plan, const pm_run *bases, size_t count, size_t run_size,
                               double global_batch, pm_error *error)
{
  const pm__record_array theirs = {"run", bases, run_size};
  if (check(plan, bases, count, global_batch, error) != PM_OK ||
      pm__record_size_check("run", run_size, error) != PM_OK) return NULL;
  pm__search_base *own = (pm__search_base *)malloc(count * sizeof *own);
  pm_search *search = NULL;
  if (own == NULL) return pm__no_memory(error), search;
  for (size_t i = 0; i < count; i++) {
    own[i].run = *(const pm_run *)pm__record_read(&theirs, i, &own[i].run);
    own[i].which = -1;
  }
  search = pm__search_new(plan, own, count, global_batch, error);
  free(own);
  return search;
}

void pm_search_free(pm_search *search)
{
  if (search == NULL) return;
  free(search->bases);
  free(search->plans.plan);
  free(search);
}

size_t pm_search_count(const pm_search *search)
{
  return search != NULL ? search->plans.count : 0;
}

pm_run pm__search_run_of(const pm_search *search, size_t number)
{
  const pm__search_plan *plan = &search->plans.plan[number];
  pm_run run = search->bases[plan->base].run;
  pm__search_plan_set(plan, search->global_batch, &run);
  return run;
}

int pm_search_get_run_sized(const pm_search *search, size_t number, pm_run *run, size_t run_size)
{
  if (search == NULL || run == NULL || number >= search->plans.count) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("run", run_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  pm_run own = pm__search_run_of(search, number);
  pm__record_write(run, run_size, &own, sizeof own);
  return PM_OK;
}

/* ---- What is kept ---- */

/* What a plan decides of a run. */
#define CHOICES(X)                                                                                                     \
  X(tensor_parallel) X(sequence_parallel) X(context_parallel) X(pipeline_parallel) X(virtual_pipeline)                 \
  X(pipeline_schedule) X(expert_parallel) X(micro_batch) X(zero) X(recompute) X(nodes) X(precision) X(offload)
#define NAME_OF(field) #field,
#define VALUE_OF(field) run->field,

/* PM_OK, or why plans have no such order. */
static int check_order(const pm_search *search, int32_t minimize, pm_error *error)
{
  static const pm_minimize orders[] = {PM_MINIMIZE_NODES, PM_MINIMIZE_COST, PM_MINIMIZE_ENERGY, PM_MINIMIZE_CARBON,
                                       PM_MINIMIZE_ENERGY_COST};
  const pm_run *run = &search->bases[0].run;
  size_t i = 0;
  while (i < sizeof orders / sizeof orders[0] && (int32_t)orders[i] != minimize) i++;
  if (i == sizeof orders / sizeof orders[0])
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a search can minimize energy, carbon, energy-cost or cost");
  return pm__size_check_least(minimize, run->carbon, run->energy_price, error);
}

pm_search_result *pm_search_result_new(const pm_search *search, size_t top, pm_minimize minimize, pm_error *error)
{
  if (search == NULL || top < 1) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the result of a search needs a search and room for at least one plan");
    return NULL;
  }
  if (check_order(search, (int32_t)minimize, error) != PM_OK) return NULL;
  pm_search_result *result = (pm_search_result *)calloc(1, sizeof *result);
  if (result == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  static const char *const names[PM__SEARCH_FIELDS] = {CHOICES(NAME_OF)};
  for (int i = 0; i < PM__SEARCH_FIELDS; i++)
    result->field[i] = pm_record_find_field(pm_record_type_find("run"), names[i]);
  result->search = search;
  result->most = top;
  result->minimize = (int32_t)minimize;
  return result;
}

void pm_search_result_free(pm_search_result *result)
{
  if (result == NULL) return;
  free(result->top.plan);
  free(result->fastest.plan);
  free(result->front.plan);
  free(result);
}

typedef bool order(const pm__search_found *a, const pm__search_found *b);

static bool faster(const pm__search_found *a, const pm__search_found *b)
{
  if (a->step_time != b->step_time) return a->step_time < b->step_time;
  return a->number < b->number;
}

static bool surer(const pm__search_found *a, const pm__search_found *b)
{
  return a->least != b->least ? a->least < b->least : faster(a, b);
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

static size_t insertion_point(const pm__search_kept *list, order *before, const pm__search_found *plan)
{
  size_t first = 0, last = list->count;
  while (first < last) {
    size_t middle = (first + last) / 2;
    if (before(&list->plan[middle], plan)) first = middle + 1;
    else last = middle;
  }
  return first;
}

static bool keep_first(pm__search_kept *list, size_t most, order *before, const pm__search_found *plan)
{
  size_t at = insertion_point(list, before, plan);
  if (at >= most) return true;
  if (!insert(list, at, plan)) return false;
  if (list->count > most) list->count = most;
  return true;
}

static bool keep_top(pm_search_result *r, const pm__search_found *plan)
{
  return keep_first(&r->top, r->most, surer, plan) && keep_first(&r->fastest, r->most, faster, plan);
}

static bool needs_no_more(const pm__search_found *a, const pm__search_found *b)
{
  return a->memory <= b->memory && a->gpus <= b->gpus;
}

/* The front is in order of time: a plan is on it if none before it needs as little, and takes the place of those behind
** it that need as much. */
static bool keep_front(pm_search_result *r, const pm__search_found *plan)
{
  pm__search_kept *front = &r->front;
  size_t at = insertion_point(front, faster, plan), left = at;
  for (size_t i = 0; i < at; i++)
    if (needs_no_more(&front->plan[i], plan)) return true;
  for (size_t i = at; i < front->count; i++)
    if (!needs_no_more(plan, &front->plan[i])) front->plan[left++] = front->plan[i];
  front->count = left;
  return insert(front, at, plan);
}

/* ---- Choices ---- */

bool pm__search_better(const pm__search_best *a, const pm__search_best *b)
{
  if (a->fits != b->fits) return a->fits;
  if (a->fits) return surer(&a->plan, &b->plan);
  return a->plan.memory != b->plan.memory ? a->plan.memory < b->plan.memory : a->plan.number < b->plan.number;
}

/* The place of a choice, or of the next. */
static size_t choice_place(const pm_search_result *r, const pm_field *field, double value)
{
  size_t i = 0;
  while (i < r->choices && (r->choice[i].field != field || r->choice[i].value != value)) i++;
  return i;
}

static void keep_choice(pm_search_result *r, size_t at, const pm__search_best *best)
{
  if (at == PM__SEARCH_CHOICES) return;
  if (at == r->choices) r->choices++;
  else if (!pm__search_better(best, &r->choice[at])) return;
  r->choice[at] = *best;
}

/* Most plans are slower than the best with the same value, whose place is remembered. */
static void keep_choices(pm_search_result *r, const pm_run *run, const pm__search_found *plan, bool fits)
{
  const double values[PM__SEARCH_FIELDS] = {CHOICES(VALUE_OF)};
  for (int i = 0; i < PM__SEARCH_FIELDS; i++) {
    uint16_t *place = &r->place[i][(uint32_t)values[i] % PM__SEARCH_PLACES];
    const pm__search_best best = {r->field[i], values[i], fits, *plan}, *before = &r->choice[*place];
    bool known = before->field == best.field && before->value == best.value;
    if (known && before->fits && (!fits || surer(&before->plan, plan))) continue;
    size_t at = known ? *place : choice_place(r, best.field, best.value);
    keep_choice(r, at, &best);
    if (at < PM__SEARCH_CHOICES) *place = (uint16_t)at;
  }
}

/* ---- Evaluation ---- */

/* Of what the result minimises; samples of a step are those of every plan. Without prices that of a GPU is the same. */
static double least_of(const pm_search_result *r, const pm_run *run, const pm__step_screened *a)
{
  switch (r->minimize) {
  case PM_MINIMIZE_COST: return pm__or(run->gpu_hour_price, 1) * run->gpus * run->nodes * a->step_time;
  case PM_MINIMIZE_ENERGY: return pm__or(a->energy, INFINITY);
  case PM_MINIMIZE_CARBON: return pm__or(a->carbon, INFINITY);
  case PM_MINIMIZE_ENERGY_COST: return pm__or(a->energy_cost, INFINITY);
  default: return a->slow;
  }
}

static bool keep(pm_search_result *r, size_t number, const pm_run *run, const pm__step_screened *answer)
{
  const pm__search_found plan = {number, least_of(r, run, answer), answer->step_time, answer->memory,
                                 (double)run->gpus * run->nodes};
  bool fits = answer->status == PM_OK;
  r->predicted++;
  if (!fits && answer->status != PM_STATUS_DOES_NOT_FIT) return true;
  keep_choices(r, run, &plan, fits);
  if (!fits) return true;
  r->fitting++;
  return keep_top(r, &plan) && keep_front(r, &plan);
}

int pm_search_evaluate(const pm_search *search, size_t first, size_t last, pm_search_result *result)
{
  if (search == NULL || result == NULL || result->search != search || first > last || last > search->plans.count)
    return PM_STATUS_BAD_ARGUMENT;
  pm__step_screen *screen = pm__step_screen_new(search->plan, result->minimize != PM_MINIMIZE_NODES);
  bool good = screen != NULL;
  const pm_run *base = NULL;
  pm_run run;
  for (size_t i = first; i < last && good; i++) {
    const pm__search_plan *plan = &search->plans.plan[i];
    if (base != &search->bases[plan->base].run) run = *(base = &search->bases[plan->base].run);
    pm__search_plan_set(plan, search->global_batch, &run);
    pm__step_screened answer = pm__step_screen_run(screen, base, &run);
    good = answer.status != PM_STATUS_NO_MEMORY && keep(result, i, &run, &answer);
  }
  pm__step_screen_free(screen);
  return good ? PM_OK : PM_STATUS_NO_MEMORY;
}

int pm_search_result_add(pm_search_result *result, const pm_search_result *other)
{
  if (result == NULL || other == NULL || result->search != other->search || result->minimize != other->minimize)
    return PM_STATUS_BAD_ARGUMENT;
  result->predicted += other->predicted;
  result->fitting += other->fitting;
  for (size_t i = 0; i < other->choices; i++) {
    const pm__search_best *best = &other->choice[i];
    keep_choice(result, choice_place(result, best->field, best->value), best);
  }
  for (size_t i = 0; i < other->top.count; i++)
    if (!keep_first(&result->top, result->most, surer, &other->top.plan[i])) return PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < other->fastest.count; i++)
    if (!keep_first(&result->fastest, result->most, faster, &other->fastest.plan[i])) return PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < other->front.count; i++)
    if (!keep_front(result, &other->front.plan[i])) return PM_STATUS_NO_MEMORY;
  return PM_OK;
}

size_t pm_search_result_count(const pm_search_result *result, int fitting)
{
  return result == NULL ? 0 : fitting != 0 ? result->fitting : result->predicted;
}

const pm__search_kept *pm__search_kept_of(const pm_search_result *result, pm_search_view view)
{
  return view == PM_SEARCH_VIEW_PLANS     ? &result->top
         : view == PM_SEARCH_VIEW_FASTEST ? &result->fastest
         : view == PM_SEARCH_VIEW_FRONT   ? &result->front
                                          : NULL;
}

int pm_search_result_get_plan(const pm_search_result *result, pm_search_view view, size_t place, size_t *number)
{
  const pm__search_kept *kept = result != NULL ? pm__search_kept_of(result, view) : NULL;
  if (kept == NULL || number == NULL) return PM_STATUS_BAD_ARGUMENT;
  if (place >= kept->count) return PM_STATUS_NOT_FOUND;
  *number = kept->plan[place].number;
  return PM_OK;
}
