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

pm_size_goal pm_size_goal_make(void)
{
  return (pm_size_goal){NAN, NAN, NAN, NAN, NAN, PM_MINIMIZE_NODES, 1024, 1, NAN, 32, 1};
}

/* ---- Checks ---------------------------------------------------------------------------------------------------- */

static int check_positive(const char *what, double value, bool needed, pm_error *error)
{
  if (isnan(value)) return needed ? pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s is not given", what) : PM_OK;
  if (value > 0 && isfinite(value)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not positive and finite", what, value);
}

static int check_target(const pm_size_goal *goal, pm_error *error)
{
  bool by_rate = !isnan(goal->rate);
  if (by_rate && !isnan(goal->within))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a rate and a time are both given; give one");
  if (!by_rate && isnan(goal->within))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "nothing is aimed at: give a rate, or epochs and a time for them");
  int status = check_positive("rate", goal->rate, by_rate, error);
  if (status == PM_OK) status = check_positive("epochs", goal->epochs, !by_rate, error);
  if (status == PM_OK) status = check_positive("within", goal->within, !by_rate, error);
  if (status == PM_OK) status = check_positive("samples", goal->samples, !by_rate, error);
  if (status == PM_OK) status = check_positive("global batch", goal->global_batch, false, error);
  return status;
}

int pm__size_check_goal(const pm_size_goal *goal, pm_error *error)
{
  int status = check_target(goal, error);
  if (status == PM_OK) status = check_positive("sample_size", goal->sample_size, false, error);
  if (status != PM_OK) return status;
  if (!(goal->pue >= 1 && goal->pue <= 10))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "PUE %g is not within 1 and 10", goal->pue);
  if (goal->minimize < 0 || goal->minimize >= PM_MINIMIZE_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is nothing to minimise with number %d", goal->minimize);
  if (goal->max_nodes >= 1 && goal->max_nodes <= 1000000) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "max_nodes %d is not within 1 and 1000000", goal->max_nodes);
}

int pm__size_check_price(const double *prices, size_t choice, const pm_machine *machine, pm_error *error)
{
  if (prices == NULL || isnan(prices[choice]) || (prices[choice] > 0 && isfinite(prices[choice]))) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "price %g of system \"%s\" is not positive", prices[choice],
                  machine->id);
}

static int check_choice(const pm_size_setup *setup, size_t i, pm_error *error)
{
  int32_t system = setup->choices[i].system_index;
  if (system < 0 || (size_t)system >= setup->plan->system_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "system %d is not in the plan", system);
  return pm__size_check_price(setup->prices, i, &setup->plan->systems[system].system->machine, error);
}

