/*
** From stage to stage: the one that takes longest, the one that exchanges longest, sums for the schedule; then what the
** schedule makes of them.
**
**     step = the slowest stage alone + exchanges that nothing hides + bubble + waiting
**
** Without a pipeline the slowest stage is the only one. With one its micro-batches are ordered by the schedule, and
** what that adds to them is the bubble, and hops that are waited for.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

/* What is recomputed is limited, and draws, as what it repeats. */
double pm__step_with_recomputed(const pm__step_work *w, double of_kernels)
{
  double once = w->gpu[PM__FORWARD] + w->gpu[PM__DGRAD] + w->gpu[PM__WGRAD];
  return once > 0 ? of_kernels * (1 + w->recompute / once) : 0;
}

void pm__step_walk_begin(const pm__step *p, pm__step_walk *walk)
{
  walk->load = (pm__pipeline_load){.stages = p->at.stages, .chunks = p->at.chunks,
                                   .micro_batches = (int)p->s.accumulation,
                                   .blocks = pm__step_hops_block(p)};
  walk->slowest = NULL;
  walk->stage = 0;
  walk->parameters = walk->updated = walk->saved = walk->recompute = walk->offload = walk->busy = walk->extra = 0;
  walk->data = (pm__step_data){0, 0, 0};
}

void pm__step_walk_add(const pm__step *p, int number, int count, const pm__step_stage *stage, const pm__step_work *work,
                       const pm__step_times *t, const pm__step_data *data, pm__step_walk *w)
{
  pm__pipeline_load *load = &w->load;
  double all = pm__step_micro_batch(t), own = pm__step_own_parameters(p, stage);
  load->sum += count * all;
  load->forward += count * t->forward;
  load->dgrad += count * t->dgrad;
  load->wgrad += count * t->wgrad;
  load->most_forward = pm__most(load->most_forward, t->forward);
  load->most_backward = pm__most(load->most_backward, all - t->forward);
  if (w->slowest == NULL || all > load->most || isnan(all)) { /* a time that is not known is that of the whole */
    load->most = all;
    w->slowest = work;
    if (p->pieces != NULL) w->slowest = &w->kept, w->kept = *work;
    w->times = *t;
    w->stage = number;
  }
  w->parameters = pm__most(w->parameters, pm__step_parameters(stage));
  w->updated += count * own;
  w->saved += count * work->saved;
  w->busy += count * t->gpu;
  w->extra += count * p->s.accumulation * pm__step_with_recomputed(work, work->extra);
  w->recompute += count * stage->recompute * stage->layers;
  if (data->exposed >= w->data.exposed || isnan(data->exposed)) w->data = *data;
  w->offload = isnan(data->offload) ? data->offload : pm__most(w->offload, data->offload);
}

/* Activations between stages: tensor-parallel GPUs send a share each, and gather them unless they share tokens anyway.
** Software that waits for the device has its host to wait for, too, before the next pass starts. */
double pm__step_hop_time(const pm__step *p)
{
  if (p->at.stages < 2) return 0;
  int cut = p->pieces->front + pm__step_layers_before(p, 1) - 1;
  double bytes = p->pieces->pieces->passed[cut] * p->s.batch * p->s.device->bytes / p->at.context;
  double host = p->s.framework != NULL ? p->s.framework->profile.framework.hop_time : 0;
  double time = host + pm__schedule_exchange_on(&p->s, p->group[PM__GROUP_HOP], PM_COLLECTIVE_SEND_RECEIVE,
                                                bytes / p->at.tensor);
  if (p->at.sequence || p->at.tensor == 1) return time;
  return time + pm__schedule_exchange_on(&p->s, p->group[PM__GROUP_TENSOR], PM_COLLECTIVE_ALL_GATHER, bytes);
}

