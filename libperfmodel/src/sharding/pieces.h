/*
** Pieces: the parts of a network that a pipeline may put on different GPUs. A piece is one repetition of a part that
** repeats (names of its layers are alike up to the first number: "h.12."), or a run of layers between such parts; a
** network without repetitions is cut at its blocks (network/blocks.h). Equal pieces are one network: a GPT has an
** embedding, a layer and a head.
*/
#ifndef PM_SHARDING_PIECES_H
#define PM_SHARDING_PIECES_H

#include "network/network.h"

/* Tensors that a piece takes from others are inputs of its network that want gradients; what it shares with the whole
** network are names, attributes, counts. All consumers that a tensor has in other pieces count as one more of its
** consumers. */
typedef struct pm__pieces {
  pm_network **kind; /* distinct pieces, named as the first of them: "h.0", "wte" */
  int kinds;
  int count;
  int *of;           /* kind of each piece, in the order they run */
  int *first;        /* number of its first layer in the network; one more at the end */
  bool *repeats;     /* whether it is a repetition: one of the layers that are distributed to stages */
  double *passed;    /* elements per sample of the tensors that cross the cut behind it */
} pm__pieces;

/* NULL with an error without memory. */
pm__pieces *pm__pieces_new(const pm_network *network, pm_error *error);
void pm__pieces_free(pm__pieces *pieces);

#endif
