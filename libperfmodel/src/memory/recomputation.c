/* Descriptors of recomputation, and the table of them; each is a line of PM_RECOMPUTE_LIST (perfmodel/memory.h). */
#include "base/traits.h"
#include "perfmodel/memory.h"

#define DEFINE(name) PM__TRAITS_DEFINE(static pm_recomputation, recomputation_##name, name, PM_RECOMPUTATION_FIELDS)

#define NONE(TRAIT) TRAIT(scores, 0) TRAIT(layers, 0) TRAIT(operations, 0)
DEFINE(NONE)

#define SELECTIVE(TRAIT) TRAIT(scores, 1) TRAIT(layers, 0) TRAIT(operations, 0)
DEFINE(SELECTIVE)

#define FULL(TRAIT) TRAIT(scores, 1) TRAIT(layers, 1) TRAIT(operations, 0)
DEFINE(FULL)

#define OPERATIONS(TRAIT) TRAIT(scores, 1) TRAIT(layers, 1) TRAIT(operations, 1)
DEFINE(OPERATIONS)

const pm_recomputation *pm_recomputation_get(int32_t recompute)
{
  static const pm_recomputation *const table[PM_RECOMPUTE_COUNT] = {
#define ENTRY(name, ...) [PM_RECOMPUTE_##name] = &recomputation_##name,
    PM_RECOMPUTE_LIST(ENTRY)
#undef ENTRY
  };
  return recompute >= 0 && recompute < PM_RECOMPUTE_COUNT ? table[recompute] : NULL;
}
