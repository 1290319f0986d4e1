/* The sets that constants can be calibrated on, by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "shipped/catalog.h"
#include "calibration/calibration.h"
#include "traces/traces.h"

static const struct set {
  const char *name, *shipped;
  pm__lab_calibrate *run;
} sets[] = {
  {"kernels", "measured/kernels.csv", pm__lab_calibrate_kernels},
  {"training", "measured/training.csv", pm__lab_calibrate_training},
  {"language", "measured/training.csv", pm__lab_calibrate_language},
  {"inference", "measured/inference.csv", pm__lab_calibrate_inference},
  {"large-models", "measured/large_models.csv", pm__lab_calibrate_large_models},
  {"plans", "measured/plans.csv", pm__lab_calibrate_plans},
  {"grouped", "measured/training_checks.csv", pm__lab_calibrate_grouped},
  {"documents", "measured/statements.csv", pm__lab_calibrate_documents},
  {"collectives", "measured/collectives.csv", pm__lab_calibrate_collectives},
  {"operators", "measured/operators.csv", pm__lab_calibrate_operators},
  {"serving", "measured/serving.csv", pm__lab_calibrate_serving},
  {"energy", "measured/energy.csv", pm__lab_calibrate_energy},
};

enum { SETS = sizeof sets / sizeof sets[0] };

const char *pm_calibration_get_set(size_t index)
{
  return index < SETS ? sets[index].name : NULL;
}

pm_calibration_options pm_calibration_options_make(void)
{
  pm_calibration_options options = {.set = "kernels", .hold_out_shapes = 0.2};
  return options;
}

static const struct set *find_set(const char *name, pm_error *error)
{
  char known[200] = "";
  for (size_t i = 0; i < SETS; i++) {
    if (name != NULL && strcmp(sets[i].name, name) == 0) return &sets[i];
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", sets[i].name);
  }
  pm__fail(error, PM_STATUS_NOT_FOUND, "set \"%.80s\" cannot be calibrated; it must be one of %s",
           name != NULL ? name : "",
           known);
  return NULL;
}

/* What the constants are said to be fitted to: the set that is shipped, or the file of the user without its folder. */
static void name_table(pm_calibration *c, const struct set *set, const pm_calibration_options *options)
{
  const char *file = options->file != NULL ? options->file : "data", *slash = strrchr(file, '/');
  const char *name = options->data == NULL ? set->name : slash != NULL ? slash + 1 : file;
  snprintf(c->table, sizeof c->table, "%.79s", name[0] != '\0' ? name : "data");
  for (char *p = c->table; *p != '\0'; p++) *p = *p == ' ' ? '-' : *p;
}

/* The month of a time in seconds since 1970: days from the 1st of March of the year 0, in eras of 400 years. */
static void write_month(time_t now, char *date, size_t size)
{
  long long days = (long long)now / 86400 + 719468, era = days / 146097, day = days % 146097;
  long long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  long long month = (5 * (day - (365 * year + year / 4 - year / 100)) + 2) / 153; /* from March */
  year += era * 400 + (month >= 10);
  month = month < 10 ? month + 3 : month - 9;
  snprintf(date, size, "%04u-%02u", (unsigned)year % 10000, (unsigned)month % 100);
}

/* Fits the set to a table, or to what another program measured, which becomes one. */
static int run_table(const struct set *set, pm_calibration *c, const pm_catalog *catalog,
                     pm_calibration_options *options, bool shipped, pm_error *error)
{
  pm_error local = PM_ERROR_NONE;
  if (error == NULL) error = &local;
  char *table = shipped ? NULL : pm__lab_trace_table_of(catalog, set->name, set->shipped, options->data, options->file,
                                                        options->system, &c->notes, error);
  if (error->status != PM_OK) return error->status;
  if (table != NULL) options->data = table;
  int status = set->run(c, catalog, options, shipped, error);
  free(table);
  return status;
}

static int run_set(const struct set *set, pm_calibration *c, const pm_catalog *catalog,
                   const pm_calibration_options *asked, pm_error *error)
{
  pm_calibration_options options = *asked;
  name_table(c, set, asked);
  if (asked->date != NULL) snprintf(c->date, sizeof c->date, "%.15s", asked->date);
  else write_month(time(NULL), c->date, sizeof c->date);
  char *text = options.data == NULL ? pm_shipped_read(set->shipped, error) : NULL;
  if (options.data == NULL && text == NULL) return error != NULL ? error->status : PM_STATUS_NOT_FOUND;
  if (options.file == NULL) options.file = text != NULL ? set->shipped : "data";
  if (text != NULL) options.data = text;
  int status = run_table(set, c, catalog, &options, text != NULL, error);
  pm_string_free(text);
  if (status == PM_OK && (c->notes.failed || c->xml.failed)) status = pm__no_memory(error);
  return status;
}

pm_calibration *pm_calibrate(const pm_catalog *catalog, const pm_calibration_options *options, pm_error *error)
{
  pm_calibration_options usual = pm_calibration_options_make();
  if (options == NULL) options = &usual;
  if (catalog == NULL || !(options->hold_out_shapes >= 0 && options->hold_out_shapes < 1)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT,
             "a calibration needs a catalogue, and a share of kept shapes from 0 to below 1");
    return NULL;
  }
  if (options->data == NULL && options->system != NULL && options->system[0] != '\0') {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT,
             "system \"%.80s\" is that of data which do not name theirs: give data with it, or no system",
             options->system);
    return NULL;
  }
  const struct set *set = find_set(options->set, error);
  if (set != NULL && pm__lab_catalog_open(catalog, error) != PM_OK) set = NULL;
  pm_calibration *c = set != NULL ? (pm_calibration *)calloc(1, sizeof *c) : NULL;
  if (set != NULL && c == NULL) pm__no_memory(error);
  if (c == NULL || run_set(set, c, catalog, options, error) == PM_OK) return c;
  pm_calibration_free(c);
  return NULL;
}

