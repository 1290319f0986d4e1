/* What the software of a plan rests on, system by system. */
#include "plan/rows.h"
#include <stdlib.h>
#include <string.h>
#include "software/libraries.h"

/* Of rows on these architectures for kernels of another, or of one of them. */
static int32_t status_of(const char *calibrated_on, const pm_kernel_calibration *kernels)
{
  if (kernels == NULL || calibrated_on[0] == '\0') return PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  return pm__list_has(calibrated_on, kernels->id) ? PM_CALIBRATION_STATUS_CALIBRATED
                                                                       : PM_CALIBRATION_STATUS_EXTRAPOLATED;
}

/* Which widths of groups have kernels differs between architectures, so rows of one say nothing of another. */
static pm__plan_rows rows_on(const pm_system *system, const pm__plan_lists *of)
{
  const pm_kernel_calibration *kernels = pm_system_get_kernels(system);
  bool runs = pm__libraries_support(of->supported, system->gpu.architecture);
  int32_t groups = status_of(of->groups, kernels);
  if (groups != PM_CALIBRATION_STATUS_CALIBRATED) groups = PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  return (pm__plan_rows){status_of(of->host, kernels), status_of(of->convolutions, kernels), groups, runs};
}

pm__plan_rows *pm__plan_rows_of(const pm_plan *plan, pm__plan_lists of, pm_error *error)
{
  pm__plan_rows *rows = (pm__plan_rows *)calloc(plan->system_count + 1, sizeof *rows);
  if (rows == NULL) pm__no_memory(error);
  for (size_t i = 0; rows != NULL && i < plan->system_count; i++) rows[i] = rows_on(plan->systems[i].system, &of);
  return rows;
}

void pm__plan_framework_free(const pm_plan *plan, pm__plan_framework *entry)
{
  for (size_t i = 0; entry->by_system != NULL && i < plan->system_count; i++) free(entry->by_system[i].rows);
  free(entry->by_system);
  free(entry->rows);
}

void pm__plan_profile_free(const pm_plan *plan, pm__plan_profile *entry)
{
  for (size_t i = 0; entry->by_system != NULL && i < plan->system_count; i++) free(entry->by_system[i].rows);
  free(entry->by_system);
  free(entry->rows);
}
