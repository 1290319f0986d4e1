/* Descriptors of offloading, and the table of them; each is a line of PM_OFFLOAD_LIST (perfmodel/parallel.h). */
#include "base/traits.h"
#include "perfmodel/parallel.h"

#define DEFINE(name) PM__TRAITS_DEFINE(static pm_offloading, offloading_##name, name, PM_OFFLOADING_FIELDS)

#define NONE(TRAIT) TRAIT(optimizer, 0) TRAIT(gradients, 0) TRAIT(weights, 0) TRAIT(zero, 0)
DEFINE(NONE)

#define OPTIMIZER(TRAIT) TRAIT(optimizer, 1) TRAIT(gradients, 0) TRAIT(weights, 0) TRAIT(zero, 0)
DEFINE(OPTIMIZER)

#define GRADIENTS(TRAIT) TRAIT(optimizer, 1) TRAIT(gradients, 1) TRAIT(weights, 0) TRAIT(zero, 2)
DEFINE(GRADIENTS)

#define PARAMETERS(TRAIT) TRAIT(optimizer, 1) TRAIT(gradients, 1) TRAIT(weights, 1) TRAIT(zero, 3)
DEFINE(PARAMETERS)

const pm_offloading *pm_offloading_get(int32_t offload)
{
  static const pm_offloading *const table[PM_OFFLOAD_COUNT] = {
#define ENTRY(name, ...) [PM_OFFLOAD_##name] = &offloading_##name,
    PM_OFFLOAD_LIST(ENTRY)
#undef ENTRY
  };
  return offload >= 0 && offload < PM_OFFLOAD_COUNT ? table[offload] : NULL;
}
