/* What is computed once, before inference runs are predicted. */
#ifndef PM_INFERENCE_INFERENCE_H
#define PM_INFERENCE_INFERENCE_H

#include "hardware/system.h"
#include "plan/costs.h"
#include "kernel/models.h"
#include "lowering/forward.h"
#include "lowering/library.h"
#include "network/network.h"
#include "perfmodel/inference.h"

/* The lists of a network: one for each execution of frameworks, then one for each fusion but the first. */
enum { PM__INFERENCE_LISTS = PM__EXECUTIONS + PM_FUSION_COUNT - 1 };

static inline int pm__inference_list_of(const pm_inference_profile *profile, bool narrow)
{
  if (profile->fusion != PM_FUSION_NONE) return PM__EXECUTIONS + profile->fusion - 1;
  return (int)pm__execution_of(profile->fused != 0, profile->composed != 0, narrow);
}

typedef struct pm__inference_network {
  const pm_network *network;
  double flop;    /* of one sample */
  double weights; /* parameters of the layers that multiply, and in how many tensors */
  double tensors;
  pm__launch_list lists[PM__INFERENCE_LISTS]; /* empty: no profile of the plan wants it */
  pm_memory_plan *memory; /* NULL: unknown */
} pm__inference_network;

typedef struct pm__inference_system {
  const pm_system *system;
  pm__device rooflines[PM_PRECISION_COUNT];
  pm__device (*devices)[PM_PRECISION_COUNT]; /* calibrated, with the libraries of each profile */
} pm__inference_system;

struct pm_inference_plan {
  pm__inference_network *networks;
  size_t network_count;
  pm__inference_system *systems;
  size_t system_count;
  pm_inference_profile *profiles;
  size_t profile_count;
};

#endif
