/* Memory of a GPU: what a completed run or call keeps, part by part and layer by layer; what would help. */

%{
/* What every layer keeps for a batch, as a table of "layer_memory" records. */
static pm_table *layer_memory(const pm_study *study, int network, int software, int system, double batch,
                              int precision, pm_error *error)
{
  pm_memory_profile profile;
  const pm_network *of = pm_study_get_network(study, network);
  records rows = records_new("layer_memory", of != NULL ? (size_t)pm_network_count_layers(of) : 0, error);
  if (of == NULL) fail(error, PM_STATUS_BAD_ARGUMENT, "the run is none of the study");
  if (error->status == PM_OK) pm_study_get_memory_profile(study, software, system, &profile, error);
  if (error->status == PM_OK) pm_memory_get_layers(of, &profile, batch, precision, (pm_layer_memory *)rows.data, error);
  return records_as_table(rows, error);
}
%}

%inline %{
/* One "memory_use" record: of the heaviest rank of one run. */
static records prediction_memory(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  records array = records_new("memory_use", 1, error);
  if (single(run_count, "run", error) && error->status == PM_OK)
    pm_prediction_get_memory(plan, run, (pm_memory_use *)array.data, error);
  return records_if_ok(array, error);
}

/* The same of one call. */
static records inference_memory(const pm_plan *plan, const pm_inference_run *inference_run,
                                size_t inference_run_count, pm_error *error)
{
  records array = records_new("memory_use", 1, error);
  if (single(inference_run_count, "inference_run", error) && error->status == PM_OK)
    pm_inference_get_memory(plan, inference_run, (pm_memory_use *)array.data, error);
  return records_if_ok(array, error);
}

/* What every layer keeps for a micro-batch of one run. */
static pm_table *prediction_layers(const pm_study *study, const pm_run *run, size_t run_count, pm_error *error)
{
  if (!single(run_count, "run", error)) return NULL;
  if (run->tensor_parallel * run->context_parallel * run->expert_parallel != 1) {
    fail(error, PM_STATUS_BAD_ARGUMENT, "layers are of a network that is not distributed over GPUs");
    return NULL;
  }
  double batch = isnan(run->micro_batch) ? run->batch : run->micro_batch;
  return layer_memory(study, run->network_index, run->framework_index, run->system_index, batch, run->precision,
                      error);
}

/* The same of one call. */
static pm_table *inference_layers(const pm_study *study, const pm_inference_run *inference_run,
                                  size_t inference_run_count, pm_error *error)
{
  const pm_inference_run *call = inference_run;
  if (!single(inference_run_count, "inference_run", error)) return NULL;
  return layer_memory(study, call->network_index, call->profile_index, call->system_index, call->batch,
                      call->precision, error);
}

/* What would help one run, as a table of "memory_advice" records. */
static pm_table *prediction_advice(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  enum { MOST = 32 };
  records rows = records_new("memory_advice", MOST, error);
  int count = 0;
  if (single(run_count, "run", error) && error->status == PM_OK)
    count = pm_prediction_get_advice(plan, run, (pm_memory_advice *)rows.data, rows.count, error);
  rows.count = count < 0 ? 0 : (size_t)count;
  return records_as_table(rows, error);
}
%}
