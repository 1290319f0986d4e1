/*
** The text of a file with the values that a catalogue has for its entries. Only values that differ are written again;
** everything else is copied byte for byte, so that comments, the order of entries and the hand of their author stay.
**
** The file is read as any other, and each element knows the bytes that it was read from.
*/
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"

typedef struct update {
  const pm_catalog *catalog;
  const char *text;
  size_t done; /* bytes of the text that were copied or left out */
  pm__string out;
} update;

static void copy_until(update *u, size_t place)
{
  pm__string_add_bytes(&u->out, u->text + u->done, place - u->done);
  u->done = place;
}

static bool is_same(const pm__provenance *a, const pm__provenance *b)
{
  return strcmp(a->text, b->text) == 0 && strcmp(a->source, b->source) == 0 && strcmp(a->note, b->note) == 0 &&
         strcmp(a->origin, b->origin) == 0 && strcmp(a->fitted_to, b->fitted_to) == 0 &&
         strcmp(a->date, b->date) == 0 && a->rows == b->rows;
}

static void add_value(update *u, const pm__entry *now, size_t field)
{
  const pm_value value = pm__entry_value(now, &now->type->fields[field]);
  pm__entry_add_value(&u->out, now, &value);
}

/* Leaves out an element with the line that it stands on. */
static void leave_out(update *u, const pm__element *e)
{
  copy_until(u, e->begin);
  while (u->out.length > 0 && strchr(" \t", u->out.text[u->out.length - 1]) != NULL) u->out.length--;
  if (u->out.length > 0 && u->out.text[u->out.length - 1] == '\n') u->out.length--;
  u->done = e->end;
}

static void update_value(update *u, const pm__entry *entry, const pm__entry *now, const pm__element *e, size_t field)
{
  if (now->from[field].line == 0) leave_out(u, e);
  else if (!is_same(&entry->from[field], &now->from[field])) {
    copy_until(u, e->begin);
    add_value(u, now, field);
    u->done = e->end;
  }
}

static bool is_new(const pm__entry *entry, const pm__entry *now, size_t field)
{
  return entry->from[field].line == 0 && now->from[field].line > 0;
}

/* The new values of the fields from *next to `end`, before the element. */
static void add_before(update *u, const pm__entry *entry, const pm__entry *now, const pm__element *e, size_t *next,
                       size_t end)
{
  for (; *next < end; ++*next) {
    if (!is_new(entry, now, *next)) continue;
    copy_until(u, e->begin);
    add_value(u, now, *next);
    pm__string_add(&u->out, "\n    ");
  }
}

/* The others, behind the last element, which ends at `last`. */
static int add_behind(update *u, const pm__entry *entry, const pm__entry *now, size_t last, size_t next,
                      pm_error *error)
{
  for (; next < entry->type->field_count; next++) {
    if (!is_new(entry, now, next)) continue;
    if (last == 0)
      return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE,
                            "%s \"%s\" has no value to add others to", entry->element->name, entry->id);
    if (u->done < last) copy_until(u, last);
    pm__string_add(&u->out, "\n    ");
    add_value(u, now, next);
  }
  return PM_OK;
}

/* A new value stands before the first one that the record has behind it, or is the last. */
static int update_entry(update *u, const pm__entry *entry, const pm__entry *now, pm_error *error)
{
  size_t next = 0, last = 0;
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next) {
    const pm_field *field = pm_record_find_field(entry->type, e->name);
    last = e->end;
    if (field == NULL) continue;
    const size_t place = (size_t)(field - entry->type->fields);
    add_before(u, entry, now, e, &next, place);
    update_value(u, entry, now, e, place);
  }
  return add_behind(u, entry, now, last, next, error);
}

/* Networks and systems are more than values. */
static int update_if_known(update *u, const pm__entry *entry, pm_error *error)
{
  const pm__entry *now = NULL;
  if (entry->record == NULL || entry->kind == PM__SYSTEMS) return PM_OK;
  int status = pm__catalog_seek(u->catalog, entry->kind, entry->id, &now, error);
  if (status != PM_OK || now == NULL || strcmp(now->id, entry->id) != 0) return status;
  return update_entry(u, entry, now, error);
}

static int update_all(update *u, const pm__entries *entries, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < entries->count && status == PM_OK; i++) status = update_if_known(u, entries->items[i], error);
  copy_until(u, strlen(u->text));
  return status == PM_OK && u->out.failed ? pm__no_memory(error) : status;
}

char *pm_catalog_format_file(const pm_catalog *catalog, const char *text, const char *name, pm_error *error)
{
  pm__entries entries = {NULL, 0, 0};
  update u = {.catalog = catalog, .text = text};
  pm__document *document = NULL;
  if (catalog == NULL || text == NULL || name == NULL)
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "writing a file needs a catalogue, a text and a name");
  else document = pm__document_read(text, strlen(text), name, error);
  bool good = document != NULL && pm__entries_read(document, 0, &entries, error) == PM_OK &&
              update_all(&u, &entries, error) == PM_OK;
  free(entries.items);
  pm__document_free(document);
  if (good) return u.out.text;
  free(u.out.text);
  return NULL;
}
