/*
** Memory of a stage: what its pieces keep for as many micro-batches as the schedule has in flight, and what belongs to
** its parameters.
**
**     activations   sum over pieces of what each keeps x micro-batches in flight; recomputed in full: their inputs
**     gradients     what a backward pass has alive beyond that: of the pieces of the last chunk, from the last to the
**                   first, the most that one has alive less what it and those behind it keep; with recomputation
**                   everything that one layer keeps comes to it
**     on the host   where activations are offloaded, what the layers that stages divide keep; of two of them it is on
**                   the GPU: of the one at work, and of the one whose copy is under way
**     update        where it is part of the backward pass, gradients are there of one piece at a time
**     parameters    weights, gradients, optimizer as the memory profile keeps them, over the shards of ZeRO; but for
**                   what the host keeps (offload.c)
*/
#include <math.h>
#include <string.h>
#include "kernel/models.h"
#include "step/step.h"

/* The run of a memory question of a piece. */
static pm_memory_run run_of(const pm__step *p)
{
  int precision = p->s.linear != NULL ? PM_PRECISION_BF16 : p->s.run->precision;
  return (pm_memory_run){.batch = p->s.batch, .precision = precision, .ranks = 1, .recompute = PM_RECOMPUTE_NONE};
}

/* ---- Parameters ---- */

/* Gradients that are added up in a wider type than the software's own are kept in both. */
static double gradient_bytes(const pm__step *p, double own)
{
  double wanted = p->s.run->gradient_bytes;
  return wanted > own ? wanted + own : wanted > 0 ? wanted : own;
}

/* Bytes of so many parameters, `linear` of them of layers in FP8 or FP4, and what belongs to them, over `shards`. */
static void add_parameters(const pm__step *p, const pm__memory_question *q, double parameters, double linear,
                           double shards,
                           pm__memory_parts *out)
{
  pm__parameter_bytes each = pm__parameter_bytes_each(q);
  int zero = p->at.zero;
  double weights = (parameters - linear) * each.weights;
  if (linear > 0) weights += linear * pm__step_linear_weight(p, each.weights);
  out->optimizer += parameters * each.optimizer / (zero >= 1 ? shards : 1) + parameters * each.replicated;
  out->gradients += parameters * gradient_bytes(p, each.gradients) / (zero >= 2 ? shards : 1);
  out->weights += weights / (zero >= 3 ? shards : 1);
}

/* The share of a stage's parameters that are of the layers that stages divide: those run in FP8 or FP4. Adapters are
** not. */
static double linear_share(const pm__step *p, const pm__step_stage *stage)
{
  double layers = 0, all = 0;
  bool narrow = p->s.linear != NULL && p->s.run->lora_rank == 0;
  for (int k = 0; narrow && k < p->kinds; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    double own = stage->count[k] * (piece->whole + piece->split);
    all += own;
    layers += pm__step_is_layer(p, k) ? own : 0;
  }
  return all > 0 ? layers / all : 0;
}

/* Where the state of embeddings is not that of other parameters. */
static void add_embeddings(const pm__step *p, const pm__step_stage *stage, const pm__memory_question *q,
                           pm__memory_parts *out)
{
  double more = pm__embedding_bytes(q) / (p->at.zero >= 1 ? p->at.shards : 1);
  for (int k = 0; k < p->kinds && more != 0; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    out->optimizer += stage->count[k] * (piece->memory->embedding_parameters - piece->lookup.parameters) * more;
  }
}

/* Parts of tables are updated where they are read. */
static void add_tables(const pm__step *p, const pm__step_stage *stage, pm__memory_parts *out)
{
  if (p->at.tables <= 1) return;
  out->weights += pm__step_table_bytes(p, stage);
  out->optimizer += pm__step_table_state(p, stage);
}

static double largest_piece(const pm__step *p, const pm__step_stage *stage)
{
  double largest = 0;
  for (int k = 0; k < p->kinds; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    if (stage->count[k] > 0) largest = pm__most(largest, piece->whole + piece->split + piece->expert);
  }
  return largest;
}

/* Bytes of the weights of one piece at a time, where they are gathered; in *all those of the whole stage. */
static double largest_weights(const pm__step *p, const pm__step_stage *stage, double *all)
{
  double largest = 0;
  *all = 0;
  for (int k = 0; k < p->kinds; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    pm__step_frozen frozen = pm__step_frozen_piece(p, k, true);
    double own = (piece->whole + piece->split + piece->expert) * p->s.device->bytes + frozen.shared + frozen.experts;
    if (stage->count[k] > 0) largest = pm__most(largest, own);
    *all += stage->count[k] * (frozen.shared + frozen.experts);
  }
  *all += (stage->whole + stage->split + stage->expert) * p->s.device->bytes;
  return largest;
}

