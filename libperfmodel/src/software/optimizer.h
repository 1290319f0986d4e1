/*
** What an optimizer does to each parameter: accesses to memory, kernels for each tensor, and what it keeps.
*/
#ifndef PM_SOFTWARE_OPTIMIZER_H
#define PM_SOFTWARE_OPTIMIZER_H

#include <stdint.h>

typedef struct pm__optimizer {
  double accesses, kernels;
  double state, scratch; /* bytes kept, and bytes of temporaries while it updates, per parameter in FP32 */
} pm__optimizer;

/* `update` must be one of pm_update. */
const pm__optimizer *pm__optimizer_of(int32_t update);

#endif
