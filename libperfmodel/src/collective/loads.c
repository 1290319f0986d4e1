/*
** What a collective moves over every link. Algorithms say how many bytes, and whether along the rings or to the host;
** rings over direct links load their cycles, others the ports to the switches or the way through PCIe. Inside a node
** each GPU sends and receives the same.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "record/sized.h"
#include "collective/handle.h"
#include "topology/routes.h"

/* Bytes from a to b over their direct links, in proportion to what these carry. */
static void load_direct(const pm_system *system, double *load, int a, int b, double bytes)
{
  double total = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < system->edge_count; k++) {
      const pm__edge *e = &system->edges[k];
      if ((e->a != a || e->b != b) && (e->a != b || e->b != a)) continue;
      if (pass == 0) total += pm__edge_payload(e);
      else load[2 * k + (e->b == a)] += bytes * pm__edge_payload(e) / total;
    }
}

/* Along the cycles over direct links. */
static void load_cycles(const pm_group *group, double inside, double *load)
{
  const pm_system *system = group->system;
  for (int c = 0; c < group->cycles->count; c++)
    for (int i = 0; i < group->count; i++) {
      const int *order = &group->cycles->order[c * group->count];
      int a = system->gpus[group->gpu[order[i]]], b = system->gpus[group->gpu[order[(i + 1) % group->count]]];
      load_direct(system, load, a, b, inside * group->cycles->weight[c] / group->directed_rings);
    }
}

/* Through the ports to the switches, in proportion to their bandwidth. */
static void load_ports(const pm_group *group, double inside, double *load)
{
  const pm_system *system = group->system;
  for (int i = 0; i < group->count; i++) {
    int gpu = system->gpus[group->gpu[i]];
    double total = 0;
    for (int pass = 0; pass < 2; pass++)
      for (size_t k = 0; k < system->edge_count; k++) {
        const pm__edge *e = &system->edges[k];
        int other = e->a == gpu ? e->b : e->b == gpu ? e->a : -1;
        if (other < 0 || system->vertices[other].kind != PM_VERTEX_NVSWITCH) continue;
        if (pass == 0) total += pm__edge_payload(e);
        else {
          load[2 * k] += inside * pm__edge_payload(e) / total;
          load[2 * k + 1] += inside * pm__edge_payload(e) / total;
        }
      }
  }
}

static bool load_routes(const pm_group *group, double inside, bool to_host, double *load)
{
  pm__routes r;
  const pm_system *system = group->system;
  pm__ring_path path = pm__ring_path_none();
  bool good = pm__routes_open(&r, system);
  for (int i = 0; good && i < group->count; i++) {
    const int *order = group->cycles->order;
    int a = system->gpus[group->gpu[order[i]]], b = system->gpus[group->gpu[order[(i + 1) % group->count]]];
    if (!to_host) good = pm__routes_hop(&r, a, b, system->machine.staged, &path);
    else {
      pm__routes_from(&r, a);
      int host = pm__routes_nearest(&r, PM_VERTEX_CPU);
      if (host >= 0) pm__routes_load(&r, host, 1, &path);
    }
  }
  for (size_t k = 0; good && k < 2 * system->edge_count; k++) {
    load[k] += r.load[k] * inside;
    if (to_host) load[k ^ 1u] += r.load[k] * inside; /* pushed, then pulled */
  }
  pm__routes_close(&r);
  return good;
}

static void fill_row(const pm_system *system, size_t k, const double *load, double time, pm_load *row)
{
  const pm__edge *e = &system->edges[k];
  double most = fmax(load[2 * k], load[2 * k + 1]);
  memcpy(row->a, system->vertices[e->a].name, sizeof row->a);
  memcpy(row->b, system->vertices[e->b].name, sizeof row->b);
  memcpy(row->link, e->link.id, sizeof row->link);
  row->count = e->count;
  row->forward = load[2 * k];
  row->backward = load[2 * k + 1];
  row->busy = time > 0 ? most / pm__edge_payload(e) / time : 0;
}

static void fill_network(const pm_group *group, double between, double time, pm_load *row)
{
  const pm__edge *e = &group->system->network;
  memcpy(row->a, "node", sizeof "node");
  memcpy(row->b, "network", sizeof "network");
  memcpy(row->link, e->link.id, sizeof row->link);
  row->count = e->count;
  row->forward = row->backward = between;
  row->busy = time > 0 ? between / group->parameters.network / time : 0;
}

static bool load_inside(const pm_group *group, const pm__collective_traffic *traffic, double *load)
{
  if (group->count == 1) return true;
  double inside = traffic->inside;
  if (traffic->route == PM__ROUTE_HOST) return load_routes(group, inside, true, load);
  if (group->directed_rings == 0) return load_routes(group, inside, false, load);
  if (group->parameters.switched) load_ports(group, inside, load);
  else load_cycles(group, inside, load);
  return true;
}

/* One rank moves nothing, whatever the algorithm. */
static pm__collective_traffic traffic_of(const pm_group *group, const pm_collective_time *result, const pm_call *call)
{
  pm__collective_traffic none = {.route = PM__ROUTE_RINGS, .inside = 0, .between = 0};
  if (group->parameters.ranks <= 1) return none;
  const pm__collective_algorithm *algorithm = pm__collective_algorithm_of(result->algorithm);
  return algorithm->traffic(&group->parameters, (pm_collective)call->collective, call->bytes);
}

static pm_table *table_of(const pm_group *group, const pm_collective_time *result, const pm_call *call,
                          pm_error *error)
{
  const pm_system *system = group->system;
  bool network = group->choice.nodes > 1;
  size_t rows = system->edge_count + network;
  pm_load *list = (pm_load *)calloc(rows + 1, sizeof *list);
  double *load = (double *)calloc(2 * system->edge_count + 1, sizeof *load);
  pm_table *table = pm_table_new(rows, error);
  pm__collective_traffic traffic = traffic_of(group, result, call);
  bool good = list != NULL && load != NULL && table != NULL && load_inside(group, &traffic, load);
  for (size_t k = 0; good && k < system->edge_count; k++) fill_row(system, k, load, result->time, &list[k]);
  if (good && network) fill_network(group, traffic.between, result->time, &list[system->edge_count]);
  if (!good) pm__no_memory(error);
  good = good && pm_table_add_records(table, pm_record_type_find("load"), list, error) == PM_OK;
  free(load);
  free(list);
  if (good) return table;
  pm_table_free(table);
  return NULL;
}

pm_table *pm_group_tabulate_loads_sized(const pm_group *group, const pm_call *call, size_t size, pm_error *error)
{
  pm_call own;
  pm_collective_time result;
  if (group == NULL || call == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "loads need a group and a call");
    return NULL;
  }
  if (pm__record_size_check("call", size, error) != PM_OK) return NULL;
  call = (const pm_call *)pm__record_read(&(pm__record_array){"call", call, size}, 0, &own);
  pm_group_evaluate(group, call, &result, 1);
  if (result.status != PM_OK) {
    pm__fail(error, result.status, "the collective cannot be evaluated: %s", pm_status_get_text(result.status));
    return NULL;
  }
  return table_of(group, &result, call, error);
}
