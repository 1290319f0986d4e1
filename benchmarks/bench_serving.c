/*
** How many settings of serving the model predicts per second on one core, and how long a plan takes.
**
** The model is Llama 3 70B on 4 GPUs of a node; each setting has its own number of clients or rate, and own lengths.
**   plan                    of one network on one system with one engine, to its first answer: per second
**   static batches          one call for many runs
**   closed loops            the same: a pass of decoding, one with a prompt, a prompt alone
**   open loops              the same; the sequences that run are searched
**   one closed loop a call  a call of pm_serve for each run
**
** A row is the best of five stretches of at least 0.2 s of processor time.
*/
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfmodel.h>

enum { RUNS = 4096, REPEATS = 5, PLANS = 8 };

typedef struct bench {
  pm_network *network;
  pm_system *system;
  pm_engine_profile engine;
  pm_plan *plan;
  pm_serving_run *runs;
  pm_serving *answers;
} bench;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static pm_serving_run run_of(int i, int arrivals)
{
  pm_serving_run run = pm_serving_run_make();
  run.engine_index = 0;
  run.gpus = 8;
  run.tensor_parallel = 4;
  run.arrivals = arrivals;
  run.concurrency = 2 + i % 64;
  run.rate = 0.5 + 0.1 * (i % 64);
  run.isl = 256 + 16 * (i / 64);
  run.osl = 64 + i % 512;
  return run;
}

static pm_plan *make_plan(const bench *b, pm_error *error)
{
  const pm_network *network = b->network;
  const pm_system *system = b->system;
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, error);
  if (plan == NULL || pm_plan_add_engine(plan, &b->engine, error) == 0) return plan;
  pm_plan_free(plan);
  return NULL;
}

typedef int pass(const bench *b);

/* Returns what it has made, or 0 if one failed. */
static int plan_pass(const bench *b)
{
  int made = 0;
  for (int i = 0; i < PLANS; i++) {
    pm_plan *plan = make_plan(b, NULL);
    made += plan != NULL && pm_serve(plan, b->runs, b->answers, 1) == PM_OK && b->answers[0].status == PM_OK;
    pm_plan_free(plan);
  }
  return made == PLANS ? made : 0;
}

static int batch_pass(const bench *b)
{
  return pm_serve(b->plan, b->runs, b->answers, RUNS) == PM_OK ? RUNS : 0;
}

static int scalar_pass(const bench *b)
{
  for (int i = 0; i < RUNS; i++) pm_serve(b->plan, &b->runs[i], &b->answers[i], 1);
  return RUNS;
}

static double rate(pass *evaluate, const bench *b)
{
  double best = 0;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now(), seconds = 0, made = 0;
    while (seconds < 0.2) {
      int count = evaluate(b);
      if (count == 0) return 0;
      made += count;
      seconds = now() - start;
    }
    best = fmax(best, made / seconds);
  }
  return best;
}

/* Prints one row. Returns 0 if a prediction failed: the speed of wrong answers is of no interest. */
static int measure(const char *name, pass *evaluate, const bench *b, int arrivals)
{
  for (int i = 0; i < RUNS; i++) b->runs[i] = run_of(i, arrivals);
  double found = rate(evaluate, b);
  printf("%-28s  %12.0f\n", name, found);
  return found > 0 && b->answers[0].status == PM_OK;
}

static int measure_all(const bench *b)
{
  int ok = measure("plan", plan_pass, b, PM_ARRIVALS_CLOSED);
  ok = measure("static batches", batch_pass, b, PM_ARRIVALS_STATIC) && ok;
  ok = measure("closed loops", batch_pass, b, PM_ARRIVALS_CLOSED) && ok;
  ok = measure("open loops", batch_pass, b, PM_ARRIVALS_OPEN) && ok;
  return measure("one closed loop a call", scalar_pass, b, PM_ARRIVALS_CLOSED) && ok;
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  bench b = {.runs = (pm_serving_run *)calloc(RUNS, sizeof *b.runs),
             .answers = (pm_serving *)calloc(RUNS, sizeof *b.answers)};
  pm_catalog *catalog = pm_catalog_new(&error);
  b.network = catalog ? pm_catalog_new_network(catalog, "llama3-70b", NULL, 0, &error) : NULL;
  b.system = catalog ? pm_catalog_new_system(catalog, "hgx-h100", &error) : NULL;
  int ok = b.network != NULL && b.system != NULL && b.runs != NULL && b.answers != NULL &&
           pm_catalog_get_engine_on(catalog, PM_ENGINE_DEFAULT, pm_system_get_gpu(b.system)->architecture, &b.engine,
                                    &error) == PM_OK;
  b.plan = ok ? make_plan(&b, &error) : NULL;
  ok = b.plan != NULL && measure_all(&b);
  if (!ok) fprintf(stderr, "bench_serving: %s\n", error.text[0] ? error.text : "a prediction failed");
  pm_plan_free(b.plan);
  pm_system_free(b.system);
  pm_network_free(b.network);
  pm_catalog_free(catalog);
  free(b.answers);
  free(b.runs);
  return ok ? 0 : 1;
}
