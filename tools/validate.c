/* perfmodel validate: the measurements of the catalogue beside their predictions. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "validation.h"

/* ---- Two kinds of rows ---- */

typedef struct comparison {
  char id[PM_TEXT_MAX], group[PM_TEXT_MAX];
  double measured, predicted;
  char unit[PM_TEXT_MAX];
  double error; /* of the prediction, in per cent of what was measured */
  const char *set; /* where the measurement is from */
} comparison;

#define FIELD(record, kind, name, unit, doc) {#name, unit, doc, offsetof(record, name), PM_FIELD_##kind, NULL}

static const pm_field comparison_fields[] = {
  FIELD(comparison, TEXT, id, "", "id of the measurement"),
  FIELD(comparison, TEXT, group, "", "id of the system"),
  FIELD(comparison, REAL, measured, "1", "what was measured, in `unit`"),
  FIELD(comparison, REAL, predicted, "1", "what is predicted, in `unit`; unknown if it cannot be"),
  FIELD(comparison, TEXT, unit, "", "unit of both"),
  FIELD(comparison, REAL, error, "%", "(predicted - measured) / measured"),
};

static const pm_field summary_fields[] = {
  FIELD(summary, TEXT, set, "", "documents: built in; own: from the user's files"),
  FIELD(summary, TEXT, group, "", "id of the system"),
  FIELD(summary, INT, rows, "1", "measurements compared"),
  FIELD(summary, REAL, mape, "%", "mean of the absolute errors"),
  FIELD(summary, REAL, median, "%", "median of the absolute errors"),
  FIELD(summary, REAL, p90, "%", "90th percentile of the absolute errors"),
  FIELD(summary, REAL, bias, "%", "mean of the signed errors; above 0: predicted too fast"),
};

#define TYPE(record) {#record, "", sizeof(record), record##_fields, sizeof record##_fields / sizeof record##_fields[0]}

static const pm_record_type comparison_type = TYPE(comparison);
const pm_record_type summary_type = TYPE(summary);

/* ---- Predicting what was measured ---- */

static int predict_on(const pm_network *network, const pm_system *system, const pm_measurement *m, double *throughput,
                      pm_error *error)
{
  pm_prediction prediction;
  pm_run run = pm_run_default();
  run.gpus = m->gpus;
  run.nodes = m->nodes;
  run.batch = m->batch;
  run.precision = m->precision;
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, error);
  if (plan == NULL) return error->status;
  int status = pm_run_check(plan, &run, error);
  if (status == PM_OK) status = pm_predict(plan, &run, &prediction, 1);
  if (status == PM_OK) *throughput = prediction.throughput;
  pm_plan_free(plan);
  return status;
}

static int predict(const pm_catalog *catalog, const pm_measurement *m, double *throughput, pm_error *error)
{
  pm_network *network = pm_catalog_network(catalog, m->network, NULL, 0, error);
  pm_system *system = network != NULL ? pm_catalog_system(catalog, m->system, error) : NULL;
  int status = system != NULL ? predict_on(network, system, m, throughput, error) : error->status;
  pm_system_free(system);
  pm_network_free(network);
  return status;
}

/* Returns whether there was a prediction. */
static bool compare(const cli_request *request, const pm_catalog *catalog, const pm_measurement *m, comparison *row)
{
  pm_error error = PM_ERROR_NONE;
  memcpy(row->id, m->id, sizeof row->id);
  const char *system = pm_catalog_resolve(catalog, "system", m->system, NULL);
  snprintf(row->group, sizeof row->group, "%s", system != NULL ? system : m->system);
  strcpy(row->unit, "1/s");
  row->measured = m->throughput;
  row->predicted = row->error = (double)NAN;
  if (predict(catalog, m, &row->predicted, &error) != PM_OK)
    return note(request, "measurement \"%s\" has no prediction: %s", m->id, error.text), false;
  row->error = (row->predicted - row->measured) / row->measured * 100;
  return true;
}

