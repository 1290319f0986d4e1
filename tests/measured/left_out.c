/*
** Predicts rows that are left out, by constants that are fitted without them.
**
**     left_out WHAT SETS CATALOG...     WHAT: gpu=NAME or source=NAME; SETS: training, inference or both
**
** Prints a table for each set, as `perfmodel validate --set SET --hold-out WHAT --rows` does, with an empty line behind
** it. The two sets share the constants of kernels and training, which take most of the time to fit.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"

static void stop_on(const pm_error *error)
{
  if (error->status == PM_OK) return;
  fprintf(stderr, "left_out: %s\n", error->text);
  exit(1);
}

/* Constants that no row decides any more stay as they are. */
static void refit(pm_catalog *catalog, const char *set, const char *what)
{
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  options.set = set;
  options.hold_out = what;
  options.hold_out_shapes = 0;
  pm_calibration *calibration = pm_calibrate(catalog, &options, &error);
  const char *xml = calibration != NULL ? pm_calibration_get_xml(calibration) : NULL;
  if (xml != NULL) pm_catalog_load_text(catalog, xml, "refitted constants", &error);
  pm_calibration_free(calibration);
  if (error.status != PM_STATUS_NOT_FOUND) stop_on(&error);
}

static void print_rows(const pm_catalog *catalog, const char *set, const char *what)
{
  pm_error error = PM_ERROR_NONE;
  const pm_validation rows = {.set = set, .rows = 1, .only = what};
  pm_table *table = pm_validate(catalog, &rows, &error);
  char *text = table != NULL ? pm_table_format(table, PM_FORMAT_CSV, 0, &error) : NULL;
  stop_on(&error);
  puts(text);
  pm_string_free(text);
  pm_table_free(table);
}

int main(int count, char **words)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  if (count < 3) return 2;
  const char *what = words[1], *sets = words[2];
  for (int i = 3; i < count; i++) pm_catalog_load(catalog, words[i], &error);
  stop_on(&error);
  if (strncmp(what, "gpu=", 4) == 0) refit(catalog, "kernels", what + 4);
  refit(catalog, "training", what);
  refit(catalog, "language", what);
  if (strstr(sets, "training") != NULL) print_rows(catalog, "training", what);
  if (strstr(sets, "inference") != NULL) {
    refit(catalog, "inference", what);
    print_rows(catalog, "inference", what);
  }
  pm_catalog_free(catalog);
  return 0;
}
