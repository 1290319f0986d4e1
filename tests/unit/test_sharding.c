/*
** Networks cut into pieces, and what one GPU computes of a piece: counts, parameters, exchanges, kept activations.
** Published numbers: Narayanan et al. (arXiv:2104.04473), Korthikanti et al. (arXiv:2205.05198).
*/
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "one_layer.h"
#include "plan/units.h"
#include "sharding/pieces.h"
#include "sharding/shard.h"
#include "shipped.h"

/* ---- GPTs as they are published: norms in front, biases, dropout, the words' table for the output. */

typedef struct gpt {
  int hidden, heads, layers;
} gpt;


static int put(pm_network *network, const char *kind, const char *name, const int *inputs, int count,
               const char *attributes)
{
  pm_error error = PM_ERROR_NONE;
  int number = try_kind(network, kind, inputs, count, attributes, &error);
  ck_assert_msg(number >= 0, "%s", error.text);
  snprintf(network->layers[number].name, sizeof network->layers[number].name, "%s", name);
  return number;
}

static int put_linear(pm_network *network, const char *name, int input, int features)
{
  char text[40];
  snprintf(text, sizeof text, "out_features=%d", features);
  return put(network, "linear", name, &input, 1, text);
}

static int put_sum(pm_network *network, const char *name, int x, int y)
{
  y = put(network, "dropout", name, &y, 1, "rate=0.1");
  int both[2] = {y, x};
  return put(network, "add", name, both, 2, "");
}

static int put_gpt_layer(pm_network *network, int x, int number, gpt g)
{
  char name[40], heads[60];
  int qkv[3];
  snprintf(name, sizeof name, "h.%d.x", number);
  snprintf(heads, sizeof heads, "heads=%d causal=yes dropout=0.1", g.heads);
  int y = put(network, "layer_norm", name, &x, 1, "");
  for (int i = 0; i < 3; i++) qkv[i] = put_linear(network, name, y, g.hidden);
  y = put_linear(network, name, put(network, "attention", name, qkv, 3, heads), g.hidden);
  x = put_sum(network, name, x, y);
  y = put_linear(network, name, put(network, "layer_norm", name, &x, 1, ""), 4 * g.hidden);
  y = put_linear(network, name, put(network, "gelu", name, &y, 1, ""), g.hidden);
  return put_sum(network, name, x, y);
}

static pm_network *new_gpt(gpt g)
{
  char text[60];
  pm_network *network = pm_network_new("gpt", NULL, NULL);
  int x = pm_network_add_input(network, "tokens", (const int64_t[]){2048}, 1, NULL);
  snprintf(text, sizeof text, "entries=51200 features=%d", g.hidden);
  x = put(network, "embedding", "wte", &x, 1, text);
  x = put(network, "positional_embedding", "wpe", &x, 1, "positions=2048");
  x = put(network, "dropout", "dropout", &x, 1, "rate=0.1");
  for (int i = 0; i < g.layers; i++) x = put_gpt_layer(network, x, i, g);
  x = put(network, "layer_norm", "ln_f", &x, 1, "");
  x = put(network, "linear", "lm_head", &x, 1, "out_features=51200 bias=no shared=yes");
  put(network, "cross_entropy", "loss", &x, 1, "");
  return network;
}

/* ---- What shards say. */

static pm__pieces *pieces_of(const pm_network *network)
{
  pm_error error = PM_ERROR_NONE;
  pm__pieces *pieces = pm__pieces_new(network, &error);
  ck_assert_msg(pieces != NULL, "%s", error.text);
  return pieces;
}

static pm__shards *shards_of(const pm__pieces *pieces, pm__sharding_degrees degrees)
{
  pm_error error = PM_ERROR_NONE;
  pm__shards *shards = pm__shards_new(pieces, &degrees, &error);
  ck_assert_msg(shards != NULL, "%s: %s", pieces->kind[0]->id, error.text);
  return shards;
}

static double exchanged(const pm__shard *shard, pm__pass pass, pm__sharding_axis axis, pm__sharding_collective how)
{
  double elements = 0;
  for (int i = 0; i < shard->count; i++) {
    const pm__sharding_exchange *e = &shard->exchange[i];
    if (e->pass == pass && e->axis == axis && e->collective == how) elements += e->elements * e->repeats;
  }
  return elements;
}

static double over_tensor(const pm__shard *shard, pm__pass pass, pm__sharding_collective how)
{
  return exchanged(shard, pass, PM__AXIS_TENSOR, how);
}

/* FLOP of matrix multiplications of a pass, per sample. */
static double products(const pm_network *network, pm__pass pass)
{
  double flop = 0;
  for (size_t i = 0; i < network->kernel_count; i++) {
    const pm__layer_kernel *kernel = &network->kernels[i];
    const pm__gemm *g = &kernel->shape.gemm;
    if (kernel->pass == pass && kernel->family == PM__GEMM) flop += kernel->repeats * 2 * g->count * g->m * g->n * g->k;
  }
  return flop;
}

