/*
** The catalogue's public face: names, copies of records, networks and systems; a list of one kind, all about one entry.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/generation.h"
#include "hardware/system.h"
#include "perfmodel/units.h"
#include "report/order.h"

const char *pm_catalog_get_note(const pm_catalog *catalog, size_t index)
{
  return catalog != NULL && index < catalog->note_count ? catalog->notes[index] : NULL;
}

/* ---- Kinds and names. */

const char *pm_catalog_get_kind(size_t index)
{
  const pm__kind *kind = pm__kind_at(index);
  return kind != NULL ? kind->plural : NULL;
}

const pm_record_type *pm_catalog_get_record_type(const char *kind)
{
  int number = pm__kind_find(kind, NULL);
  return number >= 0 ? pm_record_type_find(pm__kind_at((size_t)number)->record) : NULL;
}

int pm_catalog_count(const pm_catalog *catalog, const char *kind)
{
  int number = pm__kind_find(kind, NULL);
  return catalog != NULL && number >= 0 ? (int)catalog->lists[number].count : -1;
}

const char *pm_catalog_get_id(const pm_catalog *catalog, const char *kind, size_t index)
{
  int number = pm__kind_find(kind, NULL);
  if (catalog == NULL || number < 0 || index >= catalog->lists[number].count) return NULL;
  return pm__catalog_name(catalog, number, index, 1);
}

/* The number of a kind, for callers from outside; -1 with an error where something is missing. */
static int kind_number(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  if (catalog != NULL && name != NULL) return pm__kind_find(kind, error);
  pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s is missing", catalog == NULL ? "the catalogue" : "a name");
  return -1;
}

/* Likewise the entry; NULL with an error. Of software a release may be left out. */
static const pm__entry *find(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  const pm__entry *entry;
  pm__catalog_software_ids ids;
  int number = kind_number(catalog, kind, name, error);
  bool software = number == PM__FRAMEWORKS || number == PM__INFERENCE_PROFILES || number == PM__MEMORY_PROFILES ||
                  number == PM__ENGINES;
  if (software && strchr(name, '@') == NULL) {
    const pm__catalog_software_name asked = {name, NULL};
    if (pm__software_find(catalog, number, &asked, &ids, error) != PM_OK) return NULL;
    name = ids.id;
  }
  return number >= 0 && pm__catalog_find(catalog, number, name, &entry, error) == PM_OK ? entry : NULL;
}

const char *pm_catalog_get_name(const pm_catalog *catalog, const char *kind, const char *id, size_t index)
{
  int number = catalog != NULL && id != NULL ? pm__kind_find(kind, NULL) : -1;
  const pm__names_place *place = number >= 0 ? pm__names_find_place(catalog, number, id) : NULL;
  if (place != NULL && place->kind == number) return pm__catalog_name(catalog, number, place->position, index + 1);
  const pm__entry *entry = number >= 0 ? find(catalog, kind, id, NULL) : NULL;
  return entry != NULL ? pm__entry_name(entry, index + 1) : NULL;
}

const char *pm_catalog_resolve(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  int number = kind_number(catalog, kind, name, error);
  return number >= 0 ? pm__catalog_resolve(catalog, number, name, error) : NULL;
}

/* ---- Records, networks, systems. */

int pm_catalog_get_record(const pm_catalog *catalog, const char *kind, const char *name, void *record, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  if (record == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no record to fill");
  const pm__entry *entry = find(catalog, kind, name, &failure);
  if (entry != NULL) return pm__entry_record(catalog, entry, record, error);
  pm__error_take(error, &failure);
  return failure.status;
}

pm_network *pm_catalog_new_network(const pm_catalog *catalog, const char *name, const pm_attribute *sets,
                                   size_t set_count,
                               pm_error *error)
{
  if (sets == NULL && set_count > 0) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the parameters are missing");
    return NULL;
  }
  const pm__entry *entry = find(catalog, "network", name, error);
  return entry != NULL ? pm__entry_network(entry, sets, set_count, error) : NULL;
}

