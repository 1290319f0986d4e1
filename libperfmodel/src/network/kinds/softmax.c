/* Softmax, alone and with cross-entropy. Per element: maximum, difference, exponential, sum, quotient. */
#include <math.h>
#include "network/layer.h"

enum { AXIS, SMOOTHING };

static const pm__attribute_rule rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, -1, "dimension of the classes"),
  PM__RULES_END,
};

static const pm__attribute_rule loss_rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, -1, "dimension of the classes"),
  PM__OPTIONAL("smoothing", SMOOTHING, PM__NUMBER, 0, 1, 0, "share of the label that all classes get"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  return pm__axis(layer, AXIS, &inputs[0], error) < 0 ? PM_BAD_SHAPE : PM_OK;
}

static double row_of(const pm__layer *layer)
{
  return (double)layer->output.size[pm__axis(layer, AXIS, &layer->output, NULL)];
}

/* Backward: y (dy - sum of dy y). */
static void count_softmax(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out, row = row_of(layer);
  layer->saved.output = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__SOFTMAX, (pm__work){5 * elements, 2 * elements, 0})->shape.row = row;
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__SOFTMAX, (pm__work){4 * elements, 3 * elements, 0})->shape.row = row;
}

static void count_loss(pm__layer *layer, pm__kernel_list *kernels)
{
  double elements = layer->elements_out, row = row_of(layer);
  layer->saved.output = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__SOFTMAX, (pm__work){5 * elements, 6 * elements, 0})->shape.row = row;
  pm__add_kernel(kernels, PM__BACKWARD_DATA, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
}

bool pm__smooths_labels(const pm__layer *layer)
{
  return (layer->kind == &pm__softmax_loss || layer->kind == &pm__cross_entropy) && layer->attribute[SMOOTHING] > 0;
}

const pm__layer_kind pm__softmax = {"softmax", rules, 1, 1, shape, count_softmax, "softmax along one dimension", NULL};
const pm__layer_kind pm__softmax_loss = {"softmax_loss", loss_rules, 1, 1, shape, count_loss,
                                         "softmax with cross-entropy: the loss", NULL};
const pm__layer_kind pm__cross_entropy = {"cross_entropy", loss_rules, 1, 1, shape, count_loss,
                                          "softmax_loss by its other name", NULL};
