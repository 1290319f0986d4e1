/*
** Predicts copies from GPU to GPU, with peer access and through host memory, and prints them in the layout of CUDA's
** peer-to-peer test.
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/collective.h"
#include "topology/drawing.h"
#include "topology/routes.h"

/* The slowest link of a way, and what it passes. */
typedef struct way {
  double bandwidth, latency;
  int cpus, switches, links;
  bool over_switch; /* NVLink switches */
} way;

static double later(double a, double b)
{
  return isnan(b) || b < a ? a : b;
}

static void pass(way *w, const pm__edge *edge)
{
  double payload = pm__edge_copy_payload(edge);
  if (payload < w->bandwidth) w->bandwidth = payload;
  w->latency = later(w->latency, edge->calibration.copy_latency);
}

/* Follows the way found by the last search back from `end`. */
static void follow(const pm__routes *r, int end, way *w)
{
  while (r->distance[end] > 0) {
    const pm__edge *edge = &r->system->edges[r->via[end]];
    pass(w, edge);
    end = edge->a == end ? edge->b : edge->a;
    if (r->distance[end] == 0) break;
    w->cpus += r->system->vertices[end].kind == PM_VERTEX_CPU;
    w->switches += r->system->vertices[end].kind == PM_VERTEX_SWITCH;
  }
}

static way no_way(void)
{
  return (way){INFINITY, 0, 0, 0, 0, false};
}

/* Direct links, all together. */
static bool direct(const pm_system *system, int a, int b, way *w)
{
  double payload = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *e = &system->edges[k];
    if ((e->a != a || e->b != b) && (e->a != b || e->b != a)) continue;
    payload += pm__edge_copy_payload(e);
    w->links += e->count;
    w->latency = later(w->latency, e->calibration.copy_latency);
  }
  w->bandwidth = payload;
  return payload > 0;
}

static double switch_port(const pm_system *system, int vertex, way *w)
{
  double payload = 0;
  int links = 0;
  for (size_t k = 0; k < system->edge_count; k++) {
    const pm__edge *e = &system->edges[k];
    int other = e->a == vertex ? e->b : e->b == vertex ? e->a : -1;
    if (other < 0 || system->vertices[other].kind != PM_VERTEX_NVSWITCH) continue;
    payload += pm__edge_copy_payload(e);
    links += e->count;
    w->latency = later(w->latency, e->calibration.copy_latency);
  }
  w->links = links;
  return payload;
}

static bool over_switches(const pm_system *system, int a, int b, way *w)
{
  w->bandwidth = fmin(switch_port(system, a, w), switch_port(system, b, w));
  w->over_switch = w->bandwidth > 0;
  return w->over_switch;
}

static bool over_pcie(pm__routes *r, int a, int b, way *w)
{
  pm__routes_from(r, a);
  if (r->distance[b] < 0) return false;
  follow(r, b, w);
  return true;
}

/* Up to host memory and down again; both halves are one copy each. */
static bool over_host(pm__routes *r, int a, int b, way *w)
{
  pm__routes_from(r, a);
  int host = pm__routes_nearest(r, PM_VERTEX_CPU);
  if (host < 0) return false;
  follow(r, host, w);
  pm__routes_from(r, host);
  if (r->distance[b] < 0) return false;
  follow(r, b, w);
  return true;
}

static void name_path(const way *w, char *text)
{
  if (w->links > 0) snprintf(text, PM_TEXT_MAX, "NV%d", w->links);
  else pm__text_set(text, PM_TEXT_MAX, w->cpus > 1 ? "SYS" : w->cpus == 1 ? "PHB" : w->switches > 1 ? "PXB" : "PIX");
}

static int find_pair(const pm_system *system, pm__routes *r, int a, int b, pm_pair *pair, pm_error *error)
{
  way peer = no_way(), staged = no_way();
  bool linked = direct(system, a, b, &peer) || over_switches(system, a, b, &peer);
  if (!linked) {
    peer = no_way();
    if (!over_pcie(r, a, b, &peer))
      return pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\": the GPUs are not connected", system->machine.id);
  }
  name_path(&peer, pair->path);
  bool host = over_host(r, a, b, &staged);
  pair->staged_bandwidth = pair->staged_both_ways = host ? staged.bandwidth : (double)NAN;
  pair->staged_latency = host && staged.latency > 0 ? staged.latency : (double)NAN;
  pair->bandwidth = peer.bandwidth;
  pair->both_ways = peer.bandwidth * (linked || peer.cpus == 0 ? 2 : 1); /* peers across a CPU share its path */
  pair->latency = peer.latency > 0 ? peer.latency : (double)NAN;
  if (linked || !system->machine.staged || !host) return PM_OK;
  pair->bandwidth = pair->staged_bandwidth;
  pair->both_ways = pair->staged_both_ways;
  pair->latency = pair->staged_latency;
  return PM_OK;
}

