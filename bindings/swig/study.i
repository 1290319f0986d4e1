/* Studies: networks on systems in software, and runs of which only some fields are given. */

%apply (const pm_network *const *HANDLES, size_t COUNT) { (const pm_network *const *networks, size_t network_count) };
%apply (const pm_system *const *HANDLES, size_t COUNT) { (const pm_system *const *systems, size_t system_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *frameworks, size_t name_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *axes, size_t axis_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *given, size_t given_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *paths, size_t path_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *lengths, size_t length_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *values, size_t value_count) };

%typemap(newfree) char *study_network_id "free($1);"

/* A space of runs: fields, for each how many values it has, and all values one after the other. Fields that were
** given, and whether the batch is that of all data-parallel ranks. A framework as its four records; several are as
** many of each. */
%inline %{
#define AXES \
  const char *const *axes, size_t axis_count, const double *lengths, size_t length_count, const double *values, \
  size_t value_count
#define AXES_GIVEN axes, axis_count, lengths, length_count, values, value_count
#define GIVEN const char *const *given, size_t given_count, double global_batch
#define FRAMEWORK_RECORDS \
  const pm_framework *framework, size_t framework_count, const pm_cudnn_generation *cudnn_generation, \
  size_t cudnn_generation_count, const pm_prediction_interval *prediction_interval, size_t prediction_interval_count, \
  const pm_memory_profile *memory_profile, size_t memory_profile_count
%}

%{
/* ---- A study ---- */

/* Frameworks of records, to be freed; NULL with an error. */
static pm_framework_profile *framework_profiles(FRAMEWORK_RECORDS, pm_error *error)
{
  if (!as_many(cudnn_generation_count, framework_count, "cudnn_generation", error) ||
      !as_many(prediction_interval_count, framework_count, "prediction_interval", error) ||
      !as_many(memory_profile_count, framework_count, "memory_profile", error))
    return NULL;
  pm_framework_profile *profiles = (pm_framework_profile *)room(framework_count, sizeof *profiles, error);
  for (size_t i = 0; profiles != NULL && i < framework_count; i++) {
    profiles[i].framework = framework[i];
    profiles[i].cudnn = cudnn_generation[i];
    profiles[i].interval = prediction_interval[i];
    profiles[i].memory = memory_profile[i];
  }
  return profiles;
}

/* For each name its records, those of an empty one the next of `profiles`; to be freed, NULL with an error. */
static const void **records_by_name(const char *const *frameworks, size_t count, const void *profiles, size_t size,
                                    size_t profile_count, pm_error *error)
{
  size_t used = 0;
  const void **list = (const void **)room(count, sizeof *list, error);
  for (size_t i = 0; list != NULL && i < count; i++)
    if (frameworks[i][0] == '\0' && used < profile_count) list[i] = (const char *)profiles + size * used++;
  if (list != NULL) as_many(profile_count, used, "records", error);
  return list;
}

/* ---- Runs ---- */

static pm_given given_of(const char *type, GIVEN)
{
  pm_given all = {0, global_batch != 0};
  for (size_t i = 0; i < given_count; i++) pm_given_add(&all, type, given[i]);
  return all;
}

/* The axes, to be freed; NULL with an error. */
static pm_axis *axes_of(AXES, pm_error *error)
{
  size_t used = 0;
  if (!as_many(length_count, axis_count, "lengths", error)) return NULL;
  pm_axis *array = (pm_axis *)room(axis_count, sizeof *array, error);
  for (size_t i = 0; array != NULL && i < axis_count; i++) {
    int count = whole(lengths[i], "length", error);
    array[i].field = axes[i];
    array[i].values = values + used;
    array[i].count = count > 0 ? (size_t)count : 0;
    used += array[i].count;
  }
  if (array != NULL) as_many(value_count, used, "values", error);
  return array;
}

static records space_runs(const char *type, const void *base, AXES, pm_error *error)
{
  records runs = {NULL, NULL, 0};
  pm_axis *array = axes_of(AXES_GIVEN, error);
  const pm_record_type *of = pm_record_type_find(type);
  const pm_space space = {.type = of, .base = base, .axes = array, .axis_count = axis_count,
                          .global_batch = 0, .run_size = of != NULL ? of->size : 0};
  if (error->status == PM_OK) runs = records_new(type, pm_space_count(&space), error);
  if (error->status == PM_OK) pm_space_get_runs(&space, 0, runs.count, runs.data, error);
  free(array);
  return records_if_ok(runs, error);
}

/* A run as it is asked for where nothing is given. */
static pm_run empty_run(void)
{
  pm_run run = pm_run_make();
  run.framework_index = 0;
  return run;
}

/* A run without an answer is no error of many: it keeps the reason as its status. */
static void pass_rows(int one, int status, pm_error *error)
{
  const pm_error none = PM_ERROR_NONE;
  int row = status == PM_STATUS_TOO_MANY_GPUS || status == PM_STATUS_UNREACHABLE || status == PM_STATUS_BAD_ARGUMENT;
  if (!one && row) *error = none;
}

static char *assumed_text(const pm_study *study, const pm_given *given, const void *run, int inference, pm_error *error)
{
  char text[512];
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int count = inference ? pm_study_get_inference_assumptions(study, given, (const pm_inference_run *)run, rows)
                        : pm_study_get_assumptions(study, given, (const pm_run *)run, rows);
  return text_copy(pm_assumptions_format(rows, count, text, sizeof text), error);
}
%}

