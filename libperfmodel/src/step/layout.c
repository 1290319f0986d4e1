/*
** The plan of a run: degrees of parallelism, schedule, micro-batches, shards and groups of GPUs, and whether they fit
** together.
**
** What has no effect is left out: the schedule of a pipeline of one stage, a group of shards without ZeRO, how experts
** are loaded where each GPU has all of them. The names tensor-parallel, pipeline-parallel and hybrid of `parallelism`
** are degrees: all GPUs, all GPUs, and those of a node.
*/
#include "step/step.h"
#include "hardware/kernel_calibration.h"
#include "kernel/models.h"
#include "record/count.h"
#include "software/defaults.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Checks ---- */

enum { TABLE_NUMBER = 4 }; /* bytes of a number in an embedding table */

static int check_choice(const char *name, int32_t value, int32_t count, pm_error *error)
{
  if (value >= 0 && value < count) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no %s %d", name, value);
}

static int check_degrees(const pm_run *r, pm_error *error)
{
  int status = pm__count_check("tensor_parallel", r->tensor_parallel, 1, error);
  if (status == PM_OK) status = pm__count_check("pipeline_parallel", r->pipeline_parallel, 1, error);
  if (status == PM_OK) status = pm__count_check("virtual_pipeline", r->virtual_pipeline, 1, error);
  if (status == PM_OK) status = pm__count_check("context_parallel", r->context_parallel, 1, error);
  if (status == PM_OK) status = pm__count_check("expert_parallel", r->expert_parallel, 1, error);
  if (status == PM_OK) status = pm__count_check("expert_tensor_parallel", r->expert_tensor_parallel, 0, error);
  return status;
}

static int check_choices(const pm_run *r, pm_error *error)
{
  int status = check_choice("pipeline_schedule", r->pipeline_schedule, PM_PIPELINE_SCHEDULE_COUNT, error);
  if (status == PM_OK) status = check_choice("stage_layers", r->stage_layers, PM_STAGE_LAYERS_COUNT, error);
  if (status == PM_OK) status = check_choice("recompute", r->recompute, PM_RECOMPUTE_COUNT, error);
  if (status == PM_OK) status = check_choice("rank_order", r->rank_order, PM_RANK_ORDER_COUNT, error);
  if (status == PM_OK) status = check_choice("context_exchange", r->context_exchange, PM_CONTEXT_EXCHANGE_COUNT, error);
  if (status == PM_OK) status = check_choice("offload", r->offload, PM_OFFLOAD_COUNT, error);
  if (status == PM_OK)
    status = check_choice("embedding_sharding", r->embedding_sharding, PM_EMBEDDING_SHARDING_COUNT, error);
  if (status == PM_OK) status = check_choice("cuda_graphs", r->cuda_graphs, PM_CUDA_GRAPHS_COUNT, error);
  if (status == PM_OK) status = check_choice("expert_dispatch", r->expert_dispatch, PM_EXPERT_DISPATCH_COUNT, error);
  if (status == PM_OK) status = check_choice("expert_overlap", r->expert_overlap, 2, error);
  if (status == PM_OK) status = check_choice("primary_weights", r->primary_weights, 2, error);
  if (status == PM_OK) status = check_choice("optimizer_in_backward", r->optimizer_in_backward, 2, error);
  if (status == PM_OK) status = check_choice("offload_activations", r->offload_activations, 2, error);
  if (status == PM_OK) status = pm__count_check("loss_chunks", r->loss_chunks, 0, error);
  if (status == PM_OK) status = check_choice("base_weights", r->base_weights, PM_BASE_WEIGHTS_COUNT, error);
  return status == PM_OK ? check_choice("sequence_parallel", r->sequence_parallel, 2, error) : status;
}

