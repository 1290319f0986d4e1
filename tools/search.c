/* perfmodel search: the best way to share a network out over GPUs. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "options.h"
#include "settings.h"

enum { TOP = 10, TOP_MOST = 10000, THREADS_MOST = 64, RANGE = 256, QUANTITY = 64, WIDTH = 120 };

typedef struct cli_search {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
  pm_run base;
  double global_batch, top;
  size_t frameworks;
  pm_search *search;
  pm_search_result *result;
} cli_search;

/* ---- What is asked ---- */

/* GPUs in all: of one node, or of whole nodes. */
static int place(const cli_request *request, cli_search *s)
{
  int each = pm_system_get_machine(s->system)->gpus;
  if (field_given(request, "gpus") == NULL) s->base.gpus = each;
  if (s->base.gpus <= each || field_given(request, "nodes") != NULL) return CODE_DONE;
  if (s->base.gpus % each != 0)
    return fail(CODE_CONSTRAINT, "%d GPUs are no whole number of nodes with %d", s->base.gpus, each);
  s->base.nodes = s->base.gpus / each;
  s->base.gpus = each;
  return CODE_DONE;
}

static int read_question(const cli_request *request, cli_search *s)
{
  const char *batch = request->value[OPTION_GLOBAL_BATCH], *top = request->value[OPTION_TOP];
  s->base = pm_search_base_make();
  s->top = TOP;
  if (batch == NULL) return fail(CODE_USAGE, "--global-batch is missing");
  if (!read_run(request, "run", &s->base) || !read_count("global-batch", batch, COUNT_MOST, &s->global_batch)) return CODE_USAGE;
  return top == NULL || read_count("top", top, TOP_MOST, &s->top) ? CODE_DONE : CODE_USAGE;
}

static int make_plan(const cli_request *request, cli_search *s)
{
  pm_error error = PM_ERROR_NONE;
  const pm_network *network = s->network;
  const pm_system *system = s->system;
  s->plan = pm_plan_new(&network, 1, &system, 1, &error);
  if (s->plan == NULL) return fail_error(&error);
  cli_systems systems = {s->catalog, &s->system, 1};
  int code = add_frameworks(request, &systems, s->plan, &s->frameworks);
  if (code == CODE_DONE && s->frameworks > 1) code = fail(CODE_USAGE, "search takes one framework");
  s->base.framework_index = s->frameworks > 0 ? 0 : -1;
  if (code != CODE_DONE) return code;
  s->search = pm_search_new(s->plan, &s->base, s->global_batch, &error);
  return s->search != NULL ? CODE_DONE : fail_error(&error);
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
    workers[i] = (worker){s->search, pm_search_result_new(s->search, (size_t)s->top, &error), i, count, PM_OK};
    if (workers[i].result == NULL) workers[i].status = PM_STATUS_NO_MEMORY;
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
  return status == PM_OK ? CODE_DONE : fail_memory();
}

/* ---- What is answered ---- */

static const char *const shown[] = {"tensor_parallel", "pipeline_parallel", "virtual_pipeline", "context_parallel",
                                    "expert_parallel", "data_parallel", "sequence_parallel", "micro_batch", "zero",
                                    "recompute", "step_time", "tokens_per_second", "throughput", "mfu", "memory"};

/* For people: what plans differ in, and without what the network has not. */
static pm_table *for_people(const cli_search *s, pm_table *table)
{
  const char *names[sizeof shown / sizeof shown[0]];
  size_t count = 0;
  pm_network_totals totals;
  bool tokens = pm_network_get_totals(s->network, &totals, NULL) == PM_OK && !isnan(totals.tokens);
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
    if (strcmp(shown[i], tokens ? "throughput" : "tokens_per_second") != 0) names[count++] = shown[i];
  if (table != NULL) pm_table_keep(table, names, count, NULL);
  return table;
}

static void print_summary(FILE *stream, const cli_search *s)
{
  pm_network_totals totals;
  const char *name = pm_network_get_totals(s->network, &totals, NULL) == PM_OK ? totals.name : "the network";
  fprintf(stream, "Training %s on %.0f GPUs (%s), global batch %.0f\n", name, (double)s->base.gpus * s->base.nodes,
          pm_system_get_machine(s->system)->name, s->global_batch);
  fprintf(stream, "%zu plans, of which %zu fit into memory; the fastest of them:\n\n", pm_search_result_count(s->result),
          pm_search_result_count_fitting(s->result));
}

