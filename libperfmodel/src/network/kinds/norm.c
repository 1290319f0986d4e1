/*
** Normalisations.
**
** Batch norm in training reads its input twice (statistics, then result) and, backward, input and output gradient twice
** each; 4 FLOP per element forward are those of the result itself. The others reduce rows of one sample. Their FLOP per
** element: mean 1, difference 1, square and sum 2, quotient 1, scale and shift 1 each; an RMS norm has neither mean nor
** difference nor shift. A row that fits a multiprocessor is read once (layer and RMS norm), others twice.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { AFFINE, BIAS, DIMS, GROUPS, HEADS, FIXED };

static const pm__attribute_rule batch_norm_rules[] = {
  PM__SWITCHED("affine", AFFINE, 1, "learned scale and shift of each channel"),
  PM__SWITCHED("fixed", FIXED, 0, "scale and shift, statistics too, are fixed (FrozenBatchNorm)"),
  PM__SHARED_RULE,
  PM__RULES_END,
};
static const pm__attribute_rule layer_norm_rules[] = {
  PM__OPTIONAL("dims", DIMS, PM__COUNT, 1, PM__RANK_MAX, 1, "trailing dimensions that are normalised together"),
  PM__SWITCHED("affine", AFFINE, 1, "learned scale of each element of a row"),
  PM__LIKE("bias", BIAS, PM__SWITCH, 0, 1, "affine", "learned shift, if there is a scale"),
  PM__OPTIONAL("heads", HEADS, PM__COUNT, 1, 1e6, 1,
               "equal parts of a row, each normalised by itself and scaled alike"),
  PM__SHARED_RULE,
  PM__RULES_END,
};
static const pm__attribute_rule rms_norm_rules[] = {
  PM__OPTIONAL("dims", DIMS, PM__COUNT, 1, PM__RANK_MAX, 1, "trailing dimensions that are normalised together"),
  PM__SWITCHED("affine", AFFINE, 1, "learned scale of each element of a row"),
  PM__OPTIONAL("heads", HEADS, PM__COUNT, 1, 1e6, 1,
               "equal parts of a row, each normalised by itself and scaled alike"),
  PM__SHARED_RULE,
  PM__RULES_END,
};
static const pm__attribute_rule group_norm_rules[] = {
  PM__REQUIRED("groups", GROUPS, PM__COUNT, 1, 1e7, "parts of the channels that are normalised together"),
  PM__SWITCHED("affine", AFFINE, 1, "learned scale and shift of each channel"),
  PM__SHARED_RULE,
  PM__RULES_END,
};
static const pm__attribute_rule instance_norm_rules[] = {
  PM__SWITCHED("affine", AFFINE, 0, "learned scale and shift of each channel"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

/* Its statistics are of the batch, and too few to count. With fixed ones it is a product with a number that wants no
** gradient, and a sum: neither needs its input in the backward pass. */
static void count_batch_norm(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out, channels = (double)layer->input.size[0];
  bool fixed = layer->attribute[FIXED] != 0, affine = layer->attribute[AFFINE] != 0 && !fixed;
  layer->parameters = affine ? 2 * channels : 0;
  layer->parameter_tensors = affine ? 2 : 0;
  layer->mac_bnl = 4 * elements;
  layer->saved.inputs = !fixed;
  pm__add_kernel(kernels, PM__FORWARD, PM__BATCH_NORM, (pm__work){4 * elements, 3 * elements, layer->parameters});
  pm__work backward = {8 * elements, 5 * elements, 2 * layer->parameters};
  pm__add_kernel(kernels, PM__DGRAD, PM__BATCH_NORM, backward)->inner = affine;
}

/* What a norm over rows is like. */
typedef struct row_norm {
  double row, scales, shifts; /* elements of a row; parameters */
  double flop, backward_flop; /* per element, of all but scale and shift */
  double reads;               /* how often the input is read */
  double statistics;          /* numbers kept of each row */
} row_norm;

static void add_row_kernel(pm__layer_kernels *kernels, pm__pass pass, pm__work work, double row)
{
  pm__add_kernel(kernels, pass, PM__NORM, work)->shape.row = row;
}

