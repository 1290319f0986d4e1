/* Reads a packed row: sets the fields of a run by the names of its columns, and completes the rest. */
#include "validation/packed_row.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

/* Columns that are no fields of a run. */
static const char *const own[] = {"id", "task", "network", "system", "framework", "framework_version", "quantity",
                                  "rank", "value", "source", "words", "use", "check"};

static bool is_own(const char *title)
{
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (strcmp(own[i], title) == 0) return true;
  return false;
}

bool pm__lab_packed_is(const pm__csv *table)
{
  return pm__csv_column(table, "quantity") >= 0;
}

int pm__lab_packed_check(const pm__csv *table, const char *file, pm_error *error)
{
  static const char *const needed[] = {"network", "system", "quantity", "value"};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (pm__csv_column(table, needed[i]) < 0)
      return pm__fail(error, PM_STATUS_BAD_SYNTAX, "%s: no column \"%s\"", file, needed[i]);
  return PM_OK;
}

static const char *cell(const pm__lab_rate_reader *reader, const pm__lab_row *row, const char *title)
{
  return pm__csv_cell(reader->table, row->line, pm__csv_column(reader->table, title));
}

/* ---- Network, system, framework ---- */

/* Where the row does not say how attention is computed, it is one kernel, as in what is measured today. */
static int read_network(const pm__lab_rate_reader *reader, const char *said, pm__lab_rate *rate, pm_error *error)
{
  char name[PM__VALUE_LONGEST + 16];
  pm_error reason = PM_ERROR_NONE;
  if (strlen(said) > PM__VALUE_LONGEST)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "network \"%.80s...\" has more than %d characters", said,
                    PM__VALUE_LONGEST);
  bool open = strstr(said, " flash=") == NULL && pm__lab_predictor_takes(reader->predictor, said, "flash=1", &reason);
  snprintf(name, sizeof name, "%.*s%s", PM__VALUE_LONGEST, said, open ? " flash=1" : "");
  rate->network = pm__lab_predictor_network(reader->predictor, name, &reason);
  if (rate->network >= 0) return PM_OK;
  if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "network \"%.80s\": %.200s", said, reason.text);
}

static int read_machine(const pm__lab_rate_reader *reader, const char *name, pm__lab_rate *rate, pm_error *error)
{
  rate->system = pm__lab_predictor_system(reader->predictor, name, error);
  if (rate->system < 0) return PM_STATUS_NOT_FOUND;
  const pm_system *system = pm__lab_predictor_built_system(reader->predictor, rate->system);
  snprintf(rate->gpu, sizeof rate->gpu, "%s", pm_system_get_gpu(system)->id);
  return PM_OK;
}

/* ---- The run ---- */

/* A record of the reader's task in a rate. */
static void *run_in(const pm__lab_rate_reader *reader, pm__lab_rate *rate)
{
  return reader->inference ? (void *)&rate->call : (void *)&rate->plan;
}

/* "1 2 4 8": sizes of a micro-batch of which the fastest counts. */
static int read_sizes(const char *text, pm__lab_rate *rate, pm_error *error)
{
  char *end;
  int count = 0;
  for (const char *p = text; count < PM__MICRO_BATCHES; p = end) {
    double size = strtod(p, &end);
    if (end == p) break;
    rate->micro_batch[count++] = size;
  }
  rate->micro_batches = count;
  if (count > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "micro_batch \"%.40s\"", text);
}

static int set_field(const pm__lab_rate_reader *reader, const char *title, const char *text, pm_given *given,
                     pm__lab_rate *rate, pm_error *error)
{
  const pm_task_facts *facts = pm_task_get(reader->task);
  const pm_field *field = pm_record_find_field(pm_record_type_find(facts->run), title);
  bool usual = field != NULL && (field->option == NULL || field->option[0] != '\0');
  if (!usual)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "a run of %s has no \"%.40s\", which the row gives", facts->name,
                    title);
  if (strcmp(title, "micro_batch") == 0) {
    int status = read_sizes(text, rate, error);
    if (status != PM_OK || rate->micro_batches > 1) return status;
  }
  pm_given_add(given, facts->run, title);
  return pm_record_set(field, run_in(reader, rate), text, error);
}

