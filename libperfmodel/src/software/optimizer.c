/* The table of optimizers. */
#include "software/optimizer.h"

const pm_optimizer *pm_optimizer_get(int32_t optimizer)
{
  static const pm_optimizer *const table[PM_OPTIMIZER_COUNT] = {
#define ENTRY(name, ...) [PM_OPTIMIZER_##name] = &pm__optimizer_##name,
    PM_OPTIMIZER_LIST(ENTRY)
#undef ENTRY
  };
  return optimizer >= 0 && optimizer < PM_OPTIMIZER_COUNT ? table[optimizer] : NULL;
}
