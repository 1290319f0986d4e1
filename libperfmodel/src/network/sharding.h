/*
** How a layer is sharded over GPUs: the distribution of tensors, its effect on each layer kind, and the exchanges. The
** walk through a network is in sharding/.
*/
#ifndef PM_NETWORK_SHARDING_H
#define PM_NETWORK_SHARDING_H

#include "network/layer.h"

/* The distribution of a tensor over the GPUs of a group. A kind's trait has a bit for each distribution that its inputs
** may have. */
typedef enum pm__sharding {
  PM__SHARD_WHOLE = 1,    /* every GPU has all of it: always possible */
  PM__SHARD_TOKENS = 2,   /* each has some of its rows, along the first axis: tokens of a sequence */
  PM__SHARD_FEATURES = 4, /* each has some of the features, channels or heads */
  PM__SHARD_END = 8,
  PM__SHARD_PARTIAL = 8   /* each has a summand of it; no layer takes such inputs */
} pm__sharding;

typedef struct pm__sharding_state {
  pm__sharding how;
  int axis;  /* of features: which one is split */
  int parts; /* of features: into how many; with fewer than GPUs, several have the same */
} pm__sharding_state;

/* The GPUs of an exchange. */
typedef enum pm__sharding_axis {
  PM__AXIS_TENSOR,
  PM__AXIS_CONTEXT,
  PM__AXIS_EXPERT,        /* those that have different experts */
  PM__AXIS_EXPERT_TENSOR, /* those that share each expert */
  PM__AXIS_TABLES,        /* those that have different parts of embedding tables */
  PM__SHARDING_AXES
} pm__sharding_axis;

typedef enum pm__sharding_collective {
  PM__SHARDING_ALL_REDUCE,
  PM__SHARDING_REDUCE_SCATTER,
  PM__SHARDING_ALL_GATHER,
  PM__SHARDING_ALL_TO_ALL,
  PM__SHARDING_SEND_RECEIVE, /* to the next of a ring */
  PM__SHARDING_COLLECTIVES
} pm__sharding_collective;

/* An exchange per sample. */
typedef struct pm__sharding_exchange {
  pm__pass pass;        /* of PM__WGRAD only gradients of parameters wait: a tensor that is gathered again for them */
  pm__sharding_collective collective;
  pm__sharding_axis axis;
  double elements;      /* of the whole buffer, as in perfmodel/collective.h */
  double element_bytes; /* 0: those of the run's precision */
  double repeats;       /* steps round a ring; else 1 */
  double experts, picks; /* of tokens that go to their experts: how many there are, and of a token; else 0 */
  bool recomputed;      /* forward: made again where the piece is computed again */
} pm__sharding_exchange;

/* How tokens see keys and values of other GPUs; numbers as in perfmodel/parallel.h. */
typedef enum pm__sharding_context {
  PM__CONTEXT_ALL_GATHER, /* keys and values are gathered */
  PM__CONTEXT_RING,       /* they go round */
  PM__CONTEXT_ALL_TO_ALL  /* heads are split instead of tokens */
} pm__sharding_context;

/* Parts of embedding tables; numbers as in perfmodel/parallel.h. */
typedef enum pm__sharding_tables {
  PM__TABLES_PLANNED = 2,
  PM__TABLES_WHOLE,
  PM__TABLES_ROWS,
  PM__TABLES_COLUMNS
} pm__sharding_tables;

/* Degrees of 0 are 1. */
typedef struct pm__sharding_degrees {
  int tensor, context, expert, expert_tensor;
  bool sequence; /* rows are split over the tensor group where features are not */
  pm__sharding_context context_exchange;
  double imbalance; /* rows of the busiest experts over the mean; 0: 1 */
  double capacity;  /* rows of an expert over the mean, beyond which they are dropped; 0: no limit */
  int tables;       /* GPUs that embedding tables are divided over */
  pm__sharding_tables table_parts;
  double table_load, table_rows; /* of whole tables: lookups of the busiest GPU, rows of the fullest, over the mean */
} pm__sharding_degrees;