static void add_stages(const pm__step *p, int first, int count, const pm__step_stage *stage,
                       const pm__step_kinds *kinds,
                       const pm__step_shards *shards, pm__step_walk *walk)
{
  pm__step_work sum;
  pm__step_times own;
  pm__step_prices prices;
  const pm__step_times *times = kinds->times != NULL ? kinds->times : &own;
  const pm__step_work *work = pm__step_stage_work(p, kinds->work, stage, &sum);
  if (kinds->times == NULL) pm__step_times_of(p, work, kinds->waits, pm__step_own_parameters(p, stage), &own);
  pm__step_data data = {0, 0, 0};
  bool shares = p->s.ranks > 1 || p->s.run->offload != PM_OFFLOAD_NONE;
  if (shares && pm__step_all_reduces(p)) {
    pm__step_data_price(p, stage, shards, &prices);
    data = pm__step_data_time(p, stage, &prices, kinds, work, times);
  } else if (p->s.run->offload_activations)
    data.offload = pm__step_activation_time(p, stage, times);
  pm__step_walk_add(p, first, count, stage, work, times, &data, walk);
}

void pm__step_walk_all(const pm__step *p, const pm__step_kinds *kinds, pm__step_walk *walk)
{
  pm__step_shards shards[PM__PIECE_KINDS];
  pm__step_stage stage;
  for (int k = 0; p->at.zero == 3 && k < p->kinds; k++) shards[k] = pm__step_shards_price(p, k);
  pm__step_walk_begin(p, walk);
  for (int i = 0, count; i < p->at.stages; i += count) {
    count = pm__step_next_stages(p, i, &stage);
    add_stages(p, i, count, &stage, kinds, shards, walk);
  }
  walk->load.hop = pm__step_hop_time(p);
}

/* ---- Together ---- */

/* The schedule's time beyond the slowest stage's micro-batches; *hops of it are hops. */
static double bubble_of(const pm__step *p, const pm__step_walk *walk, double *hops)
{
  pm__pipeline_load load = walk->load;
  *hops = 0;
  if (p->at.stages == 1) return 0;
  double all = p->at.schedule->time(&load);
  load.hop = 0;
  if (walk->load.hop > 0) *hops = all - p->at.schedule->time(&load);
  return all - *hops - p->s.accumulation * load.most;
}

/* Data parallelism of other kinds, of whole networks: it may launch the kernels of other GPUs too. */
static void other_parallelism(const pm__step *p, pm__step_walk *w, pm__schedule_overhead *overhead)
{
  pm__schedule_times times = {.update = w->times.update, .gpu = w->times.gpu, .host = w->times.host,
                              .alone = w->times.alone, .waited = w->times.waited};
  pm__parallelism_evaluate(&p->s, &times, overhead);
  w->times.host = times.host;
  w->times.alone = times.alone;
  w->data = (pm__step_data){overhead->communication, overhead->exposed, 0};
}

pm__step_sum pm__step_put_together(const pm__step *p, pm__step_walk *w)
{
  pm__step_sum out;
  double bubble = bubble_of(p, w, &out.hops), within = p->s.accumulation * pm__step_exchanges(w->slowest);
  out.overhead = (pm__schedule_overhead){.communication = within + out.hops + w->data.communication,
                                         .exposed = within + out.hops + w->data.exposed, .bubble = bubble,
                                         .exchanged = w->parameters, .offload = w->offload};
  if (!pm__step_all_reduces(p)) other_parallelism(p, w, &out.overhead);
  else if (p->s.ranks > 1)
    out.overhead.straggler_wait = pm__straggler_wait(&p->s, w->times.alone, w->times.waited, p->s.ranks / p->at.tensor);
  return out;
}

/* What a node waits for its input: all of it, if nothing is prefetched, else what a step does not cover. */
static double input_wait(const pm__step *p, double step)
{
  if (!isfinite(p->s.run->input_rate)) return 0;
  double takes = p->s.samples / p->s.run->nodes / p->s.run->input_rate;
  return p->s.run->no_prefetch ? takes : pm__most(0, takes - step);
}

double pm__step_time(const pm__step *p, const pm__step_walk *walk, const pm__schedule_overhead *overhead, double *waits)
{
  double step = walk->times.alone + overhead->exposed + overhead->straggler_wait + overhead->bubble + overhead->offload;
  *waits = input_wait(p, step);
  return step + *waits;
}
