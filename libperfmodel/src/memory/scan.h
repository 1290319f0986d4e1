/* Walks through a network that find how much is alive at once, per sample. */
#ifndef PM_MEMORY_SCAN_H
#define PM_MEMORY_SCAN_H

#include "memory/tensors.h"

typedef struct pm__alive {
  double saved; /* activations kept for the backward pass */
  double peak;  /* most alive at once: saved and gradients in flight */
} pm__alive;

/* Training, everything kept. `alive`, if not NULL, gets what is alive in each layer's backward pass. */
int pm__scan_backward(const pm__tensors *tensors, pm__sizes sizes, bool without_scores, pm__alive *out, double *alive,
                      pm_error *error);

/* Training, segments computed again: the split at single tensors that needs least. */
int pm__scan_segments(const pm__tensors *tensors, pm__sizes sizes, pm__alive *out, pm_error *error);

/* Outputs that recomputation by operation keeps. */
double pm__scan_operations(const pm__tensors *tensors, pm__sizes sizes);

/* Inference: the most elements alive at once, and all that are ever written. */
int pm__scan_forward(const pm__tensors *tensors, double *alive, double *written, pm_error *error);

#endif