/* "documents" for what is built in, "own" for what the user's files add. */
static int set_sources(const pm_catalog *catalog, comparison *rows, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *shipped = pm_catalog_new(&error);
  if (shipped == NULL) return fail_error(&error);
  for (size_t i = 0; i < count; i++) {
    const char *id = pm_catalog_id(catalog, "measurement", i);
    rows[i].set = pm_catalog_resolve(shipped, "measurement", id, NULL) != NULL ? "documents" : "own";
  }
  pm_catalog_free(shipped);
  return CODE_DONE;
}

static int compare_all(const cli_request *request, const pm_catalog *catalog, comparison *rows, size_t count)
{
  size_t good = 0;
  for (size_t i = 0; i < count; i++) {
    pm_measurement m;
    pm_error error = PM_ERROR_NONE;
    const char *id = pm_catalog_id(catalog, "measurement", i);
    if (pm_catalog_record(catalog, "measurement", id, &m, &error) != PM_OK) return fail_error(&error);
    good += compare(request, catalog, &m, &rows[i]);
  }
  if (good > 0 || count == 0) return CODE_DONE;
  return fail(CODE_CONSTRAINT, "none of the %zu measurements has a prediction", count);
}

/* ---- Summing up ---- */

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Quantile of sorted values, between neighbours in proportion. */
static double quantile(const double *sorted, size_t count, double q)
{
  double place = q * (double)(count - 1);
  size_t below = (size_t)floor(place);
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - floor(place)) * (sorted[below + 1] - sorted[below]);
}

void summarize(double *errors, size_t n, summary *out)
{
  double sum = 0, bias = 0;
  for (size_t i = 0; i < n; i++) {
    bias += errors[i];
    errors[i] = fabs(errors[i]);
    sum += errors[i];
  }
  out->rows = (int32_t)n;
  out->mape = out->median = out->p90 = out->bias = (double)NAN;
  if (n == 0) return;
  qsort(errors, n, sizeof *errors, ascending);
  out->mape = sum / (double)n;
  out->median = quantile(errors, n, 0.5);
  out->p90 = quantile(errors, n, 0.9);
  out->bias = bias / (double)n;
}

static bool same_group(const comparison *a, const comparison *b)
{
  return strcmp(a->group, b->group) == 0 && strcmp(a->set, b->set) == 0;
}

/* Sums up the rows of the group that `like` is in, or all (NULL). `errors` has room for all of them. */
static void sum_up(const comparison *rows, size_t count, const comparison *like, double *errors, summary *out)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(rows[i].error) && (like == NULL || same_group(&rows[i], like))) errors[n++] = rows[i].error;
  summarize(errors, n, out);
}

static bool seen_before(const comparison *rows, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (same_group(&rows[i], &rows[index])) return true;
  return false;
}

/* One summary for each group, in the order of their first rows. Returns how many. */
static size_t sum_up_groups(const comparison *rows, size_t count, double *errors, summary *out)
{
  size_t groups = 0;
  for (size_t i = 0; i < count; i++) {
    if (seen_before(rows, i)) continue;
    strcpy(out[groups].set, rows[i].set);
    memcpy(out[groups].group, rows[i].group, sizeof out[groups].group);
    sum_up(rows, count, &rows[i], errors, &out[groups++]);
  }
  return groups;
}

/* ---- Printing ---- */

