/* perfmodel predict: one network on one system. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "asked.h"
#include "file_rule.h"
#include "price.h"
#include "settings.h"

/* One network on one system, and all that the answer is made of. */
typedef struct cli_study {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  const pm_plan *plan; /* of the study */
  pm_given given;
  pm_run run;
  pm_prediction prediction;
  pm_dataset dataset; /* its id is empty if none was named */
  cli_prices prices;  /* their currency */
} cli_study;

/* ---- What is asked ---- */

static int read_question(const cli_request *request, cli_study *study)
{
  double global_batch = NAN;
  study->run = pm_run_make();
  study->given = read_given(request, "run");
  int code = read_settings(request, "run", &study->run, &study->given, &global_batch, NULL);
  if (code != CODE_DONE) return code;
  if (!read_run(request, "run", &study->run)) return CODE_USAGE;
  code = take_currency(&study->prices, field_given(request, "gpu_hour_price"));
  if (code != CODE_DONE) return code;
  return read_global_batch(request, global_batch, &study->run, &study->given);
}

static int read_dataset(const cli_request *request, cli_study *study)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_DATASET];
  if (name == NULL) return CODE_DONE;
  if (field_given(request, "epoch_samples") != NULL)
    return fail(CODE_USAGE, "give either --dataset or --epoch-samples, not both");
  if (pm_catalog_get_record(study->catalog, "dataset", name, &study->dataset,
                            &error) != PM_OK) return fail_error(&error);
  study->run.epoch_samples = study->dataset.samples;
  return CODE_DONE;
}

/* ---- What is answered ---- */

static int write_row(const cli_request *request, const cli_study *study)
{
  pm_error error = PM_ERROR_NONE;
  const pm_sweep sweep = {.task = PM_TASK_TRAINING, .runs = &study->run, .run_size = sizeof study->run,
                          .answers = &study->prediction, .answer_size = sizeof study->prediction, .count = 1};
  pm_table *table = pm_study_tabulate(study->study, &study->given, &sweep, &error);
  return write_table(request, table, &error);
}

static pm_report *report_of(const cli_study *study, pm_error *error)
{
  const char *dataset = study->dataset.id[0] != '\0' ? study->dataset.name : NULL;
  const pm_report_question asked = {.given = &study->given, .runs = &study->run, .run_size = sizeof study->run,
                                    .answers = &study->prediction, .answer_size = sizeof study->prediction,
                                    .count = 1, .dataset = dataset, .currency = study->prices.currency};
  return pm_study_new_report(study->study, &asked, error);
}

static void sum_times(const pm_layer_time *rows, int count, pm_layer_time *total)
{
  pm_record_clear(pm_record_type_find("layer_time"), total);
  snprintf(total->name, PM_TEXT_MAX, "total");
  total->forward_time = total->dgrad_time = total->wgrad_time = 0;
  total->update_time = total->time = total->flop = total->bytes = 0;
  for (int i = 0; i < count; i++) {
    total->forward_time += rows[i].forward_time;
    total->dgrad_time += rows[i].dgrad_time;
    total->wgrad_time += rows[i].wgrad_time;
    total->update_time += rows[i].update_time;
    total->time += rows[i].time;
    total->flop += rows[i].flop;
    total->bytes += rows[i].bytes;
  }
  total->intensity = total->flop / total->bytes;
  total->achieved = total->flop / total->forward_time;
}

/* NULL: the plain roofline. */
static const pm_kernel_calibration *kernels_of(const cli_study *study)
{
  return study->run.kernel_model == PM_KERNEL_MODEL_ROOFLINE ? NULL : pm_system_get_kernels(study->system);
}

static pm_table *times_table(const cli_study *study, pm_error *error)
{
  const pm_network *network = pm_study_get_network(study->study, study->run.network_index);
  int count = pm_network_count_layers(network);
  pm_layer_time *rows = (pm_layer_time *)calloc((size_t)count + 1, sizeof *rows);
  pm_table *table = NULL;
  if (rows != NULL && pm_network_get_times(network, pm_system_get_gpu(study->system), kernels_of(study),
                                           study->run.batch, study->run.precision, rows, error) == PM_OK) {
    sum_times(rows, count, &rows[count]);
    table = table_with_total("layer_time", rows, (size_t)count + 1, error);
  }
  free(rows);
  return table;
}

/* Whether the timeline has a file of its own. */
static int check_outputs(const cli_request *request)
{
  const char *trace = request->value[OPTION_TRACE], *output = request->value[OPTION_OUTPUT];
  if (trace == NULL || !file_is_same(trace, output != NULL ? output : "-")) return CODE_DONE;
  return fail(CODE_USAGE, "--trace and --output are the same file, \"%.400s\": give the timeline another, such as "
                          "--trace step.json", trace);
}

/* The timeline goes to a file of its own, beside the answer. */
static int write_trace(const cli_request *request, const cli_study *study)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_prediction_format_trace(study->plan, &study->run, &error);
  if (text == NULL) return fail_error(&error);
  cli_request to = *request;
  to.value[OPTION_OUTPUT] = request->value[OPTION_TRACE];
  int code = write_output(&to, text, strlen(text));
  pm_string_free(text);
  return code;
}

