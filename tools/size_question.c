/* What perfmodel size is asked: task, goal, systems, values of the run's options. */
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

/* What is aimed at, as far as the task has it. */
static int read_goal(const cli_request *request, pm_size_goal *goal)
{
  *goal = pm_size_goal_make();
  int code = read_quantity(request, OPTION_TARGET_RATE, "target-rate", "1/s", &goal->rate);
  if (code == CODE_DONE) code = read_quantity(request, OPTION_WITHIN, "within", "s", &goal->within);
  if (code == CODE_DONE) code = read_quantity(request, OPTION_LATENCY, "latency", "s", &goal->latency);
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
  if (goal->latency <= 0) return fail(CODE_USAGE, "--latency %s is not positive", request->value[OPTION_LATENCY]);
  if (!isnan(goal->within) && isnan(goal->epochs)) return fail(CODE_USAGE, "--within needs --epochs");
  return CODE_DONE;
}

/* Options that only training has, and those that exclude each other. */
static int check_replicas(const cli_request *request, const size_question *q)
{
  static const struct { option_id id; const char *name; } training[] = {
    {OPTION_WITHIN, "within"},   {OPTION_EPOCHS, "epochs"},   {OPTION_GLOBAL_BATCH, "global-batch"},
    {OPTION_STORAGE, "storage"}, {OPTION_DATASET, "dataset"}, {OPTION_PARETO, "pareto"}};
  for (size_t i = 0; i < sizeof training / sizeof training[0]; i++)
    if (request->value[training[i].id] != NULL)
      return fail(CODE_USAGE, "--%s is of training; --latency sizes for %s", training[i].name, q->runs.facts->name);
  if (request->value[OPTION_TARGET_RATE] == NULL) return fail(CODE_USAGE, "sizing for %s needs --target-rate",
                                                              q->runs.facts->name);
  if (request->value[OPTION_LATENCY] == NULL || field_given(request, "batch") == NULL) return CODE_DONE;
  return fail(CODE_USAGE, "--latency finds the batch; --batch excludes it");
}

/* The task: that of --task; --latency is of calls. */
static int32_t find_task(const cli_request *request, int *code)
{
  bool named = request->value[OPTION_TASK] != NULL || request->value[OPTION_LATENCY] == NULL;
  *code = CODE_DONE;
  return named ? read_task(request, code) : PM_TASK_INFERENCE;
}

int size_read_question(const cli_request *request, size_question *q)
{
  int code;
  int32_t task = find_task(request, &code);
  if (code == CODE_DONE) code = start_runs(&q->runs, request, task, true);
  if (code == CODE_DONE && q->runs.facts->replicas) code = check_replicas(request, q);
  if (code == CODE_DONE) code = read_goal(request, &q->goal);
  if (code != CODE_DONE) return code;
  pm_given_add(&q->runs.given, q->runs.facts->run, "nodes"); /* which are found */
  const char *systems = request->value[OPTION_SYSTEM];
  if (systems == NULL) return fail(CODE_USAGE, "--system is missing; see perfmodel list systems");
  if (field_given(request, "batch") != NULL && request->value[OPTION_GLOBAL_BATCH] != NULL)
    return fail(CODE_USAGE, "--batch and --global-batch exclude each other");
  return read_names("--system", systems, &q->names) ? CODE_DONE : CODE_USAGE;
}

void size_free(size_question *q)
{
  pm_study_free(q->study);
  for (size_t i = 0; q->systems != NULL && i < q->names.count; i++) pm_system_free(q->systems[i]);
  pm_network_free(q->network);
  pm_catalog_free(q->catalog);
  free(q->names.items);
  free(q->systems);
  free_runs(&q->runs);
  free(q->price);
  free(q->inputs);
  free(q->input_runs);
  free(q->choices);
}
