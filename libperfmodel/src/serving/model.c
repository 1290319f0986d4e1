/* The operations of a language model on one GPU of a replica. */
#include "serving/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
  pm__serving_model *model;
  const pm_network *piece;
  double tokens;     /* of a sample of the network */
  double times;      /* how often the piece is in it */
  int product[512];  /* of each layer of the piece: the operation that its product is part of, from 1 */
  int first;         /* operation of the piece */
  bool head;         /* the piece has the loss */
  pm_error *error;
} walk;

static const pm__serving_operation nothing = {.count = 0};

static pm__serving_operation *add(walk *w, pm__serving_kind kind)
{
  pm__serving_model *m = w->model;
  if (m->count == PM__SERVE_OPERATIONS) {
    pm__fail(w->error, PM_STATUS_NOT_MODELLED, "network \"%s\" has more than %d different operations to serve",
             w->piece->id, PM__SERVE_OPERATIONS);
    return NULL;
  }
  m->operation[m->count] = nothing;
  m->operation[m->count].kind = kind;
  m->operation[m->count].count = w->times;
  m->operation[m->count].rows = 1;
  return &m->operation[m->count++];
}

static double last_of(const pm__shape *shape)
{
  return (double)shape->size[shape->rank - 1];
}

static int input_of(const walk *w, const pm__layer *layer, size_t i)
{
  return w->piece->inputs[layer->first_input + i];
}

static bool feeds_loss(const walk *w, int number)
{
  for (size_t i = (size_t)number + 1; i < w->piece->count; i++) {
    const pm__layer *reader = &w->piece->layers[i];
    if (reader->kind == NULL || reader->kind->role != PM__ROLE_LOSS) continue;
    for (size_t k = 0; k < reader->input_count; k++)
      if (input_of(w, reader, k) == number) return true;
  }
  return false;
}

/* ---- Products ---- */

/* A product of an input that another one has read: one with more outputs. */
static pm__serving_operation *sibling(walk *w, int input)
{
  for (size_t i = 0; i < w->piece->count; i++)
    if (w->product[i] > 0 && input_of(w, &w->piece->layers[i], 0) == input)
      return &w->model->operation[w->product[i] - 1];
  return NULL;
}

static bool add_product(walk *w, int number)
{
  const pm__layer *layer = &w->piece->layers[number];
  pm__serving_model *m = w->model;
  double wide = last_of(&layer->input), out = last_of(&layer->output);
  double in = layer->mac / layer->elements_out; /* less than its width where parts of that are apart */
  bool head = feeds_loss(w, number);
  pm__serving_operation *op = head ? NULL : sibling(w, input_of(w, layer, 0));
  if (op != NULL) op->n += out;
  else {
    op = add(w, head ? PM__SERVE_HEAD : PM__SERVE_PRODUCT);
    if (op == NULL) return false;
    op->n = out;
    op->k = in;
    op->rows = layer->elements_in / wide / w->tokens;
    m->products += w->times;
  }
  w->product[number] = (int)(op - m->operation) + 1;
  if (head) m->vocabulary = out;
  if (head) m->head_parameters += w->times * in * out;
  else m->product_parameters += w->times * in * out;
  if (head && layer->parameters == 0) m->tied_parameters += w->times * in * out;
  m->other_parameters += w->times * fmax(0, layer->parameters - in * out); /* biases */
  return true;
}

/* ---- Attention ---- */

static double kv_features(const walk *w, const pm__layer *layer, size_t input)
{
  return last_of(&w->piece->layers[input_of(w, layer, input)].output);
}

/* Heads and the features of one, from its first kernel: fused attention, or the product of scores. */
static void read_heads(const walk *w, const pm__layer *layer, pm__serving_operation *op)
{
  const pm__layer_kernel *kernel = &w->piece->kernels[layer->first_kernel];
  while (!kernel->matrix) kernel++; /* copies of what all heads share come first */
  bool fused = kernel->family == PM__ATTENTION;
  op->heads = fused ? kernel->shape.flash.heads : kernel->shape.gemm.count;
  op->size = fused ? kernel->shape.flash.d : kernel->shape.gemm.k;
  op->window = fused ? kernel->shape.flash.window : 0;
  op->chosen = fused && kernel->shape.flash.chosen > 0;
  op->value = last_of(&layer->output) / op->heads;
  op->kv_heads = kv_features(w, layer, 2) / op->value;
}

