/* What entries are called: kinds of entries, their names, finding them, and guessing what an unknown name meant. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"

/* ---- Kinds. */

static const pm__kind kinds[PM__KINDS] = {
  [PM__GPUS] = {"gpus", "gpu", "gpu", " peak_fp32 memory memory_bandwidth ",
   " id name architecture sms peak_fp32 peak_fp16_tensor memory memory_bandwidth power "},
  [PM__LINKS] = {"links", "link", "link", " kind bandwidth ", ""},
  [PM__SYSTEMS] = {"systems", "system", "machine", " gpu gpus ", " id name gpu gpus cpu host_memory power "},
  [PM__NETWORKS] = {"networks", "network", "network", "", " id name input layers parameters mac flop training_flop "},
  [PM__DATASETS] = {"datasets", "dataset", "dataset", " samples ", ""},
  [PM__SOURCES] = {"sources", "source", "source", "", ""},
  [PM__FRAMEWORKS] = {"frameworks", "framework", "framework", " era evidence parallelism overlap ",
   " id name era evidence kernel_time step_time fused parallelism overlap "},
  [PM__LIBRARY_ERAS] = {"library_eras", "library_era", "library_era", "", ""},
  [PM__BANDS] = {"bands", "band", "band", " fitted documents uncalibrated kernel_rule roofline ", ""},
  [PM__MEMORY_PROFILES] = {"memory_profiles", "memory_profile", "memory_profile", " context ",
   " id name context allocator in_place mask "},
  [PM__OPTIMIZERS] = {"optimizers", "optimizer", "optimizer", "", ""},
  [PM__USABLE_MEMORIES] = {"usable_memories", "usable_memory", "usable_memory", " memory ", ""},
  [PM__TRANSFORMER_ACTIVATIONS] = {"transformer_activations", "transformer_activations", "transformer_activations",
   " split scores ", ""},
  [PM__KERNEL_CALIBRATIONS] = {"kernel_calibrations", "kernel_calibration", "kernel_calibration", "",
   " id name simt_basis simt_efficiency tensor_basis tensor_efficiency "},
  [PM__KERNEL_HARNESSES] = {"kernel_harnesses", "kernel_harness", "kernel_harness", " repository ",
   " id name repository gpu gemm conv stream "},
  [PM__CALIBRATIONS] = {"calibrations", "calibration", "calibration", " efficiency hop_latency base_latency ",
   " id name efficiency hop_latency base_latency "},
  [PM__PROTOCOLS_KIND] = {"protocols", "protocol", "protocol",
   " payload ring_base ring_nvlink ring_pcie ring_network tree_base tree_nvlink tree_pcie tree_network ", ""},
  [PM__TUNINGS] = {"tunings", "tuning", "tuning", "", ""},
  [PM__FITS] = {"fits", "fit", "fit", " launch ", " id name launch knee network_knee network_hop "},
  [PM__STORAGES] = {"storages", "storage", "storage", " bandwidth ",
   " id name shared bandwidth operations uplink gateway node_ports "},
  [PM__STORAGE_ACCESSES] = {"storage_accesses", "storage_access", "storage_access", "", ""},
  [PM__DECODERS] = {"decoders", "decoder", "decoder", " scale pixel_time byte_time ", ""},
  [PM__LOADERS] = {"loaders", "loader", "loader", "", " id name library augment_time handover gpu_pixel_rate pinned "},
  [PM__INFERENCE_PROFILES] = {"inference_profiles", "inference_profile", "inference_profile", " origin fusion ",
   " id name origin fusion launch step_time simt_factor tensor_factor "},
  [PM__READINGS] = {"readings", "reading", "reading", " decides value ", " id decides value model framework version "},
};

/* What kinds were called in an earlier release, which is still understood. */
static const struct {
  const char *plural, *singular;
  int kind;
} former_kinds[] = {
  {"transformer_habits", "transformer_habit", PM__TRANSFORMER_ACTIVATIONS},
};

const pm__kind *pm__kind_at(size_t index)
{
  return index < PM__KINDS ? &kinds[index] : NULL;
}

static int former_kind(const char *name, bool is_element)
{
  for (size_t i = 0; i < sizeof former_kinds / sizeof former_kinds[0]; i++)
    if (strcmp(name, former_kinds[i].singular) == 0 || (!is_element && strcmp(name, former_kinds[i].plural) == 0))
      return former_kinds[i].kind;
  return -1;
}