/* Bytes kept for the backward pass, two for an element, one for a mask. */
static double kept(const pm_network *network, double batch, pm_recompute recompute)
{
  pm_error error = PM_ERROR_NONE;
  pm_memory_profile profile;
  memset(&profile, 0, sizeof profile);
  profile.mask = 1;
  pm_memory_plan *plan = pm_memory_plan_new(network, &profile, pm_optimizer_get(PM_OPTIMIZER_SGD), &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  pm_memory_run run = pm_memory_run_make();
  run.batch = batch;
  run.precision = PM_PRECISION_FP16;
  run.recompute = recompute;
  pm_memory_use use;
  pm_memory_evaluate(plan, &run, &use, 1);
  pm_memory_plan_free(plan);
  return use.activations;
}

static void ck_near(const char *what, double value, double wanted, double tolerance)
{
  ck_assert_msg(fabs(value / wanted - 1) <= tolerance, "%s: %.17g, not %.17g (%+.4f %%)", what, value, wanted,
                100 * (value / wanted - 1));
}

/* ---- A GPT's layer, by the plans of the design. */

typedef struct plan {
  const char *name;
  gpt model;
  int tensor;
  double batch;
  bool sequence;
  double products, weight_products, exchanged, weights, activations;
  double layers; /* whose activations stage 0 keeps */
  pm_recompute recompute;
} plan;

static const plan plans[] = {
  {"22B", {6144, 64, 48}, 8, 4, false, 9.79253e11, 9.27713e11, 201326592, 1.13331e8, 6.36192e10, 48,
   PM_RECOMPUTE_NONE},
  {"175B", {12288, 96, 96}, 8, 1, false, 9.53483e11, 9.27713e11, 100663296, 4.53154e8, 0, 0, PM_RECOMPUTE_NONE},
  {"175B, 4 GPUs", {12288, 96, 96}, 4, 1, false, 1.90697e12, 1.85543e12, 100663296, 9.06160e8, 0, 0, PM_RECOMPUTE_NONE},
  {"530B", {20480, 128, 105}, 8, 1, true, 2.61993e12, 2.57698e12, 335544320, 1.25857e9, 2.47779e10, 0,
   PM_RECOMPUTE_SELECTIVE},
  {"1T", {25600, 160, 128}, 8, 1, false, 4.08022e12, 4.02653e12, 209715200, 1.96643e9, 0, 0, PM_RECOMPUTE_NONE},
};
enum { PLANS = sizeof plans / sizeof plans[0] };

START_TEST(a_layer_has_its_counts)
{
  const plan *p = &plans[_i];
  pm_network *network = new_gpt((gpt){p->model.hidden, p->model.heads, 2});
  pm__pieces *pieces = pieces_of(network);
  ck_assert_int_eq(pieces->kinds, 3);
  ck_assert_int_eq(pieces->count, 4);
  ck_assert_str_eq(pieces->kind[0]->name, "wte");
  ck_assert_str_eq(pieces->kind[1]->name, "h.0");
  ck_assert_str_eq(pieces->kind[2]->name, "ln_f");
  pm__shards *shards = shards_of(pieces, (pm__sharding_degrees){.tensor = p->tensor, .sequence = p->sequence});
  const pm__shard *layer = shards->shard[1];
  double forward = over_tensor(layer, PM__FORWARD, PM__SHARDING_ALL_REDUCE) +
                   over_tensor(layer, PM__FORWARD, PM__SHARDING_ALL_GATHER) +
                   over_tensor(layer, PM__FORWARD, PM__SHARDING_REDUCE_SCATTER);
  ck_near("forward products", p->batch * products(layer->network, PM__FORWARD), p->products, 1e-4);
  ck_near("products of weights", p->batch * products(layer->network, PM__WGRAD), p->weight_products, 1e-4);
  ck_assert_msg(2 * p->batch * forward == p->exchanged, "%s: %.0f B exchanged", p->name, 2 * p->batch * forward);
  ck_near("weights", 2 * (layer->whole + layer->split), p->weights, 1e-4);
  ck_near("parameters", layer->whole + layer->split, pm__network_parameters(layer->network), 1e-12);
  double t = p->tensor, r = p->sequence ? t : 1, h = p->model.hidden, u = p->batch * 2048 * h, s = 2048;
  double scores = 5 * p->batch * p->model.heads * s * s / t;
  ck_near("kept", kept(layer->network, p->batch, PM_RECOMPUTE_NONE), u * (10 / r + 24 / t) + scores, 1e-3);
  ck_near("kept, selective", kept(layer->network, p->batch, PM_RECOMPUTE_SELECTIVE), u * (10 / r + 24 / t), 1e-3);
  if (p->layers > 0) ck_near("stage", p->layers * kept(layer->network, p->batch, p->recompute), p->activations, 1e-3);
  pm__shards_free(shards);
  pm__pieces_free(pieces);
  pm_network_free(network);
}
END_TEST

/* ---- Networks of the catalogue. */

static const char *const transformers[] = {
  "bert-base",     "bert-large",    "bert-large-pretraining", "gpt2-medium",      "gpt3-175b",   "megatron-530b",
  "bloom-176b",    "mpt-7b",        "llama2-7b",              "llama3-8b",        "llama3-70b",  "llama3-405b",
  "mixtral-8x7b",  "qwen3-8b",      "qwen3-30b-a3b",          "gpt-oss-20b",      "deepseek-v3", "nemotron4-15b",
  "t5-base",       "bart-large",    "vit-b-16",               "transformer-base", "vit-l-16",    "transformer-xl-512"};
enum { TRANSFORMERS = sizeof transformers / sizeof transformers[0] };

static pm_network *without_sharing(const pm_network *network, pm__sharding_degrees degrees)
{
  pm_error error = PM_ERROR_NONE;
  pm__shard *shard = pm__shard_new(network, &degrees, &error);
  ck_assert_msg(shard != NULL, "%s", error.text);
  ck_assert_int_eq(shard->count, 0);
  pm_network *out = shard->network;
  shard->network = NULL;
  pm__shard_free(shard);
  return out;
}

/* A member of a struct that has no padding of its own; what lies between members is nobody's. */
typedef struct member {
  const char *name;
  size_t offset, size;
} member;

#define MEMBER(type, name) {#name, offsetof(type, name), sizeof(((type *)NULL)->name)}
#define KERNEL(name) MEMBER(pm__layer_kernel, name)
#define LAYER(name) MEMBER(pm__layer, name)

static const member kernel_members[] = {
  KERNEL(pass), KERNEL(family), KERNEL(matrix), KERNEL(inner), KERNEL(dropout), KERNEL(framework_kernel), KERNEL(part),
  KERNEL(part_size), KERNEL(repeats), KERNEL(work), {NULL, 0, 0},
};

/* The sizes of a kernel of each family; of those that are not named here, the row. */
static const member size_members[][7] = {
  [PM__GEMM] = {KERNEL(shape.gemm.count), KERNEL(shape.gemm.m), KERNEL(shape.gemm.n), KERNEL(shape.gemm.k),
                KERNEL(shape.gemm.by)},
  [PM__CONV] = {{"sizes", offsetof(pm__layer_kernel, shape), offsetof(pm__conv, transposed)},
                KERNEL(shape.conv.transposed)},
  [PM__ATTENTION] = {KERNEL(shape.flash)},
};
static const member row_member[] = {KERNEL(shape.row), {NULL, 0, 0}};

static const member layer_members[] = {
  LAYER(kind), LAYER(attribute), LAYER(input.rank), LAYER(input.size), LAYER(output.rank), LAYER(output.size),
  LAYER(elements_in), LAYER(elements_out), LAYER(parameters), LAYER(tied), LAYER(parameter_tensors), LAYER(mac),
  LAYER(mac_bnl), LAYER(saved.inputs), LAYER(saved.output), LAYER(saved.in_place), LAYER(saved.view),
  LAYER(saved.elements), LAYER(saved.mask_elements), LAYER(saved.index_elements), LAYER(flop), LAYER(wants_gradient),
  LAYER(bias),
  LAYER(feeds_back), LAYER(smooths_labels), LAYER(consumers), LAYER(taken), LAYER(first_kernel), LAYER(kernel_count),
  LAYER(first_input), LAYER(input_count), {NULL, 0, 0},
};

static void check_same(const void *a, const void *b, const member *members, const char *of)
{
  const char *one = (const char *)a, *other = (const char *)b;
  for (const member *m = members; m->name != NULL; m++)
    ck_assert_msg(memcmp(one + m->offset, other + m->offset, m->size) == 0, "%s of %s", m->name, of);
}

static void check_same_kernel(const pm__layer_kernel *a, const pm__layer_kernel *b)
{
  size_t families = sizeof size_members / sizeof *size_members;
  bool named = (size_t)b->family < families && size_members[b->family][0].name != NULL;
  check_same(a, b, kernel_members, "a kernel");
  check_same(a, b, named ? size_members[b->family] : row_member, "a kernel");
}

/* One GPU alone computes the network as it is, kernel by kernel. */
START_TEST(one_gpu_has_it_all)
{
  pm_network *network = build_network(transformers[_i]);
  pm_network *alone = without_sharing(network, (pm__sharding_degrees){.tensor = 1});
  ck_assert_uint_eq(alone->count, network->count);
  ck_assert_uint_eq(alone->kernel_count, network->kernel_count);
  ck_assert_int_eq(memcmp(alone->inputs, network->inputs, network->input_count * sizeof *network->inputs), 0);
  for (size_t i = 0; i < network->kernel_count; i++) check_same_kernel(&alone->kernels[i], &network->kernels[i]);
  for (size_t i = 0; i < network->count; i++) {
    ck_assert_str_eq(alone->layers[i].name, network->layers[i].name);
    check_same(&alone->layers[i], &network->layers[i], layer_members, network->layers[i].name);
  }
  pm_network_free(alone);
  pm_network_free(network);
}
END_TEST

/* Pieces have the parameters and FLOP of the network. */
START_TEST(pieces_sum_to_the_network)
{
  pm_network *network = build_network(transformers[_i]);
  pm__pieces *pieces = pieces_of(network);
  double parameters = 0, flop[PM__PASSES] = {0};
  for (int i = 0; i < pieces->count; i++) {
    const pm_network *piece = pieces->kind[pieces->of[i]];
    parameters += pm__network_parameters(piece);
    for (size_t k = 0; k < piece->count; k++)
      for (int pass = 0; pass < PM__PASSES; pass++) flop[pass] += piece->layers[k].flop[pass];
  }
  pm_network_totals all = totals_of(network);
  ck_assert_msg(parameters == all.parameters, "%s: %.0f of %.0f parameters", transformers[_i], parameters,
                all.parameters);
  ck_assert_msg(flop[0] + flop[1] + flop[2] == all.training_flop, "%s: %.0f of %.0f FLOP", transformers[_i],
                flop[0] + flop[1] + flop[2], all.training_flop);
  ck_assert_msg(pieces->kinds <= 8, "%s: %d kinds of pieces", transformers[_i], pieces->kinds);
  pm__pieces_free(pieces);
  pm_network_free(network);
}
END_TEST

/* What GPUs have adds up to the network, and to what is said to be there more than once. */
START_TEST(parts_sum_to_the_network)
{
  pm_network *network = build_network(transformers[_i]);
  pm__pieces *pieces = pieces_of(network);
  for (int t = 2; t <= 4; t *= 2) {
    pm__shards *shards = shards_of(pieces, (pm__sharding_degrees){.tensor = t});
    double parameters = 0;
    int divided = 0;
    for (int i = 0; i < pieces->count; i++) {
      const pm__shard *shard = shards->shard[pieces->of[i]];
      parameters += t * (shard->split + shard->tied - shard->copied - shard->padding) + shard->whole + shard->expert;
      divided += shard->divided;
    }
    for (size_t i = 0; i < network->count; i++) parameters -= network->layers[i].tied;
    ck_near(transformers[_i], parameters, pm__network_parameters(network), 1e-12);
    ck_assert_int_ge(divided, pieces->count - 4);
    pm__shards_free(shards);
  }
  pm__pieces_free(pieces);
  pm_network_free(network);
}
END_TEST

/* Whatever the network: shards have its parameters, or a reason why there are none; software runs them. */
static void ck_shares(const pm_network *network, const pm__pieces *pieces, pm__sharding_degrees degrees)
{
  pm_error error = PM_ERROR_NONE;
  pm__shards *shards = pm__shards_new(pieces, &degrees, &error);
  double parameters = 0;
  if (shards == NULL) {
    ck_assert_msg(error.status != PM_OK && strlen(error.text) > 20, "%s: %s", network->id, error.text);
    return;
  }
  for (int i = 0; i < pieces->count; i++) {
    const pm__shard *s = shards->shard[pieces->of[i]];
    double each = s->split + s->tied - s->copied - s->padding, t = fmax(degrees.tensor, 1);
    parameters += t * each - (t - 1) * s->tied_whole + s->whole + s->expert * fmax(degrees.expert, 1);
  }
  for (size_t i = 0; i < network->count; i++) parameters -= network->layers[i].tied;
  ck_near(network->id, parameters, pm__network_parameters(network), 1e-12);
  for (int i = 0; i < shards->count; i++)
    for (int mode = 0; mode < PM__INFERENCE_MODE; mode++) {
      pm__units *units = pm__units_new(shards->shard[i]->network, mode, &error);
      ck_assert_msg(units != NULL, "%s: %s", network->id, error.text);
      pm__units_free(units);
    }
  pm__shards_free(shards);
}

START_TEST(every_network_is_shared_or_says_why_not)
{
  for (int i = _i; i < pm_catalog_count(catalog, "network"); i += 8) {
    pm_network *network = build_network(pm_catalog_get_id(catalog, "network", (size_t)i));
    pm__pieces *pieces = pieces_of(network);
    double parameters = 0;
    for (int k = 0; k < pieces->count; k++) parameters += pm__network_parameters(pieces->kind[pieces->of[k]]);
    ck_assert_msg(parameters == pm__network_parameters(network), "%s", network->id);
    ck_shares(network, pieces, (pm__sharding_degrees){.tensor = 2});
    ck_shares(network, pieces, (pm__sharding_degrees){.tensor = 4, .sequence = true});
    ck_shares(network, pieces, (pm__sharding_degrees){.context = 2});
    ck_shares(network, pieces, (pm__sharding_degrees){.expert = 4, .context = 2});
    pm__pieces_free(pieces);
    pm_network_free(network);
  }
}
END_TEST

/* ---- Numbers of single layers. */

/* A network of the catalogue with one parameter set, its pieces and shards. */
typedef struct shared {
  pm_network *network;
  pm__pieces *pieces;
  pm__shards *shards;
} shared;

static shared share(const char *name, const char *set, const char *value, pm__sharding_degrees degrees)
{
  pm_error error = PM_ERROR_NONE;
  pm_attribute sets[] = {{set, value}};
  shared s;
  s.network = pm_catalog_new_network(catalog, name, sets, set != NULL, &error);
  ck_assert_msg(s.network != NULL, "%s", error.text);
  s.pieces = pieces_of(s.network);
  s.shards = shards_of(s.pieces, degrees);
  return s;
}

static void release(shared *s)
{
  pm__shards_free(s->shards);
  pm__pieces_free(s->pieces);
  pm_network_free(s->network);
}

/* The shard of a piece after a third of them: a layer. */
static const pm__shard *layer_of_network(const shared *s)
{
  return s->shards->shard[s->pieces->of[s->pieces->count / 3]];
}

START_TEST(a_llama_shares_heads_of_keys)
{
  shared s = share("llama3-70b", NULL, NULL, (pm__sharding_degrees){.tensor = 8});
  const pm__shard *layer = layer_of_network(&s);
  ck_assert(layer->split == 106954752 && layer->whole == 16384 && layer->copied == 0);
  ck_assert(over_tensor(layer, PM__FORWARD, PM__SHARDING_ALL_REDUCE) == 2 * 134217728 / 2);
  ck_assert(over_tensor(layer, PM__DGRAD, PM__SHARDING_ALL_REDUCE) == 2 * 134217728 / 2);
  ck_near("kept", kept(layer->network, 1, PM_RECOMPUTE_NONE), 751042560, 1e-3);
  release(&s);
  s = share("llama3-70b", NULL, NULL, (pm__sharding_degrees){.tensor = 16});
  layer = layer_of_network(&s);
  ck_assert(layer->split == 54525952 && layer->whole == 16384 && layer->copied == 2 * 8192 * 64);
  release(&s);
  s = share("llama3-70b", NULL, NULL, (pm__sharding_degrees){.tensor = 8, .sequence = true});
  layer = layer_of_network(&s);
  ck_near("kept", kept(layer->network, 1, PM_RECOMPUTE_NONE), 281280512, 1e-3);
  for (int pass = PM__FORWARD; pass <= PM__DGRAD; pass++) {
    ck_assert(over_tensor(layer, (pm__pass)pass, PM__SHARDING_ALL_GATHER) == 2 * 134217728 / 2);
    ck_assert(over_tensor(layer, (pm__pass)pass, PM__SHARDING_REDUCE_SCATTER) == 2 * 134217728 / 2);
  }
  ck_assert(over_tensor(layer, PM__WGRAD, PM__SHARDING_ALL_GATHER) == 2 * 134217728 / 2);
  release(&s);
  s = share("llama3-8b", NULL, NULL, (pm__sharding_degrees){.tensor = 1});
  ck_near("kept", kept(layer_of_network(&s)->network, 1, PM_RECOMPUTE_NONE), 1141899264, 1e-3);
  release(&s);
}
END_TEST

/* arXiv:2205.05198, figure 7: what tensor and sequence parallelism with and without selective recomputation leave. */
START_TEST(sequence_parallelism_leaves_what_is_published)
{
  static const struct { gpt model; double batch, sequence, selective, both; } rows[] = {
    {{6144, 64, 2}, 4, .6684, .4942, .1618}, {{12288, 96, 2}, 1, .6204, .5653, .1849},
    {{20480, 128, 2}, 1, .5831, .6204, .2027}, {{25600, 160, 2}, 1, .5831, .6204, .2027}};
  pm_network *network = new_gpt(rows[_i].model);
  pm__pieces *pieces = pieces_of(network);
  double batch = rows[_i].batch;
  pm__shards *plain = shards_of(pieces, (pm__sharding_degrees){.tensor = 8});
  pm__shards *sequence = shards_of(pieces, (pm__sharding_degrees){.tensor = 8, .sequence = true});
  double none = kept(plain->shard[1]->network, batch, PM_RECOMPUTE_NONE);
  ck_near("sequence", kept(sequence->shard[1]->network, batch, PM_RECOMPUTE_NONE) / none, rows[_i].sequence, 3e-3);
  ck_near("selective", kept(plain->shard[1]->network, batch, PM_RECOMPUTE_SELECTIVE) / none, rows[_i].selective, 3e-3);
  ck_near("both", kept(sequence->shard[1]->network, batch, PM_RECOMPUTE_SELECTIVE) / none, rows[_i].both, 3e-3);
  pm__shards_free(plain);
  pm__shards_free(sequence);
  pm__pieces_free(pieces);
  pm_network_free(network);
}
END_TEST

/* The last sum of a GPT's layer is not needed to compute it again; BERT's norm behind it needs it. */
START_TEST(recomputation_leaves_out_the_last_sum)
{
  static const struct { const char *name; int recomputed; } rows[] = {{"gpt3-175b", 1}, {"llama3-8b", 1},
                                                                      {"bert-large", 2}};
  shared s = share(rows[_i].name, NULL, NULL, (pm__sharding_degrees){.tensor = 4});
  const pm__shard *layer = layer_of_network(&s);
  int recomputed = 0, all = 0;
  for (int i = 0; i < layer->count; i++) all += layer->exchange[i].pass == PM__FORWARD;
  for (int i = 0; i < layer->count; i++) recomputed += layer->exchange[i].recomputed;
  ck_assert_int_eq(all, 2);
  ck_assert_int_eq(recomputed, rows[_i].recomputed);
  release(&s);
}
END_TEST

/* Words in front and behind: a padded table, parts of the classes, three numbers a row for the loss. */
START_TEST(words_are_padded_and_their_loss_is_shared)
{
  shared s = share("gpt3-175b", NULL, NULL, (pm__sharding_degrees){.tensor = 8, .sequence = true});
  const pm__shard *first = s.shards->shard[s.pieces->of[0]], *last = s.shards->shard[s.pieces->of[s.pieces->count - 1]];
  double words = 51200. / 8 * 12288, u = 2048. * 12288; /* 50257 words, the next multiple of 1024 */
  ck_assert(first->split == words && first->whole == 2048. * 12288);
  ck_assert(last->tied == words && last->split == 0 && last->whole == 2 * 12288);
  ck_near("padding", first->padding, (51200. - 50257) / 8 * 12288, 1e-9);
  ck_assert(over_tensor(first, PM__FORWARD, PM__SHARDING_REDUCE_SCATTER) == u);
  ck_assert(over_tensor(first, PM__DGRAD, PM__SHARDING_ALL_GATHER) == u);
  const pm__layer *table = &first->network->layers[1];
  ck_assert(table->output.size[0] == 2048 / 8 && table->elements_out == u / 8); /* what is there after the sum */
  ck_assert(over_tensor(last, PM__FORWARD, PM__SHARDING_ALL_GATHER) == u);
  ck_assert(over_tensor(last, PM__DGRAD, PM__SHARDING_REDUCE_SCATTER) == u);
  ck_assert(over_tensor(last, PM__FORWARD, PM__SHARDING_ALL_REDUCE) == 3 * 2048);
  ck_assert(last->network->layers[last->network->count - 1].elements_out == 2048. * 51200 / 8);
  release(&s);
}
END_TEST

/* Products of all GPUs are those of the network where each layer is sharded. */
START_TEST(products_are_shared_equally)
{
  static const char *const names[] = {"gpt3-175b", "llama3-70b", "bert-large", "t5-base", "vit-b-16", "qwen3-8b",
                                      "nemotron4-15b", "bloom-176b", "transformer-xl-512"};
  shared s = share(names[_i], NULL, NULL, (pm__sharding_degrees){.tensor = 4});
  int kind = s.pieces->of[s.pieces->count / 3];
  const pm_network *whole = s.pieces->kind[kind], *part = s.shards->shard[kind]->network;
  for (int pass = 0; pass < PM__PASSES; pass++) {
    double all = products(whole, (pm__pass)pass);
    ck_near(names[_i], 4 * products(part, (pm__pass)pass), all, 1e-12);
  }
  ck_assert_ptr_null(s.shards->shard[kind]->undivided);
  release(&s);
}
END_TEST

/* ---- Experts. */

START_TEST(experts_are_dealt_out)
{
  shared s = share("mixtral-8x7b", NULL, NULL, (pm__sharding_degrees){.expert = 8});
  const pm__shard *layer = layer_of_network(&s);
  double sent = exchanged(layer, PM__FORWARD, PM__AXIS_EXPERT, PM__SHARDING_ALL_TO_ALL);
  ck_assert(2 * sent == 2 * 67108864); /* there and back */
  ck_assert(exchanged(layer, PM__DGRAD, PM__AXIS_EXPERT, PM__SHARDING_ALL_TO_ALL) == sent);
  ck_assert(layer->expert == 3. * 4096 * 14336);
  double all = products(s.pieces->kind[s.pieces->of[1]], PM__FORWARD);
  ck_near("balanced", products(layer->network, PM__FORWARD), all, 1e-12);
  release(&s);
  s = share("mixtral-8x7b", NULL, NULL, (pm__sharding_degrees){.expert = 8, .imbalance = 1.5});
  double more = products(layer_of_network(&s)->network, PM__FORWARD) - all;
  ck_near("imbalance", more, .5 * 2 * 2 * 3. * 4096 * 4096 * 14336, 1e-12);
  release(&s);
  s = share("mixtral-8x7b", NULL, NULL, (pm__sharding_degrees){.expert = 8, .imbalance = 1.5, .capacity = 1});
  ck_near("capacity", products(layer_of_network(&s)->network, PM__FORWARD), all, 1e-12);
  release(&s);
}
END_TEST

/* Of a tensor group each GPU routes its rows, and the same GPUs may share each expert. */
START_TEST(experts_join_a_tensor_group)
{
  pm__sharding_degrees degrees = {.tensor = 4, .sequence = true, .expert = 2};
  shared s = share("mixtral-8x7b", NULL, NULL, degrees);
  const pm__shard *layer = layer_of_network(&s);
  double all = products(s.pieces->kind[s.pieces->of[1]], PM__FORWARD), t = 4;
  ck_assert(exchanged(layer, PM__FORWARD, PM__AXIS_EXPERT, PM__SHARDING_ALL_TO_ALL) == 2 * 4096. / t * 2 * 4096);
  ck_near("rows", t * products(layer->network, PM__FORWARD), all, 1e-12);
  ck_assert(layer->expert == 4 * 3. * 4096 * 14336);
  release(&s);
  degrees.expert_tensor = 2;
  s = share("mixtral-8x7b", NULL, NULL, degrees);
  layer = layer_of_network(&s);
  ck_assert(exchanged(layer, PM__FORWARD, PM__AXIS_EXPERT_TENSOR, PM__SHARDING_ALL_GATHER) == 2 * 4096. / t * 2 * 4096);
  ck_near("rows of two", t * products(layer->network, PM__FORWARD), all, 1e-12);
  ck_assert(layer->expert == 4 * 3. * 4096 * 14336 / 2);
  release(&s);
  s = share("mixtral-8x7b", NULL, NULL, (pm__sharding_degrees){.tensor = 4, .expert_tensor = 4});
  layer = layer_of_network(&s);
  ck_assert(over_tensor(layer, PM__FORWARD, PM__SHARDING_ALL_REDUCE) == 2 * 4096. * 4096);
  ck_assert(layer->expert == 8 * 3. * 4096 * 14336 / 4);
  double router = 2 * 4096. * 4096 * 8; /* of all tokens, on every GPU */
  ck_near("shared", t * (products(layer->network, PM__FORWARD) - router), all - router, 1e-12);
  release(&s);
}
END_TEST

/* ---- Contexts. */

/* Kernels of attention in a pass, each as often as it runs. */
static double attention_kernels(const pm_network *network, pm__pass pass)
{
  double repeats = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind == NULL || layer->kind->role != PM__ROLE_ATTENTION) continue;
    for (size_t k = layer->first_kernel; k < layer->first_kernel + layer->kernel_count; k++)
      if (network->kernels[k].pass == pass) repeats += network->kernels[k].repeats;
  }
  return repeats;
}

