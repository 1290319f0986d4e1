/*
** NCCL's topology: what it dumps (NCCL_TOPO_DUMP_FILE), with GPUs, NVLinks and NICs, and what cloud providers write for
** it (NCCL_TOPO_FILE), which is PCI devices by class alone.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"
#include "perfmodel/units.h"

enum { DEPTH_MOST = 16, HOSTS_MOST = 128,
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

/* ---- GPUs, in the order that programs see: by host and `dev`, or in files written by hand for NCCL_TOPO_FILE, which
** show devices by class alone, by bus. ---- */

typedef struct gpus {
  const pm__element *pci[PM__WIRES_MAX];
  int host[PM__WIRES_MAX];
  int count, hosts;
  const char *hash[HOSTS_MOST];
} gpus;

/* A dump of several hosts that NVLink joins has their CPUs side by side, each with a hash of its host. The last place
** is that of any more. */
static int host_of(gpus *list, const pm__element *cpu)
{
  const char *hash = attribute(cpu, "host_hash");
  for (int i = 0; i < list->hosts; i++)
    if (strcmp(list->hash[i], hash) == 0) return i;
  if (list->hosts < HOSTS_MOST) list->hash[list->hosts++] = hash;
  return list->hosts - 1;
}

static bool has_class(const pm__element *pci, const char *const *classes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strncmp(attribute(pci, "class"), classes[i], strlen(classes[i])) == 0) return true;
  return false;
}

/* 3D and display controllers, processing accelerators; of the two makers, where the maker is said. */
static bool is_gpu_class(const pm__element *pci)
{
  static const char *const classes[] = {"0x0302", "0x0300", "0x0380", "0x1200"};
  const char *vendor = attribute(pci, "vendor");
  bool maker = vendor[0] == '\0' || pm__same_name(vendor, "0x10de") || pm__same_name(vendor, "0x1002");
  return maker && has_class(pci, classes, 4);
}

static bool is_nic_class(const pm__element *pci)
{
  static const char *const classes[] = {"0x0200", "0x0207"};
  return has_class(pci, classes, 2);
}

static void collect(const pm__element *e, bool by_class, int host, int depth, gpus *list)
{
  for (const pm__element *c = e->child; c != NULL && depth < DEPTH_MOST; c = c->next) {
    bool pci = strcmp(c->name, "pci") == 0, gpu = pci && (by_class ? is_gpu_class(c) : child(c, "gpu") != NULL);
    if (gpu && list->count < PM__WIRES_MAX) {
      list->host[list->count] = host;
      list->pci[list->count++] = c;
    }
    if (!gpu) collect(c, by_class, host, depth + 1, list);
  }
}

static void collect_all(const pm__element *root, bool by_class, gpus *list)
{
  list->count = 0;
  for (const pm__element *cpu = root->child; cpu != NULL; cpu = cpu->next)
    if (strcmp(cpu->name, "cpu") == 0) collect(cpu, by_class, host_of(list, cpu), 0, list);
}

static bool before(const gpus *list, int i, int j)
{
  const pm__element *a = list->pci[i], *b = list->pci[j], *one = child(a, "gpu"), *other = child(b, "gpu");
  if (list->host[i] != list->host[j]) return list->host[i] < list->host[j];
  if (one != NULL && other != NULL) return number(one, "dev", -1) < number(other, "dev", -1);
  return strcmp(attribute(a, "busid"), attribute(b, "busid")) < 0;
}

static void swap(gpus *list, int i, int j)
{
  const pm__element *pci = list->pci[i];
  int host = list->host[i];
  list->pci[i] = list->pci[j], list->host[i] = list->host[j];
  list->pci[j] = pci, list->host[j] = host;
}

static void find_gpus(const pm__element *root, gpus *list)
{
  collect_all(root, false, list);
  if (list->count == 0) collect_all(root, true, list);
  for (int i = 1; i < list->count; i++)
    for (int k = i; k > 0 && before(list, k, k - 1); k--) swap(list, k, k - 1);
}

