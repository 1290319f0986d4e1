/* perfmodel sweep: every combination of networks, systems, GPUs, nodes, batches and precisions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"

#define RUNS_MOST 1e6

/* The axes as they were given, and what they lead to. */
typedef struct cli_sweep {
  texts network_names, system_names;
  pm_catalog *catalog;
  pm_network **networks;
  pm_system **systems;
  pm_framework_profile *frameworks;
  pm_plan *plan;
  pm_grid grid;
  int32_t *precisions, *nodes, *gpus;
  double *batches;
  pm_run *runs;
  pm_prediction *predictions;
  size_t count;
} cli_sweep;

/* ---- Axes ---- */

static bool read_integers(const char *name, const char *text, int32_t **values, size_t *count)
{
  double *numbers;
  bool good = read_counts(name, text, COUNT_MOST, &numbers, count);
  *values = good && numbers != NULL ? (int32_t *)calloc(*count, sizeof **values) : NULL;
  if (good && numbers != NULL && *values == NULL) good = (fail_memory(), false);
  for (size_t i = 0; good && i < *count; i++) (*values)[i] = (int32_t)numbers[i];
  free(numbers);
  return good;
}

static bool read_batches(const cli_request *request, cli_sweep *sweep)
{
  const char *each = request->value[OPTION_BATCH], *global = request->value[OPTION_GLOBAL_BATCH];
  if (each != NULL && global != NULL) {
    fail(CODE_USAGE, "--batch and --global-batch exclude each other");
    return false;
  }
  sweep->grid.global_batch = global != NULL;
  return read_counts(global != NULL ? "global-batch" : "batch", global != NULL ? global : each, COUNT_MOST,
                     &sweep->batches, &sweep->grid.batch_count);
}

static bool read_axes(const cli_request *request, cli_sweep *sweep)
{
  pm_grid *grid = &sweep->grid;
  grid->base = pm_run_default();
  bool good = read_names("NETWORKS", request->arguments.items[0], &sweep->network_names) &&
              read_names("SYSTEMS", request->arguments.items[1], &sweep->system_names) &&
              read_precisions(request->value[OPTION_PRECISION], &sweep->precisions, &grid->precision_count) &&
              read_integers("nodes", request->value[OPTION_NODES], &sweep->nodes, &grid->nodes_count) &&
              read_integers("gpus", request->value[OPTION_GPUS], &sweep->gpus, &grid->gpus_count) &&
              read_batches(request, sweep) && read_training(request, &grid->base);
  grid->networks = sweep->network_names.count;
  grid->systems = sweep->system_names.count;
  grid->precision = sweep->precisions;
  grid->nodes = sweep->nodes;
  grid->gpus = sweep->gpus;
  grid->batch = sweep->batches;
  return good;
}

static double axis(size_t count)
{
  return count > 0 ? (double)count : 1;
}

static int check_size(const pm_grid *grid)
{
  double runs = axis(grid->networks) * axis(grid->systems) * axis(grid->frameworks) * axis(grid->precision_count) * axis(grid->nodes_count) *
                axis(grid->gpus_count) * axis(grid->batch_count);
  if (runs <= RUNS_MOST) return CODE_DONE;
  return fail(CODE_USAGE, "the sweep has %.0f runs; at most %.0f are possible at once", runs, RUNS_MOST);
}

/* ---- Networks and systems ---- */

static int open_all(const cli_request *request, cli_sweep *sweep)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  const char *dataset = request->value[OPTION_DATASET];
  sweep->catalog = open_catalog(request, &code);
  sweep->networks = (pm_network **)calloc(sweep->network_names.count, sizeof *sweep->networks);
  sweep->systems = (pm_system **)calloc(sweep->system_names.count, sizeof *sweep->systems);
  if (sweep->networks == NULL || sweep->systems == NULL) return fail_memory();
  for (size_t i = 0; code == CODE_DONE && i < sweep->network_names.count; i++)
    sweep->networks[i] = open_network(request, sweep->catalog, sweep->network_names.items[i], &code);
  for (size_t i = 0; code == CODE_DONE && i < sweep->system_names.count; i++)
    sweep->systems[i] = open_system(sweep->catalog, sweep->system_names.items[i], &code);
  if (code == CODE_DONE)
    code = open_frameworks(sweep->catalog, request->value[OPTION_FRAMEWORK], &sweep->frameworks,
                           &sweep->grid.frameworks);
  if (code != CODE_DONE || dataset == NULL) return code;
  pm_dataset record;
  if (pm_catalog_record(sweep->catalog, "dataset", dataset, &record, &error) != PM_OK) return fail_error(&error);
  sweep->grid.base.epoch_samples = record.samples;
  return CODE_DONE;
}

static int predict_all(cli_sweep *sweep)
{
  pm_error error = PM_ERROR_NONE;
  sweep->plan = pm_plan_new((const pm_network *const *)sweep->networks, sweep->network_names.count,
                            (const pm_system *const *)sweep->systems, sweep->system_names.count, &error);
  if (sweep->plan == NULL) return fail_error(&error);
  int code = add_frameworks(sweep->plan, sweep->frameworks, sweep->grid.frameworks);
  if (code != CODE_DONE) return code;
  sweep->count = pm_grid_count(&sweep->grid);
  sweep->runs = (pm_run *)calloc(sweep->count, sizeof *sweep->runs);
  sweep->predictions = (pm_prediction *)calloc(sweep->count, sizeof *sweep->predictions);
  if (sweep->runs == NULL || sweep->predictions == NULL) return fail_memory();
  pm_grid_runs(&sweep->grid, sweep->runs);
  if (pm_predict_columns(sweep->plan, ~0u, sweep->runs, sweep->predictions, sweep->count) == PM_OK) return CODE_DONE;
  return fail(CODE_INTERNAL, "the prediction failed");
}

