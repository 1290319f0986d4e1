/* Grids of runs, and their results as a table. */
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "perfmodel/predict.h"
#include "plan/plan.h"

static size_t at_least_one(size_t count)
{
  return count > 0 ? count : 1;
}

size_t pm_grid_count(const pm_grid *grid)
{
  if (grid == NULL) return 0;
  return at_least_one(grid->networks) * at_least_one(grid->systems) * at_least_one(grid->frameworks) * at_least_one(grid->precision_count) *
         at_least_one(grid->nodes_count) * at_least_one(grid->gpus_count) * at_least_one(grid->batch_count);
}

/* The position along one axis, and what is left for the slower ones. */
static size_t take(size_t *index, size_t length)
{
  length = at_least_one(length);
  size_t position = *index % length;
  *index /= length;
  return position;
}

static pm_run run_at(const pm_grid *grid, size_t index)
{
  pm_run run = grid->base;
  size_t batch = take(&index, grid->batch_count), gpus = take(&index, grid->gpus_count);
  size_t nodes = take(&index, grid->nodes_count), precision = take(&index, grid->precision_count);
  size_t framework = take(&index, grid->frameworks);
  run.system_index = (int32_t)take(&index, grid->systems);
  run.network_index = (int32_t)take(&index, grid->networks);
  if (grid->frameworks > 0) run.framework_index = (int32_t)framework;
  if (grid->batch_count > 0) run.batch = grid->batch[batch];
  if (grid->gpus_count > 0) run.gpus = grid->gpus[gpus];
  if (grid->nodes_count > 0) run.nodes = grid->nodes[nodes];
  if (grid->precision_count > 0) run.precision = grid->precision[precision];
  return run;
}

/* A global batch that does not divide is no batch at all, and the prediction's status says so. */
static void divide_batch(pm_run *run)
{
  double share = run->batch / ((double)run->gpus * run->nodes * run->accumulation);
  run->batch = share == floor(share) ? share : (double)NAN;
}

void pm_grid_runs(const pm_grid *grid, pm_run *runs)
{
  size_t count = pm_grid_count(grid);
  for (size_t i = 0; i < count; i++) {
    runs[i] = run_at(grid, i);
    if (grid->global_batch) divide_batch(&runs[i]);
  }
}

static const char *network_id(const pm_plan *plan, const pm_run *run)
{
  bool known = run->network_index >= 0 && (size_t)run->network_index < plan->network_count;
  return known ? plan->networks[run->network_index].network->id : "";
}

static const char *system_id(const pm_plan *plan, const pm_run *run)
{
  bool known = run->system_index >= 0 && (size_t)run->system_index < plan->system_count;
  return known ? plan->systems[run->system_index].system->machine.id : "";
}

static const char *framework_id(const pm_plan *plan, const pm_run *run)
{
  bool known = run->framework_index >= 0 && (size_t)run->framework_index < plan->framework_count;
  return known ? plan->frameworks[run->framework_index].profile.framework.id : "none";
}

static int add_ids(pm_table *table, const pm_plan *plan, const pm_run *runs, size_t count, pm_error *error)
{
  const char **ids = (const char **)malloc((count + 1) * sizeof *ids);
  if (ids == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < count; i++) ids[i] = network_id(plan, &runs[i]);
  int status = pm_table_add_text(table, "network", "network", ids, error);
  for (size_t i = 0; i < count; i++) ids[i] = system_id(plan, &runs[i]);
  if (status == PM_OK) status = pm_table_add_text(table, "system", "system", ids, error);
  for (size_t i = 0; i < count; i++) ids[i] = framework_id(plan, &runs[i]);
  if (status == PM_OK) status = pm_table_add_text(table, "framework", "framework", ids, error);
  free(ids);
  return status;
}

/* The ids stand for the run's positions in the plan. */
static int add_columns(pm_table *table, const pm_plan *plan, const pm_run *runs, const pm_prediction *predictions,
                       size_t count, pm_error *error)
{
  int status = add_ids(table, plan, runs, count, error);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("run"), runs, error);
  pm_table_drop(table, "network_index");
  pm_table_drop(table, "system_index");
  pm_table_drop(table, "framework_index");
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("prediction"), predictions, error);
  return status;
}

pm_table *pm_prediction_table(const pm_plan *plan, const pm_run *runs, const pm_prediction *predictions, size_t count,
                              pm_error *error)
{
  if (plan == NULL || (count > 0 && (runs == NULL || predictions == NULL))) {
    pm__fail(error, PM_BAD_ARGUMENT, "a prediction table needs a plan, runs and predictions");
    return NULL;
  }
  pm_table *table = pm_table_new(count, error);
  if (table == NULL) return NULL;
  if (add_columns(table, plan, runs, predictions, count, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}
