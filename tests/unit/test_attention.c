/* Attention in its forms, and products of computed matrices. */
#include "one_layer.h"
#include <stdio.h>
#include <string.h>

static pm_network *attention(int tokens, int keys, int heads, int kv_heads, int d, int dv, const char *more)
{
  char shapes[96], attributes[96];
  snprintf(shapes, sizeof shapes, "%dx%d %dx%d %dx%d", tokens, heads * d, keys, kv_heads * d, keys, kv_heads * dv);
  snprintf(attributes, sizeof attributes, "heads=%d kv_heads=%d %s", heads, kv_heads, more);
  return layer_of("attention", shapes, attributes);
}

/* Scores and context in full; element-wise per score: scale 1, softmax 5, mask 1, dropout 1. */
START_TEST(attention_follows_its_formulas)
{
  static const struct {
    const char *attributes;
    double each, kept, masks;
  } forms[] = {{"", 6, 1, 0}, {"causal=yes", 7, 1, 0}, {"dropout=0.1", 7, 2, 1}, {"causal=yes dropout=0.1", 8, 2, 1}};
  for (int f = 0; f < 4; f++)
    for (int keys = 7; keys <= 80; keys += 73)
      for (int kv_heads = 1; kv_heads <= 6; kv_heads += kv_heads == 1 ? 1 : 4)
        for (int dv = 32; dv <= 64; dv += 32) {
          pm_network *network = attention(48, keys, 6, kv_heads, 64, dv, forms[f].attributes);
          const pm__layer *layer = last_layer(network);
          double scores = 6.0 * 48 * keys;
          ck_assert(layer->mac == scores * (64 + dv));
          ck_assert(layer->flop[PM__FORWARD] == 2 * layer->mac + forms[f].each * scores);
          ck_assert(product_flop(network, PM__FORWARD) == 2 * layer->mac);
          ck_assert(product_flop(network, PM__DGRAD) == 4 * layer->mac);
          ck_assert(layer->flop[PM__WGRAD] == 0 && layer->parameters == 0);
          ck_assert(layer->output.size[0] == 48 && layer->output.size[1] == 6 * dv);
          ck_assert(layer->saved.inputs && layer->saved.elements == forms[f].kept * scores);
          ck_assert(layer->saved.mask_elements == forms[f].masks * scores);
          pm_network_free(network);
        }
}
END_TEST

/* A table of biases per head is learned, once for all windows; each score has one added and gives it a gradient. */
START_TEST(biases_of_scores_are_learned)
{
  for (int windows = 1; windows <= 64; windows += 63) {
    char shapes[64];
    snprintf(shapes, sizeof shapes, "%dx49x96 %dx49x96 %dx49x96", windows, windows, windows);
    pm_network *plain = layer_of("attention", shapes, "heads=3");
    pm_network *biased = layer_of("attention", shapes, "heads=3 bias_rows=169");
    const pm__layer *a = last_layer(plain), *b = last_layer(biased);
    double scores = windows * 3 * 49.0 * 49;
    ck_assert(a->parameters == 0 && b->parameters == 169 * 3 && b->parameter_tensors == 1);
    ck_assert(b->mac == a->mac && b->saved.elements == a->saved.elements);
    ck_assert(b->flop[PM__FORWARD] == a->flop[PM__FORWARD] + scores);
    ck_assert(b->flop[PM__WGRAD] == scores && a->flop[PM__WGRAD] == 0);
    pm_network_free(plain);
    pm_network_free(biased);
  }
}
END_TEST

/* What a causal mask leaves, counted pair by pair: the last query sees every key. A key of several tokens is seen by as
** many queries as each of them would be, of as many tokens as there are keys. */
static double pairs_left(int tokens, int keys)
{
  double pairs = 0;
  if (keys < tokens) return pairs_left(keys, keys) * tokens / keys;
  for (int i = 0; i < tokens; i++)
    for (int j = 0; j < keys; j++) pairs += j - i <= keys - tokens;
  return pairs;
}

