/* Sizing: laws that hold whatever the constants are, and least counts against a plain search. */
#include <math.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include "fixtures.h"
#include "search/size.h"
#include "shipped.h"

enum { SYSTEMS = 3 };

typedef struct bench {
  pm_network *network;
  pm_system *systems[SYSTEMS];
  pm_plan *plan;
  pm_run runs[SYSTEMS];
  double prices[SYSTEMS];
  pm_size_setup setup;
} bench;

static void open_bench(bench *b)
{
  static const char *const names[SYSTEMS] = {"dgx1-v100", "dgx1-p100", "c4140-v100-pcie"};
  pm_error error = PM_ERROR_NONE;
  memset(b, 0, sizeof *b);
  b->network = build_network("resnet50");
  for (int i = 0; i < SYSTEMS; i++) {
    b->systems[i] = build_system(names[i]);
    b->runs[i] = pm_run_make();
    b->runs[i].system_index = i;
    b->runs[i].gpus = (int32_t)pm_system_get_machine(b->systems[i])->gpus;
    b->runs[i].batch = 64;
    b->prices[i] = 149000 - 30000 * i;
  }
  const pm_network *network = b->network;
  b->plan = pm_plan_new(&network, 1, (const pm_system *const *)b->systems, SYSTEMS, &error);
  ck_assert_msg(b->plan != NULL, "%s", error.text);
  b->setup = (pm_size_setup){.plan = b->plan, .choices = b->runs, .run_size = sizeof b->runs[0], .prices = b->prices,
                             .count = SYSTEMS};
}

static void close_bench(bench *b)
{
  pm_plan_free(b->plan);
  pm_network_free(b->network);
  for (int i = 0; i < SYSTEMS; i++) pm_system_free(b->systems[i]);
}

static pm_size_goal deadline(double hours)
{
  pm_size_goal goal = pm_size_goal_make();
  goal.epochs = 90;
  goal.samples = 1281167;
  goal.within = hours * 3600;
  return goal;
}

/* In the order of the choices again. */
static int by_choice(const void *a, const void *b)
{
  return ((const pm_size_choice *)a)->choice - ((const pm_size_choice *)b)->choice;
}

static void size(const bench *b, const pm_size_goal *goal, pm_size_choice *rows)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_size_evaluate(&b->setup, goal, rows, &error) == PM_OK, "%s", error.text);
  for (size_t i = 0; i < b->setup.count; i++) ck_assert(rows[i].rank == 0 || rows[i].rank == (int)i + 1);
  qsort(rows, b->setup.count, sizeof *rows, by_choice);
}

/* The count is enough, and one less is not: by pm_predict itself. */
START_TEST(least_is_least)
{
  bench b;
  open_bench(&b);
  for (double hours = 0.5; hours < 100; hours *= 1.5) {
    pm_size_goal goal = deadline(hours);
    pm_size_choice rows[SYSTEMS];
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      ck_assert_int_eq(rows[i].status, PM_OK);
      for (int n = 1; n <= rows[i].nodes; n++) {
        pm_run run = b.runs[i];
        pm_prediction p;
        run.gpus = pm_system_get_machine(b.systems[i])->gpus;
        run.nodes = n;
        run.epoch_samples = goal.samples;
        pm_predict(b.plan, &run, &p, 1);
        ck_assert((90 * p.epoch_time <= goal.within) == (n == rows[i].nodes));
        if (n == rows[i].nodes) ck_assert_double_eq(p.throughput, rows[i].throughput);
      }
    }
  }
  close_bench(&b);
}
END_TEST

/* A tighter deadline never needs fewer nodes; a higher rate never does; a faster machine never needs more. */
START_TEST(monotone)
{
  bench b;
  int32_t last[SYSTEMS] = {0}, by_rate[SYSTEMS] = {0};
  open_bench(&b);
  for (double hours = 200; hours > 0.3; hours *= 0.93) {
    pm_size_goal goal = deadline(hours);
    pm_size_choice rows[SYSTEMS];
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      ck_assert_int_ge(rows[i].nodes, last[i]);
      last[i] = rows[i].nodes;
    }
    ck_assert_int_le(rows[0].nodes, rows[1].nodes); /* as many GPUs, each faster */
    goal = pm_size_goal_make();
    goal.rate = 1e6 / hours;
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      ck_assert_int_ge(rows[i].nodes, by_rate[i]);
      by_rate[i] = rows[i].nodes;
    }
  }
  close_bench(&b);
}
END_TEST

