/* Degrees, groups and shards of a run; whether they fit together. */
#include "step/parallel.h"
#include "hardware/kernel_calibration.h"
#include "kernel/kernel.h"
#include <math.h>
#include <stdio.h>

bool pm__parallel_wanted(const pm_run *run)
{
  return run->tensor_parallel != 1 || run->pipeline_parallel != 1 || run->virtual_pipeline != 1 ||
         run->context_parallel != 1 || run->expert_parallel != 1 || run->expert_tensor_parallel != 1 ||
         run->sequence_parallel != 0 || run->pipeline_schedule != PM_PIPELINE_SCHEDULE_ONE_F_ONE_B || run->zero != 0 ||
         run->shard_group != 0 || run->recompute != PM_RECOMPUTE_NONE || run->recompute_layers != 0 ||
         run->gradient_bytes != 0 || run->offload != PM_OFFLOAD_NONE || pm__precision_is_of_products(run->precision);
}

/* ---- Checks ---- */

static int check_degree(const char *name, int32_t value, pm_error *error)
{
  if (value >= 1) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %d is not at least 1", name, value);
}

static int check_choice(const char *name, int32_t value, int32_t count, pm_error *error)
{
  if (value >= 0 && value < count) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no %s %d", name, value);
}

static int check_degrees(const pm_run *r, pm_error *error)
{
  int status = check_degree("tensor_parallel", r->tensor_parallel, error);
  if (status == PM_OK) status = check_degree("pipeline_parallel", r->pipeline_parallel, error);
  if (status == PM_OK) status = check_degree("virtual_pipeline", r->virtual_pipeline, error);
  if (status == PM_OK) status = check_degree("context_parallel", r->context_parallel, error);
  if (status == PM_OK) status = check_degree("expert_parallel", r->expert_parallel, error);
  return status == PM_OK ? check_degree("expert_tensor_parallel", r->expert_tensor_parallel, error) : status;
}

static int check_choices(const pm_run *r, pm_error *error)
{
  int status = check_choice("pipeline_schedule", r->pipeline_schedule, PM_PIPELINE_SCHEDULE_COUNT, error);
  if (status == PM_OK) status = check_choice("stage_layers", r->stage_layers, PM_STAGE_LAYERS_COUNT, error);
  if (status == PM_OK) status = check_choice("recompute", r->recompute, PM_RECOMPUTE_COUNT, error);
  if (status == PM_OK) status = check_choice("rank_order", r->rank_order, PM_RANK_ORDER_COUNT, error);
  if (status == PM_OK) status = check_choice("context_exchange", r->context_exchange, PM_CONTEXT_EXCHANGE_COUNT, error);
  if (status == PM_OK) status = check_choice("offload", r->offload, PM_OFFLOAD_COUNT, error);
  return status == PM_OK ? check_choice("sequence_parallel", r->sequence_parallel, 2, error) : status;
}

static int check_numbers(const pm_run *r, pm_error *error)
{
  if (r->zero < 0 || r->zero > 3) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "zero %d is not 0, 1, 2 or 3", r->zero);
  if (r->zero < pm__parallel_offload_zero(r->offload))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "offload %s needs zero %d%s, not %d: ranks would %s on the GPU",
                    r->offload == PM_OFFLOAD_GRADIENTS ? "gradients" : "parameters", pm__parallel_offload_zero(r->offload),
                    r->offload == PM_OFFLOAD_GRADIENTS ? " or 3" : "", r->zero,
                    r->offload == PM_OFFLOAD_GRADIENTS ? "sum up all gradients" : "need all weights");
  if (r->gradient_bytes != 0 && r->gradient_bytes != 2 && r->gradient_bytes != 4)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "gradient_bytes %d is neither 2 nor 4, nor 0", r->gradient_bytes);
  if (r->shard_group < 0) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "shard_group %d is below 0", r->shard_group);
  if (r->recompute_layers < 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "recompute_layers %d is below 0", r->recompute_layers);
  if (r->sequence_parallel && r->tensor_parallel == 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sequence_parallel shares tokens between tensor-parallel GPUs, and there is "
                    "one: tensor_parallel is 1");
  if (!isnan(r->capacity_factor) && !(r->capacity_factor > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "capacity_factor %g is not above 0", r->capacity_factor);
  if (!(r->expert_imbalance >= 1) || isinf(r->expert_imbalance))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "expert_imbalance %g is not at least 1", r->expert_imbalance);
  return PM_OK;
}

/* ---- Ranks ---- */

