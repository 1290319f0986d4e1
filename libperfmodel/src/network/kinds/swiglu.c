/*
** Gated linear unit with SiLU: silu(a) b, where a and b are two inputs, or the halves of one.
**
** Fused, it is one kernel that keeps its inputs; not fused, SiLU and the product are two, and the SiLU's output is kept
** as well. Backward: the product's two gradients, then that of SiLU; fused, SiLU is computed again (4 FLOP).
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { FUSED };

static const pm__attribute_rule rules[] = {
  PM__SWITCHED("fused", FUSED, 1, "one kernel that keeps its inputs only"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  char text[PM_TEXT_MAX];
  int64_t *features;
  if (count == 2) {
    layer->output = inputs[0];
    for (int i = 0; i < inputs[0].rank || i < inputs[1].rank; i++)
      if (inputs[0].rank != inputs[1].rank || inputs[0].size[i] != inputs[1].size[i])
        return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": the second input is %s, not as the first",
                        layer->kind->name,
                        layer->name, pm__shape_text(&inputs[1], text, sizeof text));
    return PM_OK;
  }
  layer->output = inputs[0];
  features = &layer->output.size[inputs[0].rank - 1];
  if (*features % 2 != 0)
    return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" cannot halve the last dimension of %s", layer->kind->name,
                    layer->name, pm__shape_text(&inputs[0], text, sizeof text));
  *features /= 2;
  return PM_OK;
}

static void add_kernel(pm__layer_kernels *kernels, pm__pass pass, double flop, double elements, double moved)
{
  pm__add_kernel(kernels, pass, PM__ELEMENTWISE, (pm__work){flop * elements, moved * elements, 0});
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double f = layer->elements_out;
  bool fused = layer->attribute[FUSED] != 0;
  layer->saved.inputs = true;
  layer->saved.elements = fused ? 0 : f;
  if (fused) {
    add_kernel(kernels, PM__FORWARD, 5, f, 3);
    add_kernel(kernels, PM__DGRAD, 14, f, 5);
    return;
  }
  add_kernel(kernels, PM__FORWARD, 4, f, 2);
  add_kernel(kernels, PM__FORWARD, 1, f, 3);
  add_kernel(kernels, PM__DGRAD, 2, f, 6);
  add_kernel(kernels, PM__DGRAD, 8, f, 3);
}

/* By operations: those of SiLU, 5 accesses, and the product 3; backward, the product's two gradients 6, and those of
** SiLU
** 12. Halves of one input are views. */
const pm__layer_kind pm__kind_swiglu = {
  .name = "swiglu",
  .doc = "silu(a) b of two inputs, or of the halves of one",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 2,
  .shape = shape, .count = count,
  .role = PM__ROLE_ACTIVATION,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ACTIVATION,
  .inference = PM__INFERENCE_EPILOGUE,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 8, .wide = 0, .cast = 0, .launches = 3},
    .backward = {.accesses = 18, .wide = 0, .cast = 0, .launches = 6}},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};
