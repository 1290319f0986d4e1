/*
** What data-parallel ranks exchange, of one stage. P parameters of a GPU, g bytes of a gradient, w of a weight.
**
**     zero 0      all-reduce of g P during the backward pass of the last micro-batch, in buckets
**     zero 1, 2   reduce-scatter of g P there; all-gather of w P after the update, which the next forward pass hides
**                 where software overlaps both passes, and nothing elsewhere. 2 gives gradients away at once, so with a
**                 pipeline or several micro-batches it exchanges them every time
**     zero 3      weights are gathered piece by piece, the next one while this one runs; forward, and again backward:
**                 sum of max(forward, gather) and of max(backward, gather + scatter), for every micro-batch; software
**                 that gathers late waits for all of it. A pipeline gathers once a step and keeps the weights, as its
**                 memory says
**
** Shards that the host keeps come up before they are gathered, and gradients go down after they are scattered: piece by
** piece beside those exchanges, so that the longer of the two counts.
**
** A backward pass that is cut at buckets (schedule/overlap.c) hides them one by one; otherwise buckets become ready
** evenly over it:
**
**     exposed = max(last bucket, all - backward)
**
** In an interleaved pipeline of p stages and v chunks, a chunk has its gradients when the last p micro-batches have
** been through it, and these go through all chunks before the step ends; likewise the first p wait for weights chunk by
** chunk:
**
**     exposed = max(last bucket, (all - backward) / v, all - backward (1 + p (v - 1)) / v)
**
** Groups of shards that are smaller than the replicas sum up over their copies afterwards. Experts have replicas of
** their own. Norms that tensor-parallel GPUs compute on shared tokens, and an embedding that the last stage uses too,
** are summed once a step.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

static double exchange(const pm__step *p, pm__step_group group, int collective, double bytes)
{
  if (p->group[group]->members * p->group[group]->nodes == 1) return 0;
  return pm__schedule_exchange_on(&p->s, p->group[group], collective, bytes);
}

/* In equal buckets, one after the other; what does not fit into one goes by itself, so there are no more than layers.
** *bucket is the time of one. Without a framework there are no buckets. */
static double in_buckets(const pm__step *p, pm__step_group group, int collective, double bytes, double *bucket)
{
  const pm_framework *f = p->s.framework != NULL ? &p->s.framework->profile.framework : NULL;
  double ranks = p->group[group]->members * p->group[group]->nodes;
  double most = f != NULL ? pm__most(f->bucket, f->bucket_per_rank * ranks) : (double)INFINITY;
  double pieces = pm__most(1, pm__least(ceil(bytes / most), p->s.network->products));
  *bucket = bytes > 0 ? exchange(p, group, collective, bytes / pieces) : 0;
  return pieces * *bucket;
}

/* ---- Gradients once, or every time ---- */

/* Copies of a smaller group of shards. */
static double among_copies(const pm__step *p, double bytes)
{
  return exchange(p, PM__GROUP_COPIES, PM_COLLECTIVE_ALL_REDUCE, bytes / p->at.shards);
}

static pm__step_group summing_group(const pm__step *p)
{
  return p->at.zero > 0 ? PM__GROUP_SHARD : PM__GROUP_DATA;
}

static int summing_collective(const pm__step *p)
{
  return p->at.zero > 0 ? PM_COLLECTIVE_REDUCE_SCATTER : PM_COLLECTIVE_ALL_REDUCE;
}

static double busy_share(const pm__step *p, pm__step_group group, int collective)
{
  const pm__collective_group *of = p->group[group];
  return of->members > 1 || of->nodes > 1 ? pm__exchange_share(p->s.cache, of, collective) : 0;
}

static void price_gradients(const pm__step *p, const pm__step_stage *stage, pm__step_prices *out)
{
  double bytes = pm__step_shared(p, stage) * p->s.gradient, bucket, other;
  int collective = summing_collective(p);
  double all = in_buckets(p, summing_group(p), collective, bytes, &bucket);
  if (p->at.zero > 0) all += among_copies(p, bytes);
  out->gradients = all + in_buckets(p, PM__GROUP_EXPERT_DATA, collective, pm__step_experts(p, stage) * p->s.gradient,
                                    &other);
  out->bucket = pm__most(bucket, other);
  bool hides = p->s.framework != NULL && p->s.overlap != PM_OVERLAP_NONE;
  if (hides) out->beside = busy_share(p, summing_group(p), collective);
}

