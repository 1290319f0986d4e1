/* Input paths: from storage to the GPUs. */

%apply (const pm_study *const *HANDLES, size_t COUNT) { (const pm_study *const *studies, size_t study_count) };

/* An input path is seven records and how it is run; several are as many of each. None: none of each. */
%inline %{
#define INPUT_RECORDS \
  const pm_dataset *dataset, size_t dataset_count, const pm_storage *storage, size_t storage_count, \
  const pm_storage_access *storage_access, size_t storage_access_count, const pm_decoder *decoder, \
  size_t decoder_count, const pm_loader *loader, size_t loader_count, const pm_machine *machine, size_t machine_count, \
  const pm_prediction_interval *input_interval, size_t input_interval_count
#define INPUT_GIVEN \
  dataset, dataset_count, storage, storage_count, storage_access, storage_access_count, decoder, decoder_count, \
  loader, loader_count, machine, machine_count, input_interval, input_interval_count
%}

%{
/* So many paths, to be freed. NULL with an error. */
static pm_input_setup *input_setups(INPUT_RECORDS, size_t count, pm_error *error)
{
  if (!as_many(dataset_count, count, "datasets", error) || !as_many(storage_count, count, "storages", error) ||
      !as_many(storage_access_count, count, "accesses", error) || !as_many(decoder_count, count, "decoders", error) ||
      !as_many(loader_count, count, "loaders", error) || !as_many(machine_count, count, "machines", error) ||
      !as_many(input_interval_count, count, "intervals", error))
    return NULL;
  pm_input_setup *setups = (pm_input_setup *)room(count, sizeof *setups, error);
  for (size_t i = 0; setups != NULL && i < count; i++) {
    const pm_input_setup one = {dataset[i], storage[i], storage_access[i], decoder[i], loader[i], machine[i],
                                input_interval[i]};
    setups[i] = one;
  }
  return setups;
}
%}

%inline %{
/* One "input_run" record: the defaults. */
static records input_run_default(pm_error *error)
{
  pm_input_run run = pm_input_run_make();
  return record_copy("input_run", &run, error);
}

/* One run as it is asked for without a network: GPUs and nodes completed. */
static records complete_counts(const pm_system *system, const pm_run *run, size_t run_count, GIVEN, pm_error *error)
{
  records array = records_new("run", 1, error);
  const pm_given all = given_of("run", given, given_count, global_batch);
  if (single(run_count, "run", error) && error->status == PM_OK) {
    *(pm_run *)array.data = *run;
    pm_run_complete_counts(system, &all, (pm_run *)array.data, error);
  }
  return records_if_ok(array, error);
}

/* One "input_rates" record per run, of one path. Raises if a single run has no answer. */
static records input_rates(INPUT_RECORDS, const pm_input_run *input_run, size_t input_run_count, pm_error *error)
{
  records array = records_new("input_rates", input_run_count, error);
  pm_input_setup *setup = input_setups(INPUT_GIVEN, 1, error);
  if (setup != NULL && input_run_count == 1) pm_input_check(setup, input_run, error);
  if (error->status == PM_OK) pm_input_evaluate(setup, input_run, (pm_input_rates *)array.data, input_run_count);
  free(setup);
  return records_if_ok(array, error);
}

/* The report of the rates of one run of a path. One study with the run whose GPUs read, or none. */
static pm_report *input_report(INPUT_RECORDS, const pm_input_run *input_run, size_t input_run_count,
                               const pm_study *const *studies, size_t study_count, any_records runs, GIVEN,
                               pm_error *error)
{
  pm_report *report = NULL;
  pm_input_rates rates;
  pm_input_setup *setup = single(input_run_count, "input_run", error) ? input_setups(INPUT_GIVEN, 1, error) : NULL;
  const pm_given all = given_of("run", given, given_count, global_batch);
  const pm_report_question question = {
    .of = PM_REPORT_OF_INPUT, .given = &all, .runs = study_count > 0 ? runs.data : NULL, .run_size = sizeof(pm_run),
    .answers = &rates, .answer_size = sizeof rates, .count = 1, .input = setup, .input_run = input_run,
    .input_run_size = sizeof *input_run};
  if (study_count > 0) single(count_records(runs, "run", error), "run", error);
  if (setup != NULL && error->status == PM_OK && pm_input_check(setup, input_run, error) == PM_OK) {
    pm_input_evaluate(setup, input_run, &rates, 1);
    report = pm_study_new_report(study_count > 0 ? studies[0] : NULL, &question, error);
  }
  free(setup);
  return report;
}
%}
