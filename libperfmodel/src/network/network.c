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
  pm__fail(error, PM_BAD_ARGUMENT, "a network needs an id and a name of at most %d bytes", PM_TEXT_MAX - 1);
  pm_network_free(network);
  return NULL;
}

void pm_network_free(pm_network *network)
{
  if (network == NULL) return;
  free(network->layers);
  free(network);
}

static int set_name(pm__layer *layer, const char *kind, const char *name, size_t number, pm_error *error)
{
  if (name == NULL || name[0] == '\0') snprintf(layer->name, sizeof layer->name, "%s%zu", kind, number);
  else if (!pm__text_set(layer->name, sizeof layer->name, name))
    return pm__fail(error, PM_BAD_VALUE, "layer name \"%.60s...\" is longer than %d bytes", name, PM_TEXT_MAX - 1);
  return PM_OK;
}

/* Beyond 2^53 a count would not be exact any more. */
static int check_output(const pm__layer *layer, pm_error *error)
{
  char in[PM_TEXT_MAX], out[PM_TEXT_MAX];
  const char *kind = layer->kind != NULL ? layer->kind->name : "input";
  for (int i = 0; i < layer->output.rank; i++)
    if (layer->output.size[i] < 1)
      return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\" does not fit its input %s: its output would be %s", kind,
                      layer->name, pm__shape_text(&layer->input, in, sizeof in),
                      pm__shape_text(&layer->output, out, sizeof out));
  if (pm__shape_elements(&layer->output) > 9007199254740992.0 || layer->mac > 9007199254740992.0)
    return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\" is absurdly large: %s", kind, layer->name,
                    pm__shape_text(&layer->output, out, sizeof out));
  return PM_OK;
}

static int append(pm_network *network, const pm__layer *layer, pm_error *error)
{
  pm__layer *layers = (pm__layer *)pm__grow(network->layers, network->count, &network->capacity, sizeof *layers);
  if (layers == NULL) {
    pm__no_memory(error);
    return -1;
  }
  network->layers = layers;
  network->layers[network->count] = *layer;
  return (int)network->count++;
}

int pm_network_add_input(pm_network *network, const char *name, const int64_t *shape, int rank, pm_error *error)
{
  if (network == NULL || shape == NULL || rank < 1 || rank > PM__RANK_MAX) {
    pm__fail(error, PM_BAD_ARGUMENT, "an input needs a network and a shape of 1 to %d dimensions", PM__RANK_MAX);
    return -1;
  }
  pm__layer layer;
  memset(&layer, 0, sizeof layer);
  if (set_name(&layer, "input", name, network->count, error) != PM_OK) return -1;
  layer.output.rank = rank;
  memcpy(layer.output.size, shape, (size_t)rank * sizeof *shape);
  layer.input = layer.output;
  layer.elements_out = pm__shape_elements(&layer.output);
  return check_output(&layer, error) == PM_OK ? append(network, &layer, error) : -1;
}

static int check_inputs(const pm_network *network, const pm__layer *layer, const int *inputs, int count,
                        pm_error *error)
{
  const pm__layer_kind *kind = layer->kind;
  if (count < kind->least_inputs || count > kind->most_inputs || count > INPUTS_MAX)
    return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\" has %d inputs; it takes %s%d", kind->name, layer->name, count,
                    count < kind->least_inputs && kind->most_inputs > kind->least_inputs ? "at least " : "",
                    count < kind->least_inputs ? kind->least_inputs : kind->most_inputs < INPUTS_MAX ? kind->most_inputs
                                                                                                      : INPUTS_MAX);
  for (int i = 0; i < count; i++)
    if (inputs[i] < 0 || (size_t)inputs[i] >= network->count)
      return pm__fail(error, PM_BAD_ARGUMENT, "%s \"%s\": there is no layer %d", kind->name, layer->name, inputs[i]);
  return PM_OK;
}

/* What flows in, and whether a gradient has to flow back. */
static void take_inputs(pm_network *network, pm__layer *layer, const int *inputs, int count, pm__shape *shapes)
{
  for (int i = 0; i < count; i++) {
    const pm__layer *input = &network->layers[inputs[i]];
    shapes[i] = input->output;
    layer->elements_in += input->elements_out;
    layer->wants_gradient |= input->kind != NULL;
  }
  layer->input = shapes[0];
}

/* A tensor with several consumers gets their gradients added up: each consumer after the first reads two, writes one. */
static void accumulate(pm_network *network, pm__layer *layer, const int *inputs, int count)
{
  for (int i = 0; i < count; i++) {
    pm__layer *input = &network->layers[inputs[i]];
    if (input->consumers++ == 0 || input->kind == NULL) continue;
    layer->work[PM__ACCUMULATE].flop += input->elements_out;
    layer->work[PM__ACCUMULATE].elements += 3 * input->elements_out;
  }
}

static int infer(pm__layer *layer, const pm__shape *shapes, int count, pm_error *error)
{
  int status = layer->kind->shape(layer, shapes, count, error);
  if (status == PM_OK) status = check_output(layer, error);
  if (status != PM_OK) return status;
  layer->elements_out = pm__shape_elements(&layer->output);
  layer->kind->count(layer);
  if (!layer->wants_gradient) layer->work[PM__BACKWARD_DATA] = (pm__work){0, 0, 0};
  return check_output(layer, error);
}

int pm_network_add(pm_network *network, const char *kind, const char *name, const int *inputs, int input_count,
                   const pm_attribute *attributes, size_t attribute_count, pm_error *error)
{
  pm__layer layer;
  pm__shape shapes[INPUTS_MAX];
  if (network == NULL || kind == NULL || (inputs == NULL && input_count > 0) ||
      (attributes == NULL && attribute_count > 0)) {
    pm__fail(error, PM_BAD_ARGUMENT, "a layer needs a network, a kind and inputs");
    return -1;
  }
  memset(&layer, 0, sizeof layer);
  layer.kind = pm__layer_kind_find(kind);
  if (layer.kind == NULL) {
    pm__fail(error, PM_NOT_FOUND, "unknown layer kind \"%.60s\"", kind);
    return -1;
  }
  if (set_name(&layer, kind, name, network->count, error) != PM_OK ||
      check_inputs(network, &layer, inputs, input_count, error) != PM_OK ||
      pm__layer_read_attributes(&layer, attributes, attribute_count, error) != PM_OK)
    return -1;
  take_inputs(network, &layer, inputs, input_count, shapes);
  if (infer(&layer, shapes, input_count, error) != PM_OK) return -1;
  int number = append(network, &layer, error);
  if (number >= 0) accumulate(network, &network->layers[number], inputs, input_count);
  return number;
}

int pm_network_layer_count(const pm_network *network)
{
  int count = 0;
  for (size_t i = 0; network != NULL && i < network->count; i++) count += network->layers[i].kind != NULL;
  return count;
}

double pm__network_parameters(const pm_network *network)
{
  double parameters = 0;
  for (size_t i = 0; i < network->count; i++) parameters += network->layers[i].parameters;
  return parameters;
}
