/* Settings of a configuration: a tree out of JSON, and its values, each checked. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "models/config.h"

enum { DEPTH = 64, SHOWN = 48, KEY_MAX = 120 };

static const double size_max = 2147483648.0;
static const size_t bytes_max = (size_t)16 << 20; /* of a file; those of models have some kilobytes */

/* ---- The tree ---- */

typedef struct reader {
  pm__json json;
  pm__arena *arena;
  int depth;
} reader;

static void *no_memory(reader *r)
{
  pm__no_memory(r->json.error);
  r->json.failed = true;
  return NULL;
}

static void *room(reader *r, size_t size)
{
  void *memory = r->json.failed ? NULL : pm__arena_alloc(r->arena, size);
  return memory == NULL && !r->json.failed ? no_memory(r) : memory;
}

/* How a value is written, in one line and not all of it. */
static const char *shown(reader *r, pm__json_slice slice, size_t most)
{
  char line[KEY_MAX + 4];
  size_t length = slice.length < most ? slice.length : most;
  for (size_t i = 0; i < length; i++) line[i] = slice.text[i] == '\n' || slice.text[i] == '\t' ? ' ' : slice.text[i];
  if (slice.length > most) memcpy(line + length, "...", 3), length += 3;
  char *text = r->json.failed ? NULL : pm__arena_copy(r->arena, line, length);
  return text != NULL || r->json.failed ? text : (const char *)no_memory(r);
}

static void read_value(reader *r, pm__config_value *value);

static void add_member(reader *r, pm__config_value *value, pm__config_value ***end, const char *key)
{
  pm__config_value *member = (pm__config_value *)room(r, sizeof *member);
  if (member == NULL) return;
  member->key = key != NULL ? pm__arena_copy(r->arena, key, strlen(key)) : "";
  if (member->key == NULL) no_memory(r);
  read_value(r, member);
  value->count++;
  **end = member;
  *end = &member->next;
}

static void read_members(reader *r, pm__config_value *value, bool object)
{
  char key[KEY_MAX];
  pm__config_value **end = &value->first;
  value->type = object ? PM__CONFIG_OBJECT : PM__CONFIG_LIST;
  if (++r->depth > DEPTH) pm__json_fail(&r->json, "brackets are nested too deep");
  pm__json_enter(&r->json, object ? '{' : '[');
  if (object)
    while (pm__json_next_key(&r->json, key, sizeof key)) add_member(r, value, &end, key);
  else
    while (pm__json_next(&r->json)) add_member(r, value, &end, NULL);
  r->depth--;
}

/* A word without quotes: true, false, null, a number; NaN and Infinity too, which Python writes. */
static void read_bare(reader *r, pm__config_value *value)
{
  pm__json_slice slice = pm__json_skip(&r->json);
  if ((value->text = shown(r, slice, SHOWN)) == NULL) return;
  const char *p = value->text;
  bool no = strcmp(p, "false") == 0;
  if (strcmp(p, "null") == 0) return;
  value->type = no || strcmp(p, "true") == 0 ? PM__CONFIG_FLAG : PM__CONFIG_NUMBER;
  value->number = no ? 0 : 1;
  if (value->type == PM__CONFIG_FLAG) return;
  int status = pm__number_scan(&p, 0, &value->number);
  if (status == PM_OK && *p == '\0') return;
  value->number = (double)NAN;
  bool infinite = status == PM_STATUS_BAD_ARGUMENT || strcmp(value->text, "NaN") == 0;
  if (infinite || strcmp(value->text + (value->text[0] == '-'), "Infinity") == 0) return;
  r->json.at = slice.text;
  pm__json_fail(&r->json, "a value is expected");
}

static void read_value(reader *r, pm__config_value *value)
{
  bool object = pm__json_is(&r->json, '{'), list = pm__json_is(&r->json, '[');
  const char *begin = r->json.at;
  if (object || list) read_members(r, value, object);
  else if (!pm__json_is(&r->json, '"')) {
    read_bare(r, value);
    return;
  } else {
    value->type = PM__CONFIG_TEXT;
    pm__json_skip(&r->json);
  }
  if (r->json.failed) return;
  pm__json_slice slice = {begin, (size_t)(r->json.at - begin)};
  if (value->type == PM__CONFIG_TEXT) slice = (pm__json_slice){begin + 1, slice.length - 2};
  value->text = shown(r, slice, value->type == PM__CONFIG_TEXT ? KEY_MAX : SHOWN);
}

