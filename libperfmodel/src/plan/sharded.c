/* Pieces and shards of a plan's networks, made on first use. */
#include "plan/sharded.h"
#include <stdlib.h>
#include <string.h>

/* ---- Pieces ---- */

static void release_pieces(pm__kept *kept)
{
  pm__plan_pieces *p = (pm__plan_pieces *)kept;
  pm__pieces_free(p->pieces);
  free(p->before);
  free(p);
}

/* Pieces before the first and behind the last repetition go with it. */
static void find_layers(pm__plan_pieces *p)
{
  int count = p->pieces->count, first = 0, last = count - 1;
  while (first < count && !p->pieces->repeats[first]) first++;
  while (last > first && !p->pieces->repeats[last]) last--;
  if (first == count) first = 0, last = count - 1; /* nothing repeats: every piece is a layer */
  p->front = first;
  p->layers = last - first + 1;
  p->behind = count - 1 - last;
}

static bool count_layers(pm__plan_pieces *p)
{
  size_t kinds = (size_t)p->pieces->kinds;
  p->before = (int *)calloc((size_t)(p->layers + 1) * kinds, sizeof *p->before);
  if (p->before == NULL) return false;
  for (int i = 0; i < p->layers; i++) {
    int *row = p->before + (size_t)i * kinds;
    memcpy(row + kinds, row, kinds * sizeof *row);
    row[kinds + (size_t)p->pieces->of[p->front + i]]++;
  }
  return true;
}

static pm__plan_pieces *make_pieces(const pm__plan_network *network, pm_error *error)
{
  const pm_network *of = network->network;
  pm__plan_pieces *p = (pm__plan_pieces *)calloc(1, sizeof *p);
  if (p == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  p->key[0] = pm__plan_network_number(network);
  p->kept = (pm__kept){.release = release_pieces, .gpu = p->key, .count = 1};
  p->pieces = pm__pieces_new(of, error);
  if (p->pieces != NULL && p->pieces->kinds > PM__PIECE_KINDS)
    pm__fail(error, PM_STATUS_NOT_MODELLED, "network \"%s\" has %d different pieces; at most %d can be split",
             of->id, p->pieces->kinds, PM__PIECE_KINDS);
  else if (p->pieces != NULL) {
    find_layers(p);
    if (count_layers(p)) return p;
    pm__no_memory(error);
  }
  release_pieces(&p->kept);
  return NULL;
}

const pm__plan_pieces *pm__plan_pieces_find(const pm_plan *plan, const pm__plan_network *network, pm_error *error)
{
  int number = pm__plan_network_number(network);
  const pm__kept *found = pm__keeper_find(plan->pieces, &number, 1);
  if (found != NULL) return (const pm__plan_pieces *)found;
  pm__plan_pieces *made = make_pieces(network, error);
  return made != NULL ? (const pm__plan_pieces *)pm__keeper_add(plan->pieces, &made->kept, true) : NULL;
}

/* ---- Shards ---- */

static void release_sharded(pm__kept *kept)
{
  pm__plan_sharded *s = (pm__plan_sharded *)kept;
  for (int i = 0; s->piece != NULL && i < s->of->pieces->kinds; i++) {
    free(s->piece[i].linear);
    pm__units_free((pm__units *)s->piece[i].units);
    pm_memory_plan_free((pm_memory_plan *)s->piece[i].memory);
  }
  pm__shards_free(s->shards);
  free(s->memory[0][0]);
  free(s->run);
  free(s->piece);
  free(s);
}

/* Frozen matrices are used in the forward pass, and in the backward pass if a gradient passes through. */
static void count_frozen(const pm__layer *layer, pm__plan_frozen *frozen)
{
  bool experts = layer->kind != NULL && layer->kind->role == PM__ROLE_EXPERTS;
  bool matrix = experts || (layer->kind != NULL && layer->kind->role == PM__ROLE_DENSE);
  double all = layer->frozen + layer->frozen_tied;
  *(!matrix ? &frozen->others : experts ? &frozen->experts : &frozen->matrices) += layer->frozen;
  frozen->tied += layer->frozen_tied;
  if (layer->passing > frozen->passing) frozen->passing = layer->passing;
  for (int pass = 0; pass < PM__PASSES && matrix && all > 0; pass++) {
    if (!pm__layer_runs(layer, (pm__pass)pass)) continue;
    frozen->used[pass] += all;
    frozen->uses[pass] += 1;
  }
}

static void count_piece(pm__plan_piece *piece)
{
  const pm_network *network = piece->network;
  int products = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    piece->tensors += layer->parameter_tensors;
    piece->matrices += pm__layer_trained_matrices(layer);
    if (pm__keeps_operation(layer, &products)) piece->operations_flop += layer->flop[PM__FORWARD];
    if (layer->kind == NULL) piece->input += layer->elements_out;
    piece->forward_flop += layer->flop[PM__FORWARD];
    if (pm__keeps_scores(network, layer)) piece->attention_flop += layer->flop[PM__FORWARD];
    count_frozen(layer, &piece->frozen);
  }
}

