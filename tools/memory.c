/* perfmodel memory: what the completed run keeps on one GPU, and whether it fits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "runs.h"

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  cli_runs asked; /* one run */
  pm_study *study;
  const pm_plan *plan; /* of the study */
  pm_memory_use use;
  pm_stage *stages; /* of training */
  int stage_count;
} question;

/* ---- What is asked ---- */

static bool trains(const question *q)
{
  return q->asked.task == PM_TASK_TRAINING;
}

static const pm_run *step_of(const question *q)
{
  return (const pm_run *)run_at(&q->asked, 0);
}

static int read_question(const cli_request *request, question *q)
{
  int code;
  int32_t task = read_task(request, &code);
  if (code == CODE_DONE) code = start_runs(&q->asked, request, task, false);
  if (code != CODE_DONE) return code;
  if (trains(q)) return read_global_batch(request, NAN, (pm_run *)q->asked.base, &q->asked.given);
  return request->value[OPTION_GLOBAL_BATCH] == NULL ? CODE_DONE : fail(CODE_USAGE,
    "--global-batch is only for training");
}

static int complete(const cli_request *request, question *q)
{
  int code;
  const cli_asked asked = {q->catalog, &q->network, 1, &q->system, 1, q->asked.task};
  q->study = open_study(request, &asked, NULL, &code);
  if (code == CODE_DONE) code = make_runs(&q->asked, 1, 1, 0, 1, "runs");
  if (code == CODE_DONE) code = complete_all(&q->asked, request, q->study, false);
  if (code == CODE_DONE) q->plan = open_plan(q->study, &code);
  return code;
}

/* ---- The answer ---- */

static int find_stages(question *q)
{
  pm_error error = PM_ERROR_NONE;
  q->stage_count = pm_prediction_get_stages(q->plan, step_of(q), NULL, 0, &error);
  q->stages = q->stage_count > 0 ? (pm_stage *)calloc((size_t)q->stage_count, sizeof *q->stages) : NULL;
  if (q->stages == NULL) return fail_error(&error);
  pm_prediction_get_stages(q->plan, step_of(q), q->stages, (size_t)q->stage_count, &error);
  return CODE_DONE;
}

/* Whether or not it fits. */
static int find_memory(question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (pm_task_get_memory(q->plan, q->asked.task, run_at(&q->asked, 0), q->asked.type->size, &q->use, sizeof q->use,
                         &error) != PM_OK)
    return fail_error(&error);
  return trains(q) ? find_stages(q) : CODE_DONE;
}

/* ---- Tables ---- */

static pm_table *stage_table(const question *q, pm_error *error)
{
  static const char *const names[] = {"stage", "layers", "parameters", "in_flight", "weights", "gradients", "optimizer",
                                      "activations", "memory", "verdict", "live_gradients", "allocator",
                                      "input", "workspace", "communication", "context", "gpu_memory", "host_memory"};
  pm_table *table = pm_table_new_of_records(pm_record_type_find("stage"), q->stages, (size_t)q->stage_count, error);
  if (table != NULL) pm_table_keep(table, names, sizeof names / sizeof names[0], NULL);
  return table;
}

/* The run, but for its optimizer, whose name is that of a part. */
static int add_run(pm_table *table, const question *q, pm_error *error)
{
  char assumed[ASSUMED], optimizer[PM_TEXT_MAX] = "";
  const void *run = run_at(&q->asked, 0);
  const char *update = optimizer, *line = assumed_of(q->study, &q->asked.given, run, assumed);
  if (trains(q)) pm_record_format(pm_record_find_field(q->asked.type, "optimizer"), run, optimizer);
  int status = pm_table_add_text(table, "update", "optimizer", &update, error);
  if (status == PM_OK) status = pm_table_add_records(table, q->asked.type, run, error);
  static const char *const dropped[] = {"network_index", "system_index", "framework_index", "profile_index",
                                        "engine_index", "optimizer", "epoch_samples", "input_rate", "no_prefetch",
                                        "tokens", "samples", "gpu_mtbf", "node_mtbf", "checkpoint_rate", "checkpoint",
                                        "restart", "interval", "pue", "gpu_hour_price",
                                        "carbon", "energy_price", "power_budget"};
  for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) pm_table_drop(table, dropped[i]);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("memory_use"), &q->use, error);
  if (status == PM_OK)
    status = pm_table_add_text(table, "assumed", "defaults that were assumed", &line, error);
  return status;
}

static pm_study_software software_of(const question *q)
{
  return pm_study_get_software(q->study, (int32_t)run_number(&q->asked, 0, q->asked.facts->software), 0);
}

static const char *software_id(const question *q)
{
  const pm_study_software software = software_of(q);
  if (software.framework != NULL) return software.framework->framework.id;
  if (software.engine != NULL) return software.engine->engine.id;
  return software.profile != NULL ? software.profile->id : "none";
}

