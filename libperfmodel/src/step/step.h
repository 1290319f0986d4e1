/*
** One training step. A run is stages x groups x micro-batches: data parallelism is one stage, one GPU a group of one.
** What belongs to a run is gathered once in a pm__step; the parts are then arithmetic over it, in this order:
**
**     gather.c          network, system, software, device, batch: what the run refers to, and whether it exists
**     layout.c          degrees, schedule, groups of GPUs and shards; whether they fit together
**     memory.c          memory of each stage, and its verdict
**     offload.c         what is kept and updated on the host
**     activations.c     activations that wait there
**     frozen.c          frozen weights beside adapters
**     tables.c          embedding tables that GPUs divide
**     piece.c           work of each kind of piece on one GPU, with its exchanges
**     stages.c          which pieces each stage of the pipeline has, and their work together
**     span.c            GPU and host, joined once between two points where they wait for each other
**     data.c            gradients, and shards of optimizer, gradients and weights, between data-parallel ranks
**     walk.c            stage by stage: the slowest, the fullest, the sums
**     compose.c         stages, waiting and shares: the prediction
**     energy.c          what it draws
**     interval.c        what a prediction rests on, and how far it may be off
**     stage_table.c, trace.c, pipeline_trace.c       the same stage by stage, and as timelines
**     screen.c          step time and memory alone, with the parts that plans share kept from one plan to the next
**
** A network that no GPU shares and no stage divides is one piece, so that data parallelism prices each distinct kernel
** once. Its pieces are needed for a pipeline, sharded layers, sharded weights, recomputation, offloading and FP8. Sums
** over pieces equal the whole (plan/sharded.h).
**
** Neutral values: a field that can have no effect is left out here, in pm__step_layout, and nothing behind it reads the
** run's own field.
*/
#ifndef PM_STEP_STEP_H
#define PM_STEP_STEP_H

#include <math.h>
#include "perfmodel/pipeline.h"
#include "plan/sharded.h"
#include "schedule/pipeline.h"
#include "schedule/placement.h"
#include "schedule/schedule.h"

typedef struct pm__step_times pm__step_times;
typedef struct pm__step_work pm__step_work;

/* Groups of GPUs that exchange: those that share a layer, a sequence, experts; two stages, the two ends of a pipeline;
** those with the same parameters, and the same experts; the groups that shards lie in, and their copies. */
typedef enum pm__step_group {
  PM__GROUP_TENSOR = PM__AXIS_TENSOR,
  PM__GROUP_CONTEXT = PM__AXIS_CONTEXT,
  PM__GROUP_EXPERT = PM__AXIS_EXPERT,
  PM__GROUP_EXPERT_TENSOR = PM__AXIS_EXPERT_TENSOR,
  PM__GROUP_TABLES = PM__AXIS_TABLES,
  PM__GROUP_TABLES_NODE, /* of those, the GPUs of a node; those at the same place in all nodes */
  PM__GROUP_TABLES_ACROSS,
  PM__GROUP_EXPERT_NODE, /* likewise, of those with different experts */
  PM__GROUP_EXPERT_ACROSS,
  PM__GROUP_HOP,
  PM__GROUP_ENDS,
  PM__GROUP_DATA,
  PM__GROUP_EXPERT_DATA,
  PM__GROUP_SHARD,
  PM__GROUP_COPIES,
  PM__STEP_GROUPS
} pm__step_group;

/* The plan of a run as it takes effect: neutral values are left out. */
typedef struct pm__step_layout {
  const pm__pipeline_schedule *schedule;
  int tensor, context, expert, expert_tensor, stages, chunks;
  int data;                         /* data-parallel ranks */
  int zero, shard_group, recompute, recompute_layers;
  int rank_order, context_exchange;
  bool sequence, balanced;          /* sequence parallelism; fewer layers for the first and the last stage */
  double imbalance, capacity;       /* of experts; 0: none */
  double replicas, expert_replicas; /* GPUs that have the same parameters, and the same experts */
  double shards;                    /* GPUs over which ZeRO shards what they have */
  int tables, table_parts;          /* GPUs that divide embedding tables, 1: none; and how */
  bool whole;                       /* every GPU has the whole network, but for such tables */
  bool cut;                         /* the network is needed piece by piece */
} pm__step_layout;

