/* One number raised at a time; and one thing replaced at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel/sensitivity.h"
#include "record/sized.h"
#include "search/vary.h"

static const bool is_rate[PM_RESOURCE_COUNT] = {
#define RATE(name, text, rate, doc) rate,
  PM_RESOURCE_LIST(RATE)
#undef RATE
};

/* ---- One prediction ---------------------------------------------------------------------------------------------- */

/* What a run is predicted with. */
typedef struct case_of {
  const pm_network *network;
  const pm_system *system;
  pm_run run;
  pm_inference_run call;
  pm_framework_profile framework;
  pm_input_setup input;
  pm_inference_profile profile;
  const pm_memory_profile *memory;
} case_of;

/* What is predicted, of a step or a call. */
typedef struct outcome {
  double time, throughput;
  int32_t bottleneck;
} outcome;

static void use_input(const pm_sensitivity_setup *setup, const case_of *c, pm_run *run)
{
  pm_input_rates rates;
  pm_input_run asked = setup->input_run != NULL ? *setup->input_run : pm_input_run_make();
  if (setup->input == NULL) return;
  asked.nodes = run->nodes;
  asked.gpus = run->gpus;
  asked.gpu_rate = NAN;
  pm_input_evaluate(&c->input, &asked, &rates, 1);
  run->input_rate = rates.status == PM_OK ? rates.input : (double)NAN;
  run->no_prefetch = asked.prefetch == 0;
}

static int predict_call(const case_of *c, outcome *out, pm_error *error)
{
  pm_inference p;
  pm_inference_run run = c->call;
  pm_plan *plan = pm_plan_new(&c->network, 1, &c->system, 1, error);
  if (plan == NULL) return PM_STATUS_NO_MEMORY;
  run.network_index = run.system_index = 0;
  run.profile_index = pm_plan_add_inference_profile(plan, &c->profile, c->memory, error);
  int status = pm_inference_check(plan, &run, error);
  pm_infer(plan, &run, &p, 1);
  pm_plan_free(plan);
  *out = (outcome){p.latency, p.throughput, p.bottleneck};
  return status;
}

static int predict_step(const pm_sensitivity_setup *setup, const case_of *c, outcome *out, pm_error *error)
{
  pm_prediction p;
  pm_run run = c->run;
  pm_plan *plan = pm_plan_new(&c->network, 1, &c->system, 1, error);
  if (plan == NULL) return PM_STATUS_NO_MEMORY;
  run.network_index = run.system_index = 0;
  run.framework_index = setup->framework != NULL ? pm_plan_add_framework(plan, &c->framework, error) : -1;
  use_input(setup, c, &run);
  bool refused = setup->framework != NULL && run.framework_index < 0;  // not to be taken for a run without a framework
  int status = refused ? PM_STATUS_BAD_VALUE : pm_run_check(plan, &run, error);
  pm_predict(plan, &run, &p, 1);
  pm_plan_free(plan);
  *out = (outcome){p.step_time, p.throughput, p.bottleneck};
  return status;
}

static int predict(const pm_sensitivity_setup *setup, const case_of *c, outcome *out, pm_error *error)
{
  return setup->call != NULL ? predict_call(c, out, error) : predict_step(setup, c, out, error);
}

static case_of base_case(const pm_sensitivity_setup *setup)
{
  case_of c;
  memset(&c, 0, sizeof c);
  c.network = setup->network;
  c.memory = setup->memory;
  c.system = setup->system;
  if (setup->run != NULL) c.run = *setup->run;
  if (setup->call != NULL) c.call = *setup->call;
  if (setup->framework != NULL) c.framework = *setup->framework;
  if (setup->input != NULL) c.input = *setup->input;
  if (setup->call != NULL) c.profile = *setup->profile;
  return c;
}

