/*
** Layers of the stages of a pipeline. Chunk j of p v goes to stage j mod p (in the shape of a V: the second half in
** reverse order). What is in front of the layers goes with the first chunk, what is behind with the last.
*/
#include <math.h>
#include <string.h>
#include "schedule/pipeline_order.h"
#include "step/parallel.h"

/* Layers before chunk j: evenly, what is left over one each to the first; balanced: as if there were two more, which the
** first and the last chunk have already. */
int pm__parallel_layers_before(const pm__parallel *p, int j)
{
  int chunks = p->stages * p->chunks, layers = p->pieces->layers;
  bool balanced = p->s.run->stage_layers == PM_STAGE_LAYERS_BALANCED && chunks > 1;
  if (j <= 0) return 0;
  if (j >= chunks) return layers;
  int all = balanced ? layers + 2 : layers, each = all / chunks, more = all % chunks;
  return j * each + (j < more ? j : more) - (balanced ? 1 : 0);
}

/* The chunk of the network that a stage has as its number `i`. */
static int chunk_of(const pm__parallel *p, int stage, int i)
{
  return pm__pipeline_place(&(pm__pipeline_load){.stages = p->stages}, p->schedule, stage, i);
}

static void add_layers(const pm__parallel *p, int chunk, pm__parallel_stage *out)
{
  int kinds = p->pieces->pieces->kinds, first = pm__parallel_layers_before(p, chunk), last = pm__parallel_layers_before(p, chunk + 1);
  const int *from = p->pieces->before + (size_t)first * (size_t)kinds;
  const int *to = p->pieces->before + (size_t)last * (size_t)kinds;
  for (int k = 0; k < kinds; k++) out->count[k] += to[k] - from[k];
  out->layers += last - first;
}

/* Pieces that are no layers: `first` .. `first + count` in the order they run. */
static void add_pieces(const pm__parallel *p, int first, int count, pm__parallel_stage *out)
{
  for (int i = first; i < first + count; i++) out->count[p->pieces->pieces->of[i]]++;
}

/* The share of a stage's layers that is computed again, where some are. */
static double share_again(const pm__parallel *p, int layers)
{
  int asked = p->s.run->recompute_layers;
  return asked > 0 && asked < layers ? (double)asked / layers : 1;
}

static void count_parameters(const pm__parallel *p, bool with_owner, pm__parallel_stage *out)
{
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    const pm__shard *shard = p->sharded->piece[k].shard;
    out->whole += out->count[k] * shard->whole;
    out->split += out->count[k] * (shard->split + (with_owner ? 0 : shard->tied));
    out->expert += out->count[k] * shard->expert;
  }
}

static void add_chunk(const pm__parallel *p, int chunk, pm__parallel_stage *out)
{
  const pm__plan_pieces *pieces = p->pieces;
  add_layers(p, chunk, out);
  if (chunk == 0) add_pieces(p, 0, pieces->front, out);
  if (chunk == p->stages * p->chunks - 1) add_pieces(p, pieces->front + pieces->layers, pieces->behind, out);
}

static void clear(const pm__parallel *p, pm__parallel_stage *out)
{
  memset(out->count, 0, (size_t)p->pieces->pieces->kinds * sizeof *out->count);
  out->layers = 0;
  out->whole = out->split = out->expert = 0;
}

void pm__parallel_stage_make(const pm__parallel *p, int stage, pm__parallel_stage *out)
{
  clear(p, out);
  for (int i = 0; i < p->chunks; i++) add_chunk(p, chunk_of(p, stage, i), out);
  out->again = share_again(p, out->layers);
  count_parameters(p, stage == 0, out);
}

void pm__parallel_chunk_make(const pm__parallel *p, const pm__parallel_stage *stage, int number, int i,
                             pm__parallel_stage *out)
{
  clear(p, out);
  add_chunk(p, chunk_of(p, number, i), out);
  out->again = stage->again;
}

double pm__parallel_own_share(const pm__parallel *p, const pm__parallel_stage *stage)
{
  bool sharded = p->s.run->zero >= 1;
  double shared = stage->whole + stage->split;
  return sharded ? shared / p->shards + stage->expert / p->expert_replicas : shared + stage->expert;
}

/* ---- Times ---- */

static void add_times(const pm__parallel_piece *t, double n, pm__parallel_piece *sum)
{
  sum->forward += n * t->forward;
  sum->dgrad += n * t->dgrad;
  sum->wgrad += n * t->wgrad;
  sum->bound += n * t->bound;
  sum->host += n * t->host;
  for (int pass = 0; pass < PM__PASSES; pass++) sum->gpu[pass] += n * t->gpu[pass];
  for (int axis = 0; axis < PM__SHARDING_AXES; axis++) sum->exchange[axis] += n * t->exchange[axis];
}

bool pm__parallel_is_layer(const pm__parallel *p, int kind)
{
  const pm__plan_pieces *of = p->pieces;
  return of->before[(size_t)of->layers * (size_t)of->pieces->kinds + (size_t)kind] > 0;
}

bool pm__parallel_again(const pm__parallel *p, int kind)
{
  return pm__parallel_is_layer(p, kind) && p->s.run->recompute != PM_RECOMPUTE_NONE;
}

pm__parallel_piece pm__parallel_stage_times(const pm__parallel *p, const pm__parallel_piece *kinds,
                                            const pm__parallel_stage *stage)
{
  pm__parallel_piece sum;
  memset(&sum, 0, sizeof sum);
  for (int k = 0; k < p->pieces->pieces->kinds; k++) {
    if (stage->count[k] == 0) continue;
    add_times(&kinds[k], stage->count[k], &sum);
    if (!pm__parallel_again(p, k)) continue;
    sum.again += stage->again * stage->count[k] * kinds[k].again;
    sum.recompute += stage->again * stage->count[k] * kinds[k].recompute;
  }
  return sum;
}
