/* Kernels of a layer as software runs them. */
#include "lowering/execution.h"
#include "lowering/eager.h"
#include "lowering/fixed_norm.h"
#include "lowering/loop.h"
#include <string.h>

/* The one reader of a layer's output, or NULL. */
static const pm__layer *reader_of(const pm_network *network, size_t index)
{
  if (network->layers[index].consumers != 1) return NULL;
  for (size_t i = index + 1; i < network->count; i++)
    for (size_t k = 0; k < network->layers[i].input_count; k++)
      if (network->inputs[network->layers[i].first_input + k] == (int)index) return &network->layers[i];
  return NULL;
}

/* An addition that is done where a norm writes its result. */
static bool adds_to_norm(const pm_network *network, const pm__layer *layer)
{
  if (!pm__layer_fuses_as(layer, PM__TRAINING_SUM)) return false;
  for (size_t i = 0; i < layer->input_count; i++)
    if (pm__layer_fuses_as(pm__layer_input(network, layer, i), PM__TRAINING_NORM)) return true;
  return false;
}

static bool is_convolution(const pm__layer *layer)
{
  return layer->kind != NULL && layer->kind->role == PM__ROLE_CONVOLUTION && layer->consumers == 1;
}

/* Behind a convolution that nobody else reads: a fixed norm; an activation, where the convolution adds a bias. */
static bool is_in_convolution(const pm_network *network, const pm__layer *layer)
{
  if (layer->input_count != 1 || !is_convolution(pm__layer_input(network, layer, 0))) return false;
  if (pm__layer_fuses_as(layer, PM__TRAINING_ACTIVATION)) return pm__layer_input(network, layer, 0)->bias;
  return pm__is_fixed_norm(layer);
}

static bool follows_norm(const pm_network *network, const pm__layer *layer)
{
  if (!pm__layer_fuses_as(layer, PM__TRAINING_ACTIVATION) || layer->input_count != 1) return false;
  const pm__layer *before = pm__layer_input(network, layer, 0);
  return before->consumers == 1 && (pm__layer_fuses_as(before, PM__TRAINING_NORM) || adds_to_norm(network, before));
}

static void add_pass(pm__launch *list, int *count, pm__pass pass, pm__work work, double launches)
{
  pm__launch *s = &list[(*count)++];
  memset(s, 0, sizeof *s);
  s->kernel.pass = pass;
  s->kernel.family = PM__ELEMENTWISE;
  s->kernel.repeats = 1;
  s->kernel.work = work;
  s->launches = launches;
}

static void add_bias(const pm_network *network, size_t index, pm__execution execution, bool in_product,
                     pm__launch *list,
                     int *count)
{
  const pm__layer *layer = &network->layers[index], *reader = reader_of(network, index);
  double out = layer->elements_out;
  bool fused = execution == PM__FUSED && pm__layer_fuses_as(layer, PM__TRAINING_PRODUCT) && reader != NULL &&
               pm__layer_fuses_as(reader, PM__TRAINING_ACTIVATION);
  if (!fused && !(in_product && layer->kind->role == PM__ROLE_DENSE))
    add_pass(list, count, PM__FORWARD, (pm__work){0, 2 * out, 0}, 1);
  add_pass(list, count, PM__WGRAD, (pm__work){0, out, 0}, 1);
}

/* Of the experts' second products, where software leaves biases to kernels of its own (Megatron's _apply_bias): for
** each expert a product with its tokens' probabilities and a sum, in FP32, which are joined and converted back;
** accesses of FP32 count twice. Backward: conversions, and products and sums for probabilities and biases. */
static void add_expert_biases(const pm__layer *layer, pm__launch *list, int *count)
{
  double out = layer->expert_outputs, experts = 1;
  for (int i = 0; i < *count; i++)
    if (list[i].kernel.family == PM__GEMM) experts = list[i].kernel.shape.gemm.count;
  add_pass(list, count, PM__FORWARD, (pm__work){0, 14 * out, 0}, 2 * experts + 2);
  add_pass(list, count, PM__DGRAD, (pm__work){0, 12 * out, 0}, 3 * experts + 1);
  add_pass(list, count, PM__WGRAD, (pm__work){0, 5 * out, 0}, 2 * experts);
}

