/* perfmodel explain: one number of a prediction, with its formula, its inputs and their sources. */
#include <stdlib.h>
#include "sweep.h"

static int check_one(const cli_request *request, const cli_sweep *sweep)
{
  if (sweep->runs.count == 1) return CODE_DONE;
  return fail(CODE_USAGE, "explain takes one run, but there are %zu: give one network, one system, and each option "
              "one "
                          "value, such as: %s", sweep->runs.count, request->command->example);
}

static pm_report *report_of(const cli_sweep *sweep, const char *field, pm_error *error)
{
  const cli_runs *runs = &sweep->runs;
  const pm_report_question asked = {.of = PM_REPORT_OF_FIELD, .given = &runs->given, .runs = runs->runs,
                                    .run_size = runs->type->size, .answers = runs->answers,
                                    .answer_size = runs->answer->size, .count = runs->count, .field = field};
  return pm_study_new_report(sweep->study, &asked, error);
}

/* The first argument is the field; the rest is asked as sweep does. */
static int run(const cli_request *request)
{
  pm_error error = PM_ERROR_NONE;
  cli_request rest = *request;
  cli_sweep *sweep = (cli_sweep *)calloc(1, sizeof *sweep);
  if (sweep == NULL) return fail_memory();
  rest.arguments.items++;
  rest.arguments.count--;
  int code = sweep_predict(&rest, sweep);
  if (code == CODE_DONE) code = check_one(&rest, sweep);
  pm_report *report = code == CODE_DONE ? report_of(sweep, request->arguments.items[0], &error) : NULL;
  if (code == CODE_DONE && report == NULL) code = fail_error(&error);
  else if (code == CODE_DONE && is_report(request)) code = write_document(request, report, &error);
  else if (code == CODE_DONE) {
    code = write_table(request, pm_report_tabulate(report, &error), &error);
    pm_report_free(report);
  }
  sweep_free(sweep);
  free(sweep);
  return code;
}

static const cli_option options[] = {
  SWEEP_OPTIONS,
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command explain_command = {
  "explain", "FIELD NETWORK SYSTEM", "shows where one number of a prediction comes from",
  "Explains one column of a prediction, such as step_time, mfu or memory, for one run: what the number means, its "
  "formula with and without the values, the fields that add up to it, what makes it uncertain, and every input with "
  "its source: a data sheet, the rows that a constant was fitted to, or the command line. csv and json list the same "
  "lines.",
  "perfmodel explain step_time gpt2 dgx-a100 --gpus 8", options, 3, 3, run};