static int check_numbers(const pm_run *r, pm_error *error)
{
  if (r->zero < 0 || r->zero > 3)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "zero %d is not 0, 1, 2 or 3", r->zero);
  const pm_offloading *offload = pm_offloading_get(r->offload);
  if (r->zero < offload->zero)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "offload %s needs zero %d%s, not %d: ranks would %s on the GPU",
                    pm_record_find_field(pm_record_type_find("run"), "offload")->choices[r->offload].name,
                        offload->zero,
                    offload->zero < 3 ? " or 3" : "", r->zero,
                    offload->weights ? "need all weights" : "sum up all gradients");
  if (r->gradient_bytes != 0 && r->gradient_bytes != 2 && r->gradient_bytes != 4)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "gradient_bytes %d is neither 2 nor 4, nor 0", r->gradient_bytes);
  if (!isnan(r->capacity_factor) && !(r->capacity_factor > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "capacity_factor %g is not above 0", r->capacity_factor);
  if (!(r->expert_imbalance >= 1) || isinf(r->expert_imbalance))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "expert_imbalance %g is not at least 1", r->expert_imbalance);
  int status = pm__count_check("shard_group", r->shard_group, 0, error);
  return status == PM_OK ? pm__count_check("recompute_layers", r->recompute_layers, 0, error) : status;
}

/* ---- Degrees ---- */

/* A degree by its name: `named` GPUs, unless the degree is given and says otherwise. */
static int by_name(const char *degree, int32_t given, double named, int *out, pm_error *error)
{
  *out = given;
  if (given != 1 && given != named)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "parallelism means %s %.0f, but %s is %d", degree, named, degree,
                    given);
  *out = (int)named;
  return PM_OK;
}

static int set_degrees(pm__step *p, const pm_run *r, pm_error *error)
{
  pm__step_layout *at = &p->at;
  at->tensor = r->tensor_parallel;
  at->stages = r->pipeline_parallel;
  at->context = r->context_parallel;
  switch (p->s.parallelism) {
  case PM_PARALLELISM_TENSOR: return by_name("tensor_parallel", r->tensor_parallel, p->s.ranks, &at->tensor, error);
  case PM_PARALLELISM_PIPELINE: return by_name("pipeline_parallel", r->pipeline_parallel, p->s.ranks, &at->stages,
                                               error);
  case PM_PARALLELISM_HYBRID: return by_name("tensor_parallel", r->tensor_parallel, r->gpus, &at->tensor, error);
  default: return PM_OK;
  }
}

static const pm_framework_profile *profile_of(const pm__step *p)
{
  return p->s.framework != NULL ? &p->s.framework->profile : NULL;
}

static void divide_experts(pm__step *p, const pm_run *r)
{
  pm__step_layout *at = &p->at;
  at->expert = at->expert_tensor = 1;
  if (!p->s.network->experts) return;
  at->expert = r->expert_parallel;
  at->expert_tensor = pm__software_expert_tensor(profile_of(p), at->tensor, r->expert_tensor_parallel);
}

/* Of whole numbers below 2^53. */
static bool divides(double part, double whole)
{
  double times = whole / part;
  return times >= 1 && times < 9007199254740992.0 && times == (double)(int64_t)times && times * part == whole;
}

/* Every GPU has the whole network unless degrees say otherwise. */
static int divide_ranks(pm__step_layout *at, double ranks, pm_error *error)
{
  double each = (double)at->tensor * at->context * at->stages, experts = (double)at->expert * at->expert_tensor;
  at->data = (int)ranks;
  at->replicas = at->expert_replicas = ranks;
  at->whole = each * experts == 1;
  if (at->whole) return PM_OK;
  if (!divides(each, ranks))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "%.0f GPUs are not a multiple of tensor x context x pipeline parallelism, "
                    "%d x %d x %d = %.0f", ranks, at->tensor, at->context, at->stages, each);
  at->data = (int)(ranks / each);
  at->replicas = (double)at->data * at->context;
  double line = at->replicas * at->tensor;
  at->expert_replicas = line / experts;
  if (divides(experts, line)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                  "expert parallelism, %d x %d, does not divide the %.0f GPUs of a stage%s",
                  at->expert, at->expert_tensor, line,
                  at->expert_tensor > 1 ? "; with --etp 1 no expert is sharded" : "");
}

