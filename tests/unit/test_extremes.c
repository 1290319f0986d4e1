/*
** Extreme values of every field of the runs of every task, one by one and in pairs of counts, made from the field
** tables: each run is predicted with finite numbers, or refused with a message. Under the sanitizer of integers
** (scripts/sanitize.sh integer) no product of fields wraps. PM_COUNT_MAX is where counts end.
*/
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "fixtures.h"
#include "shipped.h"

static const double extremes[] = {-2147483647.0, -1, -0.0, 0, 5e-324, 1e-300, 0.5, 1, 2, 3, 7, 65536, PM_COUNT_MAX - 1,
                                  PM_COUNT_MAX, PM_COUNT_MAX + 1.0, 536870913, 1073741824, 2147483647, 2147483648.0,
                                  9007199254740992.0, 1e19, 1e300, (double)NAN, (double)INFINITY};
static const double counts[] = {2, 4096, PM_COUNT_MAX, 536870913, 2147483647};

enum { EXTREMES = sizeof extremes / sizeof extremes[0], COUNTS = sizeof counts / sizeof counts[0] };

typedef union any_run {
  pm_run training;
  pm_inference_run inference;
  pm_serving_run serving;
} any_run;

typedef union any_answer {
  pm_prediction training;
  pm_inference inference;
  pm_serving serving;
} any_answer;

enum { DRAWN = 4096 };

typedef struct asked {
  int32_t task;
  pm_study *study;
  const pm_record_type *type, *answer;
  uint64_t *drawn; /* hashes of answers in pairs of counts whose traces were written: NULL, each run has its own */
} asked;

/* A field that users give, by number. */
static bool is_asked(const pm_field *field)
{
  return field->kind != PM_FIELD_TEXT && (field->option == NULL || field->option[0] != '\0');
}

static void set(const asked *a, const pm_field *field, double value, any_run *run, pm_given *given)
{
  if (pm_record_set_number(field, run, value, NULL) == PM_OK)
    pm_given_add(given, a->type->name, field->name);
}

static double number_of(const asked *a, const char *name, const any_answer *answer)
{
  return pm_record_get_number(pm_record_find_field(a->answer, name), answer);
}

/* No number of an answer is negative, and what has no answer says why. */
static void must_be_answered(const asked *a, const pm_plan *plan, const any_run *run, any_answer *answer,
                             const char *what)
{
  pm_error error = PM_ERROR_NONE;
  memset(answer, 0, sizeof *answer);
  pm_task_predict(plan, a->task, ~0u, run, a->type->size, answer, a->answer->size, 1);
  int status = pm_task_check(plan, a->task, run, a->type->size, &error);
  ck_assert_msg((status == PM_OK) == (error.text[0] == '\0'), "%s: status %d, \"%s\"", what, status, error.text);
  if (number_of(a, "status", answer) != PM_OK) return;
  for (size_t i = 0; i < a->answer->field_count; i++) {
    const pm_field *field = &a->answer->fields[i];
    double value = field->kind == PM_FIELD_TEXT ? 0 : pm_record_get_number(field, answer);
    ck_assert_msg(!(value < 0), "%s: %s is %g", what, field->name, value);
  }
}

/* Two counts that change nothing of an answer give a trace that was written already, often one of megabytes:
** they took three quarters of the time. Each count by itself has its trace in any case. */
static bool is_drawn(const asked *a, const any_answer *answer)
{
  uint64_t hash = 14695981039346656037u;
  if (a->drawn == NULL) return false;
  for (size_t i = 0; i < sizeof *answer; i++) hash = (hash ^ ((const unsigned char *)answer)[i]) * 1099511628211u;
  bool known = a->drawn[hash % DRAWN] == hash;
  a->drawn[hash % DRAWN] = hash;
  return known;
}

static void ask(const asked *a, const any_run *run, const pm_given *given, const char *what)
{
  any_run own = *run;
  any_answer answer;
  pm_memory_use use;
  pm_error error = PM_ERROR_NONE;
  int status = pm_study_complete(a->study, given, &own, &own, a->type->size, 1, &error);
  ck_assert_msg((status == PM_OK) == (error.text[0] == '\0'), "%s: status %d, \"%s\"", what, status, error.text);
  ck_assert_msg(strchr(error.text, '\n') == NULL, "%s: %s", what, error.text);
  const pm_plan *plan = pm_study_get_plan(a->study, NULL);
  ck_assert(plan != NULL);
  must_be_answered(a, plan, &own, &answer, what);
  pm_task_get_memory(plan, a->task, &own, a->type->size, &use, sizeof use, NULL);
  if (a->task != PM_TASK_TRAINING) return;
  pm_stage stages[2];
  pm_prediction_get_stages(plan, &own.training, stages, 2, NULL);
  if (own.training.nodes <= 64 && !is_drawn(a, &answer))
    pm_string_free(pm_prediction_format_trace(plan, &own.training, NULL));
}

