/* (plan, run) -> latency and throughput of the forward pass. */
#include <math.h>
#include <string.h>
#include "inference/inference.h"
#include "kernel/spread.h"

pm_inference_run pm_inference_run_default(void)
{
  return (pm_inference_run){.gpus = 1, .nodes = 1, .batch = 1, .precision = PM_FP32,
                            .kernel_model = PM_KERNEL_MODEL_CALIBRATED, .usable_memory = NAN};
}

/* ---- Checks ---------------------------------------------------------------------------------------------------- */

static int check_place(const char *what, int32_t index, size_t count, pm_error *error)
{
  if (index >= 0 && (size_t)index < count) return PM_OK;
  return pm__fail(error, PM_BAD_ARGUMENT, "%s %d is not in the plan", what, index);
}

static int check_group(const pm_system *system, const pm_inference_run *run, pm_error *error)
{
  const char *id = system->machine.id;
  int have = (int)system->gpu_count;
  if (run->gpus < 1) return pm__fail(error, PM_BAD_ARGUMENT, "gpus %d is not at least 1", run->gpus);
  if (run->nodes < 1) return pm__fail(error, PM_BAD_ARGUMENT, "nodes %d is not at least 1", run->nodes);
  if (run->gpus <= have) return PM_OK;
  return pm__fail(error, PM_TOO_MANY_GPUS, "%d GPUs asked for, but a %s has %d", run->gpus, id, have);
}

static int check_numbers(const pm_inference_run *run, pm_error *error)
{
  if (!isfinite(run->batch) || run->batch < 1 || run->batch > 9007199254740992.0 || run->batch != floor(run->batch))
    return pm__fail(error, PM_BAD_ARGUMENT, "batch %g is not a whole number of at least 1", run->batch);
  if (run->usable_memory <= 0) return pm__fail(error, PM_BAD_ARGUMENT, "usable memory %g is not positive", run->usable_memory);
  if (run->kernel_model < 0 || run->kernel_model >= PM_KERNEL_MODEL_COUNT)
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no kernel model %d", run->kernel_model);
  if (run->precision >= 0 && run->precision < PM_PRECISION_COUNT) return PM_OK;
  return pm__fail(error, PM_BAD_ARGUMENT, "there is no precision %d", run->precision);
}

static const pm__device *device_of(const pm_inference_plan *plan, const pm_inference_run *run)
{
  const pm__inference_system *system = &plan->systems[run->system_index];
  if (run->kernel_model == PM_KERNEL_MODEL_ROOFLINE) return &system->rooflines[run->precision];
  return &system->devices[run->profile_index][run->precision];
}

static int check_run(const pm_inference_plan *plan, const pm_inference_run *run, pm_error *error)
{
  int status = check_place("network", run->network_index, plan->network_count, error);
  if (status == PM_OK) status = check_place("system", run->system_index, plan->system_count, error);
  if (status == PM_OK) status = check_place("profile", run->profile_index, plan->profile_count, error);
  if (status == PM_OK) status = check_numbers(run, error);
  if (status != PM_OK) return status;
  const pm_system *system = plan->systems[run->system_index].system;
  status = check_group(system, run, error);
  if (status != PM_OK || device_of(plan, run)->usable) return status;
  return pm__fail(error, PM_NO_PRECISION, "gpu \"%s\" has no rate for %s", system->gpu.id,
                  pm__precision_name(run->precision));
}

int pm_infer_check(const pm_inference_plan *plan, const pm_inference_run *run, pm_error *error)
{
  if (plan == NULL || run == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "a run needs a plan");
  return check_run(plan, run, error);
}

/* ---- Times ------------------------------------------------------------------------------------------------------ */

typedef struct times {
  double product, pass, conversion, kernels, calls;
  double compute; /* what the arithmetic rate or the power limits of the first two */
} times;

static pm__kernel_cost roofline_cost(const pm__device *d, const pm__kernel *kernel, double batch)
{
  const pm__work *work = &kernel->work;
  double compute = batch * work->flop / (kernel->matrix ? d->matrix_peak : d->vector_peak);
  double memory = d->bytes * (batch * work->elements + work->fixed_elements) / d->bandwidth;
  if (compute > memory) return (pm__kernel_cost){compute, PM_KERNEL_ALGORITHM_ROOFLINE, PM_BOUND_COMPUTE};
  return (pm__kernel_cost){memory, PM_KERNEL_ALGORITHM_ROOFLINE, PM_BOUND_MEMORY};
}

static double or_one(double value)
{
  return isnan(value) ? 1 : value;
}

static double or_none(double value)
{
  return isnan(value) ? 0 : value;
}

/* What one profile makes of a device. */
typedef struct setting {
  const pm__device *device;
  double conv, own; /* times of convolutions, and of a framework's own kernels, over the kernel model */
  bool convert, cast;
} setting;