typedef struct pm__step {
  pm__schedule s;
  pm__step_layout at;
  const pm__plan_sharded *sharded; /* NULL: the network is one piece */
  const pm__plan_pieces *pieces;   /* likewise */
  pm__plan_piece one;              /* that piece */
  int kinds;
  bool gathers_late;
  struct pm__step_memo *memo; /* NULL: nothing of whole networks is remembered */
  const pm__collective_group *group[PM__STEP_GROUPS];
  pm__collective_group own[PM__STEP_GROUPS]; /* those that are neither all GPUs nor one */
} pm__step;

/* Gathers a run; PM_OK, or why it cannot be predicted, memory left aside. `memo` may be NULL. May make shards on first
** use. */
int pm__step_make(pm__step *step, const pm_plan *plan, const pm_run *run, pm__memo *memo, pm_error *error);

/* The same with another micro-batch, schedule, number of chunks, ZeRO stage or recomputation, of a run that `step`
** refers to from now on; the network stays cut, or whole. */
int pm__step_change(pm__step *step, const pm_run *run, pm_error *error);

/* A run as a caller gives it, a record of `size` bytes, of which `own` keeps a copy. */
int pm__step_gather(pm__step *step, pm_run *own, const pm_plan *plan, const pm_run *run, size_t size, pm_error *error);

/* ---- predict.c, stage_table.c: of the library's own records ---- */

int pm__step_check(const pm_plan *plan, const pm_run *run, pm_error *error);

/* Many runs with what they share computed once; `columns`: bits of pm_extra_column. */
void pm__step_predict(const pm_plan *plan, unsigned columns, const pm_run *runs, pm_prediction *predictions,
                      size_t count);

/* Of the heaviest rank, part by part. */
int pm__step_get_memory(const pm_plan *plan, const pm_run *run, pm_memory_use *use, pm_error *error);

/* ---- gather.c ---- */

int pm__gather(pm__schedule *s, const pm_plan *plan, const pm_run *run, pm__memo *memo, pm_error *error);

/* ---- layout.c ---- */

int pm__layout_make(pm__step *step, const pm_plan *plan, pm_error *error);

/* Whether a run needs its network piece by piece, as far as fields can tell. */
bool pm__layout_cuts(const pm__schedule *s, const pm__step_layout *at);

static inline const pm__plan_piece *pm__step_piece(const pm__step *p, int kind)
{
  return p->sharded != NULL ? &p->sharded->piece[kind] : &p->one;
}

/* Whether pieces of a kind are among the layers that stages divide. */
static inline bool pm__step_is_layer(const pm__step *p, int kind)
{
  const pm__plan_pieces *of = p->pieces;
  return of == NULL || of->before[(size_t)of->layers * (size_t)of->pieces->kinds + (size_t)kind] > 0;
}

/* Whether pieces of a kind are recomputed. */
static inline bool pm__step_recomputes(const pm__step *p, int kind)
{
  return p->at.recompute != PM_RECOMPUTE_NONE && pm__step_is_layer(p, kind);
}

static inline double pm__step_usable_memory(const pm__step *p)
{
  return isnan(p->s.run->usable_memory) ? p->s.system->system->usable_memory : p->s.run->usable_memory;
}

/* ---- Pieces and stages ---- */

/* Of one micro-batch, of a piece or summed over those of a stage; s. GPU and host are apart until they are joined. */
struct pm__step_work {
  double gpu[PM__PASSES], recompute;       /* kernels; those that are recomputed */
  double host[PM__PASSES], host_recompute; /* launching them */
  double exchange[PM__PASSES], exchange_recompute; /* exchanges between GPUs that nothing hides, by pass */
  double axis[PM__SHARDING_AXES];      /* the same by axis */
  double bound;                        /* of the kernels, what the arithmetic rate limits */
  double layout;                       /* of them, changes of layout */
  double saved, saved_again;           /* FLOP that are counted and not executed; of those that are recomputed */
  double extra;                        /* J of the kernels, beyond what the board draws that multiplies nothing */
  double waited;                       /* host calls that the GPU waits for */
  double compared;                     /* pairs of boxes that one core of the host compares */
  pm__part part;                       /* kernels by sort, as the kernel model has them */
};

/* The work of all kinds of pieces of a run, and the kernels of the whole network, segment by segment, where its
** backward pass is cut at buckets of gradients. */
typedef struct pm__step_kinds {
  pm__step_work *work;
  const pm__costs *costs;             /* NULL: it is not cut */
  const struct pm__step_waits *waits; /* NULL: the GPU waits for no call */
  const struct pm__step_times *times; /* of the only stage, where they are remembered; else NULL */
} pm__step_kinds;

