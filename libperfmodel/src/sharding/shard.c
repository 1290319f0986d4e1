/*
** Builds the network that one GPU of a tensor, context and expert group computes of a piece, with the exchanges for
** it.
**
** split.c has decided which layers split their features. This file walks through the piece once, in order. For each
** tensor it keeps the state that the GPU has it in (whole, tokens, features, partial) and the states that exchanges
** have already made of it; for each layer it asks the kind what it takes, adds the exchange between the two states,
** with its counterpart in the backward pass, and puts the layer with the sizes that remain. An exchange is made once
** however many layers read its result. Parameters that every GPU of the group keeps whole get an all-reduce of their
** gradients where the GPUs see different tokens.
*/
#include "sharding/shard.h"
#include <stdlib.h>
#include <string.h>
#include "sharding/split.h"

/* ---- A tensor of the piece on one GPU. */

/* Exchanges on the way to readers, each made once however many readers there are. */
enum { GATHERED = 1, REDUCED = 2, REGATHERED = 4, SLICED = 8 };

typedef struct tensor {
  int at; /* in the network of the GPU */
  pm__shape shape;
  pm__sharding_state state;
  unsigned made;
} tensor;

typedef struct builder {
  const pm_network *piece;
  const pm__sharding_degrees *degrees;
  pm__shard *shard;
  size_t capacity; /* of its exchanges */
  pm__shard_layer *layers;
  tensor *tensors;
  pm__arena arena;
  pm_error *error;
} builder;

/* ---- Exchanges. */

/* The same exchange of another table of the piece, with which it goes. */
static pm__sharding_exchange *find_tables(builder *b, const pm__sharding_exchange *exchange)
{
  for (int i = 0; exchange->axis == PM__AXIS_TABLES && i < b->shard->count; i++) {
    pm__sharding_exchange *e = &b->shard->exchange[i];
    if (e->axis == exchange->axis && e->pass == exchange->pass && e->collective == exchange->collective) return e;
  }
  return NULL;
}

static bool add_exchange(builder *b, pm__sharding_exchange exchange)
{
  size_t count = (size_t)b->shard->count;
  pm__sharding_exchange *other = find_tables(b, &exchange);
  if (exchange.elements == 0 || exchange.repeats == 0) return true;
  if (other != NULL) return other->elements += exchange.elements, true;
  if (count == b->capacity) {
    void *larger = pm__grow(b->shard->exchange, count, &b->capacity, sizeof exchange);
    if (larger == NULL) {
      pm__no_memory(b->error);
      return false;
    }
    b->shard->exchange = (pm__sharding_exchange *)larger;
  }
  b->shard->exchange[b->shard->count++] = exchange;
  return true;
}

/* Over the tensor group, of a tensor's elements; forward ones are made again unless said otherwise. */
static bool add(builder *b, pm__pass pass, pm__sharding_collective collective, const pm__shape *shape)
{
  return add_exchange(b, (pm__sharding_exchange){.pass = pass, .collective = collective, .axis = PM__AXIS_TENSOR,
    .elements = pm__shape_elements(shape), .repeats = 1, .recomputed = pass == PM__FORWARD});
}

/* Whether this exchange of the tensor is still to be made. */
static bool first_time(tensor *t, unsigned exchange)
{
  bool first = (t->made & exchange) == 0;
  t->made |= exchange;
  return first;
}

/* ---- Tokens. */

/* Whether a tensor is a sequence whose rows the tensor group can share. */
static bool has_rows(const builder *b, const pm__shape *shape)
{
  return b->degrees->sequence && shape->rank >= 2 && shape->size[0] % b->degrees->tensor == 0;
}

/* ---- From what a layer gets to what it takes: sets the shape that it sees. */

/* What is frozen has no gradients of parameters to gather its input again for. */
static bool gather(builder *b, int input, const pm__layer *sharer, pm__shape *seen)
{
  tensor *t = &b->tensors[input];
  bool good = true;
  seen->size[0] *= b->degrees->tensor;
  if (first_time(t, GATHERED)) good = add(b, PM__FORWARD, PM__SHARDING_ALL_GATHER, seen);
  if (sharer == NULL || !good) return good;
  if (pm__layer_has_gradient(&b->piece->layers[input]) && first_time(t, REDUCED))
    good = add(b, PM__DGRAD, PM__SHARDING_REDUCE_SCATTER, seen);
  bool again = pm__layer_runs(sharer, PM__WGRAD) && first_time(t, REGATHERED);
  return good && (!again || add(b, PM__WGRAD, PM__SHARDING_ALL_GATHER, seen));
}