/* The plain roofline knows neither factors nor conversions. */
static setting setting_of(const pm__device *device, const pm_inference_profile *profile)
{
  if (!device->calibrated) return (setting){device, 1, 1, false, false};
  double conv = pm__library_factor(device, or_one(profile->simt_factor), or_one(profile->tensor_factor));
  bool convert = pm__changes_layout(device, profile->convert_simt != 0, profile->convert_tensor != 0,
                                    profile->convert_tf32 != 0);
  return (setting){device, conv, or_one(profile->own_factor), convert, profile->casts && device->bytes < 4};
}

static double factor_of(const setting *on, const pm__kernel *kernel)
{
  return kernel->family == PM__CONV ? on->conv : kernel->framework_kernel ? on->own : 1;
}

static void add_kernel(const setting *on, const pm__launch *k, double batch, times *sum)
{
  const pm__device *d = on->device;
  double repeats = k->kernel.repeats, moved = batch * d->bytes * d->per_byte;
  pm__kernel_cost cost = d->calibrated ? pm__kernel_cost_of(d, &k->kernel, batch) : roofline_cost(d, &k->kernel, batch);
  double time = repeats * (cost.time - d->launch) * factor_of(on, &k->kernel) + k->launches * d->launch;
  sum->kernels += k->launches;
  sum->calls += k->host_calls;
  if (k->kernel.matrix) sum->product += time;
  else sum->pass += time;
  sum->pass += k->extra * moved;
  if (on->convert) sum->conversion += k->layout * moved;
  if (k->kernel.matrix && (cost.bound == PM_BOUND_COMPUTE || cost.bound == PM_BOUND_POWER)) sum->compute += time;
}

/* Weights are read in FP32 and written as narrow as the products want them, each by a kernel. */
static void add_casts(const setting *on, const pm__inference_network *network, times *sum)
{
  const pm__device *d = on->device;
  sum->pass += network->weights * (4 + d->bytes) * d->per_byte + network->tensors * d->launch;
  sum->kernels += network->tensors;
  sum->calls += network->tensors;
}

static times times_of(const pm__inference_network *network, int list, const setting *on, double batch)
{
  times sum = {0, 0, 0, 0, 0, 0};
  const pm__launch_list *kernels = &network->lists[list];
  for (size_t i = 0; i < kernels->count; i++) add_kernel(on, &kernels->launch[i], batch, &sum);
  if (on->cast) add_casts(on, network, &sum);
  return sum;
}

/* ---- Prediction -------------------------------------------------------------------------------------------------- */

static void fill_unknown(pm_inference *out, int status)
{
#define UNKNOWN_REAL(name) out->name = NAN;
#define UNKNOWN_STATUS(name) out->name = status;
#define UNKNOWN_INFERENCE_LIMIT(name) out->name = PM_INFERENCE_LIMIT_NONE;
#define UNKNOWN_VERDICT(name) out->name = PM_VERDICT_UNKNOWN;
#define UNKNOWN_BASIS(name) out->name = PM_BASIS_NONE;
#define UNKNOWN_YES_NO(name) out->name = 0;
#define UNKNOWN(kind, name, unit, doc) UNKNOWN_##kind(name)
  PM_INFERENCE_FIELDS(UNKNOWN)
#undef UNKNOWN
}

/* Constants of one byte are by rule from those of the same cores. */
static int32_t basis_of(const pm__device *device)
{
  if (!device->calibrated) return PM_BASIS_ROOFLINE;
  return device->origin == PM_ORIGIN_FITTED && device->bytes > 1 ? PM_BASIS_KERNELS : PM_BASIS_RULE;
}

/* GPU and host join with exponent 2, so neither hides the other whole. */
static int32_t limit_of(const times *t, double gpu, double host, double step)
{
  double square = gpu * gpu + host * host, joined = sqrt(square);
  double on_gpu = joined * (gpu * gpu / square), on_host = joined - on_gpu + step;
  double compute = on_gpu * t->compute / gpu, memory = on_gpu - compute;
  if (on_host > compute && on_host > memory) return PM_INFERENCE_LIMIT_HOST;
  return compute > memory ? PM_INFERENCE_LIMIT_COMPUTE : PM_INFERENCE_LIMIT_MEMORY;
}

static void set_times(const pm_inference_plan *plan, const pm_inference_run *run, pm_inference *out)
{
  const pm_inference_profile *profile = &plan->profiles[run->profile_index];
  setting on = setting_of(device_of(plan, run), profile);
  int list = pm__inference_list_of(profile, on.device->bytes <= 2);
  times t = times_of(&plan->networks[run->network_index], list, &on, run->batch);
  out->product_time = t.product;
  out->pass_time = t.pass;
  out->conversion_time = t.conversion;
  out->gpu_time = t.product + t.pass + t.conversion;
  out->kernels = t.kernels;
  out->host_time = or_none(profile->launch) * t.calls;
  out->step_time = or_none(profile->step_time);
  out->latency = sqrt(out->gpu_time * out->gpu_time + out->host_time * out->host_time) + out->step_time;
  out->limit = limit_of(&t, out->gpu_time, out->host_time, out->step_time);
}

