/* Formulas of fields: every field has one, expressions give the field, parts give it to the bit. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "study/named.h"
#include "task/formula.h"

/* A run of a task with its prediction. */
typedef struct asked {
  int32_t task;
  const char *network, *system;
  const char *fields; /* "gpus=8 tensor_parallel=2" */
} asked;

static const asked questions[] = {
  {PM_TASK_TRAINING, "resnet50", "dgx1-v100", "gpus=8 batch=32 epoch_samples=1281167"},
  {PM_TASK_TRAINING, "gpt2", "dgx-a100", "gpus=8 batch=4 gradient_accumulation_steps=4 tokens=1e9 gpu_hour_price=2"},
  {PM_TASK_TRAINING, "llama2-7b", "dgx-h100", "gpus=8 zero=3 recompute=full batch=2 samples=100000 carbon=400"},
  {PM_TASK_TRAINING, "llama2-13b", "dgx-h100",
   "gpus=8 nodes=2 tensor_parallel=4 pipeline_parallel=2 batch=8 gpu_mtbf=1e7 checkpoint=30 tokens=1e9 energy_price=1"},
  {PM_TASK_TRAINING, "llama2-7b", "dgx-h100", "gpus=8 zero=2 offload=optimizer"},
  {PM_TASK_TRAINING, "resnet50", "dgx1-v100", "gpus=4 batch=32 input_rate=1000"},
  {PM_TASK_INFERENCE, "resnet50", "dgx-a100", "gpus=2 batch=8"},
  {PM_TASK_INFERENCE, "bert-base", "t4", "batch=1 energy_price=1"},
  {PM_TASK_SERVING, "llama3-8b", "hgx-h100",
   "gpus=8 tensor_parallel=4 isl=1024 osl=128 concurrency=16 carbon=100 gpu_hour_price=2"},
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

typedef struct answered {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  const pm_task_facts *facts;
  const pm_record_type *run_type, *type;
  pm_given given;
  pm__task_record run, answer;
} answered;

static void give(answered *a, const char *fields)
{
  char name[64], value[64];
  int used;
  for (; sscanf(fields, " %63[a-z_]=%63[^ ]%n", name, value, &used) == 2; fields += used) {
    const pm_field *field = pm_record_find_field(a->run_type, name);
    double number;
    ck_assert_msg(field != NULL, "%s", name);
    if (pm_number_parse(value, &number) == PM_OK) pm_record_set_number(field, &a->run, number, NULL);
    else ck_assert_int_eq(pm_record_set(field, &a->run, value, NULL), PM_OK);
    pm_given_add(&a->given, a->facts->run, name);
  }
}

static void ask(answered *a, const asked *q)
{
  pm_error error = PM_ERROR_NONE;
  memset(a, 0, sizeof *a);
  a->facts = pm_task_get(q->task);
  a->run_type = pm_record_type_find(a->facts->run);
  a->type = pm_record_type_find(a->facts->answer);
  a->catalog = pm_catalog_new(NULL);
  a->network = pm_catalog_new_network(a->catalog, q->network, NULL, 0, &error);
  a->system = pm_catalog_new_system(a->catalog, q->system, &error);
  const pm_network *networks[] = {a->network};
  const pm_system *systems[] = {a->system};
  const pm_study_setup setup = {a->catalog, networks, 1, systems, 1, NULL, 0, q->task};
  a->study = pm_study_new(&setup, &error);
  pm_record_fill(a->facts->run, &a->run, a->run_type->size);
  pm_record_set_number(pm_record_find_field(a->run_type, a->facts->software), &a->run, 0, NULL);
  give(a, q->fields);
  pm_study_complete(a->study, &a->given, &a->run, &a->run, a->run_type->size, 1, &error);
  ck_assert_msg(error.status == PM_OK, "%s on %s: %s", q->network, q->system, error.text);
  pm_task_predict(pm_study_get_plan(a->study, &error), q->task, 0, &a->run, a->run_type->size, &a->answer,
                  a->type->size, 1);
  ck_assert_int_eq(pm__task_at(q->task)->read(&a->answer).status, PM_OK);
}

static void release(answered *a)
{
  pm_study_free(a->study);
  pm_system_free(a->system);
  pm_network_free(a->network);
  pm_catalog_free(a->catalog);
}

static pm_report *explain(const answered *a, const char *field, pm_error *error)
{
  const pm_report_question question = {.of = PM_REPORT_OF_FIELD, .given = &a->given, .runs = &a->run,
                                       .run_size = a->run_type->size, .answers = &a->answer,
                                       .answer_size = a->type->size, .count = 1, .field = field};
  return pm_study_new_report(a->study, &question, error);
}

START_TEST(every_field_has_a_formula)
{
  pm__task_formula formula;
  for (int32_t t = 0; t < PM_TASK_COUNT; t++) {
    const pm__task *task = pm__task_at(t);
    const pm_record_type *type = pm_record_type_find(task->facts.answer);
    for (size_t i = 0; i < type->field_count; i++) {
      ck_assert_msg(pm__task_formula_find(task, type->fields[i].name, &formula), "%s.%s has no formula", type->name,
                    type->fields[i].name);
      ck_assert_msg(formula.text[0] != '\0' && formula.page[0] != '\0', "%s.%s", type->name, type->fields[i].name);
    }
  }
}
END_TEST

/* Nothing is explained by a field that there is not, nor by a name of nothing. */
static bool is_known(const pm__task *task, const char *name)
{
  static const char *const prefixes[][2] = {
    {"gpu.", "gpu"}, {"machine.", "machine"}, {"kernels.", "kernel_calibration"}, {"framework.", "framework"},
    {"profile.", "inference_profile"}, {"engine.", "engine"}, {"memory_profile.", "memory_profile"}, {"link.", "link"},
    {"model.", "network"}};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i][0], strlen(prefixes[i][0])) == 0)
      return pm_record_find_field(pm_record_type_find(prefixes[i][1]), name + strlen(prefixes[i][0])) != NULL;
  return strncmp(name, "whole.", 6) == 0 || strcmp(name, "peak") == 0 ||
         pm_record_find_field(pm_record_type_find(task->facts.answer), name) != NULL ||
         pm_record_find_field(pm_record_type_find(task->facts.run), name) != NULL;
}

