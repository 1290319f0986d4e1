/* One count of one choice: its run, its prediction, its row. */
#include <math.h>
#include <string.h>
#include "plan/energy.h"
#include "search/size.h"

enum { HOUR = 3600 };

const void *pm__size_choice_run(const pm__size_question *q, size_t choice)
{
  return (const char *)q->setup.choices + choice * q->task->at.size;
}

const pm_system *pm__size_system(const pm__size_question *q, size_t choice)
{
  return q->setup.plan->systems[pm__task_get(pm__size_choice_run(q, choice), q->task->at.system)].system;
}

/* What the input path brings to one of so many nodes; `rate`: what its GPUs would take. */
static int input_of(const pm__size_question *q, size_t choice, int nodes, double rate, pm_input_rates *rates)
{
  pm_input_run run = q->setup.input_runs != NULL ? q->setup.input_runs[choice] : pm_input_run_make();
  run.nodes = nodes;
  run.gpus = pm__task_get(pm__size_choice_run(q, choice), q->task->at.gpus);
  run.gpu_rate = rate;
  pm_input_evaluate(&q->setup.inputs[choice], &run, rates, 1);
  return rates->status;
}

/* ---- Power budgets ---- */

static double budget_of(const pm__size_question *q, size_t choice)
{
  return pm__task_get_real(pm__size_choice_run(q, choice), q->task->at.budget);
}

static double limit_of(const pm__size_question *q, size_t choice)
{
  return pm__task_get_real(pm__size_choice_run(q, choice), q->task->at.limit);
}

static double fed_nodes(const pm__size_question *q, size_t choice)
{
  const pm__plan_site site = {.pue = q->goal->pue, .budget = budget_of(q, choice), .limit = limit_of(q, choice)};
  return pm__energy_budget_nodes(pm__size_system(q, choice), site);
}

int pm__size_most(const pm__size_question *q, size_t choice)
{
  double fed = fed_nodes(q, choice);
  return fed < q->goal->max_nodes ? (int)fmax(1, fed) : q->goal->max_nodes;
}

bool pm__size_fills(const pm__size_question *q)
{
  return isnan(q->goal->rate) && isnan(q->goal->within);
}

/* A global batch that does not divide over the ranks is no batch. */
static void set_batch(const pm__size_question *q, void *run)
{
  if (isnan(q->goal->global_batch)) return;
  double share = q->goal->global_batch / q->task->count_batches(run);
  *pm__task_batch(q->task, run) = share == floor(share) ? share : (double)NAN;
}

/* The PUE is that of the question. */
static void copy_run(const pm__size_question *q, size_t choice, void *run)
{
  memcpy(run, pm__size_choice_run(q, choice), q->task->at.size);
  *pm__task_real(run, q->task->at.pue) = q->goal->pue;
}

static void make_run(const pm__size_question *q, size_t choice, int nodes, void *run)
{
  pm_input_rates rates;
  double rate = NAN;
  copy_run(q, choice, run);
  *pm__task_int(run, q->task->at.nodes) = nodes;
  set_batch(q, run);
  if (q->task->set_input == NULL) return;
  if (q->setup.inputs != NULL && input_of(q, choice, nodes, NAN, &rates) == PM_OK) rate = rates.input;
  q->task->set_input(run, q->goal->samples, q->setup.inputs != NULL, rate,
                     q->setup.input_runs != NULL && q->setup.input_runs[choice].prefetch == 0);
}

const void *pm__size_run(const pm__size_question *q, const pm__size_block *block, int index)
{
  return block->runs[0].bytes + (size_t)index * q->task->at.size;
}

pm__task_outcome pm__size_outcome(const pm__size_question *q, const pm__size_block *block, int index)
{
  return q->task->read(block->answers[0].bytes + (size_t)index * q->task->answer_size);
}

int pm__size_evaluate(const pm__size_question *q, size_t choice, int first, pm__size_block *block)
{
  int most = pm__size_most(q, choice);
  block->first = first;
  block->count = most - first + 1 < PM__SIZE_BLOCK ? most - first + 1 : PM__SIZE_BLOCK;
  for (int i = 0; i < block->count; i++)
    make_run(q, choice, first + i, block->runs[0].bytes + (size_t)i * q->task->at.size);
  q->task->predict(q->setup.plan, 0, block->runs, block->answers, (size_t)block->count);
  for (int i = 0; i < block->count; i++)
    if (pm__size_outcome(q, block, i).status == PM_STATUS_NO_MEMORY) return PM_STATUS_NO_MEMORY;
  return PM_OK;
}

/* Time of all epochs in whole steps; NAN if it is not known. */
static double time_of(const pm__size_question *q, const void *run, const pm__task_outcome *p)
{
  double batch = pm__task_get_real(run, q->task->at.batch);
  return q->goal->epochs * ceil(q->goal->samples / (batch * q->task->count_batches(run))) * p->time;
}