/* ---- Where fields are extreme ---- */

static void one_by_one(const asked *a, const any_run *base, const pm_given *given)
{
  for (size_t i = 0; i < a->type->field_count; i++)
    for (int k = 0; k < EXTREMES && is_asked(&a->type->fields[i]); k++) {
      any_run run = *base;
      pm_given all = *given;
      char what[96];
      snprintf(what, sizeof what, "%s %.17g", a->type->fields[i].name, extremes[k]);
      set(a, &a->type->fields[i], extremes[k], &run, &all);
      ask(a, &run, &all, what);
    }
}

static void in_pairs(const asked *a, const any_run *base, const pm_given *given, const pm_field *x, const pm_field *y)
{
  for (int k = 0; k < COUNTS * COUNTS; k++) {
    any_run run = *base;
    pm_given all = *given;
    char what[128];
    snprintf(what, sizeof what, "%s %.0f, %s %.0f", x->name, counts[k / COUNTS], y->name, counts[k % COUNTS]);
    set(a, x, counts[k / COUNTS], &run, &all);
    set(a, y, counts[k % COUNTS], &run, &all);
    ask(a, &run, &all, what);
  }
}

static void all_pairs(const asked *a, const any_run *base, const pm_given *given)
{
  const pm_field *fields = a->type->fields;
  for (size_t i = 0; i < a->type->field_count; i++)
    for (size_t j = 0; j < i; j++)
      if (fields[i].kind == PM_FIELD_INT && fields[j].kind == PM_FIELD_INT && is_asked(&fields[i]) &&
          is_asked(&fields[j]))
        in_pairs(a, base, given, &fields[i], &fields[j]);
}

/* ---- What they are extremes of ---- */

/* Fields by name, where the task has them. */
static void start(const asked *a, any_run *run, pm_given *given)
{
  static const struct {
    const char *name;
    double value;
  } all[] = {{"gpus", 8}, {"nodes", 4}, {"ignore_memory", 1}, {"tensor_parallel", 2}, {"pipeline_parallel", 2},
             {"zero", 1}, {"batch", 16}, {"micro_batch", 1}, {"recompute", 1}};
  *given = (pm_given){0};
  pm_record_fill(a->type->name, run, a->type->size);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    const pm_field *field = pm_record_find_field(a->type, all[i].name);
    if (field != NULL) set(a, field, all[i].value, run, given);
  }
}

