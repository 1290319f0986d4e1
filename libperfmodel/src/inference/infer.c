/* (plan, run) -> latency and throughput of the forward pass. */
#include <math.h>
#include <string.h>
#include "inference/infer.h"
#include "kernel/work.h"
#include "lowering/library.h"
#include "plan/energy.h"

/* What belongs to one run, gathered. */
typedef struct call {
  const pm_inference_run *run;
  const pm__plan_network *network;
  const pm__plan_system *system;
  const pm__plan_profile *profile;
  const pm__device *device;
  const pm__units *units;
} call;

/* At its power limit. Without memory for that limit it has no device. */
static call call_of(const pm_plan *plan, const pm_inference_run *run, pm_error *error)
{
  call c = {.run = run,
            .network = &plan->networks[run->network_index],
            .system = &plan->systems[run->system_index],
            .profile = pm__plan_profile_at(plan, run->profile_index, run->system_index)};
  int device = c.system->device;
  const pm__device *devices = run->kernel_model == PM_KERNEL_MODEL_ROOFLINE
                                ? plan->systems[device].devices[PM_KERNEL_MODEL_ROOFLINE]
                                : plan->libraries[c.profile->library].devices[device];
  devices = pm__plan_limit(plan, devices, run->power_limit, error).devices;
  if (devices == NULL) return c;
  c.device = &devices[run->precision];
  c.units = c.network->units[c.profile->mode[c.device->bytes <= 2]];
  return c;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static double usable_of(const call *c)
{
  return isnan(c->run->usable_memory) ? c->system->system->usable_memory : c->run->usable_memory;
}

static pm__memory_parts parts_of(const call *c)
{
  const pm_memory_plan *plan = c->network->memory[c->profile->memory];
  pm_memory_run run = {.batch = c->run->batch, .precision = c->run->precision, .ranks = 1, .inference = 1};
  pm__memory_question question = {plan, &run, &plan->optimizer};
  return pm__memory_parts_of(&question);
}

static void set_memory(const call *c, pm_inference *out)
{
  out->gpu_memory = usable_of(c);
  out->memory = out->largest_batch = NAN;
  out->verdict = PM_VERDICT_UNKNOWN;
  if (c->profile->memory < 0) return;
  pm__memory_parts parts = parts_of(c);
  out->memory = pm__memory_total(&parts, c->run->batch);
  out->verdict = pm_memory_get_verdict(out->memory, out->gpu_memory);
  out->largest_batch = pm__memory_largest_batch(&parts, out->gpu_memory);
}

static int check_memory(const call *c, pm_error *error)
{
  if (c->run->ignore_memory || c->profile->memory < 0) return PM_OK;
  pm__memory_parts parts = parts_of(c);
  pm__memory_case asked = {c->network->network->id, c->system->system->gpu.id, c->run->batch, usable_of(c)};
  return pm__memory_check_fit(&parts, &asked, error);
}

/* ---- Checks ---------------------------------------------------------------------------------------------------- */

static int check_numbers(const pm_inference_run *run, pm_error *error)
{
  int status = pm__plan_check_batch(run->batch, error);
  if (status == PM_OK) status = pm__plan_check_memory(run->usable_memory, error);
  if (status != PM_OK) return status;
  if (run->kernel_model < 0 || run->kernel_model >= PM_KERNEL_MODEL_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no kernel model %d", run->kernel_model);
  if (run->precision == PM_PRECISION_FP4)
    return pm__fail(error, PM_STATUS_NOT_MODELLED,
                    "inference in fp4 is not modelled: the parts kept in more bits are not distinguished");
  if (run->precision >= 0 && run->precision < PM_PRECISION_COUNT) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", run->precision);
}

static int check_energy(const pm_plan *plan, const pm_inference_run *run, pm_error *error)
{
  const pm__plan_site site = PM__PLAN_SITE(run);
  const pm__plan_power power = PM__PLAN_POWER(run);
  return pm__energy_check(plan, power, site, error);
}

/* All but memory. */
static int check_run(const pm_plan *plan, const pm_inference_run *run, pm_error *error)
{
  int status = pm__plan_check_place("network", run->network_index, plan->network_count, error);
  if (status == PM_OK) status = pm__plan_check_place("system", run->system_index, plan->system_count, error);
  if (status == PM_OK) status = pm__plan_check_place("profile", run->profile_index, plan->profile_count, error);
  if (status == PM_OK) status = pm__plan_check_trained(&plan->networks[run->network_index], error);
  if (status == PM_OK) status = check_numbers(run, error);
  if (status == PM_OK) status = pm__plan_check_group(&plan->systems[run->system_index], run->gpus, run->nodes, error);
  if (status == PM_OK) status = check_energy(plan, run, error);
  if (status != PM_OK) return status;
  const pm__device *device = call_of(plan, run, error).device;
  if (device == NULL) return PM_STATUS_NO_MEMORY;
  if (device->usable) return PM_OK;
  return pm__kernel_refuse_precision(&plan->systems[run->system_index].system->gpu, run->precision, error);
}

int pm__infer_check(const pm_plan *plan, const pm_inference_run *run, pm_error *error)
{
  int status = check_run(plan, run, error);
  if (status != PM_OK) return status;
  call c = call_of(plan, run, error);
  return check_memory(&c, error);
}

int pm__infer_get_memory(const pm_plan *plan, const pm_inference_run *run, pm_memory_use *use, pm_error *error)
{
  int status = check_run(plan, run, error);
  if (status != PM_OK) return status;
  const call c = call_of(plan, run, error);
  if (c.profile->memory < 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the inference profile has no memory profile");
  const pm_memory_run asked = {.batch = run->batch, .precision = run->precision, .ranks = 1, .inference = 1,
                               .usable = usable_of(&c)};
  return pm_memory_evaluate(c.network->memory[c.profile->memory], &asked, use, 1);
}

/* ---- Times ------------------------------------------------------------------------------------------------------ */

typedef struct times {
  double product, pass, conversion, kernels;
  double calls, plain; /* of the host, and those of them that are not of cuDNN */
  double groups; /* launches of single groups of convolutions besides */
  double waited;  /* operations on single samples that the GPU waits for */
  double compared; /* pairs of boxes */
  double conv;    /* the part of product in convolutions */
  double saved;   /* FLOP that transforms save */
  double compute; /* what the arithmetic rate or the power limits of products */
  double extra;   /* J beyond what kernels draw that multiply nothing */
} times;

/* What one profile makes of a device. */
typedef struct setting {
  double conv, framework_kernel; /* times of convolutions, and of a framework's kernels, over the kernel model */
  bool cast;
} setting;

/* The plain roofline knows neither factors nor conversions. */
static setting setting_of(const pm__device *device, const pm_inference_profile *profile)
{
  if (!device->calibrated) return (setting){1, 1, false};
  return (setting){device->library, profile->framework_kernel_factor, profile->casts && device->bytes < 4};
}

/* Weights are read in FP32 and written as narrow as the products want them, each by a kernel. */
static void add_casts(const call *c, times *sum)
{
  const pm__device *d = c->device;
  sum->pass += c->network->weights * (4 + d->bytes) * d->per_byte * d->power.slow +
               c->network->weight_tensors * d->launch;
  sum->kernels += c->network->weight_tensors;
  sum->calls += c->network->weight_tensors;
  sum->plain += c->network->weight_tensors;
}

static times times_of(const call *c, const setting *on, double batch)
{
  pm__costs costs;
  const pm__device *d = c->device;
  const pm__fixed *fixed = &c->units->pass[PM__FORWARD];
  double moved = batch * d->bytes * d->pass_byte * d->power.slow;
  pm__plan_kernels_price(&c->units->kernels, NULL, d, batch, &costs);
  const pm__part *part = &costs.pass[PM__FORWARD];
  times sum = {.kernels = fixed->launches, .calls = fixed->host_calls, .plain = fixed->plain_calls,
               .waited = fixed->waited * batch,
               .compared = fixed->compared * batch,
               .groups = d->calibrated && d->bytes == 2 ? fixed->group_calls : 0,
               .saved = costs.saved[PM__FORWARD]};
  sum.conv = on->conv * part->conv;
  sum.product = sum.conv + part->product + fixed->matrix_launches * d->launch;
  sum.pass =
      on->framework_kernel * part->framework + part->other + pm__other_launches(fixed) * d->launch + fixed->extra *
          moved;
  sum.conversion = (fixed->layout * batch - part->spared) * d->layout;
  sum.compute = on->conv * costs.bound.conv + costs.bound.product + costs.bound_launches * d->launch;
  sum.extra = on->conv * costs.extra.conv + costs.extra.product;
  if (on->cast) add_casts(c, &sum);
  return sum;
}

/* ---- Prediction -------------------------------------------------------------------------------------------------- */

static void fill_unknown(pm_inference *out, int status)
{
#define UNKNOWN_REAL(name) out->name = NAN;
#define UNKNOWN_INT(name) out->name = 0;
#define UNKNOWN_STATUS(name) out->name = status;
#define UNKNOWN_BOTTLENECK(name) out->name = PM_BOTTLENECK_NONE;
#define UNKNOWN_VERDICT(name) out->name = PM_VERDICT_UNKNOWN;
#define UNKNOWN_CALIBRATION_STATUS(name) out->name = PM_CALIBRATION_STATUS_NONE;
#define UNKNOWN_ORIGIN(name) out->name = PM_ORIGIN_NONE;
#define UNKNOWN_YES_NO(name) out->name = 0;
#define UNKNOWN(kind, name, ...) UNKNOWN_##kind(name)
  PM_INFERENCE_FIELDS(UNKNOWN)
#undef UNKNOWN
}

/* GPU and host join with exponent 2, so neither hides the other whole. */
static int32_t bottleneck_of(const times *t, double gpu, double host, double step)
{
  double square = gpu * gpu + host * host, joined = sqrt(square);
  double on_gpu = joined * (gpu * gpu / square), on_host = joined - on_gpu + step;
  double compute = on_gpu * t->compute / gpu, memory = on_gpu - compute;
  if (on_host > compute && on_host > memory) return PM_BOTTLENECK_LAUNCH_OVERHEAD;
  return compute > memory ? PM_BOTTLENECK_COMPUTE : PM_BOTTLENECK_MEMORY_BANDWIDTH;
}

/* What is executed, not counted, over the peak. */
static double hfu_of(const call *c, const times *t, double batch, double latency)
{
  return (batch * c->network->forward_flop - t->saved) / latency / c->device->peak;
}

/* Host time of asking for the kernels: calls of cuDNN take it longer than others. */
static double launch_time(const call *c, const times *t)
{
  const pm_inference_profile *profile = &c->profile->profile;
  double calls = t->calls - (1 - profile->plain_launch) * t->plain;
  return c->system->host * (profile->launch * calls + profile->group_launch * t->groups);
}

/* Host time of a call besides: its own, inputs copied as FP32, operations on single samples, pairs of boxes. */
static double call_time(const call *c, const times *t, double batch)
{
  const pm_inference_profile *profile = &c->profile->profile;
  return profile->step_time + batch * c->network->input_elements * 4 / profile->host_copy_bandwidth +
         c->system->host * (profile->launch * profile->plain_launch * t->waited + profile->comparison * t->compared);
}

/* Returns J of one board's kernels. */
static double set_times(const call *c, double batch, pm_inference *out)
{
  const pm_inference_profile *profile = &c->profile->profile;
  setting on = setting_of(c->device, profile);
  times t = times_of(c, &on, batch);
  out->product_time = t.product;
  out->convolution_time = t.conv;
  out->pass_time = t.pass;
  out->conversion_time = t.conversion;
  out->gpu_time = t.product + t.pass + t.conversion;
  out->kernels = t.kernels;
  out->launch_time = launch_time(c, &t);
  out->step_time = call_time(c, &t, batch);
  out->latency = sqrt(out->gpu_time * out->gpu_time + out->launch_time * out->launch_time) + out->step_time;
  out->bottleneck = bottleneck_of(&t, out->gpu_time, out->launch_time, out->step_time);
  out->hfu = hfu_of(c, &t, batch, out->latency);
  return c->device->power.drawn * out->gpu_time + t.extra;
}

enum { CONVOLUTION, PRODUCT, PASS, HOST, CLASSES };

static void split(const call *c, const pm_inference *p, pm__kernel_work *work)
{
  const pm_inference_profile *profile = &c->profile->profile;
  const pm__plan_rows *rows = &c->profile->rows[c->run->system_index];
  const int32_t *kernels = c->device->status;
  work[CONVOLUTION] = (pm__kernel_work){p->convolution_time, profile->spread_convolution,
                                       pm__worse_status(kernels[PM__CONVOLUTIONS], rows->convolutions)};
  work[PRODUCT] = (pm__kernel_work){p->product_time - p->convolution_time, profile->spread_product,
                                    kernels[PM__PRODUCTS]};
  work[PASS] = (pm__kernel_work){p->pass_time + p->conversion_time, profile->spread_passes,
                                 kernels[PM__PASSES_OVER_MEMORY]};
  work[HOST] = (pm__kernel_work){p->latency - p->gpu_time, profile->spread_host, rows->host};
}

/* As of a training step: software without rows on such a GPU extrapolates. */
static int32_t status_of(const call *c, const pm__kernel_work *work, double latency)
{
  const pm__plan_rows *rows = &c->profile->rows[c->run->system_index];
  if (!rows->runs) return PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  int32_t status = pm__kernel_work_status(work, CLASSES, latency);
  return rows->host == PM_CALIBRATION_STATUS_CALIBRATED ? status : pm__worse_status(status,
      PM_CALIBRATION_STATUS_EXTRAPOLATED);
}

const char *const pm__infer_spread_names[PM__INFER_SPREADS] = {"any rate", "this kind of network", "convolutions",
                                                                "matrix multiplications", "memory-bound kernels",
                                                                "host"};

_Static_assert(PM__INFER_SPREADS == 2 + CLASSES, "a name for each");

static double kind_spread(const call *c)
{
  const pm_inference_profile *p = &c->profile->profile;
  const pm_prediction_interval of = {.groups = p->spread_groups, .sound = p->spread_sound,
                                     .volumes = p->spread_volumes, .recurrent = p->spread_recurrent,
                                     .proposals = p->spread_proposals, .tables = p->spread_tables};
  return pm__plan_kinds_spread(c->network->kinds, &of);
}

/* Returns the logarithm of the factor to its ends; 0: it is not known. */
static double set_interval(const call *c, pm_inference *out, double squares[PM__INFER_SPREADS])
{
  pm__kernel_work work[CLASSES];
  const pm_inference_profile *p = &c->profile->profile;
  split(c, out, work);
  out->calibration = status_of(c, work, out->latency);
  out->throughput_p10 = out->throughput_p90 = NAN;
  double word = pm__spread_factor(out->calibration, p->spread_extrapolated, p->spread_not_calibrated);
  squares[0] = pm__spread_square(p->spread * word);
  squares[1] = pm__spread_square(kind_spread(c) * word);
  double variance = squares[0] + squares[1] +
                    pm__kernel_work_variance(work, CLASSES, out->latency, p->spread_extrapolated,
                                             p->spread_not_calibrated, squares + 2);
  if (!(variance > 0)) return 0;
  double log = pm__interval_log(variance), factor = exp(log);
  out->throughput_p10 = out->throughput / factor;
  out->throughput_p90 = out->throughput * factor;
  return log;
}

/* Only memory is known of a call that does not fit. */
static void set_too_large(pm_inference *out)
{
  pm_inference memory = *out;
  fill_unknown(out, PM_STATUS_DOES_NOT_FIT);
  out->memory = memory.memory;
  out->gpu_memory = memory.gpu_memory;
  out->verdict = memory.verdict;
  out->largest_batch = memory.largest_batch;
}

static void set_energy(const call *c, double kernels, double rate_spread, pm_inference *out)
{
  const pm_inference_run *run = c->run;
  const double gpus = (double)run->gpus * run->nodes;
  const pm__plan_energy_work work = {.time = out->latency, .busy = out->gpu_time, .kernels = kernels, .gpus = gpus,
                                .nodes = run->nodes, .samples = gpus * run->batch, .tokens = c->network->tokens,
                                .rate_spread = rate_spread};
  const pm__plan_site site = PM__PLAN_SITE(run);
  const pm__plan_energy energy = pm__energy_of(c->system->system, &c->device->power, &work, site);
  PM_ENERGY_FIELDS(PM__ENERGY_COPY)
}

static void predict_call(const call *c, pm_inference *out)
{
  const pm_inference_run *run = c->run;
  double kernels = set_times(c, run->batch, out);
  out->throughput = run->batch * run->gpus * run->nodes / out->latency;
  out->tokens_per_second = c->network->tokens * out->throughput;
  out->flop = run->batch * c->network->forward_flop;
  out->flop_rate = out->flop / out->latency;
  out->mfu = out->flop_rate / c->device->peak;
  double squares[PM__INFER_SPREADS], spread = set_interval(c, out, squares);
  set_energy(c, kernels, spread, out);
}

static void answer_one(const pm_plan *plan, const pm_inference_run *run, pm_inference *out)
{
  memset(out, 0, sizeof *out);
  int status = check_run(plan, run, NULL);
  if (status != PM_OK) {
    fill_unknown(out, status);
    return;
  }
  call c = call_of(plan, run, NULL);
  set_memory(&c, out);
  if (out->verdict == PM_VERDICT_DOES_NOT_FIT && !run->ignore_memory) set_too_large(out);
  else predict_call(&c, out);
}

void pm__infer_predict(const pm_plan *plan, const pm_inference_run *run, pm_inference *answer)
{
  answer_one(plan, run, answer);
  answer->total_gpus = pm__plan_total_gpus(run->gpus, run->nodes);
}

bool pm__infer_find_spreads(const pm_plan *plan, const pm_inference_run *run, double squares[PM__INFER_SPREADS])
{
  pm_inference out;
  pm__infer_predict(plan, run, &out);
  if (out.status != PM_OK) return false;
  call c = call_of(plan, run, NULL);
  return set_interval(&c, &out, squares) > 0;
}

/* ---- The largest batch within a latency -------------------------------------------------------------------------- */

/* The next batch to try: every one up to 1024, then steps of 1/1024. */
static double next_batch(double batch)
{
  return batch + fmax(1, floor(batch / 1024));
}

/* Latency does not grow strictly with the batch: a larger one may fill waves better. So batches are tried one by one,
** as far as twice the limit; what a longer limit finds then is never less. */
static double search(const call *c, double latency, double most)
{
  double best = 0;
  pm_inference p;
  for (double batch = 1; batch <= most; batch = next_batch(batch)) {
    set_times(c, batch, &p);
    if (p.latency <= latency) best = batch;
    else if (p.latency > 2 * latency) break;
  }
  return best;
}

static double most_by_memory(const call *c)
{
  pm_inference p;
  set_memory(c, &p);
  return isnan(p.largest_batch) || c->run->ignore_memory ? 1e9 : p.largest_batch;
}

int pm__infer_find_batch(const pm_plan *plan, pm_inference_run *run, double latency, pm_inference *prediction,
                         pm_error *error)
{
  fill_unknown(prediction, PM_STATUS_BAD_ARGUMENT);
  if (!isfinite(latency) || latency <= 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "latency %g is not positive and finite", latency);
  run->batch = 1;
  int status = check_run(plan, run, error);
  if (status != PM_OK) return prediction->status = status;
  call c = call_of(plan, run, error);
  double most = most_by_memory(&c);
  set_times(&c, 1, prediction);
  double alone = prediction->latency;
  run->batch = most >= 1 ? search(&c, latency, most) : 0;
  if (run->batch >= 1) {
    pm__infer_predict(plan, run, prediction);
    return PM_OK;
  }
  run->batch = 1;
  fill_unknown(prediction, PM_STATUS_UNREACHABLE);
  if (most < 1) return pm__fail(error, PM_STATUS_UNREACHABLE, "one sample does not fit in memory");
  return pm__fail(error, PM_STATUS_UNREACHABLE, "one sample takes %.3g ms, longer than %.3g ms", alone * 1e3,
                  latency * 1e3);
}
