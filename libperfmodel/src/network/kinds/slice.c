/* Parts of a tensor, and more around it: slice, pad. */
#include <math.h>
#include "network/kinds/kinds.h"

enum { AXIS, START, END, STEP };

static const pm__attribute_rule slice_rules[] = {
  PM__OPTIONAL("axis", AXIS, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, 0, "dimension that is cut"),
  PM__OPTIONAL("start", START, PM__COUNT, -1e15, 1e15, 0, "first element; negative: from the end"),
  {.name = "end", .slot = END, .kind = PM__COUNT, .least = -1e15, .most = 1e15, .otherwise = (double)INFINITY,
   .doc = "first element behind; negative: from the end", .like = "size"},
  PM__OPTIONAL("step", STEP, PM__COUNT, 1, 1e15, 1, "distance of the elements that are taken"),
  PM__RULES_END,
};

static int shape_slice(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  const double *a = layer->attribute;
  char text[PM_TEXT_MAX];
  int axis = pm__axis(layer, AXIS, &inputs[0], error);
  if (axis < 0) return PM_STATUS_BAD_SHAPE;
  double size = (double)inputs[0].size[axis];
  double start = a[START] < 0 ? a[START] + size : a[START];
  double end = isinf(a[END]) ? size : a[END] < 0 ? a[END] + size : a[END];
  layer->output = inputs[0];
  layer->output.size[axis] = (int64_t)ceil((end - start) / a[STEP]);
  if (start >= 0 && start < end && end <= size) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %.0f to %.0f is not within dimension %d of %s",
                  layer->kind->name,
                  layer->name, start, end, axis, pm__shape_text(&inputs[0], text, sizeof text));
}

/* A view; its gradient is put into zeros of the input's size. */
static void count_slice(pm__layer *layer, pm__layer_kernels *kernels)
{
  layer->saved.view = true;
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE,
                 (pm__work){0, layer->elements_in + layer->elements_out, 0});
}

static bool accepts_slice(const pm__layer *layer, pm__sharding_part *part)
{
  int axis = pm__axis(layer, AXIS, &part->inputs[0], NULL);
  part->out = part->in[0];
  return part->in[0].how != PM__SHARD_TOKENS || axis != 0;
}

/* Of features that are split: each GPU has its part of every slice, side by side. */
static int divide_slice(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  double *a = layer->attribute;
  int axis = pm__axis(layer, AXIS, &part->inputs[0], error), parts = part->in[0].parts;
  if (part->in[0].axis != axis) return PM_OK;
  double size = (double)part->inputs[0].size[axis];
  a[START] = a[START] < 0 ? a[START] + size : a[START];
  a[END] = isinf(a[END]) ? size : a[END] < 0 ? a[END] + size : a[END];
  int status = pm__sharding_check(layer, a[START], "features before a slice", parts, error);
  if (status == PM_OK) status = pm__sharding_check(layer, a[END] - a[START], "features", parts, error);
  a[START] /= parts;
  a[END] /= parts;
  return status;
}

static const pm__sharding_rules sharding_of_slice = {.accepts = accepts_slice, .divide = divide_slice};

const pm__layer_kind pm__kind_slice = {
  .name = "slice",
  .doc = "a part along one dimension",
  .rules = slice_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_slice, .count = count_slice,
  .role = PM__ROLE_MOVEMENT,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_MOVEMENT,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding_of_slice,
};

enum { PADDING, PADDING_END = PADDING + PM__LIST_SLOTS };

static const pm__attribute_rule pad_rules[] = {
  PM__REQUIRED("padding", PADDING, PM__LIST, 0, 1e9, "in front of all dimensions but the first, or of each of them"),
  PM__LIKE("padding_end", PADDING_END, PM__LIST, 0, 1e9, "padding", "behind them, if it is another"),
  PM__RULES_END,
};

/* How much that attribute says for a dimension: "1" or "1,2" leave the first alone, unless it is the only one. */
static double padding_of(const pm__layer *layer, int slot, int rank, int dimension)
{
  int given = (int)layer->attribute[slot + PM__LIST_COUNT];
  if (given == rank) return layer->attribute[slot + dimension];
  if (dimension == 0) return 0;
  return layer->attribute[slot + (given == 1 ? 0 : dimension - 1)];
}

static int shape_pad(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  char text[PM_TEXT_MAX];
  int rank = inputs[0].rank;
  static const int slots[] = {PADDING, PADDING_END};
  layer->output = inputs[0];
  for (int i = 0; i < 2; i++) {
    int given = (int)layer->attribute[slots[i] + PM__LIST_COUNT];
    if (given != 1 && given != rank && given != rank - 1)
      return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\": %d numbers do not pad %s", layer->kind->name, layer->name,
                      given,
                      pm__shape_text(&inputs[0], text, sizeof text));
    for (int j = 0; j < rank; j++) layer->output.size[j] += (int64_t)padding_of(layer, slots[i], rank, j);
  }
  return PM_OK;
}

/* The gradient is a part of the output's. */
static void count_pad(pm__layer *layer, pm__layer_kernels *kernels)
{
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, layer->elements_in + layer->elements_out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_in, 0});
}

const pm__layer_kind pm__kind_pad = {
  .name = "pad",
  .doc = "zeros or copies around it",
  .rules = pad_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_pad, .count = count_pad,
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
