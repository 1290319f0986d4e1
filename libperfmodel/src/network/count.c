/* Counts of a network: totals per sample, and layer by layer for a batch. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/network.h"
#include "perfmodel/hardware.h"
#include "record/count.h"

static void add_layer(pm_network_totals *totals, const pm__layer *layer)
{
  totals->layers++;
  totals->parameter_layers += layer->parameters > 0 && layer->mac > 0;
  totals->parameter_tensors += layer->parameter_tensors;
  totals->parameters += layer->parameters;
  totals->mac += layer->mac;
  totals->mac_bnl += layer->mac_bnl;
  totals->flop += layer->flop[PM__FORWARD];
  for (int pass = 0; pass < PM__PASSES; pass++) totals->training_flop += layer->flop[pass];
}

/* Whether the layer looks up each index of an input by itself, several of them in a row: they are tokens. */
static bool reads_tokens(const pm_network *network, const pm__layer *layer, const pm__layer *input)
{
  const pm__shape *in = &input->output;
  if (layer->kind == NULL || layer->kind->role != PM__ROLE_GATHER || layer->output.rank != in->rank + 1) return false;
  for (size_t i = 0; i < layer->input_count; i++)
    if (&network->layers[network->inputs[layer->first_input + i]] == input) return in->size[in->rank - 1] > 1;
  return false;
}

/* Tokens of the inputs that are such, each counted once; unknown without any. */
static double count_tokens(const pm_network *network)
{
  double tokens = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *input = &network->layers[i];
    bool read = false;
    for (size_t k = i + 1; input->kind == NULL && !read && k < network->count; k++)
      read = reads_tokens(network, &network->layers[k], input);
    if (read) tokens += input->elements_out;
  }
  return tokens > 0 ? tokens : (double)NAN;
}

int pm_network_get_totals(const pm_network *network, pm_network_totals *totals, pm_error *error)
{
  if (network == NULL ||
      totals == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "totals need a network and a place");
  memset(totals, 0, sizeof *totals);
  memcpy(totals->id, network->id, sizeof totals->id);
  memcpy(totals->name, network->name, sizeof totals->name);
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind != NULL) add_layer(totals, layer);
    else if (totals->input[0] == '\0') pm__shape_text(&layer->output, totals->input, sizeof totals->input);
  }
  totals->tokens = count_tokens(network);
  if (network->count > 0)
    pm__shape_text(&network->layers[network->count - 1].output, totals->output, sizeof totals->output);
  return PM_OK;
}

static void fill_row(pm_layer *row, const pm__layer *layer, int index, double batch, double bytes)
{
  memset(row, 0, sizeof *row);
  row->index = index;
  memcpy(row->name, layer->name, sizeof row->name);
  pm__text_set(row->kind, sizeof row->kind, layer->kind->name);
  pm__shape_text(&layer->input, row->input, sizeof row->input);
  pm__shape_text(&layer->output, row->output, sizeof row->output);
  row->parameters = layer->parameters;
  row->mac = batch * layer->mac;
  row->flop = batch * layer->flop[PM__FORWARD];
  for (int pass = 0; pass < PM__PASSES; pass++) row->training_flop += batch * layer->flop[pass];
  row->mac_bnl = batch * layer->mac_bnl;
  row->bytes_in = bytes * batch * layer->elements_in;
  row->bytes_out = bytes * batch * layer->elements_out;
  row->bytes_parameters = bytes * layer->parameters;
  row->gamma = layer->parameters > 0 ? row->mac_bnl / layer->parameters : (double)NAN;
}

int pm__network_get_layers(const pm_network *network, double batch, int precision, pm_layer *rows, pm_error *error)
{
  if (network == NULL ||
      rows == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "layers need a network and a place");
  if (pm__batch_check(batch, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  double bytes = pm_precision_get_bytes(precision);
  if (isnan(bytes)) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", precision);
  int index = 0;
  for (size_t i = 0; i < network->count; i++) {
    if (network->layers[i].kind == NULL) continue;
    fill_row(&rows[index], &network->layers[i], index, batch, bytes);
    index++;
  }
  return PM_OK;
}
