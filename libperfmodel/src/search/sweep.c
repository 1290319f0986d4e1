/* Spaces of runs, and their results as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/predict.h"
#include "record/sized.h"
#include "report/order.h"
#include "search/vary.h"
#include "task/task.h"

/* ---- Spaces ---------------------------------------------------------------------------------------------------- */

enum { AXES_MOST = 64 };

/* An axis with its field, and where its field comes in the order of runs: larger runs faster. */
typedef struct search_axis {
  const pm_field *field;
  const double *values;
  size_t count, rank;
} search_axis;

/* What every sweep has runs fastest, the plan's lists slowest; between them the other fields, as the record lists
** them. */
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
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a space can have at most %d axes", AXES_MOST);
  int status = read_axes(space, axes, error);
  if (status != PM_OK) return status;
  if (space->global_batch && strcmp(space->type->name, "run") != 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "only training has a global batch");
  if (first > last || last > pm_space_count(space) || (first < last && runs == NULL))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "runs %lu to %lu are not in the space", (unsigned long)first,
                    (unsigned long)last);
  pm__task_record base, own;
  if (pm__record_size_check(space->type->name, space->run_size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (space->type->size > sizeof own) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a %s is no run",
                                                      space->type->name);
  pm__record_set_defaults(space->type, &base);
  memcpy(&base, space->base, space->run_size);
  for (size_t i = first; i < last; i++) {
    own = base;
    fill_run(space, axes, i, &own);
    memcpy((char *)runs + (i - first) * space->run_size, &own, space->run_size);
  }
  return PM_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/* A sweep whose runs are the library's own. */
typedef struct sweep_table {
  const pm__task *task;
  const pm_plan *plan;
  const char *runs;
  const void *answers;
  size_t count;
} sweep_table;

static const void *run_at(const sweep_table *of, size_t row)
{
  return of->runs + row * of->task->at.size;
}

static int32_t system_at(const sweep_table *of, size_t row)
{
  return pm__task_get(run_at(of, row), of->task->at.system);
}

typedef const char *find_id(const sweep_table *of, size_t row);

static const char *network_id(const sweep_table *of, size_t row)
{
  return pm__plan_network_id(of->plan, pm__task_get(run_at(of, row), of->task->at.network));
}

static const char *system_id(const sweep_table *of, size_t row)
{
  return pm__plan_system_id(of->plan, system_at(of, row));
}

static const char *software_id(const sweep_table *of, size_t row)
{
  const char *id = pm__task_software_id(of->task, of->plan, run_at(of, row));
  return id[0] == '\0' && of->task->software == PM__TASK_FRAMEWORKS ? "none" : id;
}

static int add_ids(pm_table *table, const char *name, find_id *find, const sweep_table *of, pm_error *error)
{
  const char **ids = (const char **)malloc((of->count + 1) * sizeof *ids);
  if (ids == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < of->count; i++) ids[i] = find(of, i);
  int status = pm_table_add_text(table, name, name, ids, error);
  free(ids);
  return status;
}

/* One number of the hardware of each run, as a column under its path. */
static int add_hardware(pm_table *table, const sweep_table *sweep, const char *path, pm_error *error)
{
  const pm_field *of = pm_hardware_find_field(path, error);
  if (of == NULL) return PM_STATUS_NOT_FOUND;
  double *values = (double *)malloc((sweep->count + 1) * sizeof *values);
  if (values == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < sweep->count; i++) {
    int32_t system = system_at(sweep, i);
    bool known = system >= 0 && (size_t)system < sweep->plan->system_count;
    values[i] = pm__system_get_number(known ? sweep->plan->systems[system].system : NULL, path, NULL);
  }
  const pm_field field = {.name = path, .unit = of->unit, .doc = of->doc, .kind = PM_FIELD_REAL,
                          .show = PM_SHOW_MAIN};
  const pm_record_type type = {.name = "number", .doc = "", .size = sizeof *values, .fields = &field, .field_count = 1};
  int status = pm_table_add_records(table, &type, values, error);
  free(values);
  return status;
}

/* The ids stand for the run's positions in the plan. */
static int add_runs(pm_table *table, const sweep_table *of, pm_error *error)
{
  const pm_task_facts *facts = &of->task->facts;
  static const char *const titles[] = {[PM__TASK_FRAMEWORKS] = "framework", [PM__TASK_PROFILES] = "profile",
                                       [PM__TASK_ENGINES] = "engine"};
  const char *software = titles[of->task->software];
  int status = add_ids(table, "network", network_id, of, error);
  if (status == PM_OK) status = add_ids(table, "system", system_id, of, error);
  if (status == PM_OK) status = add_ids(table, software, software_id, of, error);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find(facts->run), of->runs, error);
  pm_table_drop(table, "network_index");
  pm_table_drop(table, "system_index");
  pm_table_drop(table, facts->software);
  return status;
}

/* GPUs of all nodes are worth a column where runs have several nodes. */
static void hide_total(pm_table *table, const sweep_table *of)
{
  for (size_t i = 0; i < of->count; i++)
    if (pm__task_get(run_at(of, i), of->task->at.nodes) > 1) return;
  pm_table_set_show(table, "total_gpus", 0);
}

static pm_table *table_of(const sweep_table *of, const pm_sweep *sweep, pm_error *error)
{
  pm_table *table = pm_table_new(of->count, error);
  if (table == NULL) return NULL;
  int status = add_runs(table, of, error);
  for (size_t i = 0; i < sweep->path_count && status == PM_OK; i++)
    status = add_hardware(table, of, sweep->paths[i], error);
  pm__table_mark_given(table);
  const pm_record_type *answer = pm_record_type_find(of->task->facts.answer);
  if (status == PM_OK) status = pm_table_add_records(table, answer, of->answers, error);
  if (status == PM_OK) status = pm__table_order(table, error);
  hide_total(table, of); /* columns are in the same order in every table */
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static int check_sweep(const pm_plan *plan, const pm_sweep *sweep, pm_error *error)
{
  const pm__task *task = sweep != NULL ? pm__task_at(sweep->task) : NULL;
  if (plan == NULL || task == NULL || (sweep->count > 0 && (sweep->runs == NULL || sweep->answers == NULL)) ||
      (sweep->path_count > 0 && sweep->paths == NULL))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table of a sweep needs a plan, a task, runs and their answers");
  int status = pm__record_size_check(task->facts.run, sweep->run_size, error);
  return status == PM_OK ? pm__record_size_check(task->facts.answer, sweep->answer_size, error) : status;
}

pm_table *pm_sweep_tabulate(const pm_plan *plan, const pm_sweep *sweep, pm_error *error)
{
  pm_table *table = NULL;
  void *own_runs = NULL, *own_answers = NULL;
  if (check_sweep(plan, sweep, error) != PM_OK) return NULL;
  const pm__task *task = pm__task_at(sweep->task);
  pm__record_array in = {task->facts.run, sweep->runs, sweep->run_size};
  pm__record_array out = {task->facts.answer, sweep->answers, sweep->answer_size};
  const void *runs = pm__record_read_all(&in, sweep->count, &own_runs, error);
  const void *answers = pm__record_read_all(&out, sweep->count, &own_answers, error);
  const sweep_table of = {task, plan, (const char *)runs, answers, sweep->count};
  if ((runs != NULL || sweep->runs == NULL) && (answers != NULL || sweep->answers == NULL))
    table = table_of(&of, sweep, error);
  free(own_runs);
  free(own_answers);
  return table;
}
