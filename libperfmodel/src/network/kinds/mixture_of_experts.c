/*
** Mixture of experts: a router sends every token to `top_k` of the experts, which are equal two-layer networks, and
** adds up what they return, weighted.
**
**     parameters = f experts + experts c f hidden      f features; c = 2, or 3 with a gate (SwiGLU)
**                  with `bias` experts ((c - 1) hidden + f) more, with `router_bias` experts more
**     MAC        = tokens (f experts + top_k c f hidden)
**
** All experts' parameters exist, and are read and get gradients in every step; a token pays for top_k of them. Tokens
** are taken to spread evenly, none is dropped. FLOP per token and expert besides products: the activation per hidden
** number, ReLU 1, with a gate SiLU 4 and product 1; the weighted sum, 2 per feature but for the first.
**
** Kept for the backward pass: the tokens as sorted by expert, the hidden numbers before and after the activation (with
** gate: both products and their joint result), what the experts return, the router's probabilities, the choice.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { EXPERTS, TOP_K, HIDDEN, GATED, BIAS, ROUTER_BIAS };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("experts", EXPERTS, PM__COUNT, 1, 1e6, "experts"),
  PM__REQUIRED("top_k", TOP_K, PM__COUNT, 1, 1e6, "experts that a token goes to"),
  PM__REQUIRED("hidden", HIDDEN, PM__COUNT, 1, 1e9, "features between an expert's two layers"),
  PM__SWITCHED("gated", GATED, 0, "a third matrix that gates the hidden features"),
  PM__SWITCHED("bias", BIAS, 0, "the experts' layers add a learned number to each feature"),
  PM__SWITCHED("router_bias", ROUTER_BIAS, 0, "a learned number of each expert is added to its scores"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  const double *a = layer->attribute;
  if (a[TOP_K] <= a[EXPERTS]) return pm__shape_same(layer, inputs, count, error);
  return pm__fail(error, PM_STATUS_BAD_VALUE, "mixture_of_experts \"%s\": top_k %.0f is more than its %.0f experts",
                  layer->name, a[TOP_K], a[EXPERTS]);
}

/* Sizes of one sample; `routed` counts a token once for each of its experts. */
typedef struct sizes {
  double experts, tokens, routed, features, hidden, up; /* up: matrices that lead to the hidden features */
  double biases, added; /* learned numbers that are added, and how often: in the pass of the activation, all of them */
} sizes;

static sizes sizes_of(const pm__layer *layer)
{
  const double *a = layer->attribute;
  double features = (double)layer->input.size[layer->input.rank - 1], tokens = layer->elements_in / features;
  sizes s = {a[EXPERTS], tokens, tokens * a[TOP_K], features, a[HIDDEN], a[GATED] != 0 ? 2 : 1, 0, 0};
  double outputs = a[BIAS] != 0 ? s.up * s.hidden + features : 0, scores = a[ROUTER_BIAS] != 0 ? 1 : 0;
  s.biases = s.experts * (outputs + scores);
  s.added = s.routed * outputs + tokens * s.experts * scores;
  return s;
}

/* out = in x weights in `count` equal matrices, and its two gradients; rows go evenly to them. */
static void add_product(pm__layer_kernels *kernels, double count, double rows, double in, double out, bool inner)
{
  double n = rows / count, moved = rows * (in + out), weights = count * in * out;
  pm__add_gemm(kernels, PM__FORWARD, (pm__gemm){count, out, n, in, PM__SCALES_N}, moved, weights);
  pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){count, in, n, out, PM__SCALES_N}, moved, weights)->inner = inner;
  pm__add_gemm(kernels, PM__WGRAD, (pm__gemm){count, out, in, n, PM__SCALES_K}, moved, weights);
}

static pm__layer_kernel *add_pass(pm__layer_kernels *kernels, pm__pass pass, pm__family family, double flop, double moved)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, family, (pm__work){flop, moved, 0});
  kernel->inner = true;
  return kernel;
}

static void add_router(pm__layer_kernels *kernels, const sizes *s)
{
  double scores = s->tokens * s->experts;
  add_product(kernels, 1, s->tokens, s->features, s->experts, false);
  add_pass(kernels, PM__FORWARD, PM__SOFTMAX, 5 * scores, 2 * scores)->shape.row = s->experts;
  add_pass(kernels, PM__DGRAD, PM__SOFTMAX, 4 * scores, 3 * scores)->shape.row = s->experts;
}

/* Tokens to their experts; backward, a token's gradients are added up. */
static void add_dispatch(pm__layer_kernels *kernels, const sizes *s)
{
  double sent = s->routed * s->features, own = s->tokens * s->features;
  add_pass(kernels, PM__FORWARD, PM__GATHER, 0, 2 * sent)->shape.row = s->features;
  pm__layer_kernel *kernel = add_pass(kernels, PM__DGRAD, PM__GATHER, sent - own, sent + own);
  kernel->shape.row = s->features;
  kernel->inner = false;
}

static void add_activation(pm__layer_kernels *kernels, const sizes *s)
{
  double hidden = s->routed * s->hidden;
  bool gated = s->up > 1;
  add_pass(kernels, PM__FORWARD, PM__ELEMENTWISE, (gated ? 5 : 1) * hidden + s->added, (s->up + 1) * hidden);
  add_pass(kernels, PM__DGRAD, PM__ELEMENTWISE, (gated ? 14 : 1) * hidden, (2 * s->up + 1) * hidden);
}

/* The weighted sum; backward, the gradients of what the experts returned and of the weights. */
static void add_combination(pm__layer_kernels *kernels, const sizes *s)
{
  double sent = s->routed * s->features, own = s->tokens * s->features;
  add_pass(kernels, PM__FORWARD, PM__GATHER, 2 * sent - own, sent + own + s->routed)->shape.row = s->features;
  add_pass(kernels, PM__DGRAD, PM__GATHER, 3 * sent, 2 * sent + own + 2 * s->routed)->shape.row = s->features;
}

/* Backward, the gradient of a bias is the sum of those that it was added to. */
static void add_biases(pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  const double *a = layer->attribute;
  if (s->biases == 0) return;
  layer->parameters += s->biases;
  layer->parameter_tensors += (int)((a[BIAS] != 0 ? s->experts * (s->up + 1) : 0) + (a[ROUTER_BIAS] != 0 ? 1 : 0));
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){s->added, s->added, s->biases});
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  sizes s = sizes_of(layer);
  double expert = (s.up + 1) * s.features * s.hidden;
  layer->parameters = s.features * s.experts + s.experts * expert;
  layer->parameter_tensors = (int)(1 + s.experts * (s.up + 1));
  layer->mac = layer->mac_bnl = s.tokens * s.features * s.experts + s.routed * expert;
  layer->saved.inputs = true;
  layer->saved.elements = s.routed * (2 * s.features + (s.up + 1) * s.hidden) + s.tokens * s.experts;
  layer->saved.index_elements = s.routed;
  add_router(kernels, &s);
  add_dispatch(kernels, &s);
  add_product(kernels, s.experts, s.routed, s.features, s.up * s.hidden, false);
  add_activation(kernels, &s);
  add_product(kernels, s.experts, s.routed, s.hidden, s.features, true);
  add_combination(kernels, &s);
  add_biases(layer, kernels, &s);
}

const pm__layer_kind pm__kind_mixture_of_experts = {
  .name = "mixture_of_experts",
  .doc = "sends every token to a few of many two-layer networks",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_EXPERTS,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_CHOICE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__MATRICES,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS,
};
