/*
** Sums, differences, products, quotients and other functions of inputs of the same shape, or of sizes of 1 that are
** broadcast. With one input, the other operand is a constant.
**
** A gradient towards a broadcast input is summed to its size: one more FLOP per element of the output.
*/
#include <math.h>
#include "network/kinds/kinds.h"

static const pm__attribute_rule no_rules[] = {PM__RULES_END};

/* FLOP per element of the output. The gradients of all inputs are one entry. */
static void add_kernels(const pm__layer *layer, pm__layer_kernels *kernels, double flop, pm__work backward)
{
  double elements = layer->elements_out;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){flop * elements, layer->elements_in + elements, 0});
  if (backward.elements > 0) pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, backward);
}

/* Sums over the output's gradient for the inputs that were broadcast. */
static pm__work reductions(const pm__layer *layer, const pm__layer_kernels *kernels)
{
  pm__work work = {0, 0, 0};
  for (int i = 0; i < kernels->input_count; i++) {
    double elements = pm__shape_elements(&kernels->inputs[i]);
    if (elements == layer->elements_out) continue;
    work.flop += layer->elements_out;
    work.elements += layer->elements_out + elements;
  }
  return work;
}

static double operations(const pm__layer_kernels *kernels)
{
  return kernels->input_count > 1 ? kernels->input_count - 1 : 1;
}

/* Backward, the gradient passes through as it is. */
static void count_add(pm__layer *layer, pm__layer_kernels *kernels)
{
  add_kernels(layer, kernels, operations(kernels), reductions(layer, kernels));
}

/* The gradient of what is subtracted changes its sign, in the sum over it if there is one. */
static void count_subtract(pm__layer *layer, pm__layer_kernels *kernels)
{
  double out = layer->elements_out;
  pm__work backward = reductions(layer, kernels);
  if (kernels->input_count > 1 && pm__shape_elements(&kernels->inputs[1]) == out) {
    backward.flop += out;
    backward.elements += 2 * out;
  }
  add_kernels(layer, kernels, 1, backward);
}

/* The gradient of each input is that of the output times all other inputs. */
static void count_multiply(pm__layer *layer, pm__layer_kernels *kernels)
{
  double out = layer->elements_out, inputs = kernels->input_count;
  layer->saved.inputs = inputs > 1;
  add_kernels(layer, kernels, operations(kernels),
              (pm__work){inputs * operations(kernels) * out + reductions(layer, kernels).flop,
                         inputs * (layer->elements_in + out), 0});
}

/* dx / y of the first; of the second -(dx (x / y)) / y. */
static void count_divide(pm__layer *layer, pm__layer_kernels *kernels)
{
  bool two = kernels->input_count > 1;
  double out = layer->elements_out, second = two ? pm__shape_elements(&kernels->inputs[1]) : 0;
  layer->saved.inputs = two;
  add_kernels(layer, kernels, 1,
              (pm__work){(two ? 5 : 1) * out + reductions(layer, kernels).flop,
                         (two ? 2 : 1) * (layer->elements_in + out) + second, 0});
}

const pm__layer_kind pm__kind_add = {
  .name = "add",
  .doc = "sum of its inputs, or of one and a constant",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = PM__ANY_NUMBER,
  .shape = pm__shape_broadcast, .count = count_add,
  .role = PM__ROLE_POINTWISE,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_SUM,
  .inference = PM__INFERENCE_EPILOGUE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_PASSED,
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_PASSED},
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};

#define TRAITS \
  .role = PM__ROLE_POINTWISE, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ALONE, \
  .inference = PM__INFERENCE_EPILOGUE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__NO_PARAMETERS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES

const pm__layer_kind pm__kind_subtract = {
  .name = "subtract",
  .doc = "first input less the second, or a constant",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 2,
  .shape = pm__shape_broadcast, .count = count_subtract,
  TRAITS,
};

const pm__layer_kind pm__kind_multiply = {
  .name = "multiply",
  .doc = "product of its inputs, or of one and a constant",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = PM__ANY_NUMBER,
  .shape = pm__shape_broadcast, .count = count_multiply,
  TRAITS,
};

