/* perfmodel size --tokens, search --within: which machine, and how many of its nodes, train a network within a time. */
#include "deadline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "asked.h"
#include "price.h"
#include "systems.h"

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  texts names; /* of systems */
  pm_system **systems;
  pm_study *study;
  pm_given given;
  pm_run base;
  double global_batch; /* NAN: not given */
  cli_prices nodes, gpu_hours;
  pm_training_goal *goals; /* one for each system */
} question;

bool deadline_wanted(const cli_request *request)
{
  return request->value[OPTION_WITHIN] != NULL && request->value[OPTION_EPOCHS] == NULL;
}

/* ---- What is asked ---- */

/* The run to search from: one value of every option. The price of a GPU, which may be one of each system, is none. */
static int read_base(const cli_request *request, question *q)
{
  cli_axes axes = {.count = 0};
  cli_request own = *request;
  own.given = (cli_given *)malloc((request->given_count + 1) * sizeof *own.given);
  own.given_count = 0;
  if (own.given == NULL) return fail_memory();
  for (size_t i = 0; i < request->given_count; i++)
    if (strcmp(request->given[i].field->name, "gpu_hour_price") != 0)
      own.given[own.given_count++] = request->given[i];
  q->base = pm_search_base_make();
  q->base.framework_index = 0;
  q->given = read_given(&own, "run");
  int code = read_axes(&own, pm_record_type_find("run"), &q->base, &axes) ? CODE_DONE : CODE_USAGE;
  if (code == CODE_DONE && axes.count > 0)
    code = fail(CODE_USAGE, "--within takes one value of every option but systems");
  free_axes(&axes);
  free(own.given);
  return code;
}

static int read_question(const cli_request *request, const char *systems, question *q)
{
  const char *batch = request->value[OPTION_GLOBAL_BATCH];
  static const char *const found[] = {"gpus", "nodes", "batch"};
  for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
    if (field_given(request, found[i]) != NULL)
      return fail(CODE_USAGE, "--within determines %s: leave out --%s%s", i < 2 ? "number of nodes needed"
                                                                            : "the batch of each GPU", found[i],
                  i < 2 ? "" : "; --global-batch is for all ranks");
  q->global_batch = NAN;
  if (batch != NULL && !read_count("global-batch", batch, COUNT_MOST, &q->global_batch)) return CODE_USAGE;
  if (systems != NULL && !read_names("SYSTEMS", systems, &q->names)) return CODE_USAGE;
  return read_base(request, q);
}

/* ---- What there is ---- */

static int open_all(const cli_request *request, question *q)
{
  int code;
  size_t frameworks;
  q->catalog = open_catalog(request, &code);
  if (code == CODE_DONE) q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) code = open_systems(request, q->catalog, true, &q->names, &q->systems);
  const cli_asked asked = {q->catalog, &q->network, 1, q->systems, q->names.count, PM_TASK_TRAINING};
  if (code == CODE_DONE) q->study = open_study(request, &asked, &frameworks, &code);
  if (code == CODE_DONE && frameworks > 1) code = fail(CODE_USAGE, "--within takes one framework");
  return code;
}

/* ---- Goals ---- */

static const cli_field goals[] = {{OPTION_WITHIN, "within"}, {OPTION_MAX_NODES, "max_nodes"},
                                  {OPTION_MINIMIZE, "minimize"}, {OPTION_PUE, "pue"}};

/* What is trained on, and failures, are as the run has them. */
static void take_run(const pm_run *run, pm_training_goal *goal)
{
  const pm_record_type *type = pm_record_type_find("training_goal");
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *own = pm_record_find_field(pm_record_type_find("run"), type->fields[i].name);
    if (own != NULL) pm_record_set_number(&type->fields[i], goal, pm_record_get_number(own, run), NULL);
  }
}

