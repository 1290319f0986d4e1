/*
** On-node data parallelism by one process (PyTorch's DataParallel): GPU 0 broadcasts the parameters and reduces the
** gradients, two chains one after the other, each launched on every GPU by one host thread.
*/
#include <string.h>
#include "collective/algorithm.h"

static bool data_parallel_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  pm__collective_cost chain;
  memset(&chain, 0, sizeof chain);
  if (collective != PM_ALL_REDUCE || shape->nodes > 1) return false;
  if (!pm__algorithm_ring.cost(shape, PM_BROADCAST, protocol, &chain)) return false;
  *cost = chain;
  cost->latency = 2 * chain.latency;
  cost->per_byte = 2 * chain.per_byte;
  cost->fill_per_byte = 2 * chain.fill_per_byte;
  cost->fill_most = 2 * chain.fill_most;
  cost->launches = 2;
  return true;
}

const pm__algorithm pm__algorithm_data_parallel = {PM_ALGORITHM_DATA_PARALLEL, false, data_parallel_cost};
