/*
** Mixture of experts: a router sends every token to `top_k` of the experts, which are equal two-layer networks, and
** adds up what they return, weighted.
**
**     parameters = f experts + experts c f hidden      f features; c = 2, or 3 with a gate (SwiGLU)
**                  with `bias` experts ((c - 1) hidden + f) more, with `router_bias` experts more;
**                  (r - f) experts more where the router sees r features, the rows before they were made narrower
**     MAC        = tokens (r experts + top_k c f hidden)
**
** All experts' parameters exist, and are read and get gradients in every step; a token pays for top_k of them. Tokens
** are taken to spread evenly, none is dropped. FLOP per token and expert besides products: the activation per hidden
** number, ReLU 1, with a gate SiLU 4 and product 1; the weighted sum, 2 per feature but for the first.
**
** Kept for the backward pass: the tokens as sorted by expert, the hidden numbers before and after the activation (with
** gate: both products and their joint result), what the experts return, the router's probabilities, the choice.
**
** Over GPUs: each has some of the experts, and of each expert some of the hidden features. Rows go to the GPU of their
** expert and come back; those that share an expert gather their rows and add up what it returns. Each routes its own
** tokens; where a tensor group has the same ones (no sequence parallelism) it can only share every expert as a whole.
**
** Adapters of experts are a layer of this kind with a rank: beside each matrix of each expert two narrow ones, for the
** rows that the experts have anyway. They keep the rows as sorted, the hidden numbers and what the first of the two
** make of them; sums are passes over hidden numbers and over what the experts return.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { EXPERTS, TOP_K, HIDDEN, GATED, BIAS, ROUTER_BIAS, ROUTER_FEATURES };

/* No attributes of its own: experts on this GPU, rows that they get over those that this GPU sends; 0: all, as many;
** the rank of adapters, 0: experts themselves. */
enum { OWN_EXPERTS = PM__SHARED - 1, RECEIVED = PM__SHARED - 2, RANK = PM__SHARED - 3 };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("experts", EXPERTS, PM__COUNT, 1, 1e6, "experts"),
  PM__REQUIRED("top_k", TOP_K, PM__COUNT, 1, 1e6, "experts that a token goes to"),
  PM__REQUIRED("hidden", HIDDEN, PM__COUNT, 1, 1e9, "features between an expert's two layers"),
  PM__SWITCHED("gated", GATED, 0, "a third matrix that gates the hidden features"),
  PM__SWITCHED("bias", BIAS, 0, "the experts' layers add a learned number to each feature"),
  PM__SWITCHED("router_bias", ROUTER_BIAS, 0, "a learned number of each expert is added to its scores"),
  PM__OPTIONAL("router_features", ROUTER_FEATURES, PM__COUNT, 0, 1e9, 0,
               "features that the router sees, where the experts get narrower rows"),
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

/* Sizes of one sample; `routed` counts a token once for each of its experts, `received` what they get on this GPU. */
typedef struct sizes {
  double experts, tokens, routed, features, hidden, up; /* up: matrices that lead to the hidden features */
  double seen; /* features that the router sees */
  double own, received;
  double biases, added; /* learned numbers that are added, and how often: in the pass of the activation, all of them */
} sizes;

static sizes sizes_of(const pm__layer *layer)
{
  const double *a = layer->attribute;
  double features = (double)layer->input.size[layer->input.rank - 1], tokens = layer->elements_in / features;
  sizes s = {.experts = a[EXPERTS], .tokens = tokens, .routed = tokens * a[TOP_K], .features = features,
    .hidden = a[HIDDEN], .up = a[GATED] != 0 ? 2 : 1};
  s.seen = a[ROUTER_FEATURES] > 0 ? a[ROUTER_FEATURES] : features;
  s.own = a[OWN_EXPERTS] > 0 ? a[OWN_EXPERTS] : s.experts;
  s.received = a[RECEIVED] > 0 ? s.routed * a[RECEIVED] : s.routed;
  double outputs = a[BIAS] != 0 ? s.up * s.hidden + features : 0, scores = a[ROUTER_BIAS] != 0 ? 1 : 0;
  s.biases = s.own * outputs + s.experts * scores;
  s.added = s.received * outputs + tokens * s.experts * scores;
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

static pm__layer_kernel *add_pass(pm__layer_kernels *kernels, pm__pass pass, pm__family family, double flop,
                                  double moved)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, family, (pm__work){flop, moved, 0});
  kernel->inner = true;
  return kernel;
}

