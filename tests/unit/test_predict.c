/* Laws of predictions: they hold whatever the constants are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include "fixtures.h"

static pm_network *network;
static pm_system *system_;
static pm_plan *plan;

static pm_plan *plan_of(const pm_system *system)
{
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {system};
  pm_error error = PM_ERROR_NONE;
  pm_plan *made = pm_plan_new(networks, 1, systems, 1, &error);
  ck_assert_msg(made != NULL, "%s", error.text);
  return made;
}

static void set_up(void)
{
  network = fixture_network();
  system_ = fixture_mesh(8, fixture_cube_mesh);
  pm_link ib;
  pm_record_clear(pm_record_type_find("link"), &ib);
  strcpy(ib.id, "ib");
  ib.kind = PM_LINK_INFINIBAND;
  ib.bandwidth = 10e9;
  ck_assert_int_eq(pm_system_set_network(system_, &ib, NULL, 4, NULL), PM_OK);
  plan = plan_of(system_);
}

static void tear_down(void)
{
  pm_plan_free(plan);
  pm_system_free(system_);
  pm_network_free(network);
}

static pm_prediction predict_columns(unsigned columns, int gpus, int nodes, double batch, int precision)
{
  pm_run run = pm_run_make();
  pm_prediction prediction;
  run.gpus = gpus;
  run.nodes = nodes;
  run.batch = batch;
  run.precision = precision;
  ck_assert_int_eq(pm_predict_columns(plan, columns, &run, &prediction, 1), PM_OK);
  ck_assert_int_eq(prediction.status, PM_OK);
  return prediction;
}

static pm_prediction predict(int gpus, int nodes, double batch, int precision)
{
  return predict_columns(0, gpus, nodes, batch, precision);
}

static pm_prediction predict_all(int gpus, int nodes, double batch, int precision)
{
  return predict_columns(PM_EXTRA_COLUMN_STRONG_SCALING, gpus, nodes, batch, precision);
}

static const int groups[] = {1, 2, 3, 4, 6, 8};
static const double batches[] = {1, 7, 64, 1000};

#define EACH_POINT(g, b)                                        \
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) \
    for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++)

START_TEST(parts_sum_to_the_whole)
{
  EACH_POINT(g, b) {
    pm_prediction p = predict(groups[g], 1, batches[b], PM_PRECISION_FP16);
    double passes = p.forward_time + p.dgrad_time + p.wgrad_time + p.update_time;
    ck_assert_double_eq_tol(passes, p.compute_time, 1e-15);
    ck_assert(p.step_time == p.compute_time + p.exposed_communication_time);
    ck_assert_double_eq_tol(p.compute_share + p.memory_bandwidth_share + p.communication_share, 1, 1e-12);
    ck_assert_double_eq_tol(p.throughput * p.step_time, batches[b] * groups[g], 1e-6);
  }
}
END_TEST

START_TEST(layers_sum_to_the_step)
{
  pm_layer_time rows[9];
  pm_gpu gpu = fixture_gpu();
  for (int precision = PM_PRECISION_FP64; precision <= PM_PRECISION_FP16_STORAGE; precision++) {
    if (precision == PM_PRECISION_TF32) continue; /* this GPU has none */
    pm_prediction p = predict(1, 1, 48, precision);
    double forward = 0, data = 0, weight = 0, update = 0;
    ck_assert_int_eq(pm_network_get_times(network, &gpu, NULL, 48, precision, rows, NULL), PM_OK);
    for (int i = 0; i < 9; i++) {
      forward += rows[i].forward_time;
      data += rows[i].dgrad_time;
      weight += rows[i].wgrad_time;
      update += rows[i].update_time;
    }
    ck_assert_double_eq_tol(forward / p.forward_time, 1, 1e-12);
    ck_assert_double_eq_tol(data / p.dgrad_time, 1, 1e-12);
    ck_assert_double_eq_tol(weight / p.wgrad_time, 1, 1e-12);
    ck_assert_double_eq_tol(update / p.update_time, 1, 1e-12);
  }
}
END_TEST

