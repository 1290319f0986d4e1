/* Sizing backwards: what reaches a target. */

%apply (const double *NUMBERS, size_t COUNT) { (const double *prices, size_t price_count) };

%{
static records size_least(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  records array = records_new("size_choice", setup->count, error);
  if (array.data != NULL) pm_size_evaluate(setup, goal, (pm_size_choice *)array.data, error);
  return records_if_ok(array, error);
}

/* One record, or none if nothing takes less than the best. */
static records size_next(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  pm_error nothing = PM_ERROR_NONE;
  records all = size_least(setup, goal, error), array = records_new("size_choice", 1, error);
  if (error->status == PM_OK &&
      pm_size_find_next(setup, goal, (const pm_size_choice *)all.data, (pm_size_choice *)array.data, &nothing) != PM_OK)
    array.count = 0;
  records_free(&all);
  return records_if_ok(array, error);
}

static records size_front(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  enum { MOST = 4096 };
  records array = records_new("size_choice", MOST, error);
  int count = array.data != NULL ? pm_size_find_front(setup, goal, (pm_size_choice *)array.data, MOST, error) : 0;
  if (count >= 0) array.count = (size_t)count;
  return records_if_ok(array, error);
}

static records size_answer(const pm_size_setup *setup, const pm_size_goal *goal, const char *what, pm_error *error)
{
  if (strcmp(what, "least") == 0) return size_least(setup, goal, error);
  return strcmp(what, "next") == 0 ? size_next(setup, goal, error) : size_front(setup, goal, error);
}
%}

%inline %{
/* One "size_goal" record: the defaults. */
static records size_goal_default(pm_error *error)
{
  pm_size_goal goal = pm_size_goal_make();
  return record_copy("size_goal", &goal, error);
}

#define SIZE_QUESTION \
  const pm_size_goal *size_goal, size_t size_goal_count, any_records runs, const double *prices, size_t price_count, \
  INPUT_RECORDS, const pm_input_run *input_run, size_t input_run_count
#define SIZE_GIVEN \
  size_goal, size_goal_count, runs, prices, price_count, INPUT_GIVEN, input_run, input_run_count
%}

%{
/* The setup of a question, whose inputs are freed by the caller; its plan is NULL with an error. */
static pm_size_setup size_setup(const pm_plan *plan, const char *task, SIZE_QUESTION, pm_input_setup **inputs,
                                pm_error *error)
{
  pm_size_setup setup = {NULL, pm_task_find(task, error), NULL, 0, NULL, 0, NULL, NULL, sizeof *input_run};
  const pm_task_facts *facts = pm_task_get(setup.task);
  size_t count = facts != NULL ? count_records(runs, facts->run, error) : 0;
  *inputs = NULL;
  if (error->status == PM_OK && single(size_goal_count, "size_goal", error) &&
      as_many(price_count, count, "prices", error) && input_run_count > 0 &&
      as_many(input_run_count, count, "input runs", error))
    *inputs = input_setups(INPUT_GIVEN, count, error);
  for (size_t i = 0; *inputs != NULL && i < count; i++) pm_input_check(&(*inputs)[i], &input_run[i], error);
  if (error->status != PM_OK) return setup;
  setup.plan = plan;
  setup.choices = runs.data;
  setup.run_size = pm_record_type_find(facts->run)->size;
  setup.prices = prices;
  setup.count = count;
  setup.inputs = *inputs;
  setup.input_runs = *inputs != NULL ? input_run : NULL;
  return setup;
}
%}

