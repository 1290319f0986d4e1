/*
** Calibration: constants of the model from measurements.
**
** pm_fit is bounded least squares by Levenberg and Marquardt's method, for residuals of any kind; constants of the model
** are fitted on residuals log(predicted / measured), so that 10 % too fast and 10 % too slow count alike:
**
**     pm_fit_parameter parameters[2] = {pm_fit_parameter_new("efficiency", 0.9, 0.3, 1.2),
**                                       pm_fit_parameter_new("latency", 5e-6, 1e-7, 1e-3)};
**     pm_fit_options options = pm_fit_options_default();
**     pm_fit(parameters, 2, residuals, &my_rows, row_count, &options, &result, &error);
**
** Nothing is random: the same residuals give the same constants.
*/
#ifndef PERFMODEL_CALIBRATE_H
#define PERFMODEL_CALIBRATE_H

#include "catalog.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PM_FIT_STATE_LIST(X)                                                                      \
  X(FIXED, "fixed", "not fitted")                                                                 \
  X(FITTED, "fitted", "the measurements determine it")                                            \
  X(UNIDENTIFIED, "not identifiable", "the measurements do not determine it, or only with others") \
  X(AT_LOWER, "at lower bound", "the measurements want less than the bound allows")               \
  X(AT_UPPER, "at upper bound", "the measurements want more than the bound allows")

typedef enum pm_fit_state {
#define PM_FIT_STATE_ENUM(name, text, doc) PM_FIT_STATE_##name,
  PM_FIT_STATE_LIST(PM_FIT_STATE_ENUM)
#undef PM_FIT_STATE_ENUM
  PM_FIT_STATE_COUNT
} pm_fit_state;

#define PM_FIT_PARAMETER_FIELDS(X)                                                                         \
  X(TEXT, name, "", "name of the constant")                                                                \
  X(REAL, start, "1", "value that the search starts from")                                                 \
  X(REAL, lower, "1", "least value; above 0: the search is in the logarithm")                              \
  X(REAL, upper, "1", "largest value; equal to the least: not fitted")                                     \
  X(REAL, value, "1", "value found")                                                                       \
  X(REAL, uncertainty, "1", "standard error, as a share of the value")                                     \
  X(FIT_STATE, state, "", "whether the measurements determine it")                                         \
  X(TEXT, correlated, "", "the constant that it can be exchanged with most")                               \
  X(REAL, correlation, "1", "correlation of the errors of the two")

typedef struct pm_fit_parameter { PM_FIT_PARAMETER_FIELDS(PM_DECLARE) } pm_fit_parameter;

PM_API pm_fit_parameter pm_fit_parameter_new(const char *name, double start, double lower, double upper);

typedef struct pm_fit_options {
  double robust;     /* residuals well beyond this count by their size, not its square; 0: all by the square */
  int huber;         /* 1: by the square up to `robust`, by the size beyond (Huber); 0: with a soft passage (soft L1) */
  double step;       /* of numeric derivatives: share of a value, or of its range if its bounds include 0 */
  double tolerance;  /* share of the cost that an improvement must be worth */
  int iterations;    /* of each search, at most */
  int starts;        /* searches: one from the start, the others from points spread around it; the best counts */
} pm_fit_options;

PM_API pm_fit_options pm_fit_options_default(void);

typedef struct pm_fit_result {
  double start_cost, cost; /* half the sum of squares, large residuals softened */
  int iterations, evaluations;
} pm_fit_result;

/* Fills `residuals` for these values of the parameters, in their order; anything but PM_OK ends the fit with it. A
** residual that is NAN makes the values unusable. */
typedef int pm_fit_residuals(void *context, const double *values, double *residuals, pm_error *error);

/* Finds the values with the least cost; the other results are filled in too. Parameters that reach a bound stay there while
** the measurements want more. Uncertainties suppose that the residuals are independent of each other: with many rows of
** like shape they are too small. */
PM_API int pm_fit(pm_fit_parameter *parameters, size_t count, pm_fit_residuals *residuals, void *context, size_t rows,
                  const pm_fit_options *options, pm_fit_result *result, pm_error *error);

/* ---- Calibrating the constants of the model -------------------------------------------------------------------- */

/*
** A set of measurements, those that the library ships or one's own, gives constants of the catalogue:
**
**     kernels    times of kernels -> constants of architectures (kernel_calibration)
**     training   rates of training -> host times of frameworks, factors of library eras; the rate of convolutions of an
**                architecture without rows of kernels, if it states one
**
**     pm_calibration_options options = pm_calibration_options_default();
**     options.set = "training";
**     options.data = my_csv;
**     options.entries = "my-framework";
**     pm_calibration *calibration = pm_calibrate(catalog, &options, &error);
**     puts(pm_calibration_xml(calibration));
*/

