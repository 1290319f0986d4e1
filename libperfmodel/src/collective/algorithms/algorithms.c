/* The table of algorithms, and what protocols have in common. */
#include <math.h>
#include "collective/algorithm.h"

static const pm__algorithm *const table[] = {
  &pm__algorithm_ring,         &pm__algorithm_tree,             &pm__algorithm_nvls,
  &pm__algorithm_nvls_tree,    &pm__algorithm_pairs,            &pm__algorithm_collnet,
  &pm__algorithm_hierarchical, &pm__algorithm_halving_doubling, &pm__algorithm_parameter_server,
  &pm__algorithm_data_parallel};

const pm__algorithm *pm__algorithm_at(size_t index)
{
  return index < sizeof table / sizeof table[0] ? table[index] : NULL;
}

bool pm__protocol_works(const pm__collective_group *shape, int protocol)
{
  if (protocol == PM__SIMPLE) return true;
  if (shape->era == PM_ERA_2016) return false;
  if (protocol == PM__LL) return true;
  return shape->ll128 && shape->era == PM_ERA_CURRENT;
}

double pm__protocol_ring(const pm__collective_group *shape, int protocol, double ring)
{
  double bandwidth = ring * shape->payload[protocol];
  if (protocol == PM__LL) return fmin(bandwidth, shape->ll_most * shape->fit->ll_share);
  return protocol == PM__LL128 ? bandwidth * fmin(shape->fit->ll128_share, 1) : bandwidth;
}

double pm__knee(const pm__collective_group *shape)
{
  if (shape->nodes > 1) return shape->fit->network_knee;
  return shape->nvlink ? shape->fit->knee : 0;
}

double pm__slower(const pm__collective_group *shape, const char **limit)
{
  *limit = shape->ring <= shape->network ? shape->ring_limit : shape->network_limit;
  return fmin(shape->ring, shape->network);
}

double pm__bus_factor(pm_collective collective, double ranks)
{
  switch (collective) {
  case PM_ALL_REDUCE: return 2 * (ranks - 1) / ranks;
  case PM_REDUCE_SCATTER:
  case PM_ALL_GATHER:
  case PM_ALL_TO_ALL:
  case PM_GATHER:
  case PM_SCATTER: return (ranks - 1) / ranks;
  default: return 1;
  }
}
