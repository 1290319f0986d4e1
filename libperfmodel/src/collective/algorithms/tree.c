/*
** Double binary tree: each node's GPUs are a chain, the nodes two trees in which the leaves of one are inner nodes of the
** other. Every node sends 2 S (S on two nodes). Constants as in NCCL's src/graph/tuning.cc.
*/
#include <math.h>
#include "collective/algorithm.h"

enum { ENTRIES = 24 };

/* What trees get of their bandwidth by log2(bytes / 64): NCCL, src/graph/tuning.cc, treeCorrectionFactor. */
static const double factors[PM__PROTOCOLS][ENTRIES] = {
  {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1.0, 1.0, 1.0, 1.0, 1.0},
  {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1.0, 1.0, 1.0},
  {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};

double pm__tree_factor(int protocol, double place)
{
  if (place <= 0) return factors[protocol][0];
  if (place >= ENTRIES) return 1;
  int below = (int)place;
  double here = factors[protocol][below], next = below + 1 < ENTRIES ? factors[protocol][below + 1] : 1;
  return here + (place - below) * (next - here);
}

/* Shares of the rings' bandwidth that trees get, by protocol, and on one node. */
static double share(const pm__collective_group *shape, int protocol)
{
  const double tree = 0.92, ll = 1 / 3.8, ll128_inside = 7.0 / 9, ll128 = 120.0 / 128;
  if (protocol == PM__LL) return tree * ll;
  if (protocol == PM__LL128) return tree * (shape->nodes == 1 ? ll128_inside : ll128);
  return tree;
}

static bool tree_cost(const pm__collective_group *shape, pm_collective collective, int protocol, pm__collective_cost *cost)
{
  if (collective != PM_ALL_REDUCE || shape->era != PM_ERA_CURRENT || !pm__protocol_works(shape, protocol)) return false;
  double network = shape->nodes == 2 ? shape->tree_network : shape->network;
  double bus = fmin(shape->ring, network) * share(shape, protocol);
  if (protocol == PM__LL) bus = fmin(bus, shape->ll_most * shape->fit->ll_share);
  if (protocol == PM__LL128) bus *= fmin(shape->fit->ll128_share, 1);
  double far = shape->nodes > 1 ? log2(shape->nodes) * shape->far_step[protocol][PM__TREE] : 0;
  cost->limit = shape->ring <= network ? shape->ring_limit : shape->network_limit;
  cost->knee = pm__knee(shape);
  cost->latency = shape->base[protocol][PM__TREE] + 2 * ((shape->per_node - 1) * shape->step[protocol][PM__TREE] + far);
  cost->per_byte = 2 / bus;
  cost->tree_table = true;
  return true;
}

const pm__algorithm pm__algorithm_tree = {PM_ALGORITHM_TREE, true, tree_cost};
