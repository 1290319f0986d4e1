/* A network from a model's configuration: what it is, who builds it, and what is said about that. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "models/families.h"
#include "network/trainable.h"
#include "models/models.h"
#include "models/quantization.h"
#include "network/network.h"
#include "perfmodel/model.h"
#include "perfmodel/units.h"

/* What is asked for beside the text. */
typedef struct question {
  const char *text, *file;
  double seq, image;
  bool flash;
  char id[PM_TEXT_MAX], name[PM_TEXT_MAX], part[PM_TEXT_MAX];
} question;

/* ---- What is asked ---- */

static int read_size(const char *name, const char *text, double *value, pm_error *error)
{
  if (pm_number_parse(text, value) == PM_OK && *value >= 1 && *value <= 1e9 && *value == floor(*value)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %.40s is not at least 1", name, text);
}

static int read_flash(const char *text, bool *flash, pm_error *error)
{
  *flash = strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;
  if (*flash || strcmp(text, "no") == 0 || strcmp(text, "0") == 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "flash \"%.40s\" is neither yes nor no", text);
}

static int read_set(question *q, const pm_attribute *set, pm_error *error)
{
  if (set->name == NULL || set->value == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a parameter needs a name and a value");
  if (strcmp(set->name, "seq") == 0) return read_size("seq", set->value, &q->seq, error);
  if (strcmp(set->name, "image") == 0) return read_size("image", set->value, &q->image, error);
  if (strcmp(set->name, "flash") == 0) return read_flash(set->value, &q->flash, error);
  if (strcmp(set->name, "id") == 0) snprintf(q->id, sizeof q->id, "%s", set->value);
  else if (strcmp(set->name, "name") == 0) snprintf(q->name, sizeof q->name, "%s", set->value);
  else if (strcmp(set->name, "part") == 0) snprintf(q->part, sizeof q->part, "%s", set->value);
  else
    return pm__fail(error, PM_STATUS_NOT_FOUND, "a model's configuration has no parameter \"%.60s\"; it has seq, "
                    "image, flash, part, id, name", set->name);
  return PM_OK;
}

/* "my-bert" of "models/my-bert/config.json", and of "my-bert.json". */
static void name_by_file(question *q, const char *kind)
{
  char path[512];
  snprintf(path, sizeof path, "%s", q->file != NULL ? q->file : "");
  char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
  if (strcmp(base, "config.json") == 0) {
    if (slash == NULL) slash = path;
    *slash = '\0';
    slash = strrchr(path, '/');
    base = slash != NULL ? slash + 1 : path;
  } else {
    char *dot = strrchr(base, '.');
    if (dot != NULL) *dot = '\0';
  }
  snprintf(q->id, sizeof q->id, "%.79s", base[0] != '\0' && strcmp(base, ".") != 0 ? base : kind);
}

/* ---- What the configuration is ---- */

/* A model that only guesses words for another one takes its states, and has layers of its own. */
static int refuse_drafts(const pm__config *c)
{
  const pm__config_value *names = pm__config_find(c, "architectures");
  const pm__config_value *first = names != NULL && names->type == PM__CONFIG_LIST ? names->first : NULL;
  if (first == NULL || first->type != PM__CONFIG_TEXT || strstr(first->text, "Eagle") == NULL) return PM_OK;
  return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "%.60s is a draft for speculative decoding, which is not modelled; "
                  "give the config.json of the model that it serves", first->text);
}

/* Files of other programs, or of parts of models, each with what to do. */
static int refuse_others(const pm__config *c)
{
  if (pm__config_find(c, "peft_type") != NULL)
    return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "this is the configuration of a %.20s adapter, no model; import "
                    "the config.json of its base model (%.80s) and predict with --lora-rank %.10s",
                    pm__config_word(c, "peft_type", "LoRA"),
                    pm__config_word(c, "base_model_name_or_path", "not named"),
                    pm__config_find(c, "r") != NULL ? pm__config_find(c, "r")->text : "16");
  if (pm__config_find(c, "_class_name") != NULL)
    return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "this is the configuration of a diffusers %.60s, which cannot "
                    "be read; \"perfmodel list networks\" has diffusion networks, and perfmodel.from_torch reads any",
                    pm__config_word(c, "_class_name", "model"));
  if (c->kind[0] == '\0' && pm__config_find(c, "dim") != NULL && pm__config_find(c, "n_layers") != NULL)
    return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "these are the parameters of a model in its maker's own format "
                    "(params.json); give the config.json that Transformers reads");
  if (pm__config_flag(c, "add_cross_attention", false))
    return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "a %.60s with attention to another model's encoder "
                    "(add_cross_attention) is not modelled", c->kind);
  return refuse_drafts(c);
}

