/*
** Settings of a model's configuration (the config.json of Hugging Face), read one by one and each checked.
**
** The first error is kept in `error`, and later reads return valid values, so callers check once, at the end. Names of
** a setting are separated by '|': the first that has a value counts. NAN as `otherwise`: the setting must be there.
*/
#ifndef PM_MODELS_CONFIG_H
#define PM_MODELS_CONFIG_H

#include "base/base.h"

enum { PM__CONFIG_LAYERS = 10000, PM__CONFIG_STAGES = 32 }; /* the most that a configuration may ask for */

typedef enum pm__config_type {
  PM__CONFIG_NULL,
  PM__CONFIG_FLAG,
  PM__CONFIG_NUMBER,
  PM__CONFIG_TEXT,
  PM__CONFIG_LIST,
  PM__CONFIG_OBJECT
} pm__config_type;

typedef struct pm__config_value {
  const char *key; /* in an object */
  pm__config_type type;
  double number;       /* also of a flag: 0 or 1 */
  const char *text;    /* of a text its characters, of others how they are written, cut off */
  size_t count;        /* of what a list or an object has */
  struct pm__config_value *first, *next;
} pm__config_value;

/* An object of settings. Copied freely; what it points to is in the arena of pm__config_read. */
typedef struct pm__config {
  const char *kind; /* the model type, for messages */
  const pm__config_value *settings;
  pm_error *error; /* never NULL */
} pm__config;

/* The configuration that a text is; `file` is how messages name it. Check error->status. */
pm__config pm__config_read(const char *text, const char *file, pm__arena *arena, pm_error *error);

/* Says that the configuration is wrong; always returns 0. */
int pm__config_fail(const pm__config *config, const char *format, ...) PM__PRINTF(2, 3);

/* A setting as it stands; NULL if there is none, or null. */
const pm__config_value *pm__config_find(const pm__config *config, const char *names);

double pm__config_whole(const pm__config *config, const char *names, double otherwise, double least, double most);
double pm__config_number(const pm__config *config, const char *names, double otherwise, double least, double most);
bool pm__config_flag(const pm__config *config, const char *name, bool otherwise);
const char *pm__config_word(const pm__config *config, const char *names, const char *otherwise);

/* A size, a number that may be 0, a number of layers, and a share that is dropped. */
double pm__config_count(const pm__config *config, const char *names, double otherwise);
double pm__config_count_or_none(const pm__config *config, const char *names, double otherwise);
int pm__config_layers(const pm__config *config, const char *names, double otherwise);
/* Every how many layers something stands; larger numbers than of layers mean never, and become the least of these. */
int pm__config_interval(const pm__config *config, const char *names, double otherwise);
double pm__config_rate(const pm__config *config, const char *names, double otherwise);

/* A list of whole numbers, or of words, whose first element is in `first` and so on; NULL without one. */
const pm__config_value *pm__config_counts(const pm__config *config, const char *name);
const pm__config_value *pm__config_words(const pm__config *config, const char *name);

/* A list of some of so many layers, by their numbers. */
const pm__config_value *pm__config_some_layers(const pm__config *config, const char *name, int layers);

/* A list of whole numbers, one for each stage; `otherwise` ends with 0. Returns their number. `depths`: of the
** layers of each stage. */
int pm__config_stages(const pm__config *config, const char *name, const double *otherwise, double *out);
int pm__config_depths(const pm__config *config, const double *otherwise, double *out);

/* A configuration within this one, or one without settings. */
pm__config pm__config_child(const pm__config *config, const char *name);

/* Features of one head: as stated under one of the names (NULL: none), else those that the heads share. */
double pm__config_head(const pm__config *config, double hidden, double heads, const char *names);

/* How many classes a classifier has. */
double pm__config_labels(const pm__config *config);

/* What follows the body, as the name of the architecture ends: "Model", "ForCausalLM", ... */
const char *pm__config_architecture(const pm__config *config, const char *otherwise);

#endif
