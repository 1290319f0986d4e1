/*
** An event simulation of an engine: requests come, wait, are read and decode in passes, one after the other, as the
** scheduler of the engine puts them together. The passes take what the library says; what the formulas of open and
** closed loops say of whole runs is measured here request by request.
*/
#ifndef EVENTS_H
#define EVENTS_H

#include "serving/service.h"

typedef struct events_setting {
  const pm__serving_load *load;
  double rate;       /* requests/s of an open loop; unknown: a closed one */
  double arrival_cv; /* 0: even arrivals; 1: Poisson */
  int clients;       /* of a closed loop, each of which sends its next request when the last one is answered */
  double length_cv;  /* of prompts and answers, which are long or short together */
  double apart;      /* time between the first requests of these */
  int requests;      /* in all */
  int seed;          /* of the arrivals */
  double warm;       /* share of the requests, at the beginning and at the end, that do not count */
} events_setting;

typedef struct events_result {
  double ttft, ttft_late, tpot, latency; /* means; a percentile of the run */
  double rate;                           /* requests answered per second */
} events_result;

events_result events_run(const events_setting *setting);

/* The next pseudo-random number in (0, 1), the same on every machine. */
double events_random(unsigned long long *state);

#endif
