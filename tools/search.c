/* perfmodel search: the best way to share a network out over GPUs. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "deadline.h"
#include "price.h"
#include "serving_goal.h"
#include "settings.h"

enum { TOP = 10, TOP_MOST = 10000, THREADS_MOST = 64, RANGE = 256, BASES_MOST = 4096 };

typedef struct cli_search {
  pm_catalog *catalog;
  pm_network *network;
  texts names;         /* of systems */
  pm_system **systems;
  pm_study *study;
  pm_given given;
  pm_run base;
  cli_axes axes;
  cli_prices prices;   /* their currency */
  bool fastest;        /* the order of plans */
  int32_t minimize;    /* another one */
  double global_batch, top;
  size_t frameworks;   /* that were named */
  pm_search *search;
  pm_search_result *result;
} cli_search;

/* ---- What is asked ---- */

static bool read_rank(const cli_request *request, bool *fastest)
{
  const char *rank = request->value[OPTION_RANK];
  *fastest = rank != NULL && strcmp(rank, "fastest") == 0;
  if (rank != NULL && !*fastest && strcmp(rank, "bound") != 0)
    return fail(CODE_USAGE, "--rank \"%.80s\" is unknown; it is one of bound, fastest", rank), false;
  const option_id others[] = {OPTION_WHY, OPTION_CHOICES, OPTION_FRONT};
  for (size_t i = 0; i < sizeof others / sizeof others[0] && rank != NULL; i++)
    if (request->value[others[i]] != NULL)
      return fail(CODE_USAGE, "--rank has no effect with --%s", option_name(request, others[i])), false;
  return true;
}

/* What plans are ordered by instead of their rate. */
static bool read_minimize(const cli_request *request, int32_t *minimize)
{
  static const cli_field fields[] = {{OPTION_MINIMIZE, "minimize"}};
  pm_training_goal goal = pm_training_goal_make();
  if (!read_fields(request, "training_goal", fields, 1, &goal)) return false;
  *minimize = goal.minimize;
  if (request->value[OPTION_MINIMIZE] == NULL || request->value[OPTION_RANK] == NULL) return true;
  return fail(CODE_USAGE, "give either --rank or --minimize, not both"), false;
}

static int read_question(const cli_request *request, cli_search *s)
{
  const char *batch = request->value[OPTION_GLOBAL_BATCH], *top = request->value[OPTION_TOP];
  s->base = pm_search_base_make();
  s->base.framework_index = 0;
  s->given = read_given(request, "run");
  s->top = TOP;
  s->global_batch = NAN;
  if (!read_names("SYSTEMS", request->arguments.items[1], &s->names)) return CODE_USAGE;
  if (!read_axes(request, pm_record_type_find("run"), &s->base, &s->axes) ||
      (batch != NULL && !read_count("global-batch", batch, COUNT_MOST, &s->global_batch)))
    return CODE_USAGE;
  if (top != NULL && !read_count("top", top, TOP_MOST, &s->top)) return CODE_USAGE;
  if (!read_rank(request, &s->fastest) || !read_minimize(request, &s->minimize)) return CODE_USAGE;
  return take_currency(&s->prices, field_given(request, "gpu_hour_price"));
}

static int open_all(const cli_request *request, cli_search *s)
{
  int code;
  s->catalog = open_catalog(request, &code);
  if (code == CODE_DONE) s->network = open_network(request, s->catalog, request->arguments.items[0], &code);
  s->systems = (pm_system **)calloc(s->names.count, sizeof *s->systems);
  if (s->systems == NULL) return fail_memory();
  for (size_t i = 0; i < s->names.count && code == CODE_DONE; i++)
    s->systems[i] = open_system(s->catalog, s->names.items[i], &code);
  const cli_asked asked = {s->catalog, &s->network, 1, s->systems, s->names.count, PM_TASK_TRAINING};
  if (code == CODE_DONE) s->study = open_study(request, &asked, &s->frameworks, &code);
  return code;
}

