/* (plan, run) -> prediction: one run, or many with what they share computed once. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "collective/ring.h"
#include "perfmodel/kernel.h"
#include "step/plan.h"

pm_run pm_run_default(void)
{
  return (pm_run){0, 0, 1, 1, 32, PM_FP32, PM_OVERLAP_FRAMEWORK, PM_KERNEL_MODEL_CALIBRATED, NAN, -1,
                  PM_PARALLEL_FRAMEWORK, PM_UPDATE_MOMENTUM, 1, NAN, 0};
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
  if (system->status[run->gpus - 1] != PM_OK)
    return pm__fail(error, system->status[run->gpus - 1], "%d GPUs of a %s are not connected", run->gpus, id);
  if (run->nodes > 1 && system->system->network.count == 0)
    return pm__fail(error, PM_NO_ROUTE, "system \"%s\" has no network between nodes", id);
  return PM_OK;
}

static int check_run(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  int status = check_places(plan, run, error);
  if (status == PM_OK) status = check_group(&plan->systems[run->system_index], run, error);
  if (status == PM_OK) status = check_batch(run->batch, error);
  if (status != PM_OK) return status;
  return pm__kernel_check(&plan->systems[run->system_index].system->gpu, run->batch, run->precision, error);
}

int pm_run_check(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  if (plan == NULL || run == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "a run needs a plan");
  return check_run(plan, run, error);
}

/* ---- Kernel times, remembered within one call ------------------------------------------------------------------- */

/* Runs of a sweep that differ only in machine, GPUs or nodes share their kernel times. The memory is the caller's
** stack, so that evaluation allocates nothing and threads do not meet. */
typedef struct memo_entry {
  int32_t network, device, setting; /* setting: precision and kernel model; network -1: empty */
  double batch;
  pm__times times;
} memo_entry;

enum { MEMO = 64, PROBES = 8 };

typedef struct memo {
  memo_entry entry[MEMO];
} memo;

static void memo_clear(memo *seen)
{
  for (int i = 0; i < MEMO; i++) seen->entry[i].network = -1;
}

static bool memo_same(const memo_entry *a, const memo_entry *b)
{
  return a->network == b->network && a->device == b->device && a->setting == b->setting && a->batch == b->batch;
}

/* The place of a key, or where it goes: the first free one of a few, else the first. */
static memo_entry *memo_find(memo *seen, const memo_entry *key)
{
  uint64_t bits;
  memcpy(&bits, &key->batch, sizeof bits);
  bits ^= (uint64_t)(uint32_t)key->network << 40 ^ (uint64_t)(uint32_t)key->device << 20;
  bits ^= (uint64_t)(uint32_t)key->setting;
  size_t slot = (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 58);
  for (size_t i = 0; i < PROBES; i++) {
    memo_entry *entry = &seen->entry[(slot + i) % MEMO];
    if (entry->network < 0 || memo_same(entry, key)) return entry;
  }
  return &seen->entry[slot];
}

static const pm__device *device_of(const pm_plan *plan, const pm_run *run)
{
  const pm__plan_system *system = &plan->systems[plan->systems[run->system_index].device];
  return &system->devices[run->kernel_model][run->precision];
}

static pm__times kernel_times(const pm_plan *plan, const pm_run *run, double batch, memo *seen)
{
  const pm__plan_network *network = &plan->networks[run->network_index];
  const pm__plan_system *system = &plan->systems[run->system_index];
  const pm__device *device = device_of(plan, run);
  if (seen == NULL) return pm__kernels_time(network->kernels, device, run->precision, batch);
  int32_t setting = run->precision * PM_KERNEL_MODEL_COUNT + run->kernel_model;
  memo_entry key = {run->network_index, system->device, setting, batch, {0, 0, 0, 0, 0}};
  memo_entry *entry = memo_find(seen, &key);
  if (!memo_same(entry, &key)) {
    *entry = key;
    entry->times = pm__kernels_time(network->kernels, device, run->precision, batch);
  }
  return entry->times;
}

