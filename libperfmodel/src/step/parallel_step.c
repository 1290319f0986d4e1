/*
** A step of a network that is shared out:
**
**     step = the pipeline's micro-batches + data-parallel exchanges that are left + update + waiting for the slowest
**
** Times of kernels and exchanges are those of the stage that takes longest; what the schedule adds to its micro-batches is
** the bubble, and hops that are waited for.
*/
#include <math.h>
#include <string.h>
#include "kernel/kernel.h"
#include "kernel/models.h"
#include "step/parallel.h"

double pm__parallel_micro_batch_time(const pm__parallel *p, const pm__parallel_piece *t)
{
  double host = p->s.framework != NULL ? p->s.framework->profile.framework.step_time : 0;
  return t->forward + t->recompute + t->dgrad + t->wgrad + host;
}

pm__parallel_walk pm__parallel_walk_begin(const pm__parallel *p)
{
  return (pm__parallel_walk){.load = {.stages = p->stages, .chunks = p->chunks, .micro_batches = (int)p->micro_batches,
                                      .blocks = pm__parallel_hops_block(p)}};
}

void pm__parallel_walk_add(const pm__parallel *p, int number, int count, const pm__parallel_stage *stage,
                           const pm__parallel_piece *t, const pm__parallel_data *data, pm__parallel_walk *w)
{
  double all = pm__parallel_micro_batch_time(p, t);
  pm__pipeline_load *load = &w->load;
  load->sum += count * all;
  load->forward += count * t->forward;
  load->dgrad += count * t->dgrad;
  load->wgrad += count * t->wgrad;
  load->most_forward = pm__most(load->most_forward, t->forward);
  load->most_backward = pm__most(load->most_backward, all - t->forward);
  if (all > load->most) {
    load->most = all;
    w->slowest = *t;
    w->stage = number;
  }
  w->parameters = pm__most(w->parameters, pm__parallel_own_share(p, stage));
  if (data->exposed >= w->data.exposed) w->data = *data;
  w->offload = isnan(data->offload) ? data->offload : pm__most(w->offload, data->offload);
}

/* Activations between stages: tensor-parallel GPUs send a share each, and gather them unless they share tokens anyway.
** Software that waits for the device has its host to wait for, too, before the next pass starts. */
double pm__parallel_hop_time(const pm__parallel *p)
{
  const pm__pieces *pieces = p->pieces->pieces;
  if (p->stages < 2) return 0;
  int cut = p->pieces->front + pm__parallel_layers_before(p, 1) - 1;
  const pm_run *r = p->s.run;
  double bytes = pieces->passed[cut] * p->batch * p->s.device->bytes / r->context_parallel;
  double host = p->s.framework != NULL ? p->s.framework->profile.framework.hop_time : 0;
  double time = host + pm__schedule_exchange_on(&p->s, &p->group[PM__GROUP_HOP], PM_COLLECTIVE_SEND_RECEIVE, bytes / r->tensor_parallel);
  if (r->sequence_parallel) return time;
  return time + pm__schedule_exchange_on(&p->s, &p->group[PM__GROUP_TENSOR], PM_COLLECTIVE_ALL_GATHER, bytes);
}

/* The first owns what the last one shares with it. */
bool pm__parallel_alike(const pm__parallel *p, int number, const pm__parallel_stage *a, const pm__parallel_stage *b)
{
  return number > 1 && memcmp(a->count, b->count, (size_t)p->pieces->pieces->kinds * sizeof *a->count) == 0;
}

/* The stages from `first` on that are alike, into `stage`; how many they are. */
static int next_stages(const pm__parallel *p, int first, pm__parallel_stage *stage)
{
  pm__parallel_stage next;
  int count = 1;
  pm__parallel_stage_make(p, first, stage);
  for (; first + count < p->stages; count++) {
    pm__parallel_stage_make(p, first + count, &next);
    if (!pm__parallel_alike(p, first + count, stage, &next)) break;
  }
  return count;
}

/* What neighbours that are alike take is worked out once. */
static pm__parallel_walk walk_stages(const pm__parallel *p)
{
  pm__parallel_piece kinds[PM__PIECE_KINDS];
  pm__parallel_stage stage;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) pm__parallel_piece_times(p, k, &kinds[k]);
  pm__parallel_walk w = pm__parallel_walk_begin(p);
  for (int i = 0, count; i < p->stages; i += count) {
    count = next_stages(p, i, &stage);
    pm__parallel_piece times = pm__parallel_stage_times(p, kinds, &stage);
    pm__parallel_data data = pm__parallel_data_time(p, &stage, kinds, &times);
    pm__parallel_walk_add(p, i, count, &stage, &times, &data, &w);
  }
  w.load.hop = pm__parallel_hop_time(p);
  return w;
}

