/* Sizing of serving: the rate found is the largest, ranks, layouts that were given stay, what cannot be reached. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "shipped.h"

typedef struct bench {
  pm_network *network;
  pm_system *system;
  pm_study *study;
  const pm_plan *plan;
  pm_serving_run run;
  pm_given given;
  pm_serving_goal goal;
} bench;

/* A model on a server: 20 requests/s within 1 s and 40 ms. */
static void open_bench(bench *b, const char *model)
{
  pm_error error = PM_ERROR_NONE;
  memset(b, 0, sizeof *b);
  b->network = build_network(model);
  b->system = build_system("hgx-h100");
  const pm_study_setup setup = {.catalog = catalog, .networks = (const pm_network *const *)&b->network,
                                .network_count = 1, .systems = (const pm_system *const *)&b->system,
                                .system_count = 1, .task = PM_TASK_SERVING};
  b->study = pm_study_new(&setup, &error);
  ck_assert_msg(b->study != NULL, "%s", error.text);
  b->run = pm_serving_run_make();
  b->run.rate = 20;
  b->run.percentile = 0.95;
  pm_given_add(&b->given, "serving_run", "rate");
  b->goal = pm_serving_goal_make();
  b->goal.ttft = 1;
  b->goal.tpot = 0.04;
  int status = pm_study_complete(b->study, &b->given, &b->run, &b->run, sizeof b->run, 1, &error);
  ck_assert_msg(status == PM_OK, "%s", error.text);
  b->plan = pm_study_get_plan(b->study, &error);
}

static void close_bench(bench *b)
{
  pm_study_free(b->study);
  pm_network_free(b->network);
  pm_system_free(b->system);
}

static pm_table *rows_of(const bench *b, const double *prices, pm_error *error)
{
  const pm_serving_goal_setup setup = {b->plan, &b->given, &b->run, sizeof b->run, 1, prices};
  return pm_study_tabulate_serving(b->study, &setup, &b->goal, error);
}

static double at(const pm_table *table, const char *name, size_t row)
{
  size_t column = 0;
  while (strcmp(pm_table_get_column(table, column)->name, name) != 0) column++;
  return pm_table_get_numbers(table, column)[row];
}

/* One replica of the layout in a row, in an open loop. */
static pm_serving answer_of(const bench *b, const pm_table *table, size_t row, double rate)
{
  pm_serving p;
  pm_serving_run run = b->run;
  run.arrivals = PM_ARRIVALS_OPEN;
  run.tensor_parallel = (int32_t)at(table, "tp", row);
  run.gpus = (int32_t)at(table, "replica_gpus", row);
  run.nodes = 1;
  run.rate = rate;
  ck_assert_int_eq(pm_serve(b->plan, &run, &p, 1), PM_OK);
  return p;
}

START_TEST(the_rate_is_the_largest)
{
  bench b;
  open_bench(&b, "llama3-8b");
  pm_table *table = rows_of(&b, NULL, NULL);
  ck_assert_uint_eq(pm_table_count_rows(table), 4);
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    double rate = at(table, "replica_rate", i);
    const pm_serving p = answer_of(&b, table, i, rate), more = answer_of(&b, table, i, 1.01 * rate);
    ck_assert(p.ttft_percentile <= 1 && p.tpot_percentile <= 0.04);
    ck_assert(more.ttft_percentile > 1 || more.tpot_percentile > 0.04 ||
              more.bottleneck == PM_SERVING_LIMIT_OVERLOAD);
    ck_assert_double_eq(at(table, "replicas", i), ceil(20 / rate));
    ck_assert_double_eq(at(table, "gpus", i), at(table, "replicas", i) * at(table, "replica_gpus", i));
    if (i > 0) ck_assert(at(table, "gpus", i) >= at(table, "gpus", i - 1));
  }
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

/* A table, or why there is none. */
static void check_answer(const bench *b, const char *field, double value)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = rows_of(b, NULL, &error);
  ck_assert_msg((table != NULL) == (error.status == PM_OK), "%s %g: %s", field, value, error.text);
  pm_table_free(table);
}