static bool mark_linear(pm__plan_piece *piece)
{
  const pm__units *units = piece->units;
  const pm_network *network = piece->network;
  piece->linear = (bool *)calloc((size_t)units->kernels.first[PM__GROUPS] + 1, sizeof *piece->linear);
  if (piece->linear == NULL) return false;
  for (size_t i = 0; i < network->count; i++) {
    const pm__unit *unit = units->order[i] >= 0 ? &units->unit[units->order[i]] : NULL;
    for (int k = 0; unit != NULL && pm__layer_is_linear(&network->layers[i]) && k < unit->count; k++) {
      int kernel = units->entry[unit->first + k].kernel;
      piece->linear[kernel] = units->kernels.shape[kernel].matrix;
    }
  }
  return true;
}

static void take_shard(const pm__shard *shard, pm__plan_piece *piece)
{
  piece->whole = shard->whole;
  piece->split = shard->split;
  piece->expert = shard->expert;
  piece->tied = shard->tied;
  piece->lookup = shard->lookup;
  piece->exchange = shard->exchange;
  piece->exchanges = shard->count;
}

static bool make_piece(const pm__plan_sharded_key *key, pm__plan_piece *piece, pm_error *error)
{
  piece->units = pm__units_new(piece->network, key->mode, error);
  piece->memory = pm__memory_plan_new(piece->network, &key->network->memory[key->memory]->profile,
                                      pm_optimizer_get(PM_OPTIMIZER_NONE), PM__CLASSES, error);
  count_piece(piece);
  if (piece->units == NULL || piece->memory == NULL) return false;
  return mark_linear(piece) || pm__no_memory(error) == PM_OK;
}

/* ---- What pieces keep ---- */

/* One block for all classes, with and without scores. */
static bool make_memory(pm__plan_sharded *s)
{
  size_t count = (size_t)s->of->pieces->count;
  pm__memory_piece *all = (pm__memory_piece *)calloc(PM__CLASSES * PM__PIECE_SCORES * count + 1, sizeof *all);
  for (int i = 0; all != NULL && i < PM__CLASSES; i++)
    for (int k = 0; k < PM__PIECE_SCORES; k++) s->memory[i][k] = all + (size_t)(i * PM__PIECE_SCORES + k) * count;
  return all != NULL;
}

static bool same_memory(const pm__plan_sharded *s, int a, int b)
{
  if (s->of->pieces->of[a] != s->of->pieces->of[b]) return false;
  for (int i = 0; i < PM__CLASSES; i++)
    for (int k = 0; k < PM__PIECE_SCORES; k++) {
      const pm__memory_piece *x = &s->memory[i][k][a], *y = &s->memory[i][k][b];
      if (x->saved != y->saved || x->top != y->top || x->once != y->once) return false;
    }
  return true;
}

/* A row ends with the layers that stages divide. */
static bool find_runs(pm__plan_sharded *s)
{
  int count = s->of->pieces->count, behind = s->of->front + s->of->layers;
  s->run = (int *)calloc((size_t)count + 1, sizeof *s->run);
  for (int i = 1; s->run != NULL && i < count; i++)
    s->run[i] = i != behind && same_memory(s, i - 1, i) ? s->run[i - 1] : i;
  return s->run != NULL;
}

/* By one walk through the whole network. */
static int scan_memory(const pm__plan_sharded_key *key, pm__plan_sharded *s, pm_error *error)
{
  pm__tensors tensors;
  const pm_memory_profile *profile = &key->network->memory[key->memory]->profile;
  const pm__pieces *pieces = s->of->pieces;
  int status = pm__tensors_find(&tensors, key->network->network, profile, error);
  if (status != PM_OK) return status;
  for (int i = 0; i < PM__CLASSES; i++) {
    const pm__sizes sizes = pm__sizes_of(profile, pm__class_precision[i]);
    for (int k = 0; k < PM__PIECE_SCORES && status == PM_OK; k++)
      status = pm__scan_pieces(&tensors, sizes, k == 1, pieces->first, pieces->count, s->memory[i][k], error);
  }
  pm__tensors_free(&tensors);
  return status;
}

static double at_least_0(double value)
{
  return value > 0 ? value : 0;
}

/* A shard keeps what its piece keeps within the whole network, and what sharding adds to the piece by itself. */
static pm__memory_piece shard_memory(const pm__memory_piece *piece, pm__alive a, pm__alive b)
{
  pm__memory_piece out = {at_least_0(piece->saved + b.saved - a.saved), 0, 0};
  if (piece->once > 0) out.once = at_least_0(piece->once + (b.peak - b.saved) - (a.peak - a.saved));
  else out.top = at_least_0(piece->top + b.peak - a.peak);
  return out;
}

static void change_memory(const pm__plan_sharded *whole, pm__plan_sharded *s)
{
  static const int how[PM__PIECE_SCORES] = {PM_RECOMPUTE_NONE, PM_RECOMPUTE_SELECTIVE};
  for (int i = 0; i < PM__CLASSES; i++)
    for (int k = 0; k < PM__PIECE_SCORES; k++)
      for (int piece = 0; piece < s->of->pieces->count; piece++) {
        int kind = s->of->pieces->of[piece];
        s->memory[i][k][piece] = shard_memory(&whole->memory[i][k][piece], whole->piece[kind].memory->alive[i][how[k]],
                                              s->piece[kind].memory->alive[i][how[k]]);
      }
}

