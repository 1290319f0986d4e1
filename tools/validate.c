/* perfmodel validate: published measurements beside their predictions. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "lab_load.h"

/* Fits the constants of a set without the rows of `what`, and puts them instead of the catalogue's. */
static int refit(const pm_lab *lab, pm_catalog *catalog, const char *set, const char *what, pm_error *error)
{
  pm_calibration_options options = lab->calibration_options_make();
  options.set = set;
  options.hold_out = what;
  options.hold_out_shapes = 0;
  pm_calibration *calibration = lab->calibrate(catalog, &options, error);
  if (calibration == NULL) return error->status;
  int status = pm_catalog_load_text(catalog, lab->calibration_get_xml(calibration), "refitted constants", error);
  lab->calibration_free(calibration);
  return status;
}

/* Without rows that decide them, constants stay as they are. */
static int refit_if_felt(const pm_lab *lab, pm_catalog *catalog, const char *set, const char *what, pm_error *error)
{
  int status = refit(lab, catalog, set, what, error);
  if (status != PM_STATUS_NOT_FOUND) return status;
  *error = (pm_error)PM_ERROR_NONE;
  return PM_OK;
}

static const char *set_of(const cli_request *request)
{
  const char *set = request->value[OPTION_SET];
  return set != NULL ? set : "statements";
}

/* The set at `rest`; what is behind its comma, NULL at the end. */
static const char *next_set(const char *rest, char *set, size_t size)
{
  size_t n = strcspn(rest, ",");
  snprintf(set, size, "%.*s", (int)n, rest);
  return rest[n] == ',' ? rest + n + 1 : NULL;
}

static bool all_are_rates(const char *sets)
{
  char set[PM_TEXT_MAX];
  bool all = true;
  while (all && sets != NULL) {
    sets = next_set(sets, set, sizeof set);
    all = strcmp(set, "training") == 0 || strcmp(set, "inference") == 0;
  }
  return all;
}

/* Constants of kernels are fitted by GPU, those of training and inference by any of the three. */
static int hold_out(const cli_request *request, const pm_lab *lab, pm_catalog *catalog)
{
  pm_error error = PM_ERROR_NONE;
  const char *what = request->value[OPTION_HOLD_OUT], *sets = set_of(request);
  bool gpu = strncmp(what, "gpu=", 4) == 0;
  if (!gpu && strncmp(what, "source=", 7) != 0 && strncmp(what, "machine=", 8) != 0)
    return fail(CODE_USAGE, "--hold-out takes gpu=NAME, source=NAME or machine=NAME, not \"%.60s\"", what);
  if (!all_are_rates(sets)) return fail(CODE_USAGE, "--hold-out is for the sets training and inference");
  const char *id = gpu ? pm_catalog_resolve(catalog, "gpu", what + 4, &error) : what;
  int status = id == NULL ? error.status : gpu ? refit_if_felt(lab, catalog, "kernels", id, &error) : PM_OK;
  if (status == PM_OK) status = refit(lab, catalog, "training", what, &error);
  if (status == PM_OK) status = refit_if_felt(lab, catalog, "language", what, &error);
  if (status == PM_OK && strstr(sets, "inference") != NULL)
    status = refit_if_felt(lab, catalog, "inference", what, &error);
  return status == PM_OK ? CODE_DONE : fail_error(&error);
}

/* ---- What becomes of the exit code ---- */

/* The mean of the absolute errors [%] of all rows that have one; *count is how many these are. */
static double mean_error(const pm_table *rows, size_t *count)
{
  double sum = 0;
  *count = 0;
  for (size_t i = 0; i < pm_table_count_columns(rows); i++) {
    if (strcmp(pm_table_get_column(rows, i)->name, "error") != 0) continue;
    const double *errors = pm_table_get_numbers(rows, i);
    for (size_t k = 0; k < pm_table_count_rows(rows); k++) {
      if (!isfinite(errors[k])) continue;
      sum += fabs(errors[k]);
      ++*count;
    }
  }
  return sum / (double)*count;
}

/* --max-mape in per cent; unlimited if it is not given. */
static bool read_limit(const cli_request *request, double *most)
{
  pm_error error = PM_ERROR_NONE;
  const char *limit = request->value[OPTION_MAX_MAPE];
  *most = INFINITY;
  if (limit == NULL) return true;
  bool good = pm_quantity_parse(limit, "1", most, &error) == PM_OK && *most >= 0;
  *most *= 100;
  if (!good) fail(CODE_USAGE, "--max-mape \"%.60s\" is not a share of at least 0, such as \"15 %%\"", limit);
  return good;
}

/* Rows of the user's of which none is predicted, or a mean error above the limit, are a failure. */
static int judge(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog, pm_validation what,
                 double most)
{
  size_t count;
  pm_error error = PM_ERROR_NONE;
  if (isinf(most) && what.data == NULL) return CODE_DONE;
  what.rows = 1;
  pm_table *rows = lab->validate(catalog, &what, &error);
  if (rows == NULL) return fail_error(&error);
  double mean = mean_error(rows, &count);
  pm_table_free(rows);
  if (count == 0)
    return fail(CODE_CONSTRAINT, "no row of \"%.200s\" has a prediction; perfmodel validate --help says which columns "
                                 "rows have", what.file != NULL ? what.file : set_of(request));
  if (mean <= most) return CODE_DONE;
  return fail(CODE_CONSTRAINT, "the mean absolute error of %zu row%s, %.1f %%, is above --max-mape %s", count,
              count > 1 ? "s" : "", mean, request->value[OPTION_MAX_MAPE]);
}

