/* Stochastic gradient descent: plain, with a velocity, and with the norms of weights and gradients besides (LARS). */
#include "software/optimizer.h"

#define SGD(TRAIT)                                                      \
  TRAIT(state, 0) TRAIT(embedding_state, 0) TRAIT(scratch, 0)           \
  TRAIT(accesses, 3) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 1)                                 \
  TRAIT(source, "bottou2018")
PM__OPTIMIZER_DEFINE(SGD)

#define MOMENTUM(TRAIT)                                                 \
  TRAIT(state, 4) TRAIT(embedding_state, 4) TRAIT(scratch, 0)           \
  TRAIT(accesses, 5) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 1)                                 \
  TRAIT(source, "bottou2018")
PM__OPTIMIZER_DEFINE(MOMENTUM)

#define LARS(TRAIT)                                                     \
  TRAIT(state, 4) TRAIT(embedding_state, 4) TRAIT(scratch, 0)           \
  TRAIT(accesses, 7) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "you2017")
PM__OPTIMIZER_DEFINE(LARS)