/* Twice the price is twice the cost, and nothing else; power goes with the PUE. */
START_TEST(prices_change_costs_only)
{
  bench b;
  pm_size_choice before[SYSTEMS], after[SYSTEMS];
  pm_size_goal goal = deadline(3);
  open_bench(&b);
  goal.minimize = PM_MINIMIZE_COST;
  size(&b, &goal, before);
  for (int i = 0; i < SYSTEMS; i++) b.prices[i] *= 2;
  size(&b, &goal, after);
  for (int i = 0; i < SYSTEMS; i++) {
    ck_assert_double_eq(after[i].cost, 2 * before[i].cost);
    ck_assert_double_eq(after[i].price, 2 * before[i].price);
    after[i].cost = before[i].cost;
    after[i].price = before[i].price;
    ck_assert_int_eq(after[i].nodes, before[i].nodes);
    ck_assert_int_eq(after[i].rank, before[i].rank);
    ck_assert_double_eq(after[i].time, before[i].time);
    ck_assert_int_eq(after[i].pareto, before[i].pareto);
  }
  goal.pue = 1.5;
  size(&b, &goal, after);
  ck_assert_double_eq(after[0].design_power, 1.5 * before[0].design_power);
  ck_assert_double_eq_tol(after[0].design_energy / before[0].design_energy, 1.5, 1e-15);
  ck_assert_int_eq(after[0].power_basis, PM_POWER_BASIS_PUBLISHED);
  ck_assert_int_eq(after[2].power_basis, PM_POWER_BASIS_PARTS); /* nobody states the power of a C4140 */
  close_bench(&b);
}
END_TEST

/* Ranks are 1 .. n by what is to be least; the unknown comes last. */
START_TEST(ranks)
{
  bench b;
  open_bench(&b);
  for (int minimize = 0; minimize < PM_MINIMIZE_COUNT; minimize++) {
    pm_size_choice rows[SYSTEMS];
    pm_size_goal goal = deadline(3);
    bool taken[SYSTEMS + 1] = {false};
    for (int i = 0; i < SYSTEMS; i++) b.runs[i].carbon = 400, b.runs[i].energy_price = 0.1;
    goal.minimize = minimize;
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      ck_assert(rows[i].rank >= 1 && rows[i].rank <= SYSTEMS && !taken[rows[i].rank]);
      taken[rows[i].rank] = true;
      for (int j = 0; j < SYSTEMS; j++) {
        double x = pm__size_objective(&rows[i], minimize), y = pm__size_objective(&rows[j], minimize);
        if (x < y || (!isnan(x) && isnan(y))) ck_assert_int_lt(rows[i].rank, rows[j].rank);
      }
    }
  }
  close_bench(&b);
}
END_TEST

/* Of as many nodes the cheaper ones come first, where prices are given; without them the faster ones. */
START_TEST(the_cheaper_of_equals)
{
  bench b;
  int equals = 0;
  pm_size_choice rows[SYSTEMS];
  pm_size_goal goal = deadline(3000);
  open_bench(&b);
  goal.minimize = PM_MINIMIZE_NODES;
  for (int turn = 0; turn < 2; turn++) {
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++)
      for (int j = 0; j < SYSTEMS; j++) {
        const pm_size_choice *x = &rows[i], *y = &rows[j];
        if (x->rank == 0 || x->rank >= y->rank || x->nodes != y->nodes) continue;
        equals++;
        if (turn == 0) ck_assert_double_le(x->cost, y->cost);
        else ck_assert_double_ge(x->reached, y->reached);
      }
    for (int i = 0; i < SYSTEMS; i++) b.prices[i] = NAN;
  }
  ck_assert_int_gt(equals, 0);
  close_bench(&b);
}
END_TEST

