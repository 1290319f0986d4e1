/*
** Transposed convolutions: each is the gradient of data of a convolution that goes the other way.
**
**     size = (input - 1) stride - padding - padding_end + dilation (kernel - 1) + output_padding + 1
**     parameters = Co (Ci/g K + bias),   MAC = positions of the input x Ci Co/g K
*/
#include <math.h>
#include "network/kinds/conv.h"

enum { OUTPUT_PADDING = PM__CONV_OWN };

static const pm__attribute_rule rules[] = {
  PM__CONV_CHANNELS_RULE,
  PM__CONV_WINDOW_RULES,
  PM__OPTIONAL("output_padding", OUTPUT_PADDING, PM__TUPLE, 0, 1e5, 0, "further elements behind the output"),
  PM__CONV_GROUPS_RULE,
  PM__CONV_PARAMETER_RULES,
  PM__RULES_END,
};

static const pm__conv_traits one = {1}, two = {2}, three = {3};

/* Elements that no stride would ever reach are refused. */
static int check_output_padding(const pm__layer *layer, int axes, pm_error *error)
{
  const double *a = layer->attribute;
  for (int i = 0; i < axes; i++)
    if (a[OUTPUT_PADDING + i] >= a[PM__CONV_STRIDE + i] && a[OUTPUT_PADDING + i] >= a[PM__CONV_DILATION + i])
      return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": output_padding %.0f is below neither stride %.0f nor "
                      "dilation %.0f", layer->kind->name, layer->name, a[OUTPUT_PADDING + i], a[PM__CONV_STRIDE + i],
                      a[PM__CONV_DILATION + i]);
  return PM_OK;
}

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  const double *a = layer->attribute;
  int axes = ((const pm__conv_traits *)layer->kind->variant)->axes, status;
  status = pm__need_space(layer, &inputs[0], axes, error);
  if (status == PM_OK) status = pm__check_tuples(layer, axes, error);
  if (status == PM_OK) status = pm__conv_check_groups(layer, inputs[0].size[0], a[PM__CONV_OUT_CHANNELS], error);
  if (status == PM_OK) status = check_output_padding(layer, axes, error);
  if (status != PM_OK) return status;
  layer->output.rank = 1 + axes;
  layer->output.size[0] = (int64_t)a[PM__CONV_OUT_CHANNELS];
  for (int i = 0; i < axes; i++)
    layer->output.size[1 + i] =
      pm__size(((double)inputs[0].size[1 + i] - 1) * a[PM__CONV_STRIDE + i] - a[PM__CONV_PADDING + i] -
               a[PM__CONV_PADDING_END + i] + a[PM__CONV_DILATION + i] * (a[PM__CONV_KERNEL + i] - 1) +
               a[OUTPUT_PADDING + i] + 1);
  return PM_OK;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  pm__conv geometry = {0};
  geometry.channels = layer->attribute[PM__CONV_OUT_CHANNELS];
  geometry.out_channels = (double)layer->input.size[0];
  geometry.groups = layer->attribute[PM__CONV_GROUPS];
  geometry.transposed = true;
  pm__conv_space(layer, &layer->output, &layer->input, &geometry);
  double per_input = geometry.channels / geometry.groups * pm__conv_window(layer);
  pm__conv_count(layer, kernels, geometry.out_channels * per_input, layer->elements_in * per_input, &geometry);
}

#define TRAITS \
  .role = PM__ROLE_CONVOLUTION, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_PRODUCT, \
  .inference = PM__INFERENCE_ALONE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__MATRICES, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE

const pm__layer_kind pm__kind_conv_transpose1d = {
  .name = "conv_transpose1d",
  .doc = "transposed convolution over one dimension",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &one,
  TRAITS,
};

const pm__layer_kind pm__kind_conv_transpose2d = {
  .name = "conv_transpose2d",
  .doc = "transposed convolution over an image",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &two,
  TRAITS,
};

const pm__layer_kind pm__kind_conv_transpose3d = {
  .name = "conv_transpose3d",
  .doc = "transposed convolution over three dimensions",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &three,
  TRAITS,
};
