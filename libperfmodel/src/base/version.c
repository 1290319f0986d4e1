#include "perfmodel.h"

const char *pm_version_get(void)
{
  return PM_VERSION;
}
