/*
** Reduction in the NVLink switches: every GPU sends S once and the switches add up and multicast, so that each port
** carries S (1 + 1/n) each way; a reduce-scatter or all-gather carries S.
**
** Between nodes a tree joins the switches: each node sends S on two nodes, 2 S on more.
*/
#include <math.h>
#include "collective/algorithm.h"

static double inner_bandwidth(const pm__collective_group *shape)
{
  double n = shape->per_node;
  return shape->fit->in_switch_efficiency * shape->ring * n / (n + 1);
}

static bool works(const pm__collective_group *shape, int protocol)
{
  return protocol == PM__SIMPLE && shape->capable && shape->per_node > 1 && shape->era == PM_ERA_CURRENT;
}

static bool nvls_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  if (collective != PM_ALL_REDUCE || !works(shape, protocol) || shape->nodes > 1) return false;
  cost->limit = shape->ring_limit;
  cost->latency = shape->fit->in_switch_latency * shape->per_node;
  cost->per_byte = 1 / inner_bandwidth(shape);
  cost->knee = shape->fit->knee;
  return true;
}

static bool nvls_tree_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  if (collective != PM_ALL_REDUCE || !works(shape, protocol) || shape->nodes == 1) return false;
  double inside = inner_bandwidth(shape), between = shape->nodes == 2 ? shape->network : shape->network / 2;
  cost->limit = inside <= between ? shape->ring_limit : shape->network_limit;
  cost->latency = shape->fit->in_switch_latency * shape->per_node + shape->fit->in_switch_network + 10 * shape->fabric;
  cost->per_byte = 1 / fmin(inside, between);
  cost->knee = shape->fit->network_knee;
  return true;
}

const pm__algorithm pm__algorithm_nvls = {PM_ALGORITHM_NVLS, true, nvls_cost};
const pm__algorithm pm__algorithm_nvls_tree = {PM_ALGORITHM_NVLS_TREE, true, nvls_tree_cost};
