/* Reports: what there is to say of an answer, made by the library; languages only choose a rendering. */

%{
/* The place in pm_rendering, or -1 with an error. */
static int rendering_number(const char *name, pm_error *error)
{
  static const char *const names[] = {"text", "html", "markdown", "summary"};
  for (int i = 0; i < 4; i++)
    if (strcmp(name, names[i]) == 0) return i;
  fail(error, PM_STATUS_NOT_FOUND, "unknown rendering \"%.60s\"; it is text, html, markdown or summary", name);
  return -1;
}
%}

%inline %{
/* Of one completed run, which is predicted. `dataset`: the name of what an epoch is of; "": not named. */
static pm_report *study_report(pm_study *study, const pm_run *run, size_t run_count, GIVEN, const char *dataset,
                               pm_error *error)
{
  pm_prediction prediction;
  const pm_given all = given_of("run", given, given_count, global_batch);
  const pm_plan *plan = single(run_count, "run", error) ? pm_study_get_plan(study, error) : NULL;
  if (plan == NULL) return NULL;
  pm_predict_columns(plan, ~0u, run, &prediction, 1);
  return pm_study_new_report(study, &all, run, &prediction, dataset[0] != '\0' ? dataset : NULL, error);
}

/* Of one call, or of several. `latency`: the limit that found their batches; not a number: none. */
static pm_report *study_inference_report(pm_study *study, const pm_inference_run *inference_run,
                                         size_t inference_run_count, GIVEN, double latency, pm_error *error)
{
  pm_report *report = NULL;
  const pm_given all = given_of("inference_run", given, given_count, global_batch);
  const pm_plan *plan = pm_study_get_plan(study, error);
  pm_inference *answers = (pm_inference *)room(inference_run_count, sizeof *answers, error);
  if (plan != NULL && answers != NULL) {
    pm_infer(plan, inference_run, answers, inference_run_count);
    report = pm_study_new_inference_report(study, &all, inference_run, answers, inference_run_count, latency, error);
  }
  free(answers);
  return report;
}

/* Of the memory of a run, and of a call. */
static pm_report *study_memory_report(pm_study *study, const pm_run *run, size_t run_count, GIVEN, pm_error *error)
{
  const pm_given all = given_of("run", given, given_count, global_batch);
  return single(run_count, "run", error) ? pm_study_new_memory_report(study, &all, run, error) : NULL;
}

static pm_report *study_inference_memory_report(pm_study *study, const pm_inference_run *inference_run,
                                                size_t inference_run_count, GIVEN, pm_error *error)
{
  const pm_given all = given_of("inference_run", given, given_count, global_batch);
  if (!single(inference_run_count, "inference_run", error)) return NULL;
  return pm_study_new_inference_memory_report(study, &all, inference_run, error);
}

/* The whole as "text", "html", "markdown" or "summary". */
static char *report_format(const pm_report *report, const char *rendering, double width, pm_error *error)
{
  int found = rendering_number(rendering, error);
  return found < 0 ? NULL : pm_report_format(report, (pm_rendering)found, whole(width, "width", error), error);
}

/* Its lines as a table. */
static pm_table *report_lines(const pm_report *report, pm_error *error)
{
  return pm_report_tabulate(report, error);
}
%}
