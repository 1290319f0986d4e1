/* Any text as rows of a set: the first line is "validate SET" or "calibrate SET", the rest is the table. */
#include "perfmodel-lab.h"
#include "fuzz.h"

static void validate(const char *set, const char *rows)
{
  for (int by_row = 0; by_row < 2; by_row++) {
    pm_error error = PM_ERROR_NONE;
    const pm_validation what = {.set = set, .data = rows, .file = "fuzz.csv", .rows = by_row};
    pm_table *table = pm_validate(shipped(), &what, &error);
    must_be_said(table != NULL, &error);
    pm_string_free(pm_table_format(table, PM_FORMAT_CSV, 0, &error));
    pm_table_free(table);
  }
}

static void calibrate(const char *set, const char *rows)
{
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  options.set = set;
  options.data = rows;
  options.date = "2026-11";
  pm_calibration *fitted = pm_calibrate(shipped(), &options, &error);
  must_be_said(fitted != NULL, &error);
  must(fitted == NULL || pm_calibration_get_xml(fitted)[0] != '\0');
  pm_calibration_free(fitted);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = text_of(bytes, size), *rows = behind_first_line(text), *set = strchr(text, ' ');
  if (set == NULL || rows[0] == '\0') return free(text), 0;
  *set++ = '\0';
  if (strcmp(text, "calibrate") == 0) calibrate(set, rows);
  else validate(set, rows);
  free(text);
  return 0;
}
