/* perfmodel calibrate: constants of the model from measurements. */
#include <string.h>
#include "command.h"

static int write_fit(const cli_request *request, const pm_catalog *catalog, const pm_kernel_fit *fit)
{
  pm_error error = PM_ERROR_NONE;
  size_t count;
  if (request->value[OPTION_XML] != NULL) {
    char *text = pm_kernel_fit_xml(fit, catalog, &error);
    int code = text != NULL ? write_output(request, text, strlen(text)) : fail_error(&error);
    pm_string_free(text);
    return code;
  }
  if (request->value[OPTION_ERRORS] != NULL) {
    const pm_fit_error *errors = pm_kernel_fit_errors(fit, &count);
    return write_table(request, pm_table_of_records(pm_record_type_find("fit_error"), errors, count, &error), &error);
  }
  const pm_fitted_constant *constants = pm_kernel_fit_constants(fit, &count);
  return write_table(request, pm_table_of_records(pm_record_type_find("fitted_constant"), constants, count, &error), &error);
}

static int calibrate(const cli_request *request, const pm_catalog *catalog, const pm_kernel_rows *rows)
{
  pm_error error = PM_ERROR_NONE;
  pm_kernel_fit_options options = pm_kernel_fit_options_default();
  const char *text;
  options.architectures = request->value[OPTION_ARCHITECTURE];
  options.kept_gpus = request->value[OPTION_KEEP_OUT];
  for (size_t i = 0; (text = pm_kernel_rows_note(rows, i)) != NULL; i++) note(request, "%s", text);
  pm_kernel_fit *fit = pm_kernel_fit_new(catalog, rows, &options, &error);
  if (fit == NULL) return fail_error(&error);
  int code = write_fit(request, catalog, fit);
  pm_kernel_fit_free(fit);
  return code;
}

static int run_kernels(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  const char *path = request->value[OPTION_DATA];
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  char *text = path != NULL ? pm_file_text(path, &error) : pm_shipped_text("measured/kernels.csv", &error);
  pm_kernel_rows *rows = text != NULL ? pm_kernel_rows_new(catalog, text, path != NULL ? path : "kernels.csv", &error)
                                      : NULL;
  pm_string_free(text);
  code = rows != NULL ? calibrate(request, catalog, rows) : fail_error(&error);
  pm_kernel_rows_free(rows);
  pm_catalog_free(catalog);
  return code;
}

static int run(const cli_request *request)
{
  const char *set = request->value[OPTION_SET];
  if (set != NULL && strcmp(set, "kernels") != 0)
    return fail(CODE_USAGE, "--set \"%.80s\" cannot be calibrated; it is kernels", set);
  if (request->value[OPTION_XML] != NULL && request->value[OPTION_ERRORS] != NULL)
    return fail(CODE_USAGE, "--xml and --errors exclude each other");
  return run_kernels(request);
}

static const cli_option options[] = {
  {OPTION_SET, '\0', "set", "kernels", "what is calibrated (default kernels)"},
  {OPTION_DATA, '\0', "data", "FILE.csv", "measurements of your own instead of the shipped ones; may be compressed (gzip)"},
  {OPTION_ARCHITECTURE, '\0', "architecture", "ID,ID...", "only the constants of these; those of every architecture stay"},
  {OPTION_KEEP_OUT, '\0', "keep-out", "GPU,GPU...", "rows of these GPUs are not fitted, only predicted"},
  {OPTION_ERRORS, '\0', "errors", NULL, "errors of the rows fitted and kept out instead of the constants"},
  {OPTION_XML, '\0', "xml", NULL, "the constants as a file for --catalog"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command calibrate_command = {
  "calibrate", "", "fits constants of the model to measurements",
  "Fits the constants of the kernel formulas by bounded least squares on the logarithm of time: the efficiency of each "
  "memory, issue efficiency, latency, split and energy of each architecture on its products, then what all architectures "
  "share. Prints each constant with its standard error, whether the measurements determine it, where the search started, "
  "its bounds, and the constant that it can be exchanged with most.\n\n"
  "A fifth of the shapes, chosen by a hash of their sizes, is kept out, and so are the GPUs of --keep-out; --errors says how "
  "far the predictions are from rows fitted and kept out. Rows have the columns that docs/calibration.md lists. The same "
  "rows give the same constants.",
  "perfmodel calibrate --architecture volta --errors", options, 0, 0, run};
