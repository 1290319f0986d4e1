/* perfmodel doctor: implausible values in a file of your own. */
#include "command.h"

static int run(const cli_request *request)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_file_diagnose(request->arguments.items[0], &error);
  if (table == NULL) return fail_error(&error);
  bool found = pm_table_count_rows(table) > 0;
  if (found || request->format != PM_FORMAT_TABLE) {
    int code = write_table(request, table, &error);
    return code == CODE_DONE && found ? CODE_CONSTRAINT : code;
  }
  pm_table_free(table);
  note(request, "%s: nothing implausible", request->arguments.items[0]);
  return CODE_DONE;
}

static const cli_option options[] = {
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command doctor_command = {
  "doctor", "PATH", "finds implausible values in a file",
  "Finds values that are valid but implausible: gigabits given as gigabytes, bandwidth counted in both directions, "
  "peaks with sparsity, more bandwidth than the PCIe generation has. It prints the line, the value and what it "
  "probably should be. Errors in a file are reported by perfmodel check. The exit status is 1 if any value is "
  "implausible.",
  "perfmodel doctor mine.xml", options, 1, 1, run};
