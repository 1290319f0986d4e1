/* Activations, arithmetic with broadcasting, softmax, dropout. */
#include "one_layer.h"
#include <stdio.h>
#include <string.h>

/* FLOP per element as the public header writes them down, and what is kept: input, output, output in place. */
static const struct {
  const char *kind;
  double flop;
  char keeps;
} activations[] = {
  {"relu", 1, 'p'},    {"relu6", 2, 'i'},    {"leaky_relu", 2, 'p'}, {"elu", 3, 'i'},       {"gelu", 5, 'i'},
  {"silu", 4, 'i'},    {"mish", 5, 'i'},     {"sigmoid", 3, 'o'},    {"tanh", 1, 'o'},      {"hardswish", 5, 'i'},
  {"softplus", 3, 'i'}, {"hardsigmoid", 4, 'i'}, {"prelu", 2, 'i'},  {"softmax", 5, 'o'},   {"softmax_loss", 5, 'o'},
  {"squared_relu", 2, 'i'},
};

START_TEST(activations_are_as_written_down)
{
  for (size_t i = 0; i < sizeof activations / sizeof activations[0]; i++) {
    pm_network *network = layer_of(activations[i].kind, "10x6", "");
    const pm__layer *layer = last_layer(network);
    ck_assert_msg(layer->flop[PM__FORWARD] == activations[i].flop * 60, "%s", activations[i].kind);
    ck_assert(layer->flop[PM__DGRAD] > 0 && layer->mac == 0);
    ck_assert(layer->mac_bnl == (strcmp(activations[i].kind, "relu") == 0 ? 60 : 0));
    ck_assert(layer->saved.inputs == (activations[i].keeps == 'i'));
    ck_assert(layer->saved.output == (activations[i].keeps != 'i'));
    ck_assert(layer->saved.in_place == (activations[i].keeps == 'p'));
    pm_network_free(network);
  }
}
END_TEST

START_TEST(softmax_takes_any_axis)
{
  static const double rows[] = {10, 6, 4};
  static const char *const axes[] = {"axis=0", "axis=1", "axis=-1"};
  static const char *const kinds[] = {"softmax", "softmax_loss", "cross_entropy"};
  for (int axis = 0; axis < 3; axis++)
    for (int kind = 0; kind < 3; kind++) {
      pm_network *network = layer_of(kinds[kind], "10x6x4", axes[axis]);
      ck_assert(kernels_of(network, last_layer(network))->shape.row == rows[axis]);
      ck_assert(last_layer(network)->flop[PM__FORWARD] == 5 * 240);
      pm_network_free(network);
    }
}
END_TEST

/* n inputs of e elements: n - 1 operations per element, each read once, one written. */
START_TEST(sums_and_products_count_their_operands)
{
  static const char *const kinds[] = {"add", "multiply"};
  for (int kind = 0; kind < 2; kind++)
    for (int n = 1; n <= 5; n++) {
      char shapes[64] = "";
      for (int i = 0; i < n; i++) strcat(shapes, i == 0 ? "4x6" : " 4x6");
      pm_network *network = layer_of(kinds[kind], shapes, "");
      const pm__layer *layer = last_layer(network);
      ck_assert(layer->flop[PM__FORWARD] == 24 * (n == 1 ? 1 : n - 1));
      ck_assert(elements_moved(network, PM__FORWARD, 1) == 24 * (n + 1));
      ck_assert(layer->flop[PM__DGRAD] == (kind == 0 ? 0 : n == 1 ? 24 : 24 * n * (n - 1)));
      ck_assert(layer->saved.inputs == (kind == 1 && n > 1));
      pm_network_free(network);
    }
}
END_TEST

static const struct {
  const char *kind, *shapes, *output;
  double forward, backward; /* FLOP */
} broadcasts[] = {
  {"multiply", "8x5x6 8x1x1", "8x5x6", 240, 3 * 240}, /* two products, one sum to the gate */
  {"multiply", "8x1x1 8x5x6", "8x5x6", 240, 3 * 240},
  {"add", "8x5x6 1x5x6", "8x5x6", 240, 240},
  {"add", "8x1 1x6", "8x6", 48, 96},
  {"subtract", "8x6 8x6", "8x6", 48, 48}, /* the sign */
  {"subtract", "8x6 8x1", "8x6", 48, 48}, /* in the sum */
  {"subtract", "8x6", "8x6", 48, 0},
  {"divide", "8x6 8x6", "8x6", 48, 5 * 48},
  {"divide", "8x6 8x1", "8x6", 48, 6 * 48},
  {"divide", "8x6", "8x6", 48, 48},
  {"pointwise", "8x6", "8x6", 48, 48},
};