static const char *device_of(const pm__sketch *w, const pm__element *pci)
{
  return pm__sketch_gpu_of_device(w, attribute(pci, "vendor"), attribute(pci, "device"));
}

/* A system has GPUs of one kind. */
static int check_alike(pm__sketch *w, const gpus *list, pm_error *error)
{
  const char *first = NULL;
  for (int i = 0; i < list->count; i++) {
    const char *id = device_of(w, list->pci[i]);
    if (id == NULL) continue;
    if (first != NULL && strcmp(first, id) != 0 && !w->gpu_given)
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, list->pci[i]->line,
                         "%s and %s in one machine: a system has one kind of GPU; give it, as in --gpu %s", first, id,
                         first);
    if (first == NULL) first = id;
  }
  if (first != NULL && w->gpu_given && strcmp(first, w->gpu) != 0)
    pm__sketch_say(w, "assumed: GPUs are %s, as given; the PCI device of the file is that of %s", w->gpu, first);
  return PM_OK;
}

/* AMD's number of compute units stands where a capability stood before ("90" of gfx90a, "94" of gfx942). */
static int check_units(const pm__sketch *w, const pm__element *gpu, pm_error *error)
{
  const char *sm = attribute(gpu, "sm"), *gcn = attribute(gpu, "gcn");
  double units = number(gpu, "sm", 0);
  pm_gpu known;
  if (gcn[0] == '\0' || !(units >= 1) || strncmp(gcn + strcspn(gcn, "0123456789"), sm, 2) == 0) return PM_OK;
  int status = pm_catalog_get_record(w->catalog, "gpu", w->gpu, &known, error);
  if (status != PM_OK || units == known.sms) return status;
  return pm__fail_at(error, PM_STATUS_NOT_FOUND, w->file, gpu->line, "no GPU of the catalogue is a gcn \"%.20s\" of "
                     "%.20s compute units (%s has %d); give its id, as in --gpu %s", gcn, sm, w->gpu, known.sms,
                     w->gpu);
}

/* By its device, else by its generation. */
static int name_gpu(pm__sketch *w, const pm__element *pci, pm_error *error)
{
  const char *choices, *device = device_of(w, pci);
  const pm__element *gpu = child(pci, "gpu");
  if (device != NULL && pm__sketch_gpu(w, device)) return PM_OK;
  if (gpu == NULL)
    return pm__fail_at(error, PM_STATUS_BAD_ARGUMENT, w->file, pci->line,
                       "the file does not name the GPU; give it, as in --gpu h100-sxm5");
  const char *sm = attribute(gpu, "sm"), *gcn = attribute(gpu, "gcn");
  const char *id = pm__sketch_gpu_of_generation(sm, gcn, &choices);
  const char *key = gcn[0] != '\0' ? gcn : sm, *what = gcn[0] != '\0' ? "gcn" : "sm";
  if (id == NULL && choices[0] != '\0')
    return pm__fail_at(error, PM_STATUS_NOT_FOUND, w->file, gpu->line,
                       "%s \"%.20s\" is of several GPUs (%s, ...), and the PCI device \"%.10s\" of none of the "
                       "catalogue; give its id, as in --gpu %.*s", what, key, choices, attribute(pci, "device"),
                       (int)strcspn(choices, ","), choices);
  if (id == NULL || !pm__sketch_gpu(w, id))
    return pm__fail_at(error, PM_STATUS_NOT_FOUND, w->file, gpu->line,
                       "no GPU of the catalogue has %s \"%.20s\"; give its id, as in --gpu h100-sxm5", what, key);
  pm__sketch_say(w, "assumed: GPUs of %s %.20s are %s%s%s", what, key, id, choices[0] != '\0' ? ", not " : "", choices);
  return check_units(w, gpu, error);
}

