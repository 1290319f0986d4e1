/* Computes what several algorithms need: bandwidth of a protocol, the slower of ring and network, shares of
** adapters. */
#include "collective/protocols.h"
#include <math.h>

bool pm__collective_protocol_works(const pm__collective_parameters *group, int protocol)
{
  if (protocol == PM__SIMPLE) return true;
  if (group->nccl == PM_NCCL_2016) return false;
  if (protocol == PM__LL) return true;
  return group->ll128 && group->nccl == PM_NCCL_CURRENT;
}

double pm__collective_protocol_bandwidth(const pm__collective_parameters *group, int protocol, double ring)
{
  double bandwidth = ring * group->payload[protocol];
  if (protocol == PM__LL) return fmin(bandwidth, group->ll_most * group->fit->ll_share);
  return protocol == PM__LL128 ? bandwidth * fmin(group->fit->ll128_share, 1) : bandwidth;
}

double pm__collective_channel_bytes(pm_collective collective, double ranks)
{
  const double threads = 512, each = 8;
  bool in_pairs = collective == PM_COLLECTIVE_ALL_TO_ALL || collective == PM_COLLECTIVE_GATHER ||
                  collective == PM_COLLECTIVE_SCATTER;
  return in_pairs ? (double)INFINITY : threads * each * ranks;
}

double pm__collective_knee(const pm__collective_parameters *group)
{
  if (group->nodes > 1) return group->fit->network_knee;
  return group->nvlink ? group->fit->knee : 0;
}

double pm__collective_slower(const pm__collective_parameters *group, const char **limit)
{
  *limit = group->ring <= group->network ? group->ring_limit : group->network_limit;
  return fmin(group->ring, group->network);
}

double pm__collective_own_share(const pm__collective_parameters *group)
{
  return 1 / (group->ranks * group->fit->local_rate);
}

double pm__collective_bus_factor(pm_collective collective, double ranks)
{
  switch (collective) {
  case PM_COLLECTIVE_ALL_REDUCE: return 2 * (ranks - 1) / ranks;
  case PM_COLLECTIVE_REDUCE_SCATTER:
  case PM_COLLECTIVE_ALL_GATHER:
  case PM_COLLECTIVE_ALL_TO_ALL:
  case PM_COLLECTIVE_GATHER:
  case PM_COLLECTIVE_SCATTER: return (ranks - 1) / ranks;
  default: return 1;
  }
}
