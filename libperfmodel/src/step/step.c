/* What belongs to one run, gathered; and whether it fits together. */
#include "step/step.h"
#include <math.h>
#include "lowering/library.h"

static const pm__plan_framework *framework_of(const pm_plan *plan, const pm_run *run)
{
  return run->framework_index >= 0 ? &plan->frameworks[run->framework_index] : NULL;
}

static int32_t parallel_of(const pm_run *run, const pm__plan_framework *framework)
{
  if (run->parallel != PM_PARALLEL_FRAMEWORK) return run->parallel;
  return framework != NULL ? framework->profile.framework.parallel : PM_PARALLEL_ALL_REDUCE;
}

static int32_t overlap_of(const pm_run *run, const pm__plan_framework *framework)
{
  if (run->overlap != PM_OVERLAP_FRAMEWORK) return run->overlap;
  return framework != NULL ? framework->profile.framework.overlap : PM_OVERLAP_NONE;
}

/* A framework's own factor stands before that of its library. */
static double factor_of(const pm__step *s)
{
  const pm_framework_profile *profile = &s->framework->profile;
  double own = pm__library_factor(s->device, profile->framework.simt_factor, profile->framework.tensor_factor);
  return own > 0 ? own : pm__library_factor(s->device, profile->era.simt_factor, profile->era.tensor_factor);
}

static void set_framework(pm__step *s)
{
  const pm_framework *f = &s->framework->profile.framework;
  bool layout = pm__changes_layout(s->device, f->layout_fp32, f->layout_fp16, f->layout_tf32);
  s->factor = factor_of(s);
  s->layout = layout ? s->device->bytes * s->device->per_byte : 0;
  if (f->gradient > 0) s->gradient = f->gradient;
  int narrow = s->device->bytes <= 2;
  if (s->device->calibrated) s->own = f->own_factor;
  s->mode = s->framework->mode[narrow];
  s->units = s->network->units[s->mode];
  if (s->parallel != PM_PARALLEL_ALL_REDUCE || s->overlap != PM_OVERLAP_BACKWARD || s->ranks <= 1) return;
  int size = s->gradient < 2 ? 0 : s->gradient < 4 ? 1 : s->gradient < 8 ? 2 : 3;
  s->segments = s->network->segments[s->framework->cut[narrow][size]];
}

/* The GPU, with the convolutions of the framework's libraries where these matter. */
static const pm__device *device_of(const pm_plan *plan, const pm__step *s)
{
  int system = s->system->device, precision = s->run->precision;
  if (s->framework == NULL || s->run->kernel_model != PM_KERNEL_MODEL_CALIBRATED)
    return &plan->systems[system].devices[s->run->kernel_model][precision];
  return &plan->libraries[s->framework->library].devices[system][precision];
}

pm__step pm__step_of(const pm_plan *plan, const pm_run *run, pm__memo *memo)
{
  pm__step s;
  s.memo = memo;
  s.run = run;
  s.network = &plan->networks[run->network_index];
  s.system = &plan->systems[run->system_index];
  s.framework = framework_of(plan, run);
  s.device = device_of(plan, &s);
  s.mode = PM__TRAINING_MODE + PM__COUNTED;
  s.units = s.network->units[s.mode];
  s.optimizer = pm__optimizer_of(run->optimizer);
  s.segments = NULL;
  s.parallel = parallel_of(run, s.framework);
  s.overlap = overlap_of(run, s.framework);
  s.ranks = (double)run->gpus * run->nodes;
  pm__collective_group_init(&s.group, s.system->system, 0, 1, run->gpus, run->nodes); /* was checked */
  if (s.framework != NULL) s.group.era = s.framework->profile.framework.collectives;
  s.accumulation = run->accumulation;
  s.factor = s.own = 1;
  s.start = s.device->launch;
  s.layout = 0;
  s.gradient = s.device->bytes;
  if (s.framework != NULL) set_framework(&s);
  return s;
}

/* ---- Checks ---- */

static int check_server(const pm__plan_framework *framework, pm_error *error)
{
  if (framework == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "a parameter server needs a framework");
  const pm_framework *f = &framework->profile.framework;
  if (f->server_memory > 0) return PM_OK;
  return pm__fail(error, PM_BAD_ARGUMENT, "framework \"%s\" has no constants of a parameter server", f->id);
}

static int check_choices(const pm_run *run, pm_error *error)
{
  if (run->parallel < 0 || run->parallel >= PM_PARALLEL_COUNT)
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no parallel %d", run->parallel);
  if (run->optimizer < 0 || run->optimizer >= PM_UPDATE_COUNT)
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no optimizer %d", run->optimizer);
  if (run->accumulation < 1)
    return pm__fail(error, PM_BAD_ARGUMENT, "accumulation %d is not at least 1", run->accumulation);
  if (run->input_rate <= 0) return pm__fail(error, PM_BAD_ARGUMENT, "input_rate %g is not above 0", run->input_rate);
  if (run->input_in_turn < 0 || run->input_in_turn > 1)
    return pm__fail(error, PM_BAD_ARGUMENT, "input_in_turn %d is neither 0 nor 1", run->input_in_turn);
  return PM_OK;
}

int pm__step_check(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  const pm__plan_framework *framework = framework_of(plan, run);
  int status = check_choices(run, error);
  if (status != PM_OK || (run->gpus == 1 && run->nodes == 1)) return status;
  int32_t parallel = parallel_of(run, framework);
  if (parallel == PM_PARALLEL_DATA_PARALLEL && run->nodes > 1)
    return pm__fail(error, PM_NOT_MODELLED, "data-parallel is one process in one node; it does not reach %d nodes",
                    run->nodes);
  if (parallel == PM_PARALLEL_PARAMETER_SERVER || parallel == PM_PARALLEL_ASYNCHRONOUS)
    return check_server(framework, error);
  return PM_OK;
}
