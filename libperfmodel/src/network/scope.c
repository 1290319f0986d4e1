/* Evaluates texts and attributes of networks with the parameters that are in scope. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "network/definition.h"
#include "network/kind.h"
#include "network/scope.h"
#include "perfmodel/units.h"

const pm__binding *pm__scope_find(const pm__binding *scope, const char *name, size_t length)
{
  for (; scope != NULL; scope = scope->next)
    if (strncmp(scope->name, name, length) == 0 && scope->name[length] == '\0') return scope;
  return NULL;
}

static bool look_up(const void *scope, const char *name, size_t length, double *value)
{
  const pm__binding *found = pm__scope_find((const pm__binding *)scope, name, length);
  if (found != NULL) *value = found->value;
  return found != NULL;
}

int pm__scope_number(const pm__binding *scope, const char *text, double *value, pm_error *error)
{
  return pm__expression(text, look_up, scope, value, error);
}

int pm__scope_value(const pm__binding *scope, const char *text, double *value, pm_error *error)
{
  bool parameter = pm__scope_find(scope, text, strlen(text)) != NULL;
  return !parameter && pm__switch_find(text, value) ? PM_OK : pm__scope_number(scope, text, value, error);
}

bool pm__is_word(const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    bool digit = text[i] >= '0' && text[i] <= '9', upper = text[i] >= 'A' && text[i] <= 'Z';
    bool lower = text[i] >= 'a' && text[i] <= 'z';
    if (!lower && !upper && text[i] != '_' && (!digit || i == 0)) return false;
  }
  return length > 0;
}

/* Takes the finished string into the arena and releases it. */
static const char *keep(pm__string *string, bool good, pm__arena *arena, pm_error *error)
{
  const char *copy = NULL;
  if (good) {
    if (!string->failed) copy = pm__arena_copy(arena, string->text != NULL ? string->text : "", string->length);
    if (copy == NULL) pm__no_memory(error);
  }
  free(string->text);
  return copy;
}

static bool add_number(const pm__binding *scope, const char *text, size_t length, pm__string *out, pm__arena *arena,
                       pm_error *error)
{
  double value;
  const char *expression = pm__arena_copy(arena, text, length);
  if (expression == NULL) return pm__no_memory(error) == PM_OK;
  if (pm__scope_number(scope, expression, &value, error) != PM_OK) return false;
  pm__string_format(out, "%.0f", value);
  return true;
}

const char *pm__scope_expand(const pm__binding *scope, const char *text, pm__arena *arena, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (strpbrk(text, "{}") == NULL) return text; /* most have none */
  for (const char *p = text;;) {
    size_t plain = strcspn(p, "{}");
    pm__string_add_bytes(&out, p, plain);
    p += plain;
    if (*p == '\0') return keep(&out, true, arena, error);
    size_t inside = *p == '{' ? strcspn(p + 1, "{}") : 0;
    if (*p == '}' || p[1 + inside] != '}') {
      pm__fail(error, PM_STATUS_BAD_VALUE, "name \"%.80s\" has an unmatched brace", text);
      return keep(&out, false, arena, error);
    }
    if (!add_number(scope, p + 1, inside, &out, arena, error)) return keep(&out, false, arena, error);
    p += inside + 2;
  }
}

static bool is_plain(const pm__binding *scope, const char *piece)
{
  double number;
  size_t length = strlen(piece);
  if (pm__is_word(piece, length)) return pm__scope_find(scope, piece, length) == NULL;
  return pm_number_parse(piece, &number) == PM_OK;
}

static bool add_piece(const pm__binding *scope, const char *text, size_t length, pm__string *out, pm__arena *arena,
                      pm_error *error)
{
  while (length > 0 && *text == ' ') text++, length--;
  while (length > 0 && text[length - 1] == ' ') length--;
  const char *piece = pm__arena_copy(arena, text, length);
  if (piece == NULL) return pm__no_memory(error) == PM_OK;
  if (!is_plain(scope, piece)) return add_number(scope, text, length, out, arena, error);
  pm__string_add(out, piece);
  return true;
}

const char *pm__scope_attribute(const pm__binding *scope, const char *text, pm__arena *arena, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (is_plain(scope, text)) return text; /* most are */
  for (const char *p = text;;) {
    size_t length = strcspn(p, ",");
    if (!add_piece(scope, p, length, &out, arena, error)) return keep(&out, false, arena, error);
    p += length;
    if (*p == '\0') return keep(&out, true, arena, error);
    pm__string_add(&out, ",");
    p++;
  }
}
