/*
** Decides which layers of a piece a tensor group splits by features, before a shard is built.
**
** A layer opens if it can split its own features from a whole input, as a column-parallel product does; layers behind
** it pass the split on, and it ends at one that sums it up, as a row-parallel product does, or at a loss. All layers
** between form a group (union-find): if one of them needs its input whole, or if another piece reads a split tensor,
** the whole group is refused. The walk forward is repeated without the layers that may not open until nothing more is
** refused. A walk backward then gives every layer what its readers demand of the split: how many units there are at
** most, and whether they may be copied, as key-value heads are.
*/
#include "sharding/split.h"
#include <math.h>

typedef struct walk {
  const pm_network *piece;
  const pm__sharding_degrees *degrees;
  pm__arena *arena;
  pm__shard_layer *layers;
  int *group;    /* layers whose features are split together, or not at all: union-find */
  bool *refused; /* by the first of a group */
  bool *never;   /* layers that cannot open */
} walk;

/* ---- What a kind is asked. */

bool pm__shard_part(const pm_network *piece, int number, const pm__sharding_degrees *degrees, pm__arena *arena,
                    pm__sharding_part *part, pm__sharding_state **states)
{
  const pm__layer *layer = &piece->layers[number];
  size_t count = layer->input_count;
  pm__shape *shapes = (pm__shape *)pm__arena_alloc(arena, (count + 1) * sizeof *shapes);
  *states = (pm__sharding_state *)pm__arena_alloc(arena, (count + 1) * sizeof **states);
  if (shapes == NULL || *states == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    shapes[i] = piece->layers[piece->inputs[layer->first_input + i]].output;
    (*states)[i] = (pm__sharding_state){PM__SHARD_WHOLE, 0, 1};
  }
  *part = (pm__sharding_part){.degrees = degrees, .inputs = shapes, .in = *states, .input_count = (int)count,
    .out = {PM__SHARD_WHOLE, 0, 1}};
  return true;
}

static bool same_state(const pm__sharding_state *a, const pm__sharding_state *b)
{
  return a->how == b->how && (a->how != PM__SHARD_FEATURES || (a->axis == b->axis && a->parts == b->parts));
}

/* All inputs lie alike, but for those that are the same along the split axis. */
static bool accepts_alike(pm__sharding_part *part)
{
  for (int i = 0; i < part->input_count; i++)
    if (part->in[i].how != PM__SHARD_WHOLE) part->out = part->in[i];
  int axis = part->out.how == PM__SHARD_FEATURES ? part->out.axis : 0;
  for (int i = 0; i < part->input_count; i++) {
    const pm__shape *shape = &part->inputs[i];
    bool broadcast = part->in[i].how == PM__SHARD_WHOLE && shape->rank > axis && shape->size[axis] == 1;
    if (!same_state(&part->in[i], &part->out) && !broadcast) return false;
  }
  return true;
}

bool pm__shard_accepts(const pm__layer *layer, pm__sharding_part *part)
{
  const pm__sharding_rules *rules = layer->kind->sharding_rules;
  for (int i = 0; i < part->input_count; i++)
    if ((layer->kind->sharding & (unsigned)part->in[i].how) == 0) return false;
  return rules != NULL && rules->accepts != NULL ? rules->accepts(layer, part) : accepts_alike(part);
}

/* ---- Groups. */

static int root_of(const walk *w, int layer)
{
  while (w->group[layer] != layer) layer = w->group[layer] = w->group[w->group[layer]];
  return layer;
}

static int input_of(const walk *w, const pm__layer *layer, size_t i)
{
  return w->piece->inputs[layer->first_input + i];
}

/* Joins the split inputs' groups and the layer's; returns whether there are such inputs. */
static bool join(walk *w, int number, pm__sharding_state *states)
{
  const pm__layer *layer = &w->piece->layers[number];
  bool any = false;
  for (size_t i = 0; i < layer->input_count; i++) {
    int input = input_of(w, layer, i);
    if (w->layers[input].out.how != PM__SHARD_FEATURES) continue;
    states[i] = w->layers[input].out;
    w->group[root_of(w, input)] = root_of(w, number);
    any = true;
  }
  return any;
}

/* Whether an input is split now and will not be in the next walk: then nothing can be said in this one. */
static bool waits(const walk *w, const pm__layer *layer)
{
  for (size_t i = 0; i < layer->input_count; i++) {
    int input = input_of(w, layer, i);
    if (w->layers[input].out.how == PM__SHARD_FEATURES && w->refused[root_of(w, input)]) return true;
  }
  return false;
}

/* ---- Forward: what splits, if all that could open does. Backward: what that demands. */