/* Products of degrees wrapped to none, by which GPUs were divided. */
START_TEST(extreme_counts_are_sized_or_refused)
{
  static const char *const degrees[] = {"tensor_parallel", "pipeline_parallel", "attention_parallel",
                                        "expert_parallel", "prefill_workers", "prefill_tensor_parallel",
                                        "prefill_attention_parallel", "prefill_expert_parallel"};
  static const double values[] = {0, 3, 65536, 1e6, 536870912, 1073741824, 2147483647};
  static const int32_t layouts[] = {PM_SERVING_LAYOUTS_TENSOR, PM_SERVING_LAYOUTS_GIVEN, PM_SERVING_LAYOUTS_ALL};
  const pm_record_type *type = pm_record_type_find("serving_run");
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++) {
    bench b;
    open_bench(&b, "gpt2");
    const pm_serving_run run = b.run;
    pm_given_add(&b.given, "serving_run", degrees[i]);
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
      for (size_t l = 0; l < 3; l++) {
        b.run = run;
        b.goal.layouts = layouts[l];
        b.run.pipeline_parallel = b.run.tensor_parallel = 8;
        pm_record_set_number(pm_record_find_field(type, degrees[i]), &b.run, values[v], NULL);
        check_answer(&b, degrees[i], values[v]);
      }
    close_bench(&b);
  }
}
END_TEST

START_TEST(as_many_layouts_as_there_may_be_are_walked_in_time)
{
  bench b;
  pm_error error = PM_ERROR_NONE;
  open_bench(&b, "gpt2");
  b.goal.layouts = PM_SERVING_LAYOUTS_ALL;
  b.goal.max_gpus = PM_COUNT_MAX;
  b.goal.max_workers = 32;
  check_answer(&b, "max_gpus", PM_COUNT_MAX);
  b.goal.max_workers = 33;
  ck_assert_ptr_null(rows_of(&b, NULL, &error));
  ck_assert_str_eq(error.text, "max_workers 33 is not from 1 to 32");
  b.goal.max_gpus = INT32_MAX;
  ck_assert_ptr_null(rows_of(&b, NULL, NULL));
  close_bench(&b);
}
END_TEST

