/*
** On-node data parallelism by one process (PyTorch's DataParallel): GPU 0 broadcasts the parameters and reduces the
** gradients, two chains one after the other, each launched on every GPU by one host thread.
*/
#include "collective/algorithm.h"

static void data_parallel_cost(const pm__collective_parameters *group, pm_collective collective, int protocol,
                               pm__collective_cost *cost)
{
  (void)collective;
  pm__collective_algorithm_RING.cost(group, PM_COLLECTIVE_BROADCAST, protocol, cost);
  cost->latency *= 2;
  cost->per_byte *= 2;
  cost->fill_per_byte *= 2;
  cost->fill_most *= 2;
  cost->launches = 2;
}

static pm__collective_traffic data_parallel_traffic(const pm__collective_parameters *group, pm_collective collective,
                                                    double bytes)
{
  (void)group;
  (void)collective;
  return (pm__collective_traffic){.route = PM__ROUTE_RINGS, .inside = 2 * bytes, .between = 0};
}

const pm__collective_algorithm pm__collective_algorithm_DATA_PARALLEL = {
  .collectives = PM__BIT(PM_COLLECTIVE_ALL_REDUCE),
  .protocols = PM__ANY_PROTOCOL,
  .nccl = PM__ANY_NCCL,
  .needs = PM__NEEDS_ONE_NODE,
  .selection = PM__SELECTED_BY_NAME,
  .cost = data_parallel_cost,
  .traffic = data_parallel_traffic,
};