static int print_table(FILE *stream, pm_table *table, int width, const pm_error *error)
{
  if (table == NULL) return fail_error(error);
  char *text = pm_table_format(table, PM_FORMAT_TABLE, width, NULL);
  pm_table_free(table);
  if (text == NULL) return fail_memory();
  fputs(text, stream);
  pm_string_free(text);
  return CODE_DONE;
}

static int write_report(const cli_request *request, const cli_search *s)
{
  cli_page page;
  pm_error error = PM_ERROR_NONE;
  int width = output_width(request);
  if (!page_open(&page)) return fail_memory();
  print_summary(page.stream, s);
  int code = print_table(page.stream, for_people(s, pm_search_result_tabulate(s->result, &error)), width, &error);
  fputs("\nWhat each choice costs: the fastest plan that makes it, and how much slower that is\n\n", page.stream);
  if (code == CODE_DONE) code = print_table(page.stream, pm_search_result_tabulate_choices(s->result, &error), width, &error);
  int written = page_write(&page, request);
  return code == CODE_DONE ? written : code;
}

/* The best plan as another program is told it. */
static int write_best(const cli_request *request, const cli_search *s)
{
  pm_run best;
  size_t number;
  if (pm_search_result_get_best(s->result, &number) != PM_OK || pm_search_get_run(s->search, number, &best) != PM_OK)
    return fail(CODE_INTERNAL, "the best plan is not found");
  return write_settings(request, request->value[OPTION_AS], &best, s->global_batch);
}

static int answer(const cli_request *request, const cli_search *s)
{
  pm_error error = PM_ERROR_NONE;
  if (pm_search_result_count_fitting(s->result) == 0)
    return fail(CODE_CONSTRAINT, "none of %zu plans fits into memory: more GPUs, or larger ones, would help",
                pm_search_result_count(s->result));
  if (request->value[OPTION_AS] != NULL) return write_best(request, s);
  if (request->value[OPTION_CHOICES] != NULL)
    return write_table(request, pm_search_result_tabulate_choices(s->result, &error), &error);
  if (request->value[OPTION_FRONT] == NULL && is_report(request)) return write_report(request, s);
  pm_table *table = request->value[OPTION_FRONT] != NULL ? pm_search_result_tabulate_front(s->result, &error)
                                                         : pm_search_result_tabulate(s->result, &error);
  return write_table(request, is_report(request) ? for_people(s, table) : table, &error);
}

static int run(const cli_request *request)
{
  cli_search s;
  memset(&s, 0, sizeof s);
  int code = read_question(request, &s);
  if (code != CODE_DONE) return code;
  s.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) s.network = open_network(request, s.catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) s.system = open_system(s.catalog, request->arguments.items[1], &code);
  if (code == CODE_DONE) code = place(request, &s);
  if (code == CODE_DONE) code = make_plan(request, &s);
  if (code == CODE_DONE) code = evaluate(&s);
  if (code == CODE_DONE) code = answer(request, &s);
  pm_search_result_free(s.result);
  pm_search_free(s.search);
  pm_plan_free(s.plan);
  pm_system_free(s.system);
  pm_network_free(s.network);
  pm_catalog_free(s.catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_FIELDS, '\0', "run", NULL, NULL},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME", "what runs it; see perfmodel list frameworks"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  {OPTION_TOP, '\0', "top", "N", "so many of the fastest plans (default 10)"},
  {OPTION_FRONT, '\0', "front", NULL, "the plans than which no other is faster with as little memory, instead"},
  {OPTION_AS, '\0', "as", "megatron|torchtitan|deepspeed", "the best plan as that program is told it, instead"},
  {OPTION_CHOICES, '\0', "choices", NULL, "what each choice costs, as a table, instead"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command search_command = {
  "search", "NETWORK SYSTEM", "finds the best parallel plan: tensor, pipeline, context, expert, data",
  "Predicts every way to share a network out over GPUs for a global batch: tensor, sequence, context, expert and pipeline "
  "parallelism with virtual stages, micro-batch, ZeRO stage, recomputation. What is given as an option is taken as it is; all "
  "else is tried. --gpus are all GPUs.",
  "perfmodel search llama3-70b dgx-h100 --gpus 512 --global-batch 1024 --precision bf16 --optimizer adam", options, 2, 2, run};