/* GPU and host in the forward pass, up to each call that the GPU waits for; of one micro-batch, s. */
typedef struct pm__step_waits {
  int count;
  double gpu[PM__SEGMENTS], host[PM__SEGMENTS];
} pm__step_waits;

/* Room for them. */
typedef struct pm__step_room {
  pm__step_work work[PM__PIECE_KINDS];
  pm__costs costs;
  pm__step_waits waits;
} pm__step_room;

pm__step_kinds pm__step_kinds_price(const pm__step *p, pm__step_room *room);

/* In `out`, or NULL where the GPU waits for no call, or only between the passes of a pipeline. */
const pm__step_waits *pm__step_waits_price(const pm__step *p, pm__step_waits *out);

/* One kind; `costs` are those of its kernels. */
void pm__step_piece_work(const pm__step *p, int kind, const pm__costs *costs, pm__step_work *out);

/* Time of attention in one kernel over that of the kernel model: older generations of it. */
double pm__step_attention_factor(const pm__step *p);

/* Kernels of some units, remembered or in `own`. */
const pm__costs *pm__step_costs(const pm__schedule *s, const pm__units *units, const pm__segments *segments,
                                double batch,
                                pm__costs *own);

/* How many pieces of each kind a stage has. */
typedef struct pm__step_stage {
  int count[PM__PIECE_KINDS];
  int layers;   /* those that stages divide, of all kinds */
  double recompute; /* the share of these that is recomputed */
  double whole, split, expert; /* parameters of one GPU */
} pm__step_stage;

/* Experts that every GPU has are like any other parameters; others have replicas of their own. */
static inline double pm__step_shared(const pm__step *p, const pm__step_stage *stage)
{
  return stage->whole + stage->split + (p->at.whole ? stage->expert : 0);
}

static inline double pm__step_experts(const pm__step *p, const pm__step_stage *stage)
{
  return p->at.whole ? 0 : stage->expert;
}

/* How many of the layers that stages divide come before a chunk. */
int pm__step_layers_before(const pm__step *p, int chunk);

void pm__step_stage_make(const pm__step *p, int stage, pm__step_stage *out);

/* The stages from `first` on that have the same pieces; how many they are. */
int pm__step_next_stages(const pm__step *p, int first, pm__step_stage *stage);

/* Whether two neighbouring stages, of which `number` is the second, have the same pieces. */
bool pm__step_alike(const pm__step *p, int number, const pm__step_stage *a, const pm__step_stage *b);

/* The pieces of chunk `i` of a stage, without their parameters. */
void pm__step_chunk_make(const pm__step *p, const pm__step_stage *stage, int number, int i, pm__step_stage *out);

/* The chunk of the network that a stage has as its number `i`. */
int pm__step_chunk_of(const pm__step *p, int stage, int i);

/* Sum over a stage's pieces, in `sum` unless the network is one piece. */
const pm__step_work *pm__step_stage_work(const pm__step *p, const pm__step_work *kinds, const pm__step_stage *stage,
                                         pm__step_work *sum);

/* Reads of a piece's divided tables forward, and their update backward, for one micro-batch; s. */
double pm__step_table_time(const pm__step *p, int kind, int pass);

/* An exchange of so many bytes between the GPUs that divide tables; s. */
double pm__step_table_exchange(const pm__step *p, int collective, double bytes);

/* An exchange of tokens with the GPUs of their experts, of so many bytes where each expert gets a copy; s. */
double pm__step_dispatch(const pm__step *p, const pm__sharding_exchange *e, double bytes);

/* Takes off what the passes of another micro-batch hide of it. */
void pm__step_hide_dispatch(const pm__step *p, pm__step_work *work);

/* Bytes of the parts that a stage has, with the state of the optimizer. */
double pm__step_table_bytes(const pm__step *p, const pm__step_stage *stage);
double pm__step_table_state(const pm__step *p, const pm__step_stage *stage);

/* Parameters that one GPU updates. */
double pm__step_own_parameters(const pm__step *p, const pm__step_stage *stage);

static inline double pm__step_parameters(const pm__step_stage *stage)
{
  return stage->whole + stage->split + stage->expert;
}