/* What takes less misses, or is another choice; it takes less, and is the fastest that does. */
START_TEST(next_takes_less)
{
  bench b;
  open_bench(&b);
  for (double hours = 0.5; hours < 30; hours *= 2) {
    pm_size_choice rows[SYSTEMS], next;
    pm_size_goal goal = deadline(hours);
    goal.minimize = PM_MINIMIZE_COST;
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      pm_error error = PM_ERROR_NONE;
      int status = pm_size_find_next(&b.setup, &goal, &rows[i], &next, &error);
      if (status == PM_STATUS_UNREACHABLE) continue;
      ck_assert_msg(status == PM_OK, "%s", error.text);
      ck_assert_double_lt(next.cost, rows[i].cost);
      if (rows[i].rank == 1) ck_assert_double_lt(next.reached, 1);
    }
  }
  close_bench(&b);
}
END_TEST

/* Along the front, whatever takes more is faster; every least count is on it or beaten by it. */
START_TEST(front)
{
  bench b;
  pm_size_choice rows[512], least[SYSTEMS];
  pm_size_goal goal = deadline(1);
  open_bench(&b);
  goal.minimize = PM_MINIMIZE_COST;
  int count = pm_size_find_front(&b.setup, &goal, rows, 512, NULL);
  ck_assert_int_gt(count, 3);
  for (int i = 1; i < count; i++) {
    ck_assert_double_gt(rows[i].cost, rows[i - 1].cost);
    ck_assert_double_lt(rows[i].time, rows[i - 1].time);
  }
  size(&b, &goal, least);
  for (int i = 0; i < SYSTEMS; i++) {
    bool matched = false;
    for (int k = 0; k < count; k++)
      matched = matched || (rows[k].cost <= least[i].cost && rows[k].time <= least[i].time);
    ck_assert(matched);
  }
  for (int i = 0; i < SYSTEMS; i++) /* nothing beats a row of the front, whether it was tried or not */
    for (int n = 1; n <= 64; n++) {
      pm_run run = b.runs[i];
      pm_prediction p;
      run.gpus = pm_system_get_machine(b.systems[i])->gpus;
      run.nodes = n;
      run.epoch_samples = goal.samples;
      pm_predict(b.plan, &run, &p, 1);
      for (int k = 0; k < count; k++)
        ck_assert(!(n * b.prices[i] < rows[k].cost && 90 * p.epoch_time <= rows[k].time));
    }
  ck_assert_int_eq(pm_size_find_front(&b.setup, &goal, rows, 2, NULL), -1);
  close_bench(&b);
}
END_TEST

/* With a global batch that runs out, rates saturate: the fastest is shown, and the status says that it is not
** enough. */
START_TEST(what_cannot_be_reached)
{
  bench b;
  pm_size_choice rows[SYSTEMS];
  pm_size_goal goal = deadline(0.01);
  open_bench(&b);
  goal.global_batch = 1024;
  goal.max_nodes = 200;
  size(&b, &goal, rows);
  for (int i = 0; i < SYSTEMS; i++) {
    ck_assert_int_eq(rows[i].status, PM_STATUS_UNREACHABLE);
    ck_assert_int_eq(rows[i].rank, 0);
    ck_assert_double_lt(rows[i].reached, 1);
    ck_assert_double_eq(rows[i].batch * rows[i].gpus, 1024);
    for (int n = 1; n <= 200; n++) {
      pm_run run = b.runs[i];
      pm_prediction p;
      run.gpus = pm_system_get_machine(b.systems[i])->gpus;
      run.nodes = n;
      run.batch = 1024.0 / (run.gpus * n);
      pm_predict(b.plan, &run, &p, 1);
      if (p.status == PM_OK) ck_assert_double_ge(rows[i].throughput * (1 + 1e-12), p.throughput);
    }
  }
  close_bench(&b);
}
END_TEST

