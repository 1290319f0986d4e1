/*
** Cuts a network into pieces, which a pipeline may place on different GPUs.
**
** The names of layers tell where a part repeats: they are alike up to the first number ("h.12."), and a cut is made
** wherever that number changes. A network whose names do not repeat is cut at its blocks. Each piece is then
** extracted as a network of its own, with inputs where tensors cross the cut, and equal pieces are kept once; two are
** equal if their layers are and if software would fuse the layers at their ends with the same neighbours across the
** cut. Stages are lists of pieces, so that their times and memory are sums over the distinct ones.
*/
#include "sharding/pieces.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "network/blocks.h"

/* ---- Where the cuts are. */

static bool is_separator(char c)
{
  return c == '.' || c == '/';
}

/* Length of a name up to its first part that is a number, with what separates it from the rest; 0 without one. `stem`
** gets the length before the number. */
static size_t prefix_of(const char *name, size_t *stem)
{
  for (size_t i = 0; name[i] != '\0'; i++) {
    if (i > 0 && !is_separator(name[i - 1])) continue;
    size_t digits = strspn(name + i, "0123456789");
    *stem = i;
    if (digits > 0 && is_separator(name[i + digits])) return i + digits + 1;
  }
  *stem = 0;
  return 0;
}

static bool same_prefix(const char *a, const char *b)
{
  size_t stem, length = prefix_of(a, &stem);
  return length > 0 && prefix_of(b, &stem) == length && memcmp(a, b, length) == 0;
}

/* Whether two names belong to repetitions of one part. */
static bool same_stem(const char *a, const char *b)
{
  size_t sa, sb, la = prefix_of(a, &sa), lb = prefix_of(b, &sb);
  return la > 0 && lb > 0 && sa == sb && memcmp(a, b, sa) == 0;
}

/* The first layer from `from` on whose name has a number; the number of layers without one. */
static size_t next_numbered(const pm_network *network, size_t from)
{
  size_t stem, i = from;
  while (i < network->count && prefix_of(network->layers[i].name, &stem) == 0) i++;
  return i;
}

/* The layer behind the piece that starts at `from`. What has no number between two repetitions belongs to the first. */
static size_t piece_end(const pm_network *network, size_t from)
{
  const char *name = network->layers[from].name;
  size_t next = next_numbered(network, from);
  if (next != from) return next;
  for (size_t end = from + 1;; end = next + 1) {
    next = next_numbered(network, end);
    const char *other = next < network->count ? network->layers[next].name : "";
    if (!same_prefix(name, other)) return same_stem(name, other) ? next : end;
  }
}

/* Inputs alone are no piece: they belong to the one behind them. */
static bool has_layers(const pm_network *network, size_t from, size_t end)
{
  for (size_t i = from; i < end; i++)
    if (network->layers[i].kind != NULL) return true;
  return false;
}

static int cut_at_repetitions(const pm_network *network, pm__pieces *pieces)
{
  size_t stem, from = 0;
  for (size_t i = 0, end; i < network->count; i = end) {
    end = piece_end(network, i);
    if (!has_layers(network, from, end)) continue;
    pieces->repeats[pieces->count] = prefix_of(network->layers[i].name, &stem) > 0;
    pieces->first[pieces->count++] = (int)from;
    from = end;
  }
  pieces->first[pieces->count] = (int)network->count;
  return PM_OK;
}

static int cut_at_blocks(const pm_network *network, pm__pieces *pieces, pm_error *error)
{
  bool *ends = (bool *)calloc(network->count + 1, sizeof *ends);
  if (ends == NULL) return pm__no_memory(error);
  int blocks = pm__network_blocks(network, ends, error);
  pieces->count = 0;
  for (size_t i = 0; i < network->count; i++)
    if (i == 0 || ends[i - 1]) {
      pieces->repeats[pieces->count] = true;
      pieces->first[pieces->count++] = (int)i;
    }
  pieces->first[pieces->count] = (int)network->count;
  free(ends);
  return blocks < 0 ? PM_STATUS_NO_MEMORY : PM_OK;
}

static bool has_repetitions(const pm__pieces *pieces)
{
  int count = 0;
  for (int i = 0; i < pieces->count; i++) count += pieces->repeats[i];
  return count > 1;
}

/* ---- Elements that cross the cuts. */

static void count_passed(const pm_network *network, pm__pieces *pieces, int *last)
{
  for (int i = 0; i < pieces->count; i++)
    for (int j = pieces->first[i]; j < pieces->first[i + 1]; j++) {
      const pm__layer *layer = &network->layers[j];
      last[j] = i;
      for (size_t k = 0; k < layer->input_count; k++) last[network->inputs[layer->first_input + k]] = i;
    }
  for (int i = 0; i < pieces->count; i++)
    for (int j = pieces->first[i]; j < pieces->first[i + 1]; j++)
      for (int cut = i; network->layers[j].kind != NULL && cut < last[j]; cut++)
        pieces->passed[cut] += network->layers[j].elements_out;
}

/* ---- The network of a piece. */

