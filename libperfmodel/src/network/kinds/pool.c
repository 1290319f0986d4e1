/* Pooling over one to three dimensions: maximum, average, average to a given size, average over everything. */
#include <math.h>
#include "network/kinds/kinds.h"

enum {
  KERNEL,
  STRIDE = KERNEL + PM__TUPLE_SLOTS,
  PADDING = STRIDE + PM__TUPLE_SLOTS,
  PADDING_END = PADDING + PM__TUPLE_SLOTS,
  CEIL = PADDING_END + PM__TUPLE_SLOTS
};

static const pm__attribute_rule window_rules[] = {
  PM__REQUIRED("kernel", KERNEL, PM__TUPLE, 1, 1e5, "size of the window"),
  PM__LIKE("stride", STRIDE, PM__TUPLE, 1, 1e5, "kernel", "step of the window"),
  PM__OPTIONAL("padding", PADDING, PM__TUPLE, 0, 1e5, 0, "in front of each axis, and behind it"),
  PM__LIKE("padding_end", PADDING_END, PM__TUPLE, 0, 1e5, "padding", "behind each axis, if it is another"),
  PM__SWITCHED("ceil", CEIL, 0, "a last window may hang over the end"),
  PM__RULES_END,
};
static const pm__attribute_rule no_rules[] = {PM__RULES_END};

static int check_padding(const pm__layer *layer, double padding, double kernel, pm_error *error)
{
  if (2 * padding <= kernel) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": padding %.0f is more than half the kernel %.0f",
                  layer->kind->name,
                  layer->name, padding, kernel);
}

static int shape_window(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  const double *a = layer->attribute;
  int axes = inputs[0].rank - 1, status = pm__need_space(layer, &inputs[0], 0, error);
  if (status == PM_OK) status = pm__check_tuples(layer, axes, error);
  layer->output = inputs[0];
  for (int i = 0; i < axes && status == PM_OK; i++) {
    status = check_padding(layer, fmax(a[PADDING + i], a[PADDING_END + i]), a[KERNEL + i], error);
    layer->output.size[1 + i] = pm__window_output(inputs[0].size[1 + i], a[KERNEL + i], a[STRIDE + i], a[PADDING + i],
                                                  a[PADDING_END + i], 1, a[CEIL] != 0);
  }
  return status;
}

/* Elements of one window. */
static double window_of(const pm__layer *layer)
{
  double window = 1;
  for (int i = 0; i < layer->input.rank - 1; i++) window *= layer->attribute[KERNEL + i];
  return window;
}

/* Backward needs input and output again to find the maxima. */
static void count_max_pool(pm__layer *layer, pm__layer_kernels *kernels)
{
  double in = layer->elements_in, out = layer->elements_out, window = window_of(layer);
  layer->saved.inputs = true;
  layer->saved.index_elements = out;
  pm__add_kernel(kernels, PM__FORWARD, PM__POOL, (pm__work){window * out, in + out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__POOL, (pm__work){window * out, 2 * in + 2 * out, 0});
}

/* The gradient is spread with as many additions. */
static void add_average(pm__layer *layer, pm__layer_kernels *kernels, double flop)
{
  double moved = layer->elements_in + layer->elements_out;
  pm__add_kernel(kernels, PM__FORWARD, PM__POOL, (pm__work){flop, moved, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__POOL, (pm__work){flop, moved, 0});
}

/* PyTorch keeps the input, of which only the shape is needed. */
static void count_avg_pool(pm__layer *layer, pm__layer_kernels *kernels)
{
  layer->saved.inputs = true;
  add_average(layer, kernels, window_of(layer) * layer->elements_out);
}

enum { SIZE };

static const pm__attribute_rule adaptive_rules[] = {
  PM__REQUIRED("size", SIZE, PM__TUPLE, 1, 1e6, "size of the output"),
  PM__RULES_END,
};

static int shape_adaptive(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  int axes = inputs[0].rank - 1, status = pm__need_space(layer, &inputs[0], 0, error);
  if (status == PM_OK) status = pm__check_tuples(layer, axes, error);
  layer->output = inputs[0];
  for (int i = 0; i < axes; i++) layer->output.size[1 + i] = (int64_t)layer->attribute[SIZE + i];
  return status;
}

/* Window i of an axis runs from floor(i in / out) to ceil((i + 1) in / out): together they are in + out - gcd(in, out)
** long, as two neighbours share an element wherever the cut falls inside it. */
static double windows_length(int64_t in, int64_t out)
{
  int64_t a = in, b = out;
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return (double)(in + out - a);
}

static void count_adaptive(pm__layer *layer, pm__layer_kernels *kernels)
{
  double flop = (double)layer->input.size[0];
  for (int i = 1; i < layer->input.rank; i++) flop *= windows_length(layer->input.size[i], layer->output.size[i]);
  layer->saved.inputs = true;
  add_average(layer, kernels, flop);
}

static int shape_global(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  for (int i = 1; i < inputs[0].rank; i++) layer->output.size[i] = 1;
  return pm__need_space(layer, &inputs[0], 0, error);
}

/* A mean: nothing is kept. */
static void count_global(pm__layer *layer, pm__layer_kernels *kernels)
{
  add_average(layer, kernels, layer->elements_in);
}

const pm__layer_kind pm__kind_max_pool = {
  .name = "max_pool",
  .doc = "maximum of each window",
  .rules = window_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_window, .count = count_max_pool,
  .role = PM__ROLE_POOLING,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_MAXIMA, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};

#define TRAITS \
  .role = PM__ROLE_POOLING, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ALONE, \
  .inference = PM__INFERENCE_ALONE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS, \
    .input = PM__INPUT_OF_AVERAGE, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE}, \
  .parameters = PM__NO_PARAMETERS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE

const pm__layer_kind pm__kind_avg_pool = {
  .name = "avg_pool",
  .doc = "average of each window",
  .rules = window_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_window, .count = count_avg_pool,
  TRAITS,
};

const pm__layer_kind pm__kind_adaptive_avg_pool = {
  .name = "adaptive_avg_pool",
  .doc = "average of windows that make an output of that size",
  .rules = adaptive_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_adaptive, .count = count_adaptive,
  TRAITS,
};

const pm__layer_kind pm__kind_global_avg_pool = {
  .name = "global_avg_pool",
  .doc = "average of each channel",
  .rules = no_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_global, .count = count_global,
  TRAITS,
};
