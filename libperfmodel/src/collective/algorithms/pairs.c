/*
** All pairs at once: all-to-all, gather, scatter. A GPU's port, its slowest pair or the node's network limits.
**
** Gather and scatter go through the port of the first GPU alone.
*/
#include <math.h>
#include "collective/algorithm.h"

/* The host launches a send and a receive for each other rank, on one GPU of its thread after the other. */
static double host_time(const pm__collective_parameters *group, pm_collective collective)
{
  double launch = group->fit->launch * group->thread_gpus;
  return collective == PM_COLLECTIVE_ALL_TO_ALL ? launch * (1 + group->fit->pairs_launch * (group->ranks - 1)) : launch;
}

/* Simple starts later than LL, by what the library assumes of a step. */
static double latency(const pm__collective_parameters *group, pm_collective collective, int protocol)
{
  double hop = group->nodes > 1 ? group->fabric : 0;
  const pm_collective_fit *fit = group->fit;
  double later = group->base[protocol][PM__RING] + group->step[protocol][PM__RING] - group->base[PM__LL][PM__RING] -
                 group->step[PM__LL][PM__RING];
  double steps = fit->step_share * (fit->pairs_latency + fit->pairs_rank * (group->ranks - 1)) + hop;
  return fmax(steps, host_time(group, collective)) + later;
}

/* LL sends half flags, to each other GPU over one of the channels that all together reach its most. */
static double port_bandwidth(const pm__collective_parameters *group, int protocol)
{
  double port = group->pair * group->fit->pairs_efficiency, others = group->per_node - 1;
  if (protocol != PM__LL) return port;
  return fmin(port * group->payload[PM__LL], others * group->ll_most / group->channels);
}

/* Bytes of S that one GPU exchanges inside the node, and that one node exchanges with others. */
static void pairs_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                       pm__collective_cost *cost)
{
  double n = group->ranks, p = group->per_node;
  double inside = p > 1 ? (p - 1) / n / port_bandwidth(group, protocol) : 0;
  double senders = collective == PM_COLLECTIVE_ALL_TO_ALL ? p : 1;
  double between = (n - p) / n / (group->network * group->payload[protocol]) * senders;
  cost->limit = inside >= between ? group->pair_limit : group->network_limit;
  cost->latency = latency(group, collective, protocol);
  cost->per_byte = fmax(inside, between);
  if (collective == PM_COLLECTIVE_ALL_TO_ALL) cost->per_byte += pm__collective_own_share(group);
}

static pm__collective_traffic pairs_traffic(const pm__collective_parameters *group, pm_collective collective,
                                            double bytes)
{
  double n = group->ranks, p = group->per_node;
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = (p - 1) / n * bytes,
                                  .between = p * (n - p) / n * bytes};
}

const pm__collective_algorithm pm__collective_algorithm_PAIRS = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_TO_ALL) | PM__BIT(PM_COLLECTIVE_GATHER) | PM__BIT(PM_COLLECTIVE_SCATTER),
  .protocols = PM__BIT(PM__LL) | PM__BIT(PM__SIMPLE),
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_PAIRS,
  .selection = PM__SELECTED_ALWAYS,
  .cost = pairs_cost,
  .traffic = pairs_traffic,
};
