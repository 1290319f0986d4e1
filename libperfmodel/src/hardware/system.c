/* A machine and its link graph. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hardware/system.h"

pm_system *pm_system_new(const pm_machine *machine, const pm_gpu *gpu, pm_error *error)
{
  if (machine == NULL || gpu == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a system needs a machine and a gpu");
    return NULL;
  }
  if (pm__gpu_check(gpu, error) != PM_OK) return NULL;
  pm_system *system = (pm_system *)calloc(1, sizeof *system);
  if (system != NULL) system->keeper = pm__keeper_new();
  if (system == NULL || system->keeper == NULL) {
    pm_system_free(system);
    pm__no_memory(error);
    return NULL;
  }
  system->machine = *machine;
  system->gpu = *gpu;
  system->usable_memory = gpu->memory;
  return system;
}

int pm_system_set_kernels(pm_system *system, const pm_kernel_calibration *calibration, pm_error *error)
{
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
  memset(&system->kernels, 0, sizeof system->kernels);
  if (calibration == NULL) return PM_OK;
  int status = pm_kernel_calibration_check(calibration, error);
  if (status == PM_OK) system->kernels = *calibration;
  return status;
}

int pm__system_set_usable_memory(pm_system *system, double bytes, pm_error *error)
{
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "usable memory needs a system");
  if (!isfinite(bytes) || bytes <= 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "system \"%s\": usable memory %g is not positive", system->machine.id,
                    bytes);
  system->usable_memory = bytes;
  return PM_OK;
}

double pm__system_get_usable_memory(const pm_system *system)
{
  return system != NULL ? system->usable_memory : (double)NAN;
}

const pm_kernel_calibration *pm_system_get_kernels(const pm_system *system)
{
  return system != NULL && system->kernels.simt_basis != PM_ORIGIN_NONE ? &system->kernels : NULL;
}

void pm_system_free(pm_system *system)
{
  if (system == NULL) return;
  pm__keeper_free(system->keeper);
  free(system->vertices);
  free(system->edges);
  free(system->gpus);
  free(system);
}

static int find_vertex(const pm_system *system, const char *name)
{
  for (size_t i = 0; name != NULL && i < system->vertex_count; i++)
    if (strcmp(system->vertices[i].name, name) == 0) return (int)i;
  return -1;
}

static int make_room(pm_system *system, pm_error *error)
{
  pm__vertex *vertices = (pm__vertex *)pm__grow(system->vertices, system->vertex_count, &system->vertex_capacity,
                                                sizeof *vertices);
  if (vertices == NULL) return pm__no_memory(error);
  system->vertices = vertices;
  int *gpus = (int *)pm__grow(system->gpus, system->gpu_count, &system->gpu_capacity, sizeof *gpus);
  if (gpus == NULL) return pm__no_memory(error);
  system->gpus = gpus;
  return PM_OK;
}

int pm_system_add_vertex(pm_system *system, const char *name, pm_vertex_kind kind, pm_error *error)
{
  if (system == NULL || name == NULL || name[0] == '\0' || kind < PM_VERTEX_GPU || kind > PM_VERTEX_NIC)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a vertex needs a system, a name and a kind");
  if (find_vertex(system, name) >= 0) return pm__fail(error, PM_STATUS_BAD_VALUE, "vertex \"%.60s\" already exists",
                                                      name);
  if (make_room(system, error) != PM_OK) return PM_STATUS_NO_MEMORY;
  pm__vertex *vertex = &system->vertices[system->vertex_count];
  memset(vertex, 0, sizeof *vertex);
  if (!pm__text_set(vertex->name, sizeof vertex->name, name))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "vertex name \"%.60s...\" is longer than %d bytes", name,
                    PM_TEXT_MAX - 1);
  vertex->kind = kind;
  if (kind == PM_VERTEX_GPU) system->gpus[system->gpu_count++] = (int)system->vertex_count;
  system->vertex_count++;
  pm__keeper_change(system->keeper);
  return PM_OK;
}

static bool usable(double value)
{
  return isfinite(value) && value >= 0;
}

static int fill_edge(pm__edge *edge, const pm_link *link, const pm_link_calibration *calibration, int count,
                     pm_error *error)
{
  memset(edge, 0, sizeof *edge);
  if (link == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no link type");
  if (count < 1) return pm__fail(error, PM_STATUS_BAD_VALUE, "%d links of type \"%s\"; at least 1 is needed", count,
                                 link->id);
  if (!usable(link->bandwidth) || link->bandwidth == 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "link \"%s\" has no bandwidth", link->id);
  edge->count = count;
  edge->link = *link;
  edge->calibrated = calibration != NULL;
  if (calibration == NULL) {
    edge->calibration.efficiency = 1;
    return PM_OK;
  }
  edge->calibration = *calibration;
  if (!usable(calibration->efficiency) || calibration->efficiency == 0 || calibration->efficiency > 1)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "calibration \"%s\": efficiency %g is not within 0 and 1",
                    calibration->id,
                    calibration->efficiency);
  if (!usable(calibration->hop_latency) || !usable(calibration->base_latency))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "calibration \"%s\" needs hop_latency and base_latency",
                    calibration->id);
  return PM_OK;
}

int pm_system_add_link(pm_system *system, const char *a, const char *b, const pm_link *link,
                       const pm_link_calibration *calibration, int count, pm_error *error)
{
  pm__edge edge;
  if (system == NULL || a == NULL || b == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a link needs two ends");
  int status = fill_edge(&edge, link, calibration, count, error);
  if (status != PM_OK) return status;
  edge.a = find_vertex(system, a);
  edge.b = find_vertex(system, b);
  if (edge.a < 0 || edge.b < 0)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "link \"%s\" ends at \"%.60s\", which is not in the graph", link->id,
                    edge.a < 0 ? a : b);
  if (edge.a == edge.b) return pm__fail(error, PM_STATUS_BAD_VALUE, "link \"%s\" joins \"%.60s\" to itself", link->id,
                                        a);
  pm__edge *edges = (pm__edge *)pm__grow(system->edges, system->edge_count, &system->edge_capacity, sizeof *edges);
  if (edges == NULL) return pm__no_memory(error);
  system->edges = edges;
  system->edges[system->edge_count++] = edge;
  pm__keeper_change(system->keeper);
  return PM_OK;
}

int pm_system_set_network(pm_system *system, const pm_link *link, const pm_link_calibration *calibration, int count,
                          pm_error *error)
{
  pm__edge edge;
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
  int status = fill_edge(&edge, link, calibration, count, error);
  if (status != PM_OK) return status;
  if (link->kind != PM_LINK_INFINIBAND && link->kind != PM_LINK_ETHERNET)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "link \"%s\" does not join nodes; use infiniband or ethernet",
                    link->id);
  system->network = edge;
  pm__keeper_change(system->keeper);
  return PM_OK;
}

int pm__system_set_staged(pm_system *system, int staged, pm_error *error)
{
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
  system->staged = staged != 0;
  pm__keeper_change(system->keeper);
  return PM_OK;
}

static bool latencies_known(const pm_protocol *p)
{
  const double values[] = {p->ring_base, p->ring_nvlink, p->ring_pcie, p->ring_network,
                           p->tree_base, p->tree_nvlink, p->tree_pcie, p->tree_network};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    if (!usable(values[i])) return false;
  return p->payload > 0 && p->payload <= 1;
}

int pm__system_set_library(pm_system *system, const pm_protocol *protocols, const pm_tuning *tuning,
                          const pm_collective_fit *fit, pm_error *error)
{
  if (system == NULL || protocols == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system or no protocols");
  for (int i = 0; i < 3; i++) {
    if (!latencies_known(&protocols[i]))
      return pm__fail(error, PM_STATUS_BAD_VALUE, "protocol \"%s\" lacks a latency or its payload", protocols[i].id);
    system->protocol[i] = protocols[i];
  }
  system->has_protocols = true;
  system->has_tuning = tuning != NULL;
  if (tuning != NULL) system->tuning = *tuning;
  system->has_fit = fit != NULL;
  if (fit != NULL) system->fit = *fit;
  pm__keeper_change(system->keeper);
  return PM_OK;
}

/* Every vertex that can be reached from GPU 0 is marked. */
static void mark_reached(const pm_system *system, bool *reached)
{
  reached[system->gpus[0]] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < system->edge_count; i++) {
      const pm__edge *edge = &system->edges[i];
      if (reached[edge->a] == reached[edge->b]) continue;
      reached[edge->a] = reached[edge->b] = true;
      grew = true;
    }
  }
}

