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

/* "size_choice" records. Given: a plan, a task, one goal, choices as completed runs, the price of each, an input path
** for each choice or none. What is asked for: "least", "next" (what takes less than the first of least) or "front". */
static records size_choices(const pm_plan *plan, const char *task, const pm_size_goal *size_goal,
                            size_t size_goal_count, any_records runs, const double *prices, size_t price_count,
                            INPUT_RECORDS, const pm_input_run *input_run, size_t input_run_count, const char *what,
                            pm_error *error)
{
  records array = {NULL, NULL, 0};
  pm_input_setup *inputs = NULL;
  const pm_task_facts *facts = task_named(task, error);
  size_t count = facts != NULL ? count_records(runs, facts->run, error) : 0;
  if (error->status == PM_OK && single(size_goal_count, "size_goal", error) &&
      as_many(price_count, count, "prices", error) && input_run_count > 0 &&
      as_many(input_run_count, count, "input runs", error))
    inputs = input_setups(INPUT_GIVEN, count, error);
  if (error->status != PM_OK) return array;
  const pm_size_setup setup = {plan, pm_task_find(task, error), runs.data, pm_record_type_find(facts->run)->size,
                               prices, count, inputs, inputs != NULL ? input_run : NULL, sizeof *input_run};
  for (size_t i = 0; inputs != NULL && i < count; i++) pm_input_check(&inputs[i], &input_run[i], error);
  if (error->status == PM_OK) array = size_answer(&setup, size_goal, what, error);
  free(inputs);
  return array;
}

/* The records as a table, with what was assumed of each. */
static pm_table *size_table(const pm_size_choice *size_choice, size_t size_choice_count, const char *const *NAMES,
                            size_t COUNT, pm_error *error)
{
  if (!as_many(COUNT, size_choice_count, "assumptions", error)) return NULL;
  pm_table *table = records_table("size_choice", size_choice, size_choice_count, error);
  if (table != NULL) pm_table_add_text(table, "assumed", "what was not given, and is taken to be", NAMES, error);
  if (table != NULL) pm_table_set_show(table, "assumed", PM_SHOW_MAIN | PM_SHOW_GIVEN);
  return table;
}
%}