/* ZeRO has no effect on parameters that no other GPU has. */
static int set_zero(pm__step_layout *at, const pm_run *r, pm_error *error)
{
  at->zero = at->replicas > 1 || at->expert_replicas > 1 || r->offload != PM_OFFLOAD_NONE ? r->zero : 0;
  at->shards = at->replicas;
  if (at->zero == 0 || r->shard_group == 0) return PM_OK;
  at->shards = r->shard_group;
  if (divides(at->shards, at->replicas)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                  "shard_group %d does not divide the %.0f GPUs with the same parameters",
                  r->shard_group, at->replicas);
}

/* Data parallelism of other kinds is of whole networks; a framework's own kind gives way to what is asked for. */
static int set_parallelism(pm__step *p, const pm_run *r, pm_error *error)
{
  int32_t *how = &p->s.parallelism;
  bool all_reduce = *how == PM_PARALLELISM_ALL_REDUCE || *how >= PM_PARALLELISM_TENSOR;
  if (all_reduce || p->s.ranks == 1 || (p->at.whole && p->at.zero == 0 && p->at.tables == 1)) {
    if (*how >= PM_PARALLELISM_TENSOR) *how = PM_PARALLELISM_ALL_REDUCE;
    return PM_OK;
  }
  if (r->parallelism == PM_PARALLELISM_FRAMEWORK) return *how = PM_PARALLELISM_ALL_REDUCE, PM_OK;
  const char *name = pm_record_find_field(pm_record_type_find("run"), "parallelism")->choices[*how].name;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "parallelism %s keeps the whole network on every GPU, without ZeRO: "
                  "use all-reduce, or leave out the degrees", name);
}

/* ---- Embedding tables ---- */

/* Weights, gradients and optimizer state of replicated tables, in FP32. */
static bool tables_fit(const pm__step *p)
{
  double each = 2 * TABLE_NUMBER + p->s.optimizer->embedding_state;
  return p->s.network->bags.parameters * each <= pm__step_usable_memory(p);
}

/* Over all GPUs. */
static int set_tables(pm__step *p, const pm_run *r, pm_error *error)
{
  pm__step_layout *at = &p->at;
  int how = r->embedding_sharding;
  at->tables = 1;
  at->table_parts = 0;
  if (!(p->s.network->bags.parameters > 0) || p->s.ranks == 1) return PM_OK;
  if (how == PM_EMBEDDING_SHARDING_AUTO)
    how = at->whole && !tables_fit(p) ? PM_EMBEDDING_SHARDING_PLANNED : PM_EMBEDDING_SHARDING_REPLICATED;
  if (how == PM_EMBEDDING_SHARDING_REPLICATED) return PM_OK;
  at->tables = (int)p->s.ranks;
  at->table_parts = how;
  if (at->whole) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "embedding_sharding shards tables over all GPUs and replicates the "
                  "rest of the network: leave out the degrees, or use --embedding-sharding replicated");
}

/* ---- Micro-batches ---- */

static int set_batches(pm__step *p, const pm_run *r, pm_error *error)
{
  bool pipeline = p->at.stages > 1 && r->gradient_accumulation_steps == 1;
  double batch = !isnan(r->micro_batch) ? r->micro_batch : pipeline ? 1 : r->batch;
  bool whole = batch == r->batch || (batch >= 1 && batch == floor(batch) && divides(batch, r->batch));
  if (!whole)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "batch %.0f of each data-parallel rank is not a multiple of micro_batch %g",
                    r->batch, batch);
  p->s.batch = batch;
  p->s.accumulation = r->batch / batch * r->gradient_accumulation_steps;
  p->s.samples = batch * p->s.accumulation * p->at.data;
  return pm__count_check("the number of micro-batches", p->s.accumulation, 1, error);
}

/* ---- The schedule ---- */

static const char *name_of(int schedule)
{
  return pm_record_find_field(pm_record_type_find("run"), "pipeline_schedule")->choices[schedule].name;
}