int pm__system_check(const pm_system *system, pm_error *error)
{
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
  const char *id = system->machine.id;
  if (system->gpu_count == 0) return pm__fail(error, PM_STATUS_BAD_VALUE, "system \"%s\" has no GPU", id);
  if ((size_t)system->machine.gpus != system->gpu_count)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "system \"%s\": gpus is %d, but the graph has %d", id,
                    system->machine.gpus,
                    (int)system->gpu_count);
  bool *reached = (bool *)calloc(system->vertex_count, sizeof *reached);
  if (reached == NULL) return pm__no_memory(error);
  mark_reached(system, reached);
  int status = PM_OK;
  for (size_t i = 0; i < system->vertex_count && status == PM_OK; i++)
    if (!reached[i])
      status = pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\": nothing links \"%s\" to gpu0", id,
                        system->vertices[i].name);
  free(reached);
  return status;
}

const pm_machine *pm_system_get_machine(const pm_system *system)
{
  return system != NULL ? &system->machine : NULL;
}

static bool is_power_of_two(int number)
{
  return number > 0 && (number & (number - 1)) == 0;
}

int pm_machine_get_nodes(const pm_machine *machine, int gpus)
{
  if (machine == NULL || machine->gpus < 1 || gpus < 1) return 0;
  if (gpus <= machine->gpus) return 1;
  if (gpus % machine->gpus == 0) return gpus / machine->gpus;
  if (is_power_of_two(machine->gpus)) return 0;
  for (int nodes = gpus / machine->gpus + 1; gpus / nodes >= (machine->gpus + 1) / 2; nodes++)
    if (gpus % nodes == 0) return nodes;
  return 0;
}

