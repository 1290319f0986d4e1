/*
** The descriptor of an algorithm. Each is a file of algorithms/ with one descriptor, and one line of
** PM_NAMED_ALGORITHM_LIST (perfmodel/collective.h), which generates the table of all, the declarations below, the
** public enumeration with names and docs, and the command's help.
**
** To add one: write algorithms/<name>.c with pm__collective_algorithm_<NAME>, and add X(<NAME>, "name", "doc") as the
** last line of the list. Every part of the descriptor is required: sets and enumerations begin at 1, so a missing part
** is 0, and the test of all algorithms fails.
*/
#ifndef PM_COLLECTIVE_ALGORITHM_H
#define PM_COLLECTIVE_ALGORITHM_H

#include "collective/protocols.h"

/* Sets, as bits. */
#define PM__BIT(number) (1u << (number))

enum {
  PM__ANY_PROTOCOL = PM__BIT(PM__LL) | PM__BIT(PM__LL128) | PM__BIT(PM__SIMPLE),
  PM__ANY_NCCL = PM__BIT(PM_NCCL_COUNT) - 1
};

/* Requirements on a group. */
enum {
  PM__NEEDS_NOTHING = 1,
  PM__NEEDS_ONE_NODE = 2,
  PM__NEEDS_SEVERAL_NODES = 4,
  PM__NEEDS_PAIRS = 8,              /* a way between any two GPUs of a node */
  PM__NEEDS_REDUCING_SWITCHES = 16  /* GPUs on NVLink switches that reduce */
};

/* When a collective library selects it by default. */
typedef enum pm__collective_selection {
  PM__SELECTED_ALWAYS = 1,
  PM__SELECTED_IN_NETWORK, /* if the switches of the network reduce */
  PM__SELECTED_BY_NAME     /* never */
} pm__collective_selection;

/* The cost of an algorithm: latency + per_byte * S, with corrections. */
typedef struct pm__collective_cost {
  double latency, per_byte;
  double knee;
  double fill_per_byte, fill_most; /* of a chain that must fill first: min(fill_per_byte * S, fill_most) */
  double odd_share;                /* 0, or what of the bandwidth is left if parts are an odd number of floats */
  double launches;                 /* host launches, in units of an all-reduce's */
  const double *correction; /* NULL, or what is left of the bandwidth at log2(S / 64) = 0, 1, ... 23, at most 1 */
  const char *limit;
} pm__collective_cost;

enum { PM__CORRECTIONS = 24 };

/* The route of bytes inside a node. */
typedef enum pm__collective_route {
  PM__ROUTE_RINGS = 1, /* from each GPU to the next of its rings; through switches or PCIe where there are no others */
  PM__ROUTE_HOST       /* up to the CPU and down again */
} pm__collective_route;

/* The traffic. */
typedef struct pm__collective_traffic {
  pm__collective_route route;
  double inside;  /* bytes that each GPU passes on inside the node, per direction */
  double between; /* bytes that each node sends to others, per direction */
} pm__collective_traffic;

typedef struct pm__collective_algorithm {
  unsigned collectives; /* that it does: bits of pm_collective */
  unsigned protocols;   /* that it is written for: bits of PM__LL, ... */
  unsigned nccl;        /* generations of the library that have it: bits of pm_nccl */
  unsigned needs;       /* bits of PM__NEEDS_... */
  pm__collective_selection selection;
  /* Called only if all of the above holds. `cost` is zeroed, with launches 1; `limit` must be set. */
  void (*cost)(const pm__collective_parameters *group, pm_collective collective, int protocol,
               pm__collective_cost *cost);
  /* The traffic of an evaluated collective of this many bytes on the links. */
  pm__collective_traffic (*traffic)(const pm__collective_parameters *group, pm_collective collective, double bytes);
} pm__collective_algorithm;

#define PM__COLLECTIVE_DECLARE(name, text, doc) extern const pm__collective_algorithm pm__collective_algorithm_##name;
PM_NAMED_ALGORITHM_LIST(PM__COLLECTIVE_DECLARE)
#undef PM__COLLECTIVE_DECLARE

/* That of a pm_algorithm; NULL for PM_ALGORITHM_AUTO, which is none, and for what is not in the list. */
const pm__collective_algorithm *pm__collective_algorithm_of(int algorithm);

/* Whether it does this on such a group, and whether in this protocol. */
bool pm__collective_algorithm_serves(const pm__collective_algorithm *algorithm, const pm__collective_parameters *group,
                                     pm_collective collective);
bool pm__collective_algorithm_speaks(const pm__collective_algorithm *algorithm, const pm__collective_parameters *group,
                                     int protocol);

#endif
