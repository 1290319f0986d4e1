/* Studies: made, completed, tabulated and searched. */
#include <stddef.h>
#include <string.h>
#include "works.h"

enum { RUNS = 3 };

/* A language model that several kinds of software run, so that a study has more than one plan. */
static pm_study *study_of(const char *framework, int32_t task, pm_error *error)
{
  const pm_network *network = with.decoder;
  const pm_system *system = with.large;
  const pm_study_setup setup = {with.catalog, &network, 1, &system, 1, &framework, framework != NULL, task};
  return pm_study_new(&setup, error);
}

static int table_of_runs(pm_study *study, const pm_given *given, const pm_run *runs, pm_error *error)
{
  pm_prediction predictions[RUNS];
  const pm_plan *plan = pm_study_get_plan(study, error);
  if (plan == NULL) return error->status;
  pm_predict(plan, runs, predictions, RUNS);
  int status = PM_OK;
  for (int i = 0; i < RUNS && status == PM_OK; i++) status = error->status = predictions[i].status;
  const pm_sweep sweep = {.runs = runs, .run_size = sizeof *runs, .answers = predictions,
                          .answer_size = sizeof *predictions, .count = RUNS};
  return status != PM_OK ? status : took_table(pm_study_tabulate(study, given, &sweep, error), error);
}

/* Plain, sharded, and with tensor parallelism: each has software of its own. */
static int runs_of(const char *framework, pm_error *error)
{
  pm_given given = {0};
  pm_run runs[RUNS];
  for (int i = 0; i < RUNS; i++) {
    runs[i] = pm_run_make();
    runs[i].framework_index = 0;
  }
  runs[1].zero = 3;
  runs[2].tensor_parallel = 4;
  pm_study *study = study_of(framework, PM_TASK_TRAINING, error);
  int status = study != NULL ? pm_study_complete(study, &given, runs, runs, sizeof *runs, RUNS, error) : error->status;
  if (status == PM_OK) status = table_of_runs(study, &given, runs, error);
  pm_study_free(study);
  return status;
}

static int unnamed(pm_error *error)
{
  return runs_of(NULL, error);
}

static int named(pm_error *error)
{
  return runs_of("pytorch-2.4", error);
}

static int calls(pm_error *error)
{
  pm_given given = {0};
  pm_inference_run run = pm_inference_run_make();
  pm_inference prediction;
  pm_study *study = study_of(NULL, PM_TASK_INFERENCE, error);
  int status = study != NULL ? pm_study_complete(study, &given, &run, &run, sizeof run, 1, error) : error->status;
  const pm_plan *plan = status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  if (status == PM_OK && plan == NULL) status = error->status;
  if (status == PM_OK) pm_infer(plan, &run, &prediction, 1);
  if (status == PM_OK) status = error->status = prediction.status;
  const pm_sweep sweep = {.task = PM_TASK_INFERENCE, .runs = &run, .run_size = sizeof run, .answers = &prediction,
                          .answer_size = sizeof prediction, .count = 1};
  if (status == PM_OK) status = took_table(pm_study_tabulate(study, &given, &sweep, error), error);
  pm_study_free(study);
  return status;
}

static int took_report(pm_report *report, pm_error *error)
{
  if (report == NULL) return error->status != PM_OK ? error->status : PM_STATUS_INTERNAL;
  int status = took_text(pm_report_format(report, PM_RENDERING_HTML, 0, error), error);
  pm_report_free(report);
  return status;
}

static int plans_of(pm_study *study, const pm_given *given, const pm_run *base, pm_error *error)
{
  pm_search *search = pm_study_new_search(study, given, base, 1, 8, error);
  pm_search_result *result = search != NULL ? pm_search_result_new(search, 3, PM_MINIMIZE_NODES, error) : NULL;
  int status = result != NULL ? pm_search_evaluate(search, 0, pm_search_count(search), result) : error->status;
  if (status == PM_OK)
    status = took_table(pm_study_tabulate_search(study, given, result, PM_SEARCH_VIEW_PLANS, error), error);
  else if (error->status == PM_OK) error->status = status;
  const pm_report_question question = {.of = PM_REPORT_OF_SEARCH, .given = given, .search = result, .global_batch = 8};
  if (status == PM_OK) status = took_report(pm_study_new_report(study, &question, error), error);
  pm_search_result_free(result);
  pm_search_free(search);
  return status;
}

static int deadline_of(pm_study *study, const pm_given *given, const pm_run *base, pm_error *error)
{
  pm_training_goal goal = pm_training_goal_make();
  goal.samples = goal.within = 1e6;
  goal.max_nodes = 1;
  return took_table(pm_study_tabulate_training(study, given, base, 8, &goal, error), error);
}

static int search(pm_error *error)
{
  pm_given given = {0};
  pm_run base = pm_search_base_make();
  base.recompute = PM_RECOMPUTE_NONE;
  base.micro_batch = 1;
  pm_study *study = study_of(NULL, PM_TASK_TRAINING, error);
  int status = study != NULL ? plans_of(study, &given, &base, error) : error->status;
  if (status == PM_OK) status = deadline_of(study, &given, &base, error);
  pm_study_free(study);
  return status;
}

/* Of a run that has hints, and of its memory. */
static int report_of(double batch, bool memory, pm_error *error)
{
  pm_given given = {0};
  pm_run run = pm_run_make();
  pm_prediction prediction = {.status = PM_OK};
  run.framework_index = 0;
  run.batch = batch;
  pm_given_add(&given, "run", "batch");
  pm_study *study = study_of(NULL, PM_TASK_TRAINING, error);
  int status = study != NULL ? pm_study_complete(study, &given, &run, &run, sizeof run, 1, error) : error->status;
  const pm_plan *plan = status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  if (status == PM_OK && plan == NULL) status = error->status;
  if (status == PM_OK) pm_predict(plan, &run, &prediction, 1);
  if (prediction.status == PM_STATUS_NO_MEMORY) status = error->status = PM_STATUS_NO_MEMORY;
  const pm_report_question question = {.of = memory ? PM_REPORT_OF_MEMORY : PM_REPORT_OF_ANSWERS, .given = &given,
                                       .runs = &run, .run_size = sizeof run, .answers = &prediction,
                                       .answer_size = sizeof prediction, .count = 1};
  if (status == PM_OK)
    status = took_report(pm_study_new_report(study, &question, error), error);
  pm_study_free(study);
  return status;
}

static int report(pm_error *error)
{
  return report_of(8, false, error);
}

static int report_of_memory(pm_error *error)
{
  return report_of(1e6, true, error);
}

const work study_works[] = {
  {"a study", unnamed, false, false, 100},
  {"a study of a framework", named, false, false, 100},
  {"a study of inference", calls, false, false, 100},
  {"a search of a study", search, false, false, 100},
  {"a report", report, false, false, 100},
  {"a report of memory", report_of_memory, false, false, 100},
  {NULL, NULL, false, false, 0},
};
