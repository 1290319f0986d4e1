/* Spaces of runs, and their results as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/inference.h"
#include "perfmodel/predict.h"
#include "plan/plan.h"
#include "record/sized.h"
#include "report/order.h"

/* ---- Spaces ---------------------------------------------------------------------------------------------------- */

enum { AXES_MOST = 64 };

/* An axis with its field, and where its field comes in the order of runs: larger runs faster. */
typedef struct search_axis {
  const pm_field *field;
  const double *values;
  size_t count, rank;
} search_axis;

/* What every sweep has runs fastest, the plan's lists slowest; between them the other fields, as the record lists them. */
static size_t rank_of(const pm_record_type *type, const pm_field *field)
{
  static const char *const slow[] = {"network_index", "system_index", "framework_index", "profile_index"};
  static const char *const fast[] = {"precision", "nodes", "gpus", "batch"};
  for (size_t i = 0; i < 4; i++)
    if (strcmp(field->name, slow[i]) == 0) return i;
  for (size_t i = 0; i < 4; i++)
    if (strcmp(field->name, fast[i]) == 0) return 4 + type->field_count + i;
  return 4 + (size_t)(field - type->fields);
}

/* A value is tried at the place of the field by itself. */
static int check_axis(const pm_axis *axis, const pm_field *field, pm_error *error)
{
  double place;
  int status = PM_OK;
  if (field == NULL)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "a run has no field \"%.80s\"", axis->field != NULL ? axis->field : "");
  if (axis->count == 0 || axis->values == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the axis %s is empty", field->name);
  pm_field alone = *field;
  alone.offset = 0;
  for (size_t i = 0; i < axis->count && status == PM_OK; i++)
    status = pm_record_set_number(&alone, &place, axis->values[i], error);
  return status;
}

/* The axes by rank. */
static int read_axes(const pm_space *space, search_axis *axes, pm_error *error)
{
  if (space == NULL || space->type == NULL || space->base == NULL || (space->axis_count > 0 && space->axes == NULL))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a space needs a run and its axes");
  const pm_record_type *type = space->type;
  for (size_t i = 0; i < space->axis_count; i++) {
    const pm_field *field = pm_record_find_field(type, space->axes[i].field);
    int status = check_axis(&space->axes[i], field, error);
    if (status != PM_OK) return status;
    search_axis axis = {field, space->axes[i].values, space->axes[i].count, rank_of(type, field)};
    size_t at = i;
    for (; at > 0 && axes[at - 1].rank >= axis.rank; at--) {
      if (axes[at - 1].rank == axis.rank)
        return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there are two axes of %s", field->name);
      axes[at] = axes[at - 1];
    }
    axes[at] = axis;
  }
  return PM_OK;
}

size_t pm_space_count(const pm_space *space)
{
  size_t count = 1;
  for (size_t i = 0; space != NULL && i < space->axis_count; i++) {
    size_t length = space->axes[i].count;
    if (length > 0 && count > SIZE_MAX / length) return SIZE_MAX;
    count *= length;
  }
  return space != NULL ? count : 0;
}

/* A global batch that does not divide is no batch at all, and the prediction's status says so. */
static void divide_batch(pm_run *run)
{
  double share = run->batch / (pm_run_get_data_parallel(run) * run->gradient_accumulation_steps);
  run->batch = share == floor(share) ? share : (double)NAN;
}

/* Makes a copy of the base run `index`: the last axis runs fastest. */
static void fill_run(const pm_space *space, const search_axis *axes, size_t index, void *run)
{
  for (size_t i = space->axis_count; i-- > 0;) {
    pm_record_set_number(axes[i].field, run, axes[i].values[index % axes[i].count], NULL);
    index /= axes[i].count;
  }
  if (space->global_batch) divide_batch((pm_run *)run);
}

