/*
** The network of an imported machine: what its ports are, of which the fastest are counted. A slow port beside them
** serves management or storage, and NCCL leaves it alone.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/sketch.h"
#include "perfmodel/units.h"

int pm__sketch_port(pm__sketch *w, double rate, const char *family, int count, pm_error *error)
{
  for (int i = 0; i < w->port_classes; i++) {
    pm__sketch_ports *kind = &w->ports[i];
    if (kind->rate != rate || strcmp(kind->family, family) != 0) continue;
    kind->count += count;
    return PM_OK;
  }
  if (w->port_classes == PM__PORT_CLASSES_MAX)
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "ports of more than %d speeds", PM__PORT_CLASSES_MAX);
  pm__sketch_ports *kind = &w->ports[w->port_classes++];
  kind->rate = rate;
  kind->count = count;
  snprintf(kind->family, sizeof kind->family, "%.15s", family);
  return PM_OK;
}

/* What the user says of every NIC counts more: "400 Gb/s", or "400 Gb/s roce". */
static int read_nic(pm__sketch *w, pm_error *error)
{
  double rate;
  char value[PM_TEXT_MAX];
  const char *last = strrchr(w->nic, ' '), *family = "infiniband";
  static const char *const families[] = {"infiniband", "ethernet", "roce", "efa", "slingshot", "omni-path"};
  snprintf(value, sizeof value, "%.60s", w->nic);
  for (size_t i = 0; last != NULL && i < sizeof families / sizeof families[0]; i++)
    if (pm__same_name(last + 1, families[i])) {
      family = families[i];
      snprintf(value, sizeof value, "%.*s", (int)(last - w->nic < 60 ? last - w->nic : 60), w->nic);
    }
  if (pm_quantity_parse(value, "B/s", &rate, NULL) != PM_OK || !(rate > 0 && isfinite(rate)))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "nic \"%.60s\" is not the rate of a port; write \"400 Gb/s\", or "
                    "\"400 Gb/s roce\" (infiniband, ethernet, roce, efa, slingshot, omni-path)", w->nic);
  if (w->counts[PM_VERTEX_NIC] == 0)
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "the source shows no NIC for \"%.60s\"",
                       w->nic);
  w->port_classes = 0;
  return pm__sketch_port(w, rate, family, w->counts[PM_VERTEX_NIC], error);
}

static const pm__sketch_ports *fastest(const pm__sketch *w)
{
  const pm__sketch_ports *best = NULL;
  for (int i = 0; i < w->port_classes; i++)
    if (best == NULL || w->ports[i].rate > best->rate) best = &w->ports[i];
  return best;
}

static void say_others(pm__sketch *w, const pm__sketch_ports *best)
{
  for (int i = 0; i < w->port_classes; i++)
    if (&w->ports[i] != best)
      pm__sketch_say(w, "left out: %d port%s of %.6g Gbit/s beside %d of %.6g Gbit/s", w->ports[i].count,
                     w->ports[i].count == 1 ? "" : "s", w->ports[i].rate * 8 / 1e9, best->count, best->rate * 8 / 1e9);
}

int pm__sketch_write_network(pm__sketch *w, pm__string *links, pm__string *network, pm_error *error)
{
  char id[PM_TEXT_MAX];
  int status = w->nic != NULL ? read_nic(w, error) : PM_OK;
  const pm__sketch_ports *best = fastest(w);
  if (status != PM_OK) return status;
  if (best == NULL) {
    pm__sketch_say(w, "left out: no network; the source names no NIC with a speed%s", w->counts[PM_VERTEX_NIC] > 0
                   ? ": give it, as in --nic \"400 Gb/s\"" : "");
    return PM_OK;
  }
  char *made = pm_catalog_make_link(w->catalog, best->family, best->rate, id, error);
  if (made == NULL) return PM_STATUS_NOT_FOUND;
  pm__string_add(links, made);
  free(made);
  pm__string_format(network, "    <network link=\"%s\" count=\"%d\"/>\n", id, best->count);
  pm__sketch_say(w, "%s: the network is %d x %s, %.6g Gbit/s a port", w->nic != NULL ? "given" : "assumed", best->count,
                 id, best->rate * 8 / 1e9);
  say_others(w, best);
  return PM_OK;
}