/* Where layers of the whole network are in the piece at hand: `at` counts if `piece` is its number. */
typedef struct place {
  int piece, at;
  int taken; /* consumers in pieces before */
} place;

typedef struct extraction {
  const pm_network *network;
  pm_network *part;
  place *places;
  int piece;
  pm__arena arena;
  pm_error *error;
} extraction;

static void put(extraction *e, int layer, int at)
{
  e->places[layer].piece = e->piece;
  e->places[layer].at = at;
}

static int put_input(extraction *e, int number)
{
  const pm__layer *layer = &e->network->layers[number];
  int at = pm_network_add_input(e->part, layer->name, layer->output.size, layer->output.rank, e->error);
  if (at < 0) return -1;
  e->part->layers[at].wants_gradient = layer->kind != NULL || layer->wants_gradient;
  e->part->layers[at].stops = layer->stops;
  e->part->layers[at].taken = e->places[number].taken;
  e->part->origin[at] = -1;
  put(e, number, at);
  return at;
}

static int put_layer(extraction *e, int number)
{
  const pm__layer *layer = &e->network->layers[number];
  size_t count = layer->input_count;
  int *inputs = (int *)pm__arena_alloc(&e->arena, (count + 1) * sizeof *inputs);
  pm__shape *shapes = (pm__shape *)pm__arena_alloc(&e->arena, (count + 1) * sizeof *shapes);
  if (inputs == NULL || shapes == NULL) {
    pm__no_memory(e->error);
    return -1;
  }
  int at = 0;
  for (size_t i = 0; i < count && at >= 0; i++) {
    int input = e->network->inputs[layer->first_input + i];
    shapes[i] = e->network->layers[input].output;
    at = inputs[i] = e->places[input].piece == e->piece ? e->places[input].at : put_input(e, input);
  }
  if (at >= 0) at = pm__network_add_layer(e->part, layer, inputs, shapes, e->error);
  if (at < 0) return -1;
  e->part->origin[at] = number;
  put(e, number, at);
  return at;
}

/* Consumers in other pieces count as one. */
static void know_consumers(extraction *e, int first, int end)
{
  for (int i = first; i < end; i++) {
    const pm__layer *layer = &e->network->layers[i];
    pm__layer *own = &e->part->layers[e->places[i].at];
    for (size_t k = 0; k < layer->input_count; k++) e->places[e->network->inputs[layer->first_input + k]].taken++;
    if (layer->kind != NULL && layer->consumers > own->consumers) own->consumers++;
  }
}

/* A repetition's name is what its layers' names begin with: "h.12"; another piece has that of its first layer. */
static void name_piece(const pm_network *network, int first, int end, char *text, size_t size)
{
  size_t stem, length;
  while (first + 1 < end && network->layers[first].kind == NULL) first++;
  const char *name = network->layers[first].name;
  length = prefix_of(name, &stem);
  snprintf(text, size, "%.*s", (int)(length > 0 ? length - 1 : strlen(name)), name);
}

/* A piece has at most its layers and an input for each of their inputs. */
static pm_network *new_part(const extraction *e, int first, int end)
{
  char name[PM_TEXT_MAX];
  size_t most = 1;
  for (int i = first; i < end; i++) most += 1 + e->network->layers[i].input_count;
  name_piece(e->network, first, end, name, sizeof name);
  pm_network *part = pm_network_new(e->network->id, name, e->error);
  if (part == NULL) return NULL;
  part->whole = e->network;
  part->origin = (int *)calloc(most, sizeof *part->origin);
  if (part->origin != NULL) return part;
  pm_network_free(part);
  pm__no_memory(e->error);
  return NULL;
}

static pm_network *extract(extraction *e, int first, int end)
{
  bool whole = true;
  e->part = new_part(e, first, end);
  for (int i = first; i < end && whole && e->part != NULL; i++)
    whole = e->network->layers[i].kind == NULL || put_layer(e, i) >= 0;
  if (whole && e->part != NULL) {
    know_consumers(e, first, end);
    return e->part;
  }
  pm_network_free(e->part);
  return NULL;
}

/* ---- Neighbours across the cuts, with which software fuses a layer. ---- */

static bool reads_norm(const pm_network *whole, const pm__layer *layer)
{
  for (size_t i = 0; i < layer->input_count; i++)
    if (pm__layer_fuses_as(pm__layer_input(whole, layer, i), PM__TRAINING_NORM)) return true;
  return false;
}

/* An activation or a sum behind a norm, or an activation behind such a sum, as far as that is for it alone. */
static bool follows_norm(const pm_network *whole, const pm__layer *layer)
{
  if (pm__layer_fuses_as(layer, PM__TRAINING_SUM)) return reads_norm(whole, layer);
  if (!pm__layer_fuses_as(layer, PM__TRAINING_ACTIVATION)) return false;
  const pm__layer *before = pm__layer_input(whole, layer, 0);
  if (before->consumers != 1) return false;
  return pm__layer_fuses_as(before, PM__TRAINING_NORM) ||
         (pm__layer_fuses_as(before, PM__TRAINING_SUM) && reads_norm(whole, before));
}