/* dgrad: the normalised element again, the product with the scale, two sums over the row, and the result.
** wgrad: sums of output gradients, and of their products with the normalised elements. */
static void count_rows(pm__layer *layer, pm__layer_kernels *kernels, row_norm norm)
{
  double elements = layer->elements_out, scale = norm.scales > 0, shift = norm.shifts > 0;
  layer->parameters = norm.scales + norm.shifts;
  layer->parameter_tensors = (int)(scale + shift);
  layer->saved.inputs = true;
  layer->saved.elements = norm.statistics * elements / norm.row;
  add_row_kernel(kernels, PM__FORWARD,
                 (pm__work){(norm.flop + scale + shift) * elements, (norm.reads + 1) * elements, layer->parameters},
                 norm.row);
  add_row_kernel(kernels, PM__DGRAD,
                 (pm__work){(norm.backward_flop + scale) * elements, (2 * norm.reads + 1) * elements, norm.scales},
                 norm.row);
  if (scale + shift > 0)
    add_row_kernel(kernels, PM__WGRAD,
                   (pm__work){(2 * scale + shift) * elements, 2 * elements, layer->parameters}, norm.row);
}

static double trailing(const pm__layer *layer, const pm__shape *input)
{
  double row = 1;
  for (int i = 0; i < (int)layer->attribute[DIMS]; i++) row *= (double)input->size[input->rank - 1 - i];
  return row;
}

static int check_heads(const pm__layer *layer, const pm__shape *input, pm_error *error)
{
  double row = trailing(layer, input), heads = layer->attribute[HEADS];
  if (fmod(row, heads) == 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %.0f heads do not divide rows of %.0f", layer->kind->name,
                  layer->name, heads, row);
}

static int check_dims(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  char text[PM_TEXT_MAX];
  (void)count;
  layer->output = inputs[0];
  if (layer->attribute[DIMS] <= inputs[0].rank) return check_heads(layer, &inputs[0], error);
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %s has no %.0f dimensions", layer->kind->name, layer->name,
                  pm__shape_text(&inputs[0], text, sizeof text), layer->attribute[DIMS]);
}

static void count_layer_norm(pm__layer *layer, pm__layer_kernels *kernels)
{
  bool affine = layer->attribute[AFFINE] != 0, bias = affine && layer->attribute[BIAS] != 0;
  double row = trailing(layer, &layer->input) / layer->attribute[HEADS];
  count_rows(layer, kernels, (row_norm){row, affine ? row : 0, bias ? row : 0, 5, 9, 1, 2});
}

static void count_rms_norm(pm__layer *layer, pm__layer_kernels *kernels)
{
  double row = trailing(layer, &layer->input) / layer->attribute[HEADS];
  count_rows(layer, kernels, (row_norm){row, layer->attribute[AFFINE] != 0 ? row : 0, 0, 3, 6, 1, 1});
}

static void count_channel_rows(pm__layer *layer, pm__layer_kernels *kernels, double rows)
{
  double channels = layer->attribute[AFFINE] != 0 ? (double)layer->input.size[0] : 0;
  count_rows(layer, kernels, (row_norm){layer->elements_out / rows, channels, channels, 5, 9, 2, 2});
}

static int shape_group(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  int64_t channels = inputs[0].size[0], groups = (int64_t)layer->attribute[GROUPS];
  if (channels % groups != 0)
    return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %lld groups do not divide %lld channels", layer->kind->name,
                    layer->name, (long long)groups, (long long)channels);
  return pm__shape_same(layer, inputs, count, error);
}

static void count_group_norm(pm__layer *layer, pm__layer_kernels *kernels)
{
  count_channel_rows(layer, kernels, layer->attribute[GROUPS]);
}

static int shape_instance(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  return pm__need_space(layer, &inputs[0], 0, error);
}

static void count_instance_norm(pm__layer *layer, pm__layer_kernels *kernels)
{
  count_channel_rows(layer, kernels, (double)layer->input.size[0]);
}

const pm__layer_kind pm__kind_batch_norm = {
  .name = "batch_norm",
  .doc = "normalises each channel over the batch",
  .rules = batch_norm_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = pm__shape_same, .count = count_batch_norm,
  .role = PM__ROLE_CHANNEL_NORM,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_NORM,
  .inference = PM__INFERENCE_SIMPLE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_BATCH_NORM, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__VECTORS,
  .state = PM__MOVING_AVERAGES,
  .sharding = PM__SHARD_WHOLE,
};

