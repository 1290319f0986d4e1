/* Any text as what another program measured, and as settings of a run in each format. */
#include "perfmodel-lab.h"
#include "fuzz.h"
#include "import/settings.h"

static void measurements(const char *text)
{
  char *report = NULL;
  pm_error error = PM_ERROR_NONE;
  static const pm_attribute known[] = {{"system", "dgx1-v100"}};
  char *rows = pm_measurements_read(shipped(), text, "fuzz", known, 1, &report, &error);
  must_be_said(rows != NULL, &error);
  pm_string_free(rows);
  pm_string_free(report);
}

/* A log of training says neither its network nor its machine. */
static void steps(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  static const pm_attribute known[] = {{"system", "dgx1-v100"}, {"network", "gpt2"}, {"gpus", "8"},
                                       {"global_batch", "64"}, {"seq", "512"}};
  char *rows = pm_measurements_read(shipped(), text, "fuzz", known, 5, NULL, &error);
  must_be_said(rows != NULL, &error);
  pm_string_free(rows);
}

static void settings(const char *format, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_settings_read(format, text, "fuzz", &error);
  must_be_said(table != NULL, &error);
  pm_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = text_of(bytes, size);
  measurements(text);
  steps(text);
  settings("experiment", text);
  for (size_t i = 0; pm__settings_get_format(i) != NULL; i++) settings(pm__settings_get_format(i), text);
  free(text);
  return 0;
}
