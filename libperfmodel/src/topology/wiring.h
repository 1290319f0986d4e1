/*
** The links available to a set of GPUs of a node, independent of how they are driven and of the number of nodes: rings,
** paths to the network, to each other and to the CPUs. Computed once for each list of GPUs and cached with the system;
** safe from several threads.
*/
#ifndef PM_TOPOLOGY_WIRING_H
#define PM_TOPOLOGY_WIRING_H

#include "topology/ring.h"
#include "hardware/kept.h"

/* Rings inside the node. Payloads in B/s, INFINITY for one GPU. */
typedef struct pm__wiring_ring {
  double directed_rings; /* over NVLink or xGMI; 0 over PCIe */
  double most_rings;     /* no packing has more; above directed_rings where the best is not known */
  double bandwidth;      /* bus bandwidth of the rings */
  double chain;          /* of a broadcast, which crosses between CPUs one way only */
  bool nvlink;           /* over NVLink, NVLink switches or xGMI */
  bool switched;         /* over switches */
  bool connected;        /* false: there is no such ring */
  double hop_latency, base_latency; /* of the links' own calibration; NAN if unknown */
  bool calibrated;       /* every link on the way */
  char limit[PM_TEXT_MAX];
} pm__wiring_ring;

/* A payload and the id of the link type that limits it. */
typedef struct pm__wiring_port {
  double payload;
  char limit[PM_TEXT_MAX];
} pm__wiring_port;

typedef struct pm__wiring {
  pm__kept kept; /* first: the GPUs */
  const pm_system *system;
  pm__wiring_ring packed; /* the best rings */
  pm__wiring_ring single; /* one ring in the order of the GPUs, as NCCL 1 makes it */
  pm__ring_cycles cycles;
  const char *over; /* "nvlink", "nvswitch", "xgmi", "pcie", or "" */
  pm__wiring_port network; /* the group's NICs of one node; payload 0 without a network */
  double all_adapters;     /* payload of all the node's adapters when all its GPUs use them */
  int nics;                /* how many of them the group has */
  pm__wiring_port pair;    /* per GPU, when all pairs exchange at once; 0 if a pair has no way */
  pm__wiring_port host[2]; /* per GPU, when all send to one CPU; each to its nearest */
  pm_collective_fit fit; /* the system's, every value known */
} pm__wiring;

/* The wiring of these GPUs (NULL: 0 .. count-1), or NULL with an error. Released by pm__wiring_release before the
** system is. Cost: a search, up to tens of milliseconds, the first time; a look-up of 50 ns to 1 us then. */
const pm__wiring *pm__wiring_of(const pm_system *system, const int *gpus, int count, pm_error *error);
void pm__wiring_release(const pm__wiring *wiring);

/* The same for GPUs first, first + stride, ... of a node, `count` in all; kept with the system until it changes, so
** there is nothing to release. Cost: a search the first time, 5 ns then; that they are not connected is remembered too.
** Returns PM_OK, PM_STATUS_NO_ROUTE, PM_STATUS_TOO_MANY_GPUS, PM_STATUS_BAD_ARGUMENT or PM_STATUS_NO_MEMORY. */
int pm__wiring_regular(const pm_system *system, int first, int stride, int count, const pm__wiring **wiring);

/* GPUs 0 .. gpus-1. */
int pm__wiring_first(const pm_system *system, int gpus, const pm__wiring **wiring);

/* ---- Its parts ---- */

int pm__wiring_rings(pm__wiring *wiring, pm_error *error);
int pm__wiring_ports(pm__wiring *wiring, pm_error *error);

#endif
