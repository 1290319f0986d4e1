/* Published rates of training and inference: rows in, one plan for all, rows out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab/validation/comparison.h"
#include "lab/validation/rate.h"

typedef struct asked_row {
  size_t line; /* of the table */
  int run;     /* of the predictor */
  double scale; /* what is counted, for each predicted sample */
  bool latency; /* in ms, in place of a rate */
} asked_row;

typedef struct rates {
  pm__lab_context *context;
  pm__lab_rate_reader reader;
  pm__lab_comparisons rows;
  asked_row *asked; /* beside `rows` */
  size_t capacity;
  pm__lab_reasons reasons;
} rates;

static pm_inference_run inference_run(const pm__lab_rate *rate)
{
  pm_inference_run run = pm_inference_run_make();
  run.network_index = rate->network;
  run.system_index = rate->system;
  run.profile_index = rate->profile;
  run.gpus = rate->gpus;
  run.nodes = rate->nodes;
  run.batch = rate->batch;
  run.precision = rate->precision;
  return run;
}

static int add_run(rates *t, const pm__lab_rate *rate, pm_error *error)
{
  pm_run training = pm__lab_rate_run(rate);
  pm_inference_run inference = inference_run(rate);
  return t->reader.inference ? pm__lab_predictor_add_inference(t->reader.predictor, &inference, error)
                             : pm__lab_predictor_add(t->reader.predictor, &training, error);
}

static void set_id(char *id, const pm__lab_row *row, size_t line)
{
  const char *path = strrchr(row->cell[PM__COLUMN_PATH], '#');
  snprintf(id, PM_TEXT_MAX, "%zu%s%.20s", line + 1, path != NULL ? " " : "", path != NULL ? path + 1 : "");
}

static int add_row(rates *t, const pm__lab_row *row, const pm__lab_rate *rate, size_t line, pm_error *error)
{
  asked_row *asked = (asked_row *)pm__grow(t->asked, t->rows.count, &t->capacity, sizeof *asked);
  if (asked == NULL) return pm__no_memory(error);
  t->asked = asked;
  size_t index = t->rows.count;
  pm__lab_comparison *out = pm__lab_comparisons_add(&t->rows, error);
  if (out == NULL) return PM_STATUS_NO_MEMORY;
  asked[index].line = line;
  asked[index].run = add_run(t, rate, error);
  asked[index].latency = rate->latency;
  asked[index].scale = pm__lab_rate_scale(rate);
  out->measured = rate->measured;
  set_id(out->id, row, line);
  snprintf(out->unit, sizeof out->unit, "%.79s", rate->latency ? "ms" : row->cell[PM__COLUMN_UNIT]);
  snprintf(out->set, sizeof out->set, "%.79s", t->context->set);
  pm__lab_rate_group(rate, row, pm__lab_predictor_built_network(t->reader.predictor, rate->network), out->group,
                     sizeof out->group);
  return asked[index].run >= 0 ? PM_OK : PM_STATUS_NO_MEMORY;
}

static int read_rows(rates *t, pm_error *error)
{
  int columns[PM__COLUMNS];
  pm__lab_row_columns(t->context->table, columns);
  for (size_t line = 1; line < t->context->table->rows; line++) {
    pm__lab_row row;
    pm__lab_rate rate;
    pm_error reason = PM_ERROR_NONE;
    pm__lab_row_get(t->context->table, line, columns, &row);
    int status = pm__lab_rate_read(&t->reader, &row, &rate, &reason);
    if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
    status = status == PM_OK ? add_row(t, &row, &rate, line, error) : pm__lab_reasons_add(&t->reasons, reason.text,
                                                                                          error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

/* Predicted throughput, or latency in ms; NAN with the reason. */
static double answer(const rates *t, const asked_row *asked, pm_error *reason)
{
  const pm__lab_predictor *predictor = t->reader.predictor;
  if (!t->reader.inference) {
    const pm_prediction *p = pm__lab_predictor_prediction(predictor, asked->run);
    if (p->status != PM_OK) pm__lab_predictor_check(predictor, asked->run, reason);
    return p->throughput * asked->scale;
  }
  const pm_inference *p = pm__lab_predictor_inference(predictor, asked->run);
  if (p->status != PM_OK) pm__lab_predictor_inference_check(predictor, asked->run, reason);
  return asked->latency ? p->latency * 1e3 : p->throughput * asked->scale;
}

static int predict_rows(rates *t, pm_error *error)
{
  int status = pm__lab_predictor_predict(t->reader.predictor, error);
  for (size_t i = 0; i < t->rows.count && status == PM_OK; i++) {
    pm_error reason = PM_ERROR_NONE;
    double value = answer(t, &t->asked[i], &reason);
    if (!isnan(value)) pm__lab_comparison_set(&t->rows.items[i], value);
    else status = pm__lab_reasons_add(&t->reasons, reason.text, error);
  }
  return status;
}

static pm_table *validate(pm__lab_context *context, bool inference, pm_error *error)
{
  static const char *const needed[] = {"model", "throughput", "unit"};
  rates t;
  pm_table *table = NULL;
  memset(&t, 0, sizeof t);
  t.context = context;
  int status = pm__lab_check_columns(context, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) status = pm__lab_rate_reader_open(&t.reader, context->catalog, inference, error);
  if (status == PM_OK) status = read_rows(&t, error);
  if (status == PM_OK) status = predict_rows(&t, error);
  if (status == PM_OK) {
    pm__lab_note_unpredicted(context, &t.reasons);
    table = pm__lab_result_table(context, &t.rows, error);
  }
  pm__lab_rate_reader_close(&t.reader);
  pm__lab_reasons_free(&t.reasons);
  free(t.rows.items);
  free(t.asked);
  return table;
}

pm_table *pm__lab_validate_training(pm__lab_context *context, pm_error *error)
{
  return validate(context, false, error);
}

pm_table *pm__lab_validate_inference(pm__lab_context *context, pm_error *error)
{
  return validate(context, true, error);
}
