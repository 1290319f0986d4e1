/*
** NCCL's topology: what it dumps (NCCL_TOPO_DUMP_FILE), with GPUs, NVLinks and NICs, and what cloud providers write for
** it (NCCL_TOPO_FILE), which is PCI devices by class alone.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"
#include "perfmodel/units.h"

enum { DEPTH_MOST = 16,
      SPEED_MOST = 1000 /* GT/s */, WIDTH_MOST = 64, LINKS_MOST = 1000, RATE_MOST = 100000000 /* Mbit/s */ };

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

static int name_gpu(pm__sketch *w, const pm__element *gpu, int line, pm_error *error)
{
  if (w->gpu[0] != '\0') return PM_OK;
  if (gpu == NULL)
    return pm__fail_at(error, PM_STATUS_BAD_ARGUMENT, w->file, line, "the file does not name the GPU; say which it is");
  const char *id = gpu_of(gpu);
  if (id == NULL || !pm__sketch_gpu(w, id))
    return pm__fail_at(error, PM_STATUS_NOT_FOUND, w->file, gpu->line,
                       "no GPU of the catalogue has sm \"%.20s\"; say which it is",
                       attribute(gpu, "sm"));
  pm__string_format(&w->report, "assumed: GPUs of compute capability %.20s are %s\n", attribute(gpu, "sm"), id);
  return PM_OK;
}

/* ---- GPUs, in the order that programs see: by `dev`, or in files written by hand for NCCL_TOPO_FILE, which show
** devices by class alone, by bus. ---- */

typedef struct gpus {
  const pm__element *pci[PM__WIRES_MAX];
  int count;
} gpus;

static bool has_class(const pm__element *pci, const char *const *classes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strncmp(attribute(pci, "class"), classes[i], strlen(classes[i])) == 0) return true;
  return false;
}

/* 3D and display controllers, processing accelerators. */
static bool is_gpu_class(const pm__element *pci)
{
  static const char *const classes[] = {"0x0302", "0x0300", "0x0380", "0x1200"};
  return has_class(pci, classes, 4);
}

static bool is_nic_class(const pm__element *pci)
{
  static const char *const classes[] = {"0x0200", "0x0207"};
  return has_class(pci, classes, 2);
}

static void collect(const pm__element *e, bool by_class, int depth, gpus *list)
{
  for (const pm__element *c = e->child; c != NULL && depth < DEPTH_MOST; c = c->next) {
    bool pci = strcmp(c->name, "pci") == 0, gpu = pci && (by_class ? is_gpu_class(c) : child(c, "gpu") != NULL);
    if (gpu && list->count < PM__WIRES_MAX) list->pci[list->count++] = c;
    if (!gpu) collect(c, by_class, depth + 1, list);
  }
}

static bool before(const pm__element *a, const pm__element *b)
{
  const pm__element *one = child(a, "gpu"), *other = child(b, "gpu");
  if (one != NULL && other != NULL) return number(one, "dev", -1) < number(other, "dev", -1);
  return strcmp(attribute(a, "busid"), attribute(b, "busid")) < 0;
}

static void find_gpus(const pm__element *root, gpus *list)
{
  list->count = 0;
  collect(root, false, 0, list);
  if (list->count == 0) collect(root, true, 0, list);
  for (int i = 1; i < list->count; i++)
    for (int k = i; k > 0 && before(list->pci[k], list->pci[k - 1]); k--) {
      const pm__element *kept = list->pci[k];
      list->pci[k] = list->pci[k - 1];
      list->pci[k - 1] = kept;
    }
}

static int add_gpus(pm__sketch *w, const gpus *list, pm_error *error)
{
  for (int i = 0; i < list->count; i++) {
    const pm__element *pci = list->pci[i], *gpu = child(pci, "gpu");
    int status = name_gpu(w, gpu, pci->line, error);
    if (status != PM_OK) return status;
    if (gpu != NULL && number(gpu, "dev", -1) != i)
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, gpu->line,
                         "dev \"%.20s\" of a GPU leaves a gap, or is there twice",
                         attribute(gpu, "dev"));
    if (pm__sketch_end(w, PM_VERTEX_GPU, attribute(pci, "busid"), error) < 0) return PM_STATUS_BAD_VALUE;
  }
  return PM_OK;
}

