/*
** LAMB is Adam with a rate for each tensor from the norms of its weights and of its update, which it reads once more
** (3). Operation by operation it is AdamW that corrects both moments and takes two norms (10).
*/
#include "software/optimizer.h"

#define LAMB(TRAIT)                                                     \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 0)           \
  TRAIT(accesses, 10) TRAIT(kernels, 1)                                 \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "you2020")
PM__OPTIMIZER_DEFINE(LAMB)

#define LAMB_UNFUSED(TRAIT)                                             \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 12)          \
  TRAIT(accesses, 55) TRAIT(kernels, 31)                                \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "you2020")
PM__OPTIMIZER_DEFINE(LAMB_UNFUSED)
