/* The options of a command, its own and those that fields of a run are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"

enum { CHOICES_SHOWN = 36 }; /* letters of choices that stand instead of a value's name */

bool is_among(const char *name, const char *words)
{
  size_t length = strlen(name);
  for (const char *at = words; at != NULL && (at = strstr(at, name)) != NULL; at += length) {
    bool starts = at == words || at[-1] == ' ', ends = at[length] == ' ' || at[length] == '\0';
    if (starts && ends) return true;
  }
  return false;
}

bool is_switch(const pm_field *field)
{
  return field->kind == PM_FIELD_CHOICE && strcmp(field->choices[0].name, "no") == 0;
}

void field_option(const pm_field *field, char *name, size_t size)
{
  snprintf(name, size, "%s", field->option != NULL ? field->option : field->name);
  for (char *c = name; *c != '\0'; c++)
    if (*c == '_') *c = '-';
}

/* The names of a choice, between them `between`. */
static void list_choices(const pm_field *field, const char *between, char *list, size_t size)
{
  list[0] = '\0';
  for (size_t i = 0; field->choices[i].name != NULL; i++) {
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", i > 0 ? between : "", field->choices[i].name);
  }
}

/* What the value is called: the choices if they are few, else a word for what it is. */
static void name_value(const pm_field *field, bool many, char *value, size_t size)
{
  char choices[512];
  static const char *const words[][2] = {{"1", "N"}, {"1/s", "RATE"}, {"B/s", "RATE"}, {"s", "TIME"},
                                         {"currency/h", "PRICE"}};
  const char *word = "SIZE";
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(field->unit, words[i][0]) == 0) word = words[i][1];
  if (field->kind == PM_FIELD_CHOICE) list_choices(field, "|", choices, sizeof choices);
  bool few = field->kind == PM_FIELD_CHOICE && strlen(choices) <= CHOICES_SHOWN;
  if (field->kind == PM_FIELD_CHOICE) word = few ? choices : "NAME";
  snprintf(value, size, "%s%s", word, many ? ",..." : "");
}

static void say(const pm_field *field, const char *value, char *doc, size_t size)
{
  char choices[512];
  size_t used = (size_t)snprintf(doc, size, "%s", field->asked != NULL ? field->asked : field->doc);
  if (field->kind == PM_FIELD_CHOICE && !is_switch(field) && strchr(value, '|') == NULL) {
    list_choices(field, ", ", choices, sizeof choices);
    used += (size_t)snprintf(doc + used, size - used, ": %s", choices);
  }
  if (field->asked == NULL && field->otherwise != NULL && used < size)
    snprintf(doc + used, size - used, " (default %s)", field->otherwise);
}

/* The options after `last` that speak of a field in words of the command's own. */
static const char *own_words(const cli_option *options, const char *name)
{
  for (const cli_option *o = options; o->name != NULL; o++)
    if (o->id == OPTION_OF_FIELD && strcmp(o->name, name) == 0) return o->doc;
  return NULL;
}

static void add_field(cli_options *all, const cli_option *own, const pm_field *field, bool many)
{
  cli_known *known = &all->items[all->count++];
  field_option(field, known->name, sizeof known->name);
  name_value(field, many, known->value, sizeof known->value);
  const char *words = own_words(own, known->name);
  if (words != NULL) snprintf(known->doc, sizeof known->doc, "%s", words);
  else say(field, known->value, known->doc, sizeof known->doc);
  known->field = field;
  known->option.id = OPTION_OF_FIELD;
  known->option.name = known->name;
  known->option.value = is_switch(field) ? NULL : known->value;
  known->option.doc = known->doc;
}

static bool is_known(const cli_options *all, const pm_field *field)
{
  char name[OPTION_NAME];
  field_option(field, name, sizeof name);
  for (size_t i = 0; i < all->count; i++)
    if (all->items[i].field != NULL && strcmp(all->items[i].name, name) == 0) return true;
  return false;
}

/* A field that only runs of one task have, among those of others: "of serving: input tokens of a request". */
static void say_task(cli_known *known, const pm_record_type *type)
{
  char doc[sizeof known->doc];
  const pm_task_facts *facts;
  for (int32_t i = 0; (facts = pm_task_get(i)) != NULL; i++)
    if (strcmp(facts->run, type->name) == 0) {
      snprintf(doc, sizeof doc, "of %s: %.360s", facts->name, known->doc);
      memcpy(known->doc, doc, sizeof doc);
    }
}

