/*
** Loading: new entries into the catalogue, all or nothing: a copy of its tables takes them up, is checked, and replaces
** the tables only when everything is right.
*/
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/shipped.h"
#include "catalog/system_word.h"

/* ---- The copy. */

static void free_tables(pm_catalog *catalog)
{
  for (int i = 0; i < PM__KINDS; i++) free(catalog->lists[i].items);
  free(catalog->documents.items);
  free(catalog->notes);
  pm__names_free(&catalog->names);
  pm__catalog_words_free(catalog->words);
}

/* The same pointers in an array of its own. An empty array stays NULL. */
static bool copy_array(void *to, const void *from, size_t count, size_t *capacity)
{
  void *copy = NULL;
  *capacity = count;
  if (count > 0) {
    copy = malloc(count * sizeof(void *));
    if (copy == NULL) return false;
    memcpy(copy, from, count * sizeof(void *));
  }
  memcpy(to, &copy, sizeof copy);
  return true;
}

static int copy_tables(const pm_catalog *from, pm_catalog *to, pm_error *error)
{
  bool good = true;
  memset(to, 0, sizeof *to);
  for (int i = 0; i < PM__KINDS; i++) {
    to->lists[i].count = from->lists[i].count;
    good = copy_array(&to->lists[i].items, from->lists[i].items, to->lists[i].count, &to->lists[i].capacity) && good;
  }
  to->documents.count = from->documents.count;
  to->note_count = from->note_count;
  to->loads = from->loads + 1;
  to->shipped = from->shipped; /* what was made stays as it is */
  to->read_word = from->read_word;
  to->words = pm__catalog_words_new(); /* GPUs may have been replaced: all words are made again */
  good = copy_array(&to->documents.items, from->documents.items, to->documents.count, &to->documents.capacity) && good;
  good = copy_array(&to->notes, from->notes, to->note_count, &to->note_capacity) && good;
  return good && to->words != NULL ? PM_OK : pm__no_memory(error);
}

/* ---- Notes: in the arena of the new entry's document. */

static int add_note(pm_catalog *next, const pm__entry *entry, int line, pm_error *error, const char *format, ...)
  PM__PRINTF(5, 6);

static int add_note(pm_catalog *next, const pm__entry *entry, int line, pm_error *error, const char *format, ...)
{
  char what[400], text[800];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  snprintf(text, sizeof text, "%.300s:%d: %s", entry->document->file, line, what);
  const char **notes = (const char **)pm__grow(next->notes, next->note_count, &next->note_capacity, sizeof *notes);
  if (notes == NULL) return pm__no_memory(error);
  next->notes = notes;
  pm__document *owner = next->documents.items[next->documents.count - 1]; /* lives as long as any of this load */
  next->notes[next->note_count] = pm__arena_copy(&owner->arena, text, strlen(text));
  if (next->notes[next->note_count] == NULL) return pm__no_memory(error);
  next->note_count++;
  return PM_OK;
}

/* ---- Ids: new ones are appended, known ones replaced where they stand. */

static int load_of(const pm_catalog *catalog, int kind, size_t position)
{
  const pm__entry *own = catalog->lists[kind].items[position];
  return own != NULL ? own->load : 0;
}

static int is_twice(const pm__entry *entry, const pm__entry *other, pm_error *error)
{
  return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE, "%s \"%s\" already exists (%s:%d)",
                        entry->element->name, entry->id, other->document->file, other->element->line);
}

/* "; fitted to 28 rows of all_reduce.txt, 2026-11": of the values that rest on something else than in the entry that is
** replaced, the one with the most rows. */
static int say_fitted(const pm_catalog *catalog, const pm__entry *entry, size_t position, char *text, size_t size,
                      pm_error *error)
{
  const pm__entry *old;
  const pm__provenance *most = NULL;
  text[0] = '\0';
  if (entry->from == NULL) return PM_OK; /* a network */
  int status = pm__catalog_at(catalog, entry->kind, position, &old, error);
  if (status != PM_OK) return status;
  for (size_t i = 0; i < entry->type->field_count; i++) {
    const pm__provenance *from = &entry->from[i], *before = &old->from[i];
    if (from->line == 0 || from->rows == 0) continue;
    if (before->line > 0 && strcmp(from->fitted_to, before->fitted_to) == 0) continue;
    if (most == NULL || from->rows > most->rows) most = from;
  }
  if (most == NULL) return PM_OK;
  snprintf(text, size, "; fitted to %d row%s of %.120s%s%.15s", most->rows, most->rows == 1 ? "" : "s", most->fitted_to,
           most->date[0] != '\0' ? ", " : "", most->date);
  return PM_OK;
}

