/* Layers that touch each element once: ReLU, dropout, sum, concatenation, flatten, softmax with loss. */
#include <math.h>
#include "network/layer.h"

#define END {NULL, 0, PM__COUNT, 0, 0, 0}

static const pm__attribute_rule no_rules[] = {END};

static void count_relu(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out;
  layer->mac_bnl = elements;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){elements, 2 * elements, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
}

const pm__layer_kind pm__relu = {"relu", no_rules, 1, 1, pm__shape_same, count_relu};

enum { RATE };

static const pm__attribute_rule dropout_rules[] = {{"rate", RATE, PM__NUMBER, 0, 1, 0.5}, END};

/* Input, output and the mask. */
static void count_dropout(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
}

const pm__layer_kind pm__dropout = {"dropout", dropout_rules, 1, 1, pm__shape_same, count_dropout};

static int shapes_differ(const pm__layer *layer, const pm__shape *a, const pm__shape *b, pm_error *error)
{
  char x[PM_TEXT_MAX], y[PM_TEXT_MAX];
  return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\" joins %s and %s", layer->kind->name, layer->name,
                  pm__shape_text(a, x, sizeof x), pm__shape_text(b, y, sizeof y));
}

/* Equal shapes, the first dimension aside if `first` is 1. */
static bool agree(const pm__shape *a, const pm__shape *b, int first)
{
  if (a->rank != b->rank) return false;
  for (int i = first; i < a->rank; i++)
    if (a->size[i] != b->size[i]) return false;
  return true;
}

static int shape_add(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  layer->output = inputs[0];
  for (int i = 1; i < count; i++)
    if (!agree(&inputs[0], &inputs[i], 0)) return shapes_differ(layer, &inputs[0], &inputs[i], error);
  return PM_OK;
}

/* Backward, the gradient passes through as it is. */
static void count_add(pm__layer *layer, pm__kernel_list *kernels)
{
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){layer->elements_in - layer->elements_out,
                                        layer->elements_in + layer->elements_out, 0});
}

const pm__layer_kind pm__add = {"add", no_rules, 2, 1 << 20, shape_add, count_add};

/* Joins along the first dimension (channels). */
static int shape_concat(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  layer->output = inputs[0];
  for (int i = 1; i < count; i++) {
    if (!agree(&inputs[0], &inputs[i], 1)) return shapes_differ(layer, &inputs[0], &inputs[i], error);
    layer->output.size[0] += inputs[i].size[0];
  }
  return PM_OK;
}

static void count_concat(pm__layer *layer, pm__kernel_list *kernels)
{
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
}

const pm__layer_kind pm__concat = {"concat", no_rules, 2, 1 << 20, shape_concat, count_concat};

static int shape_flatten(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  (void)error;
  layer->output.rank = 1;
  layer->output.size[0] = (int64_t)pm__shape_elements(&inputs[0]);
  return PM_OK;
}

/* A view: no kernel. */
static void count_flatten(pm__layer *layer, pm__kernel_list *kernels)
{
  (void)layer;
  (void)kernels;
}

const pm__layer_kind pm__flatten = {"flatten", no_rules, 1, 1, shape_flatten, count_flatten};

/* Softmax over the last dimension with cross-entropy: maximum, difference, exponential, sum, quotient per element. */
static void count_softmax_loss(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out;
  pm__kernel *forward = pm__add_kernel(kernels, PM__FORWARD, PM__SOFTMAX, (pm__work){5 * elements, 6 * elements, 0});
  forward->shape.row = (double)layer->output.size[layer->output.rank - 1];
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
}

const pm__layer_kind pm__softmax_loss = {"softmax_loss", no_rules, 1, 1, pm__shape_same, count_softmax_loss};
