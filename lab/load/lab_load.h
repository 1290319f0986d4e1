/*
** The laboratory, opened when it is wanted, so that a program that only predicts neither loads it nor needs it.
**
**     pm_lab lab;
**     if (pm_lab_load(&lab, &error) != PM_OK) return ...;
**     pm_table *table = lab.validate(catalog, &what, &error);
*/
#ifndef PERFMODEL_LAB_LOAD_H
#define PERFMODEL_LAB_LOAD_H

#include "perfmodel-lab.h"

#define PM_LAB_FUNCTIONS(X)                                                                               \
  X(validate) X(validation_get_set) X(measurements_read) X(measurements_find_format)                      \
  X(calibrate) X(calibration_free) X(calibration_options_make) X(calibration_get_set)                     \
  X(calibration_get_constants) X(calibration_get_errors) X(calibration_get_notes) X(calibration_get_xml)

typedef struct pm_lab {
#define PM_LAB_MEMBER(name) __typeof__(&pm_##name) name;
  PM_LAB_FUNCTIONS(PM_LAB_MEMBER)
#undef PM_LAB_MEMBER
} pm_lab;

/* Fills in the functions. PM_STATUS_NOT_FOUND where the library of the laboratory is not installed. */
int pm_lab_load(pm_lab *lab, pm_error *error);

#endif
