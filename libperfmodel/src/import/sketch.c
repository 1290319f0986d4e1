/* A machine while its description is read: vertices, links, and a report of what was assumed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
  end->host = kind == PM_VERTEX_NVSWITCH ? PM__ANY_HOST : w->host;
  return w->end_count++;
}

/* Keys were cut when they were kept, so that only what was kept is compared. */
static bool has_key(const pm__wire_end *end, const char *key)
{
  return strncmp(end->key, key, sizeof end->key - 1) == 0;
}

int pm__sketch_find(const pm__sketch *w, const char *key)
{
  for (int i = 0; i < w->end_count; i++)
    if ((w->ends[i].host == w->host || w->ends[i].host == PM__ANY_HOST) && has_key(&w->ends[i], key)) return i;
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

void pm__sketch_say(pm__sketch *w, const char *format, ...)
{
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  strcat(line, "\n");
  if (w->report.text == NULL || strstr(w->report.text, line) == NULL) pm__string_add(&w->report, line);
}

/* Bytes per transfer of a lane after line coding: 8b/10b up to PCIe 2.0, 128b/130b, and the flits of 6.0. */
static double coding(double speed)
{
  return (speed < 6e9 ? 0.8 : speed < 48e9 ? 128.0 / 130 : 242.0 / 256) / 8;
}

const char *pm__sketch_pcie(pm__sketch *w, double speed, int width, pm_error *error)
{
  double rate = speed * width * coding(speed);
  char *made = pm_catalog_make_link(w->catalog, "pcie", rate, w->pcie, error), entry[PM_TEXT_MAX + 16];
  if (made == NULL) return NULL;
  snprintf(entry, sizeof entry, "<link id=\"%s\"", w->pcie);
  if (w->made.text == NULL || strstr(w->made.text, entry) == NULL) pm__string_add(&w->made, made);
  if (made[0] != '\0')
    pm__sketch_say(w, "assumed: collectives reach the same share of a PCIe link of %d lanes at %.1f GT/s, %.3g GB/s, "
                   "as of wider ones", width, speed / 1e9, rate / 1e9);
  free(made);
  return w->pcie;
}