/* ---- Result ---- */

/* People get the columns that a choice is made by; csv and json have all. */
static void keep_main_columns(pm_table *table)
{
  static const char *const shown[] = {"network", "system", "framework", "nodes", "gpus", "batch", "precision", "status",
                                      "throughput", "step_time", "epoch_time", "scaling_efficiency", "utilization",
                                      "bottleneck", NULL};
  for (size_t i = pm_table_columns(table); i-- > 0;) {
    const char *name = pm_table_column(table, i)->name;
    bool keep = false;
    for (size_t k = 0; shown[k] != NULL; k++) keep = keep || strcmp(shown[k], name) == 0;
    if (!keep) pm_table_drop(table, name);
  }
}

static int write_sweep(const cli_request *request, const cli_sweep *sweep)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_prediction_table(sweep->plan, sweep->runs, sweep->predictions, sweep->count, &error);
  if (table == NULL || request->format != PM_FORMAT_TABLE) return write_table(request, table, &error);
  keep_main_columns(table);
  if (request->value[OPTION_DATASET] == NULL) pm_table_drop(table, "epoch_time");
  return write_table(request, table, &error);
}

static void add_reason(char *reasons, size_t size, const char *reason, size_t count)
{
  size_t used = strlen(reasons);
  if (count > 0) snprintf(reasons + used, size - used, "%s%s (%zu)", used > 0 ? "; " : "", reason, count);
}

/* "3 of 24 runs have no prediction: more GPUs than the system has (3)" */
static int report_failures(const cli_request *request, const cli_sweep *sweep)
{
  char reasons[512] = "";
  size_t counts[PM_STATUS_COUNT] = {0}, failed = 0, undivided = 0;
  for (size_t i = 0; i < sweep->count; i++) {
    int status = sweep->predictions[i].status;
    bool remainder = status == PM_BAD_ARGUMENT && isnan(sweep->runs[i].batch);
    undivided += remainder;
    counts[status] += !remainder;
    failed += status != PM_OK;
  }
  add_reason(reasons, sizeof reasons, "the global batch does not divide over the GPUs", undivided);
  for (int status = PM_OK + 1; status < PM_STATUS_COUNT; status++)
    add_reason(reasons, sizeof reasons, pm_status_text(status), counts[status]);
  if (failed > 0) note(request, "%zu of %zu runs have no prediction: %s", failed, sweep->count, reasons);
  return failed == sweep->count ? CODE_CONSTRAINT : CODE_DONE;
}

static void free_sweep(cli_sweep *sweep)
{
  free(sweep->runs);
  free(sweep->predictions);
  pm_plan_free(sweep->plan);
  for (size_t i = 0; sweep->networks != NULL && i < sweep->network_names.count; i++)
    pm_network_free(sweep->networks[i]);
  for (size_t i = 0; sweep->systems != NULL && i < sweep->system_names.count; i++) pm_system_free(sweep->systems[i]);
  free(sweep->networks);
  free(sweep->systems);
  free(sweep->frameworks);
  pm_catalog_free(sweep->catalog);
  free(sweep->network_names.items);
  free(sweep->system_names.items);
  free(sweep->precisions);
  free(sweep->nodes);
  free(sweep->gpus);
  free(sweep->batches);
}

static int run(const cli_request *request)
{
  cli_sweep sweep;
  memset(&sweep, 0, sizeof sweep);
  int code = read_axes(request, &sweep) ? check_size(&sweep.grid) : CODE_USAGE;
  if (code == CODE_DONE) code = open_all(request, &sweep);
  if (code == CODE_DONE) code = check_size(&sweep.grid);
  if (code == CODE_DONE) code = predict_all(&sweep);
  if (code == CODE_DONE) code = write_sweep(request, &sweep);
  if (code == CODE_DONE) code = report_failures(request, &sweep);
  free_sweep(&sweep);
  return code;
}

static const cli_option options[] = {
  {OPTION_GPUS, '\0', "gpus", "N,...", "GPUs used in each node (default 1)"},
  {OPTION_NODES, '\0', "nodes", "N,...", "nodes used (default 1)"},
  {OPTION_BATCH, '\0', "batch", "N,...", "samples per GPU and step (default 32)"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N,...", "samples per step over all GPUs, instead of --batch"},
  {OPTION_PRECISION, '\0', "precision", "NAME,...", "storage and arithmetic (default fp32); see perfmodel list "
                                                    "precisions"},
  {OPTION_KERNELS, '\0', "kernels", "calibrated|roofline", "how kernels are timed (default calibrated, where the "
                                                          "architecture has constants)"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME,...", "what runs it, such as pt-nchw or tf1-nchw@cudnn6 (default generic; "
                                                   "none: kernels and collectives only)"},
  TRAINING_OPTIONS,
  {OPTION_DATASET, '\0', "dataset", "NAME", "also say how long an epoch takes"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the networks another value; may be repeated"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command sweep_command = {
  "sweep", "NETWORKS SYSTEMS", "predicts every combination of networks, systems, GPUs, batches, ...",
  "Predicts every combination of the comma-separated lists; the batch runs fastest, then GPUs, nodes, precision, "
  "framework, system and network. A run that cannot be predicted keeps its row, with the reason as its status and no numbers; "
  "the exit status is 1 only if that is true of all.\n\n"
  "The table shows the main columns; csv and json have all, in SI units.",
  "perfmodel sweep resnet50,vgg16 dgx1-v100,dgx2 --gpus 1,2,4,8 --batch 32,64 -o plan.csv", options, 2, 2, run};
