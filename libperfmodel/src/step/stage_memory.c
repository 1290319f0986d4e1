/*
** Memory of a stage: what its pieces keep, each by the same scan of its own graph as a whole network, for as many
** micro-batches as the schedule has in flight; and what belongs to its parameters.
**
**     activations   sum over pieces of what is saved x micro-batches in flight; computed again in full: the piece's inputs
**     once          what a backward pass has alive beyond that, of the piece that has most; and with recomputation
**                   everything that one layer saves
**     parameters    weights, gradients, optimizer as the memory profile keeps them, over the shards of ZeRO; but for what the
**                   host keeps (offload.c)
*/
#include <math.h>
#include "kernel/models.h"
#include "step/parallel.h"

/* What memory questions of a piece need of the run. */
typedef struct asked {
  pm_memory_run run;
  pm_optimizer optimizer;
} asked;

static asked asked_of(const pm__parallel *p)
{
  int precision = p->s.linear != NULL ? PM_PRECISION_BF16 : p->s.run->precision;
  asked a = {.run = {.batch = p->batch, .precision = precision, .ranks = 1,
                     .recompute = p->s.run->recompute == PM_RECOMPUTE_SELECTIVE ? PM_RECOMPUTE_SELECTIVE : PM_RECOMPUTE_NONE}};
  a.optimizer.state = a.optimizer.embedding_state = p->s.optimizer->state;
  a.optimizer.scratch = p->s.optimizer->scratch;
  return a;
}

/* ---- Parameters ---- */

/* Bytes of FP8 weights beside those of two bytes: as they are, and transposed (Transformer Engine). */
enum { NARROW_COPIES = 2 };

/* Gradients that are added up in a wider type than the software's own are kept in both. */
static double gradient_bytes(const pm__parallel *p, double own)
{
  double wanted = p->s.run->gradient_bytes;
  return wanted > own ? wanted + own : wanted > 0 ? wanted : own;
}

/* Bytes of so many parameters, and what belongs to them, shared over `shards`. */
static void add_parameters(const pm__parallel *p, const pm__memory_question *q, double parameters, double shards,
                           pm__memory_parts *out)
{
  pm__parameter_bytes each = pm__parameter_bytes_each(q);
  int zero = p->s.run->zero;
  out->optimizer += parameters * each.optimizer / (zero >= 1 ? shards : 1);
  out->gradients += parameters * gradient_bytes(p, each.gradients) / (zero >= 2 ? shards : 1);
  out->weights += parameters * (each.weights + (p->s.linear != NULL ? NARROW_COPIES : 0)) / (zero >= 3 ? shards : 1);
}

static double largest_piece(const pm__parallel *p, const pm__parallel_stage *stage)
{
  double largest = 0;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    const pm__shard *shard = p->sharded->piece[k].shard;
    if (stage->count[k] > 0) largest = pm__most(largest, shard->whole + shard->split + shard->expert);
  }
  return largest;
}

/* Gathered weights, and the copies of gradients that are being sent: of two pieces; of all where a pipeline comes back to a
** piece for every micro-batch before its gradients are summed. */
static double communication(const pm__parallel *p, const pm__parallel_stage *stage, const pm__memory_question *q)
{
  const pm_memory_profile *profile = &q->plan->profile;
  double largest = largest_piece(p, stage), all = stage->whole + stage->split + stage->expert;
  double two = pm__least(2 * largest, all) * p->s.device->bytes;
  if (p->replicas <= 1 && p->expert_replicas <= 1) return p->s.run->offload == PM_OFFLOAD_PARAMETERS ? two : 0;
  if (p->s.run->zero >= 3 && p->stages > 1) return all * (p->s.device->bytes + p->gradient) + pm__given(profile->fusion_buffer, 0);
  double summed = p->s.run->zero >= 2 ? largest : all;
  double copies = pm__given(profile->bucket, 0) > 0 ? summed * pm__gradient_bytes(q) : 0;
  double gathered = p->s.run->zero >= 3 ? two : 0;
  return copies + gathered + pm__given(profile->fusion_buffer, 0);
}

/* ---- Activations ---- */

/* Saved by one piece for one sample, and what one piece has alive besides. */
typedef struct kept {
  double saved, once;
} kept;

static kept kept_of(const pm__parallel *p, const pm__memory_question *q, int kind, double share)
{
  const pm__plan_piece *piece = &p->sharded->piece[kind];
  pm__alive alive = pm__memory_alive(q);
  kept all = {alive.saved, alive.peak - alive.saved};
  if (!pm__parallel_again(p, kind) || p->s.run->recompute == PM_RECOMPUTE_SELECTIVE) return all;
  double input = piece->input * p->s.device->bytes;
  double operations = p->s.run->recompute == PM_RECOMPUTE_OPERATIONS ? pm__memory_operations(q) : 0;
  double saved = pm__least(input + operations, alive.saved);
  return (kept){(1 - share) * alive.saved + share * saved, alive.peak - (saved - input)};
}

double pm__parallel_in_flight(const pm__parallel *p, int stage)
{
  const pm__pipeline_load load = {.stages = p->stages, .chunks = p->chunks, .micro_batches = (int)p->micro_batches};
  return p->schedule->in_flight(&load, stage);
}

/* Pieces behind the layers go backward at once: with several chunks on a GPU only what is in front of them waits. */
static bool is_behind(const pm__parallel *p, int kind)
{
  const pm__plan_pieces *of = p->pieces;
  for (int i = of->front + of->layers; i < of->pieces->count; i++)
    if (of->pieces->of[i] == kind) return true;
  return false;
}

pm__parallel_footprint pm__parallel_footprint_of(const pm__parallel *p, const pm__parallel_stage *stage)
{
  asked a = asked_of(p);
  pm__parallel_footprint f = {.factor = 1};
  pm__memory_question q = {NULL, &a.run, &a.optimizer, 0};
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    if (stage->count[k] == 0) continue;
    q.plan = p->sharded->piece[k].memory;
    kept each = kept_of(p, &q, k, stage->again);
    *(p->chunks > 1 && is_behind(p, k) ? &f.behind : &f.waiting) += stage->count[k] * each.saved;
    f.parts.live_gradients = pm__most(f.parts.live_gradients, each.once);
    f.factor = pm__most(f.factor, pm__memory_allocator(&q));
  }
  const pm_memory_profile *profile = &q.plan->profile;
  add_parameters(p, &q, stage->whole + stage->split, p->shards, &f.parts);
  add_parameters(p, &q, stage->expert, p->expert_replicas, &f.parts);
  pm__parallel_offload_memory(p, stage, largest_piece(p, stage), &q, &f.parts);
  f.parts.context = pm__given(profile->context, 0);
  f.parts.workspace = pm__given(profile->workspace, 0);
  f.parts.communication = communication(p, stage, &q);
  f.parts.input = 4 * p->s.network->input_elements / p->s.run->context_parallel;
  return f;
}

pm__memory_parts pm__parallel_memory_of(const pm__parallel_footprint *f, double flight)
{
  pm__memory_parts out = f->parts;
  out.activations = f->waiting * flight + f->behind;
  out.allocator = (f->factor - 1) * (out.activations + out.live_gradients);
  return out;
}

pm__memory_parts pm__parallel_memory(const pm__parallel *p, const pm__parallel_stage *stage, int number)
{
  pm__parallel_footprint f = pm__parallel_footprint_of(p, stage);
  return pm__parallel_memory_of(&f, pm__parallel_in_flight(p, number));
}
