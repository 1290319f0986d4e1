/* Keys and values out of texts: flags of a shell script, lines of TOML and YAML, calls of Python, JSON. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "import/settings.h"

/* ---- Flags: words of a shell script, whose variables are put in where the script sets them itself. ---- */

typedef struct shell {
  pm__settings variables; /* key and value */
  const char *at;
  int line;
} shell;

/* The next word; quotes and brackets only part words, comments end with their line. False at the end. */
static bool next_word(shell *s, char *word)
{
  size_t length = 0;
  for (;; s->at++) {
    if (*s->at == '#' && (s->line == 0 || isspace((unsigned char)s->at[-1]))) s->at += strcspn(s->at, "\n");
    if (*s->at == '\n') s->line++;
    if (*s->at == '\0' || strchr(" \t\r\n\"'()\\;`", *s->at) == NULL) break;
  }
  for (; *s->at != '\0' && strchr(" \t\r\n\"'()\\;`", *s->at) == NULL; s->at++)
    if (length < PM__SETTING_MAX - 1) word[length++] = *s->at;
  word[length] = '\0';
  return length > 0;
}

/* "$GPUS" and "${GPUS}" and "${GPUS:-8}". */
static void put_in_variable(const shell *s, char *word)
{
  char name[PM__SETTING_MAX];
  size_t begin = word[0] != '$' ? 0 : word[1] == '{' ? 2 : 1, length = strcspn(word + begin, "}:-");
  if (begin == 0) return;
  snprintf(name, sizeof name, "%.*s", (int)length, word + begin);
  for (size_t i = s->variables.count; i-- > 0;)
    if (strcmp(s->variables.items[i].key, name) == 0) {
      memcpy(word, s->variables.items[i].value, PM__SETTING_MAX);
      return;
    }
  const char *otherwise = strstr(word, ":-");
  if (otherwise == NULL) return;
  char value[PM__SETTING_MAX];
  snprintf(value, sizeof value, "%.*s", (int)strcspn(otherwise + 2, "}"), otherwise + 2);
  memcpy(word, value, sizeof value);
}

/* NAME=value, or NAME="the first word of several", of which nothing else is kept. */
static int note_variable(shell *s, char *word, pm_error *error)
{
  char *equal = strchr(word, '=');
  for (const char *p = word; p < equal; p++)
    if (!isalnum((unsigned char)*p) && *p != '_') return PM_OK;
  *equal = '\0';
  char value[PM__SETTING_MAX];
  snprintf(value, sizeof value, "%s", equal + 1);
  put_in_variable(s, value);
  return value[0] != '\0' ? pm__settings_add(&s->variables, s->line, word, value, error) : PM_OK;
}

/* Whether what follows is a value and no flag. */
static bool value_follows(const shell *s)
{
  const char *p = s->at + strspn(s->at, " \t\"'");
  while (*p == '\\' && (p[1] == '\n' || p[1] == '\r')) p += 1 + strspn(p + 1, " \t\r\n");
  return *p != '\0' && *p != '\n' && *p != ')' && *p != '#' && *p != ';' && strncmp(p, "--", 2) != 0;
}

static int read_flag(pm__settings *settings, shell *s, char *word, pm_error *error)
{
  char value[PM__SETTING_MAX] = "";
  int line = s->line + 1;
  char *equal = strchr(word, '=');
  if (equal != NULL) {
    *equal = '\0';
    snprintf(value, sizeof value, "%s", equal + 1);
    if (value[0] == '\0' && value_follows(s)) next_word(s, value);
  } else if (value_follows(s)) {
    next_word(s, value);
  }
  put_in_variable(s, value);
  return pm__settings_add(settings, line, word + 2, value, error);
}

int pm__settings_flags(pm__settings *settings, const char *text, pm_error *error)
{
  shell s = {{NULL, 0, 0}, text, 0};
  char word[PM__SETTING_MAX];
  int status = PM_OK;
  while (status == PM_OK && next_word(&s, word)) {
    if (strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2])) status = read_flag(settings, &s, word, error);
    else if (isalpha((unsigned char)word[0]) && strchr(word, '=') != NULL) status = note_variable(&s, word, error);
  }
  free(s.variables.items);
  return status;
}

/* ---- Lines: "key = value" under "[section]", "key: value" under what is less indented. ---- */

enum { DEPTH = 8 };

typedef struct levels {
  int indent[DEPTH], count;
  char prefix[DEPTH][PM__SETTING_MAX]; /* of what is below */
} levels;

/* What stands between blanks, quotes around all of it and a comment not with it. */
static void trimmed(const char *text, size_t length, char *out)
{
  size_t end = 0;
  char quote = '\0';
  for (; end < length; end++) {
    if (quote == '\0' && text[end] == '#') break;
    if (quote == '\0' && (text[end] == '"' || text[end] == '\'')) quote = text[end];
    else if (text[end] == quote) quote = '\0';
  }
  while (end > 0 && (isspace((unsigned char)text[end - 1]) || text[end - 1] == ',')) end--;
  size_t begin = 0;
  while (begin < end && isspace((unsigned char)text[begin])) begin++;
  if (end - begin > 1 && (text[begin] == '"' || text[begin] == '\'') && text[end - 1] == text[begin]) begin++, end--;
  snprintf(out, PM__SETTING_MAX, "%.*s", (int)(end - begin < PM__SETTING_MAX ? end - begin : PM__SETTING_MAX - 1),
           text + begin);
}

