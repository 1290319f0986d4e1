/* What algorithms need to know of a group: bandwidths from the link graph, latencies by class of link. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/group.h"
#include "collective/routes.h"

static double known(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

static const char no_limit[PM_TEXT_MAX] = "";

static bool is_nvlink(const pm__edge *edge)
{
  return edge != NULL && (edge->link.kind == PM_LINK_NVLINK || edge->link.kind == PM_LINK_XGMI);
}

/* ---- Constants ---- */

/* Values that nobody fitted change nothing. */
static void fill_fit(pm__shape *shape, const pm_system *system)
{
  pm_collective_fit *fit = &shape->fit;
  pm_record_init(pm_record_type_find("fit"), fit);
  if (system->has_fit) *fit = system->fit;
  double *plain[] = {&fit->launch, &fit->knee, &fit->part_knee, &fit->chain_knee, &fit->network_knee,
                     &fit->network_hop, &fit->in_switch_latency,
                     &fit->in_switch_network, &fit->pairs_latency, &fit->pairs_rank, &fit->chain_rank, &fit->chunk,
                     &fit->old_chunk,  &fit->old_launch};
  double *shares[] = {&fit->in_switch_efficiency, &fit->pairs_efficiency, &fit->pairs_launch,
                      &fit->ll_share, &fit->ll128_share, &fit->odd_share};
  fit->old_most = known(fit->old_most, INFINITY);
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) *plain[i] = known(*plain[i], 0);
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) *shares[i] = known(*shares[i], 1);
}

/* A hop that waits for the network takes at least the network's overhead; Simple synchronises three times. */
static double least_step(const pm__shape *shape, const pm_system *system, int protocol)
{
  if (shape->nodes == 1 || !system->has_tuning) return 0;
  return known(system->tuning.network_overhead, 0) * (protocol == PM__SIMPLE ? 3 : 1);
}

static void fill_protocol(pm__shape *shape, const pm_system *system, int index)
{
  const pm_protocol *p = &system->protocol[index];
  double least = least_step(shape, system, index), further = shape->fit.network_hop + shape->fabric;
  shape->payload[index] = p->payload;
  shape->base[index][PM__RING] = p->ring_base;
  shape->base[index][PM__TREE] = p->tree_base;
  shape->step[index][PM__RING] = fmax(least, shape->nvlink ? p->ring_nvlink : p->ring_pcie);
  shape->step[index][PM__TREE] = fmax(least, shape->nvlink ? p->tree_nvlink : p->tree_pcie);
  shape->far_step[index][PM__RING] = p->ring_network + further;
  shape->far_step[index][PM__TREE] = p->tree_network + further;
  if (index != PM__SIMPLE || isnan(shape->fit.network_simple)) return;
  shape->far_step[index][PM__RING] = shape->far_step[index][PM__TREE] = shape->fit.network_simple + shape->fabric;
}

/* Without a library's constants, Simple with the latencies of the links' own calibration. */
static void fill_plain(pm__shape *shape, const pm_system *system, const pm__path *path)
{
  for (int k = PM__RING; k <= PM__TREE; k++) {
    shape->base[PM__SIMPLE][k] = path->base_latency;
    shape->step[PM__SIMPLE][k] = path->hop_latency;
    shape->far_step[PM__SIMPLE][k] = known(system->network.calibration.hop_latency, 0) + shape->fabric;
  }
  for (int p = 0; p < PM__PROTOCOLS; p++) shape->payload[p] = p == PM__SIMPLE ? 1 : 0;
}

static void fill_latencies(pm__shape *shape, const pm_system *system, const pm__path *path)
{
  shape->fabric = shape->nodes > 1 ? known(system->network.calibration.fabric_latency, 0) : 0;
  shape->ll128 = system->has_protocols && system->has_tuning && system->tuning.ll128 && shape->nvlink;
  shape->capable = system->has_tuning && system->tuning.in_switch && shape->switched;
  shape->ll_most = INFINITY;
  if (system->has_tuning) {
    const pm_tuning *t = &system->tuning;
    shape->ll_most = shape->nodes == 1 ? t->ll_one_node : shape->nodes < 4 ? t->ll_two_nodes : t->ll_more_nodes;
    shape->ll_most = known(shape->ll_most, INFINITY);
  }
  if (!system->has_protocols) {
    fill_plain(shape, system, path);
    return;
  }
  for (int p = 0; p < PM__PROTOCOLS; p++) fill_protocol(shape, system, p);
}

/* ---- Network ---- */

/* Distance from a GPU to the nearest NIC, or -1. */
static int nic_distance(pm__routes *r, int gpu)
{
  pm__routes_from(r, gpu);
  int nic = pm__routes_nearest(r, PM_VERTEX_NIC);
  return nic >= 0 ? r->distance[nic] : -1;
}

