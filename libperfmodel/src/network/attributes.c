/* Attributes of a layer, read by the rules of its kind. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/layer.h"
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
  return pm__fail(error, PM_BAD_VALUE, "%s \"%s\": %s \"%.60s\" %s", layer->kind->name, layer->name, rule->name, value,
                  why);
}

static int read_switch(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  bool yes = strcmp(value, "yes") == 0 || strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
  bool no = strcmp(value, "no") == 0 || strcmp(value, "0") == 0 || strcmp(value, "false") == 0;
  if (!yes && !no) return refuse(layer, rule, value, "is neither yes nor no", error);
  layer->attribute[rule->slot] = yes;
  return PM_OK;
}

static int read_number(pm__layer *layer, const pm__attribute_rule *rule, const char *value, double *number,
                       pm_error *error)
{
  char why[80];
  if (pm_number_parse(value, number) != PM_OK) return refuse(layer, rule, value, "is not a number", error);
  if (rule->kind != PM__NUMBER && *number != floor(*number))
    return refuse(layer, rule, value, "is not a whole number", error);
  snprintf(why, sizeof why, "is not within %.0f and %.0f", rule->least, rule->most);
  if (!(*number >= rule->least && *number <= rule->most)) return refuse(layer, rule, value, why, error);
  return PM_OK;
}

static int read_pair(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  char first[32];
  const char *comma = strchr(value, ',');
  size_t length = comma != NULL ? (size_t)(comma - value) : strlen(value);
  if (length >= sizeof first) return refuse(layer, rule, value, "is not a pair of numbers", error);
  memcpy(first, value, length);
  first[length] = '\0';
  double *slots = &layer->attribute[rule->slot];
  int status = read_number(layer, rule, first, &slots[0], error);
  if (status != PM_OK) return status;
  slots[1] = slots[0];
  return comma != NULL ? read_number(layer, rule, comma + 1, &slots[1], error) : PM_OK;
}

static int read_value(pm__layer *layer, const pm__attribute_rule *rule, const char *value, pm_error *error)
{
  switch (rule->kind) {
  case PM__SWITCH: return read_switch(layer, rule, value, error);
  case PM__PAIR: return read_pair(layer, rule, value, error);
  default: return read_number(layer, rule, value, &layer->attribute[rule->slot], error);
  }
}

static void set_defaults(pm__layer *layer)
{
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++) {
    layer->attribute[rule->slot] = rule->otherwise;
    if (rule->kind == PM__PAIR) layer->attribute[rule->slot + 1] = rule->otherwise;
  }
}

static int unknown_attribute(const pm__layer *layer, const char *name, pm_error *error)
{
  char known[256] = "";
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", rule->name);
  }
  return pm__fail(error, PM_BAD_VALUE, "%s has no attribute \"%.60s\"; it has %s", layer->kind->name, name,
                  known[0] != '\0' ? known : "none");
}

int pm__layer_read_attributes(pm__layer *layer, const pm_attribute *attributes, size_t count, pm_error *error)
{
  set_defaults(layer);
  for (size_t i = 0; i < count; i++) {
    if (attributes[i].name == NULL || attributes[i].value == NULL)
      return pm__fail(error, PM_BAD_ARGUMENT, "an attribute needs a name and a value");
    const pm__attribute_rule *rule = find_rule(layer->kind, attributes[i].name);
    if (rule == NULL) return unknown_attribute(layer, attributes[i].name, error);
    int status = read_value(layer, rule, attributes[i].value, error);
    if (status != PM_OK) return status;
  }
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++)
    if (isnan(layer->attribute[rule->slot]))
      return pm__fail(error, PM_BAD_VALUE, "%s \"%s\" needs %s", layer->kind->name, layer->name, rule->name);
  return PM_OK;
}
