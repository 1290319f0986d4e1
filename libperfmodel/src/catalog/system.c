/* Systems from their entries: the machine, its GPU, and the graph of links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "catalog/standard_graph.h"
#include "hardware/kernel_calibration.h"
#include "hardware/system.h"
#include "perfmodel/units.h"

enum { PARALLEL_MAX = 1024 };

typedef struct graph {
  const pm_catalog *catalog;
  const pm__entry *entry;
  pm_system *system;
  pm_error *error; /* never NULL */
} graph;

/* All of these return false with an error that has a place. */

static bool failed(graph *g, const pm__element *e)
{
  pm__error_place(g->error, g->entry->document->file, e->line);
  return false;
}

static bool refuse(graph *g, const pm__element *e, int status, const char *what, const char *value)
{
  pm__entry_fail(g->entry, e->line, g->error, status, "%s \"%.80s\"", what, value);
  return false;
}

static bool check_element(graph *g, const pm__element *e, const char *known)
{
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next)
    if (!pm__list_has(known, a->name)) {
      pm__entry_fail(g->entry, e->line, g->error, PM_STATUS_BAD_SYNTAX, "<%s> has no attribute \"%.60s\"", e->name,
                     a->name);
      return false;
    }
  if (e->text[0] != '\0') return refuse(g, e, PM_STATUS_BAD_SYNTAX, "unexpected text", e->text);
  return true;
}

static const char *need(graph *g, const pm__element *e, const char *name)
{
  const char *value = pm__element_attribute(e, name);
  if (value == NULL)
    pm__entry_fail(g->entry, e->line, g->error, PM_STATUS_BAD_SYNTAX, "<%s> needs the attribute \"%s\"", e->name, name);
  return value;
}

/* The next word of a list, copied; false at the end of the list or for a word that is no name. */
static bool next_word(const char **list, char *word, size_t size)
{
  *list += strspn(*list, " ");
  size_t length = strcspn(*list, " ");
  if (length == 0) return false;
  snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *list);
  *list += length;
  return true;
}

static bool read_count(graph *g, const pm__element *e, const char *text, int *count)
{
  double value;
  if (pm_number_parse(text, &value) != PM_OK || !(value >= 1 && value <= PARALLEL_MAX) || value != (int)value)
    return refuse(g, e, PM_STATUS_BAD_VALUE, "not a number of links:", text);
  *count = (int)value;
  return true;
}

/* ---- Vertices. */

static bool vertex_kind(graph *g, const pm__element *e, pm_vertex_kind *kind)
{
  static const char *const names[] = {"gpu", "cpu", "switch", "nvswitch", "nic"};
  const char *text = need(g, e, "kind");
  for (int i = 0; text != NULL && i <= PM_VERTEX_NIC; i++)
    if (strcmp(text, names[i]) == 0) {
      *kind = (pm_vertex_kind)i;
      return true;
    }
  if (text == NULL) return false;
  return refuse(g, e, PM_STATUS_BAD_VALUE, "a vertex is a gpu, cpu, switch, nvswitch or nic, not a", text);
}

static bool add_vertices(graph *g, const pm__element *e)
{
  pm_vertex_kind kind = PM_VERTEX_GPU;
  char word[2 * PM_TEXT_MAX];
  const char *names = need(g, e, "names");
  if (names == NULL || !check_element(g, e, " kind names ") || !vertex_kind(g, e, &kind)) return false;
  while (next_word(&names, word, sizeof word))
    if (pm_system_add_vertex(g->system, word, kind, g->error) != PM_OK) return failed(g, e);
  return true;
}

static bool add_gpus(graph *g, const pm_machine *machine)
{
  char name[PM_TEXT_MAX];
  if (machine->gpus < 1 || machine->gpus > PM__NODE_GPUS_MAX) {
    pm__entry_fail(g->entry, g->entry->element->line, g->error, PM_STATUS_BAD_VALUE,
                   "gpus is %d; it must be within 1 and %d",
                   machine->gpus, PM__NODE_GPUS_MAX);
    return false;
  }
  for (int i = 0; i < machine->gpus; i++) {
    snprintf(name, sizeof name, "gpu%d", i);
    if (pm_system_add_vertex(g->system, name, PM_VERTEX_GPU, g->error) != PM_OK) return failed(g, g->entry->element);
  }
  return true;
}