%inline %{
/* A study of training. A framework whose name is empty is the next of the records. */
static pm_study *study_new(const pm_catalog *catalog, const pm_network *const *networks, size_t network_count,
                           const pm_system *const *systems, size_t system_count, const char *const *frameworks,
                           size_t name_count, FRAMEWORK_RECORDS, pm_error *error)
{
  pm_framework_profile *profiles =
    framework_profiles(framework, framework_count, cudnn_generation, cudnn_generation_count, prediction_interval,
                       prediction_interval_count, memory_profile, memory_profile_count, error);
  const void **list = records_by_name(frameworks, name_count, profiles, sizeof *profiles, framework_count, error);
  const pm_study_setup setup = {catalog, networks, network_count, systems, system_count, frameworks, name_count, 0};
  const pm_study_records own = {(const pm_framework_profile *const *)list, NULL};
  pm_study *study = error->status == PM_OK ? pm_study_new_with_records(&setup, &own, error) : NULL;
  free(list);
  free(profiles);
  return study;
}

/* A study of inference. A framework whose name is empty is the next of the profiles. */
static pm_study *inference_study_new(const pm_catalog *catalog, const pm_network *const *networks,
                                     size_t network_count, const pm_system *const *systems, size_t system_count,
                                     const char *const *frameworks, size_t name_count,
                                     const pm_inference_profile *inference_profile, size_t inference_profile_count,
                                     pm_error *error)
{
  const void **list =
    records_by_name(frameworks, name_count, inference_profile, sizeof *inference_profile, inference_profile_count,
                    error);
  const pm_study_setup setup = {catalog, networks, network_count, systems, system_count, frameworks, name_count, 1};
  const pm_study_records own = {NULL, (const pm_inference_profile *const *)list};
  pm_study *study = error->status == PM_OK ? pm_study_new_with_records(&setup, &own, error) : NULL;
  free(list);
  return study;
}

/* The plan of all runs that were completed so far. */
static const pm_plan *study_plan(pm_study *study, pm_error *error)
{
  return pm_study_get_plan(study, error);
}

/* What is worth knowing of the frameworks that runs were completed with. */
static names study_notes(const pm_study *study, pm_error *error)
{
  size_t count = 0;
  while (pm_study_get_note(study, count) != NULL) count++;
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = text_copy(pm_study_get_note(study, i), error);
  return names_if_ok(array, error);
}

/* The id of a network of the plan. */
static char *study_network_id(const pm_study *study, double index, pm_error *error)
{
  pm_network_totals totals;
  const pm_network *network = pm_study_get_network(study, whole(index, "network", error));
  if (network == NULL) fail(error, PM_STATUS_NOT_FOUND, "the plan has no network %g", index);
  else pm_network_get_totals(network, &totals, error);
  return text_copy(error->status == PM_OK ? totals.id : "", error);
}

/* A part of a framework of the plan on one of the systems: "framework", "cudnn_generation", "prediction_interval",
** "memory_profile" or "inference_profile". Nothing if the plan has no such framework. */
static records study_software(const pm_study *study, double index, double system, const char *part, pm_error *error)
{
  int place = index >= 0 ? whole(index, "index", error) : -1, on = whole(system, "system", error);
  const records none = {NULL, NULL, 0};
  const pm_framework_profile *framework = pm_study_get_framework(study, place, on);
  const pm_inference_profile *profile = pm_study_get_profile(study, place, on);
  if (strcmp(part, "inference_profile") == 0) return profile != NULL ? record_copy(part, profile, error) : none;
  if (framework == NULL) return none;
  if (strcmp(part, "framework") == 0) return record_copy(part, &framework->framework, error);
  if (strcmp(part, "cudnn_generation") == 0) return record_copy(part, &framework->cudnn, error);
  if (strcmp(part, "prediction_interval") == 0) return record_copy(part, &framework->interval, error);
  if (strcmp(part, "memory_profile") == 0) return record_copy(part, &framework->memory, error);
  fail(error, PM_STATUS_NOT_FOUND, "a framework has no part \"%.60s\"", part);
  return none;
}

/* Every combination of the axes, as it is asked for. */
static records asked_runs(AXES, pm_error *error)
{
  const pm_run base = empty_run();
  return space_runs("run", &base, AXES_GIVEN, error);
}

static records asked_calls(AXES, pm_error *error)
{
  const pm_inference_run base = pm_inference_run_make();
  return space_runs("inference_run", &base, AXES_GIVEN, error);
}

/* Runs completed. With `one`, a run that cannot be completed is an error. */
static records study_complete(pm_study *study, const pm_run *run, size_t run_count, GIVEN, double one, pm_error *error)
{
  records runs = records_new("run", run_count, error);
  const pm_given all = given_of("run", given, given_count, global_batch);
  if (error->status == PM_OK)
    pass_rows(one != 0, pm_study_complete(study, &all, run, (pm_run *)runs.data, run_count, error), error);
  return records_if_ok(runs, error);
}

static records study_complete_calls(pm_study *study, const pm_inference_run *inference_run, size_t inference_run_count,
                                    GIVEN, double one, pm_error *error)
{
  records runs = records_new("inference_run", inference_run_count, error);
  const pm_given all = given_of("inference_run", given, given_count, global_batch);
  if (error->status == PM_OK) {
    pm_inference_run *whole = (pm_inference_run *)runs.data;
    pass_rows(one != 0, pm_study_complete_inference(study, &all, inference_run, whole, runs.count, error), error);
  }
  return records_if_ok(runs, error);
}

/* What was assumed of completed runs, in a line for each; empty if nothing was. */
static names study_assumed(const pm_study *study, const pm_run *run, size_t run_count, GIVEN, pm_error *error)
{
  const pm_given all = given_of("run", given, given_count, global_batch);
  names array = names_new(run_count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = assumed_text(study, &all, &run[i], 0, error);
  return names_if_ok(array, error);
}

static names study_assumed_calls(const pm_study *study, const pm_inference_run *inference_run,
                                 size_t inference_run_count, GIVEN, pm_error *error)
{
  const pm_given all = given_of("inference_run", given, given_count, global_batch);
  names array = names_new(inference_run_count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = assumed_text(study, &all, &inference_run[i], 1, error);
  return names_if_ok(array, error);
}

/* Completed runs and their predictions as one table, with what was assumed, and a column for each number of the
** hardware by path. */
static pm_table *study_table(const pm_study *study, const pm_run *run, size_t run_count,
                             const pm_prediction *prediction, size_t prediction_count, GIVEN, const char *const *paths,
                             size_t path_count, pm_error *error)
{
  const pm_given all = given_of("run", given, given_count, global_batch);
  if (!as_many(prediction_count, run_count, "predictions", error)) return NULL;
  return pm_study_tabulate(study, &all, run, prediction, run_count, paths, path_count, error);
}

static pm_table *study_inference_table(const pm_study *study, const pm_inference_run *inference_run,
                                       size_t inference_run_count, const pm_inference *inference,
                                       size_t inference_count, GIVEN, pm_error *error)
{
  const pm_given all = given_of("inference_run", given, given_count, global_batch);
  if (!as_many(inference_count, inference_run_count, "predictions", error)) return NULL;
  return pm_study_tabulate_inference(study, &all, inference_run, inference, inference_count, error);
}
%}

/* Python only: one run in one call, without arrays, since scripts ask for one after the other. */
#if defined(SWIGPYTHON)
%apply (const setting *SETTINGS, size_t COUNT) { (const setting *settings, size_t setting_count) };

%{
/* Fields of a run, each of which is then given. */
static void set_fields(const pm_record_type *type, const setting *settings, size_t count, void *run, pm_given *given,
                       pm_error *error)
{
  for (size_t i = 0; i < count && error->status == PM_OK; i++) {
    const pm_field *field = pm_record_find_field(type, settings[i].name);
    if (field == NULL) fail(error, PM_STATUS_NOT_FOUND, "a %s has no field \"%s\"", type->name, settings[i].name);
    else if (pm_record_set_number(field, run, settings[i].value, error) == PM_OK)
      given->fields |= (uint64_t)1 << (field - type->fields);
  }
}
%}

%inline %{
/* One run, which is as it was asked with these settings, completed and predicted. Raises why it has no prediction. */
static answer study_predict(pm_study *study, const pm_run *run, size_t run_count, const setting *settings,
                            size_t setting_count, double global_batch, pm_error *error)
{
  answer found = {records_new("run", 1, error), records_new("prediction", 1, error)};
  pm_run *whole_run = (pm_run *)found.run.data;
  pm_prediction *result = (pm_prediction *)found.result.data;
  pm_given given = {0, global_batch != 0};
  if (single(run_count, "run", error) && error->status == PM_OK) *whole_run = *run;
  if (error->status == PM_OK) set_fields(found.run.type, settings, setting_count, whole_run, &given, error);
  if (error->status == PM_OK) pm_study_complete(study, &given, whole_run, whole_run, 1, error);
  const pm_plan *plan = error->status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  if (plan != NULL) pm_predict_columns(plan, ~0u, whole_run, result, 1);
  if (plan != NULL && result->status != PM_OK) pm_run_check(plan, whole_run, error);
  return answer_if_ok(found, error);
}

/* One call, completed and predicted; with a latency, that with the largest batch within it. */
static answer study_infer(pm_study *study, const pm_inference_run *inference_run, size_t inference_run_count,
                          const setting *settings, size_t setting_count, double latency, pm_error *error)
{
  answer found = {records_new("inference_run", 1, error), records_new("inference", 1, error)};
  pm_inference_run *run = (pm_inference_run *)found.run.data;
  pm_inference *result = (pm_inference *)found.result.data;
  pm_given given = {0, 0};
  if (single(inference_run_count, "inference_run", error) && error->status == PM_OK) *run = *inference_run;
  if (error->status == PM_OK) set_fields(found.run.type, settings, setting_count, run, &given, error);
  if (error->status == PM_OK) pm_study_complete_inference(study, &given, run, run, 1, error);
  const pm_plan *plan = error->status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  if (plan != NULL && !isnan(latency)) pm_inference_find_batch(plan, run, latency, result, error);
  if (plan != NULL && error->status == PM_OK) pm_infer(plan, run, result, 1);
  if (plan != NULL && error->status == PM_OK && result->status != PM_OK) pm_inference_check(plan, run, error);
  return answer_if_ok(found, error);
}
%}
#endif
