/*
** The space of parallel plans. Degrees divide what they share: tensor x context x pipeline the GPUs, micro-batches the
** batch of a data-parallel rank, chunks the layers of a stage. What the base run says is used unchanged.
*/
#include "search/parallel_plans.h"
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "plan/sharded.h"
#include "record/count.h"
#include "schedule/pipeline.h"
#include "software/defaults.h"
#include "step/step.h"

enum { FREE = -1, TENSOR_MOST = 64, CONTEXT_MOST = 16, CONTEXT_TOKENS = 2048, CHUNKS_MOST = 8, BATCH_MOST = 64 };

typedef struct lister {
  const pm_plan *plan;
  const pm_run *base;
  const pm__plan_network *network;
  const pm__plan_pieces *pieces;
  pm__search_plans *plans;
  int which;      /* class of software, -1: any */
  double batch;   /* of a step, over all GPUs */
  int64_t ranks;
  int32_t at;     /* the base's number */
  bool keeps_scores, experts;
  bool failed;    /* no memory */
} lister;

static bool free_or(int32_t asked, int64_t value)
{
  return asked == FREE || asked == value;
}

static void add(lister *l, const pm__search_plan *plan)
{
  pm__search_plan *plans = (pm__search_plan *)pm__grow(l->plans->plan, l->plans->count, &l->plans->capacity,
                                                       sizeof *plans);
  if (plans == NULL) {
    l->failed = true;
    return;
  }
  l->plans->plan = plans;
  plans[l->plans->count++] = *plan;
}

/* ---- From the outside in: degrees, chunks and schedule, micro-batch, ZeRO, recomputation ---- */

static void list_recompute(lister *l, pm__search_plan plan)
{
  const pm__pipeline_schedule *schedule = pm__pipeline_schedule_of(plan.schedule);
  for (int how = PM_RECOMPUTE_NONE; how < PM_RECOMPUTE_COUNT; how++) {
    const pm_recomputation *r = pm_recomputation_get(how);
    bool idle = r->operations || (r->scores && !r->layers && !l->keeps_scores);
    if (!free_or(l->base->recompute, how) || (idle && l->base->recompute == FREE)) continue;
    if (r->layers && schedule->splits_backward) continue;
    plan.recompute = (int8_t)how;
    add(l, &plan);
  }
}

/* Whether the software of the base runs such plans. Megatron-LM shards optimizer states alone, unless another stage is
** asked. */
static bool is_of_class(const lister *l, const pm__search_plan *plan, int zero)
{
  pm_run run = {.gpus = l->base->gpus, .nodes = l->base->nodes};
  if (l->which < 0) return true;
  if (l->which == PM__SOFTWARE_MODEL && l->base->zero == FREE && zero > 1) return false;
  run.tensor_parallel = plan->tensor;
  run.pipeline_parallel = plan->pipeline;
  run.context_parallel = plan->context;
  run.expert_parallel = plan->expert;
  run.zero = zero;
  return (int)pm__software_class_of(&run, l->experts) == l->which;
}

/* Frameworks refuse stages 2 and 3 with pipelines. */
static void list_zero(lister *l, pm__search_plan plan, int64_t data)
{
  const pm_offloading *offload = pm_offloading_get(l->base->offload);
  int most = data * plan.context == 1 ? 0 : plan.pipeline > 1 ? 1 : 3, least = offload != NULL ? offload->zero : 0;
  for (int zero = 0; zero <= 3; zero++) {
    if (!free_or(l->base->zero, zero) || (l->base->zero == FREE && zero > (least > most ? least : most))) continue;
    if (zero < least || !is_of_class(l, &plan, zero)) continue;
    plan.zero = (int8_t)zero;
    list_recompute(l, plan);
  }
}

static void list_batches(lister *l, pm__search_plan plan, int64_t data)
{
  double each = l->batch / (double)data;
  if (each != floor(each)) return;
  bool divides = pm__pipeline_schedule_of(plan.schedule)->groups && plan.chunks > 1;
  for (int32_t b = 1; b <= BATCH_MOST && b <= each; b++) {
    if (!isnan(l->base->micro_batch) && l->base->micro_batch != b) continue;
    if (fmod(each, b) != 0 || (divides && fmod(each / b, plan.pipeline) != 0)) continue;
    plan.batch = b;
    list_zero(l, plan, data);
  }
}

