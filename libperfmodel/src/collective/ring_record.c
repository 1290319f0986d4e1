/* Implements the public record of a ring and the time of an all-reduce over it. */
#include <string.h>
#include "collective/parameters.h"
#include "collective/protocols.h"
#include "record/count.h"

static int check_group(const pm_system *system, int gpus, int nodes, pm_error *error)
{
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
  int status = pm__count_check("gpus", gpus, 1, error);
  if (status == PM_OK) status = pm__count_check("nodes", nodes, 1, error);
  if (status != PM_OK) return status;
  if ((size_t)gpus > system->gpu_count)
    return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "%d GPUs requested, but a %s has %d", gpus, system->machine.id,
                    (int)system->gpu_count);
  return PM_OK;
}

static void fill_record(pm_ring *ring, const pm__collective_parameters *group, double rings)
{
  const char *limit;
  memset(ring, 0, sizeof *ring);
  ring->gpus = group->per_node;
  ring->nodes = group->nodes;
  ring->rings = rings;
  ring->bandwidth = pm__collective_slower(group, &limit);
  ring->base_latency = group->base[PM__SIMPLE][PM__RING];
  ring->hop_latency = group->step[PM__SIMPLE][PM__RING];
  if (group->nodes > 1) ring->network_latency = group->far_step[PM__SIMPLE][group->per_node == 1 ? PM__TREE : PM__RING];
  ring->calibrated = group->calibrated;
  if (group->ranks > 1) memcpy(ring->bottleneck, limit, sizeof ring->bottleneck); /* ids have one size */
}

static int ring_of(const pm__wiring *wiring, int nodes, pm_ring *ring, pm_error *error)
{
  pm__collective_parameters parameters;
  pm__collective_group group = pm__collective_group_on(wiring, nodes);
  int status = pm__collective_parameters_init(&parameters, &group, error);
  if (status == PM_OK) fill_record(ring, &parameters, wiring->packed.directed_rings);
  return status;
}

int pm_ring_find(const pm_system *system, int gpus, int nodes, pm_ring *ring, pm_error *error)
{
  pm_error own = PM_ERROR_NONE; /* `error` may be NULL */
  int status = ring == NULL ? pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no place for the ring")
                            : check_group(system, gpus, nodes, error);
  if (status != PM_OK) return status;
  const pm__wiring *wiring = pm__wiring_of(system, NULL, gpus, &own);
  if (wiring == NULL) return pm__fail(error, own.status, "%s", own.text);
  status = ring_of(wiring, nodes, ring, error);
  pm__wiring_release(wiring);
  return status;
}

double pm__all_reduce_get_transfer_time(double bytes, int ranks, double bandwidth)
{
  return 2.0 * (ranks - 1) / ranks * bytes / bandwidth;
}

double pm_ring_get_all_reduce_time(const pm_ring *ring, double bytes)
{
  double nodes = ring->nodes, ranks = (double)ring->gpus * nodes;
  if (ranks <= 1) return 0;
  double network_steps = 2 * (nodes - 1), inside_steps = 2 * (ranks - 1) - network_steps;
  double latency = ring->base_latency + inside_steps * ring->hop_latency + network_steps * ring->network_latency;
  return latency + 2 * (ranks - 1) / ranks * bytes / ring->bandwidth;
}
