/* Settings of runs by other programs: read and given their meaning. */
#include "import/settings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

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
  bool last = format->syntax == PM__SETTINGS_RECIPE;
  for (const pm__settings_key *k = format->keys; k->key != NULL; k++)
    if (same_key(k->key, last ? last_name(key) : key)) return k;
  return NULL;
}

/* A word is what it says; what only the program knows, a variable, a call or a list, is none. */
static bool is_word(const char *value)
{
  return strpbrk(value, "$()[]{}<>\"' ") == NULL;
}

static bool says_no(const char *value)
{
  static const char *const words[] = {"false", "False", "no", "off", "0", "None", "none", "null"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(value, words[i]) == 0) return true;
  return false;
}

/* Ours for theirs among "theirs=ours theirs=ours"; false if it is none of them. */
static bool translate(const char *values, const char *theirs, char *ours)
{
  if (values[0] == '@') return pm__settings_read_optimizer(theirs, ours);
  for (const char *p = values; *p != '\0'; p += strspn(p, " ")) {
    size_t length = strcspn(p, " "), sign = 0;
    while (sign < length && p[sign] != '=') sign++;
    bool same = strlen(theirs) == sign && strncmp(theirs, p, sign) == 0;
    bool any = sign == 1 && ((p[0] == '*' && is_word(theirs)) || (p[0] == '!' && says_no(theirs)));
    if (same || any) {
      snprintf(ours, PM__SETTING_MAX, "%.*s", (int)(length - sign - 1), p + sign + 1);
      return true;
    }
    p += length;
  }
  return false;
}

static pm_setting_state state_of(const pm__settings_key *key, const pm__setting *setting, char *set_to)
{
  if (strcmp(key->option, "-") == 0) return PM_SETTING_STATE_NO_EFFECT;
  snprintf(set_to, PM__SETTING_MAX, "%s", setting->value);
  if (strcmp(key->option, "?") == 0)
    return translate(key->values, setting->value, set_to) ? PM_SETTING_STATE_NO_EFFECT : PM_SETTING_STATE_NOT_MODELLED;
  if (strncmp(key->option, "network.", 8) == 0)
    return strpbrk(setting->value, "$(") == NULL ? PM_SETTING_STATE_NETWORK : PM_SETTING_STATE_NOT_UNDERSTOOD;
  bool known = key->values != NULL ? translate(key->values, setting->value, set_to) : pm__settings_is_number(set_to);
  if (known) return PM_SETTING_STATE_READ;
  bool none = strcmp(setting->value, "None") == 0 || strcmp(setting->value, "null") == 0;
  return none ? PM_SETTING_STATE_NO_EFFECT : PM_SETTING_STATE_NOT_UNDERSTOOD;
}

static void give_meaning(const pm__settings_format *format, pm__settings *settings)
{
  for (size_t i = 0; i < settings->count; i++) {
    pm__setting *setting = &settings->items[i];
    const pm__settings_key *key = find_key(format, setting->key);
    if (setting->is_text) key = NULL;
    setting->state = key != NULL ? state_of(key, setting, setting->set_to) : PM_SETTING_STATE_NOT_UNDERSTOOD;
    if (setting->state == PM_SETTING_STATE_READ || setting->state == PM_SETTING_STATE_NETWORK)
      snprintf(setting->option, sizeof setting->option, "%s", key->option);
    else
      setting->set_to[0] = '\0';
  }
}

/* ---- What follows from them ---- */

static int follow_chunks(pm__settings *s, pm_error *error)
{
  double each = pm__settings_number(s, "layers_of_chunk", NAN), layers = pm__settings_number(s, "network.layers", NAN);
  double chunks = layers / (each * pm__settings_number(s, "pipeline_parallel", 1));
  pm__setting *setting = pm__settings_find(s, "layers_of_chunk");
  if (setting != NULL && !(chunks >= 1)) setting->state = PM_SETTING_STATE_NOT_UNDERSTOOD;
  pm__settings_drop(s, "layers_of_chunk");
  return chunks >= 1 ? pm__settings_assume_number(s, "virtual_pipeline", chunks, "layers of a chunk", error) : PM_OK;
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
  double all = pm__settings_number(s, "all_gpus", NAN), nodes = pm__settings_number(s, "nodes", 1);
  pm__settings_drop(s, "all_gpus");
  if (!(all >= 1 && nodes >= 1)) return PM_OK;
  return pm__settings_assume_number(s, "gpus", all / nodes, "processes over machines", error);
}

