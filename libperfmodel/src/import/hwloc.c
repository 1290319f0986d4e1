/*
** hwloc's XML (lstopo machine.xml): packages, bridges, PCI devices; NVLinks where hwloc was built with NVML.
*/
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"
#include "perfmodel/units.h"

enum { DEPTH_MOST = 64, OBJECTS_MOST = 256 };

static const char *attribute(const pm__element *e, const char *name)
{
  const char *value = pm__element_attribute(e, name);
  return value != NULL ? value : "";
}

static bool is_type(const pm__element *e, const char *type)
{
  return strcmp(e->name, "object") == 0 && strcmp(attribute(e, "type"), type) == 0;
}

static bool is_device(const pm__element *e, const char *const *classes, size_t count)
{
  const char *type = attribute(e, "pci_type"); /* "0302 [10de:1db1] [10de:1212] a1" */
  for (size_t i = 0; i < count && is_type(e, "PCIDev"); i++)
    if (strncmp(type, classes[i], 4) == 0) return true;
  return false;
}

/* A GPU that computes: a 3D controller, a processing accelerator, or a display controller of the two makers. */
static bool is_gpu(const pm__element *e)
{
  static const char *const sure[] = {"0302", "1200", "0380"}, *const display[] = {"0300"};
  const char *type = attribute(e, "pci_type");
  bool maker = strstr(type, "[10de:") != NULL || strstr(type, "[1002:") != NULL;
  return maker && (is_device(e, sure, 3) || is_device(e, display, 1));
}

/* hwloc calls it so even where the kernel reads no class of it. */
static bool is_nvswitch(const pm__element *e)
{
  return strcmp(attribute(e, "subtype"), "NVSwitch") == 0 || strncmp(attribute(e, "pci_type"), "0680", 4) == 0;
}

static bool is_nic(const pm__element *e)
{
  static const char *const classes[] = {"0207", "0200", "0208"}; /* the last: Omni-Path */
  return is_device(e, classes, 3);
}

/* GPUs of the whole tree, in the order of the file, which is that of the bus. */
static int add_gpus(pm__sketch *w, const pm__element *e, int depth, pm_error *error)
{
  if (depth > DEPTH_MOST) return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "objects nested too deep");
  if (is_gpu(e) && pm__sketch_end(w, PM_VERTEX_GPU, attribute(e, "pci_busid"), error) < 0) return PM_STATUS_BAD_VALUE;
  int status = PM_OK;
  for (const pm__element *c = e->child; c != NULL && status == PM_OK; c = c->next)
    status = add_gpus(w, c, depth + 1, error);
  return status;
}

static bool holds_devices(const pm__element *e)
{
  if (is_gpu(e) || is_nic(e)) return true;
  for (const pm__element *c = e->child; c != NULL; c = c->next)
    if (holds_devices(c)) return true;
  return false;
}

/* pci_link_speed is GB/s of the link as it runs: width and generation are not told apart. */
static const char *link_of(pm__sketch *w, const pm__element *e)
{
  double speed = 0;
  const char *said = attribute(e, "pci_link_speed");
  if (pm_number_parse(said, &speed) != PM_OK && said[0] != '\0')
    pm__string_format(&w->report, "assumed: \"%.40s\" is not a link speed; %s is used\n", said,
                      pm__sketch_host_pcie(w));
  if (speed <= 0) return pm__sketch_host_pcie(w);
  const char *link = speed > 40 ? "pcie5-x16" : speed > 20 ? "pcie4-x16" : "pcie3-x16";
  if (speed < 12)
    pm__string_format(&w->report, "assumed: a link at %.2f GB/s is %s; idle GPUs reduce their link speed\n",
                                    speed, link);
  return link;
}

static int walk(pm__sketch *w, const pm__element *e, int parent, int depth, pm_error *error);

static int walk_children(pm__sketch *w, const pm__element *e, int parent, int depth, pm_error *error)
{
  int status = PM_OK;
  for (const pm__element *c = e->child; c != NULL && status == PM_OK; c = c->next)
    status = walk(w, c, parent, depth + 1, error);
  return status;
}

static int walk_end(pm__sketch *w, const pm__element *e, pm_vertex_kind kind, int parent, int depth, const char *key,
                    pm_error *error)
{
  int end = pm__sketch_end(w, kind, key, error);
  if (end < 0) return PM_STATUS_BAD_VALUE;
  int status = PM_OK;
  if (kind != PM_VERTEX_CPU && parent >= 0) status = pm__sketch_link(w, end, parent, link_of(w, e), 1, error);
  return status == PM_OK ? walk_children(w, e, end, depth, error) : status;
}

