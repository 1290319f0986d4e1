/*
** Reads from a group what the cost of an algorithm depends on: bandwidths of its links, latencies by class of link and
** protocol, channels. Cheap, allocates nothing.
*/
#include "collective/parameters.h"
#include <math.h>

static double known(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* ---- Constants ---- */

/* A hop that waits for the network takes at least the network's overhead; Simple synchronises three times. */
static double least_step(const pm__collective_parameters *group, const pm_system *system, int protocol)
{
  if (group->nodes == 1 || !system->has_tuning) return 0;
  return known(system->tuning.network_overhead, 0) * (protocol == PM__SIMPLE ? 3 : 1);
}

static double far_base(const pm__collective_parameters *group)
{
  return group->nodes > 1 ? group->fit->network_base : 0;
}

static void fill_protocol(pm__collective_parameters *group, const pm_system *system, int index)
{
  const pm_protocol *p = &system->protocol[index];
  double least = least_step(group, system, index), further = group->fit->network_hop + group->fabric;
  group->payload[index] = p->payload;
  double step = group->fit->step_share, base = step * group->fit->base_share;
  group->base[index][PM__RING] = base * p->ring_base + far_base(group);
  group->base[index][PM__TREE] = base * p->tree_base + far_base(group);
  group->step[index][PM__RING] = fmax(least, step * (group->nvlink ? p->ring_nvlink : p->ring_pcie));
  group->step[index][PM__TREE] = fmax(least, step * (group->nvlink ? p->tree_nvlink : p->tree_pcie));
  group->far_step[index][PM__RING] = p->ring_network + further;
  group->far_step[index][PM__TREE] = p->tree_network + further;
  if (index != PM__SIMPLE || isnan(group->fit->network_simple)) return;
  group->far_step[index][PM__RING] = group->far_step[index][PM__TREE] = group->fit->network_simple + group->fabric;
}

/* Without a library's constants, Simple with the latencies of the links' own calibration. */
static void fill_plain(pm__collective_parameters *group, const pm_system *system, const pm__wiring_ring *inner)
{
  const pm_link_calibration *far = &system->network.calibration;
  double base = inner->base_latency;
  if (group->nodes > 1) base = fmax(base, known(far->base_latency, 0));
  for (int p = 0; p < PM__PROTOCOLS; p++) {
    group->payload[p] = p == PM__SIMPLE ? 1 : 0;
    for (int k = PM__RING; k <= PM__TREE; k++) {
      group->base[p][k] = base;
      group->step[p][k] = inner->hop_latency;
      group->far_step[p][k] = known(far->hop_latency, 0) + group->fabric;
    }
  }
}

static void fill_latencies(pm__collective_parameters *group, const pm_system *system, const pm__wiring_ring *inner)
{
  group->fabric = group->nodes > 1 ? known(system->network.calibration.fabric_latency, 0) : 0;
  group->protocols = system->has_protocols;
  group->ll128 = system->has_protocols && system->has_tuning && system->tuning.ll128 && group->nvlink;
  group->capable = system->has_tuning && system->tuning.in_switch && group->switched;
  group->ll_most = INFINITY;
  if (system->has_tuning) {
    const pm_tuning *t = &system->tuning;
    group->ll_most = group->nodes == 1 ? t->ll_one_node : group->nodes < 4 ? t->ll_two_nodes : t->ll_more_nodes;
    group->ll_most = known(group->ll_most, INFINITY);
  }
  if (!system->has_protocols) {
    fill_plain(group, system, inner);
    return;
  }
  for (int p = 0; p < PM__PROTOCOLS; p++) fill_protocol(group, system, p);
}

/* ---- Wires ---- */

static void fill_inside(pm__collective_parameters *group, const pm__wiring *wiring, const pm__wiring_ring *inner)
{
  const pm__wiring_port *host = &wiring->host[group->servers > group->nodes];
  group->nvlink = inner->nvlink;
  group->switched = inner->switched;
  group->ring = inner->bandwidth;
  group->rings = fmax(inner->directed_rings, 1);
  group->chain = inner->chain;
  group->ring_limit = inner->limit;
  group->pair = wiring->pair.payload;
  group->pair_limit = wiring->pair.limit;
  group->host = host->payload;
  group->host_limit = host->limit;
}

static int fill_network(pm__collective_parameters *parameters, const pm__collective_group *group, pm_error *error)
{
  const pm_system *system = group->wiring->system;
  parameters->network = parameters->tree_network = INFINITY;
  parameters->nics = 0;
  parameters->network_limit = group->wiring->network.limit;
  if (group->nodes == 1) return PM_OK;
  if (system->network.count == 0)
    return pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\" has no network between nodes", system->machine.id);
  parameters->network = pm__collective_group_network(group);
  parameters->nics = group->wiring->nics;
  parameters->tree_network = parameters->network * known(system->network.calibration.tree_share, 1);
  return PM_OK;
}

/* NCCL makes two channels of every ring it finds, and no more rings than there are NICs if they run between nodes; each
** is a thread block on every GPU (src/graph/connect.cc, src/graph/search.cc). */
static double channels(const pm__collective_parameters *group)
{
  const double each = 2, most = 24;
  double rings = ceil(group->rings);
  if (group->nodes > 1) rings = fmin(rings, fmax(group->nics, 1));
  return fmin(each * rings, most);
}

/* ---- The group ---- */

static void fill_members(pm__collective_parameters *parameters, const pm__collective_group *group)
{
  parameters->per_node = group->members;
  parameters->nodes = group->nodes;
  parameters->servers = group->servers;
  parameters->thread_gpus = group->thread_gpus;
  parameters->in_network = group->in_network;
  parameters->nccl = (pm_nccl)group->nccl;
  parameters->ranks = (double)group->members * group->nodes;
  parameters->fit = &group->wiring->fit;
}

static const pm__wiring_ring *ring_of(const pm__collective_group *group)
{
  return group->nccl == PM_NCCL_2016 ? &group->wiring->single : &group->wiring->packed;
}

int pm__collective_parameters_init(pm__collective_parameters *parameters, const pm__collective_group *group,
                                   pm_error *error)
{
  const pm_system *system = group->wiring->system;
  const pm__wiring_ring *inner = ring_of(group);
  fill_members(parameters, group);
  if (!inner->connected)
    return pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\": no ring connects these %d GPUs",
                    system->machine.id, group->members);
  fill_inside(parameters, group->wiring, inner);
  int status = fill_network(parameters, group, error);
  if (status != PM_OK) return status;
  fill_latencies(parameters, system, inner);
  parameters->calibrated = pm__collective_calibrated(group);
  parameters->channels = channels(parameters);
  parameters->multiprocessors = system->gpu.sms;
  return PM_OK;
}

double pm__collective_ring_bandwidth(const pm__collective_group *group)
{
  double inside = ring_of(group)->bandwidth;
  return group->nodes > 1 ? fmin(inside, pm__collective_group_network(group)) : inside;
}

bool pm__collective_calibrated(const pm__collective_group *group)
{
  return ring_of(group)->calibrated && (group->nodes == 1 || group->wiring->system->network.calibrated);
}
