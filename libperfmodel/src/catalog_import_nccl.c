/* The topology that NCCL dumps (NCCL_TOPO_DUMP_FILE): CPUs, PCI devices with link speed and width, GPUs with NVLinks, NICs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog_import.h"
#include "perfmodel/units.h"

static double number(const pm__element *e, const char *name, double otherwise)
{
  double value;
  char head[32];
  const char *text = pm__element_attribute(e, name);
  if (text == NULL) return otherwise;
  snprintf(head, sizeof head, "%.*s", (int)strcspn(text, " "), text);
  return pm_number_parse(head, &value) == PM_OK ? value : otherwise;
}

static const char *attribute(const pm__element *e, const char *name)
{
  const char *value = pm__element_attribute(e, name);
  return value != NULL ? value : "";
}

static const pm__element *child(const pm__element *e, const char *name)
{
  for (const pm__element *c = e->child; c != NULL; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

/* Compute capability or AMD's name of the architecture -> GPU of the catalogue. */
static const char *gpu_of(const pm__element *gpu)
{
  static const struct {
    const char *key, *id;
  } known[] = {{"60", "p100-sxm2"},      {"61", "p100-pcie"}, {"70", "v100-sxm2-16gb"}, {"75", "rtx-2080-ti"},
               {"80", "a100-sxm4-40gb"}, {"90", "h100-sxm5"}, {"100", "b200-sxm6"},     {"gfx90a", "mi250x-gcd"},
               {"gfx942", "mi300x"},     {"910", "mi250x-gcd"}, {"940", "mi300x"},     {"942", "mi300x"}};
  const char *sm = attribute(gpu, "sm"), *gcn = attribute(gpu, "gcn");
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(known[i].key, gcn[0] != '\0' ? gcn : sm) == 0) return known[i].id;
  return NULL;
}

static int name_gpu(pm__wiring *w, const pm__element *gpu, pm_error *error)
{
  if (w->gpu[0] != '\0') return PM_OK;
  const char *id = gpu_of(gpu);
  const pm__entry *entry = id != NULL ? pm__names_find(&w->catalog->names, PM__GPUS, id) : NULL;
  if (entry == NULL)
    return pm__fail_at(error, PM_NOT_FOUND, w->file, gpu->line, "no GPU of the catalogue has sm \"%.20s\"; say which it is",
                       attribute(gpu, "sm"));
  const pm_gpu *record = (const pm_gpu *)entry->record;
  memcpy(w->gpu, record->id, sizeof w->gpu);
  memcpy(w->nvlink, record->nvlink, sizeof w->nvlink);
  pm__string_format(&w->report, "assumed: GPUs of compute capability %.20s are %s\n", attribute(gpu, "sm"), id);
  return PM_OK;
}

/* GPUs in the order of their `dev`, so that they get the numbers that programs see. */
static const pm__element *gpu_pci(const pm__element *e, int dev)
{
  for (const pm__element *c = e->child; c != NULL; c = c->next) {
    const pm__element *gpu = strcmp(c->name, "pci") == 0 ? child(c, "gpu") : NULL;
    if (gpu != NULL && number(gpu, "dev", -1) == dev) return c;
    const pm__element *found = gpu_pci(c, dev);
    if (found != NULL) return found;
  }
  return NULL;
}

static int add_gpus(pm__wiring *w, const pm__element *root, pm_error *error)
{
  for (int dev = 0; dev < PM__WIRES_MAX; dev++) {
    const pm__element *pci = gpu_pci(root, dev);
    if (pci == NULL) return PM_OK;
    int status = name_gpu(w, child(pci, "gpu"), error);
    if (status != PM_OK) return status;
    if (pm__wiring_end(w, PM_VERTEX_GPU, attribute(pci, "busid"), error) < 0) return PM_BAD_VALUE;
  }
  return PM_OK;
}

static const char *pci_link(pm__wiring *w, const pm__element *pci)
{
  return pm__wiring_pcie(w, number(pci, "link_speed", 8) * 1e9, (int)number(pci, "link_width", 16));
}

/* Ports that a NIC has; their speed is in Mbit/s. */
static int add_nic(pm__wiring *w, const pm__element *pci, const pm__element *nic, int parent, pm_error *error)
{
  const char *link = pci_link(w, pci);
  int end = pm__wiring_end(w, PM_VERTEX_NIC, attribute(pci, "busid"), error);
  if (end < 0) return PM_BAD_VALUE;
  for (const pm__element *net = nic->child; net != NULL; net = net->next) {
    double rate = number(net, "speed", 0) * 1e6 / 8;
    if (strcmp(net->name, "net") != 0 || rate <= 0) continue;
    w->ports++;
    if (rate > w->network) w->network = rate;
  }
  return pm__wiring_link(w, end, parent, link, 1, error);
}

static int add_children(pm__wiring *w, const pm__element *e, int parent, int depth, pm_error *error);

static int add_pci(pm__wiring *w, const pm__element *pci, int parent, int depth, pm_error *error)
{
  const pm__element *nic = child(pci, "nic");
  if (child(pci, "gpu") != NULL) {
    int gpu = pm__wiring_find(w, attribute(pci, "busid"));
    if (gpu < 0)
      return pm__fail_at(error, PM_BAD_VALUE, w->file, pci->line, "a GPU has no dev, or one that leaves a gap");
    return pm__wiring_link(w, gpu, parent, pci_link(w, pci), 1, error);
  }
  if (nic != NULL) return add_nic(w, pci, nic, parent, error);
  if (child(pci, "pci") == NULL) return PM_OK; /* another device */
  const char *link = pci_link(w, pci);
  int end = pm__wiring_end(w, PM_VERTEX_SWITCH, attribute(pci, "busid"), error);
  if (end < 0) return PM_BAD_VALUE;
  int status = pm__wiring_link(w, end, parent, link, 1, error);
  return status == PM_OK ? add_children(w, pci, end, depth + 1, error) : status;
}

