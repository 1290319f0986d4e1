/*
** What data-parallel ranks exchange, of one stage. P parameters of a GPU, g bytes of a gradient, w of a weight.
**
**     zero 0      all-reduce of g P behind the backward pass of the last micro-batch, in buckets
**     zero 1, 2   reduce-scatter of g P there; all-gather of w P after the update, which nothing hides. 2 gives gradients
**                 away at once, so with a pipeline or several micro-batches it exchanges them every time
**     zero 3      weights are gathered piece by piece, the next one while this one runs; forward, and again backward:
**                 sum of max(forward, gather) and of max(backward, gather + scatter), for every micro-batch; software that
**                 gathers late waits for all of it. A pipeline gathers once a step and keeps the weights, as its memory says
**
** Shards that the host keeps come up before they are gathered, and gradients go down after they are scattered: piece by
** piece beside those exchanges, so that the longer of the two counts.
**
** Groups of shards that are smaller than the replicas sum up over their copies afterwards. Experts have replicas of their
** own. Norms that tensor-parallel GPUs compute on shared tokens, and an embedding that the last stage uses too, are
** summed once a step.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/parallel.h"

static double exchange(const pm__parallel *p, pm__parallel_group group, int collective, double bytes)
{
  return pm__schedule_exchange_on(&p->s, &p->group[group], collective, bytes);
}

/* In equal buckets, one after the other; *bucket is the time of one. */
static double in_buckets(const pm__parallel *p, pm__parallel_group group, int collective, double bytes, double *bucket)
{
  double most = p->s.framework != NULL ? p->s.framework->profile.framework.bucket : (double)INFINITY;
  double pieces = pm__most(1, ceil(bytes / most));
  *bucket = bytes > 0 ? exchange(p, group, collective, bytes / pieces) : 0;
  return pieces * *bucket;
}

static double shared(const pm__parallel_stage *stage)
{
  return stage->whole + stage->split;
}

/* ---- Gradients once, or every time ---- */

/* Copies of a smaller group of shards. */
static double among_copies(const pm__parallel *p, double bytes)
{
  return exchange(p, PM__GROUP_COPIES, PM_COLLECTIVE_ALL_REDUCE, bytes / p->shards);
}

static void price_gradients(const pm__parallel *p, const pm__parallel_stage *stage, pm__parallel_prices *out)
{
  bool sharded = p->s.run->zero > 0;
  double bytes = shared(stage) * p->gradient, bucket, other;
  int collective = sharded ? PM_COLLECTIVE_REDUCE_SCATTER : PM_COLLECTIVE_ALL_REDUCE;
  double all = in_buckets(p, sharded ? PM__GROUP_SHARD : PM__GROUP_DATA, collective, bytes, &bucket);
  if (sharded) all += among_copies(p, bytes);
  out->gradients = all + in_buckets(p, PM__GROUP_EXPERT_DATA, collective, stage->expert * p->gradient, &other);
  out->bucket = pm__most(bucket, other);
  out->beside = pm__exchange_share(&p->group[PM__GROUP_SHARD], collective);
}

/* While they hide, collectives keep multiprocessors busy that the kernels beside them lack. */
static double beside(const pm__parallel_prices *prices, double hidden)
{
  return hidden > 0 ? hidden * prices->beside : 0;
}

static pm__parallel_data reduce_gradients(const pm__parallel *p, const pm__parallel_prices *prices, double backward)
{
  double all = prices->gradients;
  bool overlap = p->s.overlap == PM_OVERLAP_BACKWARD;
  double left = overlap ? pm__least(all, pm__most(prices->bucket, all - backward)) : all;
  return (pm__parallel_data){all, left + beside(prices, all - left), 0};
}

static double gather_weights(const pm__parallel *p, const pm__parallel_stage *stage)
{
  double w = p->s.device->bytes;
  return exchange(p, PM__GROUP_SHARD, PM_COLLECTIVE_ALL_GATHER, shared(stage) * w) +
         exchange(p, PM__GROUP_EXPERT_DATA, PM_COLLECTIVE_ALL_GATHER, stage->expert * w);
}

/* ---- Shards of weights ---- */

static double of_piece(const pm__parallel *p, const pm__shard *shard, int collective, double each)
{
  double share = p->s.framework != NULL ? p->s.framework->profile.framework.shard_bandwidth : 1;
  return (exchange(p, PM__GROUP_SHARD, collective, (shard->whole + shard->split) * each) +
          exchange(p, PM__GROUP_EXPERT_DATA, collective, shard->expert * each)) / share;
}

/* A pipeline comes back to a piece for every micro-batch: it keeps what it has gathered, and sums gradients once. */
static bool gathers_once(const pm__parallel *p)
{
  return p->s.run->zero == 3 && p->stages > 1;
}

pm__parallel_shards pm__parallel_shards_price(const pm__parallel *p, int kind)
{
  const pm__shard *shard = p->sharded->piece[kind].shard;
  int32_t offload = p->s.run->offload;
  double own = (shard->whole + shard->split) / p->shards + shard->expert / p->expert_replicas;
  pm__parallel_shards out = {of_piece(p, shard, PM_COLLECTIVE_ALL_GATHER, p->s.device->bytes),
                             of_piece(p, shard, PM_COLLECTIVE_REDUCE_SCATTER, p->gradient), 0, 0};
  if (offload == PM_OFFLOAD_PARAMETERS) out.up = pm__parallel_host_copy(p, own * p->s.device->bytes);
  if (offload >= PM_OFFLOAD_GRADIENTS) out.down = pm__parallel_host_copy(p, own * p->gradient);
  return out;
}

