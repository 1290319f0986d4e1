/* Machines described by other programs, written as ours. */
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

static void write_system(pm__string *xml, const pm__sketch *w, const char *id, const char *network)
{
  pm__string_format(xml, "  <system id=\"%s\" name=\"%s, imported\">\n", id, id);
  pm__string_format(xml, "    <gpu>%s</gpu>\n    <gpus>%d</gpus>\n", w->gpu, w->counts[PM_VERTEX_GPU]);
  pm__string_format(xml, "    <staged>%s</staged>\n", w->no_peers ? "yes" : "no");
  if (w->hosts > 1) pm__string_format(xml, "    <hosts>%d</hosts>\n", w->hosts);
  pm__string_add(xml, "    <graph>\n");
  add_vertices(xml, w, PM_VERTEX_CPU, "cpu");
  add_vertices(xml, w, PM_VERTEX_NVSWITCH, "nvswitch");
  add_vertices(xml, w, PM_VERTEX_SWITCH, "switch");
  add_vertices(xml, w, PM_VERTEX_NIC, "nic");
  add_wires(xml, w);
  pm__string_format(xml, "    </graph>\n%s  </system>\n\n", network);
}

static int write_xml(pm__string *xml, pm__sketch *w, const char *id, pm_error *error)
{
  pm__string network = {NULL, 0, 0, false};
  pm__string_add(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<perfmodel version=\"1\">\n\n");
  pm__string_add(xml, w->made.text != NULL ? w->made.text : "");
  int status = pm__sketch_write_network(w, xml, &network, error);
  if (status == PM_OK) write_system(xml, w, id, network.text != NULL ? network.text : "");
  if (network.failed) xml->failed = true;
  free(network.text);
  pm__string_add(xml, "</perfmodel>\n");
  return status;
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
  return pm__fail_at(error, status, file, 0, "the machine is invalid: %.300s", reason.text);
}

/* The GPU that the user named; a name that the catalogue does not have is his mistake. */
static int find_gpu(pm__sketch *w, const char *name, pm_error *error)
{
  const pm__entry *entry;
  int status = pm__catalog_find(w->catalog, PM__GPUS, name, &entry, error);
  if (status != PM_OK) return status;
  w->gpu_given = pm__sketch_gpu(w, entry->id);
  return PM_OK;
}

static const pm__import_format formats[] = {
  {"nccl", pm__import_nccl}, {"topo", pm__import_topo}, {"rocm", pm__import_rocm}, {"hwloc", pm__import_hwloc},
};

const pm__import_format *pm__import_format_at(size_t index)
{
  return index < sizeof formats / sizeof formats[0] ? &formats[index] : NULL;
}

static int read_as(pm__sketch *w, const char *format, const char *text, pm_error *error)
{
  const pm__import_format *f;
  for (size_t i = 0; (f = pm__import_format_at(i)) != NULL; i++)
    if (strcmp(format, f->name) == 0) return f->read(w, text, error);
  char names[80] = "";
  for (size_t i = 0; (f = pm__import_format_at(i)) != NULL; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "", f->name);
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "unknown format \"%.40s\"; it is one of %s", format, names);
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
    status = pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "the source does not name a GPU");
  if (status != PM_OK) return status;
  pm__sketch_notice_nvlinks(w);
  report_counts(w);
  status = write_xml(xml, w, id, error);
  if (status != PM_OK) return status;
  if (xml->failed || w->report.failed || w->made.failed) return pm__no_memory(error);
  return check_result(xml->text, w->file, error);
}

static const char *find_format(const char *text)
{
  if (strstr(text, "<topology") != NULL) return "hwloc";
  if (strstr(text, "<system") != NULL) return "nccl";
  if (pm__import_is_rocm(text)) return "rocm";
  return pm__import_is_topo(text) ? "topo" : NULL;
}

static const char *known_as(const pm_attribute *known, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(known[i].name, name) == 0) return known[i].value;
  return NULL;
}

char *pm_import(const pm_catalog *catalog, const char *format, const char *text, const char *file, const char *id,
                const pm_attribute *known, size_t known_count, char **report, pm_error *error)
{
  const char *gpu = known_as(known, known_count, "gpu");
  pm__string xml = {NULL, 0, 0, false};
  if (report != NULL) *report = NULL;
  if (catalog == NULL || text == NULL || id == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an import needs a catalogue, a text and an id");
    return NULL;
  }
  if (format == NULL) format = find_format(text);
  if (format == NULL) {
    pm__fail(error, PM_STATUS_BAD_FILE, "%s: not a known description of a machine (NCCL's topology of "
             "NCCL_TOPO_DUMP_FILE, nvidia-smi topo -m, rocm-smi --showtopo, lstopo's XML)", file != NULL ? file :
                 "text");
    return NULL;
  }
  pm__sketch *w = (pm__sketch *)calloc(1, sizeof *w);
  int status = w != NULL ? pm__catalog_open_all(catalog, error) : pm__no_memory(error);
  if (status == PM_OK) {
    w->catalog = catalog;
    w->hosts = 1;
    w->nic = known_as(known, known_count, "nic");
    w->file = file != NULL ? file : "text";
    status = import(w, format, text, id, gpu, &xml, error);
    if (report != NULL) *report = w->report.text;
    else free(w->report.text);
    free(w->made.text);
  }
  free(w);
  if (status == PM_OK) return xml.text;
  free(xml.text);
  return NULL;
}