const pm_gpu *pm_system_get_gpu(const pm_system *system)
{
  return system != NULL ? &system->gpu : NULL;
}

int pm_system_count_edges(const pm_system *system)
{
  return system != NULL ? (int)system->edge_count : 0;
}

/* One flow may be held below the line rate; parallel links carry a flow each. */
double pm__edge_payload(const pm__edge *edge)
{
  double rate = edge->link.bandwidth;
  if (edge->link.flow_bandwidth < rate) rate = edge->link.flow_bandwidth;
  return edge->count * rate * edge->calibration.efficiency;
}

double pm__edge_copy_payload(const pm__edge *edge)
{
  double share = edge->calibration.copy_efficiency;
  if (!(share > 0)) share = edge->calibration.efficiency;
  return edge->count * edge->link.bandwidth * share;
}

int pm_system_get_edge(const pm_system *system, int index, pm_edge *row)
{
  if (system == NULL || row == NULL || index < 0 || (size_t)index >= system->edge_count) return PM_STATUS_BAD_ARGUMENT;
  const pm__edge *edge = &system->edges[index];
  memset(row, 0, sizeof *row);
  memcpy(row->a, system->vertices[edge->a].name, sizeof row->a);
  memcpy(row->b, system->vertices[edge->b].name, sizeof row->b);
  memcpy(row->link, edge->link.id, sizeof row->link);
  row->count = edge->count;
  row->bandwidth = edge->count * edge->link.bandwidth;
  row->payload = pm__edge_payload(edge);
  return PM_OK;
}

bool pm__system_joined(const pm_system *system, const char *a, const char *b, const char *link)
{
  int from = find_vertex(system, a), to = find_vertex(system, b);
  for (size_t i = 0; from >= 0 && to >= 0 && i < system->edge_count; i++) {
    const pm__edge *edge = &system->edges[i];
    bool joins = (edge->a == from && edge->b == to) || (edge->a == to && edge->b == from);
    if (joins && strcmp(edge->link.id, link) == 0) return true;
  }
  return false;
}

int pm__system_count_gpu_links(const pm_system *system, int i, int j)
{
  if (system == NULL || i < 0 || j < 0 || (size_t)i >= system->gpu_count || (size_t)j >= system->gpu_count) return 0;
  int a = system->gpus[i], b = system->gpus[j], links = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *edge = &system->edges[k];
    if ((edge->a == a && edge->b == b) || (edge->a == b && edge->b == a)) links += edge->count;
  }
  return links;
}

const char *pm_system_get_network_link(const pm_system *system)
{
  return system != NULL && system->network.count > 0 ? system->network.link.id : "";
}

double pm_system_get_network_bandwidth(const pm_system *system)
{
  return system != NULL ? system->network.count * system->network.link.bandwidth : 0;
}
