/*
** Fully connected layer, over the last dimension of its input; the others are rows.
**
**     parameters = Co (Ci + bias),   MAC = rows Ci Co
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { OUT_FEATURES, BIAS };

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

static void add(pm__layer_kernels *kernels, pm__pass pass, pm__work work, pm__gemm gemm)
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
  add(kernels, PM__FORWARD, (pm__work){2 * layer->mac + added, in + out, layer->parameters},
      (pm__gemm){1, co, rows, ci, PM__SCALES_N});
  add(kernels, PM__DGRAD, (pm__work){2 * layer->mac, out + in, weights},
      (pm__gemm){1, ci, rows, co, PM__SCALES_N});
  add(kernels, PM__WGRAD, (pm__work){2 * layer->mac + added, in + out, layer->parameters},
      (pm__gemm){1, co, ci, rows, PM__SCALES_K});
}

const pm__layer_kind pm__kind_linear = {
  .name = "linear",
  .doc = "fully connected layer over the last dimension",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .role = PM__ROLE_DENSE,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_PRODUCT,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__MATRICES,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES,
};