/* ---- Links. */

typedef struct link_type {
  const pm_link *link;
  const pm_link_calibration *calibration; /* NULL if there is none */
} link_type;

static bool find_link(graph *g, const pm__element *e, const char *attribute, link_type *type)
{
  const char *name = need(g, e, attribute);
  if (name == NULL) return false;
  const pm__entry *entry, *calibration;
  if (pm__catalog_find(g->catalog, PM__LINKS, name, &entry, g->error) != PM_OK ||
      pm__catalog_seek(g->catalog, PM__CALIBRATIONS, entry->id, &calibration, g->error) != PM_OK)
    return failed(g, e);
  type->link = (const pm_link *)entry->record;
  type->calibration = calibration != NULL ? (const pm_link_calibration *)calibration->record : NULL;
  return true;
}

/* The same link written again, most likely from its other end, would count twice. */
static bool check_new(graph *g, const pm__element *e, const char *a, const char *b, const char *link)
{
  if (!pm__system_joined(g->system, a, b, link)) return true;
  pm__entry_fail(g->entry, e->line, g->error, PM_STATUS_BAD_VALUE,
                 "%.60s and %.60s are already connected by %s; write a link once, \"%.60s*2\" for two links", a, b,
                   link,
                 b);
  return false;
}

static bool add_link(graph *g, const pm__element *e, const char *from, char *to, const link_type *type)
{
  int count = 1;
  char *star = strchr(to, '*');
  if (star != NULL) *star = '\0';
  if (star != NULL && !read_count(g, e, star + 1, &count)) return false;
  if (!check_new(g, e, from, to, type->link->id)) return false;
  if (pm_system_count_edges(g->system) >= PM__NODE_LINKS_MAX)
    return refuse(g, e, PM_STATUS_BAD_VALUE, "too many links at", to);
  if (pm_system_add_link(g->system, from, to, type->link, type->calibration, count, g->error) != PM_OK)
    return failed(g, e);
  return true;
}

static bool add_links(graph *g, const pm__element *e)
{
  link_type type;
  char word[2 * PM_TEXT_MAX];
  const char *from = need(g, e, "from"), *to = from != NULL ? need(g, e, "to") : NULL;
  if (to == NULL || !check_element(g, e, " type from to ") || !find_link(g, e, "type", &type)) return false;
  while (next_word(&to, word, sizeof word))
    if (!add_link(g, e, from, word, &type)) return false;
  return true;
}

static bool add_graph(graph *g, const pm__element *e)
{
  if (e == NULL) return true;
  if (!check_element(g, e, " source note ")) return false;
  for (const pm__element *child = e->child; child != NULL; child = child->next) {
    bool vertex = strcmp(child->name, "vertex") == 0, link = strcmp(child->name, "link") == 0;
    if (!vertex &&
        !link) return refuse(g, child, PM_STATUS_BAD_SYNTAX, "a graph holds <vertex> and <link>, not", child->name);
    if (child->child != NULL) return refuse(g, child->child, PM_STATUS_BAD_SYNTAX, "unexpected element",
                                            child->child->name);
    if (!(vertex ? add_vertices(g, child) : add_links(g, child))) return false;
  }
  return true;
}

/* <topology>nvswitch</topology> stands for a graph; a lone word that is none is a slip, not a description. */
static bool add_topology(graph *g, const pm_machine *machine)
{
  char choices[PM_TEXT_MAX];
  pm__string xml = {NULL, 0, 0, false};
  pm__catalog_topology topology = pm__topology_find(machine->topology);
  const pm__element *e = pm__entry_child(g->entry, "topology");
  if (e == NULL) e = g->entry->element;
  if (topology == PM__TOPOLOGIES) {
    if (machine->topology[0] == '\0' || strchr(machine->topology, ' ') != NULL) return true;
    pm__topology_choices(g->catalog, &g->system->gpu, choices, sizeof choices);
    pm__entry_fail(g->entry, e->line, g->error, PM_STATUS_BAD_VALUE, "unknown topology \"%s\"; those of \"%s\" are: %s",
                   machine->topology, g->system->gpu.id, choices);
    return false;
  }
  bool good = pm__topology_graph(g->catalog, machine, &g->system->gpu, topology, &xml, g->error) == PM_OK;
  pm__document *document = good ? pm__document_read(xml.text, xml.length, "topology", g->error) : NULL;
  good = document != NULL && add_graph(g, document->root);
  pm__document_free(document);
  free(xml.text);
  return good || failed(g, e);
}

