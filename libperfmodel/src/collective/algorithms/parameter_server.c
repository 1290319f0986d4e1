/*
** Parameter servers on CPUs: every GPU pushes its gradients to the servers and pulls the new parameters. The servers
** share the parameters evenly. In a node the ways from the GPUs to a CPU limit; a server in another node is reached
** through the network, whose port at the server all other nodes share.
*/
#include <math.h>
#include "collective/algorithm.h"

static void server_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                        pm__collective_cost *cost)
{
  double nodes = group->nodes, p = group->per_node, servers = group->servers;
  (void)collective;
  (void)protocol;
  double server_nodes = fmin(servers, nodes); /* servers in different nodes */
  double inside = 2 / group->host, between = nodes > 1 ? 2 * (nodes - 1) * p / server_nodes / group->network : 0;
  cost->limit = inside >= between ? group->host_limit : group->network_limit;
  cost->latency = group->base[PM__SIMPLE][PM__RING] + 2 * group->step[PM__SIMPLE][PM__RING] +
                  (nodes > 1 ? 2 * group->far_step[PM__SIMPLE][PM__RING] : 0);
  cost->per_byte = fmax(inside, between);
}

static pm__collective_traffic server_traffic(const pm__collective_parameters *group, pm_collective collective,
                                             double bytes)
{
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_HOST, .inside = bytes,
                                  .between = (group->nodes - 1.0) * group->per_node * bytes};
}

const pm__collective_algorithm pm__collective_algorithm_PARAMETER_SERVER = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__BIT(PM__SIMPLE),
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_NOTHING,
  .selection = PM__SELECTED_BY_NAME,
  .cost = server_cost,
  .traffic = server_traffic,
};
