/* Pooling: maximum, average, and average over the whole image. */
#include <math.h>
#include "network/layer.h"

enum { KERNEL, KERNEL_W, STRIDE, STRIDE_W, PADDING, PADDING_W, CEIL };

static const pm__attribute_rule window_rules[] = {
  {"kernel", KERNEL, PM__PAIR, 1, 1e5, NAN},
  {"stride", STRIDE, PM__PAIR, 0, 1e5, 0}, /* 0: as the kernel */
  {"padding", PADDING, PM__PAIR, 0, 1e5, 0},
  {"ceil", CEIL, PM__SWITCH, 0, 1, 0},
  {NULL, 0, PM__COUNT, 0, 0, 0},
};
static const pm__attribute_rule no_rules[] = {{NULL, 0, PM__COUNT, 0, 0, 0}};

static int shape_window(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  int status = pm__need_image(layer, &inputs[0], error);
  if (status != PM_OK) return status;
  double *a = layer->attribute;
  layer->output = inputs[0];
  for (int i = 0; i < 2; i++) {
    if (a[STRIDE + i] == 0) a[STRIDE + i] = a[KERNEL + i]; /* windows side by side */
    if (2 * a[PADDING + i] > a[KERNEL + i])
      return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\": padding %.0f is more than half the kernel %.0f",
                      layer->kind->name, layer->name, a[PADDING + i], a[KERNEL + i]);
    layer->output.size[1 + i] = pm__window_output(inputs[0].size[1 + i], a[KERNEL + i], a[STRIDE + i], a[PADDING + i],
                                                  1, a[CEIL] != 0);
  }
  return PM_OK;
}

/* Backward needs input and output again to find the maxima. */
static void count_max_pool(pm__layer *layer, pm__kernel_list *kernels)
{
  double in = layer->elements_in, out = layer->elements_out;
  double window = layer->attribute[KERNEL] * layer->attribute[KERNEL_W];
  pm__add_kernel(kernels, PM__FORWARD, PM__POOL, (pm__work){window * out, in + out, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__POOL, (pm__work){window * out, 2 * in + 2 * out, 0});
}

static void count_avg_pool(pm__layer *layer, pm__kernel_list *kernels)
{
  double in = layer->elements_in, out = layer->elements_out;
  double window = layer->attribute[KERNEL] * layer->attribute[KERNEL_W];
  pm__add_kernel(kernels, PM__FORWARD, PM__POOL, (pm__work){window * out, in + out, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__POOL, (pm__work){window * out, in + out, 0});
}

static int shape_global(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = (pm__shape){3, {inputs[0].size[0], 1, 1, 0}};
  return pm__need_image(layer, &inputs[0], error);
}

static void count_global(pm__layer *layer, pm__kernel_list *kernels)
{
  double in = layer->elements_in, out = layer->elements_out;
  pm__add_kernel(kernels, PM__FORWARD, PM__POOL, (pm__work){in, in + out, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__POOL, (pm__work){in, in + out, 0});
}

const pm__layer_kind pm__max_pool = {"max_pool", window_rules, 1, 1, shape_window, count_max_pool};
const pm__layer_kind pm__avg_pool = {"avg_pool", window_rules, 1, 1, shape_window, count_avg_pool};
const pm__layer_kind pm__global_avg_pool = {"global_avg_pool", no_rules, 1, 1, shape_global, count_global};