static int read_all_prices(const cli_request *request, question *q)
{
  int code = read_prices(request, q->catalog, &q->nodes);
  if (code == CODE_DONE) code = read_gpu_prices(request, q->catalog, &q->gpu_hours);
  if (code != CODE_DONE) return code;
  const char *a = q->nodes.currency, *b = q->gpu_hours.currency;
  if (a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0)
    return fail(CODE_USAGE, "prices in %s and in %s cannot be compared", a, b);
  const char *minimize = request->value[OPTION_MINIMIZE];
  if (minimize != NULL && strcmp(minimize, "cost") == 0 && q->nodes.count + q->gpu_hours.count == 0)
    return fail(CODE_USAGE, "--minimize cost needs prices: give --gpu-hour-price \"2.5 USD\"");
  return CODE_DONE;
}

static int read_goals(const cli_request *request, question *q)
{
  int code = read_all_prices(request, q);
  pm_training_goal goal = pm_training_goal_make();
  q->goals = (pm_training_goal *)calloc(q->names.count, sizeof *q->goals);
  if (q->goals == NULL) return fail_memory();
  take_run(&q->base, &goal);
  if (code != CODE_DONE) return code;
  if (!read_fields(request, "training_goal", goals, sizeof goals / sizeof goals[0], &goal)) return CODE_USAGE;
  if (isnan(goal.tokens) && isnan(goal.samples))
    return fail(CODE_USAGE, "--within needs --tokens, such as 300B, or --samples");
  for (size_t i = 0; i < q->names.count; i++) {
    const char *id = pm_system_get_machine(q->systems[i])->id;
    q->goals[i] = goal;
    q->goals[i].price = price_of(&q->nodes, id);
    q->goals[i].gpu_hour_price = price_of(&q->gpu_hours, id);
  }
  return CODE_DONE;
}

/* ---- What is answered ---- */

/* In the row of the best: the first of several systems, the last of the counts of one. */
static double best_of(const question *q, const pm_table *table, const char *name)
{
  size_t row = q->names.count > 1 ? 0 : pm_table_count_rows(table) - 1;
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return pm_table_get_numbers(table, i)[row];
  return NAN;
}

static pm_report *report_of(question *q, const pm_table *table, pm_error *error)
{
  const char *currency = q->gpu_hours.currency[0] != '\0' ? q->gpu_hours.currency : q->nodes.currency;
  pm_run run = q->base;
  run.system_index = (int32_t)best_of(q, table, "choice");
  if (pm_study_complete(q->study, &q->given, &run, &run, sizeof run, 1, error) != PM_OK) return NULL;
  const pm_report_question asked = {.of = PM_REPORT_OF_DEADLINE, .given = &q->given, .runs = &run,
                                    .run_size = sizeof run, .goal = q->goals, .table = table,
                                    .global_batch = q->global_batch,
                                    .currency = currency[0] != '\0' ? currency : NULL};
  return pm_study_get_plan(q->study, error) != NULL ? pm_study_new_report(q->study, &asked, error) : NULL;
}

static int answer(const cli_request *request, question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_study_tabulate_training(q->study, &q->given, &q->base, q->global_batch, q->goals, &error);
  if (table == NULL) return fail_error(&error);
  bool met = best_of(q, table, "reached") >= 1;
  int code;
  if (!is_report(request)) code = write_table(request, table, &error);
  else {
    code = write_document(request, report_of(q, table, &error), &error);
    pm_table_free(table);
  }
  return code == CODE_DONE && !met ? fail(CODE_CONSTRAINT, "no number of nodes trains in that time") : code;
}

static void close_all(question *q)
{
  pm_study_free(q->study);
  for (size_t i = 0; q->systems != NULL && i < q->names.count; i++) pm_system_free(q->systems[i]);
  pm_network_free(q->network);
  pm_catalog_free(q->catalog);
  free(q->systems);
  free(q->names.items);
  free(q->goals);
}

int deadline_answer(const cli_request *request, const char *systems)
{
  question *q = (question *)calloc(1, sizeof *q);
  if (q == NULL) return fail_memory();
  int code = read_question(request, systems, q);
  if (code == CODE_DONE) code = open_all(request, q);
  if (code == CODE_DONE) code = read_goals(request, q);
  if (code == CODE_DONE) code = answer(request, q);
  close_all(q);
  free(q);
  return code;
}
