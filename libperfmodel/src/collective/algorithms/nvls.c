/*
** Reduction in the NVLink switches: every GPU sends S once and the switches add up and multicast, so that each port
** carries S (1 + 1/n) each way; a reduce-scatter or all-gather carries S.
**
** Between nodes a tree joins the switches: each node sends S on two nodes, 2 S on more, and the sum goes up and down
** log2 N steps.
*/
#include <math.h>
#include "collective/algorithm.h"

static double inner_bandwidth(const pm__collective_parameters *group)
{
  double n = group->per_node;
  return group->fit->in_switch_efficiency * group->ring * n / (n + 1);
}

static void nvls_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                      pm__collective_cost *cost)
{
  cost->limit = group->ring_limit;
  cost->latency = group->fit->in_switch_latency * group->per_node;
  cost->per_byte = 1 / inner_bandwidth(group);
  cost->knee = group->fit->knee;
  (void)collective;
  (void)protocol;
}

static void nvls_tree_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                           pm__collective_cost *cost)
{
  double inside = inner_bandwidth(group), between = group->nodes == 2 ? group->network : group->network / 2;
  cost->limit = inside <= between ? group->ring_limit : group->network_limit;
  cost->latency = group->fit->in_switch_latency * group->per_node + group->fit->in_switch_network +
                  2 * log2(group->nodes) * group->far_step[PM__SIMPLE][PM__TREE];
  cost->per_byte = 1 / fmin(inside, between);
  cost->knee = group->fit->in_switch_knee;
  (void)collective;
  (void)protocol;
}

static pm__collective_traffic nvls_traffic(const pm__collective_parameters *group, pm_collective collective,
                                           double bytes)
{
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = bytes * (1 + 1 / (double)group->per_node),
                                  .between = group->nodes == 1 ? 0 : group->nodes == 2 ? bytes : 2 * bytes};
}

const pm__collective_algorithm pm__collective_algorithm_NVLS = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__BIT(PM__SIMPLE),
  .nccl = PM__BIT(PM_NCCL_CURRENT),
  .needs = PM__NEEDS_REDUCING_SWITCHES | PM__NEEDS_ONE_NODE,
  .selection = PM__SELECTED_ALWAYS,
  .cost = nvls_cost,
  .traffic = nvls_traffic,
};

const pm__collective_algorithm pm__collective_algorithm_NVLS_TREE = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__BIT(PM__SIMPLE),
  .nccl = PM__BIT(PM_NCCL_CURRENT),
  .needs = PM__NEEDS_REDUCING_SWITCHES | PM__NEEDS_SEVERAL_NODES,
  .selection = PM__SELECTED_ALWAYS,
  .cost = nvls_tree_cost,
  .traffic = nvls_traffic,
};