/* Several tasks of Slurm are processes, one for each GPU where nothing else says how many there are. A single task may
** be torchrun, which starts more. */
static int follow_tasks(pm__settings *s, pm_error *error)
{
  double tasks = pm__settings_number(s, "tasks", NAN);
  pm__settings_drop(s, "tasks");
  if (!(tasks > 1) || pm__settings_find(s, "gpus") != NULL) return PM_OK;
  return pm__settings_assume_number(s, "gpus", tasks, "tasks of a node", error);
}

/* Accumulation is what micro-batches are for; without a global batch it says the batch of a rank. */
static int follow_accumulation(pm__settings *s, pm_error *error)
{
  double steps = pm__settings_number(s, "accumulation", NAN), micro = pm__settings_number(s, "micro_batch", NAN);
  bool global = pm__settings_find(s, "global_batch") != NULL;
  pm__setting *setting = pm__settings_find(s, "accumulation");
  if (setting != NULL && isnan(micro) && !global)
    return snprintf(setting->option, sizeof setting->option, "gradient_accumulation_steps"), PM_OK;
  pm__settings_drop(s, "accumulation");
  if (!(steps >= 1 && micro >= 1) || global) return PM_OK;
  return pm__settings_assume_number(s, "batch", steps * micro, "micro-batches accumulated", error);
}

/* torchtitan shards over what no other axis takes, and its tensor parallelism shares tokens between layers. */
static int follow_torchtitan(pm__settings *s, pm_error *error)
{
  double shard = pm__settings_number(s, "shard_degree", -1), replicas = pm__settings_number(s, "replicas", 1);
  int status = pm__settings_assume_number(s, "zero", shard == 1 ? 0 : 3, shard == 1 ? "no sharding" : "FSDP", error);
  if (status == PM_OK && replicas > 1 && shard > 1)
    status = pm__settings_assume_number(s, "shard_group", shard, "replicas of shards", error);
  if (status == PM_OK && pm__settings_number(s, "tensor_parallel", 1) > 1)
    status = pm__settings_assume(s, "sequence_parallel", "yes", "torchtitan's tensor parallelism", error);
  pm__settings_drop(s, "shard_degree");
  pm__settings_drop(s, "replicas");
  return status;
}

static int follow_accelerate(pm__settings *s, pm_error *error)
{
  bool fsdp = false;
  for (size_t i = 0; i < s->count; i++) fsdp |= strcmp(s->items[i].value, "FSDP") == 0;
  return fsdp && pm__settings_find(s, "zero") == NULL ? pm__settings_assume_number(s, "zero", 3, "FSDP", error) : PM_OK;
}