pm__config pm__config_read(const char *text, const char *file, pm__arena *arena, pm_error *error)
{
  static const pm__config_value nothing = {.key = "", .type = PM__CONFIG_OBJECT, .text = "{}"};
  reader r = {pm__json_open(text, file, error), arena, 0};
  pm__config_value *root = (pm__config_value *)room(&r, sizeof *root);
  pm__config config = {"model", &nothing, error};
  if (root == NULL) return config;
  if (strlen(text) > bytes_max) {
    pm__fail_at(error, PM_STATUS_BAD_FILE, file, 0, "the file is larger than 16 MiB");
    return config;
  }
  read_value(&r, root);
  if (!r.json.failed && !pm__json_is(&r.json, '\0')) pm__json_fail(&r.json, "text after the end");
  if (r.json.failed) return config;
  if (root->type != PM__CONFIG_OBJECT)
    pm__fail_at(error, PM_STATUS_BAD_SYNTAX, file, 0, "not a configuration: not an object");
  else config.settings = root;
  const pm__config_value *kind = pm__config_find(&config, "model_type");
  config.kind = kind != NULL ? kind->text : "";
  return config;
}

/* ---- Values ---- */

int pm__config_fail(const pm__config *config, const char *format, ...)
{
  char text[300];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  pm__fail(config->error, PM_STATUS_BAD_SYNTAX, "the configuration of a %.60s %s", config->kind, text);
  return 0;
}

/* The last of that name, as JSON's readers have it. */
static const pm__config_value *find_one(const pm__config *config, const char *name, size_t length)
{
  const pm__config_value *found = NULL;
  for (const pm__config_value *v = config->settings->first; v != NULL; v = v->next)
    if (v->key[0] == name[0] && strncmp(v->key, name, length) == 0 && v->key[length] == '\0') found = v;
  return found != NULL && found->type != PM__CONFIG_NULL ? found : NULL;
}

const pm__config_value *pm__config_find(const pm__config *config, const char *names)
{
  for (const char *name = names;; name++) {
    size_t length = strcspn(name, "|");
    const pm__config_value *found = find_one(config, name, length);
    if (found != NULL) return found;
    name += length;
    if (*name == '\0') return NULL;
  }
}

/* "no 'hidden_size'" by the first of the names. */
static double missing(const pm__config *config, const char *names, double otherwise, double least)
{
  if (!isnan(otherwise)) return otherwise;
  pm__config_fail(config, "has no '%.*s'", (int)strcspn(names, "|"), names);
  return least;
}

static bool is_whole(const pm__config_value *value, double least, double most)
{
  bool number = value->type == PM__CONFIG_NUMBER && value->number == floor(value->number);
  return number && value->number >= least && value->number <= most;
}

static double bad_whole(const pm__config *config, const char *name, const pm__config_value *value, double least,
                        double most)
{
  const char *quote = value->type == PM__CONFIG_TEXT ? "\"" : "";
  pm__config_fail(config, "has %.60s %s%.60s%s, which is not a whole number from %.0f to %.0f", name, quote,
                  value->text,
                  quote, least, most);
  return least;
}

double pm__config_whole(const pm__config *config, const char *names, double otherwise, double least, double most)
{
  const pm__config_value *value = pm__config_find(config, names);
  if (value == NULL) return missing(config, names, otherwise, least);
  return is_whole(value, least, most) ? value->number : bad_whole(config, value->key, value, least, most);
}

double pm__config_count(const pm__config *config, const char *names, double otherwise)
{
  return pm__config_whole(config, names, otherwise, 1, size_max);
}

double pm__config_count_or_none(const pm__config *config, const char *names, double otherwise)
{
  return pm__config_whole(config, names, otherwise, 0, size_max);
}

int pm__config_layers(const pm__config *config, const char *names, double otherwise)
{
  return (int)pm__config_whole(config, names, otherwise, 1, PM__CONFIG_LAYERS);
}

int pm__config_interval(const pm__config *config, const char *names, double otherwise)
{
  return (int)fmin(pm__config_count(config, names, otherwise), PM__CONFIG_LAYERS + 1);
}

double pm__config_number(const pm__config *config, const char *names, double otherwise, double least, double most)
{
  const pm__config_value *value = pm__config_find(config, names);
  if (value == NULL) return missing(config, names, otherwise, least);
  if (value->type == PM__CONFIG_NUMBER && value->number >= least && value->number <= most) return value->number;
  pm__config_fail(config, "has %.60s %s, which is not a number from %g to %g", value->key, value->text, least, most);
  return least;
}

double pm__config_rate(const pm__config *config, const char *names, double otherwise)
{
  return pm__config_number(config, names, otherwise, 0, 1);
}

bool pm__config_flag(const pm__config *config, const char *name, bool otherwise)
{
  const pm__config_value *value = pm__config_find(config, name);
  if (value == NULL) return otherwise;
  bool number = value->type == PM__CONFIG_NUMBER && (value->number == 0 || value->number == 1);
  if (number || value->type == PM__CONFIG_FLAG) return value->number != 0;
  pm__config_fail(config, "has %.60s %s, which is neither true nor false", value->key, value->text);
  return otherwise;
}

