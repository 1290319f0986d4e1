/* Names of entries: finding them, and guessing what an unknown one meant. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"

bool pm__is_name(const char *text)
{
  pm__name_reader reader = {text, false};
  return pm__name_next(&reader) != '\0';
}

/* FNV-1a over the kind and the characters that count. */
static size_t hash(int kind, const char *text)
{
  uint64_t value = (14695981039346656037u ^ (unsigned)kind) * 1099511628211u;
  pm__name_reader reader = {text, false};
  for (char c; (c = pm__name_next(&reader)) != '\0';) value = (value ^ (unsigned char)c) * 1099511628211u;
  return (size_t)(value ^ value >> 32);
}

/* The place of that name, or the free place where it belongs. The table is never full. */
static pm__name *place_of(const pm__names *names, int kind, const char *text)
{
  size_t mask = names->capacity - 1, i = hash(kind, text) & mask;
  for (;; i = (i + 1) & mask) {
    pm__name *place = &names->places[i];
    if (place->text == NULL || (place->entry->kind == kind && pm__same_name(place->text, text))) return place;
  }
}

pm__entry *pm__names_find(const pm__names *names, int kind, const char *text)
{
  return names->capacity > 0 ? place_of(names, kind, text)->entry : NULL;
}

static int make_larger(pm__names *names, pm_error *error)
{
  pm__names larger = {NULL, names->count, names->capacity == 0 ? 512 : names->capacity * 2};
  larger.places = (pm__name *)calloc(larger.capacity, sizeof *larger.places);
  if (larger.places == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < names->capacity; i++) {
    const pm__name *old = &names->places[i];
    if (old->text != NULL) *place_of(&larger, old->entry->kind, old->text) = *old;
  }
  free(names->places);
  *names = larger;
  return PM_OK;
}

int pm__names_add(pm__names *names, const char *text, pm__entry *entry, pm__entry **other, pm_error *error)
{
  *other = NULL;
  if ((names->count + 1) * 2 > names->capacity && make_larger(names, error) != PM_OK) return PM_NO_MEMORY;
  pm__name *place = place_of(names, entry->kind, text);
  if (place->text != NULL) {
    if (place->entry != entry) *other = place->entry;
    return PM_OK;
  }
  place->text = text;
  place->entry = entry;
  names->count++;
  return PM_OK;
}

void pm__names_free(pm__names *names)
{
  free(names->places);
  memset(names, 0, sizeof *names);
}

/* ---- "Did you mean". */

static bool begins_with(const char *name, const char *text)
{
  pm__name_reader whole = {name, false}, start = {text, false};
  for (char c; (c = pm__name_next(&start)) != '\0';)
    if (pm__name_next(&whole) != c) return false;
  return true;
}

enum { FAR = 1000 }; /* more edits than any name has */

/* How far what was written is from a name: edits, after all names that it is the beginning of. FAR is too far. */
static int distance(const char *text, const char *name)
{
  int edits = pm__name_distance(text, name), slip = (int)(strlen(text) / 3) + 1;
  if (pm__is_name(text) && begins_with(name, text)) return edits - FAR;
  return edits <= slip ? edits : FAR;
}

static int entry_distance(const pm__entry *entry, const char *text)
{
  int least = distance(text, entry->id);
  for (size_t i = 0; i < entry->alias_count; i++) {
    int edits = distance(text, entry->aliases[i]);
    if (edits < least) least = edits;
  }
  int edits = entry->name[0] != '\0' ? distance(text, entry->name) : least;
  return edits < least ? edits : least;
}

enum { SUGGESTIONS_MAX = 3 };

/* Up to three entries at the least distance. */
static int find_nearest(const pm__entries *entries, const char *text, const pm__entry **nearest)
{
  int count = 0, least = FAR - 1;
  for (size_t i = 0; i < entries->count; i++) {
    int edits = entry_distance(entries->items[i], text);
    if (edits < least) count = 0;
    if (edits > least || (edits == least && count == SUGGESTIONS_MAX)) continue;
    least = edits;
    nearest[count++] = entries->items[i];
  }
  return count;
}

int pm__names_unknown(const pm__entries *entries, int kind, const char *text, pm_error *error)
{
  char list[3 * PM_TEXT_MAX + 20] = "";
  const pm__entry *nearest[SUGGESTIONS_MAX];
  const pm__kind *about = pm__kind_at((size_t)kind);
  int count = find_nearest(entries, text, nearest);
  if (count == 0)
    return pm__fail(error, PM_NOT_FOUND, "unknown %s \"%.80s\"; see \"perfmodel list %s\"", about->singular, text,
                    about->plural);
  for (int i = 0; i < count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s\"%s\"", i == 0 ? "" : i + 1 < count ? ", " : " or ", nearest[i]->id);
  }
  return pm__fail(error, PM_NOT_FOUND, "unknown %s \"%.80s\"; did you mean %s?", about->singular, text, list);
}