static void add_router(pm__layer_kernels *kernels, const sizes *s)
{
  double scores = s->tokens * s->experts;
  add_product(kernels, 1, s->tokens, s->seen, s->experts, false);
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

/* Rows come ordered by the GPU that sent them, and go back so. */
static void add_second_sort(pm__layer_kernels *kernels, const sizes *s)
{
  if (s->own == s->experts) return;
  for (int i = 0; i < 2; i++) {
    add_pass(kernels, PM__FORWARD, PM__GATHER, 0, 2 * s->received * s->features)->shape.row = s->features;
    add_pass(kernels, PM__DGRAD, PM__GATHER, 0, 2 * s->received * s->features)->shape.row = s->features;
  }
}

static void add_activation(pm__layer_kernels *kernels, const sizes *s)
{
  double hidden = s->received * s->hidden;
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
  layer->expert_outputs = a[BIAS] != 0 ? s->received * s->features : 0;
  layer->parameters += s->biases;
  layer->parameter_tensors += (int)((a[BIAS] != 0 ? s->own * (s->up + 1) : 0) + (a[ROUTER_BIAS] != 0 ? 1 : 0));
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){s->added, s->added, s->biases});
}

static double adapter_parameters(double up, double features, double hidden, double rank)
{
  return (up + 1) * rank * (features + hidden);
}

static void count_adapters(pm__layer *layer, pm__layer_kernels *kernels, const sizes *s, double rank)
{
  double each = adapter_parameters(s->up, s->features, s->hidden, rank);
  double sums = 3 * (s->received * (s->up * s->hidden + s->features) - s->tokens * s->features);
  layer->parameters = s->own * each;
  layer->parameter_tensors = (int)(2 * s->own * (s->up + 1));
  layer->mac = layer->mac_bnl = s->received * each;
  layer->saved.elements = s->received * (s->features + s->hidden + rank * (s->up + 1));
  add_product(kernels, s->own, s->received, s->features, s->up * rank, false);
  add_product(kernels, s->own * s->up, s->received * s->up, rank, s->hidden, true);
  add_product(kernels, s->own, s->received, s->hidden, rank, true);
  add_product(kernels, s->own, s->received, rank, s->features, true);
  if (sums > 0) add_pass(kernels, PM__FORWARD, PM__ELEMENTWISE, sums / 3, sums);
  add_pass(kernels, PM__DGRAD, PM__ELEMENTWISE, s->received * (s->features + s->hidden),
           3 * s->received * (s->features + s->hidden));
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  sizes s = sizes_of(layer);
  if (layer->attribute[RANK] > 0) {
    count_adapters(layer, kernels, &s, layer->attribute[RANK]);
    return;
  }
  double expert = (s.up + 1) * s.features * s.hidden;
  layer->parameters = s.seen * s.experts + s.own * expert;
  layer->parameter_tensors = (int)(1 + s.own * (s.up + 1));
  layer->mac = layer->mac_bnl = s.tokens * s.seen * s.experts + s.received * expert;
  layer->saved.inputs = true;
  layer->saved.linear_elements = s.received * (s.features + s.hidden);
  layer->saved.elements = s.received * s.up * s.hidden + s.routed * s.features + s.tokens * s.experts;
  layer->saved.index_elements = s.routed;
  add_router(kernels, &s);
  add_dispatch(kernels, &s);
  add_second_sort(kernels, &s);
  add_product(kernels, s.own, s.received, s.features, s.up * s.hidden, false);
  add_activation(kernels, &s);
  add_product(kernels, s.own, s.received, s.hidden, s.features, true);
  add_combination(kernels, &s);
  add_biases(layer, kernels, &s);
}

static bool same_tokens(const pm__sharding_degrees *degrees)
{
  return degrees->tensor > 1 && !degrees->sequence;
}

/* A tensor group with the same tokens has summands of the result. */
static pm__sharding_state split_output(const pm__layer *layer, const pm__shape *inputs,
                                       const pm__sharding_degrees *degrees)
{
  (void)layer;
  (void)inputs;
  bool shares = same_tokens(degrees) && degrees->expert_tensor == degrees->tensor;
  return (pm__sharding_state){shares ? PM__SHARD_PARTIAL : (pm__sharding)0, 0, degrees->tensor};
}

