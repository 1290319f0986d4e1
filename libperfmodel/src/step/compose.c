/*
** From the walk over the stages to a prediction: times, shares of the step, rates. Times of kernels and exchanges are
** those of the stage that takes longest.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

enum { HOUR = 3600 };

/* ---- Times ---- */

static void set_kernels(const pm__step *p, const pm__step_walk *w, pm_prediction *out)
{
  const pm__step_work *work = w->slowest;
  double m = p->s.accumulation;
  out->forward_time = m * work->gpu[PM__FORWARD];
  out->dgrad_time = m * work->gpu[PM__DGRAD];
  out->wgrad_time = m * work->gpu[PM__WGRAD];
  out->recompute_time = m * work->recompute;
  out->update_time = w->times.update;
  out->compute_time = w->times.gpu;
  out->launch_overhead_time = w->times.alone - w->times.gpu;
  out->launch_time = w->times.host;
  out->layout_time = m * work->layout;
}

static void set_exchanges(const pm__step *p, const pm__step_walk *w, const pm__step_sum *sum, pm_prediction *out)
{
  const double *axis = w->slowest->axis;
  double m = p->s.accumulation;
  out->communication_time = sum->overhead.communication;
  out->exposed_communication_time = sum->overhead.exposed;
  out->tensor_communication_time = m * axis[PM__AXIS_TENSOR];
  out->context_communication_time = m * axis[PM__AXIS_CONTEXT];
  out->expert_communication_time = m * (axis[PM__AXIS_EXPERT] + axis[PM__AXIS_EXPERT_TENSOR]);
  out->embedding_communication_time = m * axis[PM__AXIS_TABLES];
  out->pipeline_communication_time = sum->hops;
  out->data_communication_time = w->data.communication;
  out->exposed_data_communication_time = w->data.exposed;
}

static void set_waiting(const pm__schedule_overhead *overhead, pm_prediction *out)
{
  out->straggler_wait_time = overhead->straggler_wait;
  out->staleness = overhead->staleness;
  out->bubble_time = overhead->bubble;
  out->offload_time = overhead->offload;
}

/* ---- Shares ---- */

/* The largest part of a step. In plain data parallelism, all that communicates is called communication; else each kind
** of exchange stands by itself. */
static int32_t largest_part(const pm_prediction *p, bool planned)
{
  const struct { int32_t name; double time; } parts[] = {
    {PM_BOTTLENECK_MEMORY_BANDWIDTH, p->memory_bandwidth_share * p->step_time},
    {PM_BOTTLENECK_COMPUTE, p->compute_share * p->step_time},
    {planned ? PM_BOTTLENECK_DATA_COMMUNICATION : PM_BOTTLENECK_COMMUNICATION, p->exposed_data_communication_time},
    {PM_BOTTLENECK_LAUNCH_OVERHEAD, p->launch_overhead_time},
    {PM_BOTTLENECK_STRAGGLER_WAIT, p->straggler_wait_time},
    {PM_BOTTLENECK_INPUT, p->input_wait_time},
    {PM_BOTTLENECK_TENSOR_COMMUNICATION, p->tensor_communication_time},
    {PM_BOTTLENECK_CONTEXT_COMMUNICATION, p->context_communication_time},
    {PM_BOTTLENECK_EXPERT_COMMUNICATION, p->expert_communication_time},
    {PM_BOTTLENECK_EMBEDDING_COMMUNICATION, p->embedding_communication_time},
    {PM_BOTTLENECK_PIPELINE_COMMUNICATION, p->pipeline_communication_time},
    {PM_BOTTLENECK_BUBBLE, p->bubble_time},
    {PM_BOTTLENECK_OFFLOAD, p->offload_time}};
  int best = 0;
  for (int i = 1; i < (int)(sizeof parts / sizeof parts[0]); i++)
    if (parts[i].time > parts[best].time) best = i;
  return parts[best].name;
}

static void set_shares(double bound, bool planned, pm_prediction *out)
{
  double each = 1 / out->step_time; /* one division takes as long as all of these products */
  out->compute_share = bound * each;
  out->memory_bandwidth_share = (out->compute_time - bound) * each;
  out->communication_share = out->exposed_communication_time * each;
  out->launch_overhead_share = out->launch_overhead_time * each;
  out->straggler_wait_share = out->straggler_wait_time * each;
  out->input_wait_share = out->input_wait_time * each;
  out->bubble_share = out->bubble_time * each;
  out->offload_share = out->offload_time * each;
  out->gpu_busy = out->compute_time * each;
  out->bottleneck = largest_part(out, planned);
}

/* ---- Rates ---- */

