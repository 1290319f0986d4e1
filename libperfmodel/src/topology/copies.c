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

/* Searches from a GPU, and from the CPU whose memory its copies pass: the ways to all others are found once. */
typedef struct searches {
  pm__routes from, down;
  int host; /* the CPU; -1: none */
} searches;

static bool open_searches(searches *s, const pm_system *system)
{
  bool from = pm__routes_open(&s->from, system), down = pm__routes_open(&s->down, system);
  return from && down;
}

static void close_searches(searches *s)
{
  pm__routes_close(&s->from);
  pm__routes_close(&s->down);
}

static void search_from(searches *s, int vertex)
{
  if (s->from.start == vertex) return;
  pm__routes_from(&s->from, vertex);
  s->host = pm__routes_nearest(&s->from, PM_VERTEX_CPU);
  if (s->host >= 0) pm__routes_from(&s->down, s->host);
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
static bool direct(const pm__routes *r, int a, int b, way *w)
{
  double payload = 0;
  for (int i = r->first[a]; i < r->first[a + 1]; i++) {
    const pm__edge *e = &r->system->edges[r->incident[i]];
    if (e->a != b && e->b != b) continue;
    payload += pm__edge_copy_payload(e);
    w->links += e->count;
    w->latency = later(w->latency, e->calibration.copy_latency);
  }
  w->bandwidth = payload;
  return payload > 0;
}

static double switch_port(const pm__routes *r, int vertex, way *w)
{
  double payload = 0;
  int links = 0;
  for (int i = r->first[vertex]; i < r->first[vertex + 1]; i++) {
    const pm__edge *e = &r->system->edges[r->incident[i]];
    if (r->system->vertices[e->a == vertex ? e->b : e->a].kind != PM_VERTEX_NVSWITCH) continue;
    payload += pm__edge_copy_payload(e);
    links += e->count;
    w->latency = later(w->latency, e->calibration.copy_latency);
  }
  w->links = links;
  return payload;
}

static bool over_switches(const pm__routes *r, int a, int b, way *w)
{
  w->bandwidth = fmin(switch_port(r, a, w), switch_port(r, b, w));
  w->over_switch = w->bandwidth > 0;
  return w->over_switch;
}

static bool over_pcie(const searches *s, int b, way *w)
{
  if (s->from.distance[b] < 0) return false;
  follow(&s->from, b, w);
  return true;
}

/* Up to host memory and down again; both halves are one copy each. */
static bool over_host(const searches *s, int b, way *w)
{
  if (s->host < 0) return false;
  follow(&s->from, s->host, w);
  if (s->down.distance[b] < 0) return false;
  follow(&s->down, b, w);
  return true;
}

static void name_path(const way *w, char *text)
{
  if (w->links > 0) snprintf(text, PM_TEXT_MAX, "NV%d", w->links);
  else pm__text_set(text, PM_TEXT_MAX, w->cpus > 1 ? "SYS" : w->cpus == 1 ? "PHB" : w->switches > 1 ? "PXB" : "PIX");
}

static int find_pair(const pm_system *system, searches *s, int a, int b, pm_pair *pair, pm_error *error)
{
  way peer = no_way(), staged = no_way();
  search_from(s, a);
  bool linked = direct(&s->from, a, b, &peer) || over_switches(&s->from, a, b, &peer);
  if (!linked) {
    peer = no_way();
    if (!over_pcie(s, b, &peer))
      return pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\": the GPUs are not connected", system->machine.id);
  }
  name_path(&peer, pair->path);
  bool host = over_host(s, b, &staged);
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

/* A GPU and itself are no pair, of which nothing is known. */
static int fill_pair(const pm_system *system, searches *s, int from, int to, pm_pair *pair, pm_error *error)
{
  if (from == to) pm_record_clear(pm_record_type_find("pair"), pair);
  else memset(pair, 0, sizeof *pair);
  pair->sender = from;
  pair->receiver = to;
  return from != to ? find_pair(system, s, system->gpus[from], system->gpus[to], pair, error) : PM_OK;
}

int pm_system_get_pairs(const pm_system *system, int from, int to, int count, pm_pair *pairs, pm_error *error)
{
  searches s;
  if (system == NULL || pairs == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a pair needs a system");
  int have = (int)system->gpu_count;
  if (from < 0 || to < 0 || from >= have || count < 1 || to >= have || count > have - to)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "GPUs %d and %d to %d: a %s has GPUs 0 to %d", from, to,
                    to + (count > 0 ? count - 1 : 0) % have, system->machine.id, have - 1);
  int status = open_searches(&s, system) ? PM_OK : pm__no_memory(error);
  for (int i = 0; status == PM_OK && i < count; i++)
    status = fill_pair(system, &s, from, to + i, &pairs[i], error);
  close_searches(&s);
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

static int add_matrix(pm__string *text, const pm_system *system, searches *s, const char *title, pair_value *value,
                      pm_error *error)
{
  int gpus = (int)system->gpu_count;
  pm__string_format(text, "%s\n   D\\D", title);
  for (int j = 0; j < gpus; j++) pm__string_format(text, " %6d", j);
  pm__string_add(text, "\n");
  for (int i = 0; i < gpus; i++) {
    pm__string_format(text, "%6d", i);
    for (int j = 0; j < gpus; j++) {
      pm_pair pair;
      if (i != j && fill_pair(system, s, i, j, &pair, error) != PM_OK) return PM_STATUS_NO_ROUTE;
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
  searches s;
  int status = open_searches(&s, system) ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) add_access(&text, system);
  for (size_t i = 0; status == PM_OK && i < sizeof matrices / sizeof matrices[0]; i++)
    status = add_matrix(&text, system, &s, matrices[i].title, matrices[i].value, error);
  close_searches(&s);
  if (status == PM_OK && text.failed) pm__no_memory(error);
  if (status == PM_OK && !text.failed) return text.text;
  pm_string_free(text.text);
  return NULL;
}
