/* Sensitivities: signs, sums and orders that hold whatever the constants are; copies of systems are true copies. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "hardware/system.h"
#include "search/vary.h"
#include "shipped.h"

static const char *const machines[] = {"dgx1-v100", "dgx1-p100", "dgx2", "c4140-v100-pcie", "ac922"};

static pm_run run_of(int gpus, int nodes, double batch, int precision)
{
  pm_run run = pm_run_make();
  run.gpus = gpus;
  run.nodes = nodes;
  run.batch = batch;
  run.precision = precision;
  run.overlap = PM_OVERLAP_NONE; /* also without a framework, which would hide all that it can */
  return run;
}

static int rows_of(const pm_network *network, const pm_system *system, pm_run run,
                   const pm_framework_profile *framework,
                   pm_sensitivity *rows)
{
  pm_error error = PM_ERROR_NONE;
  const pm_sensitivity_setup setup = {.network = network, .system = system, .run = &run,
                                      .run_size = sizeof run, .framework = framework};
  int count = pm_sensitivity_evaluate(&setup, 0.1, rows, &error);
  ck_assert_msg(count > 0, "%s", error.text);
  return count;
}

static double elasticity_of(const pm_sensitivity *rows, int count, int resource)
{
  for (int i = 0; i < count; i++)
    if (rows[i].resource == resource) return rows[i].elasticity;
  return NAN;
}

/* More of a rate is never slower, more latency never faster; rates together owe at most all of the time. */
START_TEST(signs_and_sums)
{
  pm_framework_profile framework;
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_network *network = build_network("resnet50");
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pytorch", &framework, NULL), PM_OK);
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m]);
    for (int i = 0; i < 8; i++) {
      pm_run run = run_of(i % 2 ? 2 : 4, 1 + i / 4, i % 3 ? 64 : 4, i % 4 < 2 ? PM_PRECISION_FP32 : PM_PRECISION_FP16);
      int count = rows_of(network, system, run, i % 2 ? &framework : NULL, rows);
      double sum = 0;
      for (int r = 0; r < count; r++) {
        if (rows[r].rate) ck_assert_double_le(rows[r].elasticity, 1e-9);
        if (rows[r].rate) sum += rows[r].elasticity;
        if (rows[r].resource == PM_RESOURCE_LATENCY) ck_assert_double_ge(rows[r].elasticity, -1e-9);
      }
      ck_assert_double_ge(sum, -1.1); /* steps of 10 % are not infinitely small, and tiles are whole */
      ck_assert_double_lt(sum, -0.5);
    }
    pm_system_free(system);
  }
  pm_network_free(network);
}
END_TEST

/* A step on one GPU without a framework owes all of its time to clock, memory and the start of kernels. */
START_TEST(one_gpu_owes_all)
{
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  static const char *const networks[] = {"resnet50", "vgg16", "alexnet"};
  for (int n = 0; n < 3; n++)
    for (int precision = PM_PRECISION_FP32; precision <= PM_PRECISION_FP16; precision +=
        PM_PRECISION_FP16 - PM_PRECISION_FP32) {
      pm_network *network = build_network(networks[n]);
      pm_system *system = build_system("dgx1-v100");
      int count = rows_of(network, system, run_of(1, 1, 64, precision), NULL, rows);
      double sum = elasticity_of(rows, count, PM_RESOURCE_CLOCK) + elasticity_of(rows, count, PM_RESOURCE_HOST) +
                   elasticity_of(rows, count, PM_RESOURCE_MEMORY_BANDWIDTH);
      ck_assert_double_eq_tol(sum, -1, 0.05); /* splits and transforms of a few microseconds owe nothing to a rate */
      ck_assert_double_eq(elasticity_of(rows, count, PM_RESOURCE_NVLINK), 0);
      ck_assert(isnan(elasticity_of(rows, count, PM_RESOURCE_NETWORK)));
      pm_system_free(system);
      pm_network_free(network);
    }
}
END_TEST

