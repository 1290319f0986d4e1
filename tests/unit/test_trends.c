/*
** Claims of the five source documents about order and trend (M...), as far as this version models what they speak of.
** Claims about storage, decoding, RNNs, BERT, frameworks, clocks and inference have to wait.
*/
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "measured.h"
#include "shipped.h"

static pm_prediction predict_run(const char *network_name, const char *system_name, int gpus, int nodes, double batch,
                                 int precision, int overlap)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network(network_name);
  pm_system *system = build_system(system_name);
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {system};
  pm_plan *plan = pm_plan_new(networks, 1, systems, 1, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  pm_run run = pm_run_make();
  run.gpus = gpus;
  run.nodes = nodes;
  run.batch = batch;
  run.precision = precision;
  run.overlap = overlap;
  run.kernel_model = PM_KERNEL_MODEL_ROOFLINE;
  pm_prediction out;
  ck_assert_msg(pm_run_check(plan, &run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_predict(plan, &run, &out, 1), PM_OK);
  pm_plan_free(plan);
  pm_system_free(system);
  pm_network_free(network);
  return out;
}

static pm_prediction predict(const char *network, const char *system, int gpus, int nodes, double batch)
{
  return predict_run(network, system, gpus, nodes, batch, PM_PRECISION_FP32, PM_OVERLAP_NONE);
}

static double benefit(const char *network, int gpus, double batch)
{
  return predict(network, "dgx1-p100", gpus, 1, batch).throughput /
         predict(network, "smc4028gr-p100", gpus, 1, batch).throughput;
}

/* M001-009, M001-011: what NVLink gains over PCIe grows with the GPUs, and more so in strong scaling. */
START_TEST(nvlink_gains_most_with_many_gpus)
{
  ck_assert_double_lt(benefit("resnet50", 1, 64), benefit("resnet50", 2, 64));
  ck_assert_double_lt(benefit("resnet50", 2, 64), benefit("resnet50", 4, 64));
  ck_assert_double_lt(benefit("resnet50", 4, 64), benefit("resnet50", 8, 64));
  ck_assert_double_lt(benefit("resnet50", 8, 64), benefit("resnet50", 8, 8));
}
END_TEST

/* M001-019, M001-020: P100 with NVLink, then P100 with PCIe, then M40. */
START_TEST(generations_and_links_rank)
{
  static const char *const networks[] = {"resnet50", "resnet152"};
  static const double batch[] = {64, 16};
  double nvlink = predict(networks[_i], "dgx1-p100", 8, 1, batch[_i]).throughput;
  double pcie = predict(networks[_i], "smc4028gr-p100", 8, 1, batch[_i]).throughput;
  ck_assert_double_gt(nvlink, pcie);
  ck_assert_double_gt(pcie, predict(networks[_i], "smc4028gr-m40", 8, 1, batch[_i]).throughput);
}
END_TEST

/* M002-004, M002-010, M002-011, M002-047: the order of the machines in all-reduce. */
START_TEST(rings_rank)
{
  double mesh = ring("dgx1-v100", 8, 1).bandwidth, switched = ring("dgx2", 8, 1).bandwidth;
  ck_assert_double_gt(mesh, switched);
  ck_assert_double_eq_tol(ring("p3dn", 8, 1).bandwidth / mesh, 1, 1e-12);
  ck_assert_double_lt(ring("ac922", 4, 2).bandwidth, ring("ac922", 4, 1).bandwidth);
  ck_assert_double_lt(ring("ac922", 4, 2).bandwidth, 30e9);
  ck_assert_double_lt(ring("ac922", 4, 4).bandwidth, 30e9);
  ck_assert_double_lt(ring("ts4", 8, 1).bandwidth, ring("ac922", 4, 1).bandwidth);
  ck_assert_double_lt(ring("ts4", 4, 1).bandwidth, ring("ac922", 4, 1).bandwidth);
  ck_assert_double_gt(ring("dgx2", 16, 1).bandwidth, ring("p3dn", 8, 2).bandwidth);
  ck_assert_double_gt(ring("dgx2", 16, 1).bandwidth, ring("ac922", 4, 4).bandwidth);
}
END_TEST

/* M002-013, M002-023, M002-024: the cloud's network takes far more from AlexNet than from ResNet-50. */
START_TEST(ethernet_throttles_alexnet)
{
  double alexnet = predict("alexnet", "p3dn", 8, 2, 256).scaling_efficiency;
  double resnet50 = predict("resnet50", "p3dn", 8, 2, 256).scaling_efficiency;
  ck_assert_double_lt(alexnet, 0.5 * resnet50);
  ck_assert_double_gt(predict("alexnet", "dgx2", 16, 1, 256).scaling_efficiency, resnet50);
}
END_TEST

/* M002-012, M002-048: the machines with V100 and NVLink are alike up to eight GPUs. */
START_TEST(v100_machines_are_alike)
{
  for (int gpus = 1; gpus <= 8; gpus *= 2) {
    double p3 = predict("resnet101", "p3dn", gpus, 1, 128).throughput;
    ck_assert_double_eq_tol(predict("resnet101", "dgx2", gpus, 1, 128).throughput / p3, 1, 0.02);
  }
}
END_TEST

/* M002-054: what is exchanged depends on the parameters, not on the batch. */
START_TEST(volume_is_that_of_the_parameters)
{
  pm_prediction small = predict("resnet50", "dgx2", 16, 1, 32), large = predict("resnet50", "dgx2", 16, 1, 256);
  ck_assert_double_eq(small.communication_time, large.communication_time);
  ck_assert_double_eq(small.gradient_size, gradients("resnet50"));
}
END_TEST

/* M003-012: what NVLink gains within a node is less across nodes, which share one port. */
START_TEST(gain_drops_across_nodes)
{
  double one = predict("resnet50", "c4140-v100-sxm2", 4, 1, 64).scaling_efficiency /
               predict("resnet50", "c4140-v100-pcie", 4, 1, 64).scaling_efficiency;
  double two = predict("resnet50", "c4140-v100-sxm2", 4, 2, 64).scaling_efficiency /
               predict("resnet50", "c4140-v100-pcie", 4, 2, 64).scaling_efficiency;
  ck_assert_double_gt(one, 1);
  ck_assert_double_lt(two, one);
}
END_TEST

/* ---- What was published is within the roofline ---- */

/* Without "name=...," where it stands among the settings. */
static void drop_setting(char *settings, const char *name)
{
  char *at = strstr(settings, name);
  if (at == NULL) return;
  const char *next = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : at + strlen(at);
  memmove(at, next, strlen(next) + 1);
  for (size_t n = strlen(settings); n > 0 && strchr(", ", settings[n - 1]) != NULL; n--) settings[n - 1] = '\0';
}

/* A formula "rate" or "rate(...)" as one of rooflines and hidden communication; false for any other. */
static bool at_best(const char *formula, char *out, size_t size)
{
  size_t length = strlen(formula);
  bool whole = strcmp(formula, "rate") == 0;
  if (!whole && (strncmp(formula, "rate(", 5) != 0 || strchr(formula, ')') != formula + length - 1)) return false;
  snprintf(out, size, "rate(%.*s%skernel_model=roofline, overlap=backward)", whole ? 0 : (int)length - 6, formula + 5,
           whole ? "" : ", ");
  return true;
}

/* The published rates of the documents, each beside the best that could be. */
static pm_table *best_rates(void)
{
  static char text[60000];
  char run[400], formula[400];
  pm_error error = PM_ERROR_NONE;
  measured_file *file = measured_read("statements.csv");
  strcpy(text, "id,document,value,unit,kind,run,formula\n");
  for (size_t i = 0; i < file->count; i++) {
    if (!at_best(measured_text(file, i, "formula"), formula, sizeof formula)) continue;
    snprintf(run, sizeof run, "%s", measured_text(file, i, "run"));
    drop_setting(run, "framework=");
    drop_setting(run, "workers=");
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s,%s,%s,%s,value,\"%s\",\"%s\"\n",
             measured_text(file, i, "id"), strstr(run, "vgg") != NULL &&
                 strstr(run, "fp16") == NULL ? "winograd" : "all",
             measured_text(file, i, "value"), measured_text(file, i, "unit"), run, formula);
  }
  measured_free(file);
  pm_validation what = {"statements", text, NULL, 1, NULL, NULL};
  pm_table *table = pm_validate(catalog, &what, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  return table;
}

/* Plain roofline and hidden communication: no published rate may beat it. VGG in FP32 may: its 3 x 3 convolutions with
** stride 1 can be done with up to 2.25 times fewer multiplications (Winograd), and 92 % of the peak says they were. */
START_TEST(roofline_bounds_what_was_published)
{
  enum { ID, GROUP, MEASURED, PREDICTED };
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX];
  pm_table *best = best_rates();
  for (size_t i = 0; i < pm_table_count_rows(best); i++) {
    bool winograd = strcmp(pm_table_get_text(best, GROUP, i, group), "winograd") == 0;
    double published = pm_table_get_numbers(best, MEASURED)[i], most = pm_table_get_numbers(best, PREDICTED)[i];
    ck_assert_msg(published <= most * (winograd ? 2.25 : 1), "%s: %g published, %g at most",
                  pm_table_get_text(best, ID, i, id), published, most);
  }
  ck_assert_uint_ge(pm_table_count_rows(best), 12);
  pm_table_free(best);
}
END_TEST

static Suite *suite(void)
{
  Suite *s = suite_create("trends");
  TCase *trends = tcase_create("order and trend");
  tcase_add_checked_fixture(trends, open_catalog, close_catalog);
  tcase_add_test(trends, nvlink_gains_most_with_many_gpus);
  tcase_add_loop_test(trends, generations_and_links_rank, 0, 2);
  tcase_add_test(trends, rings_rank);
  tcase_add_test(trends, ethernet_throttles_alexnet);
  tcase_add_test(trends, v100_machines_are_alike);
  tcase_add_test(trends, volume_is_that_of_the_parameters);
  tcase_add_test(trends, gain_drops_across_nodes);
  tcase_add_test(trends, roofline_bounds_what_was_published);
  suite_add_tcase(s, trends);
  return s;
}

int main(void)
{
  SRunner *runner = srunner_create(suite());
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
