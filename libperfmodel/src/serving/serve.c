/* (plan, run) -> what requests see of a model that is served. */
#include "serving/serve.h"
#include "plan/energy.h"
#include "serving/cost.h"
#include "serving/energy.h"
#include <math.h>
#include <string.h>
#include "kernel/work.h"
#include "serving/service.h"

/* ---- Checks ---- */

/* Sizes of a run with their bounds; those of the second list may be unknown. */
#define SIZES(X)                                                                                                       \
  X(concurrency, 1, 1e9) X(isl, 1, 1e9) X(osl, 1, 1e9) X(arrival_cv, 0, 100) X(length_cv, 0, 100)                      \
  X(percentile, 0.5, 0.99999) X(hit_ratio, 0, 0.999999) X(shared_prompt, 0, run->isl) X(acceptance, 0, 1)              \
  X(draft_time, 0, 10) X(draft_tokens, 0, 16) X(expert_imbalance, 1, 1e6) X(tensor_parallel, 1, 1e6)                   \
  X(pipeline_parallel, 1, 1e6) X(attention_parallel, 1, 1e6) X(expert_parallel, 1, 1e6) X(prefill_workers, 0, 1e6)     \
  X(prefill_tensor_parallel, 1, 1e6) X(prefill_attention_parallel, 1, 1e6) X(prefill_expert_parallel, 1, 1e6)
#define SIZES_KNOWN(X)                                                                                                 \
  X(rate, 1e-9, 1e9) X(duration, 1e-3, 1e12) X(token_budget, 1, 1e9) X(sequences, 1, 1e9) X(memory_fraction, 0.01, 1)  \
  X(usable_memory, 1, 1e18) X(gpu_hour_price, 0, 1e9) X(client_time, 0, 1e6) X(bunching, 0, 1)

static bool are_bounded(const pm_serving_run *run)
{
  int off = 0;
#define OFF(name, least, most) off |= !(run->name >= (least) && run->name <= (most));
#define OFF_KNOWN(name, least, most) off |= run->name < (least) || run->name > (most);
  SIZES(OFF)
  SIZES_KNOWN(OFF_KNOWN)
#undef OFF_KNOWN
#undef OFF
  return off == 0;
}

static int refuse_size(const char *name, double value, double least, double most, pm_error *error)
{
  if (value >= least && value <= most) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not between %g and %g", name, value, least, most);
}

/* Names the first that is out of its bounds. */
static int refuse_sizes(const pm_serving_run *run, pm_error *error)
{
  int status = PM_OK;
#define REFUSE(name, least, most)                                                                                      \
  if (status == PM_OK) status = refuse_size(#name, run->name, least, most, error);
#define REFUSE_KNOWN(name, least, most)                                                                                \
  if (status == PM_OK && !isnan(run->name)) status = refuse_size(#name, run->name, least, most, error);
  SIZES(REFUSE)
  SIZES_KNOWN(REFUSE_KNOWN)
#undef REFUSE_KNOWN
#undef REFUSE
  return status;
}

int pm__serve_check_sizes(const pm_serving_run *run, pm_error *error)
{
  return are_bounded(run) ? PM_OK : refuse_sizes(run, error);
}

static int check_choice(const char *name, int32_t value, int32_t count, pm_error *error)
{
  if (value >= 0 && value < count) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no %s %d", name, value);
}

static int check_choices(const pm_serving_run *run, pm_error *error)
{
  int status = check_choice("precision", run->precision, PM_PRECISION_COUNT, error);
  if (status == PM_OK) status = check_choice("kernel model", run->kernel_model, PM_KERNEL_MODEL_COUNT, error);
  if (status == PM_OK) status = check_choice("kind of arrivals", run->arrivals, PM_ARRIVALS_COUNT, error);
  if (status == PM_OK) status = check_choice("format of weights", run->weights, PM_STORED_COUNT, error);
  if (status == PM_OK) status = check_choice("format of weights", run->expert_weights, PM_STORED_COUNT, error);
  if (status == PM_OK) status = check_choice("format of the cache", run->kv_cache, PM_STORED_COUNT, error);
  if (status != PM_OK) return status;
  if (run->arrivals == PM_ARRIVALS_OPEN && isnan(run->rate))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an open loop needs a rate, such as \"4 1/s\"");
  return PM_OK;
}

/* GPUs that read prompts alone, and those of each replica that decodes. */
static int64_t prefill_gpus(const pm_serving_run *run)
{
  return (int64_t)run->prefill_workers * run->prefill_tensor_parallel * run->prefill_attention_parallel;
}

static int64_t replica_gpus(const pm_serving_run *run)
{
  return (int64_t)run->tensor_parallel * run->pipeline_parallel * run->attention_parallel;
}

static int64_t replicas_of(const pm_serving_run *run)
{
  return ((int64_t)run->gpus * run->nodes - prefill_gpus(run)) / replica_gpus(run);
}

static int check_gpus(const pm_serving_run *run, pm_error *error)
{
  int64_t all = (int64_t)run->gpus * run->nodes, each = replica_gpus(run), left = all - prefill_gpus(run);
  if (run->pipeline_parallel > 1 && run->prefill_workers > 0)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "pipeline_parallel %d with prefill workers is not modelled",
                    run->pipeline_parallel);
  if (left >= each && left % each == 0) return PM_OK;
  if (left < each)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "a replica of %lld GPUs does not fit on %lld; give more GPUs or nodes, or a smaller "
                    "tensor_parallel, pipeline_parallel or attention_parallel", (long long)each, (long long)left);
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%lld GPUs are not a whole number of replicas of %lld; %lld GPUs are "
                  "(--gpus %lld, gpus=%lld)", (long long)left, (long long)each, (long long)(all - left % each),
                  (long long)(all - left % each), (long long)(all - left % each));
}