/* The same of every GPU, in every precision that it has: no rate of arithmetic is left behind when the clock is raised.
** Steps are small, so that none goes from what the clock allows to what the power does. */
START_TEST(every_gpu_owes_all)
{
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_network *network = build_network("resnet50");
  for (size_t g = 0; pm_catalog_get_id(catalog, "gpus", g) != NULL; g++) {
    pm_gpu gpu;
    char name[2 * PM_TEXT_MAX];
    record("gpu", pm_catalog_get_id(catalog, "gpus", g), &gpu);
    snprintf(name, sizeof name, "gpu:%s", gpu.id);
    pm_system *system = build_system(name);
    for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
      pm_run run = run_of(1, 1, 128, precision); /* starts of tensor cores take 5 % of a step with 64 */
      /* what training multiplies in at most */
      if (!(pm_gpu_get_matrix_peak(&gpu, precision) > 0) || precision >= PM_PRECISION_FP8) continue;
      run.ignore_memory = 1;
      const pm_sensitivity_setup setup = {.network = network, .system = system, .run = &run,
    .run_size = sizeof run};
      int count = pm_sensitivity_evaluate(&setup, 0.001, rows, NULL);
      double sum = 0;
      for (int r = 0; r < count; r++)
        if (rows[r].rate) sum += rows[r].elasticity;
      bool bound = elasticity_of(rows, count, PM_RESOURCE_POWER) < 0; /* owes to power what it does not to clocks */
      ck_assert_msg(sum >= -1.05 && (sum <= -0.95 || (bound && sum < 0)),
                    "%s, precision %d: the elasticities add up to %g", name, precision, sum);
    }
    pm_system_free(system);
  }
  pm_network_free(network);
}
END_TEST

/* What limits is what counts: large convolutions the clock, depthwise ones the memory, a slow network the network, a
** tiny batch in a framework the host. */
START_TEST(orders)
{
  pm_framework_profile framework;
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_network *vgg = build_network("vgg16"), *resnet = build_network("resnet50");
  pm_system *dgx = build_system("dgx1-v100"), *slow = build_system("p3dn");
  int count = rows_of(vgg, dgx, run_of(1, 1, 64, PM_PRECISION_FP32), NULL, rows);
  double clock = elasticity_of(rows, count, PM_RESOURCE_CLOCK);
  pm_network *mobile = build_network("mobilenet-v2");
  count = rows_of(mobile, dgx, run_of(1, 1, 64, PM_PRECISION_FP32), NULL, rows);
  ck_assert_double_lt(clock, elasticity_of(rows, count, PM_RESOURCE_CLOCK));
  ck_assert_double_lt(elasticity_of(rows, count, PM_RESOURCE_MEMORY_BANDWIDTH),
                      elasticity_of(rows, count, PM_RESOURCE_CLOCK));
  pm_network_free(mobile);
  pm_run run = run_of(8, 4, 8, PM_PRECISION_FP16);
  run.overlap = PM_OVERLAP_NONE;
  count = rows_of(vgg, slow, run, NULL, rows);
  ck_assert_double_lt(elasticity_of(rows, count, PM_RESOURCE_NETWORK), elasticity_of(rows, count, PM_RESOURCE_CLOCK));
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pytorch", &framework, NULL), PM_OK);
  count = rows_of(resnet, dgx, run_of(1, 1, 1, PM_PRECISION_FP16), &framework, rows);
  ck_assert_double_lt(elasticity_of(rows, count, PM_RESOURCE_HOST), elasticity_of(rows, count, PM_RESOURCE_CLOCK));
  pm_network_free(vgg);
  pm_network_free(resnet);
  pm_system_free(dgx);
  pm_system_free(slow);
}
END_TEST

static double step_of(const pm_network *network, const pm_system *system, pm_run run)
{
  pm_prediction p;
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, NULL);
  pm_predict(plan, &run, &p, 1);
  pm_plan_free(plan);
  return p.step_time;
}

/* A copy with a factor of 1, or with its own GPU or link, is the system to the last bit. */
START_TEST(copies_are_true)
{
  pm_network *network = build_network("resnet50");
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_error error = PM_ERROR_NONE;
    pm_system *system = build_system(machines[m]);
    pm_run run = run_of(pm_system_get_machine(system)->gpus, 1, 32, PM_PRECISION_FP16);
    double step = step_of(network, system, run);
    for (int resource = 0; resource < PM_RESOURCE_COUNT; resource++) {
      pm_system *copy = pm__system_new_scaled(system, resource, 1, &error);
      ck_assert_msg(copy != NULL, "%s", error.text);
      ck_assert_double_eq(step_of(network, copy, run), step);
      pm_system_free(copy);
    }
    const pm_system_change same = {.gpu = pm_system_get_gpu(system), .kernels = pm_system_get_kernels(system)};
    pm_system *copy = pm_system_new_with(system, &same, &error);
    ck_assert_double_eq(step_of(network, copy, run), step);
    pm_system_free(copy);
    pm_system_free(system);
  }
  pm_network_free(network);
}
END_TEST