static int set_fields(const pm__lab_rate_reader *reader, const pm__lab_row *row, pm_given *given, pm__lab_rate *rate,
                      pm_error *error)
{
  int status = PM_OK;
  pm_record_fill("run", &rate->plan, sizeof rate->plan);
  pm_record_fill("inference_run", &rate->call, sizeof rate->call);
  for (size_t i = 0; i < reader->table->columns && status == PM_OK; i++) {
    const char *title = reader->table->cells[i], *text = pm__csv_cell(reader->table, row->line, (int)i);
    if (text[0] != '\0' && !is_own(title)) status = set_field(reader, title, text, given, rate, error);
  }
  return status;
}

/* The framework that was named, or what completion takes. */
static void name_framework(const pm_study *study, const pm__lab_rate_reader *reader, const char *named,
                           pm__lab_rate *rate)
{
  bool calls = reader->inference;
  const pm_study_software found_for = pm_study_get_software(
    study, calls ? rate->call.profile_index : rate->plan.framework_index,
    calls ? rate->call.system_index : rate->plan.system_index);
  const pm_framework_profile *f = found_for.framework;
  const pm_inference_profile *p = found_for.profile;
  const char *found = f != NULL ? f->framework.id : p != NULL ? p->id : "";
  snprintf(rate->framework, sizeof rate->framework, "%.79s", named[0] != '\0' ? named : found);
}

/* By the rules of a study. */
static int complete(const pm__lab_rate_reader *reader, const pm_given *given, const char *framework,
                    pm__lab_rate *rate, pm_error *error)
{
  const pm_network *network = pm__lab_predictor_built_network(reader->predictor, rate->network);
  const pm_system *system = pm__lab_predictor_built_system(reader->predictor, rate->system);
  const pm_study_setup setup = {reader->catalog, &network, 1, &system, 1, &framework, framework[0] != '\0',
                                reader->task};
  void *run = run_in(reader, rate);
  pm_study *study = pm_study_new(&setup, error);
  if (study == NULL) return PM_STATUS_NOT_FOUND;
  size_t size = reader->inference ? sizeof rate->call : sizeof rate->plan;
  rate->plan.framework_index = rate->call.profile_index = 0;
  int status = pm_study_complete(study, given, run, run, size, 1, error);
  if (status == PM_OK) name_framework(study, reader, framework, rate);
  pm_study_free(study);
  return status;
}

/* What the rest of the laboratory reads of the run; micro-batches of which the fastest counts stay apart. */
static int take_run(const pm__lab_rate_reader *reader, pm__lab_rate *rate, pm_error *error)
{
  const pm_run *run = &rate->plan;
  const pm_inference_run *call = &rate->call;
  bool calls = reader->inference;
  rate->gpus = calls ? call->gpus : run->gpus;
  rate->nodes = calls ? call->nodes : run->nodes;
  rate->batch = calls ? call->batch : run->batch;
  rate->precision = calls ? call->precision : run->precision;
  rate->optimizer = run->optimizer;
  rate->accumulation = run->gradient_accumulation_steps;
  if (rate->micro_batches == 1) rate->micro_batch[0] = run->micro_batch;
  if (calls) rate->profile = pm__lab_predictor_profile(reader->predictor, rate->framework, error);
  else rate->profile = pm__lab_predictor_framework(reader->predictor, rate->framework, error);
  return rate->profile >= (calls ? 0 : -1) ? PM_OK : PM_STATUS_NOT_FOUND;
}

/* ---- What was measured ---- */

static int read_quantity(const pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate,
                         pm_error *error)
{
  double value = NAN;
  const pm_task_facts *facts = pm_task_get(reader->task);
  const pm__lab_quantity *quantity = pm__lab_quantity_find(cell(reader, row, "quantity"), error);
  if (quantity == NULL) return PM_STATUS_NOT_FOUND;
  if (quantity->of_memory == NULL && pm_record_find_field(pm_record_type_find(facts->answer), quantity->name) == NULL)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "a run of %s has no %s", facts->name, quantity->name);
  if (pm_number_parse(cell(reader, row, "value"), &value) != PM_OK || !(value > 0) || !isfinite(value))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "value \"%.40s\" of %s", cell(reader, row, "value"), quantity->name);
  rate->quantity = quantity;
  rate->measured = pm__lab_shown(quantity, value);
  rate->latency = strcmp(quantity->shown, "ms") == 0;
  rate->items = 1;
  return pm__lab_rank_read(cell(reader, row, "rank"), &rate->rank, error);
}

