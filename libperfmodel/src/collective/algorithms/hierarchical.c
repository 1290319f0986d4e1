/*
** Two levels: reduce-scatter in each node, all-reduce of each GPU's part with the same GPU of the other nodes (a rail
** each), all-gather in each node.
*/
#include "collective/algorithm.h"

static void hierarchical_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                              pm__collective_cost *cost)
{
  double p = group->per_node, nodes = group->nodes;
  double inside = 2 * (p - 1) / p / pm__collective_protocol_bandwidth(group, protocol, group->ring);
  double between = 2 * (nodes - 1) / nodes / pm__collective_protocol_bandwidth(group, protocol, group->network);
  cost->limit = inside >= between ? group->ring_limit : group->network_limit;
  cost->knee = pm__collective_knee(group);
  cost->latency = group->base[protocol][PM__RING] + 2 * (p - 1) * group->step[protocol][PM__RING] +
                  2 * (nodes - 1) * group->far_step[protocol][PM__RING];
  cost->per_byte = inside + between;
  (void)collective;
}

static pm__collective_traffic hierarchical_traffic(const pm__collective_parameters *group, pm_collective collective,
                                                   double bytes)
{
  double p = group->per_node, nodes = group->nodes;
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = 2 * (p - 1) / p * bytes,
                                  .between = 2 * (nodes - 1) / nodes * bytes};
}

const pm__collective_algorithm pm__collective_algorithm_HIERARCHICAL = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__ANY_PROTOCOL,
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_NOTHING,
  .selection = PM__SELECTED_BY_NAME,
  .cost = hierarchical_cost,
  .traffic = hierarchical_traffic,
};
