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

/* A number of plans, or of one; it is whole and below 2^53. */
static size_t plan_number(double value, const char *what, pm_error *error)
{
  if (value >= 0 && value <= 9007199254740992.0) return (size_t)value;
  fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not a whole number from 0", what, value);
  return 0;
}

/* Runs first .. last - 1 of every combination; a last below 0: all. */
static records space_part(const char *type, const void *base, AXES, double first, double last, pm_error *error)
{
  records runs = {NULL, NULL, 0};
  pm_axis *array = axes_of(AXES_GIVEN, error);
  const pm_record_type *of = pm_record_type_find(type);
  const pm_space space = {.type = of, .base = base, .axes = array, .axis_count = axis_count,
                          .global_batch = 0, .run_size = of != NULL ? of->size : 0};
  size_t from = plan_number(first, "first", error), to = 0;
  if (error->status == PM_OK) to = last < 0 ? pm_space_count(&space) : plan_number(last, "last", error);
  if (error->status == PM_OK && from > to) fail(error, PM_STATUS_BAD_ARGUMENT, "row %zu is before row %zu", to, from);
  if (error->status == PM_OK) runs = records_new(type, to - from, error);
  if (error->status == PM_OK) pm_space_get_runs(&space, from, to, runs.data, error);
  free(array);
  return records_if_ok(runs, error);
}

static records space_runs(const char *type, const void *base, AXES, pm_error *error)
{
  return space_part(type, base, AXES_GIVEN, 0, -1, error);
}

/* The task of that name, or of a study. */
static const pm_task_facts *task_named(const char *task, pm_error *error)
{
  return pm_task_get(pm_task_find(task, error));
}

static const pm_task_facts *task_of(const pm_study *study)
{
  return pm_task_get(pm_study_get_task(study));
}

/* A run without an answer is no error of many: it keeps the reason as its status. */
static void pass_rows(int one, int status, pm_error *error)
{
  const pm_error none = PM_ERROR_NONE;
  int row = status == PM_STATUS_TOO_MANY_GPUS || status == PM_STATUS_UNREACHABLE || status == PM_STATUS_BAD_ARGUMENT;
  if (!one && row) *error = none;
}

static char *assumed_text(const pm_study *study, const pm_given *given, const void *run, size_t size, pm_error *error)
{
  char text[512];
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int count = pm_study_get_assumptions(study, given, run, size, rows);
  return text_copy(pm_assumptions_format(rows, count, text, sizeof text), error);
}
%}

