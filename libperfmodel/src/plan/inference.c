/* Inference plans: fused kernels of the networks, GPUs of the systems, profiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "inference/inference.h"

static int prepare_memory(pm__inference_network *entry, const pm_memory_profile *profile, pm_error *error)
{
  pm_optimizer none; /* inference keeps nothing of one */
  if (profile == NULL) return PM_OK;
  pm_record_init(pm_record_type_find("optimizer"), &none);
  entry->memory = pm_memory_plan_new(entry->network, profile, &none, error);
  return entry->memory != NULL ? PM_OK : PM_NO_MEMORY;
}

static void count_layers(pm__inference_network *entry, const pm_network *network)
{
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    entry->flop += layer->flop[PM__FORWARD];
    if (layer->kernel_count == 0 || !network->kernels[layer->first_kernel].matrix) continue;
    entry->weights += layer->parameters;
    entry->tensors += layer->parameter_tensors;
  }
}

static int prepare_list(pm__inference_network *entry, int number)
{
  pm__launch_list *list = &entry->lists[number];
  if (list->count > 0) return PM_OK;
  int status = number < PM__EXECUTIONS ? pm__forward_layers(list, entry->network, (pm__execution)number)
                                   : pm__forward_fused(list, entry->network, number - PM__EXECUTIONS + 1);
  if (status == PM_OK) pm__launch_list_merge(list);
  return status;
}

static int prepare_lists(const pm_inference_plan *plan, pm__inference_network *entry, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < plan->profile_count && status == PM_OK; i++) {
    status = prepare_list(entry, pm__inference_list_of(&plan->profiles[i], false));
    if (status == PM_OK) status = prepare_list(entry, pm__inference_list_of(&plan->profiles[i], true));
  }
  return status == PM_OK ? PM_OK : pm__no_memory(error);
}

static int prepare_network(const pm_inference_plan *plan, pm__inference_network *entry, const pm_network *network,
                           const pm_memory_profile *profile, pm_error *error)
{
  if (network == NULL)
    return pm__fail(error, PM_BAD_ARGUMENT, "network %zu of the plan is missing", (size_t)(entry - plan->networks));
  entry->network = network;
  count_layers(entry, network);
  if (!(entry->flop > 0))
    return pm__fail(error, PM_BAD_ARGUMENT, "network \"%s\" has no layers that compute", network->id);
  int status = prepare_lists(plan, entry, error);
  return status == PM_OK ? prepare_memory(entry, profile, error) : status;
}

/* The GPU with the libraries of a profile. */
static void prepare_devices(const pm_system *system, const pm_inference_profile *profile, pm__device *devices)
{
  pm_library_era libraries;
  memset(&libraries, 0, sizeof libraries);
  libraries.no_winograd = profile->no_winograd;
  libraries.odd_channels_padded = !profile->no_padding;
  libraries.grouped_kernels = !profile->no_grouped;
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
    pm__device_init(&devices[precision], &system->gpu, pm_system_kernels(system), precision);
    pm__device_set_library(&devices[precision], &libraries);
  }
}

static int prepare_system(const pm_inference_plan *plan, pm__inference_system *entry, const pm_system *system,
                          pm_error *error)
{
  int status = pm_system_check(system, error);
  if (status != PM_OK) return status;
  entry->system = system;
  entry->devices = (pm__device (*)[PM_PRECISION_COUNT])calloc(plan->profile_count, sizeof *entry->devices);
  if (entry->devices == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < plan->profile_count; i++) prepare_devices(system, &plan->profiles[i], entry->devices[i]);
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++)
    pm__device_init(&entry->rooflines[precision], &system->gpu, NULL, precision);
  return PM_OK;
}

static int check_part(const char *id, const char *name, double value, double least, pm_error *error)
{
  if (isnan(value) || (isfinite(value) && value >= least)) return PM_OK;
  return pm__fail(error, PM_BAD_VALUE, "inference profile \"%.60s\": %s %g is out of range", id, name, value);
}

static int check_profile(const pm_inference_profile *p, pm_error *error)
{
  int status = check_part(p->id, "launch", p->launch, 0, error);
  if (status == PM_OK) status = check_part(p->id, "step_time", p->step_time, 0, error);
  if (status == PM_OK) status = check_part(p->id, "simt_factor", p->simt_factor, 1e-3, error);
  if (status == PM_OK) status = check_part(p->id, "tensor_factor", p->tensor_factor, 1e-3, error);
  if (status == PM_OK) status = check_part(p->id, "own_factor", p->own_factor, 1e-3, error);
  if (status != PM_OK) return status;
  if (p->fusion >= 0 && p->fusion < PM_FUSION_COUNT) return PM_OK;
  return pm__fail(error, PM_BAD_VALUE, "inference profile \"%.60s\": there is no fusion %d", p->id, p->fusion);
}

static int prepare(pm_inference_plan *plan, const pm_network *const *networks, const pm_system *const *systems,
                   const pm_memory_profile *memory, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < plan->profile_count && status == PM_OK; i++) status = check_profile(&plan->profiles[i], error);
  for (size_t i = 0; i < plan->network_count && status == PM_OK; i++)
    status = prepare_network(plan, &plan->networks[i], networks[i], memory, error);
  for (size_t i = 0; i < plan->system_count && status == PM_OK; i++)
    status = prepare_system(plan, &plan->systems[i], systems[i], error);
  return status;
}

static pm_inference_plan *allocate(size_t networks, size_t systems, const pm_inference_profile *profiles, size_t count)
{
  pm_inference_plan *plan = (pm_inference_plan *)calloc(1, sizeof *plan);
  if (plan == NULL) return NULL;
  plan->networks = (pm__inference_network *)calloc(networks, sizeof *plan->networks);
  plan->systems = (pm__inference_system *)calloc(systems, sizeof *plan->systems);
  plan->profiles = (pm_inference_profile *)calloc(count, sizeof *plan->profiles);
  if (plan->networks != NULL && plan->systems != NULL && plan->profiles != NULL) {
    plan->network_count = networks;
    plan->system_count = systems;
    plan->profile_count = count;
    memcpy(plan->profiles, profiles, count * sizeof *profiles);
    return plan;
  }
  pm_inference_plan_free(plan);
  return NULL;
}

pm_inference_plan *pm_inference_plan_new(const pm_network *const *networks, size_t network_count,
                                         const pm_system *const *systems, size_t system_count,
                                         const pm_inference_profile *profiles, size_t profile_count,
                                         const pm_memory_profile *memory, pm_error *error)
{
  if (networks == NULL || systems == NULL || profiles == NULL || network_count == 0 || system_count == 0 ||
      profile_count == 0) {
    pm__fail(error, PM_BAD_ARGUMENT, "an inference plan needs at least one network, one system and one profile");
    return NULL;
  }
  pm_inference_plan *plan = allocate(network_count, system_count, profiles, profile_count);
  if (plan == NULL) pm__no_memory(error);
  else if (prepare(plan, networks, systems, memory, error) == PM_OK) return plan;
  pm_inference_plan_free(plan);
  return NULL;
}

void pm_inference_plan_free(pm_inference_plan *plan)
{
  if (plan == NULL) return;
  for (size_t i = 0; i < plan->network_count; i++) {
    for (int list = 0; list < PM__INFERENCE_LISTS; list++) pm__launch_list_free(&plan->networks[i].lists[list]);
    pm_memory_plan_free(plan->networks[i].memory);
  }
  for (size_t i = 0; i < plan->system_count; i++) free(plan->systems[i].devices);
  free(plan->networks);
  free(plan->systems);
  free(plan->profiles);
  free(plan);
}
