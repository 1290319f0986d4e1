/* Programs that were compiled when records were shorter: the same answers, and not a byte beyond what they know. */
#include <stddef.h>
#include <string.h>
#include "fixtures.h"

enum { COUNT = 150, GUARD = 0x5a }; /* more than the library converts at a time */

/* What such a program knows of a run and of a prediction. */
enum { RUN_SIZE = offsetof(pm_run, usable_memory), PREDICTION_SIZE = offsetof(pm_prediction, memory) };

static pm_network *network;
static pm_system *node;
static pm_plan *plan;

static void set_up(void)
{
  static const int links[16] = {0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1};
  network = fixture_network();
  node = fixture_mesh(4, links);
  plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&node, 1, NULL);
  ck_assert_ptr_nonnull(plan);
}

static void tear_down(void)
{
  pm_plan_free(plan);
  pm_system_free(node);
  pm_network_free(network);
}

START_TEST(shorter_runs_and_predictions_are_the_beginnings_of_whole_ones)
{
  static pm_run runs[COUNT];
  static pm_prediction whole[COUNT];
  static char shorter[COUNT * RUN_SIZE], answers[COUNT * PREDICTION_SIZE + 1];
  for (int i = 0; i < COUNT; i++) {
    runs[i] = pm_run_make();
    runs[i].gpus = 1 + i % 5; /* one of them more than there are */
    runs[i].batch = 1 + i;
    memcpy(shorter + i * RUN_SIZE, &runs[i], RUN_SIZE);
  }
  memset(answers, GUARD, sizeof answers);
  ck_assert_int_eq(pm_predict(plan, runs, whole, COUNT), PM_OK);
  int status = pm_task_predict(plan, PM_TASK_TRAINING, 0, shorter, RUN_SIZE, answers, PREDICTION_SIZE, COUNT);
  ck_assert_int_eq(status, PM_OK);
  for (int i = 0; i < COUNT; i++) ck_assert_mem_eq(answers + i * PREDICTION_SIZE, &whole[i], PREDICTION_SIZE);
  ck_assert_int_eq(answers[COUNT * PREDICTION_SIZE], GUARD);
}
END_TEST

START_TEST(a_shorter_run_is_filled_no_further_than_it_goes)
{
  char room[sizeof(pm_run)];
  memset(room, GUARD, sizeof room);
  const pm_run whole = pm_run_make();
  pm_record_fill("run", room, RUN_SIZE);
  ck_assert_mem_eq(room, &whole, RUN_SIZE);
  for (size_t i = RUN_SIZE; i < sizeof room; i++) ck_assert_int_eq(room[i], GUARD);
}
END_TEST

START_TEST(a_shorter_run_is_checked_and_tabulated)
{
  pm_run run = pm_run_make();
  pm_prediction prediction;
  pm_predict(plan, &run, &prediction, 1);
  run.usable_memory = -1; /* beyond what the program knows: nobody may look at it */
  ck_assert_int_eq(pm_task_check(plan, PM_TASK_TRAINING, &run, RUN_SIZE, NULL), PM_OK);
  ck_assert_int_ne(pm_run_check(plan, &run, NULL), PM_OK);
  const pm_sweep sweep = {.runs = &run, .run_size = RUN_SIZE, .answers = &prediction, .answer_size = PREDICTION_SIZE,
                          .count = 1};
  pm_table *table = pm_sweep_tabulate(plan, &sweep, NULL);
  ck_assert_ptr_nonnull(table);
  pm_table_free(table);
}
END_TEST

