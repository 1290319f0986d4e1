/*
** Rings: 2 (n-1) steps for an all-reduce, n-1 for reduce-scatter and all-gather; a chain for broadcast and reduce, which
** is pipelined, so that one hop counts. Steps and latencies as in NCCL's src/graph/tuning.cc.
*/
#include <math.h>
#include "collective/algorithm.h"

static double steps_of(pm_collective collective, double count)
{
  return collective == PM_ALL_REDUCE ? 2 * (count - 1) : count - 1;
}

static double far_step(const pm__collective_group *shape, int protocol)
{
  return shape->far_step[protocol][shape->per_node == 1 ? PM__TREE : PM__RING];
}

static double latency(const pm__collective_group *shape, pm_collective collective, int protocol)
{
  double far = shape->nodes > 1 ? steps_of(collective, shape->nodes) : 0;
  double near = steps_of(collective, shape->ranks) - far;
  return shape->base[protocol][PM__RING] + near * shape->step[protocol][PM__RING] + far * far_step(shape, protocol);
}

/* A chain is a pipeline: one hop counts, and with Simple the first chunk's way through the other GPUs of the node. */
static double chain_latency(const pm__collective_group *shape, int protocol)
{
  double hop = shape->nodes > 1 ? far_step(shape, protocol) : shape->step[protocol][PM__RING];
  double more = shape->per_node == 1 ? shape->fit->chain_rank * shape->ranks : 0;
  if (protocol == PM__SIMPLE && shape->era == PM_ERA_CURRENT) more += shape->fit->chain_fill * fmax(shape->per_node - 2, 0);
  return shape->base[protocol][PM__RING] + hop + more;
}

/* Chains of the older libraries pass chunks on whole, and wait until the first has gone through. */
static void fill_chain(const pm__collective_group *shape, double bus, pm__collective_cost *cost)
{
  double hops = shape->ranks - 2, size = shape->era == PM_ERA_2016 ? shape->fit->old_chunk : shape->fit->chunk;
  if (shape->era == PM_ERA_CURRENT || shape->nodes > 1 || size == 0 || hops <= 0) return;
  double one = bus / shape->rings;
  cost->fill_per_byte = hops / shape->rings / one;
  cost->fill_most = hops * size / one;
}

static double inner_knee(const pm__collective_group *shape, pm_collective collective)
{
  if (!shape->nvlink) return 0;
  if (collective == PM_ALL_REDUCE) return shape->fit->knee;
  if (collective == PM_BROADCAST || collective == PM_REDUCE) return shape->fit->chain_knee;
  return collective == PM_SEND_RECEIVE ? 0 : shape->fit->part_knee;
}

static bool ring_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  bool chain = collective == PM_BROADCAST || collective == PM_REDUCE;
  if (collective > PM_REDUCE && collective != PM_SEND_RECEIVE) return false;
  if (!pm__protocol_works(shape, protocol)) return false;
  double links = pm__slower(shape, &cost->limit);
  if (collective == PM_BROADCAST) links = fmin(shape->chain, shape->network);
  if (collective == PM_SEND_RECEIVE) links *= shape->fit->pairs_efficiency;
  if (shape->era == PM_ERA_2017) links = fmin(links, shape->fit->old_most);
  double bus = pm__protocol_ring(shape, protocol, links);
  cost->knee = shape->nodes > 1 ? shape->fit->network_knee : inner_knee(shape, collective);
  cost->per_byte = pm__bus_factor(collective, shape->ranks) / bus;
  if (chain || collective == PM_SEND_RECEIVE) cost->latency = chain_latency(shape, protocol);
  else cost->latency = latency(shape, collective, protocol);
  if (chain) fill_chain(shape, bus, cost);
  bool parts = collective == PM_REDUCE_SCATTER || collective == PM_ALL_GATHER;
  if (parts && shape->era != PM_ERA_CURRENT) cost->odd_share = shape->fit->odd_share;
  return true;
}

const pm__algorithm pm__algorithm_ring = {PM_ALGORITHM_RING, true, ring_cost};