/* Fields are compared as bits: NAN equals NAN, and nothing is forgotten. */
START_TEST(batch_equals_scalar_bit_for_bit)
{
  enum { RUNS = 2000 };
  pm_run *runs = (pm_run *)calloc(RUNS, sizeof *runs);
  pm_prediction *many = (pm_prediction *)calloc(RUNS, sizeof *many), one;
  for (int i = 0; i < RUNS; i++) {
    runs[i] = pm_run_make();
    runs[i].gpus = i % 10; /* 0, 5 and 9 cannot be */
    runs[i].nodes = 1 + i / 7 % 3;
    runs[i].batch = 1 + i * 13 % 300;
    runs[i].precision = i % PM_PRECISION_COUNT;
    runs[i].overlap = i / 3 % 2;
    runs[i].epoch_samples = i % 2 ? 1e6 : (double)NAN;
  }
  ck_assert_int_eq(pm_predict(plan, runs, many, RUNS), PM_OK);
  for (int i = 0; i < RUNS; i++) {
    ck_assert_int_eq(pm_predict(plan, &runs[i], &one, 1), PM_OK);
    ck_assert_msg(memcmp(&one, &many[i], sizeof one) == 0, "run %d", i);
  }
  free(runs);
  free(many);
}
END_TEST

static double step_with(pm_gpu gpu)
{
  pm_machine machine = *pm_system_get_machine(system_);
  pm_prediction p;
  pm_run run = pm_run_make();
  machine.gpus = 1;
  pm_system *system = pm_system_new(&machine, &gpu, NULL);
  ck_assert_int_eq(pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, NULL), PM_OK);
  pm_plan *with = plan_of(system);
  ck_assert_int_eq(pm_predict(with, &run, &p, 1), PM_OK);
  pm_plan_free(with);
  pm_system_free(system);
  return p.step_time;
}

START_TEST(a_better_gpu_is_never_slower)
{
  for (double factor = 1; factor < 100; factor *= 1.7) {
    pm_gpu slow = fixture_gpu(), rate = slow, memory = slow;
    slow.peak_fp32 *= factor;
    slow.memory_bandwidth *= factor;
    rate = memory = slow;
    rate.peak_fp32 *= 1.1;
    memory.memory_bandwidth *= 1.1;
    ck_assert_double_le(step_with(rate), step_with(slow));
    ck_assert_double_le(step_with(memory), step_with(slow));
  }
}
END_TEST

START_TEST(more_work_takes_longer)
{
  EACH_POINT(g, b) {
    pm_prediction less = predict(groups[g], 1, batches[b], PM_PRECISION_FP32);
    pm_prediction more = predict(groups[g], 1, batches[b] + 1, PM_PRECISION_FP32);
    ck_assert_double_gt(more.step_time, less.step_time);
    ck_assert_double_ge(more.throughput, less.throughput * (1 - 1e-12)); /* fixed costs are shared by more samples */
  }
}
END_TEST

START_TEST(efficiency_is_at_most_one_and_one_alone)
{
  EACH_POINT(g, b) {
    pm_prediction p = predict_all(groups[g], 1, batches[b], PM_PRECISION_FP16);
    ck_assert_double_le(p.scaling_efficiency, 1);
    ck_assert_double_le(p.strong_scaling_efficiency, p.scaling_efficiency * (1 + 1e-12));
    if (groups[g] == 1) ck_assert(p.scaling_efficiency == 1 && p.strong_scaling_efficiency == 1);
    ck_assert_double_gt(p.mfu, 0);
    ck_assert_double_lt(p.mfu, 1);
  }
}
END_TEST

/* Strong scaling efficiency is what two runs say: one GPU with the global batch, and the group. */
START_TEST(strong_scaling_is_two_runs_compared)
{
  pm_prediction alone = predict(1, 1, 64, PM_PRECISION_FP32), group = predict_all(8, 1, 8, PM_PRECISION_FP32);
  ck_assert(isnan(predict(8, 1, 8, PM_PRECISION_FP32).strong_scaling_efficiency)); /* nobody asked */
  ck_assert_double_eq_tol(group.strong_scaling_efficiency, group.throughput / (8 * alone.throughput), 1e-12);
}
END_TEST

