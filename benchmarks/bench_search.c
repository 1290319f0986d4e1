/*
** How many parallel plans are predicted per second on one core.
**
**   one plan per call         one plan of GPT-3 175B on 1,024 A100 again and again, a call for each
**   distinct plans            one call for every plan of a grid of the same: degrees, micro-batch, ZeRO, recomputation
**   search, cold              every plan of a network of a trillion parameters on 4,096 A100, from names to the best
**                             plan: network, plan, shards, wirings, kernels and candidates are made each time
**   search, warm              the same candidates again
**
** A row is the best of several stretches of processor time; compare.py compares two builds.
*/
#define _POSIX_C_SOURCE 199309L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfmodel.h>

enum { REPEATS = 7, CALLS = 5000, MOST = 1024 };

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void need(const void *made, const pm_error *error)
{
  if (made != NULL) return;
  fprintf(stderr, "bench_search: %s\n", error->text);
  exit(1);
}

static void print(const char *name, double count, double seconds)
{
  printf("%-28s  %12.0f\n", name, count / seconds);
}

typedef struct model {
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
} model;

static model model_make(const pm_catalog *catalog, const char *network, const char *system, const char *framework)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  model m = {.network = pm_catalog_new_network(catalog, network, NULL, 0, &error)};
  need(m.network, &error);
  m.system = pm_catalog_new_system(catalog, system, &error);
  need(m.system, &error);
  m.plan = pm_plan_new((const pm_network *const *)&m.network, 1, (const pm_system *const *)&m.system, 1, &error);
  need(m.plan, &error);
  bool good = pm_catalog_get_framework_on(catalog, framework, pm_system_get_gpu(m.system)->architecture, &profile,
                                          &error) == PM_OK &&
              pm_plan_add_framework(m.plan, &profile, &error) >= 0;
  need(good ? m.plan : NULL, &error);
  return m;
}

static void model_free(model *m)
{
  pm_plan_free(m->plan);
  pm_system_free(m->system);
  pm_network_free(m->network);
}

static pm_run run_make(int tensor, int pipeline, int micro_batch, int zero, int recompute)
{
  pm_run run = pm_run_make();
  run.framework_index = 0;
  run.gpus = 8;
  run.nodes = 128;
  run.tensor_parallel = tensor;
  run.pipeline_parallel = pipeline;
  run.batch = 192;
  run.micro_batch = micro_batch;
  run.zero = zero;
  run.recompute = recompute;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_OPTIMIZER_ADAM;
  run.ignore_memory = 1;
  return run;
}

static size_t fill_grid(pm_run *runs)
{
  size_t count = 0;
  for (int tensor = 1; tensor <= 8; tensor *= 2)
    for (int pipeline = 1; pipeline <= 16; pipeline *= 2)
      for (int micro_batch = 1; micro_batch <= 8; micro_batch *= 2)
        for (int zero = 0; zero <= 2; zero++)
          for (int recompute = 0; recompute < PM_RECOMPUTE_COUNT; recompute++)
            runs[count++] = run_make(tensor, pipeline, micro_batch, zero, recompute);
  return count;
}

/* Seconds of a call, the best of REPEATS. The first call fills what is kept with plan and system, and is not timed. */
static double time_calls(const pm_plan *plan, const pm_run *runs, size_t count, int calls)
{
  static pm_prediction predictions[MOST];
  double best = 1e9;
  pm_predict(plan, runs, predictions, count);
  for (size_t i = 0; i < count; i++) need(predictions[i].status == PM_OK ? plan : NULL, &(pm_error){.text = "no step"});
  for (int i = 0; i < REPEATS; i++) {
    double start = now();
    for (int k = 0; k < calls; k++) pm_predict(plan, runs, predictions, count);
    double seconds = (now() - start) / calls;
    best = seconds < best ? seconds : best;
  }
  return best;
}

static void time_plans(const pm_catalog *catalog)
{
  static pm_run runs[MOST];
  model m = model_make(catalog, "gpt3-175b", "dgx-a100-80gb", "megatron-core-0.12");
  size_t count = fill_grid(runs);
  pm_run one = run_make(8, 16, 1, 1, PM_RECOMPUTE_FULL);
  print("one plan per call", 1, time_calls(m.plan, &one, 1, CALLS));
  print("distinct plans", (double)count, time_calls(m.plan, runs, count, 10));
  model_free(&m);
}

static pm_search *search_make(const model *m)
{
  pm_error error = PM_ERROR_NONE;
  pm_run base = pm_search_base_make();
  base.framework_index = 0;
  base.gpus = 8;
  base.nodes = 512;
  base.precision = PM_PRECISION_BF16;
  base.optimizer = PM_OPTIMIZER_ADAM;
  pm_search *search = pm_search_new(m->plan, &base, 1, 3072, &error);
  need(search, &error);
  return search;
}

/* Seconds for all candidates. */
static double evaluate(const pm_search *search)
{
  pm_error error = PM_ERROR_NONE;
  pm_search_result *result = pm_search_result_new(search, 10, PM_MINIMIZE_NODES, &error);
  need(result, &error);
  double start = now();
  pm_search_evaluate(search, 0, pm_search_count(search), result);
  double seconds = now() - start;
  pm_search_result_free(result);
  return seconds;
}

static void time_search(const pm_catalog *catalog)
{
  double cold = 1e9, warm = 1e9, count = 0;
  for (int i = 0; i < REPEATS; i++) {
    double start = now();
    model m = model_make(catalog, "megatron-1t", "dgx-a100-80gb", "megatron-core-0.12");
    pm_search *search = search_make(&m);
    evaluate(search);
    double first = now() - start;
    cold = first < cold ? first : cold;
    for (int k = 0; k < REPEATS; k++) {
      double again = evaluate(search);
      warm = again < warm ? again : warm;
    }
    count = (double)pm_search_count(search);
    pm_search_free(search);
    model_free(&m);
  }
  print("search, cold", count, cold);
  print("search, warm", count, warm);
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  need(catalog, &error);
  time_plans(catalog);
  time_search(catalog);
  pm_catalog_free(catalog);
  return 0;
}
