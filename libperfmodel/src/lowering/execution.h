/*
** The kernels that software runs for a layer. A layer's kind counts the memory-bound kernels that its arithmetic needs;
** frameworks run more of them, or fewer if they fuse:
**
**     least     what no software can do without: as the kind counts, but an activation behind a batch norm, or behind
**               an addition behind one, costs nothing, and such an addition reads its other input only (1 access);
**               and what convolutions may take in (fused convolutions)
**     unfused   a bias is a pass of its own (2 accesses forward, 1 backward), a loss is five kernels, nine with
**               smoothed labels; mixed: the same where tensors are in two bytes, and a loss is in FP32
**     fused     as unfused, but activations and additions as in the least, and a bias in front of an activation is part
**               of it; a softmax knows a causal mask, as in the least, and reads the half of the scores that counts
**     eager     as unfused, but layers of transformers are run operation by operation: eager.h; mixed: the same where
**               tensors are in two bytes, and norms and softmax stay in FP32. Decoders run word by word: loop.h
**
**     fused convolutions
**               as fused; besides, a fixed norm behind a convolution is a scale and a shift of what that writes, and of
**               the gradient that it reads, and costs nothing, nor does an activation behind a convolution with a bias
**               (cuDNN's runtime fusion, apex)
**
** With `bias in product` added to any of them, the product of a linear layer adds its bias: only its gradient is a
** pass.
**
** Recurrent layers are one call of a library for each pass, unless they are in such a loop.
*/
#ifndef PM_LOWERING_EXECUTION_H
#define PM_LOWERING_EXECUTION_H

#include "lowering/launch.h"

typedef enum pm__execution {
  PM__LEAST,
  PM__UNFUSED,
  PM__UNFUSED_MIXED,
  PM__FUSED,
  PM__EAGER,
  PM__EAGER_MIXED,
  PM__FUSED_CONVOLUTIONS,
  PM__BIAS_IN_PRODUCT,
  PM__EXECUTIONS = 2 * PM__BIAS_IN_PRODUCT
} pm__execution;

enum { PM__LAUNCHES_MORE = 8, PM__LAUNCHES_MAX = PM__KERNELS_MAX + PM__LAUNCHES_MORE };

/* Elements of a convolution that change layout, per sample, if its ends are in another than it wants: both ways. */
double pm__layout_elements(const pm__layer_kernel *kernel);

/* The kernels of layer `index`, written to `list`; returns how many. */
int pm__lower_layer(const pm_network *network, size_t index, pm__execution how, pm__launch *list);

#endif
