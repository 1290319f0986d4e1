/*
** Two-dimensional convolution with groups, dilation, stride and padding.
**
**     parameters = Co (Ci/g Kh Kw + bias),   MAC = Ho Wo Co Ci/g Kh Kw
**
** The gradients of input and of weights cost as many MAC each as the forward pass.
*/
#include <math.h>
#include "network/layer.h"

enum { OUT_CHANNELS, KERNEL, KERNEL_W, STRIDE, STRIDE_W, PADDING, PADDING_W, DILATION, DILATION_W, GROUPS, BIAS };

static const pm__attribute_rule rules[] = {
  {"out_channels", OUT_CHANNELS, PM__COUNT, 1, 1e7, NAN},
  {"kernel", KERNEL, PM__PAIR, 1, 1e5, NAN},
  {"stride", STRIDE, PM__PAIR, 1, 1e5, 1},
  {"padding", PADDING, PM__PAIR, 0, 1e5, 0},
  {"dilation", DILATION, PM__PAIR, 1, 1e5, 1},
  {"groups", GROUPS, PM__COUNT, 1, 1e7, 1},
  {"bias", BIAS, PM__SWITCH, 0, 1, 1},
  {NULL, 0, PM__COUNT, 0, 0, 0},
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  int status = pm__need_image(layer, &inputs[0], error);
  if (status != PM_OK) return status;
  const double *a = layer->attribute;
  int64_t channels = inputs[0].size[0], groups = (int64_t)a[GROUPS];
  if (channels % groups != 0 || (int64_t)a[OUT_CHANNELS] % groups != 0)
    return pm__fail(error, PM_BAD_SHAPE, "conv2d \"%s\": %lld groups do not divide %lld input and %.0f output channels",
                    layer->name, (long long)groups, (long long)channels, a[OUT_CHANNELS]);
  layer->output.rank = 3;
  layer->output.size[0] = (int64_t)a[OUT_CHANNELS];
  for (int i = 0; i < 2; i++)
    layer->output.size[1 + i] = pm__window_output(inputs[0].size[1 + i], a[KERNEL + i], a[STRIDE + i], a[PADDING + i],
                                                  a[DILATION + i], false);
  return PM_OK;
}

static pm__conv geometry(const pm__layer *layer)
{
  const double *a = layer->attribute;
  const int64_t *in = layer->input.size, *out = layer->output.size;
  return (pm__conv){(double)in[0],  (double)in[1], (double)in[2],
                    (double)out[0], (double)out[1], (double)out[2], a[GROUPS],
                    {a[KERNEL], a[KERNEL_W]}, {a[STRIDE], a[STRIDE_W]},
                    {a[PADDING], a[PADDING_W]}, {a[DILATION], a[DILATION_W]}};
}

static void add(const pm__layer *layer, pm__kernel_list *kernels, pm__pass pass, pm__work work)
{
  pm__kernel *kernel = pm__add_kernel(kernels, pass, PM__CONV, work);
  kernel->matrix = true;
  kernel->shape.conv = geometry(layer);
}

static void count(pm__layer *layer, pm__kernel_list *kernels)
{
  const double *a = layer->attribute;
  double weights = a[OUT_CHANNELS] * ((double)layer->input.size[0] / a[GROUPS]) * a[KERNEL] * a[KERNEL_W];
  double biases = a[BIAS] != 0 ? a[OUT_CHANNELS] : 0;
  double in = layer->elements_in, out = layer->elements_out;
  double added = a[BIAS] != 0 ? out : 0;
  layer->parameters = weights + biases;
  layer->parameter_tensors = a[BIAS] != 0 ? 2 : 1;
  layer->mac = weights * out / a[OUT_CHANNELS];
  layer->mac_bnl = layer->mac + added;
  add(layer, kernels, PM__FORWARD, (pm__work){2 * layer->mac + added, in + out, layer->parameters});
  add(layer, kernels, PM__BACKWARD_DATA, (pm__work){2 * layer->mac, out + in, weights});
  add(layer, kernels, PM__BACKWARD_WEIGHT, (pm__work){2 * layer->mac + added, in + out, layer->parameters});
}

const pm__layer_kind pm__conv2d = {"conv2d", rules, 1, 1, shape, count};
