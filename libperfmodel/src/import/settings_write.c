/* A run as other programs are told it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/settings.h"

static const char *given(const pm_attribute *settings, size_t count, const char *option)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(settings[i].name, option) == 0) return settings[i].value;
  return NULL;
}

/* Theirs for ours; false if they have no word for it. A flag has no value. */
static bool untranslate(const char *values, const char *ours, char *theirs)
{
  if (values[0] == '@') return pm__settings_write_optimizer(values, ours, theirs);
  for (const char *p = values; *p != '\0'; p += strspn(p, " ")) {
    size_t length = strcspn(p, " "), sign = 0;
    while (sign < length && p[sign] != '=') sign++;
    bool same = strlen(ours) == length - sign - 1 && strncmp(ours, p + sign + 1, length - sign - 1) == 0;
    if (same && p[0] != '*' && p[0] != '!') {
      snprintf(theirs, PM__SETTING_MAX, "%.*s", (int)sign, p);
      return true;
    }
    p += length;
  }
  return false;
}

static void write_flag(const pm__settings_format *format, pm__string *out, const char *key, const char *value)
{
  pm__string_add(out, "--");
  for (const char *p = key; *p != '\0'; p++)
    pm__string_add_bytes(out, *p == '_' && !format->underscore ? "-" : p, 1);
  pm__string_format(out, "%s%s \\\n", value[0] != '\0' ? " " : "", value);
}

/* Text in quotes, numbers and true as they are. */
static void write_value(pm__string *out, const char *value)
{
  bool bare = pm__settings_is_number(value) || strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
  pm__string_format(out, bare ? "%s" : "\"%s\"", value);
}

/* The section of "section.name" when it is another than before. */
static const char *enter(const char *key, char *section, bool *fresh)
{
  const char *dot = strchr(key, '.');
  char name[PM__SETTING_MAX] = "";
  if (dot != NULL) snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
  *fresh = strcmp(name, section) != 0;
  snprintf(section, PM__SETTING_MAX, "%s", name);
  return dot != NULL ? dot + 1 : key;
}

static void write_toml(pm__string *out, const char *key, const char *value, char *section)
{
  bool fresh;
  const char *name = enter(key, section, &fresh);
  if (fresh) pm__string_format(out, "%s[%s]\n", out->length > 0 ? "\n" : "", section);
  pm__string_format(out, "%s = ", name);
  write_value(out, value);
  pm__string_add(out, "\n");
}

static void write_json(pm__string *out, const char *key, const char *value, char *section)
{
  bool fresh, inside = section[0] != '\0';
  const char *name = enter(key, section, &fresh);
  if (fresh && inside) pm__string_add(out, "\n  }");
  pm__string_add(out, out->length == 0 ? "{\n" : ",\n");
  if (fresh && section[0] != '\0') pm__string_format(out, "  \"%s\": {\n", section);
  const char *inner = strchr(name, '.'); /* an object within the section, of one value */
  int length = inner != NULL ? (int)(inner - name) : (int)strlen(name);
  pm__string_format(out, "%s\"%.*s\": ", section[0] != '\0' ? "    " : "  ", length, name);
  if (inner != NULL) pm__string_format(out, "{\"%s\": ", inner + 1);
  write_value(out, value);
  if (inner != NULL) pm__string_add(out, "}");
}

static void write_one(const pm__settings_format *format, pm__string *out, const char *key, const char *value,
                      char *section)
{
  if (format->syntax == PM__SETTINGS_JSON) write_json(out, key, value, section);
  else if (format->syntax == PM__SETTINGS_TOML) write_toml(out, key, value, section);
  else write_flag(format, out, key, value);
}

static bool is_written(const pm__settings_format *format, const pm_attribute *setting)
{
  char value[PM__SETTING_MAX];
  for (const pm__settings_key *key = format->keys; key->key != NULL; key++)
    if (key->write && strcmp(key->option, setting->name) == 0 &&
        (key->values == NULL || untranslate(key->values, setting->value, value))) return true;
  return false;
}

/* What the program has no word for, as comments. JSON has none. */
static void write_rest(const pm__settings_format *format, const pm_attribute *settings, size_t count, pm__string *out)
{
  if (format->syntax == PM__SETTINGS_JSON) return;
  for (size_t i = 0; i < count; i++)
    if (!is_written(format, &settings[i]))
      pm__string_format(out, strstr(settings[i].name, "weights") != NULL && format->serves
                             ? "# %s takes %s = %s from the checkpoint\n" : "# %s has no setting for %s = %s\n",
                        format->name, settings[i].name, settings[i].value);
}

/* A format of which a key is written. */
static const pm__settings_format *find_written(const char *name, pm_error *error)
{
  const pm__settings_format *format;
  for (size_t i = 0; (format = pm__settings_format_at(i)) != NULL; i++) {
    if (strcmp(format->name, name) != 0 || format->syntax == PM__SETTINGS_RECIPE) continue;
    for (const pm__settings_key *key = format->keys; key->key != NULL; key++)
      if (key->write) return format;
  }
  pm__fail(error, PM_STATUS_NOT_FOUND, "settings cannot be written as \"%.40s\"; formats are megatron, torchtitan, "
                                       "deepspeed, vllm, sglang, trtllm", name);
  return NULL;
}

static void write_all(const pm__settings_format *format, const pm_attribute *settings, size_t count, pm__string *out)
{
  char section[PM__SETTING_MAX] = "", value[PM__SETTING_MAX];
  for (const pm__settings_key *key = format->keys; key->key != NULL; key++) {
    const char *ours = key->write ? given(settings, count, key->option) : NULL;
    if (ours == NULL) continue;
    snprintf(value, sizeof value, "%s", ours);
    if (key->values == NULL || untranslate(key->values, ours, value)) write_one(format, out, key->key, value, section);
  }
  if (format->syntax == PM__SETTINGS_JSON && out->length > 0)
    pm__string_add(out, section[0] != '\0' ? "\n  }\n}\n" : "\n}\n");
}

/* Nothing follows the last flag. */
static void end_flags(pm__string *out)
{
  if (out->failed) return;
  memcpy(out->text + out->length - 3, "\n", 2);
  out->length -= 2;
}

char *pm_settings_write(const char *format, const pm_attribute *settings, size_t count, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  pm__settings_told told = {.count = count < PM__SETTINGS_TOLD ? count : PM__SETTINGS_TOLD};
  if (format == NULL || (settings == NULL && count > 0)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a format and settings are needed");
    return NULL;
  }
  const pm__settings_format *found = find_written(format, error);
  if (found == NULL) return NULL;
  for (size_t i = 0; i < told.count; i++) told.items[i] = settings[i];
  if (found->serves) pm__settings_tell_engine(found, &told);
  write_all(found, told.items, told.count, &out);
  if (out.length == 0 && !out.failed) {
    pm__fail(error, PM_STATUS_NOT_FOUND, "%s has no settings for the given fields", found->name);
    return NULL;
  }
  if (found->syntax == PM__SETTINGS_FLAGS) end_flags(&out);
  write_rest(found, told.items, told.count, &out);
  if (!out.failed) return out.text;
  free(out.text);
  pm__no_memory(error);
  return NULL;
}
