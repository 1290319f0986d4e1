/* Networks: layers added one by one, each inferred and counted at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "network/network.h"

enum { INPUTS_MAX = 1024 };

pm_network *pm_network_new(const char *id, const char *name, pm_error *error)
{
  pm_network *network = (pm_network *)calloc(1, sizeof *network);
  if (network == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  if (id != NULL && pm__text_set(network->id, sizeof network->id, id) &&
      pm__text_set(network->name, sizeof network->name, name != NULL ? name : id))
    return network;
  pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a network needs an id and a name of at most %d bytes", PM_TEXT_MAX - 1);
  pm_network_free(network);
  return NULL;
}

void pm_network_free(pm_network *network)
{
  if (network == NULL) return;
  free(network->layers);
  free(network->kernels);
  free(network->inputs);
  free(network->origin);
  free(network->notes);
  free(network);
}

const char *pm_network_get_notes(const pm_network *network)
{
  return network != NULL && network->notes != NULL ? network->notes : "";
}

static void *copy_of(const void *array, size_t count, size_t size)
{
  void *copy = malloc(count * size + 1);
  if (copy != NULL && count > 0) memcpy(copy, array, count * size);
  return copy;
}

pm_network *pm__network_new_copy(const pm_network *network, pm_error *error)
{
  pm_network *copy = pm_network_new(network->id, network->name, error);
  if (copy == NULL) return NULL;
  copy->layers = (pm__layer *)copy_of(network->layers, network->count, sizeof *copy->layers);
  copy->kernels = (pm__layer_kernel *)copy_of(network->kernels, network->kernel_count, sizeof *copy->kernels);
  copy->inputs = (int *)copy_of(network->inputs, network->input_count, sizeof *copy->inputs);
  if (network->notes != NULL) copy->notes = pm__text_copy(network->notes);
  copy->weights = network->weights;
  copy->expert_weights = network->expert_weights;
  copy->count = copy->capacity = network->count;
  copy->kernel_count = copy->kernel_capacity = network->kernel_count;
  copy->input_count = copy->input_capacity = network->input_count;
  bool noted = network->notes == NULL || copy->notes != NULL;
  if (copy->layers != NULL && copy->kernels != NULL && copy->inputs != NULL && noted) return copy;
  pm_network_free(copy);
  return pm__no_memory(error), (pm_network *)NULL;
}

static int set_name(pm__layer *layer, const char *kind, const char *name, size_t number, pm_error *error)
{
  if (name == NULL || name[0] == '\0') snprintf(layer->name, sizeof layer->name, "%s%zu", kind, number);
  else if (!pm__text_set(layer->name, sizeof layer->name, name))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "layer name \"%.60s...\" is longer than %d bytes", name,
                    PM_TEXT_MAX - 1);
  return PM_OK;
}

/* Beyond 2^53 a count would not be exact any more. */
static int check_output(const pm__layer *layer, pm_error *error)
{
  char in[PM_TEXT_MAX], out[PM_TEXT_MAX];
  const char *kind = layer->kind != NULL ? layer->kind->name : "input";
  for (int i = 0; i < layer->output.rank; i++)
    if (layer->output.size[i] < 1)
      return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" does not fit its input %s: its output would be %s", kind,
                      layer->name, pm__shape_text(&layer->input, in, sizeof in),
                      pm__shape_text(&layer->output, out, sizeof out));
  if (pm__shape_elements(&layer->output) > 9007199254740992.0 || layer->mac > 9007199254740992.0 ||
      layer->parameters > 9007199254740992.0)
    return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" is implausibly large: %s", kind, layer->name,
                    pm__shape_text(&layer->output, out, sizeof out));
  return PM_OK;
}

/* Makes room for `more` elements. */
static bool reserve(void **array, size_t count, size_t *capacity, size_t more, size_t size)
{
  while (*capacity < count + more) {
    void *larger = pm__grow(*array, *capacity, capacity, size);
    if (larger == NULL) return false;
    *array = larger;
  }
  return true;
}

/* All the memory first, so that a layer is added whole or not at all. */
static int append(pm_network *network, pm__layer *layer, const pm__layer_kernels *kernels, const int *inputs,
                  pm_error *error)
{
  void *layers = network->layers, *kernel_array = network->kernels, *input_array = network->inputs;
  bool room = reserve(&layers, network->count, &network->capacity, 1, sizeof *network->layers);
  network->layers = (pm__layer *)layers;
  room = room && reserve(&kernel_array, network->kernel_count, &network->kernel_capacity, (size_t)kernels->count,
                         sizeof *network->kernels);
  network->kernels = (pm__layer_kernel *)kernel_array;
  room = room && reserve(&input_array, network->input_count, &network->input_capacity, layer->input_count,
                         sizeof *network->inputs);
  network->inputs = (int *)input_array;
  if (!room) {
    pm__no_memory(error);
    return -1;
  }
  layer->first_kernel = network->kernel_count;
  layer->kernel_count = (size_t)kernels->count;
  layer->first_input = network->input_count;
  for (int i = 0; i < kernels->count; i++) network->kernels[network->kernel_count++] = kernels->kernel[i];
  for (size_t i = 0; i < layer->input_count; i++) network->inputs[network->input_count++] = inputs[i];
  network->layers[network->count] = *layer;
  return (int)network->count++;
}

