/*
** Double binary tree: each node's GPUs are a chain, the nodes two trees in which the leaves of one are inner nodes of
** the other. Every GPU passes 2 S on, half of it in each tree, and so does every node's network, but on two nodes:
** there a node is the root of one tree and a leaf of the other, and sends S. Constants as in NCCL's
** src/graph/tuning.cc.
*/
#include <math.h>
#include "collective/algorithm.h"

/* What trees get of their bandwidth by log2(bytes / 64): NCCL, src/graph/tuning.cc, treeCorrectionFactor. */
static const double factors[PM__PROTOCOLS][PM__CORRECTIONS] = {
  {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1.0, 1.0, 1.0, 1.0, 1.0},
  {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1.0, 1.0, 1.0},
  {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};

/* Shares of the rings' bandwidth that trees get, by protocol, and on one node. */
static double share(const pm__collective_parameters *group, int protocol)
{
  const double tree = 0.92, ll = 1 / 3.8, ll128_inside = 7.0 / 9, ll128 = 120.0 / 128;
  if (protocol == PM__LL) return tree * ll;
  if (protocol == PM__LL128) return tree * (group->nodes == 1 ? ll128_inside : ll128);
  return tree;
}

static void tree_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                      pm__collective_cost *cost)
{
  double network = group->nodes == 2 ? 2 * group->tree_network : group->network;
  double bus = fmin(group->ring, network) * share(group, protocol);
  if (protocol == PM__LL) bus = fmin(bus, group->ll_most * group->fit->ll_share);
  if (protocol == PM__LL128) bus *= fmin(group->fit->ll128_share, 1);
  double far = group->nodes > 1 ? log2(group->nodes) * group->far_step[protocol][PM__TREE] : 0;
  cost->limit = group->ring <= network ? group->ring_limit : group->network_limit;
  cost->knee = pm__collective_knee(group);
  cost->latency = group->base[protocol][PM__TREE] + 2 * ((group->per_node - 1) * group->step[protocol][PM__TREE] + far);
  cost->per_byte = 2 / bus;
  cost->correction = factors[protocol];
  (void)collective;
}

static pm__collective_traffic tree_traffic(const pm__collective_parameters *group, pm_collective collective,
                                           double bytes)
{
  double p = group->per_node;
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = 2 * bytes * (p - 1) / p,
                                  .between = group->nodes == 2 ? bytes : 2 * bytes};
}

const pm__collective_algorithm pm__collective_algorithm_TREE = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__ANY_PROTOCOL,
  .nccl = PM__BIT(PM_NCCL_CURRENT),
  .needs = PM__NEEDS_NOTHING,
  .selection = PM__SELECTED_ALWAYS,
  .cost = tree_cost,
  .traffic = tree_traffic,
};
