/*
** Reduction in the switches of the network (CollNet with SHARP): inside the node a chain of GPUs, then each node sends
** S once and receives the sum, through as many GPUs as there are NICs. GPUs without a NIC of their own share one: with
** r to a NIC the library counts on 1 / (r - (r - 1) / 2) of its bandwidth. Only where it is asked for: the network must
** have it.
*/
#include <math.h>
#include "collective/algorithm.h"

static void collnet_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                         pm__collective_cost *cost)
{
  const double hop = 3.7e-6, network_hop = 31e-6, rank_hop = 0.4e-6; /* NCCL, src/graph/tuning.cc, CollNetDirect */
  const double switch_share = 0.9;
  double p = group->per_node;
  double ranks_per_nic = fmax(p / group->nics, 1);
  double inside = p > 1 ? group->ring * p / (2 * (p - 1)) : (double)INFINITY, between;
  between = switch_share * group->network / (ranks_per_nic - (ranks_per_nic - 1) / 2);
  cost->limit = inside <= between ? group->ring_limit : group->network_limit;
  cost->knee = group->fit->network_knee;
  cost->latency = 2 * (fmin(1, p - 1) * hop + (p - 1) * rank_hop) + network_hop + group->fabric;
  cost->per_byte = 1 / fmin(inside, between);
  (void)collective;
  (void)protocol;
}

static pm__collective_traffic collnet_traffic(const pm__collective_parameters *group, pm_collective collective,
                                              double bytes)
{
  double p = group->per_node;
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = 2 * (p - 1) / p * bytes, .between = bytes};
}

const pm__collective_algorithm pm__collective_algorithm_COLLNET = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__BIT(PM__SIMPLE),
  .nccl = PM__BIT(PM_NCCL_CURRENT),
  .needs = PM__NEEDS_SEVERAL_NODES,
  .selection = PM__SELECTED_IN_NETWORK,
  .cost = collnet_cost,
  .traffic = collnet_traffic,
};
