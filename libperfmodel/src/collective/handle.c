/* Implements the public group of GPUs: made once, with the cost of every candidate for every collective. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/handle.h"
#include "hardware/collective_fit.h"
#include "hardware/system.h"
#include "record/count.h"

static int check_choice(const pm_group_choice *choice, pm_error *error)
{
  int status = pm__count_check("nodes", choice->nodes, 1, error);
  if (status == PM_OK) status = pm__count_check("thread_gpus", choice->thread_gpus, 1, error);
  if (status == PM_OK) status = pm__count_check("servers", choice->servers, 1, error);
  if (status != PM_OK) return status;
  if (choice->nccl < 0 || choice->nccl >= PM_NCCL_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no NCCL generation %d", choice->nccl);
  return PM_OK;
}

static int check_gpus(const pm_system *system, const int *gpus, int count, pm_error *error)
{
  int have = (int)system->gpu_count;
  if (count < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "gpus %d is not at least 1", count);
  if (count > have)
    return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "%d GPUs requested, but a %s has %d", count, system->machine.id,
                    have);
  for (int i = 0; gpus != NULL && i < count; i++) {
    if (gpus[i] < 0 || gpus[i] >= have)
      return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "GPU %d requested, but a %s has GPUs 0 to %d", gpus[i],
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
  group.nccl = choice->nccl;
  group.in_network = choice->in_network != 0;
  return group;
}

static int fill(pm_group *group, const pm__wiring *wiring, pm_error *error)
{
  pm__collective_group members = chosen(wiring, &group->choice);
  int status = pm__collective_parameters_init(&group->parameters, &members, error);
  if (status != PM_OK) return status;
  group->count = wiring->kept.count;
  group->gpu = wiring->kept.gpu;
  group->cycles = &wiring->cycles;
  group->directed_rings = (group->choice.nccl == PM_NCCL_2016 ? wiring->single : wiring->packed).directed_rings;
  pm__collective_interval_init(group->interval, group->parameters.fit);
  return PM_OK;
}

static void find_candidates(pm_group *group)
{
  for (int c = 0; c < PM_COLLECTIVE_COUNT; c++)
    pm__collective_candidates_init(&group->candidates[c], &group->parameters, (pm_collective)c, PM_ALGORITHM_AUTO,
                                   PM_PROTOCOL_ANY);
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
  if (fill(group, wiring, error) == PM_OK) {
    find_candidates(group);
    return group;
  }
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
  free(group->changed);
  free(group);
}

/* ---- Other constants ---- */

/* The efficiency that the payloads of a type of links were computed with. */
static double efficiency_of(const pm_system *system, const char *link)
{
  for (size_t i = 0; i < system->edge_count; i++)
    if (strcmp(system->edges[i].link.id, link) == 0) return system->edges[i].calibration.efficiency;
  return system->network.calibration.efficiency;
}

/* What payloads over a type of links are to be multiplied by, then divided by. */
typedef struct scale {
  double now, before;
} scale;

static scale scale_of(const pm_system *system, const char *link, const pm_link_calibration *links, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(links[i].id, link) == 0 && !isnan(links[i].efficiency))
      return (scale){links[i].efficiency, efficiency_of(system, link)};
  return (scale){1, 1};
}

static void change_wiring(pm__wiring *now, const pm_system *system, const pm_link_calibration *links, size_t count)
{
  const scale packed = scale_of(system, now->packed.limit, links, count);
  const scale single = scale_of(system, now->single.limit, links, count);
  const scale pair = scale_of(system, now->pair.limit, links, count);
  const scale network = scale_of(system, now->network.limit, links, count);
  now->packed.bandwidth = now->packed.bandwidth * packed.now / packed.before;
  now->packed.chain = now->packed.chain * packed.now / packed.before;
  now->single.bandwidth = now->single.bandwidth * single.now / single.before;
  now->pair.payload = now->pair.payload * pair.now / pair.before;
  now->network.payload = now->network.payload * network.now / network.before;
  now->all_adapters = now->all_adapters * network.now / network.before;
}

static void change_system(pm_system *now, const pm_system *was, const pm_collective_fit *fit,
                          const pm_link_calibration *links, size_t count)
{
  now->has_fit = fit != NULL || was->has_fit;
  now->fit = fit != NULL ? *fit : was->fit;
  now->network.calibration.fabric_latency = was->network.calibration.fabric_latency;
  for (size_t i = 0; i < count && now->network.count > 0; i++)
    if (strcmp(links[i].id, now->network.link.id) == 0 && !isnan(links[i].fabric_latency))
      now->network.calibration.fabric_latency = links[i].fabric_latency;
}

int pm_group_set_constants(pm_group *group, const pm_collective_fit *fit, const pm_link_calibration *links,
                           size_t count,
                           pm_error *error)
{
  if (group == NULL || (links == NULL && count > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "constants need a group and its links");
  pm__collective_changed *changed = group->changed;
  if (changed == NULL) {
    changed = group->changed = (pm__collective_changed *)malloc(sizeof *changed);
    if (changed == NULL) return pm__no_memory(error);
    changed->system = *group->system;
  }
  changed->wiring = *group->wiring;
  changed->wiring.system = &changed->system;
  change_system(&changed->system, group->system, fit, links, count);
  pm__system_fit_complete(&changed->wiring.fit, &changed->system);
  change_wiring(&changed->wiring, group->system, links, count);
  return fill(group, &changed->wiring, error);
}

pm_group_facts pm_group_get_facts(const pm_group *group)
{
  if (group == NULL) return (pm_group_facts){0, NAN, NAN, NAN, "", "", ""};
  const pm__wiring_ring *packed = &group->wiring->packed;
  return (pm_group_facts){.gpus = group->count,
                          .rings = group->directed_rings,
                          .rings_most = group->choice.nccl == PM_NCCL_2016 ? group->directed_rings : packed->most_rings,
                          .ring_bandwidth = group->parameters.ring,
                          .medium = group->directed_rings == 0 && group->count > 1 ? "pcie" : group->wiring->over,
                          .link = packed->limit,
                          .network_link = group->wiring->network.limit};
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
