/* A calibration of kernels under way. */
#ifndef PM_LAB_CALIBRATION_KERNEL_FIT_H
#define PM_LAB_CALIBRATION_KERNEL_FIT_H

#include "perfmodel-lab.h"
#include "calibration/calibration.h"
#include "calibration/kernel_stages.h"
#include "validation/kernel_row.h"

enum { PM__FIT_GPUS = 64 };

/* A GPU that rows are of, and the architecture whose constants it has. */
typedef struct pm__lab_fit_gpu {
  pm_gpu gpu;
  size_t architecture;
  bool kept, wanted; /* held out; of an architecture that is fitted */
  size_t first, count; /* its rows, in the order of the GPUs */
} pm__lab_fit_gpu;

typedef struct pm__lab_fit_row {
  pm_kernel kernel;
  double time, overhead, floor;
  bool large, kept_shape, older, usable;
} pm__lab_fit_row;

typedef struct pm__lab_kernel_fit {
  const pm_calibration_options *options;
  pm_calibration *out;
  bool all; /* architectures, and what they share */
  /* rows of the user: constants are those of their architectures alone, and begin where the catalogue has them */
  bool own;
  pm__lab_fit_gpu gpus[PM__FIT_GPUS];
  size_t gpu_count;
  pm_kernel_calibration architectures[PM__FIT_GPUS]; /* complete */
  pm_kernel_calibration before[PM__FIT_GPUS]; /* as the catalogue has them */
  pm_kernel_calibration stated[PM__FIT_GPUS]; /* as its entry has it: unknown what it takes from "default" */
  bool wanted[PM__FIT_GPUS];
  size_t architecture_count;
  pm__lab_fit_row *rows;
  size_t row_count;
} pm__lab_kernel_fit;

/* Sorts the rows by GPU and says what each is to the fit. */
int pm__lab_kernel_fit_load(pm__lab_kernel_fit *fit, const pm_catalog *catalog, const pm__lab_kernel_rows *rows,
                            pm_error *error);

/* What rows are to the fit of a stage; PM_FIT_USE_COUNT: nothing. */
pm_fit_use pm__lab_kernel_fit_use(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage, const pm__lab_fit_gpu *gpu,
                                  const pm__lab_fit_row *row);

/* Times [s] of some rows of a GPU, what the host adds included; NAN where there is none. */
void pm__lab_kernel_fit_times(const pm__lab_fit_gpu *gpu, const pm_kernel_calibration *constants,
                              const pm_kernel *kernels,
                              const pm__lab_fit_row *const *rows, size_t count, double *times);

/* A file for the catalogue: all kernel calibrations, or those with a constant that was fitted. */
void pm__lab_kernel_fit_write(const pm__lab_kernel_fit *fit, const pm_catalog *catalog, pm__string *out);

/* Fills the errors of all stages, by GPU and use. */
int pm__lab_kernel_fit_sum_up(pm__lab_kernel_fit *fit, pm_error *error);

/* Whether a stage may set the constant of an architecture: its own if it states it, else that of all. */
bool pm__lab_constant_is_of(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage, size_t architecture,
                            const char *name);

double pm__lab_constant_get(const pm_kernel_calibration *calibration, const char *name);
void pm__lab_constant_set(pm_kernel_calibration *calibration, const char *name, double value);

#endif
