/* Reports of a study: the subject is put together, then every block adds its lines. */
#include "perfmodel/units.h"
#include "study/report.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "record/sized.h"
#include "search/parallel_search.h"
#include "study/blocks/blocks.h"
#include "study/served.h"

/* Characters that labels take. */
static size_t width_of(pm_report_of of)
{
  if (of == PM_REPORT_OF_FIELD) return 27;
  return of == PM_REPORT_OF_MEMORY || of == PM_REPORT_OF_INPUT ? 24 : 17;
}

/* ---- The document ---- */

typedef struct named_block {
  const char *name;
  const pm__study_block *block;
} named_block;

static const named_block blocks[] = {
#define BLOCK(name) {#name, &pm__study_block_##name},
  PM__STUDY_BLOCK_LIST(BLOCK)
#undef BLOCK
};

/* The summary ends with what was assumed. */
static void add_assumed(const pm__study_subject *s, pm_report *report)
{
  if (s->assumed[0] == '\0') return;
  pm__string_add(&report->summary, "; assumed: ");
  pm__string_add(&report->summary, s->assumed);
}

static pm_report *write_report(const pm__study_subject *s, pm_error *error)
{
  pm_report *report = pm__report_new(width_of(s->asked->of));
  for (size_t i = 0; report != NULL && i < sizeof blocks / sizeof blocks[0]; i++) {
    const pm__study_block *block = blocks[i].block;
    if (block->fill[s->asked->of] == NULL) continue;
    pm__report_open(report, blocks[i].name, block->title, block->style);
    block->fill[s->asked->of](s, report);
  }
  if (report != NULL) add_assumed(s, report);
  else pm_table_free(s->rows);
  return pm__report_finish(report, error);
}

/* ---- The subject ---- */

static int no_place(pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a report needs a study of its task, and a run completed by it");
}

/* Where it was asked, in what software, and what was assumed. */
static int find_place(pm__study_subject *s, pm_error *error)
{
  const pm_study *study = s->study;
  const pm__task_places *at = &s->task->at;
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int32_t network = pm__task_get(&s->record, at->network), system = pm__task_get(&s->record, at->system);
  bool predicted = s->asked->of == PM_REPORT_OF_ANSWERS || s->asked->of == PM_REPORT_OF_MEMORY ||
                   s->asked->of == PM_REPORT_OF_SERVING || s->asked->of == PM_REPORT_OF_FIELD;
  size_t networks = predicted ? study->built_networks : study->use_count;
  bool known = network >= 0 && (size_t)network < networks && system >= 0 && (size_t)system < study->system_count;
  if (!known) return no_place(error);
  if (predicted) s->plan = study->plans[study->plan_count - 1];
  s->network = pm_study_get_network(study, network);
  s->system = study->systems[system];
  s->machine = pm_system_get_machine(s->system);
  s->gpu = pm_system_get_gpu(s->system);
  s->software = pm_study_get_software(study, pm__task_get(&s->record, at->software), system);
  if (s->task->software == PM__TASK_PROFILES && s->software.profile == NULL) return no_place(error);
  int count = pm_study_get_assumptions(study, s->given, &s->record, at->size, rows);
  pm_assumptions_format(rows, count, s->assumed, sizeof s->assumed);
  return pm_network_get_totals(study->networks[study->uses[network].network].own, &s->totals, error);
}

/* The run, as the library knows it. */
static int find_run(pm__study_subject *s, const void *run, size_t run_size, pm_error *error)
{
  pm__task_record own;
  if (s->study == NULL || run == NULL || s->given == NULL) return no_place(error);
  int status = pm__record_size_check(s->task->facts.run, run_size, error);
  if (status != PM_OK) return status;
  const void *read = pm__record_read(&(pm__record_array){s->task->facts.run, run, run_size}, 0, &own);
  memcpy(&s->record, read, s->task->at.size);
  if (s->trains) memcpy(&s->run, read, sizeof s->run);
  return find_place(s, error);
}

/* ---- Of several runs ---- */

static size_t column_of(const pm_table *table, const char *name)
{
  size_t at = 0;
  while (at < pm_table_count_columns(table) && strcmp(pm_table_get_column(table, at)->name, name) != 0) at++;
  return at;
}

