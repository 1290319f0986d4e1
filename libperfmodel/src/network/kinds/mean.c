/* Mean over some dimensions. */
#include <math.h>
#include "network/kinds/kinds.h"

enum { KEEP, AXIS };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("axis", AXIS, PM__LIST, -PM__RANK_MAX, PM__RANK_MAX - 1, "dimensions over which it is taken"),
  PM__SWITCHED("keep", KEEP, 0, "they stay, with size 1"),
  PM__RULES_END,
};

/* Marks the dimensions that go. */
static int mark(const pm__layer *layer, const pm__shape *input, bool *gone, pm_error *error)
{
  for (int i = 0; i < (int)layer->attribute[AXIS + PM__LIST_COUNT]; i++) {
    int axis = pm__axis(layer, AXIS + i, input, error);
    if (axis < 0) return PM_STATUS_BAD_SHAPE;
    if (gone[axis])
      return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\" names axis %d twice", layer->kind->name, layer->name,
                      axis);
    gone[axis] = true;
  }
  return PM_OK;
}

/* Of a mean over everything, one number remains. */
static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  bool gone[PM__RANK_MAX] = {false}, keep = layer->attribute[KEEP] != 0;
  int status = mark(layer, &inputs[0], gone, error), rank = 0;
  for (int i = 0; i < inputs[0].rank; i++)
    if (!gone[i] || keep) layer->output.size[rank++] = gone[i] ? 1 : inputs[0].size[i];
  if (rank == 0) layer->output.size[rank++] = 1;
  layer->output.rank = rank;
  return status;
}

/* Each element is added, each sum divided; backward, the quotient is spread. */
static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double in = layer->elements_in, out = layer->elements_out;
  pm__add_kernel(kernels, PM__FORWARD, PM__POOL, (pm__work){in + out, in + out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__POOL, (pm__work){out, in + out, 0});
}

const pm__layer_kind pm__kind_mean = {
  .name = "mean",
  .doc = "mean over some dimensions",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_POOLING,
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
