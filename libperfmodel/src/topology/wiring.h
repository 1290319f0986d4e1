/*
** What the wires give to some GPUs of a node, whoever drives them and however many nodes there are: rings, the way to
** the network, to each other and to the CPUs. Found once for each list of GPUs and kept with the system; safe to ask for
** from several threads.
*/
#ifndef PM_TOPOLOGY_WIRING_H
#define PM_TOPOLOGY_WIRING_H

#include "topology/ring.h"
#include "hardware/kept.h"

/* Rings inside the node. Payloads in B/s, INFINITY for one GPU. */
typedef struct pm__inner {
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
} pm__inner;

/* A payload and the id of the link type that limits it. */
typedef struct pm__port {
  double payload;
  char limit[PM_TEXT_MAX];
} pm__port;

typedef struct pm__wiring {
  pm__kept kept; /* first: the GPUs */
  const pm_system *system;
  pm__inner packed; /* the best rings */
  pm__inner single; /* one ring in the order of the GPUs, as NCCL 1 makes it */
  pm__cycles cycles;
  const char *over; /* "nvlink", "nvswitch", "xgmi", "pcie", or "" */
  pm__port network; /* the group's NICs of one node; payload 0 without a network */
  int nics;         /* how many of them */
  pm__port pair;    /* per GPU, when all pairs exchange at once; 0 if a pair has no way */
  pm__port host[2]; /* per GPU, when all send to one CPU; each to its nearest */
  pm_collective_fit fit; /* the system's, every value known */
} pm__wiring;

/* The wiring of these GPUs (NULL: 0 .. count-1), or NULL with an error. Released by pm__wiring_release before the
** system is. Cost: a search, up to tens of milliseconds, the first time; a look-up of 50 ns to 1 us then. */
const pm__wiring *pm__wiring_of(const pm_system *system, const int *gpus, int count, pm_error *error);
void pm__wiring_release(const pm__wiring *wiring);

/* ---- Its parts ---- */

int pm__wiring_rings(pm__wiring *wiring, pm_error *error);
int pm__wiring_ports(pm__wiring *wiring, pm_error *error);

/* All direct links from vertex to vertex together; `edge`: one of them. */
double pm__direct_payload(const pm_system *system, int a, int b, const pm__edge **edge);

#endif
