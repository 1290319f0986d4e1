/*
** Convolutions in one, two and three dimensions, with groups, dilation, stride and padding; depthwise ones.
**
**     parameters = Co (Ci/g K + bias),   MAC = positions of the output x Co Ci/g K,   K = elements of the kernel
**
** The gradients of input and of weights cost as many MAC each as the forward pass. A product with padding counts.
*/
#include <math.h>
#include "network/kinds/conv.h"

enum { MULTIPLIER = PM__CONV_OWN };

static const pm__attribute_rule rules[] = {
  PM__CONV_CHANNELS_RULE, PM__CONV_WINDOW_RULES, PM__CONV_GROUPS_RULE, PM__CONV_PARAMETER_RULES, PM__RULES_END,
};
static const pm__attribute_rule depthwise_rules[] = {
  PM__CONV_WINDOW_RULES,
  PM__OPTIONAL("multiplier", MULTIPLIER, PM__COUNT, 1, 1e7, 1, "output channels of each input channel"),
  PM__CONV_PARAMETER_RULES,
  PM__RULES_END,
};

static const pm__conv_traits one = {1}, two = {2}, three = {3};

static int axes_of(const pm__layer *layer)
{
  return ((const pm__conv_traits *)layer->kind->variant)->axes;
}

double pm__conv_window(const pm__layer *layer)
{
  double elements = 1;
  for (int i = 0; i < axes_of(layer); i++) elements *= layer->attribute[PM__CONV_KERNEL + i];
  return elements;
}

int pm__conv_check_groups(const pm__layer *layer, int64_t channels, double out_channels, pm_error *error)
{
  int64_t groups = (int64_t)layer->attribute[PM__CONV_GROUPS];
  if (channels % groups == 0 && (int64_t)out_channels % groups == 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE,
                  "%s \"%s\": %lld groups do not divide %lld input and %.0f output channels",
                  layer->kind->name, layer->name, (long long)groups, (long long)channels, out_channels);
}

void pm__conv_space(const pm__layer *layer, const pm__shape *in, const pm__shape *out, pm__conv *geometry)
{
  const double *a = layer->attribute;
  int first = PM__SPACE - axes_of(layer);
  for (int i = 0; i < PM__SPACE; i++) {
    bool there = i >= first;
    int j = i - first;
    geometry->size[i] = there ? (double)in->size[1 + j] : 1;
    geometry->out_size[i] = there ? (double)out->size[1 + j] : 1;
    geometry->kernel[i] = there ? a[PM__CONV_KERNEL + j] : 1;
    geometry->stride[i] = there ? a[PM__CONV_STRIDE + j] : 1;
    geometry->padding[i] = there ? a[PM__CONV_PADDING + j] : 0;
    geometry->padding_end[i] = there ? a[PM__CONV_PADDING_END + j] : 0;
    geometry->dilation[i] = there ? a[PM__CONV_DILATION + j] : 1;
  }
}

static void add_kernel(pm__layer_kernels *kernels, pm__pass pass, pm__work work, const pm__conv *geometry)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__CONV, work);
  kernel->matrix = true;
  kernel->shape.conv = *geometry;
}

void pm__conv_count(pm__layer *layer, pm__layer_kernels *kernels, double weights, double mac, const pm__conv *geometry)
{
  bool bias = layer->attribute[PM__CONV_BIAS] != 0;
  double in = layer->elements_in, out = layer->elements_out, added = bias ? out : 0;
  layer->parameters = weights + (bias ? (double)layer->output.size[0] : 0);
  layer->parameter_tensors = bias ? 2 : 1;
  layer->mac = mac;
  layer->mac_bnl = mac + added;
  layer->bias = bias;
  layer->saved.inputs = true;
  add_kernel(kernels, PM__FORWARD, (pm__work){2 * mac + added, in + out, layer->parameters}, geometry);
  add_kernel(kernels, PM__DGRAD, (pm__work){2 * mac, out + in, weights}, geometry);
  add_kernel(kernels, PM__WGRAD, (pm__work){2 * mac + added, in + out, layer->parameters}, geometry);
}

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  const double *a = layer->attribute;
  int axes = axes_of(layer), status = pm__need_space(layer, &inputs[0], axes, error);
  if (status == PM_OK) status = pm__check_tuples(layer, axes, error);
  if (status == PM_OK) status = pm__conv_check_groups(layer, inputs[0].size[0], a[PM__CONV_OUT_CHANNELS], error);
  if (status != PM_OK) return status;
  layer->output.rank = 1 + axes;
  layer->output.size[0] = pm__size(a[PM__CONV_OUT_CHANNELS]);
  for (int i = 0; i < axes; i++)
    layer->output.size[1 + i] =
      pm__window_output(inputs[0].size[1 + i], a[PM__CONV_KERNEL + i], a[PM__CONV_STRIDE + i], a[PM__CONV_PADDING + i],
                        a[PM__CONV_PADDING_END + i], a[PM__CONV_DILATION + i], false);
  return PM_OK;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  pm__conv geometry = {0};
  geometry.channels = (double)layer->input.size[0];
  geometry.out_channels = layer->attribute[PM__CONV_OUT_CHANNELS];
  geometry.groups = layer->attribute[PM__CONV_GROUPS];
  pm__conv_space(layer, &layer->input, &layer->output, &geometry);
  double per_output = geometry.channels / geometry.groups * pm__conv_window(layer);
  pm__conv_count(layer, kernels, geometry.out_channels * per_output, layer->elements_out * per_output, &geometry);
}

/* Each channel is a group of its own. */
static int depthwise_shape(pm__layer *layer, const pm__shape *inputs, int count_of_inputs, pm_error *error)
{
  double channels = (double)inputs[0].size[0];
  layer->attribute[PM__CONV_GROUPS] = channels;
  layer->attribute[PM__CONV_OUT_CHANNELS] = (double)pm__size(channels * layer->attribute[MULTIPLIER]);
  return shape(layer, inputs, count_of_inputs, error);
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

const pm__layer_kind pm__kind_conv1d = {
  .name = "conv1d",
  .doc = "convolution over one dimension",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &one,
  TRAITS,
};

const pm__layer_kind pm__kind_conv2d = {
  .name = "conv2d",
  .doc = "convolution over an image",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &two,
  TRAITS,
};

const pm__layer_kind pm__kind_conv3d = {
  .name = "conv3d",
  .doc = "convolution over three dimensions",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &three,
  TRAITS,
};

const pm__layer_kind pm__kind_depthwise_conv2d = {
  .name = "depthwise_conv2d",
  .doc = "convolution of each channel of an image by itself",
  .rules = depthwise_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = depthwise_shape, .count = count,
  .variant = &two,
  TRAITS,
};
