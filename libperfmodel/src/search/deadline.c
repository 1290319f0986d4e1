/*
** How many GPUs for a deadline. For every count of nodes the best plan is searched, until training all tokens or
** samples with it (step/training.c) is within the deadline; for the least energy, of all counts. No network is trained
** faster than its FLOP at the peak of the GPUs, so counts that this excludes are left out; only of networks that read
** tokens, for algorithms of convolutions save FLOP.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "plan/energy.h"
#include "record/sized.h"
#include "search/parallel_search.h"
#include "search/size.h"
#include "step/screen.h"
#include "hardware/kernel_calibration.h"

enum { NODES_MOST = 100000 };

typedef struct question {
  const pm_plan *plan;
  const pm__search_base *bases; /* of the same run in each class of software */
  size_t count;
  pm_run base;                  /* the first of them */
  double global_batch, samples; /* of a step; of all */
  const pm_training_goal *goal;
} question;

/* ---- What is asked ---- */

/* What is trained on, failures and checkpoints are fields of the run too, which checks them. */
static void take_goal(const pm_training_goal *goal, pm_run *run)
{
  run->tokens = goal->tokens;
  run->samples = goal->samples;
  run->gpu_mtbf = goal->gpu_mtbf;
  run->node_mtbf = goal->node_mtbf;
  run->checkpoint_rate = goal->checkpoint_rate;
  run->checkpoint = goal->checkpoint;
  run->restart = goal->restart;
  run->interval = goal->interval;
  run->pue = goal->pue;
  run->gpu_hour_price = goal->gpu_hour_price;
}

static int check(const question *q, pm_error *error)
{
  const pm_training_goal *goal = q->goal;
  if (isnan(goal->samples) && isnan(goal->tokens))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "give either samples or tokens to train on");
  if (isnan(goal->within)) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the time limit is missing: give within");
  if (!(goal->within > 0 && isfinite(goal->within)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "within %g is not positive and finite", goal->within);
  if (!isnan(goal->price) && !(goal->price > 0 && isfinite(goal->price)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "price %g is not positive and finite", goal->price);
  if (goal->max_nodes < 1 || goal->max_nodes > NODES_MOST)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "max_nodes %d is not within 1 and %d", goal->max_nodes, NODES_MOST);
  return PM_OK;
}

static void count_samples(question *q)
{
  const pm__plan_network *network = &q->plan->networks[q->base.network_index];
  q->samples = isnan(q->goal->tokens) ? q->goal->samples : q->goal->tokens / network->tokens;
}

static int gpus_of(const question *q)
{
  return q->plan->systems[q->base.system_index].system->machine.gpus;
}

/* ---- Fewest nodes that could be enough ---- */

static int least_nodes(const question *q, int most)
{
  pm_run run;
  pm__step step;
  const pm__plan_network *network = &q->plan->networks[q->base.network_index];
  if (isnan(network->tokens) ||
      pm__step_take_one_gpu(&step, &run, q->plan, &q->base, q->base.precision) != PM_OK) return 1;
  double rate = (step.s.linear != NULL ? step.s.linear : step.s.device)->peak * gpus_of(q);
  double nodes = ceil(q->samples * network->training_flop / rate / q->goal->within);
  return nodes <= 1 ? 1 : nodes > most ? most : (int)nodes;
}

/* ---- One count ---- */

static void set_amounts(const question *q, const pm_prediction *p, pm_training *row)
{
  const pm_training_goal *goal = q->goal;
  const pm_system *system = q->plan->systems[q->base.system_index].system;
  row->checkpoint_size = p->checkpoint_size;
  row->mtbf = p->mtbf;
  row->checkpoint = p->checkpoint_time;
  row->interval = p->checkpoint_interval;
  row->goodput = p->goodput;
  row->time = p->training_time;
  row->time_p10 = p->training_time_p10;
  row->time_p90 = p->training_time_p90;
  row->global_batch = q->global_batch;
  row->reached = goal->within / row->time;
  row->gpu_hours = p->training_gpu_hours;
  row->design_power = row->nodes * pm__energy_node_design(system, q->base.power_limit) * goal->pue;
  row->gpu_design_power = row->gpus * pm__energy_board_design(system, q->base.power_limit) * goal->pue;
  row->power = p->site_power;
  row->energy = p->training_energy;
  row->carbon = p->training_carbon;
  row->energy_cost = p->training_energy_cost;
  row->price = goal->price;
  row->cost = row->nodes * goal->price;
  row->rack_units = row->nodes * system->machine.rack_units;
  row->gpu_hour_cost = p->training_cost;
}

