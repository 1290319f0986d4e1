/*
** Without fusion a fixed norm (FrozenBatchNorm of detectors) is a product and a sum, of numbers that four small
** operations make, and backward a product: 4 and 2 accesses. Mixed precision keeps these numbers in FP32, as apex
** keeps rsqrt and PyTorch promotes what is multiplied by them. So the input is converted (3 accesses in two
** bytes), product and sum are in FP32 (4 each), and so is the gradient (4), which is converted back (3). What
** reads the result stays in FP32, up to the next convolution, which has it converted again, and its gradient (3
** each).
*/
#include "lowering/fixed_norm.h"

bool pm__is_fixed_norm(const pm__layer *layer)
{
  return layer->kind != NULL && layer->kind->role == PM__ROLE_CHANNEL_NORM && !layer->saved.inputs &&
         layer->parameter_tensors == 0;
}

/* What is as wide as a fixed norm makes it: that, and a sum that reads one. */
static bool gives_wide(const pm_network *network, const pm__layer *layer)
{
  bool wide = pm__is_fixed_norm(layer);
  for (size_t i = 0; i < layer->input_count && !wide && pm__layer_fuses_as(layer, PM__TRAINING_SUM); i++)
    wide = pm__is_fixed_norm(pm__layer_input(network, layer, i));
  return wide;
}

static void lower_norm(const pm__layer *layer, bool mixed, pm__launch *list, int count)
{
  for (int i = 0; i < count; i++) {
    bool forward = list[i].kernel.pass == PM__FORWARD;
    double accesses = forward ? (mixed ? 11 : 4) : (mixed ? 7 : 2);
    list[i].kernel.family = PM__ELEMENTWISE;
    list[i].kernel.work.elements = accesses * layer->elements_out;
    list[i].launches = forward ? (mixed ? 10 : 6) : (mixed ? 2 : 1);
  }
}

static void widen(const pm__layer *layer, pm__launch *list, int count)
{
  bool converts = pm__layer_fuses_as(layer, PM__TRAINING_ACTIVATION);
  for (int i = 0; i < count; i++) {
    list[i].kernel.work.elements = 2 * list[i].kernel.work.elements + (converts ? 3 : 0) * layer->elements_out;
    list[i].launches += converts ? 1 : 0;
  }
}

void pm__lower_fixed_norm(const pm_network *network, const pm__layer *layer, bool mixed, pm__launch *list, int count)
{
  bool activation = pm__layer_fuses_as(layer, PM__TRAINING_ACTIVATION) && layer->input_count == 1;
  bool wide = gives_wide(network, layer) || (activation && gives_wide(network, pm__layer_input(network, layer, 0)));
  if (pm__is_fixed_norm(layer)) lower_norm(layer, mixed, list, count);
  else if (mixed && wide) widen(layer, list, count);
}
