#include <string.h>
#include "lab/validate/settings.h"

void pm__settings_init(pm__settings *settings)
{
  settings->used = settings->count = 0;
}

static void trim(char **start, char *end)
{
  while (**start == ' ') (*start)++;
  while (end > *start && end[-1] == ' ') end--;
  *end = '\0';
}

static int add_one(pm__settings *settings, char *text, pm_error *error)
{
  char *equal = strchr(text, '='), *end = text + strlen(text);
  if (equal == NULL) return pm__fail(error, PM_BAD_SYNTAX, "\"%.80s\" is not a setting name=value", text);
  if (settings->count == PM__SETTINGS_MOST) return pm__fail(error, PM_BAD_SYNTAX, "too many settings");
  char *name = text, *value = equal + 1;
  trim(&name, equal);
  trim(&value, end);
  settings->name[settings->count] = name;
  settings->value[settings->count++] = value;
  return PM_OK;
}

int pm__settings_add(pm__settings *settings, const char *text, pm_error *error)
{
  size_t length = strlen(text);
  char *copy = settings->text + settings->used;
  if (strspn(text, " ") == length) return PM_OK;
  if (length + 1 > PM__SETTINGS_BYTES - settings->used) return pm__fail(error, PM_BAD_SYNTAX, "settings are too long");
  memcpy(copy, text, length + 1);
  settings->used += length + 1;
  for (char *next; copy != NULL; copy = next) {
    next = strchr(copy, ',');
    if (next != NULL) *next++ = '\0';
    int status = add_one(settings, copy, error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

const char *pm__settings_get(const pm__settings *settings, const char *name, const char *other)
{
  for (size_t i = settings->count; i > 0; i--)
    if (strcmp(settings->name[i - 1], name) == 0) return settings->value[i - 1];
  return other;
}
