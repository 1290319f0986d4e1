/* Where a single tensor goes on. */
#include "network/blocks.h"
#include <stdlib.h>

/* The layer that made the tensor which layer `i` passes on: itself, or, of a view, that of its input. */
static int maker_of(const pm_network *network, int i)
{
  while (network->layers[i].kind != NULL && network->layers[i].saved.view)
    i = network->inputs[network->layers[i].first_input];
  return i;
}

/* last[i]: the last layer that reads the tensor made by layer i. */
static void find_last_readers(const pm_network *network, int *last)
{
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    last[i] = (int)i;
    for (size_t k = 0; k < layer->input_count; k++)
      last[maker_of(network, network->inputs[layer->first_input + k])] = (int)i;
  }
}

int pm__network_blocks(const pm_network *network, bool *ends, pm_error *error)
{
  int count = 0, alive = 0;
  int *last = (int *)calloc(2 * (network->count + 1), sizeof *last);
  int *dying = last != NULL ? last + network->count + 1 : NULL;
  if (last == NULL) {
    pm__no_memory(error);
    return -1;
  }
  find_last_readers(network, last);
  for (size_t i = 0; i < network->count; i++)
    if (maker_of(network, (int)i) == (int)i) dying[last[i]]++;
  for (size_t i = 0; i < network->count; i++) {
    if (maker_of(network, (int)i) == (int)i) alive++;
    alive -= dying[i];
    ends[i] = (alive == 1 && network->layers[i].kind != NULL) || i + 1 == network->count;
    count += ends[i];
  }
  free(last);
  return count;
}

double pm__network_largest_block(const pm_network *network, pm_error *error)
{
  bool *ends = (bool *)calloc(network->count + 1, sizeof *ends);
  if (ends == NULL || pm__network_blocks(network, ends, error) < 0) {
    free(ends);
    pm__no_memory(error);
    return -1;
  }
  double largest = 0, parameters = 0;
  for (size_t i = 0; i < network->count; i++) {
    parameters += network->layers[i].parameters;
    if (parameters > largest) largest = parameters;
    if (ends[i]) parameters = 0;
  }
  free(ends);
  return largest;
}
