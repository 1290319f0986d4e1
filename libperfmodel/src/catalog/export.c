/* Entries written back as a file, complete: what they refer to, and is not shipped, stands beside them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "hardware/system.h"

/* ---- Elements ---- */

static void add_attribute(pm__string *xml, const char *name, const char *value)
{
  pm__string_format(xml, " %s=\"", name);
  pm__string_add_escaped(xml, value);
  pm__string_add(xml, "\"");
}

/* The entry of that id in a user's own file, or NULL. */
static const pm__entry *find_own(const pm_catalog *catalog, int kind, const char *id)
{
  const pm__names_place *place = pm__names_find(catalog, kind, id);
  return place != NULL ? catalog->lists[kind].items[place->position] : NULL;
}

/* A source of a user's own file is not known where the entry goes. */
static bool is_shipped_source(const pm_catalog *catalog, const char *source)
{
  char id[PM_TEXT_MAX];
  snprintf(id, sizeof id, "%.*s", (int)strcspn(source, " ") < (int)sizeof id ? (int)strcspn(source, " ") : 0, source);
  return pm__catalog_has(catalog, PM__SOURCES, id) && find_own(catalog, PM__SOURCES, id) == NULL;
}

static void add_attributes(pm__string *xml, const pm_catalog *catalog, const pm__element *e, const char *but)
{
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next) {
    bool lost = strcmp(a->name, "source") == 0 && !is_shipped_source(catalog, a->value);
    if (!lost && !pm__list_has(but, a->name)) add_attribute(xml, a->name, a->value);
  }
}

static void add_element(pm__string *xml, const pm_catalog *catalog, const pm__element *e, int indent)
{
  pm__string_format(xml, "%*s<%s", indent, "", e->name);
  add_attributes(xml, catalog, e, " ");
  if (e->child == NULL && e->text[0] == '\0') {
    pm__string_add(xml, "/>\n");
    return;
  }
  pm__string_add(xml, ">");
  pm__string_add_escaped(xml, e->text);
  if (e->child != NULL) pm__string_add(xml, "\n");
  for (const pm__element *c = e->child; c != NULL; c = c->next) add_element(xml, catalog, c, indent + 2);
  pm__string_format(xml, "%*s</%s>\n", e->child != NULL ? indent : 0, "", e->name);
}

/* ---- Entries ---- */

/* An id that files may have: "h100-sxm5*8:nvswitch" is h100-sxm5-8-nvswitch. */
static void set_id(char *id, size_t size, const char *text)
{
  snprintf(id, size, "%s", text);
  for (char *p = id; *p != '\0'; p++)
    if (strchr("*:", *p) != NULL) *p = '-';
}

/* What the name of a GPU stands for has these fields without elements. */
static void add_machine(pm__string *xml, const pm__entry *entry)
{
  const pm_machine *machine = (const pm_machine *)entry->record;
  pm__string_format(xml, "    <gpu>%s</gpu>\n    <gpus>%d</gpus>\n    <topology>%s</topology>\n", machine->gpu,
                    machine->gpus,
                    machine->topology);
}

/* Under an id of its own it takes another name, since names stand only once. */
static void add_entry(pm__string *xml, const pm_catalog *catalog, const pm__entry *entry, const char *id)
{
  char own[PM_TEXT_MAX];
  bool renamed = id != NULL && strcmp(id, entry->id) != 0;
  set_id(own, sizeof own, renamed ? id : entry->id);
  pm__string_format(xml, "\n  <%s", pm__kind_at((size_t)entry->kind)->singular);
  add_attribute(xml, "id", own);
  if (entry->name[0] != '\0' && renamed) {
    char name[2 * PM_TEXT_MAX];
    snprintf(name, sizeof name, "%.*s, %s", (int)(PM_TEXT_MAX - 3 - strlen(own)), entry->name, own);
    add_attribute(xml, "name", name);
  }
  else if (entry->name[0] != '\0') add_attribute(xml, "name", entry->name);
  add_attributes(xml, catalog, entry->element, renamed ? " id name alias " : " id name ");
  pm__string_add(xml, ">\n");
  if (entry->kind == PM__SYSTEMS && pm__entry_child(entry, "gpu") == NULL) add_machine(xml, entry);
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next) add_element(xml, catalog, e, 4);
  pm__string_format(xml, "  </%s>\n", pm__kind_at((size_t)entry->kind)->singular);
}

/* ---- What goes with them ---- */

