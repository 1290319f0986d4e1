/* (plan, run) -> prediction: one run, or many with what they share computed once. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "perfmodel/kernel.h"
#include "collective/parameters.h"
#include "step/step.h"

pm_run pm_run_default(void)
{
  return (pm_run){.gpus = 1,
                  .nodes = 1,
                  .batch = 32,
                  .precision = PM_FP32,
                  .overlap = PM_OVERLAP_FRAMEWORK,
                  .kernel_model = PM_KERNEL_MODEL_CALIBRATED,
                  .epoch_samples = NAN,
                  .framework_index = -1,
                  .parallel = PM_PARALLEL_FRAMEWORK,
                  .optimizer = PM_UPDATE_MOMENTUM,
                  .accumulation = 1,
                  .input_rate = NAN,
                  .usable_memory = NAN};
}

/* ---- Checks ---------------------------------------------------------------------------------------------------- */

static int check_batch(double batch, pm_error *error)
{
  if (!isfinite(batch) || batch < 1 || batch > 9007199254740992.0)
    return pm__fail(error, PM_BAD_ARGUMENT, "batch %g is not at least 1", batch);
  if (batch != floor(batch)) return pm__fail(error, PM_BAD_ARGUMENT, "batch %g is not a whole number", batch);
  return PM_OK;
}

static int check_places(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  if (run->network_index < 0 || (size_t)run->network_index >= plan->network_count)
    return pm__fail(error, PM_BAD_ARGUMENT, "network %d is not in the plan", run->network_index);
  if (run->system_index < 0 || (size_t)run->system_index >= plan->system_count)
    return pm__fail(error, PM_BAD_ARGUMENT, "system %d is not in the plan", run->system_index);
  if (run->framework_index < -1 || run->framework_index >= (int32_t)plan->framework_count)
    return pm__fail(error, PM_BAD_ARGUMENT, "framework %d is not in the plan", run->framework_index);
  if (run->overlap < 0 || run->overlap >= PM_OVERLAP_COUNT)
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no overlap %d", run->overlap);
  if (run->kernel_model < 0 || run->kernel_model >= PM_KERNEL_MODEL_COUNT)
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no kernel model %d", run->kernel_model);
  if (run->epoch_samples < 1 || isinf(run->epoch_samples))
    return pm__fail(error, PM_BAD_ARGUMENT, "epoch_samples %g is not at least 1", run->epoch_samples);
  return PM_OK;
}

static int check_group(const pm__plan_system *system, const pm_run *run, pm_error *error)
{
  const char *id = system->system->machine.id;
  int have = (int)system->system->gpu_count;
  if (run->gpus < 1) return pm__fail(error, PM_BAD_ARGUMENT, "gpus %d is not at least 1", run->gpus);
  if (run->nodes < 1) return pm__fail(error, PM_BAD_ARGUMENT, "nodes %d is not at least 1", run->nodes);
  if (run->gpus > have)
    return pm__fail(error, PM_TOO_MANY_GPUS, "%d GPUs asked for, but a %s has %d", run->gpus, id, have);
  const pm__wiring *wiring;
  int status = pm__wiring_first(system->system, run->gpus, &wiring);
  if (status == PM_NO_MEMORY) return pm__no_memory(error);
  if (status != PM_OK) return pm__fail(error, status, "%d GPUs of a %s are not connected", run->gpus, id);
  if (run->nodes > 1 && system->system->network.count == 0)
    return pm__fail(error, PM_NO_ROUTE, "system \"%s\" has no network between nodes", id);
  return PM_OK;
}

static int check_run(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  int status = check_places(plan, run, error);
  if (status == PM_OK) status = check_group(&plan->systems[run->system_index], run, error);
  if (status == PM_OK) status = check_batch(run->batch, error);
  if (status == PM_OK) status = pm__step_check(plan, run, error);
  if (status != PM_OK) return status;
  return pm__kernel_check(&plan->systems[run->system_index].system->gpu, run->batch, run->precision, error);
}

int pm_run_check(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  if (plan == NULL || run == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "a run needs a plan");
  return check_run(plan, run, error);
}

/* ---- Kernel times, remembered within one call ------------------------------------------------------------------- */

/* Runs of a sweep that differ only in machine, GPUs, nodes or a framework of the same executions share their kernel times.
** The memory is the caller's stack, so that evaluation allocates nothing and threads do not meet. */
typedef struct memo_entry {
  const pm__kernels *kernels; /* NULL: empty */
  const pm__segments *segments;
  const pm__device *device;
  double batch;
  pm__costs costs;
} memo_entry;

enum { MEMO = 64, PROBES = 8 };

typedef struct memo {
  memo_entry entry[MEMO];
} memo;

static void memo_clear(memo *seen)
{
  for (int i = 0; i < MEMO; i++) seen->entry[i].kernels = NULL;
}

/* Costs without segments are the same whether others were cut or not. */
static bool memo_same(const memo_entry *entry, const pm__step *step, double batch)
{
  return entry->kernels == step->kernels && entry->device == step->device && entry->batch == batch &&
         entry->segments == step->segments;
}

