/* LSTM, GRU and vanilla RNN. */
#include "one_layer.h"
#include <stdio.h>

/* The documented shapes of torch.nn.LSTM, GRU and RNN, added up: per layer and direction weight_ih (G h x in),
** weight_hh (G h x h), bias_ih and bias_hh (G h). */
static const struct {
  const char *kind, *shape, *attributes;
  double parameters;
  int tensors;
} documented[] = {
  {"lstm", "50x512", "hidden=512 layers=2 bidirectional=yes", 10502144, 16},
  {"lstm", "5x10", "hidden=20 layers=2", 5920, 8},
  {"gru", "5x10", "hidden=20 layers=2", 4440, 8},
  {"rnn", "5x10", "hidden=20 layers=2", 1480, 8},
  {"lstm", "5x10", "hidden=20 bias=no", 2400, 2},
  {"lstm", "5x10", "hidden=20 bias_vectors=1", 2480, 3},
  {"lstm", "5x10", "hidden=20 projection=5", 80 * 10 + 80 * 5 + 160 + 5 * 20, 5},
};

START_TEST(parameters_are_the_documented_ones)
{
  for (size_t i = 0; i < sizeof documented / sizeof documented[0]; i++) {
    pm_network *network = layer_of(documented[i].kind, documented[i].shape, documented[i].attributes);
    ck_assert_msg(last_layer(network)->parameters == documented[i].parameters, "%s %s: %.0f", documented[i].kind,
                  documented[i].attributes, last_layer(network)->parameters);
    ck_assert_int_eq(last_layer(network)->parameter_tensors, documented[i].tensors);
    pm_network_free(network);
  }
}
END_TEST

static const struct {
  const char *kind;
  double gates, flop, kept; /* element-wise FLOP and numbers kept, per token and unit */
} cells[] = {{"lstm", 4, 19, 6}, {"gru", 3, 14, 4}, {"rnn", 1, 2, 0}};

START_TEST(one_direction_follows_its_formulas)
{
  for (int c = 0; c < 3; c++)
    for (int tokens = 1; tokens <= 50; tokens += 49)
      for (int in = 8; in <= 72; in += 64)
        for (int hidden = 16; hidden <= 48; hidden += 32) {
          char shape[32], attributes[32];
          snprintf(shape, sizeof shape, "%dx%d", tokens, in);
          snprintf(attributes, sizeof attributes, "hidden=%d", hidden);
          pm_network *network = layer_of(cells[c].kind, shape, attributes);
          const pm__layer *layer = last_layer(network);
          double gates = cells[c].gates * hidden, weights = gates * (in + hidden);
          ck_assert(layer->parameters == weights + 2 * gates);
          ck_assert(layer->mac == tokens * weights);
          ck_assert(layer->mac_bnl == tokens * (weights + 2 * gates));
          ck_assert(layer->flop[PM__FORWARD] == 2 * layer->mac + tokens * (cells[c].flop * hidden + 2 * gates));
          ck_assert(product_flop(network, PM__FORWARD) == 2 * layer->mac);
          ck_assert(product_flop(network, PM__DGRAD) == 2 * layer->mac);
          ck_assert(product_flop(network, PM__WGRAD) == 2 * layer->mac);
          ck_assert(layer->saved.inputs && layer->saved.output);
          ck_assert(layer->saved.elements == tokens * cells[c].kept * hidden);
          pm_network_free(network);
        }
}
END_TEST

/* The recurrent weights are read at every token, the others once for all of them. */
START_TEST(tokens_go_one_after_the_other)
{
  pm_network *network = layer_of("lstm", "30x512", "hidden=512");
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernels = kernels_of(network, layer);
  int sequential = 0;
  for (size_t i = 0; i < layer->kernel_count; i++) sequential += kernels[i].repeats == 30;
  ck_assert_int_eq(sequential, 4); /* product and cell, forward and backward */
  ck_assert(elements_moved(network, PM__FORWARD, 0) == 2048 * 512 + 30 * (2048 * 512 + 2 * 2048));
  pm_network_free(network);
}
END_TEST

