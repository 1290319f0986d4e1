/* Runs of a task: read from options, multiplied by their axes, completed, predicted. */
#include "runs.h"
#include "settings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t read_task(const cli_request *request, int *code)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_TASK];
  bool inference = request->value[OPTION_INFERENCE] != NULL, serve = request->value[OPTION_SERVE] != NULL;
  int32_t named = inference ? PM_TASK_INFERENCE : serve ? PM_TASK_SERVING : PM_TASK_TRAINING;
  int32_t task = name != NULL ? pm_task_find(name, &error) : named;
  *code = task >= 0 ? CODE_DONE : fail(CODE_USAGE, "--task: %s", error.text);
  if (inference && serve) *code = fail(CODE_USAGE, "give either --inference or --serve, not both");
  else if (task >= 0 && (inference || serve) && task != named)
    *code = fail(CODE_USAGE, "--%s and --task %s cannot be combined", inference ? "inference" : "serve", name);
  return *code == CODE_DONE ? task : -1;
}

/* ---- From options to runs ---- */

static int check_fields(const cli_request *request, const cli_runs *runs)
{
  for (size_t i = 0; i < request->given_count; i++) {
    char name[OPTION_NAME];
    const pm_field *field = request->given[i].field;
    field_option(field, name, sizeof name);
    if (pm_record_find_field(runs->type, field->name) == NULL)
      return fail(CODE_USAGE, "--%s has no effect in %s", name, runs->facts->name);
  }
  return CODE_DONE;
}

int start_runs(cli_runs *runs, const cli_request *request, int32_t task, bool many)
{
  *runs = (cli_runs){.task = task, .facts = pm_task_get(task)};
  runs->type = pm_record_type_find(runs->facts->run);
  runs->answer = pm_record_type_find(runs->facts->answer);
  runs->given = read_given(request, runs->facts->run);
  runs->base = malloc(runs->type->size);
  if (runs->base == NULL) return fail_memory();
  pm_record_fill(runs->facts->run, runs->base, runs->type->size);
  pm_record_set_number(pm_record_find_field(runs->type, runs->facts->software), runs->base, 0, NULL);
  double global_batch = NAN;
  int code = check_fields(request, runs);
  if (code == CODE_DONE)
    code = read_settings(request, runs->facts->run, runs->base, &runs->given, &global_batch, runs->framework);
  if (code != CODE_DONE) return code;
  bool good = many ? read_axes(request, runs->type, runs->base, &runs->axes)
                   : read_run(request, runs->facts->run, runs->base);
  return good ? CODE_DONE : CODE_USAGE;
}

static bool add_places(cli_runs *runs, size_t networks, size_t systems, size_t frameworks)
{
  return add_index_axis(&runs->axes, "network_index", networks) &&
         add_index_axis(&runs->axes, "system_index", systems) &&
         (frameworks == 0 || add_index_axis(&runs->axes, runs->facts->software, frameworks));
}

static pm_space space_of(const cli_runs *runs)
{
  return (pm_space){.type = runs->type, .base = runs->base, .axes = runs->axes.items,
                    .axis_count = runs->axes.count, .run_size = runs->type->size};
}