%inline %{
/* "size_choice" records. Given: a plan, a task, one goal, choices as completed runs, the price of each, an input path
** for each choice or none. What is asked for: "least", "next" (what takes less than the first of least) or "front". */
static records size_choices(const pm_plan *plan, const char *task, SIZE_QUESTION, const char *what, pm_error *error)
{
  records array = {NULL, NULL, 0};
  pm_input_setup *inputs;
  const pm_size_setup setup = size_setup(plan, task, SIZE_GIVEN, &inputs, error);
  if (error->status == PM_OK) array = size_answer(&setup, size_goal, what, error);
  free(inputs);
  return array;
}

/* The report of what was found: the choices that are ranked first. `epochs_of`: the name of what an epoch is of. */
static pm_report *size_report(const pm_study *study, const pm_plan *plan, const char *task, SIZE_QUESTION, GIVEN,
                              const pm_size_choice *size_choice, size_t size_choice_count, const char *epochs_of,
                              pm_error *error)
{
  pm_input_setup *inputs;
  const pm_size_setup setup = size_setup(plan, task, SIZE_GIVEN, &inputs, error);
  const pm_given all = given_of(task_of(study)->run, given, given_count, global_batch);
  const pm_report_question question = {
    .of = PM_REPORT_OF_SIZES, .given = &all, .answers = size_choice, .answer_size = sizeof *size_choice,
    .count = size_choice_count,
    .dataset = epochs_of[0] != '\0' ? epochs_of : NULL, .goal = size_goal, .size = &setup};
  pm_report *report = error->status == PM_OK ? pm_study_new_report(study, &question, error) : NULL;
  free(inputs);
  return report;
}

/* The records as a table, with what was assumed of each. */
static pm_table *size_table(const pm_size_choice *size_choice, size_t size_choice_count, const char *const *NAMES,
                            size_t COUNT, pm_error *error)
{
  if (!as_many(COUNT, size_choice_count, "assumptions", error)) return NULL;
  pm_table *table = records_table("size_choice", size_choice, size_choice_count, error);
  if (table != NULL) pm_table_add_text(table, "assumed", "what was not given, and is taken to be", NAMES, error);
  if (table != NULL) pm_table_set_show(table, "assumed", PM_SHOW_MAIN | PM_SHOW_GIVEN | PM_SHOW_LINE);
  return table;
}
%}

%inline %{
#define SERVING_QUESTION \
  const pm_serving_goal *serving_goal, size_t serving_goal_count, any_records runs, const double *prices, \
  size_t price_count, GIVEN
%}

%{
/* What is asked; its plan is NULL with an error. */
static pm_serving_goal_setup serving_setup(pm_study *study, SERVING_QUESTION, pm_given *all, pm_error *error)
{
  *all = given_of("serving_run", given, given_count, global_batch);
  pm_serving_goal_setup setup = {NULL, all, runs.data, pm_record_type_find("serving_run")->size, 0, prices};
  setup.count = count_records(runs, "serving_run", error);
  if (single(serving_goal_count, "serving_goal", error) && as_many(price_count, setup.count, "prices", error) &&
      error->status == PM_OK)
    setup.plan = pm_study_get_plan(study, error);
  return setup;
}
%}

%inline %{
/* Layouts of serving within limits, best first, as a table. Given: a study whose plan has the runs, one goal, the
** completed runs with what was given of them, and the price of a GPU of each for an hour. */
static pm_table *serving_goal_table(pm_study *study, SERVING_QUESTION, pm_error *error)
{
  pm_given all;
  const pm_serving_goal_setup setup = serving_setup(study, serving_goal, serving_goal_count, runs, prices, price_count,
                                                    given, given_count, global_batch, &all, error);
  return setup.plan != NULL ? pm_study_tabulate_serving(study, &setup, serving_goal, error) : NULL;
}

/* Their report; where every layout is tried, with the front. */
static pm_report *serving_goal_report(pm_study *study, SERVING_QUESTION, const char *currency, pm_error *error)
{
  pm_given all;
  pm_report *report = NULL;
  const pm_serving_goal_setup setup = serving_setup(study, serving_goal, serving_goal_count, runs, prices, price_count,
                                                    given, given_count, global_batch, &all, error);
  if (setup.plan == NULL) return NULL;
  pm_serving_goal front = *serving_goal;
  front.front = 1;
  front.top = 0;
  int every = front.layouts == PM_SERVING_LAYOUTS_ALL;
  pm_table *rows = pm_study_tabulate_serving(study, &setup, serving_goal, error);
  pm_table *others = rows != NULL && every ? pm_study_tabulate_serving(study, &setup, &front, error) : NULL;
  const pm_report_question question = {.of = PM_REPORT_OF_SERVING, .given = &all, .runs = setup.runs,
                                       .run_size = setup.run_size, .goal = serving_goal, .table = rows,
                                       .front = others, .currency = currency};
  if (error->status == PM_OK) report = pm_study_new_report(study, &question, error);
  pm_table_free(rows);
  pm_table_free(others);
  return report;
}
%}
