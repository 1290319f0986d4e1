/*
** Accesses to each parameter, and kernels for each tensor. Fused, weights, gradients and state are read, weights and state
** written: 3 and 2 for each number of state; LAMB reads weights and update again for the norms (3). Unfused in place, Adam scales and adds to two moments (5, 6), takes
** the root (2), adds epsilon (2) and updates (4); clipping reads once and scales (3). Operation by operation, nine products
** or functions of one operand (2 each), five of two (3 each) and three assignments (2 each); before them gradients are
** unscaled, tested, normed and clipped (6). LAMB corrects both moments and takes two norms (10). RMSProp in Keras: eight
** of one operand, among them the two bounds of the root, three of two, and the copy of the accumulator (2); the weights
** take over the buffer of the last.
**
** What is kept is 4 bytes for each moment or sum, as the optimizers of the catalogue say; where every operation has an
** output of its own, the clipped gradients and both new moments exist at once.
*/
#include "software/optimizer.h"
#include "perfmodel/framework.h"

const pm__optimizer *pm__optimizer_of(int32_t update)
{
  static const pm__optimizer optimizers[] = {
    [PM_UPDATE_MOMENTUM] = {.accesses = 5, .kernels = 1, .state = 4},
    [PM_UPDATE_SGD] = {.accesses = 3, .kernels = 1},
    [PM_UPDATE_ADAM] = {.accesses = 7, .kernels = 1, .state = 8},
    [PM_UPDATE_ADAMW] = {.accesses = 7, .kernels = 1, .state = 8},
    [PM_UPDATE_RMSPROP] = {.accesses = 5, .kernels = 1, .state = 4},
    [PM_UPDATE_ADAGRAD] = {.accesses = 5, .kernels = 1, .state = 4},
    [PM_UPDATE_LION] = {.accesses = 5, .kernels = 1, .state = 4},
    [PM_UPDATE_LAMB] = {.accesses = 10, .kernels = 1, .state = 8},
    [PM_UPDATE_RMSPROP_UNFUSED] = {.accesses = 27, .kernels = 12, .state = 4},
    [PM_UPDATE_ADAM_UNFUSED] = {.accesses = 22, .kernels = 11, .state = 8},
    [PM_UPDATE_ADAMW_UNFUSED] = {.accesses = 45, .kernels = 23, .state = 8, .scratch = 12},
    [PM_UPDATE_LAMB_UNFUSED] = {.accesses = 55, .kernels = 31, .state = 8, .scratch = 12},
    [PM_UPDATE_NONE] = {.accesses = 0},
  };
  return &optimizers[update];
}
