/*
** Tables looked up by index: embedding and embedding bag (the sum of the rows of a bag).
**
**     parameters = entries x features,   MAC = 0
**
** The input is indices; the last dimension of a bag's input are the indices of one bag. The gradient of a table is
** dense, as frameworks make it by default: the whole of it is cleared, then the rows used are added to.
**
** Bags may be divided over GPUs (TorchRec's sharding, HugeCTR's embedding collection). Each GPU reads what it has for
** the samples of all N, n indices and b bags of f numbers for each of its own:
**
**                 parameters      numbers read    pooled      exchanged forward (backward the other way)
**     planned     1 / N           n f             b f         all-to-all of b f
**     table       the fullest     the busiest     likewise    all-to-all, as long as that of the busiest
**     row         1 / N           n f             N b f       reduce-scatter of N b f: summands of every bag
**     column      1 / N           n f             b f         all-to-all of b f; each GPU reads all indices
**
** `planned` keeps tables of less than 8 MB on every GPU, as NVIDIA's submissions to MLPerf do
** (DP_SHARDING_THRESHOLD=0.008), and splits large ones until loads are equal. Columns are read in whole sectors of 32
** bytes. What reading and updating takes is of all tables at once (step/tables.c), as their kernels are. Indices
** travel a batch ahead, beside other work.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { ENTRIES, FEATURES };

/* No attribute of its own: yes where its table is divided. */
enum { DIVIDED = PM__SHARED - 1 };

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
  if (layer->attribute[DIVIDED] != 0) return;
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

/* ---- Bags over GPUs ---- */

enum { TABLE_NUMBER = 4, SECTOR = 32, SHORT_TABLE = 8000000 };

static bool is_divided(const pm__layer *layer, const pm__sharding_degrees *d)
{
  double bytes = layer->attribute[ENTRIES] * layer->attribute[FEATURES] * TABLE_NUMBER;
  return d->tables > 1 && (d->table_parts != PM__TABLES_PLANNED || bytes >= SHORT_TABLE);
}

static void add_pooled(pm__sharding_part *part, double pooled)
{
  bool rows = part->degrees->table_parts == PM__TABLES_ROWS;
  pm__sharding_add(part, PM__FORWARD, rows ? PM__SHARDING_REDUCE_SCATTER : PM__SHARDING_ALL_TO_ALL, PM__AXIS_TABLES,
                   pooled)->recomputed = false;
  pm__sharding_add(part, PM__DGRAD, rows ? PM__SHARDING_ALL_GATHER : PM__SHARDING_ALL_TO_ALL, PM__AXIS_TABLES, pooled);
}

/* Of a row in parts, what is read over what is used. */
static double sectors_over(double features, double parts)
{
  double used = features / parts * TABLE_NUMBER;
  return SECTOR * ceil(used / SECTOR) / used;
}

static int divide_bag(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  const pm__sharding_degrees *d = part->degrees;
  double features = layer->attribute[FEATURES], gpus = d->tables, indices = pm__shape_elements(&part->inputs[0]);
  double bags = pm__sharding_rows(part), load = 1, rows = 1;
  if (!is_divided(layer, d)) return PM_OK;
  if (d->table_parts == PM__TABLES_WHOLE) load = d->table_load, rows = d->table_rows;
  bool columns = d->table_parts == PM__TABLES_COLUMNS;
  if (columns && gpus > features)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "embedding_bag \"%s\" has %.0f columns, fewer than %.0f GPUs: use "
                    "--embedding-sharding planned", layer->name, features, gpus);
  double pooled = bags * features * (d->table_parts == PM__TABLES_ROWS ? gpus : load);
  double sectors = columns ? sectors_over(features, gpus) : 1;
  part->lookup = (pm__sharding_lookup){layer->attribute[ENTRIES] * features / gpus * rows,
                                       indices * (columns ? gpus : load), indices * features * load * sectors, pooled};
  add_pooled(part, pooled);
  layer->attribute[DIVIDED] = 1;
  layer->attribute[ENTRIES] /= gpus / rows;
  return PM_OK;
}

static const pm__sharding_rules bag_sharding = {.divide = divide_bag, .always = true};

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
  .sharding_rules = &bag_sharding,
};
