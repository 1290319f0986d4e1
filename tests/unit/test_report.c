/* Reports: the table of blocks, lines against the prediction, renderings. */
#include <math.h>
#include <string.h>
#include "fixtures.h"
#include "report/report.h"
#include "plan/plan.h"
#include "study/blocks/blocks.h"

typedef struct asked {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  pm_given given;
  pm_run run;
  pm_prediction prediction;
  pm_report *report;
} asked;

static pm_report *report_of(const asked *a, const pm_study *study, pm_error *error)
{
  const pm_report_question question = {.given = &a->given, .runs = &a->run, .run_size = sizeof a->run,
                                       .answers = &a->prediction, .answer_size = sizeof a->prediction, .count = 1};
  return pm_study_new_report(study, &question, error);
}

static void ask(asked *a, const char *network, const char *system, double batch)
{
  pm_error error = PM_ERROR_NONE;
  memset(a, 0, sizeof *a);
  a->catalog = pm_catalog_new(NULL);
  a->network = pm_catalog_new_network(a->catalog, network, NULL, 0, &error);
  a->system = pm_catalog_new_system(a->catalog, system, &error);
  const pm_network *networks[] = {a->network};
  const pm_system *systems[] = {a->system};
  const pm_study_setup setup = {a->catalog, networks, 1, systems, 1, NULL, 0, PM_TASK_TRAINING};
  a->study = pm_study_new(&setup, &error);
  a->run = pm_run_make();
  a->run.batch = batch;
  a->run.framework_index = 0;
  pm_given_add(&a->given, "run", "batch");
  pm_study_complete(a->study, &a->given, &a->run, &a->run, sizeof a->run, 1, &error);
  pm_predict(pm_study_get_plan(a->study, &error), &a->run, &a->prediction, 1);
  a->report = report_of(a, a->study, &error);
  ck_assert_msg(a->report != NULL, "%s", error.text);
}

static void release(asked *a)
{
  pm_report_free(a->report);
  pm_study_free(a->study);
  pm_system_free(a->system);
  pm_network_free(a->network);
  pm_catalog_free(a->catalog);
}

static const pm_report_block *block_of(const asked *a, const char *name)
{
  const pm_report_block *block;
  for (size_t i = 0; (block = pm_report_get_block(a->report, i)) != NULL; i++)
    if (strcmp(block->name, name) == 0) return block;
  return NULL;
}

START_TEST(blocks_are_complete)
{
  static const struct {
    const char *name;
    const pm__study_block *block;
  } blocks[] = {
#define BLOCK(name) {#name, &pm__study_block_##name},
    PM__STUDY_BLOCK_LIST(BLOCK)
#undef BLOCK
  };
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
    int answers = 0;
    for (int k = 0; k < PM_REPORT_OF_COUNT; k++) answers += blocks[i].block->fill[k] != NULL;
    ck_assert_msg(blocks[i].block->title != NULL, "block %s has no title; write \"\" if it needs none", blocks[i].name);
    ck_assert_msg(answers > 0, "block %s is in no report: .fill is missing", blocks[i].name);
  }
}
END_TEST

START_TEST(lines_are_the_prediction)
{
  asked a;
  double sum = 0;
  ask(&a, "resnet50", "dgx1-v100", 64);
  const pm_report_block *outcome = block_of(&a, "outcome"), *parts = block_of(&a, "time");
  ck_assert(outcome != NULL && parts != NULL);
  ck_assert_double_eq(outcome->lines[0].value, a.prediction.throughput);
  ck_assert_str_eq(outcome->lines[0].unit, "samples/s");
  ck_assert_str_eq(parts->lines[0].label, "forward");
  ck_assert_double_eq(parts->lines[0].value, a.prediction.forward_time);
  for (size_t i = 0; i < parts->count; i++) sum += parts->lines[i].share;
  ck_assert_double_eq_tol(sum, 1, 1e-12);
  ck_assert_ptr_null(block_of(&a, "fitting_plan"));
  release(&a);
}
END_TEST

/* The line of a block with that label, which must be there. */
static const pm_report_line *line_of(const pm_report_block *block, const char *label)
{
  for (size_t i = 0; block != NULL && i < block->count; i++)
    if (strcmp(block->lines[i].label, label) == 0) return &block->lines[i];
  ck_abort_msg("no line \"%s\"", label);
  return NULL;
}

static void ask_again(asked *a, const char *field)
{
  pm_error error = PM_ERROR_NONE;
  pm_given_add(&a->given, "run", field);
  ck_assert_int_eq(pm_study_complete(a->study, &a->given, &a->run, &a->run, sizeof a->run, 1, &error), PM_OK);
  ck_assert_int_eq(pm_predict(pm_study_get_plan(a->study, &error), &a->run, &a->prediction, 1), PM_OK);
  pm_report_free(a->report);
  a->report = report_of(a, a->study, &error);
  ck_assert_msg(a->report != NULL, "%s", error.text);
}

