/*
** Attention of sequence-to-sequence models: decoder states (tokens x h) look at encoder states (keys x e) and get one
** context (tokens x e) each.
**
** dot_attention (Luong et al. 2015, "dot"), h = e:
**     MAC = 2 tokens keys h
** additive_attention (Bahdanau et al. 2015): score = v . tanh(Wq query + Wk key), without biases, a = hidden:
**     parameters = a (h + e + 1),   MAC = a (tokens h + keys e + tokens keys) + tokens keys e
**
** All tokens are computed at once, as in training with known targets.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { HIDDEN };

static const pm__attribute_rule additive_rules[] = {
  PM__REQUIRED("hidden", HIDDEN, PM__COUNT, 1, 1e9, "features in which queries and keys are added"),
  PM__SHARED_RULE,
  PM__RULES_END,
};
static const pm__attribute_rule dot_rules[] = {PM__RULES_END};

static int shape_additive(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  int status = pm__need_sequence(layer, &inputs[0], error);
  if (status == PM_OK) status = pm__need_sequence(layer, &inputs[1], error);
  layer->output = inputs[0];
  layer->output.size[1] = inputs[1].size[1];
  return status;
}

static int shape_dot(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  int status = shape_additive(layer, inputs, count, error);
  if (status != PM_OK || inputs[0].size[1] == inputs[1].size[1]) return status;
  return pm__fail(error, PM_STATUS_BAD_SHAPE,
                  "dot_attention \"%s\": decoder states of %lld and encoder states of %lld features",
                  layer->name, (long long)inputs[0].size[1], (long long)inputs[1].size[1]);
}

/* Sizes of one sample. */
typedef struct sizes {
  double tokens, keys, query, key; /* features of a query, of a key */
} sizes;

static sizes sizes_of(const pm__layer_kernels *kernels)
{
  const pm__shape *q = &kernels->inputs[0], *k = &kernels->inputs[1];
  return (sizes){(double)q->size[0], (double)k->size[0], (double)q->size[1], (double)k->size[1]};
}

static void add_product(pm__layer_kernels *kernels, pm__pass pass, double m, double n, double k)
{
  pm__add_gemm(kernels, pass, (pm__gemm){1, m, n, k, PM__SCALES_COUNT}, m * k + k * n + m * n, 0);
}

static void add_softmax(pm__layer_kernels *kernels, pm__pass pass, const sizes *s, double flop, double moved,
                        bool inner)
{
  double scores = s->tokens * s->keys;
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__SOFTMAX, (pm__work){flop * scores, moved * scores, 0});
  kernel->shape.row = s->keys;
  kernel->inner = inner;
}

/* Normalised scores and context; `inner`: there are parameters below. */
static void add_context(pm__layer_kernels *kernels, const sizes *s, bool inner)
{
  add_softmax(kernels, PM__FORWARD, s, 5, 2, false);
  add_product(kernels, PM__FORWARD, s->key, s->tokens, s->keys);
  add_product(kernels, PM__DGRAD, s->key, s->keys, s->tokens);
  add_product(kernels, PM__DGRAD, s->keys, s->tokens, s->key);
  kernels->kernel[kernels->count - 1].inner = inner;
  add_softmax(kernels, PM__DGRAD, s, 4, 3, inner);
}

static void count_dot(pm__layer *layer, pm__layer_kernels *kernels)
{
  sizes s = sizes_of(kernels);
  layer->mac = layer->mac_bnl = 2 * s.tokens * s.keys * s.key;
  layer->saved.inputs = true;
  layer->saved.elements = s.tokens * s.keys;
  add_product(kernels, PM__FORWARD, s.keys, s.tokens, s.key);
  add_context(kernels, &s, false);
  add_product(kernels, PM__DGRAD, s.key, s.tokens, s.keys);
  add_product(kernels, PM__DGRAD, s.key, s.keys, s.tokens);
}

/* The projection of queries or keys: rows x features to rows x hidden. */
static void add_projection(pm__layer_kernels *kernels, double rows, double features, double hidden)
{
  double moved = rows * (features + hidden), weights = features * hidden;
  pm__add_gemm(kernels, PM__FORWARD, (pm__gemm){1, hidden, rows, features, PM__SCALES_N}, moved, weights);
  pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){1, features, rows, hidden, PM__SCALES_N}, moved, weights);
  pm__add_gemm(kernels, PM__WGRAD, (pm__gemm){1, hidden, features, rows, PM__SCALES_K}, moved, weights);
}

/* tanh of every sum of a query and a key, and its product with v; backward, the tanh's slope (3 FLOP with the product)
** and the sums over queries and over keys. */
static void add_scores(pm__layer_kernels *kernels, const sizes *s, double hidden)
{
  double scores = s->tokens * s->keys, sums = scores * hidden, terms = (s->tokens + s->keys) * hidden;
  pm__layer_kernel *kernel =
    pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){2 * sums, terms + sums, 0});
  kernel->part = PM__PART_SUMS;
  kernel->part_size = sums;
  pm__add_gemm(kernels, PM__FORWARD, (pm__gemm){1, 1, scores, hidden, PM__SCALES_N}, sums + scores, hidden);
  kernel = pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){1, hidden, scores, 1, PM__SCALES_N}, scores + sums,
                        hidden);
  kernel->inner = true;
  kernel = pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){5 * sums, 2 * sums + terms, 0});
  kernel->inner = true;
  pm__add_gemm(kernels, PM__WGRAD, (pm__gemm){1, 1, hidden, scores, PM__SCALES_K}, sums + scores, hidden);
}

static void count_additive(pm__layer *layer, pm__layer_kernels *kernels)
{
  sizes s = sizes_of(kernels);
  double hidden = layer->attribute[HIDDEN], scores = s.tokens * s.keys;
  layer->parameters = hidden * (s.query + s.key + 1);
  layer->parameter_tensors = 3;
  layer->mac = hidden * (s.tokens * s.query + s.keys * s.key + scores) + scores * s.key;
  layer->mac_bnl = layer->mac;
  layer->saved.inputs = true;
  layer->saved.elements = scores * (hidden + 1); /* tanh, normalised scores */
  add_projection(kernels, s.tokens, s.query, hidden);
  add_projection(kernels, s.keys, s.key, hidden);
  add_scores(kernels, &s, hidden);
  add_context(kernels, &s, true);
}

const pm__layer_kind pm__kind_additive_attention = {
  .name = "additive_attention",
  .doc = "context of decoder states from encoder states, scored by a small network",
  .rules = additive_rules,
  .least_inputs = 2, .most_inputs = 2,
  .shape = shape_additive, .count = count_additive,
  .role = PM__ROLE_DECODER_ATTENTION,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_PARTS},
  .loop = PM__LOOP_ATTENTION,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__MATRICES,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};

const pm__layer_kind pm__kind_dot_attention = {
  .name = "dot_attention",
  .doc = "context of decoder states from encoder states, scored by their dot product",
  .rules = dot_rules,
  .least_inputs = 2, .most_inputs = 2,
  .shape = shape_dot, .count = count_dot,
  .role = PM__ROLE_DECODER_ATTENTION,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_ATTENTION,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
