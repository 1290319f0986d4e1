/*
** Handles that are only read are shared between threads: the catalogue, systems (which keep the rings that the first
** call finds), networks, plans. All threads do the same and find what one alone does. Meant for the thread sanitizer
** too (PM_SANITIZE_THREADS).
*/
#include <pthread.h>
#include <stdlib.h>
#include "fixtures.h"
#include "schedule/exchange.h"
#include "shipped.h"

enum { THREADS = 4, ROUNDS = 4, TURNS = 3, RUNS = 24 };

/* What all threads share, and what each makes of it. */
typedef struct worker {
  const pm_system *system;
  const pm_network *network;
  const pm_plan *plan;
  const pm_plan *inference;
  double sum;
  int failures;
} worker;

static void find_rings(worker *w)
{
  for (int gpus = 1; gpus <= 8; gpus++) {
    pm_ring ring;
    w->failures += pm_ring_find(w->system, gpus, 1, &ring, NULL) != PM_OK;
    w->sum += gpus > 1 ? ring.bandwidth : 0;
  }
}

/* Regular groups of a system that nobody asked before: their slots are made and filled while others read them. */
static void exchange(worker *w)
{
  for (int members = 1; members <= 4; members++)
    for (int stride = 1; stride <= 2; stride++) {
      pm__collective_group group;
      w->failures += pm__collective_group_init(&group, w->system, 0, stride, members, 2) != PM_OK;
      group.groups_at_once = stride;
      w->sum += pm__exchange_time(NULL, &group, PM_COLLECTIVE_ALL_REDUCE, 1e8);
    }
}

/* Groups of GPUs in all orders: more lists than a system keeps, so that its list is full while others read it. */
static void form_groups(worker *w)
{
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++)
      for (int c = 0; c < 8; c++)
        for (int d = 0; d < 8; d++) {
          const int list[] = {a, b, c, d};
          pm_call call = pm_call_make();
          pm_collective_time time;
          if (a == b || a == c || a == d || b == c || b == d || c == d) continue;
          call.bytes = 1e6;
          pm_group *group = pm_group_new(w->system, list, 4, NULL, NULL);
          w->failures += group == NULL || pm_group_evaluate(group, &call, &time, 1) != PM_OK;
          w->sum += group != NULL ? time.time : 0;
          pm_group_free(group);
        }
}

static void predict_runs(worker *w)
{
  pm_run runs[RUNS];
  pm_prediction predictions[RUNS];
  for (int i = 0; i < RUNS; i++) {
    runs[i] = pm_run_make();
    runs[i].gpus = 1 << i % 4;
    runs[i].nodes = 1 + i % 3;
    runs[i].batch = 8 << i % 5;
    runs[i].framework_index = 0;
  }
  w->failures += pm_predict(w->plan, runs, predictions, RUNS) != PM_OK;
  for (int i = 0; i < RUNS; i++) w->sum += predictions[i].step_time;
}

static void infer_runs(worker *w)
{
  pm_inference_run run = pm_inference_run_make();
  pm_inference prediction;
  for (run.batch = 1; run.batch <= 64; run.batch *= 4) {
    w->failures += pm_infer(w->inference, &run, &prediction, 1) != PM_OK;
    w->sum += prediction.latency;
  }
}

/* Entries of the catalogue, among them a GPU that stands for a machine. */
static void build_entries(worker *w)
{
  static const char *const systems[] = {"dgx2", "t4", "a100-sxm4-40gb"};
  pm_network *network = pm_catalog_new_network(catalog, "alexnet", NULL, 0, NULL);
  pm_network_totals out;
  w->failures += network == NULL || pm_network_get_totals(network, &out, NULL) != PM_OK;
  w->sum += network != NULL ? out.parameters : 0;
  pm_network_free(network);
  for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
    pm_system *system = pm_catalog_new_system(catalog, systems[i], NULL);
    w->failures += system == NULL;
    pm_system_free(system);
  }
}

static void count_layers(worker *w)
{
  pm_network_totals out;
  w->failures += pm_network_get_totals(w->network, &out, NULL) != PM_OK;
  w->sum += out.mac;
}

static void *work(void *data)
{
  worker *w = (worker *)data;
  for (int round = 0; round < ROUNDS; round++) {
    exchange(w);
    find_rings(w);
    predict_runs(w);
    infer_runs(w);
    build_entries(w);
    count_layers(w);
  }
  form_groups(w);
  return NULL;
}

/* ---- One turn: everything is made, shared, and compared with what one thread does ---- */