/* The member that a NIC serves: one that has no nearer NIC, and of those the one with the fewest yet. -1: none. */
static int served_by(const pm_group *group, pm__routes *r, int nic, const int *nearest, const int *served)
{
  int best = -1;
  pm__routes_from(r, nic);
  for (int i = 0; i < group->count; i++) {
    int distance = r->distance[group->system->gpus[group->gpu[i]]];
    if (distance < 0 || distance != nearest[i]) continue;
    if (best < 0 || served[i] < served[best]) best = i;
  }
  return best;
}

/* Loads the way from a GPU to each NIC that is nearest to some of the group. Returns how many, -1 without memory. */
static int use_nics(const pm_group *group, pm__routes *r, pm__path *path)
{
  int count = 0;
  const pm_system *system = group->system;
  int *nearest = (int *)calloc(2 * (size_t)group->count, sizeof *nearest), *served = nearest + group->count;
  if (nearest == NULL) return -1;
  for (int i = 0; i < group->count; i++) nearest[i] = nic_distance(r, system->gpus[group->gpu[i]]);
  for (size_t v = 0; v < system->vertex_count; v++) {
    if (system->vertices[v].kind != PM_VERTEX_NIC) continue;
    int member = served_by(group, r, (int)v, nearest, served);
    if (member < 0) continue;
    served[member]++;
    count++;
    pm__routes_hop(r, system->gpus[group->gpu[member]], (int)v, system->staged, path);
  }
  free(nearest);
  return count;
}

static int count_nics(const pm_system *system)
{
  int count = 0;
  for (size_t v = 0; v < system->vertex_count; v++) count += system->vertices[v].kind == PM_VERTEX_NIC;
  return count;
}

/* The ports of the NICs that the group reaches, and what the links on the way let through. */
static int fill_network(pm_group *group, pm__routes *r, pm_error *error)
{
  const pm_system *system = group->system;
  pm__shape *shape = &group->shape;
  double line = pm__edge_payload(&system->network);
  int nics = count_nics(system);
  shape->network = shape->tree_network = INFINITY;
  if (shape->nodes == 1) return PM_OK;
  if (system->network.count == 0)
    return pm__fail(error, PM_NO_ROUTE, "system \"%s\" has no network between nodes", system->machine.id);
  shape->network_limit = system->network.link.id;
  if (nics == 0 && (size_t)system->network.count >= system->gpu_count)
    line *= (double)group->count / (double)system->gpu_count; /* a port or more for each GPU */
  if (nics > 0) {
    pm__path path = {0, 0, NULL, 0, 0, true};
    pm__routes_clear(r);
    int reached = use_nics(group, r, &path);
    if (reached < 0) return pm__no_memory(error);
    pm__routes_limit(r, &path);
    line *= (double)(reached > 0 ? reached : nics) / nics;
    if (reached > 0 && path.bandwidth > 0 && path.bandwidth * reached < line) {
      line = path.bandwidth * reached;
      shape->network_limit = path.limit->link.id;
    }
  }
  shape->network = line;
  shape->tree_network = line * known(system->network.calibration.tree_share, 1);
  return PM_OK;
}

/* ---- Pairs and host ---- */

static double direct_payload(const pm_system *system, int a, int b, const pm__edge **edge)
{
  double payload = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *e = &system->edges[k];
    if ((e->a != a || e->b != b) && (e->a != b || e->b != a)) continue;
    payload += pm__edge_payload(e);
    *edge = e;
  }
  return payload;
}

/* What one GPU gets when all exchange at once: pairs with links use those, the others share PCIe; the slowest counts.
** 0 if a pair has no way to each other. */
static void fill_pairs(pm_group *group, pm__routes *r)
{
  const pm_system *system = group->system;
  pm__shape *shape = &group->shape;
  pm__path path = {0, 0, NULL, 0, 0, true};
  shape->pair = shape->per_node > 1 ? shape->ring : (double)INFINITY;
  shape->pair_limit = shape->ring_limit;
  if (shape->per_node == 1 || shape->switched) return;
  double slowest = INFINITY;
  pm__routes_clear(r);
  for (int i = 0; i < group->count; i++)
    for (int j = 0; j < group->count; j++) {
      const pm__edge *edge = NULL;
      int a = system->gpus[group->gpu[i]], b = system->gpus[group->gpu[j]];
      double payload = i == j ? (double)INFINITY : direct_payload(system, a, b, &edge);
      if (payload == 0 && !pm__routes_hop(r, a, b, system->machine.staged, &path)) slowest = 0;
      if (payload == 0 || payload >= slowest) continue;
      slowest = payload;
      shape->pair_limit = edge->link.id;
    }
  pm__routes_limit(r, &path);
  if (path.bandwidth > 0 && path.bandwidth < slowest) {
    slowest = path.bandwidth;
    shape->pair_limit = path.limit->link.id;
  }
  shape->pair = slowest * (shape->per_node - 1);
}

