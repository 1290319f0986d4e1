/*
** Product of two computed matrices, as many as the leading dimensions say, which broadcast: equal, or 1, or absent.
**
**     MAC = batches m n k      a: batches x m x k, b: batches x k x n; transposed: the last two the other way round
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { TRANSPOSE_A, TRANSPOSE_B };

static const pm__attribute_rule rules[] = {
  PM__SWITCHED("transpose_a", TRANSPOSE_A, 0, "the first is given as k x m"),
  PM__SWITCHED("transpose_b", TRANSPOSE_B, 0, "the second is given as n x k"),
  PM__RULES_END,
};

static int64_t rows(const pm__shape *shape, bool transposed)
{
  return shape->size[shape->rank - (transposed ? 1 : 2)];
}

static int64_t columns(const pm__shape *shape, bool transposed)
{
  return shape->size[shape->rank - (transposed ? 2 : 1)];
}

static int bad(const pm__layer *layer, const char *why, const pm__shape *inputs, pm_error *error)
{
  char a[PM_TEXT_MAX], b[PM_TEXT_MAX];
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "matmul \"%s\" of %s%s and %s%s: %s", layer->name,
                  pm__shape_text(&inputs[0], a, sizeof a), layer->attribute[TRANSPOSE_A] != 0 ? " transposed" : "",
                  pm__shape_text(&inputs[1], b, sizeof b), layer->attribute[TRANSPOSE_B] != 0 ? " transposed" : "",
                  why);
}

/* A leading dimension counted from the end; 1 where there is none. */
static int64_t batch_size(const pm__shape *shape, int from_end)
{
  return shape->rank >= from_end ? shape->size[shape->rank - from_end] : 1;
}

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  bool ta = layer->attribute[TRANSPOSE_A] != 0, tb = layer->attribute[TRANSPOSE_B] != 0;
  if (inputs[0].rank < 2 || inputs[1].rank < 2) return bad(layer, "each needs two dimensions", inputs, error);
  if (columns(&inputs[0], ta) != rows(&inputs[1], tb))
    return bad(layer, "columns of the first and rows of the second differ", inputs, error);
  int rank = inputs[0].rank > inputs[1].rank ? inputs[0].rank : inputs[1].rank;
  layer->output.rank = rank;
  layer->output.size[rank - 2] = rows(&inputs[0], ta);
  layer->output.size[rank - 1] = columns(&inputs[1], tb);
  for (int i = 3; i <= rank; i++) {
    int64_t x = batch_size(&inputs[0], i), y = batch_size(&inputs[1], i);
    if (x != y && x != 1 && y != 1) return bad(layer, "leading dimensions differ", inputs, error);
    layer->output.size[rank - i] = x != 1 ? x : y;
  }
  return PM_OK;
}

/* C = A B, dA = dC B^T, dB = A^T dC: the same three tensors each time. */
static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  const pm__shape *out = &layer->output;
  double m = (double)out->size[out->rank - 2], n = (double)out->size[out->rank - 1];
  double k = (double)columns(&layer->input, layer->attribute[TRANSPOSE_A] != 0);
  double batches = layer->elements_out / (m * n), moved = layer->elements_in + layer->elements_out;
  layer->mac = layer->mac_bnl = batches * m * n * k;
  layer->saved.inputs = true;
  pm__add_gemm(kernels, PM__FORWARD, (pm__gemm){batches, m, n, k, PM__SCALES_COUNT}, moved, 0);
  pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){batches, m, k, n, PM__SCALES_COUNT}, moved, 0);
  pm__add_gemm(kernels, PM__DGRAD, (pm__gemm){batches, k, n, m, PM__SCALES_COUNT}, moved, 0);
}

/* Products of different heads: both inputs have them along the same leading dimension. */
static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  (void)layer;
  part->out = part->in[0];
  return part->in[0].how == part->in[1].how && part->in[0].axis == part->in[1].axis &&
         part->in[0].parts == part->in[1].parts && part->inputs[0].rank == part->inputs[1].rank &&
         part->in[0].axis < part->inputs[0].rank - 2;
}

static const pm__sharding_rules sharding = {.accepts = accepts};

const pm__layer_kind pm__kind_matmul = {
  .name = "matmul",
  .doc = "product of two computed matrices; leading dimensions are batches",
  .rules = rules,
  .least_inputs = 2, .most_inputs = 2,
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
  .sharding = PM__SHARD_WHOLE | PM__SHARD_FEATURES,
  .sharding_rules = &sharding,
};
