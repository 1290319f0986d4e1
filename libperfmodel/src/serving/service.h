/*
** From passes to requests: a replica under arrivals and the engine's scheduler, with one file per kind of arrivals.
** Rates are those of one replica.
*/
#ifndef PM_SERVING_SERVICE_H
#define PM_SERVING_SERVICE_H

#include "serving/replica.h"

typedef struct pm__serving_service {
  double ttft, tpot;       /* means */
  double ttft_late, tpot_late; /* the percentile of the run */
  double latency;
  double rate;             /* requests/s that are answered */
  double largest;          /* requests/s that can be, for ever */
  double running;          /* sequences that decode, of a group */
  double queue, prefill, transfer;
  double again;            /* tokens of a request that are computed again */
  int limit;               /* PM_SERVING_LIMIT_CACHE, _SEQUENCES, _OVERLOAD, or _NONE: what a pass spends its time on */
} pm__serving_service;

/* What the ways of arrival share. */
typedef struct pm__serving_load {
  const pm__serving_replica *replica;
  double isl, osl;         /* tokens of a request */
  double fresh, past;      /* tokens of a prompt to be computed; those that the cache has */
  double context;          /* mean tokens of a running sequence */
  double room;             /* sequences of a group that run at once: of the cache and the engine */
  bool by_cache;           /* the cache is what limits that */
  double again;            /* tokens of a request that are computed again where all of the room is taken */
  double client, bunching;
} pm__serving_load;

pm__serving_load pm__serving_load_of(const pm__serving_replica *replica);

/* What a request adds to the passes of `running` others by tokens that are computed again. */
double pm__serving_again(const pm__serving_load *load, double running);

/* `requests` of a group at once, in as many waves as there is room for. */
void pm__serving_static(const pm__serving_load *load, double requests, pm__serving_service *out);

/* `clients` of a group, each with one request at a time. */
void pm__serving_closed(const pm__serving_load *load, double clients, pm__serving_service *out);

/* All requests are there from the beginning: as many run as there is room for. */
void pm__serving_offline(const pm__serving_load *load, pm__serving_service *out);

/* `rate` requests/s of a group. */
void pm__serving_open(const pm__serving_load *load, double rate, pm__serving_service *out);

/* Prompts and decoding on workers of their own: `prefill` is a worker of the first kind. `clients` of all; or, NAN, a
** `rate` of all. */
typedef struct pm__serving_pools {
  const pm__serving_load *decode, *prefill;
  double prefill_workers, decode_workers, clients, rate;
} pm__serving_pools;

void pm__serving_pools_serve(const pm__serving_pools *pools, pm__serving_service *out);

/* Passes of decoding until a request has its output after the first token, over the tokens of a pass. */
static inline double pm__serving_steps(const pm__serving_load *load)
{
  return load->osl > 1 ? (load->osl - 1) / load->replica->accepted : 0;
}

#endif