START_TEST(overlap_hides_at_most_the_backward_pass)
{
  pm_run run = pm_run_make();
  pm_prediction without, with;
  for (run.batch = 1; run.batch < 2000; run.batch *= 3) {
    run.gpus = 8;
    run.overlap = PM_OVERLAP_NONE;
    pm_predict(plan, &run, &without, 1);
    run.overlap = PM_OVERLAP_BACKWARD;
    pm_predict(plan, &run, &with, 1);
    double hidden = without.step_time - with.step_time;
    ck_assert_double_ge(hidden, 0);
    ck_assert_double_le(hidden, with.dgrad_time + with.wgrad_time + 1e-12);
    ck_assert(without.communication_time == with.communication_time);
  }
}
END_TEST

START_TEST(nodes_add_a_slower_ring)
{
  pm_prediction one = predict(8, 1, 16, PM_PRECISION_FP32), two = predict(8, 2, 16, PM_PRECISION_FP32);
  ck_assert(one.bus_bandwidth == 6 * 20e9);
  ck_assert(two.bus_bandwidth == 4 * 10e9);
  ck_assert_double_gt(two.communication_time, one.communication_time);
  ck_assert(two.compute_time == one.compute_time);
}
END_TEST

START_TEST(a_bad_run_says_why_and_the_others_go_on)
{
  pm_run runs[7];
  pm_prediction out[7];
  const int expected[] = {PM_OK, PM_STATUS_TOO_MANY_GPUS, PM_STATUS_BAD_ARGUMENT, PM_STATUS_BAD_ARGUMENT,
                          PM_STATUS_NO_PRECISION, PM_STATUS_NOT_MODELLED,
                          PM_OK};
  for (int i = 0; i < 7; i++) runs[i] = pm_run_make();
  runs[1].gpus = 9;
  runs[2].batch = 0;
  runs[3].batch = (double)NAN;
  runs[4].precision = PM_PRECISION_BF16;
  runs[5].precision = PM_PRECISION_INT8;
  ck_assert_int_eq(pm_predict(plan, runs, out, 7), PM_OK);
  for (int i = 0; i < 7; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(out[i].status, expected[i]);
    ck_assert_int_eq(pm_run_check(plan, &runs[i], &error), expected[i]);
    ck_assert_int_eq(isnan(out[i].step_time), expected[i] != PM_OK);
    ck_assert_int_eq(error.text[0] == '\0', expected[i] == PM_OK);
  }
  ck_assert(memcmp(&out[0], &out[6], sizeof out[0]) == 0);
}
END_TEST

START_TEST(epochs_are_whole_steps)
{
  pm_run run = pm_run_make();
  pm_prediction p;
  run.epoch_samples = 1000;
  run.batch = 64;
  pm_predict(plan, &run, &p, 1);
  ck_assert_double_eq_tol(p.epoch_time, 16 * p.step_time, 1e-12);
}
END_TEST

START_TEST(spaces_name_every_combination_once)
{
  const double gpus[] = {1, 2, 4}, precision[] = {PM_PRECISION_FP32, PM_PRECISION_FP16}, batch[] = {16, 24};
  const double optimizer[] = {PM_OPTIMIZER_SGD, PM_OPTIMIZER_ADAM};
  const pm_axis axes[] = {{"batch", batch, 2}, {"optimizer", optimizer, 2}, {"precision", precision, 2},
                          {"gpus", gpus, 3}};
  const pm_run base = pm_run_make();
  const pm_space space = {pm_record_type_find("run"), &base, axes, 4, 1, sizeof(pm_run)};
  pm_run runs[24], part[5];
  ck_assert_uint_eq(pm_space_count(&space), 24);
  ck_assert_int_eq(pm_space_get_runs(&space, 0, 24, runs, NULL), PM_OK);
  for (int i = 0; i < 24; i++) {
    ck_assert_int_eq(runs[i].gpus, (int)gpus[i / 2 % 3]);
    ck_assert_int_eq(runs[i].precision, (int)precision[i / 6 % 2]);
    ck_assert_int_eq(runs[i].optimizer, (int)optimizer[i / 12]);
    ck_assert(runs[i].batch * runs[i].gpus == batch[i % 2]);
  }
  ck_assert_int_eq(pm_space_get_runs(&space, 7, 12, part, NULL), PM_OK);
  ck_assert_mem_eq(part, &runs[7], sizeof part);
}
END_TEST

