/*
** How the accesses are found: dropout draws numbers, adds the rate, rounds, divides and multiplies; those of other
** kinds are in their files. The gradient of softmax is product, sum, difference, product.
*/
#include "lowering/eager.h"

/* Of the parts of attention, for each score. */
typedef struct passes {
  pm__operation_pass forward, backward;
} passes;

static const passes scores_softmax = {.forward = {.accesses = 2, .wide = 2, .cast = 6, .launches = 1},
                                      .backward = {.accesses = 9, .wide = 9, .cast = 6, .launches = 4}};
static const passes scores_dropout = {.forward = {.accesses = 10, .wide = 5, .launches = 5},
                                      .backward = {.accesses = 5, .launches = 2}};
static const passes scale_and_mask = {.forward = {.accesses = 4, .wide = 4, .launches = 2},
                                      .backward = {.accesses = 2, .wide = 2, .launches = 1}};

/* In elements as wide as the others: an FP32 value is two of those in mixed precision. */
static double elements_of(const pm__operation_pass *a, bool mixed)
{
  return mixed ? a->accesses + a->wide + a->cast : a->accesses;
}

/* One stream over memory, instead of the kernel that the kind counts. */
static void replace(pm__launch *s, const pm__operation_pass *forward, const pm__operation_pass *backward,
                    double elements, bool mixed)
{
  const pm__operation_pass *a = s->kernel.pass == PM__FORWARD ? forward : backward;
  s->kernel.family = PM__ELEMENTWISE;
  s->kernel.work.elements = elements_of(a, mixed) * elements;
  s->launches = a->launches;
}

/* The first kernel of each pass stands for all its operations, those of gradients of parameters among the backward
** ones; what a kind counts besides is in them. Where gradients of its input are added up, that counts as one more of
** its passes. */
static void eager_layer(const pm__layer *layer, bool mixed, pm__launch *list, int count)
{
  const pm__operations *by = &layer->kind->operations;
  bool done[PM__PASSES] = {[PM__WGRAD] = true};
  for (int i = 0; i < count; i++) {
    pm__pass pass = list[i].kernel.pass;
    if (!done[pass] || list[i].kernel.part == PM__PART_ACCUMULATION)
      replace(&list[i], &by->forward, &by->backward, layer->elements_out, mixed);
    else list[i].kernel.work.elements = list[i].launches = 0;
    done[pass] = true;
  }
}

/* ---- Parts of layers ---- */

/* The size of the first kernel of that part in the forward pass; 0 without one. */
static double size_of(const pm__launch *list, int count, pm__layer_kernel_part part)
{
  for (int i = 0; i < count; i++)
    if (list[i].kernel.part == part && list[i].kernel.pass == PM__FORWARD) return list[i].kernel.part_size;
  return 0;
}

static int add_launch(pm__launch *list, int count, pm__pass pass, double elements, double launches)
{
  pm__launch *s = &list[count];
  *s = (pm__launch){.launches = launches};
  s->kernel.pass = pass;
  s->kernel.family = PM__ELEMENTWISE;
  s->kernel.repeats = 1;
  s->kernel.work = (pm__work){0, elements, 0};
  return count + 1;
}

static void eager_scores(pm__launch *list, int count, double scores, bool mixed)
{
  for (int i = 0; i < count; i++) {
    pm__layer_kernel_part part = list[i].kernel.part;
    const passes *by = part == PM__PART_SOFTMAX ? &scores_softmax : &scores_dropout;
    if (part == PM__PART_SOFTMAX || part == PM__PART_DROPOUT)
      replace(&list[i], &by->forward, &by->backward, scores, mixed);
  }
}

static int add_scale_and_mask(pm__launch *list, int count, double scores, bool mixed)
{
  const pm__operation_pass *forward = &scale_and_mask.forward, *backward = &scale_and_mask.backward;
  count = add_launch(list, count, PM__FORWARD, elements_of(forward, mixed) * scores, forward->launches);
  return add_launch(list, count, PM__DGRAD, elements_of(backward, mixed) * scores, backward->launches);
}

/* Queries, keys, values and context from tokens x heads to heads x tokens, or back. */
static double tensors_of(const pm_network *network, const pm__layer *layer)
{
  double elements = layer->elements_out;
  for (size_t i = 0; i < layer->input_count; i++)
    elements += network->layers[network->inputs[layer->first_input + i]].elements_out;
  return elements;
}

static int eager_attention(const pm_network *network, const pm__layer *layer, pm__execution execution, double scores,
                           pm__launch *list, int count)
{
  double tensors = 2 * tensors_of(network, layer);
  bool mixed = execution == PM__EAGER_MIXED;
  if (mixed || execution == PM__EAGER) eager_scores(list, count, scores, mixed);
  count = add_launch(list, count, PM__FORWARD, tensors, 4);
  count = add_launch(list, count, PM__DGRAD, tensors, 4);
  return execution == PM__FUSED ? count : add_scale_and_mask(list, count, scores, mixed);
}

/* The sum of every query and key, its bias and its tanh are written and read in turn; backward, four more sums. */
static int eager_sums(double sums, pm__launch *list, int count)
{
  count = add_launch(list, count, PM__FORWARD, 4 * sums, 2);
  return add_launch(list, count, PM__DGRAD, 4 * sums, 3);
}

static int eager_parts(const pm_network *network, const pm__layer *layer, pm__execution execution, pm__launch *list,
                       int count)
{
  double scores = size_of(list, count, PM__PART_SOFTMAX), sums = size_of(list, count, PM__PART_SUMS);
  if (scores > 0) count = eager_attention(network, layer, execution, scores, list, count);
  if (sums > 0 && execution != PM__FUSED) count = eager_sums(sums, list, count);
  return count;
}

int pm__lower_eager(const pm_network *network, const pm__layer *layer, pm__execution execution, pm__launch *list,
                    int count)
{
  bool mixed = execution == PM__EAGER_MIXED;
  pm__eager eager = layer->kind->operations.eager;
  if (eager == PM__EAGER_PARTS) return eager_parts(network, layer, execution, list, count);
  if (eager == PM__EAGER_OPERATIONS && (mixed || execution == PM__EAGER)) eager_layer(layer, mixed, list, count);
  return count;
}
