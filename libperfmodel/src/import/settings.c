/* Settings of training runs by other programs: read, given their meaning, and written. */
#include "import/settings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"

/* ---- Meaning ---- */

static bool same_key(const char *a, const char *b)
{
  for (; *a != '\0' && *b != '\0'; a++, b++)
    if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b)) return false;
  return *a == *b;
}

/* Recipes give settings by the last of their names: cfg.model.tensor_model_parallel_size. */
static const char *last_name(const char *key)
{
  const char *dot = strrchr(key, '.');
  return dot != NULL ? dot + 1 : key;
}

static const pm__settings_key *find_key(const pm__settings_format *format, const char *key)
{
  bool last = strcmp(format->name, "nemo") == 0;
  for (const pm__settings_key *k = format->keys; k->key != NULL; k++)
    if (same_key(k->key, last ? last_name(key) : key)) return k;
  return NULL;
}

/* Ours for theirs among "theirs=ours theirs=ours"; false if it is none of them. */
static bool translate(const char *values, const char *theirs, char *ours)
{
  if (values[0] == '@') return pm__settings_read_optimizer(theirs, ours);
  for (const char *p = values; *p != '\0'; p += strspn(p, " ")) {
    size_t length = strcspn(p, " "), sign = 0;
    while (sign < length && p[sign] != '=') sign++;
    bool same = strlen(theirs) == sign && strncmp(theirs, p, sign) == 0;
    if (same || (sign == 1 && p[0] == '*')) {
      snprintf(ours, PM__SETTING_MAX, "%.*s", (int)(length - sign - 1), p + sign + 1);
      return true;
    }
    p += length;
  }
  return false;
}

/* A size, or what a program says for "as many as there are" or "none". */
static bool is_number(const char *text)
{
  double value;
  return pm_number_parse(text, &value) == PM_OK;
}

static pm_setting_state state_of(const pm__settings_key *key, const pm__setting *setting, char *set_to)
{
  if (strcmp(key->option, "-") == 0) return PM_SETTING_STATE_NO_EFFECT;
  snprintf(set_to, PM__SETTING_MAX, "%s", setting->value);
  if (strcmp(key->option, "?") == 0)
    return translate(key->values, setting->value, set_to) ? PM_SETTING_STATE_NO_EFFECT : PM_SETTING_STATE_NOT_MODELLED;
  if (strncmp(key->option, "network.", 8) == 0) return PM_SETTING_STATE_NETWORK;
  bool known = key->values != NULL ? translate(key->values, setting->value, set_to) : is_number(set_to);
  if (known) return PM_SETTING_STATE_READ;
  bool none = strcmp(setting->value, "None") == 0 || strcmp(setting->value, "null") == 0;
  return none ? PM_SETTING_STATE_NO_EFFECT : PM_SETTING_STATE_NOT_UNDERSTOOD;
}

static void give_meaning(const pm__settings_format *format, pm__settings *settings)
{
  for (size_t i = 0; i < settings->count; i++) {
    pm__setting *setting = &settings->items[i];
    const pm__settings_key *key = find_key(format, setting->key);
    setting->state = key != NULL ? state_of(key, setting, setting->set_to) : PM_SETTING_STATE_NOT_UNDERSTOOD;
    if (setting->state == PM_SETTING_STATE_READ || setting->state == PM_SETTING_STATE_NETWORK)
      snprintf(setting->option, sizeof setting->option, "%s", key->option);
    else
      setting->set_to[0] = '\0';
  }
}

/* ---- What follows from them ---- */

/* The last setting of an option, NULL if there is none. */
static pm__setting *setting_of(const pm__settings *settings, const char *option)
{
  for (size_t i = settings->count; i-- > 0;)
    if (strcmp(settings->items[i].option, option) == 0) return &settings->items[i];
  return NULL;
}

static double number_of(const pm__settings *settings, const char *option, double otherwise)
{
  double value;
  const pm__setting *setting = setting_of(settings, option);
  return setting != NULL && pm_number_parse(setting->set_to, &value) == PM_OK ? value : otherwise;
}

static int assume_word(pm__settings *settings, const char *option, const char *word, const char *why, pm_error *error)
{
  int status = pm__settings_add(settings, 0, why, "", error);
  if (status != PM_OK) return status;
  pm__setting *last = &settings->items[settings->count - 1];
  last->state = PM_SETTING_STATE_ASSUMED;
  snprintf(last->option, sizeof last->option, "%s", option);
  snprintf(last->set_to, sizeof last->set_to, "%s", word);
  return PM_OK;
}

