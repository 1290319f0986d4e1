/* The ring of a group: which way it goes, and what an all-reduce over it takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/ring.h"

void pm__path_pass(pm__path *path, const pm__edge *edge)
{
  if (edge->calibration.hop_latency > path->hop_latency) path->hop_latency = edge->calibration.hop_latency;
  if (edge->calibration.base_latency > path->base_latency) path->base_latency = edge->calibration.base_latency;
  path->calibrated = path->calibrated && edge->calibrated;
}

static pm__path no_path(void)
{
  return (pm__path){0, 0, NULL, 0, 0, true};
}

bool pm__cycles_new(pm__cycles *cycles, int count, int members)
{
  cycles->count = count;
  cycles->order = (int *)calloc((size_t)(count > 0 ? count : 1) * (size_t)members, sizeof *cycles->order);
  cycles->weight = (double *)calloc((size_t)(count > 0 ? count : 1), sizeof *cycles->weight);
  return cycles->order != NULL && cycles->weight != NULL;
}

void pm__cycles_free(pm__cycles *cycles)
{
  free(cycles->order);
  free(cycles->weight);
  memset(cycles, 0, sizeof *cycles);
}

/* One cycle in the order of the members. */
static int keep_one(pm__cycles *cycles, int members, double weight, pm_error *error)
{
  if (cycles == NULL) return PM_OK;
  if (!pm__cycles_new(cycles, 1, members)) return pm__no_memory(error);
  for (int i = 0; i < members; i++) cycles->order[i] = i;
  cycles->weight[0] = weight;
  return PM_OK;
}

int pm__ring_find(const pm_system *system, pm__members members, pm__path *path, double *rings, pm__cycles *cycles,
                  pm_error *error)
{
  *path = no_path();
  *rings = 0;
  int status = pm__ring_over_peers(system, members, path, cycles, error);
  if (status != PM_OK) return status;
  if (path->bandwidth > 0) {
    *rings = path->bandwidth / path->one_link;
    return PM_OK;
  }
  *path = no_path();
  pm__ring_over_switches(system, members, path);
  if (path->bandwidth > 0) {
    *rings = path->bandwidth / path->one_link;
    return keep_one(cycles, members.count, *rings, error);
  }
  *path = no_path();
  status = keep_one(cycles, members.count, 1, error);
  if (status != PM_OK) return status;
  return pm__ring_over_tree(system, members, false, path, cycles != NULL ? cycles->order : NULL, error);
}

static void set_inside(pm_ring *ring, const pm__path *path)
{
  ring->bandwidth = path->bandwidth;
  ring->hop_latency = path->hop_latency;
  ring->base_latency = path->base_latency;
  ring->calibrated = path->calibrated;
  memcpy(ring->limit, path->limit->link.id, sizeof ring->limit);
}

/* All rails of a node together carry the ring between nodes. */
int pm__ring_join_nodes(const pm_system *system, pm_ring *ring, int nodes, pm_error *error)
{
  const pm__edge *network = &system->network;
  ring->nodes = nodes;
  if (nodes == 1) return PM_OK;
  if (network->count == 0)
    return pm__fail(error, PM_NO_ROUTE, "system \"%s\" has no network between nodes", system->machine.id);
  double payload = pm__edge_payload(network);
  ring->network_latency = network->calibration.hop_latency;
  if (network->calibration.base_latency > ring->base_latency) ring->base_latency = network->calibration.base_latency;
  ring->calibrated = ring->calibrated && network->calibrated;
  if (payload >= ring->bandwidth) return PM_OK;
  ring->bandwidth = payload;
  memcpy(ring->limit, network->link.id, sizeof ring->limit);
  return PM_OK;
}

static int check_group(const pm_system *system, int gpus, int nodes, pm_error *error)
{
  if (system == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "no system");
  if (gpus < 1) return pm__fail(error, PM_BAD_ARGUMENT, "gpus %d is not at least 1", gpus);
  if (nodes < 1) return pm__fail(error, PM_BAD_ARGUMENT, "nodes %d is not at least 1", nodes);
  if ((size_t)gpus > system->gpu_count)
    return pm__fail(error, PM_TOO_MANY_GPUS, "%d GPUs asked for, but a %s has %d", gpus, system->machine.id,
                    (int)system->gpu_count);
  return PM_OK;
}

int pm_ring_find(const pm_system *system, int gpus, int nodes, pm_ring *ring, pm_error *error)
{
  int status = ring == NULL ? pm__fail(error, PM_BAD_ARGUMENT, "no place for the ring")
                            : check_group(system, gpus, nodes, error);
  if (status != PM_OK) return status;
  pm__path path;
  memset(ring, 0, sizeof *ring);
  ring->gpus = gpus;
  ring->bandwidth = INFINITY;
  ring->calibrated = 1;
  if (gpus > 1) {
    int *first = (int *)malloc((size_t)gpus * sizeof *first);
    if (first == NULL) return pm__no_memory(error);
    for (int i = 0; i < gpus; i++) first[i] = i;
    status = pm__ring_find(system, (pm__members){first, gpus}, &path, &ring->rings, NULL, error);
    free(first);
    if (status != PM_OK) return status;
    set_inside(ring, &path);
  }
  return pm__ring_join_nodes(system, ring, nodes, error);
}

double pm_all_reduce_transfer_time(double bytes, int ranks, double bandwidth)
{
  return 2.0 * (ranks - 1) / ranks * bytes / bandwidth;
}

double pm_ring_all_reduce_time(const pm_ring *ring, double bytes)
{
  double nodes = ring->nodes, ranks = (double)ring->gpus * nodes;
  if (ranks <= 1) return 0;
  double network_steps = 2 * (nodes - 1), inside_steps = 2 * (ranks - 1) - network_steps;
  double latency = ring->base_latency + inside_steps * ring->hop_latency + network_steps * ring->network_latency;
  return latency + 2 * (ranks - 1) / ranks * bytes / ring->bandwidth;
}