START_TEST(flash_leaves_out_what_is_masked_and_keeps_no_scores)
{
  for (int tokens = 1; tokens <= 90; tokens += 89)
    for (int keys = 1; keys <= 121; keys += 30) {
      pm_network *full = attention(tokens, keys, 4, 2, 64, 32, "flash=yes");
      pm_network *causal = attention(tokens, keys, 4, 2, 64, 32, "flash=yes causal=yes");
      pm_network *unfused = attention(tokens, keys, 4, 2, 64, 32, "causal=no");
      double left = pairs_left(tokens, keys), all = (double)tokens * keys;
      ck_assert(last_layer(full)->mac == last_layer(causal)->mac && last_layer(full)->mac == last_layer(unfused)->mac);
      ck_assert(last_layer(full)->flop[PM__FORWARD] == last_layer(unfused)->flop[PM__FORWARD]);
      for (int pass = PM__FORWARD; pass <= PM__DGRAD; pass++) {
        double fixed = pass == PM__FORWARD ? 0 : 2 * last_layer(full)->elements_out;
        double seen = (last_layer(full)->flop[pass] - fixed) * left / all;
        ck_assert_double_eq_tol(last_layer(causal)->flop[pass] - fixed, seen, 1e-12 * seen);
      }
      /* Backward computes the scores and their exponentials again, after a pass over the output and its gradient. */
      ck_assert(last_layer(full)->flop[PM__DGRAD] - last_layer(unfused)->flop[PM__DGRAD] ==
                4 * all * (2 * 64 + 1) + 2 * last_layer(full)->elements_out);
      ck_assert(last_layer(full)->saved.elements == 4 * tokens); /* one number per query and head */
      ck_assert(last_layer(full)->saved.output && last_layer(full)->saved.mask_elements == 0);
      pm_network_free(full);
      pm_network_free(causal);
      pm_network_free(unfused);
    }
}
END_TEST

START_TEST(heads_change_no_arithmetic)
{
  pm_network *four = attention(80, 80, 4, 4, 192, 192, ""), *eight = attention(80, 80, 8, 8, 96, 96, "");
  ck_assert(last_layer(four)->mac == last_layer(eight)->mac);
  ck_assert(last_layer(four)->mac == 2.0 * 80 * 80 * 768);
  ck_assert(last_layer(eight)->saved.elements == 2 * last_layer(four)->saved.elements); /* but more scores */
  pm_network_free(four);
  pm_network_free(eight);
}
END_TEST

/* A block with its projections: 32 query heads of 128, as many or fewer for keys and values. */
static pm_network *block(int kv_heads)
{
  char text[32];
  int inputs[3];
  pm_network *network = pm_network_new("block", NULL, NULL);
  const int64_t shape[] = {2048, 4096};
  int x = pm_network_add_input(network, "x", shape, 2, NULL);
  inputs[0] = put_kind(network, "linear", x, "out_features=4096 bias=no");
  snprintf(text, sizeof text, "out_features=%d bias=no", kv_heads * 128);
  for (int i = 1; i < 3; i++) inputs[i] = put_kind(network, "linear", x, text);
  snprintf(text, sizeof text, "heads=32 kv_heads=%d", kv_heads);
  x = try_kind(network, "attention", inputs, 3, text, NULL);
  put_kind(network, "linear", x, "out_features=4096 bias=no");
  return network;
}

START_TEST(grouped_queries_need_smaller_keys_and_values)
{
  pm_network *all = block(32), *grouped = block(8), *one = block(1);
  ck_assert(totals_of(all).parameters == 4.0 * 4096 * 4096);
  ck_assert(totals_of(grouped).parameters == 2.0 * 4096 * (4096 + 1024));
  ck_assert(totals_of(one).parameters == 2.0 * 4096 * (4096 + 128));
  ck_assert(totals_of(all).mac - totals_of(grouped).mac == 2048.0 * 2 * 4096 * (4096 - 1024));
  pm_network_free(all);
  pm_network_free(grouped);
  pm_network_free(one);
}
END_TEST

/* The encoder of BERT-base from linear layers and attention: 12 (12 H^2 S + 2 S^2 H). */
static pm_network *encoder(int tokens)
{
  pm_network *network = pm_network_new("encoder", NULL, NULL);
  const int64_t shape[] = {tokens, 768};
  int x = pm_network_add_input(network, "x", shape, 2, NULL);
  for (int i = 0; i < 12; i++) {
    int qkv[3], sum[2] = {x, 0};
    for (int j = 0; j < 3; j++) qkv[j] = put_kind(network, "linear", x, "out_features=768");
    x = try_kind(network, "attention", qkv, 3, "heads=12 dropout=0.1", NULL);
    sum[1] = put_kind(network, "linear", x, "out_features=768");
    x = put_kind(network, "layer_norm", try_kind(network, "add", sum, 2, "", NULL), "");
    sum[0] = x;
    x = put_kind(network, "linear", x, "out_features=3072");
    x = put_kind(network, "relu", x, "");
    sum[1] = put_kind(network, "linear", x, "out_features=768");
    x = put_kind(network, "layer_norm", try_kind(network, "add", sum, 2, "", NULL), "");
  }
  return network;
}

