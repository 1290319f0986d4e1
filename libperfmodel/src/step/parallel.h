/*
** A step of a network that is shared out over GPUs: tensor, sequence, context, expert and pipeline parallelism, sharded
** data parallelism, recomputation. In this order:
**
**     parallel.c        degrees, groups and shards of a run; whether they fit together
**     piece.c           time of each kind of piece on one GPU, with its exchanges
**     stages.c          which pieces each stage of the pipeline has, and what they take together
**     sharded_data.c    gradients, and shards of optimizer, gradients and weights, between data-parallel ranks
**     stage_memory.c    memory of each stage
**     offload.c         what is kept and updated on the host
**     parallel_step.c   all of it put together
**     stage_table.c     what it is made of, stage by stage
**     pipeline_trace.c  the same as a timeline
**
** A run without any of this is that of step.h; pm__parallel_wanted says which.
*/
#ifndef PM_STEP_PARALLEL_H
#define PM_STEP_PARALLEL_H

#include "plan/sharded.h"
#include "perfmodel/pipeline.h"
#include "schedule/pipeline.h"
#include "schedule/placement.h"
#include "step/step.h"

/* Whose exchanges are apart: GPUs that share a layer, a sequence, experts; a hop of the pipeline, its two ends; those that
** have the same parameters, and the same experts; the groups that shards lie in, and their copies. */
typedef enum pm__parallel_group {
  PM__GROUP_TENSOR = PM__AXIS_TENSOR,
  PM__GROUP_CONTEXT = PM__AXIS_CONTEXT,
  PM__GROUP_EXPERT = PM__AXIS_EXPERT,
  PM__GROUP_EXPERT_TENSOR = PM__AXIS_EXPERT_TENSOR,
  PM__GROUP_HOP,
  PM__GROUP_ENDS,
  PM__GROUP_DATA,
  PM__GROUP_EXPERT_DATA,
  PM__GROUP_SHARD,
  PM__GROUP_COPIES,
  PM__PARALLEL_GROUPS
} pm__parallel_group;

typedef struct pm__parallel {
  pm__schedule s; /* of the whole network, from which a piece's differs in its units alone */
  const pm__plan_sharded *sharded;
  const pm__plan_pieces *pieces;
  const pm__pipeline_schedule *schedule;
  int stages, chunks, data; /* data: data-parallel ranks */
  double batch, micro_batches;
  double replicas, expert_replicas; /* GPUs that have the same parameters, and the same experts */
  double shards;                    /* GPUs over which ZeRO shares what they have */
  double gradient;                  /* bytes of one as it is exchanged */
  bool gathers_late;
  pm__collective_group group[PM__PARALLEL_GROUPS];
} pm__parallel;

/* Whether a run is one of these. */
bool pm__parallel_wanted(const pm_run *run);

/* PM_OK, or why the run cannot be predicted, memory left aside. `s` has been gathered. May make shards on first use. */
int pm__parallel_make(pm__parallel *p, const pm_plan *plan, const pm__schedule *s, pm_error *error);

/* The same with another micro-batch, schedule, ZeRO stage or recomputation, of a run that `p` is to refer to from now on. */
int pm__parallel_change(pm__parallel *p, const pm_run *run, pm_error *error);

/* ---- Pieces ---- */

/* Of one micro-batch; s. `forward` and the others include exchanges that nothing hides, and the host. */
typedef struct pm__parallel_piece {
  double forward, dgrad, wgrad, recompute;
  double gpu[PM__PASSES], again; /* kernels alone; what is computed again */
  double bound;                  /* of them, what the arithmetic rate limits */
  double host;
  double exchange[PM__SHARDING_AXES];
} pm__parallel_piece;

void pm__parallel_piece_times(const pm__parallel *p, int kind, pm__parallel_piece *out);

/* ---- Stages ---- */

/* How many pieces of each kind a stage has. */
typedef struct pm__parallel_stage {
  int count[PM__PIECE_KINDS];
  int layers;   /* those that stages share, of all kinds */
  double again; /* the share of these that is computed again, where some are */
  double whole, split, expert; /* parameters of one GPU */
} pm__parallel_stage;

