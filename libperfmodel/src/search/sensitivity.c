/* One number raised at a time; and one thing replaced at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel/sensitivity.h"
#include "record/sized.h"
#include "search/vary.h"
#include "task/task.h"

static const bool is_rate[PM_RESOURCE_COUNT] = {
#define RATE(name, text, rate, doc) rate,
  PM_RESOURCE_LIST(RATE)
#undef RATE
};

/* ---- One prediction ---------------------------------------------------------------------------------------------- */

/* What a run is predicted with. */
typedef struct case_of {
  const pm__task *task;
  const pm_network *network;
  const pm_system *system;
  pm__task_record run;
  pm_framework_profile framework;
  pm_input_setup input;
  pm_inference_profile profile;
  pm_engine_profile engine;
  const pm_memory_profile *memory;
} case_of;

static void use_input(const pm_sensitivity_setup *setup, case_of *c)
{
  pm_input_rates rates;
  pm_input_run asked = setup->input_run != NULL ? *setup->input_run : pm_input_run_make();
  if (setup->input == NULL || c->task->set_input == NULL) return;
  asked.nodes = *pm__task_int(&c->run, c->task->at.nodes);
  asked.gpus = *pm__task_int(&c->run, c->task->at.gpus);
  asked.gpu_rate = NAN;
  pm_input_evaluate(&c->input, &asked, &rates, 1);
  c->task->set_input(&c->run, NAN, true, rates.status == PM_OK ? rates.input : (double)NAN, asked.prefetch == 0);
}

/* The number of the software in the plan; PM_OK, or why the plan cannot have it. */
static int add_software(const pm_sensitivity_setup *setup, const case_of *c, pm_plan *plan, int32_t *index,
                        pm_error *error)
{
  *index = -1;
  if (c->task->software == PM__TASK_PROFILES)
    *index = pm_plan_add_inference_profile(plan, &c->profile, c->memory, error);
  else if (c->task->software == PM__TASK_ENGINES) *index = pm_plan_add_engine(plan, &c->engine, error);
  else if (setup->framework == NULL) return PM_OK;
  else *index = pm_plan_add_framework(plan, &c->framework, error);
  return *index >= 0 ? PM_OK : PM_STATUS_BAD_VALUE;
}

static int predict(const pm_sensitivity_setup *setup, case_of *c, pm__task_outcome *out, pm_error *error)
{
  pm__task_record answer;
  pm_plan *plan = pm_plan_new(&c->network, 1, &c->system, 1, error);
  if (plan == NULL) return PM_STATUS_NO_MEMORY;
  *pm__task_int(&c->run, c->task->at.network) = *pm__task_int(&c->run, c->task->at.system) = 0;
  int status = add_software(setup, c, plan, pm__task_int(&c->run, c->task->at.software), error);
  use_input(setup, c);
  if (status == PM_OK) status = c->task->check(plan, &c->run, error);
  c->task->predict(plan, 0, &c->run, &answer, 1);
  pm_plan_free(plan);
  *out = c->task->read(&answer);
  return status;
}

static case_of base_case(const pm_sensitivity_setup *setup)
{
  case_of c;
  memset(&c, 0, sizeof c);
  c.task = pm__task_at(setup->task);
  c.network = setup->network;
  c.memory = setup->memory;
  c.system = setup->system;
  memcpy(&c.run, setup->run, c.task->at.size);
  if (setup->framework != NULL) c.framework = *setup->framework;
  if (setup->input != NULL) c.input = *setup->input;
  if (setup->profile != NULL) c.profile = *setup->profile;
  if (setup->engine != NULL) c.engine = *setup->engine;
  return c;
}

/* A step may run without a framework. */
static bool has_software(const pm_sensitivity_setup *setup, const pm__task *task)
{
  if (task->software == PM__TASK_FRAMEWORKS) return true;
  return task->software == PM__TASK_ENGINES ? setup->engine != NULL : setup->profile != NULL;
}