/* Whether "Qwen3MoeForCausalLM" begins with "qwen3_moe", and "For" or "Model" or nothing follows. */
static bool names_type(const char *architecture, const char *type, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (type[i] == '_' || type[i] == '-') continue;
    char c = *architecture++;
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != type[i]) return false;
  }
  return strncmp(architecture, "For", 3) == 0 || strcmp(architecture, "Model") == 0 ||
         strcmp(architecture, "LMHeadModel") == 0;
}

/* Types of one line of either table, separated by spaces; NULL behind the last. */
static const char *types_at(size_t number)
{
  size_t families = 0;
  while (pm__decoder_family_at(families) != NULL) families++;
  if (number < families) return pm__decoder_family_at(number)->types;
  const pm__model *model = pm__model_at(number - families);
  return model != NULL ? model->types : NULL;
}

/* The model type that an architecture has the name of, in the arena; NULL if none has. */
static const char *type_of_architecture(const pm__config *c, pm__arena *arena)
{
  const pm__config_value *names = pm__config_words(c, "architectures");
  const char *types;
  if (names == NULL || names->count == 0) return NULL;
  for (size_t i = 0; (types = types_at(i)) != NULL; i++)
    for (const char *type = types; *type != '\0';) {
      size_t length = strcspn(type, " ");
      if (names_type(names->first->text, type, length)) return pm__arena_copy(arena, type, length);
      type += length + (type[length] == ' ');
    }
  return NULL;
}

static bool is_known(const char *type)
{
  return pm__decoder_family_find(type) != NULL || pm__model_find(type) != NULL;
}

/* The next digit of a name, one for several that are the same; '\0': none. */
static char next_digit(const char **name)
{
  const char *at = *name + strcspn(*name, "0123456789");
  const char digit = *at;
  while (*at == digit && digit != '\0') at++;
  *name = at;
  return digit;
}

static bool same_digits(const char *a, const char *b)
{
  char digit;
  do if ((digit = next_digit(&a)) != next_digit(&b)) return false;
  while (digit != '\0');
  return true;
}

/* The type that a slip was made of, for "did you mean": a letter of five; another number is another model. */
static const char *nearest_type(const char *type, pm__arena *arena)
{
  pm__name_nearest nearest = {.written = type, .least = (int)(strlen(type) / 5) + 1};
  const char *types;
  for (size_t i = 0; (types = types_at(i)) != NULL; i++)
    for (const char *p = types; *p != '\0';) {
      size_t length = strcspn(p, " ");
      const char *known = pm__arena_copy(arena, p, length);
      if (known != NULL && same_digits(known, type)) pm__name_nearest_take(&nearest, known);
      p += length + (p[length] == ' ');
    }
  return nearest.name;
}

/* Model types whose layers nothing here describes, and what is missing. */
static const char *what_is_missing(const char *type)
{
  static const char *const kinds[][2] = {
    {"rwkv rwkv6 rwkv7 recurrent_gemma xlstm", "its recurrence is not modelled"},
    {"zamba zamba2 zaya", "its shared attention with adapters of each layer is not modelled"},
    {"gemma3n gemma3n_text", "its alternating updates of several residual streams are not modelled"},
    {"mllama mllama_text_model", "its attention to what another side has made of images is not modelled"},
    {"mistral_large4 mistral_large4_text", "its keys that layers take from others are not modelled"},
    {"qwen4_exp qwen4_exp_text hy_v4 hy_v4_vl_text glm5_next glm5_next_text lfm3 axk1 axk2 bailing_hybrid olmo_hybrid "
     "dots3_note dots3_note_text", "its layers are not modelled"},
    {"diffllama", "its attention, the difference of two, is not modelled"},
    {"dbrx", "its configuration in parts is not read"},
    {"longcat_flash", "its experts that pass their input on are not modelled"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (pm__list_has(kinds[i][0], type)) return kinds[i][1];
  return NULL;
}

static int unknown_type(const pm__config *c, pm__arena *arena)
{
  const char *missing = what_is_missing(c->kind);
  if (missing != NULL)
    return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "model_type \"%.60s\" cannot be read: %s", c->kind, missing);
  const char *near = nearest_type(c->kind, arena);
  if (c->kind[0] == '\0')
    return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "the configuration has no model_type and no known architecture; "
                    "docs/import.md lists the known model types");
  return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "unknown model_type \"%.60s\"%s%s%s; docs/import.md lists the "
                  "known ones, and perfmodel.from_torch reads any model", c->kind,
                  near != NULL ? "; did you mean \"" : "", near != NULL ? near : "", near != NULL ? "\"?" : "");
}

