/* Reports of a study: the subject is put together, then every block adds its lines. */
#include "study/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "record/sized.h"
#include "study/blocks/blocks.h"

enum { LABELS = 17, MEMORY_LABELS = 24 }; /* characters that labels take */

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
  bool memory = s->answer == PM__STUDY_STEP_MEMORY || s->answer == PM__STUDY_CALL_MEMORY;
  pm_report *report = pm__report_new(memory ? MEMORY_LABELS : LABELS);
  for (size_t i = 0; report != NULL && i < sizeof blocks / sizeof blocks[0]; i++) {
    const pm__study_block *block = blocks[i].block;
    if (block->fill[s->answer] == NULL) continue;
    pm__report_open(report, blocks[i].name, block->title, block->style);
    block->fill[s->answer](s, report);
  }
  if (report != NULL) add_assumed(s, report);
  else pm_table_free(s->rows);
  return pm__report_finish(report, error);
}

/* ---- The subject ---- */

static int no_place(pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a report needs a study of its task, and a run that it completed");
}

/* What every answer has: where it was asked. */
static int find_place(pm__study_subject *s, const pm_study *study, const pm_given *given, int32_t network,
                      int32_t system, pm_error *error)
{
  bool known = study != NULL && given != NULL && study->plan_count > 0 && network >= 0 &&
               (size_t)network < study->built_networks && system >= 0 && (size_t)system < study->system_count;
  if (!known) return no_place(error);
  s->study = study;
  s->given = given;
  s->plan = study->plans[study->plan_count - 1];
  s->network = pm_study_get_network(study, network);
  s->system = study->systems[system];
  s->machine = pm_system_get_machine(s->system);
  s->gpu = pm_system_get_gpu(s->system);
  return pm_network_get_totals(study->networks[study->uses[network].network].own, &s->totals, error);
}

static int find_run(pm__study_subject *s, const pm_study *study, const pm_given *given, const void *run,
                    size_t run_size, pm_error *error)
{
  pm_run own;
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int status = pm__record_size_check("run", run_size, error);
  if (status != PM_OK) return status;
  s->run = *(const pm_run *)pm__record_read(&(pm__record_array){"run", run, run_size}, 0, &own);
  status = find_place(s, study, given, s->run.network_index, s->run.system_index, error);
  if (status != PM_OK) return status;
  s->framework = pm_study_get_software(study, s->run.framework_index, s->run.system_index).framework;
  int count = pm_study_get_assumptions(study, given, &s->run, sizeof s->run, rows);
  pm_assumptions_format(rows, count, s->assumed, sizeof s->assumed);
  return PM_OK;
}

static int find_call(pm__study_subject *s, const pm_study *study, const pm_given *given, const void *run,
                     size_t run_size, pm_error *error)
{
  pm_inference_run own;
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int status = pm__record_size_check("inference_run", run_size, error);
  if (status != PM_OK) return status;
  s->call = *(const pm_inference_run *)pm__record_read(&(pm__record_array){"inference_run", run, run_size}, 0, &own);
  status = find_place(s, study, given, s->call.network_index, s->call.system_index, error);
  if (status != PM_OK) return status;
  s->profile = pm_study_get_software(study, s->call.profile_index, s->call.system_index).profile;
  if (s->profile == NULL) return no_place(error);
  int count = pm_study_get_assumptions(study, given, &s->call, sizeof s->call, rows);
  pm_assumptions_format(rows, count, s->assumed, sizeof s->assumed);
  return PM_OK;
}

/* ---- Of calls ---- */

static size_t column_of(const pm_table *table, const char *name)
{
  size_t at = 0;
  while (at < pm_table_count_columns(table) && strcmp(pm_table_get_column(table, at)->name, name) != 0) at++;
  return at;
}

/* Whether a cell is the same in all rows as the cell of another column in the first, or in its own. */
static bool is_same(const pm_table *table, const char *name, const char *other, bool each)
{
  char one[PM_TEXT_MAX], two[PM_TEXT_MAX];
  size_t column = column_of(table, name), beside = column_of(table, other), rows = pm_table_count_rows(table);
  if (column == pm_table_count_columns(table) || beside == pm_table_count_columns(table)) return false;
  for (size_t i = 0; i < rows; i++)
    if (strcmp(pm_table_get_text(table, column, i, one), pm_table_get_text(table, beside, each ? i : 0, two)) != 0)
      return false;
  return true;
}