static int set_ranks(pm__parallel *p, const pm_run *r, pm_error *error)
{
  double each = (double)r->tensor_parallel * r->context_parallel * r->pipeline_parallel, ranks = p->s.ranks;
  if (each > ranks || fmod(ranks, each) != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%.0f GPUs are no multiple of tensor x context x pipeline parallelism, "
                    "%d x %d x %d = %.0f", ranks, r->tensor_parallel, r->context_parallel, r->pipeline_parallel, each);
  p->data = (int)(ranks / each);
  p->stages = r->pipeline_parallel;
  p->replicas = (double)p->data * r->context_parallel;
  double line = p->replicas * r->tensor_parallel, experts = (double)r->expert_parallel * r->expert_tensor_parallel;
  if (experts > line || fmod(line, experts) != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "expert parallelism, %d x %d, does not divide the %.0f GPUs of a stage",
                    r->expert_parallel, r->expert_tensor_parallel, line);
  p->expert_replicas = line / experts;
  p->shards = r->shard_group > 0 ? r->shard_group : p->replicas;
  if (p->shards > p->replicas || fmod(p->replicas, p->shards) != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "shard_group %d does not divide the %.0f GPUs with the same parameters",
                    r->shard_group, p->replicas);
  return PM_OK;
}

static int set_batches(pm__parallel *p, const pm_run *r, pm_error *error)
{
  bool pipeline = r->pipeline_parallel > 1 && r->gradient_accumulation_steps == 1;
  p->batch = !isnan(r->micro_batch) ? r->micro_batch : pipeline ? 1 : r->batch;
  int status = pm__plan_check_batch(p->batch, error);
  if (status != PM_OK) return status;
  if (fmod(r->batch, p->batch) != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "batch %.0f of each data-parallel rank is no multiple of micro_batch %.0f",
                    r->batch, p->batch);
  p->micro_batches = r->batch / p->batch * r->gradient_accumulation_steps;
  if (p->micro_batches <= INT32_MAX) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%.0f micro-batches are too many", p->micro_batches);
}

static const char *name_of(int schedule)
{
  return pm_record_find_field(pm_record_type_find("run"), "pipeline_schedule")->choices[schedule].name;
}

static int set_schedule(pm__parallel *p, const pm_run *r, pm_error *error)
{
  int which = r->pipeline_schedule;
  if (which == PM_PIPELINE_SCHEDULE_ONE_F_ONE_B && r->virtual_pipeline > 1) which = PM_PIPELINE_SCHEDULE_INTERLEAVED;
  const pm__pipeline_schedule *schedule = p->schedule = pm__pipeline_schedule_of(which);
  p->chunks = schedule->chunks > 0 ? schedule->chunks : r->virtual_pipeline;
  if (r->virtual_pipeline > 1 && r->virtual_pipeline != p->chunks)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "schedule %s has %d chunks of layers on each GPU, not virtual_pipeline %d",
                    name_of(which), p->chunks, r->virtual_pipeline);
  if (schedule->splits_backward && r->recompute >= PM_RECOMPUTE_FULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "schedule %s computes gradients of parameters later, which need what "
                    "recomputation does not keep", name_of(which));
  if (schedule->divides && p->chunks > 1 && fmod(p->micro_batches, p->stages) != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%.0f micro-batches are no multiple of the %d stages, as interleaved "
                    "schedules need", p->micro_batches, p->stages);
  return PM_OK;
}

/* ---- Groups ---- */

static int connect(pm__parallel *p, pm__parallel_group which, pm__placement_group at, pm_error *error)
{
  const pm_system *system = p->s.system->system;
  int status = pm__placement_connect(&at, system, p->s.group.era, &p->group[which]);
  if (status == PM_OK) return PM_OK;
  if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  return pm__fail(error, status, "%d GPUs of a %s, %d apart, over %d nodes are not connected", at.members,
                  system->machine.id, at.stride, at.nodes);
}

/* Neighbours, and both ends, of a pipeline: two GPUs. */
static pm__placement_group pair(const pm__placement *at, int apart)
{
  return pm__placement_group_on_line(at, PM__PLACE_PIPELINE, apart, 2);
}