static int check_degrees(const pm__layer *layer, const pm__sharding_degrees *degrees, pm_error *error)
{
  const double *a = layer->attribute;
  int status = pm__sharding_check(layer, a[EXPERTS], "experts", degrees->expert, error);
  if (status == PM_OK) status = pm__sharding_check(layer, a[HIDDEN], "features", degrees->expert_tensor, error);
  if (status != PM_OK || !same_tokens(degrees) || degrees->expert_tensor == 1 ||
      degrees->expert_tensor == degrees->tensor)
    return status;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "mixture_of_experts \"%s\": experts over %d of %d GPUs of a tensor group "
                  "need sequence parallelism", layer->name, degrees->expert_tensor, degrees->tensor);
}

/* Both ways, before the experts and after them. */
static void add_dispatches(pm__sharding_part *part, pm__pass pass, const double *attribute, double sent)
{
  for (int i = 0; i < 2 && part->degrees->expert > 1; i++) {
    pm__sharding_exchange *e = pm__sharding_add(part, pass, PM__SHARDING_ALL_TO_ALL, PM__AXIS_EXPERT, sent);
    e->experts = attribute[EXPERTS];
    e->picks = attribute[TOP_K];
  }
}

static void add_exchanges(pm__sharding_part *part, const double *attribute, double sent, double gathered)
{
  static const pm__pass passes[] = {PM__FORWARD, PM__DGRAD};
  for (int i = 0; i < 2; i++) {
    add_dispatches(part, passes[i], attribute, sent);
    if (gathered == sent) continue;
    pm__sharding_add(part, passes[i], PM__SHARDING_ALL_GATHER, PM__AXIS_EXPERT_TENSOR, gathered);
    pm__sharding_add(part, passes[i], PM__SHARDING_REDUCE_SCATTER, PM__AXIS_EXPERT_TENSOR, gathered);
  }
}

/* The busiest GPU's rows over the mean. */
static double load_of(const pm__sharding_degrees *degrees)
{
  double imbalance = degrees->imbalance > 0 ? degrees->imbalance : 1;
  return degrees->capacity > 0 ? fmin(imbalance, degrees->capacity) : imbalance;
}

static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  const pm__sharding_degrees *d = part->degrees;
  double *a = layer->attribute, features = (double)part->inputs[0].size[part->inputs[0].rank - 1];
  int status = check_degrees(layer, d, error);
  double tokens = pm__sharding_rows(part) / d->context / (part->in[0].how == PM__SHARD_TOKENS ? d->tensor : 1);
  double tensor_ranks = part->splits_output ? 1 : d->expert_tensor, sent = tokens * a[TOP_K] * features;
  if (a[RANK] == 0) add_exchanges(part, a, sent, sent * tensor_ranks);
  a[OWN_EXPERTS] = d->expert > 1 ? a[EXPERTS] / d->expert : 0;
  a[RECEIVED] = tensor_ranks * load_of(d) != 1 ? tensor_ranks * load_of(d) : 0;
  a[HIDDEN] /= d->expert_tensor;
  double up = a[GATED] != 0 ? 2 : 1, each = (up + 1) * features * a[HIDDEN];
  each += a[BIAS] != 0 ? up * a[HIDDEN] + features : 0;
  double seen = a[ROUTER_FEATURES] > 0 ? a[ROUTER_FEATURES] : features;
  part->whole = a[EXPERTS] * (seen + (a[ROUTER_BIAS] != 0 ? 1 : 0));
  if (a[RANK] > 0) each = adapter_parameters(up, features, a[HIDDEN], a[RANK]);
  part->whole = a[RANK] > 0 ? 0 : part->whole;
  part->expert = a[EXPERTS] / d->expert * each;
  return status;
}

void pm__experts_become_adapters(pm__layer *model, int rank)
{
  model->attribute[BIAS] = model->attribute[ROUTER_BIAS] = model->attribute[PM__SHARED] = 0;
  model->attribute[RANK] = rank;
}

static const pm__sharding_rules sharding = {.split_output = split_output, .divide = divide, .always = true};

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
  .sharding_rules = &sharding,
};