/* As that of a training step: spreads of profile and kernel constants together. */
static void set_band(const pm_inference_plan *plan, const pm_inference_run *run, pm_inference *out)
{
  const pm_inference_profile *p = &plan->profiles[run->profile_index];
  const pm__device *device = device_of(plan, run);
  double hardware = pm__device_variance(device, p->spread_rule, p->spread_roofline);
  double factor = pm__band_factor(pm__spread_square(p->spread) + hardware);
  out->throughput_p10 = out->throughput_p90 = NAN;
  out->in_range = device->calibrated && device->origin == PM_ORIGIN_FITTED && p->origin == PM_ORIGIN_FITTED;
  if (!(p->spread > 0)) return;
  out->throughput_p10 = out->throughput / factor;
  out->throughput_p90 = out->throughput * factor;
}

static void set_memory(const pm_inference_plan *plan, const pm_inference_run *run, pm_inference *out)
{
  const pm_memory_plan *memory = plan->networks[run->network_index].memory;
  pm_memory_run asked = pm_memory_run_default();
  pm_memory_use use;
  out->memory = out->largest_batch = NAN;
  out->verdict = PM_VERDICT_UNKNOWN;
  asked.batch = run->batch;
  asked.precision = run->precision;
  asked.inference = 1;
  asked.usable = run->usable_memory;
  if (memory == NULL || pm_memory(memory, &asked, &use, 1) != PM_OK || use.status != PM_OK) return;
  out->memory = use.total;
  out->verdict = use.verdict;
  out->largest_batch = use.largest_batch;
}

static void predict_one(const pm_inference_plan *plan, const pm_inference_run *run, pm_inference *out)
{
  memset(out, 0, sizeof *out);
  out->status = check_run(plan, run, NULL);
  if (out->status != PM_OK) {
    fill_unknown(out, out->status);
    return;
  }
  const pm_gpu *gpu = &plan->systems[run->system_index].system->gpu;
  set_times(plan, run, out);
  set_memory(plan, run, out);
  out->throughput = run->batch * run->gpus * run->nodes / out->latency;
  out->flop = run->batch * plan->networks[run->network_index].flop;
  out->flop_rate = out->flop / out->latency;
  out->utilization = out->flop_rate / pm_gpu_matrix_peak(gpu, run->precision);
  out->basis = basis_of(device_of(plan, run));
  set_band(plan, run, out);
}

int pm_infer(const pm_inference_plan *plan, const pm_inference_run *runs, pm_inference *predictions, size_t count)
{
  if (plan == NULL || (count > 0 && (runs == NULL || predictions == NULL))) return PM_BAD_ARGUMENT;
  for (size_t i = 0; i < count; i++) predict_one(plan, &runs[i], &predictions[i]);
  return PM_OK;
}

/* ---- The largest batch within a latency -------------------------------------------------------------------------- */

/* The next batch to try: every one up to 1024, then steps of 1/1024. */
static double next_batch(double batch)
{
  return batch + fmax(1, floor(batch / 1024));
}

/* Latency does not grow strictly with the batch: a larger one may fill waves better. So batches are tried one by one, as
** far as twice the limit; what a longer limit finds then is never less. */
static double search(const pm_inference_plan *plan, pm_inference_run run, double latency, double most)
{
  double best = 0;
  pm_inference p;
  for (run.batch = 1; run.batch <= most; run.batch = next_batch(run.batch)) {
    set_times(plan, &run, &p);
    if (p.latency <= latency) best = run.batch;
    else if (p.latency > 2 * latency) break;
  }
  return best;
}

static double most_by_memory(const pm_inference_plan *plan, const pm_inference_run *run)
{
  pm_inference p;
  set_memory(plan, run, &p);
  return isnan(p.largest_batch) ? 1e9 : p.largest_batch;
}

int pm_infer_within(const pm_inference_plan *plan, pm_inference_run *run, double latency, pm_inference *prediction,
                    pm_error *error)
{
  if (prediction != NULL) fill_unknown(prediction, PM_BAD_ARGUMENT);
  if (plan == NULL || run == NULL || prediction == NULL)
    return pm__fail(error, PM_BAD_ARGUMENT, "a latency limit needs a plan, a run and a place for the prediction");
  if (!isfinite(latency) || latency <= 0)
    return pm__fail(error, PM_BAD_ARGUMENT, "latency %g is not positive and finite", latency);
  run->batch = 1;
  int status = check_run(plan, run, error);
  if (status != PM_OK) return prediction->status = status;
  double most = most_by_memory(plan, run);
  predict_one(plan, run, prediction);
  double alone = prediction->latency;
  run->batch = search(plan, *run, latency, most);
  if (run->batch >= 1) {
    predict_one(plan, run, prediction);
    return PM_OK;
  }
  run->batch = 1;
  if (most < 1) return pm__fail(error, PM_UNREACHABLE, "one sample does not fit the memory");
  return pm__fail(error, PM_UNREACHABLE, "one sample takes %.3g ms, longer than %.3g ms", alone * 1e3, latency * 1e3);
}
