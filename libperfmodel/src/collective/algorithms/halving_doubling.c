/*
** Recursive halving and doubling (Thakur, Rabenseifner, Gropp, Int. J. High Perf. Comput. Appl. 19, 2005):
** reduce-scatter by exchanging halves with partners at growing distance, then all-gather the same way back. 2 log2 n
** steps; a number of ranks that is no power of two takes two more in which S moves once each way. Neighbours in the
** node come first, so that the network carries one p-th of the data of each GPU.
*/
#include <math.h>
#include "collective/algorithm.h"

static void halving_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                         pm__collective_cost *cost)
{
  double passes = collective == PM_COLLECTIVE_ALL_REDUCE ? 2 : 1, p = group->per_node, nodes = group->nodes;
  double near = ceil(log2(p)), far = ceil(log2(nodes)), exact = log2(p * nodes);
  double inside = (p - 1) / p / pm__collective_protocol_bandwidth(group, protocol, group->pair);
  double between = (nodes - 1) / nodes / pm__collective_protocol_bandwidth(group, protocol, group->network);
  cost->limit = inside >= between ? group->pair_limit : group->network_limit;
  cost->knee = pm__collective_knee(group);
  cost->latency = group->base[protocol][PM__TREE] +
                  passes * (near * group->step[protocol][PM__TREE] + far * group->far_step[protocol][PM__TREE]);
  cost->per_byte = passes * (inside + between);
  if (exact != floor(exact)) {
    cost->latency += 2 * (nodes > 1 ? group->far_step[protocol][PM__TREE] : group->step[protocol][PM__TREE]);
    double last = nodes > 1 ? group->network : group->pair;
    cost->per_byte += passes / pm__collective_protocol_bandwidth(group, protocol, last);
  }
}

static pm__collective_traffic halving_traffic(const pm__collective_parameters *group, pm_collective collective,
                                              double bytes)
{
  double p = group->per_node, nodes = group->nodes;
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = 2 * (p - 1) / p * bytes,
                                  .between = 2 * (nodes - 1) / nodes * bytes};
}

const pm__collective_algorithm pm__collective_algorithm_HALVING_DOUBLING = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE) | PM__BIT(PM_COLLECTIVE_REDUCE_SCATTER) |
                 PM__BIT(PM_COLLECTIVE_ALL_GATHER),
  .protocols = PM__ANY_PROTOCOL,
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_PAIRS,
  .selection = PM__SELECTED_BY_NAME,
  .cost = halving_cost,
  .traffic = halving_traffic,
};
