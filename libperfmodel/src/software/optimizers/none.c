/* No optimizer: a step ends with its gradients. */
#include "software/optimizer.h"

#define NONE(TRAIT)                                                     \
  TRAIT(state, 0) TRAIT(embedding_state, 0) TRAIT(scratch, 0)           \
  TRAIT(accesses, 0) TRAIT(kernels, 0)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "general-knowledge")
PM__OPTIMIZER_DEFINE(NONE)
