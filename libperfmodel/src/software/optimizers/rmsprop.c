/*
** Optimizers that divide by a mean or sum of squares: RMSProp, with a velocity too, Adagrad, and Adadelta, which keeps
** the mean squares of its updates besides.
**
** RMSProp in Keras, operation by operation: eight of one operand, among them the two bounds of the root, three of two,
** and the copy of the accumulator (2); the weights take over the buffer of the last.
*/
#include "software/optimizer.h"

#define RMSPROP(TRAIT)                                                  \
  TRAIT(state, 4) TRAIT(embedding_state, 4) TRAIT(scratch, 0)           \
  TRAIT(accesses, 5) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "bottou2018 sec. 6")
PM__OPTIMIZER_DEFINE(RMSPROP)

#define RMSPROP_MOMENTUM(TRAIT)                                         \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 0)           \
  TRAIT(accesses, 7) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "bottou2018 sec. 6")
PM__OPTIMIZER_DEFINE(RMSPROP_MOMENTUM)

#define RMSPROP_UNFUSED(TRAIT)                                          \
  TRAIT(state, 4) TRAIT(embedding_state, 4) TRAIT(scratch, 0)           \
  TRAIT(accesses, 27) TRAIT(kernels, 12)                                \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "bottou2018 sec. 6")
PM__OPTIMIZER_DEFINE(RMSPROP_UNFUSED)

#define ADAGRAD(TRAIT)                                                  \
  TRAIT(state, 4) TRAIT(embedding_state, 4) TRAIT(scratch, 0)           \
  TRAIT(accesses, 5) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "duchi2011")
PM__OPTIMIZER_DEFINE(ADAGRAD)

/* One number for a row of 128, FBGEMM's exact row-wise Adagrad. */
#define ROWWISE_ADAGRAD(TRAIT)                                          \
  TRAIT(state, 4) TRAIT(embedding_state, 0.03125) TRAIT(scratch, 0)     \
  TRAIT(accesses, 5) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "fbgemm")
PM__OPTIMIZER_DEFINE(ROWWISE_ADAGRAD)

#define ADADELTA(TRAIT)                                                 \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 0)           \
  TRAIT(accesses, 7) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "zeiler2012")
PM__OPTIMIZER_DEFINE(ADADELTA)