static int add_gpus(pm__sketch *w, const gpus *list, pm_error *error)
{
  int status = check_alike(w, list, error);
  for (int i = 0, dev = 0; i < list->count && status == PM_OK; i++, dev++) {
    const pm__element *pci = list->pci[i], *gpu = child(pci, "gpu");
    if (w->gpu[0] == '\0') status = name_gpu(w, pci, error);
    if (status != PM_OK) return status;
    if (list->host[i] != w->host) dev = 0;
    w->host = list->host[i];
    if (gpu != NULL && number(gpu, "dev", -1) != dev)
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, gpu->line,
                         "dev \"%.20s\" of a GPU leaves a gap or occurs twice",
                         attribute(gpu, "dev"));
    if (pm__sketch_end(w, PM_VERTEX_GPU, attribute(pci, "busid"), error) < 0) return PM_STATUS_BAD_VALUE;
  }
  return status;
}

/* ---- The tree ---- */

/* NULL with an error. */
static const char *pci_link(pm__sketch *w, const pm__element *pci, pm_error *error)
{
  double speed = number(pci, "link_speed", 0), width = number(pci, "link_width", 0);
  if (!(speed > 0 && width > 0)) return pm__sketch_host_pcie(w); /* virtual machines show none */
  if (speed <= SPEED_MOST && width <= WIDTH_MOST) return pm__sketch_pcie(w, speed * 1e9, (int)width, error);
  pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, pci->line,
              "link_speed \"%.40s\", link_width \"%.40s\": no such PCIe link exists",
              attribute(pci, "link_speed"), attribute(pci, "link_width"));
  return NULL;
}

/* What a port speaks, by the class of its NIC and its name: RDMA devices are not named as network interfaces are. */
static const char *family_of(const pm__element *pci, const char *name)
{
  static const struct {
    const char *prefix, *family;
  } names[] = {{"mlx", "roce"},   {"bnxt", "roce"}, {"irdma", "roce"}, {"roce", "roce"},   {"ionic", "roce"},
               {"rdmap", "efa"},  {"efa", "efa"},   {"hsn", "slingshot"}, {"cxi", "slingshot"},
               {"hfi", "omni-path"}, {"opa", "omni-path"}, {"ib", "infiniband"}};
  const char *kind = pci != NULL ? attribute(pci, "class") : "";
  if (strncmp(kind, "0x0207", 6) == 0) return "infiniband";
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(name, names[i].prefix, strlen(names[i].prefix)) == 0)
      return kind[0] == '\0' && i == 0 ? "infiniband" : names[i].family; /* mlx without a class: either */
  return "ethernet";
}

/* Ports that a NIC has; their speed is in Mbit/s. Either of the elements may be missing. */
static int add_nic(pm__sketch *w, const pm__element *pci, const pm__element *nic, int parent, pm_error *error)
{
  const char *link = pci != NULL ? pci_link(w, pci, error) : pm__sketch_host_pcie(w);
  int end = link != NULL ? pm__sketch_end(w, PM_VERTEX_NIC, pci != NULL ? attribute(pci, "busid") : "nic", error) : -1;
  if (end < 0) return PM_STATUS_BAD_VALUE;
  for (const pm__element *net = nic != NULL ? nic->child : NULL; net != NULL; net = net->next) {
    double speed = number(net, "speed", 0), rate = speed * 1e6 / 8;
    if (strcmp(net->name, "net") != 0) continue;
    if (!(rate > 0)) {
      pm__sketch_say(w, "left out: port \"%.30s\", whose speed \"%.20s\" is none", attribute(net, "name"),
                     attribute(net, "speed"));
      continue;
    }
    if (speed > RATE_MOST)
      return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, net->line, "speed \"%.40s\": no such network exists",
                         attribute(net, "speed"));
    int status = pm__sketch_port(w, rate, family_of(pci, attribute(net, "name")), 1, error);
    if (status != PM_OK) return status;
  }
  return pm__sketch_link(w, end, parent, link, 1, error);
}

