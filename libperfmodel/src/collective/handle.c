/* Implements the public group of GPUs: made once, with the cost of every candidate for every collective. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/handle.h"

pm_group_choice pm_group_choice_make(void)
{
  return (pm_group_choice){.nodes = 1, .thread_gpus = 1, .nccl = PM_ERA_CURRENT, .servers = 1, .in_network = 0};
}

static int check_choice(const pm_group_choice *choice, pm_error *error)
{
  if (choice->nodes < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "nodes %d is not at least 1", choice->nodes);
  if (choice->thread_gpus < 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "thread_gpus %d is not at least 1", choice->thread_gpus);
  if (choice->servers < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "servers %d is not at least 1",
                                           choice->servers);
  if (choice->nccl < 0 || choice->nccl >= PM_ERA_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no NCCL generation %d", choice->nccl);
  return PM_OK;
}

static int check_gpus(const pm_system *system, const int *gpus, int count, pm_error *error)
{
  int have = (int)system->gpu_count;
  if (count < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "gpus %d is not at least 1", count);
  if (count > have)
    return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "%d GPUs asked for, but a %s has %d", count, system->machine.id,
                    have);
  for (int i = 0; gpus != NULL && i < count; i++) {
    if (gpus[i] < 0 || gpus[i] >= have)
      return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "GPU %d asked for, but a %s has GPUs 0 to %d", gpus[i],
                      system->machine.id, have - 1);
    for (int j = 0; j < i; j++)
      if (gpus[j] == gpus[i]) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "GPU %d is listed twice", gpus[i]);
  }
  return PM_OK;
}

static pm__collective_group chosen(const pm__wiring *wiring, const pm_group_choice *choice)
{
  pm__collective_group group = pm__collective_group_on(wiring, choice->nodes);
  group.thread_gpus = choice->thread_gpus;
  group.servers = choice->servers;
  group.era = choice->nccl;
  group.in_network = choice->in_network != 0;
  return group;
}

static int fill(pm_group *group, pm_error *error)
{
  const pm__wiring *wiring = group->wiring;
  pm__collective_group members = chosen(wiring, &group->choice);
  int status = pm__collective_parameters_init(&group->parameters, &members, error);
  if (status != PM_OK) return status;
  group->count = wiring->kept.count;
  group->gpu = wiring->kept.gpu;
  group->cycles = &wiring->cycles;
  group->directed_rings = (group->choice.nccl == PM_ERA_2016 ? wiring->single : wiring->packed).directed_rings;
  pm__collective_interval_init(group->interval, group->parameters.fit);
  for (int c = 0; c < PM_COLLECTIVE_COUNT; c++)
    pm__collective_candidates_init(&group->candidates[c], &group->parameters, (pm_collective)c, PM_ALGORITHM_AUTO,
                                   PM_PROTOCOL_ANY);
  return PM_OK;
}

static pm_group *make(const pm_system *system, const int *gpus, int count, const pm_group_choice *choice,
                      pm_error *error)
{
  const pm__wiring *wiring = pm__wiring_of(system, gpus, count, error);
  if (wiring == NULL) return NULL;
  pm_group *group = (pm_group *)calloc(1, sizeof *group);
  if (group == NULL) {
    pm__wiring_release(wiring);
    pm__no_memory(error);
    return NULL;
  }
  group->system = system;
  group->wiring = wiring;
  group->choice = *choice;
  if (fill(group, error) == PM_OK) return group;
  pm_group_free(group);
  return NULL;
}

pm_group *pm_group_new(const pm_system *system, const int *gpus, int count, const pm_group_choice *choice,
                       pm_error *error)
{
  pm_group_choice standard = pm_group_choice_make();
  if (system == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a group needs a system");
    return NULL;
  }
  if (choice == NULL) choice = &standard;
  if (check_choice(choice, error) != PM_OK || check_gpus(system, gpus, count, error) != PM_OK) return NULL;
  return make(system, gpus, count, choice, error);
}

void pm_group_free(pm_group *group)
{
  if (group == NULL) return;
  pm__wiring_release(group->wiring);
  free(group);
}

double pm_group_get_rings(const pm_group *group)
{
  return group != NULL ? group->directed_rings : (double)NAN;
}

double pm_group_get_rings_most(const pm_group *group)
{
  if (group == NULL) return NAN;
  return group->choice.nccl == PM_ERA_2016 ? group->directed_rings : group->wiring->packed.most_rings;
}

double pm_group_get_ring_bandwidth(const pm_group *group)
{
  return group != NULL ? group->parameters.ring : (double)NAN;
}

int pm_group_count_gpus(const pm_group *group)
{
  return group != NULL ? group->count : 0;
}

const char *pm_group_get_medium(const pm_group *group)
{
  return group != NULL && group->directed_rings == 0 && group->count > 1 ? "pcie"
         : group != NULL ? group->wiring->over : "";
}

double pm_group_get_cycle(const pm_group *group, int index, int *order)
{
  if (group == NULL || index < 0 || index >= group->cycles->count) return NAN;
  for (int i = 0; order != NULL && i < group->count; i++)
    order[i] = group->gpu[group->cycles->order[index * group->count + i]];
  return group->cycles->weight[index];
}

int pm_ring_find_in_order(const pm_system *system, const int *gpus, int count, double *bandwidth, pm_error *error)
{
  if (system == NULL || gpus == NULL || bandwidth == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a ring needs a system and an order");
  int status = check_gpus(system, gpus, count, error);
  if (status != PM_OK) return status;
  pm__ring_path path = pm__ring_path_none();
  status = pm__ring_over_tree(system, (pm__ring_members){gpus, count}, true, &path, NULL, error);
  if (status == PM_OK) *bandwidth = count > 1 ? path.bandwidth : (double)INFINITY;
  return status;
}