static int assume(pm__settings *settings, const char *option, double value, const char *why, pm_error *error)
{
  char text[PM_NUMBER_MAX];
  return assume_word(settings, option, pm_number_format(text, value), why, error);
}

/* A setting that others of the run are made of is no field of it itself. */
static void drop_option(pm__settings *settings, const char *option)
{
  for (size_t i = 0; i < settings->count; i++)
    if (strcmp(settings->items[i].option, option) == 0)
      settings->items[i].option[0] = settings->items[i].set_to[0] = '\0';
}

static int follow_chunks(pm__settings *s, pm_error *error)
{
  double each = number_of(s, "layers_of_chunk", NAN), layers = number_of(s, "network.layers", NAN);
  double chunks = layers / (each * number_of(s, "pipeline_parallel", 1));
  pm__setting *setting = setting_of(s, "layers_of_chunk");
  if (setting != NULL && !(chunks >= 1)) setting->state = PM_SETTING_STATE_NOT_UNDERSTOOD;
  drop_option(s, "layers_of_chunk");
  return chunks >= 1 ? assume(s, "virtual_pipeline", chunks, "layers of a chunk", error) : PM_OK;
}

/* Products in FP8 go with weights in 16 bits, which files set besides. */
static void follow_precision(pm__settings *s)
{
  bool fp8 = false;
  for (size_t i = 0; i < s->count; i++)
    fp8 |= strcmp(s->items[i].option, "precision") == 0 && strcmp(s->items[i].set_to, "fp8") == 0;
  for (size_t i = 0; i < s->count && fp8; i++)
    if (strcmp(s->items[i].option, "precision") == 0) snprintf(s->items[i].set_to, sizeof s->items[i].set_to, "fp8");
}

static int follow_gpus(pm__settings *s, pm_error *error)
{
  double all = number_of(s, "all_gpus", NAN), nodes = number_of(s, "nodes", 1);
  drop_option(s, "all_gpus");
  return all >= 1 && nodes >= 1 ? assume(s, "gpus", all / nodes, "processes over machines", error) : PM_OK;
}

/* Accumulation is what micro-batches are for; without a global batch it says the batch of a rank. */
static int follow_accumulation(pm__settings *s, pm_error *error)
{
  double steps = number_of(s, "accumulation", NAN), micro = number_of(s, "micro_batch", NAN);
  bool global = setting_of(s, "global_batch") != NULL;
  pm__setting *setting = setting_of(s, "accumulation");
  if (setting != NULL && isnan(micro) && !global)
    return snprintf(setting->option, sizeof setting->option, "gradient_accumulation_steps"), PM_OK;
  drop_option(s, "accumulation");
  return steps >= 1 && micro >= 1 && !global ? assume(s, "batch", steps * micro, "micro-batches accumulated",
                                                      error) : PM_OK;
}

/* torchtitan shards over what no other axis takes, and its tensor parallelism shares tokens between layers. */
static int follow_torchtitan(pm__settings *s, pm_error *error)
{
  double shard = number_of(s, "shard_degree", -1), replicas = number_of(s, "replicas", 1);
  int status = assume(s, "zero", shard == 1 ? 0 : 3, shard == 1 ? "no sharding" : "FSDP", error);
  if (status == PM_OK && replicas > 1 && shard > 1)
    status = assume(s, "shard_group", shard, "replicas of shards", error);
  if (status == PM_OK && number_of(s, "tensor_parallel", 1) > 1)
    status = assume_word(s, "sequence_parallel", "yes", "torchtitan's tensor parallelism", error);
  drop_option(s, "shard_degree");
  drop_option(s, "replicas");
  return status;
}

static int follow_accelerate(pm__settings *s, pm_error *error)
{
  bool fsdp = false;
  for (size_t i = 0; i < s->count; i++) fsdp |= strcmp(s->items[i].value, "FSDP") == 0;
  return fsdp && setting_of(s, "zero") == NULL ? assume(s, "zero", 3, "FSDP", error) : PM_OK;
}