static int add_children(pm__wiring *w, const pm__element *e, int parent, int depth, pm_error *error)
{
  int status = PM_OK;
  if (depth > 16) return pm__fail_at(error, PM_BAD_VALUE, w->file, e->line, "PCI switches nested too deep");
  for (const pm__element *c = e->child; c != NULL && status == PM_OK; c = c->next)
    if (strcmp(c->name, "pci") == 0) status = add_pci(w, c, parent, depth, error);
  return status;
}

/* Bus ids are written with and without the domain's leading zeros, in either case. */
static int find_target(const pm__wiring *w, const char *target)
{
  int exact = pm__wiring_find(w, target);
  size_t length = strlen(target);
  for (int i = 0; exact < 0 && i < w->end_count; i++) {
    size_t own = strlen(w->ends[i].key), least = own < length ? own : length;
    if (least >= 7 && pm__same_name(w->ends[i].key + own - least, target + length - least)) return i;
  }
  return exact;
}

/* The class of the target says what is there: 0x03 a GPU, 0x0680 a switch, 0x06 a CPU bridge. */
static int add_nvlink(pm__wiring *w, const pm__element *gpu, const pm__element *e, int from, pm_error *error)
{
  char link[2 * PM_TEXT_MAX];
  int count = (int)number(e, "count", 1), to = find_target(w, attribute(e, "target"));
  bool hub = strncmp(attribute(e, "tclass"), "0x0680", 6) == 0;
  bool xgmi = strcmp(e->name, "xgmi") == 0;
  const char *type = xgmi ? (strncmp(w->gpu, "mi300", 5) == 0 ? "xgmi-mi300" : "xgmi-mi200") : w->nvlink;
  if (type[0] == '\0')
    return pm__fail_at(error, PM_BAD_VALUE, w->file, gpu->line, "gpu \"%s\" has no NVLink in the catalogue", w->gpu);
  snprintf(link, sizeof link, "%s-nvswitch", type);
  if (hub && pm__names_find(&w->catalog->names, PM__LINKS, link) != NULL) type = link;
  if (hub && to < 0) to = pm__wiring_end(w, PM_VERTEX_NVSWITCH, attribute(e, "target"), error);
  if (to < 0) {
    pm__string_format(&w->report, "left out: %d links of %s to \"%.30s\", which is no GPU and no switch\n", count,
                      w->ends[from].name, attribute(e, "target"));
    return PM_OK;
  }
  if (!hub && to < from) return PM_OK; /* the other end wrote it too */
  if (count < 1) return pm__fail_at(error, PM_BAD_VALUE, w->file, e->line, "a link count of %d", count);
  return pm__wiring_link(w, from, to, type, count, error);
}

static int add_nvlinks(pm__wiring *w, const pm__element *root, pm_error *error)
{
  int status = PM_OK;
  for (int dev = 0; dev < w->counts[PM_VERTEX_GPU] && status == PM_OK; dev++) {
    const pm__element *gpu = child(gpu_pci(root, dev), "gpu");
    for (const pm__element *e = gpu->child; e != NULL && status == PM_OK; e = e->next)
      if (strcmp(e->name, "nvlink") == 0 || strcmp(e->name, "xgmi") == 0)
        status = add_nvlink(w, gpu, e, dev, error);
  }
  return status;
}

/* CPU to CPU is not in the dump: the type goes by maker. */
static int add_cpus(pm__wiring *w, const pm__element *root, pm_error *error)
{
  int first = -1, status = PM_OK;
  for (const pm__element *cpu = root->child; cpu != NULL && status == PM_OK; cpu = cpu->next) {
    if (strcmp(cpu->name, "cpu") != 0) continue;
    char key[PM__NAME_MAX];
    snprintf(key, sizeof key, "numa%.20s", attribute(cpu, "numaid"));
    int end = pm__wiring_end(w, PM_VERTEX_CPU, key, error);
    if (end < 0) return PM_BAD_VALUE;
    bool amd = strcmp(attribute(cpu, "vendor"), "AuthenticAMD") == 0;
    if (first >= 0) {
      status = pm__wiring_link(w, first, end, amd ? "infinity-fabric-epyc" : "upi-skylake", 3, error);
      pm__string_format(&w->report, "assumed: %s and %s are joined by three %s links\n", w->ends[first].name,
                        w->ends[end].name, amd ? "infinity-fabric-epyc" : "upi-skylake");
    } else first = end;
    if (status == PM_OK) status = add_children(w, cpu, end, 0, error);
  }
  if (status == PM_OK && first < 0) return pm__fail_at(error, PM_BAD_SYNTAX, w->file, root->line, "<system> has no <cpu>");
  return status;
}

int pm__import_nccl(pm__wiring *w, const char *text, pm_error *error)
{
  pm__document *document = pm__document_read(text, strlen(text), w->file, error);
  if (document == NULL) return error != NULL && error->status != PM_OK ? error->status : PM_BAD_SYNTAX;
  int status = PM_OK;
  if (strcmp(document->root->name, "system") != 0)
    status = pm__fail_at(error, PM_BAD_SYNTAX, w->file, document->root->line, "<%.40s> is not NCCL's <system>",
                         document->root->name);
  if (status == PM_OK) status = add_gpus(w, document->root, error);
  if (status == PM_OK) status = add_cpus(w, document->root, error);
  if (status == PM_OK) status = add_nvlinks(w, document->root, error);
  pm__document_free(document);
  return status;
}