/* Of eight parts: a fused kernel each, a copy, the first output, seven sums and seven further outputs; backward, two
** kernels and three sums each, and a copy. */
START_TEST(keys_go_round_a_ring)
{
  shared s = share("llama3-8b", "seq", "131072", (pm__sharding_degrees){.context = 8,
    .context_exchange = PM__CONTEXT_RING});
  const pm__shard *layer = layer_of_network(&s);
  ck_assert_int_eq(layer->count, 2);
  ck_assert(2 * layer->exchange[0].elements == 67108864 && layer->exchange[0].repeats == 7);
  ck_assert(layer->exchange[1].elements == 2 * layer->exchange[0].elements);
  ck_assert(layer->network->layers[0].elements_out == 131072. / 8 * 4096);
  ck_assert(attention_kernels(layer->network, PM__FORWARD) == 8 + 2 + 7 + 7);
  ck_assert(attention_kernels(layer->network, PM__DGRAD) == 2 * 8 + 3 * 8 + 1);
  release(&s);
}
END_TEST

START_TEST(contexts_share_the_work)
{
  static const pm__sharding_context ways[] = {PM__CONTEXT_ALL_GATHER, PM__CONTEXT_RING, PM__CONTEXT_ALL_TO_ALL};
  shared s = share("llama3-8b", NULL, NULL, (pm__sharding_degrees){.tensor = 2, .context = 4, .sequence = true,
    .context_exchange = ways[_i]});
  int kind = s.pieces->of[s.pieces->count / 2];
  const pm_network *whole = s.pieces->kind[kind], *part = s.shards->shard[kind]->network;
  for (size_t i = 0; i < whole->count; i++) {
    double flop = whole->layers[i].flop[PM__FORWARD];
    if (flop > 0) ck_near(whole->layers[i].name, 8 * part->layers[i].flop[PM__FORWARD], flop, 1e-12);
    double further = whole->layers[i].saved.elements;
    if (further > 0) ck_near("saved", 8 * part->layers[i].saved.elements, further, 1e-12);
  }
  release(&s);
}
END_TEST