/* Exchanges of one micro-batch, and what of them nothing hides. The first gather and the last scatter have nothing to hide
** behind. */
static pm__parallel_data pass_shards(const pm__parallel *p, const pm__parallel_stage *stage,
                                     const pm__parallel_shards *shards, const pm__parallel_piece *kinds)
{
  pm__parallel_data sum = {0, 0, 0};
  double most = 0;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    if (stage->count[k] == 0) continue;
    double gather = shards[k].gather, scatter = shards[k].scatter;
    double backward = kinds[k].dgrad + kinds[k].wgrad + kinds[k].recompute, again = gathers_once(p) ? 0 : gather;
    sum.communication += stage->count[k] * (gather + again + scatter);
    double late = pm__most(0, gather - kinds[k].forward) + pm__most(0, again + scatter - backward);
    sum.exposed += stage->count[k] * (p->gathers_late ? gather + again + scatter : late);
    most = pm__most(most, gather + scatter);
  }
  sum.exposed = pm__least(sum.communication, sum.exposed + most);
  return sum;
}

/* The same with copies to the host and back beside the exchanges, the longer of which counts. */
static double pass_copies(const pm__parallel *p, const pm__parallel_stage *stage, const pm__parallel_shards *shards,
                          const pm__parallel_piece *kinds)
{
  pm__parallel_shards longer[PM__PIECE_KINDS];
  double first = 0;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    if (isnan(shards[k].down)) return shards[k].down;
    longer[k] = (pm__parallel_shards){pm__most(shards[k].gather, shards[k].up), pm__most(shards[k].scatter, shards[k].down), 0, 0};
    double waits = pm__least(shards[k].gather, shards[k].up) + pm__least(shards[k].scatter, shards[k].down);
    if (stage->count[k] > 0) first = pm__most(first, waits);
  }
  return pass_shards(p, stage, longer, kinds).exposed + first;
}

static pm__parallel_data shard_weights(const pm__parallel *p, const pm__parallel_stage *stage,
                                       const pm__parallel_prices *prices, const pm__parallel_piece *kinds)
{
  pm__parallel_data sum = pass_shards(p, stage, prices->shards, kinds);
  if (p->s.run->offload >= PM_OFFLOAD_GRADIENTS) sum.offload = pass_copies(p, stage, prices->shards, kinds) - sum.exposed;
  sum.exposed += beside(prices, sum.communication - sum.exposed);
  return sum;
}

/* ---- Together ---- */

/* Parameters that one end of the pipeline shares with the other. */
static double tied(const pm__parallel *p, const pm__parallel_stage *stage)
{
  double parameters = 0;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) parameters += stage->count[k] * p->sharded->piece[k].shard->tied;
  return parameters;
}

static double once_a_step(const pm__parallel *p, const pm__parallel_stage *stage)
{
  double time = 0;
  if (p->stages > 1) time += exchange(p, PM__GROUP_ENDS, PM_COLLECTIVE_ALL_REDUCE, tied(p, stage) * p->gradient);
  if (p->s.run->sequence_parallel) time += exchange(p, PM__GROUP_TENSOR, PM_COLLECTIVE_ALL_REDUCE, stage->whole * p->gradient);
  return time;
}

pm__parallel_prices pm__parallel_data_price(const pm__parallel *p, const pm__parallel_stage *stage,
                                            const pm__parallel_shards *shards)
{
  int zero = p->s.run->zero;
  pm__parallel_prices prices = {.shards = shards, .after = once_a_step(p, stage)};
  if (zero == 3) prices.beside = pm__exchange_share(&p->group[PM__GROUP_SHARD], PM_COLLECTIVE_ALL_GATHER);
  else price_gradients(p, stage, &prices);
  if (zero == 1 || zero == 2) prices.after += gather_weights(p, stage);
  return prices;
}

pm__parallel_data pm__parallel_data_time_of(const pm__parallel *p, const pm__parallel_stage *stage,
                                            const pm__parallel_prices *prices, const pm__parallel_piece *kinds,
                                            const pm__parallel_piece *times)
{
  double backward = times->dgrad + times->wgrad + times->recompute;
  double repeats = p->s.run->zero >= 2 && !gathers_once(p) ? p->micro_batches : 1;
  pm__parallel_data data = p->s.run->zero == 3 ? shard_weights(p, stage, prices, kinds) : reduce_gradients(p, prices, backward);
  return (pm__parallel_data){data.communication * repeats + prices->after, data.exposed * repeats + prices->after,
                             data.offload * repeats + pm__parallel_offload_time(p, stage, times)};
}

pm__parallel_data pm__parallel_data_time(const pm__parallel *p, const pm__parallel_stage *stage,
                                         const pm__parallel_piece *kinds, const pm__parallel_piece *times)
{
  pm__parallel_shards shards[PM__PIECE_KINDS];
  for (int k = 0; p->s.run->zero == 3 && k < p->pieces->pieces->kinds; k++) shards[k] = pm__parallel_shards_price(p, k);
  pm__parallel_prices prices = pm__parallel_data_price(p, stage, shards);
  return pm__parallel_data_time_of(p, stage, &prices, kinds, times);
}