static inline double pm__step_exchanges(const pm__step_work *w)
{
  return w->exchange[PM__FORWARD] + w->exchange[PM__DGRAD] + w->exchange[PM__WGRAD] + w->exchange_recompute;
}

/* ---- Spans ---- */

/* How long a second of the GPU and a second of the host take between two points where they wait for each other: both
** together take sqrt(gpu^2 + host^2) = (gpu x gpu + host x host) / sqrt(gpu^2 + host^2), to which each of their parts
** adds its share. */
typedef struct pm__step_pace {
  double gpu, host;
} pm__step_pace;

/* A stage's micro-batch in time, exchanges included, and its update. Without a pipeline a step is one span; with one
** every pass over a micro-batch is a span, and so is the update. */
struct pm__step_times {
  double forward, dgrad, wgrad, recompute; /* of one micro-batch */
  /* host time of a micro-batch beside the GPU: its fixed time, copies, calls that the GPU waits for */
  double each;
  double waited;              /* of it, in all micro-batches, the calls that the GPU waits for */
  double update, update_host; /* kernels of the update, and launching them */
  double gpu, host;      /* of all micro-batches and the update */
  double alone;          /* the same joined, span by span, with `each`: a step without exchanges */
  pm__step_pace pace[PM__PASSES];
};

void pm__step_times_of(const pm__step *p, const pm__step_work *work, const pm__step_waits *waits, double own_parameters,
                       pm__step_times *out);

/* What runs of one call share, remembered: a GPU alone with a whole network too. */
typedef struct pm__step_alone {
  pm__step_work work;
  pm__step_times times;
} pm__step_alone;

typedef struct pm__step_memo {
  pm__memo shared;
  pm__memo_index index;
  pm__step_alone alone[PM__MEMO_PLACES];
} pm__step_memo;

static inline void pm__step_memo_clear(pm__step_memo *memo)
{
  pm__memo_clear(&memo->shared);
  memset(memo->index.used, 0, sizeof memo->index.used);
}

/* A pass of a piece within its stage. */
static inline double pm__step_paced(const pm__step_pace *pace, double gpu, double host)
{
  return gpu * pace->gpu + host * pace->host;
}

static inline double pm__step_backward(const pm__step_times *t)
{
  return t->dgrad + t->wgrad + t->recompute;
}

static inline double pm__step_micro_batch(const pm__step_times *t)
{
  return t->forward + pm__step_backward(t) + t->each;
}

/* One GPU that has the batch of all of them to itself, where one takes `alone` for its own: for strong scaling. */
double pm__step_alone_time(const pm__step *p, double alone);

/* ---- Data parallelism ---- */

/* s, of a step: what lies in every micro-batch is in there. What offloading adds is beside the exchanges. */
typedef struct pm__step_data {
  double communication, exposed, offload;
} pm__step_data;

/* What ZeRO stage 3 exchanges of one piece, and what of that comes from the host and goes there. */
typedef struct pm__step_shards {
  double gather, scatter, up, down;
} pm__step_shards;

/* Exchanges of a stage, whatever its times are: all gradients, and what of them has nothing to hide behind; the same of
** weights after the update; what must follow; the share of the GPU that they keep busy. */
typedef struct pm__step_prices {
  double gradients, bucket, weights, weights_bucket, after, beside;
  const pm__step_shards *shards; /* of each kind, with ZeRO stage 3; the caller's */
} pm__step_prices;

pm__step_shards pm__step_shards_price(const pm__step *p, int kind);
void pm__step_data_price(const pm__step *p, const pm__step_stage *stage, const pm__step_shards *shards,
                         pm__step_prices *out);

pm__step_data pm__step_data_time(const pm__step *p, const pm__step_stage *stage, const pm__step_prices *prices,
                                 const pm__step_kinds *kinds, const pm__step_work *work, const pm__step_times *times);

/* The sums of gradients segment by segment, for the timeline; false if nobody shares them. */
bool pm__step_bucket_times(const pm__step *p, const pm__costs *costs, pm__bucket_times *times);

/* ---- Offloading ---- */

/* A copy between a GPU and the host while the node's others copy too; s. */
double pm__step_host_copy(const pm__step *p, double bytes);

/* What the host keeps. */
static inline const pm_offloading *pm__step_offload(const pm__step *p)
{
  return pm_offloading_get(p->s.run->offload);
}