START_TEST(more_nodes_than_gpus_need_there_are_not)
{
  bench b;
  open_bench(&b, "llama3-8b");
  pm_table *table = rows_of(&b, NULL, NULL);
  for (size_t i = 0; i < pm_table_count_rows(table); i++)
    ck_assert_double_eq(at(table, "nodes", i), ceil(at(table, "gpus", i) / 8));
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

START_TEST(prices_change_costs_only)
{
  bench b;
  double price = 3;
  open_bench(&b, "llama3-8b");
  pm_table *free_of_charge = rows_of(&b, NULL, NULL), *priced = rows_of(&b, &price, NULL);
  for (size_t i = 0; i < pm_table_count_rows(priced); i++) {
    ck_assert_double_eq(at(priced, "gpus", i), at(free_of_charge, "gpus", i));
    ck_assert(isnan(at(free_of_charge, "output_cost", i)));
    ck_assert_double_eq(at(priced, "paid_gpus", i), 8 * at(priced, "nodes", i));
    double cost = price * at(priced, "paid_gpus", i) / 3600 / (20 * b.run.osl) * 1e6;
    ck_assert_double_eq_tol(at(priced, "output_cost", i), cost, 1e-9 * cost);
  }
  pm_table_free(free_of_charge);
  pm_table_free(priced);
  close_bench(&b);
}
END_TEST

/* By what an output token takes; the rate is answered all the same. */
START_TEST(least_energy_first)
{
  bench b;
  open_bench(&b, "llama3-8b");
  b.run.carbon = 300;
  b.goal.minimize = PM_MINIMIZE_CARBON;
  pm_table *table = rows_of(&b, NULL, NULL);
  size_t count = pm_table_count_rows(table);
  ck_assert_uint_ge(count, 3);
  for (size_t i = 0; i + 1 < count && at(table, "rank", i + 1) > 0; i++)
    ck_assert_double_le(at(table, "output_energy", i), at(table, "output_energy", i + 1));
  double energy = at(table, "output_energy", 0), drawn = at(table, "power", 0);
  ck_assert_double_eq_tol(at(table, "output_carbon", 0) / (energy / 3.6e6 * 300 * 1e6), 1, 1e-9);
  ck_assert_double_eq_tol(energy * 20 * b.run.osl / drawn, 1, 0.02);
  pm_table_free(table);
  b.goal.front = 1;
  ck_assert_ptr_null(rows_of(&b, NULL, NULL));
  close_bench(&b);
}
END_TEST

/* Without a rate the replicas are as many as a budget feeds; with one, more nodes are out of reach. */
START_TEST(budgets_are_kept_to)
{
  bench b;
  open_bench(&b, "llama3-8b");
  double node = pm_system_get_machine(b.system)->power;
  b.run.power_budget = 3.5 * node;
  b.run.rate = NAN;
  pm_table *table = rows_of(&b, NULL, NULL);
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    if (at(table, "rank", i) == 0) continue;
    ck_assert_double_eq(at(table, "nodes", i), 3);
    ck_assert_double_eq(at(table, "gpus", i), 24);
    double rate = at(table, "replicas", i) * at(table, "replica_rate", i);
    ck_assert_double_eq_tol(at(table, "request_rate", i), rate, 1e-6);
    ck_assert_double_le(at(table, "power", i), b.run.power_budget);
  }
  pm_table_free(table);
  b.run.rate = 1e4;
  table = rows_of(&b, NULL, NULL);
  for (size_t i = 0; i < pm_table_count_rows(table); i++) ck_assert_double_eq(at(table, "rank", i), 0);
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

START_TEST(what_is_given_stays)
{
  bench b;
  open_bench(&b, "mixtral-8x7b");
  b.goal.layouts = PM_SERVING_LAYOUTS_ALL;
  b.run.tensor_parallel = 4;
  b.run.prefill_workers = 0;
  pm_given_add(&b.given, "serving_run", "tensor_parallel");
  pm_given_add(&b.given, "serving_run", "prefill_workers");
  pm_table *table = rows_of(&b, NULL, NULL);
  double experts = 1, precision = at(table, "precision", 0);
  bool varied = false;
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    ck_assert_double_eq(at(table, "tp", i), 4);
    ck_assert_double_eq(at(table, "prefill_workers", i), 0);
    experts = fmax(experts, at(table, "ep", i));
    varied = varied || at(table, "precision", i) != precision;
  }
  ck_assert(experts > 1 && varied);
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

/* Without limits the fullest layout would win, whose requests wait for minutes. */
START_TEST(limits_that_are_assumed)
{
  bench b;
  open_bench(&b, "llama3-70b");
  b.goal.ttft = b.goal.tpot = NAN;
  b.goal.layouts = PM_SERVING_LAYOUTS_ALL;
  b.run.rate = NAN;
  for (b.run.isl = 1024; b.run.isl <= 8192; b.run.isl *= 8) {
    pm_table *table = rows_of(&b, NULL, NULL);
    ck_assert_uint_gt(pm_table_count_rows(table), 20);
    for (size_t i = 0; i < pm_table_count_rows(table); i++) {
      ck_assert_double_le(at(table, "ttft", i), b.run.isl > 2048 ? 2 + 6.144 : 2);
      ck_assert_double_le(at(table, "tpot", i), 0.2);
    }
    pm_table_free(table);
  }
  b.goal.ttft = b.goal.tpot = INFINITY;
  pm_table *table = rows_of(&b, NULL, NULL);
  double longest = 0;
  for (size_t i = 0; i < 10; i++) longest = fmax(longest, at(table, "ttft", i));
  ck_assert_double_gt(longest, 60);
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

/* A replica that fills no node pays for what no other fits in; with a rate for whole nodes. */
START_TEST(whole_nodes_are_paid_for)
{
  bench b;
  double price = 2;
  open_bench(&b, "llama3-8b");
  b.goal.layouts = PM_SERVING_LAYOUTS_ALL;
  b.run.rate = NAN;
  pm_table *table = rows_of(&b, &price, NULL);
  bool odd = false;
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    double each = at(table, "replica_gpus", i), paid = at(table, "paid_gpus", i);
    ck_assert_double_ge(paid, each);
    ck_assert_double_eq_tol(paid, each <= 8 ? 8 / floor(8 / each) : 8 * ceil(each / 8), 1e-12);
    ck_assert_double_eq_tol(at(table, "hour_cost", i), price * paid, 1e-9);
    odd = odd || paid > each;
  }
  ck_assert(odd);
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

START_TEST(experts_on_some_of_the_gpus)
{
  bench b;
  bool some = false;
  open_bench(&b, "mixtral-8x7b");
  b.goal.layouts = PM_SERVING_LAYOUTS_ALL;
  b.goal.max_workers = 1;
  b.run.attention_parallel = 2;
  pm_given_add(&b.given, "serving_run", "attention_parallel");
  pm_table *table = rows_of(&b, NULL, NULL);
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    ck_assert_double_le(at(table, "ep", i), 8); /* a layer has eight */
    some = some || (at(table, "ep", i) > 1 && at(table, "ep", i) < 2 * at(table, "tp", i));
  }
  ck_assert(some);
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

START_TEST(a_report_has_the_best_and_the_front)
{
  bench b;
  pm_error error = PM_ERROR_NONE;
  open_bench(&b, "llama3-8b");
  pm_serving_goal front = b.goal;
  front.front = 1;
  pm_table *table = rows_of(&b, NULL, NULL);
  b.goal = front;
  pm_table *others = rows_of(&b, NULL, NULL);
  const pm_report_question asked = {.of = PM_REPORT_OF_SERVING, .given = &b.given, .runs = &b.run,
                                    .run_size = sizeof b.run, .goal = &b.goal, .table = table, .front = others};
  pm_report *report = pm_study_new_report(b.study, &asked, &error);
  ck_assert_msg(report != NULL, "%s", error.text);
  char *text = pm_report_format(report, PM_RENDERING_TEXT, 100, NULL);
  static const char *const parts[] = {"Serving Llama 3 8B: 20 requests/s", "of at most 1 s", "of at most 40 ms",
                                      "of 32768", "Front: tokens/s of a GPU over tokens/s of a user"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) ck_assert_ptr_nonnull(strstr(text, parts[i]));
  const pm_report_question empty = {.of = PM_REPORT_OF_SERVING, .given = &b.given, .runs = &b.run,
                                    .run_size = sizeof b.run, .goal = &b.goal};
  ck_assert_ptr_null(pm_study_new_report(b.study, &empty, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "needs runs, a goal and their table"));
  pm_string_free(text);
  pm_report_free(report);
  pm_table_free(others);
  pm_table_free(table);
  close_bench(&b);
}
END_TEST

START_TEST(what_cannot_be_reached)
{
  bench b;
  pm_error beyond = PM_ERROR_NONE, negative = PM_ERROR_NONE, found = PM_ERROR_NONE;
  open_bench(&b, "llama3-8b");
  b.goal.ttft = 1e-6;
  pm_table *table = rows_of(&b, NULL, NULL);
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    ck_assert_double_eq(at(table, "rank", i), 0);
    ck_assert(at(table, "ttft", i) > 1e-6 && isnan(at(table, "replica_rate", i)));
  }
  pm_table_free(table);
  b.goal.layouts = PM_SERVING_LAYOUTS_ALL;
  ck_assert_ptr_null(rows_of(&b, NULL, &beyond));
  ck_assert_int_eq(beyond.status, PM_STATUS_UNREACHABLE);
  b.goal.ttft = -1;
  ck_assert_ptr_null(rows_of(&b, NULL, &negative));
  ck_assert_ptr_nonnull(strstr(negative.text, "ttft -1 is not positive"));
  b.goal.ttft = 1;
  pm_given_add(&b.given, "serving_run", "concurrency");
  ck_assert_ptr_null(rows_of(&b, NULL, &found));
  ck_assert_ptr_nonnull(strstr(found.text, "sizing determines concurrency"));
  close_bench(&b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("serving_goal");
  TCase *tests = tcase_create("serving_goal");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, the_rate_is_the_largest);
  tcase_add_test(tests, extreme_counts_are_sized_or_refused);
  tcase_add_test(tests, as_many_layouts_as_there_may_be_are_walked_in_time);
  tcase_add_test(tests, more_nodes_than_gpus_need_there_are_not);
  tcase_add_test(tests, prices_change_costs_only);
  tcase_add_test(tests, least_energy_first);
  tcase_add_test(tests, budgets_are_kept_to);
  tcase_add_test(tests, what_is_given_stays);
  tcase_add_test(tests, what_cannot_be_reached);
  tcase_add_test(tests, limits_that_are_assumed);
  tcase_add_test(tests, whole_nodes_are_paid_for);
  tcase_add_test(tests, experts_on_some_of_the_gpus);
  tcase_add_test(tests, a_report_has_the_best_and_the_front);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
