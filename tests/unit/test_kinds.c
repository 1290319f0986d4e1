/* What holds for every kind of layer. A kind without an example here fails. */
#include "network/kind.h"
#include "network/network.h"
#include "one_layer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *kind, *shapes, *attributes;
} examples[] = {
  {"conv1d", "6x20", "out_channels=4 kernel=3"},
  {"conv2d", "6x20x10", "out_channels=4 kernel=3"},
  {"conv3d", "6x20x10x5", "out_channels=4 kernel=3"},
  {"depthwise_conv2d", "6x20x10", "kernel=3"},
  {"conv_transpose1d", "6x20", "out_channels=4 kernel=3"},
  {"conv_transpose2d", "6x20x10", "out_channels=4 kernel=3"},
  {"conv_transpose3d", "6x20x10x5", "out_channels=4 kernel=3"},
  {"linear", "20x6", "out_features=4"},
  {"bias", "6x20", ""},
  {"scale", "6x20", ""},
  {"matmul", "20x6 6x10", ""},
  {"batch_norm", "6x20", ""},
  {"layer_norm", "20x6", ""},
  {"group_norm", "6x20", "groups=2"},
  {"instance_norm", "6x20", "affine=yes"},
  {"rms_norm", "20x6", ""},
  {"lrn", "6x20x10", ""},
  {"relu", "6x20", ""},
  {"squared_relu", "6x20", ""},
  {"relu6", "6x20", ""},
  {"leaky_relu", "6x20", ""},
  {"prelu", "6x20", "channels=yes"},
  {"elu", "6x20", ""},
  {"gelu", "6x20", ""},
  {"silu", "6x20", ""},
  {"mish", "6x20", ""},
  {"sigmoid", "6x20", ""},
  {"tanh", "6x20", ""},
  {"hardswish", "6x20", ""},
  {"hardsigmoid", "6x20", ""},
  {"softplus", "6x20", ""},
  {"swiglu", "6x20", ""},
  {"softmax", "6x20", ""},
  {"dropout", "6x20", ""},
  {"add", "6x20 6x20", ""},
  {"subtract", "6x20 6x20", ""},
  {"multiply", "6x20 6x20", ""},
  {"divide", "6x20 6x20", ""},
  {"pointwise", "6x20", ""},
  {"operator", "6x20", "flop=1000"},
  {"max_pool", "6x20x10", "kernel=2"},
  {"avg_pool", "6x20x10", "kernel=2"},
  {"adaptive_avg_pool", "6x20x10", "size=3"},
  {"global_avg_pool", "6x20x10", ""},
  {"mean", "6x20x10", "axis=1"},
  {"flatten", "6x20x10", ""},
  {"reshape", "6x20x10", "shape=60,20"},
  {"permute", "6x20x10", "order=2,1,0"},
  {"slice", "6x20x10", "end=2"},
  {"pad", "6x20x10", "padding=1"},
  {"interpolate", "6x20x10", "scale=2"},
  {"concat", "6x20 6x20", ""},
  {"embedding", "20", "entries=100 features=6"},
  {"embedding_bag", "5x20", "entries=100 features=6"},
  {"positional_embedding", "20x6", "positions=20"},
  {"learned_token", "20x6", ""},
  {"lstm", "20x6", "hidden=8"},
  {"gru", "20x6", "hidden=8"},
  {"rnn", "20x6", "hidden=8"},
  {"attention", "20x8 20x8 20x8", "heads=2"},
  {"additive_attention", "20x8 10x8", "hidden=5"},
  {"dot_attention", "20x8 10x8", ""},
  {"state_space", "20x8 20x6 20x6 20x4", "heads=4 groups=2 chunk=8"},
  {"selective_scan", "20x8 20x8 20x6 20x6", ""},
  {"delta_rule", "20x8 20x8 20x12 20x4 20x4", "heads=4 key_heads=2 chunk=8"},
  {"short_convolution", "20x8", "kernel=4 bias=yes"},
  {"key_index", "20x8 20x4 20x2", "heads=2 chosen=6"},
  {"grouped_linear", "20x8", "out_features=4 groups=2"},
  {"squeeze_excitation", "6x20x10", "reduced=2"},
  {"weight_standardization", "6x20x10", "out_channels=4 kernel=3 gain=yes"},
  {"dora", "20x6 20x6", "in_features=8"},
  {"mixture_of_experts", "20x6", "experts=4 top_k=2 hidden=8"},
  {"dot_interaction", "6x20", ""},
  {"softmax_loss", "20x6", ""},
  {"cross_entropy", "20x6", ""},
};

