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

/* Split dimensions in front of those that become one stay; the first of them may be split. */
static bool accepts_flatten(const pm__layer *layer, pm__sharding_part *part)
{
  int from = pm__axis(layer, FROM, &part->inputs[0], NULL);
  part->out = part->in[0];
  return part->in[0].how == PM__SHARD_TOKENS ? from > 0 : part->in[0].axis <= from;
}

static const pm__sharding_rules sharding_of_flatten = {.accepts = accepts_flatten};

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
  .sharding = PM__SHARD_WHOLE | PM__SHARD_TOKENS | PM__SHARD_FEATURES

const pm__layer_kind pm__kind_flatten = {
  .name = "flatten",
  .doc = "makes the last dimensions one",
  .rules = flatten_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_flatten, .count = count_view,
  .sharding_rules = &sharding_of_flatten,
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

/* The dimension of the new shape that begins where the split one does: heads x size of features. -1 without one. */
static int new_axis(const pm__layer *layer, const pm__shape *input, int axis)
{
  double before = 1, behind = 1;
  for (int i = 0; i < axis; i++) before *= (double)input->size[i];
  for (int i = 0; i < layer->output.rank; i++) {
    if (behind == before && layer->output.size[i] > 1) return i;
    behind *= (double)layer->output.size[i];
  }
  return -1;
}

/* Tokens stay the first dimension. */
static bool accepts_reshape(const pm__layer *layer, pm__sharding_part *part)
{
  part->out = part->in[0];
  if (part->in[0].how == PM__SHARD_TOKENS) return layer->output.size[0] == part->inputs[0].size[0];
  part->out.axis = new_axis(layer, &part->inputs[0], part->in[0].axis);
  return part->out.axis >= 0 && layer->output.rank <= part->inputs[0].rank + 1; /* heads alone */
}

static pm__sharding_demand demands_reshape(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)input;
  int axis = new_axis(layer, &layer->input, layer->input.rank - 1);
  bool grows = axis >= 0 && layer->output.rank > layer->input.rank;
  return grows ? pm__sharding_units(of_output, (double)layer->output.size[axis]) : of_output;
}

static int divide_size(pm__layer *layer, int axis, int parts, pm_error *error)
{
  double *size = &layer->attribute[SHAPE + axis];
  if (*size < 0) return PM_OK;
  int status = pm__sharding_check(layer, *size, axis == 0 ? "tokens" : "features", parts, error);
  *size /= parts;
  return status;
}

static int divide_reshape(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  int tokens = part->degrees->context, status = PM_OK;
  if (part->in[0].how == PM__SHARD_TOKENS) tokens *= part->degrees->tensor;
  if (part->in[0].how == PM__SHARD_FEATURES) status = divide_size(layer, part->out.axis, part->in[0].parts, error);
  return status == PM_OK && tokens > 1 ? divide_size(layer, 0, tokens, error) : status;
}

static const pm__sharding_rules sharding_of_reshape = {
  .accepts = accepts_reshape, .demands = demands_reshape, .divide = divide_reshape, .always = true,
};

const pm__layer_kind pm__kind_reshape = {
  .name = "reshape",
  .doc = "the same elements in another shape",
  .rules = reshape_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_reshape, .count = count_view,
  .sharding_rules = &sharding_of_reshape,
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

/* Whether each dimension stands `by` places further back, where one pushed over the end comes to the front. */
static bool is_turned(const pm__layer *layer, int by)
{
  const int rank = layer->output.rank;
  for (int i = 0; i < rank; i++)
    if ((int)layer->attribute[ORDER + i] != (i + by) % rank) return false;
  return true;
}

/* Frameworks change strides only, but what follows then copies: a copy, unless nothing changes. Channels of an image
** that go last stay there in memory: what follows keeps the strides, convolutions too, so that neither they nor their
** way back to the front are copied. */
static void count_permute(pm__layer *layer, pm__layer_kernels *kernels)
{
  const int rank = layer->output.rank;
  layer->saved.view = is_turned(layer, 0);
  if (layer->saved.view || (rank > 2 && (is_turned(layer, 1) || is_turned(layer, rank - 1)))) return;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2 * layer->elements_out, 0});
}

static bool accepts_permute(const pm__layer *layer, pm__sharding_part *part)
{
  part->out = part->in[0];
  if (part->in[0].how == PM__SHARD_TOKENS) return layer->attribute[ORDER] == 0;
  for (int i = 0; i < layer->output.rank; i++)
    if ((int)layer->attribute[ORDER + i] == part->in[0].axis) part->out.axis = i;
  return true;
}

static const pm__sharding_rules sharding_of_permute = {.accepts = accepts_permute};

const pm__layer_kind pm__kind_permute = {
  .name = "permute",
  .doc = "the dimensions in another order",
  .rules = permute_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape_permute, .count = count_permute,
  .sharding_rules = &sharding_of_permute,
  TRAITS,
};