/* ---- Composites ---- */

static const char *const text_parts[] = {"text_config", "language_config", "llm_config", "thinker_config", NULL};
static const char *const text_part_names = "text_config language_config llm_config thinker_config";

/* The text model of a composite, if its type is known. */
static bool text_of(const pm__config *c, pm__config *text)
{
  for (const char *const *part = text_parts; *part != NULL; part++) {
    const pm__config_value *value = pm__config_find(c, *part);
    if (value == NULL || value->type != PM__CONFIG_OBJECT) continue;
    pm__config inner = {"", value, c->error};
    inner.kind = pm__config_word(&inner, "model_type", "");
    *text = inner;
    if (is_known(inner.kind) || text_of(&inner, text)) return true; /* thinker_config has one of its own */
  }
  return false;
}

/* The tower of a type: "qwen2_vl" of images is a "qwen2_vl_vision", whether it says so, or the composite alone does. */
static const char *tower_of(const char *type, pm__arena *arena)
{
  char name[PM_TEXT_MAX];
  snprintf(name, sizeof name, "%.60s_vision", type);
  return pm__model_find(name) != NULL ? pm__arena_copy(arena, name, strlen(name)) : NULL;
}

/* A part of a composite that is a configuration of its own. */
static bool part_of(const pm__config *c, const char *name, pm__arena *arena, pm__config *part)
{
  const pm__config_value *value = pm__config_find(c, name);
  if (value == NULL || value->type != PM__CONFIG_OBJECT) return false;
  *part = (pm__config){"", value, c->error};
  part->kind = pm__config_word(part, "model_type", "");
  const char *own = tower_of(part->kind, arena), *outer = tower_of(c->kind, arena);
  bool text = pm__list_has(text_part_names, name);
  if (own == NULL) own = outer;
  if (!text && pm__model_find(part->kind) == NULL && own != NULL) part->kind = own;
  return true;
}

/* What the tower alone has, of a type that is known; on another network, whose mistakes are none of this one's. */
static bool count_tower(const pm__body *b, pm__config tower, pm_network_totals *totals)
{
  pm_error failure = PM_ERROR_NONE;
  pm__body alone = {.error = &failure, .last = -1, .flash = b->flash, .image = b->image};
  const pm__model *model = pm__model_find(tower.kind);
  if (model == NULL) return false;
  tower.error = &failure;
  alone.network = pm_network_new("tower", "tower", &failure);
  if (alone.network != NULL) model->build(&alone, &tower);
  bool known = failure.status == PM_OK && pm_network_get_totals(alone.network, totals, NULL) == PM_OK;
  pm_network_free(alone.network);
  free(alone.notes.text);
  return known;
}

/* A part that is no text model, such as "vision_config"; not how weights are stored, nor what is generated. */
static bool is_other_part(const pm__config_value *v)
{
  size_t length = strlen(v->key);
  if (v->type != PM__CONFIG_OBJECT || pm__list_has_part(text_part_names, v->key, length)) return false;
  if (pm__list_has_part("quantization_config compression_config generation_config", v->key, length)) return false;
  return strcmp(v->key, "visual") == 0 || (length > 7 && strcmp(v->key + length - 7, "_config") == 0);
}

enum { PARTS_NOTED = 8 };

static void note_parts(pm__body *b, const pm__config *c, const pm__config *text, pm__arena *arena)
{
  pm_network_totals totals;
  pm__config tower;
  pm__body_note(b, "note: only the text model (%.60s) of the %.60s is read", text->kind,
                c->kind[0] != '\0' ? c->kind : "composite");
  int noted = 0;
  for (const pm__config_value *v = c->settings->first; v != NULL && noted < PARTS_NOTED; v = v->next) {
    if (!is_other_part(v)) continue;
    noted++;
    if (part_of(c, v->key, arena, &tower) && count_tower(b, tower, &totals))
      pm__body_note(b, "note: %.60s (%.60s) is left out: %.0f parameters, %.4g GMAC per input; part=%.60s reads only "
                    "this part", v->key, tower.kind, totals.parameters, totals.mac / 1e9, v->key);
    else pm__body_note(b, "note: %.60s is left out", v->key);
  }
}

