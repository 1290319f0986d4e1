/* What a calibration finds, and the sets of measurements that it can be made of. */
#ifndef PM_LAB_CALIBRATION_CALIBRATION_H
#define PM_LAB_CALIBRATION_CALIBRATION_H

#include "perfmodel-lab.h"
#include "base/base.h"

struct pm_calibration {
  pm_fitted_constant *constants;
  size_t constant_count, constant_capacity;
  pm_fit_error *errors;
  size_t error_count, error_capacity;
  pm__string notes, xml;
  char table[PM_TEXT_MAX], date[16]; /* what the rows are called, and when they were fitted */
};

/* The constant of an entry, NULL if it was not fitted. */
pm_fitted_constant *pm__lab_calibration_find(const pm_calibration *calibration, const char *entry,
                                             const char *constant);

/* The same, added empty if it is new; NULL with an error. */
pm_fitted_constant *pm__lab_calibration_constant(pm_calibration *calibration, const char *entry, const char *constant,
                                                 pm_error *error);

/* Sums up signed errors in per cent, which become absolute and sorted. */
int pm__lab_calibration_error(pm_calibration *calibration, const char *stage, const char *group, pm_fit_use use,
                              double *errors, size_t count, pm_error *error);

bool pm__lab_calibration_has(const pm_calibration *calibration, const char *entry);

/* Four digits say all that is known, and make files that people can read. */
double pm__lab_four_digits(double value);

/* Whether a list separated by commas has the name. */
bool pm__lab_listed(const char *list, const char *name);

/* What is the same for all constants of a fit. */
void pm__lab_constant_found(pm_fitted_constant *constant, const char *stage, const char *unit,
                            const pm_fit_parameter *found,
                            size_t rows);

/* Fits one set; `options` have a text. */
typedef int pm__lab_calibrate(pm_calibration *calibration, const pm_catalog *catalog,
                              const pm_calibration_options *options,
                              bool shipped, pm_error *error);

pm__lab_calibrate pm__lab_calibrate_kernels, pm__lab_calibrate_training, pm__lab_calibrate_language,
        pm__lab_calibrate_inference, pm__lab_calibrate_large_models, pm__lab_calibrate_documents,
        pm__lab_calibrate_collectives, pm__lab_calibrate_operators, pm__lab_calibrate_serving,
        pm__lab_calibrate_energy, pm__lab_calibrate_grouped,
        pm__lab_calibrate_plans;

/* Entries of the catalogue as a file has them, some of their values replaced. */

/* An entry by position among those of its kind. */
typedef struct pm__lab_entry {
  const pm_catalog *catalog;
  const char *kind, *id;
  const pm_record_type *type;
} pm__lab_entry;

/* False past the last. */
bool pm__lab_entry_at(const pm_catalog *catalog, const char *kind, size_t index, pm__lab_entry *entry);

typedef struct pm__lab_new_value {
  char text[PM_TEXT_MAX], note[400];
  const char *origin;                 /* or NULL: fitted to */
  char fitted_to[400], date[16];
  int rows;
} pm__lab_new_value;

/* Fills the value that a field of an entry gets instead of its own, if it gets one. */
typedef bool pm__lab_replaced(const void *user, const pm__lab_entry *entry, const pm_field *field,
                              pm__lab_new_value *value);

/* What a constant was fitted to: names separated by spaces, those of rows without a source being the table's. */
void pm__lab_value_fitted(pm__lab_new_value *value, const pm_calibration *calibration, const char *sources, int rows);

/* A value in the unit that people write: us, pJ/FLOP. */
void pm__lab_value_write(pm__lab_new_value *value, double number, const char *unit);

/* The file of frameworks, or of profiles of inference: all entries, or those with a constant that was fitted. */
void pm__lab_frameworks_write(pm__string *out, const pm_calibration *calibration, const pm_catalog *catalog, bool all,
                              pm__lab_replaced *replaced, const void *user);
void pm__lab_profiles_write(pm__string *out, const pm_calibration *calibration, const pm_catalog *catalog, bool all,
                              pm__lab_replaced *replaced, const void *user);

/* "<framework ...> ... </framework>" after an empty line. */
void pm__lab_entry_write(pm__string *out, const pm__lab_entry *entry, pm__lab_replaced *replaced, const void *user);

#endif
