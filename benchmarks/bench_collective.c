/*
** What collectives cost to evaluate.
**
**   first groups     pm_group_new of GPUs 0 .. i for every i of a fresh system: its rings are searched
**   groups again     the same once the system has kept what was found, each
**   rings again      pm_ring_find, each
**   auto, named      one all-reduce in sizes from 8 B to 8 GB, by the fastest way; by ring and Simple
*/
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfmodel.h>

enum { CALLS = 100000, REPEATS = 5 };

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double make_groups(const pm_system *system, int gpus)
{
  double start = now();
  for (int i = 1; i <= gpus; i++) pm_group_free(pm_group_new(system, NULL, i, NULL, NULL));
  return now() - start;
}

static double find_rings(const pm_system *system, int gpus)
{
  pm_ring ring;
  double start = now();
  for (int i = 1; i <= gpus; i++) pm_ring_find(system, i, 1, &ring, NULL);
  return now() - start;
}

static double evaluate(const pm_system *system, int gpus, int algorithm, int protocol)
{
  pm_group_choice choice = pm_group_choice_make();
  choice.nodes = pm_system_get_network_bandwidth(system) > 0 ? 2 : 1;
  pm_group *group = pm_group_new(system, NULL, gpus, &choice, NULL);
  pm_call *calls = (pm_call *)calloc(CALLS, sizeof *calls);
  pm_collective_time *results = (pm_collective_time *)calloc(CALLS, sizeof *results);
  double best = INFINITY;
  for (int i = 0; calls != NULL && i < CALLS; i++) {
    calls[i] = pm_call_make();
    calls[i].bytes = exp2(3 + 30.0 * i / CALLS);
    calls[i].algorithm = algorithm;
    calls[i].protocol = protocol;
  }
  for (int turn = 0; turn < REPEATS && group != NULL && calls != NULL && results != NULL; turn++) {
    double start = now();
    pm_group_evaluate(group, calls, results, CALLS);
    best = fmin(best, now() - start);
  }
  free(results);
  free(calls);
  pm_group_free(group);
  return best / CALLS;
}

static void measure(const pm_catalog *catalog, const char *id)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = pm_catalog_new_system(catalog, id, &error);
  if (system == NULL) {
    fprintf(stderr, "%s\n", error.text);
    return;
  }
  int gpus = pm_system_get_machine(system)->gpus;
  double first = make_groups(system, gpus), again = make_groups(system, gpus), rings = find_rings(system, gpus);
  printf("%-14s %3d GPUs  first groups %8.3f ms  again %6.2f us  rings again %5.2f us  auto %4.0f ns  named %4.0f ns\n",
         id, gpus, first * 1e3, again / gpus * 1e6, rings / gpus * 1e6,
         evaluate(system, gpus, PM_ALGORITHM_AUTO, PM_PROTOCOL_ANY) * 1e9,
         evaluate(system, gpus, PM_ALGORITHM_RING, PM_PROTOCOL_SIMPLE) * 1e9);
  pm_system_free(system);
}

int main(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  if (catalog == NULL) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  static const char *const ids[] = {"dgx1-p100", "dgx1-v100", "dgx2", "dgx-h100", "mi300x-node", "ts4", "gb200-nvl72"};
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) measure(catalog, ids[i]);
  pm_catalog_free(catalog);
  return 0;
}