START_TEST(the_encoder_of_bert_costs_what_it_costs)
{
  static const struct {
    int tokens;
    double giga;
  } rows[] = {{80, 6.913}, {384, 35.333}};
  for (int i = 0; i < 2; i++) {
    pm_network *network = encoder(rows[i].tokens);
    double s = rows[i].tokens, h = 768, mac = totals_of(network).mac;
    ck_assert(mac == 12 * (12 * h * h * s + 2 * s * s * h));
    ck_assert_double_eq_tol(mac / 1e9, rows[i].giga, 0.0005);
    ck_assert(totals_of(network).parameters == 85054464); /* the encoder's share of 109482240 */
    pm_network_free(network);
  }
}
END_TEST

START_TEST(windows_are_attended_apart)
{
  pm_network *windows = layer_of("attention", "64x49x96 64x49x96 64x49x96", "heads=3");
  pm_network *one = layer_of("attention", "49x96 49x96 49x96", "heads=3");
  ck_assert(last_layer(windows)->mac == 64 * last_layer(one)->mac);
  ck_assert(last_layer(windows)->saved.elements == 64 * last_layer(one)->saved.elements);
  for (int pass = 0; pass < PM__PASSES; pass++)
    ck_assert(last_layer(windows)->flop[pass] == 64 * last_layer(one)->flop[pass]);
  pm_network_free(windows);
  pm_network_free(one);
}
END_TEST

/* Dot attention is attention with one head whose values are its keys, without the scale. */
START_TEST(dot_attention_is_attention_with_one_head)
{
  pm_network *dot = layer_of("dot_attention", "20x512 30x512", "");
  pm_network *one = layer_of("attention", "20x512 30x512 30x512", "heads=1");
  ck_assert(last_layer(dot)->mac == last_layer(one)->mac);
  ck_assert(last_layer(dot)->flop[PM__FORWARD] == last_layer(one)->flop[PM__FORWARD] - 20 * 30);
  ck_assert(product_flop(dot, PM__DGRAD) == product_flop(one, PM__DGRAD));
  ck_assert(last_layer(dot)->saved.elements == last_layer(one)->saved.elements);
  pm_network_free(dot);
  pm_network_free(one);
}
END_TEST

START_TEST(additive_attention_follows_its_formulas)
{
  for (int keys = 5; keys <= 45; keys += 20)
    for (int features = 64; features <= 192; features += 64) {
      char shapes[48];
      snprintf(shapes, sizeof shapes, "20x128 %dx%d", keys, features);
      pm_network *network = layer_of("additive_attention", shapes, "hidden=100");
      pm_network *first = try_layer_of("additive_attention", shapes, "hidden=100", false, NULL);
      const pm__layer *layer = last_layer(network);
      double mac = 100.0 * (20 * 128 + keys * features + 20 * keys) + 20.0 * keys * features;
      ck_assert(layer->parameters == 100 * (128 + features + 1) && layer->parameter_tensors == 3);
      ck_assert(layer->mac == mac && product_flop(network, PM__FORWARD) == 2 * mac);
      ck_assert(product_flop(network, PM__DGRAD) + product_flop(network, PM__WGRAD) == 4 * mac);
      ck_assert(layer->elements_out == 20 * features);
      ck_assert(layer->saved.elements == 20 * keys * (100 + 1));
      /* Inputs that want no gradient save their three products, not those that the parameters need. */
      ck_assert(product_flop(network, PM__DGRAD) - product_flop(first, PM__DGRAD) ==
                200.0 * (20 * 128 + keys * features) + 40.0 * keys * features);
      pm_network_free(network);
      pm_network_free(first);
    }
}
END_TEST

