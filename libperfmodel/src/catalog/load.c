/*
** Loading: new entries into the catalogue, all or nothing: a copy of its tables takes them up, is checked, and replaces the
** tables only when everything is right.
*/
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/embedded.h"
#include "catalog/entry.h"
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
  to->read_word = from->read_word;
  to->words = pm__catalog_words_new(); /* GPUs may have been replaced: all words are made anew */
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

static pm__entry *find_old(const pm_catalog *catalog, const pm__entry *entry)
{
  pm__entry *old = pm__names_find(&catalog->names, entry->kind, entry->id);
  return old != NULL && pm__same_name(old->id, entry->id) ? old : NULL;
}

static int place_entry(const pm_catalog *catalog, pm_catalog *next, pm__entry *entry, pm_error *error)
{
  pm__entries *list = &next->lists[entry->kind];
  const pm__entry *old = find_old(catalog, entry);
  entry->position = old != NULL ? old->position : list->count;
  if (old == NULL) return pm__entries_add(list, entry, error);
  list->items[old->position] = entry;
  const char *kind = pm__kind_at((size_t)entry->kind)->singular;
  const int line = entry->element->line;
  if (old->load == 0) return add_note(next, entry, line, error, "%s \"%s\" replaces the shipped one", kind, entry->id);
  return add_note(next, entry, line, error, "%s \"%s\" replaces the one of %.200s:%d", kind, entry->id,
                  old->document->file, old->element->line);
}

static int place_entries(const pm_catalog *catalog, pm_catalog *next, const pm__entries *fresh, pm_error *error)
{
  pm__names ids = {NULL, 0, 0};
  int status = PM_OK;
  for (size_t i = 0; i < fresh->count && status == PM_OK; i++) {
    pm__entry *entry = fresh->items[i], *other;
    status = pm__names_add(&ids, entry->id, entry, &other, error);
    if (status == PM_OK && other != NULL)
      status = pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE,
                              "%s \"%s\" is there already (%s:%d)",
                              entry->element->name, entry->id, other->document->file, other->element->line);
    if (status == PM_OK) status = place_entry(catalog, next, entry, error);
  }
  pm__names_free(&ids);
  return status;
}

/* ---- Names: ids first; then names and aliases, those of later loads first. */

static int taken(pm_catalog *next, pm__entry *entry, const pm__entry *other, const char *name, pm_error *error)
{
  const char *kind = entry->element->name;
  if (pm__same_name(name, other->id) && entry->load == next->loads)
    return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE,
                          "name \"%.80s\" of %s \"%s\" is the id of another (%s:%d)", name, kind, entry->id,
                          other->document->file, other->element->line);
  if (entry->load == other->load)
    return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE,
                          "name \"%.80s\" of %s \"%s\" is also that of \"%s\" (%s:%d)", name, kind, entry->id,
                          other->id, other->document->file, other->element->line);
  if (other->load < next->loads) return PM_OK; /* said when that was loaded */
  return add_note(next, other, other->element->line, error, "%s \"%.80s\" now is \"%s\", no longer \"%s\"", kind, name,
                  other->id, entry->id);
}

static int add_name(pm_catalog *next, const char *name, pm__entry *entry, pm_error *error)
{
  pm__entry *other;
  int status = pm__names_add(&next->names, name, entry, &other, error);
  return status == PM_OK && other != NULL ? taken(next, entry, other, name, error) : status;
}

static int add_other_names(pm_catalog *next, pm__entry *entry, pm_error *error)
{
  int status = entry->name[0] != '\0' ? add_name(next, entry->name, entry, error) : PM_OK;
  for (size_t i = 0; i < entry->alias_count && status == PM_OK; i++)
    status = add_name(next, entry->aliases[i], entry, error);
  return status;
}

