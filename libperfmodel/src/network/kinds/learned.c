/*
** Learned vectors that join a sequence: a table of positions that is added to it, tokens that are put in front of it.
**
**     positional_embedding: parameters = positions x features
**     learned_token:        parameters = count x features
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { POSITIONS };

static const pm__attribute_rule position_rules[] = {
  PM__REQUIRED("positions", POSITIONS, PM__COUNT, 1, 1e9, "rows of the table; at least as many as tokens"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

/* Leading dimensions (choices, windows) get the same table each. */
static int shape_positions(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  int rank = inputs[0].rank;
  if (rank < 2) return pm__need_sequence(layer, &inputs[0], error);
  layer->output = inputs[0];
  if ((double)inputs[0].size[rank - 2] <= layer->attribute[POSITIONS]) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE,
                  "positional_embedding \"%s\" has %.0f positions, its input has %lld tokens",
                  layer->name, layer->attribute[POSITIONS], (long long)inputs[0].size[rank - 2]);
}

/* The gradient passes through as it is; that of the table is its sum over the batch. */
static void count_positions(pm__layer *layer, pm__layer_kernels *kernels)
{
  const pm__shape *input = &layer->input;
  double elements = layer->elements_out, features = (double)input->size[input->rank - 1];
  layer->parameters = layer->attribute[POSITIONS] * features;
  layer->parameter_tensors = 1;
  double used = (double)input->size[input->rank - 2] * features;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){elements, 2 * elements, used});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){elements, elements, layer->parameters});
}

enum { COUNT };

static const pm__attribute_rule token_rules[] = {
  PM__OPTIONAL("count", COUNT, PM__COUNT, 1, 1e9, 1, "tokens put in front"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape_tokens(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  layer->output.size[0] += (int64_t)layer->attribute[COUNT];
  return pm__need_sequence(layer, &inputs[0], error);
}

/* A concatenation of the input with the tokens, which are the same for every sample. */
static void count_tokens(pm__layer *layer, pm__layer_kernels *kernels)
{
  double in = layer->elements_in, out = layer->elements_out, learned = out - in;
  layer->parameters = learned;
  layer->parameter_tensors = 1;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, in + out, learned});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2 * in, 0});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){learned, learned, learned});
}

const pm__layer_kind pm__kind_positional_embedding = {
  .name = "positional_embedding",
  .doc = "adds a learned table to a sequence",
  .rules = position_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_positions, .count = count_positions,
  .role = PM__ROLE_CHANNELWISE,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__TABLE,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};

const pm__layer_kind pm__kind_learned_token = {
  .name = "learned_token",
  .doc = "puts learned tokens in front of a sequence",
  .rules = token_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_tokens, .count = count_tokens,
  .role = PM__ROLE_MOVEMENT,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
