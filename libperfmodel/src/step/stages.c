/*
** Layers of the stages of a pipeline. Chunk j of p v goes to stage j mod p (in the shape of a V: the second half in
** reverse order). What is in front of the layers goes with the first chunk, what is behind with the last.
*/
#include <math.h>
#include <string.h>
#include "schedule/pipeline_order.h"
#include "step/step.h"

/* Layers before chunk j: evenly, what is left over one each to the first; balanced: as if there were two more, which
** the first and the last chunk have already. */
int pm__step_layers_before(const pm__step *p, int j)
{
  int chunks = p->at.stages * p->at.chunks, layers = p->pieces->layers;
  bool balanced = p->at.balanced;
  if (j <= 0) return 0;
  if (j >= chunks) return layers;
  int all = balanced ? layers + 2 : layers, each = all / chunks, more = all % chunks;
  return j * each + (j < more ? j : more) - (balanced ? 1 : 0);
}

int pm__step_chunk_of(const pm__step *p, int stage, int i)
{
  return pm__pipeline_place(&(pm__pipeline_load){.stages = p->at.stages}, p->at.schedule, stage, i);
}

static void add_layers(const pm__step *p, int chunk, pm__step_stage *out)
{
  int kinds = p->pieces->pieces->kinds, first = pm__step_layers_before(p, chunk),
      last = pm__step_layers_before(p, chunk + 1);
  const int *from = p->pieces->before + (size_t)first * (size_t)kinds;
  const int *to = p->pieces->before + (size_t)last * (size_t)kinds;
  for (int k = 0; k < kinds; k++) out->count[k] += to[k] - from[k];
  out->layers += last - first;
}

/* Pieces that are no layers: `first` .. `first + count` in the order they run. */
static void add_pieces(const pm__step *p, int first, int count, pm__step_stage *out)
{
  for (int i = first; i < first + count; i++) out->count[p->pieces->pieces->of[i]]++;
}

/* The share of a stage's layers that is computed again, where some are. */
static double recomputed_share(const pm__step *p, int layers)
{
  int asked = p->at.recompute_layers;
  return asked > 0 && asked < layers ? (double)asked / layers : 1;
}

static void count_parameters(const pm__step *p, bool with_owner, pm__step_stage *out)
{
  for (int k = 0; k < p->kinds; k++) {
    const pm__plan_piece *piece = pm__step_piece(p, k);
    out->whole += out->count[k] * piece->whole;
    out->split += out->count[k] * (piece->split + (with_owner ? 0 : piece->tied));
    out->expert += out->count[k] * piece->expert;
  }
}

static void add_chunk(const pm__step *p, int chunk, pm__step_stage *out)
{
  const pm__plan_pieces *pieces = p->pieces;
  add_layers(p, chunk, out);
  if (chunk == 0) add_pieces(p, 0, pieces->front, out);
  if (chunk == p->at.stages * p->at.chunks - 1) add_pieces(p, pieces->front + pieces->layers, pieces->behind, out);
}

static void clear(const pm__step *p, pm__step_stage *out)
{
  memset(out->count, 0, (size_t)p->kinds * sizeof *out->count);
  out->layers = 0;
  out->whole = out->split = out->expert = 0;
}

void pm__step_stage_make(const pm__step *p, int stage, pm__step_stage *out)
{
  clear(p, out);
  if (p->pieces == NULL) {
    out->count[0] = 1;
    out->recompute = 1;
    out->whole = p->one.whole;
    return;
  }
  for (int i = 0; i < p->at.chunks; i++) add_chunk(p, pm__step_chunk_of(p, stage, i), out);
  out->recompute = recomputed_share(p, out->layers);
  count_parameters(p, stage == 0, out);
}

void pm__step_chunk_make(const pm__step *p, const pm__step_stage *stage, int number, int i,
                             pm__step_stage *out)
{
  clear(p, out);
  add_chunk(p, pm__step_chunk_of(p, number, i), out);
  out->recompute = stage->recompute;
}

double pm__step_own_parameters(const pm__step *p, const pm__step_stage *stage)
{
  double shared = pm__step_shared(p, stage), experts = pm__step_experts(p, stage);
  if (p->at.zero == 0) return shared + experts;
  return shared / p->at.shards + experts / p->at.expert_replicas;
}

/* ---- Neighbours ---- */

/* The first owns what the last one shares with it. */
bool pm__step_alike(const pm__step *p, int number, const pm__step_stage *a, const pm__step_stage *b)
{
  return number > 1 && memcmp(a->count, b->count, (size_t)p->kinds * sizeof *a->count) == 0;
}

int pm__step_next_stages(const pm__step *p, int first, pm__step_stage *stage)
{
  pm__step_stage next;
  int count = 1;
  pm__step_stage_make(p, first, stage);
  for (; first + count < p->at.stages; count++) {
    pm__step_stage_make(p, first + count, &next);
    if (!pm__step_alike(p, first + count, stage, &next)) break;
  }
  return count;
}

/* ---- Work ---- */

static void add_part(const pm__part *part, double n, pm__part *sum)
{
  sum->conv += n * part->conv;
  sum->product += n * part->product;
  sum->framework += n * part->framework;
  sum->other += n * part->other;
}

static void add_work(const pm__step_work *w, double n, pm__step_work *sum)
{
  for (int pass = 0; pass < PM__PASSES; pass++) {
    sum->gpu[pass] += n * w->gpu[pass];
    sum->host[pass] += n * w->host[pass];
    sum->exchange[pass] += n * w->exchange[pass];
  }
  for (int axis = 0; axis < PM__SHARDING_AXES; axis++) sum->axis[axis] += n * w->axis[axis];
  sum->bound += n * w->bound;
  sum->layout += n * w->layout;
  sum->saved += n * w->saved;
  sum->extra += n * w->extra;
  sum->waited += n * w->waited;
  sum->compared += n * w->compared;
  add_part(&w->part, n, &sum->part);
}

static void add_recompute(const pm__step_work *w, double n, pm__step_work *sum)
{
  sum->recompute += n * w->recompute;
  sum->host_recompute += n * w->host_recompute;
  sum->saved += n * w->saved_again;
  sum->exchange_recompute += n * w->exchange_recompute;
}

const pm__step_work *pm__step_stage_work(const pm__step *p, const pm__step_work *kinds, const pm__step_stage *stage,
                                         pm__step_work *sum)
{
  if (p->pieces == NULL) return &kinds[0];
  memset(sum, 0, sizeof *sum);
  for (int k = 0; k < p->kinds; k++) {
    if (stage->count[k] == 0) continue;
    add_work(&kinds[k], stage->count[k], sum);
    if (pm__step_recomputes(p, k)) add_recompute(&kinds[k], stage->recompute * stage->count[k], sum);
  }
  return sum;
}