/* ---- The step ---- */

/* Every micro-batch after the first adds its gradients to those before: 3 accesses. That is all where the host updates. */
static double update_time(const pm__parallel *p, double parameters)
{
  const pm__schedule *s = &p->s;
  double added = parameters * p->gradient * 3 * (p->micro_batches - 1) * s->device->per_byte;
  if (s->run->offload != PM_OFFLOAD_NONE) return added;
  double launches = s->framework == NULL ? 0 : s->framework->profile.framework.update_kernels * s->optimizer->kernels *
                                                 s->network->tensors * parameters / pm__most(1, s->network->parameters);
  double tables = s->network->tables * parameters / pm__most(1, s->network->parameters);
  return pm__update_time(parameters, tables, s->optimizer->accesses, s->device, s->run->precision) + added +
         launches * s->launch;
}

double pm__parallel_update_time(const pm__parallel *p, const pm__parallel_stage *stage)
{
  return update_time(p, pm__parallel_own_share(p, stage));
}

/* What is computed again is limited as what it repeats. */
static double bound_of(const pm__parallel_piece *t)
{
  double once = t->gpu[PM__FORWARD] + t->gpu[PM__DGRAD] + t->gpu[PM__WGRAD];
  return once > 0 ? t->bound * (1 + t->again / once) : 0;
}

static pm__schedule_times times_of(const pm__parallel *p, const pm__parallel_walk *w)
{
  const pm__parallel_piece *t = &w->slowest;
  double m = p->micro_batches;
  pm__schedule_times out = {.forward = m * t->gpu[PM__FORWARD], .dgrad = m * t->gpu[PM__DGRAD],
                            .wgrad = m * t->gpu[PM__WGRAD], .bound = m * bound_of(t), .host = m * t->host};
  out.update = update_time(p, w->parameters);
  out.gpu = out.forward + out.dgrad + out.wgrad + m * t->again + out.update;
  out.alone = m * (w->load.most - pm__parallel_exchanges(t)) + out.update;
  return out;
}

static void set_exchanges(const pm__parallel *p, const pm__parallel_walk *w, double hops, pm_prediction *out)
{
  double m = p->micro_batches;
  out->recompute_time = m * w->slowest.again;
  out->tensor_communication_time = m * w->slowest.exchange[PM__AXIS_TENSOR];
  out->context_communication_time = m * w->slowest.exchange[PM__AXIS_CONTEXT];
  out->expert_communication_time = m * (w->slowest.exchange[PM__AXIS_EXPERT] + w->slowest.exchange[PM__AXIS_EXPERT_TENSOR]);
  out->pipeline_communication_time = hops;
  out->data_communication_time = w->data.communication;
  out->exposed_data_communication_time = w->data.exposed;
}

/* The largest part of a step, each kind of exchange by itself. */
static int32_t largest_part(const pm_prediction *p)
{
  const struct { int32_t name; double time; } parts[] = {
    {PM_BOTTLENECK_COMPUTE, p->compute_share * p->step_time},
    {PM_BOTTLENECK_MEMORY_BANDWIDTH, p->memory_bandwidth_share * p->step_time},
    {PM_BOTTLENECK_LAUNCH_OVERHEAD, p->launch_overhead_time},
    {PM_BOTTLENECK_TENSOR_COMMUNICATION, p->tensor_communication_time},
    {PM_BOTTLENECK_CONTEXT_COMMUNICATION, p->context_communication_time},
    {PM_BOTTLENECK_EXPERT_COMMUNICATION, p->expert_communication_time},
    {PM_BOTTLENECK_PIPELINE_COMMUNICATION, p->pipeline_communication_time},
    {PM_BOTTLENECK_DATA_COMMUNICATION, p->exposed_data_communication_time},
    {PM_BOTTLENECK_BUBBLE, p->bubble_time},
    {PM_BOTTLENECK_OFFLOAD, p->offload_time},
    {PM_BOTTLENECK_STRAGGLER_WAIT, p->straggler_wait_time},
    {PM_BOTTLENECK_INPUT, p->input_wait_time}};
  int best = 0;
  for (int i = 1; i < (int)(sizeof parts / sizeof parts[0]); i++)
    if (parts[i].time > parts[best].time) best = i;
  return parts[best].name;
}

/* Arithmetic that is done again, of one sample, over all GPUs of a replica. */
static double flop_again(const pm__parallel *p)
{
  const pm__plan_pieces *of = p->pieces;
  double flop = 0, group = (double)p->s.run->tensor_parallel * p->s.run->context_parallel;
  int kinds = of->pieces->kinds;
  for (int k = 0; k < kinds; k++) {
    const pm__plan_piece *piece = &p->sharded->piece[k];
    const double again[PM_RECOMPUTE_COUNT] = {[PM_RECOMPUTE_SELECTIVE] = piece->attention_flop,
                                              [PM_RECOMPUTE_FULL] = piece->forward_flop,
                                              [PM_RECOMPUTE_OPERATIONS] = piece->forward_flop - piece->operations_flop};
    int layers = of->before[of->layers * kinds + k];
    if (pm__parallel_again(p, k)) flop += layers * group * again[p->s.run->recompute];
  }
  return flop;
}