int pm_network_add_input(pm_network *network, const char *name, const int64_t *shape, int rank, pm_error *error)
{
  if (network == NULL || shape == NULL || rank < 1 || rank > PM__RANK_MAX) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an input needs a network and a shape of 1 to %d dimensions", PM__RANK_MAX);
    return -1;
  }
  pm__layer layer;
  static const pm__layer_kernels no_kernels = {0};
  memset(&layer, 0, sizeof layer);
  if (set_name(&layer, "input", name, network->count, error) != PM_OK) return -1;
  layer.output.rank = rank;
  memcpy(layer.output.size, shape, (size_t)rank * sizeof *shape);
  layer.input = layer.output;
  layer.elements_out = pm__shape_elements(&layer.output);
  return check_output(&layer, error) == PM_OK ? append(network, &layer, &no_kernels, NULL, error) : -1;
}

static int check_inputs(const pm_network *network, const pm__layer *layer, const int *inputs, int count,
                        pm_error *error)
{
  const pm__layer_kind *kind = layer->kind;
  if (count < kind->least_inputs || count > kind->most_inputs || count > INPUTS_MAX)
    return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" has %d inputs; it takes %s%d", kind->name, layer->name,
                    count,
                    count < kind->least_inputs && kind->most_inputs > kind->least_inputs ? "at least " : "",
                    count < kind->least_inputs ? kind->least_inputs : kind->most_inputs < INPUTS_MAX ? kind->most_inputs
                                                                                                      : INPUTS_MAX);
  for (int i = 0; i < count; i++)
    if (inputs[i] < 0 || (size_t)inputs[i] >= network->count)
      return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s \"%s\": there is no layer %d", kind->name, layer->name,
                      inputs[i]);
  return PM_OK;
}

/* What flows in, and whether a gradient has to flow back. */
static void take_inputs(const pm_network *network, pm__layer *layer, const int *inputs, const pm__shape *shapes)
{
  for (size_t i = 0; i < layer->input_count; i++) {
    layer->elements_in += pm__shape_elements(&shapes[i]);
    layer->wants_gradient |= pm__layer_has_gradient(&network->layers[inputs[i]]);
  }
  layer->input = shapes[0];
}

/* A tensor with several consumers gets their gradients added up: each consumer after the first reads two, writes
** one. */
static void accumulate(const pm_network *network, const pm__layer *layer, const int *inputs, pm__layer_kernels *kernels)
{
  double elements = 0;
  for (size_t i = 0; i < layer->input_count; i++) {
    const pm__layer *input = &network->layers[inputs[i]];
    bool taken = input->consumers + input->taken > 0;
    for (size_t j = 0; j < i; j++) taken |= inputs[j] == inputs[i];
    if (taken && pm__layer_has_gradient(input)) elements += pm__shape_elements(&kernels->inputs[i]);
  }
  if (elements > 0)
    pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){elements, 3 * elements, 0})->part =
      PM__PART_ACCUMULATION;
}

/* What a frozen layer does without: gradients of parameters, and the input that these alone need. */
static void freeze(pm__layer *layer)
{
  bool experts = layer->kind->role == PM__ROLE_EXPERTS;
  bool product = experts || layer->kind->role == PM__ROLE_DENSE || layer->kind->role == PM__ROLE_CONVOLUTION;
  layer->frozen = layer->parameters;
  layer->frozen_tied = layer->tied;
  layer->parameters = layer->tied = layer->parameter_tensors = 0;
  layer->stops = !layer->wants_gradient;
  if (product) layer->saved.inputs = false;
  if (experts) layer->saved.linear_elements = 0;
}

bool pm__layer_runs(const pm__layer *layer, pm__pass pass)
{
  if (layer->tuning != PM__FROZEN || pass == PM__FORWARD) return true;
  return pass == PM__DGRAD && !layer->stops;
}

/* Only passes that a frozen layer has. */
static void drop_passes(const pm__layer *layer, pm__layer_kernels *kernels)
{
  int kept = 0;
  for (int i = 0; i < kernels->count; i++)
    if (pm__layer_runs(layer, kernels->kernel[i].pass)) kernels->kernel[kept++] = kernels->kernel[i];
  kernels->count = kept;
}