static void fill(const question *q, const pm_run *run, pm_training *row)
{
  pm_prediction p;
  const pm__plan_framework *framework = pm__plan_framework_at(q->plan, run->framework_index, run->system_index);
  pm_predict(q->plan, run, &p, 1);
  pm_record_clear(pm_record_type_find("training"), row);
  row->status = PM_OK;
  row->choice = run->system_index;
  snprintf(row->system, sizeof row->system, "%s", q->plan->systems[run->system_index].system->machine.id);
  if (framework != NULL) snprintf(row->framework, sizeof row->framework, "%s", framework->profile.framework.id);
  row->nodes = run->nodes;
  row->gpus = pm__plan_total_gpus(run->gpus, run->nodes);
  pm__search_plan_text(run, row->plan, sizeof row->plan);
  row->step_time = p.step_time;
  row->throughput = p.throughput;
  row->tokens_per_second = p.tokens_per_second;
  row->mfu = p.mfu;
  row->memory = p.memory;
  set_amounts(q, &p, row);
}

/* The surest plan; PM_STATUS_DOES_NOT_FIT if none fits. */
static int find_best(const question *q, const pm_search *search, pm_training *row, pm_error *error)
{
  size_t number;
  pm_search_result *result = pm_search_result_new(search, 1, PM_MINIMIZE_NODES, error);
  if (result == NULL) return PM_STATUS_NO_MEMORY;
  int status = pm_search_evaluate(search, 0, pm_search_count(search), result);
  if (status != PM_OK) status = pm__no_memory(error);
  if (status == PM_OK && pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 0, &number) != PM_OK)
    status = PM_STATUS_DOES_NOT_FIT;
  if (status == PM_OK) {
    const pm_run run = pm__search_run_of(search, number);
    fill(q, &run, row);
  }
  pm_search_result_free(result);
  return status;
}

/* Of the plans that meet the deadline the one with least energy; where none does, `row` stays. Time is no less than
** that of the steps, so few plans need a prediction of the whole. */
static int find_least(const question *q, const pm_search *search, pm_training *row, pm_error *error)
{
  double least = INFINITY, steps = ceil(q->samples / q->global_batch);
  pm__step_screen *screen = pm__step_screen_new(search->plan, true);
  if (screen == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < search->plans.count; i++) {
    pm_training other;
    const pm_run run = pm__search_run_of(search, i);
    const pm__step_screened a = pm__step_screen_run(screen, &search->bases[search->plans.plan[i].base].run, &run);
    if (a.status != PM_OK || !(a.energy < least) || steps * a.step_time > q->goal->within) continue;
    fill(q, &run, &other);
    if (!(other.reached >= 1)) continue;
    least = a.energy;
    *row = other;
  }
  pm__step_screen_free(screen);
  return PM_OK;
}

/* Carbon and price are proportional to energy. */
static bool wants_least_energy(const question *q)
{
  int32_t minimize = q->goal->minimize;
  return minimize == PM_MINIMIZE_ENERGY || minimize == PM_MINIMIZE_CARBON || minimize == PM_MINIMIZE_ENERGY_COST;
}

static int evaluate(const question *q, int nodes, pm_training *row, pm_error *error)
{
  pm_error own = PM_ERROR_NONE;
  pm__search_base bases[PM__SOFTWARE_CLASSES];
  for (size_t i = 0; i < q->count; i++) {
    bases[i] = q->bases[i];
    bases[i].run.gpus = gpus_of(q);
    bases[i].run.nodes = nodes;
    take_goal(q->goal, &bases[i].run);
  }
  pm_search *search = pm__search_new(q->plan, bases, q->count, q->global_batch, &own);
  if (search == NULL && own.status == PM_STATUS_NOT_FOUND) return own.status;
  if (search == NULL) return pm__fail(error, own.status, "%s", own.text);
  int status = find_best(q, search, row, error);
  if (status == PM_OK && row->reached >= 1 && wants_least_energy(q)) status = find_least(q, search, row, error);
  pm_search_free(search);
  return status;
}

/* ---- All counts ---- */

typedef struct rows {
  pm_training *row;
  size_t count, capacity;
} rows;

static bool add(rows *all, const pm_training *row)
{
  pm_training *grown = (pm_training *)pm__grow(all->row, all->count, &all->capacity, sizeof *grown);
  if (grown == NULL) return false;
  all->row = grown;
  grown[all->count++] = *row;
  return true;
}

/* Nodes without a network between them are no machine; a power budget feeds so many of them. */
static int most_nodes(const question *q)
{
  const pm_system *system = q->plan->systems[q->base.system_index].system;
  const pm__plan_site site = {.pue = q->goal->pue, .budget = q->base.power_budget, .limit = q->base.power_limit};
  double fed = pm__energy_budget_nodes(system, site);
  int most = fed < q->goal->max_nodes ? (int)fmax(1, fed) : q->goal->max_nodes;
  return pm_system_get_network_bandwidth(system) > 0 ? most : 1;
}

