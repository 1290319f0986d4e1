/* Values of options: counts, precisions, names, and comma-separated lists of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"

/* "1-8", "32:256" */
static bool is_range(const char *text)
{
  size_t digits = strspn(text, "0123456789"), rest = digits + (text[digits] == '-' || text[digits] == ':');
  size_t more = strspn(text + rest, "0123456789");
  return digits > 0 && rest > digits && more > 0 && text[rest + more] == '\0';
}

static void not_count(const char *option_name, const char *text, double most)
{
  if (is_range(text)) fail(CODE_USAGE, "--%s \"%.80s\": a range is written number by number: 1,2,4", option_name, text);
  else if (strchr(text, ',') != NULL)
    fail(CODE_USAGE, "--%s \"%.80s\" is a list, but one number is expected; perfmodel sweep takes lists",
         option_name, text);
  else fail(CODE_USAGE, "--%s \"%.80s\" is not a whole number from 1 to %.0f", option_name, text, most);
}

bool read_count(const char *option_name, const char *text, double most, double *value)
{
  double number;
  if (pm_number_parse(text, &number) != PM_OK || number != floor(number) || number < 1 || number > most) {
    not_count(option_name, text, most);
    return false;
  }
  *value = number;
  return true;
}

const char *option_name(const cli_request *request, option_id id)
{
  const cli_option *o = request->command->options;
  while (o->name != NULL && o->id != id) o++;
  return o->name != NULL ? o->name : "";
}

bool read_fields(const cli_request *request, const char *record, const cli_field *fields, size_t count, void *to)
{
  for (size_t i = 0; i < count; i++) {
    pm_error error = PM_ERROR_NONE;
    const char *text = request->value[fields[i].option];
    const pm_field *field = pm_record_find_field(pm_record_type_find(record), fields[i].field);
    if (text == NULL || pm_record_set(field, to, text, &error) == PM_OK) continue;
    size_t known = strlen(field->name); /* messages begin with the field, which has another name here */
    const char *rest = strncmp(error.text, field->name, known) == 0 ? error.text + known : error.text;
    return fail(CODE_USAGE, "--%s%s", option_name(request, fields[i].option), rest), false;
  }
  return true;
}

bool read_count_option(const cli_request *request, option_id id, double most, double other, double *value)
{
  const cli_option *o = request->command->options;
  *value = other;
  if (request->value[id] == NULL) return true;
  while (o->id != id) o++; /* it was given, so it is in the list */
  return read_count(o->name, request->value[id], most, value);
}

/* Cuts `copy` at its commas, and the blanks around each piece. Returns false for an empty piece. */
static bool split(char *copy, const char **items, size_t *count)
{
  for (char *item = copy; item != NULL;) {
    char *comma = strchr(item, ',');
    if (comma != NULL) *comma = '\0';
    item += strspn(item, " ");
    size_t length = strlen(item);
    while (length > 0 && item[length - 1] == ' ') item[--length] = '\0';
    if (length == 0) return false;
    items[(*count)++] = item;
    item = comma != NULL ? comma + 1 : NULL;
  }
  return true;
}

static size_t pieces(const char *text)
{
  size_t count = 1;
  for (; (text = strchr(text, ',')) != NULL; text++) count++;
  return count;
}

/* The pointers and the letters that they point to share one block. */
bool read_names(const char *what, const char *text, texts *names)
{
  size_t table = pieces(text) * sizeof names->items[0];
  char *block = (char *)malloc(table + strlen(text) + 1);
  names->count = 0;
  names->items = (const char **)(void *)block;
  if (block == NULL) return fail_memory(), false;
  memcpy(block + table, text, strlen(text) + 1);
  if (split(block + table, names->items, &names->count)) return true;
  fail(CODE_USAGE, "%s \"%.80s\" has an empty item", what, text);
  free(names->items);
  names->items = NULL;
  return false;
}

bool read_option_names(const char *option_name, const char *text, texts *names)
{
  char what[80];
  snprintf(what, sizeof what, "--%s", option_name);
  return read_names(what, text, names);
}

bool read_counts(const char *option_name, const char *text, double most, double **values, size_t *count)
{
  texts items;
  *values = NULL;
  *count = 0;
  if (text == NULL) return true;
  if (!read_option_names(option_name, text, &items)) return false;
  *values = (double *)calloc(items.count, sizeof **values);
  bool good = *values != NULL || (fail_memory(), false);
  for (size_t i = 0; good && i < items.count; i++) good = read_count(option_name, items.items[i], most, &(*values)[i]);
  *count = items.count;
  free(items.items);
  return good;
}

bool unknown_choice(const char *option_name, const char *text, const pm_choice *choices)
{
  enum { MOST = 32 };
  const char *names[MOST] = {NULL};
  char known[400] = "";
  for (size_t i = 0; choices[i].name != NULL && i + 1 < MOST; i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", choices[i].name);
    names[i] = choices[i].name;
  }
  const char *meant = closest_name(text, names);
  if (strchr(text, ',') != NULL)
    fail(CODE_USAGE, "--%s \"%.80s\" is a list, but one value is expected; perfmodel sweep takes several",
                                      option_name, text);
  else if (meant != NULL) fail(CODE_USAGE, "--%s \"%.80s\" is unknown; did you mean \"%s\"?", option_name, text, meant);
  else fail(CODE_USAGE, "--%s \"%.80s\" is unknown; it must be one of %s", option_name, text, known);
  return false;
}

/* The choices of a run's field: what the library calls them is what the option takes. */
static const pm_choice *choices_of(const char *field)
{
  return pm_record_find_field(pm_record_type_find("run"), field)->choices;
}

bool read_precision(const char *text, int32_t *precision)
{
  if (text == NULL) return true;
  int found = pm_precision_find(text);
  if (found < 0) return unknown_choice("precision", text, choices_of("precision"));
  *precision = found;
  return true;
}

bool read_choice(const char *option_name, const char *record, const char *field, const char *text, int32_t *value)
{
  const pm_choice *choices = pm_record_find_field(pm_record_type_find(record), field)->choices;
  if (text == NULL) return true;
  for (int32_t i = 0; choices[i].name != NULL; i++) {
    if (strcmp(choices[i].name, text) != 0) continue;
    *value = i;
    return true;
  }
  return unknown_choice(option_name, text, choices);
}

bool read_kernels(const char *text, int32_t *model)
{
  return read_choice("kernel-model", "run", "kernel_model", text, model);
}

/* Each "name=value" becomes a pair; the name is a copy behind the pairs, in the same block. */
bool read_sets(const cli_request *request, pm_attribute **sets)
{
  size_t count = request->sets.count, letters = 0;
  for (size_t i = 0; i < count; i++) letters += strlen(request->sets.items[i]) + 1;
  char *block = (char *)malloc(count * sizeof **sets + letters + 1);
  *sets = (pm_attribute *)(void *)block;
  if (block == NULL) return fail_memory(), false;
  char *name = block + count * sizeof **sets;
  for (size_t i = 0; i < count; i++) {
    memcpy(name, request->sets.items[i], strlen(request->sets.items[i]) + 1);
    char *equals = strchr(name, '=');
    if (equals == NULL || equals == name || equals[1] == '\0') {
      fail(CODE_USAGE, "--set \"%.80s\" is not NAME=VALUE", request->sets.items[i]);
      free(block);
      return false;
    }
    size_t length = strlen(name);
    *equals = '\0';
    (*sets)[i].name = name;
    (*sets)[i].value = equals + 1;
    name += length + 1;
  }
  return true;
}
