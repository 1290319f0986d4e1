/* The entry that a name stands for; for a name that is unknown the line that helps: what it may have meant, or what
** stands there instead of a name. */
#include <stdio.h>
#include <string.h>
#include "catalog/release.h"
#include "catalog/shipped.h"
#include "catalog/word_parts.h"

/* ---- What a kind is called in messages. */

static const char *singular_of(int kind)
{
  switch (kind) {
  case PM__GPUS: return "GPU";
  case PM__MEMORY_PROFILES: return "memory profile";
  case PM__INFERENCE_PROFILES: return "inference profile";
  default: return pm__kind_at((size_t)kind)->singular;
  }
}

/* ---- Names that are near. */

/* A word of the name begins with it; four letters and more may also be inside of one (torch of PyTorch). */
static bool holds(const char *name, const char *text)
{
  for (const char *at = name; *at != '\0'; at++) {
    bool word = at == name || strchr(" -_./", at[-1]) != NULL;
    if ((word || strlen(text) > 3) && pm__name_begins_with(at, text)) return true;
  }
  return false;
}

enum { BEGINS, HOLDS, FAR = 1000 }; /* between: more than HOLDS is edits */

/* How far what was written is from a name: its beginning (resnet of resnet50), a part (3090 of rtx-3090), else by
** edits: no more than a third of the letters. */
static int distance(const char *text, const char *name)
{
  int length = (int)strlen(text), slip = length < 3 ? 1 : length / 3;
  if (!pm__is_name(text)) return FAR;
  if (length > 1 && pm__name_begins_with(name, text)) return BEGINS;
  if (length > 2 && holds(name, text)) return HOLDS;
  int edits = pm__name_distance(text, name, slip);
  return edits <= slip && edits < length ? HOLDS + edits : FAR;
}

/* Machines of clouds have names of a family and a size, "g5.48xlarge", "a3-megagpu-8g": those of another family are no
** slip of it. */
static bool is_of_another_family(int kind, const char *text, const char *name)
{
  size_t length = strcspn(text, "-._ ");
  if (kind != PM__SYSTEMS || (strstr(text, "xlarge") == NULL && strstr(text, "gpu-") == NULL)) return false;
  return strcspn(name, "-._ ") != length || strncmp(text, name, length) != 0;
}

static const char between[] = " -_./,";

/* The word of a name of a machine that is a GPU, as h20 of hgx-h20: machines of another one, hgx-h200, are no slip of
** it. */
static void find_gpu_word(const pm_catalog *catalog, int kind, const char *text, char *word, size_t size)
{
  word[0] = '\0';
  for (size_t length; kind == PM__SYSTEMS && *text != '\0'; text += length + strspn(text + length, between)) {
    length = strcspn(text, between);
    snprintf(word, size, "%.*s", (int)length, text);
    if (length < size && strpbrk(word, "0123456789") != NULL && pm__names_find(catalog, PM__GPUS, word) != NULL) return;
    word[0] = '\0';
  }
}

static bool has_word(const char *name, const char *word)
{
  char one[PM_TEXT_MAX];
  for (size_t length; *name != '\0'; name += length + strspn(name + length, between)) {
    length = strcspn(name, between);
    snprintf(one, sizeof one, "%.*s", (int)length, name);
    if (pm__same_name(one, word)) return true;
  }
  return false;
}

static int entry_distance(const pm_catalog *catalog, int kind, size_t position, const char *text, const char *gpu)
{
  int least = FAR;
  const char *name;
  for (size_t which = 1; (name = pm__catalog_name(catalog, kind, position, which)) != NULL; which++) {
    bool other = name[0] == '\0' || is_of_another_family(kind, text, name) || (gpu[0] != '\0' && !has_word(name, gpu));
    int edits = other ? FAR : distance(text, name);
    if (edits < least) least = edits;
  }
  if (kind != PM__FRAMEWORKS && kind != PM__INFERENCE_PROFILES) return least;
  const pm__catalog_release parts = pm__release_parts_of(pm__catalog_name(catalog, kind, position, 1));
  int edits = distance(text, parts.family);
  return edits < least ? edits : least;
}

/* Where a name of a kind is wanted: the kinds in which it is looked for, up to two, since a GPU does where a system
** is. */
typedef struct search {
  const pm_catalog *catalog;
  const char *text;
  int kinds[2], count;
  char gpu[PM_TEXT_MAX]; /* that the text names; "": none */
} search;