static int check_run(const pm_plan *plan, const pm_serving_run *run, pm_error *error)
{
  int status = pm__plan_check_place("network", run->network_index, plan->network_count, error);
  if (status == PM_OK) status = pm__plan_check_place("system", run->system_index, plan->system_count, error);
  if (status == PM_OK) status = pm__plan_check_place("engine", run->engine_index, plan->engine_count, error);
  if (status == PM_OK) status = check_choices(run, error);
  if (status == PM_OK) status = pm__serve_check_sizes(run, error);
  if (status == PM_OK) status = pm__plan_check_group(&plan->systems[run->system_index], run->gpus, run->nodes, error);
  if (status == PM_OK) status = check_gpus(run, error);
  if (status != PM_OK) return status;
  const pm__plan_site site = PM__PLAN_SITE(run);
  const pm__plan_power power = PM__PLAN_POWER(run);
  return pm__energy_check(plan, power, site, error);
}

/* ---- Memory ---- */

/* Weights, and one request as long as it gets. */
static bool fits(const pm__serving_replica *r)
{
  return isnan(r->memory.usable) || pm__serving_room(r, r->run->isl + r->run->osl) >= 1;
}

/* What it needs at least, and what the engine takes, of a GPU. */
static double needed(const pm__serving_replica *r)
{
  return r->memory.weights + r->memory.reserve + pm__serving_cache_bytes(r, r->run->isl + r->run->osl);
}

static double taken(const pm__serving_replica *r)
{
  return r->memory.cache + r->memory.weights + r->memory.reserve;
}

static int check_memory(const pm__serving_replica *r, pm_error *error)
{
  if (r->run->ignore_memory || fits(r)) return PM_OK;
  return pm__fail(error, PM_STATUS_DOES_NOT_FIT,
                  "weights of %.1f GB, the engine's %.1f GB and one request of %.0f tokens need %.1f GB, but of a "
                  "GPU's %.1f GB the engine uses %.1f GB; more GPUs per layer (tensor_parallel) or narrower weights "
                  "would help", r->memory.weights / 1e9, r->memory.reserve / 1e9, r->run->isl + r->run->osl,
                  needed(r) / 1e9, r->memory.usable / 1e9, taken(r) / 1e9);
}

static int make(const pm_plan *plan, const pm_serving_run *run, pm__serving_replica *r, pm_error *error)
{
  int status = check_run(plan, run, error);
  return status == PM_OK ? pm__serving_replica_make(r, plan, run, run->tensor_parallel, error) : status;
}

/* The run as workers see it that only read prompts. */
static pm_serving_run prefill_run(const pm_serving_run *run)
{
  pm_serving_run alone = *run;
  alone.expert_parallel = run->prefill_expert_parallel;
  alone.attention_parallel = run->prefill_attention_parallel;
  return alone;
}

