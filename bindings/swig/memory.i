/* Memory of a GPU: what a completed run or call keeps, part by part and layer by layer; what would help. */

%{
/* A number of a run, or what it is to a task whose runs have no such field. */
static double number_of(const pm_record_type *type, const void *run, const char *name, double without)
{
  const pm_field *field = pm_record_find_field(type, name);
  return field != NULL ? pm_record_get_number(field, run) : without;
}

static double degree_of(const pm_record_type *type, const void *run, const char *name)
{
  return number_of(type, run, name, 1);
}

/* What every layer keeps for a batch, as a table of "layer_memory" records. */
static pm_table *layer_memory(const pm_study *study, int network, int software, int system, double batch,
                              int precision, pm_error *error)
{
  const pm_memory_profile *profile = pm_study_get_software(study, software, system).memory;
  const pm_network *of = pm_study_get_network(study, network);
  records rows = records_new("layer_memory", of != NULL ? (size_t)pm_network_count_layers(of) : 0, error);
  if (of == NULL || profile == NULL) fail(error, PM_STATUS_BAD_ARGUMENT, "the run is none of the study");
  if (error->status == PM_OK) pm_memory_get_layers(of, profile, batch, precision, (pm_layer_memory *)rows.data, error);
  return records_as_table(rows, error);
}
%}

%inline %{
/* One "memory_use" record: of the heaviest rank of one run of a task. */
static records run_memory(const pm_plan *plan, const char *task, any_records runs, pm_error *error)
{
  records array = records_new("memory_use", 1, error);
  const pm_task_facts *facts = task_named(task, error);
  if (facts != NULL && single(count_records(runs, facts->run, error), facts->run, error) && error->status == PM_OK)
    pm_task_get_memory(plan, pm_task_find(task, error), runs.data, runs.bytes, (pm_memory_use *)array.data,
                       sizeof(pm_memory_use), error);
  return records_if_ok(array, error);
}

/* What every layer keeps for a batch, or a micro-batch, of one run. */
static pm_table *run_layers(const pm_study *study, any_records runs, pm_error *error)
{
  const pm_task_facts *facts = task_of(study);
  const pm_record_type *type = pm_record_type_find(facts->run);
  if (!single(count_records(runs, facts->run, error), facts->run, error)) return NULL;
  if (degree_of(type, runs.data, "tensor_parallel") * degree_of(type, runs.data, "context_parallel") *
        degree_of(type, runs.data, "expert_parallel") != 1) {
    fail(error, PM_STATUS_BAD_ARGUMENT, "layers are of a network that is not distributed over GPUs");
    return NULL;
  }
  double micro_batch = number_of(type, runs.data, "micro_batch", NAN);
  return layer_memory(study, (int)number_of(type, runs.data, "network_index", 0),
                      (int)number_of(type, runs.data, facts->software, 0),
                      (int)number_of(type, runs.data, "system_index", 0),
                      isnan(micro_batch) ? number_of(type, runs.data, "batch", NAN) : micro_batch,
                      (int)number_of(type, runs.data, "precision", 0), error);
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