static double product_of(const double *sizes)
{
  return sizes[0] * sizes[1] * sizes[2];
}

double pm__layout_elements(const pm__layer_kernel *kernel)
{
  const pm__conv *c = &kernel->shape.conv;
  if (kernel->family != PM__CONV) return 0;
  return 2 * (c->channels * product_of(c->size) + c->out_channels * product_of(c->out_size));
}

static void copy_kernels(const pm_network *network, const pm__layer *layer, pm__launch *list, int *count)
{
  for (size_t i = 0; i < layer->kernel_count; i++) {
    pm__launch *s = &list[(*count)++];
    memset(s, 0, sizeof *s);
    s->kernel = network->kernels[layer->first_kernel + i];
    s->launches = s->kernel.repeats;
    s->compared = s->kernel.part == PM__PART_WAITED ? layer->compared : 0;
    s->layout = s->kernel.repeats * pm__layout_elements(&s->kernel);
  }
}

/* What is computed of few numbers (lengths, masks) takes launches and hardly any time. */
static void add_small_kernels(const pm__layer *layer, pm__launch *list, int count)
{
  for (int i = 0; i < count; i++)
    if (list[i].kernel.pass == PM__FORWARD && layer->launches > 1) list[i].launches = layer->launches;
}

/* Accesses of a logit, those of FP32 in mixed precision counted twice. The logarithm of the softmax is one kernel (2
** accesses), its gradient another (3), behind one that fills the loss's gradient with zeros (1). Mixed precision
** converts logits and their gradients (16 bits to 32: 3). Smoothing takes the mean over the classes (1), spreads its
** gradient (1) and adds that (3); scripts that smooth ask the softmax itself for FP32, which then takes logits and
** returns gradients in 16 bits. */
static double loss_accesses(bool forward, bool smooth, bool mixed)
{
  double accesses = forward ? 2 + smooth : 4 + 4 * smooth;
  if (!mixed) return accesses;
  return 2 * accesses + (smooth ? -1 : 3);
}

/* A compiler that fuses leaves the accesses that the kind counts. */
static void lower_loss(const pm__layer *layer, bool fused, bool mixed, pm__launch *list, int count)
{
  for (int i = 0; i < count; i++) {
    bool forward = list[i].kernel.pass == PM__FORWARD, smooth = layer->smooths_labels;
    list[i].launches = (forward ? 3 : 2) + (!smooth ? 0 : forward ? 1 : 3);
    if (!fused) list[i].kernel.work.elements = loss_accesses(forward, smooth, mixed) * layer->elements_out;
  }
}

/* The other input is still read; nothing is launched for it. */
static void fuse_addition(const pm__layer *layer, pm__launch *list, int count)
{
  for (int i = 0; i < count; i++) {
    if (list[i].kernel.pass != PM__FORWARD) continue;
    list[i].kernel.work.elements = (double)(layer->input_count - 1) * layer->elements_out;
    list[i].launches = 0;
  }
}

/* A softmax that knows of the mask reads the scores that count: half of them; it writes all. */
static void fuse_mask(pm__launch *list, int count)
{
  bool masked = false;
  for (int i = 0; i < count; i++) {
    if (list[i].kernel.part != PM__PART_MASK) continue;
    list[i].kernel.work.elements = list[i].launches = 0;
    masked = true;
  }
  for (int i = 0; masked && i < count; i++)
    if (list[i].kernel.part == PM__PART_SOFTMAX)
      list[i].kernel.work.elements -= list[i].kernel.part_size * (list[i].kernel.pass == PM__FORWARD ? 0.5 : 1);
}

/* A sum that a library's norm takes in is that library's. */
static bool is_framework_kernel(const pm_network *network, const pm__layer *layer, pm__execution execution)
{
  if (pm__is_fixed_norm(layer)) return execution == PM__UNFUSED || execution == PM__UNFUSED_MIXED;
  return layer->kind->source == PM__FRAMEWORK_KERNEL && !adds_to_norm(network, layer);
}

