/*
** Mistakes that counters of FLOP are known for, each as a network whose counts are known by arithmetic:
**   - attention without counts, because it is a function and no module (ViT comes out a third short)
**   - a linear layer counted once, not for every token
**   - modules inside modules, and modules used twice, counted twice
**   - attention that costs more with more heads, or as much with fewer keys and values
**   - multiply-accumulates sold as FLOP
*/
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "one_layer.h"
#include "shipped.h"

/* A network of a file with these lines. */
static pm_network *network_of(const char *xml)
{
  char path[] = "/tmp/perfmodel-bugs-XXXXXX.xml";
  pm_error error = PM_ERROR_NONE;
  FILE *file = fdopen(mkstemps(path, 4), "w");
  ck_assert(file != NULL);
  fprintf(file, "<?xml version=\"1.0\"?>\n<perfmodel version=\"1\">\n%s</perfmodel>\n", xml);
  ck_assert(fclose(file) == 0);
  int status = pm_catalog_load(catalog, path, &error);
  unlink(path);
  ck_assert_msg(status == PM_OK, "%s", error.text);
  return build_network("n");
}

/* 12 layers of width 768 on 14 x 14 patches of 16 x 16 and the class token; the head sees that token alone. */
START_TEST(attention_of_vit_is_counted)
{
  const double t = 14 * 14 + 1, w = 768, patches = 14 * 14 * (3 * 16 * 16) * w, head = w * 1000;
  const double products = 12 * (4 + 8) * t * w * w, scores = 12 * 2 * t * t * w;
  pm_network_totals vit = take_totals(build_network("vit-b-16"));
  ck_assert(vit.parameters == 86567656);
  ck_assert(vit.mac == patches + products + scores + head);
  ck_assert(vit.flop > 2 * vit.mac && vit.flop < 2.01 * vit.mac);
  ck_assert(scores > 0.04 * vit.mac); /* what is lost if only modules with parameters count */
}
END_TEST

static pm_network_totals linear(const char *shape)
{
  return take_totals(try_layer_of("linear", shape, "out_features=64", false, NULL));
}

START_TEST(linear_layers_work_on_every_token)
{
  pm_network_totals vector = linear("768"), tokens = linear("80x768"), windows = linear("5x80x768");
  ck_assert(vector.mac == 768 * 64 && tokens.mac == 80 * vector.mac && windows.mac == 400 * vector.mac);
  ck_assert(vector.parameters == 768 * 64 + 64 && windows.parameters == vector.parameters);
  ck_assert(tokens.flop == 2 * tokens.mac + 80 * 64); /* and the bias */
}
END_TEST

static const char nested[] =
  "<block id=\"inner\"><param name=\"shared\" default=\"0\"/>\n"
  "  <linear name=\"fc\" out_features=\"32\" shared=\"shared\"/><relu name=\"act\"/></block>\n"
  "<block id=\"outer\"><use block=\"inner\" name=\"a\"/><use block=\"inner\" name=\"b\" shared=\"%d\"/></block>\n"
  "<network id=\"n\" name=\"Nested\"><input shape=\"32\"/><use block=\"outer\" name=\"x\"/></network>\n";

static pm_network *nested_network(int shared)
{
  char xml[1024];
  snprintf(xml, sizeof xml, nested, shared);
  return network_of(xml);
}

START_TEST(blocks_in_blocks_count_once)
{
  const double one = 32 * 32 + 32;
  pm_network *network = nested_network(0);
  pm_counts_question question = pm_counts_question_make();
  question.view = PM_COUNTS_VIEW_TREE;
  question.depth = 3;
  pm_table *tree = pm_network_tabulate(network, &question, NULL);
  static const double parameters[] = {2, 1, 1, 0, 1, 1, 0, 2}; /* x, x.a, x.a.fc, x.a.act, x.b, ..., total */
  ck_assert_uint_eq(pm_table_count_rows(tree), 8);
  for (size_t column = 0; column < pm_table_count_columns(tree); column++)
    for (size_t row = 0; row < 8 && strcmp(pm_table_get_column(tree, column)->name, "parameters") == 0; row++)
      ck_assert(pm_table_get_numbers(tree, column)[row] == parameters[row] * one);
  pm_table_free(tree);
  pm_network_totals totals = take_totals(network);
  ck_assert(totals.parameters == 2 * one && totals.mac == 2 * 32 * 32);
}
END_TEST