static int check(const pm_sensitivity_setup *setup, pm_error *error)
{
  const pm__task *task = setup != NULL ? pm__task_at(setup->task) : NULL;
  bool asked = task != NULL && setup->network != NULL && setup->system != NULL && setup->run != NULL;
  if (asked && has_software(setup, task)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sensitivities need a network, a system and a run of a task");
}

static int32_t count_of(const pm_sensitivity_setup *setup, size_t place)
{
  return pm__task_get(setup->run, place);
}

/* ---- Sensitivities ----------------------------------------------------------------------------------------------- */

static void scale_storage(pm_input_setup *input, double factor)
{
  pm__vary_unit("storage", &input->storage, "B/s", factor);
  pm__vary_unit("storage", &input->storage, "1/s", factor);
  pm__vary_unit("storage_access", &input->access, "B/s", factor);
  pm__vary_unit("storage_access", &input->access, "s", 1 / factor);
}

/* The decoder's times count as often as its scale says; what a loader decodes on GPUs is not the host's. */
static void scale_host(case_of *c, double factor)
{
  pm__vary_unit("inference_profile", &c->profile, "s", 1 / factor);
  pm__vary_unit("engine", &c->engine.engine, "s", 1 / factor);
  pm__vary_unit("framework", &c->framework.framework, "s", 1 / factor);
  pm__vary_unit("framework", &c->framework.framework, "B/s", factor);
  pm__vary_unit("loader", &c->input.loader, "s", 1 / factor);
  pm__vary_unit("loader", &c->input.loader, "B/s", factor);
  c->input.decoder.scale /= factor;
}

/* Whether the number is there at all. */
static bool has(const pm_sensitivity_setup *setup, int resource)
{
  const pm_system *system = setup->system;
  const pm__task *task = pm__task_at(setup->task);
  bool alone = task->facts.replicas; /* they exchange nothing */
  if (resource == PM_RESOURCE_STORAGE) return setup->input != NULL && task->set_input != NULL;
  if (alone && resource >= PM_RESOURCE_NVLINK && resource <= PM_RESOURCE_LATENCY) return false;
  if (resource == PM_RESOURCE_NETWORK) return system->network.count > 0 && count_of(setup, task->at.nodes) > 1;
  if (resource == PM_RESOURCE_MEMORY) return task->software == PM__TASK_ENGINES; /* others fit, or have no time */
  if (resource == PM_RESOURCE_L2_CACHE) return !isnan(system->gpu.l2_cache);
  if (resource == PM_RESOURCE_POWER || resource == PM_RESOURCE_HOST_POWER) return !isnan(system->gpu.power);
  if (resource != PM_RESOURCE_NVLINK && resource != PM_RESOURCE_PCIE && resource != PM_RESOURCE_SOCKETS) return true;
  for (size_t i = 0; i < system->edge_count; i++) {
    int kind = system->edges[i].link.kind;
    if (resource == PM_RESOURCE_NVLINK && (kind == PM_LINK_NVLINK || kind == PM_LINK_XGMI)) return true;
    if (resource == PM_RESOURCE_PCIE && kind == PM_LINK_PCIE) return true;
    if (resource == PM_RESOURCE_SOCKETS && kind == PM_LINK_SMP) return true;
  }
  return false;
}

static int raise_one(const pm_sensitivity_setup *setup, int resource, double raise, const pm__task_outcome *base,
                     pm_sensitivity *row, pm_error *error)
{
  pm__task_outcome p;
  case_of c = base_case(setup);
  pm_system *system = pm__system_new_scaled(setup->system, resource, 1 + raise, error);
  if (system == NULL) return PM_STATUS_NO_MEMORY;
  c.system = system;
  if (resource == PM_RESOURCE_STORAGE) scale_storage(&c.input, 1 + raise);
  if (resource == PM_RESOURCE_HOST) scale_host(&c, 1 + raise);
  int status = predict(setup, &c, &p, error);
  pm_system_free(system);
  if (status != PM_OK) return status;
  row->resource = resource;
  row->rate = is_rate[resource];
  row->by = raise;
  row->step_time = p.time;
  row->change = p.time / base->time - 1;
  row->elasticity = log(p.time / base->time) / log(1 + raise);
  row->throughput = p.most;
  row->throughput_change = p.most / base->most - 1;
  row->bottleneck = p.bottleneck;
  row->ttft = p.first;
  row->ttft_change = p.first / base->first - 1;
  row->energy = p.energy;
  row->energy_change = p.energy / base->energy - 1;
  return PM_OK;
}

static int raise_all(const pm_sensitivity_setup *setup, double raise, pm_sensitivity *rows, pm_error *error)
{
  pm__task_outcome base;
  if (rows == NULL || !(raise > -1 && raise != 0) || isinf(raise))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "parameters cannot be raised by %g", raise), -1;
  case_of c = base_case(setup);
  int count = 0, status = predict(setup, &c, &base, error);
  for (int resource = 0; resource < PM_RESOURCE_COUNT && status == PM_OK; resource++) {
    if (!has(setup, resource)) continue;
    status = raise_one(setup, resource, raise, &base, &rows[count], error);
    count += status == PM_OK;
  }
  return status == PM_OK ? count : -1;
}

/* ---- Upgrades ---------------------------------------------------------------------------------------------------- */

static int by_gain(const void *a, const void *b)
{
  double x = ((const pm_upgrade *)a)->gain, y = ((const pm_upgrade *)b)->gain;
  if (isnan(x) || isnan(y)) return (int)isnan(x) - (int)isnan(y);
  return x > y ? -1 : x < y;
}