/* Whether the plans can use what was given: a few of all. */
static int check_plans(const cli_request *request, const cli_search *s)
{
  enum { MOST = 4096 };
  size_t plans = pm_search_count(s->search), step = plans / MOST + 1, count = 0;
  pm_run *runs = (pm_run *)calloc(MOST, sizeof *runs);
  if (runs == NULL) return fail_memory();
  for (size_t i = 0; i < plans && count < MOST; i += step) pm_search_get_run(s->search, i, &runs[count++]);
  int code = check_effects(request, s->study, runs, count);
  free(runs);
  return code;
}

/* What is searched from: every combination of what is given. */
static int make_search(const cli_request *request, cli_search *s)
{
  pm_error error = PM_ERROR_NONE;
  if (!add_index_axis(&s->axes, "system_index", s->names.count) ||
      (s->frameworks > 0 && !add_index_axis(&s->axes, "framework_index", s->frameworks)))
    return CODE_INTERNAL;
  const pm_space space = {.type = pm_record_type_find("run"), .run_size = sizeof(pm_run), .base = &s->base,
                          .axes = s->axes.items, .axis_count = s->axes.count};
  size_t count = pm_space_count(&space);
  if (count > BASES_MOST)
    return fail(CODE_USAGE, "there are %zu base runs; at most %d are possible", count, BASES_MOST);
  pm_run *bases = (pm_run *)calloc(count, sizeof *bases);
  if (bases == NULL) return fail_memory();
  if (pm_space_get_runs(&space, 0, count, bases, &error) == PM_OK)
    s->search = pm_study_new_search(s->study, &s->given, bases, count, s->global_batch, &error);
  free(bases);
  return s->search != NULL ? check_plans(request, s) : fail_error(&error);
}

/* ---- All cores ---- */

typedef struct worker {
  const pm_search *search;
  pm_search_result *result;
  size_t first, step;
  int status;
} worker;

/* Every `step`-th range, so that all workers have slow and fast plans. */
static void *work(void *context)
{
  worker *w = (worker *)context;
  size_t count = pm_search_count(w->search);
  for (size_t from = w->first * RANGE; from < count && w->status == PM_OK; from += w->step * RANGE)
    w->status = pm_search_evaluate(w->search, from, from + RANGE < count ? from + RANGE : count, w->result);
  return NULL;
}

static size_t thread_count(size_t plans)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t most = plans / RANGE + 1, threads = cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (size_t)cores;
  return threads < most ? threads : most;
}

static int evaluate(cli_search *s)
{
  worker workers[THREADS_MOST];
  pthread_t threads[THREADS_MOST];
  bool started[THREADS_MOST];
  pm_error error = PM_ERROR_NONE;
  size_t count = thread_count(pm_search_count(s->search));
  int status = PM_OK;
  for (size_t i = 0; i < count; i++) {
    workers[i] = (worker){.search = s->search, .first = i, .step = count, .status = PM_OK};
    workers[i].result = pm_search_result_new(s->search, (size_t)s->top, (pm_minimize)s->minimize, &error);
    if (workers[i].result == NULL) workers[i].status = error.status;
    started[i] = i > 0 && pthread_create(&threads[i], NULL, work, &workers[i]) == 0;
  }
  for (size_t i = 0; i < count; i++)
    if (!started[i]) work(&workers[i]);
  s->result = workers[0].result;
  for (size_t i = 0; i < count; i++) {
    if (started[i]) pthread_join(threads[i], NULL);
    if (status == PM_OK) status = workers[i].status;
    if (i > 0 && status == PM_OK) status = pm_search_result_add(s->result, workers[i].result);
    if (i > 0) pm_search_result_free(workers[i].result);
  }
  return status == PM_OK ? CODE_DONE : error.status != PM_OK ? fail_error(&error) : fail_memory();
}

/* ---- What is answered ---- */

static pm_search_view view_of(const cli_request *request, const cli_search *s)
{
  return request->value[OPTION_WHY] != NULL       ? PM_SEARCH_VIEW_WHY
         : request->value[OPTION_CHOICES] != NULL ? PM_SEARCH_VIEW_CHOICES
         : request->value[OPTION_FRONT] != NULL   ? PM_SEARCH_VIEW_FRONT
         : s->fastest                        ? PM_SEARCH_VIEW_FASTEST
                                                  : PM_SEARCH_VIEW_PLANS;
}