static int check_schedule(const pm__step *p, const pm_run *r, int which, pm_error *error)
{
  const pm__pipeline_schedule *schedule = p->at.schedule;
  if (r->virtual_pipeline > 1 && r->virtual_pipeline != p->at.chunks)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "schedule %s has %d chunks of layers on each GPU, not virtual_pipeline %d",
                    name_of(which), p->at.chunks, r->virtual_pipeline);
  if (schedule->splits_backward && pm_recomputation_get(p->at.recompute)->layers)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "schedule %s delays gradients of parameters, which need activations that recomputation "
                    "drops", name_of(which));
  if (schedule->groups && p->at.chunks > 1 && p->s.accumulation < p->at.stages)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "%.0f micro-batches are fewer than the %d stages, but interleaved schedules need as many",
                    p->s.accumulation, p->at.stages);
  return PM_OK;
}

static int set_schedule(pm__step *p, const pm_run *r, pm_error *error)
{
  pm__step_layout *at = &p->at;
  bool pipeline = at->stages > 1;
  int which = pipeline ? r->pipeline_schedule : PM_PIPELINE_SCHEDULE_ONE_F_ONE_B;
  if (pipeline && which == PM_PIPELINE_SCHEDULE_ONE_F_ONE_B && r->virtual_pipeline > 1)
    which = PM_PIPELINE_SCHEDULE_INTERLEAVED;
  at->schedule = pm__pipeline_schedule_of(which);
  at->chunks = at->schedule->chunks > 0 ? at->schedule->chunks : r->virtual_pipeline;
  at->balanced = r->stage_layers == PM_STAGE_LAYERS_BALANCED && (at->stages > 1 || at->chunks > 1);
  at->recompute = r->recompute;
  at->recompute_layers = r->recompute != PM_RECOMPUTE_NONE ? r->recompute_layers : 0;
  return pipeline ? check_schedule(p, r, which, error) : PM_OK;
}

/* ---- Groups ---- */

static const pm__collective_group one_gpu = {.members = 1, .nodes = 1, .groups_at_once = 1, .thread_gpus = 1};

/* A group of one GPU has no wires to look up, and that of all GPUs is known. */
static int connect(pm__step *p, pm__step_group which, const pm__placement_group *at, pm_error *error)
{
  const pm_system *system = p->s.system->system;
  const pm__collective_group *all = &p->s.group;
  bool whole = at->members == all->members && at->nodes == all->nodes && at->stride == 1;
  p->group[which] = whole ? all : &one_gpu;
  if (whole || (at->members == 1 && at->nodes == 1)) return PM_OK;
  p->group[which] = &p->own[which];
  int status = pm__placement_connect(at, system, all->nccl, &p->own[which]);
  if (status == PM_OK) return PM_OK;
  if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  return pm__fail(error, status, "%d GPUs of a %s, %d apart, over %d nodes are not connected", at->members,
                  system->machine.id, at->stride, at->nodes);
}

/* Neighbours, and both ends, of a pipeline: two GPUs. */
static pm__placement_group pair(const pm__placement *at, int apart)
{
  return pm__placement_group_on_line(at, PM__PLACE_PIPELINE, apart, 2);
}

/* Of GPUs with different experts: those of a node, or those at the same place of all nodes, if tokens are forwarded. */
static pm__placement_group forwarding(const pm__placement_group *experts, const pm_run *r, bool across)
{
  pm__placement_group group = {.stride = 1, .members = 1, .nodes = 1, .at_once = 1};
  if (r->expert_dispatch != PM_EXPERT_DISPATCH_DEEPEP || experts->nodes == 1) return group;
  if (!across) return group.members = experts->members, group.stride = experts->stride, group;
  group.nodes = experts->nodes;
  group.at_once = experts->at_once * experts->members;
  return group;
}

