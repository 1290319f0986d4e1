/*
** Dot interaction of a recommendation model (Naumov et al. 2019, DLRM): the vectors of all inputs, n of them with d
** features each, are multiplied with each other; the output is the first vector and the products of all pairs.
**
**     output = d + n (n - 1) / 2       (`self`: n (n + 1) / 2, each with itself as well)
**     MAC    = n n d                   the product of all with all, of which half is then taken
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { SELF };
enum { VECTORS_MAX = 1000000 };

static const pm__attribute_rule rules[] = {
  PM__SWITCHED("self", SELF, 0, "products of a vector with itself as well"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  int64_t features = inputs[0].size[inputs[0].rank - 1], vectors = 0;
  char text[PM_TEXT_MAX];
  for (int i = 0; i < count; i++) {
    if (inputs[i].rank > 2 || inputs[i].size[inputs[i].rank - 1] != features)
      return pm__fail(error, PM_STATUS_BAD_SHAPE, "dot_interaction \"%s\" takes vectors of %lld features, not %s",
                      layer->name,
                      (long long)features, pm__shape_text(&inputs[i], text, sizeof text));
    vectors += inputs[i].rank == 2 ? inputs[i].size[0] : 1;
    if (vectors > VECTORS_MAX)
      return pm__fail(error, PM_STATUS_BAD_SHAPE, "dot_interaction \"%s\" has more than %d vectors", layer->name,
                      VECTORS_MAX);
  }
  int64_t pairs = vectors * (layer->attribute[SELF] != 0 ? vectors + 1 : vectors - 1) / 2;
  layer->output = (pm__shape){1, {features + pairs, 0, 0, 0, 0, 0}};
  return PM_OK;
}

/* Vectors are put together, multiplied, and the lower triangle taken; backward, each factor gets a product. */
static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double in = layer->elements_in, out = layer->elements_out, d = (double)layer->input.size[layer->input.rank - 1];
  double n = in / d, square = n * n;
  layer->mac = layer->mac_bnl = square * d;
  layer->saved.elements = in;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * in, 0});
  pm__add_gemm(kernels, PM__FORWARD, (pm__gemm){1, n, n, d, PM__SCALES_COUNT}, 2 * in + square, 0);
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, out + square, 0});
  pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){2, n, d, n, PM__SCALES_COUNT}, 2 * (square + 2 * in), 0);
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){in, 3 * in, 0});
}

const pm__layer_kind pm__kind_dot_interaction = {
  .name = "dot_interaction",
  .doc = "products of all pairs of the input vectors",
  .rules = rules,
  .least_inputs = 1, .most_inputs = PM__ANY_NUMBER,
  .shape = shape, .count = count,
  .role = PM__ROLE_PRODUCT,
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
