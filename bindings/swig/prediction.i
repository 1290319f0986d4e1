/* Predictions of completed runs. */

%{
static unsigned extra_bits(double extra)
{
  return extra >= 0 && extra <= 65535 ? (unsigned)extra : ~0u;
}
%}

%inline %{
/* Raises if the run cannot be predicted, and says why; of one that does not fit, by how much. */
static void run_check(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  if (single(run_count, "run", error)) pm_run_check(plan, run, error);
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

/* One "prediction" record per run. `extra`: the sum of the bits of costly columns that are wanted; -1: all. */
static records predict(const pm_plan *plan, const pm_run *run, size_t run_count, double extra, pm_error *error)
{
  records array = records_new("prediction", run_count, error);
  if (array.data != NULL && pm_predict_columns(plan, extra_bits(extra), run, (pm_prediction *)array.data, run_count) != PM_OK)
    fail(error, PM_STATUS_BAD_ARGUMENT, "no plan or no runs");
  return records_if_ok(array, error);
}
%}

#if defined(SWIGPYTHON)
%inline %{
static void predict_into(const pm_plan *plan, const pm_run *run, size_t run_count, pm_prediction *RESULTS, size_t COUNT,
                         double extra, pm_error *error)
{
  if (run_count != COUNT)
    fail(error, PM_STATUS_BAD_ARGUMENT, "%lu runs but room for %lu predictions", (unsigned long)run_count,
         (unsigned long)COUNT);
  else if (pm_predict_columns(plan, extra_bits(extra), run, RESULTS, run_count) != PM_OK)
    fail(error, PM_STATUS_BAD_ARGUMENT, "no plan or no runs");
}
%}
#endif