static double sum_of(const pm_network *network, double (*of)(const pm__layer *layer), const char *kind)
{
  double sum = 0;
  for (size_t i = 0; i < network->count; i++)
    if (network->layers[i].kind == pm__layer_kind_find(kind)) sum += of(&network->layers[i]);
  return sum;
}

static double parameters(const pm__layer *layer)
{
  return layer->parameters;
}

static double forward_flop(const pm__layer *layer)
{
  return layer->flop[PM__FORWARD];
}

static double backward_flop(const pm__layer *layer)
{
  return layer->flop[PM__DGRAD] + layer->flop[PM__WGRAD];
}

static double kept(const pm__layer *layer)
{
  return layer->saved.elements + layer->elements_out;
}

/* A stack is its layers one by one. */
START_TEST(stacks_are_additive)
{
  static const char *const kinds[] = {"lstm", "gru", "rnn"};
  double (*const counts[])(const pm__layer *) = {parameters, forward_flop, backward_flop, kept};
  for (int k = 0; k < 3; k++)
    for (int both = 0; both < 2; both++) {
      const char *one = both ? "hidden=40 bidirectional=yes" : "hidden=40";
      const char *three = both ? "hidden=40 layers=3 bidirectional=yes" : "hidden=40 layers=3";
      pm_network *stack = layer_of(kinds[k], "12x24", three), *apart = layer_of(kinds[k], "12x24", one);
      for (int i = 0; i < 2; i++) put_kind(apart, kinds[k], (int)apart->count - 1, one);
      for (int i = 0; i < 4; i++) ck_assert(sum_of(stack, counts[i], kinds[k]) == sum_of(apart, counts[i], kinds[k]));
      pm_network_free(stack);
      pm_network_free(apart);
    }
}
END_TEST

START_TEST(two_directions_are_twice_one)
{
  pm_network *one = layer_of("gru", "12x24", "hidden=40");
  pm_network *two = layer_of("gru", "12x24", "hidden=40 bidirectional=yes");
  const pm__layer *a = last_layer(one), *b = last_layer(two);
  ck_assert(b->parameters == 2 * a->parameters && b->mac == 2 * a->mac && b->elements_out == 2 * a->elements_out);
  ck_assert(b->saved.elements == 2 * a->saved.elements);
  for (int pass = 0; pass < PM__PASSES; pass++) ck_assert(b->flop[pass] == 2 * a->flop[pass]);
  pm_network_free(one);
  pm_network_free(two);
}
END_TEST

/* Without a gradient of its input, a recurrent layer still goes back through time. */
START_TEST(weights_need_the_way_back_through_time)
{
  pm_network *inner = layer_of("lstm", "30x64", "hidden=512 layers=2");
  pm_network *first = try_layer_of("lstm", "30x64", "hidden=512 layers=2", false, NULL);
  double input_gradient = 2.0 * 30 * 2048 * 64;
  ck_assert(product_flop(inner, PM__DGRAD) - product_flop(first, PM__DGRAD) == input_gradient);
  ck_assert(last_layer(inner)->flop[PM__DGRAD] - last_layer(first)->flop[PM__DGRAD] == input_gradient);
  pm_network_free(inner);
  pm_network_free(first);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
  ck_refused("lstm", "5x10", "", "needs hidden");
  ck_refused("lstm", "3x8x8", "hidden=20", "takes tokens x features, not 3x8x8");
  ck_refused("lstm", "5x10", "hidden=20 layers=0", "layers \"0\" is not within");
  ck_refused("lstm", "5x10", "hidden=20 bias_vectors=3", "bias_vectors \"3\" is not within");
  ck_refused("gru", "5x10", "hidden=20 projection=5", "no attribute \"projection\"");
  ck_refused("rnn", "5x10", "hidden=20 bidirectional=both", "neither yes nor no");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("recurrent");
  TCase *tests = tcase_create("recurrent");
  tcase_add_test(tests, parameters_are_the_documented_ones);
  tcase_add_test(tests, one_direction_follows_its_formulas);
  tcase_add_test(tests, tokens_go_one_after_the_other);
  tcase_add_test(tests, stacks_are_additive);
  tcase_add_test(tests, two_directions_are_twice_one);
  tcase_add_test(tests, weights_need_the_way_back_through_time);
  tcase_add_test(tests, what_does_not_fit_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