/* Storage that feeds little limits, and more nodes do not help. */
START_TEST(storage_limits)
{
  bench b;
  pm_input_setup inputs[SYSTEMS];
  pm_size_choice rows[SYSTEMS];
  pm_size_goal goal = deadline(6);
  open_bench(&b);
  memset(inputs, 0, sizeof inputs);
  for (int i = 0; i < SYSTEMS; i++) {
    inputs[i].machine = *pm_system_get_machine(b.systems[i]);
    inputs[i].dataset = dataset("ilsvrc2012");
    pm_record_clear(pm_record_type_find("storage"), &inputs[i].storage);
    pm_record_clear(pm_record_type_find("storage_access"), &inputs[i].access);
    record("decoder", "skylake", &inputs[i].decoder);
    record("loader", "dali", &inputs[i].loader);
    inputs[i].storage.shared = 1;
    inputs[i].storage.bandwidth = 100e6; /* 900 samples/s in all */
  }
  goal.max_nodes = 64;
  goal.sample_size = inputs[0].dataset.sample_size;
  b.setup.inputs = inputs;
  size(&b, &goal, rows);
  for (int i = 0; i < SYSTEMS; i++) {
    ck_assert_int_eq(rows[i].status, PM_STATUS_UNREACHABLE);
    ck_assert_double_le(rows[i].throughput * goal.sample_size, 100e6 * (1 + 1e-9));
    ck_assert_double_ge(rows[i].throughput * goal.sample_size, 99e6);
    ck_assert_int_eq(rows[i].input_bottleneck, PM_INPUT_STAGE_STORAGE);
    inputs[i].storage.bandwidth = 100e9;
  }
  size(&b, &goal, rows);
  ck_assert_int_eq(rows[0].status, PM_OK);
  ck_assert_double_ge(rows[0].storage_nodes, rows[0].nodes);
  close_bench(&b);
}
END_TEST

START_TEST(errors)
{
  bench b;
  pm_size_choice rows[SYSTEMS];
  open_bench(&b);
  for (int i = 0; i < 10; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_size_goal goal = deadline(6);
    if (i == 0) goal.within = NAN;
    if (i == 1) goal.rate = 100;
    if (i == 2) goal.epochs = 0;
    if (i == 3) goal.samples = NAN;
    if (i == 4) goal.pue = 0.9;
    if (i == 5) goal.max_nodes = 0;
    if (i == 6) goal.minimize = 99;
    if (i == 7) b.prices[1] = -1;
    if (i == 8) goal.latency = 1, b.prices[1] = 1; /* of calls */
    if (i == 9) b.runs[2].system_index = 7;
    ck_assert_int_eq(pm_size_evaluate(&b.setup, &goal, rows, &error), PM_STATUS_BAD_ARGUMENT);
    ck_assert(error.text[0] != '\0');
  }
  b.runs[2].system_index = 2;
  b.runs[1].batch = 0.5; /* one choice that cannot be run does not stop the others */
  pm_size_goal goal = deadline(6);
  size(&b, &goal, rows);
  ck_assert_int_eq(rows[0].status, PM_OK);
  ck_assert_int_eq(rows[1].status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(rows[1].rank, 0);
  ck_assert(isnan(rows[1].throughput));
  close_bench(&b);
}
END_TEST

/* A prediction of so many nodes of a choice, and whether training is within the time. */
static pm_prediction on_nodes(const bench *b, int choice, int nodes, const pm_size_goal *goal, bool *reached)
{
  pm_run run = b->runs[choice];
  pm_prediction p;
  run.nodes = nodes;
  run.pue = goal->pue;
  run.epoch_samples = goal->samples;
  pm_predict(b->plan, &run, &p, 1);
  *reached = goal->epochs * p.epoch_time <= goal->within;
  return p;
}

/* Of all counts that reach the target, the answer has the least energy; not the least of what misses it. */
START_TEST(least_energy_reaches_the_target)
{
  bench b;
  open_bench(&b);
  for (double hours = 0.7; hours < 20; hours *= 3) {
    pm_size_goal goal = deadline(hours);
    pm_size_choice rows[SYSTEMS];
    goal.minimize = PM_MINIMIZE_ENERGY;
    goal.max_nodes = 100;
    goal.pue = 1.3;
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      double least = INFINITY;
      bool reached;
      for (int n = 1; n <= goal.max_nodes; n++) {
        pm_prediction p = on_nodes(&b, i, n, &goal, &reached);
        if (reached) least = fmin(least, p.site_energy_per_sample);
      }
      ck_assert_double_eq(rows[i].energy_per_sample, least);
      ck_assert_double_ge(rows[i].reached, 1);
      pm_prediction p = on_nodes(&b, i, rows[i].nodes, &goal, &reached);
      ck_assert_double_eq_tol(rows[i].power / p.site_power, 1, 1e-12);
      ck_assert_double_eq_tol(rows[i].energy / (rows[i].power * rows[i].time), 1, 1e-12);
    }
  }
  close_bench(&b);
}
END_TEST