/* How many of the layers that stages share come before a chunk. */
int pm__parallel_layers_before(const pm__parallel *p, int chunk);

void pm__parallel_stage_make(const pm__parallel *p, int stage, pm__parallel_stage *out);

/* The pieces of chunk `i` of a stage, without their parameters. */
void pm__parallel_chunk_make(const pm__parallel *p, const pm__parallel_stage *stage, int number, int i,
                             pm__parallel_stage *out);

/* Whether pieces of a kind are among the layers that stages share. */
bool pm__parallel_is_layer(const pm__parallel *p, int kind);

/* Whether pieces of a kind are computed again: those that stages share, if the run wants so. */
bool pm__parallel_again(const pm__parallel *p, int kind);

/* What of its times are exchanges. */
static inline double pm__parallel_exchanges(const pm__parallel_piece *t)
{
  return t->exchange[PM__AXIS_TENSOR] + t->exchange[PM__AXIS_CONTEXT] + (t->exchange[PM__AXIS_EXPERT] +
         t->exchange[PM__AXIS_EXPERT_TENSOR]);
}

/* Sum of the times of a stage's pieces. */
pm__parallel_piece pm__parallel_stage_times(const pm__parallel *p, const pm__parallel_piece *kinds,
                                            const pm__parallel_stage *stage);

/* ---- Data parallelism ---- */

/* s: of a step; what it puts into every micro-batch is in there. What offloading adds is beside the exchanges. */
typedef struct pm__parallel_data {
  double communication, exposed, offload;
} pm__parallel_data;

pm__parallel_data pm__parallel_data_time(const pm__parallel *p, const pm__parallel_stage *stage,
                                         const pm__parallel_piece *kinds, const pm__parallel_piece *times);

/* What ZeRO stage 3 exchanges of one piece, and what of that comes from the host and goes there. */
typedef struct pm__parallel_shards {
  double gather, scatter, up, down;
} pm__parallel_shards;

pm__parallel_shards pm__parallel_shards_price(const pm__parallel *p, int kind);

/* Exchanges of a stage, whatever its times are: all gradients, and what of them has nothing to hide behind; what must follow;
** the share of the GPU that they keep busy. */
typedef struct pm__parallel_prices {
  double gradients, bucket, after, beside;
  const pm__parallel_shards *shards; /* of each kind, with ZeRO stage 3; the caller's */
} pm__parallel_prices;

pm__parallel_prices pm__parallel_data_price(const pm__parallel *p, const pm__parallel_stage *stage,
                                            const pm__parallel_shards *shards);

pm__parallel_data pm__parallel_data_time_of(const pm__parallel *p, const pm__parallel_stage *stage,
                                            const pm__parallel_prices *prices, const pm__parallel_piece *kinds,
                                            const pm__parallel_piece *times);

/* ---- Offloading ---- */

/* Parameters that one GPU updates. */
double pm__parallel_own_share(const pm__parallel *p, const pm__parallel_stage *stage);

/* A copy between a GPU and the host while the node's others copy too; s. */
double pm__parallel_host_copy(const pm__parallel *p, double bytes);

/* What offloading adds to a step, shards of weights left aside; s. NAN if the host's memory bandwidth is not known. */
double pm__parallel_offload_time(const pm__parallel *p, const pm__parallel_stage *stage, const pm__parallel_piece *times);

/* PM_OK, or what its time would need. */
int pm__parallel_offload_check(const pm__parallel *p, pm_error *error);

/* The stage of ZeRO from which on so much can be offloaded: before it, all GPUs sum all gradients, or need all weights. */
static inline int pm__parallel_offload_zero(int32_t offload)
{
  return offload == PM_OFFLOAD_PARAMETERS ? 3 : offload == PM_OFFLOAD_GRADIENTS ? 2 : 0;
}

/* ---- Memory ---- */

/* Bytes of one GPU of a stage but for activations, and these: of one micro-batch in flight, and of what never waits. */
typedef struct pm__parallel_footprint {
  pm__memory_parts parts;
  double waiting, behind, factor; /* the allocator's over what is alive */
} pm__parallel_footprint;

