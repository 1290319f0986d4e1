/* perfmodel serve: what requests see of a language model that is served. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "price.h"
#include "runs.h"
#include "settings.h"

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  const pm_plan *plan; /* of the study */
  cli_runs asked;
  cli_prices prices; /* their currency */
} question;

static int find_all(const cli_request *request, question *q)
{
  int code;
  cli_request own = *request; /* flags of an engine are answered by that engine */
  if (own.value[OPTION_FRAMEWORK] == NULL && q->asked.framework[0] != '\0')
    own.value[OPTION_FRAMEWORK] = q->asked.framework;
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) q->system = open_system(q->catalog, request->arguments.items[1], &code);
  const cli_asked asked = {q->catalog, &q->network, 1, &q->system, 1, PM_TASK_SERVING};
  if (code == CODE_DONE) q->study = open_study(&own, &asked, NULL, &code);
  return code;
}

static pm_report *report_of(const question *q, pm_error *error)
{
  const pm_report_question asked = {.given = &q->asked.given, .runs = q->asked.runs,
                                    .run_size = q->asked.type->size, .answers = q->asked.answers,
                                    .answer_size = q->asked.answer->size, .count = 1,
                                    .currency = q->prices.currency};
  return pm_study_new_report(q->study, &asked, error);
}

static int answer_all(const cli_request *request, question *q)
{
  pm_error error = PM_ERROR_NONE;
  int code = make_runs(&q->asked, 1, 1, 0, RUNS_MOST, "runs");
  if (code == CODE_DONE) code = complete_all(&q->asked, request, q->study, q->asked.count > 1);
  if (code == CODE_DONE) q->plan = open_plan(q->study, &code);
  if (code == CODE_DONE) code = predict_all(&q->asked, q->plan, 0);
  if (code != CODE_DONE || q->asked.count > 1) return code;
  if (pm_task_check(q->plan, PM_TASK_SERVING, run_at(&q->asked, 0), q->asked.type->size, &error) == PM_OK)
    return CODE_DONE;
  return fail_run(request, &error, report_of(q, NULL));
}

/* Of one run a report, of several a row each. */
static int write_answers(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  const char *as = request->value[OPTION_AS];
  if (as != NULL && q->asked.count > 1)
    return fail(CODE_USAGE, "--as writes one run, but there are %zu", q->asked.count);
  if (as != NULL) return write_settings(request, as, q->asked.type->name, run_at(&q->asked, 0), NAN);
  if (is_report(request) && q->asked.count == 1) return write_document(request, report_of(q, &error), &error);
  const pm_sweep sweep = sweep_of(&q->asked);
  pm_table *table = pm_study_tabulate(q->study, &q->asked.given, &sweep, &error);
  if (add_currency(&q->prices, table, &error) == PM_OK) return write_table(request, table, &error);
  pm_table_free(table);
  return fail_memory();
}

static int run(const cli_request *request)
{
  question q;
  memset(&q, 0, sizeof q);
  int code = start_runs(&q.asked, request, PM_TASK_SERVING, true);
  if (code == CODE_DONE) code = take_currency(&q.prices, field_given(request, "gpu_hour_price"));
  if (code == CODE_DONE) q.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = find_all(request, &q);
  if (code == CODE_DONE) code = answer_all(request, &q);
  if (code == CODE_DONE) code = write_answers(request, &q);
  if (code == CODE_DONE) code = report_failed(request, &q.asked, q.study);
  pm_study_free(q.study);
  pm_network_free(q.network);
  pm_system_free(q.system);
  pm_catalog_free(q.catalog);
  free_runs(&q.asked);
  return code;
}

static const cli_option options[] = {
  {OPTION_FIELDS, '\0', "serving_run", "many", NULL},
  {OPTION_FRAMEWORK, '\0', "engine", "NAME",
   "the serving engine, such as vllm, sglang-0.4 or trtllm-1.0 (default vllm, the newest); see perfmodel list engines"},
  COLUMNS_OPTION,
  ENERGY_OPTION,
  {OPTION_RUN, '\0', "run", "FILE", "read the run from a script with the flags of vLLM, SGLang or TensorRT-LLM"},
  {OPTION_AS, '\0', "as", "vllm|sglang|trtllm", "print the flags of that engine instead"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command serve_command = {
  "serve", "NETWORK GPU|SYSTEM", "predicts the latency and throughput of a served language model",
  "Predicts time to first token (TTFT), time per output token (TPOT), throughput, and how many requests fit at once. "
  "For a single run it prints a report, for lists one row per combination; csv and json have all columns, in SI "
  "units. --concurrency sets the clients of a closed loop, each of which waits for its answer; --rate sets the "
  "requests per second of an open loop; --arrivals static is one batch, --arrivals offline gives the largest "
  "throughput.",
  "perfmodel serve llama3-70b hgx-h100 --tensor-parallel 4 --isl 2048 --osl 256 --concurrency 1,4,16,64", options, 2, 2,
  run};