static bool set_network(graph *g, const pm__element *e)
{
  int count = 1;
  link_type type;
  if (e == NULL) return true;
  const char *text = pm__element_attribute(e, "count");
  const char *staged = pm__element_attribute(e, "staged");
  if (!check_element(g, e, " link count staged source note ") || !find_link(g, e, "link", &type)) return false;
  if (e->child != NULL) return refuse(g, e->child, PM_STATUS_BAD_SYNTAX, "unexpected element", e->child->name);
  if (text != NULL && !read_count(g, e, text, &count)) return false;
  if (pm_system_set_network(g->system, type.link, type.calibration, count, g->error) != PM_OK) return failed(g, e);
  if (staged != NULL && strcmp(staged, "yes") != 0 && strcmp(staged, "no") != 0)
    return refuse(g, e, PM_STATUS_BAD_VALUE, "staged is yes or no, not", staged);
  if (staged != NULL) pm__system_set_staged(g->system, strcmp(staged, "yes") == 0, NULL);
  return true;
}

/* ---- The whole. */

/* A GPU cannot have more NVLinks in the graph than on its datasheet. */
static bool check_nvlinks(graph *g)
{
  const pm_system *system = g->system;
  int *links = (int *)calloc(system->vertex_count, sizeof *links);
  if (links == NULL) return pm__no_memory(g->error) == PM_OK;
  for (size_t i = 0; i < system->edge_count; i++) {
    const pm__edge *edge = &system->edges[i];
    if (edge->link.kind == PM_LINK_NVLINK) links[edge->a] += edge->count, links[edge->b] += edge->count;
  }
  bool good = true;
  for (size_t i = 0; i < system->vertex_count && good; i++) {
    if (system->vertices[i].kind != PM_VERTEX_GPU || links[i] <= system->gpu.nvlinks) continue;
    pm__entry_fail(g->entry, g->entry->element->line, g->error, PM_STATUS_BAD_VALUE,
                   "%s has %d NVLinks in the graph, but gpu \"%s\" has %d", system->vertices[i].name, links[i],
                   system->gpu.id, system->gpu.nvlinks);
    good = false;
  }
  free(links);
  return good;
}

/* The constants of the collective library, as far as the catalogue has them. */
static bool set_library(graph *g)
{
  static const char *const ids[] = {"ll", "ll128", "simple"};
  pm_protocol protocols[3];
  const char *architecture = g->system->gpu.architecture;
  for (int i = 0; i < 3; i++) {
    const pm__entry *entry;
    if (pm__catalog_seek(g->catalog, PM__PROTOCOLS_KIND, ids[i], &entry, g->error) != PM_OK) return false;
    if (entry == NULL) return true;
    protocols[i] = *(const pm_protocol *)entry->record;
  }
  const pm__entry *tuning, *fit;
  if (pm__catalog_seek(g->catalog, PM__TUNINGS, architecture, &tuning, g->error) != PM_OK ||
      pm__catalog_seek(g->catalog, PM__FITS, architecture, &fit, g->error) != PM_OK)
    return false;
  return pm__system_set_library(g->system, protocols, tuning != NULL ? (const pm_tuning *)tuning->record : NULL,
                               fit != NULL ? (const pm_collective_fit *)fit->record : NULL, g->error) == PM_OK;
}

/* The id of a GPU's kernel constants: its own, or its architecture. */
static const char *kernels_id(const pm_catalog *catalog, const pm_gpu *gpu)
{
  return pm__catalog_has(catalog, PM__KERNEL_CALIBRATIONS, gpu->id) ? gpu->id : gpu->architecture;
}

