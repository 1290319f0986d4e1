/* A learned number for each channel or feature, added or multiplied. */
#include <math.h>
#include "network/kinds/kinds.h"

enum { AXIS };

static const pm__attribute_rule rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, 0, "dimension that has the parameters"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  return pm__axis(layer, AXIS, &inputs[0], error) < 0 ? PM_STATUS_BAD_SHAPE : PM_OK;
}

static void set_parameters(pm__layer *layer)
{
  layer->parameters = (double)layer->input.size[pm__axis(layer, AXIS, &layer->input, NULL)];
  layer->parameter_tensors = 1;
}

/* The gradient of the input is that of the output. */
static void count_bias(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out;
  set_parameters(layer);
  layer->mac_bnl = elements;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){elements, 2 * elements, layer->parameters});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){elements, elements, layer->parameters});
}

static void count_scale(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out;
  set_parameters(layer);
  layer->saved.inputs = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){elements, 2 * elements, layer->parameters});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){elements, 2 * elements, layer->parameters});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE,
                 (pm__work){2 * elements, 2 * elements, layer->parameters});
}

/* Parameters are split with the axis that has them. */
static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  part->out = part->in[0];
  return part->in[0].how != PM__SHARD_TOKENS || pm__axis(layer, AXIS, &part->inputs[0], NULL) != 0;
}

static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  int axis = pm__axis(layer, AXIS, &part->inputs[0], error);
  if (part->in[0].axis != axis) part->whole = (double)part->inputs[0].size[axis];
  return PM_OK;
}

static const pm__sharding_rules sharding = {.accepts = accepts, .divide = divide};

#define TRAITS \
  .role = PM__ROLE_CHANNELWISE, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ALONE, \
  .inference = PM__INFERENCE_SIMPLE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__VECTORS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES, \
  .sharding_rules = &sharding

const pm__layer_kind pm__kind_bias = {
  .name = "bias",
  .doc = "adds a learned number to each channel",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count_bias,
  TRAITS,
};

const pm__layer_kind pm__kind_scale = {
  .name = "scale",
  .doc = "multiplies each channel by a learned number",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count_scale,
  TRAITS,
};