static void set_rates(const pm__parallel *p, pm_prediction *out)
{
  double again = flop_again(p) / p->s.network->training_flop;
  out->flop = p->s.samples * p->s.network->training_flop;
  out->flop_rate = out->flop / p->s.ranks / out->step_time;
  out->mfu = out->flop_rate / (p->s.linear != NULL ? p->s.linear : p->s.device)->peak;
  out->hfu = out->mfu * (1 + again);
}

/* Times of the slowest stage's GPUs and what sharing adds; the hops that are waited for, in *hops. */
static pm__schedule_times put_together(const pm__parallel *p, pm__parallel_walk *w, double *hops, pm__sharing *sharing)
{
  double all = p->schedule->time(&w->load), hop = w->load.hop;
  w->load.hop = 0;
  *hops = hop > 0 ? all - p->schedule->time(&w->load) : 0;
  pm__schedule_times times = times_of(p, w);
  double within = p->micro_batches * pm__parallel_exchanges(&w->slowest);
  *sharing = (pm__sharing){.communication = within + *hops + w->data.communication,
                           .exposed = within + *hops + w->data.exposed,
                           .bubble = all - *hops - p->micro_batches * w->load.most,
                           .exchanged = w->parameters,
                           .offload = w->offload};
  sharing->straggler_wait = pm__straggler_wait(&p->s, times.alone, p->s.ranks / p->s.run->tensor_parallel);
  return times;
}

double pm__parallel_walk_step(const pm__parallel *p, pm__parallel_walk *w)
{
  double hops, waits;
  pm__sharing sharing;
  pm__schedule_times times = put_together(p, w, &hops, &sharing);
  return pm__step_time(&p->s, &times, &sharing, &waits);
}

void pm__parallel_step_predict(const pm__parallel *p, pm_prediction *out)
{
  double hops;
  pm__sharing sharing;
  pm__parallel_walk w = walk_stages(p);
  pm__schedule_times times = put_together(p, &w, &hops, &sharing);
  set_exchanges(p, &w, hops, out);
  pm__step_compose(&p->s, &times, &sharing, out);
  pm__step_set_interval(&p->s, NULL, out);
  set_rates(p, out);
  out->bottleneck = largest_part(out);
  out->micro_batches = p->micro_batches;
  out->data_parallel = p->data;
  out->pipeline_stages = p->stages;
  out->slowest_stage = w.stage;
}

/* ---- Memory ---- */

/* Of stages that are alike the first has most in flight. */
pm__memory_parts pm__parallel_fullest_stage(const pm__parallel *p, int32_t *number)
{
  double most = -1, host = 0;
  pm__memory_parts fullest = {0};
  pm__parallel_stage stage;
  for (int i = 0, count; i < p->stages; i += count) {
    count = next_stages(p, i, &stage);
    pm__memory_parts parts = pm__parallel_memory(p, &stage, i);
    double total = pm__memory_total(&parts, p->batch);
    host = pm__most(host, parts.host);
    if (total <= most) continue;
    most = total;
    fullest = parts;
    *number = i;
  }
  fullest.host = host;
  return fullest;
}

int pm__parallel_fits(const pm__parallel *p, pm_error *error)
{
  int32_t stage = 0;
  pm__memory_parts parts = pm__parallel_fullest_stage(p, &stage);
  pm__memory_case asked = {p->s.network->network->id, p->s.system->system->gpu.id, p->batch, pm__parallel_usable_memory(p)};
  int status = p->s.run->ignore_memory ? PM_OK : pm__memory_check_fit(&parts, &asked, error);
  if (status == PM_OK && !p->s.run->ignore_memory) status = pm__parallel_host_fits(p, parts.host, error);
  return status == PM_OK ? pm__parallel_offload_check(p, error) : status;
}

void pm__parallel_step_memory(const pm__parallel *p, pm_prediction *out)
{
  double usable = pm__parallel_usable_memory(p);
  pm__memory_parts fullest = pm__parallel_fullest_stage(p, &out->fullest_stage);
  out->gpu_memory = usable;
  out->memory = pm__memory_total(&fullest, p->batch);
  out->host_memory = p->s.run->gpus * fullest.host;
  out->verdict = pm__parallel_verdict(p, out->memory, fullest.host);
  out->largest_batch = pm__memory_largest_batch(&fullest, usable);
}
