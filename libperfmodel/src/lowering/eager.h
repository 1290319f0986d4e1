/*
** Layers that are run operation by operation. Accesses to memory for each element, instead of those that the kind
** counts; every operation of the formula is a kernel that reads its operands and writes its result. FP32 accesses are
** those that mixed precision leaves in FP32. Numbers of whole layers are in their descriptors:
**
**                     unfused (native kernels)          eager (or a graph without a compiler)
**                     forward       backward         forward                backward
**     gelu            as counted    as counted       18                     27
**     silu            as counted    as counted       5                      12
**     swiglu          as counted    as counted       8                      18
**     layer norm      as counted    as counted       15 in FP32             36 in FP32
**     RMS norm        as counted    as counted       7 in FP32              21 in FP32
**     dropout         as counted    as counted       5 and 5 in FP32        5
**     scores          scale 2, mask 2; scale 2       the same in FP32, softmax 2; 9 in FP32, and its dropout as above
**     heads           query, keys, values, context to another order and back: 2 each, both ways, as unfused
**
**     additive        4 more of each query with each key, both ways, unless fused: its bias and tanh, and their sums
**
** Values in FP32 are converted where they enter and leave. Fused attention is one kernel either way.
*/
#ifndef PM_LOWERING_EAGER_H
#define PM_LOWERING_EAGER_H

#include "lowering/execution.h"

/* Changes the `count` kernels of a layer that are in the list, or adds to them; returns their number then. */
int pm__lower_eager(const pm_network *network, const pm__layer *layer, pm__execution execution, pm__launch *list,
                    int count);

#endif