static int set_groups(pm__step *p, const pm_run *r, pm_error *error)
{
  const pm__step_layout *l = &p->at;
  pm__placement at = pm__placement_of(r->rank_order, l->tensor, l->context, l->data, l->stages, r->gpus);
  const unsigned same = PM__PLACE_DATA | PM__PLACE_CONTEXT, line = same | PM__PLACE_TENSOR;
  int inner = l->expert_tensor, experts = l->expert, shards = (int)l->shards;
  const pm__placement_group apart = pm__placement_group_on_line(&at, line, inner, experts);
  const pm__placement_group groups[PM__STEP_GROUPS] = {
    [PM__GROUP_TENSOR] = pm__placement_group_of(&at, PM__PLACE_TENSOR),
    [PM__GROUP_CONTEXT] = pm__placement_group_of(&at, PM__PLACE_CONTEXT),
    [PM__GROUP_EXPERT] = apart,
    [PM__GROUP_EXPERT_NODE] = forwarding(&apart, r, false),
    [PM__GROUP_EXPERT_ACROSS] = forwarding(&apart, r, true),
    [PM__GROUP_EXPERT_TENSOR] = pm__placement_group_on_line(&at, line, 1, inner),
    [PM__GROUP_TABLES] = pm__placement_group_of(&at, l->tables > 1 ? line : 0),
    [PM__GROUP_TABLES_NODE] = pm__placement_group_of(&at, 0),
    [PM__GROUP_TABLES_ACROSS] = pm__placement_group_of(&at, 0),
    [PM__GROUP_HOP] = l->stages > 1 ? pair(&at, 1) : pm__placement_group_of(&at, 0),
    [PM__GROUP_ENDS] = l->stages > 1 ? pair(&at, l->stages - 1) : pm__placement_group_of(&at, 0),
    [PM__GROUP_DATA] = pm__placement_group_of(&at, same),
    [PM__GROUP_EXPERT_DATA] = pm__placement_group_on_line(&at, line, inner * experts, (int)l->expert_replicas),
    [PM__GROUP_SHARD] = pm__placement_group_on_line(&at, same, 1, shards),
    [PM__GROUP_COPIES] = pm__placement_group_on_line(&at, same, shards, (int)(l->replicas / l->shards))};
  for (int i = 0; i < PM__STEP_GROUPS; i++) {
    int status = connect(p, (pm__step_group)i, &groups[i], error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

/* Data parallelism of whole networks over all GPUs. */
static void set_whole_groups(pm__step *p)
{
  for (int i = 0; i < PM__STEP_GROUPS; i++) p->group[i] = &one_gpu;
  p->group[PM__GROUP_DATA] = p->group[PM__GROUP_EXPERT_DATA] = p->group[PM__GROUP_SHARD] = &p->s.group;
  p->group[PM__GROUP_TABLES] = &p->s.group;
}

/* Those of a node and those across nodes, which exchange in turn (step/tables.c). */
static int set_table_groups(pm__step *p, const pm_run *r, pm_error *error)
{
  p->group[PM__GROUP_TABLES_NODE] = p->group[PM__GROUP_TABLES_ACROSS] = &one_gpu;
  if (p->at.tables == 1 || r->nodes == 1 || r->gpus == 1) return PM_OK;
  const pm__placement_group node = {.stride = 1, .members = r->gpus, .nodes = 1, .at_once = 1};
  const pm__placement_group across = {.stride = 1, .members = 1, .nodes = r->nodes, .at_once = r->gpus};
  int status = connect(p, PM__GROUP_TABLES_NODE, &node, error);
  return status == PM_OK ? connect(p, PM__GROUP_TABLES_ACROSS, &across, error) : status;
}

/* ---- Pieces ---- */

bool pm__layout_cuts(const pm__schedule *s, const pm__step_layout *at)
{
  return !at->whole || at->tables > 1 || at->zero >= 2 || at->recompute != PM_RECOMPUTE_NONE ||
         at->imbalance > 0 || at->capacity > 0 ||
         s->run->offload != PM_OFFLOAD_NONE || s->linear != NULL || s->network->freezes ||
         s->run->optimizer_in_backward || s->run->offload_activations || s->run->loss_chunks > 0;
}

/* A GPU that has all experts is as busy with them as any other; a capacity that nobody reaches drops nothing. */
static void set_experts(pm__step *p, const pm_run *r)
{
  pm__step_layout *at = &p->at;
  bool divided = at->expert > 1;
  double imbalance = divided ? r->expert_imbalance : 1;
  at->imbalance = p->s.network->experts && imbalance > 1 ? imbalance : 0;
  at->capacity = p->s.network->experts && r->capacity_factor < imbalance ? r->capacity_factor : 0;
}

/* What the GPU with most has of whole tables, over the mean, where they are spread as evenly as the largest allows. */
static double busiest(double gpus, double most, double all)
{
  return all > 0 ? pm__most(1, most * gpus / all) : 1;
}

static int set_sharded(pm__step *p, const pm_plan *plan, pm_error *error)
{
  const pm__step_layout *at = &p->at;
  const pm__plan_tables *b = &p->s.network->bags;
  const pm__plan_sharded_key key = {
    .network = p->s.network, .mode = p->s.mode, .memory = p->s.framework != NULL ? p->s.framework->memory : 0,
    .degrees = {.tensor = at->tensor, .context = at->context, .expert = at->expert, .expert_tensor = at->expert_tensor,
                .sequence = at->sequence, .context_exchange = (pm__sharding_context)at->context_exchange,
                .imbalance = at->imbalance, .capacity = at->capacity, .tables = at->tables > 1 ? at->tables : 0,
                .table_parts = (pm__sharding_tables)at->table_parts,
                .table_load = busiest(at->tables, b->most_lookups, b->lookups),
                .table_rows = busiest(at->tables, b->most_parameters, b->parameters)}};
  pm_error own = PM_ERROR_NONE;
  p->sharded = pm__plan_sharded_find(plan, &key, error != NULL ? error : &own);
  if (p->sharded == NULL) return error != NULL ? error->status : own.status;
  p->pieces = p->sharded->of;
  p->kinds = p->pieces->pieces->kinds;
  return PM_OK;
}

static int set_pieces(pm__step *p, const pm_plan *plan, const pm_run *r, pm_error *error)
{
  p->at.sequence = r->sequence_parallel != 0 && p->at.tensor > 1;
  p->at.context_exchange = p->at.context > 1 ? pm__software_context_exchange(profile_of(p), r->context_exchange) : 0;
  set_experts(p, r);
  p->at.cut = pm__layout_cuts(&p->s, &p->at);
  p->sharded = NULL;
  p->pieces = NULL;
  p->kinds = 1;
  if (p->at.cut) return set_sharded(p, plan, error);
  pm__plan_piece_whole(p->s.network, p->s.mode, p->s.framework != NULL ? p->s.framework->memory : 0, &p->one);
  return PM_OK;
}

static int check_layers(const pm__step *p, pm_error *error)
{
  int64_t least = (int64_t)p->at.stages * p->at.chunks;
  int ends = p->at.balanced ? 2 : 0;
  if (least == 1 || p->pieces->layers + ends >= least) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" has %d layers, fewer than %d stages of %d chunks",
                  p->s.network->network->id, p->pieces->layers, p->at.stages, p->at.chunks);
}

/* An update that does not wait needs the gradients of one backward pass, summed over ranks that do not keep them. */
static int check_update(const pm__step *p, pm_error *error)
{
  const pm_run *r = p->s.run;
  if (!r->optimizer_in_backward) return PM_OK;
  if (p->s.accumulation > 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "optimizer_in_backward updates in each backward pass, but this run "
                    "accumulates gradients of %.0f: use --batch %g", p->s.accumulation, p->s.batch);
  if (r->offload != PM_OFFLOAD_NONE)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "optimizer_in_backward updates on the GPU, but offload updates on "
                    "the host: use --offload none");
  if (p->at.replicas <= 1 || p->at.zero >= 2) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "optimizer_in_backward with zero %d is not modelled, because ranks "
                  "sum all gradients: use --zero 3", p->at.zero);
}