START_TEST(transposed_factors_change_nothing)
{
  static const char *const forms[][2] = {{"4x30x50 4x50x70", ""},
                                         {"4x50x30 4x50x70", "transpose_a=yes"},
                                         {"4x30x50 4x70x50", "transpose_b=yes"},
                                         {"4x50x30 4x70x50", "transpose_a=yes transpose_b=yes"}};
  for (int i = 0; i < 4; i++) {
    pm_network *network = layer_of("matmul", forms[i][0], forms[i][1]);
    const pm__layer *layer = last_layer(network);
    ck_assert(layer->mac == 4 * 30 * 50 * 70);
    ck_assert(layer->output.rank == 3 && layer->output.size[1] == 30 && layer->output.size[2] == 70);
    ck_assert(layer->flop[PM__FORWARD] == 2 * layer->mac && layer->flop[PM__DGRAD] == 4 * layer->mac);
    ck_assert(product_flop(network, PM__DGRAD) == 4 * layer->mac);
    ck_assert(elements_moved(network, PM__FORWARD, 3) == 3 * 4 * (30 * 50 + 50 * 70 + 30 * 70));
    ck_assert(layer->saved.inputs && layer->saved.elements == 0);
    pm_network_free(network);
  }
}
END_TEST

START_TEST(leading_dimensions_broadcast)
{
  static const struct {
    const char *shapes, *output;
    double batches;
  } rows[] = {{"5x7 7x3", "5x3", 1},
              {"4x5x7 7x3", "4x5x3", 4},
              {"7x1x5x7 6x7x3", "7x6x5x3", 42},
              {"1x5x7 9x7x3", "9x5x3", 9}};
  for (int i = 0; i < 4; i++) {
    char text[PM_TEXT_MAX];
    pm_network *network = layer_of("matmul", rows[i].shapes, "");
    ck_assert_str_eq(pm__shape_text(&last_layer(network)->output, text, sizeof text), rows[i].output);
    ck_assert(last_layer(network)->mac == rows[i].batches * 5 * 7 * 3);
    pm_network_free(network);
  }
}
END_TEST

/* Attention from its parts. */
START_TEST(attention_is_its_two_products)
{
  pm_network *whole = layer_of("attention", "12x40x64 12x50x64 12x50x64", "heads=1");
  pm_network *scores = layer_of("matmul", "12x40x64 12x50x64", "transpose_b=yes");
  pm_network *context = layer_of("matmul", "12x40x50 12x50x64", "");
  ck_assert(last_layer(whole)->mac == last_layer(scores)->mac + last_layer(context)->mac);
  for (int pass = 0; pass < PM__PASSES; pass++)
    ck_assert(product_flop(whole, (pm__pass)pass) ==
              product_flop(scores, (pm__pass)pass) + product_flop(context, (pm__pass)pass));
  pm_network_free(whole);
  pm_network_free(scores);
  pm_network_free(context);
}
END_TEST

/* A fused kernel does what a window leaves: counted one by one. */
START_TEST(a_window_hides_what_is_further_back)
{
  for (int keys = 20; keys <= 60; keys += 20)
    for (int window = 1; window <= 64; window *= 2) {
      char attributes[64];
      double pairs = 0;
      for (int query = keys - 20; query < keys; query++) pairs += query + 1 < window ? query + 1 : window;
      snprintf(attributes, sizeof attributes, "causal=yes flash=yes window=%d", window);
      pm_network *network = attention(20, keys, 2, 1, 16, 16, attributes);
      const pm__layer *layer = last_layer(network);
      ck_assert(layer->flop[PM__FORWARD] == 2 * pairs * (2 * 32 + 6) && layer->mac == 2 * 20.0 * keys * 32);
      pm_network_free(network);
    }
}
END_TEST

/* Latent attention: the keys of 4 heads have 16 features of their own and 8 in common, which are copied and kept. */
START_TEST(heads_share_features_of_their_keys)
{
  static const char *const forms[] = {"heads=4", "heads=4 causal=yes flash=yes"};
  for (int f = 0; f < 2; f++) {
    pm_network *shared = layer_of("attention", "10x96 12x64 12x40 12x8", forms[f]);
    pm_network *whole = layer_of("attention", "10x96 12x96 12x40", forms[f]);
    const pm__layer *a = last_layer(shared), *b = last_layer(whole);
    double copied = 12 * 4 * 8;
    ck_assert(a->mac == b->mac && a->flop[PM__FORWARD] == b->flop[PM__FORWARD]);
    ck_assert(a->flop[PM__DGRAD] == b->flop[PM__DGRAD] + copied);
    ck_assert(a->saved.elements == b->saved.elements + copied);
    for (int pass = PM__FORWARD; pass <= PM__DGRAD; pass++)
      ck_assert(elements_moved(shared, (pm__pass)pass, 1) == elements_moved(whole, (pm__pass)pass, 1) + 2 * 12 * 96);
    pm_network_free(shared);
    pm_network_free(whole);
  }
}
END_TEST

