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
#include "kernel.h"
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
  double robust;     /* residuals well beyond this count by their size, not its square (soft L1); 0: all by the square */
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

/* ---- Measured kernels ----------------------------------------------------------------------------------------- */

/*
** Rows of a table of published kernel times (CSV). Columns, of which those that an operator does not have may be empty
** or missing:
**
**     kernel   gemm, conv, rnn, elementwise, ln, softmax;  op: bmm, linear, LSTM, GRU, Vanilla, add ...
**     pass     fwd, bwd_data, bwd_weight ("bwd" of a recurrent layer is bwd_data)
**     B M N K, transA transB (BLAS: N or T; a linear layer is TN), conv_W conv_H conv_C conv_N conv_K, filt_R_h filt_S_w, pad_h pad_w, stride_h stride_w,
**     hidden rnn_batch timesteps, shape ("rows x columns"), sparsity (such rows are left out)
**     precision, gpu, gpu_memory_GB, time_us, library, source_repo, and id and overhead_us if there are any
**
** GPUs are matched to the catalogue by their names. What the host adds to a row is its overhead_us, else that of the
** harness (catalogue) of its source and GPU.
*/
typedef struct pm_kernel_rows pm_kernel_rows;

/* Owned by the caller. Errors name `file` and the line. Rows that cannot be used are left out, with a note. */
PM_API pm_kernel_rows *pm_kernel_rows_new(const pm_catalog *catalog, const char *csv, const char *file,
                                          pm_error *error);
PM_API void pm_kernel_rows_free(pm_kernel_rows *rows);
PM_API size_t pm_kernel_rows_count(const pm_kernel_rows *rows);

/* Arrays of pm_kernel_rows_count records, in the order of the file; they live as long as the rows. */
PM_API const pm_measured_kernel *pm_kernel_rows_measured(const pm_kernel_rows *rows);
PM_API const pm_kernel *pm_kernel_rows_kernels(const pm_kernel_rows *rows);

/* Number of groups, and the group of each row, from 0 in the order of their first rows. */
PM_API size_t pm_kernel_rows_group_count(const pm_kernel_rows *rows);
PM_API const int32_t *pm_kernel_rows_groups(const pm_kernel_rows *rows);

/* Why rows were left out ("124 rows: gpu "TPU v3" is not in the catalogue"); NULL past the last. */
PM_API const char *pm_kernel_rows_note(const pm_kernel_rows *rows, size_t index);

/* Times [s] of all rows by the model, and by the plain roofline, what the host adds included; NAN where there is none.
** Returns how many rows have a time by the model. */
PM_API size_t pm_kernel_rows_predict(const pm_kernel_rows *rows, const pm_catalog *catalog, double *times,
                                     double *roofline_times);

/* ---- Calibrating the constants of kernels --------------------------------------------------------------------- */

#define PM_KERNEL_USE_LIST(X)                                                            \
  X(FITTED, "fitted", "the constants were fitted on them")                               \
  X(KEPT_SHAPE, "kept-out-shape", "sizes that no row of the fit has")                    \
  X(KEPT_GPU, "kept-out-gpu", "a GPU that no row of the fit is of")                      \
  X(OLDER_LIBRARY, "older-library", "the same source with an older library")

typedef enum pm_kernel_use {
#define PM_KERNEL_USE_ENUM(name, text, doc) PM_KERNEL_USE_##name,
  PM_KERNEL_USE_LIST(PM_KERNEL_USE_ENUM)
#undef PM_KERNEL_USE_ENUM
  PM_KERNEL_USE_COUNT
} pm_kernel_use;

#define PM_FITTED_CONSTANT_FIELDS(X)                                                                       \
  X(TEXT, architecture, "", "id of the kernel calibration; default: of every architecture")                \
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
  X(TEXT, gpu, "", "id of the GPU")                                                                        \
  X(KERNEL_USE, use, "", "what the rows are to the fit")                                                   \
  X(INT, rows, "1", "measurements")                                                                        \
  X(REAL, mape, "%", "mean of the absolute errors")                                                        \
  X(REAL, median, "%", "median of the absolute errors")                                                    \
  X(REAL, p90, "%", "90th percentile of the absolute errors")                                              \
  X(REAL, bias, "%", "mean of the signed errors; above 0: predicted too slow")

typedef struct pm_fit_error { PM_FIT_ERROR_FIELDS(PM_DECLARE) } pm_fit_error;

typedef struct pm_kernel_fit_options {
  const char *architectures; /* ids of kernel calibrations, parted by commas: their own constants only; NULL: all, and
                             ** what they share */
  const char *kept_gpus;     /* ids of GPUs whose rows are kept out, parted by commas; or NULL */
  double kept_shapes;        /* share of the shapes that is kept out */
  double robust;             /* as in pm_fit_options: logarithm of an error that counts as large */
} pm_kernel_fit_options;

PM_API pm_kernel_fit_options pm_kernel_fit_options_default(void);

typedef struct pm_kernel_fit pm_kernel_fit;

/* Fits constants of kernels to measurements. Of each GPU and source the newest library counts; products above the peak do
** not. What is kept out by its shape is chosen by a hash of the sizes, the same for all GPUs. Owned by the caller. Cost:
** some seconds for 20,000 rows. */
PM_API pm_kernel_fit *pm_kernel_fit_new(const pm_catalog *catalog, const pm_kernel_rows *rows,
                                        const pm_kernel_fit_options *options, pm_error *error);
PM_API void pm_kernel_fit_free(pm_kernel_fit *fit);

/* Arrays that live as long as the fit. */
PM_API const pm_fitted_constant *pm_kernel_fit_constants(const pm_kernel_fit *fit, size_t *count);
PM_API const pm_fit_error *pm_kernel_fit_errors(const pm_kernel_fit *fit, size_t *count);

/* A file for pm_catalog_load: kernel calibrations of the catalogue with the constants of the fit in their places; all of
** them, or those of the architectures asked for.
** Returns a string that the caller releases with pm_string_free; NULL with an error. */
PM_API char *pm_kernel_fit_xml(const pm_kernel_fit *fit, const pm_catalog *catalog, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
