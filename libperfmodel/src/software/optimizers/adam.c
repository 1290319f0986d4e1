/*
** Adam keeps two moments of every gradient.
**
** Unfused in place, it scales and adds to two moments (5, 6), takes the root (2), adds epsilon (2) and updates (4);
** clipping reads once and scales (3). AdamW operation by operation: nine products or functions of one operand (2 each),
** five of two (3 each) and three assignments (2 each); before them gradients are unscaled, tested, normed and clipped
** (6). Every operation has an output of its own there: the clipped gradients and both new moments exist at once, fitted
** to the largest batches of the BERT repository.
**
** With 8-bit state a scale in FP32 for each block of 2048 comes to each moment: 2.004 B, of which twice a quarter are
** accesses.
*/
#include "software/optimizer.h"

#define ADAM(TRAIT)                                                     \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 0)           \
  TRAIT(accesses, 7) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "kingma2015")
PM__OPTIMIZER_DEFINE(ADAM)

#define ADAMW(TRAIT)                                                    \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 0)           \
  TRAIT(accesses, 7) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "loshchilov2019")
PM__OPTIMIZER_DEFINE(ADAMW)

#define ADAM_UNFUSED(TRAIT)                                             \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 0)           \
  TRAIT(accesses, 22) TRAIT(kernels, 11)                                \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "kingma2015")
PM__OPTIMIZER_DEFINE(ADAM_UNFUSED)

#define ADAMW_UNFUSED(TRAIT)                                            \
  TRAIT(state, 8) TRAIT(embedding_state, 8) TRAIT(scratch, 12)          \
  TRAIT(accesses, 45) TRAIT(kernels, 23)                                \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "bert-readme")
PM__OPTIMIZER_DEFINE(ADAMW_UNFUSED)

#define ADAM_8BIT(TRAIT)                                                \
  TRAIT(state, 2.004) TRAIT(embedding_state, 8) TRAIT(scratch, 0)       \
  TRAIT(accesses, 4.002) TRAIT(kernels, 1)                              \
  TRAIT(replicated, 0) TRAIT(suggested, 0)                                 \
  TRAIT(source, "dettmers2022")
PM__OPTIMIZER_DEFINE(ADAM_8BIT)