#define PM_FIT_USE_LIST(X)                                                                              \
  X(FITTED, "fitted", "the constants were fitted on them")                                              \
  X(KEPT_SHAPE, "kept-out-shape", "sizes that no row of the fit has")                                   \
  X(KEPT_GPU, "kept-out-gpu", "a GPU that no row of the fit is of")                                     \
  X(OLDER_LIBRARY, "older-library", "the same source with an older library")                            \
  X(KEPT_SOURCE, "kept-out-source", "predicted with constants that were fitted without their source")   \
  X(KEPT_NETWORK, "kept-out-network", "predicted with constants that were fitted without their network") \
  X(LEFT_OUT, "left-out", "a rule of the catalogue leaves them out of the fit")

typedef enum pm_fit_use {
#define PM_FIT_USE_ENUM(name, text, doc) PM_FIT_USE_##name,
  PM_FIT_USE_LIST(PM_FIT_USE_ENUM)
#undef PM_FIT_USE_ENUM
  PM_FIT_USE_COUNT
} pm_fit_use;

#define PM_FITTED_CONSTANT_FIELDS(X)                                                                       \
  X(TEXT, entry, "", "id of the catalogue's entry that it is of; default: of every architecture")          \
  X(TEXT, stage, "", "stage of the calibration")                                                           \
  X(TEXT, constant, "", "name of the constant")                                                            \
  X(TEXT, unit, "", "unit of its values")                                                                  \
  X(REAL, value, "1", "value found")                                                                       \
  X(REAL, uncertainty, "1", "standard error, as a share of the value")                                     \
  X(FIT_STATE, state, "", "whether the measurements determine it")                                         \
  X(REAL, start, "1", "value that the search started from")                                                \
  X(REAL, lower, "1", "least value")                                                                       \
  X(REAL, upper, "1", "largest value")                                                                     \
  X(TEXT, correlated, "", "the constant that it can be exchanged with most")                               \
  X(REAL, correlation, "1", "correlation of the errors of the two")                                        \
  X(INT, rows, "1", "measurements that it was fitted on")

typedef struct pm_fitted_constant { PM_FITTED_CONSTANT_FIELDS(PM_DECLARE) } pm_fitted_constant;

#define PM_FIT_ERROR_FIELDS(X)                                                                             \
  X(TEXT, stage, "", "stage of the calibration")                                                           \
  X(TEXT, group, "", "what the rows have in common: their GPU, or what rates are grouped by")              \
  X(FIT_USE, use, "", "what the rows are to the fit")                                                      \
  X(INT, rows, "1", "measurements")                                                                        \
  X(REAL, mape, "%", "mean of the absolute errors")                                                        \
  X(REAL, median, "%", "median of the absolute errors")                                                    \
  X(REAL, p90, "%", "90th percentile of the absolute errors")                                              \
  X(REAL, bias, "%", "mean of the signed errors; above 0: predicted too much, of times too slow, of rates too fast")

typedef struct pm_fit_error { PM_FIT_ERROR_FIELDS(PM_DECLARE) } pm_fit_error;

typedef struct pm_calibration_options {
  const char *set;    /* one of pm_calibration_set */
  const char *data;   /* the text of measurements of one's own; NULL: what is shipped */
  const char *file;   /* how messages call it; NULL: "data" */
  const char *entries; /* ids of architectures, frameworks or library eras, parted by commas, whose constants are fitted;
                       ** NULL: all that the rows decide, and what they share */
  const char *kept;   /* what is only predicted, parted by commas: ids of GPUs (kernels), sources (training); or NULL */
  double kept_shapes; /* share of the shapes of kernels that is only predicted */
} pm_calibration_options;

PM_API pm_calibration_options pm_calibration_options_default(void);

/* The sets by position, NULL past the last. */
PM_API const char *pm_calibration_set(size_t index);

typedef struct pm_calibration pm_calibration;

/* Fits constants. Owned by the caller; NULL with an error. Kernels: of each GPU and source the newest library counts,
** products above the peak do not; what is kept out by its shape is chosen by a hash of the sizes, the same for all GPUs.
** Training: rows that readings of the catalogue leave out are only predicted; every source is left out once, or every
** network if there is one source. The same rows give the same constants. Cost: some seconds. */
PM_API pm_calibration *pm_calibrate(const pm_catalog *catalog, const pm_calibration_options *options, pm_error *error);
PM_API void pm_calibration_free(pm_calibration *calibration);

/* Arrays that live as long as the calibration. */
PM_API const pm_fitted_constant *pm_calibration_constants(const pm_calibration *calibration, size_t *count);
PM_API const pm_fit_error *pm_calibration_errors(const pm_calibration *calibration, size_t *count);

/* What there is to say about the rows, a line each; "" if nothing. Lives as long as the calibration. */
PM_API const char *pm_calibration_notes(const pm_calibration *calibration);

/* A file for pm_catalog_load: the entries with the constants found in their places, the others of their values as they
** were. All entries of these kinds if the shipped rows were fitted without choosing, else those that have such a constant.
** Lives as long as the calibration. */
PM_API const char *pm_calibration_xml(const pm_calibration *calibration);

#ifdef __cplusplus
}
#endif
#endif