pm_table *records_to_table(const pm_record_type *type, const void *records, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new(count, error);
  if (table == NULL || pm_table_add_records(table, type, records, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

/* A person sees a tenth of a per cent, which is more than the figures are worth. */
static void round_for_people(comparison *rows, size_t count, summary *groups, size_t group_count)
{
  for (size_t i = 0; i < count; i++) {
    rows[i].predicted = rint(rows[i].predicted * 10) / 10;
    rows[i].error = rint(rows[i].error * 10) / 10;
  }
  for (size_t i = 0; i < group_count; i++) {
    double *values[] = {&groups[i].mape, &groups[i].median, &groups[i].p90, &groups[i].bias};
    for (size_t k = 0; k < 4; k++) *values[k] = rint(*values[k] * 10) / 10;
  }
}

static int write_results(const cli_request *request, comparison *rows, size_t count, summary *groups,
                         size_t group_count)
{
  pm_error error = PM_ERROR_NONE;
  bool all_rows = request->value[OPTION_ROWS] != NULL;
  const pm_record_type *type = all_rows ? &comparison_type : &summary_type;
  size_t length = all_rows ? count : group_count;
  if (request->format == PM_FORMAT_TABLE) round_for_people(rows, count, groups, group_count + 1);
  pm_table *table = records_to_table(type, all_rows ? (const void *)rows : (const void *)groups, length, &error);
  if (table == NULL || request->format != PM_FORMAT_TABLE || count == 0) return write_table(request, table, &error);
  char *text = pm_table_format(table, PM_FORMAT_TABLE, output_width(request), &error), number[2][PM_NUMBER_MAX];
  pm_table_free(table);
  cli_page page;
  if (text == NULL) return fail_error(&error);
  if (!page_open(&page)) return pm_string_free(text), fail_memory();
  const summary *all = &groups[group_count];
  fprintf(page.stream, "%s\n%d measurements: mean absolute error %s %%, bias %s %% (above 0: predicted faster than "
                       "measured).\n", text, (int)all->rows, pm_number_format(number[0], all->mape),
          pm_number_format(number[1], all->bias));
  pm_string_free(text);
  return page_write(&page, request);
}

static int validate(const cli_request *request, const pm_catalog *catalog, size_t count)
{
  comparison *rows = (comparison *)calloc(count + 1, sizeof *rows);
  summary *groups = (summary *)calloc(count + 1, sizeof *groups); /* one more, for all together */
  double *errors = (double *)calloc(count + 1, sizeof *errors);
  int code = rows != NULL && groups != NULL && errors != NULL ? CODE_DONE : fail_memory();
  if (code == CODE_DONE) code = set_sources(catalog, rows, count);
  if (code == CODE_DONE) code = compare_all(request, catalog, rows, count);
  if (code == CODE_DONE) {
    size_t group_count = sum_up_groups(rows, count, errors, groups);
    sum_up(rows, count, NULL, errors, &groups[group_count]);
    code = write_results(request, rows, count, groups, group_count);
  }
  free(errors);
  free(groups);
  free(rows);
  return code;
}

static int run(const cli_request *request)
{
  int code;
  const char *set = request->value[OPTION_SET];
  if (set != NULL && strcmp(set, "collectives") == 0) return validate_collectives(request);
  bool kernels = set != NULL && strcmp(set, "kernels") == 0, training = set != NULL && strcmp(set, "training") == 0;
  if (set != NULL && !kernels && !training && strcmp(set, "documents") != 0)
    return fail(CODE_USAGE, "--set \"%.80s\" is unknown; it is one of documents, training, kernels, collectives", set);
  if (request->value[OPTION_DATA] != NULL && !kernels && !training)
    return fail(CODE_USAGE, "--data needs --set training, kernels or collectives");
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  if (training) {
    code = validate_set(request, catalog, set);
    pm_catalog_free(catalog);
    return code;
  }
  int count = pm_catalog_count(catalog, "measurements");
  code = kernels ? validate_kernels(request, catalog) : validate(request, catalog, count > 0 ? (size_t)count : 0);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_SET, '\0', "set", "documents|training|kernels|collectives", "which measurements (default documents)"},
  {OPTION_DATA, '\0', "data", "FILE.csv", "rows of your own, in the layout of the set's table, instead of the shipped"},
  {OPTION_ROWS, '\0', "rows", NULL, "one line for each measurement instead of each system"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command validate_command = {
  "validate", "", "compares predictions with the published measurements",
  "Predicts every measurement of the catalogue and prints the error of the predictions, in per cent of what was "
  "measured: mean absolute error (mape), median and 90th percentile of the absolute errors, and bias, the mean of the "
  "signed ones. Above 0 the prediction is faster than the measurement.\n\n"
  "Measurements of your own, in a file given with --catalog, are compared too.\n\n"
  "The set of kernels compares times: above 0 the prediction is slower. Its rows have the columns kernel, op, pass, "
  "precision, gpu, time_us, library, source_repo and the sizes of the operator (docs/calibration.md); files may be "
  "compressed (gzip). Rows that are left out are named on stderr.",
  "perfmodel validate --rows", options, 0, 0, run};
