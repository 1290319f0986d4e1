/*
** From a network's layers to the launches of its forward pass in an engine that fuses.
**
** A kind says what an engine makes of it. An epilogue is a function of each element, and may be folded into the kernel
** that makes one of its inputs, if nobody else wants that tensor: the other inputs are then read besides. A convolution
** and a pass over memory take in any, a product only those that are part of every library's products (bias, scale,
** ReLU). A norm of rows is folded into a pass, as it has the row at hand. What is nothing in inference passes its input
** on. A kernel reads a tensor once, however many of its layers want it.
**
** A compiler of passes computes a function of one tensor in every reader, and does not write it, if all readers are
** passes.
*/
#include <stdlib.h>
#include <string.h>
#include "lowering/forward.h"

static pm__layer_inference_fusion fusion_of(const pm__layer *layer)
{
  pm__layer_inference_fusion how = layer->kind->inference;
  if (how != PM__INFERENCE_MOVEMENT) return how;
  return layer->saved.view ? PM__INFERENCE_NOTHING : PM__INFERENCE_ALONE;
}

/* Where the tensor of a layer comes from, for those who would fold themselves into its kernel. */
typedef struct origin {
  int kernel; /* number in the list; -1: none that takes anything in */
  bool alone; /* only one layer wants it */
  bool by_products; /* a layer that multiplies matrices wants it */
  size_t begun; /* the layer that the kernel began with */
} origin;

typedef struct walk {
  const pm_network *network;
  pm__launch_list *list;
  int fusion;
  origin *origins; /* of each layer */
} walk;

static const int *inputs_of(const walk *w, const pm__layer *layer)
{
  return &w->network->inputs[layer->first_input];
}

static double elements_of(const walk *w, int number)
{
  return w->network->layers[number].elements_out;
}

/* What a convolution's input and output take to change their layout: read and written each. */
static double layout_of(const pm__layer *layer, const pm__layer_kernel *kernel)
{
  return kernel->family == PM__CONV ? 2 * (layer->elements_in + layer->elements_out) : 0;
}

static int append(walk *w, const pm__layer_kernel *kernel, double layout)
{
  const pm__launch launch = {.kernel = *kernel,
                             .launches = kernel->repeats,
                             .host_calls = kernel->repeats,
                             .layout = kernel->repeats * layout};
  return pm__launch_list_add(w->list, &launch);
}

/* The layer's own forward kernels. A later layer may be folded into the last if it is a product. */
static bool add_alone(walk *w, const pm__layer *layer, origin *to)
{
  for (size_t i = 0; i < layer->kernel_count; i++) {
    const pm__layer_kernel *kernel = &w->network->kernels[layer->first_kernel + i];
    if (!pm__runs_in_inference(kernel)) continue;
    to->kernel = append(w, kernel, layout_of(layer, kernel));
    if (to->kernel < 0) return false;
    if (!kernel->matrix || w->fusion != PM_FUSION_GRAPH) to->kernel = -1;
  }
  return true;
}

/* A pass over memory that moves so many numbers; its number, or -1 without memory. */
static int add_pass(walk *w, const pm__layer *layer, pm__family family, double moved)
{
  pm__layer_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.pass = PM__FORWARD;
  kernel.family = family;
  kernel.repeats = 1;
  kernel.work = (pm__work){layer->elements_out, moved, layer->parameters};
  if (family == PM__SOFTMAX) {
    const pm__layer_kernel *own = &w->network->kernels[layer->first_kernel];
    kernel.work.flop = own->work.flop;
    kernel.shape.row = own->shape.row;
  }
  return append(w, &kernel, 0);
}

static double moved_by(const walk *w, const pm__layer *layer)
{
  double moved = layer->elements_out;
  for (size_t i = 0; i < layer->input_count; i++) moved += elements_of(w, inputs_of(w, layer)[i]);
  return moved;
}

static bool wants(const walk *w, const pm__layer *layer, int number)
{
  for (size_t i = 0; i < layer->input_count; i++)
    if (inputs_of(w, layer)[i] == number) return true;
  return false;
}

/* Whether a kernel that `from` is of reads a tensor already, for a layer before this one. */
static bool is_read(const walk *w, const origin *from, size_t layer, int number)
{
  for (size_t i = from->begun; i < layer; i++)
    if (w->origins[i].kernel == from->kernel && wants(w, &w->network->layers[i], number)) return true;
  return false;
}

/* What the kernel that takes a layer in reads besides. */
static double read_besides(const walk *w, size_t layer, int taker)
{
  double read = 0;
  for (size_t i = 0; i < w->network->layers[layer].input_count; i++) {
    int number = inputs_of(w, &w->network->layers[layer])[i];
    if (number != taker && !is_read(w, &w->origins[taker], layer, number)) read += elements_of(w, number);
  }
  return read;
}

