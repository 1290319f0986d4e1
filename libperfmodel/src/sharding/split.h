/* Which layers of a piece a tensor group shards, and how; decided before anything is built. */
#ifndef PM_SHARDING_SPLIT_H
#define PM_SHARDING_SPLIT_H

#include "network/network.h"

/* Of one layer, and of the tensor that it makes. */
typedef struct pm__shard_layer {
  bool splits_output;        /* splits its own parameters, from whole inputs */
  bool splits_input;         /* takes features as they are split */
  pm__sharding_state out;     /* features, or whole: what else it may be is not decided here */
  pm__sharding_demand demand; /* what its readers want of split features */
  bool needed;                /* a backward pass needs the tensor, or one that is made of it in the piece */
  bool leaves;                /* other pieces read it */
} pm__shard_layer;

/* One for each layer of the piece, in the arena; NULL with an error without memory. */
pm__shard_layer *pm__shard_layers(const pm_network *piece, const pm__sharding_degrees *degrees, pm__arena *arena,
                                  pm_error *error);

/* Whether a layer takes inputs that lie so; sets part->out. */
bool pm__shard_accepts(const pm__layer *layer, pm__sharding_part *part);

/* What a layer's kind is told: shapes of the whole piece, in the arena; states are all whole. False without memory. */
bool pm__shard_part(const pm_network *piece, int number, const pm__sharding_degrees *degrees, pm__arena *arena,
                    pm__sharding_part *part, pm__sharding_state **states);

#endif
