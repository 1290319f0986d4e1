/* Prints the links of a node as a matrix, in the layout of `nvidia-smi topo -m`. */
#include <stdlib.h>
#include "perfmodel/collective.h"
#include "topology/drawing.h"
#include "topology/routes.h"

static int other_end(const pm__edge *edge, int vertex)
{
  return edge->a == vertex ? edge->b : edge->a;
}

/* What joins two vertices over PCIe: switches and CPUs on the way. */
static const char *pcie_name(const pm__routes *r, int end)
{
  int cpus = 0, switches = 0;
  while (r->distance[end] > 0) {
    const pm__edge *edge = &r->system->edges[r->via[end]];
    end = other_end(edge, end);
    if (r->distance[end] == 0) break;
    cpus += r->system->vertices[end].kind == PM_VERTEX_CPU;
    switches += r->system->vertices[end].kind == PM_VERTEX_SWITCH;
  }
  if (cpus > 1) return "SYS";
  if (cpus == 1) return switches > 1 ? "NODE" : "PHB";
  return switches > 1 ? "PXB" : "PIX";
}

/* Links of a vertex to another one, or to NVLink switches if `other` is -1. */
static int count_links(const pm__routes *r, int vertex, int other)
{
  int links = 0;
  for (int i = r->first[vertex]; i < r->first[vertex + 1]; i++) {
    const pm__edge *e = &r->system->edges[r->incident[i]];
    int end = other_end(e, vertex);
    if (other >= 0 ? end == other : r->system->vertices[end].kind == PM_VERTEX_NVSWITCH) links += e->count;
  }
  return links;
}

/* AMD's tools name the link and not the number. */
static bool over_xgmi(const pm__routes *r, int vertex)
{
  for (int i = r->first[vertex]; i < r->first[vertex + 1]; i++)
    if (r->system->edges[r->incident[i]].link.kind == PM_LINK_XGMI) return true;
  return false;
}

static int gpu_links(const pm__routes *r, int a, int b)
{
  const pm__vertex *vertices = r->system->vertices;
  if (vertices[a].kind != PM_VERTEX_GPU || vertices[b].kind != PM_VERTEX_GPU) return 0;
  int links = count_links(r, a, b), from = count_links(r, a, -1), to = count_links(r, b, -1);
  return links > 0 ? links : from < to ? from : to;
}

static void add_cell(pm__string *text, pm__routes *r, int a, int b)
{
  int links = a != b ? gpu_links(r, a, b) : 0;
  if (a == b) pm__string_add(text, "\t X ");
  else if (links > 0 && over_xgmi(r, a)) pm__string_add(text, "\tXGMI");
  else if (links > 0) pm__string_format(text, "\tNV%d", links);
  else {
    pm__routes_from(r, a);
    pm__string_format(text, "\t%s", r->distance[b] >= 0 ? pcie_name(r, b) : "-");
  }
}

/* GPUs first, then NICs; returns how many of each. */
static size_t list_ends(const pm_system *system, int *ends, size_t *gpus)
{
  size_t count = 0;
  for (size_t v = 0; v < system->vertex_count; v++)
    if (system->vertices[v].kind == PM_VERTEX_GPU) ends[count++] = (int)v;
  *gpus = count;
  for (size_t v = 0; v < system->vertex_count; v++)
    if (system->vertices[v].kind == PM_VERTEX_NIC) ends[count++] = (int)v;
  return count;
}

static void write_matrix(pm__string *text, const pm_system *system, pm__routes *r, int *list)
{
  size_t gpus, count = list_ends(system, list, &gpus);
  for (size_t i = 0; i < count; i++)
    pm__string_format(text, "\t%s%zu", i < gpus ? "GPU" : "NIC", i < gpus ? i : i - gpus);
  pm__string_add(text, "\n");
  for (size_t i = 0; i < count; i++) {
    pm__string_format(text, "%s%zu", i < gpus ? "GPU" : "NIC", i < gpus ? i : i - gpus);
    for (size_t j = 0; j < count; j++) add_cell(text, r, list[i], list[j]);
    pm__string_add(text, "\n");
  }
}

char *pm__system_format_matrix(const pm_system *system, pm_error *error)
{
  pm__routes r;
  pm__string text = {NULL, 0, 0, false};
  if (system == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no system");
    return NULL;
  }
  int *ends = (int *)calloc(system->vertex_count + 1, sizeof *ends);
  bool good = pm__routes_open(&r, system) && ends != NULL;
  if (good) write_matrix(&text, system, &r, ends);
  pm__routes_close(&r);
  free(ends);
  if (good && !text.failed) return text.text;
  free(text.text);
  pm__no_memory(error);
  return NULL;
}
