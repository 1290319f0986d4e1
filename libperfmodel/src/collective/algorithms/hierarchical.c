/*
** Two levels: reduce-scatter in each node, all-reduce of each GPU's part with the same GPU of the other nodes (a rail
** each), all-gather in each node.
*/
#include "collective/algorithm.h"

static bool hierarchical_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  double p = shape->per_node, nodes = shape->nodes;
  if (collective != PM_ALL_REDUCE || !pm__protocol_works(shape, protocol)) return false;
  double inside = 2 * (p - 1) / p / pm__protocol_ring(shape, protocol, shape->ring);
  double between = 2 * (nodes - 1) / nodes / pm__protocol_ring(shape, protocol, shape->network);
  cost->limit = inside >= between ? shape->ring_limit : shape->network_limit;
  cost->knee = pm__knee(shape);
  cost->latency = shape->base[protocol][PM__RING] + 2 * (p - 1) * shape->step[protocol][PM__RING] +
                  2 * (nodes - 1) * shape->far_step[protocol][PM__RING];
  cost->per_byte = inside + between;
  return true;
}

const pm__algorithm pm__algorithm_hierarchical = {PM_ALGORITHM_HIERARCHICAL, false, hierarchical_cost};