/* Used twice: the work twice, the parameters once. */
START_TEST(shared_blocks_have_their_parameters_once)
{
  pm_network_totals apart = take_totals(nested_network(0)), tied = take_totals(nested_network(1));
  ck_assert(tied.parameters == apart.parameters / 2 && tied.parameter_tensors == apart.parameter_tensors / 2);
  ck_assert(tied.mac == apart.mac && tied.flop == apart.flop && tied.training_flop == apart.training_flop);
}
END_TEST

/* One attention layer with its four projections. */
static pm_network_totals attention_block(int heads, int kv_heads)
{
  char text[64];
  const int64_t shape[] = {80, 768};
  pm_network *network = pm_network_new("block", NULL, NULL);
  int x = pm_network_add_input(network, "x", shape, 2, NULL), qkv[3];
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "out_features=%d", i == 0 ? 768 : 768 / heads * kv_heads);
    qkv[i] = put_kind(network, "linear", x, text);
  }
  snprintf(text, sizeof text, "heads=%d kv_heads=%d", heads, kv_heads);
  x = try_kind(network, "attention", qkv, 3, text, NULL);
  put_kind(network, "linear", x, "out_features=768");
  return take_totals(network);
}

START_TEST(four_heads_cost_what_eight_cost)
{
  pm_network_totals four = attention_block(4, 4), eight = attention_block(8, 8);
  ck_assert(four.mac == eight.mac && four.parameters == eight.parameters);
  ck_assert(four.mac == 4.0 * 80 * 768 * 768 + 2.0 * 80 * 80 * 768);
}
END_TEST

START_TEST(grouped_queries_cost_less)
{
  pm_network_totals all = attention_block(12, 12), grouped = attention_block(12, 4), one = attention_block(12, 1);
  ck_assert(grouped.parameters < all.parameters && one.parameters < grouped.parameters);
  ck_assert(all.mac - grouped.mac == 80.0 * 2 * 768 * (768 - 256));
  ck_assert(all.mac - one.mac == 80.0 * 2 * 768 * (768 - 64)); /* the scores are as many as ever */
}
END_TEST

/* 4.09 is a number of multiply-accumulates; "4.09 GFLOPs" of ResNet-50 is half of its FLOP. */
START_TEST(mac_are_not_flop)
{
  pm_network_totals resnet = take_totals(build_network("resnet50"));
  ck_assert(resnet.mac == 4089184256 && resnet.flop > 2 * resnet.mac);
}
END_TEST

/* Ren et al., Table II, has 0.19 and 2.87 G for BERT on sequences of 80 and 384 tokens. A layer has 12 H^2 weights in
** matrices, used once per token, and 2 S^2 H products of scores and context. */
START_TEST(bert_costs_more_than_its_table_says)
{
  static const double tokens[] = {80, 384}, printed[] = {0.19e9, 2.87e9}, right[] = {6.91e9, 35.33e9};
  for (int i = 0; i < 2; i++) {
    double s = tokens[i], h = 768, encoder = 12 * (12 * h * h * s + 2 * s * s * h);
    ck_assert(fabs(encoder - right[i]) < 0.005e9 && encoder > 10 * printed[i]);
    pm_network_totals bert = take_totals(build_network(i == 0 ? "bert-swag" : "bert-squad"));
    ck_assert_msg(fabs(bert.mac - (i == 0 ? 4 : 1) * encoder) < 0.001 * bert.mac, "%.17g", bert.mac / encoder);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("counter bugs");
  TCase *tests = tcase_create("counter bugs");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, attention_of_vit_is_counted);
  tcase_add_test(tests, linear_layers_work_on_every_token);
  tcase_add_test(tests, blocks_in_blocks_count_once);
  tcase_add_test(tests, shared_blocks_have_their_parameters_once);
  tcase_add_test(tests, four_heads_cost_what_eight_cost);
  tcase_add_test(tests, grouped_queries_cost_less);
  tcase_add_test(tests, mac_are_not_flop);
  tcase_add_test(tests, bert_costs_more_than_its_table_says);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
