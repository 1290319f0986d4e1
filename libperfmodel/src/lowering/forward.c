/*
** The forward pass as a framework runs it: its launches of training, with four differences. Batch norm is a scale and a
** shift, dropout is nothing, the loss is a softmax, and samples are compared with nothing.
*/
#include "lowering/forward.h"

bool pm__runs_in_inference(const pm__layer_kernel *kernel)
{
  const pm__work *work = &kernel->work;
  bool works = work->flop > 0 || work->elements > 0 || work->fixed_elements > 0;
  return kernel->pass == PM__FORWARD && !kernel->dropout && works;
}

static void reduce(const pm__layer *layer, pm__launch *s)
{
  bool learned = layer->kind->role == PM__ROLE_CHANNEL_NORM && layer->saved.inputs; /* a fixed norm stays as it is */
  if (s->kernel.part == PM__PART_WAITED) {
    s->kernel.part_size = layer->waited_in_inference;
    s->compared = layer->compared_in_inference;
  }
  if (learned) s->kernel.work.elements = 2 * layer->elements_out;
  if (layer->kind->role != PM__ROLE_LOSS) return;
  s->kernel.work.elements = 2 * layer->elements_out;
  s->launches = s->host_calls = 1;
}

/* What a framework has cuDNN run. */
static bool is_of_cudnn(const pm__layer *layer)
{
  pm__role role = layer->kind->role;
  return role == PM__ROLE_CONVOLUTION || role == PM__ROLE_CHANNEL_NORM || layer->kind->loop == PM__LOOP_CELL;
}

static bool add_layer(pm__launch_list *list, const pm_network *network, size_t index, pm__execution execution)
{
  pm__launch launches[PM__LAUNCHES_MAX];
  int count = pm__lower_layer(network, index, execution, launches);
  for (int i = 0; i < count; i++) {
    if (!pm__runs_in_inference(&launches[i].kernel)) continue;
    reduce(&network->layers[index], &launches[i]);
    if (!is_of_cudnn(&network->layers[index])) launches[i].plain_calls = launches[i].host_calls;
    if (pm__launch_list_add(list, &launches[i]) < 0) return false;
  }
  return true;
}

int pm__forward_layers(pm__launch_list *list, const pm_network *network, pm__execution execution)
{
  for (size_t i = 0; i < network->count; i++)
    if (!add_layer(list, network, i, execution)) return PM_STATUS_NO_MEMORY;
  return PM_OK;
}