START_TEST(sinks_are_a_number_of_each_head)
{
  pm_network *plain = attention(20, 20, 6, 2, 16, 16, "causal=yes flash=yes");
  pm_network *sunk = attention(20, 20, 6, 2, 16, 16, "causal=yes flash=yes sinks=yes");
  const pm__layer *a = last_layer(plain), *b = last_layer(sunk);
  ck_assert(b->parameters == 6 && b->parameter_tensors == 1 && a->parameters == 0);
  ck_assert(b->mac == a->mac && b->flop[PM__FORWARD] == a->flop[PM__FORWARD] && b->flop[PM__WGRAD] > 0);
  pm_network_free(plain);
  pm_network_free(sunk);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
  ck_refused("attention", "80x96 80x64 80x64 80x9", "heads=4", "of the queries and one of the keys differ");
  ck_refused("attention", "80x96 80x64 80x64 70x8", "heads=4", "that all heads share are not of as many keys");
  ck_refused("attention", "80x768 80x768 80x768", "heads=12 window=8", "a window needs causal");
  ck_refused("attention", "80x768 80x768 80x768", "", "needs heads");
  ck_refused("attention", "80x768 80x768", "heads=12", "has 2 inputs; it takes at least 3");
  ck_refused("attention", "80x768 80x768 80x768", "heads=7", "heads do not divide the query features");
  ck_refused("attention", "80x768 80x768 80x768", "heads=12 kv_heads=5", "kv_heads do not divide heads");
  ck_refused("attention", "80x768 80x768 80x768", "heads=12 kv_heads=3", "of the queries and one of the keys differ");
  ck_refused("attention", "80x768 80x190 80x192", "heads=12 kv_heads=3", "kv_heads do not divide the key");
  ck_refused("attention", "80x768 80x768 70x768", "heads=12", "80x768, 80x768, 70x768: it takes");
  ck_refused("attention", "768 768 768", "heads=12", "tokens x features");
  ck_refused("attention", "4x80x768 5x80x768 4x80x768", "heads=12", "tokens x features");
  ck_refused("attention", "80x768 80x768 80x768", "heads=12 dropout=2", "dropout \"2\" is not within");
  ck_refused("dot_attention", "20x512 30x256", "", "decoder states of 512 and encoder states of 256 features");
  ck_refused("additive_attention", "20x512 512", "hidden=100", "takes tokens x features, not 512");
  ck_refused("matmul", "5x7 6x3", "", "5x7 and 6x3: columns of the first and rows of the second differ");
  ck_refused("matmul", "5x7 7x3", "transpose_b=yes", "7x3 transposed");
  ck_refused("matmul", "7 7x3", "", "each needs two dimensions");
  ck_refused("matmul", "4x5x7 3x7x3", "", "leading dimensions differ");
  ck_refused("matmul", "900000x900000 900000x900000", "", "implausibly large");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("attention");
  TCase *tests = tcase_create("attention");
  tcase_add_test(tests, attention_follows_its_formulas);
  tcase_add_test(tests, biases_of_scores_are_learned);
  tcase_add_test(tests, flash_leaves_out_what_is_masked_and_keeps_no_scores);
  tcase_add_test(tests, a_window_hides_what_is_further_back);
  tcase_add_test(tests, heads_share_features_of_their_keys);
  tcase_add_test(tests, sinks_are_a_number_of_each_head);
  tcase_add_test(tests, heads_change_no_arithmetic);
  tcase_add_test(tests, grouped_queries_need_smaller_keys_and_values);
  tcase_add_test(tests, the_encoder_of_bert_costs_what_it_costs);
  tcase_add_test(tests, windows_are_attended_apart);
  tcase_add_test(tests, dot_attention_is_attention_with_one_head);
  tcase_add_test(tests, additive_attention_follows_its_formulas);
  tcase_add_test(tests, transposed_factors_change_nothing);
  tcase_add_test(tests, leading_dimensions_broadcast);
  tcase_add_test(tests, attention_is_its_two_products);
  tcase_add_test(tests, what_does_not_fit_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
