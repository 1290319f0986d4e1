/*
** Activations, element by element.
**
** FLOP count one for each operation of the formula, exponentials and the like among them: sigmoid 1 / (1 + exp(-x)) is
** exponential, sum, quotient. A gradient computes again what it needs of the forward pass, and multiplies.
*/
#include <math.h>
#include "network/kinds/kinds.h"

typedef enum what_is_kept { KEEPS_INPUT, KEEPS_OUTPUT, KEEPS_OUTPUT_IN_PLACE } what_is_kept;

typedef struct activation {
  double flop, backward_flop; /* per element */
  what_is_kept keeps;
} activation;

static const pm__attribute_rule no_rules[] = {PM__RULES_END};

static void set_saved(pm__layer *layer, what_is_kept keeps)
{
  layer->saved.inputs = keeps == KEEPS_INPUT;
  layer->saved.output = keeps != KEEPS_INPUT;
  layer->saved.in_place = keeps == KEEPS_OUTPUT_IN_PLACE;
}

/* Backward reads what is kept and the output's gradient. */
static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  const activation *traits = (const activation *)layer->kind->variant;
  double elements = layer->elements_out;
  set_saved(layer, traits->keeps);
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){traits->flop * elements, 2 * elements, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE,
                 (pm__work){traits->backward_flop * elements, 3 * elements, 0});
}

/* The one activation that the table of Ren et al. counts. */
static void count_relu(pm__layer *layer, pm__layer_kernels *kernels)
{
  count(layer, kernels);
  layer->mac_bnl = layer->elements_out;
}

static const activation relu = {1, 1, KEEPS_OUTPUT_IN_PLACE};       /* max(0, x) */
static const activation squared_relu = {2, 3, KEEPS_INPUT};         /* max(0, x)^2 */
static const activation relu6 = {2, 2, KEEPS_INPUT};                /* min(max(0, x), 6) */
static const activation leaky_relu = {2, 2, KEEPS_OUTPUT_IN_PLACE}; /* max(x, a x) */
static const activation elu = {3, 3, KEEPS_INPUT};                  /* x, or a (exp(x) - 1) */
static const activation gelu = {5, 11, KEEPS_INPUT};                /* x (1 + erf(x / sqrt 2)) / 2 */
static const activation silu = {4, 8, KEEPS_INPUT};                 /* x sigmoid(x) */
static const activation mish = {5, 13, KEEPS_INPUT};                /* x tanh(log(1 + exp(x))) */
static const activation sigmoid = {3, 3, KEEPS_OUTPUT};             /* dy y (1 - y) */
static const activation hyperbolic = {1, 3, KEEPS_OUTPUT};          /* dy (1 - y y) */
static const activation hardswish = {5, 3, KEEPS_INPUT};            /* x relu6(x + 3) / 6 */
static const activation hardsigmoid = {4, 1, KEEPS_INPUT};          /* relu6(x + 3) / 6 */
static const activation softplus = {3, 4, KEEPS_INPUT};             /* log(1 + exp(x)) */

/* Those that are part of every library's products. */
#define RELU_TRAITS \
  .role = PM__ROLE_ACTIVATION, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ACTIVATION, \
  .inference = PM__INFERENCE_SIMPLE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__NO_PARAMETERS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES

const pm__layer_kind pm__kind_relu = {
  .name = "relu",
  .doc = "max(0, x)",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count_relu,
  .variant = &relu,
  RELU_TRAITS,
};

const pm__layer_kind pm__kind_relu6 = {
  .name = "relu6",
  .doc = "min(max(0, x), 6)",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &relu6,
  RELU_TRAITS,
};

/* By operations: ReLU 2 accesses, square 2; backward twice ReLU's output 2, product 3, the gradient of ReLU 3. */
const pm__layer_kind pm__kind_squared_relu = {
  .name = "squared_relu",
  .doc = "max(0, x) squared",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &squared_relu,
  .role = PM__ROLE_ACTIVATION,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ACTIVATION,
  .inference = PM__INFERENCE_EPILOGUE,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 4, .wide = 0, .cast = 0, .launches = 2},
    .backward = {.accesses = 8, .wide = 0, .cast = 0, .launches = 3}},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};