static bool slice(builder *b, int input, pm__shape *seen)
{
  pm__shape whole = *seen;
  seen->size[0] /= b->degrees->tensor;
  bool gradient = pm__layer_has_gradient(&b->piece->layers[input]);
  return !gradient || !first_time(&b->tensors[input], SLICED) || add(b, PM__DGRAD, PM__SHARDING_ALL_GATHER, &whole);
}

/* `sharer`: the layer, if the tensor group splits it, so that each GPU has a summand of the input's gradient. */
static bool see(builder *b, int input, pm__sharding want, const pm__layer *sharer, pm__shape *seen)
{
  tensor *t = &b->tensors[input];
  bool gradient = pm__layer_has_gradient(&b->piece->layers[input]);
  *seen = t->shape;
  if (t->state.how == PM__SHARD_FEATURES) return true;
  if (t->state.how == PM__SHARD_TOKENS) return want == PM__SHARD_TOKENS || gather(b, input, sharer, seen);
  if (want == PM__SHARD_TOKENS) return !has_rows(b, seen) || slice(b, input, seen);
  if (sharer == NULL || !gradient || !first_time(t, REDUCED)) return true;
  return add(b, PM__DGRAD, PM__SHARDING_ALL_REDUCE, seen);
}

/* ---- Layers. */

static int input_of(const builder *b, const pm__layer *layer, size_t i)
{
  return b->piece->inputs[layer->first_input + i];
}

/* An input of the network, which every GPU has. */
static bool is_raw(const pm__layer *layer)
{
  return layer->kind == NULL && !layer->wants_gradient;
}

/* Whether a layer that is not split works on some of the rows: some of its inputs lie so, others can. */
static bool works_on_tokens(const builder *b, const pm__layer *layer, pm__sharding_part *part,
                            pm__sharding_state *states)
{
  bool lie = false, can = true;
  if (!b->degrees->sequence) return false;
  for (size_t i = 0; i < layer->input_count; i++) {
    int input = input_of(b, layer, i);
    const tensor *t = &b->tensors[input];
    bool tokens = t->state.how == PM__SHARD_TOKENS, raw = is_raw(&b->piece->layers[input]);
    lie = lie || tokens || raw;
    can = can && (tokens || t->shape.size[0] == 1 || t->shape.size[0] % b->degrees->tensor == 0);
    states[i].how = t->shape.size[0] == 1 ? PM__SHARD_WHOLE : PM__SHARD_TOKENS;
  }
  if (lie && can && layer->output.rank >= 2 && pm__shard_accepts(layer, part)) return true;
  for (size_t i = 0; i < layer->input_count; i++) states[i].how = PM__SHARD_WHOLE;
  return false;
}

/* Into how many parts a layer splits its own features: fewer than GPUs where its readers allow copies. */
static int find_parts(builder *b, const pm__layer *layer, pm__sharding_demand demand, int *parts)
{
  int units = (int)demand.units, gpus = b->degrees->tensor;
  *parts = demand.copies && units > 0 && units < gpus && gpus % units == 0 ? units : gpus;
  if (units == 0 || *parts == units) return PM_OK;
  return pm__sharding_check(layer, units, demand.copies ? "heads of keys and values" : "heads", gpus, b->error);
}

