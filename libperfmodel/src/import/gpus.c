/*
** Which GPU of the catalogue a description means: by name, by PCI device, which is an alias there ("10de:2335"), or
** else by generation, where one GPU of it is the usual one; and what follows from it, its links to others.
*/
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "import/sketch.h"

static const pm_gpu *gpu_called(const pm_catalog *catalog, const char *name)
{
  const pm__entry *entry;
  return pm__catalog_seek(catalog, PM__GPUS, name, &entry, NULL) == PM_OK && entry != NULL
    ? (const pm_gpu *)entry->record : NULL;
}

bool pm__sketch_gpu(pm__sketch *w, const char *name)
{
  if (w->gpu[0] != '\0') return true;
  const pm_gpu *gpu = gpu_called(w->catalog, name);
  if (gpu == NULL) return false;
  memcpy(w->gpu, gpu->id, sizeof w->gpu);
  memcpy(w->nvlink, gpu->nvlink, sizeof w->nvlink);
  w->nvlinks = gpu->nvlinks;
  snprintf(w->host_link, sizeof w->host_link, "%s", gpu->pcie[0] != '\0' ? gpu->pcie : "pcie3-x16");
  return true;
}

/* Four digits of "0x2335" or "2335". */
static const char *digits_of(const char *text)
{
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) text += 2;
  for (int i = 0; i < 4; i++)
    if (!isxdigit((unsigned char)text[i])) return NULL;
  return text;
}

const char *pm__sketch_gpu_of_device(const pm__sketch *w, const char *vendor, const char *device)
{
  char name[16];
  const char *maker = digits_of(vendor), *which = digits_of(device);
  if (maker == NULL || which == NULL) return NULL;
  snprintf(name, sizeof name, "%.4s:%.4s", maker, which);
  const pm_gpu *gpu = gpu_called(w->catalog, name);
  return gpu != NULL ? gpu->id : NULL;
}

/* One generation may have several GPUs; without an id none of them is usual enough to be taken. */
static const struct {
  const char *key, *units, *id, *choices; /* units: compute units, of AMD */
} generations[] = {
  {"60", "", "p100-sxm2", "p100-pcie"},
  {"61", "", NULL, "p4, p40, gtx-1080-ti, titan-xp"},
  {"70", "", "v100-sxm2-16gb", "v100-sxm2-32gb, v100-sxm3-32gb, v100-pcie, titan-v"},
  {"75", "", NULL, "t4, rtx-2080-ti, quadro-rtx-6000, quadro-rtx-8000"},
  {"80", "", "a100-sxm4-40gb", "a100-sxm4-80gb, a100-pcie-40gb, a100-pcie-80gb, a30"},
  {"86", "", NULL, "a10, a10g, a40, rtx-a6000, rtx-3090"},
  {"89", "", NULL, "l4, l40, l40s, rtx-6000-ada, rtx-4090"},
  {"90", "", "h100-sxm5", "h100-pcie, h100-nvl, h200-sxm5, gh200-96gb"},
  {"100", "", "b200-sxm6", "gb200"},
  {"103", "", "b300-sxm6", "gb300"},
  {"120", "", NULL, "rtx-5090, rtx-5080, rtx-pro-6000-blackwell"},
  {"906", "64", "mi60", ""},        {"906", "60", "mi50", ""},      {"906", "", "mi50", "mi60"},
  {"908", "", "mi100", ""},
  {"90a", "104", "mi210", "mi250x-gcd"}, {"90a", "", "mi250x-gcd", "mi210"},
  {"910", "104", "mi210", "mi250x-gcd"}, {"910", "", "mi250x-gcd", "mi210"},
  {"940", "228", "mi300a", ""}, {"941", "228", "mi300a", ""}, {"942", "228", "mi300a", ""},
  {"940", "", "mi300x", "mi325x"}, {"941", "", "mi300x", "mi325x"}, {"942", "", "mi300x", "mi325x"},
  {"950", "", "mi355x", ""}};

const char *pm__sketch_gpu_of_generation(const char *sm, const char *gcn, const char **choices)
{
  const char *key = gcn[0] == '\0' ? sm : strncmp(gcn, "gfx", 3) == 0 ? gcn + 3 : gcn;
  *choices = "";
  for (size_t i = 0; i < sizeof generations / sizeof generations[0]; i++) {
    size_t length = strlen(generations[i].key);
    bool same = strncmp(generations[i].key, key, length) == 0 && (key[length] == '\0' || key[length] == ':');
    bool units = generations[i].units[0] == '\0' || strcmp(generations[i].units, sm) == 0;
    if (!same || !units) continue;
    *choices = generations[i].choices;
    return generations[i].id;
  }
  return NULL;
}