/* Those that are one kernel of a library, or as cheap as one. */
#define ACTIVATION_TRAITS \
  .role = PM__ROLE_ACTIVATION, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ACTIVATION, \
  .inference = PM__INFERENCE_EPILOGUE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__NO_PARAMETERS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES

const pm__layer_kind pm__kind_leaky_relu = {
  .name = "leaky_relu",
  .doc = "x, or a small part of it below 0",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &leaky_relu,
  ACTIVATION_TRAITS,
};

const pm__layer_kind pm__kind_elu = {
  .name = "elu",
  .doc = "x, or exp(x) - 1 below 0",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &elu,
  ACTIVATION_TRAITS,
};

/* By operations: x (1 + tanh(c (x + a x^3))) / 2, eight of one or two operands; its gradient has thirteen. */
const pm__layer_kind pm__kind_gelu = {
  .name = "gelu",
  .doc = "x times the normal distribution's share below x",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &gelu,
  .role = PM__ROLE_ACTIVATION,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ACTIVATION,
  .inference = PM__INFERENCE_EPILOGUE,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 18, .wide = 0, .cast = 0, .launches = 8},
    .backward = {.accesses = 27, .wide = 0, .cast = 0, .launches = 13}},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_GELU, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};

/* Timed as ReLU and its like are, behind convolutions: with the factor of a framework's own kernels, which is fitted to
** language models, published rates of EfficientNet in inference come out worse (V100, FP32: 15.6 % for 13.3 %). By
** operations: sigmoid 2, product 3; backward the product's two gradients 6, that of sigmoid 3, their sum 3. */
const pm__layer_kind pm__kind_silu = {
  .name = "silu",
  .doc = "x sigmoid(x), also called swish",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &silu,
  .role = PM__ROLE_ACTIVATION,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ACTIVATION,
  .inference = PM__INFERENCE_EPILOGUE,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 5, .wide = 0, .cast = 0, .launches = 2},
    .backward = {.accesses = 12, .wide = 0, .cast = 0, .launches = 4}},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};

const pm__layer_kind pm__kind_mish = {
  .name = "mish",
  .doc = "x tanh(softplus(x))",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &mish,
  ACTIVATION_TRAITS,
};

const pm__layer_kind pm__kind_sigmoid = {
  .name = "sigmoid",
  .doc = "1 / (1 + exp(-x))",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &sigmoid,
  ACTIVATION_TRAITS,
};

const pm__layer_kind pm__kind_tanh = {
  .name = "tanh",
  .doc = "hyperbolic tangent",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &hyperbolic,
  ACTIVATION_TRAITS,
};

const pm__layer_kind pm__kind_hardswish = {
  .name = "hardswish",
  .doc = "x relu6(x + 3) / 6",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &hardswish,
  ACTIVATION_TRAITS,
};

const pm__layer_kind pm__kind_hardsigmoid = {
  .name = "hardsigmoid",
  .doc = "relu6(x + 3) / 6",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &hardsigmoid,
  ACTIVATION_TRAITS,
};

const pm__layer_kind pm__kind_softplus = {
  .name = "softplus",
  .doc = "log(1 + exp(x))",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count,
  .variant = &softplus,
  ACTIVATION_TRAITS,
};

enum { CHANNELS };

static const pm__attribute_rule prelu_rules[] = {
  PM__SWITCHED("channels", CHANNELS, 0, "a learned slope for each channel, not one for all"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static void count_prelu(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out;
  layer->parameters = layer->attribute[CHANNELS] != 0 ? (double)layer->input.size[0] : 1;
  layer->parameter_tensors = 1;
  layer->saved.inputs = true;
  pm__work slope = {2 * elements, 2 * elements, layer->parameters}, data = slope;
  data.elements += elements;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, slope);
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, data);
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, slope);
}

const pm__layer_kind pm__kind_prelu = {
  .name = "prelu",
  .doc = "x, or a learned part of it below 0",
  .rules = prelu_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count_prelu,
  .role = PM__ROLE_ACTIVATION,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_EPILOGUE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};