/* While they hide, collectives keep multiprocessors busy that the kernels beside them lack. */
static double beside(const pm__step_prices *prices, double hidden)
{
  return hidden > 0 ? hidden * prices->beside : 0;
}

/* What a pass over one micro-batch, or in an interleaved pipeline over one for each stage, does not hide of exchanges
** in buckets. */
static double not_hidden(const pm__step *p, double all, double bucket, double pass)
{
  double chunks = pm__most(1, p->at.chunks), round = pm__least(p->at.stages, p->s.accumulation);
  double own = (all - pass) / chunks, rest = all - pass * (1 + round * (chunks - 1)) / chunks;
  return pm__least(all, pm__most(bucket, pm__most(own, rest)));
}

static pm__step_data reduce_evenly(const pm__step *p, const pm__step_prices *prices, double backward)
{
  double all = prices->gradients;
  bool overlap = p->s.overlap != PM_OVERLAP_NONE;
  double left = overlap ? not_hidden(p, all, prices->bucket, backward) : all;
  return (pm__step_data){all, left + beside(prices, all - left), 0};
}

/* Without the factor of the host, which would change what data parallelism hides: it waits for the next fit of the host
** times. */
static double call_time(const pm__step *p)
{
  return pm__schedule_call_time(&p->s);
}

/* Behind a backward pass that is cut at buckets, which recomputation and other kernels than the plain ones stretch. */
static pm__step_data reduce_by_segments(const pm__step *p, const pm__step_prices *prices, const pm__costs *costs,
                                        const pm__step_work *work, const pm__step_times *times)
{
  double kernels = work->gpu[PM__DGRAD] + work->gpu[PM__WGRAD] + work->recompute, stretch = 1;
  const pm__step_pace *pace = &times->pace[PM__DGRAD];
  const pm__collective_group *group = p->group[summing_group(p)];
  if (group->members == 1 && group->nodes == 1) return (pm__step_data){prices->gradients, prices->gradients, 0};
  if (p->at.cut || pm__step_attention_factor(p) != 1) stretch = kernels / pm__schedule_backward_time(&p->s, costs);
  const pm__schedule_pace each = {pace->gpu * stretch, pace->host * call_time(p)};
  pm__schedule_overlap e = pm__schedule_overlap_of(&p->s, costs, group, summing_collective(p), &each);
  return (pm__step_data){e.communication + prices->gradients, e.exposed + prices->gradients, 0};
}

bool pm__step_bucket_times(const pm__step *p, const pm__costs *costs, pm__bucket_times *times)
{
  if (p->group[summing_group(p)]->wiring == NULL) return false;
  pm__bucket_times_of(&p->s, costs, p->group[summing_group(p)], summing_collective(p), times);
  return true;
}

/* Without a framework there are no buckets: all of it overlaps with the backward pass, ideally. */
static pm__step_data reduce_ideally(const pm__step *p, const pm__step_prices *prices, double backward)
{
  double all = prices->gradients;
  return (pm__step_data){all, p->s.overlap != PM_OVERLAP_NONE ? pm__most(0, all - backward) : all, 0};
}

static pm__step_data reduce_gradients(const pm__step *p, const pm__step_prices *prices, const pm__step_kinds *kinds,
                                      const pm__step_work *work, const pm__step_times *times)
{
  double backward = pm__step_backward(times);
  if (kinds->costs != NULL) return reduce_by_segments(p, prices, kinds->costs, work, times);
  if (p->s.framework == NULL) return reduce_ideally(p, prices, backward);
  return reduce_evenly(p, prices, backward);
}

/* Of a weight that is gathered: those that are kept in FP8 or FP4 alone travel so. */
static double weight_bytes(const pm__step *p)
{
  bool narrow = p->s.linear != NULL && p->s.run->primary_weights;
  return narrow ? pm_precision_get_bytes(p->s.run->precision) : p->s.device->bytes;
}