/* Arithmetic that is recomputed, of one sample, over all GPUs of a replica. */
static double recomputed_flop(const pm__step *p, const pm__step_walk *w)
{
  double flop = 0, group = (double)p->at.tensor * p->at.context;
  const pm_recomputation *how = pm_recomputation_get(p->at.recompute);
  if (p->at.recompute == PM_RECOMPUTE_NONE) return 0;
  for (int k = 0; k < p->kinds; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    double kept = how->operations ? piece->operations_flop : 0;
    double recompute = how->layers ? piece->forward_flop - kept : piece->attention_flop;
    int layers = p->pieces->before[p->pieces->layers * p->kinds + k];
    flop += layers * group * recompute;
  }
  return flop * w->recompute / p->pieces->layers;
}

/* Of one GPU on average; forward and backward alone update nothing. */
static double step_flop(const pm__step *p, const pm__step_walk *w)
{
  double update = p->s.optimizer->accesses > 0 ? 4 * w->updated / p->at.stages : 0;
  return p->s.samples / p->s.ranks * p->s.network->training_flop + update;
}

static void set_rates(const pm__step *p, const pm__step_walk *w, const pm__schedule_overhead *overhead,
                      pm_prediction *out)
{
  double flop = step_flop(p, w), samples = p->s.samples, recompute = samples / p->s.ranks * recomputed_flop(p, w);
  double peak = (p->s.linear != NULL ? p->s.linear : p->s.device)->peak;
  double group = (double)p->at.tensor * p->at.context; /* which does what it cannot divide on each of its GPUs */
  double executed = flop + recompute - p->s.accumulation * w->saved / p->at.stages / group;
  out->flop = p->s.ranks * flop;
  out->flop_rate = flop / out->step_time;
  out->mfu = out->flop_rate / peak;
  out->hfu = executed / out->step_time / peak;
  out->epoch_time = NAN;
  if (!isnan(p->s.run->epoch_samples)) out->epoch_time = ceil(p->s.run->epoch_samples / samples) * out->step_time;
  out->gpu_hours = p->s.ranks * out->epoch_time / HOUR;
  out->tokens_per_second = p->s.network->tokens * out->throughput;
  out->gradient_size = overhead->exchanged * p->s.gradient;
}

/* A GPU alone is comparable where every GPU has all of the network and updates all of it. */
static void set_scaling(const pm__step *p, double alone, pm_prediction *out)
{
  bool comparable = p->at.whole && p->at.tables == 1 && p->at.zero == 0;
  out->scaling_efficiency = comparable ? alone / out->step_time : (double)NAN;
  out->strong_scaling_efficiency = comparable && p->s.ranks <= 1 ? 1 : (double)NAN;
}

static void set_plan(const pm__step *p, const pm__step_walk *w, pm_prediction *out)
{
  out->micro_batches = p->s.accumulation;
  out->data_parallel = p->at.data;
  out->pipeline_stages = p->at.stages;
  out->slowest_stage = w->stage;
}

/* ---- All of it ---- */

void pm__step_set_times(const pm__step *p, const pm__step_walk *walk, const pm__step_sum *sum, pm_prediction *out)
{
  out->step_time = pm__step_time(p, walk, &sum->overhead, &out->input_wait_time);
  out->throughput = p->s.samples / out->step_time;
  set_kernels(p, walk, out);
  set_exchanges(p, walk, sum, out);
  set_waiting(&sum->overhead, out);
}

void pm__step_compose(const pm__step *p, pm_prediction *out, double squares[PM__STEP_SPREADS])
{
  pm__step_room room;
  pm__step_walk walk;
  pm__step_kinds kinds = pm__step_kinds_price(p, &room);
  pm__step_walk_all(p, &kinds, &walk);
  double alone = walk.times.alone;
  pm__step_sum sum = pm__step_put_together(p, &walk);
  pm__step_set_times(p, &walk, &sum, out);
  double bound = p->s.accumulation * pm__step_with_recomputed(walk.slowest, walk.slowest->bound);
  set_shares(bound, pm__step_planned(p), out);
  set_rates(p, &walk, &sum.overhead, out);
  set_scaling(p, alone, out);
  set_plan(p, &walk, out);
  double spread = pm__step_set_interval(p, &walk.slowest->part, out, squares);
  pm__step_set_energy(p, &walk, spread, out);
  pm__step_set_training(p, out);
}

/* A GPU that has the batch of all for itself takes it at once or in their parts, whichever is faster. */
double pm__step_alone_time(const pm__step *p, double alone)
{
  pm__step_room room;
  pm__step_times times;
  pm__step_stage stage;
  pm__step_work sum;
  pm__step one = *p;
  one.memo = NULL;
  one.s.segments = NULL;
  one.s.batch = p->s.batch * p->s.ranks;
  pm__step_kinds kinds = pm__step_kinds_price(&one, &room);
  pm__step_stage_make(&one, 0, &stage);
  const pm__step_work *work = pm__step_stage_work(&one, kinds.work, &stage, &sum);
  pm__step_times_of(&one, work, kinds.waits, pm__step_own_parameters(&one, &stage), &times);
  return pm__least(times.alone, p->s.ranks * alone);
}