/* {OPTION_FIELDS, '\0', record, "many" or NULL, names of the fields that the command does not take}; of a further
** record those that no record before has. */
static void add_fields(cli_options *all, const cli_option *own, const cli_option *fields)
{
  const pm_record_type *type = pm_record_type_find(fields->name);
  bool further = all->fields;
  for (size_t i = 0; i < type->field_count && all->count < OPTIONS_MOST; i++) {
    const pm_field *field = &type->fields[i];
    bool given = field->option == NULL || field->option[0] != '\0';
    if (!given || is_among(field->name, fields->doc) || is_known(all, field)) continue;
    add_field(all, own, field, fields->value != NULL);
    if (further) say_task(&all->items[all->count - 1], type);
  }
  static const cli_option lora = {OPTION_LORA, '\0', "lora", "WORDS",
                                  "adapters in one text: rank, targets, layers, dropout, weights, dora, as in "
                                  "rank=16,targets=q+v,layers=24-31"};
  bool adapters = pm_record_find_field(type, "lora_rank") != NULL && !is_among("lora_rank", fields->doc);
  static const cli_option trainable = {OPTION_TRAINABLE, '\0', "trainable", "NAMES",
                                       "the layers that are trained, by patterns of their names such as "
                                       "*.norm,lm_head; all others are frozen (--set trainable=NAMES)"};
  if (adapters && all->count + 1 < OPTIONS_MOST) {
    all->items[all->count++].option = lora;
    all->items[all->count++].option = trainable;
  }
  all->fields = true;
}

static void add_list(cli_options *all, const cli_option *options)
{
  for (const cli_option *o = options; o->name != NULL && all->count < OPTIONS_MOST; o++) {
    if (o->id == OPTION_FIELDS) add_fields(all, options, o);
    else if (o->id != OPTION_OF_FIELD) all->items[all->count++].option = *o;
  }
}

cli_options *options_new(const cli_option *options, const cli_option *more)
{
  cli_options *all = (cli_options *)calloc(1, sizeof *all);
  if (all == NULL) return NULL;
  add_list(all, options);
  if (more != NULL) add_list(all, more);
  return all;
}

/* ---- Values of fields ---- */

static bool is_share(const pm_field *field)
{
  return field->kind == PM_FIELD_REAL && (field->show & PM_SHOW_PERCENT) != 0;
}

static bool is_count(const pm_field *field)
{
  bool plain = field->kind == PM_FIELD_REAL && strstr(field->name, "batch") != NULL;
  return field->kind == PM_FIELD_INT || plain;
}

static bool read_share(const char *name, const pm_field *field, void *record, const char *text)
{
  double value;
  if (pm_number_parse(text, &value) != PM_OK || !(value >= 0 && value <= 1))
    return fail(CODE_USAGE, "--%s \"%.80s\" is not a number from 0 to 1", name, text), false;
  pm_record_set_number(field, record, value, NULL);
  return true;
}

/* A quantity with its unit; a rate is known for one without it too. "300B" of what is plainly counted. */
static bool read_quantity(const char *name, const pm_field *field, void *record, const char *text)
{
  double value;
  pm_error error = PM_ERROR_NONE;
  bool plain = strcmp(field->unit, "1/s") == 0 && pm_number_parse(text, &value) == PM_OK;
  if (!plain && pm_quantity_parse(text, field->unit, &value, &error) != PM_OK)
    return fail(CODE_USAGE, "--%s: %s", name, error.text), false;
  if (!(value > 0)) return fail(CODE_USAGE, "--%s \"%.80s\" is not positive", name, text), false;
  pm_record_set_number(field, record, value, NULL);
  return true;
}

/* "0" of a count that is 0 where none is given: it says that there is none. */
static bool is_none(const pm_field *field, const char *text)
{
  bool none = field->otherwise == NULL || strcmp(field->otherwise, "0") == 0;
  return field->kind == PM_FIELD_INT && none && strcmp(text, "0") == 0;
}

bool read_field(const char *name, const pm_field *field, void *record, const char *text)
{
  double count;
  if (is_none(field, text)) return pm_record_set_number(field, record, 0, NULL), true;
  if (is_count(field)) {
    if (!read_count(name, text, COUNT_MOST, &count)) return false;
    pm_record_set_number(field, record, count, NULL);
    return true;
  }
  if (is_share(field)) return read_share(name, field, record, text);
  if (field->kind == PM_FIELD_REAL) return read_quantity(name, field, record, text);
  return pm_record_set(field, record, text, NULL) == PM_OK || unknown_choice(name, text, field->choices);
}

const char *field_given(const cli_request *request, const char *name)
{
  for (size_t i = 0; i < request->given_count; i++)
    if (strcmp(request->given[i].field->name, name) == 0) return request->given[i].text;
  return NULL;
}

