/* What entries are called: finding them by their names, and guessing what an unknown name meant. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static size_t place_of(const pm_catalog *catalog, const pm__names *names, int kind, const char *text)
{
  size_t mask = names->capacity - 1, i = hash(kind, text) & mask;
  for (;; i = (i + 1) & mask) {
    const pm__names_place *place = &names->places[i];
    if (place->which == 0) return i;
    if (place->kind == kind && pm__same_name(pm__catalog_name(catalog, kind, place->position, place->which), text)) return i;
  }
}

const pm__names_place *pm__names_find(const pm_catalog *catalog, int kind, const char *text)
{
  const pm__names *names = &catalog->names;
  if (names->capacity == 0) return NULL;
  const pm__names_place *place = &names->places[place_of(catalog, names, kind, text)];
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
    if (old->which != 0) larger.own[place_of(catalog, &larger, old->kind, text_of(catalog, old))] = *old;
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
  pm__names_place *place = &names->own[place_of(catalog, names, name->kind, text_of(catalog, name))];
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

static int entry_distance(const pm_catalog *catalog, int kind, size_t position, const char *text)
{
  int least = FAR;
  const char *name;
  for (size_t which = 1; (name = pm__catalog_name(catalog, kind, position, which)) != NULL; which++) {
    int edits = name[0] != '\0' ? distance(text, name) : FAR;
    if (edits < least) least = edits;
  }
  return least;
}

enum { SUGGESTIONS_MAX = 3 };

/* The positions of up to three entries at the least distance. */
static int find_nearest(const pm_catalog *catalog, int kind, const char *text, size_t *nearest)
{
  int count = 0, least = FAR - 1;
  for (size_t i = 0; i < catalog->lists[kind].count; i++) {
    int edits = entry_distance(catalog, kind, i, text);
    if (edits < least) count = 0;
    if (edits > least || (edits == least && count == SUGGESTIONS_MAX)) continue;
    least = edits;
    nearest[count++] = i;
  }
  return count;
}

int pm__names_unknown(const pm_catalog *catalog, int kind, const char *text, pm_error *error)
{
  char list[3 * PM_TEXT_MAX + 20] = "";
  size_t nearest[SUGGESTIONS_MAX];
  const pm__kind *about = pm__kind_at((size_t)kind);
  int count = find_nearest(catalog, kind, text, nearest);
  if (count == 0)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%.80s\"; see \"perfmodel list %s\"", about->singular,
                    text,
                    about->plural);
  for (int i = 0; i < count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s\"%s\"", i == 0 ? "" : i + 1 < count ? ", " : " or ",
             pm__catalog_name(catalog, kind, nearest[i], 1));
  }
  return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%.80s\"; did you mean %s?", about->singular, text, list);
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

static const pm__names_place *find_place(const pm_catalog *catalog, int kind, const char *name)
{
  if (kind == PM__SYSTEMS) return find_machine(catalog, name);
  return kind == PM__GPUS ? find_hardware(catalog, kind, name) : pm__names_find(catalog, kind, name);
}

/* ---- Names that are known, but not as what is wanted. */

/* A name of something else: arguments in the wrong order, a system where a network is wanted. */
static bool is_other_kind(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  static const int others[] = {PM__NETWORKS, PM__SYSTEMS, PM__FRAMEWORKS, PM__DATASETS, PM__STORAGES};
  bool profile = kind != PM__GPUS; /* of profiles the nearest name says more */
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) profile = profile && kind != others[i];
  for (size_t i = 0; i < sizeof others / sizeof others[0] && !profile; i++) {
    if (others[i] == kind || (kind == PM__GPUS && others[i] == PM__SYSTEMS)) continue;
    if (find_place(catalog, others[i], name) == NULL) continue;
    bool order = kind == PM__NETWORKS && others[i] == PM__SYSTEMS;
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a %s, but a %s is wanted here%s", name, pm__kind_at((size_t)others[i])->singular,
             pm__kind_at((size_t)kind)->singular, order ? "; the network comes first, then the system" : "");
    return true;
  }
  return false;
}

/* A file of a model where a network's name is wanted. */
static bool is_model_file(const char *name, pm_error *error)
{
  static const char *const importers[][2] = {{".onnx", "onnx"}, {".pt", "torch"}, {".pth", "torch"}, {".pt2", "torch"},
                                             {".keras", "keras"}, {".h5", "keras"}, {".safetensors", "hf"}};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot != NULL && i < sizeof importers / sizeof importers[0]; i++) {
    if (strcmp(dot, importers[i][0]) != 0) continue;
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a file, no network; Python imports it: perfmodel.from_%s(...).to_xml(\"mine.xml\")"
             ", then --catalog mine.xml", name, importers[i][1]);
    return true;
  }
  return false;
}

static void explain_unknown(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  const char *near = kind == PM__FRAMEWORKS ? pm_name_find_usual("framework", name) : NULL;
  if (is_other_kind(catalog, kind, name, error) || (kind == PM__NETWORKS && is_model_file(name, error))) return;
  if (near == NULL || !pm__catalog_has(catalog, kind, near)) pm__names_unknown(catalog, kind, name, error);
  else
    pm__fail(error, PM_STATUS_NOT_FOUND, "unknown framework \"%.80s\"; the closest is \"%s\", and \"generic\" stands for any",
             name, near);
}

static bool is_system_word(const char *name)
{
  return strchr(name, '*') != NULL || (strchr(name, ':') != NULL && strncmp(name, "gpu:", 4) != 0);
}

bool pm__catalog_has(const pm_catalog *catalog, int kind, const char *name)
{
  return pm__names_find(catalog, kind, name) != NULL;
}

const char *pm__catalog_resolve(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  const pm__entry *entry = NULL;
  const pm__names_place *place = find_place(catalog, kind, name);
  if (place != NULL && place->kind == kind) return pm__catalog_name(catalog, kind, place->position, 1);
  return pm__catalog_find(catalog, kind, name, &entry, error) == PM_OK ? entry->id : NULL;
}

int pm__catalog_at(const pm_catalog *catalog, int kind, size_t position, const pm__entry **entry, pm_error *error)
{
  *entry = catalog->lists[kind].items[position];
  return *entry != NULL ? PM_OK : pm__shipped_open(catalog->shipped, kind, position, entry, error);
}

int pm__catalog_seek(const pm_catalog *catalog, int kind, const char *name, const pm__entry **entry, pm_error *error)
{
  const pm__names_place *place = pm__names_find(catalog, kind, name);
  *entry = NULL;
  return place != NULL ? pm__catalog_at(catalog, kind, place->position, entry, error) : PM_OK;
}

static int fail_unknown(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  explain_unknown(catalog, kind, name, error);
  return PM_STATUS_NOT_FOUND;
}

int pm__catalog_find(const pm_catalog *catalog, int kind, const char *name, const pm__entry **entry, pm_error *error)
{
  const pm__names_place *place = find_place(catalog, kind, name);
  *entry = NULL;
  if (place == NULL && kind == PM__SYSTEMS && is_system_word(name)) return catalog->read_word(catalog, name, entry, error);
  if (place == NULL) return fail_unknown(catalog, kind, name, error);
  int status = pm__catalog_at(catalog, place->kind, place->position, entry, error);
  if (status == PM_OK && place->kind != kind) *entry = (*entry)->machine;
  return status;
}
