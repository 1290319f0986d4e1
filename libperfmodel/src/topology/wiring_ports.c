/*
** What the links let some GPUs send at once: to the network, to each other in pairs, to the CPUs. Every flow loads the
** links of its way, and the link with the most flows for its payload limits all of them.
*/
#include "topology/routes.h"
#include "topology/wiring.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int vertex_of(const pm__wiring *wiring, int member)
{
  return wiring->system->gpus[wiring->kept.gpu[member]];
}

static void set_port(pm__wiring_port *port, double payload, const char *limit)
{
  port->payload = payload;
  memcpy(port->limit, limit, sizeof port->limit); /* ids have the same size everywhere */
}

/* ---- Network ---- */

/* Distance from a GPU to the nearest NIC, or -1. */
static int nic_distance(pm__routes *r, int gpu)
{
  pm__routes_from(r, gpu);
  int nic = pm__routes_nearest(r, PM_VERTEX_NIC);
  return nic >= 0 ? r->distance[nic] : -1;
}

/* GPUs of a node: those of a list, or all. */
typedef struct members {
  const pm_system *system;
  const int *gpu; /* NULL: 0 .. count-1 */
  int count;
} members;

static int vertex_at(const members *m, int i)
{
  return m->system->gpus[m->gpu != NULL ? m->gpu[i] : i];
}

/* The member that a NIC serves: one that has no nearer NIC, and of those the one with the fewest yet. -1: none. */
static int served_by(const members *m, pm__routes *r, int nic, const int *nearest, const int *served)
{
  int best = -1;
  pm__routes_from(r, nic);
  for (int i = 0; i < m->count; i++) {
    int distance = r->distance[vertex_at(m, i)];
    if (distance < 0 || distance != nearest[i]) continue;
    if (best < 0 || served[i] < served[best]) best = i;
  }
  return best;
}

/* Loads the way from a GPU to each NIC that is nearest to some of them. Returns how many, -1 without memory. */
static int use_nics(const members *m, pm__routes *r, pm__ring_path *path)
{
  int count = 0;
  const pm_system *system = m->system;
  int *nearest = (int *)calloc(2 * (size_t)m->count, sizeof *nearest);
  if (nearest == NULL) return -1;
  int *served = nearest + m->count;
  for (int i = 0; i < m->count; i++) nearest[i] = nic_distance(r, vertex_at(m, i));
  for (size_t v = 0; v < system->vertex_count; v++) {
    if (system->vertices[v].kind != PM_VERTEX_NIC) continue;
    int member = served_by(m, r, (int)v, nearest, served);
    if (member < 0) continue;
    served[member]++;
    count++;
    pm__routes_hop(r, vertex_at(m, member), (int)v, system->staged, path);
  }
  free(nearest);
  return count;
}

/* How many NICs the GPUs reach, and what each lets through when all are used; -1 without memory. */
static int reach_nics(const members *m, pm__routes *r, pm__ring_path *path)
{
  *path = pm__ring_path_none();
  pm__routes_clear(r);
  int reached = use_nics(m, r, path);
  pm__routes_limit(r, path);
  return reached;
}

static int count_nics(const pm_system *system)
{
  int count = 0;
  for (size_t v = 0; v < system->vertex_count; v++) count += system->vertices[v].kind == PM_VERTEX_NIC;
  return count;
}

/* The ports of the NICs that the group reaches, and what the links on the way let through. */
static int fill_network(pm__wiring *wiring, pm__routes *r, pm_error *error)
{
  const pm_system *system = wiring->system;
  const pm__edge *network = &system->network;
  int nics = count_nics(system), reached;
  if (network->count == 0) return PM_OK;
  double line = pm__edge_payload(network);
  set_port(&wiring->network, line, network->link.id);
  wiring->nics = network->count;
  wiring->all_adapters = line;
  if (nics == 0) {
    if ((size_t)network->count < system->gpu_count) return PM_OK;
    double share = (double)wiring->kept.count / (double)system->gpu_count; /* a port or more for each GPU */
    wiring->network.payload = line * share;
    wiring->nics = (int)ceil(network->count * share);
    return PM_OK;
  }
  const members own = {system, wiring->kept.gpu, wiring->kept.count}, all = {system, NULL, (int)system->gpu_count};
  pm__ring_path path;
  reached = reach_nics(&own, r, &path);
  if (reached < 0) return pm__no_memory(error);
  wiring->nics = reached > 0 ? reached : nics;
  wiring->network.payload = line * (double)wiring->nics / nics;
  if (reached > 0 && path.bandwidth > 0 && path.bandwidth * reached < wiring->network.payload)
    set_port(&wiring->network, path.bandwidth * reached, path.limit->link.id);
  reached = reach_nics(&all, r, &path);
  if (reached < 0) return pm__no_memory(error);
  if (reached > 0 && path.bandwidth > 0) wiring->all_adapters = fmin(line, path.bandwidth * reached);
  return PM_OK;
}