static int set_groups(pm__parallel *p, const pm_run *r, pm_error *error)
{
  pm__placement at = pm__placement_of(r->rank_order, r->tensor_parallel, r->context_parallel, p->data, p->stages, r->gpus);
  const unsigned same = PM__PLACE_DATA | PM__PLACE_CONTEXT, line = same | PM__PLACE_TENSOR;
  int inner = r->expert_tensor_parallel, experts = r->expert_parallel, shards = (int)p->shards;
  const pm__placement_group groups[PM__PARALLEL_GROUPS] = {
    [PM__GROUP_TENSOR] = pm__placement_group_of(&at, PM__PLACE_TENSOR),
    [PM__GROUP_CONTEXT] = pm__placement_group_of(&at, PM__PLACE_CONTEXT),
    [PM__GROUP_EXPERT] = pm__placement_group_on_line(&at, line, inner, experts),
    [PM__GROUP_EXPERT_TENSOR] = pm__placement_group_on_line(&at, line, 1, inner),
    [PM__GROUP_HOP] = p->stages > 1 ? pair(&at, 1) : pm__placement_group_of(&at, 0),
    [PM__GROUP_ENDS] = p->stages > 1 ? pair(&at, p->stages - 1) : pm__placement_group_of(&at, 0),
    [PM__GROUP_DATA] = pm__placement_group_of(&at, same),
    [PM__GROUP_EXPERT_DATA] = pm__placement_group_on_line(&at, line, inner * experts, (int)p->expert_replicas),
    [PM__GROUP_SHARD] = pm__placement_group_on_line(&at, same, 1, shards),
    [PM__GROUP_COPIES] = pm__placement_group_on_line(&at, same, shards, (int)(p->replicas / p->shards))};
  for (int i = 0; i < PM__PARALLEL_GROUPS; i++) {
    int status = connect(p, (pm__parallel_group)i, groups[i], error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

/* ---- Shards ---- */

static int set_sharded(pm__parallel *p, const pm_plan *plan, const pm_run *r, pm_error *error)
{
  const pm__plan_sharded_key key = {
    .network = r->network_index, .mode = p->s.mode, .memory = p->s.framework != NULL ? p->s.framework->memory : 0,
    .degrees = {.tensor = r->tensor_parallel, .context = r->context_parallel, .expert = r->expert_parallel,
                .expert_tensor = r->expert_tensor_parallel, .sequence = r->sequence_parallel != 0,
                .context_exchange = (pm__sharding_context)r->context_exchange,
                .imbalance = r->expert_imbalance > 1 ? r->expert_imbalance : 0,
                .capacity = isnan(r->capacity_factor) ? 0 : r->capacity_factor}};
  pm_error own = PM_ERROR_NONE;
  p->sharded = pm__plan_sharded_find(plan, &key, error != NULL ? error : &own);
  if (p->sharded == NULL) return error != NULL ? error->status : own.status;
  p->pieces = p->sharded->of;
  return PM_OK;
}

static int check_layers(const pm__parallel *p, const pm_run *r, pm_error *error)
{
  int least = p->stages * p->chunks, ends = r->stage_layers == PM_STAGE_LAYERS_BALANCED && least > 1 ? 2 : 0;
  if (p->pieces->layers + ends >= least) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" has %d layers, fewer than %d stages of %d chunks",
                  p->s.network->network->id, p->pieces->layers, p->stages, p->chunks);
}

/* FP8 and FP4 are for linear layers: of the layers that stages share. */
static int check_linear(const pm__parallel *p, pm_error *error)
{
  if (p->s.linear == NULL) return PM_OK;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    const pm__plan_piece *piece = &p->sharded->piece[k];
    for (int i = 0; pm__parallel_is_layer(p, k) && i < piece->units->kernels.first[PM__GROUPS]; i++)
      if (piece->linear[i]) return PM_OK;
  }
  return pm__fail(error, PM_STATUS_NOT_MODELLED, "network \"%s\" has no linear layers to train in %s",
                  p->s.network->network->id, pm__precision_name(p->s.run->precision));
}

int pm__parallel_make(pm__parallel *p, const pm_plan *plan, const pm__schedule *s, pm_error *error)
{
  const pm_run *run = s->run;
  p->s = *s;
  p->gradient = run->gradient_bytes > 0 ? run->gradient_bytes : s->gradient;
  p->gathers_late = s->framework != NULL && s->framework->profile.framework.gathers_late;
  int status = check_degrees(run, error);
  if (status == PM_OK) status = check_choices(run, error);
  if (status == PM_OK) status = check_numbers(run, error);
  if (status == PM_OK) status = set_ranks(p, run, error);
  if (status == PM_OK) status = set_batches(p, run, error);
  if (status == PM_OK) status = set_schedule(p, run, error);
  if (status == PM_OK) status = set_sharded(p, plan, run, error);
  if (status == PM_OK) status = check_layers(p, run, error);
  if (status == PM_OK) status = check_linear(p, error);
  if (status == PM_OK) status = set_groups(p, run, error);
  p->s.samples = p->batch * p->micro_batches * p->data;
  return status;
}

int pm__parallel_change(pm__parallel *p, const pm_run *run, pm_error *error)
{
  p->s.run = run;
  int status = check_choices(run, error);
  if (status == PM_OK) status = check_numbers(run, error);
  if (status == PM_OK) status = set_batches(p, run, error);
  if (status == PM_OK) status = set_schedule(p, run, error);
  if (status == PM_OK) status = check_layers(p, run, error);
  p->s.samples = p->batch * p->micro_batches * p->data;
  return status;
}

double pm__parallel_usable_memory(const pm__parallel *p)
{
  return isnan(p->s.run->usable_memory) ? p->s.system->system->usable_memory : p->s.run->usable_memory;
}
