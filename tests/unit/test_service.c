/* Sizing for inference: what is found is enough, one node fewer is not, and no larger batch would do. */
#include <math.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include "fixtures.h"
#include "search/size.h"
#include "shipped.h"

enum { SYSTEMS = 3, CHOICES = 2 * SYSTEMS };

typedef struct bench {
  pm_network *network;
  pm_system *systems[SYSTEMS];
  pm_plan *plan;
  pm_inference_run runs[CHOICES];
  double prices[CHOICES];
  pm_size_setup setup;
} bench;

static void open_bench(bench *b)
{
  static const char *const names[SYSTEMS] = {"t4", "dgx1-v100", "c4140-v100-pcie"};
  pm_error error = PM_ERROR_NONE;
  pm_inference_profile profile;
  memset(b, 0, sizeof *b);
  b->network = build_network("resnet50");
  for (int i = 0; i < SYSTEMS; i++) b->systems[i] = build_system(names[i]);
  for (int i = 0; i < CHOICES; i++) {
    b->runs[i] = pm_inference_run_make();
    b->runs[i].system_index = i / 2;
    b->runs[i].gpus = (int32_t)pm_system_get_machine(b->systems[i / 2])->gpus;
    b->runs[i].precision = i % 2 ? PM_PRECISION_INT8 : PM_PRECISION_FP16;
    b->prices[i] = 1000 * (1 + i / 2);
  }
  ck_assert_int_eq(pm_catalog_get_inference(catalog, "tensorrt", &profile, NULL), PM_OK);
  const pm_network *network = b->network;
  b->plan = pm_plan_new(&network, 1, (const pm_system *const *)b->systems, SYSTEMS, &error);
  ck_assert_int_eq(pm_plan_add_inference_profile(b->plan, &profile, NULL, &error), 0);
  ck_assert_msg(b->plan != NULL, "%s", error.text);
  b->setup = (pm_size_setup){.plan = b->plan, .task = PM_TASK_INFERENCE, .choices = b->runs,
                             .run_size = sizeof b->runs[0], .prices = b->prices, .count = CHOICES};
}

static void close_bench(bench *b)
{
  pm_plan_free(b->plan);
  for (int i = 0; i < SYSTEMS; i++) pm_system_free(b->systems[i]);
  pm_network_free(b->network);
}

static pm_size_goal rate_of(double rate)
{
  pm_size_goal goal = pm_size_goal_make();
  goal.rate = rate;
  goal.latency = 10e-3;
  return goal;
}

/* In the order of the choices again. */
static int by_choice(const void *a, const void *b)
{
  return ((const pm_size_choice *)a)->choice - ((const pm_size_choice *)b)->choice;
}

static void size(const bench *b, const pm_size_goal *goal, pm_size_choice *rows)
{
  ck_assert_int_eq(pm_size_evaluate(&b->setup, goal, rows, NULL), PM_OK);
  qsort(rows, b->setup.count, sizeof *rows, by_choice);
}

START_TEST(enough_and_no_more)
{
  bench b;
  open_bench(&b);
  for (double rate = 1; rate < 1e6; rate *= 2.7)
    for (double latency = 2e-3; latency < 0.1; latency *= 3) {
      pm_size_choice rows[CHOICES];
      pm_size_goal goal = rate_of(rate);
      goal.latency = latency;
      size(&b, &goal, rows);
      for (int i = 0; i < CHOICES; i++) {
        const pm_size_choice *row = &rows[i];
        pm_inference_run run = b.runs[i];
        pm_inference p;
        run.gpus = 1;
        if (row->status == PM_STATUS_UNREACHABLE && row->nodes == 0) {
          ck_assert_int_eq(pm_inference_find_batch(b.plan, &run, latency, &p, NULL), PM_STATUS_UNREACHABLE);
          continue;
        }
        ck_assert_int_eq(pm_inference_find_batch(b.plan, &run, latency, &p, NULL), PM_OK);
        ck_assert_double_eq(row->batch, run.batch);
        ck_assert_double_le(row->latency, latency);
        double one = row->throughput / row->nodes;
        ck_assert_double_eq_tol(one / row->gpus * row->nodes / p.throughput, 1, 1e-12);
        if (row->status != PM_OK) ck_assert(row->nodes == 1024 && row->reached < 1);
        else ck_assert(row->throughput >= rate && one * (row->nodes - 1) < rate);
      }
    }
  close_bench(&b);
}
END_TEST

