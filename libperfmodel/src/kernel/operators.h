/* The operators of single kernels: their sizes, their minimum work, and their cost. */
#ifndef PM_KERNEL_OPERATORS_H
#define PM_KERNEL_OPERATORS_H

#include "kernel/models.h"

/* Arithmetic [FLOP] and elements moved, at least, and whether the arithmetic is matrix multiplications. */
typedef struct pm__amount {
  double flop, elements;
  bool matrix;
} pm__amount;

typedef struct pm__operator {
  /* which of count, m, n and k it has: a letter each; "l": bandwidth of a link; "w": window and tensors of a
  ** convolution; "h": heads of keys; "o": bytes of the second operand */
  const char *sizes;
  pm__amount (*amount)(const pm_kernel *kernel);
  pm__kernel_cost (*cost)(const pm__device *device, const pm_kernel *kernel, const pm__amount *amount);
  pm__operator_class rows_of; /* whose rows its time rests on */
} pm__operator;

/* The operation must be one of pm_operator. */
const pm__operator *pm__operator_of(int operation);

#endif