/* Why there is no row. */
static int refuse(const question *q, bool fits, int most, pm_error *error)
{
  const char *network = q->plan->networks[q->base.network_index].network->id;
  const pm_system *system = q->plan->systems[q->base.system_index].system;
  const char *alone = most == q->goal->max_nodes ? ""
                      : pm_system_get_network_bandwidth(system) > 0 ? ", as many as the power budget feeds"
                                                                    : ", and its system has no network between nodes";
  const char *plural = most == 1 ? "" : "s";
  if (!fits)
    return pm__fail(error, PM_STATUS_DOES_NOT_FIT, "no plan for \"%s\" fits in memory on at most %d node%s%s",
                    network, most, plural, alone);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "no parallel plan of \"%s\" has at most %d node%s with a global batch of "
                  "%.0f%s", network, most, plural, q->global_batch, alone);
}

/* Of counts that meet the deadline, the one with less energy; of the others, the faster one. */
static bool is_better(const question *q, const pm_training *row, const pm_training *last)
{
  bool met = last->reached >= 1;
  return met ? wants_least_energy(q) && row->reached >= 1 && row->energy < last->energy : row->time < last->time;
}

/* More nodes than the fewest may need less energy, as their plans recompute or wait less. */
static bool is_last(const question *q, const rows *all)
{
  return all->count > 0 && all->row[all->count - 1].reached >= 1 && !wants_least_energy(q);
}

static int evaluate_all(const question *q, rows *all, pm_error *error)
{
  bool fits = true;
  int most = most_nodes(q);
  for (int nodes = least_nodes(q, most); nodes <= most && !is_last(q, all); nodes++) {
    pm_training row;
    int status = evaluate(q, nodes, &row, error);
    if (status == PM_STATUS_DOES_NOT_FIT) fits = false;
    if (status == PM_STATUS_DOES_NOT_FIT || status == PM_STATUS_NOT_FOUND) continue;
    if (status != PM_OK) return status;
    bool better = all->count == 0 || is_better(q, &row, &all->row[all->count - 1]);
    if (better && !add(all, &row)) return pm__no_memory(error);
  }
  return all->count > 0 ? PM_OK : refuse(q, fits, most, error);
}

static int check_question(question *q, pm_error *error)
{
  int status = check(q, error);
  for (size_t i = 0; i < q->count && status == PM_OK; i++) {
    pm_run one = q->bases[i].run;
    one.gpus = one.nodes = 1;
    take_goal(q->goal, &one);
    status = pm__search_base_check(q->plan, &one, error);
  }
  q->base = q->bases[0].run;
  if (status == PM_OK)
    status = pm__size_check_least(q->goal->minimize, q->base.carbon, q->base.energy_price, error);
  if (status == PM_OK) count_samples(q);
  return status;
}

int pm__search_find_training(const pm__search_training *asked, pm_training **found, size_t *count, pm_error *error)
{
  rows all = {NULL, 0, 0};
  question q = {.plan = asked->plan, .bases = asked->bases, .count = asked->count, .goal = asked->goal,
                .global_batch = asked->global_batch};
  int status = check_question(&q, error);
  if (status == PM_OK) status = evaluate_all(&q, &all, error);
  if (status != PM_OK) free(all.row);
  *found = status == PM_OK ? all.row : NULL;
  *count = status == PM_OK ? all.count : 0;
  return status;
}

pm_table *pm__search_tabulate_training(const pm__search_training *asked, pm_error *error)
{
  pm_training *found;
  size_t count;
  if (pm__search_find_training(asked, &found, &count, error) != PM_OK) return NULL;
  pm_table *table = pm_table_new_of_records(pm_record_type_find("training"), found, count, error);
  free(found);
  return table;
}

pm_table *pm_training_tabulate_sized(const pm_plan *plan, const pm_run *base, size_t run_size, double global_batch,
                                     const pm_training_goal *goal, pm_error *error)
{
  pm__search_base own = {.which = -1};
  pm_table *none = NULL;
  if (plan == NULL || base == NULL || goal == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a deadline needs a plan, a run and a goal"), none;
  if (pm__record_size_check("run", run_size, error) != PM_OK) return none;
  own.run = *(const pm_run *)pm__record_read(&(pm__record_array){"run", base, run_size}, 0, &own.run);
  return pm__search_tabulate_training(&(pm__search_training){plan, &own, 1, global_batch, goal}, error);
}