/* Keys and values that are made from latents: these are stored instead, and decoding does not make them. */
static void read_latent(walk *w, const pm__layer *layer, pm__serving_operation *op)
{
  int maker = w->product[input_of(w, layer, 1)];
  op->turned = kv_features(w, layer, 3);
  if (maker == 0) return;
  w->model->operation[maker - 1].kind = PM__SERVE_LATENT_UP;
  op->latent = w->model->operation[maker - 1].k;
}

/* Keys for each token: fewer than 1 where one stands for some. Those of another side are none of the tokens. */
static double keys_of(const walk *w, const pm__layer *layer)
{
  const pm__shape *keys = &w->piece->layers[input_of(w, layer, 1)].output;
  bool own = layer->causal || layer->kind->role == PM__ROLE_INDEX;
  return own && keys->rank == 2 ? fmin((double)keys->size[0] / w->tokens, 1) : 1;
}

static bool add_attention(walk *w, const pm__layer *layer)
{
  pm__serving_model *m = w->model;
  pm__serving_operation *op = add(w, PM__SERVE_ATTENTION);
  if (op == NULL) return false;
  read_heads(w, layer, op);
  if (layer->input_count == 4) read_latent(w, layer, op);
  op->keys = keys_of(w, layer);
  bool same = input_of(w, layer, 1) == input_of(w, layer, 2); /* values are the keys, and stored once */
  double each = same ? op->size : op->size + op->value;
  double numbers = op->latent > 0 ? op->latent + op->turned : op->kv_heads * each * op->keys;
  if (op->window > 0 && !op->chosen) m->cache_window += w->times * numbers, m->window = op->window;
  else m->cache_full += w->times * numbers;
  m->layers += w->times;
  m->latent_layers += op->latent > 0 ? w->times : 0;
  m->products += w->times;
  return true;
}

/* Narrow keys of all tokens, stored as keys and values are. */
static bool add_index(walk *w, const pm__layer *layer)
{
  pm__serving_operation *op = add(w, PM__SERVE_INDEX);
  if (op == NULL) return false;
  op->n = kv_features(w, layer, 1);
  op->heads = kv_features(w, layer, 0) / op->n;
  op->keys = keys_of(w, layer);
  w->model->cache_full += w->times * op->n * op->keys;
  w->model->products += w->times;
  return true;
}

/* ---- Experts ---- */

/* The router's product comes first, then those of the experts. */
static bool add_experts(walk *w, const pm__layer *layer)
{
  const pm__gemm *product[3];
  int found = 0;
  for (size_t i = 0; i < layer->kernel_count && found < 3; i++) {
    const pm__layer_kernel *kernel = &w->piece->kernels[layer->first_kernel + i];
    if (kernel->pass == PM__FORWARD && kernel->matrix) product[found++] = &kernel->shape.gemm;
  }
  if (found < 3) return true;
  pm__serving_operation *router = add(w, PM__SERVE_PRODUCT), *op = router != NULL ? add(w, PM__SERVE_EXPERTS) : NULL;
  if (op == NULL) return false;
  router->n = product[0]->m;
  router->k = product[0]->k;
  op->experts = product[0]->m;
  op->top_k = product[1]->count * product[1]->n / w->tokens;
  op->n = product[1]->k;
  op->k = product[2]->k;
  op->up = product[1]->m / op->k;
  w->model->experts = w->model->experts > 0 ? fmin(w->model->experts, op->experts) : op->experts;
  w->model->expert_parameters += w->times * op->experts * (op->up + 1) * op->n * op->k;
  w->model->product_parameters += w->times * op->experts * router->k;
  w->model->products += 3 * w->times;
  return true;
}

/* ---- States ---- */

