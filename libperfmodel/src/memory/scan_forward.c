/* The forward pass of inference: a storage lives from the layer that writes it to the last that reads it. */
#include <stdlib.h>
#include "memory/scan.h"

int pm__scan_forward(const pm__tensors *tensors, double *most, double *written, pm_error *error)
{
  const pm_network *network = tensors->network;
  double *ends = (double *)calloc(network->count + 1, sizeof *ends), alive = 0;
  if (ends == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < network->count; i++)
    if (tensors->storage[i] == (int)i) ends[tensors->last_use[i]] += network->layers[i].elements_out;
  *most = *written = 0;
  for (size_t i = 0; i < network->count; i++) {
    double elements = tensors->storage[i] == (int)i ? network->layers[i].elements_out : 0;
    alive += elements;
    *written += elements;
    if (alive > *most) *most = alive;
    alive -= ends[i];
  }
  free(ends);
  return PM_OK;
}