/* Stages of a run that does not fit are asked for to see which one is too full. */
static pm_table *stages_table(const cli_study *study, pm_error *error)
{
  int count = pm_prediction_get_stages(study->plan, &study->run, NULL, 0, error);
  pm_stage *rows = count > 0 ? (pm_stage *)calloc((size_t)count, sizeof *rows) : NULL;
  pm_table *table = NULL;
  if (rows != NULL && pm_prediction_get_stages(study->plan, &study->run, rows, (size_t)count, error) == count)
    table = pm_table_new_of_records(pm_record_type_find("stage"), rows, (size_t)count, error);
  free(rows);
  return table;
}

/* Why there is no prediction, with what would help. */
static int refuse(const cli_request *request, cli_study *study, const pm_error *error)
{
  pm_predict(study->plan, &study->run, &study->prediction, 1);
  return fail_run(request, error, report_of(study, NULL));
}

static int answer(const cli_request *request, cli_study *study)
{
  pm_error error = PM_ERROR_NONE;
  int code = pm_run_check(study->plan, &study->run, &error) == PM_OK ? CODE_DONE : refuse(request, study, &error);
  if (code == CODE_DONE && request->value[OPTION_TRACE] != NULL) code = write_trace(request, study);
  if (code != CODE_DONE) return code;
  if (request->value[OPTION_STAGES] != NULL) return write_table(request, stages_table(study, &error), &error);
  if (request->value[OPTION_LAYERS] != NULL) return write_table(request, times_table(study, &error), &error);
  pm_predict_columns(study->plan, ~0u, &study->run, &study->prediction, 1);
  return is_report(request) ? write_document(request, report_of(study, &error), &error) : write_row(request, study);
}

/* The run completed, and its plan. */
static int complete(const cli_request *request, cli_study *study)
{
  int code;
  const cli_asked asked = {study->catalog, &study->network, 1, &study->system, 1, PM_TASK_TRAINING};
  study->run.framework_index = 0;
  study->study = open_study(request, &asked, NULL, &code);
  if (code == CODE_DONE) code = complete_runs(request, study->study, &study->given, &study->run, 1, false);
  if (code == CODE_DONE) code = check_effects(request, study->study, &study->run, 1);
  if (code == CODE_DONE) study->plan = open_plan(study->study, &code);
  return code;
}

static int run(const cli_request *request)
{
  cli_study study;
  memset(&study, 0, sizeof study);
  int code = check_outputs(request);
  if (code == CODE_DONE) code = read_question(request, &study);
  if (code != CODE_DONE) return code;
  study.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) study.network = open_network(request, study.catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) study.system = open_system(study.catalog, request->arguments.items[1], &code);
  if (code == CODE_DONE) code = read_dataset(request, &study);
  if (code == CODE_DONE) code = complete(request, &study);
  if (code == CODE_DONE) code = answer(request, &study);
  pm_study_free(study.study);
  pm_system_free(study.system);
  pm_network_free(study.network);
  pm_catalog_free(study.catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_FIELDS, '\0', "run", NULL, NULL},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs, instead of --batch"},
  {OPTION_RUN, '\0', "run", "FILE", "the run as Megatron-LM (a script), NeMo, torchtitan, DeepSpeed or Accelerate have "
                                    "it; options "
                                   "given besides count more"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME",
   "framework, such as pytorch-2.4-nhwc, pytorch@2024-06 or tf1-nchw@cudnn6; none: "
                                               "kernels and collectives only (default: PyTorch, its FSDP with --zero "
                                               "3, "
                                               "Megatron-LM with --tp, --pp, --cp or --ep); see perfmodel list "
                                               "frameworks"},
  {OPTION_DATASET, '\0', "dataset", "NAME", "also say how long an epoch takes; see perfmodel list datasets"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as classes=10; may be "
                                          "repeated"},
  {OPTION_TRACE, '\0', "trace", "FILE", "also write the timeline of a step to FILE, JSON that ui.perfetto.dev opens"},
  COLUMNS_OPTION,
  ENERGY_OPTION,
  {OPTION_LAYERS, '\0', "layers", NULL, "print the times of every layer on one GPU instead"},
  {OPTION_STAGES, '\0', "stages", NULL, "print computation, waiting and memory of every pipeline stage instead"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command predict_command = {
  "predict", "NETWORK SYSTEM", "predicts the step time and throughput of one run, and what limits it",
  "Predicts one training step: the forward, backward and update kernels, the host that launches them, the gradient "
  "exchange that overlaps with the backward pass, and the time spent waiting for the slowest GPU and for input. "
  "Framework overhead comes from the framework profiles of the catalogue. The prediction states what its constants "
  "are based on.\n\n"
  "The table is a report to read; csv and json give one row with all values in SI units.",
  "perfmodel predict resnet50 dgx1-v100 --gpus 8 --batch 64 --precision fp16", options, 2, 2, run};
