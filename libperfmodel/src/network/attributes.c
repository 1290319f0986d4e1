/* Attributes of a layer, read by the rules of its kind; what is not given is set last, in the order of the rules. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/kind.h"
#include "perfmodel/units.h"

static const pm__attribute_rule *find_rule(const pm__layer_kind *kind, const char *name)
{
  for (const pm__attribute_rule *rule = kind->rules; rule->name != NULL; rule++)
    if (strcmp(rule->name, name) == 0) return rule;
  return NULL;
}

static int refuse(const pm__layer *layer, const pm__attribute_rule *rule, const char *value, const char *why,
                  pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\": %s \"%.60s\" %s", layer->kind->name, layer->name, rule->name,
                  value,
                  why);
}

static const char *const switch_names[] = {"no", "yes", "auto", "false", "true"};

bool pm__switch_find(const char *name, double *value)
{
  for (int i = 0; i < 5; i++) {
    if (strcmp(switch_names[i], name) != 0) continue;
    *value = i <= PM__AUTO ? i : i - PM__AUTO - 1;
    return true;
  }
  return false;
}

const char *pm__switch_name(double value)
{
  return switch_names[(int)value];
}

/* By name, or the number that an expression of such names has. */
static int read_switch(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  double number;
  bool known = pm__switch_find(value, &number) || pm_number_parse(value, &number) == PM_OK;
  if (known && number == floor(number) && number >= PM__NO && number <= rule->most) {
    layer->attribute[rule->slot] = number;
    return PM_OK;
  }
  return refuse(layer, rule, value, rule->most == PM__AUTO ? "is neither yes, no nor auto" : "is neither yes nor no",
                error);
}

static int read_number(pm__layer *layer, const pm__attribute_rule *rule, const char *value, double *number,
                       pm_error *error)
{
  char why[80];
  if (pm_number_parse(value, number) != PM_OK) return refuse(layer, rule, value, "is not a number", error);
  if (rule->kind != PM__NUMBER && rule->kind != PM__FACTORS && *number != floor(*number))
    return refuse(layer, rule, value, "is not a whole number", error);
  snprintf(why, sizeof why, "is not within %.0f and %.0f", rule->least, rule->most);
  if (!(*number >= rule->least && *number <= rule->most)) return refuse(layer, rule, value, why, error);
  return PM_OK;
}

/* Slots of values, the place of their count not counted. */
static int value_slots(const pm__attribute_rule *rule)
{
  return rule->kind == PM__LIST ? PM__LIST_COUNT : PM__TUPLE_COUNT;
}

static bool is_list(const pm__attribute_rule *rule)
{
  return rule->kind == PM__TUPLE || rule->kind == PM__FACTORS || rule->kind == PM__LIST;
}

/* "1,7": the values, their count, and one value in all places of a tuple. */
static int read_list(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  char piece[32], why[80];
  double *slots = &layer->attribute[rule->slot];
  int most = value_slots(rule), count = 0;
  snprintf(why, sizeof why, "is not 1 to %d numbers with commas between them", most);
  for (const char *text = value;;) {
    size_t length = strcspn(text, ",");
    if (length >= sizeof piece || count == most) return refuse(layer, rule, value, why, error);
    memcpy(piece, text, length);
    piece[length] = '\0';
    int status = read_number(layer, rule, piece, &slots[count], error);
    if (status != PM_OK) return status;
    count++;
    if (text[length] == '\0') break;
    text += length + 1;
  }
  for (int i = 1; count == 1 && i < most; i++) slots[i] = slots[0];
  slots[most] = count;
  return PM_OK;
}

static int read_choice(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  char known[200] = "is none of";
  for (int i = 0; rule->words[i] != NULL; i++) {
    layer->attribute[rule->slot] = i;
    if (strcmp(rule->words[i], value) == 0) return PM_OK;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s %s", i > 0 ? "," : "", rule->words[i]);
  }
  return refuse(layer, rule, value, known, error);
}

static int read_value(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  switch (rule->kind) {
  case PM__SWITCH: return read_switch(layer, rule, value, error);
  case PM__CHOICE: return read_choice(layer, rule, value, error);
  case PM__COUNT:
  case PM__NUMBER: return read_number(layer, rule, value, &layer->attribute[rule->slot], error);
  default: return read_list(layer, rule, value, error);
  }
}

/* What an attribute is that was not given. NAN if it had to be. */
static void set_default(pm__layer *layer, const pm__attribute_rule *rule)
{
  double *slots = &layer->attribute[rule->slot];
  int values = is_list(rule) ? value_slots(rule) : 0;
  const pm__attribute_rule *like = rule->like != NULL ? find_rule(layer->kind, rule->like) : NULL;
  for (int i = 0; i < values || i == 0; i++)
    slots[i] = like != NULL ? layer->attribute[like->slot + i] : rule->otherwise;
  if (values > 0) slots[values] = like != NULL ? layer->attribute[like->slot + values] : rule->like == NULL;
}

static int unknown_attribute(const pm__layer *layer, const char *name, pm_error *error)
{
  char known[256] = "";
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", rule->name);
  }
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s has no attribute \"%.60s\"; it has %s", layer->kind->name, name,
                  known[0] != '\0' ? known : "none");
}

static bool is_given(const pm__attribute_rule *rule, const pm_attribute *attributes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(attributes[i].name, rule->name) == 0) return true;
  return false;
}

int pm__layer_read_attributes(pm__layer *layer, const pm_attribute *attributes, size_t count, pm_error *error)
{
  for (size_t i = 0; i < count; i++) {
    if (attributes[i].name == NULL || attributes[i].value == NULL)
      return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an attribute needs a name and a value");
    const pm__attribute_rule *rule = find_rule(layer->kind, attributes[i].name);
    if (rule == NULL) return unknown_attribute(layer, attributes[i].name, error);
    int status = read_value(layer, rule, attributes[i].value, error);
    if (status != PM_OK) return status;
  }
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++) {
    if (!is_given(rule, attributes, count)) set_default(layer, rule);
    if (isnan(layer->attribute[rule->slot]))
      return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\" needs %s", layer->kind->name, layer->name, rule->name);
  }
  return PM_OK;
}

int pm__check_tuples(const pm__layer *layer, int axes, pm_error *error)
{
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++) {
    if (rule->kind != PM__TUPLE && rule->kind != PM__FACTORS) continue;
    int count = (int)layer->attribute[rule->slot + PM__TUPLE_COUNT];
    if (count > 1 && count != axes)
      return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%s\": %s has %d numbers; it takes %s%.0d", layer->kind->name,
                      layer->name, rule->name, count, axes > 1 ? "1 or " : "1", axes > 1 ? axes : 0);
  }
  return PM_OK;
}

int pm__axis(const pm__layer *layer, int slot, const pm__shape *shape, pm_error *error)
{
  char text[PM_TEXT_MAX];
  double axis = layer->attribute[slot];
  if (axis >= -shape->rank && axis < shape->rank) return (int)(axis < 0 ? axis + shape->rank : axis);
  pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %s has no axis %.0f", layer->kind->name, layer->name,
           pm__shape_text(shape, text, sizeof text), axis);
  return -1;
}