/* Bridges under bridges are switches; the host's own bridge is the CPU's. */
static int walk(pm__sketch *w, const pm__element *e, int parent, int depth, pm_error *error)
{
  if (strcmp(e->name, "object") != 0 && strcmp(e->name, "topology") != 0) return PM_OK;
  if (depth > DEPTH_MOST) return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "objects nested too deep");
  if (is_type(e, "Package")) return walk_end(w, e, PM_VERTEX_CPU, parent, depth, attribute(e, "os_index"), error);
  if (is_gpu(e)) {
    if (parent < 0) return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "a GPU is under no package");
    return pm__sketch_link(w, pm__sketch_find(w, attribute(e, "pci_busid")), parent,
                           pm__sketch_has_c2c(w) ? w->host_link : link_of(w, e), 1, error);
  }
  if (is_nic(e) && parent >= 0) return walk_end(w, e, PM_VERTEX_NIC, parent, depth, attribute(e, "pci_busid"), error);
  bool bridge = is_type(e, "Bridge") && strcmp(attribute(e, "bridge_type"), "1-1") == 0;
  int below = 0;
  for (const pm__element *c = e->child; c != NULL; c = c->next) below += holds_devices(c);
  if (bridge && below > 1 && parent >= 0)
    return walk_end(w, e, PM_VERTEX_SWITCH, parent, depth, attribute(e, "pci_busid"), error);
  return walk_children(w, e, parent, depth, error);
}

/* What the first package says of its CPU. */
static void read_cpu(const pm__element *e, pm__sketch_cpu *model, int depth)
{
  if (is_type(e, "Package"))
    for (const pm__element *c = e->child; c != NULL; c = c->next) {
      const char *name = attribute(c, "name"), *value = attribute(c, "value");
      if (strcmp(c->name, "info") != 0) continue;
      if (strcmp(name, "CPUVendor") == 0) snprintf(model->vendor, sizeof model->vendor, "%.23s", value);
      if (strcmp(name, "CPUFamilyNumber") == 0) model->family = pm__whole_at(value, 10000, NULL);
      if (strcmp(name, "CPUModelNumber") == 0) model->model = pm__whole_at(value, 10000, NULL);
      if (strcmp(name, "CPUModel") == 0 && strncmp(value, "POWER9", 6) == 0) strcpy(model->vendor, "IBM");
    }
  for (const pm__element *c = e->child; c != NULL && depth < DEPTH_MOST && model->vendor[0] == '\0'; c = c->next)
    read_cpu(c, model, depth + 1);
}

/* Bridges beside a lone package, not in it, belong to it. */
static int walk_machine(pm__sketch *w, const pm__element *root, pm_error *error)
{
  int status = PM_OK, cpu = -1;
  pm__sketch_cpu model = {.vendor = "", .family = -1, .model = -1};
  const pm__element *machine = root;
  for (const pm__element *c = root->child; c != NULL; c = c->next)
    if (is_type(c, "Machine")) machine = c;
  for (const pm__element *c = machine->child; c != NULL && status == PM_OK; c = c->next) {
    status = walk(w, c, cpu, 0, error);
    for (int i = 0; i < w->end_count && cpu < 0; i++)
      if (w->ends[i].kind == PM_VERTEX_CPU) cpu = i;
  }
  read_cpu(machine, &model, 0);
  if (pm__sketch_has_c2c(w)) strcpy(model.vendor, "Grace");
  return status == PM_OK ? pm__sketch_join_cpus(w, &model, error) : status;
}

/* hwloc writes a DOCTYPE that names its own file; one with declarations inside is refused with the rest. */
static void blank_doctype(char *text)
{
  char *start = strstr(text, "<!DOCTYPE"), *end = start != NULL ? strchr(start, '>') : NULL;
  if (end == NULL || memchr(start, '[', (size_t)(end - start)) != NULL) return;
  for (char *p = start; p <= end; p++)
    if (*p != '\n') *p = ' ';
}

/* What drivers call the GPU: "Tesla V100-SXM2-16GB". */
static const char *model_of(const pm__element *e, int depth)
{
  if (strcmp(e->name, "info") == 0 && strcmp(attribute(e, "name"), "GPUModel") == 0) return attribute(e, "value");
  const char *model = NULL;
  for (const pm__element *c = e->child; c != NULL && model == NULL && depth < DEPTH_MOST; c = c->next)
    model = model_of(c, depth + 1);
  return model;
}