static int compare(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog, const char *set)
{
  pm_error error = PM_ERROR_NONE;
  double most;
  const char *path = request->value[OPTION_DATA];
  if (!read_limit(request, &most)) return CODE_USAGE;
  char *data = path != NULL ? pm_file_read(path, &error) : NULL;
  if (path != NULL && data == NULL) return fail_error(&error);
  pm_validation what = {.set = set, .data = data, .file = path,
                        .rows = request->value[OPTION_ROWS] != NULL, .only = request->value[OPTION_HOLD_OUT],
                        .system = request->value[OPTION_SYSTEM]};
  pm_table *table = lab->validate(catalog, &what, &error);
  note_lines(request, pm_table_get_notes(table));
  bool known = table != NULL;
  int code = write_table(request, table, &error);
  if (code == CODE_DONE && known) code = judge(request, lab, catalog, what, most);
  pm_string_free(data);
  return code;
}

/* The tables of several sets have an empty line between them. */
static int compare_all(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog)
{
  int code = CODE_DONE;
  char set[PM_TEXT_MAX];
  const char *file = request->value[OPTION_OUTPUT];
  if (file != NULL && strchr(set_of(request), ',') != NULL)
    return fail(CODE_USAGE, "a file has one table; give one --set with -o \"%.80s\"", file);
  for (const char *rest = set_of(request); code == CODE_DONE && rest != NULL;) {
    rest = next_set(rest, set, sizeof set);
    code = compare(request, lab, catalog, set);
    if (code == CODE_DONE && rest != NULL) code = write_output(request, "\n", 1);
  }
  return code;
}

static int run(const cli_request *request)
{
  int code;
  pm_lab lab;
  pm_error error = PM_ERROR_NONE;
  if (pm_lab_load(&lab, &error) != PM_OK) return fail_error(&error);
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  code = request->value[OPTION_HOLD_OUT] != NULL ? hold_out(request, &lab, catalog) : CODE_DONE;
  if (code == CODE_DONE) code = compare_all(request, &lab, catalog);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_SET, '\0', "set",
   "statements|training|training-checks|inference|large-models|plans|memory|kernels|operators|collectives|serving|"
   "energy|storage",
   "set of measurements, or several with commas (default statements)"},
  {OPTION_DATA, '\0', "data", "FILE.csv", "your own rows, plain or gzip, in the layout of the set's table"},
  {OPTION_SYSTEM, '\0', "system", "NAME", "the system or GPU of --data, if that is a file of another program that does "
                                          "not say it"},
  {OPTION_HOLD_OUT, '\0', "hold-out", "gpu|source|machine=NAME",
   "training, inference: constants are fitted without these rows, and only these are predicted"},
  {OPTION_MAX_MAPE, '\0', "max-mape", "SHARE",
   "exit with status 1 if the mean absolute error of all rows is above this, such as 15%"},
  {OPTION_ROWS, '\0', "rows", NULL, "one line per measurement instead of per group"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command validate_command = {
  "validate", "", "compares predictions with the published measurements",
  "Predicts published measurements and prints the error of the predictions, in percent of the measured value, for "
  "each group: mean absolute error (mape), median and 90th percentile of the absolute errors, and bias, the mean of "
  "the signed errors. A positive bias means that predictions are too high; for a rate, too fast.\n\n"
  "statements: what the source documents state, row by row; rows that are no numbers are claims, which hold or do "
  "not. training, inference: published rates; rows of the same network, GPU, GPUs, batch, precision and software "
  "are one setting, whose errors are of its medians, and covered is the share of settings within the 80 % interval "
  "of the prediction. large-models: step times, and memory of a GPU, of language models on many GPUs. "
  "training-checks: rates to which only constants of grouped convolutions and of Blackwell are fitted. plans: step "
  "times of further plans, which decide no constant but what Megatron's host takes; memory: their memory, by "
  "quantity and rank. kernels: times of single kernels, beside a plain roofline. operators: of language models, as "
  "serving engines and profilers timed them. collectives: times of collectives, and copies between two GPUs. "
  "energy: power and energy, beside the power limit drawn all the time and the best constant share of it. storage: "
  "rates and node counts of storage and decoding.\n\n"
  "--data takes your own table instead of the shipped one. training, inference: columns model, framework, "
  "framework_version, gpu, gpu_memory_GB, system, gpus, nodes, batch_per_gpu, precision, throughput, unit and others "
  "(perfmodel list readings shows how names are read), all but model, throughput and unit optional. large-models, "
  "plans, memory: network, system, framework, the fields of a run by name, quantity, rank and value in SI units "
  "(docs/accuracy.md). kernels: kernel, op, pass, precision, gpu, time_us, library, source_repo and the sizes of the "
  "operator (docs/calibration.md). operators: gpu, op, dtype, time_us, library and the sizes of the operator "
  "(docs/calibration.md). collectives: system, gpus, nodes, collective, message_bytes, time_us, and machine, "
  "gpu_list, nccl_version, protocol_or_algo, note if they are known (docs/collectives.md).\n\n"
  "--data also takes what another program measured: the output of nccl-tests (text, JSON), a trace of PyTorch's "
  "profiler, a report of Nsight Systems, a log of power (docs/calibration.md). perfmodel import shows the rows that "
  "are read from it.\n\n"
  "--hold-out fits the constants of training, and of inference for that set, again without the rows of a GPU, a "
  "source (the last part of a repository's name) or a machine, and for a GPU those of kernels too, then predicts "
  "these rows alone: this is the accuracy on hardware and software that the model has not seen. It takes up to a "
  "minute.\n\n"
  "Rows that cannot be predicted are counted by reason on standard error. The exit status is 1 if no row of --data "
  "can be predicted, or if the mean absolute error of all rows is above --max-mape.",
  "perfmodel validate --rows", options, 0, 0, run};
