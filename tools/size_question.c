/* What perfmodel size is asked, for training and for inference: goal, systems, values of the run's options. */
#include <math.h>
#include <stdlib.h>
#include "size_answer.h"

static int read_quantity(const cli_request *request, option_id id, const char *name, const char *unit, double *value)
{
  pm_error error = PM_ERROR_NONE;
  const char *text = request->value[id];
  if (text == NULL || pm_quantity_parse(text, unit, value, &error) == PM_OK) return CODE_DONE;
  return fail(CODE_USAGE, "--%s: %s", name, error.text);
}

static int set_goal(const cli_request *request, option_id id, const char *field, pm_size_goal *goal)
{
  pm_error error = PM_ERROR_NONE;
  const pm_field *f = pm_record_find_field(pm_record_type_find("size_goal"), field);
  if (request->value[id] == NULL || pm_record_set(f, goal, request->value[id], &error) == PM_OK) return CODE_DONE;
  return fail(CODE_USAGE, "%s", error.text);
}

int size_read_goal(const cli_request *request, pm_size_goal *goal)
{
  *goal = pm_size_goal_make();
  int code = read_quantity(request, OPTION_TARGET_RATE, "target-rate", "1/s", &goal->rate);
  if (code == CODE_DONE) code = read_quantity(request, OPTION_WITHIN, "within", "s", &goal->within);
  if (code == CODE_DONE) code = set_goal(request, OPTION_EPOCHS, "epochs", goal);
  if (code == CODE_DONE) code = set_goal(request, OPTION_MINIMIZE, "minimize", goal);
  if (code == CODE_DONE) code = set_goal(request, OPTION_PUE, "pue", goal);
  if (code == CODE_DONE) code = set_goal(request, OPTION_OVERSUBSCRIPTION, "oversubscription", goal);
  if (code == CODE_DONE) code = set_goal(request, OPTION_SWITCH_PORTS, "switch_ports", goal);
  if (code == CODE_DONE) code = set_goal(request, OPTION_MAX_NODES, "max_nodes", goal);
  if (code == CODE_DONE) code = set_goal(request, OPTION_GLOBAL_BATCH, "global_batch", goal);
  if (code != CODE_DONE) return code;
  if (isnan(goal->rate) && isnan(goal->within))
    return fail(CODE_USAGE, "give --target-rate, or --epochs and --within");
  if (!isnan(goal->within) && isnan(goal->epochs)) return fail(CODE_USAGE, "--within needs --epochs");
  return CODE_DONE;
}

int size_read_choices(const cli_request *request, size_question *q)
{
  q->usual = pm_run_make();
  q->usual.framework_index = 0;
  q->given = read_given(request, "run");
  pm_given_add(&q->given, "run", "nodes"); /* which are found */
  const char *systems = request->value[OPTION_SYSTEM];
  if (systems == NULL) return fail(CODE_USAGE, "--system is missing; see perfmodel list systems");
  if (field_given(request, "batch") != NULL && request->value[OPTION_GLOBAL_BATCH] != NULL)
    return fail(CODE_USAGE, "--batch and --global-batch exclude each other");
  bool good = read_names("--system", systems, &q->names) && read_axes(request, &q->usual, &q->axes);
  return good ? CODE_DONE : CODE_USAGE;
}

void size_free(size_question *q)
{
  pm_study_free(q->study);
  for (size_t i = 0; q->systems != NULL && i < q->names.count; i++) pm_system_free(q->systems[i]);
  pm_network_free(q->network);
  pm_catalog_free(q->catalog);
  free(q->names.items);
  free(q->systems);
  free_axes(&q->axes);
  free(q->runs);
  free(q->price);
  free(q->inputs);
  free(q->input_runs);
  free(q->choices);
}
