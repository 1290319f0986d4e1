/* perfmodel infer: latency and throughput of the forward pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "asked.h"

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  pm_given given;
  const pm_plan *plan; /* of the study */
  cli_axes axes;
  size_t count;
  pm_inference_run usual;
  pm_inference_run *runs;
  pm_inference *answers;
  double latency; /* limit; NAN without one */
} question;

/* ---- What is asked ---- */

static int read_latency(const cli_request *request, double *latency)
{
  pm_error error = PM_ERROR_NONE;
  const char *text = request->value[OPTION_LATENCY];
  *latency = NAN;
  if (text == NULL) return CODE_DONE;
  if (field_given(request, "batch") != NULL) return fail(CODE_USAGE, "--latency finds the batch; --batch excludes it");
  if (pm_quantity_parse(text, "s", latency, &error) != PM_OK) return fail(CODE_USAGE, "--latency: %s", error.text);
  return *latency > 0 ? CODE_DONE : fail(CODE_USAGE, "--latency %s is not positive", text);
}

static int read_question(const cli_request *request, question *q)
{
  q->usual = pm_inference_run_make();
  q->given = read_given(request, "inference_run");
  if (!read_axes(request, &q->usual, &q->axes)) return CODE_USAGE;
  return read_latency(request, &q->latency);
}

static int find_all(const cli_request *request, question *q)
{
  int code;
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) q->system = open_system(q->catalog, request->arguments.items[1], &code);
  const cli_asked asked = {q->catalog, &q->network, 1, &q->system, 1, true};
  if (code == CODE_DONE) q->study = open_study(request, &asked, NULL, &code);
  return code;
}

/* ---- Answers ---- */

static pm_report *report_of(const question *q, pm_error *error)
{
  return pm_study_new_inference_report(q->study, &q->given, q->runs, q->answers, q->count, q->latency, error);
}

/* A single run says in words why it has no answer; one of many keeps its row, with its status. */
static int answer_one(question *q, size_t i)
{
  pm_error error = PM_ERROR_NONE;
  bool single = q->count == 1;
  int status = PM_OK;
  pm_infer(q->plan, &q->runs[i], &q->answers[i], 1);
  if (single) status = pm_inference_check(q->plan, &q->runs[i], &error);
  if (status != PM_OK) return fail_run(&error, report_of(q, NULL));
  if (isnan(q->latency)) return CODE_DONE;
  status = pm_inference_find_batch(q->plan, &q->runs[i], q->latency, &q->answers[i], single ? &error : NULL);
  return status != PM_OK && single ? fail_error(&error) : CODE_DONE;
}

static int answer_all(const cli_request *request, question *q)
{
  int code = CODE_DONE;
  pm_error error = PM_ERROR_NONE;
  const pm_space space = {.type = pm_record_type_find("inference_run"), .run_size = sizeof(pm_inference_run),
                          .base = &q->usual, .axes = q->axes.items,
                          .axis_count = q->axes.count};
  q->count = pm_space_count(&space);
  q->runs = (pm_inference_run *)calloc(q->count, sizeof *q->runs);
  q->answers = (pm_inference *)calloc(q->count, sizeof *q->answers);
  if (q->runs == NULL || q->answers == NULL) return fail_memory();
  if (pm_space_get_runs(&space, 0, q->count, q->runs, &error) != PM_OK) return fail_error(&error);
  code = complete_calls(request, q->study, &q->given, q->runs, q->count, q->count > 1);
  if (code == CODE_DONE) q->plan = open_plan(q->study, &code);
  for (size_t i = 0; i < q->count && code == CODE_DONE; i++) code = answer_one(q, i);
  return code;
}

static int write_answers(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (is_report(request)) return write_document(request, report_of(q, &error), &error);
  pm_table *table = pm_study_tabulate_inference(q->study, &q->given, q->runs, q->answers, q->count, &error);
  return write_table(request, table, &error);
}

static bool all_failed(const question *q)
{
  for (size_t i = 0; i < q->count; i++)
    if (q->answers[i].status == PM_OK) return false;
  return true;
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
  if (code == CODE_DONE && all_failed(&q)) code = CODE_CONSTRAINT;
  pm_study_free(q.study);
  pm_network_free(q.network);
  pm_system_free(q.system);
  pm_catalog_free(q.catalog);
  free_axes(&q.axes);
  free(q.runs);
  free(q.answers);
  return code;
}

static const cli_option options[] = {
  {OPTION_FIELDS, '\0', "inference_run", "many", NULL},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME", "what runs it, such as tensorrt or pytorch-2.4-compile (default pytorch, the "
                                                "newest fitted release that runs on the GPU); see perfmodel list "
                                                "inference_profiles, or frameworks"},
  {OPTION_LATENCY, '\0', "latency", "TIME", "find the largest batch within this latency, such as \"10 ms\""},
  COLUMNS_OPTION,
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as image=299; may be "
                                          "repeated"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command infer_command = {
  "infer", "NETWORK GPU|SYSTEM", "predicts latency and throughput of inference",
  "Predicts the forward pass of a trained network: latency of a call, samples per second, what limits them, and "
  "whether it fits the memory; one row for each combination of the lists. An engine such as TensorRT folds batch norm, "
  "activation and sum into the convolution before; a framework runs a kernel per layer. With --latency the batch is the "
  "largest one within that time.\n\n"
  "The latency is of a batch that is on the GPU already: queueing, and copies from and to the host, are not in it. GPUs "
  "are replicas that share nothing. The table shows the main columns; csv and json have all, "
  "in SI units.",
  "perfmodel infer resnet50 t4 --batch 1,8,32 --precision int8 --framework tensorrt", options, 2, 2, run};
