/* Settings of a run as text: "network=resnet50, gpus=8", later ones over earlier ones. */
#ifndef PM_LAB_VALIDATE_SETTINGS_H
#define PM_LAB_VALIDATE_SETTINGS_H

#include "base/base.h"

enum { PM__SETTINGS_MOST = 24, PM__SETTINGS_BYTES = 1200 };

typedef struct pm__settings {
  char text[PM__SETTINGS_BYTES];
  size_t used, count;
  const char *name[PM__SETTINGS_MOST], *value[PM__SETTINGS_MOST];
} pm__settings;

void pm__settings_init(pm__settings *settings);

/* Adds the settings of a text; the values may hold '=' but no comma. */
int pm__settings_add(pm__settings *settings, const char *text, pm_error *error);

/* The last value of that name, or `other`. */
const char *pm__settings_get(const pm__settings *settings, const char *name, const char *other);

#endif
