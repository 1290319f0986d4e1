/*
** Decoders that a graph of operations runs word by word: a loop whose body has the recurrent layers that attention
** reads its queries from, or that read its contexts, and attention itself. Libraries that are asked for whole layers
** run each of them over all words at once, unless a recurrent layer is fed what later ones gave at the word before:
** then all do so.
**
**     product with the input     one for each word, not one for all: the weights are read every time
**     gradients of the weights   one product for each word, added to the sum of those before: 3 accesses in FP32
**     a cell                     operation by operation: concatenation, bias, split, five functions, four products and
**                                two sums, and the choice of old or new state behind the end of a sentence
**     attention                  its kernels for each word
**
** The host's threads launch what does not wait for each other side by side: it is asked for the operations on the path
** from one word to the next, not for the gradients of weights and the gates beside it.
*/
#ifndef PM_LOWERING_LOOP_H
#define PM_LOWERING_LOOP_H

#include "lowering/execution.h"

/* Whether a layer is part of such a loop: in a graph of operations, or in any software. */
bool pm__in_loop(const pm_network *network, const pm__layer *layer, bool graph);

/* Changes the kernels of a layer that is; `wide`: elements to an FP32 number. Returns their number then. */
int pm__loop_kernels(const pm__layer *layer, double wide, pm__launch *list, int count);

#endif