static void extremes_of(int32_t task, const char *name)
{
  any_run run;
  pm_given given;
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network(name);
  pm_system *system = build_system("dgx-a100");
  const pm_study_setup setup = {catalog, (const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1,
                                NULL, 0, task};
  asked a = {task, pm_study_new(&setup, &error), pm_record_type_find(pm_task_get(task)->run),
             pm_record_type_find(pm_task_get(task)->answer), NULL};
  ck_assert_msg(a.study != NULL, "%s", error.text);
  start(&a, &run, &given);
  one_by_one(&a, &run, &given);
  uint64_t drawn[DRAWN] = {0};
  a.drawn = drawn;
  all_pairs(&a, &run, &given);
  pm_study_free(a.study);
  pm_system_free(system);
  pm_network_free(network);
}

START_TEST(extreme_fields_are_predicted_or_refused)
{
  for (int32_t task = 0; task < PM_TASK_COUNT; task++) {
    extremes_of(task, "gpt2");
    extremes_of(task, "mixtral-8x7b");
  }
}
END_TEST

/* Products that wrapped to small numbers: 8 x 536870913 = 8, modulo 2^32. */
START_TEST(a_count_above_the_limit_is_refused_with_it)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network("gpt2");
  pm_system *system = build_system("dgx-a100");
  pm_plan *plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, &error);
  pm_run run = pm_run_make();
  run.gpus = run.pipeline_parallel = 8;
  run.batch = 64;
  run.micro_batch = 1;
  run.virtual_pipeline = 536870913;
  ck_assert_int_eq(pm_run_check(plan, &run, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(error.text, "virtual_pipeline 536870913 is more than 1048576, the most that is modelled");
  pm_plan_free(plan);
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

/* ---- Groups and networks of many nodes ---- */

static const char many_ports[] =
  "<perfmodel version=\"1\"><system id=\"ports\" name=\"P\"><gpu>v100-sxm2-16gb</gpu><gpus>2</gpus>"
  "<graph><vertex kind=\"cpu\" names=\"cpu0\"/><link type=\"pcie3-x16\" from=\"cpu0\" to=\"gpu0 gpu1\"/></graph>"
  "<network link=\"ethernet-10g\" count=\"1000\"/></system></perfmodel>";

typedef struct chosen {
  const char *type, *answer;
  int (*ask)(const pm_system *system, const void *choice, void *answer, pm_error *error);
} chosen;

static int ask_group(const pm_system *system, const void *choice, void *answer, pm_error *error)
{
  pm_call call = pm_call_make();
  pm_group *group = pm_group_new(system, NULL, 2, (const pm_group_choice *)choice, error);
  if (group == NULL) return error->status;
  for (int c = 0; c < PM_COLLECTIVE_COUNT; c++) {
    call.collective = c;
    pm_group_evaluate(group, &call, (pm_collective_time *)answer, 1);
  }
  pm_group_free(group);
  return PM_OK;
}

static int ask_fabric(const pm_system *system, const void *choice, void *answer, pm_error *error)
{
  return pm_fabric_evaluate(system, (const pm_fabric_choice *)choice, (pm_fabric *)answer, error);
}

/* Counts above the limit are refused, and what is answered is not negative. */
static void must_be_bounded(const chosen *c, const pm_system *system, const pm_field *field, const void *given,
                            double value)
{
  union {
    pm_collective_time time;
    pm_fabric fabric;
  } answer;
  pm_error error = PM_ERROR_NONE;
  const pm_record_type *type = pm_record_type_find(c->answer);
  pm_record_fill(type->name, &answer, type->size);
  int status = c->ask(system, given, &answer, &error);
  ck_assert_msg((status == PM_OK) == (error.text[0] == '\0'), "%s %g: \"%s\"", field->name, value, error.text);
  if (field->kind == PM_FIELD_INT && value > PM_COUNT_MAX) ck_assert_msg(status != PM_OK, "%s %g", field->name, value);
  for (size_t i = 0; status == PM_OK && i < type->field_count; i++)
    if (type->fields[i].kind != PM_FIELD_TEXT)
      ck_assert_msg(!(pm_record_get_number(&type->fields[i], &answer) < 0), "%s %g: %s", field->name, value,
                    type->fields[i].name);
}

START_TEST(extreme_choices_of_groups_and_fabrics_are_answered_or_refused)
{
  static const chosen all[] = {{"group", "collective", ask_group}, {"fabric_choice", "fabric", ask_fabric}};
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_catalog_load_text(catalog, many_ports, "ports", &error) == PM_OK, "%s", error.text);
  pm_system *system = build_system("ports");
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    const pm_record_type *type = pm_record_type_find(all[k].type);
    for (size_t i = 0; i < type->field_count; i++)
      for (int e = 0; e < EXTREMES; e++) {
        union {
          pm_group_choice group;
          pm_fabric_choice fabric;
        } given;
        pm_record_fill(type->name, &given, type->size);
        if (pm_record_set_number(&type->fields[i], &given, extremes[e], NULL) == PM_OK)
          must_be_bounded(&all[k], system, &type->fields[i], &given, extremes[e]);
      }
  }
  pm_system_free(system);
}
END_TEST

/* Of a prime nothing is tried but 1, in steps of its root. */
START_TEST(the_largest_divisor_is_found)
{
  for (int number = 1; number <= 60; number++)
    for (int most = 1; most <= 70; most++) {
      int want = most < number ? most : number;
      while (number % want != 0) want--;
      ck_assert_double_eq(pm__largest_divisor(number, most), want);
    }
  ck_assert_double_eq(pm__largest_divisor(1000000007, 5e8), 1);
  ck_assert_double_eq(pm__largest_divisor(2147483646, 1073741824), 1073741823);
}
END_TEST

START_TEST(cables_that_no_field_holds_are_refused)
{
  pm_fabric fabric;
  pm_error error = PM_ERROR_NONE;
  pm_fabric_choice choice = pm_fabric_choice_make();
  ck_assert_msg(pm_catalog_load_text(catalog, many_ports, "ports", &error) == PM_OK, "%s", error.text);
  pm_system *system = build_system("ports");
  choice.nodes = PM_COUNT_MAX;
  choice.switch_ports = 4096;
  ck_assert_int_eq(pm_fabric_evaluate(system, &choice, &fabric, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_msg(strstr(error.text, "cables; the maximum is 2147483647") != NULL, "%s", error.text);
  pm_system_free(system);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("extremes");
  TCase *tests = tcase_create("extremes");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 600); /* of what never ends, on a machine that has other work too */
  tcase_add_test(tests, a_count_above_the_limit_is_refused_with_it);
  tcase_add_test(tests, extreme_fields_are_predicted_or_refused);
  tcase_add_test(tests, extreme_choices_of_groups_and_fabrics_are_answered_or_refused);
  tcase_add_test(tests, the_largest_divisor_is_found);
  tcase_add_test(tests, cables_that_no_field_holds_are_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
