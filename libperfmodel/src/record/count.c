/* Bounds of the counts that a record gives. */
#include "record/count.h"
#include <math.h>
#include "base/base.h"

int pm__count_check(const char *name, double value, int32_t least, pm_error *error)
{
  if (value < least) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %.0f is not at least %d", name, value, least);
  if (value <= PM_COUNT_MAX) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %.0f is more than %d, the most that is modelled", name, value,
                  PM_COUNT_MAX);
}

int pm__batch_check(double batch, pm_error *error)
{
  static const double most = 9007199254740992.0;
  if (isnan(batch)) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a batch is missing (nan)");
  if (batch < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "batch %g is not at least 1", batch);
  if (batch <= most) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "batch %g is more than %.0f, the most that is modelled", batch, most);
}

int pm__batch_check_whole(double batch, pm_error *error)
{
  int status = pm__batch_check(batch, error);
  if (status != PM_OK || batch == floor(batch)) return status;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "batch %g is not a whole number", batch);
}