/* What the title says already; what was assumed of some rows only stays a column. */
static void drop_titled(pm__study_subject *s, pm_table *table)
{
  static const char *const titled[] = {"network", "system", "profile", "gpus", "nodes", "usable_memory", "total_gpus"};
  if (is_same(table, "total_gpus", "gpus", true)) pm_table_drop(table, "total_gpus");
  for (size_t i = 0; i < sizeof titled / sizeof titled[0]; i++)
    if (is_same(table, titled[i], titled[i], false)) pm_table_drop(table, titled[i]);
  if (is_same(table, "assumed", "assumed", false)) pm_table_drop(table, "assumed");
  else s->assumed[0] = '\0';
}

/* Predictions as the library knows them: of one step, or of calls, of several of which the report takes the table. */
static int find_predictions(pm__study_subject *s, const void *runs, size_t run_size, const pm__record_array *theirs,
                            size_t count, void **allocated, pm_error *error)
{
  int status = pm__record_size_check(theirs->type, theirs->size, error);
  const void *all = status == PM_OK ? pm__record_read_all(theirs, count, allocated, error) : NULL;
  if (all == NULL) return status == PM_OK ? PM_STATUS_NO_MEMORY : status;
  if (s->answer == PM__STUDY_STEP) return s->step = *(const pm_prediction *)all, PM_OK;
  s->calls = (const pm_inference *)all;
  s->inference = s->calls[0];
  if (count == 1) return PM_OK;
  const pm_sweep sweep = {.task = pm_study_get_task(s->study), .runs = runs, .run_size = run_size, .answers = s->calls,
                          .answer_size = sizeof *s->calls, .count = count};
  s->rows = pm_study_tabulate(s->study, s->given, &sweep, error);
  if (s->rows != NULL) drop_titled(s, s->rows);
  return s->rows != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* ---- Of memory ---- */

/* Whether or not it fits. */
static int find_memory(pm__study_subject *s, pm_error *error)
{
  pm_run run = s->run;
  run.ignore_memory = 1;
  if (s->answer == PM__STUDY_CALL_MEMORY) return pm_inference_get_memory(s->plan, &s->call, &s->use, error);
  int status = pm_prediction_get_memory(s->plan, &run, &s->use, error);
  if (status != PM_OK) return status;
  s->stage_count = pm_prediction_get_stages(s->plan, &run, NULL, 0, error);
  if (s->stage_count <= 0) return PM_STATUS_BAD_ARGUMENT;
  s->stages = (pm_stage *)calloc((size_t)s->stage_count, sizeof *s->stages);
  if (s->stages == NULL) return pm__no_memory(error);
  int count = pm_prediction_get_stages(s->plan, &run, s->stages, (size_t)s->stage_count, error);
  return count == s->stage_count ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* ---- All ---- */

pm_report *pm_study_new_report_sized(const pm_study *study, int32_t task, const pm_given *given, const void *runs,
                                     size_t run_size, const void *predictions, size_t prediction_size, size_t count,
                                     const char *dataset, double latency, pm_error *error)
{
  pm_report *report = NULL;
  void *allocated = NULL;
  bool memory = predictions == NULL, known = study != NULL && pm_study_get_task(study) == task;
  bool calls = known && study->task->software == PM__TASK_PROFILES;
  if (!known || runs == NULL || count == 0 || (count > 1 && !calls)) return no_place(error), report;
  pm__study_subject s = {.dataset = dataset, .latency = latency > 0 ? latency : (double)NAN, .call_count = count,
                         .answer = calls ? memory ? PM__STUDY_CALL_MEMORY : PM__STUDY_CALL
                                         : memory ? PM__STUDY_STEP_MEMORY : PM__STUDY_STEP};
  const pm__record_array theirs = {study->task->facts.answer, predictions, prediction_size};
  int status = calls ? find_call(&s, study, given, runs, run_size, error)
                     : find_run(&s, study, given, runs, run_size, error);
  if (status == PM_OK)
    status = memory ? find_memory(&s, error)
                    : find_predictions(&s, runs, run_size, &theirs, count, &allocated, error);
  if (status == PM_OK) report = write_report(&s, error);
  free(s.stages);
  free(allocated);
  return report;
}