/* What offloading adds to a step, shards of weights left aside; s. NAN if the host's memory bandwidth is not known. */
double pm__step_offload_time(const pm__step *p, const pm__step_stage *stage, const pm__step_times *times);

/* What passes do not hide of activations that wait on the host; s. */
double pm__step_activation_time(const pm__step *p, const pm__step_stage *stage, const pm__step_times *times);

/* PM_OK, or what its time would need. */
int pm__step_offload_check(const pm__step *p, pm_error *error);

/* ---- Frozen weights ---- */

/* Bytes of one GPU: as replicas of the network have them, and of experts that have replicas of their own. */
typedef struct pm__step_frozen {
  double shared, experts;
} pm__step_frozen;

/* Whether a run has any. */
static inline bool pm__step_freezes(const pm__step *p)
{
  return p->s.network->freezes;
}

/* Of a piece, before ZeRO; `owner`: of the stage that owns what several stages have. */
pm__step_frozen pm__step_frozen_piece(const pm__step *p, int kind, bool owner);

/* Of a stage, as ZeRO leaves them. */
double pm__step_frozen_bytes(const pm__step *p, const pm__step_stage *stage, bool owner);

/* Bytes that the lengths of DoRA have alive while they are computed: of the largest matrix of a stage. */
double pm__step_frozen_passing(const pm__step *p, const pm__step_stage *stage);

/* What a pass of a piece takes to unpack them; s. */
double pm__step_unpacking(const pm__step *p, int kind, int pass);

/* PM_OK, or which products do not read the format. */
int pm__step_frozen_check(const pm__step *p, pm_error *error);

/* ---- Memory ---- */

/* What the pieces of a stage keep, for one sample: of one micro-batch in flight, of what never waits, and what a
** backward pass has alive beyond; what waits on the host instead. It does not depend on ZeRO. */
typedef struct pm__step_kept {
  double waiting, behind, live, host, factor; /* factor: the allocator's over what is alive */
} pm__step_kept;

void pm__step_kept_of(const pm__step *p, int number, const pm__step_stage *stage, pm__step_kept *out);

/* Everything else that one GPU of a stage has; it does not depend on recomputation. */
void pm__step_fixed_of(const pm__step *p, int number, const pm__step_stage *stage, pm__memory_parts *out);

/* Bytes of a weight of a linear layer in FP8 or FP4: copies beside the 16 bits, or in their place. */
double pm__step_linear_weight(const pm__step *p, double wide);

/* Both together, for so many micro-batches of so many samples in flight. */
pm__memory_parts pm__step_memory_of(const pm__memory_parts *fixed, const pm__step_kept *kept, double flight,
                                    double batch);

/* Bytes of a sample that the layers of a stage keep for the backward pass, and that may wait on the host. */
double pm__step_waiting_on_host(const pm__step *p, const pm__step_stage *stage);

/* What the host keeps, taken from the parts of the GPU; `largest` are the parameters of its largest piece. */
void pm__step_offload_memory(const pm__step *p, const pm__step_stage *stage, double largest,
                             const pm__memory_question *q,
                             pm__memory_parts *parts);

/* Whether a GPU has the memory, and the host what all its GPUs keep there. */
pm_verdict pm__step_verdict(const pm__step *p, double memory, double host);
int pm__step_host_fits(const pm__step *p, double host, pm_error *error);

/* Micro-batches whose activations a stage keeps at most. */
double pm__step_in_flight(const pm__step *p, int stage);

/* Bytes of one GPU of a stage, in the parts of every footprint; activations are of all micro-batches in flight. */
pm__memory_parts pm__step_memory(const pm__step *p, const pm__step_stage *stage, int number);

/* That of the stage that needs most, and its number; of the host, the most of any. */
pm__memory_parts pm__step_fullest_stage(const pm__step *p, int32_t *number);

/* Memory, and its verdict, of the fullest stage. */
void pm__step_set_memory(const pm__step *p, pm_prediction *out);

/* PM_OK, or by how much it is too little, which runs may ignore; or what offloading would need to know. */
int pm__step_fits(const pm__step *p, pm_error *error);

/* ---- Together ---- */