/* What programs can have of the memory is the copy's too; of another GPU the same share of its own. */
START_TEST(usable_memory_is_copied)
{
  pm_system *system = build_system("dgx1-v100");
  ck_assert_int_eq(pm__system_set_usable_memory(system, 12e9, NULL), PM_OK);
  pm_system *copy = pm__system_new_scaled(system, PM_RESOURCE_CLOCK, 1.5, NULL);
  ck_assert_double_eq(pm__system_get_usable_memory(copy), 12e9);
  pm_system_free(copy);
  pm_gpu gpu = *pm_system_get_gpu(system);
  gpu.memory *= 2;
  copy = pm_system_new_with(system, &(pm_system_change){.gpu = &gpu}, NULL);
  ck_assert_double_eq(pm__system_get_usable_memory(copy), 24e9);
  pm_system_free(copy);
  pm_system_free(system);
}
END_TEST

/* A server that updates the weights is a part of the host, so a faster host does it faster. */
START_TEST(the_server_is_the_hosts)
{
  pm_framework_profile framework;
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_network *network = build_network("vgg16");
  pm_system *system = build_system("dgx1-v100");
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "keras", &framework, NULL), PM_OK);
  framework.framework.server_memory = 1e9;
  framework.framework.kernel_time = framework.framework.step_time = 0;
  pm_run run = run_of(4, 1, 4, PM_PRECISION_FP32);
  run.ignore_memory = 1;
  int count = rows_of(network, system, run, &framework, rows);
  ck_assert_double_lt(elasticity_of(rows, count, PM_RESOURCE_HOST), -0.5);
  pm_network_free(network);
  pm_system_free(system);
}
END_TEST

static double small_message(const pm_system *system, int nodes)
{
  pm_error error = PM_ERROR_NONE;
  pm_call call = pm_call_make();
  pm_collective_time time;
  pm_group_choice choice = pm_group_choice_make();
  choice.nodes = nodes;
  call.bytes = 0;
  pm_group *group = pm_group_new(system, NULL, pm_system_get_machine(system)->gpus, &choice, &error);
  ck_assert_msg(group != NULL, "%s", error.text);
  pm_group_evaluate(group, &call, &time, 1);
  pm_group_free(group);
  return time.time;
}

/* Latency is all of a small message's time: of links, of the library's protocols, of its tuning and of what is
** fitted. */
START_TEST(latency_is_all_of_a_small_message)
{
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
    for (int nodes = 1; nodes <= 2; nodes++) {
      pm_system *system = build_system(machines[m]),
          *slow = pm__system_new_scaled(system, PM_RESOURCE_LATENCY, 2, NULL);
      ck_assert(slow != NULL);
      ck_assert_double_eq_tol(small_message(slow, nodes) / small_message(system, nodes), 2, 1e-9);
      pm_system_free(slow);
      pm_system_free(system);
    }
}
END_TEST

