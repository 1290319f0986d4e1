/* Systems that differ from another in one number, one GPU or one type of link. */
#include <math.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel/sensitivity.h"
#include "search/vary.h"

/* What a link becomes in the copy. */
typedef struct variation {
  int resource;         /* -1: none is scaled */
  double factor;
  const char *replaced; /* id of the type of link, or NULL */
  const pm_link *link;  /* NULL: none is replaced */
  const pm_link_calibration *calibration;
  const pm_machine *machine; /* NULL: as it is */
} variation;

static int resource_of(const pm_link *link)
{
  switch (link->kind) {
  case PM_LINK_NVLINK:
  case PM_LINK_XGMI: return PM_RESOURCE_NVLINK;
  case PM_LINK_PCIE: return PM_RESOURCE_PCIE;
  case PM_LINK_SMP: return PM_RESOURCE_SOCKETS;
  default: return PM_RESOURCE_NETWORK;
  }
}

void pm__vary_unit(const char *type_name, void *record, const char *unit, double factor)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    if (field->kind != PM_FIELD_REAL || strcmp(field->unit, unit) != 0) continue;
    *(double *)(void *)((char *)record + field->offset) *= factor;
  }
}

static void scale_times(const char *type_name, void *record, double factor)
{
  pm__vary_unit(type_name, record, "s", factor);
}

static pm__edge varied(const pm__edge *edge, const variation *v, bool network)
{
  pm__edge e = *edge;
  bool replaced = v->link != NULL && (v->replaced == NULL ? network : strcmp(e.link.id, v->replaced) == 0);
  if (replaced) {
    e.link = *v->link;
    e.calibrated = v->calibration != NULL;
    if (e.calibrated) e.calibration = *v->calibration;
  }
  double factor = v->resource == resource_of(&e.link) ? v->factor : 1;
  e.link.bandwidth *= factor;
  e.link.flow_bandwidth *= factor;
  if (v->resource == PM_RESOURCE_LATENCY) scale_times("calibration", &e.calibration, v->factor);
  return e;
}

/* The base times of the collective library are its host's and the links'; both count as latency. */
static int copy_library(pm_system *copy, const pm_system *from, const variation *v, pm_error *error)
{
  pm_protocol protocols[3];
  pm_tuning tuning = from->tuning;
  pm_collective_fit fit = from->fit;
  if (!from->has_protocols) return PM_OK;
  memcpy(protocols, from->protocol, sizeof protocols);
  if (v->resource == PM_RESOURCE_LATENCY) {
    for (int i = 0; i < 3; i++) scale_times("protocol", &protocols[i], v->factor);
    scale_times("tuning", &tuning, v->factor);
    scale_times("fit", &fit, v->factor);
  }
  return pm__system_set_library(copy, protocols, from->has_tuning ? &tuning : NULL, from->has_fit ? &fit : NULL, error);
}

static int copy_links(pm_system *copy, const pm_system *from, const variation *v, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < from->vertex_count && status == PM_OK; i++)
    status = pm_system_add_vertex(copy, from->vertices[i].name, from->vertices[i].kind, error);
  for (size_t i = 0; i < from->edge_count && status == PM_OK; i++) {
    pm__edge e = varied(&from->edges[i], v, false);
    status = pm_system_add_link(copy, from->vertices[e.a].name, from->vertices[e.b].name, &e.link,
                                e.calibrated ? &e.calibration : NULL, e.count, error);
  }
  if (status != PM_OK || from->network.count == 0) return status;
  pm__edge e = varied(&from->network, v, true);
  return pm_system_set_network(copy, &e.link, e.calibrated ? &e.calibration : NULL, e.count, error);
}

/* Another GPU has the same share of what its box says; the same GPU with more memory likewise. */
static double usable_memory(const pm_system *from, const pm_gpu *gpu)
{
  return from->usable_memory * (gpu->memory / from->gpu.memory);
}

double pm__vary_node_power(const pm_machine *machine, double before, double now)
{
  if (now == before || (isnan(now) && isnan(before))) return machine->power;
  double boards = machine->gpus * now, node = machine->power + machine->gpus * (now - before);
  return node < boards ? boards : node;
}

