/* perfmodel compare: from the time of one run to that of another, part by part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sweep.h"

static int check_two(const cli_request *request, const cli_sweep *sweep)
{
  size_t count = sweep->runs.count;
  const char *network = request->arguments.items[0], *system = sweep->system_names.items[0];
  if (count == 2) return CODE_DONE;
  if (count == 1)
    return fail(CODE_USAGE, "compare needs two runs: two systems, or an option with two values, such as perfmodel "
                            "compare %s %s --batch 16,32", network, system);
  return fail(CODE_USAGE, "compare takes two runs, but there are %zu; for a table of all: perfmodel sweep %s %s",
              count,
              network, request->arguments.items[1]);
}

static pm_report *report_of(const cli_sweep *sweep, pm_error *error)
{
  const cli_runs *runs = &sweep->runs;
  const pm_report_question asked = {.of = PM_REPORT_OF_COMPARISON, .given = &runs->given, .runs = runs->runs,
                                    .run_size = runs->type->size, .answers = runs->answers,
                                    .answer_size = runs->answer->size, .count = runs->count};
  return pm_study_new_report(sweep->study, &asked, error);
}

/* The waterfall alone, for programs. */
static int write_rows(const cli_request *request, pm_report *report, pm_error *error)
{
  const pm_report_block *block;
  pm_table *table = NULL;
  for (size_t i = 0; (block = pm_report_get_block(report, i)) != NULL; i++) {
    if (strcmp(block->name, "waterfall") != 0) continue;
    char *packed = pm_table_pack(block->table, error);
    table = packed != NULL ? pm_table_unpack(packed, error) : NULL;
    pm_string_free(packed);
  }
  pm_report_free(report);
  return write_table(request, table, error);
}

static int compare_two(const cli_request *request)
{
  pm_error error = PM_ERROR_NONE;
  cli_sweep *sweep = (cli_sweep *)calloc(1, sizeof *sweep);
  if (sweep == NULL) return fail_memory();
  int code = sweep_predict(request, sweep);
  if (code == CODE_DONE) code = check_two(request, sweep);
  pm_report *report = code == CODE_DONE ? report_of(sweep, &error) : NULL;
  if (code == CODE_DONE && report == NULL) code = fail_error(&error);
  else if (code == CODE_DONE)
    code = is_report(request) ? write_document(request, report, &error) : write_rows(request, report, &error);
  sweep_free(sweep);
  free(sweep);
  return code;
}

/* "NETWORK SYSTEM SYSTEM" is "NETWORK SYSTEM,SYSTEM". */
static int run(const cli_request *request)
{
  const char *const *words = request->arguments.items;
  if (request->arguments.count == 2) return compare_two(request);
  size_t size = strlen(words[1]) + strlen(words[2]) + 2;
  char *systems = (char *)malloc(size);
  if (systems == NULL) return fail_memory();
  snprintf(systems, size, "%s,%s", words[1], words[2]);
  const char *two[] = {words[0], systems};
  cli_request joined = *request;
  joined.arguments = (texts){two, 2};
  int code = compare_two(&joined);
  free(systems);
  return code;
}

static const cli_option options[] = {
  SWEEP_OPTIONS,
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command compare_command = {
  "compare", "NETWORKS SYSTEMS [SYSTEM]", "explains the difference between two runs, part by part",
  "Compares two runs that differ in the system, the network or one option, and breaks the difference of their times "
  "down into kernels, host, exposed communication, pipeline bubble and waiting. The parts add up exactly. It also "
  "says whether the prediction intervals overlap. csv and json list the parts.",
  "perfmodel compare resnet50 dgx1-v100,dgx-a100 --gpus 8 --precision fp16", options, 2, 3, run};