/* The one reader of a product with a bias is an activation, which takes the bias in. */
static bool precedes_activation(const pm_network *whole, int number)
{
  const pm__layer *layer = &whole->layers[number];
  if (!layer->bias || layer->consumers != 1) return false;
  for (size_t i = (size_t)number + 1; i < whole->count; i++)
    for (size_t k = 0; k < whole->layers[i].input_count; k++)
      if (whole->inputs[whole->layers[i].first_input + k] == number)
        return pm__layer_fuses_as(&whole->layers[i], PM__TRAINING_ACTIVATION);
  return false;
}

static bool same_neighbours(const pm_network *a, const pm_network *b, size_t layer)
{
  int i = a->origin[layer], k = b->origin[layer];
  return follows_norm(a->whole, &a->whole->layers[i]) == follows_norm(b->whole, &b->whole->layers[k]) &&
         precedes_activation(a->whole, i) == precedes_activation(b->whole, k);
}

/* ---- Equal pieces once. */

static bool same_shape(const pm__shape *a, const pm__shape *b)
{
  return a->rank == b->rank && memcmp(a->size, b->size, (size_t)a->rank * sizeof a->size[0]) == 0;
}

static bool same_layer(const pm_network *a, const pm_network *b, size_t index)
{
  const pm__layer *x = &a->layers[index], *y = &b->layers[index];
  return x->kind == y->kind && x->tuning == y->tuning && x->stops == y->stops && x->input_count == y->input_count &&
         x->kernel_count == y->kernel_count && x->wants_gradient == y->wants_gradient &&
         x->consumers == y->consumers && same_shape(&x->output, &y->output) &&
         memcmp(x->attribute, y->attribute, sizeof x->attribute) == 0 && memcmp(x->flop, y->flop, sizeof x->flop) == 0;
}

static bool same_network(const pm_network *a, const pm_network *b)
{
  if (a->count != b->count || a->input_count != b->input_count) return false;
  if (a->input_count > 0 && memcmp(a->inputs, b->inputs, a->input_count * sizeof a->inputs[0]) != 0) return false;
  for (size_t i = 0; i < a->count; i++)
    if (!same_layer(a, b, i)) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->layers[i].kind != NULL && !same_neighbours(a, b, i)) return false;
  return true;
}

/* Its number among the kinds, which it becomes or equals. Latest first: pieces are mostly like the one before. */
static int kind_of(pm__pieces *pieces, pm_network *network)
{
  for (int i = pieces->kinds - 1; i >= 0; i--)
    if (same_network(pieces->kind[i], network)) {
      pm_network_free(network);
      return i;
    }
  pieces->kind[pieces->kinds] = network;
  return pieces->kinds++;
}

static int find_kinds(const pm_network *network, pm__pieces *pieces, pm_error *error)
{
  extraction e = {.network = network, .places = (place *)calloc(network->count + 1, sizeof(place)), .error = error};
  if (e.places == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < network->count; i++) e.places[i].piece = -1;
  bool good = true;
  for (int i = 0; i < pieces->count && good; i++) {
    e.piece = i;
    pm_network *part = extract(&e, pieces->first[i], pieces->first[i + 1]);
    good = part != NULL;
    if (good) pieces->of[i] = kind_of(pieces, part);
  }
  free(e.places);
  pm__arena_free(&e.arena);
  return good ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* ---- All of it. */

void pm__pieces_free(pm__pieces *pieces)
{
  if (pieces == NULL) return;
  for (int i = 0; i < pieces->kinds; i++) pm_network_free(pieces->kind[i]);
  free(pieces->kind);
  free(pieces->of);
  free(pieces->first);
  free(pieces->repeats);
  free(pieces->passed);
  free(pieces);
}

static pm__pieces *make_room(size_t count)
{
  pm__pieces *pieces = (pm__pieces *)calloc(1, sizeof *pieces);
  if (pieces == NULL) return NULL;
  pieces->kind = (pm_network **)calloc(count, sizeof *pieces->kind);
  pieces->of = (int *)calloc(count, sizeof *pieces->of);
  pieces->first = (int *)calloc(count, sizeof *pieces->first);
  pieces->repeats = (bool *)calloc(count, sizeof *pieces->repeats);
  pieces->passed = (double *)calloc(count, sizeof *pieces->passed);
  if (pieces->kind != NULL && pieces->of != NULL && pieces->first != NULL && pieces->repeats != NULL &&
      pieces->passed != NULL)
    return pieces;
  pm__pieces_free(pieces);
  return NULL;
}

pm__pieces *pm__pieces_new(const pm_network *network, pm_error *error)
{
  pm__pieces *pieces = make_room(network->count + 1);
  int *last = (int *)calloc(network->count + 1, sizeof *last);
  int status = pieces != NULL && last != NULL ? cut_at_repetitions(network, pieces) : pm__no_memory(error);
  if (status == PM_OK && !has_repetitions(pieces)) status = cut_at_blocks(network, pieces, error);
  if (status == PM_OK) {
    count_passed(network, pieces, last);
    status = find_kinds(network, pieces, error);
  }
  free(last);
  if (status == PM_OK) return pieces;
  pm__pieces_free(pieces);
  return NULL;
}