static search search_of(const pm_catalog *catalog, int kind, const char *text)
{
  search in = {catalog, text, {kind, PM__GPUS}, kind == PM__SYSTEMS ? 2 : 1, ""};
  find_gpu_word(catalog, kind, text, in.gpu, sizeof in.gpu);
  return in;
}

static int least_distance(const search *in)
{
  int least = FAR;
  for (int k = 0; k < in->count; k++)
    for (size_t i = 0; i < in->catalog->lists[in->kinds[k]].count; i++) {
      int edits = entry_distance(in->catalog, in->kinds[k], i, in->text, in->gpu);
      if (edits < least) least = edits;
    }
  return least;
}

/* What is listed: ids, and their number. */
enum { LISTED = 8 };

typedef struct suggestions {
  char ids[LISTED][PM_TEXT_MAX];
  int count;
} suggestions;

/* Software is listed once, without its releases. */
static void add_suggestion(suggestions *to, const char *id, bool software)
{
  const pm__catalog_release parts = pm__release_parts_of(id);
  if (software) id = parts.family;
  for (int i = 0; i < to->count && i < LISTED; i++)
    if (strcmp(to->ids[i], id) == 0) return;
  if (to->count < LISTED) pm__text_set(to->ids[to->count], PM_TEXT_MAX, id);
  to->count++;
}

static bool is_software(int kind)
{
  return kind == PM__FRAMEWORKS || kind == PM__INFERENCE_PROFILES;
}

static void add_at(const search *in, int wanted, suggestions *to)
{
  for (int k = 0; k < in->count; k++)
    for (size_t i = 0; i < in->catalog->lists[in->kinds[k]].count; i++) {
      if (entry_distance(in->catalog, in->kinds[k], i, in->text, in->gpu) != wanted) continue;
      add_suggestion(to, pm__catalog_name(in->catalog, in->kinds[k], i, 1), is_software(in->kinds[k]));
    }
}

/* All that it begins, and those that it is a part of if that is no choice yet; else the nearest. Nothing is near what
** is longer than a name: megabytes are not read again for each. */
static suggestions find_near(const pm_catalog *catalog, int kind, const char *text)
{
  suggestions found = {.count = 0};
  if (strlen(text) >= PM_TEXT_MAX) return found;
  search in = search_of(catalog, kind, text);
  int least = least_distance(&in);
  if (least < FAR) add_at(&in, least, &found);
  if (least == BEGINS && found.count < 2) add_at(&in, HOLDS, &found);
  return found;
}

/* "a", "b" or "c"; or with their number. */
static void list_ids(const suggestions *found, char *list, size_t size)
{
  int shown = found->count < LISTED ? found->count : LISTED;
  for (int i = 0; i < shown; i++) {
    size_t used = strlen(list);
    const char *before = i == 0 ? "" : i + 1 < found->count ? ", " : " or ";
    snprintf(list + used, size - used, "%s\"%s\"", before, found->ids[i]);
  }
  size_t used = strlen(list);
  if (found->count > shown) snprintf(list + used, size - used, " or %d more", found->count - shown);
}

/* ---- Something else than a name of that kind. */

/* A name of something else: arguments in the wrong order, a system where a network is wanted. */
static bool is_other_kind(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  if (kind == PM__FRAMEWORKS && pm__names_find_place(catalog, PM__ENGINES, name) != NULL) {
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is an engine, which serves: add --serve (task=\"serving\")", name);
    return true;
  }
  static const int others[] = {PM__NETWORKS, PM__GPUS, PM__SYSTEMS, PM__FRAMEWORKS, PM__DATASETS, PM__STORAGES};
  bool profile = true; /* of profiles the nearest name says more */
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) profile = profile && kind != others[i];
  for (size_t i = 0; i < sizeof others / sizeof others[0] && !profile; i++) {
    if (others[i] == kind || pm__names_find_place(catalog, others[i], name) == NULL) continue;
    bool order = kind == PM__NETWORKS && (others[i] == PM__GPUS || others[i] == PM__SYSTEMS);
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a %s, but a %s is required here%s", name, singular_of(others[i]),
             singular_of(kind), order ? "; the network comes first, then the system" : "");
    return true;
  }
  return false;
}

/* Several names where one is wanted: what stands before the first comma or blank is one, and so is what stands behind
** the last. */
static bool is_list(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  char first[PM_TEXT_MAX];
  size_t length = strcspn(name, ", ");
  const char *last = strrchr(name, name[length]);
  if (name[length] == '\0' || length >= sizeof first) return false;
  memcpy(first, name, length);
  first[length] = '\0';
  if (pm__names_find_place(catalog, kind, first) == NULL || pm__names_find_place(catalog, kind, last + 1) == NULL)
    return false;
  pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a list, but one %s is required here; a sweep accepts several, "
           "separated by commas", name,
           singular_of(kind));
  return true;
}

