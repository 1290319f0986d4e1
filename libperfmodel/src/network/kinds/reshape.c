/* Other views of the same elements, and their order: flatten, reshape, permute. */
#include <math.h>
#include "network/kinds/kinds.h"

enum { FROM };

static const pm__attribute_rule flatten_rules[] = {
  PM__OPTIONAL("from", FROM, PM__COUNT, -PM__RANK_MAX, PM__RANK_MAX - 1, 0, "first of the dimensions that become one"),
  PM__RULES_END,
};

static int shape_flatten(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  int from = pm__axis(layer, FROM, &inputs[0], error);
  if (from < 0) return PM_STATUS_BAD_SHAPE;
  layer->output = inputs[0];
  layer->output.rank = from + 1;
  for (int i = from + 1; i < inputs[0].rank; i++) layer->output.size[from] *= inputs[0].size[i];
  return PM_OK;
}

/* A view: no kernel. */
static void count_view(pm__layer *layer, pm__layer_kernels *kernels)
{
  (void)kernels;
  layer->saved.view = true;
}

#define TRAITS \
  .role = PM__ROLE_MOVEMENT, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ALONE, \
  .inference = PM__INFERENCE_MOVEMENT, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__NO_PARAMETERS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE

const pm__layer_kind pm__kind_flatten = {
  .name = "flatten",
  .doc = "makes the last dimensions one",
  .rules = flatten_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_flatten, .count = count_view,
  TRAITS,
};

enum { SHAPE };

static const pm__attribute_rule reshape_rules[] = {
  PM__REQUIRED("shape", SHAPE, PM__LIST, -1, 1e15, "sizes of one sample; one may be -1: what remains"),
  PM__RULES_END,
};

static int cannot_become(const pm__layer *layer, const pm__shape *input, pm_error *error)
{
  char from[PM_TEXT_MAX];
  pm__shape wanted = {(int)layer->attribute[SHAPE + PM__LIST_COUNT], {0}};
  char to[PM_TEXT_MAX];
  for (int i = 0; i < wanted.rank; i++) wanted.size[i] = (int64_t)layer->attribute[SHAPE + i];
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %s cannot become %s", layer->kind->name, layer->name,
                  pm__shape_text(input, from, sizeof from), pm__shape_text(&wanted, to, sizeof to));
}

static int shape_reshape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  const double *sizes = &layer->attribute[SHAPE];
  double known = 1, elements = pm__shape_elements(&inputs[0]);
  int open = -1;
  layer->output.rank = (int)sizes[PM__LIST_COUNT];
  for (int i = 0; i < layer->output.rank; i++) {
    layer->output.size[i] = (int64_t)sizes[i];
    if (sizes[i] == 0 || (sizes[i] < 0 && open >= 0)) return cannot_become(layer, &inputs[0], error);
    if (sizes[i] < 0) open = i;
    else known *= sizes[i];
  }
  if (open >= 0 && fmod(elements, known) == 0) layer->output.size[open] = (int64_t)(elements / known);
  return pm__shape_elements(&layer->output) == elements ? PM_OK : cannot_become(layer, &inputs[0], error);
}

const pm__layer_kind pm__kind_reshape = {
  .name = "reshape",
  .doc = "the same elements in another shape",
  .rules = reshape_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_reshape, .count = count_view,
  TRAITS,
};

enum { ORDER };

static const pm__attribute_rule permute_rules[] = {
  PM__REQUIRED("order", ORDER, PM__LIST, 0, PM__RANK_MAX - 1, "the input's dimension that each of the output's is"),
  PM__RULES_END,
};

static int shape_permute(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  char text[PM_TEXT_MAX];
  const double *order = &layer->attribute[ORDER];
  int rank = inputs[0].rank;
  bool good = (int)order[PM__LIST_COUNT] == rank, seen[PM__RANK_MAX] = {false};
  layer->output.rank = rank;
  for (int i = 0; good && i < rank; i++) {
    int from = (int)order[i];
    good = from < rank && !seen[from];
    seen[from] = true;
    layer->output.size[i] = good ? inputs[0].size[from] : 0;
  }
  if (good) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": the order of %s must have each of 0 to %d once",
                  layer->kind->name,
                  layer->name, pm__shape_text(&inputs[0], text, sizeof text), rank - 1);
}

/* Frameworks change strides only, but what follows then copies: a copy, unless nothing changes. */
static void count_permute(pm__layer *layer, pm__layer_kernels *kernels)
{
  bool same = true;
  for (int i = 0; i < layer->output.rank; i++) same = same && layer->attribute[ORDER + i] == i;
  layer->saved.view = same;
  if (same) return;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
}

const pm__layer_kind pm__kind_permute = {
  .name = "permute",
  .doc = "the dimensions in another order",
  .rules = permute_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_permute, .count = count_permute,
  TRAITS,
};