/* ---- Several tensors at once. */

START_TEST(a_decoder_passes_on_the_encoders_output)
{
  shared s = share("t5-base", NULL, NULL, (pm__sharding_degrees){.tensor = 4, .sequence = true});
  const pm__pieces *p = s.pieces;
  double most = 0, least = INFINITY;
  for (int i = 0; i + 1 < p->count; i++) {
    most = fmax(most, p->passed[i]);
    least = fmin(least, p->passed[i]);
  }
  ck_assert_msg(most == 2 * least, "%g and %g", most, least);
  ck_assert(p->passed[p->count - 1] == 0);
  release(&s);
}
END_TEST

/* Latent attention: what leads down to the latent vectors is whole, what leads up is sharded by heads. */
START_TEST(latent_attention_is_shared_by_heads)
{
  shared s = share("deepseek-v3", NULL, NULL, (pm__sharding_degrees){.tensor = 8, .sequence = true, .expert = 8});
  const pm__shard *layer = layer_of_network(&s);
  double h = 7168, ql = 1536, kl = 512, gr = 64, g = 128, heads = 128;
  double up = ql * heads * (g + gr) + kl * heads * (g + g), out = heads * g * h, shared_expert = 3 * h * 2048;
  ck_assert_msg(layer->split == (up + out + shared_expert) / 8, "%.0f", layer->split);
  ck_assert_msg(layer->expert == 256 / 8 * 3. * h * 2048, "%.0f", layer->expert);
  double down = h * (ql + kl + gr) + ql + kl, norms = 2 * h, router = h * 256;
  ck_assert_msg(layer->whole - down - norms - router <= 256, "%.0f", layer->whole); /* a bias of the router, if any */
  ck_assert_ptr_nonnull(layer->undivided);
  release(&s);
}
END_TEST

