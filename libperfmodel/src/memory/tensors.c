/*
** Storages: union of the tensors that share memory, and who needs them in the backward pass.
**
** A view is its input's storage. A layer that may work in place takes its input's storage over if nobody else reads
** that, and if the layer that wrote it does not need what it wrote.
*/
#include "memory/tensors.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double pm__given(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

const int *pm__layer_inputs(const pm_network *network, int layer)
{
  size_t first = network->layers[layer].first_input;
  return network->inputs != NULL ? network->inputs + first : NULL; /* a network may take nothing at all */
}

/* ---- Sizes. */

/* Linear layers in FP8 or FP4 keep their inputs as they read them, scales of blocks left out; all else is of two
** bytes. */
pm__sizes pm__sizes_of(const pm_memory_profile *profile, int precision)
{
  double linear = pm_precision_get_bytes(precision), low = linear < 2 ? 2 : linear;
  return (pm__sizes){low, low < 4 && profile->mixed_norms_fp32 ? 4 : low, linear};
}

bool pm__has_chunked_loss(const pm__tensors *tensors, const pm__layer *layer)
{
  return layer->kind->role == PM__ROLE_LOSS && tensors->profile->loss_chunks >= 1;
}

/* Of the part that is computed, FP32 at least; with several parts the logits stay beside it. */
double pm__loss_bytes(const pm__tensors *tensors, pm__sizes sizes)
{
  return fmax(sizes.low, 4) / tensors->profile->loss_chunks;
}

double pm__storage_kept(const pm__tensors *tensors, int storage, pm__sizes sizes)
{
  int kept = tensors->kept[storage];
  double elements = tensors->network->layers[storage].elements_out;
  if (sizes.linear == sizes.low && kept & PM__KEPT_LINEAR) kept ^= PM__KEPT_LINEAR, kept |= PM__KEPT_LOW;
  if (sizes.high == sizes.low && kept & PM__KEPT_HIGH) kept ^= PM__KEPT_HIGH, kept |= PM__KEPT_LOW;
  if (kept & PM__KEPT_LOSS && tensors->profile->loss_chunks > 1) kept |= PM__KEPT_LOW;
  double loss = kept & PM__KEPT_LOSS ? pm__loss_bytes(tensors, sizes) : 0;
  return elements * (loss + (kept & PM__KEPT_LOW ? sizes.low : 0) + (kept & PM__KEPT_HIGH ? sizes.high : 0) +
                     (kept & PM__KEPT_LINEAR ? sizes.linear : 0));
}

/* Scores after the softmax, the same after dropout or cast for the product, and the dropout's mask. */
static double score_bytes(const pm__layer *layer, const pm_memory_profile *profile, pm__sizes sizes)
{
  bool dropped = layer->saved.mask_elements > 0;
  double scores = dropped ? layer->saved.mask_elements : layer->saved.elements;
  double copy = dropped || sizes.low != sizes.high ? sizes.low : 0;
  return scores * (sizes.high + copy + pm__given(profile->score_tensors, 0) * sizes.low) +
         layer->saved.mask_elements * pm__given(profile->mask, 1);
}

/* Of what is run as several operations, their results. */
static double several_operations(const pm__layer *layer, const pm_memory_profile *profile, pm__sizes sizes)
{
  double out = layer->elements_out;
  switch (layer->kind->keeping.further) {
  case PM__FURTHER_GELU: return pm__given(profile->gelu_tensors, 0) * out * sizes.low;
  case PM__FURTHER_LAYER_NORM: return pm__given(profile->layer_norm_tensors, 0) * out * sizes.high;
  case PM__FURTHER_BATCH_NORM: return pm__given(profile->batch_norm_tensors, 0) * out * sizes.low;
  default: return 0;
  }
}

double pm__layer_further(const pm__tensors *tensors, int number, pm__sizes sizes, bool without_scores)
{
  const pm__layer *layer = &tensors->network->layers[number];
  const pm_memory_profile *profile = tensors->profile;
  const pm__saved *saved = &layer->saved;
  const double index = 8; /* int64, where a profile has no say */
  if (layer->kind == NULL || layer->stops) return 0;
  const pm__keeping *keeping = &layer->kind->keeping;
  if (keeping->elements == PM__KEPT_SCORES && !saved->output)
    return without_scores ? 0 : score_bytes(layer, profile, sizes);
  double bytes = several_operations(layer, profile, sizes);
  bool narrow = keeping->elements == PM__KEPT_TENSORS;
  bytes += saved->elements * (narrow ? sizes.low : fmax(sizes.high, 4));
  bytes += saved->linear_elements * sizes.linear;
  bytes += saved->mask_elements * pm__given(profile->mask, 1);
  bytes += saved->index_elements * pm__given(profile->index, keeping->index == PM__INDEX_MAXIMA ? 0 : index);
  return bytes;
}

