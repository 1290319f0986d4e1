/*
** Recurrent layers over a sequence of tokens x features: LSTM, GRU, vanilla RNN; stacked, in one or two directions.
**
** With G gates (LSTM 4, GRU 3, RNN 1), hidden size h, input size i (of a further layer of the stack: all the outputs of
** the one before, h or 2 h) and state size s = h, each direction of each layer has
**
**     parameters = G h (i + s + bias vectors),   MAC = tokens G h (i + s)
**
** There are two bias vectors, as in PyTorch, cuDNN and ONNX: an LSTM has 4 h (i + h + 2) parameters; `bias_vectors` 1
** is for frameworks with one. An LSTM with a `projection` p has p outputs and states (s = p) and p h more weights, used
** at every token.
**
** The products with the input are one for all tokens; those with the state go token by token, each reading
** the recurrent weights again, and so do their gradients. Element-wise FLOP per token and hidden unit: LSTM 19 forward
** (sums of the two products 4, three sigmoids 9, two tanh 2, cell and output 4) and 23 backward, GRU 14 (4, 6, 1, 3)
** and 18, RNN 2 and 4; and 1 per bias.
**
** Kept for the backward pass per token and unit besides the outputs: LSTM gates, cell and its tanh, 6; GRU gates and
** the state's part of the candidate, 4; RNN nothing.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { HIDDEN, LAYERS, BIDIRECTIONAL, BIAS, BIAS_VECTORS, PROJECTION, FEEDBACK };

#define COMMON_RULES                                                                             \
  PM__REQUIRED("hidden", HIDDEN, PM__COUNT, 1, 1e7, "hidden units of one direction"),            \
    PM__OPTIONAL("layers", LAYERS, PM__COUNT, 1, 1000, 1, "layers, each on the outputs of the one before"), \
    PM__SWITCHED("bidirectional", BIDIRECTIONAL, 0, "a second direction, outputs side by side"), \
    PM__SWITCHED("bias", BIAS, 1, "bias vectors for every gate"),                                \
    PM__OPTIONAL("bias_vectors", BIAS_VECTORS, PM__COUNT, 1, 2, 2, "2: of the input and of the state; 1: one for both")

static const pm__attribute_rule rules[] = {COMMON_RULES, PM__SHARED_RULE, PM__RULES_END};

static const pm__attribute_rule lstm_rules[] = {
  COMMON_RULES,
  PM__OPTIONAL("projection", PROJECTION, PM__COUNT, 0, 1e7, 0, "outputs of one direction if they are projected; 0: no"),
  PM__SWITCHED("feedback", FEEDBACK, 0, "yes: each step waits for what later layers gave before"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

/* What tells the cells apart; element-wise numbers are per token and hidden unit. */
typedef struct cell_kind {
  double gates;
  double flop, backward_flop;
  double moved, backward_moved; /* by the element-wise kernels: products, state, what is kept */
  double kept;                  /* besides the output */
} cell_kind;

static const cell_kind lstm_cell = {4, 19, 23, 16, 14, 6}, gru_cell = {3, 14, 18, 12, 12, 4},
  rnn_cell = {1, 2, 4, 3, 4, 0};

static const cell_kind *cell_of(const pm__layer *layer)
{
  return (const cell_kind *)layer->kind->variant;
}

static double directions_of(const pm__layer *layer)
{
  return layer->attribute[BIDIRECTIONAL] != 0 ? 2 : 1;
}

/* Numbers that one direction passes on: to the next token, to the next layer. */
static double state_of(const pm__layer *layer)
{
  const double *a = layer->attribute;
  return a[PROJECTION] > 0 ? a[PROJECTION] : a[HIDDEN];
}

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  layer->output = inputs[0];
  layer->output.size[1] = (int64_t)(directions_of(layer) * state_of(layer));
  return pm__need_sequence(layer, &inputs[0], error);
}

/* `copies` equal directions of layers with `in` input features; a layer of the stack is inner above the first. */
typedef struct part {
  pm__layer_kernels *kernels;
  const cell_kind *cell;
  double copies, in, hidden, state, tokens, biases;
  bool projected, inner;
} part;

static void add_product(const part *p, pm__pass pass, double repeats, double m, double n, double k, pm__scaling by,
                        double weights)
{
  double elements = by.k[PM__BATCH] > 0 ? (m + n) * k : (m + k) * n;
  pm__layer_kernel *kernel = pm__add_gemm(p->kernels, pass, (pm__gemm){1, m, n, k, by}, elements, weights);
  kernel->repeats = repeats;
  kernel->inner = true;
  kernel->part = PM__PART_RECURRENT;
}

static void add_cell(const part *p, pm__pass pass, double flop, double moved)
{
  pm__work work = {flop * p->hidden, moved * p->hidden, pass == PM__FORWARD ? p->biases : 0};
  pm__layer_kernel *kernel = pm__add_kernel(p->kernels, pass, PM__ELEMENTWISE, work);
  kernel->repeats = p->copies * p->tokens;
  kernel->part = PM__PART_CELL;
  kernel->part_size = p->hidden;
  kernel->inner = true;
}

