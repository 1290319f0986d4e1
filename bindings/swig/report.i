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
/* Of completed runs, which are predicted: one of training, calls of inference. `dataset`: the name of what an epoch is
** of; "": not named. `latency`: the limit that found the batches of calls; not a number: none. */
static pm_report *study_report(pm_study *study, any_records runs, GIVEN, const char *dataset, double latency,
                               pm_error *error)
{
  int32_t task = pm_study_get_task(study);
  const pm_task_facts *facts = task_of(study);
  const pm_given all = given_of(facts->run, given, given_count, global_batch);
  size_t count = count_records(runs, facts->run, error), size = pm_record_type_find(facts->run)->size;
  records answers = records_new(facts->answer, count, error);
  const pm_plan *plan = error->status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  pm_report *report = NULL;
  if (plan != NULL) {
    pm_task_predict(plan, task, ~0u, runs.data, size, answers.data, answers.type->size, count);
    const pm_report_question question = {
      .of = PM_REPORT_OF_ANSWERS, .given = &all, .runs = runs.data, .run_size = size, .answers = answers.data,
      .answer_size = answers.type->size, .count = count, .dataset = dataset[0] != '\0' ? dataset : NULL,
      .latency = latency};
    report = pm_study_new_report(study, &question, error);
  }
  records_free(&answers);
  return report;
}

/* Of the memory that one run takes. */
static pm_report *study_memory_report(pm_study *study, any_records runs, GIVEN, pm_error *error)
{
  const pm_task_facts *facts = task_of(study);
  const pm_given all = given_of(facts->run, given, given_count, global_batch);
  if (!single(count_records(runs, facts->run, error), facts->run, error)) return NULL;
  const pm_report_question question = {.of = PM_REPORT_OF_MEMORY, .given = &all, .runs = runs.data,
                                       .run_size = runs.bytes};
  return pm_study_new_report(study, &question, error);
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