double pm__size_reached(const pm__size_question *q, const void *run, const pm__task_outcome *p, double throughput)
{
  if (p->status != PM_OK) return NAN;
  if (pm__size_fills(q)) return NAN;
  if (!isnan(q->goal->rate)) return throughput / q->goal->rate;
  return q->goal->within / time_of(q, run, p) * (throughput / p->throughput);
}

static double price_of(const pm__size_question *q, size_t choice)
{
  return q->setup.prices != NULL ? q->setup.prices[choice] : (double)NAN;
}

double pm__size_amount(const pm__size_question *q, size_t choice, int nodes)
{
  const pm_system *system = pm__size_system(q, choice);
  switch (q->goal->minimize) {
  case PM_MINIMIZE_COST: return nodes * price_of(q, choice);
  case PM_MINIMIZE_POWER: return nodes * pm__energy_node_design(system, limit_of(q, choice)) * q->goal->pue;
  case PM_MINIMIZE_RACK_UNITS: return nodes * system->machine.rack_units;
  case PM_MINIMIZE_ENERGY: case PM_MINIMIZE_CARBON: case PM_MINIMIZE_ENERGY_COST: return -INFINITY;
  default: return nodes;
  }
}

double pm__size_predicted(const pm__size_question *q, const pm__task_outcome *p)
{
  switch (q->goal->minimize) {
  case PM_MINIMIZE_ENERGY: return p->energy;
  case PM_MINIMIZE_CARBON: return p->carbon;
  case PM_MINIMIZE_ENERGY_COST: return p->energy_cost;
  default: return -INFINITY;
  }
}

int pm__size_check_least(int32_t minimize, double carbon, double price, pm_error *error)
{
  if (minimize == PM_MINIMIZE_CARBON && isnan(carbon))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the least carbon needs carbon, such as \"400 g/kWh\"");
  if (minimize == PM_MINIMIZE_ENERGY_COST && isnan(price))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the least energy-cost needs energy_price, such as \"0.1 EUR/kWh\"");
  return PM_OK;
}

double pm__size_objective(const pm_size_choice *row, int minimize)
{
  if (row == NULL) return NAN;
  switch (minimize) {
  case PM_MINIMIZE_NODES: return row->nodes > 0 ? row->nodes : (double)NAN;
  case PM_MINIMIZE_COST: return row->cost;
  case PM_MINIMIZE_POWER: return row->design_power;
  case PM_MINIMIZE_RACK_UNITS: return row->rack_units;
  case PM_MINIMIZE_ENERGY: return row->energy_per_sample;
  case PM_MINIMIZE_CARBON: return row->carbon_per_sample;
  case PM_MINIMIZE_ENERGY_COST: return row->energy_cost_per_sample;
  default: return NAN;
  }
}

/* ---- A row ------------------------------------------------------------------------------------------------------ */

static void set_machine(const pm__size_question *q, size_t choice, pm_size_choice *row)
{
  const pm_system *system = pm__size_system(q, choice);
  row->rack_units = row->nodes * system->machine.rack_units;
  row->design_power = row->nodes * pm__energy_node_design(system, limit_of(q, choice)) * q->goal->pue;
  row->power_basis = system->machine.power_basis;
  row->gpu_design_power = row->gpus * pm__energy_board_design(system, limit_of(q, choice)) * q->goal->pue;
  row->design_energy = row->design_power * row->time;
  row->price = price_of(q, choice);
  row->cost = row->nodes * row->price;
}

/* What they draw, by a prediction of `nodes` of them. */
static void set_energy(const pm__size_question *q, size_t choice, const pm__task_outcome *p, double nodes,
                       pm_size_choice *row)
{
  double node = p->power / nodes;
  row->power = row->nodes * node;
  row->energy = row->power * row->time;
  row->energy_per_sample = p->energy;
  row->carbon_per_sample = p->carbon;
  row->energy_cost_per_sample = p->energy_cost;
  row->draw_nodes = pm__energy_whole_nodes(budget_of(q, choice), node);
}

static void set_fabric(const pm__size_question *q, size_t choice, pm_size_choice *row)
{
  pm_fabric fabric;
  pm_fabric_choice wanted = pm_fabric_choice_make();
  row->switches = row->cables = row->nodes > 1 ? (double)NAN : 0;
  wanted.nodes = row->nodes;
  wanted.switch_ports = q->goal->switch_ports;
  wanted.oversubscription = q->goal->oversubscription;
  if (row->nodes < 2 || pm_fabric_evaluate(pm__size_system(q, choice), &wanted, &fabric, NULL) != PM_OK) return;
  row->switches = (double)fabric.first_switches + fabric.second_switches + fabric.third_switches;
  row->cables = fabric.cables;
}