static void list_schedules(lister *l, pm__search_plan plan, int64_t data)
{
  int asked = l->base->pipeline_schedule;
  for (int i = 0; i < PM_PIPELINE_SCHEDULE_COUNT; i++) {
    int chunks = pm__pipeline_schedule_of(i)->chunks;
    bool interleaved = i == PM_PIPELINE_SCHEDULE_INTERLEAVED, several = plan.chunks > 1;
    bool as_asked = asked == i || (asked == PM_PIPELINE_SCHEDULE_ONE_F_ONE_B && interleaved && several);
    if (asked != FREE && !as_asked) continue;
    if (chunks > 0 ? chunks != plan.chunks : interleaved && !several) continue;
    if (asked == FREE && plan.pipeline == 1 && i != PM_PIPELINE_SCHEDULE_ONE_F_ONE_B) continue;
    plan.schedule = (int8_t)i;
    list_batches(l, plan, data);
  }
}

static void list_chunks(lister *l, pm__search_plan plan, int64_t data)
{
  int layers = l->pieces->layers;
  for (int32_t v = 1; v <= CHUNKS_MOST && v * plan.pipeline <= layers; v++) {
    if (!free_or(l->base->virtual_pipeline, v)) continue;
    if (v > 1 && l->base->virtual_pipeline == FREE && (plan.pipeline == 1 || layers % (v * plan.pipeline) != 0))
      continue;
    plan.chunks = v;
    list_schedules(l, plan, data);
  }
}

static void list_stages(lister *l, pm__search_plan plan)
{
  int64_t left = l->ranks / ((int64_t)plan.tensor * plan.context);
  for (int64_t p = 1; p <= left && p <= l->pieces->layers; p++) {
    if (left % p != 0 || !free_or(l->base->pipeline_parallel, p)) continue;
    if (left / p * plan.tensor * plan.context % plan.expert != 0) continue;
    plan.pipeline = (int32_t)p;
    list_chunks(l, plan, left / p);
  }
}

/* ---- Shards: only degrees that the network can be split by ---- */

static const pm_framework_profile *profile_of(const lister *l)
{
  return l->base->framework_index >= 0 ? &l->plan->frameworks[l->base->framework_index].profile : NULL;
}

/* Experts that are distributed stay whole where the software would shard them unless it is told not to. */
static int32_t expert_tensor(const lister *l, const pm__search_plan *plan)
{
  int32_t asked = l->base->expert_tensor_parallel;
  bool shards = pm__software_expert_tensor(profile_of(l), plan->tensor, asked) > 1;
  return asked == 0 && plan->expert > 1 && shards ? 1 : asked;
}

static bool can_shard(lister *l, const pm__search_plan *plan)
{
  pm_error error = PM_ERROR_NONE;
  const pm_run *b = l->base;
  const pm__plan_framework *f = b->framework_index >= 0 ? &l->plan->frameworks[b->framework_index] : NULL;
  bool narrow = pm_precision_get_bytes(b->precision) <= 2;
  const pm__plan_sharded_key key = {
    .network = l->network, .mode = f != NULL ? f->mode[narrow] : PM__TRAINING_MODE + PM__LEAST,
    .memory = f != NULL ? f->memory : 0,
    .degrees = {.tensor = plan->tensor, .context = plan->context, .expert = plan->expert,
                .expert_tensor = pm__software_expert_tensor(profile_of(l), plan->tensor, plan->expert_tensor),
                .sequence = plan->sequence != 0,
                .context_exchange = (pm__sharding_context)pm__software_context_exchange(profile_of(l),
                                                                                        b->context_exchange)}};
  const pm__plan_sharded *found = pm__plan_sharded_find(l->plan, &key, &error);
  if (found == NULL && error.status == PM_STATUS_NO_MEMORY) l->failed = true;
  return found != NULL;
}

static void list_experts(lister *l, pm__search_plan plan)
{
  int64_t most = l->experts ? l->ranks : 1;
  for (int64_t e = 1; e <= most; e++) {
    if (l->ranks % e != 0 || !free_or(l->base->expert_parallel, e)) continue;
    plan.expert = (int32_t)e;
    plan.expert_tensor = expert_tensor(l, &plan);
    if (can_shard(l, &plan)) list_stages(l, plan);
  }
}

static void list_sequence(lister *l, pm__search_plan plan)
{
  for (int8_t sp = 0; sp < (plan.tensor > 1 ? 2 : 1); sp++) {
    if (!free_or(l->base->sequence_parallel, sp)) continue;
    plan.sequence = sp;
    list_experts(l, plan);
  }
}

static void list_context(lister *l, pm__search_plan plan)
{
  double tokens = l->plan->networks[l->base->network_index].tokens;
  for (int64_t c = 1; c <= CONTEXT_MOST || c == l->base->context_parallel; c *= 2) {
    if (l->base->context_parallel != FREE) c = l->base->context_parallel;
    bool wanted = l->base->context_parallel != FREE || c == 1 || tokens / (double)c >= CONTEXT_TOKENS;
    plan.context = (int32_t)c;
    if (wanted && l->ranks / plan.tensor % c == 0) list_sequence(l, plan);
    if (l->base->context_parallel != FREE) return;
  }
}