int pm__kind_find(const char *name, pm_error *error)
{
  char known[600] = "";
  if (name != NULL && former_kind(name, false) >= 0) return former_kind(name, false);
  for (int i = 0; name != NULL && i < PM__KINDS; i++) {
    if (strcmp(name, kinds[i].plural) == 0 || strcmp(name, kinds[i].singular) == 0) return i;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", kinds[i].plural);
  }
  if (name == NULL) pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the kind of entry is missing");
  else pm__fail(error, PM_STATUS_NOT_FOUND, "unknown kind \"%.60s\"; it is one of %s", name, known);
  return -1;
}

int pm__kind_of_element(const char *name)
{
  for (int i = 0; i < PM__KINDS; i++)
    if (strcmp(name, kinds[i].singular) == 0) return i;
  return former_kind(name, true);
}

bool pm__in_list(const char *list, const char *word)
{
  size_t length = strlen(word);
  for (const char *p = strstr(list, word); p != NULL; p = strstr(p + 1, word))
    if (p > list && p[-1] == ' ' && p[length] == ' ') return true;
  return false;
}

/* ---- The table of names. */

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
static pm__names_place *place_of(const pm__names *names, int kind, const char *text)
{
  size_t mask = names->capacity - 1, i = hash(kind, text) & mask;
  for (;; i = (i + 1) & mask) {
    pm__names_place *place = &names->places[i];
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
  larger.places = (pm__names_place *)calloc(larger.capacity, sizeof *larger.places);
  if (larger.places == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < names->capacity; i++) {
    const pm__names_place *old = &names->places[i];
    if (old->text != NULL) *place_of(&larger, old->entry->kind, old->text) = *old;
  }
  free(names->places);
  *names = larger;
  return PM_OK;
}

int pm__names_add(pm__names *names, const char *text, pm__entry *entry, pm__entry **other, pm_error *error)
{
  *other = NULL;
  if ((names->count + 1) * 2 > names->capacity && make_larger(names, error) != PM_OK) return PM_STATUS_NO_MEMORY;
  pm__names_place *place = place_of(names, entry->kind, text);
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
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%.80s\"; see \"perfmodel list %s\"", about->singular,
                    text,
                    about->plural);
  for (int i = 0; i < count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s\"%s\"", i == 0 ? "" : i + 1 < count ? ", " : " or ", nearest[i]->id);
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

static pm__entry *find_hardware(const pm_catalog *catalog, int kind, const char *name)
{
  pm__entry *entry = NULL;
  for (; name != NULL && entry == NULL; name = after_maker(name)) entry = pm__names_find(&catalog->names, kind, name);
  return entry;
}

/* Where a system is wanted, a GPU is a machine with one of it. */
static pm__entry *find_machine(const pm_catalog *catalog, const char *name)
{
  static const char prefix[] = "gpu:";
  bool only = strncmp(name, prefix, strlen(prefix)) == 0;
  pm__entry *entry = only ? NULL : find_hardware(catalog, PM__SYSTEMS, name);
  const pm__entry *gpu = entry == NULL ? find_hardware(catalog, PM__GPUS, only ? name + strlen(prefix) : name) : NULL;
  return gpu != NULL ? gpu->machine : entry;
}

static pm__entry *find_entry(const pm_catalog *catalog, int kind, const char *name)
{
  if (kind == PM__SYSTEMS) return find_machine(catalog, name);
  return kind == PM__GPUS ? find_hardware(catalog, kind, name) : pm__names_find(&catalog->names, kind, name);
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
    if (find_entry(catalog, others[i], name) == NULL) continue;
    bool order = kind == PM__NETWORKS && others[i] == PM__SYSTEMS;
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a %s, but a %s is wanted here%s", name, kinds[others[i]].singular,
             kinds[kind].singular, order ? "; the network comes first, then the system" : "");
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
  if (near == NULL || pm__names_find(&catalog->names, kind, near) == NULL)
    pm__names_unknown(&catalog->lists[kind], kind, name, error);
  else
    pm__fail(error, PM_STATUS_NOT_FOUND, "unknown framework \"%.80s\"; the closest is \"%s\", and \"generic\" stands for any",
             name, near);
}

static bool is_system_word(const char *name)
{
  return strchr(name, '*') != NULL || (strchr(name, ':') != NULL && strncmp(name, "gpu:", 4) != 0);
}

pm__entry *pm__catalog_find(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  pm__entry *entry = find_entry(catalog, kind, name);
  if (entry == NULL && kind == PM__SYSTEMS && is_system_word(name)) return catalog->read_word(catalog, name, error);
  if (entry == NULL) explain_unknown(catalog, kind, name, error);
  return entry;
}