/* ---- What cannot be. */

START_TEST(what_cannot_be_shared_says_why)
{
  static const struct { const char *name; pm__sharding_degrees degrees; const char *words; } rows[] = {
    {"gpt3-175b", {.tensor = 5},
     "linear \"h.0.attn.query\": 96 heads over 5 GPUs; 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96"},
    {"llama3-70b", {.tensor = 128}, "64 heads over 128 GPUs"},
    {"qwen3-8b", {.tensor = 64}, "32 heads over 64 GPUs"},
    {"resnet50", {.tensor = 2},
     "no layer of resnet50 can be split over 2 GPUs: conv2d \"conv1\" needs all of its input"},
    {"llama3-8b", {.context = 3}, "8192 tokens over 3 GPUs"},
    {"llama3-8b", {.context = 8192}, "8192 tokens over 16384 GPUs"},
    {"llama3-8b", {.context = 16, .context_exchange = PM__CONTEXT_ALL_TO_ALL},
     "8 heads of keys and values on each GPU over 16"},
    {"bert-base", {.context = 2}, "needs all tokens of a sample: it cannot be split by context parallelism"},
    {"vit-b-16", {.context = 2}, "cannot be split by context parallelism"},
    {"resnet50", {.context = 2}, "conv2d \"conv1\" needs all tokens"},
    {"vit-b-16", {.tensor = 4, .sequence = true}, "197 tokens over 4 GPUs"},
    {"mixtral-8x7b", {.expert = 3}, "8 experts over 3 GPUs; 1, 2, 4, 8 divide them"},
    {"mixtral-8x7b", {.expert = 16}, "8 experts over 16 GPUs"},
    {"mixtral-8x7b", {.tensor = 4, .expert_tensor = 2}, "need sequence parallelism"},
    {"llama3-8b", {.expert = 2}, "llama3-8b has no experts for 2 GPUs"},
    {"llama3-8b", {.tensor = -1}, "-1 GPUs for tensor parallelism is not from 1 to"},
    {"llama3-8b", {.context = 2147483647}, "2147483647 GPUs for context parallelism is not from 1 to"},
  };
  enum { ROWS = sizeof rows / sizeof rows[0] };
  ck_assert_int_eq(ROWS, 17);
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network(rows[_i].name);
  pm__pieces *pieces = pieces_of(network);
  ck_assert_ptr_null(pm__shards_new(pieces, &rows[_i].degrees, &error));
  ck_assert_msg(strstr(error.text, rows[_i].words) != NULL, "%s", error.text);
  pm__pieces_free(pieces);
  pm_network_free(network);
}
END_TEST

