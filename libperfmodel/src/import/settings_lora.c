/*
** Adapters in one text, "rank=16,targets=q+v,layers=24-31,dora": fields of a run, a word each.
**
**     16, rank=16, r=16                lora_rank
**     targets=q+v, target_modules=     lora_targets: parts joined by "+", by the names of any program
**     dropout=0.05                     lora_dropout
**     weights=nf4                      base_weights
**     layers=24-31, 24-, 24            lora_first_layer and lora_layers: repeated layers, counted from 0
**     dora, dora=yes                   lora_dora
**     alpha=32                         nothing: a factor
*/
#include <stdio.h>
#include <string.h>
#include "import/settings.h"
#include "perfmodel/run.h"

typedef struct lora_word {
  const char *word, *field; /* field NULL: no effect */
} lora_word;

static const lora_word lora_words[] = {
  {"rank", "lora_rank"}, {"r", "lora_rank"}, {"lora_rank", "lora_rank"}, {"targets", "lora_targets"},
  {"target_modules", "lora_targets"}, {"lora_targets", "lora_targets"}, {"dropout", "lora_dropout"},
  {"lora_dropout", "lora_dropout"}, {"weights", "base_weights"}, {"base_weights", "base_weights"},
  {"layers", "lora_layers"}, {"layers_to_transform", "lora_layers"}, {"dora", "lora_dora"}, {"use_dora", "lora_dora"},
  {"alpha", NULL}, {"lora_alpha", NULL}};

static int fail_word(const char *word, pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.60s\" is not an adapter option; options are rank, targets, layers, "
                  "dropout, weights, dora, as in rank=16,targets=q+v", word);
}

static int add_word(pm__settings *s, const char *key, const char *value, const char *field, const char *set_to,
                    pm_error *error)
{
  int status = pm__settings_add(s, 1, key, value, error);
  if (status != PM_OK) return status;
  pm__setting *last = &s->items[s->count - 1];
  last->state = field != NULL ? PM_SETTING_STATE_READ : PM_SETTING_STATE_NO_EFFECT;
  if (field == NULL) return PM_OK;
  snprintf(last->option, sizeof last->option, "%s", field);
  snprintf(last->set_to, sizeof last->set_to, "%s", set_to);
  return PM_OK;
}

/* "8-15", "8-" or "8"; the first goes without saying where it is 0. */
static int add_range(pm__settings *s, const char *key, const char *value, pm_error *error)
{
  int first = 0, last = 0, end = 0;
  char text[PM_NUMBER_MAX];
  bool open = sscanf(value, "%9d-%n", &first, &end) == 1 && end > 0 && value[end] == '\0';
  bool range = !open && sscanf(value, "%9d-%9d%n", &first, &last, &end) == 2 && value[end] == '\0';
  bool one = !open && !range && sscanf(value, "%9d%n", &first, &end) == 1 && value[end] == '\0';
  if (one) last = first;
  if ((!open && !range && !one) || first < 0 || (!open && last < first))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "layers \"%.40s\" of adapters is not a range such as 24-31, 24- or 24, "
                    "counted from 0", value);
  int status = first == 0 ? PM_OK : add_word(s, key, value, "lora_first_layer", pm_number_format(text, first), error);
  if (status != PM_OK || open) return status;
  return add_word(s, key, value, "lora_layers", pm_number_format(text, last - first + 1), error);
}

/* The value must be one that the field can have. */
static int add_value(pm__settings *s, const char *key, const char *value, const char *name, pm_error *error)
{
  pm_run run = pm_run_make();
  char text[PM_TEXT_MAX];
  const pm_field *field = name != NULL ? pm_record_find_field(pm_record_type_find("run"), name) : NULL;
  if (field == NULL) return add_word(s, key, value, NULL, "", error);
  bool yes = value[0] == '\0' && strcmp(name, "lora_dora") == 0;
  bool boolean = strcmp(name, "lora_dora") == 0 && (strcmp(value, "true") == 0 || strcmp(value, "True") == 0);
  int status = pm_record_set(field, &run, yes || boolean ? "yes" : value, error);
  return status == PM_OK ? add_word(s, key, value, name, pm_record_format(field, &run, text), error) : status;
}

static int read_word(pm__settings *s, char *word, pm_error *error)
{
  char *sign = strchr(word, '='), *value = sign != NULL ? sign + 1 : word + strlen(word);
  if (sign == NULL && pm__settings_is_number(word)) return add_value(s, "rank", word, "lora_rank", error);
  if (sign != NULL) *sign = '\0';
  for (size_t i = 0; i < sizeof lora_words / sizeof lora_words[0]; i++) {
    const char *field = lora_words[i].field;
    if (!pm__same_name(lora_words[i].word, word)) continue;
    bool range = field != NULL && strcmp(field, "lora_layers") == 0;
    return range ? add_range(s, word, value, error) : add_value(s, word, value, field, error);
  }
  return fail_word(word, error);
}

int pm__settings_lora(pm__settings *s, const char *text, pm_error *error)
{
  int status = PM_OK;
  for (size_t length; status == PM_OK && *text != '\0'; text += length + strspn(text + length, ", ")) {
    char word[PM__SETTING_MAX];
    length = strcspn(text, ",");
    if (length >= sizeof word) return fail_word(text, error);
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    status = read_word(s, word, error);
  }
  if (status != PM_OK || pm__settings_find(s, "lora_rank") != NULL) return status;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "adapters need a rank, as in rank=16,targets=q+v");
}