int pm_system_get_pair(const pm_system *system, int from, int to, pm_pair *pair, pm_error *error)
{
  pm__routes r;
  if (system == NULL || pair == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a pair needs a system");
  int have = (int)system->gpu_count;
  if (from < 0 || to < 0 || from >= have || to >= have)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "GPUs %d and %d: a %s has GPUs 0 to %d", from, to,
                    system->machine.id,
                    have - 1);
  if (from == to) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "GPU %d and itself are no pair", from);
  memset(pair, 0, sizeof *pair);
  pair->sender = from;
  pair->receiver = to;
  int status = pm__routes_open(&r, system)
                 ? find_pair(system, &r, system->gpus[from], system->gpus[to], pair, error)
                 : pm__no_memory(error);
  pm__routes_close(&r);
  return status;
}

/* ---- The layout of CUDA's p2pBandwidthLatencyTest ---- */

typedef double pair_value(const pm_system *system, const pm_pair *pair);

static double alone(const pm_system *system)
{
  return system->gpu.memory_bandwidth;
}

static double staged_one_way(const pm_system *s, const pm_pair *p)
{
  return p != NULL ? p->staged_bandwidth / 1e9 : alone(s) / 1e9;
}

static double peer_one_way(const pm_system *s, const pm_pair *p)
{
  return p != NULL ? p->bandwidth / 1e9 : alone(s) / 1e9;
}

static double staged_both(const pm_system *s, const pm_pair *p)
{
  return p != NULL ? p->staged_both_ways / 1e9 : alone(s) / 1e9;
}

static double peer_both(const pm_system *s, const pm_pair *p)
{
  return p != NULL ? p->both_ways / 1e9 : alone(s) / 1e9;
}

static double staged_latency(const pm_system *s, const pm_pair *p)
{
  (void)s;
  return p != NULL ? p->staged_latency * 1e6 : (double)NAN;
}

static double peer_latency(const pm_system *s, const pm_pair *p)
{
  (void)s;
  return p != NULL ? p->latency * 1e6 : (double)NAN;
}

/* Two decimals without a locale; an unknown value is "-". */
static void add_cell(pm__string *text, double value)
{
  if (isnan(value)) {
    pm__string_format(text, " %6s", "-");
    return;
  }
  long hundredths = lround(value * 100);
  pm__string_format(text, " %3ld.%02ld", hundredths / 100, hundredths % 100);
}

static int add_matrix(pm__string *text, const pm_system *system, const char *title, pair_value *value, pm_error *error)
{
  int gpus = (int)system->gpu_count;
  pm__string_format(text, "%s\n   D\\D", title);
  for (int j = 0; j < gpus; j++) pm__string_format(text, " %6d", j);
  pm__string_add(text, "\n");
  for (int i = 0; i < gpus; i++) {
    pm__string_format(text, "%6d", i);
    for (int j = 0; j < gpus; j++) {
      pm_pair pair;
      if (i != j && pm_system_get_pair(system, i, j, &pair, error) != PM_OK) return PM_STATUS_NO_ROUTE;
      add_cell(text, value(system, i != j ? &pair : NULL));
    }
    pm__string_add(text, "\n");
  }
  return PM_OK;
}

static void add_access(pm__string *text, const pm_system *system)
{
  int gpus = (int)system->gpu_count;
  pm__string_add(text, "P2P Connectivity Matrix\n     D\\D");
  for (int j = 0; j < gpus; j++) pm__string_format(text, " %5d", j);
  pm__string_add(text, "\n");
  for (int i = 0; i < gpus; i++) {
    pm__string_format(text, "%8d", i);
    for (int j = 0; j < gpus; j++) pm__string_format(text, " %5d", i == j || !system->machine.staged);
    pm__string_add(text, "\n");
  }
}

char *pm__system_format_pairs(const pm_system *system, pm_error *error)
{
  static const struct {
    const char *title;
    pair_value *value;
  } matrices[] = {{"Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)", staged_one_way},
                  {"Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)", peer_one_way},
                  {"Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)", staged_both},
                  {"Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)", peer_both},
                  {"P2P=Disabled Latency Matrix (us)", staged_latency},
                  {"P2P=Enabled Latency Matrix (us)", peer_latency}};
  pm__string text = {NULL, 0, 0, false};
  if (system == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
    return NULL;
  }
  add_access(&text, system);
  for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
    if (add_matrix(&text, system, matrices[i].title, matrices[i].value, error) != PM_OK) {
      pm_string_free(text.text);
      return NULL;
    }
  if (!text.failed) return text.text;
  pm_string_free(text.text);
  pm__no_memory(error);
  return NULL;
}