/* What is found from stage to stage. */
typedef struct pm__step_walk {
  pm__pipeline_load load;
  const pm__step_work *slowest; /* work of the stage that takes longest, and its times */
  pm__step_work kept;           /* that of a stage of several pieces */
  pm__step_times times;
  int stage;              /* its number */
  double parameters;      /* the most that a GPU of any stage has */
  double updated, saved;  /* parameters that GPUs update, and FLOP that they save, summed over the stages */
  double busy, extra;     /* likewise s in kernels, and J that products draw beyond other kernels */
  double recompute;           /* layers that are recomputed, likewise */
  pm__step_data data;     /* of the stage where most is left */
  double offload;         /* of that which waits longest for the host */
} pm__step_walk;

/* A part of the kernels of a micro-batch, and as much of those that are recomputed. */
double pm__step_with_recomputed(const pm__step_work *work, double of_kernels);

void pm__step_walk_begin(const pm__step *p, pm__step_walk *walk);

/* `count` equal stages, from `number` on. */
void pm__step_walk_add(const pm__step *p, int number, int count, const pm__step_stage *stage, const pm__step_work *work,
                       const pm__step_times *times, const pm__step_data *data, pm__step_walk *walk);

/* All stages, what neighbours that are alike take worked out once; then what the schedule makes of it. */
void pm__step_walk_all(const pm__step *p, const pm__step_kinds *kinds, pm__step_walk *walk);

/* Whether gradients are summed by collectives between GPUs, with whatever degrees; else as schedule/parallelism.c has
** it. */
static inline bool pm__step_all_reduces(const pm__step *p)
{
  return p->s.parallelism == PM_PARALLELISM_ALL_REDUCE || p->s.ranks <= 1;
}

/* Whether a run has more of a plan than plain data parallelism. */
static inline bool pm__step_planned(const pm__step *p)
{
  return p->at.cut || p->at.zero > 0;
}

/* What parallelism adds to the work of one GPU to a walk, and how much of the communication are hops between stages. */
typedef struct pm__step_sum {
  pm__schedule_overhead overhead;
  double hops;
} pm__step_sum;

pm__step_sum pm__step_put_together(const pm__step *p, pm__step_walk *walk);

/* The step; in *waits what of it is waiting for input. */
double pm__step_time(const pm__step *p, const pm__step_walk *walk, const pm__schedule_overhead *overhead,
                     double *waits);

/* Activations between stages; s. */
double pm__step_hop_time(const pm__step *p);

/* Whether stages wait for every hop, even with several chunks. */
static inline bool pm__step_hops_block(const pm__step *p)
{
  return p->s.framework != NULL && p->s.framework->profile.framework.hops_block == 1;
}

/* Why a rate is uncertain: a variance of its logarithm for each of these names. */
enum { PM__STEP_SPREADS = 10 };
extern const char *const pm__step_spread_names[PM__STEP_SPREADS];

/* Everything of a prediction but memory and strong scaling; `squares` are of its interval, where it has one. */
void pm__step_compose(const pm__step *p, pm_prediction *out, double squares[PM__STEP_SPREADS]);

/* Its times, their parts and its rate. */
void pm__step_set_times(const pm__step *p, const pm__step_walk *walk, const pm__step_sum *sum, pm_prediction *out);

/* What the boards, their nodes and the site draw; after the interval. */
void pm__step_set_energy(const pm__step *p, const pm__step_walk *walk, double rate_spread, pm_prediction *out);

/* What a composed prediction rests on, and its interval; returns the logarithm of the factor to its ends, 0: none. */
double pm__step_set_interval(const pm__step *p, const pm__part *part, pm_prediction *out,
                             double squares[PM__STEP_SPREADS]);

/* The squares of a run; false: it has no interval. */
bool pm__step_find_spreads(const pm_plan *plan, const pm_run *run, double squares[PM__STEP_SPREADS]);

/* ---- training.c, training_check.c: all tokens or samples of a run ---- */

/* PM_OK, or what is wrong with what a run says of them. */
int pm__step_check_training(const pm_run *run, const pm__plan_network *network, pm_error *error);

/* Their time, GPU-hours, energy, cost; after the interval. Unknown if the run names none. */
void pm__step_set_training(const pm__step *p, pm_prediction *out);

/* A sample in that precision on one GPU that has everything; `step` refers to the run, which is filled. */
int pm__step_take_one_gpu(pm__step *step, pm_run *one, const pm_plan *plan, const pm_run *run, int32_t precision);

/* The timeline of the stages, which the caller frees; NULL with the reason. */
char *pm__step_pipeline_trace(const pm__step *p, const pm_prediction *prediction, pm_error *error);

#endif
