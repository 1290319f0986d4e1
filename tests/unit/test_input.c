/* Laws of the input pipeline: they hold whatever the constants are. And its closed forms against simulation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "input/stages.h"

enum { RUNS = 400 };

static uint64_t state = 88172645463325252ULL;

static double uniform(void) /* xorshift64*, within (0, 1) */
{
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return ((double)((state * 2685821657736338717ULL) >> 11) + 0.5) / 9007199254740992.0;
}

static double between(double low, double high)
{
  return low * pow(high / low, uniform());
}

static int32_t whole(int32_t low, int32_t high)
{
  return low + (int32_t)(uniform() * (high - low + 1));
}

#define INIT(type, name) pm_record_clear(pm_record_type_find(type), name)

static pm_input_setup setup_of(void)
{
  pm_input_setup s;
  memset(&s, 0, sizeof s);
  INIT("dataset", &s.dataset);
  INIT("storage", &s.storage);
  INIT("storage_access", &s.access);
  INIT("decoder", &s.decoder);
  INIT("loader", &s.loader);
  INIT("machine", &s.machine);
  INIT("prediction_interval", &s.interval);
  s.dataset.samples = 1e6;
  s.dataset.sample_size = 1e5;
  s.dataset.pixels = 2e5;
  s.storage.shared = 1;
  s.storage.bandwidth = 15e9;
  s.storage.max_units = 36;
  s.decoder.scale = 1;
  s.decoder.pixel_time = 1e-9;
  s.decoder.byte_time = 8e-9;
  s.machine.gpus = 4;
  s.machine.cpu_sockets = 2;
  s.machine.cpu_cores = 20;
  return s;
}

