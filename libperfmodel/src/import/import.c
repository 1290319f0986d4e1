/* Machines described by other programs, written as ours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"

/* ---- Writing. */

static void add_vertices(pm__string *xml, const pm__sketch *w, pm_vertex_kind kind, const char *name)
{
  if (w->counts[kind] == 0) return;
  pm__string_format(xml, "      <vertex kind=\"%s\" names=\"", name);
  for (int i = 0, n = 0; i < w->end_count; i++)
    if (w->ends[i].kind == kind) pm__string_format(xml, "%s%s", n++ > 0 ? " " : "", w->ends[i].name);
  pm__string_add(xml, "\"/>\n");
}

static void add_wires(pm__string *xml, const pm__sketch *w)
{
  for (int i = 0; i < w->wire_count; i++) {
    const pm__wire *wire = &w->wires[i];
    pm__string_format(xml, "      <link type=\"%s\" from=\"%s\" to=\"%s", wire->link, w->ends[wire->a].name,
                      w->ends[wire->b].name);
    if (wire->count > 1) pm__string_format(xml, "*%d", wire->count);
    pm__string_add(xml, "\"/>\n");
  }
}

/* The network link type whose rate is nearest to the NICs'. */
static const char *network_type(const pm__sketch *w)
{
  const char *best = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < w->catalog->lists[PM__LINKS].count; i++) {
    const pm__entry *entry;
    if (pm__catalog_at(w->catalog, PM__LINKS, i, &entry, NULL) != PM_OK) return NULL;
    const pm_link *link = (const pm_link *)entry->record;
    if (link->kind != PM_LINK_INFINIBAND) continue;
    double off = fabs(log(link->bandwidth / w->network));
    if (off >= least) continue;
    least = off;
    best = entry->id;
  }
  return best;
}

static void add_network(pm__string *xml, pm__sketch *w)
{
  const char *type = w->network > 0 ? network_type(w) : NULL;
  if (type == NULL) {
    pm__string_add(&w->report, "left out: no network; the source names no NIC with a speed\n");
    return;
  }
  pm__string_format(xml, "    <network link=\"%s\" count=\"%d\"/>\n", type, w->ports);
  pm__string_format(&w->report, "assumed: the network is %s, the InfiniBand rate nearest to %.0f Gbit/s\n", type,
                    w->network * 8 / 1e9);
}

static void write_xml(pm__string *xml, pm__sketch *w, const char *id)
{
  pm__string_format(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<perfmodel version=\"1\">\n\n  <system id=\"%s\" "
                         "name=\"%s, imported\">\n", id, id);
  pm__string_format(xml, "    <gpu>%s</gpu>\n    <gpus>%d</gpus>\n", w->gpu, w->counts[PM_VERTEX_GPU]);
  pm__string_format(xml, "    <staged>%s</staged>\n    <graph>\n", w->no_peers ? "yes" : "no");
  add_vertices(xml, w, PM_VERTEX_CPU, "cpu");
  add_vertices(xml, w, PM_VERTEX_NVSWITCH, "nvswitch");
  add_vertices(xml, w, PM_VERTEX_SWITCH, "switch");
  add_vertices(xml, w, PM_VERTEX_NIC, "nic");
  add_wires(xml, w);
  pm__string_add(xml, "    </graph>\n");
  add_network(xml, w);
  pm__string_add(xml, "  </system>\n\n</perfmodel>\n");
}

/* ---- Checking: the result must load. */

static int check_result(const char *xml, const char *file, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  pm_catalog *fresh = pm_catalog_new(&reason);
  pm__documents documents = {NULL, 0, 0};
  pm__document *document = fresh != NULL ? pm__document_read(xml, strlen(xml), "the imported system", &reason) : NULL;
  int status = pm__documents_take(&documents, document, &reason);
  if (status == PM_OK) status = pm__catalog_merge(fresh, &documents, &reason);
  pm__documents_free(&documents);
  pm_catalog_free(fresh);
  if (status == PM_OK) return PM_OK;
  return pm__fail_at(error, status, file, 0, "the machine cannot be: %.300s", reason.text);
}

static int find_gpu(pm__sketch *w, const char *name, pm_error *error)
{
  const pm__entry *entry;
  int status = pm__catalog_find(w->catalog, PM__GPUS, name, &entry, error);
  if (status != PM_OK) return status;
  const pm_gpu *gpu = (const pm_gpu *)entry->record;
  memcpy(w->gpu, gpu->id, sizeof w->gpu);
  memcpy(w->nvlink, gpu->nvlink, sizeof w->nvlink);
  snprintf(w->host_link, sizeof w->host_link, "%s", gpu->pcie[0] != '\0' ? gpu->pcie : "pcie3-x16");
  return PM_OK;
}

static int read_as(pm__sketch *w, const char *format, const char *text, pm_error *error)
{
  if (strcmp(format, "topo") == 0) return pm__import_topo(w, text, error);
  if (strcmp(format, "nccl") == 0) return pm__import_nccl(w, text, error);
  if (strcmp(format, "hwloc") == 0) return pm__import_hwloc(w, text, error);
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "unknown format \"%.40s\"; it is one of nccl, topo, hwloc", format);
}

static void report_count(pm__sketch *w, const char *before, int count, const char *what, const char *plural)
{
  pm__string_format(&w->report, "%s %d %s%s", before, count, what, count == 1 ? "" : plural);
}

static void report_counts(pm__sketch *w)
{
  report_count(w, "read:", w->counts[PM_VERTEX_GPU], "GPU", "s");
  report_count(w, ",", w->counts[PM_VERTEX_CPU], "CPU", "s");
  report_count(w, ",", w->counts[PM_VERTEX_SWITCH], "PCIe switch", "es");
  report_count(w, ",", w->counts[PM_VERTEX_NVSWITCH], "NVLink switch", "es");
  report_count(w, ",", w->counts[PM_VERTEX_NIC], "NIC", "s");
  report_count(w, ",", w->wire_count, "link", "s");
  pm__string_add(&w->report, "\n");
}

static int import(pm__sketch *w, const char *format, const char *text, const char *id, const char *gpu, pm__string *xml,
                  pm_error *error)
{
  int status = gpu != NULL ? find_gpu(w, gpu, error) : PM_OK;
  if (status == PM_OK) status = read_as(w, format, text, error);
  if (status == PM_OK && w->counts[PM_VERTEX_GPU] == 0)
    status = pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "the source names no GPU");
  if (status != PM_OK) return status;
  report_counts(w);
  write_xml(xml, w, id);
  if (xml->failed || w->report.failed) return pm__no_memory(error);
  return check_result(xml->text, w->file, error);
}

char *pm_import(const pm_catalog *catalog, const char *format, const char *text, const char *file, const char *id,
                const char *gpu, char **report, pm_error *error)
{
  pm__string xml = {NULL, 0, 0, false};
  if (report != NULL) *report = NULL;
  if (catalog == NULL || format == NULL || text == NULL || id == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an import needs a catalogue, a format, a text and an id");
    return NULL;
  }
  pm__sketch *w = (pm__sketch *)calloc(1, sizeof *w);
  int status = w != NULL ? pm__catalog_open_all(catalog, error) : pm__no_memory(error);
  if (status == PM_OK) {
    w->catalog = catalog;
    w->file = file != NULL ? file : "text";
    status = import(w, format, text, id, gpu, &xml, error);
    if (report != NULL) *report = w->report.text;
    else free(w->report.text);
  }
  free(w);
  if (status == PM_OK) return xml.text;
  free(xml.text);
  return NULL;
}
