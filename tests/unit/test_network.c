/* Layers: shapes, counts, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "network/network.h"

static int try_layer(pm_network *network, const char *kind, int input, const pm_attribute *attributes, size_t count,
                     pm_error *error)
{
  return pm_network_add(network, kind, "x", &input, 1, attributes, count, error);
}

static pm_layer one_layer(const char *kind, const int64_t *shape, int rank, const pm_attribute *attributes,
                          size_t count, double batch)
{
  pm_layer row;
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_network_new("one", NULL, NULL);
  int input = pm_network_add_input(network, "in", shape, rank, NULL);
  ck_assert_msg(try_layer(network, kind, input, attributes, count, &error) >= 0, "%s", error.text);
  ck_assert_int_eq(pm__network_get_layers(network, batch, PM_PRECISION_FP32, &row, NULL), PM_OK);
  pm_network_free(network);
  return row;
}

/* Grouped, dilated, strided and padded convolutions against their formulas, over a grid. */
START_TEST(convolutions_follow_their_formulas)
{
  const int64_t shape[] = {24, 33, 21};
  for (int groups = 1; groups <= 8; groups *= 2)
    for (int kernel = 1; kernel <= 5; kernel += 2)
      for (int stride = 1; stride <= 3; stride++)
        for (int dilation = 1; dilation <= 2; dilation++) {
          char g[16], k[16], s[16], d[16];
          snprintf(g, sizeof g, "%d", groups);
          snprintf(k, sizeof k, "%d", kernel);
          snprintf(s, sizeof s, "%d", stride);
          snprintf(d, sizeof d, "%d", dilation);
          pm_attribute a[] = {{"out_channels", "48"}, {"groups", g}, {"kernel", k}, {"stride", s},
                              {"dilation", d}, {"padding", "2,1"}};
          pm_layer row = one_layer("conv2d", shape, 3, a, 6, 4);
          int64_t reach = dilation * (kernel - 1) + 1;
          int64_t ho = (33 + 4 - reach) / stride + 1, wo = (21 + 2 - reach) / stride + 1;
          double weights = 48.0 * 24 / groups * kernel * kernel;
          ck_assert(row.parameters == weights + 48);
          ck_assert(row.mac == 4 * weights * (double)(ho * wo));
          ck_assert(row.gamma == 4.0 * (double)(ho * wo)); /* B Ho Wo */
          ck_assert(row.bytes_out == 4.0 * 4 * 48 * (double)(ho * wo));
        }
}
END_TEST

START_TEST(linear_layers_work_on_the_last_dimension)
{
  const int64_t flat[] = {100}, sequence[] = {7, 100};
  pm_attribute a[] = {{"out_features", "30"}};
  pm_layer row = one_layer("linear", flat, 1, a, 1, 256);
  ck_assert(row.parameters == 3030);
  ck_assert(row.gamma == 256); /* B */
  pm_layer rows = one_layer("linear", sequence, 2, a, 1, 256);
  ck_assert(rows.parameters == 3030);
  ck_assert(rows.mac == 7 * row.mac);
  ck_assert_str_eq(rows.output, "7x30");
}
END_TEST

START_TEST(pooling_rounds_as_asked)
{
  const int64_t shape[] = {8, 7, 7};
  pm_attribute floor_mode[] = {{"kernel", "2"}}, ceil_mode[] = {{"kernel", "2"}, {"ceil", "yes"}};
  ck_assert_str_eq(one_layer("max_pool", shape, 3, floor_mode, 1, 1).output, "8x3x3");
  ck_assert_str_eq(one_layer("max_pool", shape, 3, ceil_mode, 2, 1).output, "8x4x4");
  ck_assert_str_eq(one_layer("global_avg_pool", shape, 3, NULL, 0, 1).output, "8x1x1");
  ck_assert(isnan(one_layer("max_pool", shape, 3, floor_mode, 1, 1).gamma)); /* no parameters: no ratio */
}
END_TEST