static pm_input_setup any_setup(void)
{
  pm_input_setup s = setup_of();
  s.storage.shared = whole(0, 1);
  s.storage.bandwidth = between(1e8, 1e11);
  s.storage.operations = between(1e2, 1e6);
  s.storage.read_size = between(4096, 1e6);
  s.storage.uplink = between(1e9, 1e11);
  s.storage.gateway = between(1e9, 1e11);
  s.storage.gateway_links = 3;
  s.storage.client_bandwidth = between(1e9, 1e11);
  s.access.latency = between(1e-6, 1e-2);
  s.access.open_time = between(1e-6, 1e-2);
  s.access.stream_bandwidth = between(1e7, 1e10);
  s.loader.augment_time = between(1e-5, 1e-2);
  s.loader.handover = between(1e9, 1e10);
  s.loader.gpu_pixel_rate = between(1e8, 1e10);
  s.loader.pinned = whole(0, 1);
  s.decoder.calibration = whole(PM_CALIBRATION_STATUS_NONE, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  s.loader.calibration = whole(PM_CALIBRATION_STATUS_NONE, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  s.access.calibration = whole(PM_CALIBRATION_STATUS_NONE, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  s.interval.rate = between(0.01, 0.3);
  s.interval.extrapolated = between(1, 3);
  s.interval.not_calibrated = s.interval.extrapolated * between(1, 3);
  return s;
}

static pm_input_run any_run(void)
{
  pm_input_run r = pm_input_run_make();
  r.nodes = whole(1, 64);
  r.units = whole(1, 36);
  r.workers = whole(0, 100);
  r.prefetch = whole(0, 16);
  r.format = whole(0, PM_SAMPLE_FORMAT_COUNT - 1);
  r.decode = whole(0, PM_DECODE_PLACE_COUNT - 1);
  r.policy = whole(0, PM_CACHE_POLICY_COUNT - 1);
  r.first_epoch = whole(0, 1);
  r.cache = between(1e9, 2e11);
  r.sample_out = between(1e5, 1e6);
  r.copy_bandwidth = between(1e9, 1e11);
  r.gpu_rate = between(10, 1e5);
  r.input_variation = between(0.01, 4);
  r.gpu_variation = between(0.01, 4);
  return r;
}

static pm_input_rates ask(const pm_input_setup *setup, pm_input_run run)
{
  pm_error error = PM_ERROR_NONE;
  pm_input_rates rates;
  ck_assert_msg(pm_input_check(setup, &run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_input_evaluate(setup, &run, &rates, 1), PM_OK);
  ck_assert_int_eq(rates.status, PM_OK);
  return rates;
}

START_TEST(rates_are_positive_and_the_slowest_stage_bounds_them)
{
  for (int i = 0; i < RUNS; i++) {
    pm_input_setup setup = any_setup();
    pm_input_run run = any_run();
    pm_input_rates r = ask(&setup, run);
    const double stages[] = {r.storage, r.reads, r.uplink, r.gateway, r.client, r.decode, r.copy, run.gpu_rate};
    double least = INFINITY;
    for (size_t j = 0; j < sizeof stages / sizeof stages[0]; j++) {
      ck_assert_double_gt(stages[j], 0);
      least = fmin(least, stages[j]);
    }
    ck_assert_double_eq(stages[r.bottleneck - PM_INPUT_STAGE_STORAGE], least);
    ck_assert_double_gt(r.throughput, 0);
    ck_assert_double_le(r.throughput, least * (1 + 1e-12));
    ck_assert_double_eq_tol(r.gpu_busy + r.input_wait_share, 1, 1e-12);
    ck_assert_double_le(fabs(r.storage_rate - r.total * setup.dataset.sample_size * (1 - r.hits)),
                        1e-9 * r.storage_rate);
    ck_assert_double_ge(r.hits, 0);
    ck_assert_double_le(r.hits, r.cached);
    ck_assert_double_le(r.hits_least, r.hits_most);
  }
}
END_TEST

START_TEST(the_interval_lies_around_the_rate)
{
  for (int i = 0; i < RUNS; i++) {
    pm_input_setup setup = any_setup();
    pm_input_run run = any_run();
    pm_input_rates r = ask(&setup, run), wider;
    ck_assert_double_le(r.throughput_p10, r.throughput * (1 + 1e-12));
    ck_assert_double_ge(r.throughput_p90, r.throughput * (1 - 1e-12));
    ck_assert_int_ne(r.calibration, PM_CALIBRATION_STATUS_NONE);
    setup.interval.rate *= 2;
    wider = ask(&setup, run);
    ck_assert_double_eq(wider.throughput, r.throughput);
    ck_assert_double_le(wider.throughput_p10, r.throughput_p10);
    ck_assert_double_ge(wider.throughput_p90, r.throughput_p90);
  }
}
END_TEST

/* Decoding on 40 cores limits, so its records decide the word and the spread. */
START_TEST(the_interval_is_that_of_the_slowest_stage)
{
  pm_input_setup setup = setup_of();
  pm_input_run run = pm_input_run_make();
  ck_assert(isnan(ask(&setup, run).throughput_p10)); /* no error of paths was given */
  setup.interval.rate = 0.1;
  setup.interval.extrapolated = 2;
  setup.interval.not_calibrated = 5;
  setup.decoder.calibration = PM_CALIBRATION_STATUS_CALIBRATED;
  setup.loader.calibration = PM_CALIBRATION_STATUS_EXTRAPOLATED;
  pm_input_rates r = ask(&setup, run);
  ck_assert_int_eq(r.calibration, PM_CALIBRATION_STATUS_EXTRAPOLATED);
  ck_assert_double_eq_tol(r.throughput_p90 / r.throughput, exp(1.2815515655446004 * 0.2), 1e-12);
  ck_assert_double_eq_tol(r.throughput_p10 * r.throughput_p90, r.throughput * r.throughput, 1e-3);
  run.gpu_rate = r.throughput / 2; /* which the path keeps up with even at its slow end */
  r = ask(&setup, run);
  ck_assert_double_eq(r.throughput_p10, run.gpu_rate);
  ck_assert_double_eq(r.throughput_p90, run.gpu_rate);
  setup.loader.calibration = PM_CALIBRATION_STATUS_NONE; /* a record that says nothing has no rows */
  ck_assert_int_eq(ask(&setup, run).calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
}
END_TEST

START_TEST(prefetching_never_slows)
{
  for (int i = 0; i < RUNS; i++) {
    pm_input_setup setup = any_setup();
    pm_input_run run = any_run();
    double before = 0;
    for (run.prefetch = 0; run.prefetch < 8; run.prefetch++) {
      double now = ask(&setup, run).throughput;
      ck_assert_double_ge(now, before * (1 - 1e-12));
      before = now;
    }
  }
}
END_TEST

START_TEST(more_nodes_never_give_a_node_more)
{
  for (int i = 0; i < RUNS; i++) {
    pm_input_setup setup = any_setup();
    pm_input_run run = any_run(), more = run;
    more.nodes++;
    pm_input_rates a = ask(&setup, run), b = ask(&setup, more);
    ck_assert_double_le(b.throughput, a.throughput * (1 + 1e-12));
    if (setup.storage.shared && isfinite(a.storage)) ck_assert_double_lt(b.storage, a.storage);
    else if (!setup.storage.shared) ck_assert_double_eq(b.storage, a.storage);
    ck_assert_double_eq(a.max_nodes, b.max_nodes);
  }
}
END_TEST

/* The nodes that are said to be fed are fed, and one more is not. */
START_TEST(nodes_fed_are_the_inverse_of_the_rate)
{
  for (int i = 0; i < RUNS; i++) {
    pm_input_setup setup = any_setup();
    pm_input_run run = any_run();
    setup.storage.shared = 1;
    run.policy = PM_CACHE_POLICY_LRU;
    run.cache = 0.5 * setup.dataset.samples * setup.dataset.sample_size;
    double most = ask(&setup, run).max_nodes;
    if (!(most >= 1 && most < 1e6)) continue;
    run.nodes = (int32_t)most;
    pm_input_rates r = ask(&setup, run);
    ck_assert_double_ge(fmin(fmin(r.storage, r.uplink), r.gateway), run.gpu_rate * (1 - 1e-8));
    run.nodes++;
    r = ask(&setup, run);
    ck_assert_double_lt(fmin(fmin(r.storage, r.uplink), r.gateway), run.gpu_rate);
  }
}
END_TEST

START_TEST(stages_in_turn_add_their_times)
{
  pm_input_setup setup = setup_of();
  pm_input_run run = pm_input_run_make();
  run.prefetch = 0;
  run.gpu_rate = 2000;
  run.decode = PM_DECODE_PLACE_CPU;
  pm_input_rates r = ask(&setup, run);
  ck_assert_double_eq_tol(r.storage, 150000, 1e-6);
  ck_assert_double_eq_tol(r.decode, 40000, 1e-6); /* 1 ms per sample on 40 cores */
  ck_assert_double_eq_tol(r.throughput, 1 / (1.0 / 150000 + 1.0 / 40000 + 1.0 / 2000), 1e-6);
  run.prefetch = 1;
  ck_assert_double_eq(ask(&setup, run).throughput, 2000);
}
END_TEST

START_TEST(a_bad_run_does_not_stop_the_others)
{
  enum { BAD = 16 };
  pm_input_setup setup = setup_of();
  pm_input_run runs[BAD + 2];
  pm_input_rates rates[BAD + 2], alone;
  for (int i = 0; i < BAD + 2; i++) runs[i] = pm_input_run_make();
  runs[1].nodes = 0;
  runs[2].units = 37;
  runs[3].workers = -1;
  runs[4].format = PM_SAMPLE_FORMAT_COUNT;
  runs[5].policy = -1;
  runs[6].cache = NAN;
  runs[7].chunk = 0;
  runs[8].gpu_rate = -1;
  runs[9].gpu_rate = INFINITY;
  runs[10].input_variation = -0.1;
  runs[11].decode = PM_DECODE_PLACE_GPU; /* this loader cannot */
  runs[12].gateway_links = 2;
  runs[13].prefetch = -1;
  runs[14].gpus_per_uplink = 0;
  runs[15].first_epoch = 2;
  runs[16].sample_out = 0;
  ck_assert_int_eq(pm_input_evaluate(&setup, runs, rates, BAD + 2), PM_OK);
  for (int i = 1; i <= BAD; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_msg(rates[i].status == (i == 11 ? PM_STATUS_NOT_MODELLED : PM_STATUS_BAD_ARGUMENT), "run %d: %d", i,
                  rates[i].status);
    ck_assert(isnan(rates[i].throughput) && isnan(rates[i].max_nodes));
    ck_assert_int_ne(pm_input_check(&setup, &runs[i], &error), PM_OK);
    ck_assert_uint_gt(strlen(error.text), 10);
  }
  ck_assert_int_eq(pm_input_evaluate(&setup, &runs[0], &alone, 1), PM_OK);
  ck_assert_int_eq(memcmp(&alone, &rates[0], sizeof alone), 0);
  ck_assert_int_eq(memcmp(&alone, &rates[BAD + 1], sizeof alone), 0);
}
END_TEST

START_TEST(missing_values_are_errors)
{
  pm_input_run run = pm_input_run_make();
  pm_input_rates rates;
  for (int i = 0; i < 4; i++) {
    pm_input_setup setup = setup_of();
    pm_error error = PM_ERROR_NONE;
    if (i == 0) setup.dataset.sample_size = NAN;
    if (i == 1) setup.dataset.pixels = NAN;
    if (i == 2) setup.storage.bandwidth = NAN;
    if (i == 3) setup.decoder.pixel_time = NAN;
    ck_assert_int_ne(pm_input_check(&setup, &run, &error), PM_OK);
    ck_assert_int_eq(pm_input_evaluate(&setup, &run, &rates, 1), PM_OK);
    ck_assert(isnan(rates.total));
  }
  ck_assert_int_eq(pm_input_evaluate(NULL, &run, &rates, 1), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_input_check(NULL, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert(isnan(pm__cache_get_hits(1.5, PM_CACHE_POLICY_LRU)) && isnan(pm__cache_get_hits(NAN, 0)));
  ck_assert(isnan(pm__cache_get_hits(0.5, PM_CACHE_POLICY_COUNT)));
  ck_assert(isnan(pm__prefetch_get_efficiency(-1, 0, 0, 0)) && isnan(pm__prefetch_get_efficiency(1, NAN, 0, 0)));
  ck_assert(isnan(pm__decode_get_time(NULL, NULL, 1, 1)) && isnan(pm__decode_get_cores(NULL, 1, 1)));
  ck_assert(isnan(pm__input_get_step_time(NULL, 1, 1, 1, 1)));
}
END_TEST

/* ---- The page cache: items read in a fresh random order every epoch, from a cache of a part of them. */

enum { ITEMS = 20000 };

static void shuffle(int *order)
{
  for (int i = ITEMS - 1; i > 0; i--) {
    int j = (int)(uniform() * (i + 1)), item = order[i];
    order[i] = order[j];
    order[j] = item;
  }
}

/* Random replacement: `slot` of an item, or -1. */
static double simulate_random(int places, int *order)
{
  static int slot[ITEMS], item[ITEMS];
  int used = 0, hits = 0, epochs = 24, counted = 8;
  for (int i = 0; i < ITEMS; i++) slot[i] = -1;
  for (int e = 0; e < epochs; e++) {
    shuffle(order);
    for (int i = 0; i < ITEMS; i++) {
      int k = order[i];
      if (slot[k] >= 0) {
        hits += e >= epochs - counted;
        continue;
      }
      int place = used < places ? used++ : (int)(uniform() * places);
      if (slot[item[place]] == place) slot[item[place]] = -1;
      slot[k] = place;
      item[place] = k;
    }
  }
  return (double)hits / counted / ITEMS;
}

/* LRU: an item is there if fewer than `places` other ones were read since; those counted by a tree over time. */
static double simulate_lru(int places, int *order)
{
  enum { EPOCHS = 8, TIMES = ITEMS * EPOCHS + 1 };
  static int tree[TIMES + 1], last[ITEMS];
  int hits = 0, counted = EPOCHS - 1;
  memset(tree, 0, sizeof tree);
  memset(last, 0, sizeof last);
  for (int t = 1; t < TIMES; t++) {
    if ((t - 1) % ITEMS == 0) shuffle(order);
    int k = order[(t - 1) % ITEMS], since = 0;
    if (last[k] > 0) {
      for (int i = t - 1; i > 0; i -= i & -i) since += tree[i];
      for (int i = last[k]; i > 0; i -= i & -i) since -= tree[i];
      hits += since < places;
      for (int i = last[k]; i <= TIMES; i += i & -i) tree[i]--;
    }
    for (int i = t; i <= TIMES; i += i & -i) tree[i]++;
    last[k] = t;
  }
  return (double)hits / counted / ITEMS;
}

START_TEST(cache_formulas_agree_with_simulation)
{
  static int order[ITEMS];
  for (int i = 0; i < ITEMS; i++) order[i] = i;
  double worst = 0;
  for (int tenth = 1; tenth < 10; tenth += 2) {
    double f = tenth / 10.0;
    double lru = simulate_lru((int)(f * ITEMS), order) - pm__cache_get_hits(f, PM_CACHE_POLICY_LRU);
    double random = simulate_random((int)(f * ITEMS), order) - pm__cache_get_hits(f, PM_CACHE_POLICY_RANDOM);
    worst = fmax(worst, fmax(fabs(lru), fabs(random)));
    ck_assert_msg(fabs(lru) <= 0.005 && fabs(random) <= 0.005, "at %g: LRU %+g, random %+g", f, lru, random);
  }
  printf("cache: off by at most %.4f\n", worst);
  for (double f = 0; f <= 1; f += 1.0 / 64)
    for (int policy = 0; policy < PM_CACHE_POLICY_COUNT; policy++) {
      ck_assert_double_ge(pm__cache_get_hits(f, policy), 0);
      ck_assert_double_le(pm__cache_get_hits(f, policy), f);
    }
}
END_TEST

/* ---- The buffer: batches of random time, handed over through `prefetch` places. */

static double normal(void)
{
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* A gamma-distributed time of mean 1 and that squared coefficient of variation (Marsaglia and Tsang). */
static double draw(double variation)
{
  if (variation == 0) return 1;
  double shape = 1 / variation, scale = variation, d, c, x, v;
  if (shape < 1) {
    scale *= pow(uniform(), 1 / shape);
    shape += 1;
  }
  d = shape - 1.0 / 3;
  c = 1 / sqrt(9 * d);
  do {
    x = normal();
    v = pow(1 + c * x, 3);
  } while (1 + c * x <= 0 || log(uniform()) >= 0.5 * x * x + d - d * v + d * log(v));
  return d * v * scale;
}

static double simulate_buffer(double ratio, double input, double gpu, int prefetch)
{
  enum { BATCHES = 200000, RING = 32 };
  double done[RING] = {0}, handed = 0, work = 0;
  for (int i = 0; i < BATCHES; i++) {
    double made = handed + draw(input) / ratio, time = draw(gpu);
    int place = i - prefetch - 1;
    handed = place >= 0 ? fmax(made, done[place % RING]) : made;
    done[i % RING] = fmax(handed, i > 0 ? done[(i - 1) % RING] : 0) + time;
    work += time;
  }
  return work / done[(BATCHES - 1) % RING];
}

START_TEST(buffer_formula_agrees_with_simulation)
{
  static const double ratios[] = {0.8, 0.9, 1, 1.1, 1.3};
  static const double variations[][2] = {{0, 1}, {1, 0}, {1, 1}, {0.25, 0.25}, {4, 1}, {1, 4}};
  static const int places[] = {0, 1, 2, 4, 16};
  double sum = 0, worst = 0;
  int count = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 5; k++, count++) {
        double input = variations[j][0], gpu = variations[j][1];
        double model = pm__prefetch_get_efficiency(ratios[i], input, gpu, places[k]);
        double off =  fabs(model / simulate_buffer(ratios[i], input, gpu, places[k]) - 1);
        ck_assert_double_le(model, fmin(1, ratios[i]));
        sum += off;
        worst = fmax(worst, off);
      }
  printf("buffer: %d points, mean %.2f %%, worst %.2f %%\n", count, 100 * sum / count, 100 * worst);
  ck_assert_double_le(sum / count, 0.02);
  ck_assert_double_le(worst, 0.08);
}
END_TEST

/* Exponential times at ratio 1 make the formula exact: of the K + 3 states, one is idle. */
START_TEST(buffer_formula_is_exact_where_theory_is)
{
  for (int k = 0; k < 10; k++)
    ck_assert_double_eq_tol(pm__prefetch_get_efficiency(1, 1, 1, k), (k + 2.0) / (k + 3.0), 1e-12);
  ck_assert_double_eq(pm__prefetch_get_efficiency(0.5, 0, 0, 0), 0.5);
  ck_assert_double_eq(pm__prefetch_get_efficiency(2, 0, 0, 0), 1);
  ck_assert_double_eq(pm__prefetch_get_efficiency(INFINITY, 1, 1, 0), 1);
  ck_assert_double_eq_tol(pm__prefetch_get_efficiency(1 + 1e-9, 1, 1, 3), pm__prefetch_get_efficiency(1, 1, 1, 3),
                          1e-6);
  ck_assert_double_eq_tol(pm__prefetch_get_efficiency(1 - 1e-9, 1, 1, 3), pm__prefetch_get_efficiency(1, 1, 1, 3),
                          1e-6);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("input");
  TCase *laws = tcase_create("laws");
  tcase_set_timeout(laws, 120);
  tcase_add_test(laws, rates_are_positive_and_the_slowest_stage_bounds_them);
  tcase_add_test(laws, the_interval_lies_around_the_rate);
  tcase_add_test(laws, the_interval_is_that_of_the_slowest_stage);
  tcase_add_test(laws, prefetching_never_slows);
  tcase_add_test(laws, more_nodes_never_give_a_node_more);
  tcase_add_test(laws, nodes_fed_are_the_inverse_of_the_rate);
  tcase_add_test(laws, stages_in_turn_add_their_times);
  tcase_add_test(laws, a_bad_run_does_not_stop_the_others);
  tcase_add_test(laws, missing_values_are_errors);
  tcase_add_test(laws, cache_formulas_agree_with_simulation);
  tcase_add_test(laws, buffer_formula_agrees_with_simulation);
  tcase_add_test(laws, buffer_formula_is_exact_where_theory_is);
  suite_add_tcase(suite, laws);
  return fixture_main(suite);
}