/* Link types of a user's own file, each once. */
static void add_links(pm__string *xml, const pm_catalog *catalog, const pm_system *system)
{
  for (size_t i = 0; i <= system->edge_count; i++) {
    const char *id = i < system->edge_count ? system->edges[i].link.id : system->network.link.id;
    bool seen = i == system->edge_count && system->network.count == 0;
    for (size_t j = 0; j < i; j++) seen = seen || strcmp(system->edges[j].link.id, id) == 0;
    const pm__entry *link = seen ? NULL : find_own(catalog, PM__LINKS, id);
    const pm__entry *calibration = seen ? NULL : find_own(catalog, PM__CALIBRATIONS, id);
    if (link != NULL) add_entry(xml, catalog, link, NULL);
    if (calibration != NULL) add_entry(xml, catalog, calibration, NULL);
  }
}

static int add_system_parts(pm__string *xml, const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  pm_system *system = pm__entry_system(catalog, entry, error);
  if (system == NULL) return error->status;
  const pm__entry *gpu = find_own(catalog, PM__GPUS, system->gpu.id);
  if (gpu != NULL) add_entry(xml, catalog, gpu, NULL);
  add_links(xml, catalog, system);
  pm_system_free(system);
  return PM_OK;
}

/* Entries found by the same id: under another they go with it, as those of a user's own do. */
static int add_companions(pm__string *xml, const pm_catalog *catalog, const pm__entry *entry, const char *id,
                          pm_error *error)
{
  static const struct {
    int kind, companion;
  } pairs[] = {{PM__GPUS, PM__USABLE_MEMORIES}, {PM__GPUS, PM__KERNEL_CALIBRATIONS}, {PM__LINKS, PM__CALIBRATIONS},
               {PM__FRAMEWORKS, PM__INFERENCE_PROFILES}, {PM__STORAGES, PM__STORAGE_ACCESSES}};
  bool renamed = id != NULL && strcmp(id, entry->id) != 0;
  int status = PM_OK;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && status == PM_OK; i++) {
    const pm__entry *with;
    if (pairs[i].kind != entry->kind) continue;
    status = pm__catalog_seek(catalog, pairs[i].companion, entry->id, &with, error);
    if (with != NULL && (renamed || with->load > 0)) add_entry(xml, catalog, with, renamed ? id : NULL);
  }
  return status;
}

static int write(const pm_catalog *catalog, const pm__entry *entry, const char *id, pm__string *xml, pm_error *error)
{
  int status = PM_OK;
  pm__string_add(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<perfmodel version=\"1\">\n");
  add_entry(xml, catalog, entry, id);
  if (entry->kind == PM__SYSTEMS) status = add_system_parts(xml, catalog, entry, error);
  else status = add_companions(xml, catalog, entry, id, error);
  pm__string_add(xml, "\n</perfmodel>\n");
  return status == PM_OK && xml->failed ? pm__no_memory(error) : status;
}

/* A network is written without its blocks, which may be shared with others. */
static char *export_network(const pm__entry *entry, pm_error *error)
{
  pm_network *network = pm__entry_network(entry, NULL, 0, error);
  char *text = network != NULL ? pm_network_format_xml(network, error) : NULL;
  pm_network_free(network);
  return text;
}

static char *export_entry(const pm_catalog *catalog, int kind, const char *name, const char *id, pm_error *error)
{
  pm__string xml = {NULL, 0, 0, false};
  const pm__entry *entry;
  if (pm__catalog_find(catalog, kind, name, &entry, error) != PM_OK) return NULL;
  if (kind == PM__NETWORKS) return export_network(entry, error);
  if (write(catalog, entry, id, &xml, error) == PM_OK) return xml.text;
  free(xml.text);
  return NULL;
}

static bool is_id(const char *id)
{
  static const char known[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return id[0] != '\0' && strchr("-_.", id[0]) == NULL && id[strspn(id, known)] == '\0' && strlen(id) < PM_TEXT_MAX - 8;
}

char *pm_catalog_export(const pm_catalog *catalog, const char *kind, const char *name, const char *id, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  char *text = NULL;
  if (catalog == NULL || kind == NULL || name == NULL)
    pm__fail(&failure, PM_STATUS_BAD_ARGUMENT, "an export needs a catalogue, a kind and a name");
  if (id != NULL && id[0] == '\0') id = NULL;
  if (id != NULL && !is_id(id))
    pm__fail(&failure, PM_STATUS_BAD_ARGUMENT, "id \"%.80s\" is not made of letters, digits, '-', '_' and '.'", id);
  int number = failure.status == PM_OK ? pm__kind_find(kind, &failure) : -1;
  if (number >= 0) text = export_entry(catalog, number, name, id, &failure);
  pm__error_take(error, &failure);
  return text;
}