/* ---- Its links ---- */

bool pm__sketch_has_c2c(const pm__sketch *w)
{
  return strcmp(w->host_link, "nvlink-c2c") == 0;
}

const char *pm__sketch_host_pcie(const pm__sketch *w)
{
  return pm__sketch_has_c2c(w) ? "pcie5-x16" : w->host_link;
}

void pm__sketch_switch_link(const pm__sketch *w, char *link, size_t size)
{
  snprintf(link, size, "%s-nvswitch", w->nvlink);
  if (!pm__catalog_has(w->catalog, PM__LINKS, link)) snprintf(link, size, "%s", w->nvlink);
}

const char *pm__sketch_xgmi(const pm__sketch *w)
{
  static const struct {
    const char *architecture, *link;
  } links[] = {{"vega", "xgmi-mi100"}, {"cdna", "xgmi-mi100"}, {"cdna2", "xgmi-mi200"}, {"cdna3", "xgmi-mi300"},
               {"cdna4", "xgmi-mi300"}};
  const pm_gpu *gpu = gpu_called(w->catalog, w->gpu);
  for (size_t i = 0; gpu != NULL && i < sizeof links / sizeof links[0]; i++)
    if (strcmp(links[i].architecture, gpu->architecture) == 0) return links[i].link;
  return NULL;
}

int pm__sketch_assume_nvlinks(pm__sketch *w, pm_error *error)
{
  if (w->nvlinks <= 0 || w->nvlink[0] == '\0') return PM_OK;
  if (strstr(w->nvlink, "-nvswitch") == NULL) {
    pm__sketch_say(w, "left out: NVLinks; the source does not show them, nvidia-smi topo -m does");
    return PM_OK;
  }
  int hub = pm__sketch_end(w, PM_VERTEX_NVSWITCH, "nvswitch", error), status = hub < 0 ? PM_STATUS_BAD_VALUE : PM_OK;
  for (int i = 0; i < w->end_count && status == PM_OK; i++)
    if (w->ends[i].kind == PM_VERTEX_GPU) status = pm__sketch_link(w, i, hub, w->nvlink, w->nvlinks, error);
  pm__sketch_say(w, "assumed: all %d NVLinks of every GPU end at switches, one vertex; the source does not show them",
                 w->nvlinks);
  return status;
}

/* ---- Faults that such descriptions are made for ---- */

/* NVLinks of each GPU, to switches if there are any; GPUs are the first ends. Returns the most. */
static int count_nvlinks(const pm__sketch *w, bool switches, int *links)
{
  int most = 0;
  for (int i = 0; i < w->counts[PM_VERTEX_GPU]; i++) links[i] = 0;
  for (int i = 0; i < w->wire_count; i++) {
    const pm__wire *wire = &w->wires[i];
    int gpu = wire->a < wire->b ? wire->a : wire->b, other = wire->a + wire->b - gpu;
    bool counts = switches ? w->ends[other].kind == PM_VERTEX_NVSWITCH : w->ends[other].kind == PM_VERTEX_GPU;
    if (!counts || w->ends[gpu].kind != PM_VERTEX_GPU) continue;
    links[gpu] += wire->count;
    if (links[gpu] > most) most = links[gpu];
  }
  return most;
}

void pm__sketch_notice_nvlinks(pm__sketch *w)
{
  int links[PM__WIRES_MAX];
  bool switches = w->counts[PM_VERTEX_NVSWITCH] > 0, sold = w->nvlinks > 0 && strstr(w->nvlink, "-nvswitch") != NULL;
  int most = count_nvlinks(w, switches, links);
  if (most == 0 && sold && w->counts[PM_VERTEX_GPU] > 1)
    pm__sketch_say(w, "noticed: %s has %d NVLinks but the source shows none, so GPUs are connected only by PCIe here; "
                   "topo -mp and some virtual machines hide NVLinks, nvidia-smi topo -m on the host shows them",
                   w->gpu, w->nvlinks);
  for (int i = 0; i < w->counts[PM_VERTEX_GPU] && switches && w->nvlinks > 0; i++)
    if (links[i] < w->nvlinks)
      pm__sketch_say(w, "noticed: GPU%d shows %d of its %d NVLinks%s: the others are down or in another partition",
                     i, links[i], w->nvlinks, most == w->nvlinks ? ", others all" : "");
}
