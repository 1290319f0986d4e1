/*
** NVLinks in hwloc's XML: a matrix of bandwidths [MB/s] named NVLinkBandwidth, between GPUs (by their NVML device),
** NVSwitches (PCI devices) and, on POWER, packages. The diagonal is no link.
*/
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/import.h"
#include "perfmodel/units.h"

enum { OBJECTS_MOST = 256, DEPTH_MOST = 64 };

typedef struct links {
  int count, filled;
  int end[OBJECTS_MOST]; /* -1: not in the sketch */
  double value[OBJECTS_MOST * OBJECTS_MOST];
} links;

static const char *attribute(const pm__element *e, const char *name)
{
  const char *value = pm__element_attribute(e, name);
  return value != NULL ? value : "";
}

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
  if (end >= 0 || strncmp(attribute(device, "pci_type"), "0680", 4) != 0) return end;
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
      return pm__fail_at(error, PM_BAD_VALUE, w->file, 0, "more than %d objects with NVLinks", OBJECTS_MOST);
    l->end[l->count] = end_of(w, root, word, error);
    if (l->end[l->count++] == -2) return PM_BAD_VALUE;
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
      return pm__fail_at(error, PM_BAD_VALUE, w->file, e->line, "\"%s\" is no bandwidth, or one too many", word);
    l->value[l->filled++] = value;
  }
  return PM_OK;
}

static int add_links(pm__sketch *w, const links *l, pm_error *error)
{
  char hub_link[2 * PM_TEXT_MAX];
  const pm__entry *entry = pm__names_find(&w->catalog->names, PM__LINKS, w->nvlink);
  double rate = entry != NULL ? ((const pm_link *)entry->record)->bandwidth / 1e6 : 0;
  int status = rate > 0 ? PM_OK : pm__fail(error, PM_NOT_FOUND, "link \"%s\" has no bandwidth", w->nvlink);
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

int pm__import_hwloc_links(pm__sketch *w, const pm__element *root, bool *found, pm_error *error)
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
    status = pm__fail_at(error, PM_BAD_VALUE, w->file, matrix->line, "%d bandwidths for %d objects", l->filled, l->count);
  if (status == PM_OK) status = add_links(w, l, error);
  free(l);
  return status;
}