static void check_names(const pm__task *task, const char *list, const char *field)
{
  char name[PM__TASK_FORMULA_NAME];
  while (pm__task_formula_next(&list, name))
    ck_assert_msg(is_known(task, name), "%s of %s: \"%s\" is nothing", field, task->facts.name, name);
}

START_TEST(formulas_name_what_there_is)
{
  pm__task_formula formula;
  for (int32_t t = 0; t < PM_TASK_COUNT; t++) {
    const pm__task *task = pm__task_at(t);
    const pm_record_type *type = pm_record_type_find(task->facts.answer);
    for (size_t i = 0; i < type->field_count; i++) {
      pm__task_formula_find(task, type->fields[i].name, &formula);
      if (formula.exact) check_names(task, formula.text, formula.field);
      check_names(task, formula.inputs, formula.field);
      if (formula.like[0] != '\0') ck_assert_ptr_nonnull(pm_record_find_field(type, formula.like));
    }
  }
}
END_TEST

/* The value of the line of a report that is labelled so. */
static const pm_report_line *line_of(const pm_report *report, const char *block, const char *label)
{
  const pm_report_block *b;
  for (size_t i = 0; (b = pm_report_get_block(report, i)) != NULL; i++)
    for (size_t j = 0; strcmp(b->name, block) == 0 && j < b->count; j++)
      if (strcmp(b->lines[j].label, label) == 0) return &b->lines[j];
  return NULL;
}

static double input_of(const void *of, const char *name)
{
  const pm_report_line *line = line_of((const pm_report *)of, "explained_inputs", name);
  return line != NULL ? line->value : (double)NAN;
}

/* A plain sum has its terms as parts; what is 0 is no part. */
static double part_of(const void *of, const char *name)
{
  const pm_report_line *line = line_of((const pm_report *)of, "explained_parts", name);
  return line != NULL ? line->value : 0;
}

static void check_expression(const answered *a, const pm__task_formula *f, const pm_field *field,
                             const pm_report *report)
{
  char terms[PM__TASK_PARTS][PM__TASK_FORMULA_NAME];
  bool sum = pm__task_formula_terms(f, terms) > 0;
  double is = pm_record_get_number(field, &a->answer);
  double said = pm__task_formula_evaluate(f->text, sum ? part_of : input_of, report);
  if (isnan(is)) return;
  ck_assert_msg(fabs(said - is) <= 1e-9 * fabs(is), "%s of %s: %s is %.17g, and the formula gives %.17g", field->name,
                a->facts->name, f->text, is, said);
}

START_TEST(expressions_give_the_field)
{
  answered a;
  pm__task_formula formula;
  ask(&a, &questions[_i]);
  for (size_t i = 0; i < a.type->field_count; i++) {
    pm_error error = PM_ERROR_NONE;
    const pm_field *field = &a.type->fields[i];
    pm_report *report = explain(&a, field->name, &error);
    ck_assert_msg(report != NULL, "%s: %s", field->name, error.text);
    if (pm__task_formula_find(pm__task_at(questions[_i].task), field->name, &formula) && formula.exact &&
        pm_record_get_number(field, &a.answer) != 0)
      check_expression(&a, &formula, field, report);
    pm_report_free(report);
  }
  release(&a);
}
END_TEST

