/* Plans: networks, systems, memory. */
#include "plan/plan.h"
#include "lowering/library.h"
#include "plan/rows.h"
#include "record/count.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Networks ---- */

static void count_bag(pm__plan_tables *bags, const pm__layer *layer)
{
  bags->parameters += layer->parameters;
  bags->lookups += layer->elements_in;
  bags->most_parameters = fmax(bags->most_parameters, layer->parameters);
  bags->most_lookups = fmax(bags->most_lookups, layer->elements_in);
}

static void count_layer(pm__plan_network *entry, const pm__layer *layer)
{
  if (layer->kind == NULL) {
    if (!layer->wants_gradient) entry->input_elements += layer->elements_out;
    return;
  }
  bool dense = layer->kind->role == PM__ROLE_DENSE, conv = layer->kind->role == PM__ROLE_CONVOLUTION;
  bool multiplies = layer->kernel_count > 0 && entry->network->kernels[layer->first_kernel].matrix;
  entry->forward_flop += layer->flop[PM__FORWARD];
  entry->tensors += layer->parameter_tensors;
  entry->matrices += pm__layer_trained_matrices(layer);
  entry->variables += layer->parameter_tensors + pm__layer_state_tensors(layer);
  entry->kinds |= pm__plan_kinds_of_layer(entry->network, layer);
  if (layer->kind->role == PM__ROLE_EXPERTS) entry->experts = true;
  if (layer->tuning == PM__FROZEN) entry->freezes = true;
  if (layer->kind->role == PM__ROLE_GATHER) entry->tables += layer->parameters;
  if (pm__layer_is_bag(layer)) count_bag(&entry->bags, layer);
  if (multiplies) {
    entry->weights += layer->parameters;
    entry->weight_tensors += layer->parameter_tensors;
  }
  if (dense || conv) entry->products += 1;
}

