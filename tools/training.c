/* What predict and sweep share: how training is run. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

/* An option whose value is one of the choices of a run's field of the same name. */
static bool read_run_choice(const cli_request *request, option_id id, const char *field, int32_t *value)
{
  return read_choice(field, "run", field, request->value[id], value);
}

bool read_training(const cli_request *request, pm_run *run)
{
  double accumulation, rate = run->input_rate;
  pm_error error = PM_ERROR_NONE;
  if (!read_count_option(request, OPTION_ACCUMULATION, COUNT_MOST, run->accumulation, &accumulation)) return false;
  run->accumulation = (int32_t)accumulation;
  const char *text = request->value[OPTION_INPUT_RATE];
  bool number = text != NULL && pm_number_parse(text, &rate) == PM_OK;
  if (text != NULL && ((!number && pm_quantity_parse(text, "1/s", &rate, &error) != PM_OK) || !(rate > 0))) {
    fail(CODE_USAGE, "--input-rate \"%.80s\" is no rate in samples per second", text);
    return false;
  }
  run->input_rate = rate;
  run->input_in_turn = request->value[OPTION_IN_TURN] != NULL;
  return read_overlap(request->value[OPTION_OVERLAP], &run->overlap) &&
         read_kernels(request->value[OPTION_KERNELS], &run->kernel_model) &&
         read_run_choice(request, OPTION_PARALLEL, "parallel", &run->parallel) &&
         read_run_choice(request, OPTION_OPTIMIZER, "optimizer", &run->optimizer);
}

int open_frameworks(const pm_catalog *catalog, const char *names, pm_framework_profile **profiles, size_t *count)
{
  texts list;
  pm_error error = PM_ERROR_NONE;
  *profiles = NULL;
  *count = 0;
  if (names == NULL) names = "generic";
  if (strcmp(names, "none") == 0) return CODE_DONE;
  if (!read_names("--framework", names, &list)) return CODE_USAGE;
  int code = CODE_DONE;
  *profiles = (pm_framework_profile *)calloc(list.count, sizeof **profiles);
  if (*profiles == NULL) code = fail_memory();
  for (size_t i = 0; i < list.count && code == CODE_DONE; i++)
    if (pm_catalog_framework(catalog, list.items[i], &(*profiles)[i], &error) != PM_OK) code = fail_error(&error);
  *count = list.count;
  free(list.items);
  return code;
}

int add_frameworks(pm_plan *plan, const pm_framework_profile *profiles, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  for (size_t i = 0; i < count; i++)
    if (pm_plan_add_framework(plan, &profiles[i], &error) < 0) return fail_error(&error);
  return CODE_DONE;
}