START_TEST(joins_need_shapes_that_fit)
{
  const int64_t a[] = {8, 4, 4}, b[] = {5, 4, 4};
  pm_error error = PM_ERROR_NONE;
  pm_network_totals totals;
  pm_network *network = pm_network_new("joins", NULL, NULL);
  int inputs[] = {pm_network_add_input(network, "a", a, 3, NULL), pm_network_add_input(network, "b", b, 3, NULL)};
  ck_assert_int_eq(pm_network_add(network, "add", "sum", inputs, 2, NULL, 0, &error), -1);
  ck_assert_int_eq(error.status, PM_STATUS_BAD_SHAPE);
  ck_assert_msg(strstr(error.text, "8x4x4") && strstr(error.text, "5x4x4"), "%s", error.text);
  ck_assert_int_ge(pm_network_add(network, "concat", "both", inputs, 2, NULL, 0, NULL), 0);
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  ck_assert_str_eq(totals.output, "13x4x4");
  pm_network_free(network);
}
END_TEST

static const struct {
  const char *kind;
  pm_attribute attribute[2];
  size_t count;
  const char *words;
} refused[] = {
  {"conv2d", {{"kernel", "3"}, {NULL, NULL}}, 1, "needs out_channels"},
  {"conv2d", {{"out_channels", "0"}, {"kernel", "3"}}, 2, "out_channels \"0\" is not within"},
  {"conv2d", {{"out_channels", "8"}, {"kernel", "-3"}}, 2, "kernel \"-3\" is not within"},
  {"conv2d", {{"out_channels", "8.5"}, {"kernel", "3"}}, 2, "not a whole number"},
  {"conv2d", {{"out_channels", "many"}, {"kernel", "3"}}, 2, "not a number"},
  {"conv2d", {{"out_channels", "8"}, {"kernel", "99"}}, 2, "does not fit its input 3x8x8"},
  {"conv2d", {{"out_channels", "8"}, {"colour", "red"}}, 2, "no attribute \"colour\""},
  {"conv4d", {{NULL, NULL}, {NULL, NULL}}, 0, "unknown layer kind \"conv4d\""},
  {"dropout", {{"rate", "1.5"}, {NULL, NULL}}, 1, "rate \"1.5\" is not within"},
};

START_TEST(what_is_wrong_is_said_and_changes_nothing)
{
  const int64_t shape[] = {3, 8, 8};
  pm_network *network = pm_network_new("bad", NULL, NULL);
  int input = pm_network_add_input(network, "in", shape, 3, NULL);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(try_layer(network, refused[i].kind, input, refused[i].attribute, refused[i].count, &error), -1);
    ck_assert_msg(strstr(error.text, refused[i].words) != NULL, "\"%s\" lacks \"%s\"", error.text, refused[i].words);
    ck_assert_int_eq(pm_network_count_layers(network), 0);
  }
  ck_assert_int_eq(try_layer(network, "relu", 7, NULL, 0, NULL), -1); /* no such input */
  ck_assert_int_eq(try_layer(NULL, "relu", 0, NULL, 0, NULL), -1);
  pm_network_free(network);
}
END_TEST

START_TEST(counts_are_additive_and_linear_in_the_batch)
{
  pm_network *network = fixture_network();
  pm_network_totals totals;
  pm_layer one[9], many[9];
  double parameters = 0, mac = 0, flop = 0, bnl = 0;
  ck_assert_int_eq(pm_network_count_layers(network), 9);
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  ck_assert_int_eq(pm__network_get_layers(network, 1, PM_PRECISION_FP32, one, NULL), PM_OK);
  ck_assert_int_eq(pm__network_get_layers(network, 37, PM_PRECISION_FP16, many, NULL), PM_OK);
  for (int i = 0; i < 9; i++) {
    parameters += one[i].parameters;
    mac += one[i].mac;
    flop += one[i].flop;
    bnl += one[i].mac_bnl;
    ck_assert(many[i].parameters == one[i].parameters);
    ck_assert(many[i].mac == 37 * one[i].mac);
    ck_assert(many[i].bytes_in == 37 * one[i].bytes_in / 2);
  }
  ck_assert(totals.parameters == parameters && totals.mac == mac && totals.flop == flop && totals.mac_bnl == bnl);
  ck_assert(totals.parameters == (3 * 9 * 16 + 16) + 32 + (16 * 9 * 16 + 16) + (16 * 16 * 16 * 10 + 10));
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("network");
  TCase *tests = tcase_create("network");
  tcase_add_test(tests, convolutions_follow_their_formulas);
  tcase_add_test(tests, linear_layers_work_on_the_last_dimension);
  tcase_add_test(tests, pooling_rounds_as_asked);
  tcase_add_test(tests, joins_need_shapes_that_fit);
  tcase_add_test(tests, what_is_wrong_is_said_and_changes_nothing);
  tcase_add_test(tests, counts_are_additive_and_linear_in_the_batch);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