/* Parameters go with all else, wherever the file says so; no more goes than the stage of ZeRO lets the ranks do
** without. */
static void follow_offload(pm__settings *s)
{
  bool parameters = false;
  double zero = number_of(s, "zero", 0);
  for (size_t i = 0; i < s->count; i++)
    parameters |= strcmp(s->items[i].option, "offload") == 0 && strcmp(s->items[i].set_to, "parameters") == 0;
  for (size_t i = 0; i < s->count; i++) {
    char *set_to = s->items[i].set_to;
    if (strcmp(s->items[i].option, "offload") != 0 || strcmp(set_to, "optimizer") == 0) continue;
    if (parameters || strcmp(set_to, "none") != 0)
      snprintf(set_to, PM__SETTING_MAX, "%s", zero < 2 ? "optimizer" : parameters &&
               zero > 2 ? "parameters" : "gradients");
  }
}

static int follow(const pm__settings_format *format, pm__settings *s, pm_error *error)
{
  follow_precision(s);
  int status = follow_chunks(s, error);
  if (status == PM_OK) status = follow_gpus(s, error);
  if (status == PM_OK) status = follow_accumulation(s, error);
  if (status == PM_OK && setting_of(s, "optimizer") == NULL)
    status = assume_word(s, "optimizer", "adam", "what such programs train with", error);
  if (status == PM_OK && strcmp(format->name, "torchtitan") == 0) status = follow_torchtitan(s, error);
  if (status == PM_OK && strcmp(format->name, "accelerate") == 0) status = follow_accelerate(s, error);
  follow_offload(s);
  return status;
}

/* ---- Reading ---- */

/* Recipes in Python call and assign; in YAML they are lines. */
static bool is_python(const char *text)
{
  return strstr(text, "import ") != NULL || strstr(text, "def ") != NULL || strstr(text, " = ") != NULL;
}

static int read_pairs(const pm__settings_format *format, pm__settings *s, const char *text, const char *file,
                      pm_error *error)
{
  if (strcmp(format->name, "deepspeed") == 0) return pm__settings_json(s, text, file, error);
  if (strcmp(format->name, "megatron") == 0) return pm__settings_flags(s, text, error);
  if (strcmp(format->name, "nemo") == 0 && is_python(text)) return pm__settings_calls(s, text, error);
  return pm__settings_lines(s, text, error);
}

static const pm__settings_format *guess_format(const char *text, const char *file, pm_error *error)
{
  for (size_t i = 0; pm__settings_format_at(i) != NULL; i++)
    for (const char *const *mark = pm__settings_format_at(i)->marks; *mark != NULL; mark++)
      if (strstr(text, *mark) != NULL) return pm__settings_format_at(i);
  pm__fail_at(error, PM_STATUS_BAD_FILE, file, 0,
              "neither flags of Megatron-LM nor a recipe of NeMo, a file of torchtitan, DeepSpeed or Accelerate");
  return NULL;
}

/* Calls of a recipe that have nothing to do with how it is trained are many; what is named like a key of ours is
** not. */
static bool is_kept(const pm__settings_format *format, const pm__setting *setting)
{
  if (setting->state != PM_SETTING_STATE_NOT_UNDERSTOOD || strcmp(format->name, "nemo") != 0) return true;
  static const char *const words[] = {"parallel", "batch", "recompute", "precision", "fp8", "offload", "overlap",
                                      "shard",
                                      "pipeline", "checkpoint", "moe", "cuda_graph"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(setting->key, words[i]) != NULL) return true;
  return find_key(format, setting->key) != NULL;
}

static void keep_some(const pm__settings_format *format, pm__settings *s)
{
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++)
    if (is_kept(format, &s->items[i])) s->items[kept++] = s->items[i];
  s->count = kept;
}

typedef struct setting_row {
  int32_t line, state;
  char key[PM_TEXT_MAX], value[PM_TEXT_MAX], option[PM_TEXT_MAX], set_to[PM_TEXT_MAX];
} setting_row;

static const pm_choice states[] = {
#define STATE(id, text, about) {.name = text, .doc = about},
  PM_SETTING_STATE_LIST(STATE)
#undef STATE
  {.name = NULL},
};