START_TEST(sizes_of_one_are_broadcast)
{
  char text[PM_TEXT_MAX];
  for (size_t i = 0; i < sizeof broadcasts / sizeof broadcasts[0]; i++) {
    pm_network *network = layer_of(broadcasts[i].kind, broadcasts[i].shapes, "");
    const pm__layer *layer = last_layer(network);
    pm__shape_text(&layer->output, text, sizeof text);
    ck_assert_msg(strcmp(text, broadcasts[i].output) == 0 && layer->flop[PM__FORWARD] == broadcasts[i].forward &&
                    layer->flop[PM__DGRAD] == broadcasts[i].backward,
                  "%s of %s: %s, %.0f, %.0f", broadcasts[i].kind, broadcasts[i].shapes, text, layer->flop[PM__FORWARD],
                  layer->flop[PM__DGRAD]);
    pm_network_free(network);
  }
}
END_TEST

START_TEST(pointwise_functions_are_what_the_user_says)
{
  pm_network *root = layer_of("pointwise", "8x6", "flop=2.5 keeps=output");
  pm_network *copy = layer_of("pointwise", "8x6", "flop=0 keeps=nothing");
  const pm__layer *x = last_layer(root), *y = last_layer(copy);
  ck_assert(x->flop[PM__FORWARD] == 120 && x->saved.output && !x->saved.inputs);
  ck_assert(y->flop[PM__FORWARD] == 0 && !y->saved.output && !y->saved.inputs);
  ck_assert(elements_moved(root, PM__DGRAD, 1) == elements_moved(copy, PM__DGRAD, 1) + 48);
  pm_network_free(root);
  pm_network_free(copy);
}
END_TEST

/* swiglu of one input or of two, and as the two layers it stands for when it is not fused. */
START_TEST(swiglu_is_silu_and_a_product)
{
  pm_network *one = layer_of("swiglu", "10x22", ""), *two = layer_of("swiglu", "10x11 10x11", "");
  pm_network *parts = layer_of("swiglu", "10x11 10x11", "fused=no");
  pm_network *silu = layer_of("silu", "10x11", ""), *product = layer_of("multiply", "10x11 10x11", "");
  for (int pass = 0; pass < PM__PASSES; pass++) {
    ck_assert(last_layer(one)->flop[pass] == last_layer(two)->flop[pass]);
    ck_assert(elements_moved(one, (pm__pass)pass, 1) == elements_moved(two, (pm__pass)pass, 1));
    ck_assert(last_layer(parts)->flop[pass] == last_layer(silu)->flop[pass] + last_layer(product)->flop[pass]);
    ck_assert(elements_moved(parts, (pm__pass)pass, 1) ==
              elements_moved(silu, (pm__pass)pass, 1) + elements_moved(product, (pm__pass)pass, 1));
    ck_assert(elements_moved(two, (pm__pass)pass, 1) <= elements_moved(parts, (pm__pass)pass, 1));
  }
  ck_assert(last_layer(two)->saved.elements == 0 && last_layer(parts)->saved.elements == 110);
  ck_assert(last_layer(one)->output.size[1] == 11);
  pm_network_free(one);
  pm_network_free(two);
  pm_network_free(parts);
  pm_network_free(silu);
  pm_network_free(product);
}
END_TEST

START_TEST(dropout_keeps_a_mask)
{
  pm_network *some = layer_of("dropout", "10x6", "rate=0.1"), *none = layer_of("dropout", "10x6", "rate=0");
  ck_assert(last_layer(some)->saved.mask_elements == 60 && last_layer(none)->saved.mask_elements == 0);
  pm_network_free(some);
  pm_network_free(none);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  ck_refused("add", "4x6 5x6", "", "joins 4x6 and 5x6");
  ck_refused("multiply", "4x6 6", "", "joins 4x6 and 6");
  ck_refused("divide", "4x6 4x6 4x6", "", "has 3 inputs; it takes 2");
  ck_refused("softmax", "4x6", "axis=2", "4x6 has no axis 2");
  ck_refused("swiglu", "4x7", "", "cannot halve the last dimension of 4x7");
  ck_refused("swiglu", "4x6 4x5", "", "the second input is 4x5");
  ck_refused("pointwise", "4x6", "keeps=all", "keeps \"all\" is none of inputs, output, nothing");
  ck_refused("pointwise", "4x6", "flop=-1", "flop \"-1\" is not within");
  ck_refused("gelu", "4x6", "axis=1", "gelu has no attribute \"axis\"; it has none");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("elementwise");
  TCase *tests = tcase_create("elementwise");
  tcase_add_test(tests, activations_are_as_written_down);
  tcase_add_test(tests, softmax_takes_any_axis);
  tcase_add_test(tests, sums_and_products_count_their_operands);
  tcase_add_test(tests, sizes_of_one_are_broadcast);
  tcase_add_test(tests, pointwise_functions_are_what_the_user_says);
  tcase_add_test(tests, swiglu_is_silu_and_a_product);
  tcase_add_test(tests, dropout_keeps_a_mask);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