/* Whether there are such workers, if any are asked for, and a prompt fits them. */
static int check_prefill(const pm_plan *plan, const pm_serving_run *run, pm__serving_kept *prefill, pm_error *error)
{
  pm_serving_run alone = prefill_run(run);
  if (run->prefill_workers == 0) return PM_OK;
  alone.osl = 1;
  int status = pm__serving_replica_keep(prefill, plan, &alone, run->prefill_tensor_parallel, error);
  return status == PM_OK ? check_memory(&prefill->replica, error) : status;
}

int pm__serve_check(const pm_plan *plan, const pm_serving_run *run, pm_error *error)
{
  pm__serving_kept kept;
  int status = make(plan, run, &kept.replica, error);
  if (status == PM_OK) status = check_memory(&kept.replica, error);
  if (status != PM_OK) return status;
  pm__serving_kept_clear(&kept);
  return check_prefill(plan, run, &kept, error);
}

int pm__serve_get_memory(const pm_plan *plan, const pm_serving_run *run, pm_memory_use *use, pm_error *error)
{
  pm__serving_replica r;
  int status = make(plan, run, &r, error);
  if (status != PM_OK) return status;
  double cache = fmax(0, r.memory.cache);
  pm_record_clear(pm_record_type_find("memory_use"), use);
  use->weights = r.memory.weights;
  use->cache = cache;
  use->reserve = r.memory.reserve;
  use->total = r.memory.weights + r.memory.reserve + cache;
  use->usable = r.memory.usable;
  use->sample = pm__serving_cache_bytes(&r, run->isl + run->osl);
  use->missing = fmax(0, needed(&r) - taken(&r));
  use->largest_batch = pm__serving_room(&r, run->isl + run->osl) * r.groups;
  use->verdict = isnan(r.memory.usable) ? PM_VERDICT_UNKNOWN : fits(&r) ? PM_VERDICT_FITS : PM_VERDICT_DOES_NOT_FIT;
  return PM_OK;
}

/* ---- Answers ---- */

static void fill_unknown(pm_serving *out, int status)
{
#define UNKNOWN_REAL(name) out->name = NAN;
#define UNKNOWN_INT(name) out->name = 0;
#define UNKNOWN_STATUS(name) out->name = status;
#define UNKNOWN_SERVING_LIMIT(name) out->name = PM_SERVING_LIMIT_NONE;
#define UNKNOWN_VERDICT(name) out->name = PM_VERDICT_UNKNOWN;
#define UNKNOWN_CALIBRATION_STATUS(name) out->name = PM_CALIBRATION_STATUS_NONE;
#define UNKNOWN_ORIGIN(name) out->name = PM_ORIGIN_NONE;
#define UNKNOWN_YES_NO(name) out->name = 0;
#define UNKNOWN(kind, name, ...) UNKNOWN_##kind(name)
  PM_SERVING_FIELDS(UNKNOWN)
#undef UNKNOWN
}

static void set_memory(const pm__serving_replica *r, pm_serving *out)
{
  const pm__serving_memory *m = &r->memory;
  out->gpu_memory = m->usable;
  out->weight_memory = m->weights;
  out->reserve_memory = m->reserve;
  out->cache_memory = fmax(0, m->cache);
  out->token_memory = r->model->cache_whole * r->device.cache_bytes;
  out->cache_tokens = m->token > 0 ? floor(fmax(0, m->cache) / m->token) * r->groups : (double)NAN;
  out->largest_concurrency = fmin(pm__serving_room(r, r->run->isl + r->run->osl), r->limit) * r->groups;
  out->verdict = isnan(m->usable) ? PM_VERDICT_UNKNOWN : fits(r) ? PM_VERDICT_FITS : PM_VERDICT_DOES_NOT_FIT;
  out->memory = m->weights + m->reserve;
}

