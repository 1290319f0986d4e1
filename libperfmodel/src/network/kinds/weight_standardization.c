/*
** Weight standardisation (Qiao et al.): before each forward pass the weights of the convolution behind it are brought
** to mean 0 and variance 1, one output channel at a time, and multiplied by a gain if there is one.
**
**     weights = Co Ci/g K,   parameters = Co of the gains
**
** The layer passes its input on. What it costs does not depend on the batch: as a norm whose rows are the output
** channels it reads the weights twice and writes them, backward it reads weights and gradients twice each and writes.
** No FLOP are counted, as these belong to no sample. An engine does it once, when it is built.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { OUT_CHANNELS, GROUPS, GAIN, KERNEL };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("out_channels", OUT_CHANNELS, PM__COUNT, 1, 1e7, "as of the convolution"),
  PM__REQUIRED("kernel", KERNEL, PM__COUNT, 1, 1e7, "as of the convolution, of both axes"),
  PM__OPTIONAL("groups", GROUPS, PM__COUNT, 1, 1e7, 1, "as of the convolution"),
  PM__SWITCHED("gain", GAIN, 0, "a learned factor of each output channel"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  return pm__need_image(layer, &inputs[0], error);
}

static void add(pm__layer_kernels *kernels, pm__pass pass, double elements, double row)
{
  pm__add_kernel(kernels, pass, PM__NORM, (pm__work){0, 0, elements})->shape.row = row;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  const double *a = layer->attribute;
  double row = (double)layer->input.size[0] / a[GROUPS] * a[KERNEL] * a[KERNEL], weights = row * a[OUT_CHANNELS];
  layer->saved.view = true;
  layer->parameters = a[GAIN] != 0 ? a[OUT_CHANNELS] : 0;
  layer->parameter_tensors = a[GAIN] != 0;
  add(kernels, PM__FORWARD, 3 * weights + layer->parameters, row);
  add(kernels, PM__WGRAD, 5 * weights + 2 * layer->parameters, row);
}

const pm__layer_kind pm__kind_weight_standardization = {
  .name = "weight_standardization",
  .doc = "standardises the weights of the convolution behind it",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_CHANNELWISE,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_MOVEMENT,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
