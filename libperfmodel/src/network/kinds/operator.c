/*
** An operator that no other kind describes, by numbers of the user: what one sample costs, and which share of the data
** sheet's peak and bandwidth its kernel reaches.
**
**     time = max(FLOP / peak, bytes / bandwidth) / share
*/
#include "network/kinds/kinds.h"

enum { FLOP, MOVED, BACKWARD, SHARE, MATRIX, SHAPE };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("flop", FLOP, PM__NUMBER, 0, 1e18, "FLOP of the forward pass of one sample"),
  PM__OPTIONAL("moved", MOVED, PM__NUMBER, 0, 1e18, 0, "numbers read and written of one sample; 0: inputs and output"),
  PM__OPTIONAL("backward", BACKWARD, PM__NUMBER, 0, 1e3, 2, "cost of the backward pass over that of the forward pass"),
  PM__OPTIONAL("share", SHARE, PM__NUMBER, 1e-6, 1, 1, "of the GPU's peak and bandwidth that it reaches"),
  PM__SWITCHED("matrix", MATRIX, 0, "its peak is that of matrix multiplications"),
  PM__LIKE("shape", SHAPE, PM__LIST, 1, 1e15, "input", "sizes of its output, if it is not that of its first input"),
  PM__RULES_END,
};

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  (void)error;
  const double *sizes = &layer->attribute[SHAPE];
  layer->output = inputs[0];
  if (sizes[PM__LIST_COUNT] == 0) return PM_OK;
  layer->output.rank = (int)sizes[PM__LIST_COUNT];
  for (int i = 0; i < layer->output.rank; i++) layer->output.size[i] = (int64_t)sizes[i];
  return PM_OK;
}

static void add(const pm__layer *layer, pm__layer_kernels *kernels, pm__pass pass, pm__work work)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__OPERATOR, work);
  kernel->matrix = layer->attribute[MATRIX] != 0;
  kernel->shape.share = layer->attribute[SHARE];
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  double flop = layer->attribute[FLOP], moved = layer->attribute[MOVED], backward = layer->attribute[BACKWARD];
  if (moved == 0) moved = layer->elements_in + layer->elements_out;
  layer->saved.inputs = backward > 0;
  add(layer, kernels, PM__FORWARD, (pm__work){flop, moved, 0});
  if (backward > 0) add(layer, kernels, PM__DGRAD, (pm__work){backward * flop, backward * moved, 0});
}

const pm__layer_kind pm__kind_operator = {
  .name = "operator",
  .doc = "any other operator, by its FLOP, its accesses and its rate",
  .rules = rules,
  .least_inputs = 1, .most_inputs = PM__ANY_NUMBER,
  .shape = shape, .count = count,
  .role = PM__ROLE_POINTWISE,
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