/* By operations: mean, squared differences, their mean, the product of reciprocal root and scale as wide as its input,
** and four operations with that. */
/* A row must be whole, or consist of heads; those are split. */
static bool accepts_rows(const pm__layer *layer, pm__sharding_part *part)
{
  int first = part->inputs[0].rank - (int)layer->attribute[DIMS]; /* of the axes of a row */
  part->out = part->in[0];
  if (part->in[0].how == PM__SHARD_TOKENS) return first > 0;
  return part->in[0].axis < first || (part->in[0].axis == first && layer->attribute[HEADS] > 1);
}

static pm__sharding_demand demand_heads(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)input;
  double heads = layer->attribute[HEADS];
  return heads > 1 ? pm__sharding_units(of_output, heads) : of_output;
}

static int divide_rows(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  (void)error;
  part->whole = layer->parameters;
  if (layer->attribute[HEADS] > 1) layer->attribute[HEADS] /= part->in[0].parts;
  return PM_OK;
}

static const pm__sharding_rules sharding_of_rows = {
  .accepts = accepts_rows, .demands = demand_heads, .divide = divide_rows,
};

const pm__layer_kind pm__kind_layer_norm = {
  .name = "layer_norm",
  .doc = "normalises each row of the trailing dimensions",
  .rules = layer_norm_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = check_dims, .count = count_layer_norm,
  .role = PM__ROLE_ROW_NORM,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ROWS,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 15, .wide = 15, .cast = 6, .launches = 9},
    .backward = {.accesses = 36, .wide = 36, .cast = 6, .launches = 20}},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_LAYER_NORM, .autocast = PM__AUTOCAST_FP32, .elements = PM__KEPT_STATISTICS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding_of_rows,
};

const pm__layer_kind pm__kind_group_norm = {
  .name = "group_norm",
  .doc = "normalises groups of channels of each sample",
  .rules = group_norm_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_group, .count = count_group_norm,
  .role = PM__ROLE_ROW_NORM,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_FP32, .elements = PM__KEPT_STATISTICS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};

const pm__layer_kind pm__kind_instance_norm = {
  .name = "instance_norm",
  .doc = "normalises each channel of each sample",
  .rules = instance_norm_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_instance, .count = count_instance_norm,
  .role = PM__ROLE_ROW_NORM,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};

/* By operations: square 2 accesses, mean 1, sum with epsilon and reciprocal root of a number for each row, product of
** the row with it 2, with the scale 2. Backward: product with the scale 2, that with the normalised row 3 and its sum 1
** for the scale's gradient, product with the root 2, with the row 3 and its sum 1, three kernels on a number for each
** row of which one writes it over the row 1, twice the input 2, product 3, sum of both gradients 3. */
const pm__layer_kind pm__kind_rms_norm = {
  .name = "rms_norm",
  .doc = "divides each row of the trailing dimensions by its root mean square",
  .rules = rms_norm_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = check_dims, .count = count_rms_norm,
  .role = PM__ROLE_ROW_NORM,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ROWS,
  .operations = {.eager = PM__EAGER_OPERATIONS,
    .forward = {.accesses = 7, .wide = 7, .cast = 6, .launches = 6},
    .backward = {.accesses = 21, .wide = 21, .cast = 6, .launches = 12}},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_FP32, .elements = PM__KEPT_STATISTICS,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding_of_rows,
};

enum { SIZE };

static const pm__attribute_rule lrn_rules[] = {
  PM__OPTIONAL("size", SIZE, PM__COUNT, 1, 1e5, 5, "neighbouring channels that are summed"),
  PM__RULES_END,
};

static int shape_lrn(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  layer->output = inputs[0];
  (void)count;
  return pm__need_image(layer, &inputs[0], error);
}

/* Local response normalisation across channels: a sum of `size` squares, a power and a product per element. */
static void count_lrn(pm__layer *layer, pm__layer_kernels *kernels)
{
  double elements = layer->elements_out, window = layer->attribute[SIZE];
  layer->saved.inputs = layer->saved.output = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){(2 * window + 3) * elements, 3 * elements, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){(4 * window + 6) * elements, 6 * elements, 0});
}

const pm__layer_kind pm__kind_lrn = {
  .name = "lrn",
  .doc = "local response normalisation over neighbouring channels",
  .rules = lrn_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_lrn, .count = count_lrn,
  .role = PM__ROLE_NEIGHBOUR_NORM,
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