/* ---- Pairs ---- */

/* Pairs without links of their own: each loads its way, through host memory without peer access. */
typedef struct pairs {
  pm__ring_path path;
  double slowest; /* of the pairs so far; 0 if one has no way */
  int *host;      /* of each member: the CPU that it is reached through, -1: none */
  int *through;   /* of each member: pairs that reach it so */
} pairs;

/* The pairs that begin at a member. */
static void load_from(pm__wiring *wiring, pm__routes *r, pairs *p, int from)
{
  int a = vertex_of(wiring, from);
  for (int to = 0; p->slowest > 0 && to < wiring->kept.count; to++) {
    const pm__edge *edge = NULL;
    int b = vertex_of(wiring, to);
    double payload = from == to ? (double)INFINITY : pm__routes_direct(r, a, b, &edge);
    if (payload == 0) {
      int end = p->host[to] >= 0 ? p->host[to] : b;
      pm__routes_from(r, a);
      if (r->distance[end] < 0) p->slowest = 0;
      else pm__routes_load(r, end, 1, &p->path);
      p->through[to]++;
    } else if (payload < p->slowest) {
      p->slowest = payload;
      set_port(&wiring->pair, payload, edge->link.id);
    }
  }
}

static void load_pairs(pm__wiring *wiring, pm__routes *r, pairs *p)
{
  int count = wiring->kept.count;
  for (int i = 0; i < count; i++) {
    p->host[i] = -1;
    if (!wiring->system->machine.staged) continue;
    pm__routes_from(r, vertex_of(wiring, i));
    p->host[i] = pm__routes_nearest(r, PM_VERTEX_CPU);
  }
  for (int i = 0; i < count; i++) load_from(wiring, r, p, i);
  for (int i = 0; i < count; i++) {
    if (p->host[i] < 0 || p->through[i] == 0) continue;
    pm__routes_from(r, p->host[i]);
    pm__routes_load(r, vertex_of(wiring, i), p->through[i], &p->path);
  }
}

/* What one GPU gets when all exchange at once: pairs with links use those, the others share PCIe; the slowest counts.
** 0 if a pair has no way to each other. False if there is no memory. */
static bool fill_pairs(pm__wiring *wiring, pm__routes *r)
{
  int count = wiring->kept.count;
  set_port(&wiring->pair, wiring->packed.bandwidth, wiring->packed.limit);
  if (count == 1 || wiring->packed.switched) return true;
  pairs p = {pm__ring_path_none(), INFINITY, (int *)calloc(2 * (size_t)count, sizeof(int)), NULL};
  if (p.host == NULL) return false;
  p.through = p.host + count;
  pm__routes_clear(r);
  load_pairs(wiring, r, &p);
  free(p.host);
  pm__routes_limit(r, &p.path);
  if (p.path.bandwidth > 0 && p.path.bandwidth < p.slowest) {
    p.slowest = p.path.bandwidth;
    set_port(&wiring->pair, p.slowest, p.path.limit->link.id);
  }
  wiring->pair.payload = p.slowest * (count - 1);
  return true;
}

/* ---- Host ---- */

/* What one GPU gets when all GPUs of the node send to CPUs: one CPU, or each its nearest. */
static void fill_host(pm__wiring *wiring, pm__routes *r, bool nearest)
{
  pm__ring_path path = pm__ring_path_none();
  int host = -1;
  pm__routes_clear(r);
  set_port(&wiring->host[nearest], INFINITY, wiring->packed.limit);
  for (int i = 0; i < wiring->kept.count; i++) {
    pm__routes_from(r, vertex_of(wiring, i));
    if (host < 0 || nearest) host = pm__routes_nearest(r, PM_VERTEX_CPU);
    if (host >= 0 && r->distance[host] >= 0) pm__routes_load(r, host, 1, &path);
  }
  pm__routes_limit(r, &path);
  if (path.bandwidth > 0) set_port(&wiring->host[nearest], path.bandwidth, path.limit->link.id);
}

int pm__wiring_ports(pm__wiring *wiring, pm_error *error)
{
  pm__routes r;
  int status = pm__routes_open(&r, wiring->system) ? fill_network(wiring, &r, error) : pm__no_memory(error);
  if (status == PM_OK && !fill_pairs(wiring, &r)) status = pm__no_memory(error);
  if (status == PM_OK) {
    fill_host(wiring, &r, false);
    fill_host(wiring, &r, true);
  }
  pm__routes_close(&r);
  return status;
}