/* "0302 [10de:1db1] [10de:1212] a1": the first GPU's device, if the catalogue has it. */
static const char *device_of(const pm__sketch *w, const pm__element *e, int depth)
{
  const char *type = attribute(e, "pci_type"), *bracket = strchr(type, '[');
  if (is_gpu(e) && bracket != NULL && strlen(bracket) > 9) return pm__sketch_gpu_of_device(w, bracket + 1, bracket + 6);
  const char *id = NULL;
  for (const pm__element *c = e->child; c != NULL && id == NULL && depth < DEPTH_MOST; c = c->next)
    id = device_of(w, c, depth + 1);
  return id;
}

static int name_gpu(pm__sketch *w, const pm__element *root, pm_error *error)
{
  const char *model = model_of(root, 0), *device = device_of(w, root, 0);
  if (w->gpu[0] != '\0') return PM_OK;
  if (model == NULL && device != NULL && pm__sketch_gpu(w, device)) return PM_OK;
  if (model == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "hwloc does not state the GPU of the catalogue; give it, as in --gpu v100-sxm2-16gb");
  if (!pm__sketch_gpu(w, model) && (strncmp(model, "Tesla ", 6) != 0 || !pm__sketch_gpu(w, model + 6)))
    return pm__fail(error, PM_STATUS_NOT_FOUND,
                    "no GPU of the catalogue has the name \"%.60s\"; give its id, as in --gpu v100-sxm2-16gb", model);
  pm__sketch_say(w, "assumed: \"%.60s\" is %s", model, w->gpu);
  return PM_OK;
}

/*
** ---- NVLinks: a matrix of bandwidths [MB/s] named NVLinkBandwidth, between GPUs (by their NVML device), NVSwitches
** (PCI devices) and, on POWER, packages. The diagonal is no link.
*/

typedef struct links {
  int count, filled;
  int end[OBJECTS_MOST]; /* -1: not in the sketch */
  double value[OBJECTS_MOST * OBJECTS_MOST];
} links;

/* The matrix, at the end of the topology. */
static const pm__element *find_matrix(const pm__element *root)
{
  for (const pm__element *c = root->child; c != NULL; c = c->next)
    if (strncmp(c->name, "distances2", 10) == 0 && strcmp(attribute(c, "name"), "NVLinkBandwidth") == 0) return c;
  return NULL;
}

/* The object of a number; *device becomes the PCI device that it is, or is in. */
static const pm__element *find_object(const pm__element *e, const char *number, int depth, const pm__element **device)
{
  const pm__element *outer = *device, *found = NULL;
  if (strcmp(attribute(e, "type"), "PCIDev") == 0) *device = e;
  if (strcmp(e->name, "object") == 0 && strcmp(attribute(e, "gp_index"), number) == 0) return e;
  for (const pm__element *c = e->child; c != NULL && found == NULL && depth < DEPTH_MOST; c = c->next)
    found = find_object(c, number, depth + 1, device);
  if (found == NULL) *device = outer;
  return found;
}

/* The vertex of an object: a GPU, a CPU, or a switch that is added now. -1: another, -2: an error. */
static int end_of(pm__sketch *w, const pm__element *root, const char *number, pm_error *error)
{
  const pm__element *device = NULL, *object = find_object(root, number, 0, &device);
  if (object == NULL) return -1;
  if (strcmp(attribute(object, "type"), "Package") == 0) return pm__sketch_find(w, attribute(object, "os_index"));
  if (device == NULL) return -1;
  int end = pm__sketch_find(w, attribute(device, "pci_busid"));
  if (end >= 0 || !is_nvswitch(device)) return end;
  end = pm__sketch_end(w, PM_VERTEX_NVSWITCH, attribute(device, "pci_busid"), error);
  return end >= 0 ? end : -2;
}

/* The next word of "OSDev:332 OSDev:333 ", without what stands before a colon. */
static bool next_word(const char **place, char *word, size_t size)
{
  const char *p = *place;
  while (isspace((unsigned char)*p)) p++;
  size_t length = strcspn(p, " \t\r\n");
  const char *colon = (const char *)memchr(p, ':', length), *from = colon != NULL ? colon + 1 : p;
  *place = p + length;
  snprintf(word, size, "%.*s", (int)(p + length - from), from);
  return length > 0;
}

