/* Mixtures of experts. */
#include "one_layer.h"
#include <stdio.h>

/* All experts' parameters, top_k experts' arithmetic. */
START_TEST(experts_follow_their_formulas)
{
  for (int experts = 1; experts <= 16; experts *= 4)
    for (int top_k = 1; top_k <= experts && top_k <= 4; top_k *= 4)
      for (int gated = 0; gated < 2; gated++) {
        char attributes[96];
        snprintf(attributes, sizeof attributes, "experts=%d top_k=%d hidden=96 gated=%s", experts, top_k,
                 gated ? "yes" : "no");
        pm_network *network = layer_of("mixture_of_experts", "64x32", attributes);
        const pm__layer *layer = last_layer(network);
        double expert = (gated ? 3 : 2) * 32.0 * 96, routed = 64.0 * top_k;
        ck_assert(layer->parameters == 32 * experts + experts * expert);
        ck_assert(layer->parameter_tensors == 1 + experts * (gated ? 3 : 2));
        ck_assert(layer->mac == 64.0 * 32 * experts + routed * expert);
        for (int pass = 0; pass < PM__PASSES; pass++)
          ck_assert(product_flop(network, (pm__pass)pass) == 2 * layer->mac);
        ck_assert(layer->flop[PM__FORWARD] == 2 * layer->mac + 64.0 * 5 * experts + routed * (gated ? 5 : 1) * 96 +
                                                2 * routed * 32 - 64 * 32);
        ck_assert(layer->saved.linear_elements == routed * (32 + 96));
        ck_assert(layer->saved.elements == routed * (32 + (gated ? 2 : 1) * 96) + 64.0 * experts);
        pm_network_free(network);
      }
}
END_TEST

/* With one expert only the router is left over from two linear layers. */
START_TEST(one_expert_is_two_linear_layers)
{
  pm_network *one = layer_of("mixture_of_experts", "64x32", "experts=1 top_k=1 hidden=96");
  pm_network *plain = layer_of("linear", "64x32", "out_features=96 bias=no");
  put_kind(plain, "linear", (int)plain->count - 1, "out_features=32 bias=no");
  ck_assert(last_layer(one)->parameters == totals_of(plain).parameters + 32);
  ck_assert(last_layer(one)->mac == totals_of(plain).mac + 64 * 32);
  pm_network_free(one);
  pm_network_free(plain);
}
END_TEST

/* A first layer's parameters wait for the gradients inside it, not for that of its input. */
START_TEST(parameters_need_the_gradients_inside)
{
  const char *attributes = "experts=4 top_k=2 hidden=96 gated=yes";
  pm_network *inner = layer_of("mixture_of_experts", "64x32", attributes);
  pm_network *first = try_layer_of("mixture_of_experts", "64x32", attributes, false, NULL);
  ck_assert(product_flop(first, PM__DGRAD) == 2.0 * 128 * 96 * 32);
  ck_assert(product_flop(inner, PM__DGRAD) == 2.0 * (128 * 3 * 96 * 32 + 64 * 32 * 4));
  pm_network_free(inner);
  pm_network_free(first);
}
END_TEST

/* A number for each output of an expert's layers, one for each expert's score; each token adds those it meets. */
START_TEST(biases_are_added)
{
  const char *plain = "experts=4 top_k=2 hidden=96 gated=yes";
  pm_network *without = layer_of("mixture_of_experts", "64x32", plain);
  for (int form = 1; form < 4; form++) {
    char attributes[96];
    double outputs = form & 1 ? 2 * 96 + 32 : 0, scores = form & 2 ? 4 : 0;
    snprintf(attributes, sizeof attributes, "%s bias=%d router_bias=%d", plain, form & 1, form >> 1);
    pm_network *with = layer_of("mixture_of_experts", "64x32", attributes);
    const pm__layer *a = last_layer(without), *b = last_layer(with);
    double added = 64 * (2 * outputs + scores);
    ck_assert(b->parameters == a->parameters + 4 * outputs + scores);
    ck_assert(b->parameter_tensors == a->parameter_tensors + (form & 1 ? 12 : 0) + form / 2);
    ck_assert(b->flop[PM__FORWARD] == a->flop[PM__FORWARD] + added && b->flop[PM__WGRAD] == a->flop[PM__WGRAD] + added);
    ck_assert(b->mac == a->mac && b->saved.elements == a->saved.elements);
    ck_assert(b->saved.linear_elements == a->saved.linear_elements);
    pm_network_free(with);
  }
  pm_network_free(without);
}
END_TEST