static bool add_state(walk *w, const pm__layer *layer)
{
  pm__serving_operation *op = add(w, PM__SERVE_STATE);
  if (op == NULL) return false;
  op->n = layer->carried;
  op->k = layer->mac / w->tokens;
  op->value = last_of(&layer->output);
  w->model->carried += w->times * layer->carried;
  w->model->other_parameters += w->times * layer->parameters;
  w->model->layers += w->times;
  w->model->products += w->times;
  return true;
}

/* ---- Passes ---- */

static bool add_pass(walk *w, pm__serving_kind kind, const pm__layer *layer, double numbers, double width)
{
  pm__serving_operation *op = add(w, kind);
  if (op == NULL) return false;
  op->n = width;
  op->rows = numbers / w->tokens / width;
  w->model->other_parameters += w->times * layer->parameters;
  w->model->products += w->times;
  return true;
}

/* A sum of the residual is part of the norm behind it; arithmetic in place, of one input, is rotation by positions. */
static bool add_arithmetic(walk *w, const pm__layer *layer)
{
  if (layer->input_count != 1) return true;
  return add_pass(w, PM__SERVE_ROTARY, layer, layer->elements_out, last_of(&layer->output));
}

static bool refuse(const walk *w, const pm__layer *layer)
{
  pm__fail(w->error, PM_STATUS_NOT_MODELLED, "serving does not model the %s \"%s\" of network \"%s\"",
           layer->kind->name, layer->name, w->piece->id);
  return false;
}

/* Small matrices that each token has of its own: as long as a pass over what they make. */
static bool add_small(walk *w, const pm__layer *layer)
{
  bool own = layer->output.rank == 3 && (double)layer->output.size[0] == w->tokens;
  if (!own) return refuse(w, layer);
  return add_pass(w, PM__SERVE_ROTARY, layer, layer->elements_out, last_of(&layer->output));
}

static bool add_layer(walk *w, int number)
{
  const pm__layer *layer = &w->piece->layers[number];
  if (layer->kind == NULL) return true;
  switch (layer->kind->role) {
  case PM__ROLE_DENSE: return add_product(w, number);
  case PM__ROLE_ATTENTION: return add_attention(w, layer);
  case PM__ROLE_INDEX: return add_index(w, layer);
  case PM__ROLE_EXPERTS: return add_experts(w, layer);
  case PM__ROLE_PRODUCT: return add_small(w, layer);
  case PM__ROLE_SCAN: return add_state(w, layer);
  case PM__ROLE_ROW_NORM:
    return add_pass(w, PM__SERVE_NORM, layer, layer->elements_out, last_of(&layer->output));
  case PM__ROLE_ACTIVATION:
    return add_pass(w, PM__SERVE_GATED, layer, layer->elements_out, last_of(&layer->output));
  case PM__ROLE_POINTWISE: return add_arithmetic(w, layer);
  case PM__ROLE_GATHER:
    w->model->hidden = last_of(&layer->output);
    return add_pass(w, PM__SERVE_GATHER, layer, layer->elements_out, last_of(&layer->output));
  case PM__ROLE_CHANNELWISE: return add_pass(w, PM__SERVE_ROTARY, layer, layer->elements_out, last_of(&layer->output));
  case PM__ROLE_DROPOUT:
  case PM__ROLE_MOVEMENT: return true;
  case PM__ROLE_LOSS: w->head = true; return true;
  default: return refuse(w, layer);
  }
}

/* ---- Exchanges ---- */

/* Those of a loss are not serving's: each sequence's words are gathered instead, a number for each. */
static bool add_exchanges(walk *w, const pm__shard *shard)
{
  for (int i = 0; i < shard->count; i++) {
    const pm__sharding_exchange *e = &shard->exchange[i];
    if (e->pass != PM__FORWARD || e->axis != PM__AXIS_TENSOR || w->head) continue;
    pm__serving_operation *op = add(w, PM__SERVE_EXCHANGE);
    if (op == NULL) return false;
    op->collective = (int)e->collective;
    op->n = e->elements / w->tokens;
  }
  return true;
}

/* ---- All pieces ---- */

static bool same(const pm__serving_operation *a, const pm__serving_operation *b)
{
  pm__serving_operation x = *a, y = *b;
  x.count = y.count = 0;
  return memcmp(&x, &y, sizeof x) == 0;
}

