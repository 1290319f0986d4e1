/*
** All pairs at once: all-to-all, gather, scatter. A GPU's port, its slowest pair or the node's network limits.
**
** Gather and scatter go through the port of the first GPU alone.
*/
#include <math.h>
#include "collective/algorithm.h"

static double latency(const pm__collective_parameters *group)
{
  double hop = group->nodes > 1 ? group->fabric : 0;
  const pm_collective_fit *fit = group->fit;
  return fit->base_share * fit->pairs_latency + fit->step_share * fit->pairs_rank * (group->ranks - 1) + hop;
}

/* Bytes of S that one GPU exchanges inside the node, and that one node exchanges with others. */
static void pairs_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                       pm__collective_cost *cost)
{
  double n = group->ranks, p = group->per_node;
  double inside = (p - 1) / n / (group->pair * group->fit->pairs_efficiency);
  double between = (n - p) / n / group->network * (collective == PM_COLLECTIVE_ALL_TO_ALL ? p : 1);
  cost->limit = inside >= between ? group->pair_limit : group->network_limit;
  cost->latency = latency(group);
  cost->per_byte = fmax(inside, between);
  (void)protocol;
  if (collective != PM_COLLECTIVE_ALL_TO_ALL) return;
  cost->per_byte += pm__collective_own_share(group);
  cost->launches = group->fit->pairs_launch;
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
  .protocols = PM__BIT(PM__SIMPLE),
  .eras = PM__ANY_ERA,
  .needs = PM__NEEDS_PAIRS,
  .selection = PM__SELECTED_ALWAYS,
  .cost = pairs_cost,
  .traffic = pairs_traffic,
};
