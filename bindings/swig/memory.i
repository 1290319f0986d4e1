/* Memory of a GPU: what a step needs, what every layer keeps, what would help. */

%apply (const pm_optimizer *optimizer, size_t optimizer_count) { (const pm_optimizer *others, size_t other_count) };

%{
static pm_memory_plan *memory_plan(const pm_network *network, const pm_memory_profile *profile, size_t profiles,
                                   const pm_optimizer *optimizer, size_t optimizers, pm_error *error)
{
  if (!single(profiles, "memory_profile", error) || !single(optimizers, "optimizer", error)) return NULL;
  return pm_memory_plan_new(network, profile, optimizer, error);
}
%}

%inline %{
/* One "memory_run" record: the defaults. */
static records memory_run_default(pm_error *error)
{
  pm_memory_run run = pm_memory_run_make();
  return record_copy("memory_run", &run, error);
}

/* One "memory_use" record per run. Raises if a single run has no answer. */
static records memory_use(const pm_network *network, const pm_memory_profile *memory_profile,
                          size_t memory_profile_count, const pm_optimizer *optimizer, size_t optimizer_count,
                          const pm_memory_run *memory_run, size_t memory_run_count, pm_error *error)
{
  pm_memory_plan *plan =
      memory_plan(network, memory_profile, memory_profile_count, optimizer, optimizer_count, error);
  records array = records_new("memory_use", memory_run_count, error);
  if (error->status == PM_OK && memory_run_count == 1) pm_memory_check(plan, memory_run, error);
  if (error->status == PM_OK) pm_memory_evaluate(plan, memory_run, (pm_memory_use *)array.data, memory_run_count);
  pm_memory_plan_free(plan);
  return records_if_ok(array, error);
}

/* What every layer keeps, as a table of "layer_memory" records. */
static pm_table *memory_layers(const pm_network *network, const pm_memory_profile *memory_profile,
                               size_t memory_profile_count, double batch, const char *precision, pm_error *error)
{
  int number = precision_number(precision, error);
  records rows = records_new("layer_memory", (size_t)pm_network_count_layers(network), error);
  if (single(memory_profile_count, "memory_profile", error) && error->status == PM_OK)
    pm_memory_get_layers(network, memory_profile, batch, number, (pm_layer_memory *)rows.data, error);
  return records_as_table(rows, error);
}

/* What would help one run, as a table of "memory_advice" records: changes of the run, and each of the other optimizers. */
static pm_table *memory_advice(const pm_network *network, const pm_memory_profile *memory_profile,
                               size_t memory_profile_count, const pm_optimizer *optimizer, size_t optimizer_count,
                               const pm_memory_run *memory_run, size_t memory_run_count, const pm_optimizer *others,
                               size_t other_count, pm_error *error)
{
  enum { OWN_CHANGES = 8 };
  pm_memory_plan *plan =
      memory_plan(network, memory_profile, memory_profile_count, optimizer, optimizer_count, error);
  records rows = records_new("memory_advice", other_count + OWN_CHANGES, error);
  int count = 0;
  if (single(memory_run_count, "memory_run", error) && error->status == PM_OK)
    count = pm_memory_get_advice(plan, memory_run, others, other_count, (pm_memory_advice *)rows.data, rows.count, error);
  rows.count = count < 0 ? 0 : (size_t)count;
  pm_memory_plan_free(plan);
  return records_as_table(rows, error);
}
%}