static int add_children(pm__sketch *w, const pm__element *e, int parent, int depth, pm_error *error);

/* Whether the GPU reaches its CPU by NVLink-C2C: the dump shows it, or such GPUs always do. */
static bool has_c2c(const pm__sketch *w, const pm__element *pci)
{
  const pm__element *gpu = child(pci, "gpu");
  return gpu != NULL && (child(gpu, "c2c") != NULL || pm__sketch_has_c2c(w));
}

static int add_pci(pm__sketch *w, const pm__element *pci, int parent, int depth, pm_error *error)
{
  const pm__element *nic = child(pci, "nic");
  int gpu = pm__sketch_find(w, attribute(pci, "busid"));
  bool is_gpu = gpu >= 0 && w->ends[gpu].kind == PM_VERTEX_GPU;
  if (is_gpu && has_c2c(w, pci)) return pm__sketch_link(w, gpu, parent, "nvlink-c2c", 1, error);
  if (!is_gpu && (nic != NULL || is_nic_class(pci))) return add_nic(w, pci, nic, parent, error);
  if (!is_gpu && child(pci, "pci") == NULL) return PM_OK; /* another device */
  const char *link = pci_link(w, pci, error);
  if (link == NULL) return PM_STATUS_BAD_VALUE;
  if (is_gpu) return pm__sketch_link(w, gpu, parent, link, 1, error);
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
    if (w->ends[i].host != w->host && w->ends[i].host != PM__ANY_HOST) continue;
    size_t own = strlen(w->ends[i].key), least = own < length ? own : length;
    if (least >= 7 && pm__same_name(w->ends[i].key + own - least, target + length - least)) return i;
  }
  return exact;
}

/* Whether a GPU shows a link to another one, too. */
static bool has_link_to(const pm__sketch *w, const pm__element *pci, const char *kind, int target)
{
  const pm__element *gpu = child(pci, "gpu");
  for (const pm__element *e = gpu != NULL ? gpu->child : NULL; e != NULL; e = e->next)
    if (strcmp(e->name, kind) == 0 && find_target(w, attribute(e, "target")) == target) return true;
  return false;
}

/* The class of the target says what is there: 0x03 a GPU, 0x0680 a switch, 0x06 a CPU bridge. */
static int add_nvlink(pm__sketch *w, const gpus *list, const pm__element *e, int from, pm_error *error)
{
  char link[2 * PM_TEXT_MAX];
  double said = number(e, "count", 1);
  if (!(said >= 1 && said <= LINKS_MOST))
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "count \"%.40s\" is not a number of links",
                       attribute(e, "count"));
  int count = (int)said, to = find_target(w, attribute(e, "target"));
  bool hub = strncmp(attribute(e, "tclass"), "0x0680", 6) == 0;
  bool xgmi = strcmp(e->name, "xgmi") == 0;
  const char *type = xgmi ? pm__sketch_xgmi(w) : w->nvlink;
  if (type == NULL || type[0] == '\0')
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, e->line, "gpu \"%s\" has no %s in the catalogue", w->gpu,
                       xgmi ? "xGMI" : "NVLink");
  pm__sketch_switch_link(w, link, sizeof link);
  if (hub) type = link;
  if (hub && to < 0) to = pm__sketch_end(w, PM_VERTEX_NVSWITCH, attribute(e, "target"), error);
  if (to < 0 || to == from) {
    pm__string_format(&w->report, "left out: %d links of %s to \"%.30s\", which is neither another GPU nor a switch\n",
                      count,
                      w->ends[from].name, attribute(e, "target"));
    return PM_OK;
  }
  if (to < list->count) {
    bool both = has_link_to(w, list->pci[to], e->name, from);
    if (both && to < from) return PM_OK;
    if (!both)
      pm__sketch_say(w, "assumed: links of %s to %s, which shows none back", w->ends[from].name, w->ends[to].name);
  }
  return pm__sketch_link(w, from, to, type, count, error);
}