/* Weights after the update: in one piece, or in buckets like those of gradients. */
static double gather_weights(const pm__step *p, const pm__step_stage *stage, double *bucket)
{
  double shared = pm__step_shared(p, stage) * weight_bytes(p), own, other;
  double experts = pm__step_experts(p, stage) * weight_bytes(p);
  if (p->s.overlap != PM_OVERLAP_PASSES)
    return exchange(p, PM__GROUP_SHARD, PM_COLLECTIVE_ALL_GATHER, shared) +
           exchange(p, PM__GROUP_EXPERT_DATA, PM_COLLECTIVE_ALL_GATHER, experts);
  double all = in_buckets(p, PM__GROUP_SHARD, PM_COLLECTIVE_ALL_GATHER, shared, &own) +
               in_buckets(p, PM__GROUP_EXPERT_DATA, PM_COLLECTIVE_ALL_GATHER, experts, &other);
  *bucket = pm__most(own, other);
  return all;
}

/* ---- Shards of weights ---- */

/* `frozen`: bytes besides, of weights that have no gradients. */
static double of_piece(const pm__step *p, const pm__plan_piece *shard, int collective, double each,
                       pm__step_frozen frozen)
{
  double share = p->s.framework != NULL ? p->s.framework->profile.framework.shard_bandwidth : 1;
  return (exchange(p, PM__GROUP_SHARD, collective, (shard->whole + shard->split) * each + frozen.shared) +
          exchange(p, PM__GROUP_EXPERT_DATA, collective, shard->expert * each + frozen.experts)) / share;
}

/* A pipeline comes back to a piece for every micro-batch: it keeps what it has gathered, and sums gradients once. */
static bool gathers_once(const pm__step *p)
{
  return p->at.zero == 3 && p->at.stages > 1;
}

pm__step_shards pm__step_shards_price(const pm__step *p, int kind)
{
  const pm__plan_piece *shard = pm__step_piece(p, kind);
  const pm_offloading *offload = pm__step_offload(p);
  double own = (shard->whole + shard->split) / p->at.shards + shard->expert / p->at.expert_replicas;
  const pm__step_frozen none = {0, 0}, frozen = pm__step_frozen_piece(p, kind, true);
  double kept = frozen.shared / p->at.shards + frozen.experts / p->at.expert_replicas;
  pm__step_shards out = {of_piece(p, shard, PM_COLLECTIVE_ALL_GATHER, p->s.device->bytes, frozen),
                         of_piece(p, shard, PM_COLLECTIVE_REDUCE_SCATTER, p->s.gradient, none), 0, 0};
  if (offload->weights) out.up = pm__step_host_copy(p, own * p->s.device->bytes + kept);
  if (offload->gradients) out.down = pm__step_host_copy(p, own * p->s.gradient);
  return out;
}

/* A piece's passes within its stage. */
typedef struct piece_times {
  double forward, backward;
} piece_times;

static piece_times piece_times_of(const pm__step_work *w, const pm__step_times *t)
{
  const pm__step_pace *f = &t->pace[PM__FORWARD], *d = &t->pace[PM__DGRAD], *g = &t->pace[PM__WGRAD];
  piece_times out = {pm__step_paced(f, w->gpu[PM__FORWARD], w->host[PM__FORWARD]) + w->exchange[PM__FORWARD], 0};
  out.backward = pm__step_paced(d, w->gpu[PM__DGRAD] + w->recompute, w->host[PM__DGRAD] + w->host_recompute) +
                 pm__step_paced(g, w->gpu[PM__WGRAD], w->host[PM__WGRAD]) + w->exchange[PM__DGRAD] +
                 w->exchange[PM__WGRAD] + w->exchange_recompute;
  return out;
}

/* Exchanges of one micro-batch, and what of them nothing hides. The first gather and the last scatter are
** exposed. */
static pm__step_data pass_shards(const pm__step *p, const pm__step_stage *stage, const pm__step_shards *shards,
                                 const pm__step_work *kinds, const pm__step_times *times)
{
  pm__step_data sum = {0, 0, 0};
  double most = 0;
  for (int k = 0; k < p->kinds; k++) {
    if (stage->count[k] == 0) continue;
    double gather = shards[k].gather, scatter = shards[k].scatter, recompute = gathers_once(p) ? 0 : gather;
    piece_times piece = piece_times_of(&kinds[k], times);
    sum.communication += stage->count[k] * (gather + recompute + scatter);
    double late = pm__most(0, gather - piece.forward) + pm__most(0, recompute + scatter - piece.backward);
    sum.exposed += stage->count[k] * (p->gathers_late ? gather + recompute + scatter : late);
    most = pm__most(most, gather + scatter);
  }
  sum.exposed = pm__least(sum.communication, sum.exposed + most);
  return sum;
}

