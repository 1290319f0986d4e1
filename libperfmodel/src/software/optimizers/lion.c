/* Lion takes the sign of a moment. */
#include "software/optimizer.h"

#define LION(TRAIT)                                                     \
  TRAIT(state, 4) TRAIT(embedding_state, 4) TRAIT(scratch, 0)           \
  TRAIT(accesses, 5) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 1)                                 \
  TRAIT(source, "chen2023")
PM__OPTIMIZER_DEFINE(LION)