int pm__plan_network_prepare(pm__plan_network *entry, const pm_network *network, pm_error *error)
{
  pm_network_totals totals;
  entry->network = network;
  int status = pm_network_get_totals(network, &totals, error);
  if (status != PM_OK) return status;
  if (!(totals.training_flop > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" has no layers that compute", totals.id);
  entry->parameters = totals.parameters;
  entry->training_flop = totals.training_flop;
  entry->tokens = totals.tokens;
  for (size_t i = 0; i < network->count; i++) count_layer(entry, &network->layers[i]);
  entry->kinds = pm__plan_kinds_of(entry->kinds, entry->tables, entry->parameters);
  entry->units[PM__TRAINING_MODE + PM__LEAST] = pm__units_new(network, PM__TRAINING_MODE + PM__LEAST, error);
  return entry->units[PM__TRAINING_MODE + PM__LEAST] != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

int pm__plan_check_trained(const pm__plan_network *network, pm_error *error)
{
  if (!network->freezes) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" has frozen layers, which only training supports: "
                  "leave out trainable", network->network->id);
}

void pm__plan_network_free(const pm_plan *plan, pm__plan_network *entry)
{
  for (int i = 0; i < PM__MODES; i++) pm__units_free(entry->units[i]);
  for (size_t i = 0; entry->segments != NULL && i < plan->cut_count; i++) pm__segments_free(entry->segments[i]);
  for (size_t i = 0; entry->memory != NULL && i < plan->memory_count; i++) pm_memory_plan_free(entry->memory[i]);
  free(entry->segments);
  free(entry->memory);
}

/* ---- Memory ---- */

static int add_memory(pm_plan *plan, const pm_memory_profile *profile, pm__plan_network *entry, pm_error *error)
{
  pm_memory_plan **memory = (pm_memory_plan **)pm__grow(entry->memory, plan->memory_count, &entry->memory_capacity,
                                                        sizeof(pm_memory_plan *));
  if (memory == NULL) return pm__no_memory(error);
  entry->memory = memory;
  memory[plan->memory_count] = pm_memory_plan_new(entry->network, profile, pm_optimizer_get(PM_OPTIMIZER_NONE), error);
  return memory[plan->memory_count] != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

int pm__plan_memory(pm_plan *plan, const pm_memory_profile *profile, pm_error *error)
{
  for (size_t i = 0; i < plan->memory_count; i++)
    if (memcmp(&plan->memories[i], profile, sizeof *profile) == 0) return (int)i;
  void *memories = pm__grow(plan->memories, plan->memory_count, &plan->memory_capacity, sizeof *plan->memories);
  if (memories == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->memories = (pm_memory_profile *)memories;
  for (size_t i = 0; i < plan->network_count; i++) {
    if (add_memory(plan, profile, &plan->networks[i], error) == PM_OK) continue;
    while (i-- > 0) pm_memory_plan_free(plan->networks[i].memory[plan->memory_count]);
    return -1;
  }
  plan->memories[plan->memory_count] = *profile;
  return (int)plan->memory_count++;
}

static int prepare_memory(pm_plan *plan, pm_error *error)
{
  pm_memory_profile least;
  memset(&least, 0, sizeof least);
  pm_record_clear(pm_record_type_find("memory_profile"), &least);
  return pm__plan_memory(plan, &least, error) >= 0 ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* ---- Systems ---- */

/* Host times of software are those of a core of Zen 2 at 3.2 GHz, as in a DGX A100. A host of which nothing is known
** has such cores. */
static double host_of(const pm_machine *machine)
{
  double clock = machine->cpu_core_clock, work = machine->cpu_core_work;
  return clock > 0 && work > 0 ? 3.2e9 / (clock * work) : 1;
}

static int prepare_system(pm__plan_system *entry, const pm_system *system, pm_error *error)
{
  entry->system = system;
  entry->host = host_of(&system->machine);
  return pm__system_check(system, error);
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

/* Without software: that which costs nothing, and spares what any software can. */
static const pm__plan_software ideal = {.workspace = INFINITY, .pads_products = true};

static double fastest_library(const pm__device *d)
{
  double factor = pm__library_factor(d, d->k.fastest_simt_factor, d->k.fastest_tensor_factor);
  return factor > 0 ? factor : 1;
}

/* What its products rest on is what they rest on there, where only convolutions are here. */
void pm__plan_set_cores(pm__device *d, const pm__device *cores)
{
  static const int products[] = {PM__PRODUCTS, PM__RECURRENT, PM__FUSED_ATTENTION};
  for (int i = 0; d->convolutions_only && i < 3; i++) d->status[products[i]] = cores->status[products[i]];
  d->cores = cores;
  d->cores_library = cores->library / d->library;
  d->cores_spared = (d->layout - cores->layout) / d->library;
}

/* What a library may run on FP32 cores instead of tensor cores. */
static void offer_cores(pm__device *devices)
{
  static const int cores[PM_PRECISION_COUNT] = {[PM_PRECISION_TF32] = PM_PRECISION_FP32,
                                                [PM_PRECISION_TF32_CONV] = PM_PRECISION_FP32,
                                                [PM_PRECISION_FP16] = PM_PRECISION_FP16_STORAGE,
                                                [PM_PRECISION_BF16] = PM_PRECISION_FP16_STORAGE};
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
    const pm__device *other = &devices[cores[precision]];
    bool offered = cores[precision] > 0 && devices[precision].conv.tensor && other->calibrated && !other->conv.tensor;
    if (offered) pm__plan_set_cores(&devices[precision], other);
  }
}

/* Runs last, so the limit of the board acts on the mean of what they draw. */
static const pm_kernel_calibration *in_runs(const pm_kernel_calibration *calibration, pm_kernel_calibration *steady)
{
  if (calibration == NULL || !(calibration->steady_flop_energy > 0)) return calibration;
  *steady = *calibration;
  steady->tensor_flop_energy = calibration->steady_flop_energy;
  return steady;
}

void pm__plan_devices(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm__plan_software *software,
                      pm__device *devices)
{
  pm_kernel_calibration steady;
  const pm__plan_software *s = software != NULL ? software : &ideal;
  calibration = in_runs(calibration, &steady);
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
    pm__device *device = &devices[precision];
    bool wide = pm_precision_get_bytes(precision) > 2;
    pm__device_init(device, gpu, calibration, precision);
    pm__device_set_library(device, software != NULL ? &software->cudnn : NULL, s->pads_products);
    pm__device_set_layout(device, !(wide ? s->layout_tf32 : s->layout_tensor),
                          pm__changes_layout(device, s->layout_simt, s->layout_tensor, s->layout_tf32));
    device->workspace = s->workspace;
    pm__device_set_factor(device, software != NULL ? pm__library_factor(device, s->simt_factor, s->tensor_factor)
                                                   : fastest_library(device));
  }
  offer_cores(devices);
}

void pm__plan_system_devices(const pm_system *system, const pm__plan_software *software, pm__device *devices)
{
  pm__plan_devices(&system->gpu, pm_system_get_kernels(system), software, devices);
}

/* Times by data sheets alone; what the board draws is not on them. */
static void prepare_roofline(const pm_system *system, int precision, pm__device *device)
{
  pm__device_init(device, &system->gpu, NULL, precision);
  pm__device_set_power(device, &system->gpu, pm_system_get_kernels(system), precision);
}

static void prepare_devices(pm__plan_system *entry)
{
  entry->read = entry->system->kernels;
  pm__plan_system_devices(entry->system, NULL, entry->devices[PM_KERNEL_MODEL_CALIBRATED]);
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++)
    prepare_roofline(entry->system, precision, &entry->devices[PM_KERNEL_MODEL_ROOFLINE][precision]);
}

static bool is_read(const pm__plan_library *library)
{
  return memcmp(&library->read, &library->software, sizeof library->read) == 0;
}

/* What did not change stays: a fit changes one constant after the other. */
static void renew_system(pm_plan *plan, size_t i)
{
  pm__plan_system *entry = &plan->systems[i];
  bool same = memcmp(&entry->read, &entry->system->kernels, sizeof entry->read) == 0;
  if (!same) prepare_devices(entry);
  for (size_t j = 0; j < plan->library_count; j++) {
    pm__plan_library *library = &plan->libraries[j];
    if (!same || !is_read(library)) pm__plan_system_devices(entry->system, &library->software, library->devices[i]);
  }
}

void pm_plan_read_kernels(pm_plan *plan)
{
  if (plan != NULL) pm__keeper_change(plan->limited);
  for (size_t i = 0; plan != NULL && i < plan->system_count; i++)
    if (plan->systems[i].device == (int)i) renew_system(plan, i);
  for (size_t j = 0; plan != NULL && j < plan->library_count; j++)
    plan->libraries[j].read = plan->libraries[j].software;
}

/* ---- The plan ---- */

static int prepare(pm_plan *plan, const pm_network *const *networks, const pm_system *const *systems, pm_error *error)
{
  for (size_t i = 0; i < plan->network_count; i++) {
    int status = networks[i] != NULL ? pm__plan_network_prepare(&plan->networks[i], networks[i], error)
                                     : pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network %zu of the plan is missing", i);
    if (status != PM_OK) return status;
    plan->networks[i].number = (int)i;
  }
  for (size_t i = 0; i < plan->system_count; i++) {
    int status = prepare_system(&plan->systems[i], systems[i], error);
    if (status != PM_OK) return status;
    plan->systems[i].device = device_of(plan, i);
    if (plan->systems[i].device == (int)i) prepare_devices(&plan->systems[i]);
  }
  return prepare_memory(plan, error);
}

pm_plan *pm_plan_new(const pm_network *const *networks, size_t network_count, const pm_system *const *systems,
                     size_t system_count, pm_error *error)
{
  if (networks == NULL || systems == NULL || network_count == 0 || system_count == 0) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a plan needs at least one network and one system");
    return NULL;
  }
  pm_plan *plan = (pm_plan *)calloc(1, sizeof *plan);
  if (plan != NULL) {
    plan->networks = (pm__plan_network *)calloc(network_count, sizeof *plan->networks);
    plan->systems = (pm__plan_system *)calloc(system_count, sizeof *plan->systems);
    plan->pieces = pm__keeper_new();
    plan->sharded = pm__keeper_new();
    plan->serving = pm__keeper_new();
    plan->adapted = pm__keeper_new();
    plan->limited = pm__keeper_new();
  }
  if (plan == NULL || plan->networks == NULL || plan->systems == NULL || plan->pieces == NULL ||
      plan->sharded == NULL || plan->serving == NULL || plan->adapted == NULL ||
      plan->limited == NULL) {
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
  pm__keeper_free(plan->sharded); /* what it keeps refers to pieces, and these to networks */
  pm__keeper_free(plan->serving);
  pm__keeper_free(plan->pieces);
  pm__keeper_free(plan->adapted);
  pm__keeper_free(plan->limited);
  for (size_t i = 0; i < plan->network_count; i++) pm__plan_network_free(plan, &plan->networks[i]);
  for (size_t i = 0; i < plan->library_count; i++) free(plan->libraries[i].devices);
  free(plan->libraries);
  for (size_t i = 0; i < plan->framework_count; i++) pm__plan_framework_free(plan, &plan->frameworks[i]);
  for (size_t i = 0; i < plan->profile_count; i++) pm__plan_profile_free(plan, &plan->profiles[i]);
  for (size_t i = 0; i < plan->engine_count; i++) pm__plan_engine_free(plan, &plan->engines[i]);
  free(plan->engines);
  free(plan->frameworks);
  free(plan->profiles);
  free(plan->networks);
  free(plan->systems);
  free(plan->memories);
  free(plan->cuts);
  free(plan);
}

/* ---- What a run asks for ---- */

int pm__plan_check_place(const char *what, int32_t index, size_t count, pm_error *error)
{
  if (index >= 0 && (size_t)index < count) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %d is not in the plan", what, index);
}

int pm__plan_check_group(const pm__plan_system *system, int32_t gpus, int32_t nodes, pm_error *error)
{
  const char *id = system->system->machine.id;
  int have = (int)system->system->gpu_count;
  int status = pm__count_check("gpus", gpus, 1, error);
  if (status == PM_OK) status = pm__count_check("nodes", nodes, 1, error);
  if (status != PM_OK || gpus <= have) return status;
  int over = have > 1 && system->system->network.count > 0 ? pm_machine_get_nodes(&system->system->machine, gpus) : 0;
  if (over > 0 && gpus % have != 0)
    return pm__fail(error, PM_STATUS_TOO_MANY_GPUS,
                    "%d GPUs requested, but a %s has %d; gpus counts one node, and %d nodes with %d each have "
                    "%d", gpus, id, have, over, gpus / over, gpus);
  if (over > 0)
    return pm__fail(error, PM_STATUS_TOO_MANY_GPUS,
                    "%d GPUs requested, but a %s has %d; gpus counts one node, and %d nodes have %d",
                    gpus, id, have, over, gpus);
  if (strncmp(id, "gpu:", 4) == 0)
    return pm__fail(error, PM_STATUS_TOO_MANY_GPUS,
                    "%d GPUs requested, but \"%s\" is one GPU; a node of them is \"%dx%s\"", gpus, id + 4, gpus,
                    id + 4);
  return pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "%d GPUs requested, but a %s has %d", gpus, id, have);
}

int pm__plan_check_network(const pm__plan_system *system, int32_t nodes, pm_error *error)
{
  if (nodes <= 1 || system->system->network.count > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\" has no network between nodes; other systems of its GPU: "
                  "perfmodel list systems --where gpu=%s", system->system->machine.id, system->system->gpu.id);
}

int pm__plan_check_batch(double batch, pm_error *error)
{
  return pm__batch_check_whole(batch, error);
}

int pm__plan_check_memory(double usable, pm_error *error)
{
  if (isnan(usable) || (usable > 0 && usable <= 1e18)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "usable_memory %g is not above 0 and at most 1e+18", usable);
}

const char *pm__plan_network_id(const pm_plan *plan, int32_t index)
{
  return index >= 0 && (size_t)index < plan->network_count ? plan->networks[index].network->id : "";
}

const char *pm__plan_system_id(const pm_plan *plan, int32_t index)
{
  return index >= 0 && (size_t)index < plan->system_count ? plan->systems[index].system->machine.id : "";
}