int pm_space_get_runs(const pm_space *space, size_t first, size_t last, void *runs, pm_error *error)
{
  search_axis axes[AXES_MOST];
  if (space != NULL && space->axis_count > AXES_MOST)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a space has at most %d axes", AXES_MOST);
  int status = read_axes(space, axes, error);
  if (status != PM_OK) return status;
  if (space->global_batch && strcmp(space->type->name, "run") != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "only a step of training has a global batch");
  if (first > last || last > pm_space_count(space) || (first < last && runs == NULL))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "runs %lu to %lu are not in the space", (unsigned long)first,
                    (unsigned long)last);
  union {
    pm_run run;
    pm_inference_run call;
  } base, own;
  if (pm__record_size_check(space->type->name, space->run_size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (space->type->size > sizeof own) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a %s is no run",
                                                      space->type->name);
  pm_record_set_defaults(space->type, &base);
  memcpy(&base, space->base, space->run_size);
  for (size_t i = first; i < last; i++) {
    own = base;
    fill_run(space, axes, i, &own);
    memcpy((char *)runs + (i - first) * space->run_size, &own, space->run_size);
  }
  return PM_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

static const char *network_id(const pm_plan *plan, const pm_run *run)
{
  bool known = run->network_index >= 0 && (size_t)run->network_index < plan->network_count;
  return known ? plan->networks[run->network_index].network->id : "";
}

static const pm_system *system_of(const pm_plan *plan, const pm_run *run)
{
  bool known = run->system_index >= 0 && (size_t)run->system_index < plan->system_count;
  return known ? plan->systems[run->system_index].system : NULL;
}

static const char *system_id(const pm_plan *plan, const pm_run *run)
{
  const pm_system *system = system_of(plan, run);
  return system != NULL ? pm_system_get_machine(system)->id : "";
}

static const char *framework_id(const pm_plan *plan, const pm_run *run)
{
  const pm__plan_framework *framework = pm__plan_framework_at(plan, run->framework_index, run->system_index);
  return framework != NULL ? framework->profile.framework.id : "none";
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

/* One number of the hardware of each run, as a column under its path. */
static int add_hardware(pm_table *table, const pm_plan *plan, const pm_run *runs, size_t count, const char *path,
                        pm_error *error)
{
  const pm_field *of = pm_hardware_find_field(path, error);
  if (of == NULL) return PM_STATUS_NOT_FOUND;
  double *values = (double *)malloc((count + 1) * sizeof *values);
  if (values == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < count; i++) values[i] = pm_system_get_number(system_of(plan, &runs[i]), path, NULL);
  const pm_field field = {.name = path, .unit = of->unit, .doc = of->doc, .kind = PM_FIELD_REAL,
                          .show = PM_SHOW_MAIN};
  const pm_record_type type = {.name = "number", .doc = "", .size = sizeof *values, .fields = &field, .field_count = 1};
  int status = pm_table_add_records(table, &type, values, error);
  free(values);
  return status;
}

/* The ids stand for the run's positions in the plan. */
static int add_runs(pm_table *table, const pm_plan *plan, const pm_run *runs, size_t count, pm_error *error)
{
  int status = add_ids(table, plan, runs, count, error);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("run"), runs, error);
  pm_table_drop(table, "network_index");
  pm_table_drop(table, "system_index");
  pm_table_drop(table, "framework_index");
  return status;
}

static pm_table *table_of(const pm_plan *plan, const pm_run *runs, const pm_prediction *predictions, size_t count,
                          const char *const *paths, size_t path_count, pm_error *error)
{
  if (plan == NULL || (count > 0 && (runs == NULL || predictions == NULL)) || (path_count > 0 && paths == NULL)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a prediction table needs a plan, runs and predictions");
    return NULL;
  }
  pm_table *table = pm_table_new(count, error);
  if (table == NULL) return NULL;
  int status = add_runs(table, plan, runs, count, error);
  for (size_t i = 0; i < path_count && status == PM_OK; i++)
    status = add_hardware(table, plan, runs, count, paths[i], error);
  pm__table_mark_given(table);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("prediction"), predictions, error);
  if (status == PM_OK) status = pm__table_order(table, error);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

pm_table *pm_sweep_tabulate_sized(const pm_plan *plan, const pm_run *runs, size_t run_size,
                               const pm_prediction *predictions, size_t prediction_size, size_t count,
                               const char *const *paths, size_t path_count, pm_error *error)
{
  pm_table *table = NULL;
  void *own_runs = NULL, *own_predictions = NULL;
  if (pm__record_size_check("run", run_size, error) != PM_OK) return NULL;
  if (pm__record_size_check("prediction", prediction_size, error) != PM_OK) return NULL;
  pm__record_array in = {"run", runs, run_size}, out = {"prediction", predictions, prediction_size};
  const void *asked = pm__record_read_all(&in, count, &own_runs, error);
  const void *answers = pm__record_read_all(&out, count, &own_predictions, error);
  if ((asked != NULL || runs == NULL) && (answers != NULL || predictions == NULL))
    table = table_of(plan, (const pm_run *)asked, (const pm_prediction *)answers, count, paths, path_count, error);
  free(own_runs);
  free(own_predictions);
  return table;
}