/* What one GPU does with its part of divided tables for each of its own samples: numbers that it has, indices that it
** gets, numbers that it reads of the tables and numbers that it makes of them. */
typedef struct pm__sharding_lookup {
  double parameters, indices, read, pooled;
} pm__sharding_lookup;

enum { PM__SHARDING_EXCHANGES = 12 };

/* A layer on one GPU: what its kind is told, and what it says. */
typedef struct pm__sharding_part {
  const pm__sharding_degrees *degrees;
  const pm__shape *inputs; /* of the whole layer, before anything is shared */
  const pm__sharding_state *in;
  int input_count;
  bool splits_output;      /* it splits its own parameters over the tensor group: `in` are whole */
  double multiple;         /* of its output: features may be padded to a multiple of this times the parts; 0: no */
  pm__sharding_state out;
  double whole, expert;    /* parameters that every GPU of the tensor group has, those of experts; set by `divide` */
  pm__sharding_lookup lookup; /* in a divided table; set by `divide` */
  int exchanges;           /* made by the layer itself; added by `divide` */
  pm__sharding_exchange exchange[PM__SHARDING_EXCHANGES];
} pm__sharding_part;

/* Words are padded to a multiple of so many for each GPU, as Megatron-LM does. */
enum { PM__VOCABULARY_MULTIPLE = 128 };

/* What an input may be split into. */
typedef struct pm__sharding_demand {
  double units;    /* at most so many equal ones: heads; 0: no limit */
  bool copies;     /* with more GPUs than units, several have the same */
  double multiple; /* > 0: it may be padded to a multiple of this times the parts */
} pm__sharding_demand;

/* The rules of a kind beyond its trait. Functions may be NULL. */
typedef struct pm__sharding_rules {
  /* Whether it takes inputs as they lie; sets part->out. NULL: inputs that lie alike, and so does the output. */
  bool (*accepts)(const pm__layer *layer, pm__sharding_part *part);
  /* What its output is where it splits its own parameters; 0: it does not. NULL: it never does. */
  pm__sharding_state (*split_output)(const pm__layer *layer, const pm__shape *inputs,
                                     const pm__sharding_degrees *degrees);
  /* What it demands of an input that is split, given what is demanded of its output. NULL: the same. */
  pm__sharding_demand (*demands)(const pm__layer *layer, int input, pm__sharding_demand of_output);
  /* Changes its attributes to those of its part on one GPU, and says what part it is. NULL: they stay. */
  int (*divide)(pm__layer *layer, pm__sharding_part *part, pm_error *error);
  /* With tokens split over a context: how an input of that shape comes to it, and how what it makes leaves it. NULL:
  ** row by row, as it takes tokens. */
  void (*context)(const pm__sharding_degrees *degrees, int input, pm__shape *shape);
  bool always; /* `divide` is called for every layer of the kind */
} pm__sharding_rules;

enum { PM__CONTEXT_OUTPUT = -1 }; /* `input` of `context`: the output */

/* PM_STATUS_BAD_VALUE unless so many of `what` can go to so many GPUs evenly. */
int pm__sharding_check(const pm__layer *layer, double count, const char *what, int gpus, pm_error *error);

/* `demand` with no more than so many units. */
pm__sharding_demand pm__sharding_units(pm__sharding_demand demand, double units);

/* Adds an exchange that is done once; the caller may change what is returned. */
pm__sharding_exchange *pm__sharding_add(pm__sharding_part *part, pm__pass pass, pm__sharding_collective collective,
                                        pm__sharding_axis axis, double elements);

/* Rows of the first input: its elements over those of its last axis. */
double pm__sharding_rows(const pm__sharding_part *part);

/* A rule: rows are independent, but for those along that axis; features split along another axis are taken. */
bool pm__sharding_takes_but(pm__sharding_part *part, int axis);

#endif