/* Equal operations become one. */
static void merge(pm__serving_model *m)
{
  int kept = 0;
  for (int i = 0; i < m->count; i++) {
    int k = 0;
    while (k < kept && !same(&m->operation[k], &m->operation[i])) k++;
    if (k == kept) m->operation[kept++] = m->operation[i];
    else m->operation[k].count += m->operation[i].count;
  }
  m->count = kept;
}

static bool add_piece(walk *w, const pm_network *piece, const pm__shard *shard)
{
  w->piece = piece;
  w->head = false;
  w->first = w->model->count;
  memset(w->product, 0, sizeof w->product);
  if (piece->count > sizeof w->product / sizeof w->product[0]) {
    pm__fail(w->error, PM_STATUS_NOT_MODELLED, "network \"%s\" has a piece of %zu layers, more than serving supports",
             piece->id, piece->count);
    return false;
  }
  for (int i = 0; i < (int)piece->count; i++)
    if (!add_layer(w, i)) return false;
  if (!add_exchanges(w, shard)) return false;
  merge(w->model);
  return true;
}

static bool fill(const pm_plan *plan, pm__serving_model *m, const pm__plan_pieces *pieces, const pm__shards *shards,
                 pm_error *error)
{
  m->longest = plan->networks[m->key[0]].tokens;
  walk w = {.model = m, .tokens = plan->networks[m->key[0]].tokens, .error = error};
  for (int kind = 0; kind < pieces->pieces->kinds; kind++) {
    w.times = 0;
    for (int i = 0; i < pieces->pieces->count; i++) w.times += pieces->pieces->of[i] == kind;
    const pm__shard *shard = shards->shard[kind];
    if (!add_piece(&w, m->key[1] > 1 ? shard->network : pieces->pieces->kind[kind], shard)) return false;
  }
  return true;
}

static int check(const pm_plan *plan, int network, pm_error *error)
{
  const pm__plan_network *n = &plan->networks[network];
  if (pm__plan_check_trained(n, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__network_get_traits(n->network).language_model && n->tokens > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" is not a decoder-only language model, so it cannot "
                  "be served; perfmodel infer predicts its forward pass", n->network->id);
}

static void release(pm__kept *kept)
{
  free(kept);
}

/* A replica that is not split has each head once. */
static bool set_whole(const pm_plan *plan, pm__serving_model *m, pm_error *error)
{
  m->cache_whole = m->cache_full + m->cache_window;
  if (m->key[1] == 1) return true;
  const pm__serving_model *whole = pm__serving_model_find(plan, m->key[0], 1, error);
  if (whole != NULL) m->cache_whole = whole->cache_whole;
  return whole != NULL;
}

static pm__serving_model *make(const pm_plan *plan, int network, int tensor, pm_error *error)
{
  const pm__sharding_degrees degrees = {.tensor = tensor, .context = 1, .expert = 1, .expert_tensor = tensor};
  const pm__plan_pieces *pieces = NULL;
  if (check(plan, network, error) == PM_OK) pieces = pm__plan_pieces_find(plan, &plan->networks[network], error);
  pm__shards *shards = pieces != NULL ? pm__shards_new(pieces->pieces, &degrees, error) : NULL;
  if (shards == NULL) return NULL;
  pm__serving_model *m = (pm__serving_model *)calloc(1, sizeof *m);
  if (m == NULL) pm__no_memory(error);
  else {
    m->key[0] = network;
    m->key[1] = tensor;
    m->kept = (pm__kept){.release = release, .gpu = m->key, .count = 2};
    if (!fill(plan, m, pieces, shards, error) || !set_whole(plan, m, error)) free(m), m = NULL;
  }
  pm__shards_free(shards);
  return m;
}

const pm__serving_model *pm__serving_model_find(const pm_plan *plan, int network, int tensor, pm_error *error)
{
  const int key[] = {network, tensor};
  const pm__kept *found = pm__keeper_find(plan->serving, key, 2);
  if (found != NULL) return (const pm__serving_model *)found;
  pm__serving_model *made = make(plan, network, tensor, error);
  return made != NULL ? (const pm__serving_model *)pm__keeper_add(plan->serving, &made->kept, true) : NULL;
}
