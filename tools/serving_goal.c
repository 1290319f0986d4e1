/* perfmodel size and search of serving: layouts within limits of latency, and what a million tokens cost. */
#include "serving_goal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "price.h"
#include "systems.h"

enum { CHOICES_MOST = 4096, TOP = 10 };

typedef struct serving_question {
  pm_catalog *catalog;
  pm_network *network;
  texts names;
  pm_system **systems;
  pm_study *study;
  size_t engines; /* that were named */
  cli_runs asked;
  cli_prices prices;
  double *price;
  pm_serving_goal goal;
} serving_question;

bool serving_wanted(const cli_request *request)
{
  const char *task = request->value[OPTION_TASK];
  return request->value[OPTION_SERVE] != NULL || (task != NULL && strcmp(task, "serving") == 0);
}

/* ---- What is asked ---- */

/* Options that only training or inference has. */
static int check_options(const cli_request *request)
{
  static const option_id others[] = {OPTION_TARGET_RATE, OPTION_EPOCHS, OPTION_WITHIN, OPTION_LATENCY, OPTION_DATASET,
                                     OPTION_GLOBAL_BATCH, OPTION_PRICE, OPTION_PUE, OPTION_STORAGE,
                                     OPTION_UNITS, OPTION_LOADER, OPTION_CPU, OPTION_CACHE, OPTION_SWITCH_PORTS,
                                     OPTION_OVERSUBSCRIPTION, OPTION_MAX_NODES, OPTION_PARETO, OPTION_WHY,
                                     OPTION_CHOICES, OPTION_AS, OPTION_RANK};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (request->value[others[i]] != NULL)
      return fail(CODE_USAGE, "--%s has no effect in serving; give --rate, --ttft, --tpot, --gpu-hour-price",
                  option_name(request, others[i]));
  return CODE_DONE;
}

/* A time, or "inf" of no limit. */
static bool read_limit(const cli_request *request, option_id option, const char *name, double *limit)
{
  pm_error error = PM_ERROR_NONE;
  const char *text = request->value[option];
  if (text == NULL) return true;
  if (strcmp(text, "inf") == 0) *limit = INFINITY;
  else if (pm_quantity_parse(text, "s", limit, &error) != PM_OK)
    return fail(CODE_USAGE, "--%s: %s, or inf", name, error.text), false;
  return true;
}

static int read_goal(const cli_request *request, int32_t layouts, pm_serving_goal *goal)
{
  static const cli_field fields[] = {{OPTION_MAX_GPUS, "max_gpus"}, {OPTION_MAX_WORKERS, "max_workers"},
                                     {OPTION_TOP, "top"}, {OPTION_MINIMIZE, "minimize"}};
  *goal = pm_serving_goal_make();
  goal->layouts = layouts;
  goal->top = layouts == PM_SERVING_LAYOUTS_ALL && request->value[OPTION_FRONT] == NULL ? TOP : 0;
  goal->front = request->value[OPTION_FRONT] != NULL;
  if (!read_limit(request, OPTION_TTFT, "ttft", &goal->ttft)) return CODE_USAGE;
  if (!read_limit(request, OPTION_TPOT, "tpot", &goal->tpot)) return CODE_USAGE;
  return read_fields(request, "serving_goal", fields, sizeof fields / sizeof fields[0], goal) ? CODE_DONE : CODE_USAGE;
}

/* The price of a GPU, which is a field of training, is here one of each system. */
static int start_choices(const cli_request *request, serving_question *q)
{
  cli_request own = *request;
  own.given = (cli_given *)malloc((request->given_count + 1) * sizeof *own.given);
  own.given_count = 0;
  if (own.given == NULL) return fail_memory();
  for (size_t i = 0; i < request->given_count; i++)
    if (strcmp(request->given[i].field->name, "gpu_hour_price") != 0)
      own.given[own.given_count++] = request->given[i];
  int code = start_runs(&q->asked, &own, PM_TASK_SERVING, true);
  free(own.given);
  return code;
}

/* "hgx-h100,hgx-h200" of "hgx-h100=2.5 USD,hgx-h200=3.5 USD", to be freed: who has prices of systems asks about them.
** NULL if no system is named. */
static char *priced_systems(const cli_request *request)
{
  const char *text = request->value[OPTION_GPU_HOUR_PRICE];
  size_t size = text != NULL ? strlen(text) + 2 : 0, used = 0;
  char *names = text != NULL && strchr(text, '=') != NULL ? (char *)calloc(size, 1) : NULL;
  for (const char *item = text; names != NULL && *item != '\0';) {
    size_t all = strcspn(item, ",");
    used += (size_t)snprintf(names + used, size - used, "%s%.*s", used > 0 ? "," : "", (int)strcspn(item, "=,"), item);
    item += all + (item[all] == ',');
  }
  return names;
}

static int read_question(const cli_request *request, const char *systems, int32_t layouts, serving_question *q)
{
  char *priced = NULL;
  int code = check_options(request);
  if (code == CODE_DONE) code = start_choices(request, q);
  if (code == CODE_DONE) code = read_goal(request, layouts, &q->goal);
  if (code != CODE_DONE) return code;
  if (systems == NULL) systems = priced = priced_systems(request);
  code = systems == NULL || read_names("--system", systems, &q->names) ? CODE_DONE : CODE_USAGE;
  free(priced);
  return code;
}