/* ---- Building ---- */

/* `whole`: the composite that it is part of, or NULL. */
static void build(pm__body *b, const pm__config *c, pm__arena *arena, const pm__config *whole)
{
  const pm__decoder_family *family = pm__decoder_family_find(c->kind);
  if (family == NULL) {
    pm__model_find(c->kind)->build(b, c);
    return;
  }
  pm__decoder d = pm__decoder_family_describe(family, c, arena, whole != NULL);
  if (whole != NULL) d.tied = pm__config_flag(whole, "tie_word_embeddings", d.tied);
  pm__decoder_build(b, c, &d);
}

/* The part of a composite that is asked for takes its place. */
static void choose_part(const question *q, pm__config *c, pm__arena *arena)
{
  pm__config part;
  if (q->part[0] == '\0') return;
  if (part_of(c, q->part, arena, &part)) *c = part;
  else
    pm__fail(c->error, PM_STATUS_NOT_FOUND, "the configuration of a %.60s has no part \"%.60s\"", c->kind, q->part);
}

/* The configuration that is built: this one, its text model, or this one with the type of its architecture. */
static void choose_and_build(pm__body *b, pm__config *c, pm__arena *arena)
{
  pm__config text;
  bool composite = pm__model_find(c->kind) == NULL && text_of(c, &text);
  const char *by_name = c->kind[0] == '\0' && !composite ? type_of_architecture(c, arena) : NULL;
  if (by_name != NULL) {
    c->kind = by_name;
    pm__body_note(b, "note: no model_type is stated; %s follows from the architecture", by_name);
  }
  if (composite) {
    note_parts(b, c, &text, arena);
    build(b, &text, arena, c);
  } else if (is_known(c->kind)) build(b, c, arena, NULL);
  else unknown_type(c, arena);
  pm__body_quantize(b, c);
  if (composite && pm__config_find(c, "quantization_config") == NULL) pm__body_quantize(b, &text);
}

static void give_notes(pm__body *b)
{
  for (int i = 0; i < PM__BODY_NEAR && b->near[i].kind != NULL; i++)
    pm__string_format(&b->notes, "near: %s %d\n", b->near[i].kind, b->near[i].count);
  if (b->notes.failed) pm__no_memory(b->error);
  if (b->error->status != PM_OK) return;
  b->network->notes = b->notes.text;
  b->notes.text = NULL;
}

static void read_model(question *q, pm__body *b, pm__arena *arena)
{
  pm__config c = pm__config_read(q->text, q->file != NULL ? q->file : "text", arena, b->error);
  if (b->error->status != PM_OK || refuse_others(&c) != PM_OK) return;
  choose_part(q, &c, arena);
  if (q->id[0] == '\0') name_by_file(q, c.kind);
  b->network = pm_network_new(q->id, q->name[0] != '\0' ? q->name : q->id, b->error);
  if (b->network != NULL) choose_and_build(b, &c, arena);
}

pm_network *pm_model_read(const char *text, const char *file, const pm_attribute *sets, size_t set_count,
                          pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  question q = {.text = text, .file = file, .flash = true};
  pm__body b = {.error = &failure, .last = -1};
  pm__arena arena = {NULL};
  if (text == NULL) pm__fail(&failure, PM_STATUS_BAD_ARGUMENT, "a model needs a text");
  for (size_t i = 0; i < set_count && failure.status == PM_OK; i++)
    if (!pm__is_trainable(&sets[i])) read_set(&q, &sets[i], &failure);
  b.flash = q.flash;
  b.seq = q.seq;
  b.image = q.image;
  if (failure.status == PM_OK) read_model(&q, &b, &arena);
  if (failure.status == PM_OK) give_notes(&b);
  if (failure.status == PM_OK) b.network = pm__network_take_trainable(b.network, NULL, sets, set_count, &failure);
  if (failure.status != PM_OK) {
    pm_network_free(b.network);
    b.network = NULL;
    pm__error_take(error, &failure);
  }
  free(b.notes.text);
  pm__arena_free(&arena);
  return b.network;
}