/* Without failures the whole time is training; with them less, and the time grows by as much at least. */
START_TEST(a_whole_training_has_its_time_and_what_it_costs)
{
  asked a;
  ask(&a, "resnet50", "dgx1-v100", 64);
  ck_assert_ptr_null(block_of(&a, "training"));
  a.run.samples = 200000 * a.run.batch * a.run.gpus; /* whole steps */
  ask_again(&a, "samples");
  const pm_report_block *training = block_of(&a, "training");
  double time = line_of(training, "time")->value;
  ck_assert_double_eq_tol(time, a.run.samples / a.prediction.throughput, 1e-9 * time);
  ck_assert_double_eq_tol(line_of(training, "GPU-hours")->value, time * a.run.gpus / 3600, 1e-9 * time);
  ck_assert_ptr_nonnull(strstr(line_of(training, "failures")->text, "not included"));
  a.run.gpu_hour_price = 2;
  ask_again(&a, "gpu_hour_price");
  training = block_of(&a, "training");
  ck_assert_double_eq_tol(line_of(training, "cost")->value, 2 * time * a.run.gpus / 3600, 1e-9 * time);
  a.run.gpu_mtbf = 1e6;
  ask_again(&a, "gpu_mtbf");
  a.run.checkpoint_rate = 1e9;
  ask_again(&a, "checkpoint_rate");
  training = block_of(&a, "training");
  double goodput = line_of(training, "goodput")->value;
  ck_assert(goodput > 0 && goodput < 1);
  ck_assert_double_ge(line_of(training, "time")->value, time);
  ck_assert_ptr_nonnull(strstr(line_of(training, "failures")->text, "one every"));
  release(&a);
}
END_TEST

START_TEST(renderings_have_every_label)
{
  asked a;
  ask(&a, "resnet50", "dgx1-v100", 64);
  for (int rendering = PM_RENDERING_TEXT; rendering <= PM_RENDERING_MARKDOWN; rendering++) {
    char *text = pm_report_format(a.report, (pm_rendering)rendering, 80, NULL);
    const pm_report_block *block;
    for (size_t i = 0; (block = pm_report_get_block(a.report, i)) != NULL; i++)
      for (size_t j = 0; j < block->count && block->style != PM_REPORT_STYLE_SENTENCES; j++)
        ck_assert_msg(strstr(text, block->lines[j].label) != NULL && strstr(text, block->lines[j].text) != NULL,
                      "%s is not in rendering %d", block->lines[j].label, rendering);
    pm_string_free(text);
  }
  release(&a);
}
END_TEST

START_TEST(lines_of_text_are_no_wider_than_asked)
{
  asked a;
  ask(&a, "resnet50", "dgx1-v100", 64);
  for (int width = 40; width <= 120; width += 20) {
    char *text = pm_report_format(a.report, PM_RENDERING_TEXT, width, NULL);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
      ck_assert_uint_le(strcspn(line, "\n"), width < 100 ? (size_t)width : 100);
    pm_string_free(text);
  }
  char *summary = pm_report_format(a.report, PM_RENDERING_SUMMARY, 0, NULL);
  ck_assert_ptr_null(strchr(summary, '\n'));
  pm_string_free(summary);
  release(&a);
}
END_TEST

START_TEST(what_does_not_fit_says_what_would)
{
  asked a;
  ask(&a, "llama3-8b", "dgx-a100", 8);
  ck_assert_int_eq(a.prediction.status, PM_STATUS_DOES_NOT_FIT);
  ck_assert(block_of(&a, "failure") != NULL && block_of(&a, "fitting_plan") != NULL);
  ck_assert_ptr_null(block_of(&a, "time"));
  release(&a);
}
END_TEST

START_TEST(products_that_lose_nothing_are_known)
{
  asked a;
  ask(&a, "resnet50", "dgx1-v100", 64);
  ck_assert(!pm__plan_loses_to_sides(pm_study_get_plan(a.study, NULL), &a.run)); /* 1,000 classes are a multiple of 8 */
  release(&a);
}
END_TEST

START_TEST(names_are_escaped)
{
  pm_report *report = pm__report_new(10);
  pm__report_open(report, "empty", "", PM_REPORT_STYLE_VALUES);
  pm__report_open(report, "block", "<T>", PM_REPORT_STYLE_VALUES);
  pm__report_add(report, "a|b", "%s", "<i>&");
  pm__report_note(report, ", once");
  report = pm__report_finish(report, NULL);
  char *html = pm_report_format(report, PM_RENDERING_HTML, 0, NULL);
  char *markdown = pm_report_format(report, PM_RENDERING_MARKDOWN, 0, NULL);
  ck_assert_ptr_null(pm_report_get_block(report, 1));
  ck_assert(strstr(html, "&lt;i&gt;&amp;, once") != NULL && strstr(html, "<T>") == NULL);
  ck_assert_ptr_nonnull(strstr(markdown, "a\\|b"));
  pm_string_free(html);
  pm_string_free(markdown);
  pm_report_free(report);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
  pm_error error = PM_ERROR_NONE;
  asked a;
  ask(&a, "alexnet", "t4", 8);
  ck_assert_ptr_null(report_of(&a, NULL, &error));
  ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(pm_study_new_report(a.study, NULL, NULL));
  for (int of = 0; of <= PM_REPORT_OF_COUNT; of++) { /* what is missing is never read */
    const pm_report_question nothing = {.of = (pm_report_of)of}, no_run = {.of = (pm_report_of)of, .given = &a.given};
    error = (pm_error)PM_ERROR_NONE;
    ck_assert_ptr_null(pm_study_new_report(a.study, &nothing, &error));
    ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
    ck_assert_ptr_null(pm_study_new_report(a.study, &no_run, NULL));
  }
  a.run.network_index = 7;
  ck_assert_ptr_null(report_of(&a, a.study, NULL));
  release(&a);
  ck_assert_ptr_null(pm_report_format(NULL, PM_RENDERING_TEXT, 0, NULL));
  ck_assert_ptr_null(pm_report_tabulate(NULL, NULL));
}
END_TEST

