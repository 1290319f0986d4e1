/*
** Memory of training in FP8 and FP4: weights and their copies, inputs that linear layers keep.
*/
#include <math.h>
#include <stdio.h>
#include "fixtures.h"
#include "shipped.h"

static pm_network *network;
static pm_system *hosts[3];
static pm_plan *plan;

static void set_up(void)
{
  static const char *const names[] = {"dgx-h100", "dgx-h200", "gb200-nvl72"};
  pm_framework_profile profile;
  pm_error error = PM_ERROR_NONE;
  open_catalog();
  network = build_network("llama3-405b");
  for (int i = 0; i < 3; i++) hosts[i] = build_system(names[i]);
  const pm_network *networks[] = {network};
  plan = pm_plan_new(networks, 1, (const pm_system *const *)hosts, 3, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "megatron-core-0.12", &profile, &error), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, &error), 0);
}

static void tear_down(void)
{
  pm_plan_free(plan);
  for (int i = 0; i < 3; i++) pm_system_free(hosts[i]);
  pm_network_free(network);
  close_catalog();
}

/* The plan of NVIDIA's submissions of Llama 3.1 405B to MLPerf Training 5.0. */
static pm_run mlperf(int system, int nodes, int tensor, int batch)
{
  pm_run run = pm_run_make();
  run.framework_index = 0;
  run.system_index = system;
  run.gpus = 8;
  run.nodes = nodes;
  run.batch = batch;
  run.micro_batch = 1;
  run.precision = PM_PRECISION_FP8;
  run.optimizer = PM_OPTIMIZER_ADAM;
  run.zero = 1;
  run.tensor_parallel = tensor;
  run.sequence_parallel = 1;
  run.context_parallel = 2;
  run.pipeline_parallel = run.virtual_pipeline = 8;
  run.stage_layers = PM_STAGE_LAYERS_BALANCED;
  run.gradient_bytes = 2;
  run.primary_weights = 1;
  run.ignore_memory = 1;
  return run;
}

static pm_memory_use memory(const pm_run *run)
{
  pm_memory_use use;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_prediction_get_memory(plan, run, &use, &error) == PM_OK, "%s", error.text);
  return use;
}

/* torch.cuda.max_memory_allocated of the logs, GiB: without what the driver keeps. */
START_TEST(published_plans)
{
  static const struct {
    int system, nodes, tensor, batch;
    double logged;
  } rows[] = {{0, 1024, 8, 24, 54.6545}, {0, 256, 8, 72, 56.3543}, {0, 304, 8, 64, 55.9967}, {0, 320, 8, 56, 55.9011},
              {0, 64, 8, 288, 63.1543},  {1, 128, 4, 72, 112.5775}, {1, 64, 4, 144, 117.1098}};
  double sum = 0;
  for (int i = 0; i < 7; i++) {
    const pm_run run = mlperf(rows[i].system, rows[i].nodes, rows[i].tensor, rows[i].batch);
    pm_memory_use use = memory(&run);
    double off = (use.total - use.context) / (1024.0 * 1024 * 1024) / rows[i].logged - 1;
    sum += fabs(off);
    printf("  %d nodes, tensor %d: %+.1f %%\n", rows[i].nodes, rows[i].tensor, 100 * off);
    ck_assert_msg(fabs(off) < 0.03, "row %d: %+.1f %%", i, 100 * off);
  }
  ck_assert_msg(sum / 7 < 0.02, "mean %.1f %%", 100 * sum / 7);
}
END_TEST

/* Fewer bits keep less, copies of weights beside 16 bits take more, and in their place less. */
START_TEST(bits)
{
  pm_run run = mlperf(2, 8, 8, 8);
  run.gpus = 64;
  pm_memory_use fp8 = memory(&run), fp4, bf16, copies;
  run.precision = PM_PRECISION_FP4;
  fp4 = memory(&run);
  run.precision = PM_PRECISION_FP8;
  run.primary_weights = 0;
  copies = memory(&run);
  run.precision = PM_PRECISION_BF16;
  bf16 = memory(&run);
  ck_assert(fp4.activations < fp8.activations && fp8.activations < bf16.activations);
  ck_assert(fp4.weights < fp8.weights && fp8.weights <= bf16.weights && bf16.weights < copies.weights);
  ck_assert_double_eq(fp8.optimizer, bf16.optimizer);
  ck_assert_double_eq(fp8.gradients, bf16.gradients);
  ck_assert_double_eq_tol(copies.weights / bf16.weights, 2, 0.05); /* two copies of a byte, but for the embedding */
  run.primary_weights = 1;
  ck_assert_double_eq(memory(&run).total, bf16.total);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("narrow");
  TCase *tests = tcase_create("memory");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, published_plans);
  tcase_add_test(tests, bits);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