pm_system *pm_catalog_new_system(const pm_catalog *catalog, const char *name, pm_error *error)
{
  const pm__entry *entry = find(catalog, "system", name, error);
  return entry != NULL ? pm__entry_system(catalog, entry, error) : NULL;
}

/* ---- Lists. */

/* The records of a kind, one after the other. A network that cannot be built without parameters has unknown totals. */
static char *collect_records(const pm_catalog *catalog, int kind, const pm_record_type *type, pm_error *error)
{
  const pm__entries *list = &catalog->lists[kind];
  char *records = (char *)calloc(list->count + 1, type->size);
  if (records == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  for (size_t i = 0; i < list->count; i++) {
    const pm__entry *entry;
    char *record = records + i * type->size;
    bool good = pm__catalog_at(catalog, kind, i, &entry, error) == PM_OK;
    pm_record_clear(type, record);
    if (good) pm_record_set(pm_record_find_field(type, "id"), record, entry->id, NULL);
    if (good) pm_record_set(pm_record_find_field(type, "name"), record, entry->name, NULL);
    if (good && (!pm__entry_has_defaults(entry) || pm__entry_record(catalog, entry, record, error) == PM_OK)) continue;
    free(records);
    return NULL;
  }
  return records;
}

/* What a list of entries is looked through for: as its kind says. Names are long, so they come last, where they may be
** folded. */
static int mark_listed(pm_table *table, const pm_record_type *type, const char *listed, pm_error *error)
{
  for (size_t i = 0; i < type->field_count; i++)
    if (listed[0] == '\0' || pm__list_has(listed, type->fields[i].name))
      pm__table_mark_main(table, type->fields[i].name);
  int status = pm__table_order(table, error);
  if (status == PM_OK) pm__table_move_behind(table, "name");
  return status;
}

pm_table *pm_catalog_list(const pm_catalog *catalog, const char *kind, pm_error *error)
{
  if (catalog == NULL) pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the catalogue is missing");
  int number = catalog != NULL ? pm__kind_find(kind, error) : -1;
  if (number < 0) return NULL;
  const pm__kind *about = pm__kind_at((size_t)number);
  const pm_record_type *type = pm_record_type_find(about->record);
  char *records = collect_records(catalog, number, type, error);
  if (records == NULL) return NULL;
  pm_table *table = pm_table_new_of_records(type, records, catalog->lists[number].count, error);
  free(records);
  if (table == NULL || mark_listed(table, type, about->listed, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

/* ---- One entry: rows of text. */

enum { COLUMNS = 5 };

typedef struct rows {
  pm__arena arena;
  const char **cells[COLUMNS]; /* field, value, unit, source, note */
  size_t count, capacity[COLUMNS];
  bool failed; /* no memory */
} rows;

static void add_row(rows *r, const char *field, const char *value, const char *unit, const char *source,
                    const char *note)
{
  const char *const texts[COLUMNS] = {field, value, strcmp(unit, "1") == 0 ? "" : unit, source, note};
  for (int i = 0; i < COLUMNS && !r->failed; i++) {
    const char **cells = (const char **)pm__grow(r->cells[i], r->count, &r->capacity[i], sizeof *cells);
    if (cells != NULL) r->cells[i] = cells;
    const char *copy = cells != NULL ? pm__arena_copy(&r->arena, texts[i], strlen(texts[i])) : NULL;
    if (copy == NULL) r->failed = true;
    else cells[r->count] = copy;
  }
  if (!r->failed) r->count++;
}

static pm_table *make_table(const rows *r, pm_error *error)
{
  static const char *const heads[COLUMNS][2] = {
    {"field", "name of the field"},
    {"value", "its value, for people"},
    {"unit", "SI unit that the library keeps it in"},
    {"source", "id of the source, and the place in it"},
    {"note", "remark"},
  };
  if (r->failed) {
    pm__no_memory(error);
    return NULL;
  }
  pm_table *table = pm_table_new(r->count, error);
  for (int i = 0; i < COLUMNS && table != NULL; i++) {
    if (pm_table_add_text(table, heads[i][0], heads[i][1], r->cells[i], error) == PM_OK) continue;
    pm_table_free(table);
    table = NULL;
  }
  return table;
}

/* A field's value for people; "" if it is unknown. */
static const char *value_text(const pm_field *field, const void *record, char *buffer)
{
  double number = pm_record_get_number(field, record);
  if (field->kind != PM_FIELD_REAL) return pm_record_format(field, record, buffer);
  return isnan(number) ? "" : pm_quantity_format(buffer, PM_TEXT_MAX, number, field->unit);
}

static void add_record(rows *r, const pm__entry *entry)
{
  char buffer[PM_TEXT_MAX], note[1000];
  for (size_t i = 0; i < entry->type->field_count; i++) {
    const pm_field *field = &entry->type->fields[i];
    const pm__provenance *from = &entry->from[i];
    const char *value = from->line > 0 ? value_text(field, entry->record, buffer) : "";
    /* "6144 KiB" is what the source says; 6.291 MB is the same but nobody would recognise it. */
    if (value[0] != '\0' && field->kind == PM_FIELD_REAL) value = from->text;
    if (value[0] == '\0') continue;
    pm__provenance_text(from, note, sizeof note);
    add_row(r, field->name, value, field->unit, from->source, note);
  }
}

static void add_aliases(rows *r, const pm__entry *entry)
{
  pm__string list = {NULL, 0, 0, false};
  for (size_t i = 0; i < entry->alias_count; i++) {
    if (i > 0) pm__string_add(&list, ", ");
    pm__string_add(&list, entry->aliases[i]);
  }
  if (list.failed) r->failed = true;
  else if (list.length > 0) add_row(r, "alias", list.text, "", "", "");
  free(list.text);
}

static void add_head(rows *r, const pm__entry *entry)
{
  char place[320];
  add_aliases(r, entry);
  if (entry->note[0] != '\0') add_row(r, "note", entry->note, "", "", "");
  snprintf(place, sizeof place, "%.300s:%d", entry->document->file, entry->element->line);
  add_row(r, "file", place, "", "", "");
}

/* ---- Systems: their links. */

static const char *part_attribute(const pm__entry *entry, const pm__element *part, const char *name)
{
  const char *value = part != NULL ? pm__element_attribute(part, name) : NULL;
  if (value == NULL && strcmp(name, "source") == 0) return entry->source;
  return value != NULL ? value : "";
}

static void add_link(rows *r, const char *field, const char *link, int count, double bandwidth, const char *source,
                     const char *note)
{
  char rate[PM_TEXT_MAX], value[3 * PM_TEXT_MAX];
  pm_quantity_format(rate, sizeof rate, bandwidth, "B/s");
  snprintf(value, sizeof value, "%d x %s, %s per direction", count, link, rate);
  add_row(r, field, value, "", source, note);
}

static void add_edges(rows *r, const pm__entry *entry, const pm_system *system)
{
  pm_edge edge;
  char field[3 * PM_TEXT_MAX], count[PM_TEXT_MAX];
  const pm__element *graph = pm__entry_child(entry, "graph"), *network = pm__entry_child(entry, "network");
  const char *source = part_attribute(entry, graph, "source");
  if (graph != NULL) {
    snprintf(count, sizeof count, "%d pairs of vertices joined", pm_system_count_edges(system));
    add_row(r, "graph", count, "", source, part_attribute(entry, graph, "note"));
  }
  for (int i = 0; pm_system_get_edge(system, i, &edge) == PM_OK; i++) {
    snprintf(field, sizeof field, "%s - %s", edge.a, edge.b);
    add_link(r, field, edge.link, edge.count, edge.bandwidth, source, "");
  }
  if (network != NULL)
    add_link(r, "network", system->network.link.id, system->network.count, pm_system_get_network_bandwidth(system),
             part_attribute(entry, network, "source"), part_attribute(entry, network, "note"));
}

/* A design power that no source states is not among the values of the entry. */
static void add_design_power(rows *r, const pm_system *system)
{
  char value[PM_TEXT_MAX], words[300];
  if (system->machine.power_basis != PM_POWER_BASIS_PARTS) return;
  pm_quantity_format(value, sizeof value, system->machine.power, "W");
  pm__design_power_words(&system->machine, &system->gpu, words, sizeof words);
  add_row(r, "power", value, "W", "computed", words);
}

static int show_system(rows *r, const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  pm_system *system = pm__entry_system(catalog, entry, &failure);
  if (system != NULL) {
    add_design_power(r, system);
    add_edges(r, entry, system);
  }
  pm_system_free(system);
  pm__error_take(error, &failure);
  return failure.status;
}

/* ---- GPUs: what programs can have of the memory. */

static int show_gpu(rows *r, const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  char value[PM_TEXT_MAX];
  double bytes;
  const pm__entry *seen;
  int status = pm_catalog_get_usable_memory(catalog, (const pm_gpu *)entry->record, &bytes, error);
  if (status == PM_OK) status = pm__catalog_seek(catalog, PM__USABLE_MEMORIES, entry->id, &seen, error);
  if (status != PM_OK) return status;
  pm_quantity_format(value, sizeof value, bytes, "B");
  add_row(r, "usable_memory", value, "", seen != NULL ? seen->source : "computed",
          seen != NULL ? "" : "a rule: GB as GiB, less check bits and the driver's 1 %");
  return PM_OK;
}

/* ---- Networks: parameters and totals. */

static void add_parameters(rows *r, const pm__entry *entry)
{
  char field[2 * PM_TEXT_MAX];
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next) {
    const char *name = strcmp(e->name, "param") == 0 ? pm__element_attribute(e, "name") : NULL;
    const char *value = pm__element_attribute(e, "default");
    if (name == NULL) continue;
    snprintf(field, sizeof field, "parameter %.80s", name);
    add_row(r, field, value != NULL ? value : "must be given", "", "", "");
  }
}

static int show_network(rows *r, const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  char buffer[PM_TEXT_MAX];
  pm_network_totals totals;
  add_row(r, "id", entry->id, "", entry->source, "");
  add_row(r, "name", entry->name, "", entry->source, "");
  add_head(r, entry);
  add_parameters(r, entry);
  if (!pm__entry_has_defaults(entry)) return PM_OK;
  int status = pm__entry_record(catalog, entry, &totals, error);
  for (size_t i = 0; status == PM_OK && i < entry->type->field_count; i++) {
    const pm_field *field = &entry->type->fields[i];
    if (!pm__list_has(" id name ", field->name))
      add_row(r, field->name, value_text(field, &totals, buffer), field->unit, "computed", "");
  }
  return status;
}

pm_table *pm_catalog_show(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  rows r;
  memset(&r, 0, sizeof r);
  const pm__entry *entry = find(catalog, kind, name, error);
  if (entry == NULL) return NULL;
  const int number = entry->kind;
  int status = PM_OK;
  if (number == PM__NETWORKS) status = show_network(&r, catalog, entry, error);
  else {
    add_record(&r, entry);
    add_head(&r, entry);
  }
  if (number == PM__GPUS) status = show_gpu(&r, catalog, entry, error);
  if (number == PM__SYSTEMS) status = show_system(&r, catalog, entry, error);
  pm_table *table = status == PM_OK ? make_table(&r, error) : NULL;
  for (int i = 0; i < COLUMNS; i++) free(r.cells[i]);
  pm__arena_free(&r.arena);
  return table;
}
