/* Formulas of arrivals against an event simulation of the same passes: steady open loops, bursts, closed loops. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "events.h"
#include "fixtures.h"
#include "serving_bench.h"
#include "shipped.h"

typedef struct lengths {
  double isl, osl;
} lengths;

static const lengths all_lengths[] = {{256, 512}, {1024, 256}, {2048, 256}, {4096, 512}};

typedef struct model {
  const char *network;
  int tensor;
} model;

static const model all_models[] = {{"llama3-8b", 1}, {"llama3-70b", 4}};
static const char *const all_engines[] = {"vllm-0.11", "vllm-0.8", "trtllm-1.0", "sglang-0.5"};

/* What the events may differ by from the formulas. */
typedef struct limits {
  double ttft, late, tpot;
} limits;

static void compare(const char *what, double formula, double events, double most)
{
  ck_assert_msg(fabs(formula / events - 1) <= most, "%s: %.2f ms, %.2f ms by events", what, formula * 1e3,
                events * 1e3);
}

static void compare_all(const serving_bench *b, const pm__serving_load *l, double rate, const events_result *e,
                        const limits *most)
{
  pm__serving_service s = {0};
  char what[256];
  pm__serving_open(l, rate, &s);
  snprintf(what, sizeof what, "%s, %s, %g/%g tokens, %.3g of %.3g requests/s, cv %g", b->name, l->replica->engine->id,
           l->isl, l->osl, rate, s.largest, l->replica->run->arrival_cv);
  compare(what, s.tpot, e->tpot, most->tpot);
  compare(what, s.ttft, e->ttft, most->ttft);
  compare(what, s.ttft_late, e->ttft_late, most->late);
}

static pm_serving_run run_of(const serving_bench *b, lengths length, double arrival_cv)
{
  pm_serving_run run = serving_run_on(b);
  run.isl = length.isl;
  run.osl = length.osl;
  run.arrivals = PM_ARRIVALS_OPEN;
  run.arrival_cv = arrival_cv;
  run.client_time = 0;
  run.rate = 1;
  return run;
}

/* Long enough for a steady state: the nearer to the largest rate, the longer. */
static void check_steady(serving_bench *b, const pm_serving_run *run, double busy, const limits *most)
{
  pm__serving_replica replica;
  serving_replica_on(b, run, &replica);
  pm__serving_load load = pm__serving_load_of(&replica);
  pm__serving_service s = {0};
  pm__serving_open(&load, 1e-3, &s);
  double rate = busy * s.largest;
  pm__serving_open(&load, rate, &s);
  const events_setting set = {.load = &load, .rate = rate, .arrival_cv = run->arrival_cv, .warm = 0.25,
                              .requests = (int)fmax(2000, 15 * rate * s.latency / (1 - busy))};
  events_result e = events_run(&set);
  compare_all(b, &load, rate, &e, most);
}

/* Settings that the formulas are for: prompts that leave room in a pass, or of which one fills half of it. Not so near
** are short prompts that interrupt decoding (read together they take less than one by one), prompts of half a pass and
** more at nine tenths of the load, and engines that run few sequences. */
typedef struct settings {
  const char *engine;
  int first, count; /* of all_lengths */
  const double *busy;
  limits most;
} settings;

static void check_settings(const model *m, const settings *s)
{
  serving_bench b = serving_bench_open(m->network, "hgx-h100", m->tensor, s->engine);
  for (int l = s->first; l < s->first + s->count; l++)
    for (int i = 0; s->busy[i] > 0; i++)
      for (int cv = 0; cv < 2; cv++) {
        const pm_serving_run run = run_of(&b, all_lengths[l], cv);
        check_steady(&b, &run, s->busy[i], &s->most);
      }
  serving_bench_close(&b);
}

static void check_models(const settings *all, int count)
{
  for (size_t m = 0; m < sizeof all_models / sizeof all_models[0]; m++)
    for (int i = 0; i < count; i++) check_settings(&all_models[m], &all[i]);
}