static void check_sums(const pm_report *report, double whole, const char *field)
{
  const pm_report_block *b;
  double sum = 0, shares = 0;
  for (size_t i = 0; (b = pm_report_get_block(report, i)) != NULL; i++)
    for (size_t j = 0; j < b->count; j++) {
      if (strcmp(b->name, "explained_parts") == 0) sum += b->lines[j].value;
      if (strcmp(b->name, "explained_spread") == 0) shares += b->lines[j].share;
    }
  if (sum != 0) ck_assert_msg(sum == whole, "%s is %.17g, its parts give %.17g", field, whole, sum);
  if (shares != 0) ck_assert_msg(fabs(shares - 1) < 1e-12, "%s: shares of the variance give %.17g", field, shares);
}

START_TEST(parts_add_up_to_the_bit)
{
  answered a;
  int summed = 0;
  ask(&a, &questions[_i]);
  for (size_t i = 0; i < a.type->field_count; i++) {
    const pm_field *field = &a.type->fields[i];
    pm_report *report = explain(&a, field->name, NULL);
    const pm_report_block *b;
    for (size_t k = 0; (b = pm_report_get_block(report, k)) != NULL; k++)
      summed += strcmp(b->name, "explained_parts") == 0;
    check_sums(report, pm_record_get_number(field, &a.answer), field->name);
    pm_report_free(report);
  }
  if (questions[_i].task != PM_TASK_SERVING) ck_assert_int_ge(summed, 2);
  release(&a);
}
END_TEST

/* The variance that is divided up is that of the interval. */
START_TEST(spreads_make_the_interval)
{
  answered a;
  const pm_report_block *b;
  double variance = 0;
  ask(&a, &questions[_i]);
  const pm__task_outcome o = pm__task_at(questions[_i].task)->read(&a.answer);
  const char *field = questions[_i].task == PM_TASK_SERVING ? "output_rate" : "throughput";
  pm_report *report = explain(&a, field, NULL);
  for (size_t i = 0; (b = pm_report_get_block(report, i)) != NULL; i++)
    for (size_t j = 0; strcmp(b->name, "explained_spread") == 0 && j < b->count; j++) variance += b->lines[j].value;
  double spread = log(o.throughput_p90 / o.throughput);
  ck_assert_double_gt(variance, 0);
  ck_assert_msg(fabs(1.2815515655446004 * sqrt(variance) - spread) < 1e-9, "%.17g and %.17g", sqrt(variance), spread);
  pm_report_free(report);
  release(&a);
}
END_TEST

START_TEST(unknown_fields_are_refused)
{
  answered a;
  pm_error error = PM_ERROR_NONE;
  ask(&a, &questions[0]);
  ck_assert_ptr_null(explain(&a, "step_tim", &error));
  ck_assert_ptr_nonnull(strstr(error.text, "did you mean \"step_time\"?"));
  error = (pm_error)PM_ERROR_NONE;
  ck_assert_ptr_null(explain(&a, NULL, &error));
  ck_assert_int_eq(error.status, PM_STATUS_NOT_FOUND);
  release(&a);
}
END_TEST

START_TEST(expressions_are_read)
{
  ck_assert_double_eq(pm__task_formula_evaluate("2 + 3 * (4 - 1) / 2", NULL, NULL), 6.5);
  ck_assert_double_eq(pm__task_formula_evaluate("ceil(7 / 2)", NULL, NULL), 4);
  ck_assert(isnan(pm__task_formula_evaluate("2 + ", NULL, NULL)));
  ck_assert(isnan(pm__task_formula_evaluate("(2", NULL, NULL)));
  ck_assert(isnan(pm__task_formula_evaluate("2 2", NULL, NULL)));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("formula");
  TCase *tests = tcase_create("formula");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, every_field_has_a_formula);
  tcase_add_test(tests, formulas_name_what_there_is);
  tcase_add_loop_test(tests, expressions_give_the_field, 0, QUESTIONS);
  tcase_add_loop_test(tests, parts_add_up_to_the_bit, 0, QUESTIONS);
  tcase_add_loop_test(tests, spreads_make_the_interval, 0, QUESTIONS);
  tcase_add_test(tests, unknown_fields_are_refused);
  tcase_add_test(tests, expressions_are_read);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
