/* What a run refers to: network, system, software, device, micro-batch; and whether it exists. */
#include "step/step.h"
#include "hardware/kernel_calibration.h"
#include "plan/energy.h"
#include "record/count.h"
#include <math.h>

static const pm__plan_framework *framework_of(const pm_plan *plan, const pm_run *run)
{
  return pm__plan_framework_at(plan, run->framework_index, run->system_index);
}

static int32_t parallelism_of(const pm_run *run, const pm__plan_framework *framework)
{
  if (run->parallelism != PM_PARALLELISM_FRAMEWORK) return run->parallelism;
  return framework != NULL ? framework->profile.framework.parallelism : PM_PARALLELISM_ALL_REDUCE;
}

static int32_t overlap_of(const pm_run *run, const pm__plan_framework *framework)
{
  if (run->overlap != PM_OVERLAP_FRAMEWORK) return run->overlap;
  return framework != NULL ? framework->profile.framework.overlap : PM_OVERLAP_BACKWARD;
}

static int stored_in(const pm_run *run)
{
  return pm__precision_is_of_products(run->precision) ? PM_PRECISION_BF16 : run->precision;
}

static void set_framework(pm__schedule *s)
{
  const pm_framework *f = &s->framework->profile.framework;
  int narrow = s->device->bytes <= 2;
  s->layout = s->device->layout;
  s->gradient = pm__plan_gradient(f, stored_in(s->run));
  if (s->device->calibrated) s->framework_kernel = f->framework_kernel_factor;
  s->mode = s->framework->mode[narrow];
  s->units = s->network->units[s->mode];
  s->group.nccl = f->nccl;
}

/* The GPU at every precision, with the convolutions of the framework's libraries where these matter. */
static const pm__device *devices_of(const pm_plan *plan, const pm_run *run)
{
  const pm__plan_framework *framework = framework_of(plan, run);
  int system = plan->systems[run->system_index].device;
  if (framework == NULL || run->kernel_model != PM_KERNEL_MODEL_CALIBRATED)
    return plan->systems[system].devices[run->kernel_model];
  return plan->libraries[framework->library].devices[system];
}

/* All but the group, which was found already, and what depends on the layout. */
static void gather(pm__schedule *s, const pm_plan *plan, const pm_run *run, const pm__plan_limited *gpu,
                   pm__memo *memo)
{
  s->memo = memo;
  s->cache = memo != NULL ? &memo->exchanges : NULL;
  s->run = run;
  s->plan = plan;
  s->system = &plan->systems[run->system_index];
  s->framework = framework_of(plan, run);
  s->device = &gpu->devices[stored_in(run)];
  s->linear = pm__precision_is_of_products(run->precision) ? &gpu->devices[run->precision] : NULL;
  s->limited = gpu->number;
  s->mode = PM__TRAINING_MODE + PM__LEAST;
  s->units = s->network->units[s->mode];
  s->optimizer = pm_optimizer_get(run->optimizer);
  s->segments = NULL;
  s->parallelism = parallelism_of(run, s->framework);
  s->overlap = overlap_of(run, s->framework);
  s->ranks = (double)run->gpus * run->nodes;
  s->factor = s->device->library;
  s->framework_kernel = 1;
  s->launch = s->device->launch;
  s->layout = 0;
  s->gradient = s->device->bytes;
  if (s->framework != NULL) set_framework(s);
  if (run->gradient_bytes > 0) s->gradient = run->gradient_bytes;
}

/* ---- Checks ---- */

