/*
** How fast parallel plans are evaluated, on one core.
**
**   one plan     a single run of GPT-3 175B on 1,024 A100, nothing shared with others, shards and wires known
**   cold         plans of a network of a trillion parameters on 4,096 A100, from names to the best: network, plan, shards,
**                wires, kernels, candidates; a new plan every time
**   warm         the same candidates once more
**
** Each row is the best of several stretches of the processor's time.
*/
#define _POSIX_C_SOURCE 199309L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfmodel.h>

enum { REPEATS = 7, CALLS = 20000 };

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void need(const void *made, const pm_error *error)
{
  if (made != NULL) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

typedef struct question {
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
} question;

static question ask(const pm_catalog *catalog, const char *network, const char *system, const char *framework)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  question q = {.network = pm_catalog_new_network(catalog, network, NULL, 0, &error)};
  need(q.network, &error);
  q.system = pm_catalog_new_system(catalog, system, &error);
  need(q.system, &error);
  q.plan = pm_plan_new((const pm_network *const *)&q.network, 1, (const pm_system *const *)&q.system, 1, &error);
  need(q.plan, &error);
  bool good = pm_catalog_get_framework_on(catalog, framework, pm_system_get_gpu(q.system)->architecture, &profile, &error) == PM_OK &&
              pm_plan_add_framework(q.plan, &profile, &error) >= 0;
  need(good ? q.plan : NULL, &error);
  return q;
}

static void done(question *q)
{
  pm_plan_free(q->plan);
  pm_system_free(q->system);
  pm_network_free(q->network);
}

static void time_one(const pm_catalog *catalog)
{
  question q = ask(catalog, "gpt3-175b", "dgx-a100-80gb", "megatron-core-0.12");
  double best = 1;
  pm_prediction p;
  pm_run run = pm_run_make();
  run.framework_index = 0;
  run.gpus = 8;
  run.nodes = 128;
  run.tensor_parallel = 8;
  run.pipeline_parallel = 16;
  run.batch = 192;
  run.micro_batch = 1;
  run.zero = 1;
  run.recompute = PM_RECOMPUTE_FULL;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_UPDATE_ADAM;
  for (int i = 0; i < REPEATS; i++) {
    double start = now();
    for (int k = 0; k < CALLS; k++) pm_predict(q.plan, &run, &p, 1);
    double time = (now() - start) / CALLS;
    if (time < best) best = time;
  }
  printf("one plan   %10.2f us   step %.3f s\n", best * 1e6, p.step_time);
  done(&q);
}

static double evaluate(const pm_search *search)
{
  pm_error error = PM_ERROR_NONE;
  pm_search_result *result = pm_search_result_new(search, 10, &error);
  need(result, &error);
  double start = now();
  pm_search_evaluate(search, 0, pm_search_count(search), result);
  double time = now() - start;
  pm_search_result_free(result);
  return time;
}

/* With its names from the catalogue, which is open. */
static void time_search(const pm_catalog *catalog)
{
  double cold = 1e9, listed = 1e9, warm = 1e9;
  size_t count = 0;
  pm_error error = PM_ERROR_NONE;
  for (int i = 0; i < REPEATS; i++) {
    double start = now();
    question q = ask(catalog, "megatron-1t", "dgx-a100-80gb", "megatron-core-0.12");
    pm_run base = pm_search_base_make();
    base.framework_index = 0;
    base.gpus = 4096;
    base.precision = PM_PRECISION_BF16;
    base.optimizer = PM_UPDATE_ADAM;
    pm_search *search = pm_search_new(q.plan, &base, 1, 3072, &error);
    need(search, &error);
    double list = now() - start;
    evaluate(search);
    double all = now() - start;
    cold = all < cold ? all : cold;
    listed = list < listed ? list : listed;
    for (int k = 0; k < REPEATS; k++) {
      double again = evaluate(search);
      warm = again < warm ? again : warm;
    }
    count = pm_search_count(search);
    pm_search_free(search);
    done(&q);
  }
  printf("cold       %10.2f ms   %zu plans, of which %.2f ms until they are listed\n", cold * 1e3, count, listed * 1e3);
  printf("warm       %10.3f M/s  %.0f ns each\n", (double)count / warm / 1e6, warm / (double)count * 1e9);
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  need(catalog, &error);
  time_one(catalog);
  time_search(catalog);
  pm_catalog_free(catalog);
  return 0;
}
