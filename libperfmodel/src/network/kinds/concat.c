/* Concatenation along one dimension: a new tensor, and the pieces of its gradient. */
#include <math.h>
#include "network/kinds/kinds.h"

enum { AXIS };

static const pm__attribute_rule rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, 0, "dimension along which they are joined"),
  PM__RULES_END,
};

/* Equal, that dimension aside. */
static bool agree(const pm__shape *a, const pm__shape *b, int axis)
{
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (i != axis && a->size[i] != b->size[i]) return false;
  return true;
}

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  char a[PM_TEXT_MAX], b[PM_TEXT_MAX];
  int axis = pm__axis(layer, AXIS, &inputs[0], error);
  if (axis < 0) return PM_STATUS_BAD_SHAPE;
  layer->output = inputs[0];
  for (int i = 1; i < count; i++) {
    if (!agree(&inputs[0], &inputs[i], axis))
      return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" joins %s and %s", layer->kind->name, layer->name,
                      pm__shape_text(&inputs[0], a, sizeof a), pm__shape_text(&inputs[i], b, sizeof b));
    layer->output.size[axis] = pm__size((double)layer->output.size[axis] + (double)inputs[i].size[axis]);
  }
  return PM_OK;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
}

/* All alike, side by side; not tokens behind tokens. */
static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  part->out = part->in[0];
  for (int i = 1; i < part->input_count; i++)
    if (part->in[i].how != part->out.how || part->in[i].axis != part->out.axis || part->in[i].parts != part->out.parts)
      return false;
  return part->out.how != PM__SHARD_TOKENS || pm__axis(layer, AXIS, &part->inputs[0], NULL) != 0;
}

static const pm__sharding_rules sharding = {.accepts = accepts};

const pm__layer_kind pm__kind_concat = {
  .name = "concat",
  .doc = "its inputs one behind the other",
  .rules = rules,
  .least_inputs = 1, .most_inputs = PM__ANY_NUMBER,
  .shape = shape, .count = count,
  .role = PM__ROLE_MOVEMENT,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_JOIN,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_PASSED,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding,
};