/* Parameters go with all else, wherever the file says so; no more goes than the stage of ZeRO lets the ranks do
** without. */
static void follow_offload(pm__settings *s)
{
  bool parameters = false;
  double zero = pm__settings_number(s, "zero", 0);
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
  if (format->serves) return pm__settings_follow_engine(format, s, error);
  follow_precision(s);
  int status = follow_chunks(s, error);
  if (status == PM_OK) status = follow_tasks(s, error);
  if (status == PM_OK) status = follow_gpus(s, error);
  if (status == PM_OK) status = follow_accumulation(s, error);
  if (status == PM_OK && pm__settings_find(s, "optimizer") == NULL)
    status = pm__settings_assume(s, "optimizer", "adam", "what such programs train with", error);
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

/* Whether a name is before another one to which a list of values is assigned: a, b = 1, 2. */
static bool is_one_of_several(const char *end)
{
  size_t most = 400, n = 0;
  while (n < most && end[n] != '\0' && strchr(NAME " .,", end[n]) != NULL) n++;
  return *end == ',' && end[n] == '=';
}

/* What names a key of ours where nothing is read: "name" in quotes, of a dictionary or setattr; name += 1;
** a, name = 1, 2; and {name: 1} of YAML. */
static bool is_unread(const char *text, const char *name, const char *end)
{
  bool quoted = name > text && (name[-1] == '"' || name[-1] == '\'') && *end == name[-1];
  const char *sign = end + strspn(end, " "), *equal = sign + strspn(sign, "+-*/|&%^@<>:");
  bool changed = equal > sign && equal[0] == '=' && (equal > sign + 1 || strchr("<>", *sign) == NULL);
  return quoted || changed || is_one_of_several(sign) || strncmp(sign, ": ", 2) == 0;
}

/* Behind a comment, or a text in three quotes; else where it is. */
static const char *behind_comment(const char *p)
{
  if (*p == '#') return p + strcspn(p, "\n");
  if (strncmp(p, "\"\"\"", 3) != 0 && strncmp(p, "'''", 3) != 0) return p;
  const char quotes[] = {*p, *p, *p, '\0'};
  const char *end = strstr(p + 3, quotes);
  return end != NULL ? end + 3 : p + 3;
}

/* The lines in which keys of a format were last read, up to one of the text. */
typedef struct read_lines {
  int line_of[PM__SETTINGS_KEYS];
  size_t seen, count; /* of the settings that were read */
} read_lines;

static bool is_read_in(const pm__settings_format *format, const pm__settings *s, read_lines *r,
                       const pm__settings_key *key, int line)
{
  for (; r->seen < r->count && s->items[r->seen].line <= line; r->seen++) {
    const pm__settings_key *read = find_key(format, s->items[r->seen].key);
    if (read != NULL) r->line_of[read - format->keys] = s->items[r->seen].line;
  }
  return r->line_of[key - format->keys] == line;
}

/* Keys of ours that a program sets in ways that only it can follow are listed, too. */
static int list_unread(const pm__settings_format *format, pm__settings *s, const char *text, pm_error *error)
{
  char key[PM__SETTING_MAX];
  size_t length;
  read_lines read = {.count = s->count};
  int line = 1, status = PM_OK;
  for (const char *p = text, *next; *p != '\0' && status == PM_OK; p = next) {
    next = behind_comment(p);
    length = next > p ? 0 : strspn(p, NAME);
    if (next == p) next = p + (length > 0 ? length : 1);
    if (length > 0 && length < sizeof key) {
      snprintf(key, sizeof key, "%.*s", (int)length, p);
      const pm__settings_key *known = find_key(format, key);
      if (known != NULL && is_unread(text, p, next) && !is_read_in(format, s, &read, known, line)) {
        status = pm__settings_add(s, line, key, "", error);
        if (status == PM_OK) s->items[s->count - 1].is_text = true;
      }
    }
    for (; p < next; p++) line += *p == '\n';
  }
  return status;
}

static int read_recipe(const pm__settings_format *format, pm__settings *s, const char *text, const char *file,
                       pm_error *error)
{
  int status = is_python(text) ? pm__settings_calls(s, text, error) : pm__settings_lines(s, text, file, false, error);
  return status == PM_OK ? list_unread(format, s, text, error) : status;
}

static int read_pairs(const pm__settings_format *format, pm__settings *s, const char *text, const char *file,
                      pm_error *error)
{
  switch (format->syntax) {
  case PM__SETTINGS_JSON: return pm__settings_json(s, text, file, error);
  case PM__SETTINGS_FLAGS: return pm__settings_flags(s, text, error);
  case PM__SETTINGS_RECIPE: return read_recipe(format, s, text, file, error);
  default: return pm__settings_lines(s, text, file, format->syntax == PM__SETTINGS_TOML, error);
  }
}

static const pm__settings_format *guess_format(const char *text, const char *file, pm_error *error)
{
  for (size_t i = 0; pm__settings_format_at(i) != NULL; i++)
    for (const char *const *mark = pm__settings_format_at(i)->marks; *mark != NULL; mark++)
      if (strstr(text, *mark) != NULL) return pm__settings_format_at(i);
  pm__fail_at(error, PM_STATUS_BAD_FILE, file, 0,
              "unknown format: neither flags of Megatron-LM, vLLM, SGLang or TensorRT-LLM nor a recipe of NeMo, a "
              "file of torchtitan, "
              "DeepSpeed or Accelerate");
  return NULL;
}

/* Calls of a recipe that have nothing to do with how it is trained are many; what is named like a key of ours is
** not. */
static bool is_kept(const pm__settings_format *format, const pm__setting *setting)
{
  if (setting->state != PM_SETTING_STATE_NOT_UNDERSTOOD || format->syntax != PM__SETTINGS_RECIPE) return true;
  if (setting->is_call) return find_key(format, setting->key) != NULL;
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

static int read_text(pm__settings *s, const char *format, const char *text, const char *file, pm_error *error)
{
  if (format != NULL && strcmp(format, "lora") == 0) return pm__settings_lora(s, text, error);
  const pm__settings_format *found = format != NULL ? pm__settings_format_find(format, error)
                                                    : guess_format(text, file, error);
  int status = found != NULL ? read_pairs(found, s, text, file, error) : PM_STATUS_BAD_FILE;
  if (status != PM_OK) return status;
  give_meaning(found, s);
  status = follow(found, s, error);
  keep_some(found, s);
  return status;
}

pm_table *pm_settings_read(const char *format, const char *text, const char *file, pm_error *error)
{
  const char *name = file != NULL ? file : "text";
  pm__settings s = {.file = name};
  if (text == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "settings need a text");
    return NULL;
  }
  if (format != NULL && strcmp(format, "experiment") == 0) return pm__experiment_read(text, name, error);
  int status = read_text(&s, format, pm__text_behind_mark(text), name, error);
  pm_table *table = status == PM_OK ? tabulate(&s, error) : NULL;
  free(s.items);
  return table;
}