static bool ends_with(const char *name, const char *ending)
{
  size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

/* A file of a model where a network's name is wanted. */
static bool is_model_file(const char *name, pm_error *error)
{
  static const char *const importers[][2] = {{".onnx", "onnx"}, {".pt", "torch"}, {".pth", "torch"}, {".pt2", "torch"},
                                             {".keras", "keras"}, {".h5", "keras"}};
  for (size_t i = 0; i < sizeof importers / sizeof importers[0]; i++) {
    if (!ends_with(name, importers[i][0]) && strcmp(name, importers[i][0]) != 0) continue;
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a file that Python reads: python3 -c 'import perfmodel; "
             "perfmodel.from_%s(\"%.80s\").to_xml(\"mine.xml\")', then --catalog mine.xml", name, importers[i][1],
             name);
    return true;
  }
  if (!ends_with(name, ".safetensors")) return false;
  pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" contains weights, which are not read; give the config.json in its "
           "folder",
           name);
  return true;
}

/* A model that the catalogue has, with weights of fewer bits, which are an option. */
static bool is_quantised(const pm_catalog *catalog, const char *name, pm_error *error)
{
  const char *weights;
  const pm__names_place *place = pm__names_find_model(catalog, name, &weights);
  if (place == NULL || weights == NULL) return false;
  const char *id = pm__catalog_name(catalog, PM__NETWORKS, place->position, 1);
  pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is \"%s\" with quantised weights; give the network \"%s\" with "
           "--weights %s (weights=\"%s\")", name, id, id, weights, weights);
  return true;
}

/* A file of a catalogue where the name of one of its entries is wanted, or what perfmodel import makes one of. */
static bool is_catalog_file(int kind, const char *name, pm_error *error)
{
  if (ends_with(name, ".xml"))
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a file; load it (--catalog, or perfmodel.Catalog in Python) and "
                                         "give the id of "
             "the %s in it", name, singular_of(kind));
  else if (kind == PM__SYSTEMS && ends_with(name, ".txt"))
    pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is a file; \"perfmodel import\" makes a system from the output of "
             "nvidia-smi topo -m", name);
  else return false;
  return true;
}

/* "2x8xH100": several of a machine, which are nodes. */
static bool is_nodes(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  enum { NODES_MOST = 99999 };
  const pm__entry *entry;
  const char *rest;
  int nodes = kind == PM__SYSTEMS ? pm__whole_at(name, NODES_MOST, &rest) : 0;
  if (nodes < 1) return false;
  rest += strspn(rest, " ");
  if (*rest != 'x' && *rest != 'X' && *rest != '*') return false;
  rest += 1 + strspn(rest + 1, " ");
  if (pm__catalog_find(catalog, kind, rest, &entry, NULL) != PM_OK) return false;
  pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.80s\" is %d nodes; give the system \"%.80s\" with --nodes %d (nodes=%d)",
           name, nodes, rest, nodes, nodes);
  return true;
}

/* ---- Nothing of it. */

/* What is known of frameworks that have no profile, of training or of inference. */
static bool is_like_framework(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  const char *near = pm_name_find_alias("framework", name);
  const pm__names_place *place = near != NULL ? pm__names_find(catalog, kind, near) : NULL;
  bool generic = kind == PM__FRAMEWORKS && pm__catalog_has(catalog, kind, "generic");
  if (place == NULL) return false;
  pm__fail(error, PM_STATUS_NOT_FOUND, "framework \"%.80s\" is not modelled; the nearest is \"%s\" (%s)%s", name, near,
           pm__catalog_name(catalog, kind, place->position, 2), generic ? ", and \"generic\" stands for any" : "");
  return true;
}

/* What else to do about a kind of entry. */
static const char *advice_of(const pm_catalog *catalog, int kind)
{
  if (kind == PM__NETWORKS) return ", or import yours (perfmodel.from_torch, from_onnx, from_keras, from_hf)";
  if (kind == PM__SYSTEMS) return ", or name a GPU (perfmodel list gpus), or several: 8xh100";
  if (kind == PM__FRAMEWORKS && pm__catalog_has(catalog, kind, "generic")) return "; \"generic\" stands for any";
  return "";
}