static int note_replaced(const pm_catalog *catalog, pm_catalog *next, const pm__entry *entry, size_t position,
                         pm_error *error)
{
  const pm__entry *old = catalog->lists[entry->kind].items[position];
  const char *kind = pm__kind_at((size_t)entry->kind)->singular;
  const int line = entry->element->line;
  char fitted[200];
  int status = say_fitted(catalog, entry, position, fitted, sizeof fitted, error);
  if (status != PM_OK) return status;
  if (old == NULL)
    return add_note(next, entry, line, error, "%s \"%s\" replaces the shipped one%s", kind, entry->id, fitted);
  return add_note(next, entry, line, error, "%s \"%s\" replaces the one of %.200s:%d%s", kind, entry->id,
                  old->document->file, old->element->line, fitted);
}

static int note_retired(pm_catalog *next, const pm__entry *entry, pm_error *error)
{
  int status = PM_OK;
  for (const pm__element *e = entry->element->child; e != NULL && status == PM_OK; e = e->next) {
    const char *instead = pm__kind_retired(entry->kind, e->name);
    if (instead != NULL)
      status = add_note(next, entry, e->line, error,
                        "<%s> of %s \"%s\" is of an earlier release and has no effect; write %s instead", e->name,
                        entry->element->name, entry->id, instead);
  }
  return status;
}

static int place_entry(const pm_catalog *catalog, pm_catalog *next, pm__entry *entry, pm_error *error)
{
  pm__entries *list = &next->lists[entry->kind];
  const pm__names_place *old = pm__names_find(catalog, entry->kind, entry->id);
  if (old == NULL || old->which != 1) return pm__entries_add(list, entry, error);
  const pm__entry *same = list->items[old->position];
  if (same != catalog->lists[entry->kind].items[old->position]) return is_twice(entry, same, error);
  list->items[old->position] = entry;
  return note_replaced(catalog, next, entry, old->position, error);
}

static int place_entries(const pm_catalog *catalog, pm_catalog *next, const pm__entries *fresh, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < fresh->count && status == PM_OK; i++) {
    status = note_retired(next, fresh->items[i], error);
    if (status == PM_OK) status = place_entry(catalog, next, fresh->items[i], error);
  }
  return status;
}

/* ---- Names: ids first; then names and aliases, those of later loads first. */

/* A name of `entry` that `other`, added before, has already. */
static int taken(pm_catalog *next, const pm__entry *entry, const pm__entry *other, const char *name, pm_error *error)
{
  const char *kind = pm__kind_at((size_t)entry->kind)->singular;
  const bool id = pm__same_name(name, other->id);
  if (id && entry->load == next->loads && pm__same_name(name, entry->id)) return is_twice(entry, other, error);
  if (id && entry->load == next->loads)
    return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE,
                          "name \"%.80s\" of %s \"%s\" is the id of another (%s:%d)", name, kind, entry->id,
                          other->document->file, other->element->line);
  if (entry->load == other->load)
    return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE,
                          "name \"%.80s\" of %s \"%s\" is also that of \"%s\" (%s:%d)", name, kind, entry->id,
                          other->id, other->document->file, other->element->line);
  return add_note(next, other, other->element->line, error, "%s \"%.80s\" now is \"%s\", no longer \"%s\"", kind, name,
                  other->id, entry->id);
}

static int add_name(pm_catalog *next, const pm__names_place *name, const char *text, pm_error *error)
{
  const pm__names_place *place;
  const pm__entry *entry, *other;
  int status = pm__names_add(next, name, &place, error);
  if (status != PM_OK || place == NULL || place->position == name->position) return status;
  const bool fresh = load_of(next, name->kind, name->position) == next->loads ||
                     load_of(next, name->kind, place->position) == next->loads;
  if (!fresh) return PM_OK; /* said when they were loaded */
  status = pm__catalog_at(next, name->kind, name->position, &entry, error);
  if (status == PM_OK) status = pm__catalog_at(next, name->kind, place->position, &other, error);
  return status == PM_OK ? taken(next, entry, other, text, error) : status;
}

/* Adds the names of an entry from `first` to `last`. */
static int add_names(pm_catalog *next, int kind, size_t position, size_t first, size_t last, pm_error *error)
{
  int status = PM_OK;
  const char *text;
  for (size_t i = first; i <= last && status == PM_OK; i++) {
    if ((text = pm__catalog_name(next, kind, position, i)) == NULL) break;
    const pm__names_place name = {(uint16_t)kind, (uint16_t)i, (uint32_t)position};
    if (text[0] != '\0') status = add_name(next, &name, text, error);
  }
  return status;
}