%inline %{
/* What there is to know of a task: what one run is, record types of runs and answers, the field of a run that is the
** place of its software, and 1 where every GPU is a replica. */
static names task_facts(const char *task, pm_error *error)
{
  const pm_task_facts *facts = task_named(task, error);
  names array = names_new(facts != NULL ? 5 : 0, error);
  if (facts == NULL || error->status != PM_OK) return names_if_ok(array, error);
  array.data[0] = text_copy(facts->unit, error);
  array.data[1] = text_copy(facts->run, error);
  array.data[2] = text_copy(facts->answer, error);
  array.data[3] = text_copy(facts->software, error);
  array.data[4] = text_copy(facts->replicas ? "1" : "", error);
  return names_if_ok(array, error);
}

/* A study. A framework whose name is empty is the next of the records, of frameworks or of inference profiles. */
static pm_study *study_new(const char *task, const pm_catalog *catalog, const pm_network *const *networks,
                           size_t network_count, const pm_system *const *systems, size_t system_count,
                           const char *const *frameworks, size_t name_count, FRAMEWORK_RECORDS,
                           const pm_inference_profile *inference_profile, size_t inference_profile_count,
                           pm_error *error)
{
  pm_framework_profile *profiles =
    framework_profiles(framework, framework_count, cudnn_generation, cudnn_generation_count, prediction_interval,
                       prediction_interval_count, memory_profile, memory_profile_count, error);
  const void **list =
    inference_profile_count > 0
      ? records_by_name(frameworks, name_count, inference_profile, sizeof *inference_profile, inference_profile_count,
                        error)
      : records_by_name(frameworks, name_count, profiles, sizeof *profiles, framework_count, error);
  const pm_study_setup setup = {catalog, networks, network_count, systems, system_count, frameworks, name_count,
                                pm_task_find(task, error)};
  const pm_study_records own = {
    inference_profile_count > 0 ? NULL : (const pm_framework_profile *const *)list,
    inference_profile_count > 0 ? (const pm_inference_profile *const *)list : NULL, NULL};
  pm_study *study = error->status == PM_OK ? pm_study_new_with_records(&setup, &own, error) : NULL;
  free(list);
  free(profiles);
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
** "memory_profile", "inference_profile" or "engine". Nothing if the plan has no such framework. */
static records study_software(const pm_study *study, double index, double system, const char *part, pm_error *error)
{
  int place = index >= 0 ? whole(index, "index", error) : -1, on = whole(system, "system", error);
  const records none = {NULL, NULL, 0};
  const pm_framework_profile *framework = pm_study_get_software(study, place, on).framework;
  const pm_inference_profile *profile = pm_study_get_software(study, place, on).profile;
  if (strcmp(part, "inference_profile") == 0) return profile != NULL ? record_copy(part, profile, error) : none;
  const pm_engine_profile *engine = pm_study_get_software(study, place, on).engine;
  if (strcmp(part, "engine") == 0) return engine != NULL ? record_copy(part, &engine->engine, error) : none;
  if (framework == NULL) return none;
  if (strcmp(part, "framework") == 0) return record_copy(part, &framework->framework, error);
  if (strcmp(part, "cudnn_generation") == 0) return record_copy(part, &framework->cudnn, error);
  if (strcmp(part, "prediction_interval") == 0) return record_copy(part, &framework->interval, error);
  if (strcmp(part, "memory_profile") == 0) return record_copy(part, &framework->memory, error);
  fail(error, PM_STATUS_NOT_FOUND, "a framework has no part \"%.60s\"", part);
  return none;
}

/* Every combination of the axes, as it is asked for. */
static records asked_part(const char *task, AXES, double first, double last, pm_error *error)
{
  const pm_task_facts *facts = task_named(task, error);
  records base = {NULL, NULL, 0}, runs = {NULL, NULL, 0};
  if (facts != NULL) base = records_new(facts->run, 1, error);
  if (base.data == NULL) return runs;
  pm_record_fill(facts->run, base.data, base.type->size);
  pm_record_set_number(pm_record_find_field(base.type, facts->software), base.data, 0, error);
  runs = space_part(facts->run, base.data, AXES_GIVEN, first, last, error);
  records_free(&base);
  return runs;
}

static records asked_runs(const char *task, AXES, pm_error *error)
{
  return asked_part(task, AXES_GIVEN, 0, -1, error);
}

/* Runs completed. With `one`, a run that cannot be completed is an error. */
static records study_complete(pm_study *study, any_records runs, GIVEN, double one, pm_error *error)
{
  const char *type = task_of(study)->run;
  records own = records_new(type, count_records(runs, type, error), error);
  const pm_given all = given_of(type, given, given_count, global_batch);
  if (error->status == PM_OK)
    pass_rows(one != 0, pm_study_complete(study, &all, runs.data, own.data, own.type->size, own.count, error), error);
  return records_if_ok(own, error);
}

/* What was assumed of completed runs, in a line for each; empty if nothing was. */
static names study_assumed(const pm_study *study, any_records runs, GIVEN, pm_error *error)
{
  const char *type = task_of(study)->run;
  size_t size = pm_record_type_find(type)->size;
  const pm_given all = given_of(type, given, given_count, global_batch);
  names array = names_new(count_records(runs, type, error), error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = assumed_text(study, &all, (const char *)runs.data + i * size, size, error);
  return names_if_ok(array, error);
}

/* Completed runs and their answers as one table, with what was assumed, and a column for each number of the hardware
** by path. */
static pm_table *study_table(const pm_study *study, any_records runs, any_records answers, GIVEN,
                             const char *const *paths, size_t path_count, pm_error *error)
{
  const pm_task_facts *facts = task_of(study);
  const pm_given all = given_of(facts->run, given, given_count, global_batch);
  const pm_sweep sweep = {.task = pm_study_get_task(study),
                          .runs = runs.data, .run_size = pm_record_type_find(facts->run)->size,
                          .answers = answers.data, .answer_size = pm_record_type_find(facts->answer)->size,
                          .count = count_records(runs, facts->run, error), .paths = paths, .path_count = path_count};
  if (!as_many(count_records(answers, facts->answer, error), sweep.count, "predictions", error)) return NULL;
  return error->status == PM_OK ? pm_study_tabulate(study, &all, &sweep, error) : NULL;
}
%}

/* Python only: one run in one call, without arrays, since scripts ask for one after the other. */
#if defined(SWIGPYTHON)
%apply (const setting *SETTINGS, size_t COUNT) { (const setting *settings, size_t setting_count) };

%{
static int status_of(const records *answers)
{
  return (int)pm_record_get_number(pm_record_find_field(answers->type, "status"), answers->data);
}

/* Fields of a run, each of which is then given. */
static void set_fields(const pm_record_type *type, const setting *settings, size_t count, void *run, pm_given *given,
                       pm_error *error)
{
  for (size_t i = 0; i < count && error->status == PM_OK; i++) {
    const pm_field *field = pm_record_find_field(type, settings[i].name);
    if (field == NULL) fail(error, PM_STATUS_NOT_FOUND, "a %s has no field \"%s\"", type->name, settings[i].name);
    else if (pm_record_set_number(field, run, settings[i].value, error) == PM_OK)
      pm_given_add(given, type->name, field->name);
  }
}
%}

%inline %{
/* One run, which is as it was asked with these settings, completed and predicted; with a latency, that with the
** largest batch within it. Raises why it has no prediction. */
static answer study_predict(pm_study *study, any_records runs, const setting *settings, size_t setting_count,
                            double global_batch, double latency, pm_error *error)
{
  int32_t task = pm_study_get_task(study);
  const pm_task_facts *facts = pm_task_get(task);
  answer found = {records_new(facts->run, 1, error), records_new(facts->answer, 1, error)};
  void *run = found.run.data, *result = found.result.data;
  pm_given given = {0, global_batch != 0};
  const pm_plan *plan = NULL;
  if (!single(count_records(runs, facts->run, error), facts->run, error) || error->status != PM_OK)
    return answer_if_ok(found, error);
  size_t size = found.run.type->size, answer_size = found.result.type->size;
  memcpy(run, runs.data, size);
  set_fields(found.run.type, settings, setting_count, run, &given, error);
  if (error->status == PM_OK) pm_study_complete(study, &given, run, run, size, 1, error);
  if (error->status == PM_OK) plan = pm_study_get_plan(study, error);
  if (plan != NULL && !isnan(latency)) pm_task_find_batch(plan, task, latency, run, size, result, answer_size, error);
  if (plan != NULL && error->status == PM_OK) pm_task_predict(plan, task, ~0u, run, size, result, answer_size, 1);
  if (plan != NULL && error->status == PM_OK && status_of(&found.result) != PM_OK)
    pm_task_check(plan, task, run, size, error);
  return answer_if_ok(found, error);
}
%}
#endif