enum { EXAMPLES = sizeof examples / sizeof examples[0] };

START_TEST(every_kind_has_an_example)
{
  const char *kind;
  for (size_t i = 0; (kind = pm_layer_kind_get_name(i)) != NULL; i++) {
    bool found = false;
    for (size_t j = 0; j < EXAMPLES; j++) found |= strcmp(examples[j].kind, kind) == 0;
    ck_assert_msg(found, "%s has no example", kind);
  }
}
END_TEST

/* Everything is finite and not negative, and each pass costs what its kernels do. */
START_TEST(counts_are_sums_of_their_kernels)
{
  pm_network *network = layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes);
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  double flop[PM__PASSES] = {0};
  for (size_t i = 0; i < layer->kernel_count; i++) {
    const pm__work *work = &kernels[i].work;
    ck_assert(work->flop >= 0 && work->elements >= 0 && work->fixed_elements >= 0 && kernels[i].repeats > 0);
    ck_assert(isfinite(work->flop) && isfinite(work->elements) && isfinite(work->fixed_elements));
    flop[kernels[i].pass] += kernels[i].repeats * work->flop;
  }
  for (int pass = 0; pass < PM__PASSES; pass++) ck_assert(layer->flop[pass] == flop[pass]);
  ck_assert(layer->flop[PM__FORWARD] >= 2 * layer->mac);
  ck_assert(layer->parameters >= 0 && (layer->parameters > 0) == (layer->parameter_tensors > 0));
  ck_assert(layer->saved.elements >= 0 && layer->saved.mask_elements >= 0 && layer->saved.index_elements >= 0);
  ck_assert(layer->elements_out == pm__shape_elements(&layer->output));
  pm_network_free(network);
}
END_TEST

/* Twice the batch: the same parameters, twice everything else; ratios of use grow with it. */
START_TEST(counts_are_linear_in_the_batch)
{
  pm_network *network = layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes);
  int count = pm_network_count_layers(network);
  pm_layer one[8], many[8];
  ck_assert_int_eq(pm__network_get_layers(network, 1, PM_PRECISION_FP32, one, NULL), PM_OK);
  ck_assert_int_eq(pm__network_get_layers(network, 37, PM_PRECISION_FP32, many, NULL), PM_OK);
  const pm_layer *a = &one[count - 1], *b = &many[count - 1];
  ck_assert(b->parameters == a->parameters && b->bytes_parameters == a->bytes_parameters);
  ck_assert(b->mac == 37 * a->mac && b->flop == 37 * a->flop && b->mac_bnl == 37 * a->mac_bnl);
  ck_assert(b->bytes_in == 37 * a->bytes_in && b->bytes_out == 37 * a->bytes_out);
  ck_assert(isnan(a->gamma) == (a->parameters == 0));
  pm_network_free(network);
}
END_TEST

/* Shared parameters are another layer's; the work is the same. Whatever has parameters can share them. */
START_TEST(shared_parameters_are_not_counted_again)
{
  char attributes[200];
  pm_error error = PM_ERROR_NONE;
  snprintf(attributes, sizeof attributes, "%s shared=yes", examples[_i].attributes);
  pm_network *own = layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes);
  pm_network *shared = try_layer_of(examples[_i].kind, examples[_i].shapes, attributes, true, &error);
  ck_assert_msg(shared != NULL || last_layer(own)->parameters == 0, "%s", examples[_i].kind);
  if (shared != NULL) {
    ck_assert(last_layer(shared)->parameters == 0 && last_layer(shared)->parameter_tensors == 0);
    ck_assert(last_layer(shared)->mac == last_layer(own)->mac);
    for (int pass = 0; pass < PM__PASSES; pass++) {
      ck_assert(last_layer(shared)->flop[pass] == last_layer(own)->flop[pass]);
      ck_assert(elements_moved(shared, (pm__pass)pass, 2) == elements_moved(own, (pm__pass)pass, 2));
    }
  }
  pm_network_free(own);
  pm_network_free(shared);
}
END_TEST

