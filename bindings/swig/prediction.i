/* Plans, runs and their predictions. */

%apply (const pm_network *const *HANDLES, size_t COUNT) { (const pm_network *const *networks, size_t network_count) };
%apply (const pm_system *const *HANDLES, size_t COUNT) { (const pm_system *const *systems, size_t system_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *axes, size_t axis_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *paths, size_t path_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *lengths, size_t length_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *values, size_t value_count) };

pm_plan *pm_plan_new(const pm_network *const *networks, size_t network_count, const pm_system *const *systems,
                     size_t system_count, pm_error *error);

/* A space of runs: the run that says what no axis does; fields of the run, for each how many values it has, and all values
** one after the other. */
%inline %{
#define AXES \
  const char *const *axes, size_t axis_count, const double *lengths, size_t length_count, const double *values, \
  size_t value_count
#define AXES_GIVEN axes, axis_count, lengths, length_count, values, value_count
%}

%{
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

static records space_runs(const char *type, const void *base, AXES, double global_batch, pm_error *error)
{
  records runs = {NULL, NULL, 0};
  pm_axis *array = axes_of(AXES_GIVEN, error);
  const pm_record_type *of = pm_record_type_find(type);
  const pm_space space = {.type = of, .base = base, .axes = array, .axis_count = axis_count,
                          .global_batch = global_batch != 0, .run_size = of != NULL ? of->size : 0};
  if (error->status == PM_OK) runs = records_new(type, pm_space_count(&space), error);
  if (error->status == PM_OK) pm_space_get_runs(&space, 0, runs.count, runs.data, error);
  free(array);
  return records_if_ok(runs, error);
}
%}

%inline %{
/* "run" records of a space, in the order that pm_space has. */
static records run_space(const pm_run *run, size_t run_count, AXES, double global_batch, pm_error *error)
{
  const records none = {NULL, NULL, 0};
  return single(run_count, "run", error) ? space_runs("run", run, AXES_GIVEN, global_batch, error) : none;
}

/* "inference_run" records of one. */
static records inference_run_space(const pm_inference_run *inference_run, size_t inference_run_count, AXES,
                                   pm_error *error)
{
  const records none = {NULL, NULL, 0};
  if (!single(inference_run_count, "inference_run", error)) return none;
  return space_runs("inference_run", inference_run, AXES_GIVEN, 0, error);
}
%}

/* A framework as its four records, or as none of each; in all functions that take one. */
%inline %{
#define FRAMEWORK_RECORDS \
  const pm_framework *framework, size_t framework_count, const pm_cudnn_generation *cudnn_generation, size_t cudnn_generation_count, \
  const pm_prediction_interval *prediction_interval, size_t prediction_interval_count, const pm_memory_profile *memory_profile, size_t memory_profile_count
#define FRAMEWORK_GIVEN \
  framework, framework_count, cudnn_generation, cudnn_generation_count, prediction_interval, prediction_interval_count, memory_profile, memory_profile_count
%}

%{
static unsigned extra_bits(double extra)
{
  return extra >= 0 && extra <= 65535 ? (unsigned)extra : ~0u;
}

static int framework_of(pm_framework_profile *profile, FRAMEWORK_RECORDS, pm_error *error)
{
  if (!single(framework_count, "framework", error) || !single(cudnn_generation_count, "cudnn_generation", error) ||
      !single(prediction_interval_count, "prediction_interval", error) || !single(memory_profile_count, "memory_profile", error))
    return 0;
  profile->framework = *framework;
  profile->cudnn = *cudnn_generation;
  profile->interval = *prediction_interval;
  profile->memory = *memory_profile;
  return 1;
}

/* One framework as each of `framework_count` systems has it, to be freed; NULL with an error. */
static pm_framework_profile *frameworks_of(FRAMEWORK_RECORDS, pm_error *error)
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
%}

%typemap(newfree) char *framework_warning "free($1);"
%inline %{
/* One "run" record: the defaults. */
static records run_default(pm_error *error)
{
  pm_run run = pm_run_make();
  return record_copy("run", &run, error);
}

/* The number of the framework in the plan, which is not used yet; one for all systems, or one for each. */
static int plan_add_framework(pm_plan *plan, FRAMEWORK_RECORDS, pm_error *error)
{
  pm_framework_profile *profiles = frameworks_of(FRAMEWORK_GIVEN, error);
  int index = profiles != NULL ? pm_plan_add_framework_by_system(plan, profiles, framework_count, error) : -1;
  free(profiles);
  return index;
}

/* Why that framework never ran on the system's GPU; "" if it may have. */
static char *framework_warning(const pm_system *system, FRAMEWORK_RECORDS, pm_error *error)
{
  pm_framework_profile profile;
  pm_error warning = PM_ERROR_NONE;
  if (framework_of(&profile, FRAMEWORK_GIVEN, error)) pm_framework_check_gpu(&profile, pm_system_get_gpu(system), &warning);
  return text_copy(warning.text, error);
}

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

/* One "memory_use" record: of the heaviest rank of one run. */
static records prediction_memory(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  records array = records_new("memory_use", 1, error);
  if (single(run_count, "run", error) && error->status == PM_OK)
    pm_prediction_get_memory(plan, run, (pm_memory_use *)array.data, error);
  return records_if_ok(array, error);
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

/* Runs and their predictions as one table, with a column for each number of the hardware by path. */
static pm_table *prediction_table(const pm_plan *plan, const pm_run *run, size_t run_count,
                                  const pm_prediction *prediction, size_t prediction_count, const char *const *paths,
                                  size_t path_count, pm_error *error)
{
  if (!as_many(prediction_count, run_count, "predictions", error)) return NULL;
  return pm_sweep_tabulate(plan, run, prediction, run_count, paths, path_count, error);
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
