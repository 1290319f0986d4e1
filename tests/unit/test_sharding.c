/*
** Networks cut into pieces, and what one GPU computes of a piece: counts, parameters, exchanges, kept activations.
** Published numbers: Narayanan et al. (arXiv:2104.04473), Korthikanti et al. (arXiv:2205.05198).
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "one_layer.h"
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

/* FLOP of matrix products of a pass, per sample. */
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
  pm_optimizer optimizer;
  memset(&profile, 0, sizeof profile);
  memset(&optimizer, 0, sizeof optimizer);
  profile.mask = 1;
  pm_memory_plan *plan = pm_memory_plan_new(network, &profile, &optimizer, &error);
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
  "bert-base", "bert-large", "bert-large-pretraining", "gpt2", "gpt2-medium", "gpt3-13b", "gpt3-175b", "llama2-7b", "llama3-8b", "llama3-70b",
  "mixtral-8x7b", "bart-large", "transformer-base", "vit-b-16", "vit-l-16"};
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

/* One GPU alone computes the network as it is, kernel by kernel. */
START_TEST(one_gpu_has_it_all)
{
  pm_network *network = build_network(transformers[_i]);
  pm_network *alone = without_sharing(network, (pm__sharding_degrees){.tensor = 1});
  ck_assert_uint_eq(alone->count, network->count);
  ck_assert_uint_eq(alone->kernel_count, network->kernel_count);
  ck_assert_int_eq(memcmp(alone->inputs, network->inputs, network->input_count * sizeof *network->inputs), 0);
  for (size_t i = 0; i < network->kernel_count; i++)
    ck_assert_int_eq(memcmp(&alone->kernels[i], &network->kernels[i], sizeof network->kernels[i]), 0);
  for (size_t i = 0; i < network->count; i++)
    ck_assert_msg(memcmp(&alone->layers[i], &network->layers[i], sizeof network->layers[i]) == 0, "%s",
                  network->layers[i].name);
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
    ck_assert_int_ge(divided, pieces->count - 2);
    pm__shards_free(shards);
  }
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
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