static bool is_sharded(const pm__sharding_degrees *d)
{
  return d->tensor > 1 || d->context > 1 || d->expert > 1 || d->expert_tensor > 1 || d->imbalance > 0 ||
         d->capacity > 0 || d->tables > 1;
}

static int find_memory(const pm_plan *plan, const pm__plan_sharded_key *key, pm__plan_sharded *s, pm_error *error)
{
  pm__plan_sharded_key unsharded = *key;
  if (!make_memory(s)) return pm__no_memory(error);
  if (!is_sharded(&key->degrees)) return scan_memory(key, s, error);
  unsharded.degrees = (pm__sharding_degrees){.tensor = 1, .context = 1, .expert = 1, .expert_tensor = 1};
  pm_error own = PM_ERROR_NONE;
  const pm__plan_sharded *whole = pm__plan_sharded_find(plan, &unsharded, error != NULL ? error : &own);
  if (whole == NULL) return error != NULL ? error->status : own.status;
  change_memory(whole, s);
  return PM_OK;
}

/* ---- All of it ---- */

static void write_key(const pm__plan_sharded_key *key, int *numbers)
{
  const pm__sharding_degrees *d = &key->degrees;
  const int network = pm__plan_network_number(key->network);
  const int all[PM__SHARDED_KEY] = {network, key->mode, key->memory, d->tensor, d->context, d->expert,
                                    d->expert_tensor, d->sequence, (int)d->context_exchange, d->tables,
                                    (int)d->table_parts};
  memcpy(numbers, all, sizeof all);
  memcpy(numbers + PM__SHARDED_KEY - 4, &d->imbalance, sizeof d->imbalance);
  memcpy(numbers + PM__SHARDED_KEY - 2, &d->capacity, sizeof d->capacity);
}

static pm__plan_sharded *new_sharded(const pm__plan_sharded_key *key, const pm__plan_pieces *of, pm_error *error)
{
  pm__plan_sharded *s = (pm__plan_sharded *)calloc(1, sizeof *s);
  if (s != NULL) s->piece = (pm__plan_piece *)calloc((size_t)of->pieces->kinds, sizeof *s->piece);
  if (s == NULL || s->piece == NULL) {
    free(s);
    pm__no_memory(error);
    return NULL;
  }
  s->of = of;
  write_key(key, s->key);
  s->kept = (pm__kept){.release = release_sharded, .gpu = s->key, .count = PM__SHARDED_KEY};
  return s;
}

static bool fill(const pm_plan *plan, const pm__plan_sharded_key *key, pm__plan_sharded *s, pm_error *error)
{
  s->shards = pm__shards_new(s->of->pieces, &key->degrees, error);
  bool good = s->shards != NULL, sharded = is_sharded(&key->degrees);
  for (int i = 0; good && i < s->of->pieces->kinds; i++) {
    s->piece[i].network = sharded ? s->shards->shard[i]->network : s->of->pieces->kind[i];
    take_shard(s->shards->shard[i], &s->piece[i]);
    good = make_piece(key, &s->piece[i], error);
  }
  if (!good || find_memory(plan, key, s, error) != PM_OK) return false;
  return find_runs(s) || pm__no_memory(error) == PM_OK;
}

static pm__plan_sharded *make_sharded(const pm_plan *plan, const pm__plan_sharded_key *key, pm_error *error)
{
  const pm__plan_pieces *of = pm__plan_pieces_find(plan, key->network, error);
  pm__plan_sharded *s = of != NULL ? new_sharded(key, of, error) : NULL;
  if (s == NULL || fill(plan, key, s, error)) return s;
  release_sharded(&s->kept);
  return NULL;
}

const pm__plan_sharded *pm__plan_sharded_find(const pm_plan *plan, const pm__plan_sharded_key *key, pm_error *error)
{
  int numbers[PM__SHARDED_KEY];
  write_key(key, numbers);
  const pm__kept *found = pm__keeper_find(plan->sharded, numbers, PM__SHARDED_KEY);
  if (found != NULL) return (const pm__plan_sharded *)found;
  pm__plan_sharded *made = make_sharded(plan, key, error);
  return made != NULL ? (const pm__plan_sharded *)pm__keeper_add(plan->sharded, &made->kept, true) : NULL;
}

void pm__plan_piece_whole(const pm__plan_network *network, int mode, int memory, pm__plan_piece *out)
{
  out->network = network->network;
  out->units = network->units[mode];
  out->memory = network->memory[memory];
  out->whole = network->parameters;
  out->tensors = network->tensors;
  out->matrices = network->matrices;
  out->split = out->expert = out->tied = 0;
  out->lookup = (pm__sharding_lookup){0, 0, 0, 0};
  out->exchange = NULL;
  out->exchanges = 0;
  out->linear = NULL;
  memset(&out->frozen, 0, sizeof out->frozen);
}