START_TEST(open_loops_at_part_of_the_load)
{
  static const double busy[] = {0.1, 0.3, 0.6, 0};
  static const settings all[] = {{"vllm-0.11", 0, 4, busy, {0.08, 0.30, 0.08}},
                                 {"vllm-0.8", 0, 3, busy, {0.08, 0.30, 0.08}},
                                 {"trtllm-1.0", 0, 3, busy, {0.08, 0.30, 0.08}},
                                 {"sglang-0.5", 1, 3, busy, {0.08, 0.30, 0.08}}};
  check_models(all, 4);
}
END_TEST

START_TEST(open_loops_near_the_largest_rate)
{
  static const double busy[] = {0.8, 0.9, 0};
  static const settings all[] = {{"vllm-0.11", 0, 3, busy, {0.20, 0.30, 0.08}},
                                 {"vllm-0.8", 0, 3, busy, {0.20, 0.30, 0.08}}};
  check_models(all, 2);
}
END_TEST

/* The mean of bursts with other arrivals. */
enum { SEEDS = 12 };

static events_result mean_of_bursts(events_setting *set)
{
  events_result sum = {0};
  for (set->seed = 0; set->seed < SEEDS; set->seed++) {
    events_result e = events_run(set);
    sum.ttft += e.ttft / SEEDS;
    sum.ttft_late += e.ttft_late / SEEDS;
    sum.tpot += e.tpot / SEEDS;
  }
  return sum;
}

static void check_burst(serving_bench *b, pm_serving_run *run, double busy, double lives)
{
  const limits most = {.ttft = busy <= 0.6 ? 0.08 : 0.20, .late = 0.30, .tpot = 0.08};
  pm__serving_replica replica;
  serving_replica_on(b, run, &replica);
  pm__serving_load load = pm__serving_load_of(&replica);
  pm__serving_service s = {0};
  pm__serving_open(&load, 1e-3, &s);
  double rate = busy * s.largest;
  run->duration = lives * s.latency;
  events_setting set = {.load = &load, .rate = rate, .arrival_cv = run->arrival_cv,
                        .requests = (int)(rate * run->duration)};
  if (set.requests < 40) return; /* a percentile of few requests is noise */
  events_result e = mean_of_bursts(&set);
  compare_all(b, &load, rate, &e, &most);
}

START_TEST(bursts)
{
  static const double busy[] = {0.3, 0.6, 0.8}, lives[] = {0.5, 1, 3, 8};
  for (size_t m = 0; m < sizeof all_models / sizeof all_models[0]; m++) {
    serving_bench b = serving_bench_open(all_models[m].network, "hgx-h100", all_models[m].tensor, "vllm-0.11");
    for (int i = 0; i < 3 * 4 * 2 * 2; i++) {
      pm_serving_run run = run_of(&b, all_lengths[i / 2 % 2], i % 2);
      check_burst(&b, &run, busy[i / 4 % 3], lives[i / 12]);
    }
    serving_bench_close(&b);
  }
}
END_TEST

/* Clients that begin evenly apart, so that requests do not come in bunches. */
START_TEST(closed_loops)
{
  static const int clients[] = {1, 4, 16, 64};
  for (size_t m = 0; m < sizeof all_models / sizeof all_models[0]; m++)
    for (size_t n = 0; n < sizeof all_engines / sizeof all_engines[0]; n++) {
      serving_bench b = serving_bench_open(all_models[m].network, "hgx-h100", all_models[m].tensor, all_engines[n]);
      for (int i = 0; i < 4 * 4; i++) {
        pm_serving_run run = run_of(&b, all_lengths[i / 4], 1);
        run.bunching = 0;
        pm__serving_replica replica;
        serving_replica_on(&b, &run, &replica);
        pm__serving_load load = pm__serving_load_of(&replica);
        pm__serving_service s = {0};
        pm__serving_closed(&load, clients[i % 4], &s);
        const events_setting set = {.load = &load, .rate = NAN, .clients = clients[i % 4], .warm = 0.25,
                                    .apart = s.latency / clients[i % 4], .requests = 12 * clients[i % 4]};
        events_result e = events_run(&set);
        compare("time of a token", s.tpot, e.tpot, 0.08);
        compare("time of a request", s.latency, e.latency, 0.08);
      }
      serving_bench_close(&b);
    }
}
END_TEST