/* Whether a column is the same in all rows. */
static bool is_same(const pm_table *table, const char *name)
{
  char one[PM_TEXT_MAX], two[PM_TEXT_MAX];
  size_t column = column_of(table, name), rows = pm_table_count_rows(table);
  if (column == pm_table_count_columns(table)) return false;
  for (size_t i = 1; i < rows; i++)
    if (strcmp(pm_table_get_text(table, column, i, one), pm_table_get_text(table, column, 0, two)) != 0) return false;
  return true;
}

/* What the title says already; what was assumed of some rows only stays a column. */
static void drop_titled(pm__study_subject *s, pm_table *table)
{
  static const char *const titled[] = {"network", "system", "profile", "gpus", "nodes", "usable_memory", "total_gpus",
                                       "assumed"};
  for (size_t i = 0; i < sizeof titled / sizeof titled[0]; i++)
    if (is_same(table, titled[i])) pm_table_drop(table, titled[i]);
  if (column_of(table, "assumed") < pm_table_count_columns(table)) s->assumed[0] = '\0';
}

/* Predictions as the library knows them; of several the report takes the table. */
static int find_predictions(pm__study_subject *s, void **allocated, pm_error *error)
{
  const pm_report_question *q = s->asked;
  const pm__record_array theirs = {s->task->facts.answer, q->answers, q->answer_size};
  int status = q->answers == NULL || q->count == 0 || (q->count > 1 && s->trains)
                 ? no_place(error) : pm__record_size_check(theirs.type, theirs.size, error);
  s->answers = status == PM_OK ? pm__record_read_all(&theirs, q->count, allocated, error) : NULL;
  if (s->answers == NULL) return status == PM_OK ? PM_STATUS_NO_MEMORY : status;
  s->count = q->count;
  s->outcome = s->task->read(s->answers);
  if (s->trains) s->step = *(const pm_prediction *)s->answers;
  if (s->count == 1) return PM_OK;
  const pm_sweep sweep = {.task = pm_study_get_task(s->study), .runs = q->runs, .run_size = q->run_size,
                          .answers = s->answers, .answer_size = s->task->answer_size, .count = s->count};
  s->rows = pm_study_tabulate(s->study, s->given, &sweep, error);
  if (s->rows != NULL) drop_titled(s, s->rows);
  return s->rows != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* ---- Of memory ---- */

/* Whether or not it fits; of training, stage by stage. */
static int find_memory(pm__study_subject *s, pm_error *error)
{
  pm_run run = s->run;
  run.ignore_memory = 1;
  int status = s->task->get_memory(s->plan, s->trains ? (const void *)&run : (const void *)&s->record, &s->use, error);
  if (status == PM_OK && !s->trains) status = s->task->predict(s->plan, 0, &s->record, &s->answer, 1);
  s->answers = &s->answer;
  if (status != PM_OK || !s->trains) return status;
  s->stage_count = pm_prediction_get_stages(s->plan, &run, NULL, 0, error);
  if (s->stage_count <= 0) return PM_STATUS_BAD_ARGUMENT;
  s->stages = (pm_stage *)calloc((size_t)s->stage_count, sizeof *s->stages);
  if (s->stages == NULL) return pm__no_memory(error);
  int count = pm_prediction_get_stages(s->plan, &run, s->stages, (size_t)s->stage_count, error);
  return count == s->stage_count ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* ---- Of one field ---- */

/* The field of a prediction that is good, and its formula; of memory its parts too. */
static int find_field(pm__study_subject *s, void **allocated, pm_error *error)
{
  const char *name = s->asked->field != NULL ? s->asked->field : "";
  s->field = pm_record_find_field(s->answer_type, name);
  if (s->field == NULL || !pm__task_formula_find(s->task, name, &s->formula)) {
    const char *meant = pm_field_find_meant(s->answer_type, name);
    const char *unit = s->task->facts.unit;
    if (meant == NULL)
      return pm__fail(error, PM_STATUS_NOT_FOUND, "a %s has no field \"%.60s\": it is a column of its table, such "
                                                  "as throughput", unit, name);
    return pm__fail(error, PM_STATUS_NOT_FOUND, "a %s has no field \"%.60s\"; did you mean \"%s\"?", unit, name,
                    meant);
  }
  int status = find_predictions(s, allocated, error);
  if (status != PM_OK || s->count != 1) return status != PM_OK ? status : no_place(error);
  if (s->outcome.status != PM_OK)
    return pm__fail(error, s->outcome.status, "there is no prediction to explain: %s",
                    pm_status_get_text(s->outcome.status));
  bool memory = strcmp(name, "memory") == 0 && !pm__study_serves(s);
  return memory ? s->task->get_memory(s->plan, &s->record, &s->use, error) : PM_OK;
}

/* ---- Of two runs ---- */

/* Both must have a prediction. What was assumed of both is said, of one alone it is a difference. */
static int find_two(pm__study_subject *s, void **allocated, pm_error *error)
{
  const pm_report_question *q = s->asked;
  const pm__record_array theirs = {s->task->facts.answer, q->answers, q->answer_size};
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  char other[sizeof s->assumed];
  if (q->answers == NULL || q->count != 2)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a comparison needs two runs, and has %zu", q->count);
  int status = pm__record_size_check(theirs.type, theirs.size, error);
  s->answers = status == PM_OK ? pm__record_read_all(&theirs, q->count, allocated, error) : NULL;
  if (s->answers == NULL) return status == PM_OK ? PM_STATUS_NO_MEMORY : status;
  s->count = q->count;
  s->outcome = s->task->read(s->answers);
  for (size_t i = 0; i < 2; i++) {
    int32_t own = s->task->read((const char *)s->answers + i * s->task->answer_size).status;
    if (own != PM_OK)
      return pm__fail(error, own, "the %s run has no prediction: %s", i == 0 ? "first" : "second",
                      pm_status_get_text(own));
  }
  int count = pm_study_get_assumptions(s->study, s->given, (const char *)q->runs + q->run_size, q->run_size, rows);
  pm_assumptions_format(rows, count, other, sizeof other);
  if (strcmp(other, s->assumed) != 0) s->assumed[0] = '\0';
  return PM_OK;
}

/* ---- Of what many runs have answered ---- */

/* The best choice: of a global batch, its batch is no assumption. */
static int find_choice(pm__study_subject *s, pm_given *given, pm_error *error)
{
  const pm_report_question *q = s->asked;
  const pm_size_choice *best = (const pm_size_choice *)q->answers;
  bool known = best != NULL && q->count > 0 && q->goal != NULL && q->size != NULL && q->given != NULL &&
               best->choice >= 0 && (size_t)best->choice < q->size->count;
  if (!known) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a report of sizes needs a setup, a goal and choices");
  *given = *q->given;
  s->given = given;
  if (!isnan(((const pm_size_goal *)q->goal)->global_batch)) {
    given->global_batch = 1;
    pm_given_add(given, s->task->facts.run, "batch");
  }
  return find_run(s, (const char *)q->size->choices + (size_t)best->choice * q->size->run_size, q->size->run_size,
                  error);
}

/* "..., global batch 1024": of a search, where it was not given. */
static void assume_global_batch(pm__study_subject *s, double samples)
{
  char number[PM_NUMBER_MAX];
  size_t used = strlen(s->assumed);
  if (isnan(s->asked->global_batch))
    snprintf(s->assumed + used, sizeof s->assumed - used, "%sglobal batch %s of 4 Mi tokens", used > 0 ? ", " : "",
             pm_number_format(number, samples));
}

static double first_number(const pm_table *table, const char *name)
{
  size_t column = column_of(table, name);
  return column < pm_table_count_columns(table) ? pm_table_get_numbers(table, column)[0] : (double)NAN;
}

/* The best plan, which decides batch and micro-batch. */
static int find_best(pm__study_subject *s, pm_given *given, pm_error *error)
{
  size_t number;
  const pm_search_result *result = s->asked->search;
  if (!s->trains || s->given == NULL || pm_search_result_get_plan(result, s->asked->view, 0, &number) != PM_OK)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a report of a search needs a plan that fits, and the given fields");
  *given = *s->given;
  s->given = given;
  pm_given_add(given, "run", "batch");
  pm_given_add(given, "run", "micro_batch");
  const pm_run best = pm__search_run_of(result->search, number);
  int status = find_run(s, &best, sizeof best, error);
  assume_global_batch(s, result->search->global_batch);
  return status;
}

/* Plans of a deadline differ in all but precision and optimizer: no more is assumed of their run. Of several systems it
** is that on the first, the best. */
static int find_base(pm__study_subject *s, pm_error *error)
{
  const pm_report_question *q = s->asked;
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  if (!s->trains || q->goal == NULL || q->table == NULL || pm_table_count_rows(q->table) == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a report of a deadline needs a run, a goal and their table");
  int status = find_run(s, q->runs, q->run_size, error), kept = 0;
  double system = first_number(q->table, "choice");
  if (status == PM_OK && s->study->system_count > 1 && system >= 0 && system < (double)s->study->system_count) {
    s->run.system_index = (int32_t)system;
    status = find_run(s, &s->run, sizeof s->run, error);
  }
  int count = status == PM_OK ? pm_study_get_assumptions(s->study, s->given, &s->run, sizeof s->run, rows) : 0;
  for (int i = 0; i < count; i++)
    if (strcmp(rows[i].field, "precision") == 0 || strcmp(rows[i].field, "optimizer") == 0) rows[kept++] = rows[i];
  pm_assumptions_format(rows, kept, s->assumed, sizeof s->assumed);
  assume_global_batch(s, first_number(q->table, "global_batch"));
  return status;
}

/* The run of the best layout; what was assumed of it, and of the limits. */
static int find_served(pm__study_subject *s, pm_error *error)
{
  const pm_report_question *q = s->asked;
  bool serves = s->task->software == PM__TASK_ENGINES && q->goal != NULL && q->runs != NULL && q->given != NULL;
  s->served = serves ? pm__study_served_rows(q->table) : NULL;
  if (s->served == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a report of serving needs runs, a goal and their table");
  s->served_count = pm_table_count_rows(q->table);
  int status = find_run(s, (const char *)q->runs + (size_t)s->served->choice * q->run_size, q->run_size, error);
  if (status == PM_OK)
    pm__study_served_assumed(s->study, q->given, (const pm_serving_goal *)q->goal,
                             (const pm_serving_run *)(const void *)&s->record, s->assumed, sizeof s->assumed);
  return status;
}

/* ---- All ---- */

/* The subject of each kind of report. */
static int find_subject(pm__study_subject *s, pm_given *given, void **allocated, pm_error *error)
{
  const pm_report_question *q = s->asked;
  bool input = q->of == PM_REPORT_OF_INPUT;
  if (input && (q->input == NULL || q->input_run == NULL || q->answers == NULL)) return no_place(error);
  if (input && q->runs == NULL) return PM_OK;
  if (s->study == NULL) return no_place(error);
  if (q->of == PM_REPORT_OF_SIZES) return find_choice(s, given, error);
  if (q->of == PM_REPORT_OF_SEARCH) return find_best(s, given, error);
  if (q->of == PM_REPORT_OF_DEADLINE) return find_base(s, error);
  if (q->of == PM_REPORT_OF_SERVING) return find_served(s, error);
  bool rows = q->of == PM_REPORT_OF_SENSITIVITIES || q->of == PM_REPORT_OF_UPGRADES;
  if (rows && (q->answers == NULL || q->count == 0)) return no_place(error);
  int status = find_run(s, q->runs, q->run_size, error);
  if (status == PM_OK && q->of == PM_REPORT_OF_MEMORY) status = find_memory(s, error);
  if (status == PM_OK && q->of == PM_REPORT_OF_COMPARISON) status = find_two(s, allocated, error);
  if (status == PM_OK && q->of == PM_REPORT_OF_FIELD) status = find_field(s, allocated, error);
  if (status == PM_OK && q->of == PM_REPORT_OF_ANSWERS) status = find_predictions(s, allocated, error);
  return status;
}

pm_report *pm_study_new_report(const pm_study *study, const pm_report_question *question, pm_error *error)
{
  pm_report *report = NULL;
  void *allocated = NULL;
  pm_given given = {0};
  if (question == NULL || (unsigned)question->of >= PM_REPORT_OF_COUNT) return no_place(error), report;
  pm__study_subject s = {.asked = question, .study = study, .given = question->given,
                         .latency = question->latency > 0 ? question->latency : (double)NAN};
  if (study != NULL) {
    s.task = study->task;
    s.trains = strcmp(s.task->facts.run, "run") == 0;
    s.run_type = pm_record_type_find(s.task->facts.run);
    s.answer_type = pm_record_type_find(s.task->facts.answer);
  }
  if (find_subject(&s, &given, &allocated, error) == PM_OK) report = write_report(&s, error);
  free(s.stages);
  free(s.served);
  free(allocated);
  return report;
}