/* Gathered weights, and the copies of gradients that are being sent: of two pieces; of all where a pipeline comes back
** to a piece for every micro-batch before its gradients are summed. */
static double communication(const pm__step *p, const pm__step_stage *stage, const pm__memory_question *q)
{
  const pm_memory_profile *profile = &q->plan->profile;
  double largest = largest_piece(p, stage), all = stage->whole + stage->split + stage->expert, weights = 0, two = 0;
  if (p->at.zero >= 3 || pm__step_offload(p)->weights) {
    double piece = largest_weights(p, stage, &weights);
    two = pm__least(2 * piece, weights);
  }
  if (p->at.replicas <= 1 && p->at.expert_replicas <= 1) return pm__step_offload(p)->weights ? two : 0;
  if (p->at.zero >= 3 && p->at.stages > 1)
    return weights + all * p->s.gradient + pm__given(profile->fusion_buffer, 0);
  double summed = p->at.zero >= 2 ? largest : all;
  double copies = pm__given(profile->bucket, 0) > 0 ? summed * pm__gradient_bytes(q) : 0;
  double gathered = p->at.zero >= 3 ? two : 0;
  return copies + gathered + pm__given(profile->fusion_buffer, 0);
}

/* ---- Activations ---- */

/* What of a run decides what pieces keep. */
typedef struct keeping {
  const pm__memory_piece *none, *scores; /* of every piece: all, and all but the scores of attention */
  double recompute;                          /* the share of layers that is recomputed */
} keeping;

static keeping keeping_of(const pm__step *p, double recompute)
{
  pm__memory_piece *const *memory = p->sharded->memory[pm__memory_class(p->s.run->precision)];
  return (keeping){memory[0], memory[1], recompute};
}

/* One piece, for one sample. */
static pm__memory_piece kept_by(const pm__step *p, const keeping *k, pm__memory_question *q, int number)
{
  int kind = p->pieces->pieces->of[number];
  const pm__plan_piece *piece = pm__step_piece(p, kind);
  pm__memory_piece all = k->none[number];
  if (!pm__step_recomputes(p, kind)) return all;
  const pm_recomputation *how = pm_recomputation_get(p->at.recompute);
  if (!how->layers) return k->scores[number];
  q->plan = piece->memory;
  double input = piece->input * p->s.device->bytes;
  double operations = how->operations ? pm__memory_operations(q) : 0;
  double saved = pm__least(input + operations, all.saved), kept = (1 - k->recompute) * all.saved + k->recompute * saved;
  if (all.once > 0) return (pm__memory_piece){kept, 0, all.once + all.saved - (saved - input)};
  return (pm__memory_piece){kept, all.top - (saved - input) + kept, 0};
}

double pm__step_in_flight(const pm__step *p, int stage)
{
  const pm__pipeline_load load = {.stages = p->at.stages, .chunks = p->at.chunks,
                                  .micro_batches = (int)p->s.accumulation};
  return p->at.schedule->in_flight(&load, stage);
}

/* The pieces of a chunk: first .. end - 1 in the order they run. */
static void pieces_of(const pm__step *p, int chunk, int *first, int *end)
{
  const pm__plan_pieces *of = p->pieces;
  *first = chunk == 0 ? 0 : of->front + pm__step_layers_before(p, chunk);
  *end = chunk == p->at.stages * p->at.chunks - 1 ? of->pieces->count : of->front + pm__step_layers_before(p,
      chunk + 1);
}

/* From the last piece of a chunk to the first, equal ones in a row at once: of these the last has most alive. Pieces
** behind the layers go backward at once: with several chunks on a GPU only what is in front of them waits. In *live the
** most that a backward pass has alive beyond what is kept. */
static void add_chunk(const pm__step *p, int chunk, const keeping *k, pm__memory_question *q, pm__step_kept *f,
                      double *live)
{
  int first, end;
  double behind = 0, stays = 0;
  *live = 0;
  pieces_of(p, chunk, &first, &end);
  for (int i = end - 1, start; i >= first; i = start - 1) {
    start = p->sharded->run[i] > first ? p->sharded->run[i] : first;
    pm__memory_piece piece = kept_by(p, k, q, i);
    double saved = (i - start + 1) * piece.saved;
    *live = pm__most(*live, pm__most(piece.top - (behind + piece.saved), piece.once));
    if (p->s.run->offload_activations && pm__step_is_layer(p, p->pieces->pieces->of[i])) {
      f->host += saved;
      stays = pm__most(stays, 2 * piece.saved);
      continue;
    }
    *(p->at.chunks > 1 && i >= p->pieces->front + p->pieces->layers ? &f->behind : &f->waiting) += saved;
    behind += saved;
  }
  f->behind += stays;
}

