/* Published rates of training and inference: rows in, one plan for all, rows out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/comparison.h"
#include "validation/packed_row.h"
#include "validation/settings.h"

typedef struct asked_row {
  size_t line; /* of the table */
  int run[PM__MICRO_BATCHES], runs; /* of the predictor; the fastest counts */
  const pm__lab_quantity *quantity;
  int rank;     /* whose memory it is */
  double scale; /* what is counted, for each predicted sample */
  char *rules;  /* readings that decided something of it */
} asked_row;

/* How a row was read, and the interval of its prediction. */
typedef struct reading_row {
  char network[PM_TEXT_MAX], machine[PM_TEXT_MAX], framework[PM_TEXT_MAX];
  int32_t gpus, nodes;
  double batch, low, high;
  int32_t calibration, verdict;
} reading_row;

#define VERDICT(id, text, about) {.name = text, .doc = about},
static const pm_choice verdict_choices[] = {PM_VERDICT_LIST(VERDICT){.name = NULL}};
#undef VERDICT

static const pm_field reading_fields[] = {
  PM__FIELD(reading_row, REAL, low, "low", "1", "one measurement in ten would be below this, in `unit`"),
  PM__FIELD(reading_row, REAL, high, "high", "1", "one in ten above this"),
  {"calibration", "", "what the prediction rests on", offsetof(reading_row, calibration), .kind = PM_FIELD_CHOICE,
   .choices = pm__lab_calibration_choices},
  {"verdict", "", "whether it fits, by the memory model; it ran", offsetof(reading_row, verdict),
   .kind = PM_FIELD_CHOICE,
   .choices = verdict_choices},
  PM__FIELD_MAIN(reading_row, TEXT, network, "network", "", "what the row's model was read as"),
  PM__FIELD(reading_row, TEXT, machine, "machine", "", "what its GPU and system were read as"),
  PM__FIELD(reading_row, TEXT, framework, "framework", "",
            "what its software was read as, with the generation of libraries"),
  PM__FIELD(reading_row, INT, gpus, "gpus", "1", "GPUs of each node"),
  PM__FIELD(reading_row, INT, nodes, "nodes", "1", "nodes"),
  PM__FIELD(reading_row, REAL, batch, "batch", "1", "samples per GPU and step"),
};

static const pm_record_type reading_type = PM__TYPE(reading_row, reading_fields);

/* Which rows of a table of packed rows a set has. */
enum quantities_wanted { ALL_QUANTITIES, NO_MEMORY, ONLY_MEMORY };

typedef struct rates {
  pm__lab_context *context;
  pm__lab_rate_reader reader;
  pm__lab_comparisons rows;
  asked_row *asked; /* beside `rows`, as the next two */
  reading_row *read;
  pm__lab_setting_row *settings;
  size_t capacity, read_capacity, setting_capacity;
  bool by_plan; /* groups of packed rows */
  int quantities; /* a quantities_wanted */
  pm__lab_reasons reasons, software; /* why a row has no prediction; what stands for software that is not known */
} rates;

static int add_run(rates *t, const pm__lab_rate *rate, int micro_batch, pm_error *error)
{
  pm_run training = pm__lab_rate_run(rate, micro_batch);
  pm_inference_run inference = pm__lab_rate_inference(rate);
  return t->reader.inference ? pm__lab_predictor_add_inference(t->reader.predictor, &inference, error)
                             : pm__lab_predictor_add(t->reader.predictor, &training, error);
}

/* The row's own id, else its line in the table and the place in its source. */
static void set_id(char *id, const pm__lab_row *row, size_t line)
{
  const char *own = row->cell[PM__COLUMN_ID], *path = strrchr(row->cell[PM__COLUMN_PATH], '#');
  if (own[0] != '\0') snprintf(id, PM_TEXT_MAX, "%.79s", own);
  else snprintf(id, PM_TEXT_MAX, "%zu%s%.20s", line + 1, path != NULL ? " " : "", path != NULL ? path + 1 : "");
}

