/*
** Normalisations. Batch norm in training reads its input twice (statistics, then result) and, backward, input and
** output gradient twice each; 4 FLOP per element forward are those of the result itself.
*/
#include <math.h>
#include "network/layer.h"

enum { AFFINE };

static const pm__attribute_rule batch_norm_rules[] = {
  {"affine", AFFINE, PM__SWITCH, 0, 1, 1},
  {NULL, 0, PM__COUNT, 0, 0, 0},
};

static void count_batch_norm(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out, channels = (double)layer->input.size[0];
  bool affine = layer->attribute[AFFINE] != 0;
  layer->parameters = affine ? 2 * channels : 0;
  layer->parameter_tensors = affine ? 2 : 0;
  layer->mac_bnl = 4 * elements;
  pm__add_kernel(kernels, PM__FORWARD, PM__BATCH_NORM, (pm__work){4 * elements, 3 * elements, layer->parameters});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__BATCH_NORM, (pm__work){8 * elements, 5 * elements, 2 * layer->parameters});
}

const pm__layer_kind pm__batch_norm = {"batch_norm", batch_norm_rules, 1, 1, pm__shape_same, count_batch_norm};

enum { SIZE };

static const pm__attribute_rule lrn_rules[] = {
  {"size", SIZE, PM__COUNT, 1, 1e5, 5},
  {NULL, 0, PM__COUNT, 0, 0, 0},
};

static int shape_lrn(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  layer->output = inputs[0];
  (void)count;
  return pm__need_image(layer, &inputs[0], error);
}

/* Local response normalisation across channels: a sum of `size` squares, a power and a product per element. */
static void count_lrn(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out, window = layer->attribute[SIZE];
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){(2 * window + 3) * elements, 3 * elements, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, (pm__work){(4 * window + 6) * elements, 6 * elements, 0});
}

const pm__layer_kind pm__lrn = {"lrn", lrn_rules, 1, 1, shape_lrn, count_lrn};