/* Behind the network's input nothing more is done than behind a layer. */
START_TEST(inputs_want_no_gradient)
{
  pm_network *first = try_layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes, false, NULL);
  pm_network *later = layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes);
  ck_assert(last_layer(first)->flop[PM__FORWARD] == last_layer(later)->flop[PM__FORWARD]);
  ck_assert(last_layer(first)->flop[PM__DGRAD] <= last_layer(later)->flop[PM__DGRAD]);
  ck_assert(last_layer(first)->flop[PM__WGRAD] == last_layer(later)->flop[PM__WGRAD]);
  if (last_layer(later)->parameters == 0) ck_assert(elements_moved(first, PM__DGRAD, 1) == 0);
  pm_network_free(first);
  pm_network_free(later);
}
END_TEST

/* Sizes at the edge of what is exact neither wrap around nor pass. */
START_TEST(absurd_sizes_are_refused)
{
  ck_refused("conv_transpose1d", "1x9007199254740992", "out_channels=1 kernel=1 stride=100000", "implausibly large");
  ck_refused("depthwise_conv2d", "9007199254740992x1x1", "kernel=1 multiplier=10000000", "implausibly large");
  ck_refused("interpolate", "1x9007199254740992", "scale=1000000", "implausibly large");
  ck_refused("concat", "9007199254740992 9007199254740992", "", "implausibly large");
  ck_refused("pad", "9007199254740992", "padding=1000000000", "implausibly large");
  ck_refused("adaptive_avg_pool", "1000000x1x1", "size=1000000", "implausibly large");
  ck_refused("linear", "9007199254740992", "out_features=1000000000", "implausibly large");
}
END_TEST

/* Every row of the tables says something, and fits its field. */
START_TEST(kinds_and_attributes_are_described)
{
  pm_layer_kind kind;
  pm_layer_attribute attribute;
  pm_error error = PM_ERROR_NONE;
  size_t kinds = 0, attributes = 0;
  for (; pm__layer_kind_get(kinds, &kind, NULL) == PM_OK; kinds++) {
    ck_assert_str_eq(kind.kind, pm_layer_kind_get_name(kinds));
    ck_assert_msg(kind.doc[0] != '\0', "%s", kind.kind);
    ck_assert(kind.least_inputs >= 1 && kind.most_inputs >= kind.least_inputs);
  }
  ck_assert_ptr_null(pm_layer_kind_get_name(kinds));
  for (; pm__layer_attribute_get(attributes, &attribute, NULL) == PM_OK; attributes++)
    ck_assert_msg(attribute.doc[0] != '\0' && attribute.value[0] != '\0', "%s %s", attribute.kind, attribute.name);
  ck_assert_uint_gt(attributes, kinds);
  ck_assert_int_eq(pm__layer_kind_get(kinds, &kind, &error), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm__layer_attribute_get(attributes, &attribute, NULL), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm__layer_kind_get(0, NULL, NULL), PM_STATUS_NOT_FOUND);
}
END_TEST

static const pm_layer_attribute *described(const char *kind, const char *name)
{
  static pm_layer_attribute attribute;
  for (size_t i = 0; pm__layer_attribute_get(i, &attribute, NULL) == PM_OK; i++)
    if (strcmp(attribute.kind, kind) == 0 && strcmp(attribute.name, name) == 0) return &attribute;
  ck_abort_msg("%s has no %s", kind, name);
}

START_TEST(defaults_are_told)
{
  ck_assert_str_eq(described("conv2d", "out_channels")->otherwise, "");
  ck_assert_str_eq(described("conv2d", "stride")->otherwise, "1");
  ck_assert_str_eq(described("conv2d", "padding_end")->otherwise, "padding");
  ck_assert_str_eq(described("conv2d", "bias")->otherwise, "yes");
  ck_assert_str_eq(described("softmax", "axis")->otherwise, "-1");
  ck_assert_str_eq(described("squeeze_excitation", "gate")->otherwise, "sigmoid");
  ck_assert_str_eq(described("squeeze_excitation", "gate")->value, "sigmoid, hardsigmoid");
  ck_assert_str_eq(described("slice", "end")->otherwise, "size");
  char text[200];
  size_t softmax = 0;
  while (strcmp(pm_layer_kind_get_name(softmax), "softmax") != 0) softmax++;
  ck_assert_str_eq(pm_layer_kind_format_attributes(softmax, text, sizeof text), "axis=-1");
  ck_assert_str_eq(pm_layer_kind_format_attributes(SIZE_MAX, text, sizeof text), "");
}
END_TEST

/* ---- Traits: every kind states each, and they agree with its role and its counts. ---- */