static int read_use(const pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  const char *use = cell(reader, row, "use"), *check = cell(reader, row, "check");
  const char *task = cell(reader, row, "task"), *name = pm_task_get(reader->task)->name;
  if (strcmp(use, "skip") == 0) return pm__fail(error, PM_STATUS_NOT_MODELLED, "left out: %.150s", check);
  if (task[0] != '\0' && strcmp(task, name) != 0)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "task \"%.40s\" in a set of %s", task, name);
  if (use[0] != '\0' && strcmp(use, "fit") != 0 && strcmp(use, "check") != 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "use \"%.40s\" is not fit, check or skip", use);
  rate->check = check;
  rate->unfit = strcmp(use, "check") == 0 ? check[0] != '\0' ? check : "for checks alone" : NULL;
  return PM_OK;
}

bool pm__lab_packed_is_memory(const pm__lab_rate_reader *reader, const pm__lab_row *row)
{
  const pm__lab_quantity *quantity = pm__lab_quantity_find(cell(reader, row, "quantity"), NULL);
  return quantity != NULL && quantity->of_memory != NULL;
}

int pm__lab_packed_read(const pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  pm_given given = {0};
  int status = read_use(reader, row, rate, error);
  if (status == PM_OK) status = set_fields(reader, row, &given, rate, error);
  if (status == PM_OK) status = read_quantity(reader, row, rate, error);
  if (status == PM_OK) status = read_network(reader, cell(reader, row, "network"), rate, error);
  if (status == PM_OK) status = read_machine(reader, cell(reader, row, "system"), rate, error);
  if (status == PM_OK) status = complete(reader, &given, cell(reader, row, "framework"), rate, error);
  return status == PM_OK ? take_run(reader, rate, error) : status;
}

/* ---- Groups ---- */

/* A degree of expert parallelism has an effect on networks with experts alone. */
bool pm__lab_packed_is_moe(const pm_network *network, const pm_run *run)
{
  const pm_field *field = pm_record_find_field(pm_record_type_find("run"), "expert_parallel");
  return pm_run_check_field(network, NULL, run, field, NULL) == PM_OK;
}

void pm__lab_packed_plan_group(const pm__lab_rate *rate, const pm__lab_row *row, const pm_network *network, char *group,
                               size_t size)
{
  char schedule[PM_TEXT_MAX] = "no-pipeline", source[PM_TEXT_MAX];
  const pm_run *run = &rate->plan;
  const pm_field *field = pm_record_find_field(pm_record_type_find("run"), "pipeline_schedule");
  if (run->virtual_pipeline > 1) snprintf(schedule, sizeof schedule, "interleaved");
  else if (run->pipeline_parallel > 1) pm_record_format(field, run, schedule);
  pm__lab_source_name(row->cell[PM__COLUMN_REPOSITORY], source, sizeof source);
  bool memory = rate->quantity->of_memory != NULL;
  snprintf(group, size, "%s%s%s %.20s %.12s zero-%d %.24s", memory ? rate->quantity->name : "", memory ? ", " : "",
           pm__lab_packed_is_moe(network, run) ? "moe" : "dense", rate->gpu, schedule, run->zero, source);
}

void pm__lab_packed_group(const pm__lab_rate *rate, const pm__lab_row *row, const pm_network *network, char *group,
                          size_t size)
{
  char source[PM_TEXT_MAX], rank[16] = "";
  bool doubted = rate->check != NULL && rate->check[0] != '\0' && strcmp(rate->check, "ok") != 0;
  pm__lab_source_name(row->cell[PM__COLUMN_REPOSITORY], source, sizeof source);
  if (rate->quantity->of_memory != NULL) pm__lab_rank_format(rate->rank, rank, sizeof rank);
  snprintf(group, size, "%s%s%s, %s %.24s, %s", rate->quantity->name, rank[0] != '\0' ? " " : "", rank,
           pm__lab_packed_is_moe(network, &rate->plan) ? "moe" : "dense", source, doubted ? "doubted" : "ok");
}