/* What fits is the most that the design power allows, and a prediction refuses one more. */
/* The least of amounts that are not given is none. */
START_TEST(carbon_needs_an_intensity)
{
  bench b;
  pm_size_choice rows[SYSTEMS];
  pm_size_goal goal = deadline(6);
  open_bench(&b);
  for (int minimize = PM_MINIMIZE_CARBON; minimize <= PM_MINIMIZE_ENERGY_COST; minimize++) {
    goal.minimize = minimize;
    ck_assert_int_eq(pm_size_evaluate(&b.setup, &goal, rows, NULL), PM_STATUS_BAD_ARGUMENT);
    for (int i = 0; i < SYSTEMS; i++) b.runs[i].carbon = 400, b.runs[i].energy_price = 0.1;
    ck_assert_int_eq(pm_size_evaluate(&b.setup, &goal, rows, NULL), PM_OK);
    for (int i = 0; i < SYSTEMS; i++) b.runs[i].carbon = b.runs[i].energy_price = NAN;
  }
  close_bench(&b);
}
END_TEST

START_TEST(budgets_are_kept_to)
{
  bench b;
  open_bench(&b);
  for (double budget = 4e3; budget < 1e6; budget *= 3) {
    pm_size_goal goal = pm_size_goal_make();
    pm_size_choice rows[SYSTEMS];
    goal.pue = 1.25;
    for (int i = 0; i < SYSTEMS; i++) b.runs[i].power_budget = budget;
    size(&b, &goal, rows);
    for (int i = 0; i < SYSTEMS; i++) {
      bool reached;
      double node = pm_system_get_machine(b.systems[i])->power * goal.pue;
      ck_assert_double_eq(rows[i].budget_nodes, floor(budget / node));
      ck_assert(rows[i].nodes <= rows[i].budget_nodes && isnan(rows[i].reached));
      ck_assert_int_eq(on_nodes(&b, i, (int)rows[i].budget_nodes + 1, &goal, &reached).status, PM_STATUS_UNREACHABLE);
      if (rows[i].budget_nodes < 1) continue;
      pm_prediction p = on_nodes(&b, i, (int)rows[i].budget_nodes, &goal, &reached);
      ck_assert_int_eq(p.status, PM_OK);
      ck_assert_double_le(p.throughput, rows[i].throughput);
      ck_assert(rows[i].draw_nodes >= rows[i].budget_nodes && rows[i].draw_nodes * rows[i].power / rows[i].nodes <=
                budget * (1 + 1e-9));
    }
    pm_size_goal fast = deadline(0.5);
    size(&b, &fast, rows);
    for (int i = 0; i < SYSTEMS; i++) ck_assert(rows[i].nodes <= rows[i].budget_nodes);
  }
  close_bench(&b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("size");
  TCase *tests = tcase_create("size");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, least_is_least);
  tcase_add_test(tests, monotone);
  tcase_add_test(tests, prices_change_costs_only);
  tcase_add_test(tests, ranks);
  tcase_add_test(tests, the_cheaper_of_equals);
  tcase_add_test(tests, next_takes_less);
  tcase_add_test(tests, front);
  tcase_add_test(tests, what_cannot_be_reached);
  tcase_add_test(tests, storage_limits);
  tcase_add_test(tests, least_energy_reaches_the_target);
  tcase_add_test(tests, carbon_needs_an_intensity);
  tcase_add_test(tests, budgets_are_kept_to);
  tcase_add_test(tests, errors);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
