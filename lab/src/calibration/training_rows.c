/* Published rates of training as rows of a fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "calibration/training.h"
#include "validation/comparison.h"

/* A word for the source of a row: "DeepLearningExamples", "arXiv-2104.04473". */
static void name_source(const pm__lab_row *row, char *name, size_t size)
{
  const char *repository = row->cell[PM__COLUMN_REPOSITORY];
  pm__lab_source_name(repository[0] != '\0' ? repository : PM__NO_SOURCE, name, size);
  for (char *p = name; *p != '\0'; p++) *p = *p == ' ' ? '-' : *p;
}

/* The number of a source, or -1. */
static int number_of_source(pm__lab_training_rows *rows, const char *name, pm_error *error)
{
  for (size_t i = 0; i < rows->source_count; i++)
    if (strcmp(rows->sources[i], name) == 0) return (int)i;
  char **sources = (char **)pm__grow(rows->sources, rows->source_count, &rows->source_capacity, sizeof *sources);
  char *copy = pm__text_copy(name);
  if (sources != NULL) rows->sources = sources;
  if (sources == NULL || copy == NULL) {
    free(copy);
    pm__no_memory(error);
    return -1;
  }
  sources[rows->source_count] = copy;
  return (int)rows->source_count++;
}

/* Why a row is left out of the fit, or NULL. */
static const char *reason_of(const pm__lab_training_rows *rows, const pm__lab_row *row, const pm__lab_rate *rate,
                             char *value)
{
  bool language = rows->set == PM__SET_LANGUAGE;
  const char *why = !language ? pm__lab_readings_decide(&rows->reader.readings, PM_DECISION_UNFIT, row, value) : NULL;
  if (why == NULL && rate->unfit != NULL) return rate->unfit;
  if (why == NULL && rate->no_peers) return "GPUs without peer access";
  if (why == NULL && rate->micro_batches > 1) return "no micro-batch";
  return why == NULL && rate->generic ? "nothing says which framework it was" : why;
}

