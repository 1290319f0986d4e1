/* Layers of a decoder that runs word by word. */
#include "lowering/loop.h"

/* Accesses for each hidden unit of a cell, kernels besides the products, and the operations of all that follow each
** other. Forward: bias, split of the gates (8 each), five functions (10), three products (9), two sums (6), two choices
** of state (6); path: concatenation, product, bias, split, function, product, sum, function, product, choice. Backward:
** slopes of the functions (15), of the products (18), the gates put together (8), their bias (4), the choices (12); the
** same path. */
typedef struct cell_passes {
  double accesses, launches, path;
} cell_passes;

static const cell_passes cell_forward = {47, 14, 10}, cell_backward = {57, 19, 10};

static bool plays(const pm__layer *layer, pm__loop_part part)
{
  return layer->kind != NULL && layer->kind->loop == part;
}

/* Through layers that only pass on what they get, few of which follow each other. */
static bool reads_attention(const pm_network *network, const pm__layer *layer, int depth)
{
  for (size_t i = 0; i < layer->input_count; i++) {
    const pm__layer *input = pm__layer_input(network, layer, i);
    if (plays(input, PM__LOOP_ATTENTION) ||
        (depth > 0 && plays(input, PM__LOOP_PASSED) && reads_attention(network, input, depth - 1))) return true;
  }
  return false;
}

static bool is_query(const pm_network *network, const pm__layer *layer)
{
  for (size_t i = 0; i < network->count; i++)
    if (plays(&network->layers[i], PM__LOOP_ATTENTION) && pm__layer_input(network, &network->layers[i], 0) == layer)
      return true;
  return false;
}

static bool feeds_back(const pm_network *network)
{
  for (size_t i = 0; i < network->count; i++)
    if (network->layers[i].feeds_back) return true;
  return false;
}

static bool is_of_decoder(const pm_network *network, const pm__layer *layer)
{
  enum { DEPTH = 4 };
  if (plays(layer, PM__LOOP_ATTENTION)) return plays(pm__layer_input(network, layer, 0), PM__LOOP_CELL);
  return plays(layer, PM__LOOP_CELL) && (reads_attention(network, layer, DEPTH) || is_query(network, layer));
}

bool pm__in_loop(const pm_network *network, const pm__layer *layer, bool graph)
{
  return is_of_decoder(network, layer) && (graph || feeds_back(network));
}

/* A product over all words as one for each. */
static void split_product(pm__launch *s, double words)
{
  pm__gemm *g = &s->kernel.shape.gemm;
  double *size = g->by.k[PM__BATCH] > 0 ? &g->k : &g->n;
  if (*size != words) return; /* done for each word as it is */
  *size = 1;
  s->kernel.repeats *= words;
  s->kernel.work.flop /= words;
  s->kernel.work.elements /= words;
  s->launches = s->kernel.repeats;
}

/* The sum of gradients that a product's are added to. */
static pm__launch sum_of(const pm__launch *product, double wide)
{
  pm__launch s = *product;
  s.kernel.family = PM__ELEMENTWISE;
  s.kernel.matrix = s.kernel.inner = false;
  s.kernel.work = (pm__work){0, 0, 3 * wide * product->kernel.work.fixed_elements};
  s.host_calls = 0;
  return s;
}

/* Hidden units of the cell among the kernels. */
static double hidden_of(const pm__launch *list, int count)
{
  for (int i = 0; i < count; i++)
    if (list[i].kernel.part == PM__PART_CELL) return list[i].kernel.part_size;
  return 0;
}

static void split_cell(pm__launch *s, const pm__layer *layer, double hidden)
{
  const cell_passes *cell = s->kernel.pass == PM__FORWARD ? &cell_forward : &cell_backward;
  s->kernel.work.elements = cell->accesses * hidden + 2 * (double)layer->input.size[1];
  s->launches = cell->launches * s->kernel.repeats;
  s->host_calls = cell->path * s->kernel.repeats;
}

/* Where gradients of its input are added up, that counts as one more pass of the cell. */
static int loop_recurrent(const pm__layer *layer, double wide, pm__launch *list, int count)
{
  double words = (double)layer->input.size[0], hidden = hidden_of(list, count);
  int most = count;
  for (int i = 0; i < most; i++) {
    if (list[i].kernel.family != PM__GEMM) {
      split_cell(&list[i], layer, hidden);
      continue;
    }
    split_product(&list[i], words);
    list[i].host_calls = 0;
    if (list[i].kernel.pass == PM__WGRAD) {
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
    list[i].launches *= words;
    list[i].host_calls = list[i].kernel.pass == PM__WGRAD ? 0 : list[i].launches;
  }
  return count;
}

int pm__loop_kernels(const pm__layer *layer, double wide, pm__launch *list, int count)
{
  return plays(layer, PM__LOOP_CELL) ? loop_recurrent(layer, wide, list, count) : loop_attention(layer, list, count);
}
