/* Plans: kernels of the networks, GPUs of the systems, frameworks. */
#include "plan/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Networks ---- */

static void add_split(pm__split *split, const pm__layer *layer)
{
  split->layers += 1;
  split->parameters += layer->parameters;
  split->out += layer->elements_out;
  if (layer->flop[PM__BACKWARD_DATA] > 0) split->in += layer->elements_in;
}

static void count_layer(pm__plan_network *entry, const pm__layer *layer)
{
  const pm_network *network = entry->network;
  if (layer->kind == NULL) {
    entry->input_elements += layer->elements_out;
    return;
  }
  bool linear = layer->kind == &pm__linear;
  bool conv = layer->kernel_count > 0 && network->kernels[layer->first_kernel].family == PM__CONV;
  entry->tensors += layer->parameter_tensors;
  entry->variables += layer->parameter_tensors + (layer->kind == &pm__batch_norm ? 2 : 0);
  if (linear || conv) add_split(&entry->all, layer);
  if (linear) add_split(&entry->linear, layer);
  if (!(layer->parameters > 0)) return;
  entry->layers += 1;
  entry->activation += layer->elements_out;
}

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
  for (size_t i = 0; i < network->count; i++) count_layer(entry, &network->layers[i]);
  if (entry->layers > 0) entry->activation /= entry->layers;
  entry->kernels[PM__COUNTED] = pm__kernels_new(network, PM__COUNTED, error);
  return entry->kernels[PM__COUNTED] != NULL ? PM_OK : PM_NO_MEMORY;
}

static void free_network(pm__plan_network *entry, size_t cuts)
{
  for (int i = 0; i < PM__EXECUTIONS; i++) pm__kernels_free(entry->kernels[i]);
  for (size_t i = 0; entry->cuts != NULL && i < cuts; i++) pm__segments_free(entry->cuts[i]);
  free(entry->cuts);
}

/* ---- Systems ---- */

static int prepare_system(pm__plan_system *entry, const pm_system *system, pm_error *error)
{
  entry->system = system;
  return pm_system_check(system, error);
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

void pm__plan_devices(const pm_system *system, const pm_framework_profile *profile, pm__device *devices)
{
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
    pm__device_init(&devices[precision], &system->gpu, pm_system_kernels(system), precision);
    pm__device_set_library(&devices[precision], profile != NULL ? &profile->era : NULL);
    if (profile != NULL) devices[precision].workspace = profile->framework.workspace;
  }
}

static void prepare_devices(pm__plan_system *entry)
{
  pm__plan_devices(entry->system, NULL, entry->devices[PM_KERNEL_MODEL_CALIBRATED]);
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++)
    pm__device_init(&entry->devices[PM_KERNEL_MODEL_ROOFLINE][precision], &entry->system->gpu, NULL, precision);
}

static void renew_system(pm_plan *plan, size_t i)
{
  prepare_devices(&plan->systems[i]);
  for (size_t j = 0; j < plan->library_count; j++)
    pm__plan_devices(plan->systems[i].system, &plan->libraries[j].profile, plan->libraries[j].devices[i]);
}

void pm__plan_renew_kernels(pm_plan *plan)
{
  for (size_t i = 0; i < plan->system_count; i++)
    if (plan->systems[i].device == (int)i) renew_system(plan, i);
}

/* ---- The plan ---- */

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

void pm_plan_free(pm_plan *plan)
{
  if (plan == NULL) return;
  for (size_t i = 0; i < plan->network_count; i++) free_network(&plan->networks[i], plan->cut_count);
  free(plan->networks);
  free(plan->systems);
  for (size_t i = 0; i < plan->library_count; i++) free(plan->libraries[i].devices);
  free(plan->libraries);
  free(plan->frameworks);
  free(plan->cuts);
  free(plan);
}