/* The place of a key, or where it goes: the first free one of a few, else the first. */
static memo_entry *memo_find(memo *seen, const pm__step *step, double batch)
{
  uint64_t bits;
  memcpy(&bits, &batch, sizeof bits);
  bits ^= (uint64_t)(uintptr_t)step->kernels << 17 ^ (uint64_t)(uintptr_t)step->segments << 9;
  bits ^= (uint64_t)(uintptr_t)step->device;
  size_t slot = (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 58);
  for (size_t i = 0; i < PROBES; i++) {
    memo_entry *entry = &seen->entry[(slot + i) % MEMO];
    if (entry->kernels == NULL || memo_same(entry, step, batch)) return entry;
  }
  return &seen->entry[slot];
}

/* In `own`, or where they are remembered. */
static const pm__costs *costs_of(const pm__step *step, double batch, memo *seen, pm__costs *own)
{
  if (seen == NULL) {
    pm__kernels_price(step->kernels, step->segments, step->device, batch, own);
    return own;
  }
  memo_entry *entry = memo_find(seen, step, batch);
  if (entry->kernels == NULL || !memo_same(entry, step, batch)) {
    entry->kernels = step->kernels;
    entry->segments = step->segments;
    entry->device = step->device;
    entry->batch = batch;
    pm__kernels_price(step->kernels, step->segments, step->device, batch, &entry->costs);
  }
  return &entry->costs;
}

/* ---- Prediction -------------------------------------------------------------------------------------------------- */

static void fill_unknown(pm_prediction *out, int status)
{
#define UNKNOWN_REAL(name) out->name = NAN;
#define UNKNOWN_STATUS(name) out->name = status;
#define UNKNOWN_VERDICT(name) out->name = PM_VERDICT_UNKNOWN;
#define UNKNOWN_BOTTLENECK(name) out->name = PM_BOTTLENECK_NONE;
#define UNKNOWN_EVIDENCE(name) out->name = PM_EVIDENCE_NONE;
#define UNKNOWN_YES_NO(name) out->name = 0;
#define UNKNOWN_BASIS(name) out->name = PM_BASIS_NONE;
#define UNKNOWN(kind, name, unit, doc) UNKNOWN_##kind(name)
  PM_PREDICTION_FIELDS(UNKNOWN)
#undef UNKNOWN
}

/* Kernels: roofline, calibrated, by rule; each with the links' part. */
static int32_t basis_of(const pm__device *device, bool calibrated, double ranks)
{
  int32_t kernels = !device->calibrated ? PM_BASIS_ROOFLINE
                    : device->origin == PM_ORIGIN_FITTED ? PM_BASIS_KERNELS : PM_BASIS_RULE;
  if (ranks <= 1) return kernels;
  return kernels + (calibrated ? 1 : 2);
}

/* A GPU alone, with this batch and with that of all. */
static void set_efficiency(const pm__step *step, double alone, memo *seen, pm_prediction *out)
{
  pm__costs own;
  pm__step whole = *step;
  whole.segments = NULL;
  out->scaling_efficiency = alone / out->step_time;
  out->strong_scaling_efficiency = 1;
  if (step->ranks <= 1) return;
  double batch = step->run->batch * step->ranks;
  pm__times times = pm__step_times(&whole, costs_of(&whole, batch, seen, &own), batch);
  out->strong_scaling_efficiency = times.alone / (step->ranks * out->step_time);
}

static void predict_one(const pm_plan *plan, const pm_run *run, pm_prediction *out, memo *seen)
{
  pm__costs own;
  pm__sharing sharing;
  memset(out, 0, sizeof *out);
  out->status = check_run(plan, run, NULL);
  if (out->status != PM_OK) {
    fill_unknown(out, out->status);
    return;
  }
  pm__step step = pm__step_of(plan, run);
  const pm__costs *costs = costs_of(&step, run->batch, seen, &own);
  pm__times times = pm__step_times(&step, costs, run->batch);
  double alone = times.alone;
  pm__share(&step, costs, &times, &sharing);
  pm__step_compose(&step, &times, &sharing, out);
  if (isnan(out->step_time)) {
    fill_unknown(out, PM_NOT_MODELLED);
    return;
  }
  pm__collective_group rings = pm__collective_group_on(step.group.wiring, run->nodes); /* today's library's */
  out->bus_bandwidth = step.ranks > 1 ? pm__collective_ring_bandwidth(&rings) : (double)NAN;
  out->basis = basis_of(step.device, pm__collective_calibrated(&rings), step.ranks);
  set_efficiency(&step, alone, seen, out);
}

int pm_predict(const pm_plan *plan, const pm_run *runs, pm_prediction *predictions, size_t count)
{
  if (plan == NULL || (count > 0 && (runs == NULL || predictions == NULL))) return PM_BAD_ARGUMENT;
  if (count == 1) {
    predict_one(plan, runs, predictions, NULL);
    return PM_OK;
  }
  memo seen;
  memo_clear(&seen);
  for (size_t i = 0; i < count; i++) predict_one(plan, &runs[i], &predictions[i], &seen);
  return PM_OK;
}