/* Mixtral 8x7B: 46.7 billion parameters, of which a token uses 12.9. */
/* A router of wider rows has a larger matrix; its own size is as if nothing was said. */
START_TEST(a_router_may_see_wider_rows)
{
  pm_network *same = layer_of("mixture_of_experts", "64x32", "experts=4 top_k=2 hidden=96");
  pm_network *stated = layer_of("mixture_of_experts", "64x32", "experts=4 top_k=2 hidden=96 router_features=32");
  pm_network *wide = layer_of("mixture_of_experts", "64x32", "experts=4 top_k=2 hidden=96 router_features=128");
  ck_assert(last_layer(stated)->parameters == last_layer(same)->parameters);
  ck_assert(last_layer(stated)->mac == last_layer(same)->mac);
  ck_assert(last_layer(wide)->parameters == last_layer(same)->parameters + (128 - 32) * 4);
  ck_assert(last_layer(wide)->mac == last_layer(same)->mac + 64.0 * (128 - 32) * 4);
  for (int pass = 0; pass < PM__PASSES; pass++)
    ck_assert(product_flop(wide, (pm__pass)pass) == 2 * last_layer(wide)->mac);
  pm_network_free(same);
  pm_network_free(stated);
  pm_network_free(wide);
}
END_TEST

START_TEST(mixtral_has_its_published_size)
{
  pm_network *network = pm_network_new("mixtral", NULL, NULL);
  const int64_t shape[] = {16};
  int x = pm_network_add_input(network, "tokens", shape, 1, NULL), qkv[3], sum[2];
  x = put_kind(network, "embedding", x, "entries=32000 features=4096");
  for (int i = 0; i < 32; i++) {
    int y = put_kind(network, "rms_norm", x, "");
    qkv[0] = put_kind(network, "linear", y, "out_features=4096 bias=no");
    for (int j = 1; j < 3; j++) qkv[j] = put_kind(network, "linear", y, "out_features=1024 bias=no");
    y = try_kind(network, "attention", qkv, 3, "heads=32 kv_heads=8 causal=yes flash=yes", NULL);
    sum[0] = x;
    sum[1] = put_kind(network, "linear", y, "out_features=4096 bias=no");
    sum[0] = try_kind(network, "add", sum, 2, "", NULL);
    y = put_kind(network, "rms_norm", sum[0], "");
    sum[1] = put_kind(network, "mixture_of_experts", y, "experts=8 top_k=2 hidden=14336 gated=yes");
    x = try_kind(network, "add", sum, 2, "", NULL);
  }
  x = put_kind(network, "rms_norm", x, "");
  put_kind(network, "linear", x, "out_features=32000 bias=no");
  pm_network_totals totals = totals_of(network);
  ck_assert(totals.parameters == 46702792704);
  /* MAC per token: the parameters it uses, without the norms' and the table's, and its scores and context. */
  double idle = 32.0 * 6 * 3 * 4096 * 14336, looked_up = 32000.0 * 4096, norms = 65.0 * 4096;
  ck_assert(totals.mac == 16 * (totals.parameters - idle - looked_up - norms) + 32.0 * 2 * 16 * 16 * 4096);
  pm_network_free(network);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
  ck_refused("mixture_of_experts", "64x32", "experts=8 top_k=2", "needs hidden");
  ck_refused("mixture_of_experts", "64x32", "experts=8 top_k=9 hidden=96", "top_k 9 is more than its 8 experts");
  ck_refused("mixture_of_experts", "64x32", "experts=8 top_k=0 hidden=96", "top_k \"0\" is not within");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("experts");
  TCase *tests = tcase_create("experts");
  tcase_add_test(tests, experts_follow_their_formulas);
  tcase_add_test(tests, one_expert_is_two_linear_layers);
  tcase_add_test(tests, parameters_need_the_gradients_inside);
  tcase_add_test(tests, biases_are_added);
  tcase_add_test(tests, a_router_may_see_wider_rows);
  tcase_add_test(tests, mixtral_has_its_published_size);
  tcase_add_test(tests, what_does_not_fit_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