static int check_documents(const pm__step *p, pm_error *error)
{
  double tokens = p->s.run->document_tokens;
  if (isnan(tokens)) return PM_OK;
  if (!(tokens >= 1))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "document_tokens %g is not at least 1", tokens);
  if (!isnan(p->s.network->tokens)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" reads no tokens, so documents cannot be packed: "
                  "leave out --document-tokens", p->s.network->network->id);
}

/* FP8 and FP4 are for linear layers: of the layers that stages divide. */
static int check_linear(const pm__step *p, pm_error *error)
{
  if (p->s.linear == NULL) return PM_OK;
  for (int k = 0; k < p->kinds; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    for (int i = 0; pm__step_is_layer(p, k) && i < piece->units->kernels.first[PM__GROUPS]; i++)
      if (piece->linear[i]) return PM_OK;
  }
  return pm__fail(error, PM_STATUS_NOT_MODELLED, "network \"%s\" has no linear layers to train in %s",
                  p->s.network->network->id, pm__precision_name(p->s.run->precision));
}

/* Where gradients are summed while the backward pass runs, it is cut at the buckets. */
static void set_segments(pm__step *p)
{
  const pm__schedule *s = &p->s;
  bool buckets = s->framework != NULL && s->parallelism == PM_PARALLELISM_ALL_REDUCE &&
      s->overlap != PM_OVERLAP_NONE;
  p->s.segments = NULL;
  if (!buckets || s->ranks <= 1 || !p->at.whole || p->at.tables > 1 || p->at.zero == 3) return;
  int size = s->gradient < 2 ? 0 : s->gradient < 4 ? 1 : s->gradient < 8 ? 2 : 3;
  p->s.segments = s->network->segments[s->framework->cut[s->device->bytes <= 2][size]];
}

