/*
** What is kept on the host: memory on both sides, what it adds to a step, what is refused.
*/
#include <math.h>
#include <string.h>
#include "fixtures.h"
#include "hardware/system.h"
#include "kernel/kernel.h"
#include "shipped.h"

static pm_network *network;
static pm_system *host;
static pm_plan *plan;

static void set_up(void)
{
  pm_error error = PM_ERROR_NONE;
  open_catalog();
  network = pm_catalog_new_network(catalog, "gpt3-13b", NULL, 0, &error);
  host = pm_catalog_new_system(catalog, "dgx-a100-80gb", &error);
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {host};
  plan = network != NULL && host != NULL ? pm_plan_new(networks, 1, systems, 1, &error) : NULL;
  ck_assert_msg(plan != NULL, "%s", error.text);
}

static void tear_down(void)
{
  pm_plan_free(plan);
  pm_system_free(host);
  pm_network_free(network);
  close_catalog();
}

static pm_run base(int zero, int offload)
{
  pm_run run = pm_run_make();
  run.gpus = 8;
  run.nodes = 2;
  run.batch = 4;
  run.micro_batch = 1;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_OPTIMIZER_ADAM;
  run.ignore_memory = 1;
  run.zero = zero;
  run.offload = offload;
  return run;
}

static pm_prediction predict(const pm_plan *of, const pm_run *run)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_run_check(of, run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_predict(of, run, &p, 1), PM_OK);
  ck_assert_int_eq(p.status, PM_OK);
  return p;
}

static int least_zero(int offload)
{
  return offload == PM_OFFLOAD_PARAMETERS ? 3 : offload == PM_OFFLOAD_GRADIENTS ? 2 : 0;
}

/* ---- Laws ---- */

/* What goes to the host leaves the GPU, step by step, and the step is its parts. `_i` runs over stages of ZeRO, with a
** pipeline and without. */
START_TEST(the_host_relieves_the_gpu)
{
  pm_run none = base(_i % 4, PM_OFFLOAD_NONE);
  none.pipeline_parallel = _i < 4 ? 1 : 4;
  pm_prediction before = predict(plan, &none);
  ck_assert_double_eq(before.offload_time, 0);
  ck_assert_double_eq(before.host_memory, 0);
  for (int offload = PM_OFFLOAD_OPTIMIZER; offload < PM_OFFLOAD_COUNT; offload++) {
    pm_run run = none;
    run.offload = offload;
    if (run.zero < least_zero(offload)) continue;
    pm_prediction p = predict(plan, &run);
    ck_assert_msg(p.memory < before.memory, "offload %d: %g, not below %g", offload, p.memory, before.memory);
    ck_assert(p.host_memory >= before.host_memory && p.host_memory > 0);
    ck_assert(p.offload_time > 0 && p.bottleneck != PM_BOTTLENECK_NONE);
    double step =
        p.compute_time + p.launch_overhead_time + p.exposed_communication_time + p.straggler_wait_time + p.bubble_time;
    ck_assert_double_eq_tol(p.step_time / (step + p.offload_time), 1, 1e-12);
    ck_assert_double_eq_tol(p.offload_share * p.step_time / p.offload_time, 1, 1e-12);
    before = p;
  }
}
END_TEST

/* A faster link to the host, and faster memory there, are never slower; they are faster where nothing hides. */
START_TEST(faster_hosts_are_not_slower)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *faster = pm_system_new_with_number(host, "link.pcie4-x16.bandwidth", "x2", &error);
  ck_assert_msg(faster != NULL, "%s", error.text);
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {faster};
  pm_plan *other = pm_plan_new(networks, 1, systems, 1, &error);
  for (int offload = PM_OFFLOAD_OPTIMIZER; offload < PM_OFFLOAD_COUNT; offload++) {
    pm_run run = base(3, offload);
    double slow = predict(plan, &run).offload_time, fast = predict(other, &run).offload_time;
    ck_assert_msg(fast <= slow, "offload %d: %g s, then %g s", offload, slow, fast);
    ck_assert(offload != PM_OFFLOAD_OPTIMIZER || fast < slow);
    host->machine.host_memory_bandwidth *= 2;
    ck_assert(predict(plan, &run).offload_time < slow);
    host->machine.host_memory_bandwidth /= 2;
  }
  pm_plan_free(other);
  pm_system_free(faster);
}
END_TEST

/* ---- Closed form ---- */

/* Where the host's memory is slower than its links, copies and update go at its share of it. */
START_TEST(slow_memory_takes_all_the_time)
{
  pm_run run = base(1, PM_OFFLOAD_OPTIMIZER);
  pm_network_totals totals;
  host->machine.host_memory_bandwidth = 1e9;
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  pm_stage stage;
  ck_assert_int_eq(pm_prediction_get_stages(plan, &run, &stage, 1, NULL), 1);
  double own = stage.parameters / 16, update = pm__update_bytes(7, PM_PRECISION_BF16);
  double gradient = predict(plan, &run).gradient_size / stage.parameters;
  ck_assert_double_eq_tol(stage.parameters / totals.parameters, 1, 0.01);
  ck_assert_double_eq_tol(stage.offload_time / (own * (gradient + update + 2) * 8 / 1e9), 1, 1e-12);
}
END_TEST

