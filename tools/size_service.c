/* perfmodel size --latency: machines for a rate of inference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "size_answer.h"

typedef struct service {
  size_question q; /* choices, prices and goal as in training */
  pm_inference_run *runs;
  pm_size_service asked;
} service;

/* ---- What is asked ---- */

static int refuse_training(const cli_request *request)
{
  static const struct { option_id id; const char *name; } training[] = {
    {OPTION_WITHIN, "within"},   {OPTION_EPOCHS, "epochs"},   {OPTION_GLOBAL_BATCH, "global-batch"},
    {OPTION_STORAGE, "storage"}, {OPTION_DATASET, "dataset"}, {OPTION_PARETO, "pareto"}};
  for (size_t i = 0; i < sizeof training / sizeof training[0]; i++)
    if (request->value[training[i].id] != NULL)
      return fail(CODE_USAGE, "--%s is of training; --latency sizes for inference", training[i].name);
  if (field_given(request, "batch") != NULL) return fail(CODE_USAGE, "--latency finds the batch; --batch excludes it");
  return check_call_fields(request);
}

static int read_service(const cli_request *request, service *s)
{
  pm_error error = PM_ERROR_NONE;
  const char *latency = request->value[OPTION_LATENCY];
  if (request->value[OPTION_TARGET_RATE] == NULL) return fail(CODE_USAGE, "--latency needs --target-rate");
  int code = refuse_training(request);
  if (code == CODE_DONE) code = size_read_goal(request, &s->q.goal);
  if (code == CODE_DONE) code = size_read_choices(request, &s->q);
  if (code != CODE_DONE) return code;
  if (pm_quantity_parse(latency, "s", &s->asked.latency, &error) != PM_OK)
    return fail(CODE_USAGE, "--latency: %s", error.text);
  return s->asked.latency > 0 ? CODE_DONE : fail(CODE_USAGE, "--latency %s is not positive", latency);
}

/* ---- What there is ---- */

static int find_all(const cli_request *request, service *s)
{
  int code;
  size_question *q = &s->q;
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  q->systems = (pm_system **)calloc(q->names.count, sizeof *q->systems);
  if (q->systems == NULL) return fail_memory();
  for (size_t i = 0; i < q->names.count && code == CODE_DONE; i++)
    q->systems[i] = open_system(q->catalog, q->names.items[i], &code);
  if (code == CODE_DONE) code = read_prices(request, q->catalog, &q->prices);
  const cli_asked asked = {q->catalog, &q->network, 1, q->systems, q->names.count, true};
  if (code == CODE_DONE) q->study = open_study(request, &asked, &q->framework_count, &code);
  return code;
}

static void fill_choice(service *s, size_t i)
{
  size_question *q = &s->q;
  const pm_system *system = q->systems[s->runs[i].system_index];
  q->price[i] = price_of(&q->prices, pm_system_get_machine(system)->id);
}

/* Every system, profile and value of the run's fields. */
static int fill(const cli_request *request, service *s)
{
  size_question *q = &s->q;
  pm_error error = PM_ERROR_NONE;
  pm_inference_run usual = pm_inference_run_make();
  copy_fields("run", &q->usual, "inference_run", &usual);
  q->given = read_given(request, "inference_run");
  pm_given_add(&q->given, "inference_run", "nodes"); /* which are found */
  usual.batch = 1;
  if (!add_index_axis(&q->axes, "system_index", q->names.count) ||
      (q->framework_count > 0 && !add_index_axis(&q->axes, "profile_index", q->framework_count)))
    return CODE_INTERNAL;
  const pm_space space = {.type = pm_record_type_find("inference_run"), .run_size = sizeof(pm_inference_run),
                          .base = &usual, .axes = q->axes.items,
                          .axis_count = q->axes.count};
  s->asked.count = pm_space_count(&space);
  s->runs = (pm_inference_run *)calloc(s->asked.count, sizeof *s->runs);
  q->price = (double *)calloc(s->asked.count, sizeof *q->price);
  q->choices = (pm_size_choice *)calloc(s->asked.count, sizeof *q->choices);
  if (s->runs == NULL || q->price == NULL || q->choices == NULL) return fail_memory();
  if (pm_space_get_runs(&space, 0, s->asked.count, s->runs, &error) != PM_OK) return fail_error(&error);
  int code = complete_calls(request, q->study, &q->given, s->runs, s->asked.count, true);
  if (code == CODE_DONE) s->asked.plan = open_plan(q->study, &code);
  if (code != CODE_DONE) return code;
  for (size_t i = 0; i < s->asked.count; i++) fill_choice(s, i);
  s->asked.choices = s->runs;
  s->asked.prices = q->price;
  return CODE_DONE;
}

