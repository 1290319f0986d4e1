/*
** The least nodes of every choice, and their ranks.
**
** Node counts are walked from 1 up, so the first that reaches the target is the least, whatever rates do on the way.
*/
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include "record/sized.h"
#include "search/size.h"

/* ---- Checks ---------------------------------------------------------------------------------------------------- */

static int check_positive(const char *what, double value, bool needed, pm_error *error)
{
  if (isnan(value)) return needed ? pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s is not given", what) : PM_OK;
  if (value > 0 && isfinite(value)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not positive and finite", what, value);
}

/* A power budget that is to be filled is a target of its own. */
static int check_target(const pm_size_goal *goal, bool fills, pm_error *error)
{
  bool by_rate = !isnan(goal->rate);
  if (fills) return check_positive("epochs", goal->epochs, false, error);
  if (by_rate && !isnan(goal->within))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a rate and a time are both given; give one");
  if (!by_rate && isnan(goal->within))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no target: give a rate, or epochs and a time for them, "
                    "or a power budget");
  int status = check_positive("rate", goal->rate, by_rate, error);
  if (status == PM_OK) status = check_positive("epochs", goal->epochs, !by_rate, error);
  if (status == PM_OK) status = check_positive("within", goal->within, !by_rate, error);
  if (status == PM_OK) status = check_positive("samples", goal->samples, !by_rate, error);
  return status;
}

static int check_goal(const pm_size_goal *goal, bool fills, pm_error *error)
{
  int status = check_target(goal, fills, error);
  if (status == PM_OK) status = check_positive("global batch", goal->global_batch, false, error);
  if (status == PM_OK) status = check_positive("latency", goal->latency, false, error);
  if (status == PM_OK) status = check_positive("sample_size", goal->sample_size, false, error);
  if (status != PM_OK) return status;
  if (!(goal->pue >= 1 && goal->pue <= 10))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "PUE %g is not from 1 to 10", goal->pue);
  if (goal->minimize < 0 || goal->minimize >= PM_MINIMIZE_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no quantity to minimize with number %d", goal->minimize);
  if (goal->max_nodes >= 1 && goal->max_nodes <= 1000000) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "max_nodes %d is not within 1 and 1000000", goal->max_nodes);
}

static double number_of(const pm__size_question *q, const char *field, const void *run)
{
  return pm_record_get_number(pm_record_find_field(pm_record_type_find(q->task->facts.run), field), run);
}

static int check_choice(const pm__size_question *q, size_t i, pm_error *error)
{
  const pm_plan *plan = q->setup.plan;
  const double *prices = q->setup.prices;
  const void *run = pm__size_choice_run(q, i);
  int32_t system = pm__task_get(run, q->task->at.system), software = pm__task_get(run, q->task->at.software);
  int status = pm__plan_check_place("system", system, plan->system_count, error);
  if (status == PM_OK && q->task->software == PM__TASK_PROFILES)
    status = pm__plan_check_place("profile", software, plan->profile_count, error);
  if (status == PM_OK)
    status = pm__size_check_least(q->goal->minimize, number_of(q, "carbon", run), number_of(q, "energy_price", run),
                                    error);
  if (status != PM_OK || prices == NULL || isnan(prices[i]) || (prices[i] > 0 && isfinite(prices[i]))) return status;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "price %g of system \"%s\" is not positive", prices[i],
                  pm__size_system(q, i)->machine.id);
}

/* Nothing is aimed at but to fill the power budget that every choice has. */
static bool fills_budgets(const pm__size_question *q)
{
  bool all = pm__size_fills(q);
  for (size_t i = 0; i < q->setup.count; i++)
    all = all && !isnan(pm__task_get_real(pm__size_choice_run(q, i), q->task->at.budget));
  return all;
}

/* A latency is of calls, and only a rate is aimed at with replicas. */
static int check_task(const pm__size_question *q, pm_error *error)
{
  const char *name = q->task->facts.name;
  if (q->task->find_batch == NULL && !isnan(q->goal->latency))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing for %s has no latency", name);
  if (q->task->facts.replicas && isnan(q->goal->rate) && !fills_budgets(q))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing for %s needs a rate or a power budget", name);
  return PM_OK;
}

