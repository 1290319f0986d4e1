/*
** Another size of an image: each output element is a weighted sum of its neighbours, 1 of them (nearest), 2 per axis
** (linear) or 4 per axis (cubic): as many products, and sums but one. The gradient adds as many products up.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { SCALE, SIZE = SCALE + PM__TUPLE_SLOTS, MODE = SIZE + PM__TUPLE_SLOTS };
enum { NEAREST, LINEAR, CUBIC };

static const char *const mode_words[] = {"nearest", "linear", "cubic", NULL};

static const pm__attribute_rule rules[] = {
  PM__LIKE("scale", SCALE, PM__FACTORS, 1e-6, 1e6, "none", "factor of each axis of space; this or size"),
  PM__LIKE("size", SIZE, PM__TUPLE, 1, 1e9, "none", "size of each axis of space"),
  PM__CHOSEN("mode", MODE, mode_words, "how many neighbours take part"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  const double *a = layer->attribute;
  int axes = inputs[0].rank - 1, status = pm__need_space(layer, &inputs[0], 0, error);
  bool scale = a[SCALE + PM__TUPLE_COUNT] > 0, size = a[SIZE + PM__TUPLE_COUNT] > 0;
  if (status == PM_OK) status = pm__check_tuples(layer, axes, error);
  if (status == PM_OK && scale == size)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\" needs either scale or size", layer->kind->name, layer->name);
  layer->output = inputs[0];
  for (int i = 0; i < axes; i++)
    layer->output.size[1 + i] = pm__size(size ? a[SIZE + i] : floor((double)inputs[0].size[1 + i] * a[SCALE + i]));
  return status;
}

static double neighbours(const pm__layer *layer)
{
  static const double of_axis[] = {1, 2, 4};
  return pow(of_axis[(int)layer->attribute[MODE]], layer->input.rank - 1);
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double in = layer->elements_in, out = layer->elements_out, terms = neighbours(layer);
  bool nearest = layer->attribute[MODE] == NEAREST;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){nearest ? 0 : (2 * terms - 1) * out, in + out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){(nearest ? 1 : 2 * terms) * out, in + out, 0});
}

const pm__layer_kind pm__kind_interpolate = {
  .name = "interpolate",
  .doc = "another size, from neighbouring elements",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_MOVEMENT,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
