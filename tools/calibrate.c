/* perfmodel calibrate: constants of the model from measurements. */
#include <stdio.h>
#include <string.h>
#include "calibrate_all.h"

static int write_calibration(const cli_request *request, const pm_lab *lab, const pm_calibration *calibration)
{
  pm_error error = PM_ERROR_NONE;
  size_t count;
  const char *text = lab->calibration_get_xml(calibration);
  if (request->value[OPTION_XML] != NULL) return write_output(request, text, strlen(text));
  if (request->value[OPTION_ERRORS] != NULL) {
    const pm_fit_error *errors = lab->calibration_get_errors(calibration, &count);
    return write_table(request, pm_table_new_of_records(pm_record_type_find("fit_error"), errors, count, &error),
                       &error);
  }
  const pm_fitted_constant *constants = lab->calibration_get_constants(calibration, &count);
  return write_table(request, pm_table_new_of_records(pm_record_type_find("fitted_constant"), constants, count, &error),
                     &error);
}

static int calibrate(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog, const char *data)
{
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = lab->calibration_options_make();
  const char *const *value = request->value;
  if (value[OPTION_SET] != NULL) options.set = value[OPTION_SET];
  options.data = data;
  options.file = value[OPTION_DATA];
  options.entries = value[OPTION_ARCHITECTURE] != NULL ? value[OPTION_ARCHITECTURE] : value[OPTION_FRAMEWORK];
  options.hold_out = value[OPTION_HOLD_OUT];
  options.system = value[OPTION_SYSTEM];
  pm_calibration *calibration = lab->calibrate(catalog, &options, &error);
  if (calibration == NULL) return fail_error(&error);
  note_lines(request, lab->calibration_get_notes(calibration));
  int code = write_calibration(request, lab, calibration);
  lab->calibration_free(calibration);
  return code;
}

/* Whether there is a set of that name; else says which there are. */
static bool is_set(const pm_lab *lab, const char *name)
{
  char known[200] = "";
  for (size_t i = 0; lab->calibration_get_set(i) != NULL; i++) {
    if (strcmp(lab->calibration_get_set(i), name) == 0) return true;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "",
             lab->calibration_get_set(i));
  }
  fail(CODE_USAGE, "--set \"%.80s\" cannot be calibrated; it must be one of %s", name, known);
  return false;
}

static int check_all(const cli_request *request)
{
  static const struct {
    option_id id;
    const char *name;
  } others[] = {{OPTION_SET, "set"}, {OPTION_DATA, "data"}, {OPTION_SYSTEM, "system"},
                {OPTION_ARCHITECTURE, "architecture"}, {OPTION_FRAMEWORK, "framework"}, {OPTION_HOLD_OUT, "hold-out"},
                {OPTION_ERRORS, "errors"}, {OPTION_XML, "xml"}, {OPTION_CATALOG, "catalog"}};
  const bool all = request->value[OPTION_ALL] != NULL;
  if (!all && (request->value[OPTION_PART] != NULL || request->value[OPTION_SOURCE] != NULL))
    return fail(CODE_USAGE, "--part and --source need --all: perfmodel calibrate --all --part kernels");
  for (size_t i = 0; all && i < sizeof others / sizeof others[0]; i++)
    if (request->value[others[i].id] != NULL)
      return fail(CODE_USAGE, "--all and --%s cannot be combined; parts of it are fitted by: perfmodel calibrate "
                  "--all --part kernels", others[i].name);
  if (all && request->value[OPTION_OUTPUT] != NULL && strcmp(request->value[OPTION_OUTPUT], "-") == 0)
    return fail(CODE_USAGE, "-o with --all is a folder: perfmodel calibrate --all -o copy");
  return CODE_DONE;
}