static bool multiplies(const walk *w, const pm__layer *layer)
{
  for (size_t i = 0; i < layer->kernel_count; i++)
    if (w->network->kernels[layer->first_kernel + i].matrix) return true;
  return false;
}

/* Backwards: the readers of a view are readers of its input. */
static void mark_products(walk *w)
{
  for (size_t i = w->network->count; i-- > 0;) {
    const pm__layer *layer = &w->network->layers[i];
    if (layer->kind == NULL) continue;
    bool handed_on = fusion_of(layer) == PM__INFERENCE_NOTHING && w->origins[i].by_products;
    for (size_t k = 0; (handed_on || multiplies(w, layer)) && k < layer->input_count; k++)
      w->origins[inputs_of(w, layer)[k]].by_products = true;
  }
}

/* A function of one tensor that is computed where it is wanted. */
static bool is_repeated(const walk *w, const pm__layer *layer, const origin *at)
{
  return w->fusion == PM_FUSION_PASSES && layer->kind->role == PM__ROLE_ACTIVATION && layer->input_count == 1 &&
         elements_of(w, inputs_of(w, layer)[0]) == layer->elements_out && layer->consumers > 0 && !at->by_products;
}

static bool can_fuse(const pm__layer_kernel *kernel, pm__layer_inference_fusion how)
{
  if (kernel->family == PM__CONV) return how != PM__INFERENCE_ROWS;
  return !kernel->matrix || how == PM__INFERENCE_SIMPLE;
}

/* Of the inputs whose kernels would take the layer in, the one that is made last: the others are there by then. */
static int taker_of(const walk *w, const pm__layer *layer)
{
  int taker = -1;
  for (size_t i = 0; i < layer->input_count; i++) {
    int number = inputs_of(w, layer)[i];
    const origin *from = &w->origins[number];
    if (from->kernel < 0 || !from->alone || elements_of(w, number) != layer->elements_out) continue;
    if (!can_fuse(&w->list->launch[from->kernel].kernel, fusion_of(layer))) continue;
    if (taker < 0 || from->kernel > w->origins[taker].kernel) taker = number;
  }
  return taker;
}

static bool add_epilogue(walk *w, size_t number, origin *to)
{
  const pm__layer *layer = &w->network->layers[number];
  int taker = taker_of(w, layer);
  if (taker < 0 && fusion_of(layer) == PM__INFERENCE_ROWS) return add_alone(w, layer, to);
  if (taker < 0 && is_repeated(w, layer, to)) return true;
  if (taker < 0) {
    to->kernel = add_pass(w, layer, PM__ELEMENTWISE, moved_by(w, layer));
    return to->kernel >= 0;
  }
  w->list->launch[w->origins[taker].kernel].extra += read_besides(w, number, taker);
  to->kernel = w->origins[taker].kernel;
  to->begun = w->origins[taker].begun;
  return true;
}

static bool add_layer(walk *w, size_t number)
{
  const pm__layer *layer = &w->network->layers[number];
  origin *to = &w->origins[number];
  *to = (origin){-1, layer->consumers == 1, to->by_products, number};
  if (layer->kind == NULL) return true;
  const origin *from = &w->origins[inputs_of(w, layer)[0]];
  switch (fusion_of(layer)) {
  case PM__INFERENCE_SIMPLE:
  case PM__INFERENCE_EPILOGUE:
  case PM__INFERENCE_ROWS: return add_epilogue(w, number, to);
  case PM__INFERENCE_LOSS: return add_pass(w, layer, PM__SOFTMAX, 2 * layer->elements_out) >= 0;
  case PM__INFERENCE_JOIN: /* an engine has its inputs written to their place */
    return w->fusion == PM_FUSION_GRAPH || add_pass(w, layer, PM__ELEMENTWISE, 2 * layer->elements_out) >= 0;
  case PM__INFERENCE_NOTHING:
    to->kernel = from->kernel;
    to->begun = from->begun;
    to->alone = to->alone && from->alone;
    return true;
  case PM__INFERENCE_ALONE:
  case PM__INFERENCE_MOVEMENT: /* fusion_of makes it one of the others */
  case PM__INFERENCE_FUSION_END: break;
  }
  return add_alone(w, layer, to);
}

int pm__forward_fused(pm__launch_list *list, const pm_network *network, int fusion)
{
  walk w = {network, list, fusion, NULL};
  bool good = true;
  w.origins = (origin *)calloc(network->count + 1, sizeof *w.origins);
  if (w.origins != NULL) mark_products(&w);
  for (size_t i = 0; w.origins != NULL && i < network->count && good; i++) good = add_layer(&w, i);
  good = good && w.origins != NULL;
  free(w.origins);
  return good ? PM_OK : PM_STATUS_NO_MEMORY;
}