const char *pm__config_word(const pm__config *config, const char *names, const char *otherwise)
{
  const pm__config_value *value = pm__config_find(config, names);
  if (value == NULL || value->type == PM__CONFIG_TEXT) return value != NULL ? value->text : otherwise;
  pm__config_fail(config, "has %.60s %s, which is not a text", value->key, value->text);
  return otherwise;
}

static const pm__config_value *list_of(const pm__config *config, const char *name, bool words)
{
  const pm__config_value *list = pm__config_find(config, name);
  if (list == NULL) return NULL;
  bool good = list->type == PM__CONFIG_LIST;
  for (const pm__config_value *v = list->first; good && v != NULL; v = v->next)
    if (words) good = v->type == PM__CONFIG_TEXT;
    else if (!is_whole(v, 0, size_max) && v->type != PM__CONFIG_FLAG) {
      bad_whole(config, name, v, 0, size_max);
      return NULL;
    }
  if (good) return list;
  pm__config_fail(config, "has %.60s %s, which is no list of %s", name, list->text, words ? "words" : "whole numbers");
  return NULL;
}

const pm__config_value *pm__config_counts(const pm__config *config, const char *name)
{
  return list_of(config, name, false);
}

const pm__config_value *pm__config_some_layers(const pm__config *config, const char *name, int layers)
{
  const pm__config_value *list = pm__config_counts(config, name);
  if (list == NULL || list->count <= (size_t)layers) return list;
  pm__config_fail(config, "has %.60s of %zu layers, but %d layers", name, list->count, layers);
  return NULL;
}

const pm__config_value *pm__config_words(const pm__config *config, const char *name)
{
  return list_of(config, name, true);
}

pm__config pm__config_child(const pm__config *config, const char *name)
{
  static const pm__config_value nothing = {.key = "", .type = PM__CONFIG_OBJECT, .text = "{}"};
  const pm__config_value *value = pm__config_find(config, name);
  pm__config child = {config->kind, &nothing, config->error};
  if (value != NULL && value->type == PM__CONFIG_OBJECT) child.settings = value;
  else if (value != NULL) pm__config_fail(config, "has %.60s %s, which is not a configuration", name, value->text);
  return child;
}

/* ---- What several settings say ---- */

int pm__config_stages(const pm__config *c, const char *name, const double *otherwise, double *out)
{
  const pm__config_value *list = pm__config_counts(c, name);
  int count = 0;
  if (list == NULL)
    for (; otherwise[count] > 0; count++) out[count] = otherwise[count];
  else
    for (const pm__config_value *v = list->first; v != NULL && count < PM__CONFIG_STAGES; v = v->next)
      out[count++] = v->number;
  if (list != NULL && (list->count == 0 || list->count > PM__CONFIG_STAGES))
    pm__config_fail(c, "has %s of %.0f stages; from 1 to %d are read", name, (double)list->count, PM__CONFIG_STAGES);
  return count;
}

int pm__config_depths(const pm__config *c, const double *otherwise, double *out)
{
  int count = pm__config_stages(c, "depths", otherwise, out);
  double layers = 0;
  for (int i = 0; i < count; i++) layers += out[i];
  if (layers > PM__CONFIG_LAYERS) pm__config_fail(c, "has depths of more than %d layers", PM__CONFIG_LAYERS);
  return count;
}

double pm__config_head(const pm__config *config, double hidden, double heads, const char *names)
{
  if (names != NULL && pm__config_find(config, names) != NULL) return pm__config_count(config, names, (double)NAN);
  if (fmod(hidden, heads) == 0) return hidden / heads;
  pm__config_fail(config, "has %.0f features, which %.0f heads do not divide", hidden, heads);
  return 1;
}

double pm__config_labels(const pm__config *config)
{
  const pm__config_value *named = pm__config_find(config, "id2label");
  double otherwise = named != NULL && named->type == PM__CONFIG_OBJECT && named->count > 0 ? (double)named->count : 2;
  return pm__config_count_or_none(config, "num_labels", otherwise);
}

const char *pm__config_architecture(const pm__config *config, const char *otherwise)
{
  static const char *const endings[] = {"ForPreTraining", "LMHeadModel", "DoubleHeadsModel", "EncoderModel", "MTModel"};
  const pm__config_value *names = pm__config_words(config, "architectures");
  if (names == NULL || names->count == 0) return otherwise;
  const char *name = names->first->text, *last = NULL;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t length = strlen(name), tail = strlen(endings[i]);
    if (length >= tail && strcmp(name + length - tail, endings[i]) == 0) return endings[i];
  }
  for (const char *p = strstr(name, "For"); p != NULL; p = strstr(p + 1, "For")) last = p;
  return last != NULL && last > name ? last : "Model";
}