static int run(const cli_request *request)
{
  int code = check_all(request);
  pm_lab lab;
  pm_error error = PM_ERROR_NONE;
  if (code != CODE_DONE) return code;
  const char *path = request->value[OPTION_DATA], *set = request->value[OPTION_SET];
  if (pm_lab_load(&lab, &error) != PM_OK) return fail_error(&error);
  if (request->value[OPTION_ALL] != NULL) return calibrate_all(request, &lab);
  if (set != NULL && !is_set(&lab, set)) return CODE_USAGE;
  if (request->value[OPTION_XML] != NULL && request->value[OPTION_ERRORS] != NULL)
    return fail(CODE_USAGE, "give either --xml or --errors, not both");
  if (request->value[OPTION_ARCHITECTURE] != NULL && request->value[OPTION_FRAMEWORK] != NULL)
    return fail(CODE_USAGE, "--architecture and --framework cannot be combined: they belong to different sets");
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  char *data = path != NULL ? pm_file_read(path, &error) : NULL;
  code = path == NULL || data != NULL ? calibrate(request, &lab, catalog, data) : fail_error(&error);
  pm_string_free(data);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_SET, '\0', "set", "kernels|training|language|inference|large-models|plans|grouped|documents|collectives|"
                                 "operators|"
                                 "serving|energy",
   "set of constants to fit (default kernels)"},
  {OPTION_DATA, '\0', "data", "FILE.csv", "your own measurements instead of the shipped ones; may be compressed "
                                          "(gzip)"},
  {OPTION_SYSTEM, '\0', "system", "NAME", "the system or GPU of --data, if that is a file of another program that does "
                                          "not say it"},
  {OPTION_ARCHITECTURE, '\0', "architecture", "ID,ID...",
   "fit only the constants of these architectures"},
  {OPTION_FRAMEWORK, '\0', "framework", "ID,ID...",
   "training, inference: only the constants of these frameworks, inference profiles or cuDNN generations"},
  {OPTION_HOLD_OUT, '\0', "hold-out", "NAME,NAME...",
   "rows of these GPUs, or sources of training rates, are only predicted"},
  {OPTION_ERRORS, '\0', "errors", NULL, "errors of the fitted and the hold-out rows instead of the constants"},
  {OPTION_XML, '\0', "xml", NULL, "the constants as a file for --catalog"},
  {OPTION_ALL, '\0', "all", NULL,
   "fit all shipped constants, and write them into the files of the source tree, or into copies in the folder of -o"},
  {OPTION_PART, '\0', "part", "NAME,NAME...",
   "with --all: only these of collectives, operators, kernels, training, language, documents, inference, large-models, "
   "plans, grouped, serving, energy, status, intervals, input-interval, errors, pages"},
  {OPTION_SOURCE, '\0', "source", "DIR", "with --all: the source tree (default: the current folder)"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command calibrate_command = {
  "calibrate", "", "fits constants of the model to measurements",
  "Fits the constants of the kernel formulas by bounded least squares on the logarithm of time: the efficiency of each "
  "memory, issue efficiency, latency, split and energy of each architecture on its products, then what all "
  "architectures "
  "share. Prints each constant with its standard error, whether the measurements determine it, where the search "
  "started, "
  "its bounds, and the constant that it can be exchanged with most.\n\n"
  "A fifth of the shapes, chosen by a hash of their sizes, is a hold-out, and so are the GPUs of --hold-out; --errors "
  "says how "
  "far the predictions are from fitted rows and from the hold-out. Rows have the columns that docs/calibration.md "
  "lists. The same "
  "rows give the same constants.\n\n"
  "--data also takes what another program measured: the output of nccl-tests (text, JSON), a trace of PyTorch's "
  "profiler, a report "
  "of Nsight Systems, results of vLLM's and SGLang's benchmarks, logs of power (docs/calibration.md). Constants are "
  "then fitted from where the catalogue has them, and those that your "
  "rows do not decide stay there.\n\n"
  "--set training fits host times of frameworks and factors of generations of GPU libraries to rates of training, in "
  "the "
  "layout of validate --set training; every source is left out once. --set language fits what frameworks' own kernels "
  "take in "
  "language models, and how fast tensor cores multiply what is not aligned, to the rates of these; --set inference "
  "host times of a forward pass, to rates and latencies of inference; --set documents the constants of frameworks that "
  "only the source documents ran, to "
  "what these state; --set operators what serving engines add to kernels, to times of operators; --set serving what "
  "engines make of passes, to latencies and rates of served models; --set energy what boards draw, to power. With "
  "--framework ID and --data FILE.csv a profile of "
  "your own (--catalog) is fitted to your rows alone.\n\n"
  "--all runs every part of the shipped calibration in its order: fits, then the words for what constants rest on, "
  "prediction intervals and pages, which are Python scripts. Each part writes the constants that it fitted into the "
  "file of the source tree that holds them; all else in the file stays. With -o DIR the files are copied there first, "
  "and the source tree stays as it is.",
  "perfmodel calibrate --architecture volta --errors", options, 0, 0, run};
