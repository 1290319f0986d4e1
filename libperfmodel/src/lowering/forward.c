/*
** Lists of kernels of a forward pass. Those of a framework are its kernels of training, with three differences: batch norm
** is a scale and a shift, dropout is nothing, and the loss is a softmax.
*/
#include <stdlib.h>
#include <string.h>
#include "inference/inference.h"
#include "lowering/execution.h"

bool pm__inference_runs(const pm__kernel *kernel)
{
  const pm__work *work = &kernel->work;
  bool works = work->flop > 0 || work->elements > 0 || work->fixed_elements > 0;
  return kernel->pass == PM__FORWARD && !kernel->dropout && works;
}

int pm__inference_add(pm__inference_list *list, const pm__inference_kernel *kernel)
{
  void *larger = list->kernel;
  if (list->count == list->capacity)
    larger = pm__grow(list->kernel, list->count, &list->capacity, sizeof *list->kernel);
  if (larger == NULL) return -1;
  list->kernel = (pm__inference_kernel *)larger;
  list->kernel[list->count] = *kernel;
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

static bool add_layer(pm__inference_list *list, const pm_network *network, size_t index, pm__execution execution)
{
  pm__launch started[PM__LAUNCHES_MAX];
  int count = pm__lower_layer(network, index, execution, started);
  for (int i = 0; i < count; i++) {
    pm__launch *s = &started[i];
    if (!pm__inference_runs(&s->kernel)) continue;
    reduce(&network->layers[index], s);
    pm__inference_kernel new_kernel = {s->kernel, s->starts, s->calls, 0, s->layout / s->kernel.repeats};
    if (pm__inference_add(list, &new_kernel) < 0) return false;
  }
  return true;
}

int pm__inference_run_layers(pm__inference_list *list, const pm_network *network, pm__execution execution)
{
  for (size_t i = 0; i < network->count; i++)
    if (!add_layer(list, network, i, execution)) return PM_NO_MEMORY;
  return PM_OK;
}

/* ---- Equal kernels ---- */

static bool same(const pm__inference_kernel *a, const pm__inference_kernel *b)
{
  const pm__work *x = &a->kernel.work, *y = &b->kernel.work;
  return a->extra == b->extra && a->conversion == b->conversion && a->kernel.matrix == b->kernel.matrix &&
         a->kernel.own == b->kernel.own && x->flop == y->flop && x->elements == y->elements &&
         x->fixed_elements == y->fixed_elements && pm__same_shape(&a->kernel, &b->kernel);
}

void pm__inference_merge(pm__inference_list *list)
{
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    size_t at = 0;
    while (at < kept && !same(&list->kernel[at], &list->kernel[i])) at++;
    if (at < kept) {
      list->kernel[at].kernel.repeats += list->kernel[i].kernel.repeats;
      list->kernel[at].starts += list->kernel[i].starts;
      list->kernel[at].calls += list->kernel[i].calls;
    } else list->kernel[kept++] = list->kernel[i];
  }
  list->count = kept;
}