/* Room for one row more in what stands beside the rows. */
static int grow(rates *t, pm_error *error)
{
  size_t count = t->rows.count;
  asked_row *asked = (asked_row *)pm__grow(t->asked, count, &t->capacity, sizeof *asked);
  if (asked != NULL) t->asked = asked;
  reading_row *read = (reading_row *)pm__grow(t->read, count, &t->read_capacity, sizeof *read);
  if (read != NULL) t->read = read;
  pm__lab_setting_row *settings = (pm__lab_setting_row *)pm__grow(t->settings, count, &t->setting_capacity,
                                                                  sizeof *settings);
  if (settings != NULL) t->settings = settings;
  return asked != NULL && read != NULL && settings != NULL ? PM_OK : pm__no_memory(error);
}

static reading_row reading_of(const rates *t, const pm__lab_rate *rate)
{
  const pm__lab_predictor *predictor = t->reader.predictor;
  reading_row out = {.gpus = rate->gpus, .nodes = rate->nodes, .batch = rate->batch, .low = NAN, .high = NAN};
  snprintf(out.network, sizeof out.network, "%.79s", pm__lab_predictor_network_name(predictor, rate->network));
  snprintf(out.machine, sizeof out.machine, "%.79s", pm__lab_predictor_system_id(predictor, rate->system));
  snprintf(out.framework, sizeof out.framework, "%.79s", rate->framework);
  return out;
}

static void format_plan(const pm__lab_rate *rate, char *text, size_t size)
{
  const pm_run *plan = &rate->plan;
  snprintf(text, size, " %d %d %d %d %d %d %d %d %d %g", plan->tensor_parallel, plan->pipeline_parallel,
           plan->virtual_pipeline, plan->context_parallel, plan->expert_parallel, plan->sequence_parallel,
           plan->pipeline_schedule, plan->zero, plan->recompute, rate->micro_batch[0]);
}

/* What a setting is: of two rows of different software the release, else the date. Memory of a run is one by itself. */
static void set_key(const pm__lab_row *row, const pm__lab_rate *rate, char *key, size_t size)
{
  const char *version = row->cell[PM__COLUMN_VERSION];
  snprintf(key, size, "%d %d %s %d %g %g %g %d %s %.60s %s %d", rate->network, rate->profile, rate->gpu,
           rate->gpus * rate->nodes, rate->batch, rate->items, rate->accumulation, rate->precision,
               row->cell[PM__COLUMN_UNIT],
           version[0] != '\0' ? version : row->date, rate->no_peers ? "no-peer" : "", rate->latency);
  if (rate->quantity->of_memory != NULL) snprintf(key, size, "memory %zu", row->line);
  if (rate->quantity->of_memory != NULL) return;
  format_plan(rate, key + strlen(key), size - strlen(key));
}

/* Plans that a search chooses among: of one network, GPU, GPUs, global batch and software; none of what is doubted. */
static void set_plans(const rates *t, const pm__lab_rate *rate, const pm_network *network, pm__lab_setting_row *out)
{
  const pm_run run = pm__lab_rate_run(rate, 0);
  bool doubted = rate->check != NULL && rate->check[0] != '\0' && strcmp(rate->check, "ok") != 0;
  double batch = run.batch * pm_run_get_data_parallel(&run) * run.gradient_accumulation_steps;
  out->plans[0] = '\0';
  format_plan(rate, out->plan, sizeof out->plan);
  snprintf(out->plan + strlen(out->plan), sizeof out->plan - strlen(out->plan), " %d", rate->precision);
  out->time = strcmp(rate->quantity->name, "throughput") != 0;
  if (!t->reader.packed || t->reader.inference || rate->quantity->of_memory != NULL || doubted) return;
  pm_network_totals totals;
  pm_network_get_totals(network, &totals, NULL);
  const pm_framework_profile *software =
    rate->profile >= 0 ? pm__lab_predictor_built_framework(t->reader.predictor, rate->profile) : NULL;
  snprintf(out->plans, sizeof out->plans, "%s plans: %.24s of %.4g B (%d), %d %.16s, batch %g, %.24s",
           pm__lab_packed_is_moe(network, &run) ? "moe" : "dense", totals.id, totals.parameters / 1e9,
           rate->network, run.gpus * run.nodes, rate->gpu, batch,
           software != NULL ? software->framework.id : "no framework");
}

