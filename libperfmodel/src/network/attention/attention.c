/* The table of attention implementations. */
#include "network/attention/attention.h"

const pm_attention *pm_attention_get(int32_t attention)
{
  static const pm_attention *const table[PM_ATTENTION_COUNT] = {
#define ENTRY(name, ...) [PM_ATTENTION_##name] = &pm__attention_##name,
    PM_ATTENTION_LIST(ENTRY)
#undef ENTRY
  };
  return attention >= 0 && attention < PM_ATTENTION_COUNT ? table[attention] : NULL;
}