static void split_part(walk *w, int number, const pm__sharding_part *part)
{
  const pm__layer *layer = &w->piece->layers[number];
  const pm__sharding_rules *rules = layer->kind->sharding_rules;
  pm__shard_layer *at = &w->layers[number];
  bool narrows = layer->tuning == PM__ADAPTER && layer->output.size[layer->output.rank - 1] <
                                                   layer->input.size[layer->input.rank - 1]; /* its rank stays whole */
  if (w->degrees->tensor == 1 || w->never[number] || narrows || rules == NULL || rules->split_output == NULL) return;
  pm__sharding_state state = rules->split_output(layer, part->inputs, w->degrees);
  at->splits_output = state.how != 0;
  if (at->splits_output) at->out = state;
  if (state.how == PM__SHARD_FEATURES && at->leaves) w->refused[root_of(w, number)] = true;
}

static bool visit(walk *w, int number)
{
  const pm__layer *layer = &w->piece->layers[number];
  pm__shard_layer *at = &w->layers[number];
  pm__sharding_part part;
  pm__sharding_state *states;
  w->group[number] = number;
  w->refused[number] = at->splits_output = at->splits_input = false;
  at->out = (pm__sharding_state){PM__SHARD_WHOLE, 0, 1};
  if (layer->kind == NULL || waits(w, layer)) return true;
  if (!pm__shard_part(w->piece, number, w->degrees, w->arena, &part, &states)) return false;
  if (!join(w, number, states)) {
    split_part(w, number, &part);
    return true;
  }
  at->splits_input = pm__shard_accepts(layer, &part);
  if (at->splits_input) at->out = part.out;
  bool features = at->out.how == PM__SHARD_FEATURES;
  if (!at->splits_input || (features && at->leaves)) w->refused[root_of(w, number)] = true;
  return true;
}

/* Groups join while the walk goes on: a refusal of a part is one of all. */
static bool take_refusals(walk *w)
{
  bool changed = false;
  int count = (int)w->piece->count;
  for (int i = 0; i < count; i++)
    if (w->refused[i]) w->refused[root_of(w, i)] = true;
  for (int i = 0; i < count; i++)
    if (w->layers[i].splits_output && w->layers[i].out.how == PM__SHARD_FEATURES && w->refused[root_of(w, i)])
      changed = w->never[i] = true;
  return changed;
}

static void merge(pm__sharding_demand *a, pm__sharding_demand b)
{
  if (b.units > 0 && (a->units == 0 || b.units < a->units)) a->units = b.units;
  a->copies = a->copies && b.copies;
  a->multiple = fmin(a->multiple, b.multiple);
}

/* A tensor that nobody reads is as good in parts, padded so that they are equal. */
static void find_demands(walk *w)
{
  for (size_t i = 0; i < w->piece->count; i++)
    w->layers[i].demand = (pm__sharding_demand){0, true, w->piece->layers[i].consumers > 0 ? (double)INFINITY : 1};
  for (size_t i = w->piece->count; i-- > 0;) {
    const pm__layer *layer = &w->piece->layers[i];
    if (!w->layers[i].splits_input) continue;
    const pm__sharding_rules *rules = layer->kind->sharding_rules;
    bool own = rules != NULL && rules->demands != NULL;
    pm__sharding_demand demand = w->layers[i].demand;
    for (size_t k = 0; k < layer->input_count; k++)
      merge(&w->layers[input_of(w, layer, k)].demand, own ? rules->demands(layer, (int)k, demand) : demand);
  }
}

/* ---- Who reads what. */

static void find_readers(walk *w)
{
  for (size_t i = 0; i < w->piece->count; i++) w->group[i] = 0;
  for (size_t i = w->piece->count; i-- > 0;) {
    const pm__layer *layer = &w->piece->layers[i];
    w->layers[i].leaves = layer->consumers > w->group[i];
    w->layers[i].needed |= layer->saved.output;
    for (size_t k = 0; k < layer->input_count; k++) {
      int input = input_of(w, layer, k);
      w->group[input]++;
      w->layers[input].needed |= layer->saved.inputs || w->layers[i].needed;
    }
  }
}

pm__shard_layer *pm__shard_layers(const pm_network *piece, const pm__sharding_degrees *degrees, pm__arena *arena,
                                  pm_error *error)
{
  size_t count = piece->count + 1;
  walk w = {.piece = piece, .degrees = degrees, .arena = arena};
  w.layers = (pm__shard_layer *)pm__arena_alloc(arena, count * sizeof *w.layers);
  w.group = (int *)pm__arena_alloc(arena, count * sizeof *w.group);
  w.refused = (bool *)pm__arena_alloc(arena, count * sizeof *w.refused);
  w.never = (bool *)pm__arena_alloc(arena, count * sizeof *w.never);
  bool good = w.layers != NULL && w.group != NULL && w.refused != NULL && w.never != NULL;
  if (good) find_readers(&w);
  do
    for (size_t i = 0; i < piece->count && good; i++) good = visit(&w, (int)i);
  while (good && take_refusals(&w));
  if (good) find_demands(&w);
  if (!good) pm__no_memory(error);
  return good ? w.layers : NULL;
}
