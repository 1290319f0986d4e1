/*
** Reduction in the switches of the network (CollNet with SHARP): inside the node a chain of GPUs, then each node sends S
** once and receives the sum, through as many GPUs as there are NICs. GPUs without a NIC of their own share one: with r
** to a NIC the library counts on 1 / (r - (r - 1) / 2) of its bandwidth. Only where it is asked for: the network must
** have it.
*/
#include <math.h>
#include "collective/algorithm.h"

static bool collnet_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  const double hop = 3.7e-6, network_hop = 31e-6, spread = 0.4e-6; /* NCCL, src/graph/tuning.cc, CollNetDirect */
  const double switch_share = 0.9;
  double p = shape->per_node;
  if (collective != PM_ALL_REDUCE || shape->nodes == 1 || shape->era != PM_ERA_CURRENT) return false;
  if (protocol != PM__SIMPLE) return false;
  double sharers = fmax(p / shape->nics, 1);
  double inside = p > 1 ? shape->ring * p / (2 * (p - 1)) : (double)INFINITY, between;
  between = switch_share * shape->network / (sharers - (sharers - 1) / 2);
  cost->limit = inside <= between ? shape->ring_limit : shape->network_limit;
  cost->knee = shape->fit->network_knee;
  cost->latency = 2 * (fmin(1, p - 1) * hop + (p - 1) * spread) + network_hop + shape->fabric;
  cost->per_byte = 1 / fmin(inside, between);
  return true;
}

const pm__algorithm pm__algorithm_collnet = {PM_ALGORITHM_COLLNET, false, collnet_cost};
