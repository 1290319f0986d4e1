/* The laboratory for the wrappers: a calibration is freed by the library that made it. */
#ifndef PM_SWIG_LAB_H
#define PM_SWIG_LAB_H

#include <lab_load.h>

static void calibration_free(pm_calibration *calibration)
{
  pm_lab lab;
  if (pm_lab_load(&lab, NULL) == PM_OK) lab.calibration_free(calibration);
}

#define pm_calibration_free calibration_free

#endif
