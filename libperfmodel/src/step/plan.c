/* Plans: kernels of the networks, rings of the systems. */
#include <stdlib.h>
#include <string.h>
#include "step/plan.h"

static int prepare_network(pm__plan_network *entry, const pm_network *network, pm_error *error)
{
  pm_network_totals totals;
  entry->network = network;
  int status = pm_network_get_totals(network, &totals, error);
  if (status != PM_OK) return status;
  if (!(totals.training_flop > 0))
    return pm__fail(error, PM_BAD_ARGUMENT, "network \"%s\" has no layers that compute", totals.id);
  entry->parameters = totals.parameters;
  entry->training_flop = totals.training_flop;
  entry->kernels = pm__kernels_new(network, error);
  return entry->kernels != NULL ? PM_OK : PM_NO_MEMORY;
}

/* A group without a ring is no error of the plan: its runs say so. */
static int prepare_system(pm__plan_system *entry, const pm_system *system, pm_error *error)
{
  int status = pm_system_check(system, error);
  if (status != PM_OK) return status;
  size_t gpus = system->gpu_count;
  entry->system = system;
  entry->ring = (pm_ring *)calloc(gpus, sizeof *entry->ring);
  entry->status = (int *)calloc(gpus, sizeof *entry->status);
  if (entry->ring == NULL || entry->status == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < gpus; i++) {
    entry->status[i] = pm_ring_find(system, (int)i + 1, 1, &entry->ring[i], NULL);
    if (entry->status[i] == PM_NO_MEMORY) return pm__no_memory(error);
  }
  return PM_OK;
}

/* Kernel times depend on the GPU and its constants alone, so systems that share these share them. */
static int device_of(const pm_plan *plan, size_t index)
{
  const pm_system *own = plan->systems[index].system;
  for (size_t i = 0; i < index; i++) {
    const pm_system *other = plan->systems[i].system;
    if (memcmp(&other->gpu, &own->gpu, sizeof(pm_gpu)) == 0 &&
        memcmp(&other->kernels, &own->kernels, sizeof(pm_kernel_calibration)) == 0)
      return plan->systems[i].device;
  }
  return (int)index;
}

static void prepare_devices(pm__plan_system *entry)
{
  const pm_system *system = entry->system;
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
    pm__device_init(&entry->devices[PM_KERNEL_MODEL_CALIBRATED][precision], &system->gpu, pm_system_kernels(system),
                    precision);
    pm__device_init(&entry->devices[PM_KERNEL_MODEL_ROOFLINE][precision], &system->gpu, NULL, precision);
  }
}

static int prepare(pm_plan *plan, const pm_network *const *networks, const pm_system *const *systems, pm_error *error)
{
  for (size_t i = 0; i < plan->network_count; i++) {
    int status = networks[i] != NULL ? prepare_network(&plan->networks[i], networks[i], error)
                                     : pm__fail(error, PM_BAD_ARGUMENT, "network %zu of the plan is missing", i);
    if (status != PM_OK) return status;
  }
  for (size_t i = 0; i < plan->system_count; i++) {
    int status = prepare_system(&plan->systems[i], systems[i], error);
    if (status != PM_OK) return status;
    plan->systems[i].device = device_of(plan, i);
    if (plan->systems[i].device == (int)i) prepare_devices(&plan->systems[i]);
  }
  return PM_OK;
}

pm_plan *pm_plan_new(const pm_network *const *networks, size_t network_count, const pm_system *const *systems,
                     size_t system_count, pm_error *error)
{
  if (networks == NULL || systems == NULL || network_count == 0 || system_count == 0) {
    pm__fail(error, PM_BAD_ARGUMENT, "a plan needs at least one network and one system");
    return NULL;
  }
  pm_plan *plan = (pm_plan *)calloc(1, sizeof *plan);
  if (plan != NULL) {
    plan->networks = (pm__plan_network *)calloc(network_count, sizeof *plan->networks);
    plan->systems = (pm__plan_system *)calloc(system_count, sizeof *plan->systems);
  }
  if (plan == NULL || plan->networks == NULL || plan->systems == NULL) {
    pm_plan_free(plan);
    pm__no_memory(error);
    return NULL;
  }
  plan->network_count = network_count;
  plan->system_count = system_count;
  if (prepare(plan, networks, systems, error) == PM_OK) return plan;
  pm_plan_free(plan);
  return NULL;
}

int pm_plan_add_framework(pm_plan *plan, const pm_framework_profile *profile, pm_error *error)
{
  if (plan == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "a framework needs a plan");
    return -1;
  }
  if (pm_framework_check(profile, error) != PM_OK) return -1;
  pm_framework_profile *frameworks = (pm_framework_profile *)pm__grow(plan->frameworks, plan->framework_count,
                                                                      &plan->framework_capacity, sizeof *frameworks);
  if (frameworks == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->frameworks = frameworks;
  frameworks[plan->framework_count] = *profile;
  return (int)plan->framework_count++;
}

void pm_plan_free(pm_plan *plan)
{
  if (plan == NULL) return;
  for (size_t i = 0; i < plan->network_count; i++) pm__kernels_free(plan->networks[i].kernels);
  for (size_t i = 0; i < plan->system_count; i++) {
    free(plan->systems[i].ring);
    free(plan->systems[i].status);
  }
  free(plan->networks);
  free(plan->systems);
  free(plan->frameworks);
  free(plan);
}