/* Calls `add` for every entry of one load, or of all loads if `load` is negative. */
static int each_entry(pm_catalog *next, int load, int (*add)(pm_catalog *, pm__entry *, pm_error *), pm_error *error)
{
  int status = PM_OK;
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; i < next->lists[kind].count && status == PM_OK; i++)
      if (load < 0 || next->lists[kind].items[i]->load == load) status = add(next, next->lists[kind].items[i], error);
  return status;
}

static int add_id(pm_catalog *next, pm__entry *entry, pm_error *error)
{
  return add_name(next, entry->id, entry, error);
}

static int index_names(pm_catalog *next, pm_error *error)
{
  int status = each_entry(next, -1, add_id, error);
  for (int load = next->loads; load >= 0 && status == PM_OK; load--)
    status = each_entry(next, load, add_other_names, error);
  return status;
}

/* ---- Names of an earlier release: understood, and said what they are now. */

static int note_renamed(pm_catalog *next, const pm__entry *entry, pm_error *error)
{
  const char *now = pm__kind_at((size_t)entry->kind)->singular;
  int status = PM_OK;
  if (strcmp(entry->element->name, now) != 0)
    status = add_note(next, entry, entry->element->line, error, "<%s> is called <%s> now", entry->element->name, now);
  for (const pm__element *e = entry->element->child; e != NULL && entry->record != NULL && status == PM_OK; e = e->next) {
    const pm_field *field = pm_record_find_field(entry->type, e->name);
    if (field != NULL && strcmp(field->name, e->name) != 0)
      status = add_note(next, entry, e->line, error, "<%s> is called <%s> now", e->name, field->name);
  }
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
  for (size_t i = 0; i < fresh.count && status == PM_OK; i++) {
    status = pm__entry_check(next, fresh.items[i], error);
    if (status == PM_OK) status = note_renamed(next, fresh.items[i], error);
  }
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

/* Tables are embedded beside the documents. */
static bool is_document(const pm__embedded_file *file)
{
  size_t length = strlen(file->name);
  return length > 4 && strcmp(file->name + length - 4, ".xml") == 0;
}

static int read_embedded(pm__documents *documents, const pm__embedded_file *file, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  pm__string name = {NULL, 0, 0, false};
  pm__document *document = NULL;
  pm__string_add(&name, "data/");
  pm__string_add(&name, file->name);
  if (name.failed) pm__no_memory(&failure);
  else document = pm__document_read((const char *)file->bytes, file->size, name.text, &failure);
  free(name.text);
  if (document != NULL && pm__documents_add(documents, document, &failure) != PM_OK) pm__document_free(document);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}

pm_catalog *pm_catalog_new(pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  int status = PM_OK;
  pm_catalog *catalog = (pm_catalog *)calloc(1, sizeof *catalog);
  if (catalog == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  catalog->loads = -1; /* so that the shipped files are load 0 */
  catalog->read_word = pm__system_word;
  for (size_t i = 0; i < pm__embedded_count && status == PM_OK; i++)
    if (is_document(&pm__embedded_files[i])) status = read_embedded(&documents, &pm__embedded_files[i], error);
  if (status == PM_OK) status = pm__catalog_merge(catalog, &documents, error);
  pm__documents_free(&documents);
  if (status == PM_OK) return catalog;
  pm_catalog_free(catalog);
  return NULL;
}

void pm_catalog_free(pm_catalog *catalog)
{
  if (catalog == NULL) return;
  for (int i = 0; i < PM__KINDS; i++) free(catalog->lists[i].items);
  pm__documents_free(&catalog->documents);
  free(catalog->notes);
  pm__names_free(&catalog->names);
  pm__catalog_words_free(catalog->words);
  free(catalog);
}

int pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  if (catalog == NULL ||
      path == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "loading needs a catalogue and a path");
  pm_error failure = PM_ERROR_NONE;
  int status = pm__documents_read(&documents, path, &failure);
  if (status == PM_OK) status = pm__catalog_merge(catalog, &documents, &failure);
  pm__documents_free(&documents);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status != PM_OK ? failure.status : status;
}