/* The host has the optimizer as the GPU had it, a copy of gradients, and of weights if there is no master copy. */
START_TEST(the_host_has_what_the_gpu_had)
{
  pm_memory_use on, off;
  for (int zero = 0; zero <= 3; zero++) {
    pm_run none = base(zero, PM_OFFLOAD_NONE), run = base(zero, PM_OFFLOAD_OPTIMIZER);
    ck_assert_int_eq(pm_prediction_get_memory(plan, &none, &on, NULL), PM_OK);
    ck_assert_int_eq(pm_prediction_get_memory(plan, &run, &off, NULL), PM_OK);
    ck_assert_double_eq_tol((on.total - off.total) / on.optimizer, 1, 1e-12);
    ck_assert_double_eq(on.host, 0);
    ck_assert_double_eq(off.optimizer, 0);
    ck_assert_double_eq(off.weights, on.weights);
    ck_assert(off.host > on.optimizer);
    ck_assert_double_eq_tol(predict(plan, &run).host_memory / (8 * off.host), 1, 1e-12);
  }
  pm_run all = base(3, PM_OFFLOAD_PARAMETERS);
  ck_assert_int_eq(pm_prediction_get_memory(plan, &all, &off, NULL), PM_OK);
  ck_assert_double_eq(off.weights, 0);
  ck_assert(off.gradients < on.weights);
}
END_TEST

/* A single GPU needs no ranks to share with. */
START_TEST(one_gpu)
{
  pm_run run = base(2, PM_OFFLOAD_GRADIENTS), whole = base(0, PM_OFFLOAD_NONE);
  run.gpus = run.nodes = whole.gpus = whole.nodes = 1;
  run.recompute = whole.recompute = PM_RECOMPUTE_FULL;
  pm_prediction p = predict(plan, &run), q = predict(plan, &whole);
  ck_assert(p.memory < 0.6 * q.memory);
  run.zero = 3;
  run.offload = PM_OFFLOAD_PARAMETERS;
  ck_assert(predict(plan, &run).memory < p.memory);
}
END_TEST

/* ---- What is refused, and what is not known ---- */

static void refuse(pm_run run, int status, const char *why)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_run_check(plan, &run, &error), status);
  ck_assert_msg(strstr(error.text, why) != NULL, "\"%s\" has no \"%s\"", error.text, why);
  pm_predict(plan, &run, &p, 1);
  ck_assert_int_eq(p.status, status);
  ck_assert(isnan(p.step_time));
}

START_TEST(bad_offloads)
{
  refuse(base(3, PM_OFFLOAD_COUNT), PM_STATUS_BAD_ARGUMENT, "there is no offload 4");
  refuse(base(3, -1), PM_STATUS_BAD_ARGUMENT, "there is no offload -1");
  refuse(base(1, PM_OFFLOAD_GRADIENTS), PM_STATUS_BAD_ARGUMENT, "offload gradients needs zero 2 or 3, not 1");
  refuse(base(2, PM_OFFLOAD_PARAMETERS), PM_STATUS_BAD_ARGUMENT, "offload parameters needs zero 3, not 2");
  host->machine.host_memory_bandwidth = NAN;
  refuse(base(1, PM_OFFLOAD_OPTIMIZER), PM_STATUS_NOT_MODELLED, "needs host_memory_bandwidth, which \"dgx-a100-80gb\"");
}
END_TEST

START_TEST(the_host_must_have_it)
{
  pm_run run = base(3, PM_OFFLOAD_PARAMETERS);
  run.ignore_memory = 0;
  run.recompute = PM_RECOMPUTE_FULL;
  pm_prediction p = predict(plan, &run);
  ck_assert_int_eq(p.verdict, PM_VERDICT_FITS);
  host->machine.host_memory = p.host_memory / 2;
  refuse(run, PM_STATUS_DOES_NOT_FIT, "of host memory per dgx-a100-80gb");
  run.ignore_memory = 1;
  ck_assert_int_eq(predict(plan, &run).verdict, PM_VERDICT_DOES_NOT_FIT);
  host->machine.host_memory = p.host_memory;
  ck_assert_int_eq(predict(plan, &run).verdict, PM_VERDICT_TIGHT);
  host->machine.host_memory = NAN;
  ck_assert_int_eq(predict(plan, &run).verdict, PM_VERDICT_UNKNOWN);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("offload");
  TCase *tests = tcase_create("offload");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, the_host_relieves_the_gpu, 0, 8);
  tcase_add_test(tests, faster_hosts_are_not_slower);
  tcase_add_test(tests, slow_memory_takes_all_the_time);
  tcase_add_test(tests, the_host_has_what_the_gpu_had);
  tcase_add_test(tests, one_gpu);
  tcase_add_test(tests, bad_offloads);
  tcase_add_test(tests, the_host_must_have_it);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