/* The ids of all entries; the other names of those of one load. */
static int index_ids(pm_catalog *next, pm_error *error)
{
  int status = PM_OK;
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; i < next->lists[kind].count && status == PM_OK; i++)
      status = add_names(next, kind, i, 1, 1, error);
  return status;
}

static int index_load(pm_catalog *next, int load, pm_error *error)
{
  int status = PM_OK;
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; i < next->lists[kind].count && status == PM_OK; i++)
      if (load_of(next, kind, i) == load) status = add_names(next, kind, i, 2, UINT16_MAX, error);
  return status;
}

static int index_names(pm_catalog *next, pm_error *error)
{
  int status = index_ids(next, error);
  for (int load = next->loads; load >= 0 && status == PM_OK; load--) status = index_load(next, load, error);
  return status;
}

/* ---- The whole. */

static int add_documents(const pm_catalog *catalog, pm_catalog *next, pm__documents *documents, pm_error *error)
{
  pm__entries fresh = {NULL, 0, 0};
  int status = PM_OK;
  for (size_t i = 0; i < documents->count && status == PM_OK; i++) {
    status = pm__documents_add(&next->documents, documents->items[i], error);
    if (status == PM_OK) status = pm__entries_read(documents->items[i], next->loads, &fresh, error);
  }
  if (status == PM_OK) status = place_entries(catalog, next, &fresh, error);
  if (status == PM_OK) status = index_names(next, error);
  for (size_t i = 0; i < fresh.count && status == PM_OK; i++) status = pm__entry_check(next, fresh.items[i], error);
  for (size_t i = 0; i < fresh.count && status == PM_OK; i++)
    if (fresh.items[i]->record != NULL) status = pm__entry_check_likes(next, fresh.items[i], error);
  free(fresh.items);
  return status;
}

int pm__catalog_merge(pm_catalog *catalog, pm__documents *documents, pm_error *error)
{
  pm_catalog next;
  int status = copy_tables(catalog, &next, error);
  if (status == PM_OK) status = add_documents(catalog, &next, documents, error);
  if (status != PM_OK) {
    free_tables(&next);
    return status;
  }
  free_tables(catalog);
  *catalog = next;
  documents->count = 0;
  pm__documents_free(documents);
  return PM_OK;
}

/* ---- The shipped catalogue, and what users add. */

static int list_shipped(pm_catalog *catalog, pm_error *error)
{
  catalog->shipped = pm__shipped_new();
  catalog->words = pm__catalog_words_new();
  catalog->names = (pm__names){pm__shipped_places, NULL, pm__shipped_name_count, pm__shipped_name_capacity};
  catalog->read_word = pm__system_word;
  if (catalog->shipped == NULL || catalog->words == NULL) return pm__no_memory(error);
  for (int kind = 0; kind < PM__KINDS; kind++) {
    pm__entries *list = &catalog->lists[kind];
    list->count = list->capacity = pm__shipped_count(kind);
    list->items = (pm__entry **)calloc(list->count + 1, sizeof *list->items);
    if (list->items == NULL) return pm__no_memory(error);
  }
  return PM_OK;
}

pm_catalog *pm_catalog_new(pm_error *error)
{
  pm_catalog *catalog = (pm_catalog *)calloc(1, sizeof *catalog);
  if (catalog == NULL) return pm__no_memory(error), (pm_catalog *)NULL;
  if (list_shipped(catalog, error) == PM_OK) return catalog;
  pm_catalog_free(catalog);
  return NULL;
}

void pm_catalog_free(pm_catalog *catalog)
{
  if (catalog == NULL) return;
  pm__documents_free(&catalog->documents);
  free_tables(catalog);
  pm__shipped_free(catalog->shipped);
  free(catalog);
}

/* Adds what was read to the catalogue, if that went well. The documents are done with. */
static int load(pm_catalog *catalog, pm__documents *documents, int status, pm_error *failure, pm_error *error)
{
  if (status == PM_OK) status = pm__catalog_merge(catalog, documents, failure);
  pm__documents_free(documents);
  pm__error_take(error, failure);
  return failure->status != PM_OK ? failure->status : status;
}

int pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  if (catalog == NULL ||
      path == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "loading needs a catalogue and a path");
  pm_error failure = PM_ERROR_NONE;
  int status = pm__documents_read(&documents, path, &failure);
  return load(catalog, &documents, status, &failure, error);
}

int pm_catalog_load_text(pm_catalog *catalog, const char *text, const char *name, pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  if (catalog == NULL || text == NULL || name == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "loading needs a catalogue, a text and a name");
  pm_error failure = PM_ERROR_NONE;
  int status = pm__documents_take(&documents, pm__document_read(text, strlen(text), name, &failure), &failure);
  return load(catalog, &documents, status, &failure, error);
}