static void share(const worker *shared)
{
  pthread_t thread[THREADS];
  worker workers[THREADS], alone = *shared;
  for (int i = 0; i < THREADS; i++) {
    workers[i] = *shared;
    ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  work(&alone);
  ck_assert_int_eq(alone.failures, 0);
  ck_assert(alone.sum > 0);
  for (int i = 0; i < THREADS; i++) {
    ck_assert_int_eq(workers[i].failures, 0);
    ck_assert(workers[i].sum == alone.sum); /* to the last bit */
  }
}

static pm_plan *new_plan(const pm_network *network, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pt-nchw", &profile, &error), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, &error), 0);
  return plan;
}

static pm_plan *new_inference_plan(const pm_network *network, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  pm_inference_profile profile;
  record("inference_profile", "tensorrt", &profile);
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, &error);
  ck_assert_msg(plan != NULL && pm_plan_add_inference_profile(plan, &profile, NULL, &error) == 0, "%s", error.text);
  return plan;
}

START_TEST(threads_share_what_is_read)
{
  for (int turn = 0; turn < TURNS; turn++) {
    pm_network *network = build_network("resnet18");
    pm_system *system = build_system("dgx1-v100"), *fresh = build_system("dgx1-v100");
    pm_plan *plan = new_plan(network, system);
    pm_plan *inference = new_inference_plan(network, system);
    share(&(worker){turn % 2 == 0 ? fresh : system, network, plan, inference, 0, 0});
    pm_plan_free(inference);
    pm_plan_free(plan);
    pm_system_free(fresh);
    pm_system_free(system);
    pm_network_free(network);
  }
}
END_TEST

/* ---- Mixes: each thread builds, predicts, writes and frees in an order of its own ---- */

enum { MIXES = 20, STEPS = 12 };

typedef struct mixer {
  const worker *shared;
  unsigned seed;
  double sum;
  int failures;
} mixer;

static unsigned draw(mixer *m, unsigned most)
{
  m->seed = m->seed * 1103515245u + 12345u;
  return m->seed / 65536u % most;
}

static pm_network *build_own(mixer *m)
{
  const int64_t shape[] = {3, 32, 32};
  const pm_attribute conv[] = {{"out_channels", "8"}, {"kernel", "3"}, {"padding", "1"}};
  pm_network *network = pm_network_new("own", "own", NULL);
  int last = pm_network_add_input(network, NULL, shape, 3, NULL);
  for (unsigned i = 1 + draw(m, 6); i > 0; i--) last = pm_network_add(network, "conv2d", NULL, &last, 1, conv, 3, NULL);
  m->failures += last < 0;
  return network;
}

/* A study has a copy: the network grows and goes before the study is asked. */
static void study_own(mixer *m)
{
  const int last = 0;
  pm_run run = pm_run_make();
  pm_prediction prediction = {0};
  const pm_given given = {0};
  pm_network *network = build_own(m);
  const pm_study_setup setup = {catalog, (const pm_network *const *)&network, 1, &m->shared->system, 1, NULL, 0, 0};
  pm_study *study = pm_study_new(&setup, NULL);
  m->failures += pm_network_add(network, "relu", NULL, &last, 1, NULL, 0, NULL) < 0;
  pm_network_free(network);
  m->failures += pm_study_complete(study, &given, &run, &run, sizeof run, 1, NULL) != PM_OK;
  m->failures += pm_predict(pm_study_get_plan(study, NULL), &run, &prediction, 1) != PM_OK;
  m->sum += prediction.step_time;
  pm_study_free(study);
}

static void write_out(mixer *m)
{
  char *text = pm_network_format_xml(m->shared->network, NULL);
  m->failures += text == NULL;
  for (const char *p = text; p != NULL && *p != '\0'; p++) m->sum += *p;
  pm_string_free(text);
}

static void predict_shared(mixer *m)
{
  worker w = {m->shared->system, m->shared->network, m->shared->plan, m->shared->inference, 0, 0};
  predict_runs(&w);
  m->sum += w.sum;
  m->failures += w.failures;
}

static void *mix(void *data)
{
  mixer *m = (mixer *)data;
  for (int step = 0; step < STEPS; step++) {
    switch (draw(m, 4)) {
    case 0: pm_network_free(build_own(m)); break;
    case 1: study_own(m); break;
    case 2: write_out(m); break;
    default: predict_shared(m);
    }
  }
  return NULL;
}

static void check_mix(const worker *shared, unsigned seed)
{
  pthread_t thread[THREADS];
  mixer mixers[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    mixers[i] = (mixer){shared, seed * THREADS + i, 0, 0};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, mix, &mixers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (unsigned i = 0; i < THREADS; i++) {
    mixer alone = {shared, seed * THREADS + i, 0, 0};
    mix(&alone);
    ck_assert_int_eq(mixers[i].failures, 0);
    ck_assert(mixers[i].sum == alone.sum);
  }
}

START_TEST(threads_build_predict_write_and_free_in_any_order)
{
  pm_network *network = build_network("alexnet");
  pm_system *system = build_system("dgx1-v100");
  pm_plan *plan = new_plan(network, system);
  const worker shared = {system, network, plan, NULL, 0, 0};
  check_mix(&shared, (unsigned)_i);
  pm_plan_free(plan);
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("threads");
  TCase *tests = tcase_create("threads");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, threads_share_what_is_read);
  tcase_add_loop_test(tests, threads_build_predict_write_and_free_in_any_order, 0, MIXES);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