/* ---- The tree ---- */

/* NULL with an error. */
static const char *pci_link(pm__sketch *w, const pm__element *pci, pm_error *error)
{
  double speed = number(pci, "link_speed", 0), width = number(pci, "link_width", 0);
  if (!(speed > 0 && width > 0)) return w->host_link; /* virtual machines show none */
  if (speed <= SPEED_MOST && width <= WIDTH_MOST) return pm__sketch_pcie(w, speed * 1e9, (int)width);
  pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, pci->line,
              "link_speed \"%.40s\", link_width \"%.40s\": no PCIe link is such",
              attribute(pci, "link_speed"), attribute(pci, "link_width"));
  return NULL;
}

/* Ports that a NIC has; their speed is in Mbit/s. Either of the elements may be missing. */
static int add_nic(pm__sketch *w, const pm__element *pci, const pm__element *nic, int parent, pm_error *error)
{
  const char *link = pci != NULL ? pci_link(w, pci, error) : w->host_link;
  int end = link != NULL ? pm__sketch_end(w, PM_VERTEX_NIC, pci != NULL ? attribute(pci, "busid") : "nic", error) : -1;
  if (end < 0) return PM_STATUS_BAD_VALUE;
  for (const pm__element *net = nic != NULL ? nic->child : NULL; net != NULL; net = net->next) {
    double speed = number(net, "speed", 0), rate = speed * 1e6 / 8;
    if (strcmp(net->name, "net") != 0 || rate <= 0) continue;
    if (speed > RATE_MOST)
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, net->line, "speed \"%.40s\": no network is such",
                         attribute(net, "speed"));
    w->ports++;
    if (rate > w->network) w->network = rate;
  }
  return pm__sketch_link(w, end, parent, link, 1, error);
}

static int add_children(pm__sketch *w, const pm__element *e, int parent, int depth, pm_error *error);

static int add_pci(pm__sketch *w, const pm__element *pci, int parent, int depth, pm_error *error)
{
  const pm__element *nic = child(pci, "nic");
  const char *link = pci_link(w, pci, error);
  int gpu = pm__sketch_find(w, attribute(pci, "busid"));
  if (link == NULL) return PM_STATUS_BAD_VALUE;
  if (gpu >= 0 && w->ends[gpu].kind == PM_VERTEX_GPU) return pm__sketch_link(w, gpu, parent, link, 1, error);
  if (nic != NULL || is_nic_class(pci)) return add_nic(w, pci, nic, parent, error);
  if (child(pci, "pci") == NULL) return PM_OK; /* another device */
  int end = pm__sketch_end(w, PM_VERTEX_SWITCH, attribute(pci, "busid"), error);
  if (end < 0) return PM_STATUS_BAD_VALUE;
  int status = pm__sketch_link(w, end, parent, link, 1, error);
  return status == PM_OK ? add_children(w, pci, end, depth + 1, error) : status;
}

static int add_children(pm__sketch *w, const pm__element *e, int parent, int depth, pm_error *error)
{
  int status = PM_OK;
  if (depth > DEPTH_MOST) return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line,
                                             "PCI switches nested too deep");
  for (const pm__element *c = e->child; c != NULL && status == PM_OK; c = c->next)
    if (strcmp(c->name, "pci") == 0) status = add_pci(w, c, parent, depth, error);
    else if (strcmp(c->name, "nic") == 0) status = add_nic(w, NULL, c, parent, error);
  return status;
}

/* Bus ids are written with and without the domain's leading zeros, in either case. */
static int find_target(const pm__sketch *w, const char *target)
{
  int exact = pm__sketch_find(w, target);
  size_t length = strlen(target);
  for (int i = 0; exact < 0 && i < w->end_count; i++) {
    size_t own = strlen(w->ends[i].key), least = own < length ? own : length;
    if (least >= 7 && pm__same_name(w->ends[i].key + own - least, target + length - least)) return i;
  }
  return exact;
}

