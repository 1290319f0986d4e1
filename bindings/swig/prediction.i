/* Predictions of completed runs. */

%{
static unsigned extra_bits(double extra)
{
  return extra >= 0 && extra <= 65535 ? (unsigned)extra : ~0u;
}
%}

%inline %{
/* Raises if the run of a task cannot be predicted, and says why; of one that does not fit, by how much. */
static void run_check(const pm_plan *plan, const char *task, any_records runs, pm_error *error)
{
  const pm_task_facts *facts = task_named(task, error);
  if (facts == NULL || !single(count_records(runs, facts->run, error), facts->run, error)) return;
  pm_task_check(plan, pm_task_find(task, error), runs.data, runs.bytes, error);
}

/* The run with the largest batch within a latency. */
static records run_find_batch(const pm_plan *plan, const char *task, any_records runs, double latency, pm_error *error)
{
  records run = {NULL, NULL, 0}, answers = {NULL, NULL, 0};
  const pm_task_facts *facts = task_named(task, error);
  if (facts == NULL || !single(count_records(runs, facts->run, error), facts->run, error)) return run;
  run = record_copy(facts->run, runs.data, error);
  answers = records_new(facts->answer, 1, error);
  if (error->status == PM_OK)
    pm_task_find_batch(plan, pm_task_find(task, error), latency, run.data, run.type->size, answers.data,
                       answers.type->size, error);
  records_free(&answers);
  return records_if_ok(run, error);
}

/* The timeline of one run, JSON. */
static char *prediction_trace(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  return single(run_count, "run", error) ? pm_prediction_format_trace(plan, run, error) : NULL;
}

/* The stages of one run as a table of "stage" records. */
static pm_table *prediction_stages(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  int count = single(run_count, "run", error) ? pm_prediction_get_stages(plan, run, NULL, 0, error) : 0;
  records rows = records_new("stage", count > 0 ? (size_t)count : 0, error);
  if (error->status == PM_OK) pm_prediction_get_stages(plan, run, (pm_stage *)rows.data, rows.count, error);
  return records_as_table(rows, error);
}

/* The bit of a column that costs as much as all others together; 0 of any other. */
static double extra_column(const char *name)
{
  return pm_extra_column_find(name);
}

/* One answer per run of a task. `extra`: the sum of the bits of costly columns that are wanted; -1: all. */
static records predict(const pm_plan *plan, const char *task, any_records runs, double extra, pm_error *error)
{
  records array = {NULL, NULL, 0};
  const pm_task_facts *facts = task_named(task, error);
  size_t count = facts != NULL ? count_records(runs, facts->run, error) : 0;
  if (error->status == PM_OK) array = records_new(facts->answer, count, error);
  if (error->status == PM_OK)
    pm_task_predict(plan, pm_task_find(task, error), extra_bits(extra), runs.data,
                    pm_record_type_find(facts->run)->size, array.data, array.type->size, count);
  return records_if_ok(array, error);
}
%}

#if defined(SWIGPYTHON)
%inline %{
/* The same into an array that is there already. */
static void predict_into(const pm_plan *plan, const char *task, any_records runs, void *RESULTS, size_t BYTES,
                         double extra, pm_error *error)
{
  const pm_task_facts *facts = task_named(task, error);
  if (facts == NULL) return;
  size_t count = count_records(runs, facts->run, error), size = pm_record_type_find(facts->answer)->size;
  if (!as_many(BYTES, count * size, "bytes of predictions", error) || error->status != PM_OK) return;
  pm_task_predict(plan, pm_task_find(task, error), extra_bits(extra), runs.data,
                  pm_record_type_find(facts->run)->size, RESULTS, size, count);
}
%}
#endif