/* ---- The answer ---- */

static pm_table *table_of(const service *s, bool wide, pm_error *error)
{
  pm_table *table = pm_table_new_of_records(pm_record_type_find("size_choice"), s->q.choices, s->asked.count, error);
  if (!wide) pm_table_drop(table, "bottleneck"); /* of training */
  return table;
}

static void print_title(FILE *stream, const service *s)
{
  char time[QUANTITY];
  pm_network_totals totals;
  const pm_choice *what = pm_record_find_field(pm_record_type_find("size_goal"), "minimize")->choices;
  const char *name = pm_network_get_totals(s->q.network, &totals, NULL) == PM_OK ? totals.name : "the network";
  fprintf(stream, "Inference of %s at %.0f samples/s or more, calls within %s, with the least %s\n", name,
          s->q.goal.rate, size_quantity(time, s->asked.latency, "s"), what[s->q.goal.minimize].name);
}

static void print_best(FILE *stream, const cli_request *request, const service *s, const pm_size_choice *best)
{
  char time[QUANTITY];
  const pm_system *system = s->q.systems[s->runs[best->choice].system_index];
  fprintf(stream, "\n%d x %s\n", best->nodes, pm_system_get_machine(system)->name);
  fprintf(stream, "  %-*s%.0f samples/s; %.2f times the target\n", LABEL, "rate", best->throughput, best->reached);
  fprintf(stream, "  %-*s%s for a call of %.0f samples, queues and copies not in it\n", LABEL, "latency",
          size_quantity(time, best->latency, "s"), best->batch);
  size_print_power(stream, &s->q, best);
  size_print_price(stream, request, &s->q, best);
  size_print_memory(stream, best);
  if (best->rank == 0)
    fprintf(stream, "\nThe target is not reached with up to %d nodes.\n", s->q.goal.max_nodes);
}

static int write_report(const cli_request *request, const service *s)
{
  pm_error error = PM_ERROR_NONE;
  cli_page page;
  pm_table *table = table_of(s, false, &error);
  char *text = table != NULL ? pm_table_format(table, PM_FORMAT_TABLE, output_width(request), &error) : NULL;
  pm_table_free(table);
  if (text == NULL) return fail_error(&error);
  if (!page_open(&page)) return pm_string_free(text), fail_memory();
  char assumed[ASSUMED];
  print_title(page.stream, s);
  print_assumed(page.stream, assumed_of_call(s->q.study, &s->q.given, &s->runs[s->q.choices[0].choice], assumed));
  fputc('\n', page.stream);
  fputs(text, page.stream);
  pm_string_free(text);
  if (s->q.choices[0].nodes > 0) print_best(page.stream, request, s, &s->q.choices[0]);
  else fputs("\nNothing reaches the target: no call of one sample is within the latency.\n", page.stream);
  return page_write(&page, request);
}

static int answer(const cli_request *request, service *s)
{
  pm_error error = PM_ERROR_NONE;
  if (pm_size_evaluate_inference(&s->asked, &s->q.goal, s->q.choices, &error) != PM_OK) return fail_error(&error);
  size_sort(s->q.choices, s->asked.count);
  int code = is_report(request) ? write_report(request, s)
                                                : write_table(request, table_of(s, true, &error), &error);
  return code == CODE_DONE && s->q.choices[0].rank == 0 ? CODE_CONSTRAINT : code;
}

int size_service_run(const cli_request *request)
{
  service *s = (service *)calloc(1, sizeof *s);
  if (s == NULL) return fail_memory();
  int code = read_service(request, s);
  if (code == CODE_DONE) s->q.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = find_all(request, s);
  if (code == CODE_DONE) code = fill(request, s);
  if (code == CODE_DONE) code = answer(request, s);
  free(s->runs);
  size_free(&s->q);
  free(s);
  return code;
}
