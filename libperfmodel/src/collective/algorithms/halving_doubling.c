/*
** Recursive halving and doubling (Thakur, Rabenseifner, Gropp, Int. J. High Perf. Comput. Appl. 19, 2005): reduce-scatter
** by exchanging halves with partners at growing distance, then all-gather the same way back. 2 log2 n steps; a number of
** ranks that is no power of two takes two more in which S moves once each way. Neighbours in the node come first, so
** that the network carries one p-th of the data of each GPU.
*/
#include <math.h>
#include "collective/algorithm.h"

static bool halving_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  double ways = collective == PM_ALL_REDUCE ? 2 : 1, p = shape->per_node, nodes = shape->nodes;
  if (collective != PM_ALL_REDUCE && collective != PM_REDUCE_SCATTER && collective != PM_ALL_GATHER) return false;
  if (!pm__protocol_works(shape, protocol) || shape->pair == 0) return false;
  double near = ceil(log2(p)), far = ceil(log2(nodes)), exact = log2(p * nodes);
  double inside = (p - 1) / p / pm__protocol_ring(shape, protocol, shape->pair);
  double between = (nodes - 1) / nodes / pm__protocol_ring(shape, protocol, shape->network);
  cost->limit = inside >= between ? shape->pair_limit : shape->network_limit;
  cost->knee = pm__knee(shape);
  cost->latency = shape->base[protocol][PM__TREE] +
                  ways * (near * shape->step[protocol][PM__TREE] + far * shape->far_step[protocol][PM__TREE]);
  cost->per_byte = ways * (inside + between);
  if (exact != floor(exact)) {
    cost->latency += 2 * (nodes > 1 ? shape->far_step[protocol][PM__TREE] : shape->step[protocol][PM__TREE]);
    cost->per_byte += ways / pm__protocol_ring(shape, protocol, nodes > 1 ? shape->network : shape->pair);
  }
  return true;
}

const pm__algorithm pm__algorithm_halving_doubling = {PM_ALGORITHM_HALVING_DOUBLING, false, halving_cost};
