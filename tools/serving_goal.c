/* perfmodel size and search of serving: layouts within limits of latency, and what a million tokens cost. */
#include "serving_goal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "price.h"

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
                                     OPTION_MINIMIZE, OPTION_GLOBAL_BATCH, OPTION_PRICE, OPTION_PUE, OPTION_STORAGE,
                                     OPTION_UNITS, OPTION_LOADER, OPTION_CPU, OPTION_CACHE, OPTION_SWITCH_PORTS,
                                     OPTION_OVERSUBSCRIPTION, OPTION_MAX_NODES, OPTION_PARETO, OPTION_WHY,
                                     OPTION_CHOICES, OPTION_AS, OPTION_RANK};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (request->value[others[i]] != NULL)
      return fail(CODE_USAGE, "--%s has no effect in serving; give --rate, --ttft, --tpot, --gpu-hour-price",
                  option_name(request, others[i]));
  return CODE_DONE;
}

static int read_goal(const cli_request *request, int32_t layouts, pm_serving_goal *goal)
{
  static const cli_field fields[] = {{OPTION_TTFT, "ttft"}, {OPTION_TPOT, "tpot"}, {OPTION_MAX_GPUS, "max_gpus"},
                                     {OPTION_MAX_WORKERS, "max_workers"}, {OPTION_TOP, "top"}};
  *goal = pm_serving_goal_make();
  goal->layouts = layouts;
  goal->top = layouts == PM_SERVING_LAYOUTS_ALL && request->value[OPTION_FRONT] == NULL ? TOP : 0;
  goal->front = request->value[OPTION_FRONT] != NULL;
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

static int read_question(const cli_request *request, const char *systems, int32_t layouts, serving_question *q)
{
  int code = check_options(request);
  if (code == CODE_DONE) code = start_choices(request, q);
  if (code == CODE_DONE) code = read_goal(request, layouts, &q->goal);
  if (code != CODE_DONE) return code;
  if (systems == NULL)
    return fail(CODE_USAGE, "--system is missing; such as perfmodel size %s --serve --system hgx-h100 --rate 20 --ttft "
                            "\"1 s\" --tpot \"50 ms\"", request->arguments.items[0]);
  return read_names("--system", systems, &q->names) ? CODE_DONE : CODE_USAGE;
}

static int open_all(const cli_request *request, serving_question *q)
{
  int code;
  q->catalog = open_catalog(request, &code);
  if (code == CODE_DONE) q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  q->systems = (pm_system **)calloc(q->names.count, sizeof *q->systems);
  if (q->systems == NULL) return fail_memory();
  for (size_t i = 0; i < q->names.count && code == CODE_DONE; i++)
    q->systems[i] = open_system(q->catalog, q->names.items[i], &code);
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

/* Prices nobody gave, and what only a front has, are no columns. */
static void drop_empty(const serving_question *q, pm_table *table)
{
  static const char *const costs[] = {"price", "hour_cost", "output_cost", "token_cost"};
  for (size_t i = 0; i < sizeof costs / sizeof costs[0] && q->prices.count == 0; i++) pm_table_drop(table, costs[i]);
  if (!q->goal.front) pm_table_drop(table, "concurrency");
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

/* A column of texts, which is a line above the table where they are the same. */
static int add_words(pm_table *table, const char *name, const char *doc, const char *const *words, pm_error *error)
{
  int status = pm_table_add_text(table, name, doc, words, error);
  pm_table_set_show(table, name, PM_SHOW_MAIN | PM_SHOW_GIVEN | PM_SHOW_LINE);
  return status;
}

/* What was assumed of the run of each row, and the currency of costs. What sizing finds is not assumed. */
static int say_what(const serving_question *q, pm_table *table, pm_error *error)
{
  static const char *const found[] = {"gpus", "nodes", "tensor_parallel", "concurrency"};
  size_t count = pm_table_count_rows(table);
  const double *choice = pm_table_get_numbers(table, column_of(table, "choice"));
  pm_given given = q->asked.given;
  char (*lines)[ASSUMED] = (char (*)[ASSUMED])calloc(count, sizeof *lines);
  const char **words = (const char **)calloc(count, sizeof *words);
  int status = lines != NULL && words != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) pm_given_add(&given, "serving_run", found[i]);
  for (size_t i = 0; i < count && status == PM_OK; i++)
    words[i] = assumed_of(q->study, &given, run_at(&q->asked, (size_t)choice[i]), lines[i]);
  if (status == PM_OK) status = add_words(table, "assumed", "what was not given, and is taken to be", words, error);
  for (size_t i = 0; i < count && status == PM_OK; i++) words[i] = q->prices.currency;
  if (status == PM_OK && q->prices.count > 0) status = add_words(table, "currency", "that of costs", words, error);
  free(lines);
  free(words);
  return status;
}

static int answer(const cli_request *request, serving_question *q)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  pm_serving_goal_setup setup = {NULL, &q->asked.given, q->asked.runs, q->asked.type->size, q->asked.count, q->price};
  setup.plan = open_plan(q->study, &code);
  if (code != CODE_DONE) return code;
  pm_table *table = pm_serving_goal_tabulate(&setup, &q->goal, &error);
  if (table == NULL && error.status == PM_STATUS_UNREACHABLE)
    return fail(CODE_CONSTRAINT, "%s; without limits: perfmodel search %s %s --serve", error.text,
                request->arguments.items[0], q->names.items[0]);
  if (table == NULL) return fail_error(&error);
  bool none = none_within(table);
  if (say_what(q, table, &error) != PM_OK) {
    pm_table_free(table);
    return fail_memory();
  }
  drop_empty(q, table);
  code = write_table(request, table, &error);
  return code == CODE_DONE && none ? CODE_CONSTRAINT : code;
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
