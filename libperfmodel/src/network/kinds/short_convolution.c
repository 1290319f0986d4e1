/*
** A causal convolution of each feature over the last few tokens, of tokens x features: what state-space layers have
** before their state. With n tokens in a window, MAC = n per element; parameters are n for each feature, and a bias.
** `silu` follows in the same kernel. Decoding carries n - 1 tokens.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { KERNEL, BIAS, SILU };

static const pm__attribute_rule rules[] = {
  PM__OPTIONAL("kernel", KERNEL, PM__COUNT, 1, 1000, 4, "tokens of a window"),
  PM__SWITCHED("bias", BIAS, 0, "a learned number is added to each feature"),
  PM__SWITCHED("silu", SILU, 0, "SiLU of the result"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  int status = pm__need_sequence(layer, &inputs[0], error);
  return status == PM_OK ? pm__shape_same(layer, inputs, count, error) : status;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  const double *a = layer->attribute;
  double elements = layer->elements_out, features = (double)layer->output.size[1];
  double flop = 2 * a[KERNEL] + (a[BIAS] != 0) + (a[SILU] != 0 ? 4 : 0);
  layer->parameters = features * (a[KERNEL] + (a[BIAS] != 0));
  layer->parameter_tensors = 1 + (a[BIAS] != 0);
  layer->mac = a[KERNEL] * elements;
  layer->mac_bnl = layer->mac + (a[BIAS] != 0 ? elements : 0);
  layer->carried = features * (a[KERNEL] - 1);
  layer->saved.inputs = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){flop * elements, 2 * elements, layer->parameters});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){flop * elements, 3 * elements, layer->parameters});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE,
                 (pm__work){2 * a[KERNEL] * elements, 2 * elements, layer->parameters});
}

const pm__layer_kind pm__kind_short_convolution = {
  .name = "short_convolution",
  .doc = "a causal convolution of each feature over a few tokens",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_SCAN,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_FEATURES,
};
