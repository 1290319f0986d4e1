/* What of the kernels is fitted on which rows, one stage after the other. */
#ifndef PM_LAB_CALIBRATION_KERNEL_STAGES_H
#define PM_LAB_CALIBRATION_KERNEL_STAGES_H

#include <stdbool.h>
#include "perfmodel.h"

enum { PM__STAGE_CONSTANTS = 24 };

typedef struct pm__lab_stage_constant {
  const char *name; /* field of the record kernel_calibration; NULL ends the list */
  double start, lower, upper;
} pm__lab_stage_constant;

/* Which rows: operators from the first to the last, on some cores, or of GPUs with some memory. */
typedef enum pm__lab_stage_place {
  PM__ANY_CORES,
  PM__SIMT_CORES,   /* FP32 */
  PM__TENSOR_CORES, /* FP16 */
  PM__EITHER_CORES,
  PM__STACKED_MEMORY,
  PM__PLAIN_MEMORY,  /* no check bits among the data, or none that the architecture has a constant for */
  PM__CHECKED_MEMORY
} pm__lab_stage_place;

typedef enum pm__lab_stage_turn {
  PM__FIRST,
  PM__AGAIN, /* on the rows of another stage, where their errors stand */
  PM__FILLS  /* the same; only constants that no earlier stage has fitted */
} pm__lab_stage_turn;

typedef struct pm__lab_stage {
  const char *name;
  int group;        /* stages that depend on each other have the same, and are gone through several times */
  const char *rows; /* what they are, for notes: "FP32 products" */
  pm_operator first, last;
  pm__lab_stage_place place;
  bool large;   /* large tensors alone */
  bool general; /* constants of every architecture, on the rows of all */
  pm__lab_stage_turn turn;
  const char *kept_gpu; /* a GPU whose rows are always held out, or NULL */
  pm__lab_stage_constant constants[PM__STAGE_CONSTANTS];
} pm__lab_stage;

/* NULL past the last. */
const pm__lab_stage *pm__lab_stage_at(size_t index);

/* Whether a kernel is one of its rows; `stated`: the constants that the architecture has as its own. */
bool pm__lab_stage_uses(const pm__lab_stage *stage, const pm_kernel *kernel, const pm_gpu *gpu,
                         const pm_kernel_calibration *stated, bool large);

#endif
