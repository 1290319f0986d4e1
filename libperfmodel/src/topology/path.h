/* The path of a ring through the links: its members, its limit, the cost of a step. */
#ifndef PM_TOPOLOGY_PATH_H
#define PM_TOPOLOGY_PATH_H

#include "hardware/system.h"

/* GPUs of a node that work together: numbers of GPUs, in the order asked for. */
typedef struct pm__ring_members {
  const int *gpu;
  int count;
} pm__ring_members;

/* The limit of a ring and the cost of one step. */
typedef struct pm__ring_path {
  double bandwidth;      /* of the ring [B/s]; 0 if this way does not connect the group */
  double one_link;       /* payload of a single link, to count rings */
  const pm__edge *limit; /* the link that limits */
  double hop_latency, base_latency;
  bool calibrated;
  double most;           /* no packing of rings over direct links has more than this bandwidth */
} pm__ring_path;

pm__ring_path pm__ring_path_none(void);

/* The slowest step counts, and one uncalibrated link makes the path uncalibrated. */
void pm__ring_path_pass(pm__ring_path *path, const pm__edge *edge);

#endif
