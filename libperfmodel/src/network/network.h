/* Internals of a network: its layers in execution order (including inputs), and their kernels. */
#ifndef PM_NETWORK_NETWORK_H
#define PM_NETWORK_NETWORK_H

#include "network/kind.h"

struct pm_network {
  char id[PM_TEXT_MAX], name[PM_TEXT_MAX];
  pm__layer *layers;
  size_t count, capacity;
  pm__layer_kernel *kernels; /* of all layers, in their order */
  size_t kernel_count, kernel_capacity;
  int *inputs; /* numbers of the layers that each layer takes */
  size_t input_count, input_capacity;
  /* A piece of another network knows where its layers are there, because software looks at a layer's neighbours: it
  ** fuses an activation with the norm before it, also across a cut. NULL: the network is nobody's piece. */
  const pm_network *whole;
  int *origin; /* by layer; -1: an input that another piece computes */
  int weights, expert_weights; /* how a checkpoint stores them, a pm_stored; 0: as it is run */
  char *notes; /* of who read it from a file: lines; NULL: none */
};

/* The word of a pm_stored. */
const char *pm__stored_name(int stored);

/* Sets how the checkpoint stores its weights, by words or NULL; experts are stored as the others, unless their word
** says otherwise. */
int pm__network_set_stored(pm_network *network, const char *weights, const char *expert_weights, pm_error *error);

/* A copy of a network that is nobody's piece. Owned by the caller; NULL without memory. */
pm_network *pm__network_new_copy(const pm_network *network, pm_error *error);

/* Adds a layer of the model's name, kind and attributes, with `input_count` inputs that it sees in these shapes: those
** of the tensors, unless an exchange between GPUs changes them on their way. Returns its number, or -1. */
int pm__network_add_layer(pm_network *network, const pm__layer *model, const int *inputs, const pm__shape *shapes,
                          pm_error *error);

static inline const pm__layer *pm__layer_input(const pm_network *network, const pm__layer *layer, size_t i)
{
  return &network->layers[network->inputs[layer->first_input + i]];
}

/* Whether a gradient flows back into what a layer passes on. */
static inline bool pm__layer_has_gradient(const pm__layer *layer)
{
  return (layer->kind != NULL || layer->wants_gradient) && !layer->stops;
}

/* Whether a layer has that pass: a frozen one has no gradients of parameters, and none at all before all adapters. */
bool pm__layer_runs(const pm__layer *layer, pm__pass pass);

/* Whether recomputation by operation keeps the output of a layer: attention, and of products the first, third, ...,
** which `products` counts from the first layer on. */
static inline bool pm__keeps_operation(const pm__layer *layer, int *products)
{
  if (layer->kind == NULL) return false;
  bool dense = layer->kind->role == PM__ROLE_DENSE && layer->tuning != PM__ADAPTER;
  bool odd = dense && (*products)++ % 2 == 0;
  return odd || layer->kind->role == PM__ROLE_ATTENTION;
}

/* Whether a layer is attention that keeps its scores for the backward pass; one kernel for all computes them again. */
static inline bool pm__keeps_scores(const pm_network *network, const pm__layer *layer)
{
  bool attention = layer->kind != NULL && layer->kind->role == PM__ROLE_ATTENTION;
  return attention && network->kernels[layer->first_kernel].family != PM__ATTENTION;
}

/* Whether it adds up the rows of a bag, so that its table may be divided over GPUs. */
static inline bool pm__layer_is_bag(const pm__layer *layer)
{
  bool gathers = layer->kind != NULL && layer->kind->role == PM__ROLE_GATHER;
  return gathers && layer->output.rank == layer->input.rank;
}

/* Properties of a network that determine its defaults. */
typedef struct pm__network_traits {
  bool language_model;  /* decoder-only: it reads tokens, and all of its attention is causal */
  bool convolutions;
  bool chooses_kernels; /* it has attention whose implementation it leaves to the software */
  bool experts;
  bool bags;            /* tables whose rows are added up, which GPUs may divide */
  int weights, expert_weights; /* how its checkpoint stores them, a pm_stored; 0: as it is run */
  int uncounted; /* layers named unknown.OPERATOR: importers leave them without arithmetic */
} pm__network_traits;

pm__network_traits pm__network_get_traits(const pm_network *network);

/* A copy with that implementation of attention (pm_attention_choice) where the network leaves it to the software. Owned
** by the caller; NULL with an error. */
pm_network *pm__network_new_with_attention(const pm_network *network, int attention, pm_error *error);

/* Copies the layer of that number, trained or frozen, behind copies of those before it. Its number, or -1. */
int pm__network_copy_layer(pm_network *copy, const pm_network *network, size_t number, pm__layer_tuning tuning,
                           pm_error *error);

/* A copy whose sequences are of documents of so many tokens, which attention keeps to. Owned by the caller; NULL with
** an error. */
pm_network *pm__network_new_packed(const pm_network *network, double tokens, pm_error *error);

/* Whether some layers are frozen. */
bool pm__network_freezes(const pm_network *network);

/* Adapters beside frozen layers: of which rank, beside which (pm_lora_targets), the share of their inputs that they
** drop, whether outputs have trained lengths (DoRA), and in which layers. */
typedef struct pm__network_adapters {
  int rank, targets;
  double dropout;
  bool dora;
  int first, layers; /* the first of the repeated layers that have them, and how many; 0: all from there */
} pm__network_adapters;

/* A copy in which all layers are frozen and adapters are trained. Owned by the caller; NULL with an error. */
pm_network *pm__network_new_with_adapters(const pm_network *network, const pm__network_adapters *adapters,
                                          pm_error *error);

/* Parameters of the whole network. */
double pm__network_parameters(const pm_network *network);

/* Counts of all layers for `batch` samples stored at `precision`, into an array of pm_network_count_layers rows.
** Errors: PM_STATUS_BAD_ARGUMENT (batch not finite or below 1, no such precision). */
int pm__network_get_layers(const pm_network *network, double batch, int precision, pm_layer *rows,
                                 pm_error *error);

#endif