/* The first `count` runs. */
static int fill_runs(cli_runs *runs, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  const pm_space space = space_of(runs);
  runs->count = count;
  runs->runs = calloc(count, runs->type->size);
  runs->answers = calloc(count, runs->answer->size);
  if (runs->runs == NULL || runs->answers == NULL) return fail_memory();
  return pm_space_get_runs(&space, 0, count, runs->runs, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

int make_runs(cli_runs *runs, size_t networks, size_t systems, size_t frameworks, double most, const char *what)
{
  if (!add_places(runs, networks, systems, frameworks)) return CODE_INTERNAL;
  const pm_space space = space_of(runs);
  const size_t count = pm_space_count(&space);
  if ((double)count > most)
    return fail(CODE_USAGE, "there are %.0f %s; at most %.0f are possible", (double)count, what, most);
  return fill_runs(runs, count);
}

int make_first_run(cli_runs *runs, size_t networks, size_t systems, size_t frameworks, double *count)
{
  if (!add_places(runs, networks, systems, frameworks)) return CODE_INTERNAL;
  const pm_space space = space_of(runs);
  *count = (double)pm_space_count(&space);
  return fill_runs(runs, 1);
}

int complete_all(cli_runs *runs, const cli_request *request, pm_study *study, bool rows)
{
  int code = complete_runs(request, study, &runs->given, runs->runs, runs->count, rows);
  return code == CODE_DONE ? check_effects(request, study, runs->runs, runs->count) : code;
}

int predict_all(cli_runs *runs, const pm_plan *plan, unsigned columns)
{
  if (pm_task_predict(plan, runs->task, columns, runs->runs, runs->type->size, runs->answers, runs->answer->size,
                      runs->count) != PM_OK)
    return fail(CODE_INTERNAL, "the prediction failed");
  return CODE_DONE;
}

/* ---- Those without an answer ---- */

enum { REASONS = 512 };

static void add_reason(char reasons[REASONS], const char *reason, size_t count)
{
  size_t used = strlen(reasons);
  if (count > 0) snprintf(reasons + used, REASONS - used, "%s%s (%zu)", used > 0 ? "; " : "", reason, count);
}

/* How many there are, and why: "more GPUs than the system has (3)". */
static size_t count_failed(const cli_runs *runs, char reasons[REASONS])
{
  size_t counts[PM_STATUS_COUNT] = {0}, failed = 0, undivided = 0;
  for (size_t i = 0; i < runs->count; i++) {
    int status = (int)answer_number(runs, i, "status");
    bool remainder = status == PM_STATUS_BAD_ARGUMENT && runs->given.global_batch &&
                     isnan(run_number(runs, i, "batch"));
    undivided += remainder;
    counts[status] += !remainder;
    failed += status != PM_OK;
  }
  reasons[0] = '\0';
  add_reason(reasons, "the global batch does not divide evenly over the GPUs", undivided);
  for (int status = PM_OK + 1; status < PM_STATUS_COUNT; status++)
    add_reason(reasons, pm_status_get_text(status), counts[status]);
  return failed;
}

int report_failed(const cli_request *request, const cli_runs *runs, pm_study *study)
{
  char reasons[REASONS];
  pm_error error = PM_ERROR_NONE;
  const size_t failed = count_failed(runs, reasons);
  const pm_plan *plan = failed == runs->count ? pm_study_get_plan(study, &error) : NULL;
  if (plan != NULL) pm_task_check(plan, runs->task, run_at(runs, 0), runs->type->size, &error);
  if (failed == 1 && runs->count == 1)
    return fail(CODE_CONSTRAINT, "the run has no prediction: %s", error.status != PM_OK ? error.text : reasons);
  if (failed == runs->count)
    return fail(CODE_CONSTRAINT, "%zu of %zu runs have no prediction: %s%s%s", failed, failed, reasons,
                error.status != PM_OK ? "; the first: " : "", error.status != PM_OK ? error.text : "");
  if (failed > 0) note(request, "%zu of %zu runs have no prediction: %s", failed, runs->count, reasons);
  return CODE_DONE;
}

/* ---- What they are ---- */

void *run_at(const cli_runs *runs, size_t index)
{
  return (char *)runs->runs + index * runs->type->size;
}

double run_number(const cli_runs *runs, size_t index, const char *field)
{
  return pm_record_get_number(pm_record_find_field(runs->type, field), run_at(runs, index));
}

double answer_number(const cli_runs *runs, size_t index, const char *field)
{
  const void *answer = (const char *)runs->answers + index * runs->answer->size;
  return pm_record_get_number(pm_record_find_field(runs->answer, field), answer);
}

pm_sweep sweep_of(const cli_runs *runs)
{
  return (pm_sweep){.task = runs->task, .runs = runs->runs, .run_size = runs->type->size, .answers = runs->answers,
                    .answer_size = runs->answer->size, .count = runs->count};
}

void free_runs(cli_runs *runs)
{
  free_axes(&runs->axes);
  free(runs->base);
  free(runs->runs);
  free(runs->answers);
}
