/*
** Units: what a network is lowered to. They add up to the layers, equal layers are one unit, segments of the backward
** pass are sums of them, and blocks end where a single tensor goes on.
*/
#include <math.h>
#include <stdlib.h>
#include "fixtures.h"
#include "network/blocks.h"
#include "plan/units.h"
#include "shipped.h"

static const char *const all_networks[] = {"alexnet", "resnet50", "densenet121", "bert-base", "llama2-7b",
                                           "mixtral-8x7b",
                                           "gnmt"};
enum { NETWORKS = sizeof all_networks / sizeof all_networks[0] };

static pm__units *units_of(const pm_network *network, int mode)
{
  pm_error error = PM_ERROR_NONE;
  pm__units *units = pm__units_new(network, mode, &error);
  ck_assert_msg(units != NULL, "%s", error.text);
  return units;
}

/* How often each unit stands in the network. */
static double *times_of(const pm__units *units)
{
  double *times = (double *)calloc((size_t)units->count + 1, sizeof *times);
  for (int i = 0; i < units->length; i++)
    if (units->order[i] >= 0) times[units->order[i]] += 1;
  return times;
}

START_TEST(units_sum_to_the_network)
{
  pm_network *network = build_network(all_networks[_i]);
  for (int mode = 0; mode < PM__INFERENCE_MODE; mode++) {
    pm__units *units = units_of(network, mode);
    double *times = times_of(units), launches = 0, repeats = 0, all = 0;
    for (int u = 0; u < units->count; u++) {
      const pm__unit *unit = &units->unit[u];
      for (int pass = 0; pass < PM__PASSES; pass++) launches += times[u] * unit->pass[pass].launches;
      for (int i = unit->first; i < unit->first + unit->count; i++) repeats += times[u] * units->entry[i].repeats;
    }
    for (int pass = 0; pass < PM__PASSES; pass++) launches -= units->pass[pass].launches;
    for (int i = 0; i < units->kernels.first[PM__GROUPS]; i++) all += units->kernels.repeats[i];
    ck_assert_double_le(fabs(launches), 1e-9);
    ck_assert_double_eq_tol(repeats, all, 1e-9 * all);
    free(times);
    pm__units_free(units);
  }
  pm_network_free(network);
}
END_TEST

/* Parameters of time and exchange are those of the layers: each layer with kernels is a unit that has them. */
START_TEST(units_have_the_parameters)
{
  pm_network *network = build_network(all_networks[_i]);
  pm__units *units = units_of(network, PM__TRAINING_MODE + PM__UNFUSED);
  for (size_t i = 0; i < network->count; i++)
    if (units->order[i] >= 0)
      ck_assert(units->unit[units->order[i]].parameters == network->layers[i].parameters);
  pm__units_free(units);
  pm_network_free(network);
}
END_TEST

/* 32 blocks of nine layers or so do the same. */
START_TEST(equal_layers_are_one_unit)
{
  static const struct {
    const char *id;
    int blocks, most;
  } rows[] = {{"llama2-7b", 32, 16}, {"llama2-70b", 80, 16}, {"bert-large", 24, 24},
              {"llama3-405b", 126, 16}, {"qwen3-235b-a22b", 94, 18}, {"deepseek-v3", 61, 36}, {"gpt-oss-120b", 18, 16}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    pm_network *network = build_network(rows[r].id);
    pm__units *units = units_of(network, PM__TRAINING_MODE + PM__UNFUSED);
    double *times = times_of(units);
    int whole = 0;
    for (int u = 0; u < units->count; u++) whole += fmod(times[u], rows[r].blocks) == 0;
    ck_assert_msg(units->count <= rows[r].most, "%s: %d units", rows[r].id, units->count);
    ck_assert_int_ge(whole, 4);
    free(times);
    pm__units_free(units);
    pm_network_free(network);
  }
}
END_TEST

START_TEST(segments_are_the_backward_pass)
{
  static const double buckets[] = {1, 1e5, 6.25e6, 1e9, INFINITY};
  pm_network *network = build_network(all_networks[_i]);
  pm__units *units = units_of(network, PM__TRAINING_MODE + PM__UNFUSED);
  for (size_t b = 0; b < sizeof buckets / sizeof buckets[0]; b++) {
    pm__segments *cut = pm__segments_new(network, units, buckets[b], NULL);
    double launches = 0, parameters = 0, all = 0;
    ck_assert_ptr_nonnull(cut);
    for (int i = 0; i < cut->count; i++) launches += cut->fixed[i].launches, parameters += cut->parameters[i];
    for (size_t i = 0; i < network->count; i++) all += network->layers[i].parameters;
    for (int pass = PM__FORWARD + 1; pass < PM__PASSES; pass++) launches -= units->pass[pass].launches;
    ck_assert_double_le(fabs(launches), 1e-9);
    ck_assert(parameters == all);
    pm__segments_free(cut);
  }
  pm__units_free(units);
  pm_network_free(network);
}
END_TEST

/* A plain stack ends a block behind every layer; a residual network behind its sums. */
START_TEST(blocks_end_where_a_single_tensor_goes_on)
{
  pm_network *stack = build_network("vgg16"), *residual = build_network("resnet50");
  bool *ends = (bool *)calloc(stack->count + residual->count, sizeof *ends);
  int layers = pm_network_count_layers(stack), blocks = pm__network_blocks(stack, ends, NULL);
  ck_assert_int_ge(blocks, layers - 4); /* views pass on what they look at */
  blocks = pm__network_blocks(residual, ends, NULL);
  ck_assert_int_lt(blocks, pm_network_count_layers(residual) / 2);
  for (size_t i = 0; i < residual->count; i++)
    if (ends[i] && residual->layers[i].kind != NULL) blocks--;
  ck_assert_int_eq(blocks, 0);
  ck_assert_double_lt(pm__network_largest_block(residual, NULL), 25557032);
  ck_assert_double_ge(pm__network_largest_block(residual, NULL), 2048 * 1000);
  free(ends);
  pm_network_free(stack);
  pm_network_free(residual);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("units");
  TCase *tests = tcase_create("units");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_loop_test(tests, units_sum_to_the_network, 0, NETWORKS);
  tcase_add_loop_test(tests, units_have_the_parameters, 0, NETWORKS);
  tcase_add_test(tests, equal_layers_are_one_unit);
  tcase_add_loop_test(tests, segments_are_the_backward_pass, 0, NETWORKS);
  tcase_add_test(tests, blocks_end_where_a_single_tensor_goes_on);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
