/*
** Tables looked up by index: embedding and embedding bag (the sum of the rows of a bag).
**
**     parameters = entries x features,   MAC = 0
**
** The input is indices; the last dimension of a bag's input are the indices of one bag. The gradient of a table is
** dense, as frameworks make it by default: the whole of it is cleared, then the rows used are added to.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { ENTRIES, FEATURES };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("entries", ENTRIES, PM__COUNT, 1, 1e12, "rows of the table"),
  PM__REQUIRED("features", FEATURES, PM__COUNT, 1, 1e9, "numbers in a row"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static int shape_embedding(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  if (inputs[0].rank == PM__RANK_MAX)
    return pm__fail(error, PM_STATUS_BAD_SHAPE,
                    "embedding \"%s\": indices of %d dimensions leave none for the features",
                    layer->name, PM__RANK_MAX);
  layer->output = inputs[0];
  layer->output.size[layer->output.rank++] = (int64_t)layer->attribute[FEATURES];
  return PM_OK;
}

static int shape_bag(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  (void)error;
  layer->output = inputs[0];
  layer->output.size[layer->output.rank - 1] = (int64_t)layer->attribute[FEATURES];
  return PM_OK;
}

/* Rows are read and, where a bag has several, added up; backward, every row used is read, added to and written. */
static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double rows = layer->elements_in, out = layer->elements_out, features = layer->attribute[FEATURES];
  double read = rows * features;
  layer->parameters = layer->attribute[ENTRIES] * features;
  layer->parameter_tensors = 1;
  layer->saved.inputs = true;
  pm__add_kernel(kernels, PM__FORWARD, PM__GATHER, (pm__work){read - out, rows + read + out, 0})->shape.row = features;
  pm__add_kernel(kernels, PM__WGRAD, PM__GATHER, (pm__work){read, rows + out + 2 * read, layer->parameters})
    ->shape.row = features;
}

/* The rows are split: each GPU gives zeros for those that it has not. A table too short to be worth it stays whole. */
static pm__sharding_state split_output(const pm__layer *layer, const pm__shape *inputs,
                                       const pm__sharding_degrees *degrees)
{
  (void)inputs;
  bool split = layer->attribute[ENTRIES] >= PM__VOCABULARY_MULTIPLE * degrees->tensor;
  return (pm__sharding_state){split ? PM__SHARD_PARTIAL : (pm__sharding)0, 0, degrees->tensor};
}

static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  (void)error;
  double multiple = PM__VOCABULARY_MULTIPLE * part->out.parts;
  layer->attribute[ENTRIES] = multiple * ceil(layer->attribute[ENTRIES] / multiple) / part->out.parts;
  return PM_OK;
}

static const pm__sharding_rules sharding = {.split_output = split_output, .divide = divide};

const pm__layer_kind pm__kind_embedding = {
  .name = "embedding",
  .doc = "looks up a row for every index",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_embedding, .count = count,
  .role = PM__ROLE_GATHER,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__TABLE,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS,
  .sharding_rules = &sharding,
};

const pm__layer_kind pm__kind_embedding_bag = {
  .name = "embedding_bag",
  .doc = "adds up the rows of the indices of a bag: its input's last dimension",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_bag, .count = count,
  .role = PM__ROLE_GATHER,
  .source = PM__LIBRARY_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_COUNTED},
  .loop = PM__LOOP_NONE,
  .keeping = PM__KEEPS_AS_COUNTED,
  .parameters = PM__TABLE,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE,
};