/* Faster parts gain; the list is ordered; a price makes a gain per price; what cannot run says so. */
START_TEST(upgrades)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network("resnet50");
  pm_system *p100 = build_system("dgx1-p100"), *v100 = build_system("dgx1-v100"), *dgx2 = build_system("dgx2");
  pm_gpu volta = gpu("v100-sxm2-16gb");
  pm_kernel_calibration kernels;
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &volta, &kernels, NULL), PM_OK);
  pm_system *swapped = pm_system_new_with(p100, &(pm_system_change){.gpu = &volta, .kernels = &kernels}, &error);
  ck_assert_msg(swapped != NULL, "%s", error.text);
  pm_run run = run_of(8, 1, 64, PM_PRECISION_FP32);
  const pm_sensitivity_setup setup = {.network = network, .system = p100, .run = &run,
    .run_size = sizeof run};
  const pm_upgrade_choice choices[] = {{.name = "same", .system = p100, .price = NAN},
                                       {.name = "v100", .system = v100, .price = 1000},
                                       {.name = "swapped", .system = swapped, .price = 100},
                                       {.name = "dgx2", .system = dgx2, .price = 5000},
                                       {.name = "too many", .system = v100, .gpus = 64, .price = NAN}};
  pm_upgrade rows[5];
  ck_assert_int_eq(pm_upgrade_evaluate(&setup, choices, 5, rows, &error), PM_OK);
  ck_assert_str_eq(rows[0].name, "dgx2"); /* twice the GPUs */
  for (int i = 1; i < 4; i++) ck_assert_double_ge(rows[i - 1].gain, rows[i].gain);
  ck_assert_str_eq(rows[3].name, "same");
  ck_assert_double_eq(rows[3].gain, 0);
  ck_assert_str_eq(rows[4].name, "too many");
  ck_assert_int_eq(rows[4].status, PM_STATUS_TOO_MANY_GPUS);
  ck_assert_double_eq_tol(rows[0].gain_per_price, (rows[0].throughput - rows[3].throughput) / 5000, 1e-9);
  ck_assert(isnan(rows[3].gain_per_price));
  pm_system_free(swapped);
  pm_system_free(p100);
  pm_system_free(v100);
  pm_system_free(dgx2);
  pm_network_free(network);
}
END_TEST

