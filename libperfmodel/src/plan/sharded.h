/*
** Networks cut into pieces, and what one GPU computes of each piece. A network is cut where a pipeline may cut it; of
** each kind of piece a plan has the layers of one GPU of a tensor-, context- and expert-parallel group, lowered to
** units, with their memory and exchanges. They are made when a run first needs them and are kept with the plan, as
** wirings are with a system: in a list that only grows, so that threads may share a plan that is only read.
**
** The pieces of an unsharded network are parts of one whole: they are lowered among their neighbours there and their
** memory comes from one walk through it, so that sums over pieces equal the whole network. A shard's memory is that of
** its piece and the difference that sharding makes to the piece by itself.
*/
#ifndef PM_PLAN_SHARDED_H
#define PM_PLAN_SHARDED_H

#include "hardware/kept.h"
#include "plan/plan.h"
#include "sharding/pieces.h"
#include "sharding/shard.h"

/* Distinct pieces that one network may have. */
enum { PM__PIECE_KINDS = 128 };

/* The pieces of a network in the order they run: some in front (an embedding), the layers that stages divide among
** them, and some behind (a head). before[i * kinds + k]: of the kind k among the first i layers. */
typedef struct pm__plan_pieces {
  pm__kept kept;
  pm__pieces *pieces;
  int front, layers, behind; /* their numbers; together all pieces */
  int *before;
  int key[1];
} pm__plan_pieces;

/* What pieces keep, with and without the scores of attention. */
enum { PM__PIECE_SCORES = 2 };

/* Frozen parameters of one GPU: of products, of experts, all others; those that it has where another stage owns them.
** `used`: of products, what a pass reads, in so many layers. `passing`: numbers that the lengths of DoRA have alive in
** a layer, the most of any. */
typedef struct pm__plan_frozen {
  double matrices, experts, others, tied;
  double used[PM__PASSES], uses[PM__PASSES], passing;
} pm__plan_frozen;

typedef struct pm__plan_piece {
  const pm_network *network; /* its layers on one GPU */
  const pm__units *units;
  const pm_memory_plan *memory;
  double whole, split, expert, tied;    /* parameters that are trained, as a shard has them (sharding/shard.h) */
  pm__sharding_lookup lookup;           /* likewise */
  pm__plan_frozen frozen;
  const pm__sharding_exchange *exchange;
  int exchanges;
  bool *linear;         /* of each distinct kernel: whether it is a product of a linear layer, or of experts */
  double input;         /* elements of all its inputs, per sample: what is kept where all of it is recomputed */
  double forward_flop, attention_flop; /* of one GPU, per sample; of attention that keeps its scores */
  double tensors, matrices;            /* that are trained; those of them whose gradients are products */
  double operations_flop;              /* of what recomputation by operation keeps */
} pm__plan_piece;

/* What of a run decides them. */
typedef struct pm__plan_sharded_key {
  const pm__plan_network *network;
  int mode, memory;
  pm__sharding_degrees degrees;
} pm__plan_sharded_key;

enum { PM__SHARDED_KEY = 15 }; /* its numbers, two places for each that is not whole */

typedef struct pm__plan_sharded {
  pm__kept kept;
  const pm__plan_pieces *of;
  pm__shards *shards;
  pm__plan_piece *piece; /* of each kind */
  /* bytes per sample, of every piece in turn; [1]: without scores */
  pm__memory_piece *memory[PM__CLASSES][PM__PIECE_SCORES];
  int *run; /* the first of the equal pieces in a row that a piece is among */
  int key[PM__SHARDED_KEY];
} pm__plan_sharded;

/* NULL with the reason: no memory, or a network that cannot be sharded so. */
const pm__plan_pieces *pm__plan_pieces_find(const pm_plan *plan, const pm__plan_network *network, pm_error *error);
const pm__plan_sharded *pm__plan_sharded_find(const pm_plan *plan, const pm__plan_sharded_key *key, pm_error *error);

/* A whole network as one piece, in a mode and a memory profile of the plan; but for what recomputation asks of pieces.
** */
void pm__plan_piece_whole(const pm__plan_network *network, int mode, int memory, pm__plan_piece *out);

#endif
