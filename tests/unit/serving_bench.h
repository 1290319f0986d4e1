/* A model on a system with an engine of the shipped catalogue, which a test has opened (shipped.h). */
#ifndef SERVING_BENCH_H
#define SERVING_BENCH_H

#include <check.h>
#include <string.h>
#include "serving/service.h"
#include "shipped.h"

typedef struct serving_bench {
  const char *name;
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
  pm_engine_profile engine;
  int tensor;
} serving_bench;

static inline serving_bench serving_bench_open(const char *network, const char *system, int tensor, const char *engine)
{
  pm_error error = PM_ERROR_NONE;
  serving_bench b = {.name = network, .network = build_network(network), .system = build_system(system),
                     .tensor = tensor};
  const pm_network *networks = b.network;
  const pm_system *systems = b.system;
  const char *architecture = pm_system_get_gpu(b.system)->architecture;
  int status = pm_catalog_get_engine_on(catalog, engine, architecture, &b.engine, &error);
  ck_assert_msg(status == PM_OK, "%s", error.text);
  b.plan = pm_plan_new(&networks, 1, &systems, 1, &error);
  ck_assert_msg(b.plan != NULL && pm_plan_add_engine(b.plan, &b.engine, &error) == 0, "%s", error.text);
  return b;
}

static inline void serving_bench_close(serving_bench *b)
{
  pm_plan_free(b->plan);
  pm_system_free(b->system);
  pm_network_free(b->network);
}

/* On one node, of which all GPUs serve. */
static inline pm_serving_run serving_run_on(const serving_bench *b)
{
  pm_serving_run run = pm_serving_run_make();
  run.gpus = (int32_t)pm_system_get_machine(b->system)->gpus;
  run.tensor_parallel = b->tensor;
  run.engine_index = 0;
  return run;
}

static inline void serving_replica_on(const serving_bench *b, const pm_serving_run *run, pm__serving_replica *r)
{
  pm_error error = PM_ERROR_NONE;
  int status = pm__serving_replica_make(r, b->plan, run, run->tensor_parallel, &error);
  ck_assert_msg(status == PM_OK, "%s", error.text);
}

#endif
