/* Studies of what was asked on the command line. */
#include "asked.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The study ---- */

static void print_notes(const cli_request *request, const pm_study *study)
{
  const char *text;
  for (size_t i = 0; (text = pm_study_get_note(study, i)) != NULL; i++) note(request, "%s", text);
}

pm_study *open_study(const cli_request *request, const cli_asked *asked, size_t *frameworks, int *code)
{
  texts names = {NULL, 0};
  pm_error error = PM_ERROR_NONE;
  const char *list = request->value[OPTION_FRAMEWORK];
  pm_study *study = NULL;
  *code = list == NULL || read_names("--framework", list, &names) ? CODE_DONE : CODE_USAGE;
  if (*code == CODE_DONE && frameworks == NULL && names.count > 1)
    *code = fail(CODE_USAGE, "%s takes one framework; see perfmodel sweep", request->command->name);
  if (*code == CODE_DONE) {
    const pm_study_setup setup = {asked->catalog, (const pm_network *const *)asked->networks, asked->network_count,
                                  (const pm_system *const *)asked->systems, asked->system_count, names.items,
                                  names.count, asked->task};
    study = pm_study_new(&setup, &error);
    if (study == NULL) *code = fail_error(&error);
  }
  if (frameworks != NULL) *frameworks = names.count;
  free(names.items);
  return study;
}

const pm_plan *open_plan(pm_study *study, int *code)
{
  pm_error error = PM_ERROR_NONE;
  const pm_plan *plan = pm_study_get_plan(study, &error);
  *code = plan != NULL ? CODE_DONE : fail_error(&error);
  return plan;
}

/* ---- What is given ---- */

pm_given read_given(const cli_request *request, const char *type)
{
  pm_given given = {0};
  for (size_t i = 0; i < request->given_count; i++) pm_given_add(&given, type, request->given[i].field->name);
  return given;
}

int read_global_batch(const cli_request *request, double settings, pm_run *run, pm_given *given)
{
  const char *text = request->value[OPTION_GLOBAL_BATCH], *batch = field_given(request, "batch");
  if (text != NULL && batch != NULL) return fail(CODE_USAGE, "give either --batch or --global-batch, not both");
  if (text != NULL && !read_count("global-batch", text, COUNT_MOST, &settings)) return CODE_USAGE;
  if (batch != NULL || isnan(settings)) return CODE_DONE;
  run->batch = settings;
  given->global_batch = 1;
  pm_given_add(given, "run", "batch");
  return CODE_DONE;
}

/* ---- Options without effect ---- */

static const pm_framework *framework_of(const pm_study *study, const pm_run *run)
{
  pm_study_software software = pm_study_get_software(study, run->framework_index, run->system_index);
  return software.framework != NULL ? &software.framework->framework : NULL;
}

/* Whether some run has another value than the default, and whether one of those can use it. */
static void look(const pm_study *study, const pm_field *field, const pm_run *runs, size_t count, bool *other,
                 bool *used, pm_error *error)
{
  const pm_run usual = pm_run_make();
  double value = pm_record_get_number(field, &usual);
  for (size_t i = 0; i < count && !*used; i++) {
    double own = pm_record_get_number(field, &runs[i]);
    const pm_network *network = pm_study_get_network(study, runs[i].network_index);
    if (network == NULL || own == value || (isnan(own) && isnan(value))) continue;
    *other = true;
    *error = (pm_error)PM_ERROR_NONE;
    *used = pm_run_check_field(network, framework_of(study, &runs[i]), &runs[i], field, error) == PM_OK;
  }
}

int check_effects(const cli_request *request, const pm_study *study, const void *runs, size_t count)
{
  if (pm_study_get_task(study) != PM_TASK_TRAINING) return CODE_DONE;
  for (size_t i = 0; i < request->given_count; i++) {
    char name[OPTION_NAME];
    pm_error error = PM_ERROR_NONE;
    bool other = false, used = false;
    const pm_field *field = request->given[i].field;
    if (field->needs == NULL) continue;
    look(study, field, (const pm_run *)runs, count, &other, &used, &error);
    field_option(field, name, sizeof name);
    if (other && !used) return fail(CODE_USAGE, "--%s %s", name, error.text);
  }
  return CODE_DONE;
}

/* ---- Completion ---- */

/* A row keeps the status of its run. */
static int code_of(bool rows, int status, const pm_error *error)
{
  bool row = status == PM_STATUS_TOO_MANY_GPUS || status == PM_STATUS_UNREACHABLE || status == PM_STATUS_BAD_ARGUMENT;
  return status == PM_OK || (rows && row) ? CODE_DONE : fail_error(error);
}

/* Bytes of a run of the study. */
static size_t size_of_run(const pm_study *study)
{
  return pm_record_type_find(pm_task_get(pm_study_get_task(study))->run)->size;
}

int complete_runs(const cli_request *request, pm_study *study, const pm_given *given, void *runs, size_t count,
                  bool rows)
{
  pm_error error = PM_ERROR_NONE;
  int status = pm_study_complete(study, given, runs, runs, size_of_run(study), count, &error);
  int code = code_of(rows, status, &error);
  if (code == CODE_DONE) print_notes(request, study);
  return code;
}

/* ---- What was assumed ---- */

const char *assumed_of(const pm_study *study, const pm_given *given, const void *run, char text[ASSUMED])
{
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int count = pm_study_get_assumptions(study, given, run, size_of_run(study), rows);
  return pm_assumptions_format(rows, count, text, ASSUMED);
}