double pm__step_waiting_on_host(const pm__step *p, const pm__step_stage *stage)
{
  pm_memory_run run = run_of(p);
  pm__memory_question q = {NULL, &run, p->s.optimizer};
  const keeping k = keeping_of(p, stage->recompute);
  const pm__pieces *pieces = p->pieces->pieces;
  double bytes = 0;
  bool seen[PM__PIECE_KINDS] = {false};
  for (int i = 0; i < pieces->count; i++) {
    int kind = pieces->of[i];
    if (seen[kind] || !pm__step_is_layer(p, kind)) continue;
    seen[kind] = true;
    bytes += stage->count[kind] * kept_by(p, &k, &q, i).saved;
  }
  return bytes;
}

/* The last chunk of a stage goes backward while all others are kept. */
static void add_chunks(const pm__step *p, int number, double recompute, pm__memory_question *q, pm__step_kept *f)
{
  int last = -1;
  double live;
  const keeping k = keeping_of(p, recompute);
  for (int i = 0; i < p->at.chunks; i++) {
    int chunk = pm__step_chunk_of(p, number, i);
    add_chunk(p, chunk, &k, q, f, &live);
    if (chunk > last) f->live = live;
    last = chunk > last ? chunk : last;
  }
}

void pm__step_kept_of(const pm__step *p, int number, const pm__step_stage *stage, pm__step_kept *f)
{
  pm_memory_run run = run_of(p);
  pm__memory_question q = {NULL, &run, p->s.optimizer};
  *f = (pm__step_kept){.factor = 1};
  for (int k = 0; k < p->kinds; k++) {
    if (stage->count[k] == 0) continue;
    q.plan = pm__step_piece(p, k)->memory;
    f->factor = pm__most(f->factor, pm__memory_allocator(&q));
  }
  if (p->pieces != NULL) {
    add_chunks(p, number, stage->recompute, &q, f);
    return;
  }
  const pm__alive alive = p->one.memory->alive[pm__memory_class(run.precision)][PM_RECOMPUTE_NONE];
  f->waiting = alive.saved;
  f->live = alive.peak - alive.saved;
}

/* ---- Together ---- */

void pm__step_fixed_of(const pm__step *p, int number, const pm__step_stage *stage, pm__memory_parts *out)
{
  pm_memory_run run = run_of(p);
  pm__memory_question q = {pm__step_piece(p, 0)->memory, &run, p->s.optimizer};
  const pm_memory_profile *profile = &q.plan->profile;
  memset(out, 0, sizeof *out);
  double shared = pm__step_shared(p, stage), experts = pm__step_experts(p, stage);
  add_parameters(p, &q, shared, linear_share(p, stage) * shared, p->at.shards, out);
  add_parameters(p, &q, experts, p->s.linear != NULL && p->s.run->lora_rank == 0 ? experts : 0,
                 p->at.expert_replicas, out);
  add_embeddings(p, stage, &q, out);
  add_tables(p, stage, out);
  if (p->s.run->optimizer_in_backward) {
    double one = largest_piece(p, stage) * gradient_bytes(p, pm__parameter_bytes_each(&q).gradients);
    out->gradients = pm__least(out->gradients, one);
  }
  pm__step_offload_memory(p, stage, largest_piece(p, stage), &q, out);
  *(pm__step_offload(p)->weights ? &out->host : &out->weights) += pm__step_frozen_bytes(p, stage, number == 0);
  out->context = pm__given(profile->context, 0);
  out->workspace = pm__given(profile->workspace, 0) + pm__step_frozen_passing(p, stage);
  out->communication = communication(p, stage, &q);
  out->input = 4 * p->s.network->input_elements / p->at.context;
}

pm__memory_parts pm__step_memory_of(const pm__memory_parts *fixed, const pm__step_kept *kept, double flight,
                                    double batch)
{
  pm__memory_parts out = *fixed;
  out.host += kept->host * flight * batch;
  out.activations = kept->waiting * flight + kept->behind;
  out.live_gradients = kept->live;
  out.allocator = (kept->factor - 1) * (out.activations + out.live_gradients);
  return out;
}