static double sum(const pm__times *times)
{
  return ((times->forward + times->backward_data) + times->backward_weight) + times->update;
}

/* ---- Prediction -------------------------------------------------------------------------------------------------- */

static void fill_unknown(pm_prediction *out, int status)
{
#define UNKNOWN_REAL(name) out->name = NAN;
#define UNKNOWN_STATUS(name) out->name = status;
#define UNKNOWN_BOTTLENECK(name) out->name = PM_BOTTLENECK_NONE;
#define UNKNOWN_EVIDENCE(name) out->name = PM_EVIDENCE_NONE;
#define UNKNOWN_YES_NO(name) out->name = 0;
#define UNKNOWN_BASIS(name) out->name = PM_BASIS_NONE;
#define UNKNOWN(kind, name, unit, doc) UNKNOWN_##kind(name)
  PM_PREDICTION_FIELDS(UNKNOWN)
#undef UNKNOWN
}

/* Kernels: roofline, calibrated, by rule; each with the links' part. */
static int32_t basis_of(const pm__device *device, const pm_ring *ring, double ranks)
{
  int32_t kernels = !device->calibrated ? PM_BASIS_ROOFLINE
                    : device->origin == PM_ORIGIN_FITTED ? PM_BASIS_KERNELS : PM_BASIS_RULE;
  if (ranks <= 1) return kernels;
  return kernels + (ring->calibrated ? 1 : 2);
}

/* Gradients travel in the storage precision. */
static double gradient_size(const pm__plan_network *network, int precision)
{
  return network->parameters * pm_precision_bytes(precision);
}

static void set_efficiency(const pm_plan *plan, const pm_run *run, double ranks, memo *seen, pm_prediction *out)
{
  out->scaling_efficiency = out->compute_time / out->step_time;
  out->strong_scaling_efficiency = 1;
  if (ranks <= 1) return;
  pm__times alone = kernel_times(plan, run, run->batch * ranks, seen);
  out->strong_scaling_efficiency = sum(&alone) / (ranks * out->step_time);
}

static void set_rates(const pm__plan_network *network, const pm_gpu *gpu, const pm_run *run, double ranks,
                      pm_prediction *out)
{
  double flop = run->batch * network->training_flop + 4 * network->parameters;
  out->flop = ranks * flop;
  out->flop_rate = flop / out->step_time;
  out->utilization = out->flop_rate / pm_gpu_matrix_peak(gpu, run->precision);
  out->epoch_time = ceil(run->epoch_samples / (run->batch * ranks)) * out->step_time;
}

static void predict_one(const pm_plan *plan, const pm_run *run, pm_prediction *out, memo *seen)
{
  memset(out, 0, sizeof *out);
  out->status = check_run(plan, run, NULL);
  if (out->status != PM_OK) {
    fill_unknown(out, out->status);
    return;
  }
  out->throughput_p10 = out->throughput_p90 = NAN;
  const pm__plan_network *network = &plan->networks[run->network_index];
  const pm__plan_system *system = &plan->systems[run->system_index];
  pm_ring ring = system->ring[run->gpus - 1];
  pm__ring_join_nodes(system->system, &ring, run->nodes, NULL);
  double ranks = (double)run->gpus * run->nodes;
  pm__times times = kernel_times(plan, run, run->batch, seen);
  out->gradient_size = gradient_size(network, run->precision);
  pm__data_parallel_step(run, &times, pm_ring_all_reduce_time(&ring, out->gradient_size), out);
  out->bus_bandwidth = ranks > 1 ? ring.bandwidth : (double)NAN;
  out->basis = basis_of(device_of(plan, run), &ring, ranks);
  set_efficiency(plan, run, ranks, seen, out);
  set_rates(network, &system->system->gpu, run, ranks, out);
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
