/* Layers of a decoder that runs word by word. */
#include "lowering/loop.h"

/* Accesses for each hidden unit of a cell, kernels besides the products, and the operations of all that follow each other.
** Forward: bias, split of the gates (8 each), five functions (10), three products (9), two sums (6), two choices of state
** (6); path: concatenation, product, bias, split, function, product, sum, function, product, choice. Backward: slopes of the
** functions (15), of the products (18), the gates put together (8), their bias (4), the choices (12); the same path. */
typedef struct cell_passes {
  double accesses, starts, path;
} cell_passes;

static const cell_passes cell_forward = {47, 14, 10}, cell_backward = {57, 19, 10};

bool pm__is_recurrent(const pm__layer *layer)
{
  return layer->kind == &pm__lstm || layer->kind == &pm__gru || layer->kind == &pm__rnn;
}

/* Attention that a decoder steps through. */
static bool is_attention(const pm__layer *layer)
{
  return layer->kind == &pm__additive_attention || layer->kind == &pm__dot_attention;
}

static bool passes_on(const pm__layer *layer)
{
  return layer->kind == &pm__dropout || layer->kind == &pm__concat || layer->kind == &pm__add;
}

static const pm__layer *input_of(const pm_network *network, const pm__layer *layer, size_t i)
{
  return &network->layers[network->inputs[layer->first_input + i]];
}

/* Through layers that only pass on what they get, few of which follow each other. */
static bool reads_attention(const pm_network *network, const pm__layer *layer, int depth)
{
  for (size_t i = 0; i < layer->input_count; i++) {
    const pm__layer *input = input_of(network, layer, i);
    if (is_attention(input) || (depth > 0 && passes_on(input) && reads_attention(network, input, depth - 1))) return true;
  }
  return false;
}

static bool is_query(const pm_network *network, const pm__layer *layer)
{
  for (size_t i = 0; i < network->count; i++)
    if (is_attention(&network->layers[i]) && input_of(network, &network->layers[i], 0) == layer) return true;
  return false;
}

bool pm__in_loop(const pm_network *network, const pm__layer *layer)
{
  enum { DEPTH = 4 };
  if (is_attention(layer)) return pm__is_recurrent(input_of(network, layer, 0));
  return pm__is_recurrent(layer) && (reads_attention(network, layer, DEPTH) || is_query(network, layer));
}

/* A product over all words as one for each. */
static void split_product(pm__launch *s, double words)
{
  pm__gemm *g = &s->kernel.shape.gemm;
  double *size = g->scaled == PM__SCALES_K ? &g->k : &g->n;
  if (*size != words) return; /* done for each word as it is */
  *size = 1;
  s->kernel.repeats *= words;
  s->kernel.work.flop /= words;
  s->kernel.work.elements /= words;
  s->starts = s->kernel.repeats;
}

/* The sum of gradients that a product's are added to. */
static pm__launch sum_of(const pm__launch *product, double wide)
{
  pm__launch s = *product;
  s.kernel.family = PM__ELEMENTWISE;
  s.kernel.matrix = s.kernel.inner = false;
  s.kernel.work = (pm__work){0, 0, 3 * wide * product->kernel.work.fixed_elements};
  s.calls = 0;
  return s;
}

static void split_cell(pm__launch *s, const pm__layer *layer)
{
  const cell_passes *cell = s->kernel.pass == PM__FORWARD ? &cell_forward : &cell_backward;
  double hidden = layer->attribute[0]; /* the first of their rules */
  s->kernel.work.elements = cell->accesses * hidden + 2 * (double)layer->input.size[1];
  s->starts = cell->starts * s->kernel.repeats;
  s->calls = cell->path * s->kernel.repeats;
}

static int loop_recurrent(const pm__layer *layer, double wide, pm__launch *list, int count)
{
  double words = (double)layer->input.size[0];
  int most = count;
  for (int i = 0; i < most; i++) {
    if (list[i].kernel.family != PM__GEMM) {
      split_cell(&list[i], layer);
      continue;
    }
    split_product(&list[i], words);
    list[i].calls = 0;
    if (list[i].kernel.pass == PM__BACKWARD_WEIGHT) {
      list[count] = sum_of(&list[i], wide);
      count++;
    }
  }
  return count;
}

/* The same work in as many pieces as there are words. */
static int loop_attention(const pm__layer *layer, pm__launch *list, int count)
{
  double words = (double)layer->input.size[0];
  for (int i = 0; i < count; i++) {
    list[i].starts *= words;
    list[i].calls = list[i].kernel.pass == PM__BACKWARD_WEIGHT ? 0 : list[i].starts;
  }
  return count;
}

int pm__loop_kernels(const pm__layer *layer, double wide, pm__launch *list, int count)
{
  return pm__is_recurrent(layer) ? loop_recurrent(layer, wide, list, count) : loop_attention(layer, list, count);
}
