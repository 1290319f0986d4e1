/*
** A replica: the GPUs that hold one copy of a model, with what an engine does between the kernels of a pass, and the
** memory that weights leave for the cache.
*/
#ifndef PM_SERVING_REPLICA_H
#define PM_SERVING_REPLICA_H

#include "serving/memo.h"

typedef struct pm__serving_memory {
  double usable, weights, reserve, cache; /* bytes on a GPU */
  double token;                           /* keys and values of a token on a GPU, of layers that see all of them */
} pm__serving_memory;

typedef struct pm__serving_replica {
  const pm__serving_model *model;
  const pm_serving_run *run;
  const pm_engine *engine;
  pm__serving_device device;
  pm__serving_memory memory;
  pm__collective_group tensor, experts, hop;
  int stages, gpus;       /* of the pipeline; of all */
  double groups;          /* with requests of their own */
  double budget, limit;   /* tokens of a pass; sequences of a group */
  double drafts, accepted; /* tokens of a sequence in a pass; those that count */
} pm__serving_replica;

/* Of a run on a system; `tensor` GPUs share a layer. PM_OK, or why there is none. It refers to itself, and is not to be
** copied. */
int pm__serving_replica_make(pm__serving_replica *replica, const pm_plan *plan, const pm_serving_run *run, int tensor,
                             pm_error *error);

enum { PM__SERVING_NUMBERS = PM__SERVE_KEYS + 7 };

/* What the runs of a call share: the replica of the last one, for those that it is the same for, and its passes. */
typedef struct pm__serving_kept {
  double numbers[PM__SERVING_NUMBERS]; /* NAN in the first place: there is none */
  pm__serving_replica replica;
  pm__serving_memo memo;
} pm__serving_kept;

static inline void pm__serving_kept_clear(pm__serving_kept *kept)
{
  kept->numbers[0] = NAN;
  pm__serving_memo_clear(&kept->memo);
}

/* Makes `kept->replica` that of the run, if it is not already. */
int pm__serving_replica_keep(pm__serving_kept *kept, const pm_plan *plan, const pm_serving_run *run, int tensor,
                             pm_error *error);

/* Time [s] of a pass in which `sequences` of a group decode with `context` tokens each in the cache. */
double pm__serving_decode(const pm__serving_replica *replica, double sequences, double context);

/* Time [s] of `prompts` prompts of `tokens` tokens alone, with `past` tokens of each in the cache, in as many passes as
** they take. */
double pm__serving_prefill(const pm__serving_replica *replica, double prompts, double tokens, double past);

/* What the host's calls take [s] in a pass of prompts, beside the GPU. */
double pm__serving_prompt_calls(const pm__serving_replica *replica);

/* Prompts that one pass reads, of so many that wait. */
double pm__serving_at_once(const pm__serving_replica *replica, double prompts, double tokens);

/* What a prompt adds [s] to the passes in which `sequences` decode: all of its passes, and how many these are. Prompts
** that come at about the same time share the host's calls, which are left out. */
double pm__serving_added(const pm__serving_replica *replica, double sequences, double context, double tokens,
                         double past, double *passes);

/* The parts of a pass of decoding. */
pm__serving_times pm__serving_decode_parts(const pm__serving_replica *replica, double sequences, double context);

/* The same of a pass that reads so many tokens of one prompt alone. */
pm__serving_times pm__serving_prompt_parts(const pm__serving_replica *replica, double tokens, double past);

/* What a pass of decoding, or of prompts, takes over what its kernels take by themselves. */
double pm__serving_decode_factor(const pm__serving_replica *replica);
double pm__serving_prefill_factor(const pm__serving_replica *replica);

/* The time of a pass of decoding with these parts. */
double pm__serving_decode_of(const pm__serving_replica *replica, const pm__serving_times *times, double sequences);

/* Kernels and exchanges of a pass, whose starts the engine hides in part. */
double pm__serving_kernels(const pm__serving_replica *replica, const pm__serving_times *times);

/* Sequences of a group that the cache holds if each has so many tokens; without limits of the engine. */
double pm__serving_room(const pm__serving_replica *replica, double tokens);

/* Bytes of the cache of a sequence with so many tokens, on a GPU. */
double pm__serving_cache_bytes(const pm__serving_replica *replica, double tokens);

/* The time in which the memory gives what a pass reads. */
double pm__serving_least(const pm__serving_replica *replica, double sequences, double context);

#endif