/* How a layer's inputs lie when it takes them, and its output. */
static int settle(builder *b, int number, pm__sharding_part *part, pm__sharding_state *states)
{
  const pm__layer *layer = &b->piece->layers[number];
  const pm__shard_layer *plan = &b->layers[number];
  part->splits_output = plan->splits_output;
  part->multiple = plan->demand.multiple;
  if (plan->splits_output) {
    part->out = plan->out;
    return plan->out.how == PM__SHARD_FEATURES ? find_parts(b, layer, plan->demand, &part->out.parts) : PM_OK;
  }
  for (size_t i = 0; i < layer->input_count && plan->splits_input; i++)
    if (b->tensors[input_of(b, layer, i)].state.how == PM__SHARD_FEATURES)
      states[i] = b->tensors[input_of(b, layer, i)].state;
  if (!plan->splits_input) {
    works_on_tokens(b, layer, part, states);
    return PM_OK;
  }
  if (pm__shard_accepts(layer, part)) return PM_OK;
  return pm__fail(b->error, PM_STATUS_BAD_VALUE, "%s \"%s\": its inputs cannot be split equally over %d GPUs",
                  layer->kind->name, layer->name, b->degrees->tensor);
}

static int check_context(builder *b, const pm__layer *layer)
{
  const pm__sharding_rules *rules = layer->kind->sharding_rules;
  pm__sharding_part part;
  pm__sharding_state *states;
  if (b->degrees->context == 1 || (rules != NULL && rules->context != NULL)) return PM_OK;
  if (!pm__shard_part(b->piece, (int)(layer - b->piece->layers), b->degrees, &b->arena, &part, &states))
    return pm__no_memory(b->error);
  for (int i = 0; i < part.input_count; i++) states[i].how = PM__SHARD_TOKENS;
  if (pm__shard_accepts(layer, &part)) return PM_OK;
  return pm__fail(b->error, PM_STATUS_BAD_VALUE, "%s \"%s\" needs all tokens of a sample: it cannot be split by "
                  "context parallelism", layer->kind->name, layer->name);
}

static bool see_inputs(builder *b, const pm__layer *layer, const pm__sharding_part *part, bool shared, int *inputs,
                       pm__shape *shapes)
{
  const pm__sharding_rules *rules = layer->kind->sharding_rules;
  bool context = b->degrees->context > 1 && rules != NULL && rules->context != NULL;
  for (size_t i = 0; i < layer->input_count; i++) {
    int input = input_of(b, layer, i);
    inputs[i] = b->tensors[input].at;
    if (!see(b, input, part->in[i].how, shared ? layer : NULL, &shapes[i])) return false;
    if (context) rules->context(b->degrees, (int)i, &shapes[i]);
  }
  return true;
}

