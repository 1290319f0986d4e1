/*
** Activations, element by element.
**
** FLOP count one for each operation of the formula, exponentials and the like among them: sigmoid 1 / (1 + exp(-x)) is
** exponential, sum, quotient. A gradient computes again what it needs of the forward pass, and multiplies.
*/
#include <math.h>
#include "network/layer.h"

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
static void count(pm__layer *layer, pm__kernel_list *kernels)
{
  const activation *traits = (const activation *)layer->kind->traits;
  double elements = layer->elements_out;
  set_saved(layer, traits->keeps);
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){traits->flop * elements, 2 * elements, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE,
                 (pm__work){traits->backward_flop * elements, 3 * elements, 0});
}

/* The one activation that the table of Ren et al. counts. */
static void count_relu(pm__layer *layer, pm__kernel_list *kernels)
{
  count(layer, kernels);
  layer->mac_bnl = layer->elements_out;
}

static const activation relu = {1, 1, KEEPS_OUTPUT_IN_PLACE};       /* max(0, x) */
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

#define ACTIVATION(name, function, doc, traits) \
  const pm__layer_kind pm__##name = {#name, no_rules, 1, 1, pm__shape_same, function, doc, &traits};

ACTIVATION(relu, count_relu, "max(0, x)", relu)
ACTIVATION(relu6, count, "min(max(0, x), 6)", relu6)
ACTIVATION(leaky_relu, count, "x, or a small part of it below 0", leaky_relu)
ACTIVATION(elu, count, "x, or exp(x) - 1 below 0", elu)
ACTIVATION(gelu, count, "x times the normal distribution's share below x", gelu)
ACTIVATION(silu, count, "x sigmoid(x), also called swish", silu)
ACTIVATION(mish, count, "x tanh(softplus(x))", mish)
ACTIVATION(sigmoid, count, "1 / (1 + exp(-x))", sigmoid)
ACTIVATION(tanh, count, "hyperbolic tangent", hyperbolic)
ACTIVATION(hardswish, count, "x relu6(x + 3) / 6", hardswish)
ACTIVATION(hardsigmoid, count, "relu6(x + 3) / 6", hardsigmoid)
ACTIVATION(softplus, count, "log(1 + exp(x))", softplus)

enum { CHANNELS };

static const pm__attribute_rule prelu_rules[] = {
  PM__SWITCHED("channels", CHANNELS, 0, "a learned slope for each channel, not one for all"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static void count_prelu(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out;
  layer->parameters = layer->attribute[CHANNELS] != 0 ? (double)layer->input.size[0] : 1;
  layer->parameter_tensors = 1;
  layer->saved.inputs = true;
  pm__work slope = {2 * elements, 2 * elements, layer->parameters}, data = slope;
  data.elements += elements;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, slope);
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, data);
  pm__add_kernel(kernels, PM__BACKWARD_WEIGHT, PM__ELEMENTWISE, slope);
}

const pm__layer_kind pm__prelu = {"prelu", prelu_rules, 1, 1, pm__shape_same, count_prelu,
                                  "x, or a learned part of it below 0", NULL};
