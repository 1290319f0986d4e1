/* The kinds of layers and their attributes, described: all from the tables by which attributes are read. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/kind.h"
#include "perfmodel/units.h"

const char *pm_layer_kind_get_name(size_t index)
{
  const pm__layer_kind *kind = pm__layer_kind_at(index);
  return kind != NULL ? kind->name : NULL;
}

int pm__layer_kind_get(size_t index, pm_layer_kind *row, pm_error *error)
{
  const pm__layer_kind *kind = pm__layer_kind_at(index);
  if (row == NULL || kind == NULL) return pm__fail(error, PM_STATUS_NOT_FOUND, "there is no layer kind %zu", index);
  memset(row, 0, sizeof *row);
  pm__text_set(row->kind, sizeof row->kind, kind->name);
  pm__text_set(row->doc, sizeof row->doc, kind->doc);
  row->least_inputs = kind->least_inputs;
  row->most_inputs = kind->most_inputs < PM__ANY_NUMBER ? kind->most_inputs : (double)INFINITY;
  return PM_OK;
}

/* What an attribute is if it is left out, as text; NULL if it must be given. */
static const char *default_of(const pm__attribute_rule *rule, char *number)
{
  if (rule->like != NULL) return rule->like;
  if (rule->kind == PM__CHOICE) return rule->words[(int)rule->otherwise];
  if (rule->kind == PM__SWITCH) return pm__switch_name(rule->otherwise);
  return isnan(rule->otherwise) ? NULL : pm_number_format(number, rule->otherwise);
}

static void add_attribute(const pm__attribute_rule *rule, char *buffer, size_t size)
{
  char number[PM_NUMBER_MAX];
  size_t used = strlen(buffer);
  const char *value = default_of(rule, number);
  snprintf(buffer + used, size - used, "%s%s%s%s", used > 0 ? " " : "", rule->name, value != NULL ? "=" : "",
           value != NULL ? value : "");
}

char *pm_layer_kind_format_attributes(size_t index, char *buffer, size_t size)
{
  if (buffer == NULL || size == 0) return buffer;
  buffer[0] = '\0';
  const pm__layer_kind *kind = pm__layer_kind_at(index);
  for (const pm__attribute_rule *rule = kind != NULL ? kind->rules : NULL; rule != NULL && rule->name != NULL;
       rule++)
    add_attribute(rule, buffer, size);
  return buffer;
}

/* What may be given: "counts", "yes, no", ... */
static void set_value(pm_layer_attribute *row, const pm__attribute_rule *rule)
{
  static const char *const names[] = {"count", "1 to 3 counts", "1 to 6 counts", "yes, no", "number", "1 to 3 numbers"};
  if (rule->kind != PM__CHOICE) {
    bool automatic = rule->kind == PM__SWITCH && rule->most == PM__AUTO;
    pm__text_set(row->value, sizeof row->value, automatic ? "yes, no, auto" : names[rule->kind]);
    return;
  }
  for (int i = 0; rule->words[i] != NULL; i++) {
    size_t used = strlen(row->value);
    snprintf(row->value + used, sizeof row->value - used, "%s%s", i > 0 ? ", " : "", rule->words[i]);
  }
}

static void fill_attribute(pm_layer_attribute *row, const pm__layer_kind *kind, const pm__attribute_rule *rule)
{
  char number[PM_NUMBER_MAX];
  const char *otherwise = default_of(rule, number);
  memset(row, 0, sizeof *row);
  pm__text_set(row->kind, sizeof row->kind, kind->name);
  pm__text_set(row->name, sizeof row->name, rule->name);
  pm__text_set(row->otherwise, sizeof row->otherwise, otherwise != NULL ? otherwise : "");
  pm__text_set(row->doc, sizeof row->doc, rule->doc);
  set_value(row, rule);
}

int pm__layer_attribute_get(size_t index, pm_layer_attribute *row, pm_error *error)
{
  const pm__layer_kind *kind;
  size_t number = 0;
  for (size_t i = 0; row != NULL && (kind = pm__layer_kind_at(i)) != NULL; i++)
    for (const pm__attribute_rule *rule = kind->rules; rule->name != NULL; rule++)
      if (number++ == index) return fill_attribute(row, kind, rule), PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "there is no layer attribute %zu", index);
}
