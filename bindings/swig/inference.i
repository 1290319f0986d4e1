/* Inference: plans, predictions, the largest batch within a latency. */

/* Networks, systems, profiles (of each framework one for each system), one memory profile. */
%typemap(newfree) char *inference_warning "free($1);"
%inline %{
static pm_plan *inference_plan_new(const pm_network *const *networks, size_t network_count,
                                   const pm_system *const *systems, size_t system_count,
                                   const pm_inference_profile *inference_profile, size_t inference_profile_count,
                                   const pm_memory_profile *memory_profile, size_t memory_profile_count,
                                   pm_error *error)
{
  if (!single(memory_profile_count, "memory_profile", error)) return NULL;
  pm_plan *plan = pm_plan_new(networks, network_count, systems, system_count, error);
  if (plan != NULL && inference_profile_count % system_count != 0) {
    fail(error, PM_STATUS_BAD_ARGUMENT, "%lu profiles for %lu systems", (unsigned long)inference_profile_count, (unsigned long)system_count);
    pm_plan_free(plan);
    return NULL;
  }
  for (size_t i = 0; plan != NULL && i < inference_profile_count; i += system_count)
    if (pm_plan_add_inference_profile_by_system(plan, &inference_profile[i], system_count, memory_profile, error) < 0) {
      pm_plan_free(plan);
      return NULL;
    }
  return plan;
}

/* Why that profile never ran on the system's GPU; "" if it may have. */
static char *inference_warning(const pm_system *system, const pm_inference_profile *inference_profile,
                               size_t inference_profile_count, pm_error *error)
{
  pm_error warning = PM_ERROR_NONE;
  if (single(inference_profile_count, "inference_profile", error))
    pm_inference_profile_check_gpu(inference_profile, pm_system_get_gpu(system), &warning);
  return text_copy(warning.text, error);
}

/* One "inference_run" record: the defaults. */
static records inference_run_default(pm_error *error)
{
  pm_inference_run run = pm_inference_run_make();
  return record_copy("inference_run", &run, error);
}

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

/* Runs and their predictions as one table. */
static pm_table *inference_table(const pm_plan *plan, const pm_inference_run *inference_run,
                                 size_t inference_run_count, const pm_inference *inference, size_t inference_count,
                                 pm_error *error)
{
  if (!as_many(inference_count, inference_run_count, "predictions", error)) return NULL;
  return pm_inference_tabulate(plan, inference_run, inference, inference_count, error);
}
%}