pm__parallel_footprint pm__parallel_footprint_of(const pm__parallel *p, const pm__parallel_stage *stage);
pm__memory_parts pm__parallel_memory_of(const pm__parallel_footprint *footprint, double flight);

/* What the host keeps, taken from the parts of the GPU; `largest` are the parameters of its largest piece. */
void pm__parallel_offload_memory(const pm__parallel *p, const pm__parallel_stage *stage, double largest,
                                 const pm__memory_question *q, pm__memory_parts *parts);

/* Whether a GPU has the memory, and the host what all its GPUs keep there. */
pm_verdict pm__parallel_verdict(const pm__parallel *p, double memory, double host);
int pm__parallel_host_fits(const pm__parallel *p, double host, pm_error *error);

/* Micro-batches whose activations a stage keeps at most. */
double pm__parallel_in_flight(const pm__parallel *p, int stage);

/* Bytes of one GPU of a stage, in the parts of every footprint; activations are of all micro-batches in flight. */
pm__memory_parts pm__parallel_memory(const pm__parallel *p, const pm__parallel_stage *stage, int number);

/* That of the stage that needs most, and its number; of the host, the most of any. */
pm__memory_parts pm__parallel_fullest_stage(const pm__parallel *p, int32_t *number);

/* ---- Together ---- */

/* Memory, and its verdict, of the fullest stage. */
void pm__parallel_step_memory(const pm__parallel *p, pm_prediction *out);

/* PM_OK, or by how much it is too little, which runs may ignore; or what offloading would need to know. */
int pm__parallel_fits(const pm__parallel *p, pm_error *error);

void pm__parallel_step_predict(const pm__parallel *p, pm_prediction *out);

/* What is found from stage to stage. */
typedef struct pm__parallel_walk {
  pm__pipeline_load load;
  pm__parallel_piece slowest; /* times of the stage that takes longest */
  int stage;
  double parameters;          /* of the stage that has to update most, as its own share */
  pm__parallel_data data;     /* of the stage where most is left */
  double offload;             /* of that which waits longest for the host */
} pm__parallel_walk;

pm__parallel_walk pm__parallel_walk_begin(const pm__parallel *p);

/* `count` equal stages, from `number` on. */
void pm__parallel_walk_add(const pm__parallel *p, int number, int count, const pm__parallel_stage *stage,
                           const pm__parallel_piece *times, const pm__parallel_data *data, pm__parallel_walk *walk);

/* Whether two neighbouring stages, of which `number` is the second, are alike. */
bool pm__parallel_alike(const pm__parallel *p, int number, const pm__parallel_stage *a, const pm__parallel_stage *b);

/* The step of a walk whose hop is known. */
double pm__parallel_walk_step(const pm__parallel *p, pm__parallel_walk *walk);

/* What the tables and the timeline of stages are made of: times of a stage with its host, of a micro-batch; of its update;
** of a hop to the next. */
double pm__parallel_micro_batch_time(const pm__parallel *p, const pm__parallel_piece *times);
double pm__parallel_update_time(const pm__parallel *p, const pm__parallel_stage *stage);
double pm__parallel_hop_time(const pm__parallel *p);

/* Whether stages wait for every hop, even with several chunks. */
static inline bool pm__parallel_hops_block(const pm__parallel *p)
{
  return p->s.framework != NULL && p->s.framework->profile.framework.hops_block == 1;
}

/* Memory that programs can have of a GPU. */
double pm__parallel_usable_memory(const pm__parallel *p);

/* The timeline of its stages, which the caller frees; NULL with the reason. */
char *pm__parallel_trace(const pm__parallel *p, const pm_prediction *prediction, pm_error *error);

/* ---- A run as a caller gives it ---- */

/* Gathered: of a run that shares out the network `parallel` too. */
typedef struct pm__parallel_gathered {
  pm_run run, cut;
  pm__schedule step;
  bool shared;
  pm__parallel parallel;
} pm__parallel_gathered;

/* PM_OK, or why the run, of `size` bytes, cannot be predicted, memory left aside. */
int pm__step_gather(const pm_plan *plan, const pm_run *run, size_t size, pm__parallel_gathered *out, pm_error *error);

#endif
