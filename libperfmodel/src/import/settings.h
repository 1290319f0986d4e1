/* Settings of training runs while they are read: pairs out of a text, and what they mean. */
#ifndef PM_IMPORT_SETTINGS_H
#define PM_IMPORT_SETTINGS_H

#include "perfmodel/settings.h"
#include "base/base.h"

enum { PM__SETTING_MAX = 120 };

typedef struct pm__setting {
  int line; /* 0: in no line */
  char key[PM__SETTING_MAX], value[PM__SETTING_MAX];
  pm_setting_state state;
  char option[PM__SETTING_MAX], set_to[PM__SETTING_MAX];
} pm__setting;

typedef struct pm__settings {
  pm__setting *items;
  size_t count, capacity;
} pm__settings;

/* One more; keys and values that are too long are cut off. */
int pm__settings_add(pm__settings *settings, int line, const char *key, const char *value, pm_error *error);

/* The readers of texts. */
int pm__settings_flags(pm__settings *settings, const char *text, pm_error *error);
int pm__settings_lines(pm__settings *settings, const char *text, pm_error *error);
int pm__settings_calls(pm__settings *settings, const char *text, pm_error *error);
int pm__settings_json(pm__settings *settings, const char *text, const char *file, pm_error *error);

/* The values of keys that name an optimizer: by its name, or by a class of the program; both are read for either. */
#define PM__OPTIMIZER_NAMES "@name"
#define PM__OPTIMIZER_CLASSES "@class"

/* Ours for theirs, and theirs for ours: a name is ours, a class the first of its aliases. False if there is
** none. */
bool pm__settings_read_optimizer(const char *theirs, char *ours);
bool pm__settings_write_optimizer(const char *values, const char *ours, char *theirs);

/* What a key of a format means. */
typedef struct pm__settings_key {
  const char *key;    /* '_' for '-' */
  /* field of a run; "network.NAME"; "-": no effect; "?": not modelled, but for what `values` lists */
  const char *option;
  const char *values; /* "theirs=ours theirs=ours", "*" for any; NULL: the same */
  bool write;         /* ours is written so */
} pm__settings_key;

typedef struct pm__settings_format {
  const char *name;
  const pm__settings_key *keys; /* up to one without a key */
  const char *const *marks;     /* texts of which one is in every file of it, up to NULL */
} pm__settings_format;

/* In the order in which a text is tried; NULL past the last. */
const pm__settings_format *pm__settings_format_at(size_t index);

/* NULL with an error. */
const pm__settings_format *pm__settings_format_find(const char *name, pm_error *error);

/* The formats by position, NULL past the last. */
const char *pm__settings_get_format(size_t index);

#endif