/* Ranks are a permutation, by what is to be least. */
START_TEST(ranks)
{
  bench b;
  open_bench(&b);
  for (int minimize = 0; minimize < PM_MINIMIZE_COUNT; minimize++) {
    pm_size_choice rows[CHOICES];
    pm_size_goal goal = rate_of(30000);
    bool seen[CHOICES + 1] = {false};
    goal.minimize = minimize;
    for (int i = 0; i < CHOICES; i++) b.runs[i].carbon = 400, b.runs[i].energy_price = 0.1;
    size(&b, &goal, rows);
    for (int i = 0; i < CHOICES; i++) {
      ck_assert(rows[i].rank >= 1 && rows[i].rank <= CHOICES && !seen[rows[i].rank]);
      seen[rows[i].rank] = true;
      for (int j = 0; j < CHOICES; j++)
        if (pm__size_objective(&rows[j], minimize) < pm__size_objective(&rows[i], minimize))
          ck_assert_int_lt(rows[j].rank, rows[i].rank);
    }
  }
  close_bench(&b);
}
END_TEST

/* Without a latency the batch is the run's; one choice that cannot be run does not stop the others. */
START_TEST(batches_of_ones_own)
{
  bench b;
  pm_size_choice rows[CHOICES];
  pm_size_goal goal = rate_of(1000);
  open_bench(&b);
  goal.latency = NAN;
  for (int i = 0; i < CHOICES; i++) b.runs[i].batch = 8;
  b.runs[1].batch = 0.5;
  b.runs[2].gpus = 99;
  size(&b, &goal, rows);
  ck_assert_double_eq(rows[0].batch, 8);
  ck_assert_int_eq(rows[0].status, PM_OK);
  ck_assert_int_eq(rows[1].status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(rows[2].status, PM_STATUS_TOO_MANY_GPUS);
  ck_assert(isnan(rows[1].throughput) && rows[1].rank == 0);
  close_bench(&b);
}
END_TEST

START_TEST(errors)
{
  bench b;
  pm_size_choice rows[CHOICES];
  open_bench(&b);
  for (int i = 0; i < 7; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_size_goal goal = rate_of(1000);
    pm_size_setup setup = b.setup;
    if (i == 0) goal.rate = NAN;
    if (i == 1) goal.rate = -1;
    if (i == 2) goal.latency = 0;
    if (i == 3) goal.pue = 0.5;
    if (i == 4) setup.plan = NULL;
    if (i == 5) b.prices[1] = -1;
    if (i == 6) b.prices[1] = 1, b.runs[2].profile_index = 7;
    ck_assert_int_eq(pm_size_evaluate(&setup, &goal, rows, &error), PM_STATUS_BAD_ARGUMENT);
    ck_assert(error.text[0] != '\0');
  }
  pm_size_goal goal = rate_of(1000);
  b.runs[2].profile_index = 0;
  ck_assert_int_eq(pm_size_find_front(&b.setup, &goal, rows, CHOICES, NULL), -1); /* replicas compare no counts */
  b.setup.task = PM_TASK_COUNT;
  ck_assert_int_eq(pm_size_evaluate(&b.setup, &goal, rows, NULL), PM_STATUS_BAD_ARGUMENT);
  close_bench(&b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("service");
  TCase *tests = tcase_create("service");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, enough_and_no_more);
  tcase_add_test(tests, ranks);
  tcase_add_test(tests, batches_of_ones_own);
  tcase_add_test(tests, errors);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