/* What a pass of decoding is spent on. */
static void set_parts(const pm__serving_replica *r, double running, double context, pm_serving *out)
{
  double factor = isnan(r->engine->decode_factor) ? 1 : r->engine->decode_factor;
  pm__serving_times t = pm__serving_decode_parts(r, running, context);
  out->step_time = pm__serving_decode_of(r, &t, running);
  out->product_time = factor * t.product;
  out->attention_time = factor * t.attention;
  out->expert_time = factor * t.expert;
  out->pass_time = factor * t.pass;
  out->communication_time = factor * t.exchange;
  double hidden = pm__serving_sum(&t) - pm__serving_kernels(r, &t);
  out->host_time = fmax(0, out->step_time - factor * pm__serving_kernels(r, &t));
  out->least_step_time = pm__serving_least(r, running, context);
  out->mbu = out->least_step_time / out->step_time;
  double start = factor * (t.start - hidden), compute = factor * t.compute;
  double memory = factor * (pm__serving_kernels(r, &t) - t.exchange) - start - compute;
  const double shares[] = {compute, memory, start, out->communication_time, out->host_time};
  int most = 0;
  for (int i = 1; i < 5; i++)
    if (shares[i] > shares[most]) most = i;
  out->bottleneck = PM_SERVING_LIMIT_COMPUTE + most;
}

static void set_rates(const pm_serving_run *run, double replicas, const pm__serving_service *s, pm_serving *out)
{
  out->ttft = s->ttft;
  out->ttft_percentile = s->ttft_late;
  out->tpot = s->tpot;
  out->tpot_percentile = s->tpot_late;
  out->latency = s->latency;
  out->latency_percentile = s->latency + (s->ttft_late - s->ttft);
  out->request_rate = replicas * s->rate;
  out->output_rate = out->request_rate * run->osl;
  out->total_rate = out->request_rate * (run->isl + run->osl);
  out->user_rate = 1 / s->tpot;
  out->gpu_rate = out->output_rate / out->total_gpus;
  out->largest_rate = replicas * s->largest;
  out->running = s->running;
  out->recomputed_tokens = s->again;
  out->prefill_time = s->prefill;
  out->queue_time = s->queue;
  out->transfer_time = s->transfer;
}

static const pm__plan_rows *rows_of(const pm_plan *plan, const pm__serving_replica *r)
{
  const pm__plan_engine *engine = pm__plan_engine_at(plan, r->run->engine_index, r->run->system_index);
  return &engine->rows[r->run->system_index];
}

/* What the engine's own times rest on. */
static int32_t host_status(const pm_plan *plan, const pm__serving_replica *r)
{
  const pm__plan_rows *rows = rows_of(plan, r);
  return rows->runs ? rows->host : (int32_t)PM_CALIBRATION_STATUS_NOT_CALIBRATED;
}

static int32_t status_of(const pm_plan *plan, const pm__serving_replica *r)
{
  const pm__plan_rows *rows = rows_of(plan, r);
  if (!rows->runs) return PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  int32_t status = pm__worse_status(r->device.narrow->status[PM__PRODUCTS],
                                    r->device.wide->status[PM__FUSED_ATTENTION]);
  return pm__worse_status(status, rows->host == PM_CALIBRATION_STATUS_CALIBRATED ? rows->host
                                                                                  : PM_CALIBRATION_STATUS_EXTRAPOLATED);
}

/* Of passes: those of open loops and of networks with experts may have one of their own. */
static double spread_of(const pm__serving_replica *r)
{
  const pm_engine *e = r->engine;
  bool open = r->run->arrivals == PM_ARRIVALS_OPEN && r->run->prefill_workers == 0;
  if (open && !isnan(e->open_spread)) return e->open_spread;
  return r->model->expert_parameters > 0 && !isnan(e->expert_spread) ? e->expert_spread : e->spread;
}

static double first_spread_of(const pm__serving_replica *r)
{
  const pm_engine *e = r->engine;
  return r->run->prefill_workers > 0 && !isnan(e->pool_spread) ? e->pool_spread : e->first_spread;
}

/* Spreads are of rows of the engine: those of this architecture have the errors of its kernels already. */
static void set_interval(const pm_plan *plan, const pm__serving_replica *r, pm_serving *out)
{
  const pm_engine *e = r->engine;
  int32_t rests_on = host_status(plan, r) == PM_CALIBRATION_STATUS_CALIBRATED
                       ? (int32_t)PM_CALIBRATION_STATUS_CALIBRATED : out->calibration;
  double less_sure = pm__spread_factor(rests_on, e->spread_extrapolated, e->spread_not_calibrated);
  double spread = less_sure * spread_of(r), first_spread = less_sure * first_spread_of(r);
  if (!(spread > 0)) return;
  double factor = pm__interval_factor(pm__spread_square(spread));
  out->output_rate_p10 = out->output_rate / factor;
  out->output_rate_p90 = out->output_rate * factor;
  out->tpot_p10 = out->tpot / factor;
  out->tpot_p90 = out->tpot * factor;
  if (!(first_spread > 0)) return;
  double first = pm__interval_factor(pm__spread_square(first_spread));
  out->ttft_p10 = out->ttft / first;
  out->ttft_p90 = out->ttft * first;
}

