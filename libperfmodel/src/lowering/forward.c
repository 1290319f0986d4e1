/*
** Lists of kernels of a forward pass. Those of a framework are its kernels of training, with three differences: batch norm
** is a scale and a shift, dropout is nothing, and the loss is a softmax.
*/
#include <stdlib.h>
#include <string.h>
#include "lowering/forward.h"

bool pm__forward_runs(const pm__kernel *kernel)
{
  const pm__work *work = &kernel->work;
  bool works = work->flop > 0 || work->elements > 0 || work->fixed_elements > 0;
  return kernel->pass == PM__FORWARD && !kernel->dropout && works;
}

int pm__forward_add(pm__forward *list, const pm__launch *launch)
{
  void *larger = list->launch;
  if (list->count == list->capacity)
    larger = pm__grow(list->launch, list->count, &list->capacity, sizeof *list->launch);
  if (larger == NULL) return -1;
  list->launch = (pm__launch *)larger;
  list->launch[list->count] = *launch;
  return (int)list->count++;
}

/* ---- Of a framework ---- */

static void reduce(const pm__layer *layer, pm__launch *s)
{
  if (layer->kind == &pm__batch_norm) s->kernel.work.elements = 2 * layer->elements_out;
  if (layer->kind != &pm__softmax_loss && layer->kind != &pm__cross_entropy) return;
  s->kernel.work.elements = 2 * layer->elements_out;
  s->starts = s->calls = 1;
}

static bool add_layer(pm__forward *list, const pm_network *network, size_t index, pm__execution execution)
{
  pm__launch started[PM__LAUNCHES_MAX];
  int count = pm__lower_layer(network, index, execution, started);
  for (int i = 0; i < count; i++) {
    pm__launch *s = &started[i];
    if (!pm__forward_runs(&s->kernel)) continue;
    reduce(&network->layers[index], s);
    if (pm__forward_add(list, s) < 0) return false;
  }
  return true;
}

int pm__forward_layers(pm__forward *list, const pm_network *network, pm__execution execution)
{
  for (size_t i = 0; i < network->count; i++)
    if (!add_layer(list, network, i, execution)) return PM_NO_MEMORY;
  return PM_OK;
}
