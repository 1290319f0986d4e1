/* What of the kernels is fitted on which rows, one stage after the other. */
#ifndef PM_CALIBRATE_KERNEL_STAGE_H
#define PM_CALIBRATE_KERNEL_STAGE_H

#include <stdbool.h>
#include "perfmodel/calibrate.h"

enum { PM__STAGE_CONSTANTS = 24 };

typedef struct pm__stage_constant {
  const char *name; /* field of the record kernel_calibration; NULL ends the list */
  double start, lower, upper;
} pm__stage_constant;

typedef struct pm__stage {
  const char *name;
  const char *rows; /* what they are, for notes: "FP32 products" */
  bool general;     /* constants of every architecture, on the rows of all */
  bool (*takes)(const pm_kernel *kernel, const pm_gpu *gpu, const pm_kernel_calibration *stated, bool large);
  pm__stage_constant constants[PM__STAGE_CONSTANTS];
  const char *kept_gpu; /* a GPU whose rows are always kept out, or NULL */
} pm__stage;

/* NULL past the last. */
const pm__stage *pm__stage_at(size_t index);

#endif