/* As many GPUs as before, or all that there are, where the choice says nothing else. */
static int32_t gpus_of(const pm_sensitivity_setup *setup, const pm_upgrade_choice *choice)
{
  int32_t had = count_of(setup, pm__task_at(setup->task)->at.gpus);
  if (choice->gpus > 0 || choice->system == NULL) return choice->gpus > 0 ? choice->gpus : had;
  return (size_t)had == setup->system->gpu_count || (size_t)had > choice->system->gpu_count
           ? (int32_t)choice->system->gpu_count : had;
}

/* The run that the choice has, or that of before. */
static void take_run(const pm_sensitivity_setup *setup, const pm_upgrade_choice *choice, case_of *c)
{
  const pm__record_array theirs = {c->task->facts.run, choice->run, setup->run_size};
  *pm__task_int(&c->run, c->task->at.gpus) = gpus_of(setup, choice);
  if (choice->run == NULL) return;
  pm__task_record own;
  memcpy(&c->run, pm__record_read(&theirs, 0, &own), c->task->at.size);
}

static void fill(const pm_sensitivity_setup *setup, const pm_upgrade_choice *choice,
                 const pm__task_outcome *base, pm_upgrade *row)
{
  pm__task_outcome p;
  case_of c = base_case(setup);
  pm_record_clear(pm_record_type_find("upgrade"), row);
  pm__text_set(row->name, sizeof row->name, choice->name != NULL ? choice->name : "");
  row->price = choice->price;
  take_run(setup, choice, &c);
  if (choice->network != NULL) c.network = choice->network;
  if (choice->memory != NULL) c.memory = choice->memory;
  if (choice->system != NULL) c.system = choice->system;
  if (choice->input != NULL) c.input = *choice->input;
  if (choice->framework != NULL) c.framework = *choice->framework;
  if (choice->profile != NULL) c.profile = *choice->profile;
  if (choice->engine != NULL) c.engine = *choice->engine;
  row->status = predict(setup, &c, &p, NULL);
  if (row->status != PM_OK) return;
  row->step_time = p.time;
  row->throughput = p.most;
  row->gain = p.most / base->most - 1;
  row->gain_per_price = (p.most - base->most) / choice->price;
  row->bottleneck = p.bottleneck;
}

static int upgrade_all(const pm_sensitivity_setup *setup, const pm_upgrade_choice *choices, size_t count,
                       pm_upgrade *rows, pm_error *error)
{
  pm__task_outcome base;
  if (count > 0 && (choices == NULL || rows == NULL))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "upgrades need choices and a place");
  case_of c = base_case(setup);
  int status = predict(setup, &c, &base, error);
  for (size_t i = 0; i < count && status == PM_OK; i++) fill(setup, &choices[i], &base, &rows[i]);
  if (status == PM_OK && count > 0) qsort(rows, count, sizeof *rows, by_gain);
  return status;
}

/* ---- For programs that know shorter runs ------------------------------------------------------------------------- */

/* A setup whose runs are the library's own; `run_size` stays that of the program, whose choices have runs too. */
typedef struct own_setup {
  pm_sensitivity_setup setup;
  pm__task_record run;
  pm_input_run input;
} own_setup;

static int take(const pm_sensitivity_setup *setup, own_setup *own, pm_error *error)
{
  int status = check(setup, error);
  if (status != PM_OK) return status;
  const char *type = pm__task_at(setup->task)->facts.run;
  status = pm__record_size_check(type, setup->run_size, error);
  if (status == PM_OK && setup->input_run != NULL)
    status = pm__record_size_check("input_run", setup->input_run_size, error);
  if (status != PM_OK) return status;
  pm__record_array run = {type, setup->run, setup->run_size};
  pm__record_array input = {"input_run", setup->input_run, setup->input_run_size};
  own->setup = *setup;
  own->setup.run = pm__record_read(&run, 0, &own->run);
  own->setup.input_run = (const pm_input_run *)pm__record_read(&input, 0, &own->input);
  return PM_OK;
}

int pm_sensitivity_evaluate(const pm_sensitivity_setup *setup, double raise, pm_sensitivity *rows, pm_error *error)
{
  own_setup own;
  return take(setup, &own, error) == PM_OK ? raise_all(&own.setup, raise, rows, error) : -1;
}

int pm_upgrade_evaluate(const pm_sensitivity_setup *setup, const pm_upgrade_choice *choices, size_t count,
                        pm_upgrade *rows, pm_error *error)
{
  own_setup own;
  int status = take(setup, &own, error);
  return status == PM_OK ? upgrade_all(&own.setup, choices, count, rows, error) : status;
}