pm__memory_parts pm__step_memory(const pm__step *p, const pm__step_stage *stage, int number)
{
  pm__step_kept kept;
  pm__memory_parts fixed;
  pm__step_kept_of(p, number, stage, &kept);
  pm__step_fixed_of(p, number, stage, &fixed);
  return pm__step_memory_of(&fixed, &kept, pm__step_in_flight(p, number), p->s.batch);
}

/* ---- A whole network ---- */

static void find_whole(const pm__step *p, pm__memo_memory *out)
{
  pm__step_stage stage;
  pm__step_stage_make(p, 0, &stage);
  out->parts = pm__step_memory(p, &stage, 0);
  out->largest_batch = pm__memory_largest_batch(&out->parts, pm__step_usable_memory(p));
}

/* In `own`, or where it is remembered: nothing of it depends on the batch, and how many ranks there are matters to
** shards alone. */
static const pm__memo_memory *memory_of_whole(const pm__step *p, pm__memo_memory *own)
{
  const pm_run *r = p->s.run;
  bool found = false;
  if (p->s.memo == NULL) return find_whole(p, own), own;
  int ranks = p->at.zero > 0 ? (int)p->at.shards : p->s.ranks > 1 ? 2 : 1;
  int network = pm__plan_network_number(p->s.network), profile = p->s.framework != NULL ? p->s.framework->memory : 0;
  pm__memo_key key = {{pm__memo_pair(network, profile),
                       pm__memo_number(pm__step_usable_memory(p)),
                           pm__memo_pair(ranks, 16 * p->at.zero + r->gradient_bytes),
                       pm__memo_pair(r->precision, r->optimizer)}};
  pm__memo_memory *memory = &p->s.memo->memory[pm__memo_find(&p->s.memo->memory_index, &key, &found)];
  if (!found) find_whole(p, memory);
  return memory;
}

static void set_whole(const pm__step *p, pm_prediction *out)
{
  pm__memo_memory own;
  const pm__memo_memory *memory = memory_of_whole(p, &own);
  out->fullest_stage = 0;
  out->gpu_memory = pm__step_usable_memory(p);
  out->memory = pm__memory_total(&memory->parts, p->s.batch);
  out->host_memory = 0;
  out->verdict = pm_memory_get_verdict(out->memory, out->gpu_memory);
  out->largest_batch = memory->largest_batch;
}

/* ---- The fullest stage ---- */

/* Of stages that are alike the first has most in flight. */
pm__memory_parts pm__step_fullest_stage(const pm__step *p, int32_t *number)
{
  double most = -1, host = 0;
  pm__memory_parts fullest = {0};
  pm__step_stage stage;
  *number = 0;
  for (int i = 0, count; i < p->at.stages; i += count) {
    count = pm__step_next_stages(p, i, &stage);
    pm__memory_parts parts = pm__step_memory(p, &stage, i);
    double total = pm__memory_total(&parts, p->s.batch);
    host = pm__most(host, parts.host);
    if (total <= most) continue;
    most = total;
    fullest = parts;
    *number = i;
  }
  fullest.host = host;
  return fullest;
}

int pm__step_fits(const pm__step *p, pm_error *error)
{
  int32_t stage = 0;
  pm__memory_parts parts = pm__step_fullest_stage(p, &stage);
  pm__memory_case of = {p->s.network->network->id, p->s.system->system->gpu.id, p->s.batch, pm__step_usable_memory(p)};
  int status = p->s.run->ignore_memory ? PM_OK : pm__memory_check_fit(&parts, &of, error);
  if (status == PM_OK && !p->s.run->ignore_memory) status = pm__step_host_fits(p, parts.host, error);
  return status == PM_OK ? pm__step_offload_check(p, error) : status;
}

void pm__step_set_memory(const pm__step *p, pm_prediction *out)
{
  if (p->pieces == NULL) {
    set_whole(p, out);
    return;
  }
  double usable = pm__step_usable_memory(p);
  pm__memory_parts fullest = pm__step_fullest_stage(p, &out->fullest_stage);
  out->gpu_memory = usable;
  out->memory = pm__memory_total(&fullest, p->s.batch);
  out->host_memory = p->s.run->gpus * fullest.host;
  out->verdict = pm__step_verdict(p, out->memory, fullest.host);
  out->largest_batch = pm__memory_largest_batch(&fullest, usable);
}