static void join(char *out, const char *prefix, const char *key)
{
  snprintf(out, PM__SETTING_MAX, "%.*s%s%.*s", PM__SETTING_MAX / 2 - 2, prefix, prefix[0] != '\0' ? "." : "",
           PM__SETTING_MAX / 2 - 2, key);
}

static int read_line(pm__settings *settings, levels *l, const char *text, size_t length, int line, pm_error *error)
{
  char key[PM__SETTING_MAX], value[PM__SETTING_MAX], whole[PM__SETTING_MAX];
  size_t indent = strspn(text, " \t-"), sign = strcspn(text, "=:\n");
  if (indent >= length || text[indent] == '#') return PM_OK;
  if (text[indent] == '[') {
    l->count = 1;
    l->indent[0] = -1;
    snprintf(l->prefix[0], PM__SETTING_MAX, "%.*s", (int)strcspn(text + indent + 1, "]\n"), text + indent + 1);
    return PM_OK;
  }
  if (sign >= length) return PM_OK;
  trimmed(text + indent, sign - indent, key);
  trimmed(text + sign + 1, length - sign - 1, value);
  while (l->count > 0 && l->indent[l->count - 1] >= (int)indent) l->count--;
  join(whole, l->count > 0 ? l->prefix[l->count - 1] : "", key);
  if (value[0] != '\0') return pm__settings_add(settings, line, whole, value, error);
  if (l->count == DEPTH) return PM_OK;
  l->indent[l->count] = (int)indent;
  memcpy(l->prefix[l->count++], whole, sizeof whole);
  return PM_OK;
}

int pm__settings_lines(pm__settings *settings, const char *text, pm_error *error)
{
  levels l = {{0}, 0, {""}};
  int status = PM_OK, line = 1;
  for (const char *p = text; *p != '\0' && status == PM_OK; line++) {
    size_t length = strcspn(p, "\n");
    status = read_line(settings, &l, p, length, line, error);
    p += length + (p[length] == '\n');
  }
  return status;
}

/* ---- Calls: "name=value" and "a.b.name = value" wherever they stand, by the last of the names. ---- */

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* A value that is itself a call or a list is none. */
static int read_call(pm__settings *settings, const char *name, const char *sign, int line, pm_error *error)
{
  char key[PM__SETTING_MAX], value[PM__SETTING_MAX];
  size_t length = strcspn(sign + 1, ",)(\n[{");
  if (strchr("([{", sign[1 + length]) != NULL && sign[1 + length] != '\0') return PM_OK;
  trimmed(name, (size_t)(sign - name), key);
  trimmed(sign + 1, length, value);
  return value[0] != '\0' && key[0] != '\0' ? pm__settings_add(settings, line, key, value, error) : PM_OK;
}

int pm__settings_calls(pm__settings *settings, const char *text, pm_error *error)
{
  int status = PM_OK, line = 1;
  const char *name = text;
  for (const char *p = text; *p != '\0' && status == PM_OK; p++) {
    if (*p == '#') p += strcspn(p, "\n");
    if (*p == '\0') break;
    if (*p == '\n') line++;
    bool sign = (*p == '=' && p[1] != '=' && (p == text || strchr("=!<>", p[-1]) == NULL)) ||
        (*p == ':' && p[1] == ' ');
    if (sign) status = read_call(settings, name, p, line, error);
    if (!is_name(*p) && *p != ' ') name = p + 1;
  }
  return status;
}

/* ---- JSON ---- */

static int read_object(pm__settings *settings, pm__json *json, const char *text, const char *prefix, int depth,
                       pm_error *error)
{
  char key[PM__SETTING_MAX], whole[PM__SETTING_MAX], value[PM__SETTING_MAX];
  int status = PM_OK;
  if (depth == DEPTH) return pm__json_fail(json, "too deep");
  for (pm__json_enter(json, '{'); status == PM_OK && pm__json_next_key(json, key, sizeof key);) {
    join(whole, prefix, key);
    if (pm__json_is(json, '{')) {
      status = read_object(settings, json, text, whole, depth + 1, error);
      continue;
    }
    int line = 1;
    for (const char *p = text; p < json->at; p++) line += *p == '\n';
    if (pm__json_is(json, '"')) pm__json_string(json, value, sizeof value);
    else {
      pm__json_slice slice = pm__json_skip(json);
      trimmed(slice.text != NULL ? slice.text : "", slice.length, value);
    }
    if (!json->failed) status = pm__settings_add(settings, line, whole, value, error);
  }
  return json->failed ? PM_STATUS_BAD_SYNTAX : status;
}

int pm__settings_json(pm__settings *settings, const char *text, const char *file, pm_error *error)
{
  pm__json json = pm__json_open(text, file, error);
  return read_object(settings, &json, text, "", 0, error);
}
