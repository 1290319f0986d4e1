/* How many GPUs of how many nodes, and the degrees that a name of parallelism stands for. */
#include <stdio.h>
#include "complete/complete.h"

/* ---- Counts ---- */

/* The nearest counts above and below that fill whole nodes. */
static int refuse(const pm_machine *machine, int32_t gpus, pm_error *error)
{
  int32_t below = gpus, above = gpus;
  while (below > 1 && pm_machine_get_nodes(machine, below) == 0) below--;
  while (above < INT32_MAX && pm_machine_get_nodes(machine, above) == 0) above++;
  return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "%d GPUs fill no whole nodes of %d; %d or %d GPUs do", gpus, machine->gpus, below,
                  above);
}

/* `gpus` without nodes is the total. */
static int place(const pm_machine *machine, int32_t *gpus, int32_t *nodes, pm_error *error)
{
  if (*gpus < 1) return PM_OK; /* the check of the run refuses it */
  int32_t filled = pm_machine_get_nodes(machine, *gpus);
  *nodes = filled > 0 ? filled : 1;
  if (filled == 0) return refuse(machine, *gpus, error);
  *gpus /= filled;
  return PM_OK;
}

static int complete(const pm_machine *machine, bool has_gpus, bool has_nodes, int32_t *gpus, int32_t *nodes, pm_error *error)
{
  if (!has_nodes) *nodes = 1;
  if (!has_gpus) *gpus = machine->gpus;
  return has_gpus && !has_nodes ? place(machine, gpus, nodes, error) : PM_OK;
}

/* ---- Degrees ---- */

static int set_degree(const char *parallelism, const char *name, bool given, int64_t value, int32_t *degree, pm_error *error)
{
  if (given && *degree != value)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the parallelism %s is %s %lld on these GPUs, and %d was given", parallelism, name,
                    (long long)value, *degree);
  *degree = (int32_t)value;
  return PM_OK;
}

static int name_degrees(const pm_given *given, pm_run *run, pm_error *error)
{
  int64_t all = (int64_t)run->gpus * run->nodes;
  int32_t how = run->parallelism;
  bool tensor = pm__complete_has(given, PM__RUN_AT_tensor_parallel), stages = pm__complete_has(given, PM__RUN_AT_pipeline_parallel);
  if (how != PM_PARALLELISM_TENSOR && how != PM_PARALLELISM_PIPELINE && how != PM_PARALLELISM_HYBRID) return PM_OK;
  run->parallelism = PM_PARALLELISM_FRAMEWORK;
  if (how == PM_PARALLELISM_PIPELINE)
    return set_degree("pipeline-parallel", "pipeline_parallel", stages, all, &run->pipeline_parallel, error);
  if (how == PM_PARALLELISM_HYBRID)
    return set_degree("hybrid", "tensor_parallel", tensor, run->gpus, &run->tensor_parallel, error);
  return set_degree("tensor-parallel", "tensor_parallel", tensor, all, &run->tensor_parallel, error);
}

/* ---- Both kinds of runs ---- */

int pm__complete_counts(const pm_machine *machine, const pm_given *given, pm_run *run, pm_error *error)
{
  int status = complete(machine, pm__complete_has(given, PM__RUN_AT_gpus), pm__complete_has(given, PM__RUN_AT_nodes), &run->gpus,
                        &run->nodes, error);
  return status == PM_OK ? name_degrees(given, run, error) : status;
}

int pm__complete_inference_counts(const pm_machine *machine, const pm_given *given, pm_inference_run *run, pm_error *error)
{
  return complete(machine, pm__complete_has(given, PM__INFERENCE_AT_gpus), pm__complete_has(given, PM__INFERENCE_AT_nodes),
                  &run->gpus, &run->nodes, error);
}
