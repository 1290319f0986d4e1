/* Layers as software runs them: what goes by a kind's role does so for every kind of that role. */
#include "lowering/forward.h"
#include "one_layer.h"
#include "plan/kernels.h"
#include "perfmodel/units.h"
#include <stdio.h>
#include <string.h>

/* Those of BERT and those of Llama. */
static const char *const own_kernels[] = {"layer_norm", "rms_norm", "gelu", "swiglu"};
static const char *const activations[] = {"gelu", "silu", "swiglu"};

static int lower(const char *kind, const char *attributes, pm__execution execution, pm__launch *list)
{
  pm_network *network = layer_of(kind, "20x8", attributes);
  int count = pm__lower_layer(network, network->count - 1, execution, list);
  pm_network_free(network);
  return count;
}

static void ck_framework_kernel(const char *kind)
{
  pm__launch list[PM__LAUNCHES_MAX];
  int count = lower(kind, "", PM__UNFUSED, list);
  ck_assert_int_gt(count, 0);
  for (int i = 0; i < count; i++) ck_assert_msg(list[i].kernel.framework_kernel, "%s", kind);
}

START_TEST(frameworks_run_their_own_kernels)
{
  for (size_t i = 0; i < sizeof own_kernels / sizeof own_kernels[0]; i++) ck_framework_kernel(own_kernels[i]);
}
END_TEST

/* Launches and elements for each of the output's, of one pass. */
static void ck_pass(const char *kind, const char *attributes, pm__execution execution, pm__pass pass, double launches,
                    double accesses)
{
  pm__launch list[PM__LAUNCHES_MAX];
  int count = lower(kind, attributes, execution, list);
  double out = strcmp(kind, "swiglu") == 0 ? 80 : 160, all = 0, moved = 0;
  for (int i = 0; i < count; i++) {
    bool backward = pass == PM__DGRAD && list[i].kernel.pass == PM__WGRAD;
    if (list[i].kernel.pass != pass && !backward) continue;
    all += list[i].launches;
    moved += list[i].kernel.work.elements;
  }
  ck_assert_msg(all == launches && moved == accesses * out, "%s: %g launches, %g accesses", kind, all, moved / out);
}

/* The operations of each formula, counted by hand: square 2, mean 1, product with the reciprocal root 2, with the scale
** 2; sigmoid 2, product 3; the same and the product with the other half 3. */
START_TEST(operation_by_operation)
{
  ck_pass("layer_norm", "", PM__EAGER, PM__FORWARD, 9, 15);
  ck_pass("rms_norm", "", PM__EAGER, PM__FORWARD, 6, 2 + 1 + 2 + 2);
  ck_pass("rms_norm", "", PM__EAGER, PM__DGRAD, 12, 21);
  ck_pass("rms_norm", "", PM__EAGER_MIXED, PM__FORWARD, 6, 7 + 7 + 6);
  ck_pass("gelu", "", PM__EAGER, PM__FORWARD, 8, 18);
  ck_pass("silu", "", PM__EAGER, PM__FORWARD, 2, 2 + 3);
  ck_pass("silu", "", PM__EAGER_MIXED, PM__DGRAD, 4, 12);
  ck_pass("swiglu", "", PM__EAGER, PM__FORWARD, 3, 2 + 3 + 3);
  ck_pass("swiglu", "fused=no", PM__EAGER, PM__FORWARD, 3, 2 + 3 + 3);
  ck_pass("swiglu", "fused=no", PM__EAGER, PM__DGRAD, 6, 18);
  ck_pass("silu", "", PM__UNFUSED, PM__FORWARD, 1, 2);
}
END_TEST

/* The elements that a linear layer of eight features, or as many channels of a convolution, moves for its bias. */
static double bias_moved(const char *kind, const char *attributes, pm__execution execution, pm__pass pass)
{
  pm__launch list[PM__LAUNCHES_MAX];
  int count = lower(kind, attributes, execution, list);
  double moved = 0;
  for (int i = 0; i < count; i++)
    if (!list[i].kernel.matrix && list[i].kernel.pass == pass) moved += list[i].kernel.work.elements;
  return moved;
}

/* Only its gradient is left; other kinds of layers have theirs added as before. */
START_TEST(a_product_may_add_its_bias)
{
  static const char *const wide = "out_features=8";
  for (int base = PM__UNFUSED; base < PM__BIAS_IN_PRODUCT; base++) {
    pm__execution apart = (pm__execution)base, within = (pm__execution)(base + PM__BIAS_IN_PRODUCT);
    ck_assert(bias_moved("linear", wide, apart, PM__FORWARD) == 320 &&
              bias_moved("linear", wide, within, PM__FORWARD) == 0);
    ck_assert(bias_moved("linear", wide, within, PM__WGRAD) == bias_moved("linear", wide, apart, PM__WGRAD));
    ck_assert(bias_moved("bias", "", apart, PM__FORWARD) == bias_moved("bias", "", within, PM__FORWARD));
    ck_assert(bias_moved("bias", "", within, PM__FORWARD) > 0);
  }
}
END_TEST

static double launched(const char *attributes, pm__execution execution, pm__pass pass)
{
  pm__launch list[PM__LAUNCHES_MAX];
  int count = lower("mixture_of_experts", attributes, execution, list);
  double launches = 0;
  for (int i = 0; i < count; i++)
    if (list[i].kernel.pass == pass) launches += list[i].launches;
  return launches;
}

