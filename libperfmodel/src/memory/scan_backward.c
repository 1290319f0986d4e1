/*
** The backward pass, from the last layer to the first.
**
** Saved storages are let go after the backward pass of the first layer (in forward order) that needs them. The gradient
** of a tensor appears when the last of its readers runs backward and goes when its writer has. A view and a sum pass
** the gradient of their output on as it is.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory/scan.h"

typedef struct gradients {
  int *group;     /* by tensor: which gradient it has, or -1; numbered by the tensor that it was made for */
  int *members;   /* by group */
  double *bytes;  /* by group */
  double in_flight;
} gradients;

static bool gradients_new(gradients *g, size_t count)
{
  g->group = (int *)malloc((count + 1) * sizeof(int));
  g->members = (int *)calloc(count + 1, sizeof(int));
  g->bytes = (double *)calloc(count + 1, sizeof(double));
  g->in_flight = 0;
  for (size_t i = 0; g->group != NULL && i < count; i++) g->group[i] = -1;
  return g->group != NULL && g->members != NULL && g->bytes != NULL;
}

static void gradients_free(gradients *g)
{
  free(g->group);
  free(g->members);
  free(g->bytes);
}

static void join(gradients *g, int tensor, int group, double bytes)
{
  if (g->members[group] == 0) {
    g->bytes[group] = bytes;
    g->in_flight += bytes;
  }
  g->group[tensor] = group;
  g->members[group]++;
}

static void leave(gradients *g, int tensor)
{
  int group = g->group[tensor];
  if (group < 0 || --g->members[group] > 0) return;
  g->in_flight -= g->bytes[group];
}

static bool passes_on(const pm__layer *layer, const pm__layer *input)
{
  bool sum = layer->kind->keeping.gradient == PM__GRADIENT_PASSED;
  return layer->saved.view || (sum && input->elements_out == layer->elements_out);
}

static void open_inputs(gradients *g, const pm_network *network, int number, double size)
{
  const pm__layer *layer = &network->layers[number];
  const int *inputs = pm__layer_inputs(network, number);
  for (size_t i = 0; i < layer->input_count; i++) {
    const pm__layer *input = &network->layers[inputs[i]];
    if (input->kind == NULL || input->stops || g->group[inputs[i]] >= 0) continue;
    bool on = passes_on(layer, input) && g->group[number] >= 0;
    join(g, inputs[i], on ? g->group[number] : inputs[i], input->elements_out * size);
  }
}

/* Bytes that are let go once a layer's backward pass is done. */
static void find_released(const pm__tensors *tensors, pm__sizes sizes, bool without_scores, double *released)
{
  const pm_network *network = tensors->network;
  for (size_t i = 0; i < network->count; i++) {
    double kept = pm__storage_kept(tensors, (int)i, sizes);
    if (kept > 0) released[tensors->first_saver[i]] += kept;
    if (network->layers[i].kind != NULL) released[i] += pm__layer_further(tensors, (int)i, sizes, without_scores);
  }
}

/* What autocast runs in FP32, and a loss that is cast to FP32 part by part, reads and writes gradients in FP32: bytes
** over those of its tensors, while it runs. */
static double wider_gradients(const pm__tensors *tensors, int number, pm__sizes sizes)
{
  const pm__layer *layer = &tensors->network->layers[number];
  const int *inputs = pm__layer_inputs(tensors->network, number);
  bool chunked = pm__has_chunked_loss(tensors, layer);
  double elements = layer->elements_out;
  double high = chunked ? fmax(sizes.low, 4) : sizes.high;
  double wider = (high - sizes.low) / (chunked ? tensors->profile->loss_chunks : 1);
  if (wider == 0 || !(chunked || pm__layer_is_widened(layer))) return 0;
  for (size_t i = 0; i < layer->input_count; i++) {
    const pm__layer *input = &tensors->network->layers[inputs[i]];
    if (input->kind != NULL && !input->stops) elements += input->elements_out;
  }
  return elements * wider;
}

