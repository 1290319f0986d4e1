/* Sensitivities: how the step time depends on each number of the hardware; which upgrade pays. */

%apply (const char *const *NAMES, size_t COUNT) { (const char *const *upgrades, size_t upgrade_count) };

/* Network, system, one run, a framework or none, an input path and its run or none. */
%inline %{
#define STEP_RECORDS \
  const pm_network *network, const pm_system *system, const pm_run *run, size_t run_count, FRAMEWORK_RECORDS, \
  INPUT_RECORDS, const pm_input_run *input_run, size_t input_run_count
#define STEP_GIVEN \
  network, system, run, run_count, FRAMEWORK_GIVEN, INPUT_GIVEN, input_run, input_run_count
%}

%{
/* A setup and what it points to. */
typedef struct step_parts {
  pm_framework_profile framework;
  pm_input_setup *input;
  pm_sensitivity_setup setup;
} step_parts;

/* `input` is to be freed. 0 with an error. */
static int step_of(step_parts *parts, STEP_RECORDS, pm_error *error)
{
  parts->input = NULL;
  if (!single(run_count, "run", error)) return 0;
  if (framework_count > 0 && !framework_of(&parts->framework, FRAMEWORK_GIVEN, error)) return 0;
  if (input_run_count > 0 && single(input_run_count, "input_run", error))
    parts->input = input_setups(INPUT_GIVEN, 1, error);
  const pm_sensitivity_setup setup = {network, system, run, framework_count > 0 ? &parts->framework : NULL,
                                      parts->input, parts->input != NULL ? input_run : NULL, NULL, NULL};
  parts->setup = setup;
  return error->status == PM_OK;
}

/* What runs on each of the systems: frameworks or profiles of them, or NULL for what runs now. */
typedef struct step_software {
  const pm_framework_profile *frameworks;
  const pm_inference_profile *profiles;
} step_software;

static records upgrade_records(const pm_sensitivity_setup *setup, const char *const *upgrades, const pm_system *const *systems,
                               const step_software *software, const double *prices, size_t count, pm_error *error)
{
  pm_upgrade_choice *choices = (pm_upgrade_choice *)room(count, sizeof *choices, error);
  records rows = records_new("upgrade", count, error);
  for (size_t i = 0; choices != NULL && i < count; i++) {
    const pm_upgrade_choice one = {upgrades[i], systems[i], NULL, 0, prices[i],
                                   software->frameworks != NULL ? &software->frameworks[i] : NULL,
                                   software->profiles != NULL ? &software->profiles[i] : NULL};
    choices[i] = one;
  }
  if (error->status == PM_OK) pm_upgrade_evaluate(setup, choices, count, (pm_upgrade *)rows.data, error);
  free(choices);
  return rows;
}
%}

%inline %{
/* A table of "sensitivity" records: each number raised by the share `raise` alone. */
static pm_table *sensitivity_table(STEP_RECORDS, double raise, pm_error *error)
{
  step_parts parts;
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  int count = step_of(&parts, STEP_GIVEN, error) ? pm_sensitivity_evaluate(&parts.setup, raise, rows, error) : -1;
  free(parts.input);
  return count < 0 ? NULL : records_table("sensitivity", rows, (size_t)count, error);
}

/* A table of "upgrade" records: the same run on other systems, by name, with the price of each change. Of the framework there
** is one, or one for the system and one for each of the others. */
static pm_table *upgrade_table(STEP_RECORDS, const pm_system *const *systems, size_t system_count,
                               const char *const *upgrades, size_t upgrade_count, const double *prices,
                               size_t price_count, pm_error *error)
{
  step_parts parts;
  records rows = {NULL, NULL, 0};
  const size_t first = framework_count > 0;
  pm_framework_profile *all = framework_count > 1 ? frameworks_of(FRAMEWORK_GIVEN, error) : NULL;
  const step_software software = {all != NULL ? all + 1 : NULL, NULL};
  int good = step_of(&parts, network, system, run, run_count, framework, first, cudnn_generation, first, prediction_interval, first,
                     memory_profile, first, INPUT_GIVEN, input_run, input_run_count, error);
  if (good && as_many(upgrade_count, system_count, "names", error) && as_many(price_count, system_count, "prices", error) &&
      (all == NULL || as_many(framework_count, system_count + 1, "frameworks", error)))
    rows = upgrade_records(&parts.setup, upgrades, systems, &software, prices, system_count, error);
  free(parts.input);
  free(all);
  return records_as_table(rows, error);
}

/* The same two of a call of inference: one run, one profile. */
static pm_table *call_sensitivity_table(const pm_network *network, const pm_system *system,
                                        const pm_inference_run *inference_run, size_t inference_run_count,
                                        const pm_inference_profile *inference_profile, size_t inference_profile_count,
                                        double raise, pm_error *error)
{
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  const pm_sensitivity_setup setup = {network, system, NULL, NULL, NULL, NULL, inference_run, inference_profile};
  int good = single(inference_run_count, "inference_run", error) &&
              single(inference_profile_count, "inference_profile", error);
  int count = good ? pm_sensitivity_evaluate(&setup, raise, rows, error) : -1;
  return count < 0 ? NULL : records_table("sensitivity", rows, (size_t)count, error);
}

static pm_table *call_upgrade_table(const pm_network *network, const pm_system *system,
                                    const pm_inference_run *inference_run, size_t inference_run_count,
                                    const pm_inference_profile *inference_profile, size_t inference_profile_count,
                                    const pm_system *const *systems, size_t system_count, const char *const *upgrades,
                                    size_t upgrade_count, const double *prices, size_t price_count, pm_error *error)
{
  records rows = {NULL, NULL, 0};
  const pm_sensitivity_setup setup = {network, system, NULL, NULL, NULL, NULL, inference_run, inference_profile};
  const step_software software = {NULL, inference_profile_count > 1 ? inference_profile + 1 : NULL};
  if (single(inference_run_count, "inference_run", error) &&
      as_many(inference_profile_count, software.profiles != NULL ? system_count + 1 : 1, "profiles", error) &&
      as_many(upgrade_count, system_count, "names", error) && as_many(price_count, system_count, "prices", error))
    rows = upgrade_records(&setup, upgrades, systems, &software, prices, system_count, error);
  return records_as_table(rows, error);
}
%}
