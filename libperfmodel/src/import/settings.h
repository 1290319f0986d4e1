/* Settings of runs while they are read: pairs out of a text, and what they mean. */
#ifndef PM_IMPORT_SETTINGS_H
#define PM_IMPORT_SETTINGS_H

#include "perfmodel/settings.h"
#include "perfmodel/units.h"
#include "base/base.h"

enum { PM__SETTING_MAX = 120, PM__SETTINGS_MOST = 20000, PM__SETTINGS_KEYS = 128 /* that a format has at most */ };

typedef struct pm__setting {
  int line; /* 0: in no line */
  char key[PM__SETTING_MAX], value[PM__SETTING_MAX];
  bool is_text; /* its value is not read: what a script prints or writes to a file, one of several that are assigned */
  bool is_call; /* only the program that has it knows its value */
  pm_setting_state state;
  char option[PM__SETTING_MAX], set_to[PM__SETTING_MAX];
} pm__setting;

typedef struct pm__settings {
  pm__setting *items;
  size_t count, capacity;
  const char *file; /* that they are of, for messages */
} pm__settings;

/* One more; keys and values that are too long are cut off. More than PM__SETTINGS_MOST are refused. */
int pm__settings_add(pm__settings *settings, int line, const char *key, const char *value, pm_error *error);

/* The readers of texts. */
int pm__settings_flags(pm__settings *settings, const char *text, pm_error *error);
int pm__settings_lines(pm__settings *settings, const char *text, const char *file, bool toml, pm_error *error);
int pm__settings_calls(pm__settings *settings, const char *text, pm_error *error);
int pm__settings_json(pm__settings *settings, const char *text, const char *file, pm_error *error);

/* Adapters in one text, with their meaning: settings_lora.c. */
int pm__settings_lora(pm__settings *settings, const char *text, pm_error *error);

/* A sweep as XML, a row for each option: experiment.c. NULL with an error that names the line. */
pm_table *pm__experiment_read(const char *text, const char *file, pm_error *error);

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
  /* "theirs=ours theirs=ours", "*" for any word, "!" for any that says no; NULL: the same */
  const char *values;
  bool write;         /* ours is written so */
} pm__settings_key;

/* How a format is written down. */
typedef enum pm__settings_syntax {
  PM__SETTINGS_FLAGS, /* on a command line */
  PM__SETTINGS_LINES, /* YAML */
  PM__SETTINGS_TOML,
  PM__SETTINGS_JSON,
  PM__SETTINGS_RECIPE, /* Python or YAML, settings by the last of their names */
} pm__settings_syntax;

typedef struct pm__settings_format {
  const char *name;
  pm__settings_syntax syntax;
  bool serves;     /* a serving engine; else it trains */
  bool underscore; /* its flags have '_' where those of others have '-' */
  const pm__settings_key *keys; /* up to one without a key */
  const char *const *marks;     /* texts of which one is in every file of it, up to NULL */
} pm__settings_format;

/* Serving engines, whose flags mean something together: settings_engines.c. */
extern const pm__settings_key pm__settings_vllm[], pm__settings_sglang[], pm__settings_trtllm[];
int pm__settings_follow_engine(const pm__settings_format *format, pm__settings *settings, pm_error *error);

/* The settings that a program is told, with room for numbers that are made of others. */
enum { PM__SETTINGS_TOLD = 64 };

typedef struct pm__settings_told {
  pm_attribute items[PM__SETTINGS_TOLD];
  size_t count;
  char tensor[PM_NUMBER_MAX], data[PM_NUMBER_MAX];
} pm__settings_told;

/* Ours as an engine counts them. */
void pm__settings_tell_engine(const pm__settings_format *format, pm__settings_told *told);

/* The last setting of an option, NULL if there is none; its number; one that other settings led to; and no such
** option, as others of the run are made of it. */
pm__setting *pm__settings_find(const pm__settings *settings, const char *option);
double pm__settings_number(const pm__settings *settings, const char *option, double otherwise);
int pm__settings_assume(pm__settings *settings, const char *option, const char *word, const char *why,
                        pm_error *error);
int pm__settings_assume_number(pm__settings *settings, const char *option, double value, const char *why,
                               pm_error *error);
void pm__settings_drop(pm__settings *settings, const char *option);

/* Whether a value is a number. */
bool pm__settings_is_number(const char *text);

/* In the order in which a text is tried; NULL past the last. */
const pm__settings_format *pm__settings_format_at(size_t index);

/* NULL with an error. */
const pm__settings_format *pm__settings_format_find(const char *name, pm_error *error);

/* The formats by position, NULL past the last. */
const char *pm__settings_get_format(size_t index);

#endif
