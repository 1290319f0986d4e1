/* Finds the rings of some GPUs inside their node: the best packing, and the single ring of NCCL 1. */
#include "topology/routes.h"
#include "topology/wiring.h"
#include <math.h>
#include <string.h>

static bool is_nvlink(const pm__edge *edge)
{
  return edge->link.kind == PM_LINK_NVLINK || edge->link.kind == PM_LINK_XGMI;
}

static void fill_ring(pm__wiring_ring *ring, const pm__wiring *wiring, const pm__ring_path *path)
{
  pm__ring_members members = {wiring->kept.gpu, wiring->kept.count};
  ring->connected = true;
  ring->nvlink = ring->directed_rings > 0 && is_nvlink(path->limit);
  ring->switched = ring->nvlink && pm__ring_on_switches(wiring->system, members);
  ring->bandwidth = ring->chain = path->bandwidth;
  if (path->limit->link.kind == PM_LINK_SMP) ring->chain = fmax(ring->chain, pm__edge_copy_payload(path->limit));
  ring->hop_latency = path->hop_latency;
  ring->base_latency = path->base_latency;
  ring->calibrated = path->calibrated;
  memcpy(ring->limit, path->limit->link.id, sizeof ring->limit);
}

static int find_packed(pm__wiring *wiring, pm_error *error)
{
  pm__ring_path path = pm__ring_path_none();
  pm__ring_members members = {wiring->kept.gpu, wiring->kept.count};
  pm__wiring_ring *ring = &wiring->packed;
  int status = pm__ring_find(wiring->system, members, &path, &ring->directed_rings, &wiring->cycles, error);
  if (status != PM_OK) return status;
  fill_ring(ring, wiring, &path);
  if (ring->directed_rings > 0) ring->most_rings = path.most / path.one_link;
  wiring->over = ring->directed_rings == 0                     ? "pcie"
                 : ring->switched                              ? "nvswitch"
                 : path.limit->link.kind == PM_LINK_XGMI ? "xgmi" : "nvlink";
  return PM_OK;
}

/* One link of each hop from member to member, the slowest of which counts. Bandwidth 0 if a hop has none. */
static pm__ring_path path_in_order(const pm_system *system, pm__ring_members members, const pm__routes *r)
{
  pm__ring_path path = pm__ring_path_none();
  path.bandwidth = INFINITY;
  for (int i = 0; i < members.count; i++) {
    const pm__edge *edge = NULL;
    int a = system->gpus[members.gpu[i]], b = system->gpus[members.gpu[(i + 1) % members.count]];
    if (pm__routes_direct(r, a, b, &edge) == 0) return pm__ring_path_none();
    if (pm__edge_payload(edge) / edge->count >= path.bandwidth) continue;
    path.bandwidth = pm__edge_payload(edge) / edge->count;
    path.limit = edge;
    pm__ring_path_pass(&path, edge);
  }
  return path;
}

/* One ring in the order of the GPUs over direct links, or over PCIe if a hop has none. */
static int find_single(pm__wiring *wiring)
{
  pm__routes r;
  const pm_system *system = wiring->system;
  pm__ring_members members = {wiring->kept.gpu, wiring->kept.count};
  pm__ring_path path = pm__ring_path_none();
  bool memory = pm__routes_open(&r, system);
  if (memory) path = path_in_order(system, members, &r);
  pm__routes_close(&r);
  if (!memory) return PM_STATUS_NO_MEMORY;
  wiring->single.directed_rings = path.bandwidth > 0 ? 1 : 0;
  path.one_link = path.bandwidth;
  if (path.bandwidth == 0) {
    path = pm__ring_path_none();
    int status = pm__ring_over_tree(system, members, true, &path, NULL, NULL);
    if (status != PM_OK) return status == PM_STATUS_NO_MEMORY ? status : PM_OK; /* there is none */
  }
  fill_ring(&wiring->single, wiring, &path);
  return PM_OK;
}

static pm__wiring_ring ring_of_one(void)
{
  pm__wiring_ring ring;
  memset(&ring, 0, sizeof ring);
  ring.bandwidth = ring.chain = INFINITY;
  ring.connected = ring.calibrated = true;
  return ring;
}

int pm__wiring_rings(pm__wiring *wiring, pm_error *error)
{
  wiring->over = "";
  wiring->packed = wiring->single = ring_of_one();
  if (wiring->kept.count == 1) return PM_OK;
  wiring->packed.connected = wiring->single.connected = false;
  int status = find_packed(wiring, error);
  if (status == PM_OK && find_single(wiring) != PM_OK) status = pm__no_memory(error);
  return status;
}
