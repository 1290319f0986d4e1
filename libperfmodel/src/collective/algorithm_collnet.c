/*
** Reduction in the switches of the network (CollNet with SHARP): inside the node a chain of GPUs, then each node sends S
** once and receives the sum. Only where it is asked for: the network must have it.
*/
#include <math.h>
#include "collective/algorithm.h"

static bool collnet_cost(const pm__shape *shape, pm_collective collective, int protocol, pm__cost *cost)
{
  const double hop = 3.7e-6, network_hop = 31e-6, spread = 0.4e-6; /* NCCL, src/graph/tuning.cc, CollNetDirect */
  const double switch_share = 0.9;
  double p = shape->per_node;
  if (collective != PM_ALL_REDUCE || shape->nodes == 1 || shape->era != PM_ERA_CURRENT) return false;
  if (protocol != PM__SIMPLE) return false;
  double inside = p > 1 ? shape->ring * p / (2 * (p - 1)) : (double)INFINITY, between = switch_share * shape->network;
  cost->limit = inside <= between ? shape->ring_limit : shape->network_limit;
  cost->knee = shape->fit->network_knee;
  cost->latency = 2 * (fmin(1, p - 1) * hop + (p - 1) * spread) + network_hop + shape->fabric;
  cost->per_byte = 1 / fmin(inside, between);
  return true;
}

const pm__algorithm pm__algorithm_collnet = {PM_ALGORITHM_COLLNET, false, collnet_cost};