#define STATED(kind, trait, end) \
  ck_assert_msg((kind)->trait >= 1 && (kind)->trait < (end), "%s does not state its " #trait, (kind)->name)

START_TEST(every_trait_is_stated)
{
  const pm__layer_kind *kind;
  for (size_t i = 0; (kind = pm__layer_kind_at(i)) != NULL; i++) {
    STATED(kind, role, PM__ROLE_END);
    STATED(kind, source, PM__KERNEL_SOURCE_END);
    STATED(kind, training, PM__TRAINING_FUSION_END);
    STATED(kind, inference, PM__INFERENCE_FUSION_END);
    STATED(kind, operations.eager, PM__EAGER_END);
    STATED(kind, loop, PM__LOOP_END);
    STATED(kind, keeping.further, PM__FURTHER_END);
    STATED(kind, keeping.autocast, PM__AUTOCAST_END);
    STATED(kind, keeping.elements, PM__KEPT_ELEMENTS_END);
    STATED(kind, keeping.input, PM__KEPT_INPUT_END);
    STATED(kind, keeping.index, PM__KEPT_INDEX_END);
    STATED(kind, keeping.gradient, PM__GRADIENT_END);
    STATED(kind, parameters, PM__PARAMETERS_END);
    STATED(kind, state, PM__STATE_END);
    STATED(kind, sharding, PM__SHARD_END);
    ck_assert_msg(kind->sharding & PM__SHARD_WHOLE, "%s does not take whole inputs", kind->name);
    ck_assert(kind->name != NULL && kind->rules != NULL && kind->shape != NULL && kind->count != NULL);
  }
}
END_TEST

/* Kernels of a pass that are of a family, or of any if it is negative. */
static int count_kernels(const pm_network *network, pm__pass pass, int family)
{
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  int count = 0;
  for (size_t i = 0; i < layer->kernel_count; i++)
    count += kernels[i].pass == pass && (family < 0 || (int)kernels[i].family == family);
  return count;
}

static bool has_matrix_kernel(const pm_network *network)
{
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  for (size_t i = 0; i < layer->kernel_count; i++)
    if (kernels[i].pass == PM__FORWARD && kernels[i].matrix) return true;
  return false;
}

static bool has_part(const pm_network *network, pm__layer_kernel_part part)
{
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  for (size_t i = 0; i < layer->kernel_count; i++)
    if (kernels[i].part == part && kernels[i].part_size > 0) return true;
  return false;
}

static void check_row_norm(const pm_network *network)
{
  const pm__layer *layer = last_layer(network);
  for (size_t i = 0; i < layer->kernel_count; i++) {
    const pm__layer_kernel *kernel = &kernels_of(network, layer)[i];
    ck_assert(kernel->family == PM__NORM && kernel->shape.row > 1);
  }
}

/* Every kernel of a pass over memory, in both directions. */
static void check_activation(const pm_network *network)
{
  for (int pass = PM__FORWARD; pass <= PM__DGRAD; pass++) {
    int all = count_kernels(network, (pm__pass)pass, -1);
    ck_assert(all > 0 && all == count_kernels(network, (pm__pass)pass, PM__ELEMENTWISE));
  }
}

START_TEST(roles_say_what_kernels_there_are)
{
  pm_network *network = layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes);
  const pm__layer *layer = last_layer(network);
  switch (layer->kind->role) {
  case PM__ROLE_DENSE:
  case PM__ROLE_CONVOLUTION:
  case PM__ROLE_PRODUCT:
  case PM__ROLE_RECURRENT:
  case PM__ROLE_ATTENTION:
  case PM__ROLE_DECODER_ATTENTION:
  case PM__ROLE_EXPERTS:
  case PM__ROLE_INDEX:
  case PM__ROLE_COMPOSITE: ck_assert(has_matrix_kernel(network)); break;
  case PM__ROLE_SCAN: ck_assert(layer->carried > 0); break;
  case PM__ROLE_ROW_NORM: check_row_norm(network); break;
  case PM__ROLE_CHANNEL_NORM: ck_assert_int_eq(count_kernels(network, PM__FORWARD, PM__BATCH_NORM), 1); break;
  case PM__ROLE_ACTIVATION: check_activation(network); break;
  case PM__ROLE_SOFTMAX:
  case PM__ROLE_LOSS: ck_assert_int_eq(count_kernels(network, PM__FORWARD, PM__SOFTMAX), 1); break;
  case PM__ROLE_POOLING: ck_assert_int_eq(count_kernels(network, PM__FORWARD, PM__POOL), 1); break;
  case PM__ROLE_GATHER: ck_assert_int_eq(count_kernels(network, PM__FORWARD, PM__GATHER), 1); break;
  default: ck_assert(!has_matrix_kernel(network)); break;
  }
  pm_network_free(network);
}
END_TEST