/* What the constants do not say of a class of operators, an entry of that id says. */
static int take_statuses(const pm_catalog *catalog, const char *id, pm_kernel_calibration *to, pm_error *error)
{
  const pm__entry *entry;
  int status = pm__catalog_seek(catalog, PM__OPERATOR_CALIBRATIONS, id, &entry, error);
  if (status != PM_OK || entry == NULL) return status;
  const pm_operator_calibration *from = (const pm_operator_calibration *)entry->record;
#define TAKE(kind, name, ...) if (to->name == PM_CALIBRATION_STATUS_NONE) to->name = from->name;
  PM_OPERATOR_STATUS_FIELDS(TAKE)
#undef TAKE
  return PM_OK;
}

/* Software is never faster than without any: what runs without takes the fastest library that there is. */
static int set_fastest_library(const pm_catalog *catalog, pm_kernel_calibration *c, pm_error *error)
{
  double simt, tensor;
  int status = pm__catalog_fastest_library(catalog, &simt, &tensor, error);
  if (isnan(c->fastest_simt_factor)) c->fastest_simt_factor = simt;
  if (isnan(c->fastest_tensor_factor)) c->fastest_tensor_factor = tensor;
  return status;
}

int pm_catalog_get_kernels(const pm_catalog *catalog, const pm_gpu *gpu, pm_kernel_calibration *calibration,
                       pm_error *error)
{
  if (catalog == NULL || gpu == NULL || calibration == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "kernel constants need a catalogue, a gpu and a place");
  const pm__entry *entry;
  int status = pm__catalog_seek(catalog, PM__KERNEL_CALIBRATIONS, kernels_id(catalog, gpu), &entry, error);
  if (status != PM_OK) return status;
  if (entry == NULL)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "no kernel constants for gpu \"%s\" of architecture \"%s\"", gpu->id,
                    gpu->architecture);
  status = pm__entry_complete(catalog, entry, calibration, error);
  if (status == PM_OK) status = take_statuses(catalog, gpu->id, calibration, error);
  if (status == PM_OK) status = take_statuses(catalog, calibration->id, calibration, error);
  return status == PM_OK ? set_fastest_library(catalog, calibration, error) : status;
}

/* An architecture may have none. */
static bool set_kernels(graph *g)
{
  pm_kernel_calibration calibration;
  if (!pm__catalog_has(g->catalog, PM__KERNEL_CALIBRATIONS, kernels_id(g->catalog, &g->system->gpu))) return true;
  if (pm_catalog_get_kernels(g->catalog, &g->system->gpu, &calibration, g->error) != PM_OK) return false;
  return pm_system_set_kernels(g->system, &calibration, g->error) == PM_OK || failed(g, g->entry->element);
}

static bool set_usable_memory(graph *g)
{
  double bytes;
  if (pm_catalog_get_usable_memory(g->catalog, &g->system->gpu, &bytes, g->error) != PM_OK) return false;
  return pm__system_set_usable_memory(g->system, bytes, g->error) == PM_OK;
}

static bool build(graph *g)
{
  pm_machine machine;
  const pm__entry *gpu;
  if (pm__entry_complete(g->catalog, g->entry, &machine, g->error) != PM_OK ||
      pm__catalog_find(g->catalog, PM__GPUS, machine.gpu, &gpu, g->error) != PM_OK)
    return failed(g, g->entry->element);
  g->system = pm_system_new(&machine, (const pm_gpu *)gpu->record, g->error);
  if (g->system == NULL || !set_kernels(g) || !set_usable_memory(g) || !add_gpus(g, &machine))
    return failed(g, g->entry->element);
  const pm__element *drawn = pm__entry_child(g->entry, "graph");
  if (!(drawn != NULL ? add_graph(g, drawn) : add_topology(g, &machine))) return false;
  if (!set_network(g, pm__entry_child(g->entry, "network")) || !check_nvlinks(g)) return false;
  if (!set_library(g)) return failed(g, g->entry->element);
  if (pm__system_check(g->system, g->error) != PM_OK) return failed(g, g->entry->element);
  return true;
}

pm_system *pm__entry_system(const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  graph g = {catalog, entry, NULL, &failure};
  if (build(&g)) return g.system;
  pm_system_free(g.system);
  pm__error_take(error, &failure);
  return NULL;
}
