/* Softmax, alone and with cross-entropy. Per element: maximum, difference, exponential, sum, quotient. */
#include <math.h>
#include "network/kinds/kinds.h"

enum { AXIS, SMOOTHING, HALF };

static const pm__attribute_rule rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, -1, "dimension of the classes"),
  PM__RULES_END,
};

static const pm__attribute_rule loss_rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, -1, "dimension of the classes"),
  PM__OPTIONAL("smoothing", SMOOTHING, PM__NUMBER, 0, 1, 0, "share of the label that all classes get"),
  PM__SWITCHED("half", HALF, 0, "in mixed precision it runs in 16 bits, as with Apex at level O2, not in FP32"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  return pm__axis(layer, AXIS, &inputs[0], error) < 0 ? PM_STATUS_BAD_SHAPE : PM_OK;
}

static double row_of(const pm__layer *layer)
{
  return (double)layer->output.size[pm__axis(layer, AXIS, &layer->output, NULL)];
}

/* Backward: y (dy - sum of dy y). */
static void count_softmax(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out, row = row_of(layer);
  layer->saved.output = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__SOFTMAX, (pm__work){5 * elements, 2 * elements, 0})->shape.row = row;
  pm__add_kernel(kernels, PM__DGRAD, PM__SOFTMAX, (pm__work){4 * elements, 3 * elements, 0})->shape.row = row;
}

/* The logarithm of a softmax, whose row of the label is the loss; backward, what gradients it has is read too. */
static void count_loss(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out, row = row_of(layer);
  layer->smooths_labels = layer->attribute[SMOOTHING] > 0;
  layer->runs_in_half = layer->attribute[HALF] > 0;
  layer->saved.output = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__SOFTMAX, (pm__work){5 * elements, 2 * elements, 0})->shape.row = row;
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0});
}

static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  return pm__sharding_takes_but(part, pm__axis(layer, AXIS, &part->inputs[0], NULL));
}

static const pm__sharding_rules sharding = {.accepts = accepts};

/* Split classes need each row's maximum, sum and the value of its label: three numbers, in FP32. */
static bool accepts_loss(const pm__layer *layer, pm__sharding_part *part)
{
  int axis = pm__axis(layer, AXIS, &part->inputs[0], NULL);
  part->out = part->in[0];
  if (part->in[0].how == PM__SHARD_TOKENS) return axis != 0;
  if (part->in[0].axis == axis) part->out.how = PM__SHARD_WHOLE;
  return true;
}

static pm__sharding_demand demands_loss(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)of_output;
  (void)layer;
  (void)input;
  return (pm__sharding_demand){0, false, PM__VOCABULARY_MULTIPLE};
}

static int divide_loss(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  (void)error;
  const pm__shape *input = &part->inputs[0];
  if (part->out.how != PM__SHARD_WHOLE) return PM_OK;
  double classes = (double)input->size[pm__axis(layer, AXIS, input, NULL)];
  double rows = pm__shape_elements(input) / classes / part->degrees->context;
  for (int i = 0; i < 3; i++)
    pm__sharding_add(part, PM__FORWARD, PM__SHARDING_ALL_REDUCE, PM__AXIS_TENSOR, rows)->element_bytes = 4;
  return PM_OK;
}

static const pm__sharding_rules sharding_of_loss = {
  .accepts = accepts_loss, .demands = demands_loss, .divide = divide_loss,
};

const pm__layer_kind pm__kind_softmax = {
  .name = "softmax",
  .doc = "softmax along one dimension",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count_softmax,
  .role = PM__ROLE_SOFTMAX,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_IN_FP32,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding,
};

const pm__layer_kind pm__kind_softmax_loss = {
  .name = "softmax_loss",
  .doc = "softmax with cross-entropy: the loss",
  .rules = loss_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count_loss,
  .role = PM__ROLE_LOSS,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_LOSS,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_IN_FP32,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding_of_loss,
};

const pm__layer_kind pm__kind_cross_entropy = {
  .name = "cross_entropy",
  .doc = "softmax_loss by its other name",
  .rules = loss_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count_loss,
  .role = PM__ROLE_LOSS,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_LOSS,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_IN_FP32,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding_of_loss,
};
