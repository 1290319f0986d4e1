/* Frameworks by name, and into a plan. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

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
    if (pm_catalog_get_framework(catalog, list.items[i], &(*profiles)[i], &error) != PM_OK) code = fail_error(&error);
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