static int read_objects(pm__sketch *w, const pm__element *root, const char *text, links *l, pm_error *error)
{
  char word[32];
  while (next_word(&text, word, sizeof word)) {
    if (l->count == OBJECTS_MOST)
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "more than %d objects with NVLinks", OBJECTS_MOST);
    l->end[l->count] = end_of(w, root, word, error);
    if (l->end[l->count++] == -2) return PM_STATUS_BAD_VALUE;
  }
  return PM_OK;
}

static int read_values(pm__sketch *w, const pm__element *e, links *l, pm_error *error)
{
  char word[32];
  const char *text = e->text;
  while (next_word(&text, word, sizeof word)) {
    double value;
    if (l->filled == l->count * l->count || pm_number_parse(word, &value) != PM_OK || !(value >= 0))
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "\"%s\" is not a bandwidth, or is one too many",
                         word);
    l->value[l->filled++] = value;
  }
  return PM_OK;
}

static int add_links(pm__sketch *w, const links *l, pm_error *error)
{
  char hub_link[2 * PM_TEXT_MAX];
  const pm__entry *entry;
  int status = pm__catalog_seek(w->catalog, PM__LINKS, w->nvlink, &entry, error);
  double rate = entry != NULL ? ((const pm_link *)entry->record)->bandwidth / 1e6 : 0;
  if (status == PM_OK)
    status = rate > 0 ? PM_OK : pm__fail(error, PM_STATUS_NOT_FOUND, "link \"%s\" has no bandwidth", w->nvlink);
  pm__sketch_switch_link(w, hub_link, sizeof hub_link);
  for (int i = 0; i < l->count; i++)
    for (int j = i + 1; j < l->count && status == PM_OK; j++) {
      int a = l->end[i], b = l->end[j], count = (int)fmin(rint(l->value[i * l->count + j] / rate), 1000);
      if (a < 0 || b < 0 || a == b || count < 1) continue;
      bool hub = w->ends[a].kind == PM_VERTEX_NVSWITCH || w->ends[b].kind == PM_VERTEX_NVSWITCH;
      status = pm__sketch_link(w, a, b, hub ? hub_link : w->nvlink, count, error);
    }
  return status;
}

static int read_nvlinks(pm__sketch *w, const pm__element *root, bool *found, pm_error *error)
{
  const pm__element *matrix = find_matrix(root);
  *found = matrix != NULL;
  if (matrix == NULL) return PM_OK;
  links *l = (links *)calloc(1, sizeof *l);
  int status = l != NULL ? PM_OK : pm__no_memory(error);
  for (const pm__element *c = matrix->child; c != NULL && status == PM_OK; c = c->next)
    if (strcmp(c->name, "indexes") == 0) status = read_objects(w, root, c->text, l, error);
  for (const pm__element *c = matrix->child; c != NULL && status == PM_OK; c = c->next)
    if (strcmp(c->name, "u64values") == 0) status = read_values(w, c, l, error);
  if (status == PM_OK && l->filled != l->count * l->count)
    status = pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, matrix->line, "%d bandwidths for %d objects", l->filled,
                         l->count);
  if (status == PM_OK) status = add_links(w, l, error);
  free(l);
  return status;
}

/* ---- The whole. */

static int read_links(pm__sketch *w, const pm__element *root, pm_error *error)
{
  bool found = false;
  int status = w->nvlink[0] != '\0' ? read_nvlinks(w, root, &found, error) : PM_OK;
  return found || status != PM_OK ? status : pm__sketch_assume_nvlinks(w, error);
}

int pm__import_hwloc(pm__sketch *w, const char *text, pm_error *error)
{
  char *body = pm__text_copy(text);
  if (body == NULL) return pm__no_memory(error);
  blank_doctype(body);
  pm__document *document = pm__document_read(body, strlen(body), w->file, error);
  free(body);
  if (document == NULL) return error != NULL && error->status != PM_OK ? error->status : PM_STATUS_BAD_SYNTAX;
  int status = PM_OK;
  if (strcmp(document->root->name, "topology") != 0)
    status = pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, document->root->line,
                         "<%.40s> is not hwloc's <topology>",
                         document->root->name);
  if (status == PM_OK) status = name_gpu(w, document->root, error);
  if (status == PM_OK) status = add_gpus(w, document->root, 0, error);
  if (status == PM_OK) status = walk_machine(w, document->root, error);
  if (status == PM_OK) status = read_links(w, document->root, error);
  pm__document_free(document);
  return status;
}
