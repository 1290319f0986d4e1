/* Squeeze and excitation against the layers that it stands for. */
#include "one_layer.h"
#include <stdio.h>

/* Sums over all layers behind `first`. */
typedef struct sums {
  double parameters, tensors, mac, bnl, flop[PM__PASSES], moved[PM__PASSES];
} sums;

static sums sums_behind(const pm_network *network, int first)
{
  sums all = {0, 0, 0, 0, {0}, {0}};
  for (size_t i = (size_t)first + 1; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    all.parameters += layer->parameters;
    all.tensors += layer->parameter_tensors;
    all.mac += layer->mac;
    all.bnl += layer->mac_bnl;
    for (size_t k = 0; k < layer->kernel_count; k++) {
      const pm__layer_kernel *kernel = &network->kernels[layer->first_kernel + k];
      all.flop[kernel->pass] += kernel->work.flop;
      all.moved[kernel->pass] += 5 * kernel->work.elements + kernel->work.fixed_elements;
    }
  }
  return all;
}

static pm_network *start(bool computed)
{
  static const int64_t shape[] = {32, 14, 10};
  pm_network *network = pm_network_new("start", NULL, NULL);
  int x = pm_network_add_input(network, "in", shape, 3, NULL);
  if (computed) put_kind(network, "sigmoid", x, "");
  return network;
}

static sums explicit_layers(bool computed, const char *activation, const char *gate, const char *reduce,
                            const char *expand)
{
  pm_network *network = start(computed);
  int first = (int)network->count - 1, x = put_kind(network, "global_avg_pool", first, "");
  x = put_kind(network, "conv2d", x, reduce);
  x = put_kind(network, activation, x, "");
  x = put_kind(network, "conv2d", x, expand);
  int both[] = {first, put_kind(network, gate, x, "")};
  ck_assert_int_ge(try_kind(network, "multiply", both, 2, "", NULL), 0);
  sums all = sums_behind(network, first);
  pm_network_free(network);
  return all;
}

static sums one_layer(bool computed, const char *attributes)
{
  pm_network *network = start(computed);
  int first = (int)network->count - 1;
  put_kind(network, "squeeze_excitation", first, attributes);
  sums all = sums_behind(network, first);
  pm_network_free(network);
  return all;
}

static void check_same(sums a, sums b)
{
  ck_assert(a.parameters == b.parameters && a.tensors == b.tensors && a.mac == b.mac && a.bnl == b.bnl);
  for (int pass = 0; pass < PM__PASSES; pass++)
    ck_assert_msg(a.flop[pass] == b.flop[pass] && a.moved[pass] == b.moved[pass], "pass %d: %.0f %.0f, %.0f %.0f", pass,
                  a.flop[pass], b.flop[pass], a.moved[pass], b.moved[pass]);
}

/* Behind a layer, and behind the network's input, whose gradient nobody wants. */
START_TEST(it_is_its_layers)
{
  for (int computed = 0; computed < 2; computed++) {
    check_same(one_layer(computed, "reduced=8"), explicit_layers(computed, "relu", "sigmoid", "out_channels=8 kernel=1",
                                                                 "out_channels=32 kernel=1"));
    check_same(one_layer(computed, "reduced=3 activation=silu gate=hardsigmoid bias=no"),
               explicit_layers(computed, "silu", "hardsigmoid", "out_channels=3 kernel=1 bias=no",
                               "out_channels=32 kernel=1 bias=no"));
  }
  ck_assert(one_layer(true, "reduced=8").parameters == 552); /* the first of EfficientNet-b0 */
}
END_TEST

/* Input of the first product, activation (and its input for SiLU), gate (and its input if it is hard). */
START_TEST(it_keeps_what_its_layers_keep)
{
  pm_network *relu = layer_of("squeeze_excitation", "32x14x10", "reduced=8");
  pm_network *silu = layer_of("squeeze_excitation", "32x14x10", "reduced=8 activation=silu gate=hardsigmoid");
  ck_assert(last_layer(relu)->saved.inputs && last_layer(relu)->saved.elements == 32 + 8 + 32);
  ck_assert(last_layer(silu)->saved.elements == 32 + 16 + 64);
  pm_network_free(relu);
  pm_network_free(silu);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  ck_refused("squeeze_excitation", "32x14", "reduced=8", "takes channels x height x width, not 32x14");
  ck_refused("squeeze_excitation", "32x14x10", "", "needs reduced");
  ck_refused("squeeze_excitation", "32x14x10", "reduced=8 gate=open", "gate \"open\" is none of sigmoid, hardsigmoid");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("squeeze_excitation");
  TCase *tests = tcase_create("squeeze_excitation");
  tcase_add_test(tests, it_is_its_layers);
  tcase_add_test(tests, it_keeps_what_its_layers_keep);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
