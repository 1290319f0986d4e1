/* What algorithms need to know of a group: the wires' bandwidths, latencies by class of link. Cheap, allocates nothing. */
#include "collective/collective_group.h"
#include <math.h>

static double known(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* ---- Constants ---- */

/* Values that nobody fitted change nothing. */
void pm__fit_complete(pm_collective_fit *fit, const pm_system *system)
{
  pm_record_init(pm_record_type_find("fit"), fit);
  if (system->has_fit) *fit = system->fit;
  double *plain[] = {&fit->launch, &fit->knee, &fit->part_knee, &fit->chain_knee, &fit->network_knee,
                     &fit->network_base, &fit->network_hop, &fit->in_switch_latency,
                     &fit->in_switch_network, &fit->pairs_latency, &fit->pairs_rank, &fit->chain_rank, &fit->chain_fill, &fit->chunk,
                     &fit->old_chunk,  &fit->old_launch};
  double *shares[] = {&fit->in_switch_efficiency, &fit->pairs_efficiency, &fit->pairs_launch,
                      &fit->ll_share, &fit->ll128_share, &fit->odd_share};
  fit->old_most = known(fit->old_most, INFINITY);
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) *plain[i] = known(*plain[i], 0);
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) *shares[i] = known(*shares[i], 1);
}

/* A hop that waits for the network takes at least the network's overhead; Simple synchronises three times. */
static double least_step(const pm__collective_group *shape, const pm_system *system, int protocol)
{
  if (shape->nodes == 1 || !system->has_tuning) return 0;
  return known(system->tuning.network_overhead, 0) * (protocol == PM__SIMPLE ? 3 : 1);
}

static double far_base(const pm__collective_group *shape)
{
  return shape->nodes > 1 ? shape->fit->network_base : 0;
}

static void fill_protocol(pm__collective_group *shape, const pm_system *system, int index)
{
  const pm_protocol *p = &system->protocol[index];
  double least = least_step(shape, system, index), further = shape->fit->network_hop + shape->fabric;
  shape->payload[index] = p->payload;
  shape->base[index][PM__RING] = p->ring_base + far_base(shape);
  shape->base[index][PM__TREE] = p->tree_base + far_base(shape);
  shape->step[index][PM__RING] = fmax(least, shape->nvlink ? p->ring_nvlink : p->ring_pcie);
  shape->step[index][PM__TREE] = fmax(least, shape->nvlink ? p->tree_nvlink : p->tree_pcie);
  shape->far_step[index][PM__RING] = p->ring_network + further;
  shape->far_step[index][PM__TREE] = p->tree_network + further;
  if (index != PM__SIMPLE || isnan(shape->fit->network_simple)) return;
  shape->far_step[index][PM__RING] = shape->far_step[index][PM__TREE] = shape->fit->network_simple + shape->fabric;
}

/* Without a library's constants, Simple with the latencies of the links' own calibration. */
static void fill_plain(pm__collective_group *shape, const pm_system *system, const pm__inner *inner)
{
  const pm_link_calibration *far = &system->network.calibration;
  double base = inner->base_latency;
  if (shape->nodes > 1) base = fmax(base, known(far->base_latency, 0));
  for (int k = PM__RING; k <= PM__TREE; k++) {
    shape->base[PM__SIMPLE][k] = base;
    shape->step[PM__SIMPLE][k] = inner->hop_latency;
    shape->far_step[PM__SIMPLE][k] = known(far->hop_latency, 0) + shape->fabric;
  }
  for (int p = 0; p < PM__PROTOCOLS; p++) shape->payload[p] = p == PM__SIMPLE ? 1 : 0;
}

static void fill_latencies(pm__collective_group *shape, const pm_system *system, const pm__inner *inner)
{
  shape->fabric = shape->nodes > 1 ? known(system->network.calibration.fabric_latency, 0) : 0;
  shape->protocols = system->has_protocols;
  shape->ll128 = system->has_protocols && system->has_tuning && system->tuning.ll128 && shape->nvlink;
  shape->capable = system->has_tuning && system->tuning.in_switch && shape->switched;
  shape->ll_most = INFINITY;
  if (system->has_tuning) {
    const pm_tuning *t = &system->tuning;
    shape->ll_most = shape->nodes == 1 ? t->ll_one_node : shape->nodes < 4 ? t->ll_two_nodes : t->ll_more_nodes;
    shape->ll_most = known(shape->ll_most, INFINITY);
  }
  if (!system->has_protocols) {
    fill_plain(shape, system, inner);
    return;
  }
  for (int p = 0; p < PM__PROTOCOLS; p++) fill_protocol(shape, system, p);
}

/* ---- Wires ---- */

static void fill_inside(pm__collective_group *shape, const pm__wiring *wiring, const pm__inner *inner)
{
  const pm__port *host = &wiring->host[shape->servers > shape->nodes];
  shape->nvlink = inner->nvlink;
  shape->switched = inner->switched;
  shape->ring = inner->bandwidth;
  shape->rings = fmax(inner->directed_rings, 1);
  shape->chain = inner->chain;
  shape->ring_limit = inner->limit;
  shape->pair = wiring->pair.payload;
  shape->pair_limit = wiring->pair.limit;
  shape->host = host->payload;
  shape->host_limit = host->limit;
}

static int fill_network(pm__collective_group *shape, const pm__wiring *wiring, pm_error *error)
{
  const pm_system *system = wiring->system;
  shape->network = shape->tree_network = INFINITY;
  shape->nics = 0;
  shape->network_limit = wiring->network.limit;
  if (shape->nodes == 1) return PM_OK;
  if (system->network.count == 0)
    return pm__fail(error, PM_NO_ROUTE, "system \"%s\" has no network between nodes", system->machine.id);
  shape->network = wiring->network.payload;
  shape->nics = wiring->nics;
  shape->tree_network = shape->network * known(system->network.calibration.tree_share, 1);
  return PM_OK;
}

/* NCCL makes two channels of every ring it finds, and no more rings than there are NICs if they run between nodes; each
** is a thread block on every GPU (src/graph/connect.cc, src/graph/search.cc). */
static double channels(const pm__collective_group *shape)
{
  const double each = 2, most = 24;
  double rings = ceil(shape->rings);
  if (shape->nodes > 1) rings = fmin(rings, fmax(shape->nics, 1));
  return fmin(each * rings, most);
}

int pm__collective_group_init(pm__collective_group *shape, const pm__wiring *wiring, const pm_group_choice *choice, pm_error *error)
{
  const pm_system *system = wiring->system;
  const pm__inner *inner = choice->era == PM_ERA_2016 ? &wiring->single : &wiring->packed;
  shape->per_node = wiring->kept.count;
  shape->nodes = choice->nodes;
  shape->servers = choice->servers;
  shape->thread_gpus = choice->thread_gpus;
  shape->in_network = choice->in_network != 0;
  shape->era = (pm_era)choice->era;
  shape->ranks = (double)shape->per_node * shape->nodes;
  shape->fit = &wiring->fit;
  if (!inner->connected)
    return pm__fail(error, PM_NO_ROUTE, "system \"%s\": %d GPUs are not connected", system->machine.id, shape->per_node);
  fill_inside(shape, wiring, inner);
  int status = fill_network(shape, wiring, error);
  if (status != PM_OK) return status;
  fill_latencies(shape, system, inner);
  shape->calibrated = inner->calibrated && (shape->nodes == 1 || system->network.calibrated);
  shape->channels = channels(shape);
  shape->multiprocessors = system->gpu.sms;
  return PM_OK;
}
