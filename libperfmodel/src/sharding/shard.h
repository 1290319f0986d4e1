/*
** Shards: the part of a piece that one GPU of a group computes (tensor, sequence, context and expert parallelism), and
** the exchanges of the group. The layer kinds determine how a layer is sharded (network/sharding.h); this module walks
** through the network.
**
** A tensor's state is whole, tokens (rows split), features (split) or partial (a sum still to be made). A product with
** a whole input whose result leads, through layers that keep features split, to products that sum them up is split by
** its own features; so is one that leads to a loss, which does without the others' classes. If a layer needs another
** distribution than its input has, an exchange is inserted:
**
**     partial -> whole    all-reduce            whole -> split layer    backward: all-reduce of the gradient
**     partial -> tokens   reduce-scatter        backward: all-gather
**     tokens  -> whole    all-gather            backward: reduce-scatter, and the tensor gathered again for gradients
**                                               of parameters: it is not kept
**     whole   -> tokens   a slice               backward: all-gather
*/
#ifndef PM_SHARDING_SHARD_H
#define PM_SHARDING_SHARD_H

#include "network/network.h"
#include "sharding/pieces.h"

/* Per GPU. Parameters are shared further by data parallelism, their gradients and optimizer state with them; whole,
** split, expert and lookup.parameters together are the network's parameters. */
typedef struct pm__shard {
  pm_network *network; /* what one GPU computes; not sharded, the piece itself, count by count */
  pm__sharding_exchange *exchange; /* per sample */
  int count;
  double whole;   /* parameters that all GPUs of the tensor group have: replicas are tensor x context x data */
  double split;   /* those that it splits: replicas are context x data */
  double expert;  /* of experts: replicas are tensor x context x data / (expert x expert_tensor) */
  pm__sharding_lookup lookup; /* divided embedding tables: updated where they are read, without gradients */
  double tied;    /* in none of these: those of layers that take another's, which may be in another piece: a stage that
                     has not got that has a copy of so many */
  double tied_whole; /* of `tied`: those that all GPUs of the tensor group would have */
  double copied;  /* of `split`: more than its part, because other GPUs have the same (heads of keys and values) */
  double padding; /* of `split` and `tied`: more than the network has, because rows of a vocabulary are padded */
  int divided;    /* products of which each GPU of the tensor group has a summand: with those in front of them they are
                     its share of the work */
  int experts;    /* layers of them */
  const pm__layer *undivided; /* of the piece: the first product that it does not split, or NULL */
} pm__shard;

/* NULL with an error: which layer stops it, in one line. */
pm__shard *pm__shard_new(const pm_network *piece, const pm__sharding_degrees *degrees, pm_error *error);
void pm__shard_free(pm__shard *shard);

/* The shards of all kinds of pieces, by the number of the kind. */
typedef struct pm__shards {
  pm__shard **shard;
  int count;
} pm__shards;

/* The same; also NULL if a tensor group finds nothing to split, or experts are split and there are none. */
pm__shards *pm__shards_new(const pm__pieces *pieces, const pm__sharding_degrees *degrees, pm_error *error);
void pm__shards_free(pm__shards *shards);

#endif