bool read_run(const cli_request *request, const char *record, void *run)
{
  const pm_record_type *type = pm_record_type_find(record);
  for (size_t i = 0; i < request->given_count; i++) {
    char name[OPTION_NAME];
    const pm_field *field = pm_record_find_field(type, request->given[i].field->name);
    field_option(request->given[i].field, name, sizeof name);
    if (field != NULL && !read_field(name, field, run, request->given[i].text)) return false;
  }
  return true;
}

/* ---- Axes ---- */

enum { RANGE_MOST = 1000 };

typedef struct numbers {
  double *items;
  size_t count;
} numbers;

static bool add_number(numbers *all, double value)
{
  double *grown = (double *)realloc(all->items, (all->count + 1) * sizeof *grown);
  if (grown == NULL) return fail_memory(), false;
  all->items = grown;
  grown[all->count++] = value;
  return true;
}

/* One of the numbers that make a range, up to `end`. */
static bool read_end(const char *name, const pm_field *field, const char *text, const char *end, void *run,
                     double *value)
{
  char own[PM_TEXT_MAX];
  snprintf(own, sizeof own, "%.*s", (int)(end - text), text);
  if (!read_field(name, field, run, own)) return false;
  *value = pm_record_get_number(field, run);
  return true;
}

/* "150 W..350 W:10 W" is from, to, and a step. */
static bool read_range(const char *name, const pm_field *field, const char *text, void *run, numbers *all)
{
  double first, last, step;
  const char *dots = strstr(text, ".."), *colon = strchr(dots, ':');
  if (colon == NULL)
    return fail(CODE_USAGE, "--%s \"%.80s\" has no step: a range is FIRST..LAST:STEP", name, text), false;
  if (!read_end(name, field, text, dots, run, &first) || !read_end(name, field, dots + 2, colon, run, &last) ||
      !read_end(name, field, colon + 1, text + strlen(text), run, &step)) return false;
  double steps = floor((last - first) / step * (1 + 1e-12));
  if (!(steps >= 0) || steps >= RANGE_MOST)
    return fail(CODE_USAGE, "--%s \"%.80s\": a range has 1 to %d values", name, text, RANGE_MOST), false;
  for (int i = 0; i <= (int)steps; i++)
    if (!add_number(all, first + i * step)) return false;
  return true;
}

static bool read_item(const char *name, const pm_field *field, const char *text, void *run, numbers *all)
{
  bool number = field->kind == PM_FIELD_REAL || is_count(field);
  if (number && strstr(text, "..") != NULL) return read_range(name, field, text, run, all);
  return read_field(name, field, run, text) && add_number(all, pm_record_get_number(field, run));
}

/* One field: a single value goes into the run, several are an axis. */
bool read_axis(const char *name, const pm_field *field, const char *text, void *run, cli_axes *axes)
{
  texts items;
  numbers all = {NULL, 0};
  bool good = read_option_names(name, text, &items);
  if (!good) return false;
  for (size_t i = 0; i < items.count && good; i++) good = read_item(name, field, items.items[i], run, &all);
  if (good && all.count == 1) pm_record_set_number(field, run, all.items[0], NULL);
  bool axis = good && all.count > 1 && axes->count < OPTIONS_MOST;
  if (axis) axes->items[axes->count++] = (pm_axis){.field = field->name, .values = all.items, .count = all.count};
  else free(all.items);
  free(items.items);
  return good;
}

bool read_axes(const cli_request *request, const pm_record_type *type, void *run, cli_axes *axes)
{
  for (size_t i = 0; i < request->given_count; i++) {
    char name[OPTION_NAME];
    const pm_field *field = pm_record_find_field(type, request->given[i].field->name);
    field_option(request->given[i].field, name, sizeof name);
    if (field != NULL && !read_axis(name, field, request->given[i].text, run, axes)) return false;
  }
  return true;
}

/* An axis of the plan's own lists: 0, 1, 2, ... */
bool add_index_axis(cli_axes *axes, const char *field, size_t count)
{
  double *values = (double *)calloc(count > 0 ? count : 1, sizeof *values);
  if (values == NULL) return fail_memory(), false;
  for (size_t i = 0; i < count; i++) values[i] = (double)i;
  axes->items[axes->count++] = (pm_axis){.field = field, .values = values, .count = count};
  return true;
}

void free_axes(cli_axes *axes)
{
  for (size_t i = 0; i < axes->count; i++) free((void *)(uintptr_t)axes->items[i].values);
  axes->count = 0;
}
