/* A list of settings: added to, looked up, and told what follows from others. */
#include <stdio.h>
#include <string.h>
#include "import/settings.h"

int pm__settings_add(pm__settings *settings, int line, const char *key, const char *value, pm_error *error)
{
  if (settings->count == PM__SETTINGS_MOST)
    return pm__fail_at(error, PM_STATUS_BAD_FILE, settings->file, line, "more than %d settings; use the lines of one "
                       "run", PM__SETTINGS_MOST);
  pm__setting *items = (pm__setting *)pm__grow(settings->items, settings->count, &settings->capacity, sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  settings->items = items;
  pm__setting *next = &items[settings->count++];
  memset(next, 0, sizeof *next);
  next->line = line;
  snprintf(next->key, sizeof next->key, "%.*s", PM__SETTING_MAX - 1, key);
  snprintf(next->value, sizeof next->value, "%.*s", PM__SETTING_MAX - 1, value);
  return PM_OK;
}

pm__setting *pm__settings_find(const pm__settings *settings, const char *option)
{
  for (size_t i = settings->count; i-- > 0;)
    if (strcmp(settings->items[i].option, option) == 0) return &settings->items[i];
  return NULL;
}

double pm__settings_number(const pm__settings *settings, const char *option, double otherwise)
{
  double value;
  const pm__setting *setting = pm__settings_find(settings, option);
  return setting != NULL && pm_number_parse(setting->set_to, &value) == PM_OK ? value : otherwise;
}

int pm__settings_assume(pm__settings *settings, const char *option, const char *word, const char *why,
                        pm_error *error)
{
  int status = pm__settings_add(settings, 0, why, "", error);
  if (status != PM_OK) return status;
  pm__setting *last = &settings->items[settings->count - 1];
  last->state = PM_SETTING_STATE_ASSUMED;
  snprintf(last->option, sizeof last->option, "%s", option);
  snprintf(last->set_to, sizeof last->set_to, "%s", word);
  return PM_OK;
}

int pm__settings_assume_number(pm__settings *settings, const char *option, double value, const char *why,
                               pm_error *error)
{
  char text[PM_NUMBER_MAX];
  return pm__settings_assume(settings, option, pm_number_format(text, value), why, error);
}

void pm__settings_drop(pm__settings *settings, const char *option)
{
  for (size_t i = 0; i < settings->count; i++)
    if (strcmp(settings->items[i].option, option) == 0)
      settings->items[i].option[0] = settings->items[i].set_to[0] = '\0';
}

/* A size, or what a program says for "as many as there are" or "none". */
bool pm__settings_is_number(const char *text)
{
  double value;
  return pm_number_parse(text, &value) == PM_OK || strcmp(text, "inf") == 0;
}