static const pm_field fields[] = {
  {"line", "1", "line of the file; 0: in none", offsetof(setting_row, line), .kind = PM_FIELD_INT},
  {"key", "", "as the file calls it; of what is assumed, why", offsetof(setting_row, key), .kind = PM_FIELD_TEXT},
  {"value", "", "as it stands there", offsetof(setting_row, value), .kind = PM_FIELD_TEXT},
  {"state", "", "what becomes of it", offsetof(setting_row, state), .kind = PM_FIELD_CHOICE, .choices = states},
  {"option", "", "field of a run, global_batch, or network.NAME", offsetof(setting_row, option), .kind = PM_FIELD_TEXT},
  {"set_to", "", "its value", offsetof(setting_row, set_to), .kind = PM_FIELD_TEXT},
};

static const pm_record_type row_type = {"setting", "", sizeof(setting_row), fields, sizeof fields / sizeof fields[0]};

static pm_table *tabulate(const pm__settings *s, pm_error *error)
{
  setting_row *rows = (setting_row *)calloc(s->count + 1, sizeof *rows);
  if (rows == NULL) pm__no_memory(error);
  for (size_t i = 0; rows != NULL && i < s->count; i++) {
    const pm__setting *from = &s->items[i];
    rows[i].line = from->line;
    rows[i].state = (int32_t)from->state;
    snprintf(rows[i].key, PM_TEXT_MAX, "%.79s", from->key);
    snprintf(rows[i].value, PM_TEXT_MAX, "%.79s", from->value);
    snprintf(rows[i].option, PM_TEXT_MAX, "%.79s", from->option);
    snprintf(rows[i].set_to, PM_TEXT_MAX, "%.79s", from->set_to);
  }
  pm_table *table = rows != NULL ? pm_table_new_of_records(&row_type, rows, s->count, error) : NULL;
  free(rows);
  return table;
}

pm_table *pm_settings_read(const char *format, const char *text, const char *file, pm_error *error)
{
  pm__settings s = {NULL, 0, 0};
  const char *name = file != NULL ? file : "text";
  if (text == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "settings need a text");
    return NULL;
  }
  const pm__settings_format *found = format != NULL ? pm__settings_format_find(format, error) : guess_format(text, name,
      error);
  int status = found != NULL ? read_pairs(found, &s, text, name, error) : PM_STATUS_BAD_FILE;
  if (status == PM_OK) {
    give_meaning(found, &s);
    status = follow(found, &s, error);
    keep_some(found, &s);
  }
  pm_table *table = status == PM_OK ? tabulate(&s, error) : NULL;
  free(s.items);
  return table;
}

/* ---- Writing ---- */

static const char *given(const pm_attribute *settings, size_t count, const char *option)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(settings[i].name, option) == 0) return settings[i].value;
  return NULL;
}

/* Theirs for ours; false if they have no word for it. A flag has no value. */
static bool untranslate(const char *values, const char *ours, char *theirs)
{
  if (values[0] == '@') return pm__settings_write_optimizer(values, ours, theirs);
  for (const char *p = values; *p != '\0'; p += strspn(p, " ")) {
    size_t length = strcspn(p, " "), sign = 0;
    while (sign < length && p[sign] != '=') sign++;
    if (strlen(ours) == length - sign - 1 && strncmp(ours, p + sign + 1, length - sign - 1) == 0 && p[0] != '*') {
      snprintf(theirs, PM__SETTING_MAX, "%.*s", (int)sign, p);
      return true;
    }
    p += length;
  }
  return false;
}

static void write_flag(pm__string *out, const char *key, const char *value)
{
  pm__string_add(out, "--");
  for (const char *p = key; *p != '\0'; p++) pm__string_add_bytes(out, *p == '_' ? "-" : p, 1);
  pm__string_format(out, "%s%s \\\n", value[0] != '\0' ? " " : "", value);
}

/* Text in quotes, numbers and true as they are. */
static void write_value(pm__string *out, const char *value)
{
  bool bare = is_number(value) || strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
  pm__string_format(out, bare ? "%s" : "\"%s\"", value);
}

/* The section of "section.name" when it is another than before. */
static const char *enter(const char *key, char *section, bool *fresh)
{
  const char *dot = strchr(key, '.');
  char name[PM__SETTING_MAX] = "";
  if (dot != NULL) snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
  *fresh = strcmp(name, section) != 0;
  snprintf(section, PM__SETTING_MAX, "%s", name);
  return dot != NULL ? dot + 1 : key;
}