static int add_runs(rates *t, const pm__lab_rate *rate, asked_row *asked, pm_error *error)
{
  for (asked->runs = 0; asked->runs < rate->micro_batches; asked->runs++) {
    asked->run[asked->runs] = add_run(t, rate, asked->runs, error);
    if (asked->run[asked->runs] < 0) return PM_STATUS_NO_MEMORY;
  }
  return PM_OK;
}

static int add_row(rates *t, const pm__lab_row *row, const pm__lab_rate *rate, size_t line, pm_error *error)
{
  size_t index = t->rows.count;
  if (grow(t, error) != PM_OK) return PM_STATUS_NO_MEMORY;
  pm__lab_comparison *out = pm__lab_comparisons_add(&t->rows, error);
  if (out == NULL) return PM_STATUS_NO_MEMORY;
  t->asked[index] = (asked_row){.line = line, .scale = pm__lab_rate_scale(rate), .quantity = rate->quantity,
                                .rank = rate->rank};
  t->read[index] = reading_of(t, rate);
  set_key(row, rate, t->settings[index].key, sizeof t->settings[index].key);
  out->measured = rate->measured;
  set_id(out->id, row, line);
  const char *unit = row->cell[PM__COLUMN_UNIT];
  snprintf(out->unit, sizeof out->unit, "%.79s", rate->latency || unit[0] == '\0' ? rate->quantity->shown : unit);
  snprintf(out->set, sizeof out->set, "%.79s", t->context->set);
  const pm_network *network = pm__lab_predictor_built_network(t->reader.predictor, rate->network);
  set_plans(t, rate, network, &t->settings[index]);
  if (t->by_plan) pm__lab_packed_plan_group(rate, row, network, out->group, sizeof out->group);
  else if (t->reader.packed) pm__lab_packed_group(rate, row, network, out->group, sizeof out->group);
  else pm__lab_rate_group(rate, row, network, out->group, sizeof out->group);
  return add_runs(t, rate, &t->asked[index], error);
}

/* Software of the user's own rows that a profile of something else, or of any time, stands for. */
static int note_software(rates *t, const pm__lab_row *row, const pm__lab_rate *rate, pm_error *error)
{
  char text[3 * PM_TEXT_MAX];
  const char *name = row->cell[PM__COLUMN_FRAMEWORK], *version = row->cell[PM__COLUMN_VERSION];
  bool release = strncmp(rate->framework, "pt-", 3) != 0 || row->date[0] != '\0' || strstr(version, "pt") != NULL;
  if (strcmp(t->context->set, "own") != 0 || t->reader.packed) return PM_OK;
  if (rate->generic && name[0] != '\0')
    snprintf(text, sizeof text, "\"%.60s\" is no framework that is known; \"generic\" stands for it", name);
  else if (rate->generic) snprintf(text, sizeof text, "no framework is named; \"generic\" stands for any");
  else if (!release)
    snprintf(text, sizeof text, "\"%.40s\" of no release that is known; \"%.40s\" stands for it: say which, as in "
             "framework_version 2.9", name, rate->framework);
  else return PM_OK;
  return pm__lab_reasons_add(&t->software, text, error);
}

