/*
** Pipeline schedules: the time of the stages for the micro-batches of a step, and the number of micro-batches whose
** activations they keep. Each is a file of pipelines/ with one descriptor, and one line of PM_PIPELINE_SCHEDULE_LIST
** (perfmodel/parallel.h).
**
** With p stages, v chunks of layers on each, m micro-batches; F, R, D, W what a stage takes for the forward pass,
** recomputation, gradients of activations and of parameters of one micro-batch; C = F + R + D + W, M the most and S the
** sum of C over the stages; H one hop from stage to stage.
*/
#ifndef PM_SCHEDULE_PIPELINE_H
#define PM_SCHEDULE_PIPELINE_H

#include <stdbool.h>
#include "perfmodel/parallel.h"

/* What stages take for one micro-batch; s. */
typedef struct pm__pipeline_load {
  int stages, chunks, micro_batches;
  double sum, most;                   /* S, M */
  double most_forward, most_backward; /* of any stage: F; R + D + W */
  double forward, dgrad, wgrad;       /* sums over the stages */
  double hop;
  bool blocks; /* stages wait for every hop, where they could work on another chunk meanwhile */
} pm__pipeline_load;

typedef struct pm__pipeline_schedule {
  double (*time)(const pm__pipeline_load *load); /* of all micro-batches */
  /* The most micro-batches of which a stage, from 0, keeps activations; a part of one where only some chunks do. */
  double (*in_flight)(const pm__pipeline_load *load, int stage);
  int chunks;          /* that it needs on each GPU; 0: any number from 1 */
  bool splits_backward; /* gradients of parameters are computed apart: nothing can be recomputed */
  bool groups;         /* a chunk runs micro-batches in groups of at least as many as there are stages */
  bool hides_hops;     /* a stage works on another chunk while it sends, unless its software blocks */
} pm__pipeline_schedule;

/* The descriptor of a pm_pipeline_schedule; NULL for what is none. */
const pm__pipeline_schedule *pm__pipeline_schedule_of(int schedule);

#define PM__PIPELINE_DECLARE(name, text, doc) extern const pm__pipeline_schedule pm__pipeline_schedule_##name;
PM_PIPELINE_SCHEDULE_LIST(PM__PIPELINE_DECLARE)
#undef PM__PIPELINE_DECLARE

/* 1f1b: a stage keeps as many as there are stages from it to the last. */
static inline double pm__pipeline_warm_up(const pm__pipeline_load *load, int stage)
{
  int ahead = load->stages - stage;
  return load->micro_batches < ahead ? load->micro_batches : ahead;
}

/* Micro-batches that an interleaved stage runs in one chunk before it goes on to the next: the fewest, from as many as
** there are stages on, that leave no smaller last group, which would have to wait. Megatron-LM has this condition
** (microbatch_group_size_per_vp_stage, from Core 0.9 on). */
static inline int pm__pipeline_group(const pm__pipeline_load *load)
{
  int group = load->stages, all = load->micro_batches;
  while (group < all && all % group != 0 && all % group < load->stages) group++;
  return group;
}

#endif
