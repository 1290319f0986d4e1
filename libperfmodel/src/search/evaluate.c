/* One count of one choice: its run, its prediction, its row. */
#include <math.h>
#include <string.h>
#include "search/size.h"

enum { HOUR = 3600 };

static const pm_system *system_of(const pm_size_setup *setup, size_t choice)
{
  return setup->plan->systems[setup->choices[choice].system_index].system;
}

/* What the input path brings to one of so many nodes; `rate`: what its GPUs would take. */
static int input_of(const pm_size_setup *setup, size_t choice, int nodes, double rate, pm_input_rates *rates)
{
  pm_input_run run = setup->input_runs != NULL ? setup->input_runs[choice] : pm_input_run_make();
  run.nodes = nodes;
  run.gpus = setup->choices[choice].gpus;
  run.gpu_rate = rate;
  pm_input_evaluate(&setup->inputs[choice], &run, rates, 1);
  return rates->status;
}

/* Batches per step over all ranks: a sample of each is in every one of them. */
static double parts_of(const pm_run *run)
{
  double accumulation = run->gradient_accumulation_steps > 1 ? run->gradient_accumulation_steps : 1;
  return pm_run_get_data_parallel(run) * accumulation;
}

/* A global batch that does not divide over the ranks is no batch. */
static double batch_of(const pm_size_goal *goal, const pm_run *run)
{
  double share = goal->global_batch / parts_of(run);
  if (isnan(goal->global_batch)) return run->batch;
  return share == floor(share) ? share : (double)NAN;
}

static pm_run run_of(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, int nodes)
{
  pm_input_rates rates;
  pm_run run = setup->choices[choice];
  run.nodes = nodes;
  run.batch = batch_of(goal, &run);
  run.epoch_samples = goal->samples;
  if (setup->inputs == NULL) return run;
  run.input_rate = input_of(setup, choice, nodes, NAN, &rates) == PM_OK ? rates.input : (double)NAN;
  run.no_prefetch = setup->input_runs != NULL && setup->input_runs[choice].prefetch == 0;
  return run;
}

int pm__size_evaluate(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, int first, int most,
                      pm__size_block *block)
{
  block->first = first;
  block->count = most - first + 1 < PM__SIZE_BLOCK ? most - first + 1 : PM__SIZE_BLOCK;
  for (int i = 0; i < block->count; i++) block->runs[i] = run_of(setup, goal, choice, first + i);
  pm_predict(setup->plan, block->runs, block->predictions, (size_t)block->count);
  for (int i = 0; i < block->count; i++)
    if (block->predictions[i].status == PM_STATUS_NO_MEMORY) return PM_STATUS_NO_MEMORY;
  return PM_OK;
}

double pm__size_time(const pm_size_goal *goal, const pm_run *run, const pm_prediction *p)
{
  return goal->epochs * ceil(goal->samples / (run->batch * parts_of(run))) * p->step_time;
}

double pm__size_reached(const pm_size_goal *goal, const pm_run *run, const pm_prediction *p, double throughput)
{
  if (p->status != PM_OK) return NAN;
  if (!isnan(goal->rate)) return throughput / goal->rate;
  return goal->within / pm__size_time(goal, run, p) * (throughput / p->throughput);
}

static double price_of(const pm_size_setup *setup, size_t choice)
{
  return setup->prices != NULL ? setup->prices[choice] : (double)NAN;
}

double pm__size_amount(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, int nodes)
{
  const pm_machine *machine = &system_of(setup, choice)->machine;
  switch (goal->minimize) {
  case PM_MINIMIZE_COST: return nodes * price_of(setup, choice);
  case PM_MINIMIZE_POWER: return nodes * machine->power * goal->pue;
  case PM_MINIMIZE_RACK_UNITS: return nodes * machine->rack_units;
  default: return nodes;
  }
}

double pm_size_get_objective(const pm_size_choice *row, int minimize)
{
  if (row == NULL) return NAN;
  switch (minimize) {
  case PM_MINIMIZE_NODES: return row->nodes > 0 ? row->nodes : (double)NAN;
  case PM_MINIMIZE_COST: return row->cost;
  case PM_MINIMIZE_POWER: return row->power;
  case PM_MINIMIZE_RACK_UNITS: return row->rack_units;
  default: return NAN;
  }
}

/* ---- A row ------------------------------------------------------------------------------------------------------ */

void pm__size_machine(const pm_system *system, const pm_size_goal *goal, double price, pm_size_choice *row)
{
  row->rack_units = row->nodes * system->machine.rack_units;
  row->power = row->nodes * system->machine.power * goal->pue;
  row->gpu_power = row->gpus * system->gpu.power * goal->pue;
  row->energy = row->power * row->time;
  row->price = price;
  row->cost = row->nodes * price;
}

static void set_fabric(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, pm_size_choice *row)
{
  pm_fabric fabric;
  pm_fabric_choice wanted = pm_fabric_choice_make();
  row->switches = row->cables = row->nodes > 1 ? (double)NAN : 0;
  wanted.nodes = row->nodes;
  wanted.switch_ports = goal->switch_ports;
  wanted.oversubscription = goal->oversubscription;
  if (row->nodes < 2 || pm_fabric_evaluate(system_of(setup, choice), &wanted, &fabric, NULL) != PM_OK) return;
  row->switches = (double)fabric.first_switches + fabric.second_switches + fabric.third_switches;
  row->cables = fabric.cables;
}

static void set_input(const pm_size_setup *setup, size_t choice, pm_size_choice *row)
{
  pm_input_rates rates;
  row->storage_nodes = NAN;
  row->input_bottleneck = PM_INPUT_STAGE_UNKNOWN;
  if (setup->inputs == NULL) return;
  if (input_of(setup, choice, row->nodes, row->throughput / row->nodes, &rates) == PM_OK)
    row->storage_nodes = rates.max_nodes;
  if (input_of(setup, choice, row->nodes, NAN, &rates) == PM_OK) row->input_bottleneck = rates.bottleneck;
}

void pm__size_fill(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, const pm_run *run,
                   const pm_prediction *p, pm_size_choice *row)
{
  pm_record_clear(pm_record_type_find("size_choice"), row);
  pm__text_set(row->system, sizeof row->system, system_of(setup, choice)->machine.id);
  row->choice = (int32_t)choice;
  const pm__plan_framework *framework = pm__plan_framework_at(setup->plan, run->framework_index, run->system_index);
  if (framework != NULL) pm__text_set(row->framework, sizeof row->framework, framework->profile.framework.id);
  row->precision = run->precision;
  row->status = p->status;
  row->memory = p->memory;
  row->verdict = p->verdict;
  if (p->status != PM_OK) return;
  row->nodes = run->nodes;
  row->gpus = pm__plan_total_gpus(run->gpus, run->nodes);
  row->batch = run->batch;
  row->throughput = p->throughput;
  row->time = pm__size_time(goal, run, p);
  row->gpu_hours = (double)run->gpus * run->nodes * row->time / HOUR;
  row->reached = pm__size_reached(goal, run, p, p->throughput);
  row->efficiency = p->scaling_efficiency;
  row->bottleneck = p->bottleneck;
  row->calibration = p->calibration;
  row->storage_rate = p->throughput * goal->sample_size;
  pm__size_machine(system_of(setup, choice), goal, price_of(setup, choice), row);
  set_fabric(setup, goal, choice, row);
  set_input(setup, choice, row);
}