/* ---- Embedding tables. */

enum { TABLE_GPUS = 8, TABLE_ROWS = 800000, TABLE_COLUMNS = 128, TABLE_BAG = 5 };

/* A table that is divided, and a short one. */
static pm_network *new_recommender(void)
{
  pm_network *network = pm_network_new("recommender", NULL, NULL);
  int x = pm_network_add_input(network, "long", (const int64_t[]){1, TABLE_BAG}, 2, NULL);
  int y = pm_network_add_input(network, "short", (const int64_t[]){1, TABLE_BAG}, 2, NULL);
  x = put(network, "embedding_bag", "long.bag", &x, 1, "entries=800000 features=128");
  y = put(network, "embedding_bag", "short.bag", &y, 1, "entries=100 features=128");
  x = put(network, "concat", "both", (const int[]){x, y}, 2, "");
  put(network, "linear", "click", &x, 1, "out_features=1");
  return network;
}

static pm__shards *tables_of(const pm__pieces *pieces, pm__sharding_tables how)
{
  return shards_of(pieces, (pm__sharding_degrees){.tables = TABLE_GPUS, .table_parts = how, .table_load = TABLE_GPUS,
                                                  .table_rows = TABLE_GPUS});
}

/* Parts of divided tables and what each GPU has of the others are the network; gradients go back as vectors came. */
START_TEST(tables_are_divided)
{
  static const double rows = TABLE_ROWS + 100.0;
  static const struct {
    pm__sharding_tables how;
    double whole, table, read, sent;
    pm__sharding_collective forward, backward;
  } ways[] = {
    {PM__TABLES_PLANNED, 100, TABLE_ROWS, 1, 1, PM__SHARDING_ALL_TO_ALL, PM__SHARDING_ALL_TO_ALL},
    {PM__TABLES_WHOLE, 0, rows * TABLE_GPUS, 2 * TABLE_GPUS, 2 * TABLE_GPUS, PM__SHARDING_ALL_TO_ALL,
     PM__SHARDING_ALL_TO_ALL},
    {PM__TABLES_ROWS, 0, rows, 2, 2 * TABLE_GPUS, PM__SHARDING_REDUCE_SCATTER, PM__SHARDING_ALL_GATHER},
    {PM__TABLES_COLUMNS, 0, rows, 2, 2, PM__SHARDING_ALL_TO_ALL, PM__SHARDING_ALL_TO_ALL}};
  pm_network *network = new_recommender();
  pm__pieces *pieces = pieces_of(network);
  pm__shards *shards = tables_of(pieces, ways[_i].how);
  double whole = 0, sent = 0, back = 0;
  pm__sharding_lookup all = {0, 0, 0, 0};
  for (int i = 0; i < shards->count; i++) {
    whole += shards->shard[i]->whole;
    all.parameters += shards->shard[i]->lookup.parameters;
    all.read += shards->shard[i]->lookup.read;
    sent += exchanged(shards->shard[i], PM__FORWARD, PM__AXIS_TABLES, ways[_i].forward);
    back += exchanged(shards->shard[i], PM__DGRAD, PM__AXIS_TABLES, ways[_i].backward);
  }
  ck_assert(whole == ways[_i].whole * TABLE_COLUMNS + TABLE_COLUMNS + 1); /* the product's 128 and its bias */
  ck_assert(all.parameters == ways[_i].table * TABLE_COLUMNS / TABLE_GPUS);
  ck_assert(all.read == ways[_i].read * TABLE_BAG * TABLE_COLUMNS);
  ck_assert(sent == ways[_i].sent * TABLE_COLUMNS && back == sent);
  pm__shards_free(shards);
  pm__pieces_free(pieces);
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("sharding");
  TCase *tests = tcase_create("sharding");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_loop_test(tests, a_layer_has_its_counts, 0, PLANS);
  tcase_add_loop_test(tests, one_gpu_has_it_all, 0, TRANSFORMERS);
  tcase_add_loop_test(tests, pieces_sum_to_the_network, 0, TRANSFORMERS);
  tcase_add_loop_test(tests, parts_sum_to_the_network, 0, TRANSFORMERS);
  tcase_add_loop_test(tests, every_network_is_shared_or_says_why_not, 0, 8);
  tcase_add_test(tests, a_llama_shares_heads_of_keys);
  tcase_add_loop_test(tests, sequence_parallelism_leaves_what_is_published, 0, 4);
  tcase_add_loop_test(tests, recomputation_leaves_out_the_last_sum, 0, 3);
  tcase_add_test(tests, words_are_padded_and_their_loss_is_shared);
  tcase_add_loop_test(tests, products_are_shared_equally, 0, 9);
  tcase_add_test(tests, experts_are_dealt_out);
  tcase_add_test(tests, experts_join_a_tensor_group);
  tcase_add_test(tests, keys_go_round_a_ring);
  tcase_add_loop_test(tests, contexts_share_the_work, 0, 3);
  tcase_add_test(tests, a_decoder_passes_on_the_encoders_output);
  tcase_add_test(tests, latent_attention_is_shared_by_heads);
  tcase_add_loop_test(tests, tables_are_divided, 0, 4);
  tcase_add_loop_test(tests, what_cannot_be_shared_says_why, 0, 17);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