static int write_row(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_network_totals totals;
  pm_network_get_totals(q->network, &totals, &error);
  const char *const names[] = {"network", "system", "framework"};
  const char *const values[] = {totals.id, pm_system_get_machine(q->system)->id, software_id(q)};
  pm_table *table = pm_table_new(1, &error);
  int status = table != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  for (int i = 0; i < 3 && status == PM_OK; i++) status = pm_table_add_text(table, names[i], "", &values[i], &error);
  if (status == PM_OK) status = add_run(table, q, &error);
  if (status == PM_OK) return write_table(request, table, &error);
  pm_table_free(table);
  return fail_error(&error);
}

static void sum(const pm_layer_memory *rows, int count, pm_layer_memory *total)
{
  pm_record_clear(pm_record_type_find("layer_memory"), total);
  snprintf(total->name, PM_TEXT_MAX, "total");
  total->weights = total->written = total->saved = total->further = 0;
  for (int i = 0; i < count; i++) {
    total->weights += rows[i].weights;
    total->written += rows[i].written;
    total->saved += rows[i].saved;
    total->further += rows[i].further;
  }
}

/* Layers keep what one micro-batch needs. */
static int write_layers(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = NULL;
  const pm_network *network = pm_study_get_network(q->study, (int32_t)run_number(&q->asked, 0, "network_index"));
  double batch = run_number(&q->asked, 0, "batch");
  int32_t precision = (int32_t)run_number(&q->asked, 0, "precision"), count = pm_network_count_layers(network);
  const pm_run *step = trains(q) ? step_of(q) : NULL;
  if (step != NULL && !isnan(step->micro_batch)) batch = step->micro_batch;
  bool whole = step == NULL || step->tensor_parallel * step->context_parallel * step->expert_parallel == 1;
  if (!whole) return fail(CODE_USAGE, "--layers is only for networks that are not distributed over GPUs");
  pm_layer_memory *rows = (pm_layer_memory *)calloc((size_t)count + 1, sizeof *rows);
  if (rows != NULL && pm_memory_get_layers(network, software_of(q).memory, batch, precision, rows, &error) == PM_OK) {
    sum(rows, count, &rows[count]);
    table = table_with_total("layer_memory", rows, (size_t)count + 1, &error);
  }
  free(rows);
  return write_table(request, table, &error);
}

static pm_report *report_of(const question *q, pm_error *error)
{
  const pm_report_question asked = {.of = PM_REPORT_OF_MEMORY, .given = &q->asked.given, .runs = q->asked.runs,
                                    .run_size = q->asked.type->size};
  return pm_study_new_report(q->study, &asked, error);
}

static int answer(const cli_request *request, question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (request->value[OPTION_LAYERS] != NULL) return write_layers(request, q);
  int code = find_memory(q);
  if (code != CODE_DONE) return code;
  if (request->value[OPTION_STAGES] != NULL && !trains(q)) return fail(CODE_USAGE, "--stages is only for training");
  if (request->value[OPTION_STAGES] != NULL) return write_table(request, stage_table(q, &error), &error);
  return is_report(request) ? write_document(request, report_of(q, &error), &error) : write_row(request, q);
}

static int run(const cli_request *request)
{
  question q;
  memset(&q, 0, sizeof q);
  int code = read_question(request, &q);
  if (code == CODE_DONE) q.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) q.network = open_network(request, q.catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) q.system = open_system(q.catalog, request->arguments.items[1], &code);
  if (code == CODE_DONE) code = complete(request, &q);
  if (code == CODE_DONE) code = answer(request, &q);
  free(q.stages);
  free_runs(&q.asked);
  pm_study_free(q.study);
  pm_system_free(q.system);
  pm_network_free(q.network);
  pm_catalog_free(q.catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_FIELDS, '\0', "run", NULL,
   "overlap kernel_model epoch_samples input_rate no_prefetch ignore_memory " TRAINING_FIELDS},
  {OPTION_FIELDS, '\0', "serving_run", NULL,
   "kernel_model ignore_memory arrivals rate arrival_cv length_cv duration percentile hit_ratio acceptance draft_time "
   "client_time bunching expert_imbalance concurrency gpu_hour_price"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs, instead of --batch"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME",
   "framework (default: as perfmodel predict); see perfmodel list frameworks"},
  {OPTION_INFERENCE, '\0', "inference", NULL, "a call of inference, instead of a step of training"},
  TASK_OPTION,
  SERVE_OPTION,
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as image=299; may be "
                                          "repeated"},
  {OPTION_LAYERS, '\0', "layers", NULL, "print the memory of every layer instead"},
  {OPTION_STAGES, '\0', "stages", NULL, "print the memory of every pipeline stage instead"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command memory_command = {
  "memory", "NETWORK GPU|SYSTEM", "prints the memory of a step on one GPU, whether it fits, and the largest "
  "micro-batch",
  "Adds up the memory of one GPU at the peak of a training step: weights, gradients, optimizer, the activations that "
  "the backward pass needs, what the allocator and the framework hold besides. Compares it with the memory that the "
  "GPU's driver reports; published memory use spreads by about 8 %, so within that the verdict is tight. It is the "
  "memory that perfmodel predict finds for the same options, of the heaviest rank.\n\n"
  "As a table this is a report to read, with what would help if it does not fit; as csv or json it is one row with all "
  "values, in bytes.",
  "perfmodel memory resnet152 rtx-2080-ti --batch 64", options, 2, 2, run};