static int check(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  if (setup == NULL || goal == NULL || setup->plan == NULL || setup->choices == NULL || setup->count == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a plan, a goal and something to choose from");
  int status = pm__size_check_goal(goal, error);
  for (size_t i = 0; i < setup->count && status == PM_OK; i++) status = check_choice(setup, i, error);
  return status;
}

/* ---- One choice -------------------------------------------------------------------------------------------------- */

typedef struct found {
  bool any, reached;
  pm_run run;
  pm_prediction prediction;
  double best; /* speed of the fastest so far */
  int32_t least, safe;
} found;

/* Looks at one count; true if nothing more is to be found. */
static bool look(const pm_size_goal *goal, const pm_run *run, const pm_prediction *p, found *f)
{
  double speed = pm__size_reached(goal, run, p, p->throughput);
  if (isnan(speed)) return false;
  bool better = !f->any || (!f->reached && speed > f->best);
  if (better) {
    f->any = true;
    f->run = *run;
    f->prediction = *p;
    f->best = speed;
    f->reached = speed >= 1;
  }
  if (f->least == 0 && pm__size_reached(goal, run, p, p->throughput_p90) >= 1) f->least = run->nodes;
  if (f->safe == 0 && pm__size_reached(goal, run, p, p->throughput_p10) >= 1) f->safe = run->nodes;
  return f->reached && (f->safe > 0 || isnan(p->throughput_p10));
}

static int find(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, pm_size_choice *row)
{
  pm__size_block block;
  found f;
  bool done = false;
  memset(&f, 0, sizeof f);
  for (int first = 1; first <= goal->max_nodes && !done; first += PM__SIZE_BLOCK) {
    if (pm__size_evaluate(setup, goal, choice, first, goal->max_nodes, &block) != PM_OK) return PM_STATUS_NO_MEMORY;
    if (first == 1) f.run = block.runs[0], f.prediction = block.predictions[0]; /* in case nothing works */
    for (int i = 0; i < block.count && !done; i++) done = look(goal, &block.runs[i], &block.predictions[i], &f);
  }
  pm__size_fill(setup, goal, choice, &f.run, &f.prediction, row);
  if (!f.any) return PM_OK;
  row->nodes_least = f.least;
  row->nodes_safe = f.safe;
  if (!f.reached) row->status = PM_STATUS_UNREACHABLE;
  return PM_OK;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* Less of what is to be least; of equals the faster one; what is unknown comes last. */
static bool before(const pm_size_choice *a, const pm_size_choice *b, int minimize)
{
  double x = pm_size_get_objective(a, minimize), y = pm_size_get_objective(b, minimize);
  if (isnan(x) != isnan(y)) return isnan(y);
  if (!isnan(x) && x != y) return x < y;
  if (a->reached != b->reached) return a->reached > b->reached;
  return a->choice < b->choice;
}

static bool beats(const pm_size_choice *a, const pm_size_choice *b, int minimize)
{
  double x = pm_size_get_objective(a, minimize), y = pm_size_get_objective(b, minimize);
  return x <= y && a->reached >= b->reached && (x < y || a->reached > b->reached);
}

void pm__size_rank(pm_size_choice *rows, size_t count, int minimize)
{
  for (size_t i = 0; i < count; i++) {
    bool known = rows[i].nodes > 0 && !isnan(pm_size_get_objective(&rows[i], minimize));
    rows[i].pareto = known;
    rows[i].rank = rows[i].status == PM_OK;
    for (size_t j = 0; j < count; j++) {
      if (j == i || rows[j].nodes == 0) continue;
      if (known && beats(&rows[j], &rows[i], minimize)) rows[i].pareto = 0;
      if (rows[i].rank > 0 && rows[j].status == PM_OK) rows[i].rank += before(&rows[j], &rows[i], minimize);
    }
  }
}

static int size(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *choices, pm_error *error)
{
  if (choices == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a place for its choices");
  int status = check(setup, goal, error);
  if (status != PM_OK) return status;
  for (size_t i = 0; i < setup->count; i++)
    if (find(setup, goal, i, &choices[i]) != PM_OK) return pm__no_memory(error);
  pm__size_rank(choices, setup->count, goal->minimize);
  return PM_OK;
}

/* ---- What takes less, and the front ------------------------------------------------------------------------------ */

static int find_next(const pm_size_setup *setup, const pm_size_goal *goal, const pm_size_choice *than,
                     pm_size_choice *next, pm_error *error)
{
  pm__size_block block;
  int status = check(setup, goal, error);
  if (status != PM_OK) return status;
  if (than == NULL || next == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a choice and a place are needed");
  double limit = pm_size_get_objective(than, goal->minimize), best = 0;
  for (size_t c = 0; c < setup->count; c++)
    for (int first = 1; first <= goal->max_nodes; first += PM__SIZE_BLOCK) {
      if (!(pm__size_amount(setup, goal, c, first) < limit)) break;
      if (pm__size_evaluate(setup, goal, c, first, goal->max_nodes, &block) != PM_OK) return pm__no_memory(error);
      for (int i = 0; i < block.count && pm__size_amount(setup, goal, c, first + i) < limit; i++) {
        double speed = pm__size_reached(goal, &block.runs[i], &block.predictions[i], block.predictions[i].throughput);
        if (!(speed > best)) continue;
        best = speed;
        pm__size_fill(setup, goal, c, &block.runs[i], &block.predictions[i], next);
      }
    }
  if (best > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_UNREACHABLE, "nothing takes less");
}

/* Drops the rows that the new one beats; false if one of them beats it. Rows are few, for a count is only worth a row if it
** is faster than all that take less. */
static bool enters(pm_size_choice *rows, size_t *count, const pm_size_choice *row, int minimize)
{
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (beats(&rows[i], row, minimize) ||
        (pm_size_get_objective(&rows[i], minimize) == pm_size_get_objective(row, minimize) &&
                                           rows[i].reached == row->reached))
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

/* What the dearest answer takes; NAN without memory. As far as that every choice is looked at, so that nothing on the front is beaten by a count
** that was not. */
static double dearest(const pm_size_setup *setup, const pm_size_goal *goal)
{
  double most = 0;
  pm_size_choice row;
  for (size_t c = 0; c < setup->count; c++) {
    if (find(setup, goal, c, &row) != PM_OK) return NAN;
    double amount = pm_size_get_objective(&row, goal->minimize);
    if (amount > most) most = amount;
  }
  return most;
}

static int add_counts(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, double most,
                      pm_size_choice *rows, size_t *count, size_t capacity)
{
  pm__size_block block;
  pm_size_choice row;
  for (int first = 1; first <= goal->max_nodes; first += PM__SIZE_BLOCK) {
    if (!(pm__size_amount(setup, goal, choice, first) <= most)) return PM_OK;
    if (pm__size_evaluate(setup, goal, choice, first, goal->max_nodes, &block) != PM_OK) return PM_STATUS_NO_MEMORY;
    for (int i = 0; i < block.count && pm__size_amount(setup, goal, choice, first + i) <= most; i++) {
      if (block.predictions[i].status != PM_OK) continue;
      pm__size_fill(setup, goal, choice, &block.runs[i], &block.predictions[i], &row);
      row.pareto = 1;
      if (!(row.reached >= 1)) row.status = PM_STATUS_UNREACHABLE;
      if (!enters(rows, count, &row, goal->minimize)) continue;
      if (*count == capacity) return PM_STATUS_BAD_ARGUMENT;
      insert(rows, count, &row, goal->minimize);
    }
  }
  return PM_OK;
}

static int find_front(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *rows, size_t capacity,
                      pm_error *error)
{
  size_t count = 0;
  if (check(setup, goal, error) != PM_OK) return -1;
  if (rows == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a front needs a place for its rows"), -1;
  double most = dearest(setup, goal);
  int status = isnan(most) ? PM_STATUS_NO_MEMORY : PM_OK;
  for (size_t c = 0; c < setup->count && status == PM_OK; c++)
    status = add_counts(setup, goal, c, most, rows, &count, capacity);
  if (status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  else if (status != PM_OK)
    pm__fail(error, status, "the front has more than %zu rows; try fewer nodes", capacity);
  return status == PM_OK ? (int)count : -1;
}

/* ---- For programs that know shorter runs ------------------------------------------------------------------------- */

/* A setup whose runs are the library's own. */
typedef struct own_setup {
  pm_size_setup setup;
  void *runs, *inputs; /* allocated, if they had to be */
} own_setup;

static int take(const pm_size_setup *setup, const pm_run_sizes *sizes, own_setup *own, pm_error *error)
{
  memset(own, 0, sizeof *own);
  if (setup == NULL || sizes == NULL) return check(NULL, NULL, error);
  own->setup = *setup;
  int status = pm__record_size_check("run", sizes->run, error);
  if (status == PM_OK) status = pm__record_size_check("input_run", sizes->input_run, error);
  if (status != PM_OK) return status;
  pm__record_array runs = {"run", setup->choices, sizes->run}, inputs = {"input_run", setup->input_runs, sizes->input_run};
  own->setup.choices = (const pm_run *)pm__record_read_all(&runs, setup->count, &own->runs, error);
  own->setup.input_runs = (const pm_input_run *)pm__record_read_all(&inputs, setup->count, &own->inputs, error);
  bool all = (own->setup.choices != NULL) == (setup->choices != NULL) &&
             (own->setup.input_runs != NULL) == (setup->input_runs != NULL);
  return all ? PM_OK : PM_STATUS_NO_MEMORY;
}

static void drop(own_setup *own)
{
  free(own->runs);
  free(own->inputs);
}

int pm_size_check_sized(const pm_size_setup *setup, const pm_run_sizes *sizes, const pm_size_goal *goal,
                        pm_error *error)
{
  own_setup own;
  int status = take(setup, sizes, &own, error);
  if (status == PM_OK) status = check(&own.setup, goal, error);
  drop(&own);
  return status;
}

int pm_size_evaluate_sized(const pm_size_setup *setup, const pm_run_sizes *sizes, const pm_size_goal *goal,
                  pm_size_choice *choices, pm_error *error)
{
  own_setup own;
  int status = take(setup, sizes, &own, error);
  if (status == PM_OK) status = size(&own.setup, goal, choices, error);
  drop(&own);
  return status;
}

int pm_size_find_next_sized(const pm_size_setup *setup, const pm_run_sizes *sizes, const pm_size_goal *goal,
                       const pm_size_choice *than, pm_size_choice *next, pm_error *error)
{
  own_setup own;
  int status = take(setup, sizes, &own, error);
  if (status == PM_OK) status = find_next(&own.setup, goal, than, next, error);
  drop(&own);
  return status;
}

int pm_size_find_front_sized(const pm_size_setup *setup, const pm_run_sizes *sizes, const pm_size_goal *goal,
                        pm_size_choice *rows, size_t capacity, pm_error *error)
{
  own_setup own;
  int count = -1;
  if (take(setup, sizes, &own, error) == PM_OK)
    count = find_front(&own.setup, goal, rows, capacity, error);
  drop(&own);
  return count;
}