/* A sum that is still to be made is made at once, for all readers; the result is the tensor that may be kept. */
static int resolve(builder *b, int number, tensor *t)
{
  const pm__layer *layer = &b->piece->layers[number];
  bool rows = b->degrees->sequence && t->shape.rank >= 2 && t->shape.size[0] > 1;
  if (t->state.how != PM__SHARD_PARTIAL) return PM_OK;
  t->state.how = rows ? PM__SHARD_TOKENS : PM__SHARD_WHOLE;
  if (rows) {
    int status = pm__sharding_check(layer, (double)t->shape.size[0], "tokens", b->degrees->tensor, b->error);
    if (status != PM_OK) return status;
  }
  if (!add(b, PM__FORWARD, rows ? PM__SHARDING_REDUCE_SCATTER : PM__SHARDING_ALL_REDUCE, &t->shape))
    return PM_STATUS_NO_MEMORY;
  b->shard->exchange[b->shard->count - 1].recomputed = b->layers[number].needed;
  if (!rows) return PM_OK;
  bool good = add(b, PM__DGRAD, PM__SHARDING_ALL_GATHER, &t->shape);
  t->shape.size[0] /= b->degrees->tensor;
  return good ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* Parameters of this GPU, by who has them. */
static void count_parameters(builder *b, int number, const pm__layer *own, const pm__sharding_part *part)
{
  const pm__layer *layer = &b->piece->layers[number];
  const pm__shard_layer *plan = &b->layers[number];
  bool divided = plan->splits_output || plan->splits_input;
  double all = own->parameters + own->tied - part->lookup.parameters;
  double whole = divided ? part->whole : all - part->expert;
  int parts = plan->splits_output ? part->out.parts : part->in[0].parts;
  double fair = part->expert > 0 ? 0 : (layer->parameters + layer->tied - whole) / parts;
  double more = all - whole - part->expert - fair;
  pm__shard *shard = b->shard;
  bool sums = part->out.how == PM__SHARD_PARTIAL && layer->kind->parameters == PM__MATRICES;
  shard->divided += divided && sums;
  shard->experts += part->expert > 0;
  shard->lookup.parameters += part->lookup.parameters;
  shard->lookup.indices += part->lookup.indices;
  shard->lookup.read += part->lookup.read;
  shard->lookup.pooled += part->lookup.pooled;
  bool product = layer->kind->parameters == PM__MATRICES && !divided && part->expert == 0;
  if (product && shard->undivided == NULL) shard->undivided = layer;
  if (layer->tuning == PM__FROZEN) return; /* counted where the shard is lowered */
  shard->tied += own->tied;
  if (own->tied > 0) shard->tied_whole += whole;
  if (own->tied == 0) {
    shard->whole += whole;
    shard->expert += part->expert;
    shard->split += divided ? all - whole - part->expert : 0;
  }
  if (divided) shard->padding += more;
  if (divided && own->tied == 0) shard->copied += fair - fair * parts / b->degrees->tensor;
}

static int add_own_exchanges(builder *b, const pm__sharding_part *part)
{
  for (int i = 0; i < part->exchanges; i++)
    if (!add_exchange(b, part->exchange[i])) return PM_STATUS_NO_MEMORY;
  return PM_OK;
}

/* The tensor as the layer leaves it, after its own exchanges and the sum. */
static int put_tensor(builder *b, int number, int at, const pm__sharding_part *part)
{
  const pm__sharding_rules *rules = b->piece->layers[number].kind->sharding_rules;
  tensor *t = &b->tensors[number];
  pm__layer *own = &b->shard->network->layers[at];
  *t = (tensor){at, own->output, part->out, 0};
  if (b->degrees->context > 1 && rules != NULL && rules->context != NULL)
    rules->context(b->degrees, PM__CONTEXT_OUTPUT, &t->shape);
  int status = resolve(b, number, t);
  own->output = t->shape;
  own->elements_out = pm__shape_elements(&t->shape);
  return status;
}

static int place_layer(builder *b, int number, pm__layer model, pm__sharding_part *part, bool shared)
{
  int *inputs = (int *)pm__arena_alloc(&b->arena, (model.input_count + 1) * sizeof *inputs);
  pm__shape *shapes = (pm__shape *)pm__arena_alloc(&b->arena, (model.input_count + 1) * sizeof *shapes);
  if (inputs == NULL || shapes == NULL) return pm__no_memory(b->error);
  if (!see_inputs(b, &model, part, shared, inputs, shapes)) return PM_STATUS_NO_MEMORY;
  int at = pm__network_add_layer(b->shard->network, &model, inputs, shapes, b->error);
  if (at < 0) return PM_STATUS_BAD_VALUE;
  count_parameters(b, number, &b->shard->network->layers[at], part);
  int status = add_own_exchanges(b, part);
  return status == PM_OK ? put_tensor(b, number, at, part) : status;
}

static int put_layer(builder *b, int number)
{
  pm__layer model = b->piece->layers[number];
  const pm__sharding_rules *rules = model.kind->sharding_rules;
  bool shared = b->layers[number].splits_output || b->layers[number].splits_input;
  pm__sharding_part part;
  pm__sharding_state *states;
  if (!pm__shard_part(b->piece, number, b->degrees, &b->arena, &part, &states)) return pm__no_memory(b->error);
  int status = check_context(b, &b->piece->layers[number]);
  if (status == PM_OK) status = settle(b, number, &part, states);
  bool context = b->degrees->context > 1 && rules != NULL && rules->context != NULL;
  if (status == PM_OK && rules != NULL && rules->divide != NULL && (shared || context || rules->always))
    status = rules->divide(&model, &part, b->error);
  return status == PM_OK ? place_layer(b, number, model, &part, shared) : status;
}

/* ---- Inputs: of the network, and what other pieces pass on. */

static int put_input(builder *b, int number)
{
  const pm__layer *layer = &b->piece->layers[number];
  pm__shape shape = layer->output;
  tensor *t = &b->tensors[number];
  bool image = !layer->wants_gradient && shape.rank > 2;
  int c = image ? 1 : b->degrees->context;
  int status = pm__sharding_check(layer, (double)shape.size[0], "tokens", c, b->error);
  if (status != PM_OK) return status;
  shape.size[0] /= c;
  bool tokens = layer->wants_gradient && has_rows(b, &shape) && shape.size[0] > 1;
  if (tokens) shape.size[0] /= b->degrees->tensor;
  int at = pm_network_add_input(b->shard->network, layer->name, shape.size, shape.rank, b->error);
  if (at < 0) return PM_STATUS_NO_MEMORY;
  *t = (tensor){at, shape, {tokens ? PM__SHARD_TOKENS : PM__SHARD_WHOLE, 0, 1}, 0};
  b->shard->network->layers[at].wants_gradient = layer->wants_gradient;
  b->shard->network->layers[at].stops = layer->stops;
  b->shard->network->layers[at].taken = layer->taken;
  return PM_OK;
}

/* ---- All of it. */

/* What leaves the piece does so by rows, as others expect it. */
static int leave(builder *b)
{
  for (size_t i = 0; i < b->piece->count; i++) {
    pm__shape seen;
    tensor *t = &b->tensors[i];
    bool whole = b->piece->layers[i].kind != NULL && b->layers[i].leaves && t->state.how == PM__SHARD_WHOLE;
    if (whole && t->shape.size[0] > 1 && !see(b, (int)i, PM__SHARD_TOKENS, NULL, &seen)) return PM_STATUS_NO_MEMORY;
    b->shard->network->layers[t->at].consumers = b->piece->layers[i].consumers;
  }
  return PM_OK;
}

static int build(builder *b)
{
  size_t count = b->piece->count;
  b->layers = pm__shard_layers(b->piece, b->degrees, &b->arena, b->error);
  b->tensors = (tensor *)pm__arena_alloc(&b->arena, (count + 1) * sizeof *b->tensors);
  b->shard->network = pm_network_new(b->piece->id, b->piece->name, b->error);
  if (b->layers == NULL || b->tensors == NULL || b->shard->network == NULL) return pm__no_memory(b->error);
  int status = PM_OK;
  for (size_t i = 0; i < count && status == PM_OK; i++)
    status = b->piece->layers[i].kind == NULL ? put_input(b, (int)i) : put_layer(b, (int)i);
  return status == PM_OK ? leave(b) : status;
}

static int at_least_one(int degree)
{
  return degree == 0 ? 1 : degree;
}

static int check_degrees(const pm__sharding_degrees *d, pm_error *error)
{
  const struct { int degree; const char *name; } degrees[] = {
    {d->tensor, "tensor"}, {d->context, "context"}, {d->expert, "expert"}, {d->expert_tensor, "expert tensor"}};
  for (int i = 0; i < 4; i++)
    if (degrees[i].degree < 1 || degrees[i].degree > 1 << 20)
      return pm__fail(error, PM_STATUS_BAD_VALUE, "%d GPUs for %s parallelism is not from 1 to %d", degrees[i].degree,
                      degrees[i].name, 1 << 20);
  return PM_OK;
}

pm__shard *pm__shard_new(const pm_network *piece, const pm__sharding_degrees *given, pm_error *error)
{
  pm__sharding_degrees degrees = *given;
  degrees.tensor = at_least_one(given->tensor);
  degrees.context = at_least_one(given->context);
  degrees.expert = at_least_one(given->expert);
  degrees.expert_tensor = at_least_one(given->expert_tensor);
  degrees.sequence = given->sequence && degrees.tensor > 1;
  if (check_degrees(&degrees, error) != PM_OK) return NULL;
  builder b = {.piece = piece, .degrees = &degrees, .error = error};
  b.shard = (pm__shard *)calloc(1, sizeof *b.shard);
  int status = b.shard != NULL ? build(&b) : pm__no_memory(error);
  pm__arena_free(&b.arena);
  if (status == PM_OK) return b.shard;
  pm__shard_free(b.shard);
  return NULL;
}

void pm__shard_free(pm__shard *shard)
{
  if (shard == NULL) return;
  pm_network_free(shard->network);
  free(shard->exchange);
  free(shard);
}