static int fail_near(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  char list[LISTED * (PM_TEXT_MAX + 6) + 32] = "";
  suggestions found = find_near(catalog, kind, name);
  list_ids(&found, list, sizeof list);
  if (found.count > 0)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%.80s\"; did you mean %s?", singular_of(kind), name,
                    list);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%.80s\"; see \"perfmodel list %s\"%s", singular_of(kind),
                  name,
                  pm__kind_at((size_t)kind)->plural, advice_of(catalog, kind));
}

int pm__names_unknown(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  /* nobody reads what it would take long to say */
  if (error == NULL || error->status != PM_OK) return PM_STATUS_NOT_FOUND;
  bool said = is_other_kind(catalog, kind, name, error) || is_list(catalog, kind, name, error) ||
              (kind == PM__NETWORKS && (is_model_file(name, error) || is_quantised(catalog, name, error))) ||
              is_catalog_file(kind, name, error) || is_nodes(catalog, kind, name, error) ||
              ((kind == PM__FRAMEWORKS || kind == PM__INFERENCE_PROFILES) &&
               is_like_framework(catalog, kind, name, error));
  return said ? PM_STATUS_NOT_FOUND : fail_near(catalog, kind, name, error);
}

/* ---- Known or not. */

/* With a star or a colon it is nothing else; "8xh100" is, if there is such a GPU. */
static bool is_system_word(const pm_catalog *catalog, const char *name)
{
  pm__catalog_parts parts;
  char gpu[2 * PM_TEXT_MAX];
  if (!pm__catalog_split(name, &parts)) return false;
  snprintf(gpu, sizeof gpu, "%.*s", parts.gpu.length, parts.gpu.text);
  return strpbrk(name, "*:") != NULL || pm__names_find_place(catalog, PM__GPUS, gpu) != NULL;
}

bool pm__catalog_has(const pm_catalog *catalog, int kind, const char *name)
{
  return pm__names_find(catalog, kind, name) != NULL;
}

/* No name, nor the path of a file in its place, is so long; what looks for near ones would take long. */
static bool is_too_long(int kind, const char *name, pm_error *error)
{
  enum { NAME_MOST = 4096 };
  if (memchr(name, '\0', NAME_MOST + 1) != NULL) return false;
  pm__fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%.40s...\", a name of more than %d bytes", singular_of(kind), name,
           NAME_MOST);
  return true;
}

const char *pm__catalog_resolve(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  const pm__entry *entry = NULL;
  if (is_too_long(kind, name, error)) return NULL;
  const pm__names_place *place = pm__names_find_place(catalog, kind, name);
  if (place != NULL && place->kind == kind) return pm__catalog_name(catalog, kind, place->position, 1);
  return pm__catalog_find(catalog, kind, name, &entry, error) == PM_OK ? entry->id : NULL;
}

int pm__catalog_at(const pm_catalog *catalog, int kind, size_t position, const pm__entry **entry, pm_error *error)
{
  *entry = catalog->lists[kind].items[position];
  return *entry != NULL ? PM_OK : pm__shipped_open(catalog->shipped, kind, position, entry, error);
}

int pm__catalog_open_all(const pm_catalog *catalog, pm_error *error)
{
  const pm__entry *entry;
  int status = PM_OK;
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; status == PM_OK && i < catalog->lists[kind].count; i++)
      status = pm__catalog_at(catalog, kind, i, &entry, error);
  return status;
}

int pm__catalog_seek(const pm_catalog *catalog, int kind, const char *name, const pm__entry **entry, pm_error *error)
{
  const pm__names_place *place = pm__names_find(catalog, kind, name);
  *entry = NULL;
  return place != NULL ? pm__catalog_at(catalog, kind, place->position, entry, error) : PM_OK;
}

int pm__catalog_find(const pm_catalog *catalog, int kind, const char *name, const pm__entry **entry, pm_error *error)
{
  *entry = NULL;
  if (is_too_long(kind, name, error)) return PM_STATUS_NOT_FOUND;
  const pm__names_place *place = pm__names_find_place(catalog, kind, name);
  *entry = NULL;
  if (place == NULL && kind == PM__SYSTEMS && is_system_word(catalog, name))
    return catalog->read_word(catalog, name, entry, error);
  if (place == NULL) return pm__names_unknown(catalog, kind, name, error);
  int status = pm__catalog_at(catalog, place->kind, place->position, entry, error);
  if (status == PM_OK && place->kind != kind) *entry = (*entry)->machine;
  return status;
}