static int open_all(const cli_request *request, serving_question *q)
{
  int code;
  q->catalog = open_catalog(request, &code);
  if (code == CODE_DONE) q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) code = open_systems(request, q->catalog, false, &q->names, &q->systems);
  if (code == CODE_DONE) code = read_gpu_prices(request, q->catalog, &q->prices);
  const cli_asked asked = {q->catalog, &q->network, 1, q->systems, q->names.count, PM_TASK_SERVING};
  if (code == CODE_DONE) q->study = open_study(request, &asked, &q->engines, &code);
  return code;
}

/* ---- The answer ---- */

/* One choice for each system, engine and value of the run's options. */
static int make_choices(const cli_request *request, serving_question *q)
{
  int code = make_runs(&q->asked, 1, q->names.count, q->engines, CHOICES_MOST, "choices");
  if (code == CODE_DONE) code = complete_runs(request, q->study, &q->asked.given, q->asked.runs, q->asked.count, true);
  if (code != CODE_DONE) return code;
  q->price = (double *)calloc(q->asked.count, sizeof *q->price);
  if (q->price == NULL) return fail_memory();
  for (size_t i = 0; i < q->asked.count; i++) {
    size_t system = (size_t)run_number(&q->asked, i, "system_index");
    q->price[i] = price_of(&q->prices, pm_system_get_machine(q->systems[system])->id);
  }
  return CODE_DONE;
}

static size_t column_of(const pm_table *table, const char *name)
{
  size_t at = 0;
  while (strcmp(pm_table_get_column(table, at)->name, name) != 0) at++;
  return at;
}

static bool none_within(const pm_table *table)
{
  return pm_table_get_numbers(table, column_of(table, "rank"))[0] == 0;
}

static pm_table *tabulate(const serving_question *q, const pm_serving_goal *goal, pm_error *error)
{
  const pm_serving_goal_setup setup = {pm_study_get_plan(q->study, error), &q->asked.given, q->asked.runs,
                                       q->asked.type->size, q->asked.count, q->price};
  return setup.plan != NULL ? pm_study_tabulate_serving(q->study, &setup, goal, error) : NULL;
}

static pm_report *report_of(const serving_question *q, const pm_table *table, const pm_table *front, pm_error *error)
{
  const pm_report_question asked = {
    .of = PM_REPORT_OF_SERVING, .given = &q->asked.given, .runs = q->asked.runs, .run_size = q->asked.type->size,
    .goal = &q->goal, .table = table, .front = front, .currency = q->prices.count > 0 ? q->prices.currency : NULL};
  return pm_study_new_report(q->study, &asked, error);
}

/* Of a search the front is beside the best. */
static int write_report(const cli_request *request, const serving_question *q, const pm_table *table)
{
  pm_error error = PM_ERROR_NONE;
  pm_serving_goal goal = q->goal;
  goal.front = 1;
  goal.top = 0;
  pm_table *front = goal.layouts == PM_SERVING_LAYOUTS_ALL ? tabulate(q, &goal, &error) : NULL;
  int code = error.status == PM_OK ? write_document(request, report_of(q, table, front, &error), &error)
                                   : fail_error(&error);
  pm_table_free(front);
  return code;
}

static int answer(const cli_request *request, const serving_question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = tabulate(q, &q->goal, &error);
  if (table == NULL && error.status == PM_STATUS_UNREACHABLE)
    return fail(CODE_CONSTRAINT, "%s; without limits: perfmodel search %s %s --serve --ttft inf --tpot inf",
                error.text, request->arguments.items[0], pm_system_get_machine(q->systems[0])->id);
  if (table == NULL) return fail_error(&error);
  bool none = none_within(table), report = is_report(request) && !q->goal.front;
  int code = report ? write_report(request, q, table) : CODE_DONE;
  if (report) pm_table_free(table);
  else if (add_currency(&q->prices, table, &error) == PM_OK) code = write_table(request, table, &error);
  else {
    pm_table_free(table);
    return fail_memory();
  }
  return code == CODE_DONE && none ? fail(CODE_CONSTRAINT, "no layout answers that rate within the limits") : code;
}

int serving_goal_answer(const cli_request *request, const char *systems, int32_t layouts)
{
  serving_question q;
  memset(&q, 0, sizeof q);
  int code = read_question(request, systems, layouts, &q);
  if (code == CODE_DONE) code = open_all(request, &q);
  if (code == CODE_DONE) code = make_choices(request, &q);
  if (code == CODE_DONE) code = answer(request, &q);
  pm_study_free(q.study);
  for (size_t i = 0; q.systems != NULL && i < q.names.count; i++) pm_system_free(q.systems[i]);
  pm_network_free(q.network);
  pm_catalog_free(q.catalog);
  free(q.systems);
  free(q.names.items);
  free(q.price);
  free_runs(&q.asked);
  return code;
}
