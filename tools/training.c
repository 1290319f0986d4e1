/* Frameworks by name, as the GPUs of the systems have them, and into a plan: for training and for inference. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

const char *framework_names(const cli_request *request)
{
  const char *names = request->value[OPTION_FRAMEWORK];
  return names != NULL ? names : PM_FRAMEWORK_DEFAULT;
}

int open_framework(const cli_request *request, const pm_catalog *catalog, const char *name, const pm_system *system,
                   pm_framework_profile *profile)
{
  pm_error error = PM_ERROR_NONE;
  const pm_gpu *gpu = pm_system_get_gpu(system);
  if (pm_catalog_get_framework_on(catalog, name, gpu->architecture, profile, &error) != PM_OK) return fail_error(&error);
  if (pm_framework_check_gpu(profile, gpu, &error) != PM_OK) note(request, "%s", error.text);
  return CODE_DONE;
}

int open_profile(const cli_request *request, const pm_catalog *catalog, const char *name, const pm_system *system,
                 pm_inference_profile *profile)
{
  pm_error error = PM_ERROR_NONE;
  const pm_gpu *gpu = pm_system_get_gpu(system);
  if (pm_catalog_get_inference_on(catalog, name, gpu->architecture, profile, &error) != PM_OK) return fail_error(&error);
  if (pm_inference_profile_check_gpu(profile, gpu, &error) != PM_OK) note(request, "%s", error.text);
  return CODE_DONE;
}

/* What one system was told of its GPU, the next with the same need not be. */
static cli_request told(const cli_request *request, const cli_systems *systems, size_t index)
{
  cli_request silent = *request;
  const char *id = pm_system_get_gpu(systems->items[index])->id;
  for (size_t i = 0; i < index; i++)
    if (strcmp(pm_system_get_gpu(systems->items[i])->id, id) == 0) silent.value[OPTION_QUIET] = "";
  return silent;
}

static int add_framework(const cli_request *request, const cli_systems *systems, const char *name, pm_plan *plan)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile *profiles = (pm_framework_profile *)calloc(systems->count, sizeof *profiles);
  int code = profiles != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 0; i < systems->count && code == CODE_DONE; i++) {
    const cli_request one = told(request, systems, i);
    code = open_framework(&one, systems->catalog, name, systems->items[i], &profiles[i]);
  }
  if (code == CODE_DONE && pm_plan_add_framework_by_system(plan, profiles, systems->count, &error) < 0)
    code = fail_error(&error);
  free(profiles);
  return code;
}

static int add_profile(const cli_request *request, const cli_systems *systems, const char *name,
                       const pm_memory_profile *memory, pm_plan *plan)
{
  pm_error error = PM_ERROR_NONE;
  pm_inference_profile *profiles = (pm_inference_profile *)calloc(systems->count, sizeof *profiles);
  int code = profiles != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 0; i < systems->count && code == CODE_DONE; i++) {
    const cli_request one = told(request, systems, i);
    code = open_profile(&one, systems->catalog, name, systems->items[i], &profiles[i]);
  }
  if (code == CODE_DONE && pm_plan_add_inference_profile_by_system(plan, profiles, systems->count, memory, &error) < 0)
    code = fail_error(&error);
  free(profiles);
  return code;
}

int add_frameworks(const cli_request *request, const cli_systems *systems, pm_plan *plan, size_t *count)
{
  texts list;
  int code = CODE_DONE;
  *count = 0;
  if (strcmp(framework_names(request), "none") == 0) return CODE_DONE;
  if (!read_names("--framework", framework_names(request), &list)) return CODE_USAGE;
  for (size_t i = 0; i < list.count && code == CODE_DONE; i++) code = add_framework(request, systems, list.items[i], plan);
  *count = list.count;
  free(list.items);
  return code;
}

int add_profiles(const cli_request *request, const cli_systems *systems, const pm_memory_profile *memory, pm_plan *plan,
                 size_t *count)
{
  texts list;
  int code = CODE_DONE;
  if (!read_names("--framework", framework_names(request), &list)) return CODE_USAGE;
  for (size_t i = 0; i < list.count && code == CODE_DONE; i++)
    code = add_profile(request, systems, list.items[i], memory, plan);
  *count = list.count;
  free(list.items);
  return code;
}
