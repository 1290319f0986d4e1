/* What a calibration finds, and the sets of measurements that it can be made of. */
#ifndef PM_LAB_CALIBRATE_CALIBRATION_H
#define PM_LAB_CALIBRATE_CALIBRATION_H

#include "base/base.h"
#include "perfmodel/calibrate.h"

struct pm_calibration {
  pm_fitted_constant *constants;
  size_t constant_count, constant_capacity;
  pm_fit_error *errors;
  size_t error_count, error_capacity;
  pm__string notes, xml;
};

/* The constant of an entry, NULL if it was not fitted. */
pm_fitted_constant *pm__calibration_find(const pm_calibration *calibration, const char *entry, const char *constant);

/* The same, added empty if it is new; NULL with an error. */
pm_fitted_constant *pm__calibration_constant(pm_calibration *calibration, const char *entry, const char *constant,
                                             pm_error *error);

/* Sums up signed errors in per cent, which become absolute and sorted. */
int pm__calibration_error(pm_calibration *calibration, const char *stage, const char *group, pm_fit_use use,
                          double *errors, size_t count, pm_error *error);

bool pm__calibration_has(const pm_calibration *calibration, const char *entry);

/* Four digits say all that is known, and make files that people can read. */
double pm__four_digits(double value);

/* Whether a list parted by commas has the name. */
bool pm__listed(const char *list, const char *name);

/* What is the same for all constants of a fit. */
void pm__constant_found(pm_fitted_constant *constant, const char *stage, const char *unit, const pm_fit_parameter *found,
                        size_t rows);

/* Fits one set; `options` have a text. */
typedef int pm__calibrate(pm_calibration *calibration, const pm_catalog *catalog, const pm_calibration_options *options,
                          bool shipped, pm_error *error);

pm__calibrate pm__calibrate_kernels, pm__calibrate_training;

#endif
