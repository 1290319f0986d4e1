/* JSON (RFC 8259), read from front to back. */
#include "base/json.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 };

int pm__json_fail(pm__json *json, const char *what)
{
  int line = 1;
  const char *begin = json->text;
  for (const char *p = json->text; p < json->at; p++)
    if (*p == '\n') line++, begin = p + 1;
  if (!json->failed)
    pm__fail_at(json->error, PM_STATUS_BAD_SYNTAX, json->file, line, "column %d: %s", (int)(json->at - begin) + 1,
                what);
  json->failed = true;
  return PM_STATUS_BAD_SYNTAX;
}

static char peek(pm__json *json)
{
  json->at += strspn(json->at, " \t\r\n");
  return *json->at;
}

pm__json pm__json_open(const char *text, const char *file, pm_error *error)
{
  return (pm__json){.at = pm__text_behind_mark(text), .text = text, .file = file, .error = error};
}

pm__json pm__json_within(const pm__json *json, pm__json_slice slice)
{
  pm__json inner = *json;
  inner.at = slice.text;
  return inner;
}

bool pm__json_is(pm__json *json, char begin)
{
  char c = json->failed ? '\0' : peek(json);
  return begin == '0' ? c == '-' || (c >= '0' && c <= '9') : c == begin;
}

bool pm__json_enter(pm__json *json, char bracket)
{
  if (json->failed) return false;
  if (peek(json) != bracket) {
    pm__json_fail(json, bracket == '{' ? "an object is expected" : "an array is expected");
    return false;
  }
  json->at++;
  json->first = true;
  return true;
}

static bool next(pm__json *json, char end)
{
  if (json->failed) return false;
  char c = peek(json);
  if (c == end) {
    json->at++;
    json->first = false; /* of the one around it */
    return false;
  }
  if (!json->first && c != ',') {
    pm__json_fail(json, c == '\0' ? "the text ends within an object or array" : "a comma is missing");
    return false;
  }
  if (!json->first) json->at++;
  json->first = false;
  return true;
}

bool pm__json_next(pm__json *json)
{
  return next(json, ']');
}

bool pm__json_next_key(pm__json *json, char *key, size_t size)
{
  if (!next(json, '}') || !pm__json_string(json, key, size)) return false;
  if (peek(json) == ':') return json->at++, true;
  pm__json_fail(json, "a colon is missing");
  return false;
}

/* The character behind a backslash; moves past it, and past the digits of \u. */
static char escaped(pm__json *json)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found = strchr(from, *json->at);
  if (*json->at == 'u' && strspn(json->at + 1, "0123456789abcdefABCDEF") >= 4) {
    char digits[5] = {json->at[1], json->at[2], json->at[3], json->at[4], '\0'};
    long code = strtol(digits, NULL, 16);
    json->at += 5;
    return code >= ' ' && code < 127 ? (char)code : '?';
  }
  if (*json->at == '\0' || found == NULL) return pm__json_fail(json, "no such escape"), '\0';
  json->at++;
  return to[found - from];
}

bool pm__json_string(pm__json *json, char *out, size_t size)
{
  size_t used = 0;
  if (!pm__json_is(json, '"')) return pm__json_fail(json, "a text is expected"), false;
  for (json->at++; *json->at != '"' && !json->failed;) {
    if (*json->at == '\0') return pm__json_fail(json, "a text is not closed"), false;
    char c = *json->at++;
    if (c == '\\') c = escaped(json);
    if (used + 1 < size) out[used++] = c;
  }
  out[used] = '\0';
  if (json->failed) return false;
  json->at++;
  return true;
}

double pm__json_number(pm__json *json)
{
  char text[64];
  double value;
  const char *p = text;
  if (pm__json_is(json, '"')) {
    if (!pm__json_string(json, text, sizeof text)) return (double)NAN;
    if (strlen(text) + 1 == sizeof text) text[0] = '\0'; /* perhaps cut off: no number of ours is as long */
  } else {
    p = json->at;
    json->at += pm__json_is(json, '0') ? strspn(json->at, "+-.0123456789eE") : 0;
  }
  if (!json->failed && pm__number_scan(&p, 0, &value) == PM_OK) return value;
  pm__json_fail(json, "a number is expected");
  return (double)NAN;
}

static void skip_string(pm__json *json)
{
  for (json->at++; *json->at != '"'; json->at++) {
    if (*json->at == '\\') json->at++;
    if (*json->at == '\0') {
      pm__json_fail(json, "a text is not closed");
      return;
    }
  }
  json->at++;
}

static void skip_word(pm__json *json)
{
  size_t length = strcspn(json->at, ",]}:\" \t\r\n[{");
  if (length == 0) pm__json_fail(json, *json->at == '\0' ? "the text ends here" : "a value is expected");
  json->at += length;
}

bool pm__json_end(pm__json *json)
{
  if (!json->failed && peek(json) != '\0') pm__json_fail(json, "there is text after the end of the document");
  return !json->failed;
}

/* Brackets need only balance: what is skipped means nothing. */
pm__json_slice pm__json_skip(pm__json *json)
{
  char open[DEEPEST];
  int depth = 0;
  if (json->failed) return (pm__json_slice){"", 0};
  peek(json);
  pm__json_slice slice = {json->at, 0};
  do {
    char c = peek(json);
    if (c == '"') skip_string(json);
    else if ((c == '{' || c == '[') && depth == DEEPEST) pm__json_fail(json, "brackets are nested too deep");
    else if (c == '{' || c == '[') open[depth++] = c, json->at++;
    else if (depth > 0 && c == (open[depth - 1] == '{' ? '}' : ']')) depth--, json->at++;
    else if (depth > 0 && (c == ',' || c == ':')) json->at++;
    else skip_word(json);
  } while (depth > 0 && !json->failed);
  slice.length = (size_t)(json->at - slice.text);
  return slice;
}