/* The same with copies to the host and back beside the exchanges, the longer of which counts. */
static double pass_copies(const pm__step *p, const pm__step_stage *stage, const pm__step_shards *shards,
                          const pm__step_work *kinds, const pm__step_times *times)
{
  pm__step_shards longer[PM__PIECE_KINDS];
  double first = 0;
  for (int k = 0; k < p->kinds; k++) {
    if (isnan(shards[k].down)) return shards[k].down;
    longer[k] = (pm__step_shards){pm__most(shards[k].gather, shards[k].up), pm__most(shards[k].scatter, shards[k].down),
                                  0, 0};
    double waits = pm__least(shards[k].gather, shards[k].up) + pm__least(shards[k].scatter, shards[k].down);
    if (stage->count[k] > 0) first = pm__most(first, waits);
  }
  return pass_shards(p, stage, longer, kinds, times).exposed + first;
}

static pm__step_data shard_weights(const pm__step *p, const pm__step_stage *stage, const pm__step_prices *prices,
                                   const pm__step_work *kinds, const pm__step_times *times)
{
  pm__step_data sum = pass_shards(p, stage, prices->shards, kinds, times);
  if (pm__step_offload(p)->gradients)
    sum.offload = pass_copies(p, stage, prices->shards, kinds, times) - sum.exposed;
  sum.exposed += beside(prices, sum.communication - sum.exposed);
  return sum;
}

/* ---- Together ---- */

/* Parameters that one end of the pipeline shares with the other. */
static double tied(const pm__step *p, const pm__step_stage *stage)
{
  double parameters = 0;
  for (int k = 0; k < p->kinds; k++) parameters += stage->count[k] * pm__step_piece(p, k)->tied;
  return parameters;
}

static double once_a_step(const pm__step *p, const pm__step_stage *stage)
{
  double time = 0;
  if (p->at.stages > 1) time += exchange(p, PM__GROUP_ENDS, PM_COLLECTIVE_ALL_REDUCE, tied(p, stage) * p->s.gradient);
  if (p->at.sequence) time += exchange(p, PM__GROUP_TENSOR, PM_COLLECTIVE_ALL_REDUCE, stage->whole * p->s.gradient);
  return time;
}

void pm__step_data_price(const pm__step *p, const pm__step_stage *stage, const pm__step_shards *shards,
                         pm__step_prices *out)
{
  int zero = p->at.zero;
  *out = (pm__step_prices){.shards = shards, .after = once_a_step(p, stage)};
  if (zero == 3) out->beside = busy_share(p, PM__GROUP_SHARD, PM_COLLECTIVE_ALL_GATHER);
  else if (p->s.segments != NULL)
    out->gradients = zero > 0 ? among_copies(p, pm__step_shared(p, stage) * p->s.gradient) : 0;
  else price_gradients(p, stage, out);
  if (zero == 1 || zero == 2) out->weights = gather_weights(p, stage, &out->weights_bucket);
}

pm__step_data pm__step_data_time(const pm__step *p, const pm__step_stage *stage, const pm__step_prices *prices,
                                 const pm__step_kinds *kinds, const pm__step_work *work, const pm__step_times *times)
{
  double repeats = p->at.zero >= 2 && !gathers_once(p) ? p->s.accumulation : 1;
  pm__step_data data = p->at.zero == 3 ? shard_weights(p, stage, prices, kinds->work, times)
                                       : reduce_gradients(p, prices, kinds, work, times);
  bool behind = p->s.overlap == PM_OVERLAP_PASSES && p->s.framework != NULL;
  double weights = behind ? not_hidden(p, prices->weights, prices->weights_bucket, times->forward) : prices->weights;
  return (pm__step_data){data.communication * repeats + prices->weights + prices->after,
                         data.exposed * repeats + weights + prices->after,
                         data.offload * repeats + pm__step_offload_time(p, stage, times) +
                           pm__step_activation_time(p, stage, times)};
}