static pm_system *copy_of(const pm_system *from, const pm_gpu *gpu, const pm_kernel_calibration *kernels,
                          const variation *v, pm_error *error)
{
  pm_machine machine = v->machine != NULL ? *v->machine : from->machine;
  machine.power = pm__vary_node_power(&machine, from->gpu.power, gpu->power);
  pm_system *copy = pm_system_new(&machine, gpu, error);
  if (copy == NULL) return NULL;
  int status = pm__system_set_usable_memory(copy, usable_memory(from, gpu), error);
  if (status == PM_OK) status = copy_links(copy, from, v, error);
  if (status == PM_OK) status = pm__system_set_staged(copy, from->staged, error);
  if (status == PM_OK) status = copy_library(copy, from, v, error);
  if (status == PM_OK && kernels != NULL && kernels->simt_basis != PM_ORIGIN_NONE)
    status = pm_system_set_kernels(copy, kernels, error);
  if (status == PM_OK) return copy;
  pm_system_free(copy);
  return NULL;
}

void pm__vary_power(pm_gpu *gpu)
{
  if (isnan(gpu->reference_power)) gpu->reference_power = gpu->power;
  gpu->most_power = NAN;
}

static void scale_power(pm_gpu *gpu, double factor)
{
  pm__vary_power(gpu);
  gpu->power *= factor;
}

/* Of a node beside its boards, as its maker says or by rule. */
static void scale_host_power(pm_machine *machine, pm_kernel_calibration *kernels, double factor)
{
  machine->host_power *= factor;
  kernels->host_cpu_power *= factor;
  kernels->host_power_air *= factor;
  kernels->host_power_liquid *= factor;
}

/* Clocks and all rates of arithmetic. */
static void scale_clock(pm_gpu *gpu, double factor)
{
  pm__vary_unit("gpu", gpu, "Hz", factor);
  pm__vary_unit("gpu", gpu, "FLOP/s", factor);
}

pm_system *pm__system_new_scaled(const pm_system *system, int resource, double factor, pm_error *error)
{
  if (system == NULL || resource < 0 || resource >= PM_RESOURCE_COUNT || !(factor > 0) || isinf(factor)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT,
             "a scaled system needs a system, one of its numbers, and a positive factor");
    return NULL;
  }
  pm_gpu gpu = system->gpu;
  pm_machine machine = system->machine;
  pm_kernel_calibration kernels = system->kernels;
  const variation v = {resource, factor, NULL, NULL, NULL, &machine};
  if (resource == PM_RESOURCE_CLOCK) scale_clock(&gpu, factor);
  if (resource == PM_RESOURCE_MEMORY_BANDWIDTH) gpu.memory_bandwidth *= factor;
  if (resource == PM_RESOURCE_L2_CACHE) gpu.l2_cache *= factor;
  if (resource == PM_RESOURCE_POWER) scale_power(&gpu, factor);
  if (resource == PM_RESOURCE_HOST_POWER) scale_host_power(&machine, &kernels, factor);
  if (resource == PM_RESOURCE_MEMORY) gpu.memory *= factor;
  if (resource == PM_RESOURCE_HOST) kernels.launch /= factor;
  return copy_of(system, &gpu, &kernels, &v, error);
}

pm_system *pm_system_new_with(const pm_system *system, const pm_system_change *change, pm_error *error)
{
  if (system == NULL || change == NULL || (change->gpu == NULL && change->link == NULL))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a change of a system needs another GPU or link"), (pm_system *)NULL;
  if (change->link != NULL && change->replaced == NULL && system->network.count == 0) {
    pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\" has no network to replace", system->machine.id);
    return NULL;
  }
  const variation v = {-1, 1, change->replaced, change->link, change->calibration, NULL};
  bool other = change->gpu != NULL;
  return copy_of(system, other ? change->gpu : &system->gpu, other ? change->kernels : &system->kernels, &v, error);
}