/* The class of the target says what is there: 0x03 a GPU, 0x0680 a switch, 0x06 a CPU bridge. */
static int add_nvlink(pm__sketch *w, const pm__element *gpu, const pm__element *e, int from, pm_error *error)
{
  char link[2 * PM_TEXT_MAX];
  double said = number(e, "count", 1);
  if (!(said >= 1 && said <= LINKS_MOST))
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "count \"%.40s\" is not a number of links",
                       attribute(e, "count"));
  int count = (int)said, to = find_target(w, attribute(e, "target"));
  bool hub = strncmp(attribute(e, "tclass"), "0x0680", 6) == 0;
  bool xgmi = strcmp(e->name, "xgmi") == 0;
  const char *type = xgmi ? (strncmp(w->gpu, "mi300", 5) == 0 ? "xgmi-mi300" : "xgmi-mi200") : w->nvlink;
  if (type[0] == '\0')
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, gpu->line, "gpu \"%s\" has no NVLink in the catalogue",
                       w->gpu);
  pm__sketch_switch_link(w, link, sizeof link);
  if (hub) type = link;
  if (hub && to < 0) to = pm__sketch_end(w, PM_VERTEX_NVSWITCH, attribute(e, "target"), error);
  if (to < 0 || to == from) {
    pm__string_format(&w->report, "left out: %d links of %s to \"%.30s\", which is no other GPU and no switch\n", count,
                      w->ends[from].name, attribute(e, "target"));
    return PM_OK;
  }
  if (!hub && to < from) return PM_OK; /* the other end wrote it too */
  return pm__sketch_link(w, from, to, type, count, error);
}

static int add_nvlinks(pm__sketch *w, const gpus *list, pm_error *error)
{
  int status = PM_OK;
  bool shown = false;
  for (int i = 0; i < list->count && status == PM_OK; i++) {
    const pm__element *gpu = child(list->pci[i], "gpu");
    for (const pm__element *e = gpu != NULL ? gpu->child : NULL; e != NULL && status == PM_OK; e = e->next) {
      if (strcmp(e->name, "nvlink") != 0 && strcmp(e->name, "xgmi") != 0) continue;
      shown = true;
      status = add_nvlink(w, gpu, e, i, error);
    }
    shown = shown || gpu != NULL;
  }
  return shown || status != PM_OK ? status : pm__sketch_assume_nvlinks(w, error);
}

/* CPU to CPU is not in the dump: the type goes by maker. */
static int add_cpus(pm__sketch *w, const pm__element *root, pm_error *error)
{
  int first = -1, status = PM_OK;
  for (const pm__element *cpu = root->child; cpu != NULL && status == PM_OK; cpu = cpu->next) {
    if (strcmp(cpu->name, "cpu") != 0) continue;
    char key[PM__NAME_MAX];
    snprintf(key, sizeof key, "numa%.20s", attribute(cpu, "numaid"));
    int end = pm__sketch_end(w, PM_VERTEX_CPU, key, error);
    if (end < 0) return PM_STATUS_BAD_VALUE;
    bool amd = strcmp(attribute(cpu, "vendor"), "AuthenticAMD") == 0;
    if (first >= 0) {
      status = pm__sketch_link(w, first, end, amd ? "infinity-fabric-epyc" : "upi-skylake", 3, error);
      pm__string_format(&w->report, "assumed: %s and %s are joined by three %s links\n", w->ends[first].name,
                        w->ends[end].name, amd ? "infinity-fabric-epyc" : "upi-skylake");
    } else first = end;
    if (status == PM_OK) status = add_children(w, cpu, end, 0, error);
  }
  if (status == PM_OK &&
      first < 0) return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, root->line, "<system> has no <cpu>");
  return status;
}

int pm__import_nccl(pm__sketch *w, const char *text, pm_error *error)
{
  pm__document *document = pm__document_read(text, strlen(text), w->file, error);
  if (document == NULL) return error != NULL && error->status != PM_OK ? error->status : PM_STATUS_BAD_SYNTAX;
  int status = PM_OK;
  gpus *list = (gpus *)calloc(1, sizeof *list);
  if (list == NULL) status = pm__no_memory(error);
  else if (strcmp(document->root->name, "system") != 0)
    status = pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, document->root->line, "<%.40s> is not NCCL's <system>",
                         document->root->name);
  if (status == PM_OK) find_gpus(document->root, list);
  if (status == PM_OK) status = add_gpus(w, list, error);
  if (status == PM_OK) status = add_cpus(w, document->root, error);
  if (status == PM_OK) status = add_nvlinks(w, list, error);
  free(list);
  pm__document_free(document);
  return status;
}
