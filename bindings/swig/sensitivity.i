/* Sensitivities: how the step time depends on each number of the hardware; which upgrade pays. */

%apply (const pm_study *const *HANDLES, size_t COUNT) { (const pm_study *const *studies, size_t study_count) };
%apply (const char *const *NAMES, size_t COUNT) { (const char *const *upgrades, size_t upgrade_count) };

%{
/* ---- A completed run, with what its study has for it ---- */

static int32_t place_in(const pm_study *study, const void *run, const char *field)
{
  return (int32_t)number_of(pm_record_type_find(task_of(study)->run), run, field, 0);
}

static pm_sensitivity_setup run_setup(const pm_study *study, const pm_system *system, const void *run)
{
  int32_t software = place_in(study, run, task_of(study)->software), on = place_in(study, run, "system_index");
  const pm_study_software used = pm_study_get_software(study, software, on);
  const pm_sensitivity_setup setup = {
    .network = pm_study_get_network(study, place_in(study, run, "network_index")), .system = system,
    .task = pm_study_get_task(study), .run = run, .run_size = pm_record_type_find(task_of(study)->run)->size,
    .framework = used.framework, .profile = used.profile, .engine = used.engine,
    .memory = used.memory,
    .input_run_size = sizeof(pm_input_run)};
  return setup;
}

/* ---- Upgrades: the same question on other systems. `setups` has first that of today, then one for each ---- */

static records compare(const pm_sensitivity_setup *setups, const char *const *names, const double *prices,
                       size_t count, pm_error *error)
{
  pm_upgrade_choice *choices = (pm_upgrade_choice *)room(count, sizeof *choices, error);
  records rows = records_new("upgrade", count, error);
  for (size_t i = 0; choices != NULL && i < count; i++) {
    const pm_sensitivity_setup *to = &setups[i + 1];
    const pm_upgrade_choice one = {names[i], to->system, NULL, 0, prices[i], to->framework, to->profile, to->engine,
                                   to->memory, to->network, to->run};
    choices[i] = one;
  }
  if (error->status == PM_OK) pm_upgrade_evaluate(setups, choices, count, (pm_upgrade *)rows.data, error);
  free(choices);
  return rows;
}

static int as_many_upgrades(size_t studies, size_t systems, size_t runs, size_t upgrades, size_t prices,
                            pm_error *error)
{
  return as_many(studies, upgrades + 1, "studies", error) && as_many(systems, upgrades + 1, "systems", error) &&
         as_many(runs, upgrades + 1, "runs", error) && as_many(prices, upgrades, "prices", error);
}
%}

/* An input path and its run, or none. */
%inline %{
#define INPUT_OF_STEP INPUT_RECORDS, const pm_input_run *input_run, size_t input_run_count
%}

%{
/* Into the setup; to be freed. */
static pm_input_setup *set_input(pm_sensitivity_setup *setup, INPUT_OF_STEP, pm_error *error)
{
  if (input_run_count == 0 || !single(input_run_count, "input_run", error)) return NULL;
  pm_input_setup *input = input_setups(INPUT_GIVEN, 1, error);
  setup->input = input;
  setup->input_run = input != NULL ? input_run : NULL;
  return input;
}
%}

%inline %{
/* "sensitivity" records: each number raised by the share `raise` alone. One completed run on a system. */
static records sensitivity_rows(const pm_study *study, const pm_system *system, any_records runs, INPUT_OF_STEP,
                                double raise, pm_error *error)
{
  const char *type = task_of(study)->run;
  records rows = {NULL, NULL, 0};
  if (!single(count_records(runs, type, error), type, error)) return rows;
  pm_sensitivity_setup setup = run_setup(study, system, runs.data);
  pm_input_setup *input = set_input(&setup, INPUT_GIVEN, input_run, input_run_count, error);
  rows = records_new("sensitivity", PM_RESOURCE_COUNT, error);
  int count = error->status == PM_OK ? pm_sensitivity_evaluate(&setup, raise, (pm_sensitivity *)rows.data, error) : -1;
  rows.count = count < 0 ? 0 : (size_t)count;
  free(input);
  return records_if_ok(rows, error);
}

/* "upgrade" records. Studies of one task, systems and completed runs: of today, then of each upgrade, with its name and
** price. */
static records upgrade_rows(const pm_study *const *studies, size_t study_count, const pm_system *const *systems,
                            size_t system_count, any_records runs, INPUT_OF_STEP, const char *const *upgrades,
                            size_t upgrade_count, const double *prices, size_t price_count, pm_error *error)
{
  const char *type = study_count > 0 ? task_of(studies[0])->run : "run";
  size_t count = count_records(runs, type, error), size = pm_record_type_find(type)->size;
  records rows = {NULL, NULL, 0};
  if (!as_many_upgrades(study_count, system_count, count, upgrade_count, price_count, error)) return rows;
  pm_sensitivity_setup *setups = (pm_sensitivity_setup *)room(count, sizeof *setups, error);
  for (size_t i = 0; setups != NULL && i < count; i++)
    setups[i] = run_setup(studies[i], systems[i], (const char *)runs.data + i * size);
  pm_input_setup *input = setups != NULL ? set_input(setups, INPUT_GIVEN, input_run, input_run_count, error) : NULL;
  if (error->status == PM_OK) rows = compare(setups, upgrades, prices, upgrade_count, error);
  free(input);
  free(setups);
  return records_if_ok(rows, error);
}

/* Those records as a table, "sensitivity" or "upgrade". */
static pm_table *rows_table(const char *type, any_records rows, pm_error *error)
{
  size_t count = count_records(rows, type, error);
  return error->status == PM_OK ? records_table(type, rows.data, count, error) : NULL;
}

/* Their report; the first run is that of today. */
static pm_report *rows_report(const pm_study *study, any_records runs, GIVEN, const char *type, any_records rows,
                              pm_error *error)
{
  const char *run = task_of(study)->run;
  const pm_given all = given_of(run, given, given_count, global_batch);
  int upgrades = strcmp(type, "upgrade") == 0;
  const pm_report_question question = {.of = upgrades ? PM_REPORT_OF_UPGRADES : PM_REPORT_OF_SENSITIVITIES,
                                       .given = &all, .runs = runs.data, .run_size = pm_record_type_find(run)->size,
                                       .answers = rows.data, .count = count_records(rows, type, error)};
  if (count_records(runs, run, error) == 0) fail(error, PM_STATUS_BAD_ARGUMENT, "a report needs a run");
  return error->status == PM_OK ? pm_study_new_report(study, &question, error) : NULL;
}
%}
