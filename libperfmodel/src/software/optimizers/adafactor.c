/*
** Adafactor keeps sums of squares of the rows and columns of a matrix, 4 (n + m) bytes of n m parameters: 0.008 B at
** 1024 x 1024; 0.03 B is an upper value for the matrices of BERT-large, small ones included. A flat shard of a matrix
** has no whole rows and columns, so every rank keeps all sums.
**
** Gradients are read for the sums (1); they and the weights for the two root mean squares of the step's size (2); then
** they are read and the weights are updated (3).
*/
#include "software/optimizer.h"

#define ADAFACTOR(TRAIT)                                                \
  TRAIT(state, 0.03) TRAIT(embedding_state, 0.03) TRAIT(scratch, 0)     \
  TRAIT(accesses, 6) TRAIT(kernels, 1)                                  \
  TRAIT(replicated, 1) TRAIT(suggested, 0)                                 \
  TRAIT(source, "shazeer2018")
PM__OPTIMIZER_DEFINE(ADAFACTOR)