/* A loss in several parts is done backward part by part: each part's gradients take the place of its logits. Bytes that
** are never there beside them. */
static double replaced(const pm__tensors *tensors, int number, pm__sizes sizes)
{
  const pm__layer *layer = &tensors->network->layers[number];
  double chunks = tensors->profile->loss_chunks, elements = layer->elements_out;
  if (!pm__has_chunked_loss(tensors, layer) || !(chunks > 1)) return 0;
  const pm__layer *logits = &tensors->network->layers[pm__layer_inputs(tensors->network, number)[0]];
  if (logits->kind != NULL && !logits->stops) elements += logits->elements_out;
  return elements * sizes.low * (1 - 1 / chunks);
}

static void walk(const pm__tensors *tensors, pm__sizes sizes, const double *released, gradients *g, pm__alive *out,
                 double *alive)
{
  const pm_network *network = tensors->network;
  double saved = 0;
  for (size_t i = 0; i < network->count; i++) saved += released[i];
  out->saved = out->peak = saved;
  for (int i = (int)network->count - 1; i >= 0; i--) {
    if (network->layers[i].kind == NULL || network->layers[i].stops) continue;
    if (g->group[i] < 0) join(g, i, i, network->layers[i].elements_out * sizes.low); /* an output of the network */
    open_inputs(g, network, i, sizes.low);
    double now = saved + g->in_flight + wider_gradients(tensors, i, sizes) - replaced(tensors, i, sizes);
    if (now > out->peak) out->peak = now;
    if (alive != NULL) alive[i] = now;
    leave(g, i);
    saved -= released[i];
  }
}

/* A plan laid out ahead of time does not share the two largest gradients with what is kept. */
static double static_peak(const pm__tensors *tensors, double saved, double size)
{
  double largest = 0;
  for (size_t i = 0; i < tensors->network->count; i++)
    if (tensors->network->layers[i].elements_out > largest) largest = tensors->network->layers[i].elements_out;
  return saved + 2 * largest * size;
}

/* `released` is zero, one number for each layer. */
static int scan(const pm__tensors *tensors, pm__sizes sizes, bool without_scores, double *released, pm__alive *out,
                double *alive, pm_error *error)
{
  gradients g;
  bool enough = gradients_new(&g, tensors->network->count) && released != NULL;
  if (enough) {
    find_released(tensors, sizes, without_scores, released);
    walk(tensors, sizes, released, &g, out, alive);
    if (tensors->profile->static_plan) out->peak = static_peak(tensors, out->saved, sizes.low);
  }
  gradients_free(&g);
  return enough ? PM_OK : pm__no_memory(error);
}

int pm__scan_backward(const pm__tensors *tensors, pm__sizes sizes, bool without_scores, pm__alive *out, double *alive,
                      pm_error *error)
{
  double *released = (double *)calloc(tensors->network->count + 1, sizeof *released);
  int status = scan(tensors, sizes, without_scores, released, out, alive, error);
  free(released);
  return status;
}

/* ---- Pieces ---- */

static pm__memory_piece piece_of(const pm__tensors *tensors, const double *released, const double *alive, int first,
                                 int end,
                               double before, double low)
{
  pm__memory_piece piece = {0, 0, 0};
  double largest = 0;
  for (int i = first; i < end; i++) {
    const pm__layer *layer = &tensors->network->layers[i];
    piece.saved += released[i];
    if (layer->kind != NULL && alive[i] - before > piece.top) piece.top = alive[i] - before;
    if (layer->elements_out > largest) largest = layer->elements_out;
  }
  if (tensors->profile->static_plan) piece = (pm__memory_piece){piece.saved, 0, 2 * largest * low};
  return piece;
}

int pm__scan_pieces(const pm__tensors *tensors, pm__sizes sizes, bool without_scores, const int *first, int count,
                    pm__memory_piece *pieces, pm_error *error)
{
  pm__alive whole;
  size_t layers = tensors->network->count + 1;
  double *released = (double *)calloc(layers, sizeof *released), *alive = (double *)calloc(layers, sizeof *alive);
  int status = alive != NULL ? scan(tensors, sizes, without_scores, released, &whole, alive,
                                    error) : pm__no_memory(error);
  double before = 0;
  for (int i = 0; status == PM_OK && i < count; i++) {
    pieces[i] = piece_of(tensors, released, alive, first[i], first[i + 1], before, sizes.low);
    before += pieces[i].saved;
  }
  free(released);
  free(alive);
  return status;
}
