/* A replica of a model on the GPUs of a system. */
#include "serving/replica.h"
#include <math.h>
#include <string.h>
#include "plan/energy.h"
#include "schedule/placement.h"
#include "serving/queue.h"

static double known(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* ---- Formats ---- */

static double bytes_of(int format, double otherwise)
{
  static const double bytes[PM_STORED_COUNT] = {
#define BYTES(name, text, bytes, ...) bytes,
    PM_STORED_LIST(BYTES)
#undef BYTES
  };
  return format == PM_STORED_AS_RUN ? otherwise : bytes[format];
}

/* ---- Limits of the engine: those of large GPUs from 70 GiB on ---- */

static bool is_large(const pm_gpu *gpu)
{
  return gpu->memory >= 70 * 1073741824.0 && strcmp(gpu->architecture, "ampere") != 0;
}

static double limit_of(const pm_gpu *gpu, double asked, double large, double small, double otherwise)
{
  double own = is_large(gpu) ? large : known(small, large);
  return known(asked, known(own, otherwise));
}

/* ---- Groups ---- */

static int connect(const pm_system *system, int apart, int members, int per_node, pm__collective_group *group,
                   pm_error *error)
{
  int inside = members <= per_node ? members : per_node / apart > 0 ? per_node / apart : 1;
  const pm__placement_group at = {.stride = apart, .members = inside, .nodes = (members + inside - 1) / inside,
                                  .at_once = 1};
  *group = (pm__collective_group){.members = 1, .nodes = 1, .groups_at_once = 1, .thread_gpus = 1};
  if (members == 1) return PM_OK;
  int status = pm__placement_connect(&at, system, PM_NCCL_CURRENT, group);
  if (status == PM_OK || status == PM_STATUS_NO_MEMORY) return status == PM_OK ? PM_OK : pm__no_memory(error);
  return pm__fail(error, status, "%d GPUs of a %s are not connected", members, system->machine.id);
}

/* GPUs of two nodes, of which all of a stage send at once. */
static int connect_nodes(pm__serving_replica *r, const pm_system *system, int stage)
{
  const pm__placement_group between = {.stride = 1, .members = 1, .nodes = 2,
                                       .at_once = stage < r->run->gpus ? stage : r->run->gpus};
  return pm__placement_connect(&between, system, PM_NCCL_CURRENT, &r->hop);
}

/* Stages are neighbours, on one node where both fit; prompts are sent between nodes, where there are several. */
static int connect_stages(pm__serving_replica *r, const pm_system *system, int stage, pm_error *error)
{
  r->hop = r->tensor;
  r->hop.members = r->hop.nodes = 1;
  r->hop.wiring = NULL;
  if (r->run->prefill_workers > 0) return connect_nodes(r, system, stage), PM_OK;
  if (r->stages == 1) return PM_OK;
  if (2 * stage <= r->run->gpus) return connect(system, stage, 2, r->run->gpus, &r->hop, error);
  int status = connect_nodes(r, system, stage);
  return status == PM_OK ? PM_OK : pm__fail(error, status, "stages on different nodes of a %s are not connected",
                                            system->machine.id);
}

static int connect_all(pm__serving_replica *r, const pm_system *system, int tensor, pm_error *error)
{
  const pm_serving_run *run = r->run;
  int status = connect(system, 1, tensor, run->gpus, &r->tensor, error);
  bool gathered = run->expert_parallel == 1 && run->attention_parallel > 1; /* a part of every expert on each GPU */
  int sharing = gathered ? tensor * run->attention_parallel : run->expert_parallel;
  if (status == PM_OK) status = connect(system, 1, sharing, run->gpus, &r->experts, error);
  return status == PM_OK ? connect_stages(r, system, tensor * run->attention_parallel, error) : status;
}

/* ---- Devices ---- */

static int set_devices(pm__serving_replica *r, const pm_plan *plan, const pm__plan_engine *engine, int tensor,
                       pm_error *error)
{
  const pm_serving_run *run = r->run;
  const pm__plan_system *system = &plan->systems[run->system_index];
  const pm__device *unlimited = plan->systems[system->device].devices[run->kernel_model];
  const pm__device *devices = pm__plan_limit(plan, unlimited, run->power_limit, error).devices;
  const pm_gpu *gpu = &system->system->gpu;
  int wide = pm_precision_get_bytes(run->precision) >= 2 ? run->precision : pm__gpu_get_half_precision(gpu);
  if (devices == NULL) return PM_STATUS_NO_MEMORY;
  if (!devices[run->precision].usable) return pm__kernel_refuse_precision(gpu, run->precision, error);
  double own = devices[run->precision].bytes;
  r->device = (pm__serving_device){
    .narrow = &devices[run->precision], .wide = &devices[wide], .kernels = &engine->profile.kernels,
    .engine = &engine->profile.engine, .tensor = &r->tensor, .experts = &r->experts, .hop = &r->hop,
    .weight_bytes = bytes_of(run->weights, own),
    .cache_bytes = bytes_of(run->kv_cache, 2), .precision = run->precision, .wide_precision = wide,
    .weights = run->weights,
    .experts_stored = run->expert_weights != PM_STORED_AS_RUN ? run->expert_weights : run->weights,
    .tensor_ranks = tensor, .expert_ranks = run->expert_parallel,
    .attention_ranks = run->attention_parallel, .imbalance = run->expert_imbalance};
  r->device.expert_bytes = bytes_of(run->expert_weights, r->device.weight_bytes);
  return PM_OK;
}

/* ---- Memory ---- */

static double weights_of(const pm__serving_replica *r)
{
  const pm__serving_model *m = r->model;
  double experts = m->expert_parameters / r->device.attention_ranks;
  double ends = 2 * (m->head_parameters - m->tied_parameters + m->other_parameters);
  return (m->product_parameters * r->device.weight_bytes + experts * r->device.expert_bytes) / r->stages +
         ends / r->stages;
}

static double reserve_of(const pm__serving_replica *r)
{
  const pm_engine *e = r->engine;
  double ranks = r->gpus > 1 ? known(e->group_reserve, 0) : 0;
  double words = r->model->vocabulary * r->device.tensor_ranks;
  return known(e->reserve, 0) + ranks + known(e->sampler_bytes, 0) * r->limit * words;
}

static void set_memory(pm__serving_replica *r, const pm_system *system)
{
  pm__serving_memory *m = &r->memory;
  double fraction = known(r->run->memory_fraction, known(r->engine->memory_fraction, 0.9));
  m->usable = known(r->run->usable_memory, system->usable_memory);
  m->weights = weights_of(r);
  m->reserve = reserve_of(r);
  double left = m->usable - m->weights - m->reserve;
  m->cache = r->engine->after_weights ? fraction * left : fraction * m->usable - m->weights - m->reserve;
  m->token = r->model->cache_full * r->device.cache_bytes / r->stages;
}

double pm__serving_cache_bytes(const pm__serving_replica *r, double tokens)
{
  const pm__serving_model *m = r->model;
  double block = known(r->engine->block, 1), full = tokens + (block > 1 ? (block - 1) / 2 : 0);
  double window = m->window > 0 ? fmin(full, m->window + block) : 0;
  double tokens_bytes = (m->cache_full * full + m->cache_window * window) * r->device.cache_bytes;
  return (tokens_bytes + m->carried * PM__SERVE_STATE_BYTES) / r->stages;
}

double pm__serving_room(const pm__serving_replica *r, double tokens)
{
  double shared = pm__serving_cache_bytes(r, r->run->shared_prompt), left = r->memory.cache;
  if (r->run->shared_prompt > 0) left -= shared;
  double each = pm__serving_cache_bytes(r, fmax(1, tokens - r->run->shared_prompt));
  return left > 0 ? floor(left / each) : 0;
}

/* ---- A replica ---- */

static int check_layout(const pm__serving_replica *r, const pm_serving_run *run, int tensor, pm_error *error)
{
  double ranks = (double)tensor * run->attention_parallel;
  if (r->stages > r->model->layers)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%d stages are more than the network's %.0f layers", r->stages,
                    r->model->layers);
  if (run->expert_parallel > 1 && !(r->model->expert_parameters > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "expert_parallel %d: the network has no experts",
                    run->expert_parallel);
  if (run->expert_parallel > r->model->experts && run->expert_parallel > 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "expert_parallel %d: a layer has %.0f experts", run->expert_parallel,
                    r->model->experts);
  if (fmod(ranks, run->expert_parallel) == 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "expert_parallel %d does not divide the %.0f GPUs of a layer",
                  run->expert_parallel, ranks);
}

static void set_limits(pm__serving_replica *r, const pm_gpu *gpu)
{
  const pm_engine *e = r->engine;
  r->budget = limit_of(gpu, r->run->token_budget, e->token_budget, e->small_token_budget, 8192);
  r->limit = limit_of(gpu, r->run->sequences, e->sequences, e->small_sequences, 256);
  r->drafts = 1 + r->run->draft_tokens;
  r->accepted = pm__serving_accepted(r->run->draft_tokens, r->run->acceptance);
}

int pm__serving_replica_make(pm__serving_replica *r, const pm_plan *plan, const pm_serving_run *run, int tensor,
                             pm_error *error)
{
  const pm__plan_engine *engine = pm__plan_engine_at(plan, run->engine_index, run->system_index);
  const pm_system *system = plan->systems[run->system_index].system;
  pm_error own = PM_ERROR_NONE;
  if (error == NULL) error = &own;
  *r = (pm__serving_replica){.run = run, .engine = &engine->profile.engine, .stages = run->pipeline_parallel,
                             .groups = run->attention_parallel};
  r->gpus = tensor * run->attention_parallel * run->pipeline_parallel;
  r->model = pm__serving_model_find(plan, run->network_index, tensor, error);
  if (r->model == NULL) return error->status;
  int status = check_layout(r, run, tensor, error);
  if (status == PM_OK) status = set_devices(r, plan, engine, tensor, error);
  if (status == PM_OK) status = connect_all(r, system, tensor, error);
  if (status != PM_OK) return status;
  set_limits(r, &system->gpu);
  set_memory(r, system);
  return PM_OK;
}

/* GPUs of a node, if they decide how groups lie: where one does not fit a node, and between stages. */
static double node_gpus(const pm_serving_run *run, int tensor)
{
  int sharing = tensor * run->attention_parallel > run->expert_parallel ? tensor * run->attention_parallel
                                                                        : run->expert_parallel;
  return sharing > run->gpus || run->pipeline_parallel > 1 ? run->gpus : 0;
}

int pm__serving_replica_keep(pm__serving_kept *kept, const pm_plan *plan, const pm_serving_run *run, int tensor,
                             pm_error *error)
{
  /* everything that passes depend on beside their batch, then what else a replica has of its run */
  const double numbers[PM__SERVING_NUMBERS] = {
    run->network_index, run->system_index, run->engine_index, run->precision, run->kernel_model, run->weights,
    run->expert_weights, run->kv_cache, tensor, run->pipeline_parallel, run->attention_parallel, run->expert_parallel,
    run->expert_imbalance, node_gpus(run, tensor), run->power_limit, run->draft_tokens,
    run->prefill_workers > 0, run->gpus, run->acceptance, run->token_budget, run->sequences, run->memory_fraction,
    run->usable_memory};
  kept->replica.run = run;
  if (memcmp(kept->numbers, numbers, sizeof numbers) == 0) return PM_OK;
  kept->numbers[0] = NAN;
  int status = pm__serving_replica_make(&kept->replica, plan, run, tensor, error);
  if (status != PM_OK) return status;
  memcpy(kept->numbers, numbers, sizeof numbers);
  pm__serving_memo_take(&kept->memo, numbers);
  kept->replica.device.memo = &kept->memo;
  return PM_OK;
}

/* ---- Passes ---- */

static double factor_of(double factor)
{
  return known(factor, 1);
}

double pm__serving_kernels(const pm__serving_replica *r, const pm__serving_times *t)
{
  return pm__serving_sum(t) + (factor_of(r->engine->start_factor) - 1) * t->start;
}

static double hop_time(const pm__serving_replica *r, double rows)
{
  if (r->stages == 1) return 0;
  return pm__serving_exchange(&r->device, &r->hop, PM_COLLECTIVE_SEND_RECEIVE, 2 * rows * r->model->hidden);
}

/* The host's calls in a pass that is no graph. */
static double calls_of(const pm__serving_replica *r)
{
  return known(r->engine->layer_time, 0) * r->model->layers / r->stages;
}

double pm__serving_prompt_calls(const pm__serving_replica *r)
{
  double layer = known(r->engine->layer_time, 0), latent = known(r->engine->latent_time, layer);
  return calls_of(r) + (latent - layer) * r->model->latent_layers / r->stages;
}

/* Kernels, the host's calls beside them, and what the host does in between. */
static double with_host(const pm__serving_replica *r, double gpu, double sequences, double calls)
{
  const pm_engine *e = r->engine;
  return sqrt(gpu * gpu + calls * calls) + known(e->step_time, 0) + known(e->sequence_time, 0) * sequences;
}

pm__serving_times pm__serving_decode_parts(const pm__serving_replica *r, double sequences, double context)
{
  const pm__serving_batch b = {.sequences = fmax(1, sequences / r->stages), .context = context, .drafts = r->drafts};
  return pm__serving_pass(r->model, &r->device, &b);
}

pm__serving_times pm__serving_prompt_parts(const pm__serving_replica *r, double tokens, double past)
{
  const pm__serving_batch b = {.drafts = r->drafts, .prompts = 1, .tokens = fmin(fmax(1, tokens), r->budget),
                               .past = past};
  return pm__serving_pass(r->model, &r->device, &b);
}

double pm__serving_decode_factor(const pm__serving_replica *r)
{
  return factor_of(r->engine->decode_factor) * (1 + r->run->draft_tokens * r->run->draft_time);
}

double pm__serving_prefill_factor(const pm__serving_replica *r)
{
  return factor_of(r->engine->prefill_factor);
}

/* Of a pipeline, whose stages work on as many parts of the sequences: the way of a part through all of them. */
double pm__serving_decode_of(const pm__serving_replica *r, const pm__serving_times *t, double sequences)
{
  double part = fmax(1, sequences / r->stages);
  double gpu = pm__serving_decode_factor(r) * pm__serving_kernels(r, t);
  if (r->stages > 1)
    gpu = factor_of(r->engine->stage_factor) * (gpu + r->stages * hop_time(r, part * r->drafts));
  bool graph = sequences * r->drafts <= known(r->engine->graph_sequences, 0);
  return with_host(r, gpu, sequences, graph ? 0 : calls_of(r));
}

double pm__serving_decode(const pm__serving_replica *r, double sequences, double context)
{
  pm__serving_times t = pm__serving_decode_parts(r, sequences, context);
  return pm__serving_decode_of(r, &t, sequences);
}

/* Kernels of prompts that run beside `sequences` that decode; 0 of these: alone. */
static double prompt_kernels(const pm__serving_replica *r, double sequences, double context, double prompts,
                             double tokens, double past)
{
  pm__serving_batch b = {.sequences = sequences, .context = context, .drafts = r->drafts, .prompts = prompts,
                         .tokens = tokens, .past = past};
  pm__serving_times with = pm__serving_pass(r->model, &r->device, &b), without = {0};
  if (sequences > 0 && r->stages == 1) without = pm__serving_decode_parts(r, sequences, context);
  else if (sequences > 0) {
    b.prompts = b.tokens = 0;
    without = pm__serving_pass(r->model, &r->device, &b);
  }
  double added = factor_of(r->engine->prefill_factor) *
                 (pm__serving_kernels(r, &with) - pm__serving_kernels(r, &without));
  return added + r->stages * hop_time(r, prompts * tokens);
}

/* Whether a prompt may be read in pieces. */
static bool in_pieces(const pm__serving_replica *r)
{
  return r->engine->scheduler != PM_SCHEDULER_WHOLE;
}

/* Prompts alone, in as many passes as they take, each with so many calls of the host. */
static double prefill(const pm__serving_replica *r, double prompts, double tokens, double past, double calls)
{
  if (!(tokens > 0)) tokens = 1;
  if (tokens > r->budget && in_pieces(r)) {
    double passes = ceil(tokens / r->budget), piece = tokens / passes;
    double first = with_host(r, prompt_kernels(r, 0, 0, 1, piece, past), 1, calls);
    double last = with_host(r, prompt_kernels(r, 0, 0, 1, piece, past + tokens - piece), 1, calls);
    return prompts * passes * (first + last) / 2 * (1 + (r->stages - 1) / (passes * prompts)) / r->stages;
  }
  double at_once = pm__serving_at_once(r, prompts, tokens), passes = prompts / at_once;
  double each = with_host(r, prompt_kernels(r, 0, 0, at_once, tokens, past), at_once, calls);
  return passes <= 1 ? each : passes * each * (1 + (r->stages - 1) / passes) / r->stages;
}

double pm__serving_at_once(const pm__serving_replica *r, double prompts, double tokens)
{
  return fmax(1, fmin(prompts, floor(r->budget / fmax(1, tokens))));
}

double pm__serving_prefill(const pm__serving_replica *r, double prompts, double tokens, double past)
{
  return prefill(r, prompts, tokens, past, pm__serving_prompt_calls(r));
}

double pm__serving_added(const pm__serving_replica *r, double sequences, double context, double tokens, double past,
                         double *passes)
{
  if (!(tokens > 0)) tokens = 1;
  *passes = in_pieces(r) ? fmax(1, tokens / fmax(1, r->budget - sequences)) : 1;
  if (r->engine->scheduler == PM_SCHEDULER_INTERRUPT) return prefill(r, 1, tokens, past, calls_of(r));
  double piece = tokens / *passes, middle = past + (tokens - piece) / 2;
  double added = *passes * prompt_kernels(r, fmax(1, sequences), context, 1, piece, middle);
  return added / r->stages;
}

/* ---- The least ---- */

double pm__serving_least(const pm__serving_replica *r, double sequences, double context)
{
  const pm__serving_model *m = r->model;
  double tokens = sequences * r->drafts * r->device.attention_ranks, experts = 0, all = 0;
  for (int i = 0; i < m->count; i++) {
    const pm__serving_operation *op = &m->operation[i];
    if (op->kind != PM__SERVE_EXPERTS) continue;
    experts += op->count * pm__serving_active(op->experts, op->top_k, tokens);
    all += op->count * op->experts;
  }
  double read = m->product_parameters * r->device.weight_bytes + 2 * m->head_parameters;
  if (all > 0) read += m->expert_parameters / r->device.attention_ranks * r->device.expert_bytes * experts / all;
  double window = m->window > 0 ? fmin(context, m->window) : 0;
  double cache = sequences * (m->cache_full * context + m->cache_window * window) * r->device.cache_bytes;
  double carried = 2 * sequences * m->carried * PM__SERVE_STATE_BYTES;
  return (read + cache + carried) / r->device.wide->bandwidth;
}