/* Of 20 tokens with two of four experts each, 320 numbers. A library whose products add biases has none of it. */
START_TEST(biases_of_experts_have_kernels_for_each)
{
  static const char *const kind = "mixture_of_experts", *const with = "experts=4 top_k=2 hidden=16 bias=yes",
                    *const without = "experts=4 top_k=2 hidden=16";
  static const struct { pm__pass pass; double accesses, launches; } passes[] = {
    {PM__FORWARD, 14, 2 * 4 + 2}, {PM__DGRAD, 12, 3 * 4 + 1}, {PM__WGRAD, 5, 2 * 4}};
  const pm__execution apart = PM__FUSED, within = (pm__execution)(PM__FUSED + PM__BIAS_IN_PRODUCT);
  for (int i = 0; i < 3; i++) {
    pm__pass pass = passes[i].pass;
    double moved = bias_moved(kind, with, apart, pass) - bias_moved(kind, with, within, pass);
    ck_assert_double_eq_tol(moved, passes[i].accesses * 320, 1e-9);
    ck_assert(launched(with, apart, pass) - launched(with, within, pass) == passes[i].launches);
    ck_assert(bias_moved(kind, without, apart, pass) == bias_moved(kind, without, within, pass));
  }
}
END_TEST

/* A linear layer, the kind, and a sum with a constant behind it. */
static size_t fused_launches(const char *kind, int fusion, const char *attributes)
{
  pm_network *network = layer_of("linear", "20x8", "out_features=8 bias=no");
  int number = put_kind(network, kind, (int)network->count - 1, attributes);
  put_kind(network, "add", number, "");
  pm__launch_list list = {0};
  ck_assert_int_eq(pm__forward_fused(&list, network, fusion), PM_OK);
  size_t count = list.count;
  pm__launch_list_free(&list);
  pm_network_free(network);
  return count;
}

/* A pass over memory takes in what follows: the ReLU in front, the product, the pass with the sum. */
START_TEST(engines_fold_into_every_activation)
{
  for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++)
    ck_assert_msg(fused_launches(activations[i], PM_FUSION_GRAPH, "") == 3, "%s", activations[i]);
}
END_TEST

/* Accesses for each element that the last layer moves in a pass. */
static double accesses_of(const pm_network *network, pm__execution execution, pm__pass pass)
{
  pm__launch list[PM__LAUNCHES_MAX];
  int count = pm__lower_layer(network, network->count - 1, execution, list);
  double moved = 0;
  for (int i = 0; i < count; i++)
    if (list[i].kernel.pass == pass) moved += list[i].kernel.work.elements;
  return moved / network->layers[network->count - 1].elements_out;
}

/* A fixed norm is a product and a sum, in FP32 under mixed precision, and so is what reads it; one that learns, or
** software that fuses, has other kernels. */
START_TEST(fixed_norms_are_products_and_sums)
{
  pm_network *fixed = layer_of("batch_norm", "8x4x5", "fixed=yes"), *learned = layer_of("batch_norm", "8x4x5", "");
  ck_assert(accesses_of(fixed, PM__UNFUSED, PM__FORWARD) == 2 + 2 && accesses_of(fixed, PM__UNFUSED, PM__DGRAD) == 2);
  ck_assert(accesses_of(fixed, PM__UNFUSED_MIXED, PM__FORWARD) == 3 + 4 + 4);
  ck_assert(accesses_of(fixed, PM__UNFUSED_MIXED, PM__DGRAD) == 4 + 3);
  ck_assert(accesses_of(learned, PM__UNFUSED_MIXED, PM__FORWARD) == accesses_of(learned, PM__UNFUSED, PM__FORWARD));
  put_kind(fixed, "relu", (int)fixed->count - 1, "");
  put_kind(learned, "relu", (int)learned->count - 1, "");
  ck_assert(accesses_of(fixed, PM__UNFUSED, PM__FORWARD) == accesses_of(learned, PM__UNFUSED, PM__FORWARD));
  ck_assert(accesses_of(fixed, PM__UNFUSED_MIXED, PM__FORWARD) ==
            2 * accesses_of(learned, PM__UNFUSED_MIXED, PM__FORWARD) + 3);
  ck_assert(accesses_of(fixed, PM__FUSED, PM__FORWARD) == accesses_of(learned, PM__FUSED, PM__FORWARD));
  pm_network_free(fixed);
  pm_network_free(learned);
}
END_TEST

START_TEST(equal_launches_are_kept_once)
{
  pm__launch list[4];
  pm__plan_kernels kernels;
  memset(list, 0, sizeof list);
  for (int i = 0; i < 4; i++) {
    list[i].launches = 1;
    list[i].kernel.family = i < 3 ? PM__ELEMENTWISE : PM__NORM; /* rows are timed in another way */
    list[i].kernel.repeats = 1;
    list[i].kernel.work.elements = 100;
  }
  ck_assert_int_eq(pm__plan_kernels_make(&kernels, list, 4, NULL), PM_OK);
  int stream = pm__plan_kernels_find(&kernels, &list[0].kernel), row = pm__plan_kernels_find(&kernels, &list[3].kernel);
  ck_assert_int_ne(stream, row);
  ck_assert(kernels.repeats[stream] == 3 && kernels.launches[stream] == 3 && kernels.repeats[row] == 1);
  pm__plan_kernels_free(&kernels);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("lowering");
  TCase *tests = tcase_create("lowering");
  tcase_add_test(tests, frameworks_run_their_own_kernels);
  tcase_add_test(tests, operation_by_operation);
  tcase_add_test(tests, a_product_may_add_its_bias);
  tcase_add_test(tests, biases_of_experts_have_kernels_for_each);
  tcase_add_test(tests, engines_fold_into_every_activation);
  tcase_add_test(tests, fixed_norms_are_products_and_sums);
  tcase_add_test(tests, equal_launches_are_kept_once);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
