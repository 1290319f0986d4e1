/*
** All pairs at once: all-to-all, gather, scatter. A GPU's port, its slowest pair or the node's network limits.
**
** Gather and scatter go through the port of the first GPU alone.
*/
#include <math.h>
#include "collective/algorithm.h"

static double latency(const pm__collective_group *shape)
{
  double hop = shape->nodes > 1 ? shape->fabric : 0;
  return shape->fit->pairs_latency + shape->fit->pairs_rank * (shape->ranks - 1) + hop;
}

/* Bytes of S that one GPU exchanges inside the node, and that one node exchanges with others. */
static bool pairs_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  if (collective != PM_ALL_TO_ALL && collective != PM_GATHER && collective != PM_SCATTER) return false;
  if (protocol != PM__SIMPLE || shape->pair == 0) return false;
  double n = shape->ranks, p = shape->per_node;
  double inside = (p - 1) / n / (shape->pair * shape->fit->pairs_efficiency);
  double between = (n - p) / n / shape->network * (collective == PM_ALL_TO_ALL ? p : 1);
  cost->limit = inside >= between ? shape->pair_limit : shape->network_limit;
  cost->latency = latency(shape);
  cost->per_byte = fmax(inside, between);
  if (collective == PM_ALL_TO_ALL) cost->launches = shape->fit->pairs_launch;
  return true;
}

const pm__algorithm pm__algorithm_pairs = {PM_ALGORITHM_PAIRS, true, pairs_cost};
