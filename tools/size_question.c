/* What perfmodel size is asked: task, goal, systems, values of the run's options. */
#include <math.h>
#include <stdlib.h>
#include "size_answer.h"

static const cli_field goals[] = {{OPTION_TARGET_RATE, "rate"},
                                  {OPTION_WITHIN, "within"},
                                  {OPTION_LATENCY, "latency"},
                                  {OPTION_EPOCHS, "epochs"},
                                  {OPTION_MINIMIZE, "minimize"},
                                  {OPTION_PUE, "pue"},
                                  {OPTION_OVERSUBSCRIPTION, "oversubscription"},
                                  {OPTION_SWITCH_PORTS, "switch_ports"},
                                  {OPTION_MAX_NODES, "max_nodes"},
                                  {OPTION_GLOBAL_BATCH, "global_batch"}};

/* What is aimed at, as far as the task has it. */
static int read_goal(const cli_request *request, pm_size_goal *goal)
{
  *goal = pm_size_goal_make();
  if (!read_fields(request, "size_goal", goals, sizeof goals / sizeof goals[0], goal)) return CODE_USAGE;
  if (isnan(goal->rate) && isnan(goal->within) && field_given(request, "power_budget") == NULL)
    return fail(CODE_USAGE, "give --target-rate, or --epochs and --within, or --tokens and --within, or "
                            "--power-budget");
  if (goal->latency <= 0) return fail(CODE_USAGE, "--latency %s is not positive", request->value[OPTION_LATENCY]);
  if (goal->minimize == PM_MINIMIZE_COST && request->value[OPTION_PRICE] == NULL)
    return fail(CODE_USAGE, "--minimize cost needs prices: give --price SYSTEM=AMOUNT CURRENCY");
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
      return fail(CODE_USAGE, "--%s is only for training; --latency sizes for %s", training[i].name,
                  q->runs.facts->name);
  if (request->value[OPTION_TARGET_RATE] == NULL && field_given(request, "power_budget") == NULL)
    return fail(CODE_USAGE, "sizing for %s needs --target-rate, or --power-budget", q->runs.facts->name);
  if (request->value[OPTION_LATENCY] == NULL || field_given(request, "batch") == NULL) return CODE_DONE;
  return fail(CODE_USAGE, "--latency determines the batch; give either --latency or --batch");
}

/* Failures are of a training on tokens or samples. */
static int check_failures(const cli_request *request)
{
  static const char *const names[] = {"gpu_mtbf", "node_mtbf", "checkpoint_rate", "checkpoint", "restart", "interval"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char option[OPTION_NAME];
    if (field_given(request, names[i]) == NULL) continue;
    field_option(pm_record_find_field(pm_record_type_find("run"), names[i]), option, sizeof option);
    return fail(CODE_USAGE, "--%s has no effect without --tokens or --samples", option);
  }
  if (request->value[OPTION_GPU_HOUR_PRICE] == NULL) return CODE_DONE;
  return fail(CODE_USAGE, "--gpu-hour-price has no effect without --tokens or --samples; --price is the price of a "
              "node");
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
  if (code == CODE_DONE) code = check_failures(request);
  if (code == CODE_DONE) code = read_goal(request, &q->goal);
  if (code != CODE_DONE) return code;
  pm_given_add(&q->runs.given, q->runs.facts->run, "nodes"); /* which are found */
  const char *systems = request->value[OPTION_SYSTEM];
  if (field_given(request, "batch") != NULL && request->value[OPTION_GLOBAL_BATCH] != NULL)
    return fail(CODE_USAGE, "give either --batch or --global-batch, not both");
  return systems == NULL || read_names("--system", systems, &q->names) ? CODE_DONE : CODE_USAGE;
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