/* What one GPU gets when all GPUs of the node send to CPUs: one CPU, or each its nearest. */
static void fill_host(pm_group *group, pm__routes *r)
{
  const pm_system *system = group->system;
  pm__shape *shape = &group->shape;
  pm__path path = {0, 0, NULL, 0, 0, true};
  bool spread = shape->servers > shape->nodes;
  int host = -1;
  pm__routes_clear(r);
  shape->host = INFINITY;
  shape->host_limit = shape->ring_limit;
  for (int i = 0; i < group->count; i++) {
    pm__routes_from(r, system->gpus[group->gpu[i]]);
    int nearest = pm__routes_nearest(r, PM_VERTEX_CPU);
    if (host < 0 || spread) host = nearest;
    if (host >= 0 && r->distance[host] >= 0) pm__routes_load(r, host, &path);
  }
  pm__routes_limit(r, &path);
  if (path.bandwidth > 0) {
    shape->host = path.bandwidth;
    shape->host_limit = path.limit->link.id;
  }
}

/* ---- Rings ---- */

/* NCCL 1: one ring in the order of the GPUs, over one link of each hop, or over PCIe if a hop has none. */
static int find_single_ring(pm_group *group, pm__members members, pm__path *path, pm_error *error)
{
  const pm_system *system = group->system;
  double least = INFINITY;
  for (int i = 0; i < members.count; i++) {
    const pm__edge *edge = NULL;
    int a = system->gpus[members.gpu[i]], b = system->gpus[members.gpu[(i + 1) % members.count]];
    if (direct_payload(system, a, b, &edge) == 0) least = 0;
    else if (pm__edge_payload(edge) / edge->count < least) {
      least = pm__edge_payload(edge) / edge->count;
      path->limit = edge;
      pm__path_pass(path, edge);
    }
  }
  path->bandwidth = path->one_link = least;
  group->directed_rings = least > 0 ? 1 : 0;
  if (least > 0) return PM_OK;
  *path = (pm__path){0, 0, NULL, 0, 0, true};
  return pm__ring_over_tree(system, members, true, path, NULL, error);
}

static const char *over(const pm_group *group, const pm__path *path)
{
  if (group->count == 1 || path->limit == NULL) return "";
  if (group->directed_rings == 0) return "pcie";
  if (group->shape.switched) return "nvswitch";
  return path->limit->link.kind == PM_LINK_XGMI ? "xgmi" : "nvlink";
}

static int fill_rings(pm_group *group, pm__path *path, pm_error *error)
{
  pm__shape *shape = &group->shape;
  pm__members members = {group->gpu, group->count};
  *path = (pm__path){0, 0, NULL, 0, 0, true};
  shape->ring = shape->chain = INFINITY;
  shape->rings = 1;
  shape->ring_limit = no_limit;
  if (group->count == 1) return PM_OK;
  int status = pm__ring_find(group->system, members, path, &group->directed_rings, &group->cycles, error);
  if (status == PM_OK && shape->era == PM_ERA_2016) status = find_single_ring(group, members, path, error);
  if (status != PM_OK) return status;
  shape->nvlink = group->directed_rings > 0 && is_nvlink(path->limit);
  shape->switched = shape->nvlink && pm__on_switches(group->system, members);
  shape->ring = path->bandwidth;
  shape->rings = group->directed_rings > 1 ? group->directed_rings : 1;
  shape->ring_limit = path->limit->link.id;
  shape->chain = path->bandwidth;
  if (path->limit->link.kind == PM_LINK_SMP) shape->chain = fmax(shape->chain, pm__edge_copy_payload(path->limit));
  group->over = over(group, path);
  return PM_OK;
}

int pm__shape_fill(pm_group *group, pm_error *error)
{
  pm__path path;
  pm__routes r;
  pm__shape *shape = &group->shape;
  shape->per_node = group->count;
  shape->nodes = group->choice.nodes;
  shape->servers = group->choice.servers;
  shape->era = (pm_era)group->choice.era;
  shape->ranks = (double)group->count * group->choice.nodes;
  group->over = "";
  fill_fit(shape, group->system);
  int status = fill_rings(group, &path, error);
  if (status != PM_OK) return status;
  status = pm__routes_open(&r, group->system) ? fill_network(group, &r, error) : pm__no_memory(error);
  if (status == PM_OK) fill_pairs(group, &r);
  if (status == PM_OK) fill_host(group, &r);
  if (status == PM_OK) fill_latencies(shape, group->system, &path);
  pm__routes_close(&r);
  return status;
}
