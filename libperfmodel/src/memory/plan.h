/* What is computed once of a network, a profile and an optimiser. */
#ifndef PM_MEMORY_PLAN_H
#define PM_MEMORY_PLAN_H

#include "memory/scan.h"

/* Precisions that take the same memory share a class: 8, 4 and 2 bytes in training. */
enum { PM__CLASSES = 3 };

struct pm_memory_plan {
  pm_memory_profile profile;
  pm_optimizer optimizer;
  double parameters, embedding_parameters;
  double input_elements;
  double forward_elements, written_elements; /* of inference: alive at once, and in all */
  bool attention;
  pm__alive alive[PM__CLASSES][PM_RECOMPUTE_COUNT];
};

/* Bytes of all parameters and what belongs to them, on one GPU. */
typedef struct pm__parameter_bytes {
  double weights, gradients, optimizer;
} pm__parameter_bytes;

pm__parameter_bytes pm__parameters_take(const pm_memory_plan *plan, const pm_memory_run *run);

/* Fixed parts and bytes per sample; the parts of `use` from context to sample. */
void pm__memory_parts(const pm_memory_plan *plan, const pm_memory_run *run, double batch, pm_memory_use *use);

#endif