static int add_nvlinks(pm__sketch *w, const gpus *list, pm_error *error)
{
  int status = PM_OK;
  bool shown = false;
  for (int i = 0; i < list->count && status == PM_OK; i++) {
    const pm__element *gpu = child(list->pci[i], "gpu");
    w->host = list->host[i];
    for (const pm__element *e = gpu != NULL ? gpu->child : NULL; e != NULL && status == PM_OK; e = e->next) {
      if (strcmp(e->name, "nvlink") != 0 && strcmp(e->name, "xgmi") != 0) continue;
      shown = true;
      status = add_nvlink(w, list, e, i, error);
    }
    shown = shown || gpu != NULL;
  }
  return shown || status != PM_OK ? status : pm__sketch_assume_nvlinks(w, error);
}

/* ---- CPUs ---- */

static pm__sketch_cpu model_of(const pm__element *cpu)
{
  pm__sketch_cpu model = {.family = (int)fmax(-1, fmin(number(cpu, "familyid", -1), 1000)),
                         .model = (int)fmax(-1, fmin(number(cpu, "modelid", -1), 1000))};
  const char *vendor = attribute(cpu, "vendor"), *arch = attribute(cpu, "arch");
  snprintf(model.vendor, sizeof model.vendor, "%.23s", strncmp(arch, "ppc64", 5) == 0 ? "IBM" : vendor);
  if (strcmp(model.vendor, "IBM") == 0) model.family = model.model = -1;
  return model;
}

/* A CPU whose GPUs are joined by C2C is a Grace. */
static bool is_grace(const pm__sketch *w, const pm__element *e, int depth)
{
  for (const pm__element *c = e->child; c != NULL && depth < DEPTH_MOST; c = c->next)
    if (has_c2c(w, c) || is_grace(w, c, depth + 1)) return true;
  return false;
}

static int add_cpu(pm__sketch *w, const pm__element *cpu, pm_error *error)
{
  char key[PM__NAME_MAX];
  snprintf(key, sizeof key, "numa%.20s", attribute(cpu, "numaid"));
  int end = pm__sketch_end(w, PM_VERTEX_CPU, key, error);
  return end >= 0 ? add_children(w, cpu, end, 0, error) : PM_STATUS_BAD_VALUE;
}

/* CPU to CPU is not in the dump: the links go by what the CPU is. */
static int join_cpus(pm__sketch *w, const pm__element *root, gpus *list, int host, pm_error *error)
{
  const pm__element *last = NULL;
  for (const pm__element *cpu = root->child; cpu != NULL; cpu = cpu->next)
    if (strcmp(cpu->name, "cpu") == 0 && host_of(list, cpu) == host) last = cpu;
  if (last == NULL) return PM_OK;
  pm__sketch_cpu model = model_of(last);
  if (is_grace(w, last, 0)) snprintf(model.vendor, sizeof model.vendor, "Grace");
  w->host = host;
  return pm__sketch_join_cpus(w, &model, error);
}

static int add_cpus(pm__sketch *w, const pm__element *root, gpus *list, pm_error *error)
{
  int cpus = 0, status = PM_OK;
  for (const pm__element *cpu = root->child; cpu != NULL && status == PM_OK; cpu = cpu->next) {
    if (strcmp(cpu->name, "cpu") != 0) continue;
    w->host = host_of(list, cpu);
    cpus++;
    status = add_cpu(w, cpu, error);
  }
  w->hosts = list->hosts;
  for (int host = 0; host < list->hosts && status == PM_OK; host++) status = join_cpus(w, root, list, host, error);
  if (status != PM_OK || cpus > 0) return status;
  return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, root->line, "<system> has no <cpu>");
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
  if (status == PM_OK) status = add_cpus(w, document->root, list, error);
  if (status == PM_OK) status = add_nvlinks(w, list, error);
  free(list);
  pm__document_free(document);
  return status;
}
