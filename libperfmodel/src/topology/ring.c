/* The ring of a group: which way it goes, and what an all-reduce over it takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/algorithm.h"

pm__path pm__no_path(void)
{
  return (pm__path){0, 0, NULL, 0, 0, true, 0};
}

void pm__path_pass(pm__path *path, const pm__edge *edge)
{
  if (edge->calibration.hop_latency > path->hop_latency) path->hop_latency = edge->calibration.hop_latency;
  if (edge->calibration.base_latency > path->base_latency) path->base_latency = edge->calibration.base_latency;
  path->calibrated = path->calibrated && edge->calibrated;
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
  if (!pm__cycles_new(cycles, 1, members)) return pm__no_memory(error);
  for (int i = 0; i < members; i++) cycles->order[i] = i;
  cycles->weight[0] = weight;
  return PM_OK;
}

int pm__ring_find(const pm_system *system, pm__members members, pm__path *path, double *rings, pm__cycles *cycles,
                  pm_error *error)
{
  *path = pm__no_path();
  *rings = 0;
  int status = pm__ring_over_peers(system, members, path, cycles, error);
  if (status != PM_OK) return status;
  if (path->bandwidth > 0) {
    *rings = path->bandwidth / path->one_link;
    return PM_OK;
  }
  *path = pm__no_path();
  pm__ring_over_switches(system, members, path);
  if (path->bandwidth > 0) {
    *rings = path->bandwidth / path->one_link;
    path->most = path->bandwidth;
    return keep_one(cycles, members.count, *rings, error);
  }
  *path = pm__no_path();
  status = keep_one(cycles, members.count, 1, error);
  if (status != PM_OK) return status;
  return pm__ring_over_tree(system, members, false, path, cycles->order, error);
}

/* ---- The record ---- */

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

static void fill_record(pm_ring *ring, const pm__collective_group *shape, double rings)
{
  const char *limit;
  memset(ring, 0, sizeof *ring);
  ring->gpus = shape->per_node;
  ring->nodes = shape->nodes;
  ring->rings = rings;
  ring->bandwidth = pm__slower(shape, &limit);
  ring->base_latency = shape->base[PM__SIMPLE][PM__RING];
  ring->hop_latency = shape->step[PM__SIMPLE][PM__RING];
  if (shape->nodes > 1) ring->network_latency = shape->far_step[PM__SIMPLE][shape->per_node == 1 ? PM__TREE : PM__RING];
  ring->calibrated = shape->calibrated;
  if (shape->ranks > 1) memcpy(ring->limit, limit, sizeof ring->limit); /* ids have one size */
}

int pm__ring_of(const pm__wiring *wiring, int nodes, pm_ring *ring, pm_error *error)
{
  pm__collective_group shape;
  pm_group_choice choice = pm_group_choice_default();
  choice.nodes = nodes;
  int status = pm__collective_group_init(&shape, wiring, &choice, error);
  if (status == PM_OK) fill_record(ring, &shape, wiring->packed.directed_rings);
  return status;
}

int pm_ring_find(const pm_system *system, int gpus, int nodes, pm_ring *ring, pm_error *error)
{
  pm_error own = PM_ERROR_NONE; /* `error` may be NULL */
  int status = ring == NULL ? pm__fail(error, PM_BAD_ARGUMENT, "no place for the ring")
                            : check_group(system, gpus, nodes, error);
  if (status != PM_OK) return status;
  const pm__wiring *wiring = pm__wiring_of(system, NULL, gpus, &own);
  if (wiring == NULL) return pm__fail(error, own.status, "%s", own.text);
  status = pm__ring_of(wiring, nodes, ring, error);
  pm__wiring_release(wiring);
  return status;
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
