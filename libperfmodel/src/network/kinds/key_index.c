/*
** Sparse attention's choice: which keys each query attends to (DeepSeek-V3.2, arXiv:2512.02556, "lightning indexer").
** Narrow queries of a few heads are multiplied with the one narrow key of every token; ReLU, a weight of each head, a
** sum, and the largest are chosen. It has no parameters: the products that make its inputs are linear layers.
** Attention behind it says with `most_keys` how many keys that leaves. Without weights of heads, every head chooses for
** itself, or they are no product (DeepSeek-V4, MiniMax M3); keys may be fewer than tokens, each of some neighbours.
**
**     MAC = heads tokens keys (d + 1)        counted in full, causal or not; without weights d
**
** The scores of all heads are summed where they are made, so that only the sums are written. Every GPU of a tensor
** group does it for all heads.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { HEADS, CHOSEN };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("heads", HEADS, PM__COUNT, 1, 1e6, "heads of the narrow queries"),
  PM__REQUIRED("chosen", CHOSEN, PM__COUNT, 1, 1e9, "keys that are chosen for each query"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  const double *a = layer->attribute;
  bool fits = inputs[0].rank == 2 && inputs[1].rank == 2 && inputs[1].size[0] <= inputs[0].size[0] &&
    (double)inputs[0].size[1] == a[HEADS] * (double)inputs[1].size[1];
  bool weighs = count < 3 || (inputs[2].rank == 2 && inputs[2].size[0] == inputs[0].size[0] &&
                              (double)inputs[2].size[1] == a[HEADS]);
  if (!fits || !weighs)
    return pm__fail(error, PM_STATUS_BAD_SHAPE, "key_index \"%s\" takes queries of its heads, keys of one, no more "
                    "than tokens, and a weight for each head and token or none", layer->name);
  layer->output = inputs[0];
  layer->output.size[1] = (int64_t)fmin(a[CHOSEN], (double)inputs[1].size[0]);
  return PM_OK;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double heads = layer->attribute[HEADS], tokens = (double)kernels->inputs[0].size[0];
  double keys = (double)kernels->inputs[1].size[0], d = (double)kernels->inputs[1].size[1], pairs = tokens * keys;
  double read = pm__shape_elements(&kernels->inputs[0]) + pm__shape_elements(&kernels->inputs[1]);
  layer->mac = layer->mac_bnl = heads * pairs * (d + (kernels->input_count > 2 ? 1 : 0));
  layer->saved.inputs = true;
  pm__add_gemm(kernels, PM__FORWARD, (pm__gemm){1, heads * tokens, keys, d, PM__SCALES_COUNT}, read + pairs, 0);
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){3 * heads * pairs, pairs + layer->elements_out, 0});
  pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){2, heads * tokens, d, keys, PM__SCALES_COUNT}, 2 * read + pairs, 0);
}

const pm__layer_kind pm__kind_key_index = {
  .name = "key_index",
  .doc = "chooses keys of sparse attention, of narrow queries, keys and weights",
  .rules = rules,
  .least_inputs = 2, .most_inputs = 3,
  .shape = shape, .count = count,
  .role = PM__ROLE_INDEX,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__NO_PARAMETERS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