/* `reading`: the part of the GPUs' time that reads prompts, which is what input tokens pay for. */
static void set_costs(const pm_system *system, const pm_serving_run *run, double reading, pm_serving *out)
{
  out->paid_gpus = (double)run->nodes * (double)system->gpu_count;
  out->hour_cost = run->gpu_hour_price * out->paid_gpus;
  out->output_cost = pm__serving_token_cost(out->hour_cost, out->output_rate);
  out->token_cost = pm__serving_token_cost(out->hour_cost, out->total_rate);
  out->input_cost = reading * out->output_cost * run->osl / run->isl;
  out->decode_cost = (1 - reading) * out->output_cost;
}

/* ---- One run ---- */

static void serve_pools(const pm__serving_load *decode, const pm__serving_load *prefill, double replicas,
                        pm__serving_service *out)
{
  const pm_serving_run *run = decode->replica->run;
  pm__serving_pools pools = {decode, prefill, run->prefill_workers, replicas,
                             run->arrivals == PM_ARRIVALS_OPEN ? (double)NAN : run->concurrency, run->rate};
  pm__serving_pools_serve(&pools, out);
  out->rate /= replicas;
  out->largest /= replicas;
}

/* Requests are divided over replicas, and within one over its groups. */
static void serve_replica(const pm__serving_load *load, double replicas, pm__serving_service *out)
{
  const pm__serving_replica *r = load->replica;
  const pm_serving_run *run = r->run;
  double groups = replicas * r->groups, each = fmax(1, run->concurrency / groups);
  switch (run->arrivals) {
  case PM_ARRIVALS_OPEN: pm__serving_open(load, run->rate / groups, out); break;
  case PM_ARRIVALS_STATIC: pm__serving_static(load, each, out); break;
  case PM_ARRIVALS_OFFLINE: pm__serving_offline(load, out); break;
  default: pm__serving_closed(load, each, out);
  }
  double busy = run->arrivals == PM_ARRIVALS_OFFLINE ? groups : fmin(groups, fmax(1, run->concurrency));
  if (run->arrivals == PM_ARRIVALS_OPEN) busy = groups;
  out->rate *= busy / replicas;
  out->largest *= r->groups;
}

/* `prefill` NULL: no workers only read prompts. */
static pm__serving_service serve(const pm__serving_load *decode, const pm__serving_load *prefill)
{
  pm__serving_service s = {.ttft = NAN, .tpot = NAN, .ttft_late = NAN, .tpot_late = NAN, .latency = NAN, .rate = NAN,
                           .largest = NAN};
  double replicas = (double)replicas_of(decode->replica->run);
  if (prefill != NULL) serve_pools(decode, prefill, replicas, &s);
  else serve_replica(decode, replicas, &s);
  return s;
}

static void answer(const pm_plan *plan, const pm__serving_load *decode, const pm__serving_load *prefill,
                   pm_serving *out)
{
  const pm__serving_replica *r = decode->replica;
  const pm_serving_run *run = r->run;
  pm__serving_service s = serve(decode, prefill);
  double replicas = (double)replicas_of(run), context = run->isl + run->osl / 2;
  out->replicas = (int32_t)replicas;
  set_parts(r, fmax(1, s.running), context, out);
  set_rates(run, replicas, &s, out);
  out->memory += fmin(r->memory.cache, s.running * pm__serving_cache_bytes(r, context));
  if (s.limit != PM_SERVING_LIMIT_NONE) out->bottleneck = s.limit;
  out->calibration = status_of(plan, r);
  set_interval(plan, r, out);
  double reading = pm__serving_set_energy(plan, decode, prefill, &s, out);
  set_costs(plan->systems[run->system_index].system, run, reading, out);
}

/* Only memory is known of a model that does not fit. */
static void set_too_large(const pm__serving_replica *r, pm_serving *out)
{
  fill_unknown(out, PM_STATUS_DOES_NOT_FIT);
  set_memory(r, out);
}