static void forward(const part *p)
{
  double gates = p->cell->gates * p->hidden, steps = p->copies * p->tokens;
  add_product(p, PM__FORWARD, p->copies, gates, p->tokens, p->in, PM__SCALES_N, gates * p->in);
  add_product(p, PM__FORWARD, steps, gates, 1, p->state, PM__SCALES_N, gates * p->state);
  add_cell(p, PM__FORWARD, p->cell->flop + p->biases / p->hidden, p->cell->moved);
  if (p->projected) add_product(p, PM__FORWARD, steps, p->state, 1, p->hidden, PM__SCALES_N, p->state * p->hidden);
}

/* Back through time, which the gradients of the weights wait for; then the gradient of the input. */
static void dgrad(const part *p)
{
  double gates = p->cell->gates * p->hidden, steps = p->copies * p->tokens;
  if (p->projected)
    add_product(p, PM__DGRAD, steps, p->hidden, 1, p->state, PM__SCALES_N, p->state * p->hidden);
  add_cell(p, PM__DGRAD, p->cell->backward_flop, p->cell->backward_moved);
  add_product(p, PM__DGRAD, steps, p->state, 1, gates, PM__SCALES_N, gates * p->state);
  add_product(p, PM__DGRAD, p->copies, p->in, p->tokens, gates, PM__SCALES_N, gates * p->in);
  p->kernels->kernel[p->kernels->count - 1].inner = p->inner;
}

/* For all tokens at once; the biases' gradients with the first. */
static void wgrad(const part *p)
{
  double gates = p->cell->gates * p->hidden;
  add_product(p, PM__WGRAD, p->copies, gates, p->in, p->tokens, PM__SCALES_K, gates * p->in + p->biases);
  p->kernels->kernel[p->kernels->count - 1].work.flop += p->biases * p->tokens;
  add_product(p, PM__WGRAD, p->copies, gates, p->state, p->tokens, PM__SCALES_K, gates * p->state);
  if (p->projected)
    add_product(p, PM__WGRAD, p->copies, p->state, p->hidden, p->tokens, PM__SCALES_K, p->state * p->hidden);
}

static void count_part(pm__layer *layer, const part *p)
{
  double weights = p->cell->gates * p->hidden * (p->in + p->state) + (p->projected ? p->state * p->hidden : 0);
  double vectors = p->biases / (p->cell->gates * p->hidden);
  layer->parameters += p->copies * (weights + p->biases);
  layer->parameter_tensors += (int)(p->copies * (2 + vectors + p->projected));
  layer->mac += p->copies * p->tokens * weights;
  layer->mac_bnl += p->copies * p->tokens * (weights + p->biases);
  layer->saved.elements += p->copies * p->tokens * (p->cell->kept + p->projected) * p->hidden;
  forward(p);
  dgrad(p);
  wgrad(p);
}

/* The first layer reads the input, the further ones the outputs of both directions. */
static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  const double *a = layer->attribute;
  double directions = directions_of(layer), out = directions * state_of(layer);
  const cell_kind *cell = cell_of(layer);
  double biases = a[BIAS] != 0 ? a[BIAS_VECTORS] * cell->gates * a[HIDDEN] : 0;
  part p = {kernels, cell, directions, (double)layer->input.size[1], a[HIDDEN], state_of(layer),
            (double)layer->input.size[0], biases, a[PROJECTION] > 0, false};
  layer->feeds_back = a[FEEDBACK] != 0;
  layer->saved.inputs = layer->saved.output = true;
  count_part(layer, &p);
  if (a[LAYERS] == 1) return;
  p.copies = directions * (a[LAYERS] - 1);
  p.in = out;
  p.inner = true;
  layer->saved.elements += (a[LAYERS] - 1) * p.tokens * out;
  count_part(layer, &p);
}

#define TRAITS \
  .role = PM__ROLE_RECURRENT, \
  .source = PM__LIBRARY_KERNEL, \
  .training = PM__TRAINING_ALONE, \
  .inference = PM__INFERENCE_ALONE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_CELL, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__MATRICES, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE

const pm__layer_kind pm__kind_lstm = {
  .name = "lstm",
  .doc = "long short-term memory over a sequence",
  .rules = lstm_rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &lstm_cell,
  TRAITS,
};

const pm__layer_kind pm__kind_gru = {
  .name = "gru",
  .doc = "gated recurrent units over a sequence",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &gru_cell,
  TRAITS,
};

const pm__layer_kind pm__kind_rnn = {
  .name = "rnn",
  .doc = "plain recurrent units over a sequence",
  .rules = rules,
  .least_inputs = 1, .most_inputs = 1,
  .shape = shape, .count = count,
  .variant = &rnn_cell,
  TRAITS,
};