static void set_input(const pm__size_question *q, size_t choice, pm_size_choice *row)
{
  pm_input_rates rates;
  row->storage_nodes = NAN;
  row->input_bottleneck = PM_INPUT_STAGE_UNKNOWN;
  if (q->setup.inputs == NULL) return;
  if (input_of(q, choice, row->nodes, row->throughput / row->nodes, &rates) == PM_OK)
    row->storage_nodes = rates.max_nodes;
  if (input_of(q, choice, row->nodes, NAN, &rates) == PM_OK) row->input_bottleneck = rates.bottleneck;
}

/* What the choice is, whether or not it can be predicted. */
static void start_row(const pm__size_question *q, size_t choice, const void *run, pm_size_choice *row)
{
  pm_record_clear(pm_record_type_find("size_choice"), row);
  pm__text_set(row->system, sizeof row->system, pm__size_system(q, choice)->machine.id);
  pm__text_set(row->framework, sizeof row->framework, pm__task_software_id(q->task, q->setup.plan, run));
  row->choice = (int32_t)choice;
  row->budget_nodes = fed_nodes(q, choice);
  row->precision = pm__task_get(run, q->task->at.precision);
  row->power_limit = limit_of(q, choice);
}

/* What nodes of any task have. */
static void set_nodes(const pm__size_question *q, size_t choice, const void *run, const pm__task_outcome *p,
                      pm_size_choice *row)
{
  row->batch = pm__task_get_real(run, q->task->at.batch);
  row->memory = p->memory;
  row->verdict = p->verdict;
  row->calibration = p->calibration;
  row->efficiency = p->efficiency;
  row->storage_rate = row->throughput * q->goal->sample_size;
  set_machine(q, choice, row);
}

void pm__size_fill(const pm__size_question *q, size_t choice, const void *run, const pm__task_outcome *p,
                   pm_size_choice *row)
{
  start_row(q, choice, run, row);
  row->status = p->status;
  row->memory = p->memory;
  row->verdict = p->verdict;
  if (p->status != PM_OK) return;
  int32_t gpus = pm__task_get(run, q->task->at.gpus);
  row->nodes = pm__task_get(run, q->task->at.nodes);
  row->gpus = pm__plan_total_gpus(gpus, row->nodes);
  row->throughput = p->throughput;
  row->time = time_of(q, run, p);
  row->gpu_hours = (double)gpus * row->nodes * row->time / HOUR;
  row->reached = pm__size_reached(q, run, p, p->throughput);
  row->bottleneck = p->bottleneck;
  set_nodes(q, choice, run, p, row);
  set_energy(q, choice, p, row->nodes, row);
  set_fabric(q, choice, row);
  set_input(q, choice, row);
}

/* ---- Replicas share nothing, so the GPUs are the rate over that of one, rounded up to whole machines ---- */

/* One GPU: the largest batch within the latency, or the batch that is asked for. */
static pm__task_outcome predict_replica(const pm__size_question *q, void *run)
{
  pm__task_record answer;
  *pm__task_int(run, q->task->at.gpus) = *pm__task_int(run, q->task->at.nodes) = 1;
  if (isnan(q->goal->latency)) q->task->predict(q->setup.plan, 0, run, &answer, 1);
  else q->task->find_batch(q->setup.plan, run, q->goal->latency, &answer, NULL);
  return q->task->read(&answer);
}

/* As a prediction of all of them computes it, so that the last bit is the same. */
static double rate_of(const pm__size_question *q, void *run, int32_t each, double nodes, const pm__task_outcome *p)
{
  return *pm__task_batch(q->task, run) * each * nodes / p->time;
}

/* Nodes as doubles: a rate may want more than a number of nodes can be. Without a rate as many as there may be. */
static double nodes_for(const pm__size_question *q, void *run, int32_t each, int most, const pm__task_outcome *p)
{
  if (pm__size_fills(q)) return most;
  double nodes = ceil(q->goal->rate / (p->throughput * each));
  return rate_of(q, run, each, nodes, p) < q->goal->rate ? nodes + 1 : nodes; /* rounded */
}

void pm__size_fill_replicas(const pm__size_question *q, size_t choice, pm_size_choice *row)
{
  pm__task_record run;
  pm__task_outcome p = {.status = PM_STATUS_TOO_MANY_GPUS};
  int32_t each = pm__task_get(pm__size_choice_run(q, choice), q->task->at.gpus);
  int most = pm__size_most(q, choice);
  copy_run(q, choice, &run);
  start_row(q, choice, &run, row);
  if (each >= 1 && (size_t)each <= pm__size_system(q, choice)->gpu_count) p = predict_replica(q, &run);
  row->status = p.status;
  if (row->status != PM_OK) return;
  double nodes = nodes_for(q, &run, each, most, &p);
  if (nodes > most) row->status = PM_STATUS_UNREACHABLE;
  row->nodes = nodes > most ? most : (int32_t)nodes;
  row->gpus = row->nodes * each;
  row->latency = p.time;
  row->throughput = rate_of(q, &run, each, row->nodes, &p);
  row->reached = row->throughput / q->goal->rate;
  set_nodes(q, choice, &run, &p, row);
  set_energy(q, choice, &p, 1.0 / each, row);
}
