/*
** Parameter servers on CPUs: every GPU pushes its gradients to the servers and pulls the new parameters. The servers
** share the parameters evenly. In a node the ways from the GPUs to a CPU limit; a server in another node is reached
** through the network, whose port at the server all other nodes share.
*/
#include <math.h>
#include "collective/algorithm.h"

static bool server_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  double nodes = shape->nodes, p = shape->per_node, servers = shape->servers;
  if (collective != PM_ALL_REDUCE || protocol != PM__SIMPLE) return false;
  double spread = fmin(servers, nodes); /* servers in different nodes */
  double inside = 2 / shape->host, between = nodes > 1 ? 2 * (nodes - 1) * p / spread / shape->network : 0;
  cost->limit = inside >= between ? shape->host_limit : shape->network_limit;
  cost->latency = shape->base[PM__SIMPLE][PM__RING] + 2 * shape->step[PM__SIMPLE][PM__RING] +
                  (nodes > 1 ? 2 * shape->far_step[PM__SIMPLE][PM__RING] : 0);
  cost->per_byte = fmax(inside, between);
  return true;
}

const pm__algorithm pm__algorithm_parameter_server = {PM_ALGORITHM_PARAMETER_SERVER, false, server_cost};