/* ---- Storages. */

static bool works_in_place(const pm__tensors *tensors, const pm__layer *layer)
{
  return layer->saved.in_place && tensors->profile->in_place && !tensors->profile->relu_keeps_input;
}

/* Whether nobody but its one reader would miss the tensor. A view is only as free as what it looks at. */
static bool is_free(const pm__tensors *tensors, int tensor)
{
  const pm__layer *layer = &tensors->network->layers[tensor];
  while (layer->kind != NULL && layer->consumers == 1 && layer->saved.view)
    layer = &tensors->network->layers[pm__layer_inputs(tensors->network, (int)(layer - tensors->network->layers))[0]];
  return layer->kind != NULL && layer->consumers == 1 && !layer->saved.output;
}

static void find_storage(pm__tensors *tensors, int number)
{
  const pm__layer *layer = &tensors->network->layers[number];
  tensors->storage[number] = number;
  if (layer->kind == NULL) return;
  int input = pm__layer_inputs(tensors->network, number)[0];
  if (layer->saved.view || (works_in_place(tensors, layer) && is_free(tensors, input)))
    tensors->storage[number] = tensors->storage[input];
}

static void keep(pm__tensors *tensors, int tensor, int saver)
{
  int storage = tensors->storage[tensor];
  const pm__layer *layer = &tensors->network->layers[saver];
  bool high = tensors->profile->mixed_norms_fp32 && pm__layer_is_widened(layer);
  bool loss = pm__has_chunked_loss(tensors, layer), linear = pm__layer_is_linear(layer);
  tensors->kept[storage] |= loss ? PM__KEPT_LOSS : high ? PM__KEPT_HIGH : linear ? PM__KEPT_LINEAR : PM__KEPT_LOW;
  if (saver < tensors->first_saver[storage]) tensors->first_saver[storage] = saver;
}

static bool keeps_inputs(const pm__tensors *tensors, const pm__layer *layer)
{
  if (layer->kind->keeping.input == PM__INPUT_OF_AVERAGE) return tensors->profile->average_keeps_input;
  return layer->saved.inputs || (layer->saved.in_place && tensors->profile->relu_keeps_input);
}

static bool keeps_output(const pm__tensors *tensors, const pm__layer *layer)
{
  return layer->saved.output || (layer->kind->keeping.index == PM__INDEX_MAXIMA && isnan(tensors->profile->index));
}

static void find_savers(pm__tensors *tensors, int number)
{
  const pm__layer *layer = &tensors->network->layers[number];
  const int *inputs = pm__layer_inputs(tensors->network, number);
  for (size_t i = 0; i < layer->input_count; i++) {
    tensors->last_use[tensors->storage[inputs[i]]] = number;
    if (!layer->stops && keeps_inputs(tensors, layer)) keep(tensors, inputs[i], number);
  }
  tensors->last_use[tensors->storage[number]] = number;
  if (layer->kind != NULL && !layer->stops && keeps_output(tensors, layer)) keep(tensors, number, number);
}

int pm__tensors_find(pm__tensors *tensors, const pm_network *network, const pm_memory_profile *profile, pm_error *error)
{
  size_t count = network->count + 1;
  tensors->network = network;
  tensors->profile = profile;
  tensors->storage = (int *)calloc(count, sizeof(int));
  tensors->kept = (unsigned char *)calloc(count, 1);
  tensors->first_saver = (int *)calloc(count, sizeof(int));
  tensors->last_use = (int *)calloc(count, sizeof(int));
  if (tensors->storage == NULL || tensors->kept == NULL || tensors->first_saver == NULL || tensors->last_use == NULL) {
    pm__tensors_free(tensors);
    return pm__no_memory(error);
  }
  for (size_t i = 0; i < network->count; i++) tensors->first_saver[i] = INT_MAX;
  for (size_t i = 0; i < network->count; i++) find_storage(tensors, (int)i);
  for (size_t i = 0; i < network->count; i++) find_savers(tensors, (int)i);
  return PM_OK;
}

void pm__tensors_free(pm__tensors *tensors)
{
  free(tensors->storage);
  free(tensors->kept);
  free(tensors->first_saver);
  free(tensors->last_use);
  memset(tensors, 0, sizeof *tensors);
}
