/*
** Fully connected layer, over the last dimension of its input; the others are rows.
**
**     parameters = Co (Ci + bias),   MAC = rows Ci Co
**
** With groups, equal parts of the features are each multiplied with a matrix of their own, without biases.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { OUT_FEATURES, BIAS, GROUPS = BIAS };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("out_features", OUT_FEATURES, PM__COUNT, 1, 1e9, "features of the output"),
  PM__SWITCHED("bias", BIAS, 1, "adds a learned number to each feature"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  (void)error;
  layer->output = inputs[0];
  layer->output.size[layer->output.rank - 1] = (int64_t)layer->attribute[OUT_FEATURES];
  return PM_OK;
}

static void add_kernel(pm__layer_kernels *kernels, pm__pass pass, pm__work work, pm__gemm gemm)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__GEMM, work);
  kernel->matrix = true;
  kernel->shape.gemm = gemm;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double ci = (double)layer->input.size[layer->input.rank - 1], co = layer->attribute[OUT_FEATURES];
  double weights = ci * co, rows = layer->elements_in / ci;
  bool bias = layer->attribute[BIAS] != 0;
  double in = layer->elements_in, out = layer->elements_out, added = bias ? out : 0;
  layer->parameters = weights + (bias ? co : 0);
  layer->parameter_tensors = bias ? 2 : 1;
  layer->mac = in * co;
  layer->mac_bnl = layer->mac + added;
  layer->bias = bias;
  layer->saved.inputs = true;
  add_kernel(kernels, PM__FORWARD, (pm__work){2 * layer->mac + added, in + out, layer->parameters},
      (pm__gemm){1, co, rows, ci, PM__SCALES_N});
  add_kernel(kernels, PM__DGRAD, (pm__work){2 * layer->mac, out + in, weights},
      (pm__gemm){1, ci, rows, co, PM__SCALES_N});
  add_kernel(kernels, PM__WGRAD, (pm__work){2 * layer->mac + added, in + out, layer->parameters},
      (pm__gemm){1, co, ci, rows, PM__SCALES_K});
}

/* Split features are summed up ("row"), and the bias is added to the sum; rows stay apart. */
static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  (void)layer;
  int last = part->inputs[0].rank - 1;
  part->out = part->in[0];
  if (part->in[0].how == PM__SHARD_TOKENS) return last > 0;
  if (part->in[0].axis == last) part->out.how = PM__SHARD_PARTIAL;
  return true;
}

/* Its own features are split ("column"). */
static pm__sharding_state split_output(const pm__layer *layer, const pm__shape *inputs,
                                       const pm__sharding_degrees *degrees)
{
  (void)layer;
  return (pm__sharding_state){PM__SHARD_FEATURES, inputs[0].rank - 1, degrees->tensor};
}

static pm__sharding_demand demands(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)layer;
  (void)input;
  (void)of_output;
  return (pm__sharding_demand){0, false, 0};
}

static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  double *features = &layer->attribute[OUT_FEATURES];
  if (!part->splits_output) {
    bool row = part->out.how == PM__SHARD_PARTIAL;
    part->whole = layer->attribute[BIAS] != 0 ? *features : 0;
    if (!row) part->whole += *features * (double)part->inputs[0].size[part->inputs[0].rank - 1];
    return PM_OK;
  }
  double multiple = part->multiple * part->out.parts;
  if (multiple > 0) *features = multiple * ceil(*features / multiple);
  int status = pm__sharding_check(layer, *features, "features", part->out.parts, error);
  *features /= part->out.parts;
  return status;
}

static const pm__sharding_rules sharding = {.accepts = accepts, .split_output = split_output, .demands = demands,
                                            .divide = divide};

const pm__layer_kind pm__kind_linear = {
  .name = "linear",
  .doc = "fully connected layer over the last dimension",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_DENSE,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_PRODUCT,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__MATRICES,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &sharding,
};

/* ---- By groups ---- */

static const pm__attribute_rule grouped_rules[] = {
  PM__REQUIRED("out_features", OUT_FEATURES, PM__COUNT, 1, 1e9, "features of the output"),
  PM__REQUIRED("groups", GROUPS, PM__COUNT, 1, 1e6, "parts of the features, each with a matrix of its own"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int grouped_shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  double in = (double)inputs[0].size[inputs[0].rank - 1], out = layer->attribute[OUT_FEATURES];
  if (fmod(in, layer->attribute[GROUPS]) != 0 || fmod(out, layer->attribute[GROUPS]) != 0)
    return pm__fail(error, PM_STATUS_BAD_SHAPE, "grouped_linear \"%s\": %.0f groups do not divide %.0f and %.0f "
                    "features", layer->name, layer->attribute[GROUPS], in, out);
  return shape(layer, inputs, count, error);
}

static void grouped_count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double groups = layer->attribute[GROUPS], wide = (double)layer->input.size[layer->input.rank - 1];
  double ci = wide / groups, co = layer->attribute[OUT_FEATURES] / groups, rows = layer->elements_in / wide;
  double tensors = layer->elements_in + layer->elements_out;
  layer->parameters = groups * ci * co;
  layer->parameter_tensors = 1;
  layer->mac = layer->mac_bnl = rows * layer->parameters;
  layer->saved.inputs = true;
  pm__work work = {2 * layer->mac, tensors, layer->parameters};
  add_kernel(kernels, PM__FORWARD, work, (pm__gemm){groups, co, rows, ci, PM__SCALES_N});
  add_kernel(kernels, PM__DGRAD, work, (pm__gemm){groups, ci, rows, co, PM__SCALES_N});
  add_kernel(kernels, PM__WGRAD, work, (pm__gemm){groups, co, ci, rows, PM__SCALES_K});
}

/* Whole groups stay together. */
static bool grouped_accepts(const pm__layer *layer, pm__sharding_part *part)
{
  part->out = part->in[0];
  if (part->in[0].how == PM__SHARD_TOKENS) return part->inputs[0].rank > 1;
  return part->in[0].axis == part->inputs[0].rank - 1 && fmod(layer->attribute[GROUPS], part->in[0].parts) == 0;
}

static pm__sharding_demand grouped_demands(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)input;
  (void)of_output;
  return (pm__sharding_demand){layer->attribute[GROUPS], false, 0};
}

static int grouped_divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  (void)error;
  if (part->in[0].how != PM__SHARD_FEATURES) return PM_OK;
  layer->attribute[OUT_FEATURES] /= part->in[0].parts;
  layer->attribute[GROUPS] /= part->in[0].parts;
  return PM_OK;
}

static const pm__sharding_rules grouped_sharding = {.accepts = grouped_accepts, .demands = grouped_demands,
                                                    .divide = grouped_divide};

const pm__layer_kind pm__kind_grouped_linear = {
  .name = "grouped_linear",
  .doc = "fully connected layer of which parts of the features are apart",
  .rules = grouped_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = grouped_shape, .count = grouped_count,
  .role = PM__ROLE_DENSE,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_PRODUCT,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__MATRICES,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
  .sharding_rules = &grouped_sharding,
};