/* ---- All of it ---- */

static int check_fields(const pm_run *r, pm_error *error)
{
  int status = check_degrees(r, error);
  if (status == PM_OK) status = check_choices(r, error);
  return status == PM_OK ? check_numbers(r, error) : status;
}

int pm__layout_make(pm__step *p, const pm_plan *plan, pm_error *error)
{
  const pm_run *r = p->s.run;
  p->memo = NULL;
  p->gathers_late = p->s.framework != NULL && p->s.framework->profile.framework.gathers_late;
  int status = check_fields(r, error);
  if (status == PM_OK) status = set_degrees(p, r, error);
  divide_experts(p, r);
  if (status == PM_OK) status = divide_ranks(&p->at, p->s.ranks, error);
  if (status == PM_OK) status = set_zero(&p->at, r, error);
  if (status == PM_OK) status = set_tables(p, r, error);
  if (status == PM_OK) status = set_parallelism(p, r, error);
  if (status == PM_OK) status = set_batches(p, r, error);
  if (status == PM_OK) status = set_schedule(p, r, error);
  if (status == PM_OK) status = set_pieces(p, plan, r, error);
  if (status == PM_OK) status = check_layers(p, error);
  if (status == PM_OK) status = check_linear(p, error);
  if (status == PM_OK) status = check_update(p, error);
  if (status == PM_OK) status = check_documents(p, error);
  if (status == PM_OK) status = pm__step_frozen_check(p, error);
  if (status != PM_OK) return status;
  set_segments(p);
  bool all = p->at.whole && p->at.shards == p->s.ranks;
  if (all) set_whole_groups(p);
  else status = set_groups(p, r, error);
  return status == PM_OK ? set_table_groups(p, r, error) : status;
}

int pm__step_make(pm__step *step, const pm_plan *plan, const pm_run *run, pm__memo *memo, pm_error *error)
{
  int status = pm__gather(&step->s, plan, run, memo, error);
  return status == PM_OK ? pm__layout_make(step, plan, error) : status;
}

int pm__step_change(pm__step *p, const pm_run *run, pm_error *error)
{
  p->s.run = run;
  int status = check_choices(run, error);
  if (status == PM_OK) status = check_numbers(run, error);
  if (status == PM_OK) status = set_zero(&p->at, run, error);
  if (status == PM_OK) status = set_batches(p, run, error);
  if (status == PM_OK) status = set_schedule(p, run, error);
  if (status == PM_OK) status = check_layers(p, error);
  if (status == PM_OK) status = check_update(p, error);
  set_segments(p);
  return status == PM_OK && run->shard_group > 0 ? set_groups(p, run, error) : status;
}