/* The parts of two runs are those of their predictions, and add up from one time to the other to the bit. */
START_TEST(a_comparison_adds_up)
{
  static const struct { const char *system; double batch, gpus; } others[] = {
    {"dgx1-v100", 128, 8}, {"dgx1-v100", 64, 1}, {"dgx2", 64, 16}, {"dgx-a100", 32, 8}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_catalog *catalog = pm_catalog_new(NULL);
    pm_network *network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, &error);
    pm_system *systems[] = {pm_catalog_new_system(catalog, "dgx1-v100", &error),
                            pm_catalog_new_system(catalog, others[i].system, &error)};
    const pm_network *networks[] = {network};
    const pm_study_setup setup = {catalog, networks, 1, (const pm_system *const *)systems, 2, NULL, 0,
                                  PM_TASK_TRAINING};
    pm_study *study = pm_study_new(&setup, &error);
    pm_run runs[] = {pm_run_make(), pm_run_make()};
    pm_prediction p[2];
    pm_given given = {0};
    runs[0].batch = 64;
    runs[0].gpus = 8;
    runs[1].batch = others[i].batch;
    runs[1].gpus = (int32_t)others[i].gpus;
    runs[1].system_index = 1;
    pm_given_add(&given, "run", "batch");
    pm_given_add(&given, "run", "gpus");
    ck_assert_int_eq(pm_study_complete(study, &given, runs, runs, sizeof *runs, 2, &error), PM_OK);
    ck_assert_int_eq(pm_predict(pm_study_get_plan(study, &error), runs, p, 2), PM_OK);
    pm_report_question question = {.of = PM_REPORT_OF_COMPARISON, .given = &given, .runs = runs,
                                   .run_size = sizeof *runs, .answers = p, .answer_size = sizeof *p, .count = 2};
    pm_report *report = pm_study_new_report(study, &question, &error);
    ck_assert_msg(report != NULL, "%s", error.text);
    const pm_report_block *block = NULL;
    for (size_t k = 0; (block = pm_report_get_block(report, k)) != NULL && block->table == NULL;) k++;
    ck_assert_ptr_nonnull(block);
    size_t rows = pm_table_count_rows(block->table);
    const double *difference = pm_table_get_numbers(block->table, 3), *reached = pm_table_get_numbers(block->table, 4);
    const double *first = pm_table_get_numbers(block->table, 1), *second = pm_table_get_numbers(block->table, 2);
    double one = 0, two = 0, sum = p[0].step_time;
    ck_assert(first[0] == p[0].step_time && second[rows - 1] == p[1].step_time);
    for (size_t k = 1; k + 1 < rows; k++) {
      one += first[k];
      two += second[k];
      sum += difference[k];
      ck_assert(fabs(sum - reached[k]) <= 1e-15);
    }
    ck_assert(reached[rows - 2] == p[1].step_time);
    ck_assert(fabs(one / p[0].step_time - 1) < 1e-9 && fabs(two / p[1].step_time - 1) < 1e-9);
    pm_report_free(report);
    question.count = 1;
    ck_assert_ptr_null(pm_study_new_report(study, &question, &error));
    ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
    pm_study_free(study);
    for (int k = 0; k < 2; k++) pm_system_free(systems[k]);
    pm_network_free(network);
    pm_catalog_free(catalog);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("report");
  TCase *tests = tcase_create("reports");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, blocks_are_complete);
  tcase_add_test(tests, lines_are_the_prediction);
  tcase_add_test(tests, a_whole_training_has_its_time_and_what_it_costs);
  tcase_add_test(tests, renderings_have_every_label);
  tcase_add_test(tests, lines_of_text_are_no_wider_than_asked);
  tcase_add_test(tests, what_does_not_fit_says_what_would);
  tcase_add_test(tests, products_that_lose_nothing_are_known);
  tcase_add_test(tests, names_are_escaped);
  tcase_add_test(tests, a_comparison_adds_up);
  tcase_add_test(tests, wrong_arguments_are_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