static int check_choices(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  if (run->framework_index < -1 || run->framework_index >= (int32_t)plan->framework_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "framework %d is not in the plan", run->framework_index);
  if (run->overlap < 0 || run->overlap >= PM_OVERLAP_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no overlap %d", run->overlap);
  if (run->kernel_model < 0 || run->kernel_model >= PM_KERNEL_MODEL_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no kernel model %d", run->kernel_model);
  if (run->epoch_samples < 1 || isinf(run->epoch_samples))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "epoch_samples %g is not at least 1", run->epoch_samples);
  int status = pm__plan_check_memory(run->usable_memory, error);
  return status != PM_OK ? status : pm__step_check_training(run, &plan->networks[run->network_index], error);
}

static int check_server(const pm__plan_framework *framework, pm_error *error)
{
  if (framework == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a parameter server needs a framework");
  const pm_framework *f = &framework->profile.framework;
  if (f->server_memory > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "framework \"%s\" has no constants of a parameter server", f->id);
}

static int check_numbers(const pm_run *run, pm_error *error)
{
  if (run->parallelism < 0 || run->parallelism >= PM_PARALLELISM_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no parallelism %d", run->parallelism);
  if (pm_optimizer_get(run->optimizer) == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no optimizer %d", run->optimizer);
  if (run->input_rate <= 0) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "input_rate %g is not above 0",
                                            run->input_rate);
  if (run->no_prefetch < 0 || run->no_prefetch > 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no_prefetch %d is neither 0 nor 1", run->no_prefetch);
  return pm__count_check("gradient_accumulation_steps", run->gradient_accumulation_steps, 1, error);
}

static int check_parallelism(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  const pm__plan_framework *framework = framework_of(plan, run);
  int status = check_numbers(run, error);
  if (status != PM_OK || (run->gpus == 1 && run->nodes == 1)) return status;
  int32_t parallelism = parallelism_of(run, framework);
  if (parallelism == PM_PARALLELISM_SINGLE_PROCESS && run->nodes > 1)
    return pm__fail(error, PM_STATUS_NOT_MODELLED,
                    "parallelism single-process is limited to one node, but there are %d",
                    run->nodes);
  if (parallelism == PM_PARALLELISM_PARAMETER_SERVER || parallelism == PM_PARALLELISM_ASYNCHRONOUS)
    return check_server(framework, error);
  return PM_OK;
}

/* The group of all GPUs, with its wires. */
static int find_group(const pm__plan_system *system, const pm_run *run, pm__collective_group *group, pm_error *error)
{
  int status = pm__plan_check_group(system, run->gpus, run->nodes, error);
  if (status == PM_OK) status = pm__plan_check_network(system, run->nodes, error);
  if (status != PM_OK) return status;
  status = pm__collective_group_init(group, system->system, 0, 1, run->gpus, run->nodes);
  if (status == PM_OK) return PM_OK;
  if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  return pm__fail(error, status, "%d GPUs of a %s are not connected", run->gpus, system->system->machine.id);
}

static int check_energy(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  const pm__plan_site site = PM__PLAN_SITE(run);
  const pm__plan_power power = PM__PLAN_POWER(run);
  return pm__energy_check(plan, power, site, error);
}

/* What a GPU has rates for was found out when the plan was made; only refusals look again. */
static int check_precision(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  const pm__plan_system *system = &plan->systems[run->system_index];
  const pm__device *devices = plan->systems[system->device].devices[PM_KERNEL_MODEL_ROOFLINE];
  bool known = run->precision >= 0 && run->precision < PM_PRECISION_COUNT, byte = run->precision >= PM_PRECISION_FP8;
  bool narrow = pm__precision_is_of_products(run->precision) && devices[PM_PRECISION_BF16].usable;
  if (known && (!byte || narrow) && devices[run->precision].usable) return PM_OK;
  return pm__kernel_check(&system->system->gpu, run->batch, run->precision, error);
}

static int check(const pm_plan *plan, const pm_run *run, pm__schedule *s, pm_error *error)
{
  int status = pm__plan_check_place("network", run->network_index, plan->network_count, error);
  if (status == PM_OK) status = pm__plan_check_place("system", run->system_index, plan->system_count, error);
  if (status == PM_OK) status = check_choices(plan, run, error);
  if (status == PM_OK) status = find_group(&plan->systems[run->system_index], run, &s->group, error);
  if (status == PM_OK) status = pm__plan_check_batch(run->batch, error);
  if (status == PM_OK) status = check_parallelism(plan, run, error);
  if (status == PM_OK) status = check_energy(plan, run, error);
  return status == PM_OK ? check_precision(plan, run, error) : status;
}

/* Why there is no network with the adapters of a run; apart, as most runs need no room for a message. */
static int find_again(const pm_plan *plan, const pm_run *run)
{
  pm_error own = PM_ERROR_NONE;
  return pm__plan_network_of(plan, run, &own) != NULL ? PM_OK : own.status;
}

int pm__gather(pm__schedule *s, const pm_plan *plan, const pm_run *run, pm__memo *memo, pm_error *error)
{
  int status = check(plan, run, s, error);
  if (status != PM_OK) return status;
  s->network = pm__plan_network_of(plan, run, error);
  if (s->network == NULL) return error != NULL ? error->status : find_again(plan, run);
  const pm__plan_limited gpu = pm__plan_limit(plan, devices_of(plan, run), run->power_limit, error);
  if (gpu.devices == NULL) return PM_STATUS_NO_MEMORY;
  gather(s, plan, run, &gpu, memo);
  return PM_OK;
}