static void list_tensor(lister *l)
{
  for (int64_t t = 1; t <= l->ranks && (t <= TENSOR_MOST || t == l->base->tensor_parallel); t++) {
    if (l->ranks % t != 0 || !free_or(l->base->tensor_parallel, t)) continue;
    list_context(l, (pm__search_plan){.base = l->at, .tensor = (int32_t)t});
  }
}

/* ---- The whole ---- */

static void look_at(lister *l, const pm_network *network)
{
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind == NULL) continue;
    if (pm__keeps_scores(network, layer)) l->keeps_scores = true;
    if (layer->kind->role == PM__ROLE_EXPERTS) l->experts = true;
  }
}

static int check_places(const pm_plan *plan, const pm_run *base, pm_error *error)
{
  int status = pm__plan_check_place("network", base->network_index, plan->network_count, error);
  if (status == PM_OK) status = pm__plan_check_place("system", base->system_index, plan->system_count, error);
  if (status != PM_OK) return status;
  if (base->framework_index < -1 || base->framework_index >= (int32_t)plan->framework_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "framework %d is not in the plan", base->framework_index);
  return PM_OK;
}

static int check_free(const char *name, int32_t value, int32_t least, pm_error *error)
{
  return value == FREE ? PM_OK : pm__count_check(name, value, least, error);
}

static int check_choices(const pm_run *base, pm_error *error)
{
  int status = check_free("tensor_parallel", base->tensor_parallel, 1, error);
  if (status == PM_OK) status = check_free("context_parallel", base->context_parallel, 1, error);
  if (status == PM_OK) status = check_free("pipeline_parallel", base->pipeline_parallel, 1, error);
  if (status == PM_OK) status = check_free("virtual_pipeline", base->virtual_pipeline, 1, error);
  if (status == PM_OK) status = check_free("expert_parallel", base->expert_parallel, 1, error);
  if (status == PM_OK) status = check_free("zero", base->zero, 0, error);
  if (status != PM_OK) return status;
  if (base->precision < 0 || base->precision >= PM_PRECISION_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", base->precision);
  if (isnan(base->micro_batch) || base->micro_batch >= 1) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "micro_batch %g is not at least 1", base->micro_batch);
}

int pm__search_base_check(const pm_plan *plan, const pm_run *base, pm_error *error)
{
  int status = check_places(plan, base, error);
  if (status == PM_OK) status = check_choices(base, error);
  if (status == PM_OK) status = pm__step_check_training(base, &plan->networks[base->network_index], error);
  if (status != PM_OK) return status;
  const pm__plan_system *system = &plan->systems[base->system_index];
  status = pm__plan_check_group(system, base->gpus, base->nodes, error);
  return status == PM_OK ? pm__plan_check_network(system, base->nodes, error) : status;
}

int pm__search_plans_add(const pm_plan *plan, const pm__search_base *bases, int32_t at, double global_batch,
                         pm__search_plans *plans, pm_error *error)
{
  const pm_run *base = &bases[at].run;
  size_t before = plans->count;
  lister l = {.plan = plan, .base = base, .plans = plans, .which = bases[at].which, .batch = global_batch, .at = at,
              .ranks = (int64_t)base->gpus * base->nodes};
  pm_error reason = PM_ERROR_NONE;
  l.network = pm__plan_network_of(plan, base, &reason);
  l.pieces = l.network != NULL ? pm__plan_pieces_find(plan, l.network, &reason) : NULL;
  if (l.pieces == NULL) return pm__fail(error, reason.status, "%s", reason.text);
  look_at(&l, l.network->network);
  list_tensor(&l);
  if (l.failed) return pm__no_memory(error);
  if (plans->count > before) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "no parallel plan shares \"%s\" out over %lld GPUs with a global batch "
                                              "of %.0f",
                  plan->networks[base->network_index].network->id, (long long)l.ranks, global_batch);
}

void pm__search_plan_set(const pm__search_plan *plan, double global_batch, pm_run *run)
{
  run->tensor_parallel = plan->tensor;
  run->context_parallel = plan->context;
  run->pipeline_parallel = plan->pipeline;
  run->virtual_pipeline = plan->chunks;
  run->expert_parallel = plan->expert;
  run->expert_tensor_parallel = plan->expert_tensor;
  run->sequence_parallel = plan->sequence;
  run->zero = plan->zero;
  run->recompute = plan->recompute;
  run->pipeline_schedule = plan->schedule;
  run->micro_batch = plan->batch;
  run->batch = global_batch / pm_run_get_data_parallel(run);
}
