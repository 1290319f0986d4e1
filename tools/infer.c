/* perfmodel infer: latency and throughput of the forward pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runs.h"

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  const pm_plan *plan; /* of the study */
  cli_runs asked;
  double latency; /* limit; NAN without one */
} question;

/* ---- What is asked ---- */

static int read_latency(const cli_request *request, double *latency)
{
  pm_error error = PM_ERROR_NONE;
  const char *text = request->value[OPTION_LATENCY];
  *latency = NAN;
  if (text == NULL) return CODE_DONE;
  if (field_given(request, "batch") != NULL) return fail(CODE_USAGE, "--latency determines the batch; give either "
                                                         "--latency or --batch");
  if (pm_quantity_parse(text, "s", latency, &error) != PM_OK) return fail(CODE_USAGE, "--latency: %s", error.text);
  return *latency > 0 ? CODE_DONE : fail(CODE_USAGE, "--latency %s is not positive", text);
}

static int read_question(const cli_request *request, question *q)
{
  int code = start_runs(&q->asked, request, PM_TASK_INFERENCE, true);
  return code == CODE_DONE ? read_latency(request, &q->latency) : code;
}

static pm_inference_run *call_at(const question *q, size_t i)
{
  return (pm_inference_run *)run_at(&q->asked, i);
}

static pm_inference *answer_at(const question *q, size_t i)
{
  return (pm_inference *)q->asked.answers + i;
}

static int find_all(const cli_request *request, question *q)
{
  int code;
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) q->system = open_system(q->catalog, request->arguments.items[1], &code);
  const cli_asked asked = {q->catalog, &q->network, 1, &q->system, 1, PM_TASK_INFERENCE};
  if (code == CODE_DONE) q->study = open_study(request, &asked, NULL, &code);
  return code;
}

/* ---- Answers ---- */

static pm_report *report_of(const question *q, pm_error *error)
{
  const pm_report_question asked = {.given = &q->asked.given, .runs = q->asked.runs,
                                    .run_size = q->asked.type->size, .answers = q->asked.answers,
                                    .answer_size = q->asked.answer->size, .count = q->asked.count,
                                    .latency = q->latency};
  return pm_study_new_report(q->study, &asked, error);
}

/* The largest batch within the latency. A single run says in words why it has no answer; one of many keeps its row,
** with its status. */
static int find_batches(question *q)
{
  pm_error error = PM_ERROR_NONE;
  bool single = q->asked.count == 1;
  for (size_t i = 0; i < q->asked.count && !isnan(q->latency); i++)
    if (pm_inference_find_batch(q->plan, call_at(q, i), q->latency, answer_at(q, i), single ? &error : NULL) != PM_OK &&
        single)
      return fail_error(&error);
  return CODE_DONE;
}

static int answer_all(const cli_request *request, question *q)
{
  pm_error error = PM_ERROR_NONE;
  int code = make_runs(&q->asked, 1, 1, 0, RUNS_MOST, "runs");
  if (code == CODE_DONE) code = complete_all(&q->asked, request, q->study, q->asked.count > 1);
  if (code == CODE_DONE) q->plan = open_plan(q->study, &code);
  if (code == CODE_DONE) code = predict_all(&q->asked, q->plan, 0);
  if (code != CODE_DONE) return code;
  if (q->asked.count == 1 && pm_inference_check(q->plan, call_at(q, 0), &error) != PM_OK)
    return fail_run(request, &error, report_of(q, NULL));
  return find_batches(q);
}

static int write_answers(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (is_report(request)) return write_document(request, report_of(q, &error), &error);
  const pm_sweep sweep = sweep_of(&q->asked);
  return write_table(request, pm_study_tabulate(q->study, &q->asked.given, &sweep, &error), &error);
}

static int run(const cli_request *request)
{
  question q;
  memset(&q, 0, sizeof q);
  int code = read_question(request, &q);
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
  {OPTION_FIELDS, '\0', "inference_run", "many", NULL},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME",
   "framework or engine, such as tensorrt or pytorch-2.4-compile (default pytorch, the "
                                                "newest fitted release that runs on the GPU); see perfmodel list "
                                                "inference_profiles, or frameworks"},
  {OPTION_LATENCY, '\0', "latency", "TIME", "find the largest batch within this latency, such as \"10 ms\""},
  COLUMNS_OPTION,
  ENERGY_OPTION,
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as image=299; may be "
                                          "repeated"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command infer_command = {
  "infer", "NETWORK GPU|SYSTEM", "predicts the latency and throughput of inference",
  "Predicts the forward pass of a trained network: latency of a call, samples per second, what limits them, and "
  "whether it fits in memory; one row for each combination of the lists. An engine such as TensorRT folds batch "
  "norm, activation and addition into the preceding convolution; a framework runs one kernel per layer. With "
  "--latency, the batch is the largest that stays within that time.\n\n"
  "The latency is that of a batch already on the GPU: it includes neither queueing nor copies from and to the host. "
  "Several GPUs are independent replicas. The table shows the main columns; csv and json have all of them, in SI "
  "units.",
  "perfmodel infer resnet50 t4 --batch 1,8,32 --precision int8 --framework tensorrt", options, 2, 2, run};