/* All at once: prompts are read in bunches, which dissolve as they go through the token budget. Where prompts interrupt
** decoding, tokens of the formula are longer: short prompts read together take less than one by one. */
START_TEST(closed_loops_that_begin_at_once)
{
  static const int clients[] = {4, 16, 64};
  for (size_t m = 0; m < sizeof all_models / sizeof all_models[0]; m++)
    for (size_t n = 0; n < sizeof all_engines / sizeof all_engines[0]; n++) {
      serving_bench b = serving_bench_open(all_models[m].network, "hgx-h100", all_models[m].tensor, all_engines[n]);
      for (int i = 0; i < 3 * 4; i++) {
        const pm_serving_run run = run_of(&b, all_lengths[i / 3], 1);
        pm__serving_replica replica;
        serving_replica_on(&b, &run, &replica);
        pm__serving_load load = pm__serving_load_of(&replica);
        pm__serving_service s = {0};
        pm__serving_closed(&load, clients[i % 3], &s);
        const events_setting set = {.load = &load, .rate = NAN, .clients = clients[i % 3], .warm = 0.25,
                                    .requests = 12 * clients[i % 3]};
        events_result e = events_run(&set);
        compare("time of a request", s.latency, e.latency, 0.12);
        if (strcmp(all_engines[n], "sglang-0.5") != 0) compare("time of a token", s.tpot, e.tpot, 0.13);
      }
      serving_bench_close(&b);
    }
}
END_TEST

/* Lengths that vary, at part of the load. */
START_TEST(lengths_that_vary)
{
  static const double busy[] = {0.3, 0.6}, cvs[] = {0.25, 0.5};
  for (size_t m = 0; m < sizeof all_models / sizeof all_models[0]; m++) {
    serving_bench b = serving_bench_open(all_models[m].network, "hgx-h100", all_models[m].tensor, "vllm-0.11");
    for (int i = 0; i < 2 * 2 * 3; i++) {
      pm_serving_run run = run_of(&b, all_lengths[i / 4], 1);
      run.length_cv = cvs[i % 2];
      pm__serving_replica replica;
      serving_replica_on(&b, &run, &replica);
      pm__serving_load load = pm__serving_load_of(&replica);
      pm__serving_service s = {0};
      pm__serving_open(&load, 1e-3, &s);
      double rate = busy[i / 2 % 2] * s.largest;
      pm__serving_open(&load, rate, &s);
      const events_setting set = {.load = &load, .rate = rate, .arrival_cv = 1, .length_cv = run.length_cv,
                                  .warm = 0.25, .requests = (int)fmax(2000, 30 * rate * s.latency)};
      events_result e = events_run(&set);
      compare("first token", s.ttft, e.ttft, 0.13);
      compare("late first token", s.ttft_late, e.ttft_late, 0.19);
      compare("time of a token", s.tpot, e.tpot, 0.15);
    }
    serving_bench_close(&b);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("arrivals");
  TCase *tests = tcase_create("arrivals");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 240);
  tcase_add_test(tests, open_loops_at_part_of_the_load);
  tcase_add_test(tests, open_loops_near_the_largest_rate);
  tcase_add_test(tests, bursts);
  tcase_add_test(tests, closed_loops);
  tcase_add_test(tests, closed_loops_that_begin_at_once);
  tcase_add_test(tests, lengths_that_vary);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