static pm_table *tabulate(const cli_search *s, pm_search_view view, pm_error *error)
{
  return pm_study_tabulate_search(s->study, &s->given, s->result, view, error);
}

static pm_report *report_of(const cli_search *s, pm_error *error)
{
  const pm_report_question asked = {.of = PM_REPORT_OF_SEARCH, .given = &s->given, .search = s->result,
                                    .global_batch = s->global_batch, .currency = s->prices.currency,
                                    .view = s->fastest ? PM_SEARCH_VIEW_FASTEST : PM_SEARCH_VIEW_PLANS};
  return pm_study_new_report(s->study, &asked, error);
}

static bool find_best(const cli_request *request, const cli_search *s, pm_run *best)
{
  size_t number;
  return pm_search_result_get_plan(s->result, view_of(request, s), 0, &number) == PM_OK &&
         pm_search_get_run(s->search, number, best) == PM_OK;
}

/* The best plan as another program is told it. */
static int write_best(const cli_request *request, const cli_search *s)
{
  pm_run best;
  if (!find_best(request, s, &best)) return fail(CODE_INTERNAL, "the best plan was not found");
  return write_settings(request, request->value[OPTION_AS], "run", &best, best.batch * pm_run_get_data_parallel(&best));
}

/* The report, and the command that predicts its first plan. */
static int write_plans(const cli_request *request, const cli_search *s)
{
  pm_run best;
  pm_error error = PM_ERROR_NONE;
  int code = write_document(request, report_of(s, &error), &error);
  if (code != CODE_DONE || !find_best(request, s, &best)) return code;
  const pm_study_software used = pm_study_get_software(s->study, best.framework_index, best.system_index);
  const char *framework = used.framework != NULL ? used.framework->framework.id : "none";
  note_plan(request, &best, s->names.items[best.system_index], framework);
  return code;
}

static int answer(const cli_request *request, const cli_search *s)
{
  pm_error error = PM_ERROR_NONE;
  pm_search_view view = view_of(request, s);
  if (pm_search_result_count(s->result, 1) == 0)
    return fail(CODE_CONSTRAINT, "none of %zu plans fits into memory: more GPUs, or larger ones, would help",
                pm_search_result_count(s->result, 0));
  if (request->value[OPTION_AS] != NULL) return write_best(request, s);
  if (is_report(request) && (view == PM_SEARCH_VIEW_PLANS || view == PM_SEARCH_VIEW_FASTEST))
    return write_plans(request, s);
  pm_table *table = tabulate(s, view, &error);
  if (add_currency(&s->prices, table, &error) == PM_OK) return write_table(request, table, &error);
  pm_table_free(table);
  return fail_memory();
}

static int search_all(const cli_request *request, cli_search *s)
{
  if (request->value[OPTION_MAX_NODES] != NULL || request->value[OPTION_PRICE] != NULL)
    return fail(CODE_USAGE, "--%s has no effect without --within",
                request->value[OPTION_PRICE] != NULL ? "price" : "max-nodes");
  int code = make_search(request, s);
  if (code == CODE_DONE) code = evaluate(s);
  return code == CODE_DONE ? answer(request, s) : code;
}

static void close_all(cli_search *s)
{
  pm_search_result_free(s->result);
  pm_search_free(s->search);
  pm_study_free(s->study);
  for (size_t i = 0; s->systems != NULL && i < s->names.count; i++) pm_system_free(s->systems[i]);
  pm_network_free(s->network);
  pm_catalog_free(s->catalog);
  free(s->systems);
  free(s->names.items);
  free_axes(&s->axes);
}

/* How many nodes, instead of which plans. */
static int deadline_within(const cli_request *request)
{
  static const option_id others[] = {OPTION_RANK, OPTION_WHY, OPTION_CHOICES, OPTION_FRONT, OPTION_AS, OPTION_TOP};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (request->value[others[i]] != NULL)
      return fail(CODE_USAGE, "--%s has no effect with --within", option_name(request, others[i]));
  return deadline_answer(request, request->arguments.items[1]);
}

