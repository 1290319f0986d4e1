/* Walks through a network that compute how much memory is alive at once, per sample. */
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

/* What one piece of a network keeps; the most that is alive while it runs backward, beyond what the pieces before it
** keep; and, where memory is laid out ahead, what is needed beyond all that is kept. The peak of a whole is then the
** largest of `top` plus what the pieces before keep, and of `once` plus what all keep, however the whole is cut. */
typedef struct pm__memory_piece {
  double saved, top, once;
} pm__memory_piece;

/* Training, piece by piece of one walk: piece i is the layers first[i] .. first[i + 1] - 1. */
int pm__scan_pieces(const pm__tensors *tensors, pm__sizes sizes, bool without_scores, const int *first, int count,
                    pm__memory_piece *pieces, pm_error *error);

/* Training, segments computed again: the split at single tensors that needs least. */
int pm__scan_segments(const pm__tensors *tensors, pm__sizes sizes, pm__alive *out, pm_error *error);

/* Outputs that recomputation by operation keeps. */
double pm__scan_operations(const pm__tensors *tensors, pm__sizes sizes);

/* Inference: the most elements alive at once, and all that are ever written. */
int pm__scan_forward(const pm__tensors *tensors, double *alive, double *written, pm_error *error);

#endif
