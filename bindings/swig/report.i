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
** of; "": not named. `latency`: the limit that found the batches of calls; not a number: none. `field`: the only one
** that is explained; "": the whole. `currency` of prices; "": not named. */
static pm_report *study_report(pm_study *study, any_records runs, GIVEN, const char *dataset, double latency,
                               const char *field, const char *currency, pm_error *error)
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
      .of = field[0] != '\0' ? PM_REPORT_OF_FIELD : PM_REPORT_OF_ANSWERS, .given = &all, .runs = runs.data,
      .run_size = size, .answers = answers.data,
      .answer_size = answers.type->size, .count = count, .dataset = dataset[0] != '\0' ? dataset : NULL,
      .latency = latency, .field = field, .currency = currency};
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

/* Of two completed runs and their answers. */
static pm_report *comparison_report(const pm_study *study, any_records runs, any_records answers, GIVEN,
                                    pm_error *error)
{
  const pm_task_facts *facts = task_of(study);
  const pm_given all = given_of(facts->run, given, given_count, global_batch);
  size_t count = count_records(runs, facts->run, error);
  if (!as_many(count_records(answers, facts->answer, error), count, "predictions", error)) return NULL;
  const pm_report_question question = {
    .of = PM_REPORT_OF_COMPARISON, .given = &all, .runs = runs.data,
    .run_size = pm_record_type_find(facts->run)->size, .answers = answers.data,
    .answer_size = pm_record_type_find(facts->answer)->size, .count = count};
  return error->status == PM_OK ? pm_study_new_report(study, &question, error) : NULL;
}

/* The rows of its block of that name. */
static pm_table *report_table(const pm_report *report, const char *name, pm_error *error)
{
  const pm_report_block *block = NULL;
  for (size_t i = 0; (block = pm_report_get_block(report, i)) != NULL && strcmp(block->name, name) != 0;) i++;
  if (block == NULL || block->table == NULL)
    return fail(error, PM_STATUS_NOT_FOUND, "the report has no table \"%.60s\"", name), (pm_table *)NULL;
  char *packed = pm_table_pack(block->table, error);
  pm_table *table = packed != NULL ? pm_table_unpack(packed, error) : NULL;
  pm_string_free(packed);
  return table;
}

/* Its lines as a table. */
static pm_table *report_lines(const pm_report *report, pm_error *error)
{
  return pm_report_tabulate(report, error);
}
%}