START_TEST(traits_agree_with_roles)
{
  const pm__layer_kind *kind;
  for (size_t i = 0; (kind = pm__layer_kind_at(i)) != NULL; i++) {
    const pm__operation_pass *forward = &kind->operations.forward, *backward = &kind->operations.backward;
    bool listed = kind->operations.eager == PM__EAGER_OPERATIONS;
    bool plain = kind->role == PM__ROLE_ACTIVATION && kind->parameters == PM__NO_PARAMETERS;
    ck_assert_msg((kind->training == PM__TRAINING_ACTIVATION) == plain, "%s", kind->name);
    ck_assert_msg((kind->inference == PM__INFERENCE_LOSS) == (kind->role == PM__ROLE_LOSS), "%s", kind->name);
    ck_assert_msg((kind->inference == PM__INFERENCE_NOTHING) == (kind->role == PM__ROLE_DROPOUT), "%s", kind->name);
    ck_assert_msg((kind->loop == PM__LOOP_CELL) == (kind->role == PM__ROLE_RECURRENT), "%s", kind->name);
    ck_assert_msg((kind->loop == PM__LOOP_ATTENTION) == (kind->role == PM__ROLE_DECODER_ATTENTION), "%s", kind->name);
    ck_assert_msg(listed == (forward->launches > 0 && backward->launches > 0), "%s", kind->name);
    ck_assert_msg(listed == (forward->accesses > 0 && backward->accesses > 0), "%s", kind->name);
    ck_assert_msg(forward->wide <= forward->accesses && backward->wide <= backward->accesses, "%s", kind->name);
    ck_assert_msg(kind->role != PM__ROLE_ACTIVATION || kind->inference != PM__INFERENCE_ALONE, "%s", kind->name);
  }
}
END_TEST

START_TEST(traits_agree_with_counts)
{
  pm_network *network = layer_of(examples[_i].kind, examples[_i].shapes, examples[_i].attributes);
  const pm__layer *layer = last_layer(network);
  const pm__layer_kind *kind = layer->kind;
  bool shareable = false;
  for (const pm__attribute_rule *rule = kind->rules; rule->name != NULL; rule++)
    shareable = shareable || strcmp(rule->name, "shared") == 0;
  ck_assert_msg(shareable == (kind->parameters != PM__NO_PARAMETERS), "%s", kind->name);
  ck_assert_msg(!(layer->parameters > 0) || shareable, "%s", kind->name);
  ck_assert_msg((layer->saved.index_elements > 0) == (kind->keeping.index != PM__INDEX_NONE), "%s", kind->name);
  ck_assert_msg(!layer->saved.view || kind->inference == PM__INFERENCE_MOVEMENT, "%s", kind->name);
  ck_assert_msg((kind->loop == PM__LOOP_CELL) == has_part(network, PM__PART_CELL), "%s", kind->name);
  bool parts = has_part(network, PM__PART_SOFTMAX) || has_part(network, PM__PART_SUMS);
  ck_assert_msg((kind->operations.eager == PM__EAGER_PARTS) == parts, "%s", kind->name);
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("kinds");
  TCase *tests = tcase_create("kinds");
  tcase_add_test(tests, every_kind_has_an_example);
  tcase_add_loop_test(tests, counts_are_sums_of_their_kernels, 0, EXAMPLES);
  tcase_add_loop_test(tests, counts_are_linear_in_the_batch, 0, EXAMPLES);
  tcase_add_loop_test(tests, shared_parameters_are_not_counted_again, 0, EXAMPLES);
  tcase_add_loop_test(tests, inputs_want_no_gradient, 0, EXAMPLES);
  tcase_add_test(tests, absurd_sizes_are_refused);
  tcase_add_test(tests, kinds_and_attributes_are_described);
  tcase_add_test(tests, defaults_are_told);
  tcase_add_test(tests, every_trait_is_stated);
  tcase_add_test(tests, traits_agree_with_roles);
  tcase_add_loop_test(tests, roles_say_what_kernels_there_are, 0, EXAMPLES);
  tcase_add_loop_test(tests, traits_agree_with_counts, 0, EXAMPLES);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
