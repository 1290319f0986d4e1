/* Plans, runs and their predictions. */

%apply (const pm_network *const *HANDLES, size_t COUNT) { (const pm_network *const *networks, size_t network_count) };
%apply (const pm_system *const *HANDLES, size_t COUNT) { (const pm_system *const *systems, size_t system_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *precisions, size_t precision_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *nodes, size_t nodes_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *gpus, size_t gpus_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *batch, size_t batch_count) };

pm_plan *pm_plan_new(const pm_network *const *networks, size_t network_count, const pm_system *const *systems,
                     size_t system_count, pm_error *error);

%{
static int32_t *precision_numbers(const char *const *values, size_t count, pm_error *error)
{
  int32_t *array = count == 0 ? NULL : (int32_t *)room(count, sizeof *array, error);
  for (size_t i = 0; array != NULL && i < count; i++) array[i] = precision_number(values[i], error);
  return array;
}

static records runs_of_grid(const pm_grid *grid, pm_error *error)
{
  records runs = records_new("run", error->status == PM_OK ? pm_grid_count(grid) : 0, error);
  if (error->status == PM_OK) pm_grid_runs(grid, (pm_run *)runs.data);
  return records_if_ok(runs, error);
}
%}

/* A framework as its three records, or as none of each; in all functions that take one. */
%inline %{
#define FRAMEWORK_RECORDS \
  const pm_framework *framework, size_t framework_count, const pm_library_era *library_era, size_t library_era_count, \
  const pm_band *band, size_t band_count
#define FRAMEWORK_GIVEN framework, framework_count, library_era, library_era_count, band, band_count
%}

%{
static int framework_of(pm_framework_profile *profile, FRAMEWORK_RECORDS, pm_error *error)
{
  if (!single(framework_count, "framework", error) || !single(library_era_count, "library_era", error) ||
      !single(band_count, "band", error))
    return 0;
  profile->framework = *framework;
  profile->era = *library_era;
  profile->band = *band;
  return 1;
}
%}

%inline %{
/* One "run" record: the defaults. */
static records run_default(pm_error *error)
{
  pm_run run = pm_run_default();
  return record_copy("run", &run, error);
}

/* The number of the framework in the plan, which is not used yet. */
static int plan_add_framework(pm_plan *plan, FRAMEWORK_RECORDS, pm_error *error)
{
  pm_framework_profile profile;
  return framework_of(&profile, FRAMEWORK_GIVEN, error) ? pm_plan_add_framework(plan, &profile, error) : -1;
}

/* Raises if the run cannot be predicted, and says why. */
static void run_check(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  if (single(run_count, "run", error)) pm_run_check(plan, run, error);
}

/* The timeline of one run, JSON. */
static char *prediction_trace(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  return single(run_count, "run", error) ? pm_prediction_trace(plan, run, error) : NULL;
}

/* One "prediction" record per run. */
static records predict(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  records array = records_new("prediction", run_count, error);
  if (array.data != NULL && pm_predict_columns(plan, ~0u, run, (pm_prediction *)array.data, run_count) != PM_OK)
    fail(error, PM_BAD_ARGUMENT, "no plan or no runs");
  return records_if_ok(array, error);
}

/* Runs and their predictions as one table. */
static pm_table *prediction_table(const pm_plan *plan, const pm_run *run, size_t run_count,
                                  const pm_prediction *prediction, size_t prediction_count, pm_error *error)
{
  if (!as_many(prediction_count, run_count, "predictions", error)) return NULL;
  return pm_prediction_table(plan, run, prediction, run_count, error);
}

/* Every combination of the axes as "run" records, batch fastest: one run that says what no axis does; numbers of networks,
** systems and frameworks (0: as that run says); precisions, nodes, gpus, batch; whether batch is global. */
static records grid_runs(const pm_run *run, size_t run_count, double networks, double systems, double frameworks,
                         const char *const *precisions, size_t precision_count, const double *nodes,
                         size_t nodes_count, const double *gpus, size_t gpus_count, const double *batch,
                         size_t batch_count, double global_batch, pm_error *error)
{
  int32_t *precision_array = precision_numbers(precisions, precision_count, error);
  int32_t *nodes_array = wholes(nodes, nodes_count, "nodes", error);
  int32_t *gpus_array = wholes(gpus, gpus_count, "gpus", error);
  pm_grid grid;
  memset(&grid, 0, sizeof grid);
  if (single(run_count, "run", error)) grid.base = *run;
  grid.networks = (size_t)whole(networks, "networks", error);
  grid.systems = (size_t)whole(systems, "systems", error);
  grid.frameworks = (size_t)whole(frameworks, "frameworks", error);
  grid.precision = precision_array, grid.precision_count = precision_count;
  grid.nodes = nodes_array, grid.nodes_count = nodes_count;
  grid.gpus = gpus_array, grid.gpus_count = gpus_count;
  grid.batch = batch, grid.batch_count = batch_count;
  grid.global_batch = global_batch != 0;
  records runs = runs_of_grid(&grid, error);
  free(precision_array);
  free(nodes_array);
  free(gpus_array);
  return runs;
}
%}

#if defined(SWIGPYTHON)
%inline %{
static void predict_into(const pm_plan *plan, const pm_run *run, size_t run_count, pm_prediction *RESULTS, size_t COUNT,
                         pm_error *error)
{
  if (run_count != COUNT)
    fail(error, PM_BAD_ARGUMENT, "%lu runs but room for %lu predictions", (unsigned long)run_count, (unsigned long)COUNT);
  else if (pm_predict_columns(plan, ~0u, run, RESULTS, run_count) != PM_OK)
    fail(error, PM_BAD_ARGUMENT, "no plan or no runs");
}
%}
#endif