static int check(const pm_sensitivity_setup *setup, pm_error *error)
{
  bool call = setup != NULL && setup->call != NULL && setup->profile != NULL;
  if (setup != NULL && setup->network != NULL && setup->system != NULL && (call || setup->run != NULL)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sensitivities need a network, a system and a run");
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
  bool alone = setup->call != NULL; /* replicas exchange nothing */
  if (resource == PM_RESOURCE_STORAGE) return setup->input != NULL && !alone;
  if (alone && resource >= PM_RESOURCE_NVLINK && resource <= PM_RESOURCE_LATENCY) return false;
  if (resource == PM_RESOURCE_NETWORK) return system->network.count > 0 && setup->run->nodes > 1;
  if (resource == PM_RESOURCE_L2_CACHE) return !isnan(system->gpu.l2_cache);
  if (resource == PM_RESOURCE_POWER) return !isnan(system->gpu.power);
  if (resource != PM_RESOURCE_NVLINK && resource != PM_RESOURCE_PCIE && resource != PM_RESOURCE_SOCKETS) return true;
  for (size_t i = 0; i < system->edge_count; i++) {
    int kind = system->edges[i].link.kind;
    if (resource == PM_RESOURCE_NVLINK && (kind == PM_LINK_NVLINK || kind == PM_LINK_XGMI)) return true;
    if (resource == PM_RESOURCE_PCIE && kind == PM_LINK_PCIE) return true;
    if (resource == PM_RESOURCE_SOCKETS && kind == PM_LINK_SMP) return true;
  }
  return false;
}

static int raise_one(const pm_sensitivity_setup *setup, int resource, double raise, const outcome *base,
                     pm_sensitivity *row, pm_error *error)
{
  outcome p;
  case_of c = base_case(setup);
  pm_system *system = pm_system_new_scaled(setup->system, resource, 1 + raise, error);
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
  row->throughput = p.throughput;
  row->bottleneck = p.bottleneck;
  return PM_OK;
}

static int raise_all(const pm_sensitivity_setup *setup, double raise, pm_sensitivity *rows, pm_error *error)
{
  outcome base;
  int count = 0, status = check(setup, error);
  if (status == PM_OK && (rows == NULL || !(raise > -1 && raise != 0) || isinf(raise)))
    status = pm__fail(error, PM_STATUS_BAD_ARGUMENT, "numbers cannot be raised by %g", raise);
  case_of c;
  if (status == PM_OK) c = base_case(setup), status = predict(setup, &c, &base, error);
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
  int32_t had = setup->call != NULL ? setup->call->gpus : setup->run->gpus;
  if (choice->gpus > 0 || choice->system == NULL) return choice->gpus > 0 ? choice->gpus : had;
  return (size_t)had == setup->system->gpu_count || (size_t)had > choice->system->gpu_count
           ? (int32_t)choice->system->gpu_count : had;
}

/* The run or call that the choice has, or that of before. */
static void take_runs(const pm_sensitivity_setup *setup, const pm_run_sizes *sizes, const pm_upgrade_choice *choice, case_of *c)
{
  pm__record_array run = {"run", choice->run, sizes->run}, call = {"inference_run", choice->call, sizes->inference_run};
  c->run.gpus = c->call.gpus = gpus_of(setup, choice);
  if (choice->run != NULL) c->run = *(const pm_run *)pm__record_read(&run, 0, &c->run);
  if (choice->call != NULL) c->call = *(const pm_inference_run *)pm__record_read(&call, 0, &c->call);
}

static void fill(const pm_sensitivity_setup *setup, const pm_run_sizes *sizes, const pm_upgrade_choice *choice,
                 const outcome *base, pm_upgrade *row)
{
  outcome p;
  case_of c = base_case(setup);
  pm_record_clear(pm_record_type_find("upgrade"), row);
  pm__text_set(row->name, sizeof row->name, choice->name != NULL ? choice->name : "");
  row->price = choice->price;
  take_runs(setup, sizes, choice, &c);
  if (choice->network != NULL) c.network = choice->network;
  if (choice->memory != NULL) c.memory = choice->memory;
  if (choice->system != NULL) c.system = choice->system;
  if (choice->input != NULL) c.input = *choice->input;
  if (choice->framework != NULL) c.framework = *choice->framework;
  if (choice->profile != NULL) c.profile = *choice->profile;
  row->status = predict(setup, &c, &p, NULL);
  if (row->status != PM_OK) return;
  row->step_time = p.time;
  row->throughput = p.throughput;
  row->gain = p.throughput / base->throughput - 1;
  row->gain_per_price = (p.throughput - base->throughput) / choice->price;
  row->bottleneck = p.bottleneck;
}

static int upgrade_all(const pm_sensitivity_setup *setup, const pm_run_sizes *sizes, const pm_upgrade_choice *choices, size_t count,
                       pm_upgrade *rows, pm_error *error)
{
  outcome base;
  int status = check(setup, error);
  if (status == PM_OK && count > 0 && (choices == NULL || rows == NULL))
    status = pm__fail(error, PM_STATUS_BAD_ARGUMENT, "upgrades need choices and a place");
  if (status != PM_OK) return status;
  case_of c = base_case(setup);
  status = predict(setup, &c, &base, error);
  for (size_t i = 0; i < count && status == PM_OK; i++) fill(setup, sizes, &choices[i], &base, &rows[i]);
  if (status == PM_OK && count > 0) qsort(rows, count, sizeof *rows, by_gain);
  return status;
}

/* ---- For programs that know shorter runs ------------------------------------------------------------------------- */

/* A setup whose runs are the library's own. */
typedef struct own_setup {
  pm_sensitivity_setup setup;
  pm_run run;
  pm_input_run input;
  pm_inference_run call;
} own_setup;

static int take(const pm_sensitivity_setup *setup, const pm_run_sizes *sizes, own_setup *own, pm_error *error)
{
  if (setup == NULL || sizes == NULL) return check(NULL, error);
  int status = pm__record_size_check("run", sizes->run, error);
  if (status == PM_OK) status = pm__record_size_check("input_run", sizes->input_run, error);
  if (status == PM_OK) status = pm__record_size_check("inference_run", sizes->inference_run, error);
  if (status != PM_OK) return status;
  pm__record_array run = {"run", setup->run, sizes->run}, input = {"input_run", setup->input_run, sizes->input_run};
  pm__record_array call = {"inference_run", setup->call, sizes->inference_run};
  own->setup = *setup;
  own->setup.run = (const pm_run *)pm__record_read(&run, 0, &own->run);
  own->setup.input_run = (const pm_input_run *)pm__record_read(&input, 0, &own->input);
  own->setup.call = (const pm_inference_run *)pm__record_read(&call, 0, &own->call);
  return PM_OK;
}

int pm_sensitivity_evaluate_sized(const pm_sensitivity_setup *setup, const pm_run_sizes *sizes, double raise,
                             pm_sensitivity *rows, pm_error *error)
{
  own_setup own;
  return take(setup, sizes, &own, error) == PM_OK ? raise_all(&own.setup, raise, rows, error) : -1;
}

int pm_upgrade_evaluate_sized(const pm_sensitivity_setup *setup, const pm_run_sizes *sizes,
                              const pm_upgrade_choice *choices,
                      size_t count, pm_upgrade *rows, pm_error *error)
{
  own_setup own;
  int status = take(setup, sizes, &own, error);
  return status == PM_OK ? upgrade_all(&own.setup, sizes, choices, count, rows, error) : status;
}