/* Of workers that only read prompts, whose replica is made already; NULL: there are none. */
static const pm__serving_load *load_prefill(const pm_serving_run *alone, pm__serving_memos *memos,
                                            pm__serving_load *load)
{
  if (alone->prefill_workers == 0) return NULL;
  memos->prefill.replica.run = alone;
  *load = pm__serving_load_of(&memos->prefill.replica);
  return load;
}

static void answer_fitting(const pm_plan *plan, const pm_serving_run *run, pm__serving_memos *memos, pm_serving *out)
{
  const pm_serving_run alone = prefill_run(run);
  pm__serving_load decode = pm__serving_load_of(&memos->all.replica), prefill;
  answer(plan, &decode, load_prefill(&alone, memos, &prefill), out);
}

static void answer_one(const pm_plan *plan, const pm_serving_run *run, pm__serving_memos *memos, pm_serving *out)
{
  fill_unknown(out, PM_OK);
  int status = check_run(plan, run, NULL);
  if (status == PM_OK) status = pm__serving_replica_keep(&memos->all, plan, run, run->tensor_parallel, NULL);
  if (status != PM_OK) {
    fill_unknown(out, status);
    return;
  }
  out->total_gpus = pm__plan_total_gpus(run->gpus, run->nodes);
  set_memory(&memos->all.replica, out);
  status = check_prefill(plan, run, &memos->prefill, NULL);
  bool fitting = run->ignore_memory || (out->verdict != PM_VERDICT_DOES_NOT_FIT && status != PM_STATUS_DOES_NOT_FIT);
  if (!fitting) set_too_large(&memos->all.replica, out);
  else if (status != PM_OK) fill_unknown(out, status);
  else answer_fitting(plan, run, memos, out);
  if (out->status == PM_OK && isnan(out->tpot) && isnan(out->latency)) fill_unknown(out, PM_STATUS_NOT_MODELLED);
}

void pm__serve_predict(const pm_plan *plan, const pm_serving_run *run, pm__serving_memos *memos, pm_serving *out)
{
  answer_one(plan, run, memos, out);
  out->total_gpus = pm__plan_total_gpus(run->gpus, run->nodes);
}

pm__serving_service pm__serve_again(const pm_plan *plan, const pm_serving_run *run, pm__serving_memos *memos)
{
  const pm_serving_run alone = prefill_run(run);
  pm__serving_replica_keep(&memos->all, plan, run, run->tensor_parallel, NULL);
  if (run->prefill_workers > 0)
    pm__serving_replica_keep(&memos->prefill, plan, &alone, run->prefill_tensor_parallel, NULL);
  pm__serving_load decode = pm__serving_load_of(&memos->all.replica), prefill;
  return serve(&decode, load_prefill(&alone, memos, &prefill));
}

/* ---- The largest concurrency ---- */

int pm__serve_find_concurrency(const pm_plan *plan, pm_serving_run *run, double time, pm_serving *out,
                               pm_error *error)
{
  fill_unknown(out, PM_STATUS_BAD_ARGUMENT);
  if (!(time > 0) || isinf(time))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "time per token %g is not positive and finite", time);
  int status = pm__serve_check(plan, run, error);
  if (status != PM_OK) return out->status = status;
  double low = 0, high = 1, most = 1e6;
  pm__serving_memos memos;
  pm__serving_memos_clear(&memos);
  for (run->concurrency = high; high < most; high *= 2) {
    run->concurrency = high;
    pm__serve_predict(plan, run, &memos, out);
    if (!(out->tpot <= time)) break;
    low = high;
  }
  while (high - low > 1) {
    run->concurrency = floor((low + high) / 2);
    pm__serve_predict(plan, run, &memos, out);
    if (out->tpot <= time) low = run->concurrency;
    else high = run->concurrency;
  }
  run->concurrency = fmax(1, low);
  pm__serve_predict(plan, run, &memos, out);
  if (low >= 1) return PM_OK;
  double alone = out->tpot;
  fill_unknown(out, PM_STATUS_UNREACHABLE);
  return pm__fail(error, PM_STATUS_UNREACHABLE, "a single request takes %.3g ms per token, longer than %.3g ms",
                  alone * 1e3, time * 1e3);
}
