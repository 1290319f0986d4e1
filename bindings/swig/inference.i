/* Inference: predictions of completed calls, the largest batch within a latency. */

%inline %{
/* One "inference" record per run. */
static records infer(const pm_plan *plan, const pm_inference_run *inference_run, size_t inference_run_count,
                     pm_error *error)
{
  records array = records_new("inference", inference_run_count, error);
  if (error->status == PM_OK) pm_infer(plan, inference_run, (pm_inference *)array.data, inference_run_count);
  return records_if_ok(array, error);
}

/* Raises if the run cannot be predicted, and says why. */
static void infer_check(const pm_plan *plan, const pm_inference_run *inference_run,
                        size_t inference_run_count, pm_error *error)
{
  if (single(inference_run_count, "inference_run", error)) pm_inference_check(plan, inference_run, error);
}

/* The run with the largest batch within a latency. */
static records infer_within(const pm_plan *plan, const pm_inference_run *inference_run,
                            size_t inference_run_count, double latency, pm_error *error)
{
  const records none = {NULL, NULL, 0};
  pm_inference prediction;
  if (!single(inference_run_count, "inference_run", error)) return none;
  pm_inference_run found = *inference_run;
  if (pm_inference_find_batch(plan, &found, latency, &prediction, error) != PM_OK) return none;
  return record_copy("inference_run", &found, error);
}
%}
