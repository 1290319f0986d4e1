/*
** From a network's layers to the kernels of its forward pass in an engine that fuses.
**
** Each layer plays one of these roles. A host runs kernels of its own. An epilogue is a function of each element, and may
** be folded into the kernel that makes one of its inputs, if nobody else wants that tensor: the other inputs are then
** read besides. A convolution and a pass over memory take in any, a product only those that are part of every library's
** products (bias, scale, ReLU). A norm of rows is folded into a pass, as it has the row at hand. What is nothing in
** inference passes its input on.
*/
#include <stdlib.h>
#include <string.h>
#include "lowering/forward.h"
#include "perfmodel/framework.h"

typedef enum role { HOST, SIMPLE, EPILOGUE, NORM, JOIN, LOSS, NOTHING } role;

static const struct {
  const pm__layer_kind *kind;
  role role_here;
} roles[] = {
  {&pm__batch_norm, SIMPLE},   {&pm__bias, SIMPLE},        {&pm__scale, SIMPLE},       {&pm__relu, SIMPLE},
  {&pm__relu6, SIMPLE},        {&pm__leaky_relu, EPILOGUE}, {&pm__prelu, EPILOGUE},    {&pm__elu, EPILOGUE},
  {&pm__gelu, EPILOGUE},       {&pm__silu, EPILOGUE},      {&pm__mish, EPILOGUE},      {&pm__sigmoid, EPILOGUE},
  {&pm__tanh, EPILOGUE},       {&pm__hardswish, EPILOGUE}, {&pm__hardsigmoid, EPILOGUE}, {&pm__softplus, EPILOGUE},
  {&pm__add, EPILOGUE},        {&pm__subtract, EPILOGUE},  {&pm__multiply, EPILOGUE},  {&pm__divide, EPILOGUE},
  {&pm__pointwise, EPILOGUE},  {&pm__layer_norm, NORM},    {&pm__rms_norm, NORM},      {&pm__concat, JOIN},
  {&pm__softmax_loss, LOSS},   {&pm__cross_entropy, LOSS}, {&pm__dropout, NOTHING},
};

static role role_of(const pm__layer *layer)
{
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
    if (roles[i].kind == layer->kind) return roles[i].role_here;
  return layer->saved.view ? NOTHING : HOST;
}

/* Where the tensor of a layer comes from, for those who would fold themselves into its kernel. */
typedef struct origin {
  int kernel; /* number in the list; -1: none that takes anything in */
  bool alone; /* only one layer wants it */
} origin;

typedef struct walk {
  const pm_network *network;
  pm__forward *list;
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
static double conversion_of(const pm__layer *layer, const pm__kernel *kernel)
{
  return kernel->family == PM__CONV ? 2 * (layer->elements_in + layer->elements_out) : 0;
}

static int append(walk *w, const pm__kernel *kernel, double conversion)
{
  return pm__forward_add(w->list, &(pm__launch){.kernel = *kernel, .starts = kernel->repeats, .calls = kernel->repeats, .layout = kernel->repeats * conversion});
}

/* The layer's own forward kernels. A later layer may be folded into the last if it is a product. */
static bool add_host(walk *w, const pm__layer *layer, origin *to)
{
  for (size_t i = 0; i < layer->kernel_count; i++) {
    const pm__kernel *kernel = &w->network->kernels[layer->first_kernel + i];
    if (!pm__forward_runs(kernel)) continue;
    to->kernel = append(w, kernel, conversion_of(layer, kernel));
    if (to->kernel < 0) return false;
    if (!kernel->matrix || w->fusion != PM_FUSION_GRAPH) to->kernel = -1;
  }
  return true;
}

/* A pass over memory that moves so many numbers; its number, or -1 without memory. */
static int add_pass(walk *w, const pm__layer *layer, pm__family family, double moved)
{
  pm__kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.pass = PM__FORWARD;
  kernel.family = family;
  kernel.repeats = 1;
  kernel.work = (pm__work){layer->elements_out, moved, layer->parameters};
  if (family == PM__SOFTMAX) {
    const pm__kernel *own = &w->network->kernels[layer->first_kernel];
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

static bool takes(const pm__kernel *kernel, role role_here)
{
  if (kernel->family == PM__CONV) return role_here != NORM;
  return !kernel->matrix || role_here == SIMPLE;
}

/* Of the inputs whose kernels would take the layer in, the one that is made last: the others are there by then. */
static int taker_of(const walk *w, const pm__layer *layer)
{
  int taker = -1;
  for (size_t i = 0; i < layer->input_count; i++) {
    int number = inputs_of(w, layer)[i];
    const origin *from = &w->origins[number];
    if (from->kernel < 0 || !from->alone || elements_of(w, number) != layer->elements_out) continue;
    if (!takes(&w->list->launch[from->kernel].kernel, role_of(layer))) continue;
    if (taker < 0 || from->kernel > w->origins[taker].kernel) taker = number;
  }
  return taker;
}

static bool add_epilogue(walk *w, const pm__layer *layer, origin *to)
{
  int taker = taker_of(w, layer);
  if (taker < 0 && role_of(layer) == NORM) return add_host(w, layer, to);
  if (taker < 0) {
    to->kernel = add_pass(w, layer, PM__ELEMENTWISE, moved_by(w, layer));
    return to->kernel >= 0;
  }
  to->kernel = w->origins[taker].kernel;
  pm__launch *launch = &w->list->launch[to->kernel];
  launch->extra += launch->kernel.repeats * (moved_by(w, layer) - layer->elements_out - elements_of(w, taker));
  return true;
}

static bool add_layer(walk *w, size_t number)
{
  const pm__layer *layer = &w->network->layers[number];
  origin *to = &w->origins[number];
  *to = (origin){-1, layer->consumers == 1};
  if (layer->kind == NULL) return true;
  const origin *from = &w->origins[inputs_of(w, layer)[0]];
  switch (role_of(layer)) {
  case SIMPLE:
  case EPILOGUE:
  case NORM: return add_epilogue(w, layer, to);
  case LOSS: return add_pass(w, layer, PM__SOFTMAX, 2 * layer->elements_out) >= 0;
  case JOIN: /* an engine has its inputs written to their place */
    return w->fusion == PM_FUSION_GRAPH || add_pass(w, layer, PM__ELEMENTWISE, 2 * layer->elements_out) >= 0;
  case NOTHING:
    to->kernel = from->kernel;
    to->alone = to->alone && from->alone;
    return true;
  default: return add_host(w, layer, to);
  }
}

int pm__forward_fused(pm__forward *list, const pm_network *network, int fusion)
{
  walk w = {network, list, fusion, NULL};
  bool good = true;
  w.origins = (origin *)calloc(network->count + 1, sizeof *w.origins);
  for (size_t i = 0; w.origins != NULL && i < network->count && good; i++) good = add_layer(&w, i);
  good = good && w.origins != NULL;
  free(w.origins);
  return good ? PM_OK : PM_NO_MEMORY;
}