START_TEST(spaces_step_by_the_size_of_the_programs_runs)
{
  const double batch[] = {16, 24, 32};
  const pm_axis axis = {"batch", batch, 3};
  const pm_run base = pm_run_make();
  pm_space space = {pm_record_type_find("run"), &base, &axis, 1, 0, RUN_SIZE};
  char runs[3 * RUN_SIZE + 1];
  runs[3 * RUN_SIZE] = GUARD;
  ck_assert_int_eq(pm_space_get_runs(&space, 0, 3, runs, NULL), PM_OK);
  for (int i = 0; i < 3; i++)
    ck_assert(memcmp(runs + i * RUN_SIZE + offsetof(pm_run, batch), &batch[i], sizeof batch[i]) == 0);
  ck_assert_int_eq(runs[3 * RUN_SIZE], GUARD);
  space.run_size = 0;
  ck_assert_int_eq(pm_space_get_runs(&space, 0, 3, runs, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(other_evaluations_take_shorter_records_too)
{
  const pm_gpu gpu = fixture_gpu();
  pm_kernel kernel = {.operation = PM_OPERATOR_GEMM, .precision = PM_PRECISION_FP32, .count = 1, .m = 256, .n = 256,
                      .k = 256};
  pm_kernel_time time, same;
  enum { KERNEL_SIZE = offsetof(pm_kernel, pageable), TIME_SIZE = offsetof(pm_kernel_time, peak) };
  memset(&same, 0, sizeof same);
  ck_assert_int_eq(pm_kernel_predict(&gpu, NULL, &kernel, &time, 1, NULL), PM_OK);
  ck_assert_int_eq(pm_kernel_predict_sized(&gpu, NULL, &kernel, KERNEL_SIZE, &same, TIME_SIZE, 1, NULL), PM_OK);
  ck_assert_mem_eq(&same, &time, TIME_SIZE);
  pm_group *group = pm_group_new(node, NULL, 4, NULL, NULL);
  pm_call call = pm_call_make();
  pm_collective_time result, part;
  enum { RESULT_SIZE = offsetof(pm_collective_time, algorithm) };
  memset(&part, 0, sizeof part);
  call.bytes = 1e8;
  ck_assert_int_eq(pm_group_evaluate(group, &call, &result, 1), PM_OK);
  ck_assert_int_eq(pm_group_evaluate_sized(group, &call, offsetof(pm_call, protocol), &part, RESULT_SIZE, 1), PM_OK);
  ck_assert_mem_eq(&part, &result, RESULT_SIZE);
  pm_group_free(group);
}
END_TEST

START_TEST(sizing_and_sensitivities_take_shorter_runs_too)
{
  const pm_run run = pm_run_make();
  const pm_size_setup setup = {.plan = plan, .choices = &run, .run_size = sizeof run, .count = 1};
  pm_size_setup shorter = setup;
  shorter.run_size = RUN_SIZE;
  pm_size_goal goal = pm_size_goal_make();
  pm_size_choice whole, same;
  goal.rate = 1000;
  ck_assert_int_eq(pm_size_evaluate(&setup, &goal, &whole, NULL), PM_OK);
  ck_assert_int_eq(pm_size_evaluate(&shorter, &goal, &same, NULL), PM_OK);
  ck_assert_int_eq(whole.nodes, same.nodes);
  ck_assert(whole.throughput == same.throughput);
  const pm_sensitivity_setup question = {.network = network, .system = node, .run = &run, .run_size = sizeof run};
  pm_sensitivity_setup asked = question;
  asked.run_size = RUN_SIZE;
  pm_sensitivity rows[PM_RESOURCE_COUNT], others[PM_RESOURCE_COUNT];
  int count = pm_sensitivity_evaluate(&question, 0.1, rows, NULL);
  ck_assert_int_gt(count, 0);
  ck_assert_int_eq(pm_sensitivity_evaluate(&asked, 0.1, others, NULL), count);
  for (int i = 0; i < count; i++) ck_assert(rows[i].step_time == others[i].step_time);
}
END_TEST

START_TEST(a_program_of_a_later_release_is_refused)
{
  pm_run run = pm_run_make();
  pm_prediction prediction;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_task_check(plan, PM_TASK_TRAINING, &run, sizeof run + 8, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "the library is older"));
  ck_assert_int_eq(pm_task_predict(plan, PM_TASK_TRAINING, 0, &run, sizeof run + 8, &prediction, sizeof prediction, 1),
                   PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_task_predict(plan, PM_TASK_TRAINING, 0, &run, sizeof run, &prediction, sizeof prediction + 8, 1),
                   PM_STATUS_BAD_ARGUMENT);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("sized");
  TCase *tests = tcase_create("sized");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, shorter_runs_and_predictions_are_the_beginnings_of_whole_ones);
  tcase_add_test(tests, a_shorter_run_is_filled_no_further_than_it_goes);
  tcase_add_test(tests, a_shorter_run_is_checked_and_tabulated);
  tcase_add_test(tests, spaces_step_by_the_size_of_the_programs_runs);
  tcase_add_test(tests, other_evaluations_take_shorter_records_too);
  tcase_add_test(tests, sizing_and_sensitivities_take_shorter_runs_too);
  tcase_add_test(tests, a_program_of_a_later_release_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
