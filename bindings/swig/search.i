/* The best parallel plan. Counts cross as doubles. */

PM_OWNED(pm_search)
PM_OWNED(pm_search_result)

double pm_search_count(const pm_search *search);
double pm_search_result_count(const pm_search_result *result, int fitting);

%{
/* The view of that name, "plans", "front", "why", "choices" or "fastest"; of another one that the library refuses. */
static pm_search_view view_named(const char *which)
{
  static const char *const names[] = {"plans", "front", "why", "choices", "fastest"};
  int view = 0;
  while (view < 5 && strcmp(which, names[view]) != 0) view++;
  return (pm_search_view)view;
}

/* The place of the system in the first row. */
static int32_t first_system(const pm_table *table)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, "choice") == 0 && pm_table_count_rows(table) > 0)
      return (int32_t)pm_table_get_numbers(table, i)[0];
  return 0;
}
%}

%{
/* The runs that a search starts from: what plans decide is free where no axis says it. */
static records search_bases(AXES, pm_error *error)
{
  pm_run base = pm_search_base_make();
  base.framework_index = 0;
  return space_runs("run", &base, AXES_GIVEN, error);
}
%}

%inline %{
/* All plans of every combination of the axes, each completed. */
static pm_search *search_new(pm_study *study, AXES, double global_batch, pm_error *error)
{
  pm_search *search = NULL;
  records bases = search_bases(AXES_GIVEN, error);
  const pm_given all = given_of("run", axes, axis_count, 0);
  if (error->status == PM_OK)
    search = pm_study_new_search(study, &all, (const pm_run *)bases.data, bases.count, global_batch, error);
  records_free(&bases);
  return search;
}

static pm_search_result *search_result_new(const pm_search *search, double top, const char *minimize, pm_error *error)
{
  pm_training_goal goal = pm_training_goal_make();
  size_t most = plan_number(top, "top", error);
  const pm_field *field = pm_record_find_field(pm_record_type_find("training_goal"), "minimize");
  if (error->status == PM_OK) pm_record_set(field, &goal, minimize, error);
  return error->status == PM_OK ? pm_search_result_new(search, most, (pm_minimize)goal.minimize, error) : NULL;
}

/* Plans first .. last - 1 into the result. */
static void search_evaluate(const pm_search *search, double first, double last, pm_search_result *result,
                            pm_error *error)
{
  size_t from = plan_number(first, "first", error), to = plan_number(last, "last", error);
  int status = error->status == PM_OK ? pm_search_evaluate(search, from, to, result) : PM_OK;
  if (status != PM_OK)
    fail(error, status, "plans %.0f to %.0f are not those of the search and its result", first, last);
}

static void search_result_add(pm_search_result *result, const pm_search_result *other, pm_error *error)
{
  int status = pm_search_result_add(result, other);
  if (status != PM_OK) fail(error, status, "results of different searches are not added");
}

/* Samples of a step over all GPUs, of every plan. */
static double search_global_batch(const pm_search *search)
{
  pm_run run;
  return pm_search_get_run(search, 0, &run) == PM_OK ? run.batch * pm_run_get_data_parallel(&run) : (double)NAN;
}

/* "run" records of what is kept: of the "plans", the "fastest" or the "front". */
static records search_runs(const pm_search *search, const pm_search_result *result, const char *which, pm_error *error)
{
  pm_search_view view = view_named(which);
  size_t count = 0, number;
  while (pm_search_result_get_plan(result, view, count, &number) == PM_OK) count++;
  records array = records_new("run", count, error);
  for (size_t i = 0; array.data != NULL && i < array.count; i++)
    if (pm_search_result_get_plan(result, view, i, &number) == PM_OK)
      pm_search_get_run(search, number, (pm_run *)array.data + i);
  return records_if_ok(array, error);
}

/* What was found as a table: the "plans" or the "front" with their predictions, "why" the first, or all "choices". */
static pm_table *search_table(const pm_study *study, const pm_search_result *result, const char *which, GIVEN,
                              pm_error *error)
{
  const pm_given all = given_of("run", given, given_count, global_batch);
  return pm_study_tabulate_search(study, &all, result, view_named(which), error);
}

/* The report of what was found, of the search for so many samples of a step. */
static pm_report *search_report(const pm_study *study, const pm_search_result *result, GIVEN, double samples,
                                pm_error *error)
{
  const pm_given all = given_of("run", given, given_count, global_batch);
  const pm_report_question question = {.of = PM_REPORT_OF_SEARCH, .given = &all, .search = result,
                                       .global_batch = samples};
  return pm_study_new_report(study, &question, error);
}

/* One "training_goal" record: the defaults. */
static records training_goal_default(pm_error *error)
{
  pm_training_goal goal = pm_training_goal_make();
  return record_copy("training_goal", &goal, error);
}

/* Counts of nodes up to the first whose best plan meets the deadline; of several systems each with its fewest nodes.
** The axes have one value each, but of the systems, of which each has a goal. */
static pm_table *training_table(pm_study *study, AXES, double global_batch, const pm_training_goal *training_goal,
                                size_t training_goal_count, pm_error *error)
{
  pm_table *table = NULL;
  records bases = search_bases(AXES_GIVEN, error);
  const pm_given all = given_of("run", axes, axis_count, 0);
  if (error->status == PM_OK && as_many(training_goal_count, bases.count, "training_goal", error))
    table = pm_study_tabulate_training(study, &all, (const pm_run *)bases.data, global_batch, training_goal, error);
  records_free(&bases);
  return table;
}

/* The report of that table. */
static pm_report *training_report(pm_study *study, AXES, double global_batch, const pm_training_goal *training_goal,
                                  size_t training_goal_count, const pm_table *table,
                                  const char *currency, pm_error *error)
{
  pm_report *report = NULL;
  records bases = search_bases(AXES_GIVEN, error);
  const pm_given all = given_of("run", axes, axis_count, 0);
  const pm_report_question question = {.of = PM_REPORT_OF_DEADLINE, .given = &all, .runs = bases.data,
                                       .run_size = sizeof(pm_run), .goal = training_goal, .table = table,
                                       .global_batch = global_batch, .currency = currency};
  if (error->status != PM_OK || !as_many(training_goal_count, bases.count, "training_goal", error) ||
      bases.count == 0)
    return records_free(&bases), report;
  ((pm_run *)bases.data)->system_index = first_system(table);
  if (pm_study_complete(study, &all, bases.data, bases.data, sizeof(pm_run), 1, error) == PM_OK)
    report = pm_study_new_report(study, &question, error);
  records_free(&bases);
  return report;
}
%}