/* Experts have as many rows as tokens chose them: a library may have one kernel for all of them, or a product for
** each. */
static void set_expert_calls(pm__launch *list, int count)
{
  for (int i = 0; i < count; i++)
    if (list[i].kernel.family == PM__GEMM)
      list[i].expert_calls = list[i].host_calls * (list[i].kernel.shape.gemm.count - 1);
}

/* Groups of one channel have kernels of their own. */
static void set_group_calls(const pm__layer *layer, pm__launch *list, int count)
{
  for (int i = 0; i < count && layer->kind->role == PM__ROLE_CONVOLUTION; i++) {
    const pm__conv *c = &list[i].kernel.shape.conv;
    bool groups = list[i].kernel.family == PM__CONV && !pm__conv_is_depthwise(c);
    if (groups) list[i].group_calls = list[i].host_calls * (c->groups - 1);
  }
}

/* A whole recurrent layer is one call of its library for each pass. */
static void set_host_calls(const pm__layer *layer, pm__launch *list, int count)
{
  bool called[PM__PASSES] = {false}, whole = layer->kind->loop == PM__LOOP_CELL;
  for (int i = 0; i < count; i++) {
    pm__pass pass = list[i].kernel.pass;
    list[i].host_calls = !whole ? list[i].launches : called[pass] ? 0 : 1;
    called[pass] = true;
  }
}

/* What software adds to the passes of a frozen layer goes with them. */
static int drop_passes(const pm__layer *layer, pm__launch *list, int count)
{
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (pm__layer_runs(layer, list[i].kernel.pass)) list[kept++] = list[i];
  return kept;
}

int pm__lower_layer(const pm_network *network, size_t index, pm__execution how, pm__launch *list)
{
  const pm__layer *layer = &network->layers[index];
  const bool folds = how % PM__BIAS_IN_PRODUCT == PM__FUSED_CONVOLUTIONS;
  const pm__execution execution = folds ? PM__FUSED : (pm__execution)(how % PM__BIAS_IN_PRODUCT);
  int count = 0;
  if (layer->kind == NULL) return 0;
  if ((folds || execution == PM__LEAST) && is_in_convolution(network, layer)) return 0;
  bool fused = execution == PM__FUSED || execution == PM__LEAST;
  bool mixed = execution == PM__UNFUSED_MIXED || execution == PM__EAGER_MIXED;
  bool eager = execution == PM__EAGER || execution == PM__EAGER_MIXED;
  if (!fused || !follows_norm(network, layer)) copy_kernels(network, layer, list, &count);
  if (fused && adds_to_norm(network, layer)) fuse_addition(layer, list, count);
  if (fused) fuse_mask(list, count);
  if (execution == PM__LEAST) return count;
  if (!fused) add_small_kernels(layer, list, count);
  if (layer->kind->role == PM__ROLE_LOSS) lower_loss(layer, fused, mixed && !layer->runs_in_half, list, count);
  if (count > 0) count = pm__lower_eager(network, layer, execution, list, count);
  if (execution == PM__UNFUSED || execution == PM__UNFUSED_MIXED)
    pm__lower_fixed_norm(network, layer, mixed, list, count);
  int library = is_framework_kernel(network, layer, execution) ? 0 : count;
  if (layer->bias) add_bias(network, index, execution, how >= PM__BIAS_IN_PRODUCT, list, &count);
  if (layer->expert_outputs > 0 && how < PM__BIAS_IN_PRODUCT) add_expert_biases(layer, list, &count);
  for (int i = library; i < count; i++) list[i].kernel.framework_kernel = !list[i].kernel.matrix;
  set_host_calls(layer, list, count);
  if (layer->kind->role == PM__ROLE_EXPERTS) set_expert_calls(list, count);
  set_group_calls(layer, list, count);
  if (pm__in_loop(network, layer, eager)) count = pm__loop_kernels(layer, mixed ? 2 : 1, list, count);
  return drop_passes(layer, list, count);
}
