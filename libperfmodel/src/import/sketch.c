/* A machine while its description is read: vertices, links, and a report of what was assumed. */
#include <stdio.h>
#include <string.h>
#include "import/sketch.h"

static const char *const kinds[] = {"gpu", "cpu", "plx", "nvs", "nic"};

int pm__sketch_end(pm__sketch *w, pm_vertex_kind kind, const char *key, pm_error *error)
{
  if (w->end_count == PM__WIRES_MAX) {
    pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "more than %d vertices", PM__WIRES_MAX);
    return -1;
  }
  pm__wire_end *end = &w->ends[w->end_count];
  snprintf(end->name, sizeof end->name, "%s%d", kinds[kind], w->counts[kind]++);
  snprintf(end->key, sizeof end->key, "%.39s", key);
  end->kind = kind;
  return w->end_count++;
}

int pm__sketch_find(const pm__sketch *w, const char *key)
{
  for (int i = 0; i < w->end_count; i++)
    if (strcmp(w->ends[i].key, key) == 0) return i;
  return -1;
}

int pm__sketch_link(pm__sketch *w, int a, int b, const char *link, int count, pm_error *error)
{
  for (int i = 0; i < w->wire_count; i++) {
    pm__wire *wire = &w->wires[i];
    bool same = (wire->a == a && wire->b == b) || (wire->a == b && wire->b == a);
    if (!same || strcmp(wire->link, link) != 0) continue;
    wire->count += count;
    return PM_OK;
  }
  if (w->wire_count == PM__WIRES_MAX)
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "more than %d links", PM__WIRES_MAX);
  pm__wire *wire = &w->wires[w->wire_count++];
  wire->a = a;
  wire->b = b;
  wire->count = count;
  snprintf(wire->link, sizeof wire->link, "%.39s", link);
  return PM_OK;
}

const char *pm__sketch_pcie(pm__sketch *w, double speed, int width)
{
  const char *known = speed > 20e9 ? "pcie5-x16" : speed > 10e9 ? "pcie4-x16" : "pcie3-x16";
  bool standard = width == 16 && (speed == 8e9 || speed == 16e9 || speed == 32e9);
  if (!standard)
    pm__string_format(&w->report, "assumed: a PCIe link of %d lanes at %.1f GT/s is taken for %s\n", width, speed / 1e9,
                      known);
  return known;
}

bool pm__sketch_gpu(pm__sketch *w, const char *name)
{
  if (w->gpu[0] != '\0') return true;
  const pm__entry *entry;
  if (pm__catalog_seek(w->catalog, PM__GPUS, name, &entry, NULL) != PM_OK || entry == NULL) return false;
  const pm_gpu *gpu = (const pm_gpu *)entry->record;
  memcpy(w->gpu, gpu->id, sizeof w->gpu);
  memcpy(w->nvlink, gpu->nvlink, sizeof w->nvlink);
  snprintf(w->host_link, sizeof w->host_link, "%s", gpu->pcie[0] != '\0' ? gpu->pcie : "pcie3-x16");
  return true;
}

void pm__sketch_switch_link(const pm__sketch *w, char *link, size_t size)
{
  snprintf(link, size, "%s-nvswitch", w->nvlink);
  if (!pm__catalog_has(w->catalog, PM__LINKS, link)) snprintf(link, size, "%s", w->nvlink);
}

int pm__sketch_assume_nvlinks(pm__sketch *w, pm_error *error)
{
  const pm__entry *entry;
  int found = pm__catalog_seek(w->catalog, PM__GPUS, w->gpu, &entry, error);
  if (found != PM_OK) return found;
  const pm_gpu *gpu = entry != NULL ? (const pm_gpu *)entry->record : NULL;
  if (gpu == NULL || gpu->nvlinks <= 0 || w->nvlink[0] == '\0') return PM_OK;
  if (strstr(w->nvlink, "-nvswitch") == NULL) {
    pm__string_add(&w->report, "left out: NVLinks; the source does not show them, nvidia-smi topo -m does\n");
    return PM_OK;
  }
  int hub = pm__sketch_end(w, PM_VERTEX_NVSWITCH, "nvswitch", error), status = hub < 0 ? PM_STATUS_BAD_VALUE : PM_OK;
  for (int i = 0; i < w->end_count && status == PM_OK; i++)
    if (w->ends[i].kind == PM_VERTEX_GPU) status = pm__sketch_link(w, i, hub, w->nvlink, gpu->nvlinks, error);
  pm__string_format(&w->report, "assumed: all %d NVLinks of every GPU end at switches, one vertex; the source does not "
                                "show "
                                "them\n", gpu->nvlinks);
  return status;
}