static int add_row(pm__lab_training_rows *rows, const pm__lab_row *row, const pm__lab_rate *rate, const char *source,
                   pm_fit_use use, pm_error *error)
{
  pm__lab_training_row *items = (pm__lab_training_row *)pm__grow(rows->items, rows->count, &rows->capacity,
                                                                 sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  rows->items = items;
  pm__lab_training_row *next = &items[rows->count];
  if (rows->set == PM__SET_INFERENCE) next->asked.inference = pm__lab_rate_inference(rate);
  else next->asked.training = pm__lab_rate_run(rate, 0);
  next->run = -1;
  next->source = number_of_source(rows, source, error);
  if (next->source < 0) return PM_STATUS_NO_MEMORY;
  next->software = rate->profile;
  next->system = rate->system;
  next->network = rate->network;
  next->latency = rate->latency;
  next->measured = rate->latency ? rate->measured / 1e3 : rate->measured / pm__lab_rate_scale(rate);
  next->batch = rate->batch;
  next->ranks = (double)rate->gpus * rate->nodes;
  next->use = use;
  next->stage = 0;
  pm__lab_rate_group(rate, row, pm__lab_predictor_built_network(rows->reader.predictor, rate->network), next->group,
                     sizeof next->group);
  rows->count++;
  return PM_OK;
}

/* Language models alone, or images alone. */
static void judge_last(pm__lab_training_rows *rows)
{
  const char *kind = rows->set == PM__SET_LANGUAGE ? "language " : "vision ";
  if (strncmp(rows->items[rows->count - 1].group, kind, strlen(kind)) != 0) rows->count--;
}

static int read_row(pm__lab_training_rows *rows, pm__lab_row *row, const pm_calibration_options *options,
                    pm_error *error)
{
  pm__lab_rate rate;
  char value[PM__VALUE_LONGEST];
  pm_error reason = PM_ERROR_NONE;
  int status = pm__lab_rate_read(&rows->reader, row, &rate, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (status != PM_OK) return pm__lab_reasons_add(&rows->unread, reason.text, error);
  if (rate.quantity->of_memory != NULL) return PM_OK; /* no constant of time decides it */
  char source[PM_TEXT_MAX];
  name_source(row, source, sizeof source);
  const char *why = reason_of(rows, row, &rate, value);
  pm_fit_use use = why != NULL ? PM_FIT_USE_EXCLUDED
                   : pm__lab_listed(options->hold_out, source) ||
                       pm__lab_rate_is_of(&rows->reader, row, &rate, options->hold_out)
                     ? PM_FIT_USE_LEFT_OUT_SOURCE : PM_FIT_USE_FITTED;
  if (why != NULL) status = pm__lab_reasons_add(&rows->left_out, why, error);
  if (status == PM_OK) status = add_row(rows, row, &rate, source, use, error);
  if (status == PM_OK && (rows->set == PM__SET_LANGUAGE || rows->set == PM__SET_GROUPED)) judge_last(rows);
  return status;
}

static int read_table(pm__lab_training_rows *rows, const pm_catalog *catalog, const pm__csv *table,
                      const pm_calibration_options *options, pm_error *error)
{
  static const char *const sets[] = {[PM__SET_TRAINING] = "training", [PM__SET_LANGUAGE] = "training",
                                     [PM__SET_INFERENCE] = "inference", [PM__SET_LARGE_MODELS] = "large-models",
                                     [PM__SET_GROUPED] = "training", [PM__SET_PLANS] = "plans"};
  int columns[PM__COLUMNS];
  int status = pm__lab_rate_reader_open(&rows->reader, catalog, sets[rows->set], table, options->file, error);
  pm__lab_row_columns(table, columns);
  for (size_t line = 1; status == PM_OK && line < table->rows; line++) {
    pm__lab_row row;
    pm__lab_row_get(table, line, columns, &row);
    status = read_row(rows, &row, options, error);
  }
  return status;
}

static int add_run(pm__lab_training_rows *rows, const pm__lab_training_row *row, pm_error *error)
{
  pm__lab_predictor *predictor = rows->reader.predictor;
  return rows->set == PM__SET_INFERENCE ? pm__lab_predictor_add_inference(predictor, &row->asked.inference, error)
                                        : pm__lab_predictor_add(predictor, &row->asked.training, error);
}

int pm__lab_training_rows_sort(pm__lab_training_rows *rows, pm_error *error)
{
  size_t fitted = 0;
  pm__lab_training_row *sorted = (pm__lab_training_row *)malloc((rows->count + 1) * sizeof *sorted);
  if (sorted == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < rows->count; i++) fitted += rows->items[i].use == PM_FIT_USE_FITTED;
  for (size_t i = 0, first = 0, last = fitted; i < rows->count; i++)
    sorted[rows->items[i].use == PM_FIT_USE_FITTED ? first++ : last++] = rows->items[i];
  free(rows->items);
  rows->items = sorted;
  rows->capacity = rows->count + 1;
  rows->fitted = fitted;
  rows->runs = 0;
  for (size_t i = 0; i < rows->count; i++) {
    if (sorted[i].run < 0) sorted[i].run = add_run(rows, &sorted[i], error);
    if (sorted[i].run < 0) return PM_STATUS_NO_MEMORY;
    if (i < fitted && (size_t)sorted[i].run >= rows->runs) rows->runs = (size_t)sorted[i].run + 1;
  }
  return PM_OK;
}

/* ---- One setting is one row ---- */

static bool is_repeat(const pm__lab_training_row *a, const pm__lab_training_row *b)
{
  return a->run == b->run && a->latency == b->latency && a->source == b->source && a->use == b->use;
}

/* The median of what was measured of row `first` and its repeats behind it. */
static double median_of(const pm__lab_training_rows *rows, size_t first, double *room)
{
  size_t n = 0;
  for (size_t i = first; i < rows->count; i++)
    if (is_repeat(&rows->items[first], &rows->items[i])) room[n++] = rows->items[i].measured;
  return pm__quantile(room, n, 0.5);
}

int pm__lab_training_rows_merge(pm__lab_training_rows *rows, pm_error *error)
{
  size_t kept = 0, fitted = 0;
  double *room = (double *)malloc((rows->count + 1) * sizeof *room);
  if (room == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < rows->count; i++) {
    size_t first = 0;
    while (first < kept && !is_repeat(&rows->items[first], &rows->items[i])) first++;
    if (first < kept) continue; /* the median has it already */
    double median = median_of(rows, i, room);
    rows->items[kept] = rows->items[i];
    rows->items[kept].measured = median;
    fitted += rows->items[kept++].use == PM_FIT_USE_FITTED;
  }
  rows->count = kept;
  rows->fitted = fitted;
  free(room);
  return PM_OK;
}

int pm__lab_training_rows_read(pm__lab_training_rows *rows, const pm_catalog *catalog,
                               const pm_calibration_options *options,
                               pm_error *error)
{
  pm__csv table;
  int status = pm__csv_read(&table, options->data, options->file, error);
  if (status != PM_OK) return status;
  status = read_table(rows, catalog, &table, options, error);
  pm__csv_free(&table);
  return status;
}

void pm__lab_training_rows_free(pm__lab_training_rows *rows)
{
  pm__lab_rate_reader_close(&rows->reader);
  pm__lab_reasons_free(&rows->left_out);
  pm__lab_reasons_free(&rows->unread);
  for (size_t i = 0; i < rows->source_count; i++) free(rows->sources[i]);
  free(rows->sources);
  free(rows->items);
}

double pm__lab_training_error(const pm__lab_training_rows *rows, const pm__lab_training_row *row)
{
  const pm__lab_predictor *predictor = rows->reader.predictor;
  const pm_prediction *step = pm__lab_predictor_prediction(predictor, row->run);
  const pm_inference *call = pm__lab_predictor_inference(predictor, row->run);
  if (row->latency) {
    double time = step != NULL ? step->step_time : call != NULL ? call->latency : (double)NAN;
    return time > 0 ? log(row->measured / time) : (double)NAN;
  }
  double rate = step != NULL ? step->throughput : call != NULL ? call->throughput : (double)NAN;
  return rate > 0 ? log(rate / row->measured) : (double)NAN;
}

int pm__lab_training_fold(const pm__lab_training_rows *rows, const pm__lab_training_row *row)
{
  return rows->source_count > 1 ? row->source : row->network;
}

/* Samples of a step, all GPUs together. */
static double samples_of(const pm__lab_training_row *row)
{
  const pm_run *run = &row->asked.training;
  return row->batch * row->ranks / (run->tensor_parallel * run->pipeline_parallel * run->context_parallel);
}

bool pm__lab_training_is_plan(const pm__lab_training_row *a, const pm__lab_training_row *b)
{
  return a->source == b->source && a->software == b->software && a->network == b->network && a->system == b->system &&
         a->ranks == b->ranks && samples_of(a) == samples_of(b);
}