static int check(const pm__size_question *q, pm_error *error)
{
  if (q->goal == NULL || q->setup.plan == NULL || q->setup.choices == NULL || q->setup.count == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a plan, a goal and choices");
  int status = check_task(q, error);
  if (status == PM_OK) status = check_goal(q->goal, fills_budgets(q), error);
  for (size_t i = 0; i < q->setup.count && status == PM_OK; i++) status = check_choice(q, i, error);
  return status;
}

/* Walks over counts are of GPUs that share work: of replicas, twice as many are twice as fast. */
static int check_walk(const pm__size_question *q, pm_error *error)
{
  int status = check(q, error);
  if (status != PM_OK || !q->task->facts.replicas) return status;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing for %s does not compare counts: GPUs are replicas",
                  q->task->facts.name);
}

/* ---- One choice -------------------------------------------------------------------------------------------------- */

typedef struct found {
  bool any, reached;
  pm__task_record run;
  pm__task_outcome prediction;
  double best, amount; /* of what is kept: its speed, and what is to be least of it, by the prediction */
  int32_t least, safe;
} found;

static void keep(const pm__size_question *q, const pm__size_block *block, int index, found *f)
{
  memcpy(&f->run, pm__size_run(q, block, index), q->task->at.size);
  f->prediction = pm__size_outcome(q, block, index);
}

/* Without a target samples/s say what is faster. */
static double speed_of(const pm__size_question *q, const void *run, const pm__task_outcome *p)
{
  if (!pm__size_fills(q)) return pm__size_reached(q, run, p, p->throughput);
  return p->status == PM_OK ? p->throughput : (double)NAN;
}

/* Of counts that reach the target the first, or that with least; of the others the fastest. */
static bool is_better(const found *f, bool reached, double speed, double amount)
{
  if (!f->any || reached != f->reached) return !f->any || reached;
  return reached ? amount < f->amount : speed > f->best;
}

/* Looks at one count; true if nothing more is to be found. */
static bool look(const pm__size_question *q, const pm__size_block *block, int index, found *f)
{
  const void *run = pm__size_run(q, block, index);
  const pm__task_outcome p = pm__size_outcome(q, block, index);
  double speed = speed_of(q, run, &p), amount = pm__size_predicted(q, &p);
  if (isnan(speed)) return false;
  bool reached = !pm__size_fills(q) && speed >= 1;
  if (is_better(f, reached, speed, amount)) {
    f->any = true;
    f->best = speed;
    f->amount = amount;
    f->reached = reached;
    keep(q, block, index, f);
  }
  int32_t nodes = block->first + index;
  if (f->least == 0 && pm__size_reached(q, run, &p, p.throughput_p90) >= 1) f->least = nodes;
  if (f->safe == 0 && pm__size_reached(q, run, &p, p.throughput_p10) >= 1) f->safe = nodes;
  return f->reached && (f->safe > 0 || isnan(p.throughput_p10)) && isinf(amount);
}

