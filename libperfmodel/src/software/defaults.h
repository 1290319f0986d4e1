/* What a framework does where a run leaves it open; NULL: without a framework. */
#ifndef PM_SOFTWARE_DEFAULTS_H
#define PM_SOFTWARE_DEFAULTS_H

#include <stdbool.h>
#include "perfmodel/framework.h"
#include "perfmodel/parallel.h"

/* GPUs that shard every expert, where `asked` are asked for; 0: the framework's. */
static inline int32_t pm__software_expert_tensor(const pm_framework_profile *framework, int32_t tensor, int32_t asked)
{
  bool shards = framework != NULL && framework->framework.shards_experts == 1;
  return asked != 0 ? asked : shards ? tensor : 1;
}

/* How GPUs that share a sequence exchange keys and values. */
static inline int32_t pm__software_context_exchange(const pm_framework_profile *framework, int32_t asked)
{
  if (asked != PM_CONTEXT_EXCHANGE_FRAMEWORK) return asked;
  int32_t own = framework != NULL ? framework->framework.context_exchange : PM_CONTEXT_EXCHANGE_FRAMEWORK;
  return own >= 0 && own < PM_CONTEXT_EXCHANGE_FRAMEWORK ? own : PM_CONTEXT_EXCHANGE_ALL_GATHER;
}

#endif
