/* What entries are called: the table of names, and the place of one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/hub_name.h"
#include "catalog/shipped.h"

/* ---- The table of names. */

/* FNV-1a over the kind and the characters that count. */
static size_t hash(int kind, const char *text)
{
  uint64_t value = (14695981039346656037u ^ (unsigned)kind) * 1099511628211u;
  pm__name_reader reader = {text, false};
  for (char c; (c = pm__name_next(&reader)) != '\0';) value = (value ^ (unsigned char)c) * 1099511628211u;
  return (size_t)(value ^ value >> 32);
}

const char *pm__entry_name(const pm__entry *entry, size_t which)
{
  if (which <= 2) return which == 1 ? entry->id : entry->name;
  return which - 3 < entry->alias_count ? entry->aliases[which - 3] : NULL;
}

const char *pm__catalog_name(const pm_catalog *catalog, int kind, size_t position, size_t which)
{
  const pm__entry *own = catalog->lists[kind].items[position];
  return own != NULL ? pm__entry_name(own, which) : pm__shipped_name(kind, position, which);
}

/* The place of that name, or the free place where it belongs. The table is never full. */
static size_t slot_of(const pm_catalog *catalog, const pm__names *names, int kind, const char *text)
{
  size_t mask = names->capacity - 1, i = hash(kind, text) & mask;
  for (;; i = (i + 1) & mask) {
    const pm__names_place *place = &names->places[i];
    if (place->which == 0) return i;
    if (place->kind == kind && pm__same_name(pm__catalog_name(catalog, kind, place->position, place->which), text))
      return i;
  }
}

const pm__names_place *pm__names_find(const pm_catalog *catalog, int kind, const char *text)
{
  const pm__names *names = &catalog->names;
  if (names->capacity == 0) return NULL;
  const pm__names_place *place = &names->places[slot_of(catalog, names, kind, text)];
  return place->which != 0 ? place : NULL;
}

static const char *text_of(const pm_catalog *catalog, const pm__names_place *name)
{
  return pm__catalog_name(catalog, name->kind, name->position, name->which);
}

static int make_larger(pm_catalog *catalog, pm_error *error)
{
  const pm__names *names = &catalog->names;
  pm__names larger = {NULL, NULL, names->count, names->capacity == 0 ? 512 : names->capacity * 2};
  larger.places = larger.own = (pm__names_place *)calloc(larger.capacity, sizeof *larger.own);
  if (larger.own == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < names->capacity; i++) {
    const pm__names_place *old = &names->own[i];
    if (old->which != 0) larger.own[slot_of(catalog, &larger, old->kind, text_of(catalog, old))] = *old;
  }
  free(names->own);
  catalog->names = larger;
  return PM_OK;
}

int pm__names_add(pm_catalog *catalog, const pm__names_place *name, const pm__names_place **other, pm_error *error)
{
  pm__names *names = &catalog->names;
  *other = NULL;
  if ((names->count + 1) * 2 > names->capacity && make_larger(catalog, error) != PM_OK) return PM_STATUS_NO_MEMORY;
  pm__names_place *place = &names->own[slot_of(catalog, names, name->kind, text_of(catalog, name))];
  if (place->which != 0) {
    *other = place;
    return PM_OK;
  }
  *place = *name;
  names->count++;
  return PM_OK;
}

void pm__names_free(pm__names *names)
{
  free(names->own);
  memset(names, 0, sizeof *names);
}

/* ---- Finding an entry. */

/* After the maker's name and the brand, or NULL if it does not begin with one: drivers report "NVIDIA A100-SXM4-80GB",
** "Tesla T4", "NVIDIA GeForce RTX 3090", "AMD Instinct MI300X". */
static const char *after_maker(const char *name)
{
  static const char *const words[] = {"NVIDIA", "AMD", "Tesla", "GeForce", "Radeon", "Instinct"};
  size_t length = strcspn(name, " -_");
  char word[16];
  if (name[length] == '\0' || length >= sizeof word) return NULL;
  memcpy(word, name, length);
  word[length] = '\0';
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (pm__same_name(word, words[i])) return name + length + 1;
  return NULL;
}

static const pm__names_place *find_hardware(const pm_catalog *catalog, int kind, const char *name)
{
  const pm__names_place *place = NULL;
  for (; name != NULL && place == NULL; name = after_maker(name)) place = pm__names_find(catalog, kind, name);
  return place;
}

/* Where a system is wanted, a GPU is a machine with one of it: its place is that of the GPU then. */
static const pm__names_place *find_machine(const pm_catalog *catalog, const char *name)
{
  static const char prefix[] = "gpu:";
  bool only = strncmp(name, prefix, strlen(prefix)) == 0;
  const pm__names_place *place = only ? NULL : find_hardware(catalog, PM__SYSTEMS, name);
  return place != NULL ? place : find_hardware(catalog, PM__GPUS, only ? name + strlen(prefix) : name);
}

const pm__names_place *pm__names_find_model(const pm_catalog *catalog, const char *name, const char **weights)
{
  pm__catalog_hub_name hub;
  *weights = NULL;
  if (!pm__catalog_hub_name_read(name, &hub)) return NULL;
  const pm__names_place *place = pm__names_find(catalog, PM__NETWORKS, hub.model);
  while (place == NULL && pm__catalog_hub_name_cut(&hub)) place = pm__names_find(catalog, PM__NETWORKS, hub.model);
  *weights = hub.weights;
  return place;
}

const pm__names_place *pm__names_find_place(const pm_catalog *catalog, int kind, const char *name)
{
  if (kind == PM__SYSTEMS) return find_machine(catalog, name);
  if (kind == PM__GPUS) return find_hardware(catalog, kind, name);
  const pm__names_place *place = pm__names_find(catalog, kind, name);
  if (place != NULL || kind != PM__NETWORKS) return place;
  const char *weights;
  place = pm__names_find_model(catalog, name, &weights);
  return weights == NULL ? place : NULL;
}