const pm__layer_kind pm__kind_divide = {
  .name = "divide",
  .doc = "first input over the second, or a constant",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 2,
  .shape = pm__shape_broadcast, .count = count_divide,
  TRAITS,
};

enum { FLOP, KEEPS, WAITED, DETECTED, PROPOSED, COMPARED, LAUNCHES };
enum { INPUTS, OUTPUT, NOTHING };

static const char *const keeps_words[] = {"inputs", "output", "nothing", NULL};

static const pm__attribute_rule pointwise_rules[] = {
  PM__OPTIONAL("flop", FLOP, PM__NUMBER, 0, 1e6, 1, "operations per element of the output, in each direction"),
  PM__CHOSEN("keeps", KEEPS, keeps_words, "what the gradient needs of the forward pass"),
  PM__OPTIONAL("waited", WAITED, PM__NUMBER, 0, 1e6, 0,
               "operations on each sample that the GPU waits for, in training"),
  PM__OPTIONAL("waited_in_inference", DETECTED, PM__NUMBER, 0, 1e6, 0, "the same of a trained network"),
  PM__OPTIONAL("compared", PROPOSED, PM__NUMBER, 0, 1e12, 0,
               "pairs of boxes of each sample compared for overlap, in training"),
  PM__OPTIONAL("compared_in_inference", COMPARED, PM__NUMBER, 0, 1e12, 0, "the same of a trained network"),
  PM__OPTIONAL("launches", LAUNCHES, PM__COUNT, 1, 64, 1,
               "kernels of the forward pass where none are fused, most on few numbers"),
  PM__RULES_END,
};

static void count_pointwise(pm__layer *layer, pm__layer_kernels *kernels)
{
  int keeps = (int)layer->attribute[KEEPS];
  double out = layer->elements_out, in = layer->elements_in, flop = layer->attribute[FLOP];
  double reads = keeps == INPUTS ? in : keeps == OUTPUT ? out : 0;
  layer->saved.inputs = keeps == INPUTS;
  layer->saved.output = keeps == OUTPUT;
  layer->launches = layer->attribute[LAUNCHES];
  add_kernels(layer, kernels, flop,
              (pm__work){flop * out + reductions(layer, kernels).flop, out + reads + in, 0});
  layer->compared = layer->attribute[PROPOSED];
  layer->waited_in_inference = layer->attribute[DETECTED];
  layer->compared_in_inference = layer->attribute[COMPARED];
  if (layer->attribute[WAITED] == 0 && layer->waited_in_inference == 0) return;
  kernels->kernel[0].part = PM__PART_WAITED;
  kernels->kernel[0].part_size = layer->attribute[WAITED];
}

const pm__layer_kind pm__kind_pointwise = {
  .name = "pointwise",
  .doc = "any other function, element by element",
  .rules = pointwise_rules,
  .least_inputs = 1, .most_inputs = PM__ANY_NUMBER,
  .shape = pm__shape_broadcast, .count = count_pointwise,
  TRAITS,
};

enum { RATE };

static const pm__attribute_rule dropout_rules[] = {
  PM__OPTIONAL("rate", RATE, PM__NUMBER, 0, 1, 0.5, "part of the elements that is dropped in training"),
  PM__RULES_END,
};

/* Input, output and the mask. */
static void count_dropout(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out;
  layer->saved.mask_elements = layer->attribute[RATE] > 0 ? elements : 0;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0})->dropout = true;
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
}

const pm__layer_kind pm__kind_dropout = {
  .name = "dropout",
  .doc = "sets random elements to 0 in training",
  .rules = dropout_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count_dropout,
  .role = PM__ROLE_DROPOUT,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_NOTHING,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 10, .wide = 5, .cast = 0, .launches = 5},
    .backward = {.accesses = 5, .wide = 0, .cast = 0, .launches = 2}},
  .loop = PM__LOOP_PASSED,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};
