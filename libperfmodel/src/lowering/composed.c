/*
** How the accesses are found: gelu is x (1 + tanh(c (x + a x^3))) / 2, eight operations of one or two operands; its
** gradient has thirteen. A layer norm takes mean, squared differences, their mean, the product of reciprocal root and
** scale as wide as its input, and four operations with that. Dropout draws numbers, adds the rate, rounds, divides and
** multiplies. The gradient of softmax is product, sum, difference, product.
*/
#include "lowering/composed.h"

/* Accesses of one pass; `wide` of them to FP32 values, `cast` elements converted at the ends if others are narrower. */
typedef struct accesses {
  double all, wide, cast, starts;
} accesses;

typedef struct passes {
  accesses forward, backward;
} passes;

static const passes gelu = {{18, 0, 0, 8}, {27, 0, 0, 13}};
static const passes layer_norm = {{15, 15, 6, 9}, {36, 36, 6, 20}};
static const passes dropout = {{10, 5, 0, 5}, {5, 0, 0, 2}};
static const passes softmax = {{2, 2, 6, 1}, {9, 9, 6, 4}};
static const passes scale_and_mask = {{4, 4, 0, 2}, {2, 2, 0, 1}};

/* In elements as wide as the others: an FP32 value is two of those in mixed precision. */
static double elements_of(const accesses *a, bool mixed)
{
  return mixed ? a->all + a->wide + a->cast : a->all;
}

static const accesses *pass_of(const passes *p, pm__pass pass)
{
  return pass == PM__FORWARD ? &p->forward : &p->backward;
}

/* One stream over memory, in place of the kernel that the kind counts. */
static void replace(pm__launch *s, const passes *p, double elements, bool mixed)
{
  const accesses *a = pass_of(p, s->kernel.pass);
  s->kernel.family = PM__ELEMENTWISE;
  s->kernel.work.elements = elements_of(a, mixed) * elements;
  s->starts = a->starts;
}

static const passes *passes_of(const pm__layer *layer)
{
  if (layer->kind == &pm__gelu) return &gelu;
  if (layer->kind == &pm__layer_norm) return &layer_norm;
  return layer->kind == &pm__dropout ? &dropout : NULL;
}

/* Sums over rows for the parameters are among those of the backward pass. */
static void compose_layer(const pm__layer *layer, const passes *p, bool mixed, pm__launch *list, int count)
{
  for (int i = 0; i < count; i++) {
    if (list[i].kernel.pass != PM__BACKWARD_WEIGHT) replace(&list[i], p, layer->elements_out, mixed);
    else list[i].kernel.work.elements = list[i].starts = 0;
  }
}

/* ---- Attention ---- */

static int add(pm__launch *list, int count, pm__pass pass, double elements, double starts)
{
  pm__launch *s = &list[count];
  *s = list[count - 1];
  s->kernel.pass = pass;
  s->kernel.family = PM__ELEMENTWISE;
  s->kernel.matrix = s->kernel.inner = s->kernel.dropout = false;
  s->kernel.repeats = 1;
  s->kernel.work = (pm__work){0, elements, 0};
  s->starts = starts;
  s->layout = 0;
  return count + 1;
}

static void compose_scores(pm__launch *list, int count, double scores, bool mixed)
{
  for (int i = 0; i < count; i++) {
    if (list[i].kernel.family == PM__SOFTMAX) replace(&list[i], &softmax, scores, mixed);
    else if (list[i].kernel.family == PM__ELEMENTWISE && list[i].kernel.work.elements == 3 * scores)
      replace(&list[i], &dropout, scores, mixed);
  }
}

static int add_scores(pm__launch *list, int count, pm__pass pass, double scores, bool mixed)
{
  const accesses *a = pass_of(&scale_and_mask, pass);
  return add(list, count, pass, elements_of(a, mixed) * scores, a->starts);
}

/* Queries, keys, values and context from tokens x heads to heads x tokens, or back. */
static double tensors_of(const pm_network *network, const pm__layer *layer)
{
  double elements = layer->elements_out;
  for (size_t i = 0; i < layer->input_count; i++)
    elements += network->layers[network->inputs[layer->first_input + i]].elements_out;
  return elements;
}

static int compose_attention(const pm_network *network, const pm__layer *layer, pm__execution execution, pm__launch *list,
                             int count)
{
  double scores = 0, tensors = 2 * tensors_of(network, layer);
  bool mixed = execution == PM__COMPOSED_MIXED, composed = mixed || execution == PM__COMPOSED;
  for (int i = 0; i < count; i++)
    if (list[i].kernel.family == PM__SOFTMAX && list[i].kernel.pass == PM__FORWARD)
      scores = list[i].kernel.work.elements / 2;
  if (!(scores > 0)) return count;
  if (composed) compose_scores(list, count, scores, mixed);
  count = add(list, count, PM__FORWARD, tensors, 4);
  count = add(list, count, PM__BACKWARD_DATA, tensors, 4);
  if (execution == PM__FUSED) return count;
  count = add_scores(list, count, PM__FORWARD, scores, mixed);
  return add_scores(list, count, PM__BACKWARD_DATA, scores, mixed);
}

/* The sum of every query and key, its bias and its tanh are written and read in turn; backward, four more sums. */
static int compose_additive(pm__launch *list, int count)
{
  double sums = 0;
  for (int i = 0; i < count; i++)
    if (list[i].kernel.family == PM__ELEMENTWISE && list[i].kernel.pass == PM__FORWARD)
      sums = list[i].kernel.work.flop / 2;
  if (!(sums > 0)) return count;
  count = add(list, count, PM__FORWARD, 4 * sums, 2);
  return add(list, count, PM__BACKWARD_DATA, 4 * sums, 3);
}

int pm__compose(const pm_network *network, const pm__layer *layer, pm__execution execution, pm__launch *list, int count)
{
  bool mixed = execution == PM__COMPOSED_MIXED;
  if (layer->kind == &pm__attention) return compose_attention(network, layer, execution, list, count);
  if (layer->kind == &pm__additive_attention && execution != PM__FUSED) return compose_additive(list, count);
  if ((mixed || execution == PM__COMPOSED) && passes_of(layer) != NULL)
    compose_layer(layer, passes_of(layer), mixed, list, count);
  return count;
}
