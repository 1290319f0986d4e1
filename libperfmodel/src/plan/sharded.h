/*
** Networks shared out over GPUs. A network is cut into pieces where a pipeline may cut it; of each kind of piece a plan
** has what one GPU of a tensor-, context- and expert-parallel group computes, lowered to units, with its memory and its
** exchanges. They are made when a run first needs them, and kept with the plan as wirings are with a system: a list that
** only grows, so that threads may share a plan that is only read.
*/
#ifndef PM_PLAN_SHARDED_H
#define PM_PLAN_SHARDED_H

#include "hardware/kept.h"
#include "plan/plan.h"
#include "sharding/pieces.h"
#include "sharding/shard.h"

/* Distinct pieces that one network may have. */
enum { PM__PIECE_KINDS = 128 };

/* The pieces of a network in the order they run: some in front (an embedding), the layers that stages share, and some
** behind (a head). before[i * kinds + k]: of the kind k among the first i layers. */
typedef struct pm__plan_pieces {
  pm__kept kept;
  pm__pieces *pieces;
  int front, layers, behind; /* their numbers; together all pieces */
  int *before;
  int key[1];
} pm__plan_pieces;

typedef struct pm__plan_piece {
  const pm__shard *shard;
  pm__units *units;
  pm_memory_plan *memory;
  bool *linear;         /* of each distinct kernel: whether it is a product of a linear layer, or of experts */
  double input;         /* elements of all its inputs, per sample: what is kept where all of it is computed again */
  double forward_flop, attention_flop; /* of one GPU, per sample; of attention that keeps its scores */
  double operations_flop;              /* of what recomputation by operation keeps */
} pm__plan_piece;

/* What of a run decides them. */
typedef struct pm__plan_sharded_key {
  int network, mode, memory;
  pm__sharding_degrees degrees;
} pm__plan_sharded_key;

enum { PM__SHARDED_KEY = 13 }; /* its numbers, two places for each that is not whole */

typedef struct pm__plan_sharded {
  pm__kept kept;
  const pm__plan_pieces *of;
  pm__shards *shards;
  pm__plan_piece *piece; /* of each kind */
  int key[PM__SHARDED_KEY];
} pm__plan_sharded;

/* NULL with the reason: no memory, or a network that cannot be shared out so. */
const pm__plan_pieces *pm__plan_pieces_find(const pm_plan *plan, int network, pm_error *error);
const pm__plan_sharded *pm__plan_sharded_find(const pm_plan *plan, const pm__plan_sharded_key *key, pm_error *error);

#endif
