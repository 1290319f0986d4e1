/*
** Rings: 2 (n-1) steps for an all-reduce, n-1 for reduce-scatter and all-gather; a chain for broadcast and reduce,
** which is pipelined, so that one hop counts. Steps and latencies as in NCCL's src/graph/tuning.cc.
*/
#include <math.h>
#include "collective/algorithm.h"

static double steps_of(pm_collective collective, double count)
{
  return collective == PM_COLLECTIVE_ALL_REDUCE ? 2 * (count - 1) : count - 1;
}

static double far_step(const pm__collective_parameters *group, int protocol)
{
  return group->far_step[protocol][group->per_node == 1 ? PM__TREE : PM__RING];
}

static double latency(const pm__collective_parameters *group, pm_collective collective, int protocol)
{
  double far = group->nodes > 1 ? steps_of(collective, group->nodes) : 0;
  double near = steps_of(collective, group->ranks) - far;
  return group->base[protocol][PM__RING] + near * group->step[protocol][PM__RING] + far * far_step(group, protocol);
}

/* A chain is a pipeline: one hop counts, and with Simple the first chunk's way through the other GPUs of the node. */
static double chain_latency(const pm__collective_parameters *group, int protocol)
{
  double hop = group->nodes > 1 ? far_step(group, protocol) : group->step[protocol][PM__RING];
  double more = group->per_node == 1 ? group->fit->chain_rank * group->ranks : 0;
  bool fills = protocol == PM__SIMPLE && group->nccl == PM_NCCL_CURRENT;
  if (fills) more += group->fit->chain_fill * fmax(group->per_node - 2, 0);
  return group->base[protocol][PM__RING] + hop + more;
}

/* Chains of the older libraries pass chunks on whole, and wait until the first has gone through. */
static void fill_chain(const pm__collective_parameters *group, double bus, pm__collective_cost *cost)
{
  double hops = group->ranks - 2, size = group->nccl == PM_NCCL_2016 ? group->fit->old_chunk : group->fit->chunk;
  if (group->nccl == PM_NCCL_CURRENT || group->nodes > 1 || size == 0 || hops <= 0) return;
  double one = bus / group->rings;
  cost->fill_per_byte = hops / group->rings / one;
  cost->fill_most = hops * size / one;
}

static double inner_knee(const pm__collective_parameters *group, pm_collective collective)
{
  if (!group->nvlink) return 0;
  if (collective == PM_COLLECTIVE_ALL_REDUCE) return group->fit->knee;
  if (collective == PM_COLLECTIVE_BROADCAST || collective == PM_COLLECTIVE_REDUCE) return group->fit->chain_knee;
  return collective == PM_COLLECTIVE_SEND_RECEIVE ? 0 : group->fit->part_knee;
}

static void ring_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                      pm__collective_cost *cost)
{
  bool chain = collective == PM_COLLECTIVE_BROADCAST || collective == PM_COLLECTIVE_REDUCE;
  double links = pm__collective_slower(group, &cost->limit);
  if (collective == PM_COLLECTIVE_BROADCAST) links = fmin(group->chain, group->network);
  if (collective == PM_COLLECTIVE_SEND_RECEIVE) links *= group->fit->pairs_efficiency;
  if (group->nccl == PM_NCCL_2017) links = fmin(links, group->fit->old_most);
  double bus = pm__collective_protocol_bandwidth(group, protocol, links);
  cost->knee = group->nodes > 1 ? group->fit->network_knee : inner_knee(group, collective);
  cost->per_byte = pm__collective_bus_factor(collective, group->ranks) / bus;
  bool whole = chain || collective == PM_COLLECTIVE_SEND_RECEIVE;
  if (!whole) cost->per_byte += pm__collective_own_share(group);
  cost->latency = whole ? chain_latency(group, protocol) : latency(group, collective, protocol);
  if (chain) fill_chain(group, bus, cost);
  bool parts = collective == PM_COLLECTIVE_REDUCE_SCATTER || collective == PM_COLLECTIVE_ALL_GATHER;
  if (parts && group->nccl != PM_NCCL_CURRENT) cost->odd_share = group->fit->odd_share;
}

static pm__collective_traffic ring_traffic(const pm__collective_parameters *group, pm_collective collective,
                                           double bytes)
{
  double each = pm__collective_bus_factor(collective, group->ranks) * bytes;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = each, .between = each};
}

const pm__collective_algorithm pm__collective_algorithm_RING = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE) | PM__BIT(PM_COLLECTIVE_REDUCE_SCATTER) |
                 PM__BIT(PM_COLLECTIVE_ALL_GATHER) | PM__BIT(PM_COLLECTIVE_BROADCAST) |
                 PM__BIT(PM_COLLECTIVE_REDUCE) | PM__BIT(PM_COLLECTIVE_SEND_RECEIVE),
  .protocols = PM__ANY_PROTOCOL,
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_NOTHING,
  .selection = PM__SELECTED_ALWAYS,
  .cost = ring_cost,
  .traffic = ring_traffic,
};