START_TEST(errors)
{
  pm_error error = PM_ERROR_NONE;
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_network *network = build_network("resnet50");
  pm_system *system = build_system("dgx1-v100");
  pm_run run = run_of(9, 1, 64, PM_PRECISION_FP32);
  pm_sensitivity_setup setup = {.network = network, .system = system, .run = &run,
    .run_size = sizeof run};
  ck_assert_int_eq(pm_sensitivity_evaluate(&setup, 0.1, rows, &error), -1);
  ck_assert_int_eq(error.status, PM_STATUS_TOO_MANY_GPUS);
  run.gpus = 8;
  ck_assert_int_eq(pm_sensitivity_evaluate(&setup, -1, rows, NULL), -1);
  ck_assert_int_eq(pm_sensitivity_evaluate(&setup, NAN, rows, NULL), -1);
  ck_assert_int_eq(pm_sensitivity_evaluate(NULL, 0.1, rows, NULL), -1);
  ck_assert_ptr_null(pm__system_new_scaled(system, PM_RESOURCE_CLOCK, 0, NULL));
  ck_assert_ptr_null(pm__system_new_scaled(system, 99, 1, NULL));
  ck_assert_ptr_null(pm_system_new_with(system, &(pm_system_change){.replaced = "nvlink2"}, NULL));
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

/* A call of inference owes nothing to links, and its rates owe all of its time together; the faster GPU gains. */
START_TEST(calls)
{
  static const char *const profiles[] = {"tensorrt", "pytorch", "tf1-xla"};
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_network *network = build_network("resnet50");
  pm_system *t4 = build_system("t4"), *a100 = build_system("a100-sxm4-40gb");
  for (int i = 0; i < 12; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_inference_profile profile;
    pm_inference_run call = pm_inference_run_make();
    ck_assert_int_eq(pm_catalog_get_inference(catalog, profiles[i % 3], &profile, NULL), PM_OK);
    call.batch = i < 6 ? 1 : 64;
    call.precision = i % 2 ? PM_PRECISION_FP32 : PM_PRECISION_FP16;
    const pm_sensitivity_setup setup = {.network = network, .system = t4, .task = PM_TASK_INFERENCE,
                                        .run = &call, .run_size = sizeof call, .profile = &profile};
    int count = pm_sensitivity_evaluate(&setup, 0.1, rows, &error);
    ck_assert_msg(count > 0, "%s", error.text);
    double sum = 0;
    for (int r = 0; r < count; r++) {
      ck_assert(rows[r].resource < PM_RESOURCE_NVLINK || rows[r].resource == PM_RESOURCE_HOST ||
                rows[r].resource == PM_RESOURCE_HOST_POWER);
      if (rows[r].rate) ck_assert_double_le(rows[r].elasticity, 1e-9);
      if (rows[r].rate) sum += rows[r].elasticity;
    }
    ck_assert_double_ge(sum, -1.1);
    ck_assert_double_lt(sum, 0); /* what power bounds owes the rest to that */
    if (i == 0) ck_assert_double_lt(elasticity_of(rows, count, PM_RESOURCE_HOST), 0);
    pm_upgrade upgrade;
    const pm_upgrade_choice choice = {.name = "a100", .system = a100, .price = 1000};
    ck_assert_int_eq(pm_upgrade_evaluate(&setup, &choice, 1, &upgrade, NULL), PM_OK);
    ck_assert(upgrade.gain >= 0 && isfinite(upgrade.gain_per_price));
  }
  pm_system_free(t4);
  pm_system_free(a100);
  pm_network_free(network);
}
END_TEST

static pm_sensitivity row_of(const pm_sensitivity *rows, int count, int resource)
{
  for (int i = 0; i < count; i++)
    if (rows[i].resource == resource) return rows[i];
  ck_abort_msg("no row of resource %d", resource);
  return rows[0];
}

/* Requests to Llama 3 70B on two GPUs of a server, with as little room for keys and values as there is. */
static int served(const pm_serving_run *run, pm_sensitivity *rows)
{
  pm_error error = PM_ERROR_NONE;
  pm_engine_profile engine;
  pm_network *network = build_network("llama3-70b");
  pm_system *system = build_system("hgx-h100");
  ck_assert_int_eq(pm_catalog_get_engine_on(catalog, "vllm", "hopper", &engine, NULL), PM_OK);
  const pm_sensitivity_setup setup = {.network = network, .system = system, .task = PM_TASK_SERVING, .run = run,
                                      .run_size = sizeof *run, .engine = &engine};
  int count = pm_sensitivity_evaluate(&setup, 0.1, rows, &error);
  ck_assert_msg(count > 0, "%s", error.text);
  pm_network_free(network);
  pm_system_free(system);
  return count;
}

/* Tokens come no later with any faster number; memory is the cache, which only those need who have too little. */
START_TEST(served_models)
{
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_serving_run run = pm_serving_run_make();
  run.gpus = run.tensor_parallel = 4;
  run.concurrency = 16;
  for (run.isl = 512; run.isl <= 8192; run.isl *= 4) {
    int count = served(&run, rows);
    for (int r = 0; r < count; r++) {
      if (!rows[r].rate) continue;
      ck_assert_double_le(rows[r].change, 1e-9);
      ck_assert_double_le(rows[r].ttft_change, 1e-9);
      ck_assert_double_ge(rows[r].throughput_change, -1e-9);
    }
    ck_assert_double_lt(row_of(rows, count, PM_RESOURCE_MEMORY_BANDWIDTH).change, -0.02);
    ck_assert_double_lt(row_of(rows, count, PM_RESOURCE_HOST).change, 0);
    ck_assert_double_eq(row_of(rows, count, PM_RESOURCE_MEMORY).throughput_change, 0);
  }
  run.gpus = run.tensor_parallel = 2;
  run.isl = 8192;
  run.concurrency = 64;
  int count = served(&run, rows);
  ck_assert_double_gt(row_of(rows, count, PM_RESOURCE_MEMORY).throughput_change, 0.1);
  ck_assert_int_eq(row_of(rows, count, PM_RESOURCE_CLOCK).bottleneck, PM_BOTTLENECK_MEMORY_CAPACITY);
}
END_TEST

/* Where requests come at a rate, what changes is the most that can come. */
START_TEST(served_at_a_rate)
{
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_serving_run run = pm_serving_run_make();
  run.gpus = run.tensor_parallel = 4;
  run.arrivals = PM_ARRIVALS_OPEN;
  run.rate = 2;
  int count = served(&run, rows);
  pm_sensitivity power = row_of(rows, count, PM_RESOURCE_POWER);
  ck_assert_double_gt(power.throughput_change, 0.01);
  ck_assert_double_gt(power.throughput, run.rate);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("sensitivity");
  TCase *tests = tcase_create("sensitivity");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, signs_and_sums);
  tcase_add_test(tests, one_gpu_owes_all);
  tcase_add_test(tests, every_gpu_owes_all);
  tcase_add_test(tests, usable_memory_is_copied);
  tcase_add_test(tests, the_server_is_the_hosts);
  tcase_add_test(tests, orders);
  tcase_add_test(tests, copies_are_true);
  tcase_add_test(tests, latency_is_all_of_a_small_message);
  tcase_add_test(tests, upgrades);
  tcase_add_test(tests, calls);
  tcase_add_test(tests, served_models);
  tcase_add_test(tests, served_at_a_rate);
  tcase_add_test(tests, errors);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