/* One row of the table; the readings that decided something of it go to `rules`. */
static int read_row(rates *t, pm__lab_row *row, size_t line, pm__string *rules, pm_error *error)
{
  pm__lab_rate rate;
  pm_error reason = PM_ERROR_NONE;
  row->rules = rules;
  int status = pm__lab_rate_read(&t->reader, row, &rate, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (t->context->only != NULL && (status != PM_OK || !pm__lab_rate_is_of(&t->reader, row, &rate, t->context->only)))
    return PM_OK;
  if (status != PM_OK) return pm__lab_reasons_add(&t->reasons, reason.text, error);
  status = add_row(t, row, &rate, line, error);
  if (status == PM_OK) status = note_software(t, row, &rate, error);
  if (status != PM_OK) return status;
  t->asked[t->rows.count - 1].rules = rules->text;
  rules->text = NULL; /* handed over */
  return rules->failed ? pm__no_memory(error) : PM_OK;
}

static bool is_wanted(const rates *t, const pm__lab_row *row)
{
  if (t->quantities == ALL_QUANTITIES) return true;
  return pm__lab_packed_is_memory(&t->reader, row) == (t->quantities == ONLY_MEMORY);
}

static int read_rows(rates *t, pm_error *error)
{
  int columns[PM__COLUMNS], status = PM_OK;
  pm__lab_row_columns(t->context->table, columns);
  for (size_t line = 1; line < t->context->table->rows && status == PM_OK; line++) {
    pm__lab_row row;
    pm__string rules = {NULL, 0, 0, false};
    pm__lab_row_get(t->context->table, line, columns, &row);
    if (is_wanted(t, &row)) status = read_row(t, &row, line, &rules, error);
    free(rules.text);
  }
  return status;
}

/* The fastest of a row's runs; the first if none has a prediction. */
static int best_run(const rates *t, const asked_row *asked)
{
  int best = asked->run[0];
  for (int i = 1; i < asked->runs && !t->reader.inference; i++) {
    const pm_prediction *p = pm__lab_predictor_prediction(t->reader.predictor, asked->run[i]);
    const pm_prediction *least = pm__lab_predictor_prediction(t->reader.predictor, best);
    if (p->status == PM_OK && (least->status != PM_OK || p->step_time < least->step_time)) best = asked->run[i];
  }
  return best;
}

/* What the answers of both tasks have. */
typedef struct outcome {
  int32_t status, calibration, verdict;
  double time, rate, rate_p10, rate_p90;
} outcome;

#define OUTCOME_OF(p, time) \
  {(p)->status, (p)->calibration, (p)->verdict, (p)->time, (p)->throughput, (p)->throughput_p10, (p)->throughput_p90}

/* The outcome of a run; if it has none, why. */
static outcome outcome_of(const rates *t, int run, pm_error *reason)
{
  const pm__lab_predictor *predictor = t->reader.predictor;
  const pm_prediction *p = pm__lab_predictor_prediction(predictor, run);
  const pm_inference *call = pm__lab_predictor_inference(predictor, run);
  if (!t->reader.inference) {
    const outcome step = OUTCOME_OF(p, step_time);
    if (step.status != PM_OK) pm__lab_predictor_check(predictor, run, reason);
    return step;
  }
  const outcome latency = OUTCOME_OF(call, latency);
  if (latency.status != PM_OK) pm__lab_predictor_inference_check(predictor, run, reason);
  return latency;
}

static double memory_of(const rates *t, const asked_row *asked, int run, pm_error *reason)
{
  pm__lab_memory memory;
  if (pm__lab_predictor_memory(t->reader.predictor, t->reader.task, run, asked->rank, &memory, reason) != PM_OK)
    return (double)NAN;
  return pm__lab_shown(asked->quantity, asked->quantity->of_memory(&memory));
}

/* The predicted quantity as people see it, a rate or a time with its interval; NAN with the reason. */
static double answer(const rates *t, const asked_row *asked, reading_row *read, pm_error *reason)
{
  int run = best_run(t, asked);
  const outcome p = outcome_of(t, run, reason);
  read->calibration = p.calibration;
  read->verdict = p.verdict;
  if (p.status != PM_OK) return (double)NAN;
  if (asked->quantity->of_memory != NULL) return memory_of(t, asked, run, reason);
  bool rate = strcmp(asked->quantity->name, "throughput") == 0;
  double time = pm__lab_shown(asked->quantity, p.time), samples = time * p.rate;
  read->low = rate ? p.rate_p10 * asked->scale : samples / p.rate_p90;
  read->high = rate ? p.rate_p90 * asked->scale : samples / p.rate_p10;
  return rate ? p.rate * asked->scale : time;
}

static int predict_rows(rates *t, pm_error *error)
{
  int status = pm__lab_predictor_predict(t->reader.predictor, error);
  for (size_t i = 0; i < t->rows.count && status == PM_OK; i++) {
    pm_error reason = PM_ERROR_NONE;
    double value = answer(t, &t->asked[i], &t->read[i], &reason);
    t->settings[i].low = t->read[i].low;
    t->settings[i].high = t->read[i].high;
    if (reason.status == PM_STATUS_NO_MEMORY) status = pm__no_memory(error);
    else if (!isnan(value)) pm__lab_comparison_set(&t->rows.items[i], value);
    else status = pm__lab_reasons_add(&t->reasons, reason.text, error);
  }
  return status;
}

/* What was published ran: the share that a prediction would refuse is the memory model's own error. */
static void note_refusals(rates *t)
{
  size_t refused = 0, predicted = 0;
  for (size_t i = 0; i < t->rows.count; i++) {
    if (isnan(t->rows.items[i].predicted)) continue;
    predicted++;
    refused += t->read[i].verdict == PM_VERDICT_DOES_NOT_FIT;
  }
  if (predicted == 0) return;
  pm__string_format(&t->context->notes, "%zu of %zu published runs would be refused for their memory\n", refused,
                    predicted);
}

static pm_table *rows_table(const rates *t, pm_error *error)
{
  pm_table *table = pm__lab_table_with(pm__lab_comparisons_table(&t->rows, error), &reading_type, t->read, error);
  const char **rules = (const char **)calloc(t->rows.count + 1, sizeof *rules);
  int status = rules != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; rules != NULL && i < t->rows.count; i++)
    rules[i] = t->asked[i].rules != NULL ? t->asked[i].rules : "";
  if (status == PM_OK && table != NULL)
    status = pm_table_add_text(table, "readings", "rules of the catalogue that decided how it was read", rules, error);
  free(rules);
  if (table != NULL) pm_table_set_show(table, "group", 0); /* longer than the network, which says more */
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static void free_rates(rates *t)
{
  pm__lab_rate_reader_close(&t->reader);
  pm__lab_reasons_free(&t->reasons);
  pm__lab_reasons_free(&t->software);
  for (size_t i = 0; i < t->rows.count; i++) free(t->asked[i].rules);
  free(t->rows.items);
  free(t->asked);
  free(t->read);
  free(t->settings);
}

static pm_table *validate(pm__lab_context *context, const char *set, int quantities, pm_error *error)
{
  rates t;
  pm_table *table = NULL;
  memset(&t, 0, sizeof t);
  t.context = context;
  t.quantities = quantities;
  t.by_plan = strcmp(set, "large-models") == 0;
  int status = pm__lab_rate_reader_open(&t.reader, context->catalog, set, context->table, context->file, error);
  if (status == PM_OK) status = read_rows(&t, error);
  if (status == PM_OK && context->only != NULL && t.rows.count == 0)
    status = pm__fail(error, PM_STATUS_NOT_FOUND, "no row of \"%.60s\" is of %.80s", context->file, context->only);
  if (status == PM_OK) status = predict_rows(&t, error);
  if (status == PM_OK) {
    pm__lab_note_unpredicted(context, &t.reasons);
    pm__lab_reasons_write(&t.software, &context->notes);
    note_refusals(&t);
    table = context->rows ? rows_table(&t, error)
                          : pm__lab_settings_summary(&t.rows, t.settings, &context->notes, error);
  }
  free_rates(&t);
  return table;
}

pm_table *pm__lab_validate_training(pm__lab_context *context, pm_error *error)
{
  return validate(context, "training", ALL_QUANTITIES, error);
}

pm_table *pm__lab_validate_inference(pm__lab_context *context, pm_error *error)
{
  return validate(context, "inference", ALL_QUANTITIES, error);
}

pm_table *pm__lab_validate_large_models(pm__lab_context *context, pm_error *error)
{
  return validate(context, "large-models", ALL_QUANTITIES, error);
}

pm_table *pm__lab_validate_plans(pm__lab_context *context, pm_error *error)
{
  return validate(context, "plans", NO_MEMORY, error);
}

pm_table *pm__lab_validate_memory(pm__lab_context *context, pm_error *error)
{
  return validate(context, "memory", ONLY_MEMORY, error);
}
