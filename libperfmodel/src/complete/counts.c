/* How many GPUs of how many nodes, and the degrees that a name of parallelism stands for. */
#include <math.h>
#include <stdio.h>
#include "complete/complete.h"
#include "record/count.h"
#include "record/sized.h"

/* ---- Counts ---- */

/* The nearest counts above and below that fill whole nodes. */
static int refuse(const pm_machine *machine, int32_t gpus, pm_error *error)
{
  int32_t below = gpus, above = gpus;
  while (below > 1 && pm_machine_get_nodes(machine, below) == 0) below--;
  while (above < INT32_MAX && pm_machine_get_nodes(machine, above) == 0) above++;
  return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "%d GPUs do not fill whole nodes of %d; %d or %d GPUs do", gpus,
                  machine->gpus, below, above);
}

/* `gpus` without nodes is the total. The check of the run refuses more than a node without a network has. */
static int place(const pm_system *system, int32_t *gpus, int32_t *nodes, pm_error *error)
{
  const pm_machine *machine = pm_system_get_machine(system);
  if (*gpus > machine->gpus && !(pm_system_get_network_bandwidth(system) > 0)) return PM_OK;
  int32_t filled = pm_machine_get_nodes(machine, *gpus);
  if (filled == 0) return refuse(machine, *gpus, error);
  *nodes = filled;
  *gpus /= filled;
  return PM_OK;
}

/* Users count the trays of a rack as nodes, each with its own operating system; a rack is one node of the catalogue, as
** NVLink joins its trays. */
static bool are_trays(const pm_machine *machine, int32_t gpus, int32_t nodes)
{
  return machine->hosts > 1 && nodes > 1 && (int64_t)gpus * machine->hosts == machine->gpus &&
         nodes <= INT32_MAX / gpus;
}

static int complete(const pm_system *system, bool has_gpus, bool has_nodes, int32_t *gpus, int32_t *nodes,
                    pm_error *error)
{
  const pm_machine *machine = pm_system_get_machine(system);
  if (!has_nodes) *nodes = 1;
  if (!has_gpus) *gpus = machine->gpus;
  int status = pm__count_check("gpus", *gpus, 1, error);
  if (status == PM_OK) status = pm__count_check("nodes", *nodes, 1, error);
  if (status != PM_OK || !has_gpus) return status;
  bool trays = has_nodes && are_trays(machine, *gpus, *nodes);
  if (trays) *gpus *= *nodes;
  return trays || !has_nodes ? place(system, gpus, nodes, error) : PM_OK;
}

/* ---- Degrees ---- */

static int set_degree(const char *parallelism, const char *name, bool given, int64_t value, int32_t *degree,
                      pm_error *error)
{
  if (given && *degree != value)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "parallelism %s means %s %lld on these GPUs, but %d was given",
                    parallelism, name, (long long)value, *degree);
  *degree = (int32_t)value;
  return PM_OK;
}

static int name_degrees(const pm_given *given, pm_run *run, pm_error *error)
{
  int64_t all = (int64_t)run->gpus * run->nodes;
  int32_t how = run->parallelism;
  bool tensor = pm__complete_has(given, PM__RUN_AT_tensor_parallel);
  bool stages = pm__complete_has(given, PM__RUN_AT_pipeline_parallel);
  if (how != PM_PARALLELISM_TENSOR && how != PM_PARALLELISM_PIPELINE && how != PM_PARALLELISM_HYBRID) return PM_OK;
  run->parallelism = PM_PARALLELISM_FRAMEWORK;
  if (how == PM_PARALLELISM_PIPELINE)
    return set_degree("pipeline-parallel", "pipeline_parallel", stages, all, &run->pipeline_parallel, error);
  if (how == PM_PARALLELISM_HYBRID)
    return set_degree("hybrid", "tensor_parallel", tensor, run->gpus, &run->tensor_parallel, error);
  return set_degree("tensor-parallel", "tensor_parallel", tensor, all, &run->tensor_parallel, error);
}

/* ---- Both kinds of runs ---- */

int pm__complete_counts(const pm_system *system, const pm_given *given, pm_run *run, pm_error *error)
{
  int status = complete(system, pm__complete_has(given, PM__RUN_AT_gpus), pm__complete_has(given, PM__RUN_AT_nodes),
                        &run->gpus, &run->nodes, error);
  return status == PM_OK ? name_degrees(given, run, error) : status;
}

int pm__complete_inference_counts(const pm_system *system, const pm_given *given, pm_inference_run *run,
                                  pm_error *error)
{
  return complete(system, pm__complete_has(given, PM__INFERENCE_AT_gpus),
                  pm__complete_has(given, PM__INFERENCE_AT_nodes),
                  &run->gpus, &run->nodes, error);
}

static int64_t prefill_gpus(const pm_serving_run *run)
{
  return (int64_t)run->prefill_workers * run->prefill_tensor_parallel * run->prefill_attention_parallel;
}

/* A replica has the GPUs of a node, unless it is given. */
/* Clients that wait for their answers, or requests that come as they come. */
static int check_load(const pm_given *given, const pm_serving_run *run, pm_error *error)
{
  if (!pm__complete_has(given, PM__SERVING_AT_rate) || !pm__complete_has(given, PM__SERVING_AT_concurrency) ||
      isnan(run->rate)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a rate of %g requests/s and a concurrency of %g exclude each other: "
                  "requests arrive at a rate (open loop) or from clients that wait for answers (closed loop)",
                  run->rate,
                  run->concurrency);
}

int pm__complete_serving_counts(const pm_system *system, const pm_given *given, pm_serving_run *run, pm_error *error)
{
  int status = check_load(given, run, error);
  if (status == PM_OK)
    status = complete(system, pm__complete_has(given, PM__SERVING_AT_gpus),
                      pm__complete_has(given, PM__SERVING_AT_nodes), &run->gpus, &run->nodes, error);
  if (status != PM_OK || pm__complete_has(given, PM__SERVING_AT_tensor_parallel)) return status;
  int64_t taken = (int64_t)run->pipeline_parallel * run->attention_parallel;
  int64_t left = run->gpus - (run->nodes == 1 ? prefill_gpus(run) : 0);
  if (taken > 0 && left >= taken && left % taken == 0) run->tensor_parallel = (int32_t)(left / taken);
  return status;
}

int pm_run_complete_counts_sized(const pm_system *system, const pm_given *given, pm_run *run, size_t size,
                                 pm_error *error)
{
  pm_run own;
  if (system == NULL || given == NULL || run == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "counts of GPUs need a system, the given fields and a run");
  int status = pm__record_size_check("run", size, error);
  if (status != PM_OK) return status;
  own = *(const pm_run *)pm__record_read(&(pm__record_array){"run", run, size}, 0, &own);
  status = pm__complete_counts(system, given, &own, error);
  pm__record_write(run, size, &own, sizeof own);
  return status;
}