static int run(const cli_request *request)
{
  if (serving_wanted(request))
    return serving_goal_answer(request, request->arguments.items[1], PM_SERVING_LAYOUTS_ALL);
  if (deadline_wanted(request)) return deadline_within(request);
  cli_search *s = (cli_search *)calloc(1, sizeof *s);
  if (s == NULL) return fail_memory();
  int code = read_question(request, s);
  if (code == CODE_DONE) code = open_all(request, s);
  if (code == CODE_DONE) code = search_all(request, s);
  close_all(s);
  free(s);
  return code;
}

static const cli_option options[] = {
  {OPTION_FIELDS, '\0', "run", "many", "batch epoch_samples"},
  {OPTION_FIELDS, '\0', "serving_run", "many", "concurrency arrivals"},
  SERVE_OPTION,
  SERVING_GOAL_OPTIONS,
  {OPTION_OF_FIELD, '\0', "tp", NULL, "tensor parallelism: GPUs that shard every layer (default: all are tried)"},
  {OPTION_OF_FIELD, '\0', "sp", NULL, "sequence parallelism, Megatron-style (default: both are tried)"},
  {OPTION_OF_FIELD, '\0', "cp", NULL, "context parallelism: GPUs that shard a sequence (default: all are tried)"},
  {OPTION_OF_FIELD, '\0', "pp", NULL, "pipeline parallelism: number of stages (default: all are tried)"},
  {OPTION_OF_FIELD, '\0', "vp", NULL, "virtual pipeline stages: chunks of layers on each GPU (default: all are tried)"},
  {OPTION_OF_FIELD, '\0', "ep", NULL, "expert parallelism: GPUs that a layer's experts are distributed over (default: "
  "all are tried)"},
  {OPTION_OF_FIELD, '\0', "micro-batch", NULL, "samples of a micro-batch (default: all up to 64 are tried)"},
  {OPTION_OF_FIELD, '\0', "zero", NULL, "ZeRO stage 0 to 3 (default: all are tried, 2 and 3 without a pipeline)"},
  {OPTION_OF_FIELD, '\0', "recompute", NULL, "activation recomputation (default: all are tried)"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs (default, of language models: 4 Mi "
                                                   "tokens)"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME,...",
   "framework (default: as perfmodel predict, for each plan); see perfmodel list "
                                                    "frameworks"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  {OPTION_TOP, '\0', "top", "N", "how many plans to print, best first (default 10)"},
  {OPTION_RANK, '\0', "rank", "bound|fastest", "order of the plans: bound, the lower end of the 80 % interval of their "
                                              "rate (default), or fastest, their rate"},
  {OPTION_MINIMIZE, '\0', "minimize", "nodes|cost|power|rack-units|energy|carbon|energy-cost",
   "order of the plans: least energy, carbon or energy-cost per sample, or cost: that of its GPU-hours (default: as "
   "--rank); with --within it ranks several systems"},
  {OPTION_FRONT, '\0', "front", NULL, "print the Pareto front of rate, memory and GPUs instead"},
  {OPTION_WHY, '\0', "why", NULL, "print the best plan with another value for each choice instead"},
  {OPTION_CHOICES, '\0', "choices", NULL, "print the best plan for every value of each choice instead"},
  {OPTION_AS, '\0', "as", "megatron|torchtitan|deepspeed", "print the best plan as flags of that program instead"},
  DEADLINE_OPTIONS,
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command search_command = {
  "search", "NETWORK SYSTEMS", "finds the best parallel plan: tensor, pipeline, context, expert, data",
  "Predicts every way to distribute a network over GPUs for a global batch: tensor, sequence, context, expert and "
  "pipeline parallelism with virtual stages, micro-batch, ZeRO stage and recomputation. An option with one value is "
  "fixed, one with a list tries each value, and one that is not given tries all. Plans are written as tp, sp, cp, "
  "pp, vp, ep, dp (data-parallel ranks), zero, mb (micro-batch) and the recomputation; values of 1 and no are "
  "omitted.\n\n"
  "With --within, finds how many nodes train on the given tokens or samples in that time. It prints the best plan "
  "for each node count, with failures and checkpoints included (Daly's interval). The last row meets the deadline.",
  "perfmodel search llama3-70b dgx-h100 --gpus 512 --global-batch 1024 --precision bf16 --optimizer adam", options, 2,
    2, run};
