/* Bounds of the counts that a record gives. */
#include "record/count.h"
#include "base/base.h"

int pm__count_check(const char *name, double value, int32_t least, pm_error *error)
{
  if (value < least) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %.0f is not at least %d", name, value, least);
  if (value <= PM_COUNT_MAX) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %.0f is more than %d, the most that is modelled", name, value,
                  PM_COUNT_MAX);
}
