/*
** Squeeze and excitation: a gate for each channel, computed from the averages of all channels.
**
**     y = x gate(W2 activation(W1 mean(x)))         parameters = 2 C r + r + C,   MAC = 2 C r
**
** Made of the layers that it stands for, so that its counts are theirs.
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/kinds/kinds.h"

enum { REDUCED, ACTIVATION, GATE, BIAS };
enum { RELU, SIGMOID = 0 };

static const char *const activation_words[] = {"relu", "silu", NULL};
static const char *const gate_words[] = {"sigmoid", "hardsigmoid", NULL};
static const pm__layer_kind *const activations[] = {&pm__kind_relu, &pm__kind_silu};
static const pm__layer_kind *const gates[] = {&pm__kind_sigmoid, &pm__kind_hardsigmoid};

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("reduced", REDUCED, PM__COUNT, 1, 1e7, "channels between the two products"),
  PM__CHOSEN("activation", ACTIVATION, activation_words, "between the two products"),
  PM__CHOSEN("gate", GATE, gate_words, "behind the second product"),
  PM__SWITCHED("bias", BIAS, 1, "of both products"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  return pm__need_image(layer, &inputs[0], error);
}

/* Counts a layer of that kind as a part of the whole; returns its output. The gate's gradients are needed by the
** parameters even where none of the input is wanted. */
static pm__shape add_part(pm__layer *whole, pm__layer_kernels *kernels, const pm__layer_kind *kind, double out_channels,
                          const pm__shape *inputs, int count)
{
  char number[32];
  pm__layer part;
  pm__layer_kernels list;
  const char *bias = whole->attribute[BIAS] != 0 ? "yes" : "no";
  pm_attribute attributes[] = {{"out_channels", number}, {"kernel", "1"}, {"bias", bias}};
  memset(&part, 0, sizeof part);
  snprintf(number, sizeof number, "%.0f", out_channels);
  part.kind = kind;
  pm__layer_read_attributes(&part, attributes, out_channels > 0 ? 3 : 0, NULL);
  part.input = inputs[0];
  for (int i = 0; i < count; i++) part.elements_in += pm__shape_elements(&inputs[i]);
  kind->shape(&part, inputs, count, NULL);
  part.elements_out = pm__shape_elements(&part.output);
  list.count = 0;
  list.inputs = inputs;
  list.input_count = count;
  kind->count(&part, &list);
  for (int i = 0; i < list.count; i++) {
    list.kernel[i].inner = kind != &pm__kind_global_avg_pool;
    kernels->kernel[kernels->count++] = list.kernel[i];
  }
  whole->parameters += part.parameters;
  whole->parameter_tensors += part.parameter_tensors;
  whole->mac += part.mac;
  whole->mac_bnl += part.mac_bnl;
  return part.output;
}

/* Besides the input: the averages, what the activation and the gate keep, and the inputs of the products. */
static double kept(const pm__layer *layer, double channels, double reduced)
{
  bool relu = layer->attribute[ACTIVATION] == RELU, sigmoid = layer->attribute[GATE] == SIGMOID;
  return channels + (relu ? 1 : 2) * reduced + (sigmoid ? 1 : 2) * channels;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  const double *a = layer->attribute;
  double channels = (double)layer->input.size[0], elements = layer->elements_in;
  pm__shape product[2] = {layer->input, layer->input};
  pm__shape x = add_part(layer, kernels, &pm__kind_global_avg_pool, 0, &layer->input, 1);
  x = add_part(layer, kernels, &pm__kind_conv2d, a[REDUCED], &x, 1);
  x = add_part(layer, kernels, activations[(int)a[ACTIVATION]], 0, &x, 1);
  x = add_part(layer, kernels, &pm__kind_conv2d, channels, &x, 1);
  product[1] = add_part(layer, kernels, gates[(int)a[GATE]], 0, &x, 1);
  add_part(layer, kernels, &pm__kind_multiply, 0, product, 2);
  /* The input's two gradients are added. */
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
  layer->saved.inputs = true;
  layer->saved.elements = kept(layer, channels, a[REDUCED]);
}

const pm__layer_kind pm__kind_squeeze_excitation = {
  .name = "squeeze_excitation",
  .doc = "a gate for each channel from the averages of all",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_COMPOSITE,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__MATRICES,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