START_TEST(every_field_of_a_run_is_an_axis)
{
  const pm_record_type *type = pm_record_type_find("run");
  for (size_t i = 0; i < type->field_count; i++) {
    const double values[] = {1, 0};
    const pm_axis axis = {type->fields[i].name, values, 2};
    const pm_run base = pm_run_make();
    const pm_space space = {pm_record_type_find("run"), &base, &axis, 1, 0, sizeof(pm_run)};
    pm_run runs[2];
    ck_assert_int_eq(pm_space_get_runs(&space, 0, 2, runs, NULL), PM_OK);
    ck_assert(pm_record_get_number(&type->fields[i], &runs[0]) == 1 &&
              pm_record_get_number(&type->fields[i], &runs[1]) == 0);
  }
}
END_TEST

START_TEST(a_space_that_cannot_be_says_why)
{
  const double half[] = {1.5}, one[] = {1}, far[] = {99};
  const struct { pm_axis axis[2]; size_t count; int status; const char *words; } bad[] = {
    {{{"gpus", half, 1}}, 1, PM_STATUS_BAD_ARGUMENT, "1.5"},
    {{{"gpu", one, 1}}, 1, PM_STATUS_NOT_FOUND, "\"gpu\""},
    {{{"gpus", one, 0}}, 1, PM_STATUS_BAD_ARGUMENT, "empty"},
    {{{"gpus", one, 1}, {"gpus", one, 1}}, 2, PM_STATUS_BAD_ARGUMENT, "two axes"},
    {{{"optimizer", far, 1}}, 1, PM_STATUS_BAD_ARGUMENT, "99"},
  };
  pm_run run;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    const pm_run base = pm_run_make();
    const pm_space space = {pm_record_type_find("run"), &base, bad[i].axis, bad[i].count, 0, sizeof(pm_run)};
    ck_assert_int_eq(pm_space_get_runs(&space, 0, 1, &run, &error), bad[i].status);
    ck_assert_ptr_nonnull(strstr(error.text, bad[i].words));
  }
  const pm_axis axis = {"gpus", one, 1};
  const pm_run base = pm_run_make();
  const pm_space space = {pm_record_type_find("run"), &base, &axis, 1, 0, sizeof(pm_run)};
  ck_assert_int_eq(pm_space_get_runs(&space, 0, 2, &run, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("predict");
  TCase *tests = tcase_create("predict");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, parts_sum_to_the_whole);
  tcase_add_test(tests, layers_sum_to_the_step);
  tcase_add_test(tests, batch_equals_scalar_bit_for_bit);
  tcase_add_test(tests, a_better_gpu_is_never_slower);
  tcase_add_test(tests, more_work_takes_longer);
  tcase_add_test(tests, efficiency_is_at_most_one_and_one_alone);
  tcase_add_test(tests, strong_scaling_is_two_runs_compared);
  tcase_add_test(tests, overlap_hides_at_most_the_backward_pass);
  tcase_add_test(tests, nodes_add_a_slower_ring);
  tcase_add_test(tests, a_bad_run_says_why_and_the_others_go_on);
  tcase_add_test(tests, epochs_are_whole_steps);
  tcase_add_test(tests, spaces_name_every_combination_once);
  tcase_add_test(tests, every_field_of_a_run_is_an_axis);
  tcase_add_test(tests, a_space_that_cannot_be_says_why);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
