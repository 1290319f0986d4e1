/*
** How many training steps of ResNet-50 the model predicts per second on one core.
**
** Each step has 8 GPUs and the host, buckets, waits and interval of a framework. The rows differ in what the runs of
** one call share:
**   one step per call         a call of pm_predict for each run
**   distinct steps            one call for many runs, each with its own batch size: all kernels are priced for each
**   distinct steps, one GPU   the same without an exchange
**   grid points               runs that differ in machine, GPUs, overlap and framework only: kernels are priced once
**   grid points, ideal        the same without a framework
**
** A row is the best of five stretches of at least 0.2 s of processor time; compare.py compares two builds. The columns
** are those of pm_predict, without strong scaling.
*/
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfmodel.h>

enum { RUNS = 4096, SYSTEMS = 2, FRAMEWORKS = 3, REPEATS = 5 };

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static pm_run base_run(void)
{
  pm_run run = pm_run_make();
  run.framework_index = 0;
  run.gpus = 8;
  run.batch = 64;
  run.ignore_memory = 1;
  run.precision = PM_PRECISION_FP16;
  return run;
}

static void fill_batches(pm_run *runs, int gpus)
{
  for (int i = 0; i < RUNS; i++) {
    runs[i] = base_run();
    runs[i].gpus = gpus;
    runs[i].batch = 1 + i;
  }
}

static void fill_machines(pm_run *runs, int frameworks)
{
  for (int i = 0; i < RUNS; i++) {
    runs[i] = base_run();
    runs[i].system_index = i % SYSTEMS;
    runs[i].gpus = 1 + i / SYSTEMS % 8;
    runs[i].overlap = i / (SYSTEMS * 8) % 2;
    runs[i].framework_index = frameworks > 0 ? i / (SYSTEMS * 16) % frameworks : -1;
  }
}

typedef void pass(const pm_plan *plan, const pm_run *runs, pm_prediction *predictions);

static void scalar_pass(const pm_plan *plan, const pm_run *runs, pm_prediction *predictions)
{
  for (int i = 0; i < RUNS; i++) pm_predict(plan, &runs[i], &predictions[i], 1);
}

static void batch_pass(const pm_plan *plan, const pm_run *runs, pm_prediction *predictions)
{
  pm_predict(plan, runs, predictions, RUNS);
}

/* Evaluations per second, the best of REPEATS. */
static double rate(pass *evaluate, const pm_plan *plan, const pm_run *runs, pm_prediction *predictions)
{
  double best = 0;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now(), seconds = 0, evaluated = 0;
    while (seconds < 0.2) {
      evaluate(plan, runs, predictions);
      evaluated += RUNS;
      seconds = now() - start;
    }
    best = fmax(best, evaluated / seconds);
  }
  return best;
}

static int all_ok(const pm_prediction *predictions)
{
  for (int i = 0; i < RUNS; i++)
    if (predictions[i].status != PM_OK || !(predictions[i].step_time > 0)) return 0;
  return 1;
}

/* Prints one row. Returns 0 if a prediction failed: the speed of wrong answers is of no interest. */
static int measure(const char *name, pass *evaluate, const pm_plan *plan, const pm_run *runs,
                   pm_prediction *predictions)
{
  printf("%-28s  %12.0f\n", name, rate(evaluate, plan, runs, predictions));
  return all_ok(predictions);
}

static int measure_all(const pm_plan *plan)
{
  pm_run *runs = (pm_run *)calloc(RUNS, sizeof *runs);
  pm_prediction *predictions = (pm_prediction *)calloc(RUNS, sizeof *predictions);
  int ok = runs != NULL && predictions != NULL;
  if (ok) {
    fill_batches(runs, 8);
    ok = measure("one step per call", scalar_pass, plan, runs, predictions);
    ok = measure("distinct steps", batch_pass, plan, runs, predictions) && ok;
    fill_batches(runs, 1);
    ok = measure("distinct steps, one GPU", batch_pass, plan, runs, predictions) && ok;
    fill_machines(runs, FRAMEWORKS);
    ok = measure("grid points", batch_pass, plan, runs, predictions) && ok;
    fill_machines(runs, 0);
    ok = measure("grid points, ideal", batch_pass, plan, runs, predictions) && ok;
  }
  free(predictions);
  free(runs);
  return ok;
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  pm_network *network = catalog ? pm_catalog_new_network(catalog, "resnet50", NULL, 0, &error) : NULL;
  const pm_network *networks[1] = {network};
  pm_system *first = catalog ? pm_catalog_new_system(catalog, "dgx1-v100", &error) : NULL;
  pm_system *second = catalog ? pm_catalog_new_system(catalog, "dgx2", &error) : NULL;
  const pm_system *systems[SYSTEMS] = {first, second};
  pm_plan *plan = network && first && second ? pm_plan_new(networks, 1, systems, SYSTEMS, &error) : NULL;
  static const char *const names[FRAMEWORKS] = {"pt-nchw", "mxnet-ngc", "tf1-nchw"};
  pm_framework_profile framework;
  int ok = plan != NULL;
  for (int i = 0; ok && i < FRAMEWORKS; i++)
    ok = pm_catalog_get_framework(catalog, names[i], &framework, &error) == PM_OK &&
         pm_plan_add_framework(plan, &framework, &error) == i;
  ok = ok && measure_all(plan);
  if (!ok) fprintf(stderr, "bench_predict: %s\n", error.text[0] ? error.text : "a prediction failed");
  pm_plan_free(plan);
  pm_system_free(second);
  pm_system_free(first);
  pm_network_free(network);
  pm_catalog_free(catalog);
  return ok ? 0 : 1;
}
