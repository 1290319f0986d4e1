/* Optimizers in settings of other programs, by their names and aliases. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "import/settings.h"
#include "perfmodel/run.h"

static const pm_field *optimizer_field(void)
{
  return pm_record_find_field(pm_record_type_find("run"), "optimizer");
}

bool pm__settings_read_optimizer(const char *theirs, char *ours)
{
  pm_run run;
  if (pm_record_set(optimizer_field(), &run, theirs, NULL) != PM_OK) return false;
  snprintf(ours, PM__SETTING_MAX, "%s", optimizer_field()->choices[run.optimizer].name);
  return true;
}

bool pm__settings_write_optimizer(const char *values, const char *ours, char *theirs)
{
  pm_run run;
  if (pm_record_set(optimizer_field(), &run, ours, NULL) != PM_OK) return false;
  const pm_choice *choice = &optimizer_field()->choices[run.optimizer];
  if (choice->aliases == NULL || !isupper((unsigned char)choice->aliases[0])) return false;
  const char *word = strcmp(values, PM__OPTIMIZER_NAMES) == 0 ? choice->name : choice->aliases;
  snprintf(theirs, PM__SETTING_MAX, "%.*s", (int)strcspn(word, " "), word);
  return true;
}
