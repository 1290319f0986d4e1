/*
** DoRA (Liu et al., arXiv:2402.09353): a frozen product and its adapter, of which each output gets a trained length m.
**
**     y = m / |W + B A| (W x + B A x)       |.|: of each row, n of them with k inputs; no gradient flows through it
**
** Inputs are W x and B A x; m are n parameters. As peft and torchtune compute it: B A by way of A's and B's forward
** pass on a unit matrix of k x k, its scaling, the sum with W, and the norms of its rows,
**
**     2 k k + (1 + 2 + 3 + 1) n k numbers moved, whatever the batch
**
** then both inputs times their factors, and two sums: 2 + 2 + 3 + 3 passes over the output. Backward each input's
** gradient is the output's times its factor, and m's are sums over products with both, which are kept. Its products
** have `rank` FLOP for each number that they write and are bound by writing; their FLOP belong to no sample and are not
** counted. Of the passes three matrices of n x k are alive at once.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { IN_FEATURES };
enum { LAUNCHES = 11 };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("in_features", IN_FEATURES, PM__COUNT, 1, 1e9, "inputs of the product whose rows have lengths"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  const pm__shape *a = &inputs[0], *b = &inputs[1];
  (void)count;
  layer->output = *a;
  bool same = a->rank == b->rank;
  for (int i = 0; i < a->rank && same; i++) same = a->size[i] == b->size[i];
  if (same) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "dora \"%s\": its two inputs differ in shape", layer->name);
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double out = layer->elements_out, in = layer->attribute[IN_FEATURES];
  double features = (double)layer->output.size[layer->output.rank - 1], matrix = features * in;
  layer->parameters = features;
  layer->parameter_tensors = 1;
  layer->saved.inputs = true;
  layer->launches = LAUNCHES;
  layer->passing = 3 * matrix;
  pm__add_kernel(kernels, PM__FORWARD, PM__NORM, (pm__work){0, 0, 2 * in * in + 7 * matrix})->shape.row = in;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){4 * out, 10 * out, features});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){3 * out, 7 * out, features});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){4 * out, 4 * out, features});
}

/* Lengths lie as the features do. Where the inputs are split instead, the pass over W is over all of it: too long. */
static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  int last = part->inputs[0].rank - 1;
  (void)layer;
  (void)error;
  if (part->in[0].how != PM__SHARD_FEATURES || part->in[0].axis != last)
    part->whole = (double)part->inputs[0].size[last];
  return PM_OK;
}

static const pm__sharding_rules sharding = {.divide = divide};

const pm__layer_kind pm__kind_dora = {
  .name = "dora",
  .doc = "a product and its adapter, with trained lengths of its outputs",
  .rules = rules,
  .least_inputs = 2, .most_inputs = 2,
  .shape = shape, .count = count,
  .role = PM__ROLE_CHANNELWISE,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding,
};