static int find(const pm__size_question *q, size_t choice, pm_size_choice *row)
{
  pm__size_block block;
  found f;
  bool done = false;
  memset(&f, 0, sizeof f);
  for (int first = 1; first <= pm__size_most(q, choice) && !done; first += PM__SIZE_BLOCK) {
    if (pm__size_evaluate(q, choice, first, &block) != PM_OK) return PM_STATUS_NO_MEMORY;
    if (first == 1) keep(q, &block, 0, &f); /* in case nothing works */
    for (int i = 0; i < block.count && !done; i++) done = look(q, &block, i, &f);
  }
  pm__size_fill(q, choice, &f.run, &f.prediction, row);
  if (!f.any) return PM_OK;
  row->nodes_least = f.least;
  row->nodes_safe = f.safe;
  if (!f.reached && !pm__size_fills(q)) row->status = PM_STATUS_UNREACHABLE;
  return PM_OK;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* Over that of the target or, where there is none, in samples/s. */
static double row_speed(const pm_size_choice *row)
{
  return isnan(row->reached) ? row->throughput : row->reached;
}

/* The order of two amounts, of which the smaller comes first and the unknown last: below 0, 0 or above 0. */
static int compare(double x, double y)
{
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

/* Less of what is to be least; of equals the cheaper one where prices are given, then the faster one; what is unknown
** comes last. Where nothing is to be least, a budget is filled, and speed decides. */
static bool before(const pm_size_choice *a, const pm_size_choice *b, int minimize)
{
  int order = compare(pm__size_objective(a, minimize), pm__size_objective(b, minimize));
  if (order == 0 && minimize >= 0) order = compare(a->cost, b->cost);
  if (order != 0) return order < 0;
  if (row_speed(a) != row_speed(b)) return row_speed(a) > row_speed(b);
  return a->choice < b->choice;
}

static bool beats(const pm_size_choice *a, const pm_size_choice *b, int minimize)
{
  double x = pm__size_objective(a, minimize), y = pm__size_objective(b, minimize);
  return x <= y && row_speed(a) >= row_speed(b) && (x < y || row_speed(a) > row_speed(b));
}

static void set_ranks(pm_size_choice *rows, size_t count, int minimize)
{
  for (size_t i = 0; i < count; i++) {
    bool known = rows[i].nodes > 0 && !isnan(pm__size_objective(&rows[i], minimize));
    rows[i].pareto = known;
    rows[i].rank = rows[i].status == PM_OK;
    for (size_t j = 0; j < count; j++) {
      if (j == i || rows[j].nodes == 0) continue;
      if (known && beats(&rows[j], &rows[i], minimize)) rows[i].pareto = 0;
      if (rows[i].rank > 0 && rows[j].status == PM_OK) rows[i].rank += before(&rows[j], &rows[i], minimize);
    }
  }
}

/* Best first, then what misses, nearest first. */
static int by_rank(const void *a, const void *b)
{
  const pm_size_choice *x = (const pm_size_choice *)a, *y = (const pm_size_choice *)b;
  int left = x->rank > 0 ? x->rank : INT32_MAX, right = y->rank > 0 ? y->rank : INT32_MAX;
  if (left != right) return left < right ? -1 : 1;
  if (x->reached != y->reached && !isnan(x->reached) && !isnan(y->reached)) return x->reached > y->reached ? -1 : 1;
  return x->choice < y->choice ? -1 : x->choice > y->choice;
}

static int size(const pm__size_question *q, pm_size_choice *choices, pm_error *error)
{
  if (choices == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a place for its choices");
  int status = check(q, error);
  if (status != PM_OK) return status;
  for (size_t i = 0; i < q->setup.count; i++) {
    if (q->task->facts.replicas) pm__size_fill_replicas(q, i, &choices[i]);
    else status = find(q, i, &choices[i]);
    if (status != PM_OK || choices[i].status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  }
  set_ranks(choices, q->setup.count, pm__size_fills(q) && q->goal->minimize == PM_MINIMIZE_NODES ? -1
                                     : q->goal->minimize); /* what fills a budget with more nodes is no worse */
  qsort(choices, q->setup.count, sizeof *choices, by_rank);
  return PM_OK;
}

/* ---- What takes less, and the front ------------------------------------------------------------------------------ */

static int find_next(const pm__size_question *q, const pm_size_choice *than, pm_size_choice *next, pm_error *error)
{
  pm__size_block block;
  int status = check_walk(q, error);
  if (status != PM_OK) return status;
  if (than == NULL || next == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                                                    "the choice or the place for it is missing");
  double limit = pm__size_objective(than, q->goal->minimize), best = 0;
  for (size_t c = 0; c < q->setup.count; c++)
    for (int first = 1; first <= pm__size_most(q, c); first += PM__SIZE_BLOCK) {
      if (!(pm__size_amount(q, c, first) < limit)) break;
      if (pm__size_evaluate(q, c, first, &block) != PM_OK) return pm__no_memory(error);
      for (int i = 0; i < block.count && pm__size_amount(q, c, first + i) < limit; i++) {
        const pm__task_outcome p = pm__size_outcome(q, &block, i);
        double speed = speed_of(q, pm__size_run(q, &block, i), &p);
        if (!(speed > best && pm__size_predicted(q, &p) < limit)) continue;
        best = speed;
        pm__size_fill(q, c, pm__size_run(q, &block, i), &p, next);
      }
    }
  if (best > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_UNREACHABLE, "nothing takes less");
}

/* Drops the rows that the new one beats; false if one of them beats it. Rows are few, for a count is only worth a row
** if it is faster than all that take less. */
static bool enters(pm_size_choice *rows, size_t *count, const pm_size_choice *row, int minimize)
{
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (beats(&rows[i], row, minimize) ||
        (pm__size_objective(&rows[i], minimize) == pm__size_objective(row, minimize) &&
                                           row_speed(&rows[i]) == row_speed(row)))
      return false;
  for (size_t i = 0; i < *count; i++)
    if (!beats(row, &rows[i], minimize)) rows[kept++] = rows[i];
  *count = kept;
  return true;
}

static void insert(pm_size_choice *rows, size_t *count, const pm_size_choice *row, int minimize)
{
  size_t at = (*count)++;
  for (; at > 0 && before(row, &rows[at - 1], minimize); at--) rows[at] = rows[at - 1];
  rows[at] = *row;
}

/* What the dearest answer takes; NAN without memory. As far as that every choice is looked at, so that nothing on the
** front is beaten by a count that was not. */
static double dearest(const pm__size_question *q)
{
  double most = 0;
  pm_size_choice row;
  for (size_t c = 0; c < q->setup.count; c++) {
    if (find(q, c, &row) != PM_OK) return NAN;
    double amount = pm__size_objective(&row, q->goal->minimize);
    if (amount > most) most = amount;
  }
  return most;
}

static int add_counts(const pm__size_question *q, size_t choice, double most, pm_size_choice *rows, size_t *count,
                      size_t capacity)
{
  pm__size_block block;
  pm_size_choice row;
  for (int first = 1; first <= pm__size_most(q, choice); first += PM__SIZE_BLOCK) {
    if (!(pm__size_amount(q, choice, first) <= most)) return PM_OK;
    if (pm__size_evaluate(q, choice, first, &block) != PM_OK) return PM_STATUS_NO_MEMORY;
    for (int i = 0; i < block.count && pm__size_amount(q, choice, first + i) <= most; i++) {
      const pm__task_outcome p = pm__size_outcome(q, &block, i);
      if (p.status != PM_OK || !(pm__size_predicted(q, &p) <= most)) continue;
      pm__size_fill(q, choice, pm__size_run(q, &block, i), &p, &row);
      row.pareto = 1;
      if (row.reached < 1) row.status = PM_STATUS_UNREACHABLE;
      if (!enters(rows, count, &row, q->goal->minimize)) continue;
      if (*count == capacity) return PM_STATUS_BAD_ARGUMENT;
      insert(rows, count, &row, q->goal->minimize);
    }
  }
  return PM_OK;
}

static int find_front(const pm__size_question *q, pm_size_choice *rows, size_t capacity, pm_error *error)
{
  size_t count = 0;
  if (check_walk(q, error) != PM_OK) return -1;
  if (rows == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a front needs a place for its rows"), -1;
  double most = dearest(q);
  int status = isnan(most) ? PM_STATUS_NO_MEMORY : PM_OK;
  for (size_t c = 0; c < q->setup.count && status == PM_OK; c++)
    status = add_counts(q, c, most, rows, &count, capacity);
  if (status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  else if (status != PM_OK)
    pm__fail(error, status, "the front has more than %zu rows; try fewer nodes", capacity);
  return status == PM_OK ? (int)count : -1;
}

/* ---- For programs that know shorter runs ------------------------------------------------------------------------- */

/* A question whose runs are the library's own. */
typedef struct own_question {
  pm__size_question q;
  void *runs, *inputs; /* allocated, if they had to be */
} own_question;

static int take(const pm_size_setup *setup, const pm_size_goal *goal, own_question *own, pm_error *error)
{
  memset(own, 0, sizeof *own);
  const pm__task *task = setup != NULL ? pm__task_at(setup->task) : NULL;
  if (task == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a setup with a task");
  own->q = (pm__size_question){*setup, goal, task};
  int status = pm__record_size_check(task->facts.run, setup->run_size, error);
  if (status == PM_OK && setup->input_runs != NULL)
    status = pm__record_size_check("input_run", setup->input_run_size, error);
  if (status != PM_OK) return status;
  pm__record_array runs = {task->facts.run, setup->choices, setup->run_size};
  pm__record_array inputs = {"input_run", setup->input_runs, setup->input_run_size};
  own->q.setup.choices = pm__record_read_all(&runs, setup->count, &own->runs, error);
  own->q.setup.input_runs = (const pm_input_run *)pm__record_read_all(&inputs, setup->count, &own->inputs, error);
  bool all = (own->q.setup.choices != NULL) == (setup->choices != NULL) &&
             (own->q.setup.input_runs != NULL) == (setup->input_runs != NULL);
  return all ? PM_OK : PM_STATUS_NO_MEMORY;
}

static void drop(own_question *own)
{
  free(own->runs);
  free(own->inputs);
}

int pm_size_evaluate(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *choices, pm_error *error)
{
  own_question own;
  int status = take(setup, goal, &own, error);
  if (status == PM_OK) status = size(&own.q, choices, error);
  drop(&own);
  return status;
}

int pm_size_find_next(const pm_size_setup *setup, const pm_size_goal *goal, const pm_size_choice *than,
                      pm_size_choice *next, pm_error *error)
{
  own_question own;
  int status = take(setup, goal, &own, error);
  if (status == PM_OK) status = find_next(&own.q, than, next, error);
  drop(&own);
  return status;
}

int pm_size_find_front(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *rows, size_t capacity,
                       pm_error *error)
{
  own_question own;
  int status = take(setup, goal, &own, error);
  int count = status == PM_OK ? find_front(&own.q, rows, capacity, error) : -1;
  drop(&own);
  return count;
}
