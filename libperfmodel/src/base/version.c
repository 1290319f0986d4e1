/* The version of the library that a program runs with, which may be another than that of its headers. */
#include "perfmodel.h"

const char *pm_version_get(void)
{
  return PM_VERSION;
}