/* No gradient is wanted of the network's own inputs. */
static void drop_dgrad(pm__layer_kernels *kernels)
{
  int kept = 0;
  for (int i = 0; i < kernels->count; i++) {
    const pm__layer_kernel *kernel = &kernels->kernel[i];
    if (kernel->pass != PM__DGRAD || kernel->inner) kernels->kernel[kept++] = *kernel;
  }
  kernels->count = kept;
}

static void sum_flop(pm__layer *layer, const pm__layer_kernels *kernels)
{
  for (int i = 0; i < kernels->count; i++)
    layer->flop[kernels->kernel[i].pass] += kernels->kernel[i].repeats * kernels->kernel[i].work.flop;
}

static int infer(pm__layer *layer, const pm__shape *shapes, int count, pm__layer_kernels *kernels, pm_error *error)
{
  int status = layer->kind->shape(layer, shapes, count, error);
  if (status == PM_OK) status = check_output(layer, error);
  if (status != PM_OK) return status;
  layer->elements_out = pm__shape_elements(&layer->output);
  kernels->inputs = shapes;
  kernels->input_count = count;
  layer->kind->count(layer, kernels);
  if (layer->attribute[PM__SHARED] != 0) {
    layer->tied = layer->parameters;
    layer->parameters = layer->parameter_tensors = 0;
  }
  if (!layer->wants_gradient) drop_dgrad(kernels);
  if (layer->tuning == PM__FROZEN) freeze(layer), drop_passes(layer, kernels);
  return check_output(layer, error);
}

int pm__network_add_layer(pm_network *network, const pm__layer *model, const int *inputs, const pm__shape *shapes,
                          pm_error *error)
{
  pm__layer layer;
  pm__layer_kernels kernels;
  memset(&layer, 0, sizeof layer);
  memcpy(layer.name, model->name, sizeof layer.name);
  memcpy(layer.attribute, model->attribute, sizeof layer.attribute);
  layer.kind = model->kind;
  layer.tuning = model->tuning;
  layer.input_count = model->input_count;
  take_inputs(network, &layer, inputs, shapes);
  kernels.count = 0;
  if (infer(&layer, shapes, (int)layer.input_count, &kernels, error) != PM_OK) return -1;
  accumulate(network, &layer, inputs, &kernels);
  sum_flop(&layer, &kernels);
  int number = append(network, &layer, &kernels, inputs, error);
  for (size_t i = 0; number >= 0 && i < layer.input_count; i++) network->layers[inputs[i]].consumers++;
  return number;
}

int pm_network_add(pm_network *network, const char *kind, const char *name, const int *inputs, int input_count,
                   const pm_attribute *attributes, size_t attribute_count, pm_error *error)
{
  pm__layer layer;
  pm__shape shapes[INPUTS_MAX];
  if (network == NULL || kind == NULL || (inputs == NULL && input_count > 0) ||
      (attributes == NULL && attribute_count > 0)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a layer needs a network, a kind and inputs");
    return -1;
  }
  memset(&layer, 0, sizeof layer);
  layer.kind = pm__layer_kind_find(kind);
  if (layer.kind == NULL) {
    pm__fail(error, PM_STATUS_NOT_FOUND, "unknown layer kind \"%.60s\"", kind);
    return -1;
  }
  if (set_name(&layer, kind, name, network->count, error) != PM_OK ||
      check_inputs(network, &layer, inputs, input_count, error) != PM_OK ||
      pm__layer_read_attributes(&layer, attributes, attribute_count, error) != PM_OK)
    return -1;
  layer.input_count = (size_t)input_count;
  for (int i = 0; i < input_count; i++) shapes[i] = network->layers[inputs[i]].output;
  return pm__network_add_layer(network, &layer, inputs, shapes, error);
}

int pm_network_count_layers(const pm_network *network)
{
  int count = 0;
  for (size_t i = 0; network != NULL && i < network->count; i++) count += network->layers[i].kind != NULL;
  return count;
}

int pm_network_get_shape(const pm_network *network, int layer, int64_t *shape)
{
  if (network == NULL || shape == NULL || layer < 0 || (size_t)layer >= network->count) return 0;
  const pm__shape *output = &network->layers[layer].output;
  for (int i = 0; i < output->rank; i++) shape[i] = output->size[i];
  return output->rank;
}

double pm__network_parameters(const pm_network *network)
{
  double parameters = 0;
  for (size_t i = 0; i < network->count; i++) parameters += network->layers[i].parameters;
  return parameters;
}
