/* Traits of a network that follow from its graph, and the copy whose attention the software chose. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "network/network.h"
#include "perfmodel/attention.h"

static bool may_choose(const pm__layer *layer)
{
  pm__layer copy = *layer;
  if (layer->kind->choose == NULL) return false;
  layer->kind->choose(&copy, PM_ATTENTION_FUSED);
  return memcmp(copy.attribute, layer->attribute, sizeof copy.attribute) != 0;
}

static bool is_attention(const pm__layer *layer)
{
  return layer->kind->role == PM__ROLE_ATTENTION || layer->kind->role == PM__ROLE_DECODER_ATTENTION;
}

/* Whether its name, or that of a block that it is in, is "unknown.": an operator that an importer had no count for. */
static bool is_uncounted(const char *name)
{
  const char *at = strstr(name, "unknown.");
  return at != NULL && (at == name || at[-1] == '.' || at[-1] == '/');
}

pm__network_traits pm__network_get_traits(const pm_network *network)
{
  pm_network_totals totals;
  pm__network_traits traits = {.weights = network->weights, .expert_weights = network->expert_weights};
  bool causal = false, other = false;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    traits.uncounted += is_uncounted(layer->name);
    if (layer->kind == NULL) continue;
    traits.convolutions |= layer->kind->role == PM__ROLE_CONVOLUTION;
    traits.experts |= layer->kind->role == PM__ROLE_EXPERTS;
    traits.bags |= pm__layer_is_bag(layer);
    traits.chooses_kernels |= may_choose(layer);
    causal |= layer->kind->role == PM__ROLE_SCAN;
    if (!is_attention(layer)) continue;
    causal |= layer->causal;
    other |= !layer->causal;
  }
  bool tokens = pm_network_get_totals(network, &totals, NULL) == PM_OK && !isnan(totals.tokens);
  traits.language_model = tokens && causal && !other;
  return traits;
}

/* ---- The copy ---- */

enum { INPUTS_MOST = 1024 };

/* As the model has it, whose number its inputs and name are of. */
static int copy_model(pm_network *copy, const pm_network *network, const pm__layer *model, pm_error *error)
{
  pm__shape shapes[INPUTS_MOST];
  if (model->kind == NULL)
    return pm_network_add_input(copy, model->name, model->output.size, model->output.rank, error);
  const int *inputs = &network->inputs[model->first_input];
  for (size_t i = 0; i < model->input_count; i++) shapes[i] = copy->layers[inputs[i]].output;
  return pm__network_add_layer(copy, model, inputs, shapes, error);
}

static int copy_layer(pm_network *copy, const pm_network *network, size_t number, int attention, pm_error *error)
{
  pm__layer model = network->layers[number];
  if (model.kind != NULL && model.kind->choose != NULL) model.kind->choose(&model, attention);
  return copy_model(copy, network, &model, error);
}

int pm__network_copy_layer(pm_network *copy, const pm_network *network, size_t number, pm__layer_tuning tuning,
                           pm_error *error)
{
  pm__layer model = network->layers[number];
  model.tuning = tuning;
  return copy_model(copy, network, &model, error);
}

pm_network *pm__network_new_packed(const pm_network *network, double tokens, pm_error *error)
{
  pm_network *copy = pm_network_new(network->id, network->name, error);
  int status = copy != NULL ? 0 : -1;
  for (size_t i = 0; i < network->count && status >= 0; i++) {
    pm__layer model = network->layers[i];
    if (model.kind != NULL && model.kind->pack != NULL) model.kind->pack(&model, tokens);
    status = copy_model(copy, network, &model, error);
  }
  if (status >= 0) return copy;
  pm_network_free(copy);
  return NULL;
}

bool pm__network_freezes(const pm_network *network)
{
  for (size_t i = 0; i < network->count; i++)
    if (network->layers[i].tuning == PM__FROZEN) return true;
  return false;
}

pm_network *pm__network_new_with_attention(const pm_network *network, int attention, pm_error *error)
{
  pm_network *copy = pm_network_new(network->id, network->name, error);
  for (size_t i = 0; copy != NULL && i < network->count; i++)
    if (copy_layer(copy, network, i, attention, error) < 0) {
      pm_network_free(copy);
      copy = NULL;
    }
  return copy;
}