static void write_toml(pm__string *out, const char *key, const char *value, char *section)
{
  bool fresh;
  const char *name = enter(key, section, &fresh);
  if (fresh) pm__string_format(out, "%s[%s]\n", out->length > 0 ? "\n" : "", section);
  pm__string_format(out, "%s = ", name);
  write_value(out, value);
  pm__string_add(out, "\n");
}

static void write_json(pm__string *out, const char *key, const char *value, char *section)
{
  bool fresh, inside = section[0] != '\0';
  const char *name = enter(key, section, &fresh);
  if (fresh && inside) pm__string_add(out, "\n  }");
  pm__string_add(out, out->length == 0 ? "{\n" : ",\n");
  if (fresh && section[0] != '\0') pm__string_format(out, "  \"%s\": {\n", section);
  const char *inner = strchr(name, '.'); /* an object within the section, of one value */
  int length = inner != NULL ? (int)(inner - name) : (int)strlen(name);
  pm__string_format(out, "%s\"%.*s\": ", section[0] != '\0' ? "    " : "  ", length, name);
  if (inner != NULL) pm__string_format(out, "{\"%s\": ", inner + 1);
  write_value(out, value);
  if (inner != NULL) pm__string_add(out, "}");
}

static void write_one(const pm__settings_format *format, pm__string *out, const char *key, const char *value,
                      char *section)
{
  if (strcmp(format->name, "deepspeed") == 0) write_json(out, key, value, section);
  else if (strcmp(format->name, "torchtitan") == 0) write_toml(out, key, value, section);
  else write_flag(out, key, value);
}

static bool is_written(const pm__settings_format *format, const pm_attribute *setting)
{
  char value[PM__SETTING_MAX];
  for (const pm__settings_key *key = format->keys; key->key != NULL; key++)
    if (key->write && strcmp(key->option, setting->name) == 0 &&
        (key->values == NULL || untranslate(key->values, setting->value, value))) return true;
  return false;
}

/* What the program has no word for, as comments. JSON has none. */
static void write_rest(const pm__settings_format *format, const pm_attribute *settings, size_t count, pm__string *out)
{
  if (strcmp(format->name, "deepspeed") == 0) return;
  for (size_t i = 0; i < count; i++)
    if (!is_written(format, &settings[i]))
      pm__string_format(out, "# %s has no setting for %s = %s\n", format->name, settings[i].name, settings[i].value);
}

/* The formats that are written, too. */
static const pm__settings_format *find_written(const char *name, pm_error *error)
{
  static const char *const written[] = {"megatron", "torchtitan", "deepspeed"};
  for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
    if (strcmp(name, written[i]) == 0) return pm__settings_format_find(name, error);
  pm__fail(error, PM_STATUS_NOT_FOUND, "settings are not written as \"%.40s\"; it is one of megatron, torchtitan, "
                                       "deepspeed", name);
  return NULL;
}

char *pm_settings_write(const char *format, const pm_attribute *settings, size_t count, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  char section[PM__SETTING_MAX] = "", value[PM__SETTING_MAX];
  if (format == NULL || (settings == NULL && count > 0)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a format and settings are needed");
    return NULL;
  }
  const pm__settings_format *found = find_written(format, error);
  if (found == NULL) return NULL;
  for (const pm__settings_key *key = found->keys; key->key != NULL; key++) {
    const char *ours = key->write ? given(settings, count, key->option) : NULL;
    if (ours == NULL) continue;
    snprintf(value, sizeof value, "%s", ours);
    if (key->values == NULL || untranslate(key->values, ours, value)) write_one(found, &out, key->key, value, section);
  }
  if (out.length == 0 && !out.failed) {
    pm__fail(error, PM_STATUS_NOT_FOUND, "%s has no settings for what was given", found->name);
    free(out.text);
    return NULL;
  }
  if (strcmp(found->name, "deepspeed") == 0) pm__string_add(&out, section[0] != '\0' ? "\n  }\n}\n" : "\n}\n");
  else if (strcmp(found->name, "megatron") == 0 && !out.failed) {
    memcpy(out.text + out.length - 3, "\n", 2); /* nothing follows the last flag */
    out.length -= 2;
  }
  write_rest(found, settings, count, &out);
  if (!out.failed) return out.text;
  free(out.text);
  pm__no_memory(error);
  return NULL;
}
