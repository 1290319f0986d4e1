/*
** Between the step and the collectives: times of one collective in several sizes, and what else of the wires a step
** needs. All that collectives are made of stays behind it.
*/
#ifndef PM_SCHEDULE_EXCHANGE_H
#define PM_SCHEDULE_EXCHANGE_H

#include <stdbool.h>
#include "perfmodel/collective.h"

struct pm__wiring;

/* Who takes part and how: GPUs of each node, nodes, one host thread for all GPUs of a node or one for each. */
typedef struct pm__exchange {
  const struct pm__wiring *wiring;
  int nodes, thread_gpus, era;
} pm__exchange;

/* The wiring of the first `gpus` GPUs of a node, or NULL if they are not connected; released with pm__exchange_release. */
const struct pm__wiring *pm__exchange_wiring(const pm_system *system, int gpus, pm_error *error);
void pm__exchange_release(const struct pm__wiring *wiring);

/* times[i] of bytes[i]; NAN where no way is known. 0 bytes take no time. Returns the share of a GPU's multiprocessors
** that the collective keeps busy. Allocates nothing. */
double pm__exchange_times(const pm__exchange *exchange, int collective, const double *bytes, int count, double *times);

double pm__exchange_time(const pm__exchange *exchange, int collective, double bytes);

/* Whether every link between them is calibrated. */
bool pm__exchange_calibrated(const struct pm__wiring *wiring);

/* Payload [B/s] between a GPU and its nearest CPU with nobody else on the way, INFINITY if unknown. */
double pm__exchange_host(const struct pm__wiring *wiring);

/* Payload [B/s] of each GPU when all of them exchange with one CPU at once, INFINITY if unknown. */
double pm__exchange_server(const struct pm__wiring *wiring);

/* Of the node's network adapters, 0 without. */
double pm__exchange_network(const struct pm__wiring *wiring);

#endif
