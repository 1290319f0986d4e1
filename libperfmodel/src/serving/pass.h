/*
** One forward pass of one GPU of a replica: sequences that decode, and pieces of prompts, together.
**
** Products see all tokens at once; attention of decoding and of prompts are kernels of their own; experts see the
** tokens of all groups that share them, of which only so many experts get any.
*/
#ifndef PM_SERVING_PASS_H
#define PM_SERVING_PASS_H

#include "collective/candidates.h"
#include "collective/group.h"
#include "perfmodel/serving.h"
#include "serving/model.h"

/* What runs in the pass. */
typedef struct pm__serving_batch {
  double sequences; /* that decode, on this GPU's group */
  double context;   /* their mean number of tokens in the cache */
  double drafts;    /* tokens of each of them in this pass: 1, or with drafted ones more */
  double prompts;   /* pieces of prompts */
  double tokens;    /* of each piece */
  double past;      /* tokens of each prompt that the cache has already */
} pm__serving_batch;

/* What it takes [s], by what it is spent on. */
typedef struct pm__serving_times {
  double product, attention, expert, pass, exchange;
  double compute; /* the part of it that arithmetic limits */
  double start;   /* the part in starts of kernels */
  double extra;   /* J of a board beyond what its kernels draw that multiply nothing */
} pm__serving_times;

/* The launches of one kernel of it: their time, what of it arithmetic limits and starts take, and `extra` as above. */
typedef struct pm__serving_priced {
  double time, compute, start, extra;
} pm__serving_priced;

typedef struct pm__serving_memo pm__serving_memo;

/* What prices it: devices of a precision and of two bytes, the engine's kernels, groups. */
typedef struct pm__serving_device {
  const pm__device *narrow, *wide; /* of linear layers; of attention and the head */
  const pm_kernel_harness *kernels;
  const pm_engine *engine;
  const pm__collective_group *tensor, *experts; /* of a layer; of all GPUs that have different experts */
  const pm__collective_group *hop; /* between stages, or workers */
  double weight_bytes, expert_bytes, cache_bytes;
  int precision, wide_precision, weights, experts_stored; /* the last two: a pm_stored */
  int tensor_ranks, expert_ranks, attention_ranks;
  double imbalance;
  pm__serving_memo *memo; /* of this device and its model; NULL: nothing is kept */
} pm__serving_device;

pm__serving_times pm__serving_pass(const pm__serving_model *model, const pm__serving_device *device,
                                   const pm__serving_batch *batch);

/* Experts, of so many, that some of `tokens` are routed to if routing is uniform. */
double pm__serving_active(double experts, double top_k, double tokens);

/* Time [s] of one exchange of `bytes` over a group: by the library, or in one kernel of the engine. */
double pm__serving_exchange(const pm__serving_device *device, const pm__collective_group *group, int collective,
                            double bytes);

static inline double pm__serving_sum(const pm__serving_times *t)
{
  return t->product + t->attention + t->expert + t->pass + t->exchange;
}

#endif
